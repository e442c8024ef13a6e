"""Real newsletters as Slack would get them: 149 issues of four publications in each layout, none refused."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bot.importing.form import in_our_form
from bot.importing.opening import source_of, text_of
from bot.models import Issue
from bot.sources import Given
from tests.node import ask
from tests.servers.slack import TOKEN, Workspace
from tests.servers.slack.rules import mentions
from tests.test_slack_issues import LAYOUTS, Layout, assert_slack_takes, assert_words_kept, frozen

Json = dict[str, Any]
PUBLICATIONS = {"dair-ai": 130, "jser-info": 13, "lwkd": 3, "swiftweekly": 3}


def read(folder: Path) -> Iterator[Issue]:
    """The issues of one publication, as `broadsheet import` reads them."""
    for file in sorted(folder.iterdir()):
        if file.name == "SOURCE.txt":
            continue
        text, given = text_of(file), Given(folder.name, file.name)
        _, source = source_of(file, text, None)
        founds = map(in_our_form, source.read(text, given).issues)
        yield from (found.issue(given, found.week) for found in founds if found.week)


@cache
def corpus(shared: Path) -> list[Issue]:
    return [issue for name in PUBLICATIONS for issue in read(shared / "corpus" / name)]


@cache
def messages(shared: Path, layout: Layout) -> list[list[Json]]:
    """The messages of each issue."""
    return [frozen(issue, layout) for issue in corpus(shared)]


def posted(parts: list[Json], layout: Layout) -> Workspace:
    """A workspace that took all parts of an issue."""
    workspace = Workspace()
    for part in parts:
        first = workspace.every[0].ts if workspace.every else None
        thread = {"thread_ts": first} if first and layout == "thread" else {}
        workspace.answer("chat.postMessage", part | thread, f"Bearer {TOKEN}")
    return workspace


@pytest.mark.parametrize("layout", LAYOUTS)
def test_real_newsletters_are_taken_whole_and_call_nobody(shared: Path, layout: Layout) -> None:
    for issue, parts in zip(corpus(shared), messages(shared, layout), strict=True):
        assert_slack_takes(parts)
        assert len(posted(parts, layout).posts) == len(parts), issue.key
        assert [found for part in parts for found in mentions(part)] == [], issue.key
        assert_words_kept(issue, layout, parts)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_correction_of_a_real_newsletter_is_taken_too(shared: Path, layout: Layout) -> None:
    """The next issue's messages in the place of this one's: more than any correction would change."""
    every = messages(shared, layout)
    for parts, others in zip(every[::7], every[1::7], strict=False):
        workspace = posted(parts, layout)
        for post, other in zip(workspace.posts, others, strict=False):
            said = {key: other[key] for key in ("channel", "text", "blocks", "metadata")}
            workspace.answer("chat.update", {"ts": post.ts, **said}, f"Bearer {TOKEN}")
            assert post.message["blocks"] == other["blocks"]


def test_slacks_types_take_real_newsletters(shared: Path) -> None:
    found = [part for layout in LAYOUTS for parts in messages(shared, layout) for part in parts]
    answers = ask("slack_types.js", found)
    assert [(said, part) for said, part in zip(answers, found, strict=True) if said] == []


def test_there_are_as_many_as_there_were(shared: Path) -> None:
    assert len(corpus(shared)) == sum(PUBLICATIONS.values())
