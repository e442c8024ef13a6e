"""Where other programs that post to Slack went wrong, by their public reports: the same words, through us."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.models import Entry, Issue, Section
from bot.sources.markdown import read_issue
from tests.servers.slack import TOKEN, Workspace
from tests.servers.slack.rules import mentions
from tests.test_slack_issues import LAYOUTS, Layout, frozen, links_in, shown

Json = dict[str, Any]
OURS = "http://localhost:8000/"

REPORTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "alertmanager#244: entities are shown": ('5 < 6 & 7 > 3, "so" it\'s', '5 < 6 & 7 > 3, "so" it\'s', ()),
    "langfuse#13874: a name calls everybody": (
        "<!channel> <!here> <@U012345>",
        "<!channel> <!here> <@U012345>",
        (),
    ),
    "integrations/slack#1872: code becomes a link": ("Run `<foo|bar>` now", "Run <foo|bar> now", ()),
    "firecrawl#3934: an address takes the place of a label": (
        "[bank](https://x.org/?a=b|c)",
        "bank",
        ("https://x.org/?a=b%7Cc",),
    ),
    "firecrawl#3934: a label with a bar": ("[a|b](https://x.org/)", "a|b", ("https://x.org/",)),
    "sentry#121520: a label of two lines": ("[one\ntwo](https://x.org/)", "one two", ("https://x.org/",)),
    "sentry#109694: bold inside of a link": (
        "[**bold** and not](https://x.org/)",
        "bold and not",
        ("https://x.org/",),
    ),
    "atomist#37: code inside of a link": ("[`code`](https://x.org/)", "code", ("https://x.org/",)),
    "integrations/slack#1507: an ampersand in an address": (
        "[x](https://x.org/?a=1&b=2)",
        "x",
        ("https://x.org/?a=1&b=2",),
    ),
    "npmx.dev#2364: numbers become emoji": ("At 10:30:45, fe80:1234::1", "At 10:30:45, fe80:1234::1", ()),
    "an emoji's name is only a name": (":tada: :+1:", ":tada: :+1:", ()),
    "slackify-markdown#26: blanks that nobody sees": ("**bold**text", "boldtext", ()),
    "ChatGPT-in-Slack#121: bold among characters": ("这是**粗体**文字", "这是粗体文字", ()),
    "stars that are meant": (r"Escaped \*stars\*", "Escaped *stars*", ()),
    "stars that multiply": ("2 * 3 * 4", "2 * 3 * 4", ()),
    "underscores in names": ("snake_case_name and __init__.py", "snake_case_name", ()),
    "a bracket in an address": (
        "[w](https://en.wikipedia.org/wiki/Foo_(bar))",
        "w",
        ("https://en.wikipedia.org/wiki/Foo_(bar)",),
    ),
    "an address that runs": ("[x](javascript:alert(1)) y", "x", ()),
    "a link without words": ("see []( https://x.org/ ) y", "see", ()),
    "a link to nowhere": ("see [text]() y", "text", ()),
    "an entity in the source": ("AT&amp;T", "AT&T", ()),
    "an image is a link": ("![a & b](https://x.org/a.webp) y", "a & b y", ("https://x.org/a.webp",)),
    "a quote of two lines": ("> a\n> b", "a b", ()),
    "a line break of two blanks": ("one  \ntwo", "one two", ()),
    "a line break of a backslash": ("one\\\ntwo", "one two", ()),
    "code with angles": ("```python\nif a < b:\n```", "if a < b:", ()),
    "bare mentions": ("@here @channel #general", "@here @channel #general", ()),
    "full-width marks": ("＊太字＊ ＿x＿", "＊太字＊ ＿x＿", ()),  # noqa: RUF001 (it is about these)
    "a date that Slack would write": ("<!date^0^{date}|x>", "<!date^0^{date}|x>", ()),
}


def issue(words: str, folder: Path) -> Issue:
    """An issue whose one entry says this."""
    file = folder / "2025-W17.md"
    head = '---\ntitle: "The week"\nweek: 2025-W17\nstatus: ready\n---\n\n'
    file.write_text(f"{head}## An entry\n\nA lead.\n\n{words}\n", "utf-8")
    found, findings = read_issue(file, "ai-papers", "content/2025-W17.md")
    assert found, findings
    return found


def seen(parts: list[Json]) -> str:
    """All words of the messages, blanks made one."""
    return " ".join(" ".join(shown(block) for part in parts for block in part["blocks"]).split())


@pytest.mark.parametrize(("words", "expected", "links"), REPORTS.values(), ids=REPORTS)
def test_what_went_wrong_elsewhere_is_shown_as_it_was_meant(
    words: str, expected: str, links: tuple[str, ...], tmp_path: Path
) -> None:
    parts = frozen(issue(words, tmp_path), "thread")
    assert expected in seen(parts)
    assert "\u200b" not in seen(parts)
    found = {link["url"] for part in parts for link in links_in(part["blocks"])}
    assert {url for url in found if not url.startswith(OURS)} == set(links)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("words", [words for words, _, _ in REPORTS.values()], ids=REPORTS)
def test_what_went_wrong_elsewhere_is_taken_and_calls_nobody(
    words: str, layout: Layout, tmp_path: Path
) -> None:
    told = issue(words, tmp_path)
    if "\n" not in words and "[" not in words:
        told = replace(told, title=words, sections=(Section(words, (Entry(words),)), *told.sections))
    workspace = Workspace()
    for part in frozen(told, layout):
        workspace.answer("chat.postMessage", part, f"Bearer {TOKEN}")
        assert mentions(part) == []
        assert part["unfurl_links"] is part["unfurl_media"] is False, "art-tools#2919: one alone half works"
        assert part["blocks"], "java-slack-sdk#704: a bare text is split, and named but once"
        assert not {"image", "markdown"} & {block["type"] for block in part["blocks"]}, "designsystem#146"
        assert not re.search(r"&(quot|#x27|#39);", json.dumps(part)), "alertmanager#244"
