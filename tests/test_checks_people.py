"""The people of an issue: whom it would reach, who said yes, and when it goes."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from bot.checks import Flaw, look
from bot.checks._readership import Crowd, Neighbour, Readership, fields_of
from bot.checks.people import RULES
from bot.models import Issue, Severity, Week
from bot.plugins import Options
from bot.settings import Newsletter

ISSUE = Issue("ai-papers", Week(2025, 17), "AI Papers", place="content/ai-papers/2025-W17.md:1")
DUE = datetime.fromisoformat("2025-04-25T09:00+02:00")
EARLIER = DUE - timedelta(days=3)


def newsletter(schedule: dict[str, Any] | None = None, **keys: Any) -> Newsletter:
    return Newsletter.model_validate(
        {
            "name": "ai-papers",
            "title": "AI Papers of the Week",
            "sender": "AI Papers <papers@example.org>",
            "list_id": "ai-papers.example.org",
            "postal_address": "1 Example Street",
            "greeting": "Hello {name},",
            "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin", **(schedule or {})},
            "channels": {"readers": Options(kind="email")},
            **keys,
        }
    )


def readers(now: int = 100, **keys: Any) -> Crowd:
    return Crowd("readers", now, **keys)


TEAM = Crowd("team", 2, of_readers=False)


def found(*crowds: Crowd, now: datetime = EARLIER, ours: Newsletter | None = None, **keys: Any) -> list[str]:
    """The rules that find something, each with how bad it is."""
    keys = {"approval": "approved", **keys}
    readership = Readership(ISSUE, ours or newsletter(), now, crowds or (readers(),), **keys)
    return [f"{one.rule.removeprefix('people.')} {one.severity}" for one in look(readership)]


def flaws(rule: str, readership: Readership) -> list[Flaw]:
    (chosen,) = (one for one in RULES if one.id == f"people.{rule}")
    return list(chosen.look(readership))


def test_an_issue_with_readers_and_a_yes_before_its_time_is_in_order() -> None:
    assert found(readers(last=90), TEAM) == []


# ---------------------------------------------------------------------------------------------------- whom

W16 = Week(2025, 16)


@pytest.mark.parametrize(
    ("crowds", "keys", "expected"),
    [
        ((readers(0),), {}, ["nobody warning"]),
        ((readers(0),), {"fresh": True}, ["nobody hint"]),
        ((readers(0),), {"fresh": True, "sending": True}, ["nobody error"]),
        ((readers(0),), {"last": W16}, ["nobody error"]),
        ((readers(0, last=9),), {"last": W16}, ["nobody error"]),
        ((Crowd("team", 0, of_readers=False),), {"sending": True}, ["nobody error"]),
        ((readers(0), TEAM), {}, ["empty-audience warning"]),
        ((readers(0), TEAM), {"fresh": True}, ["empty-audience hint"]),
        ((readers(0), TEAM), {"fresh": True, "sending": True}, ["empty-audience warning"]),
        ((readers(0, last=0), TEAM), {"last": W16}, ["empty-audience warning"]),
        ((readers(0, last=9), TEAM), {"last": W16}, ["empty-audience error"]),
        ((readers(1), TEAM), {"sending": True}, []),
        ((TEAM,), {"sending": True}, []),
    ],
)
def test_an_issue_that_reaches_nobody_or_a_channel_without_readers_is_told(
    crowds: tuple[Crowd, ...], keys: dict[str, Any], expected: list[str]
) -> None:
    assert found(*crowds, **keys) == expected


@pytest.mark.parametrize(
    ("now", "last", "factor", "expected"),
    [
        (100, 100, 2, []),
        (199, 100, 2, []),
        (200, 100, 2, ["audience-size warning"]),
        (51, 100, 2, []),
        (50, 100, 2, ["audience-size warning"]),
        (1, 100, 2, ["audience-size warning"]),
        (200, 100, 2.5, []),
        (250, 100, 2.5, ["audience-size warning"]),
        (120, 100, 1.2, ["audience-size warning"]),
        (4, 2, 2, ["audience-size hint"]),
        (10, 5, 2, ["audience-size warning"]),
        (100, None, 2, []),
        (100, 0, 2, []),
    ],
)
def test_many_more_or_fewer_readers_than_last_time_are_told(
    now: int, last: int | None, factor: float, expected: list[str]
) -> None:
    assert found(readers(now, last=last), ours=newsletter(audience_factor=factor)) == expected


def test_who_reads_of_a_changed_audience_learns_both_numbers_and_the_direction() -> None:
    (more,) = flaws("audience-size", Readership(ISSUE, newsletter(), DUE, (readers(2400, last=1200),)))
    (fewer,) = flaws("audience-size", Readership(ISSUE, newsletter(), DUE, (readers(1, last=1200),)))
    assert more.message == "channels.readers: 2,400 readers, many more than the 1,200 of last time"
    assert fewer.message == "channels.readers: 1 reader, many fewer than the 1,200 of last time"
    assert more.place == "config/newsletters/ai-papers.toml"


def test_a_conversation_has_no_readers_to_compare() -> None:
    assert found(Crowd("team", 9, of_readers=False, last=1)) == []


@pytest.mark.parametrize(
    ("confirmed", "suppressed", "expected"),
    [
        (100, 0, []),
        (90, 10, []),
        (89, 11, ["suppressed warning"]),
        (18, 2, []),
        (17, 3, ["suppressed warning"]),
        (16, 3, ["suppressed hint"]),
        (1, 1, ["suppressed hint"]),
    ],
)
def test_many_addresses_that_nobody_may_mail_are_told(
    confirmed: int, suppressed: int, expected: list[str]
) -> None:
    assert found(readers(confirmed, suppressed=suppressed)) == expected


@pytest.mark.parametrize(
    ("doubts", "last", "expected"),
    [(0, W16, []), (1, W16, ["in-doubt warning"]), (3, W16, ["in-doubt warning"]), (0, None, [])],
)
def test_what_is_in_doubt_of_the_last_issue_is_told(
    doubts: int, last: Week | None, expected: list[str]
) -> None:
    assert found(doubts=doubts, last=last) == expected


def test_a_doubt_names_its_issue_and_how_to_settle_it() -> None:
    (one,) = flaws("in-doubt", Readership(ISSUE, newsletter(), DUE, (readers(),), W16, 1))
    (more,) = flaws("in-doubt", Readership(ISSUE, newsletter(), DUE, (readers(),), W16, 3))
    assert one.message == "2025-W16: 1 delivery is in doubt still"
    assert more.message == "2025-W16: 3 deliveries are in doubt still"
    assert "`broadsheet status 2025-W16`" in one.fix


# -------------------------------------------------------------------------------------------------- fields


@pytest.mark.parametrize(
    ("unnamed", "nameless", "names_readers", "expected"),
    [
        (None, 3, True, ["unnamed hint"]),
        ("", 3, True, ["unnamed warning"]),
        ("friend", 3, True, []),
        ("reader", 3, True, []),
        (None, 0, True, []),
        (None, 3, False, []),
        ("", 3, False, []),
    ],
)
def test_a_greeting_by_a_name_that_some_readers_lack_is_told(
    unnamed: str | None, nameless: int, expected: list[str], *, names_readers: bool
) -> None:
    ours = newsletter() if unnamed is None else newsletter(unnamed=unnamed)
    assert found(readers(nameless=nameless), ours=ours, names_readers=names_readers) == expected


@pytest.mark.parametrize(("unnamed", "said"), [(None, "'Hello reader,'"), ("", "'Hello ,'")])
def test_the_words_that_such_a_reader_would_get_are_shown(unnamed: str | None, said: str) -> None:
    ours = newsletter() if unnamed is None else newsletter(unnamed=unnamed)
    who = Readership(ISSUE, ours, DUE, (readers(40, nameless=3),), names_readers=True)
    (flaw,) = flaws("unnamed", who)
    assert flaw.message == f"unnamed: 3 of 40 readers gave no name and are called {said}"


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        ("Hello {{ reader.name }}", {"name": "templates/a.j2:1"}),
        ("\n\n{{ reader.nickname | default('you') }}", {"nickname": "templates/a.j2:3"}),
        ("{% if reader['vip'] is defined %}", {"vip": "templates/a.j2:1"}),
        ('{{ reader [ "vip" ] }}', {"vip": "templates/a.j2:1"}),
        ("{{ reader.name }}\n{{ reader.name }}", {"name": "templates/a.j2:1"}),
        ("{#\n{{ reader.nickname }}\n#}\n{{ reader.email }}", {"email": "templates/a.j2:4"}),
        ("{{ my_reader.nickname }} {{ issue.reader.nickname }}", {}),
        ("Dear reader. Thank you.", {}),
    ],
)
def test_what_a_template_asks_of_a_reader_is_found_where_it_asks(source: str, fields: dict[str, str]) -> None:
    assert fields_of({"a.j2": source}) == fields


@pytest.mark.parametrize("field", ["name", "email", "unsubscribe_url"])
def test_what_every_reader_has_may_be_asked_for(field: str) -> None:
    assert found(fields={field: "templates/themes/own.html.j2:4"}) == []


def test_what_no_reader_has_is_told_where_it_is_asked_for() -> None:
    assert found(fields={"nickname": "templates/themes/own.html.j2:4"}) == ["field warning"]
    who = Readership(ISSUE, newsletter(), DUE, (readers(),), fields={"nickname": "templates/a.j2:4"})
    (flaw,) = flaws("field", who)
    assert (flaw.place, flaw.fix) == ("templates/a.j2:4", "there are email, name, unsubscribe_url")


# ---------------------------------------------------------------------------------------------------- when


@pytest.mark.parametrize(
    ("before", "approval", "rule", "expected"),
    [
        (timedelta(hours=25), None, "required", []),
        (timedelta(hours=24), None, "required", ["approval warning"]),
        (timedelta(hours=1), None, "required", ["approval warning"]),
        (timedelta(hours=1), "void", "required", ["approval warning"]),
        (timedelta(hours=1), "approved", "required", []),
        (timedelta(hours=1), "held", "required", []),
        (timedelta(hours=1), None, "unless-held", []),
        (timedelta(hours=1), None, "none", []),
    ],
)
def test_an_approval_that_is_missing_is_told_within_a_day(
    before: timedelta, approval: str | None, rule: str, expected: list[str]
) -> None:
    assert found(now=DUE - before, approval=approval, ours=newsletter({"approval": rule})) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (-timedelta(minutes=1), []),
        (timedelta(minutes=5), []),
        (timedelta(minutes=6), ["send-time hint"]),
        (timedelta(hours=6), ["send-time hint"]),
        (timedelta(hours=6, seconds=1), ["send-time warning"]),
        (timedelta(days=28), ["send-time warning"]),
        (timedelta(days=29), ["send-time hint"]),
    ],
)
def test_a_send_time_that_is_over_is_told(after: timedelta, expected: list[str]) -> None:
    assert found(now=DUE + after) == expected


def test_who_sends_by_hand_is_asked_neither_for_the_time_nor_for_a_yes() -> None:
    for now in (DUE - timedelta(hours=1), DUE + timedelta(days=2)):
        assert found(now=now, approval=None, sending=True, by_hand=True) == []


@pytest.mark.parametrize(
    ("skip", "expected"),
    [("2025-04-25", ["skip-date warning"]), ("2025-04-24", []), ("2025-05-02", [])],
)
def test_an_issue_on_a_date_to_skip_is_told(skip: str, expected: list[str]) -> None:
    assert found(ours=newsletter({"skip": [skip]})) == expected


def test_on_a_date_to_skip_neither_a_yes_nor_the_time_is_missing() -> None:
    ours = newsletter({"skip": [date(2025, 4, 25)]})
    for now in (DUE - timedelta(hours=1), DUE + timedelta(days=2)):
        assert found(now=now, approval=None, ours=ours) == ["skip-date warning"]


@pytest.mark.parametrize(
    ("apart", "shared", "expected"),
    [
        (timedelta(minutes=30), 60, ["doubled hint"]),
        (timedelta(hours=-1), 60, ["doubled hint"]),
        (timedelta(minutes=61), 60, []),
        (timedelta(minutes=30), 0, []),
    ],
)
def test_two_newsletters_to_the_same_readers_within_an_hour_are_told(
    apart: timedelta, shared: int, expected: list[str]
) -> None:
    assert found(neighbours=(Neighbour("ai-tools", DUE + apart, shared),)) == expected


# --------------------------------------------------------------------------------------------- as it is taken


def test_a_rule_about_people_is_taken_as_the_newsletter_says() -> None:
    fewer = readers(40, last=100)
    for word in (Severity.ERROR, Severity.HINT):
        ours = newsletter(checks={"people.audience-size": word})
        assert found(fewer, ours=ours) == [f"audience-size {word}"]
    assert found(fewer, ours=newsletter(checks={"people.audience-size": "off"})) == []


def test_every_finding_about_people_names_its_issue_and_a_place() -> None:
    ours = newsletter({"skip": ["2025-04-25"]}, unnamed="")
    crowds = (readers(10, last=100, suppressed=9, nameless=1), Crowd("more", 0, last=1))
    who = Readership(
        ISSUE, ours, DUE, crowds, W16, 3, names_readers=True, fields={"vip": "templates/a.j2:1"},
        neighbours=(Neighbour("ai-tools", DUE, 1),),
    )  # fmt: skip
    told = look(who)
    assert {one.issue for one in told} == {"ai-papers/2025-W17"}
    assert all(one.place and one.fix for one in told)
    assert {one.rule.removeprefix("people.") for one in told} == {
        "empty-audience", "audience-size", "suppressed", "in-doubt", "field", "unnamed", "skip-date",
        "doubled",
    }  # fmt: skip
