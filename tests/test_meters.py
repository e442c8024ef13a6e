"""A curator sees how near an issue is to the limits of mail programs and of Slack, and what inboxes cut."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from bot import meters
from bot.blockkit import limits
from bot.meters import Gauge, Level


@pytest.mark.parametrize(
    ("value", "level"),
    [
        (0, Level.FINE),
        (80_000, Level.FINE),
        (81_600, Level.FINE),  # four fifths of it
        (81_601, Level.NEAR),
        (102_000, Level.NEAR),  # as much as Gmail shows
        (102_001, Level.OVER),
    ],
)
def test_html_is_near_its_limit_from_four_fifths_on_and_over_it_from_the_first_byte(
    value: int, level: Level
) -> None:
    gauge, _ = meters.of_mail("", value)
    assert (gauge.value, gauge.limit, gauge.level) == (value, 102_000, level)


@pytest.mark.parametrize(
    ("html", "size"),
    [
        ("<p>no styles</p>", 0),
        ("<style>a{}</style>", 3),
        ('<STYLE media="all">a{}</STYLE><style>é{}</style>', 7),  # bytes, of both
    ],
)
def test_styles_are_counted_in_bytes_over_all_sheets(html: str, size: int) -> None:
    assert meters.of_mail(html, 0)[1].value == size


@pytest.mark.parametrize(("value", "percent"), [(0, 0), (50, 50), (99, 99), (100, 100), (199, 199)])
def test_a_gauge_says_how_full_it_is(value: int, percent: int) -> None:
    assert Gauge("x", value, 100, "bytes").percent == percent


def test_each_message_is_measured_against_what_one_message_may_have() -> None:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2900}}
    button = {"type": "button", "text": {"type": "plain_text", "text": "Go"}}
    post = {"text": "y" * 10, "blocks": [section, {"type": "actions", "elements": [button]}]}
    whole, empty = meters.of_posts([post, {"text": "only words"}])
    assert [(one.what, one.value, one.limit) for one in whole] == [
        ("Blocks", 2, limits.BLOCKS),
        ("JSON", whole[1].value, limits.SERIALISED),
        ("Longest text", 2900, limits.TEXT),
        ("Notification", 10, limits.FALLBACK),
    ]
    assert 2900 < whole[1].value < 3200
    assert [one.value for one in empty] == [0, 2, 0, 10]


def test_a_message_that_is_packed_up_to_the_limit_is_no_reason_to_worry() -> None:
    post = {"text": "x", "blocks": [{"type": "divider"}] * limits.BLOCKS}
    over = {"text": "x", "blocks": [{"type": "divider"}] * (limits.BLOCKS + 1)}
    (full, *_), (more, *_) = meters.of_posts([post, over])
    assert (full.level, more.level) == (Level.FINE, Level.OVER)


@pytest.mark.parametrize(
    ("line", "limit", "seen"),
    [
        ("", 5, ""),
        ("short", 5, "short"),
        ("longer", 5, "longe"),
        ("cafe\u0301s", 4, "caf"),  # the accent stays with its letter
        ("ab👍🏽c", 3, "ab"),  # and the tone of skin with the hand
        ("a👩\u200d💻b", 2, "a"),  # and what is joined, joined
        ("a👩\u200d💻b", 3, "a"),
        ("\u0301\u0301\u0301", 2, ""),
    ],
)
def test_a_line_is_cut_between_signs(line: str, limit: int, seen: str) -> None:
    assert meters.cut("phone", line, limit).seen == seen


@given(st.text(max_size=60), st.integers(1, 30))
def test_nothing_is_lost_or_made_up_by_cutting(line: str, limit: int) -> None:
    found = meters.cut("phone", line, limit)
    assert found.seen + found.lost == line
    assert len(found.seen) <= limit
    if found.seen and found.lost:
        assert not unicodedata.combining(found.lost[0]) or ord(found.lost[0]) > 0x36F


def test_a_subject_is_cut_earlier_on_a_phone_and_a_preheader_later_than_a_subject() -> None:
    line = "x" * 200
    cuts = [*meters.subject_cuts(line), *meters.preheader_cuts(line)]
    assert [(cut.where, len(cut.seen)) for cut in cuts] == [
        ("phone", 38),
        ("desktop", 70),
        ("phone", 90),
        ("desktop", 140),
    ]
