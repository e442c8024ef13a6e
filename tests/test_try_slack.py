"""Whoever has no workspace can try the bot: the how-to's commands, and the page that shows what came."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.request import urlopen

import pytest
from hypothesis import given, settings, strategies as st

from tests.servers.slack import CONVERSATION, TOKEN, SlackServer, Workspace, page
from tests.stories.installation import REPOSITORY, Installation
from tests.test_servers_slack_rules import RULES

Json = dict[str, Any]
HOW_TO = REPOSITORY / "docs/how-to/try-slack.md"


def commands() -> list[str]:
    """What the how-to says to type, in order."""
    return re.findall(r"^\$ (.+)$", HOW_TO.read_text("utf-8"), re.MULTILINE)


@contextmanager
def started(*words: str) -> Iterator[str]:
    """The server by itself, on a free port; gives what it says at first."""
    command = [sys.executable, *commands()[0].split()[1:], "--port", "0", *words]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = ""
        while "Socket Mode" not in said:
            line = process.stdout.readline()
            assert line, "it ended without a word"
            said += line
        try:
            yield said
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


def seen(said: str) -> str:
    """The page whose address was told."""
    root = re.search(r"http://127\.0\.0\.1:\d+/$", said, re.MULTILINE)
    assert root
    with urlopen(root[0], timeout=60) as answer:
        shown: str = answer.read().decode()
        return shown


def sample(root: Path, said: str) -> Installation:
    """The sample of this repository, changed as the how-to says."""
    made = Installation(root)
    for folder in ("config", "content"):
        copytree(REPOSITORY / folder, root / folder, dirs_exist_ok=True)
    line = re.search(r"```toml\n(.+)\n```", HOW_TO.read_text("utf-8"))
    address = re.search(r'api_url = ".+"', said)
    file = root / "config/newsletters/ai-papers.toml"
    before = file.read_text("utf-8")
    assert line
    assert address
    assert re.sub(r":\d+/", ":8099/", address[0]) == line[1]
    after = re.sub(r'^folder = "outbox/slack".*$', address[0], before, flags=re.MULTILINE)
    assert after != before
    file.write_text(after, "utf-8")
    return made


# ------------------------------------------------------------------------------------------------ the how-to


def test_the_commands_of_the_how_to_post_the_sample_where_it_can_be_read(tmp_path: Path) -> None:
    _, export, *broadsheet = commands()
    with started("--interval", "0") as said:
        made = sample(tmp_path, said)
        name, _, token = export.removeprefix("export ").partition("=")
        assert token == TOKEN
        made.environment[name] = token
        for command in broadsheet:
            answer = made(*command.split()[1:])
            assert answer.status == 0, answer.err
        shown = seen(said)
    assert "AI Papers of the Week" in shown
    assert "In the thread:" in shown
    assert "class=live>calls" not in shown


def test_a_bot_that_was_not_invited_is_told_so(tmp_path: Path) -> None:
    with started("--uninvited") as said:
        made = sample(tmp_path, said)
        made.environment["BROADSHEET_SLACK_TOKEN"] = TOKEN
        made("approve", "2025-W17")
        assert "/invite" in made("publish", "2025-W17").err
        assert "Nothing was posted yet." in seen(said)


def test_help_names_every_option() -> None:
    command = [sys.executable, "-m", "tests.servers.slack", "--help"]
    environment = {**os.environ, "COLUMNS": "100"}
    help_ = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    for option in ("--port", "--conversation", "--private", "--uninvited", "--interval"):
        assert option in help_.stdout


# -------------------------------------------------------------------------------------------------- the page


class _Tags(HTMLParser):
    """The tags of a page and its addresses."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]
        assert not any(name.startswith("on") for name, _ in attrs)


def drawn(**message: Any) -> str:
    workspace = Workspace()
    workspace.store({"channel": CONVERSATION, **message})
    return page.drawn(workspace)


@pytest.mark.parametrize("block", [taken for taken, _, _ in RULES.values()], ids=RULES)
def test_every_block_that_may_be_posted_can_be_drawn(block: Json) -> None:
    assert drawn(blocks=[block]).count("<article>") == 1


HOSTILE = st.sampled_from(
    ["<script>", "javascript:alert(1)", '"><img src=x>', "<b>", "&lt;", "'", "*", "|", "<https://x", "x"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(HOSTILE, min_size=1, max_size=4).map("".join))
def test_nothing_that_was_posted_becomes_part_of_the_page(words: str) -> None:
    text, mrkdwn = ({"type": kind, "text": words} for kind in ("text", "mrkdwn"))
    runs = [text, {"type": "link", "url": words}]
    blocks = [
        {"type": "section", "text": mrkdwn, "fields": [{"type": "plain_text", "text": words}]},
        {"type": "context", "elements": [{"type": "image", "alt_text": words, "image_url": words}]},
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": runs}]},
        {"type": "unheard of", "words": words},
    ]
    for found in (_Tags(drawn(text=words, blocks=blocks)), _Tags(drawn(text=words))):
        assert not {"script", "img", "b"} & set(found.tags)
        assert all(address.startswith(("http://", "https://", "mailto:")) for address in found.addresses)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            {"text": "*bold* & <https://x.org/?a=1&amp;b=2|a &lt;link&gt;>"},
            "<strong>bold</strong> &amp; <a href",
        ),
        ({"text": "<https://x.org/?a=1&amp;b=2|a &lt;link&gt;>"}, 'href="https://x.org/?a=1&amp;b=2"'),
        ({"text": "*<https://x.org/*a*|bold>*"}, '<strong><a href="https://x.org/&#42;a&#42;"'),
        ({"text": "2*3*4"}, "2*3*4"),
        ({"text": "<!channel>"}, "calls &lt;!channel&gt;"),
        ({"text": "<javascript:x|here>"}, "here"),
        ({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "@here"}}]}, "calls @here"),
        ({"blocks": [{"type": "markdown", "text": "# x"}]}, "<pre># x</pre>"),
    ],
)
def test_a_message_is_drawn_with_its_links_and_whom_it_calls(message: Json, shown: str) -> None:
    assert shown in drawn(**message)


def test_threads_corrections_and_what_was_deleted_are_told() -> None:
    with SlackServer() as slack:
        first = slack.store({"channel": CONVERSATION, "text": "first"})
        slack.store({"channel": CONVERSATION, "text": "reply", "thread_ts": first.ts})
        first.earlier.append(first.message)
        with urlopen(slack.root, timeout=60) as answer:
            shown = answer.read().decode()
        assert shown.index("first") < shown.index("corrections: 1") < shown.index("reply")
        first.deleted = True
        assert "This message was deleted." in page.drawn(slack)
        with pytest.raises(OSError, match="404"):
            urlopen(f"{slack.root}/elsewhere", timeout=60)
