"""A reader leaves with one press, nobody is taken off by a program that looks, and a slip can be undone."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from lxml import html
from sqlalchemy import select
from werkzeug.test import TestResponse

from bot.models import Consent
from bot.store import readers
from bot.store.memberships import Membership
from bot.store.tables import events
from bot.subscriptions import key_of
from bot.subscriptions.leaving import UNDO, undoable
from bot.web.leaving import masked
from tests.website import ADA, NOW, Website

New = Callable[..., Website]

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
UNKNOWN = "x" * 22


@pytest.fixture
def website(new_website: New) -> Website:
    return new_website()


def buttons(answer: TestResponse) -> list[str]:
    return [str(one) for one in html.fromstring(answer.get_data(as_text=True)).xpath("//button/@name")]  # type: ignore[union-attr] # a list


def told(website: Website) -> list[str]:
    """The kinds of the events about readers, in order."""
    with website.app.store.read() as connection:
        return list(connection.scalars(select(events.c.kind).order_by(events.c.id)))


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_one_click_leaves_in_either_form_without_a_redirect_or_a_cookie(website: Website, kind: str) -> None:
    token = website.reader()
    answer = website.client.post(f"/u/{token}", data=ONE_CLICK, content_type=kind)
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert website.consent() == Consent.UNSUBSCRIBED
    assert told(website) == ["confirmed", "unsubscribed"]


def test_leaving_twice_is_leaving_once(website: Website) -> None:
    token = website.reader()
    answers = [website.client.post(f"/u/{token}", data=ONE_CLICK) for _ in range(3)]
    assert [one.status_code for one in answers] == [200] * 3
    assert answers[0].data == answers[2].data
    assert told(website) == ["confirmed", "unsubscribed"]


def test_looking_changes_nothing(website: Website) -> None:
    token = website.reader()
    path = f"/u/{token}"
    for _ in range(3):
        assert buttons(website.client.get(path)) == ["leave"]
        website.client.head(path)
        website.client.options(path)
        website.client.get(f"{path}?List-Unsubscribe=One-Click&leave=yes")
    assert (website.consent(), told(website)) == (Consent.CONFIRMED, ["confirmed"])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", None),
        (b"List-Unsubscribe=", "application/x-www-form-urlencoded"),
        (b"List-Unsubscribe=Two-Click", "application/x-www-form-urlencoded"),
        (b"List-Unsubscribe=One-Click", "text/plain"),
        (b'{"List-Unsubscribe": "One-Click"}', "application/json"),
        (b"\xff\xfe\x00", "multipart/form-data; boundary=x"),
        (b"undo=yes", "application/x-www-form-urlencoded"),
    ],
)
def test_a_post_that_does_not_ask_to_leave_changes_nothing(
    website: Website, data: bytes, kind: str | None
) -> None:
    token = website.reader()
    answer = website.client.post(f"/u/{token}", data=data, content_type=kind)
    assert (answer.status_code, buttons(answer)) == (200, ["leave"])
    assert website.consent() == Consent.CONFIRMED


def test_the_button_leaves_and_a_slip_can_be_undone(website: Website) -> None:
    path = f"/u/{website.reader()}"
    left = website.client.post(path, data={"leave": "yes"})
    assert (website.consent(), buttons(left)) == (Consent.UNSUBSCRIBED, ["undo"])
    back = website.client.post(path, data={"undo": "yes"})
    assert (website.consent(), buttons(back)) == (Consent.CONFIRMED, ["leave"])
    assert website.client.post(path, data={"undo": "yes"}).status_code == 200  # once more is nothing more
    assert told(website) == ["confirmed", "unsubscribed", "confirmed"]


def test_who_was_asked_and_had_not_answered_is_not_made_a_reader_by_an_undo(website: Website) -> None:
    path = f"/u/{website.reader(consent=Consent.PENDING)}"
    website.client.post(path, data=ONE_CLICK)
    website.client.post(path, data={"undo": "yes"})
    assert website.consent() == Consent.PENDING


def test_after_a_day_an_old_mail_brings_nobody_back(website: Website) -> None:
    path = f"/u/{website.reader()}"
    website.client.post(path, data=ONE_CLICK)
    website.now += UNDO
    assert buttons(website.client.get(path)) == []
    website.client.post(path, data={"undo": "yes"})
    assert website.consent() == Consent.UNSUBSCRIBED


@pytest.mark.parametrize(
    ("consent", "before", "suppressed", "since", "becomes"),
    [
        (Consent.UNSUBSCRIBED, Consent.CONFIRMED, False, timedelta(0), Consent.CONFIRMED),
        (Consent.UNSUBSCRIBED, Consent.PENDING, False, timedelta(hours=23), Consent.PENDING),
        (Consent.UNSUBSCRIBED, Consent.CONFIRMED, False, UNDO, None),
        (Consent.UNSUBSCRIBED, Consent.CONFIRMED, True, timedelta(0), None),
        (Consent.UNSUBSCRIBED, None, False, timedelta(0), None),
        (Consent.CONFIRMED, None, False, timedelta(0), None),
    ],
)
def test_what_an_undo_makes_of_a_subscription(
    consent: Consent, before: Consent | None, *, suppressed: bool, since: timedelta, becomes: Consent | None
) -> None:
    assert undoable(Membership(1, ADA, "ai-papers", consent, NOW - since, before, suppressed), NOW) == becomes


def test_a_suppressed_address_does_not_come_back(website: Website) -> None:
    path = f"/u/{website.reader()}"
    website.client.post(path, data=ONE_CLICK)
    with website.app.store.write() as connection:
        readers.suppress(connection, key_of(ADA), "complained", NOW)
    website.client.post(path, data={"undo": "yes"})
    assert website.consent() == Consent.UNSUBSCRIBED


def test_leaving_one_newsletter_is_not_leaving_another(new_website: New) -> None:
    website = new_website(ai_papers={}, zine={"language": "de"})
    website.reader()
    token = website.reader(newsletter="zine")
    answer = website.client.post(f"/u/{token}", data=ONE_CLICK)
    assert website.consent(newsletter="zine") == Consent.UNSUBSCRIBED
    assert website.consent(newsletter="ai-papers") == Consent.CONFIRMED
    assert "keine Mail mehr" in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "token", [UNKNOWN, "short", "x" * 22 + "/undo", "x" * 500, "é" * 22, "' OR 1=1", "%00"]
)
def test_an_unknown_link_gets_the_same_page_whatever_it_is_and_whoever_asks(
    website: Website, token: str
) -> None:
    website.reader()
    expected = website.client.get(f"/u/{UNKNOWN}").data
    answers = [
        website.client.get(f"/u/{token}"),
        website.client.post(f"/u/{token}", data=ONE_CLICK),
        website.client.post(f"/u/{token}", data={"undo": "yes"}),
    ]
    assert [(one.status_code, one.data) for one in answers] == [(404, expected)] * 3
    assert told(website) == ["confirmed"]


def test_a_token_is_not_taken_in_another_case(website: Website) -> None:
    token = website.reader()
    assert website.client.post(f"/u/{token.swapcase()}", data=ONE_CLICK).status_code == 404
    assert website.consent() == Consent.CONFIRMED


def test_no_page_names_an_address_in_full_or_may_be_kept(website: Website) -> None:
    path = f"/u/{website.reader()}"
    for answer in (website.client.get(path), website.client.post(path, data=ONE_CLICK)):
        assert ADA not in answer.get_data(as_text=True)
        assert "a…@e….org" in answer.get_data(as_text=True)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer.headers["X-Robots-Tag"]


@pytest.mark.parametrize(
    ("email", "shown"),
    [
        ("ada@example.org", "a…@e….org"),
        ("a@b.co.uk", "a…@b….co.uk"),
        ('"a@b"@example.org', '"…@e….org'),
        ("用户@例え.jp", "用…@例….jp"),
        ("x@localhost", "x…@l…"),
    ],
)
def test_an_address_is_shown_so_that_only_its_owner_knows_it(email: str, shown: str) -> None:
    assert masked(email) == shown


def test_two_who_leave_at_once_make_one_event(website: Website) -> None:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 (for this alone)

    path = f"/u/{website.reader()}"
    with ThreadPoolExecutor(4) as pool:
        statuses = pool.map(lambda _: website.client.post(path, data=ONE_CLICK).status_code, range(8))
        assert set(statuses) == {200}
    assert told(website) == ["confirmed", "unsubscribed"]


def test_the_event_says_when_somebody_left(website: Website) -> None:
    path = f"/u/{website.reader()}"
    website.now = datetime.fromisoformat("2025-05-01T12:00:00+00:00")
    website.client.post(path, data=ONE_CLICK)
    with website.app.store.read() as connection:
        assert connection.scalars(select(events.c.at).order_by(events.c.id)).all()[-1] == website.now
