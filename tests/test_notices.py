"""What curators hear of an issue that does not go out, in words."""

import logging
from dataclasses import replace
from datetime import datetime

import pytest

from bot.models import Finding, Severity, Week
from bot.notices import Kind, Notice, lines, write_down

NOW = datetime.fromisoformat("2025-04-25T09:00+02:00")


def error(number: int) -> Finding:
    place = f"content/ai-papers/2025-W17.md:{number}"
    return Finding("writing.note", Severity.ERROR, place, "TODO was left", "write it", "ai-papers/2025-W17")


WARNING = Finding("links.shortener", Severity.WARNING, "content/ai-papers/2025-W17.md:1", "a shortener")


def notice(*findings: Finding, kind: Kind = Kind.HELD, reason: str = "it has errors") -> Notice:
    return Notice(kind, "ai-papers", Week(2025, 17), "a" * 64, reason, findings, NOW)


def test_a_notice_says_what_does_not_go_and_why() -> None:
    assert list(lines(notice())) == ["ai-papers/2025-W17: not sent: it has errors"]


def test_a_notice_says_what_to_do_where_the_reason_does_not() -> None:
    told = replace(notice(reason="nobody has approved it"), remedy="`broadsheet approve 2025-W17`")
    assert list(lines(told)) == [
        "ai-papers/2025-W17: not sent: nobody has approved it: `broadsheet approve 2025-W17`"
    ]


@pytest.mark.parametrize(("count", "shown", "more"), [(1, 1, 0), (3, 3, 0), (4, 3, 1), (9, 3, 6)])
def test_it_shows_the_first_errors_and_counts_the_others(count: int, shown: int, more: int) -> None:
    _, *told = lines(notice(*map(error, range(1, count + 1)), WARNING))
    assert told[:shown] == [f"  {error(number)} [writing.note]" for number in range(1, shown + 1)]
    assert told[shown:] == ([f"  and {more} more: `broadsheet check 2025-W17`"] if more else [])


def test_what_was_published_and_stopped_is_not_called_unsent() -> None:
    told = notice(kind=Kind.FAILED, reason="email: stopped: the relay refuses us")
    assert list(lines(told)) == ["ai-papers/2025-W17: email: stopped: the relay refuses us"]


def test_for_want_of_somebody_who_listens_the_log_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        write_down(notice(error(7)))
    (record,) = caplog.records
    assert record.getMessage().startswith("ai-papers/2025-W17: not sent: it has errors;   content/ai-papers/")
    assert vars(record)["kind"] == "held"
