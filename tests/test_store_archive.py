"""What the web asks of the ledger, in both databases: pages, corrections, who a link belongs to, figures."""

from datetime import timedelta

from bot.correcting import revise
from bot.models import Consent, DeliveryState, Issue, Week
from bot.publish import Edition, publish
from bot.store import Store, archive, figures, issues, ledger, readers
from bot.store.figures import Count, Waiting
from bot.store.issues import PAGE, Published
from bot.store.memberships import by_token
from bot.subscriptions import add, key_of
from bot.subscriptions.leaving import leave, take_back
from tests.recording import NOW, WEEK

LATER = NOW + timedelta(days=1)


def edition(title: str, page: bytes | None, content_hash: str = "0" * 64, week: Week = WEEK) -> Edition:
    return Edition(Issue("ai-papers", week, title), content_hash, (), {PAGE: page} if page else {})


def gone(store: Store) -> Published:
    with store.read() as connection:
        found = issues.find(connection, "ai-papers", WEEK)
    assert found
    return found


def pages(store: Store) -> list[tuple[str, bytes, tuple[object, ...]]]:
    """Title, page and corrections of what is shown."""
    with store.read() as connection:
        every = archive.shown(connection, "ai-papers")
        return [(one.title, archive.page_of(connection, one), one.corrected) for one in every]


def test_a_published_issue_is_shown_with_its_page(store: Store) -> None:
    publish(store, edition("One", b"first"), {}, NOW)
    publish(store, edition("Two", b"second", week=Week(2025, 18)), {}, NOW)
    assert pages(store) == [("Two", b"second", ()), ("One", b"first", ())]
    with store.read() as connection:
        assert len(archive.shown(connection)) == 2
        assert archive.shown(connection, "zine") == []


def test_an_issue_from_before_there_were_pages_is_not_shown(store: Store) -> None:
    publish(store, edition("One", None), {}, NOW)
    assert pages(store) == []


def test_a_correction_shows_its_page_and_its_time(store: Store) -> None:
    publish(store, edition("One", b"first"), {}, NOW)
    for number in (1, 2):
        at = NOW + timedelta(days=number)
        changed = edition(f"Corrected {number}", b"corrected %d" % number, str(number) * 64)
        assert revise(store, gone(store), changed, {}, at, approval_required=False)
    times = (NOW + timedelta(days=1), NOW + timedelta(days=2))
    assert pages(store) == [("Corrected 2", b"corrected 2", times)]


def test_a_correction_of_what_the_page_does_not_show_is_none_of_the_page(store: Store) -> None:
    publish(store, edition("One", b"first"), {}, NOW)
    assert revise(store, gone(store), edition("One", b"first", "1" * 64), {}, LATER, approval_required=False)
    assert pages(store) == [("One", b"first", ())]
    assert revise(store, gone(store), edition("One", b"other", "2" * 64), {}, LATER, approval_required=False)
    assert pages(store) == [("One", b"other", (LATER,))]


def test_a_page_that_is_corrected_back_is_corrected_twice(store: Store) -> None:
    publish(store, edition("One", b"first"), {}, NOW)
    for page, content_hash in ((b"other", "1" * 64), (b"first", "2" * 64)):
        assert revise(
            store, gone(store), edition("One", page, content_hash), {}, LATER, approval_required=False
        )
    assert pages(store) == [("One", b"first", (LATER, LATER))]


def test_a_reader_is_found_by_their_token_and_comes_and_goes(store: Store) -> None:
    add(store, "ai-papers", "ada@example.org", "Ada", "en", Consent.CONFIRMED, NOW)
    with store.read() as connection:
        reader = readers.reader(connection, "ai-papers", key_of("ada@example.org"))
        assert reader
        found = by_token(connection, reader.token)
        assert by_token(connection, "x" * 22) is None
    assert found
    assert (found.email, found.newsletter, found.consent, found.before) == (
        "ada@example.org", "ai-papers", Consent.CONFIRMED, None,
    )  # fmt: skip
    left = leave(store, reader.token, LATER)
    assert left
    assert (left.consent, left.before, left.changed_at) == (Consent.UNSUBSCRIBED, Consent.CONFIRMED, LATER)
    back = take_back(store, reader.token, LATER)
    assert back
    assert back.consent is Consent.CONFIRMED


def test_figures_count_the_newest_issue_by_state_and_what_waits_of_all(store: Store) -> None:
    for number in range(2):
        add(store, "ai-papers", f"reader{number}@example.org", "", "", Consent.CONFIRMED, NOW)
    with store.write() as connection:
        for week, at in ((WEEK, NOW), (Week(2025, 18), LATER)):
            entered = issues.add(connection, "ai-papers", week, "T", "0" * 64, at, late=False)
            assert entered
            ledger.queue_readers(connection, entered, "readers", "ai-papers", at)
    with store.read() as connection:
        assert figures.newest(connection) == [Count("ai-papers", "readers", DeliveryState.QUEUED, 2)]
        assert figures.waiting(connection) == [Waiting("ai-papers", "readers", 4, NOW)]
