"""Who somebody is in the studio, where they come from, how often they may try: decided without a server."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from werkzeug.security import generate_password_hash

from bot.settings import Newsletter, Settings
from bot.web.studio import links, sessions, tries
from bot.web.studio.passwords import most, proofs
from bot.web.studio.persons import Way, at_home, by_mail, by_password, fingerprint, only
from bot.web.studio.sessions import Proven, begun, found, who_is
from bot.web.studio.visits import is_loopback, visit
from tests.website import TABLE

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
KEY = b"k" * 32
URL = "https://papers.example.org"
FIRST, SECOND = (generate_password_hash(word, method="scrypt:1024:8:1") for word in ("first", "second"))


def newsletters(**curators: dict[str, Any]) -> dict[str, Newsletter]:
    tables = {name: {**TABLE, "name": name, "curators": those} for name, those in curators.items()}
    return dict(Settings(root=Path(), newsletters=tables).newsletters)  # type: ignore[arg-type] # pydantic reads them


PAPERS = newsletters(
    papers={
        "ann": {"name": "Ann", "email": "ann@example.org", "password_hash": FIRST},
        "bo": {"email": "bo@example.org"},
        "cy": {"slack": "U0000000001"},
    },
    talks={
        "ann": {"email": "other@example.org", "password_hash": SECOND},
        "robert": {"email": "Bo@Example.org"},
    },
)


# ------------------------------------------------------------------------------------------------- persons


@pytest.mark.parametrize(
    ("email", "keys"),
    [
        ("ann@example.org", {"papers": "ann"}),
        ("other@example.org", {"talks": "ann"}),  # another Ann, as it seems
        ("bo@example.org", {"papers": "bo", "talks": "robert"}),
        (" BO@example.ORG ", {"papers": "bo", "talks": "robert"}),
        ("cy@example.org", None),
        ("", None),
        ("ann@example.org\0", None),
    ],
)
def test_an_address_is_one_person_in_every_newsletter(email: str, keys: dict[str, str] | None) -> None:
    person = by_mail(PAPERS, email)
    assert (dict(person.keys) if person else None) == keys


@pytest.mark.parametrize(
    ("who", "password", "keys"),
    [
        ("ann", "first", {"papers": "ann"}),
        ("ann", "second", {"talks": "ann"}),
        ("ann", "third", None),
        ("bo", "first", None),
        ("nobody", "first", None),
        ("", "", None),
        ("ann", "", None),
    ],
)
def test_a_password_opens_the_newsletters_that_it_is_for(
    who: str, password: str, keys: dict[str, str] | None
) -> None:
    person = by_password(PAPERS, who, proofs(PAPERS, who, password))
    assert (dict(person.keys) if person else None) == keys


def test_as_many_hashes_are_computed_for_a_name_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []

    def counting(one: str, _password: str) -> bool:
        counted.append(one)
        return False

    monkeypatch.setattr("bot.web.studio.passwords.check_password_hash", counting)

    def computed(known: dict[str, Newsletter], who: str) -> int:
        counted.clear()
        proofs(known, who, "x")
        return len(counted)

    assert {who: computed(PAPERS, who) for who in ("ann", "bo", "nobody", "")} == dict.fromkeys(
        ("ann", "bo", "nobody", ""), 2
    )
    several = newsletters(
        papers={"ann": {"password_hash": FIRST}, "bo": {"password_hash": SECOND}},
        talks={"ann": {"password_hash": FIRST}},
    )
    assert [computed(several, who) for who in ("ann", "bo", "nobody")] == [1, 1, 1]
    assert most(several) == 1


def test_a_hash_whose_cost_nobody_can_pay_opens_nothing_and_breaks_nothing() -> None:
    dear = f"scrypt:1099511627776:8:1$abcdefgh${'0' * 128}"
    known = newsletters(papers={"ann": {"password_hash": dear}, "bo": {"password_hash": FIRST}})
    assert not proofs(known, "ann", "x")
    assert proofs(known, "bo", "first")


def test_whoever_has_the_machine_is_a_curator_or_its_user() -> None:
    ann, user = at_home(PAPERS, "ann"), at_home(PAPERS, "root")
    assert (ann.name, dict(ann.keys)) == ("Ann", {"papers": "ann", "talks": "ann"})
    assert (user.name, dict(user.keys)) == ("root", {"papers": "root", "talks": "root"})
    assert only(PAPERS) is None
    assert only(newsletters(papers={"ann": {"email": "ann@example.org"}}, talks={})) == "ann"


# ------------------------------------------------------------------------------------------------- sessions


MAIL = Proven(Way.MAIL, "ann@example.org")
PASSWORD = Proven(Way.PASSWORD, "ann", frozenset({fingerprint(FIRST)}))
LOCAL = Proven(Way.LOCAL, "ann", frozenset({"house1"}))


def without(curator: str, **instead: dict[str, Any]) -> dict[str, Newsletter]:
    curators = {"ann": {"email": "ann@example.org", "password_hash": FIRST}, "bo": {"email": "b@example.org"}}
    curators.pop(curator)
    return newsletters(papers={**curators, **instead})


@pytest.mark.parametrize(
    ("proven", "known", "lasts"),
    [
        (MAIL, PAPERS, True),
        (MAIL, without("bo"), True),
        (MAIL, without("ann"), False),
        (MAIL, without("ann", ann={"email": "ann@example.com"}), False),
        (PASSWORD, PAPERS, True),
        (PASSWORD, without("ann"), False),
        (PASSWORD, without("ann", ann={"password_hash": SECOND}), False),
        (PASSWORD, without("ann", ann={"email": "ann@example.org"}), False),
        (LOCAL, PAPERS, True),
        (LOCAL, without("ann"), True),
    ],
)
def test_a_session_lasts_as_long_as_its_curator_and_their_password(
    proven: Proven, known: dict[str, Newsletter], *, lasts: bool
) -> None:
    assert (who_is(proven, known, "house1") is not None) == lasts


def test_a_session_of_the_terminal_ends_with_the_process_that_opened_it() -> None:
    word = begun(KEY, LOCAL, NOW)
    assert found(KEY, word, PAPERS, "house1", NOW)
    assert found(KEY, word, PAPERS, "another", NOW) is None


def test_a_session_ends_after_twelve_hours() -> None:
    word = begun(KEY, MAIL, NOW)
    assert found(KEY, word, PAPERS, "", NOW + timedelta(hours=12, seconds=-1))
    assert found(KEY, word, PAPERS, "", NOW + timedelta(hours=12)) is None


def test_a_word_for_something_else_or_with_another_key_is_no_session() -> None:
    from bot.signing import sign  # noqa: PLC0415 (to forge)

    what = {"id": "x", "way": "mail", "who": "ann@example.org", "proofs": ""}
    assert found(KEY, sign(KEY, sessions.PURPOSE, what, NOW + sessions.LASTS), PAPERS, "", NOW)
    for forged in (
        sign(KEY, "decide", what, NOW + sessions.LASTS),
        sign(b"x" * 32, sessions.PURPOSE, what, NOW + sessions.LASTS),
        sign(KEY, sessions.PURPOSE, {**what, "way": "charm"}, NOW + sessions.LASTS),
        sign(KEY, sessions.PURPOSE, {**what, "id": ""}, NOW + sessions.LASTS),
        "",
        ".",
        "a.b",
    ):
        assert found(KEY, forged, PAPERS, "", NOW) is None


@given(st.text(max_size=300))
def test_whatever_stands_in_a_cookie_is_read_without_a_stumble(word: str) -> None:
    assert found(KEY, word, PAPERS, "", NOW) is None


def test_forms_of_two_sessions_have_different_words() -> None:
    first, second = (found(KEY, begun(KEY, MAIL, NOW), PAPERS, "", NOW) for _ in range(2))
    assert first
    assert second
    assert first.word != second.word
    assert first.id not in first.word


# --------------------------------------------------------------------------------------------------- visits


def asked(**environ: str) -> dict[str, str]:
    return {"REMOTE_ADDR": "127.0.0.1", "broadsheet.host": "127.0.0.1:8000", **environ}


@pytest.mark.parametrize(
    ("environ", "local"),
    [
        (asked(), True),
        (asked(REMOTE_ADDR="::1", **{"broadsheet.host": "[::1]:8000"}), True),
        (asked(**{"broadsheet.host": "localhost:8000"}), True),
        (asked(**{"broadsheet.host": "LOCALHOST"}), True),
        (asked(REMOTE_ADDR="192.0.2.7"), False),
        (asked(**{"broadsheet.host": "evil.example.com"}), False),  # whose name leads to 127.0.0.1
        (asked(**{"broadsheet.host": "127.0.0.1.evil.example.com"}), False),
        (asked(**{"broadsheet.host": ""}), False),
        (asked(**{"broadsheet.host": "[::1"}), False),
        (asked(HTTP_X_FORWARDED_FOR="203.0.113.9"), False),
        (asked(HTTP_FORWARDED="for=203.0.113.9"), False),
        (asked(HTTP_VIA="1.1 proxy"), False),
    ],
)
def test_a_visit_is_local_where_nobody_is_in_between(environ: dict[str, str], *, local: bool) -> None:
    assert visit(environ, URL, loopback=True).local == local
    assert not visit(environ, URL, loopback=False).local


def test_a_form_may_come_from_the_address_of_the_pages_and_on_the_machine_from_its_own() -> None:
    assert visit(asked(), URL, loopback=True).origins == {URL, "http://127.0.0.1:8000"}
    far = asked(REMOTE_ADDR="192.0.2.7", **{"broadsheet.host": "evil.example.com"})
    assert visit(far, URL, loopback=True).origins == {URL}


@pytest.mark.parametrize(
    ("environ", "client"),
    [
        (asked(REMOTE_ADDR="192.0.2.7"), "192.0.2.7"),
        (asked(REMOTE_ADDR="11.22.33.44", HTTP_X_FORWARDED_FOR="203.0.113.9"), "11.22.33.44"),  # no proxy
        (asked(HTTP_X_FORWARDED_FOR="203.0.113.9"), "203.0.113.9"),
        (asked(HTTP_X_FORWARDED_FOR="198.51.100.1, 203.0.113.9"), "203.0.113.9"),
        (asked(HTTP_X_FORWARDED_FOR="nonsense"), "127.0.0.1"),
        (asked(REMOTE_ADDR="2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::"),
        (asked(REMOTE_ADDR="2001:db8:1:2:ffff::1"), "2001:db8:1:2::"),
        (asked(REMOTE_ADDR="::ffff:192.0.2.7"), "192.0.2.7"),
        (asked(REMOTE_ADDR=""), ""),
    ],
)
def test_who_is_counted_is_an_address_or_the_network_of_one_person(
    environ: dict[str, str], client: str
) -> None:
    assert visit(environ, URL, loopback=True).client == client


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_whatever_a_request_says_of_itself_is_read_without_a_stumble(a: str, b: str, c: str) -> None:
    visit({"REMOTE_ADDR": a, "broadsheet.host": b, "HTTP_X_FORWARDED_FOR": c}, URL, loopback=True)
    is_loopback(a)


# ---------------------------------------------------------------------------------------------------- tries


@pytest.mark.parametrize(
    ("wrong", "seconds"),
    [(0, 0), (1, 0), (2, 0), (3, 1), (4, 2), (5, 4), (8, 32), (9, 60), (10_000, 60)],
)
def test_waits_grow_with_each_wrong_password_up_to_a_limit(wrong: int, seconds: int) -> None:
    assert tries.pause(wrong, timedelta(minutes=1)) == timedelta(seconds=seconds)


def test_many_tries_at_the_same_moment_are_heard_as_few_as_one_after_the_other() -> None:
    door = tries.Door()
    heard = [not door.knock("ann", f"192.0.2.{n}", NOW) for n in range(100)]
    assert heard.count(True) == tries.FREE


def test_another_name_does_not_make_a_client_a_stranger() -> None:
    door = tries.Door()
    heard = [not door.knock(f"name {n}", "192.0.2.1", NOW) for n in range(100)]
    assert heard.count(True) == tries.FREE


def test_a_right_password_ends_the_waits_and_an_hour_does() -> None:
    door = tries.Door()
    for _ in range(3):
        door.knock("ann", "192.0.2.1", NOW)
    assert door.knock("ann", "192.0.2.1", NOW) == timedelta(seconds=1)
    assert door.knock("bo", "192.0.2.2", NOW) == timedelta(0)
    door.welcome("ann", "192.0.2.1")
    assert door.knock("ann", "192.0.2.1", NOW) == timedelta(0)
    for _ in range(3):
        door.knock("cy", "192.0.2.3", NOW)
    assert not door.knock("cy", "192.0.2.3", NOW + timedelta(hours=1))
    assert not door.knock("cy", "192.0.2.3", NOW + timedelta(hours=1))  # the first of three again


def test_nobody_is_locked_out_for_long_by_the_tries_of_others() -> None:
    door, now = tries.Door(), NOW
    for number in range(50):  # from everywhere, each as soon as it is heard
        while left := door.knock("ann", f"198.51.100.{number}", now):
            now += left
    assert door.knock("ann", "192.0.2.1", now) <= tries.LONGEST_FOR_A_NAME


def test_all_together_are_held_to_a_number_in_a_minute() -> None:
    door = tries.Door()
    heard = [not door.knock(f"name {n}", f"client {n}", NOW) for n in range(200)]
    assert heard.count(True) == 60
    assert not door.knock("another", "client", NOW + timedelta(minutes=1))


def test_links_are_written_to_an_address_three_times_in_twenty_minutes() -> None:
    door = tries.Door()
    assert [door.mail("a@example.org", f"client {n}", NOW) for n in range(5)] == [True] * 3 + [False] * 2
    assert door.mail("a@example.org", "x", NOW + timedelta(minutes=20))
    assert [door.mail(f"{n}@example.org", "client", NOW) for n in range(12)].count(True) == 10


def test_names_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries, "KEPT", 3)
    waits, allowance = tries.Waits(timedelta(minutes=1)), tries.Allowance(1, timedelta(hours=1))
    for number in range(5):
        for _ in range(4):
            waits.add(str(number), NOW)
        allowance.take(str(number), NOW)
    assert [bool(waits.left(str(number), NOW)) for number in range(5)] == [False, False, True, True, True]
    assert [allowance.has(str(number), NOW) for number in range(5)] == [True, True, False, False, False]


# ---------------------------------------------------------------------------------------------------- links


def test_a_link_of_the_terminal_opens_once_within_ten_minutes() -> None:
    known = links.Links()
    first, second = known.new(NOW, "/studio/x"), known.new(NOW)
    assert known.use("", NOW) is None
    assert known.use(first, NOW + links.LASTS - timedelta(seconds=1)) == "/studio/x"
    assert known.use(first, NOW) is None
    assert known.use(second, NOW + links.LASTS) is None
    assert known.use(second, NOW) is None


def test_a_few_links_are_open_at_once() -> None:
    known = links.Links()
    every = [known.new(NOW) for _ in range(links.AT_ONCE + 1)]
    assert [known.use(one, NOW) for one in every] == [None, *[""] * links.AT_ONCE]
