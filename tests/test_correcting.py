"""A published issue is corrected where it was posted, once, whatever happens; nobody gets mail again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.channels import _slack_courier
from bot.models import Balance
from bot.outbox import work
from bot.policy import LOOKS
from bot.store import Store, balances, corrections, issues, workers
from bot.store.issues import Published
from tests.recording import LETTER, NOW, PAYLOAD, WEEK, conversation, published as recorded, terms
from tests.servers import slack as faults
from tests.servers.slack import TOKEN, SlackServer
from tests.stories.installation import Answer, InProcess, Installation

Here = InProcess  # the name by which the tests of the pages know it
UPDATE = "chat.update"
HEAD = "---\ntitle: {title}\nweek: 2025-W17\nstatus: ready\n---\n\nAn intro.\n"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for."""
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    monkeypatch.setattr("bot.channels._slack_courier.LOOKS", (0.0,) * len(LOOKS))


def written(here: Installation, title: str, *entries: str) -> None:
    """An issue whose every entry fills a message of its own."""
    body = "".join(
        f"\n## {name}\n\n[Paper](https://example.org/{name})\n\n{'word ' * 1700}\n" for name in entries
    )
    here.write("content/ai-papers/2025-W17.md", HEAD.format(title=title) + body)


def installed(
    kind: Callable[..., Installation], tmp_path: Path, server: SlackServer, *entries: str, **newsletter: str
) -> Installation:
    here = kind(tmp_path, slack=f'layout = "messages"\napi_url = "{server.url}"', **newsletter)
    here.environment["BROADSHEET_SLACK_TOKEN"] = TOKEN
    written(here, "As it was", *entries)
    return here


def said(server: SlackServer) -> list[str]:
    """The first line of each message that stands there."""
    return [post.message["text"].partition("\n")[0] for post in server.posts]


def revisions(server: SlackServer) -> list[int]:
    return [post.message["metadata"]["event_payload"]["revision"] for post in server.posts]


def calls(server: SlackServer, method: str) -> int:
    return [name for name, _ in server.calls].count(method)


def mailed(here: Installation) -> int:
    """How many mails left."""
    return sum(path.is_file() for path in (here.root / "outbox").rglob("*") if "slack" not in path.parts)


def shown(here: Installation, channel: str = "team") -> dict[int, int]:
    """How many messages show which revision."""
    document = here("status", "2025-W17", "--format", "json").json
    return {one["revision"]: one["deliveries"] for one in document["shown"] if one["channel"] == channel}


def test_the_messages_are_changed_in_place_and_mail_is_not_sent_again(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one", "two")
        here.readers(2)
        assert here("publish", "2025-W17").status == 0
        mails = mailed(here)
        places = [post.ts for post in server.posts]
        written(here, "As it is", "one", "two")
        answer = here("correct", "2025-W17")
        assert (answer.status, answer.err) == (0, "ai-papers/2025-W17: revision 2\n")
        assert [post.ts for post in server.posts] == places
        count = len(places)
        assert said(server) == [f"As it is ({number}/{count})" for number in range(1, count + 1)]
        assert all(post.message["blocks"] and post.edited is None for post in server.posts)
        assert revisions(server) == [2] * count
        assert shown(here) == {2: count}
        assert shown(here, "readers") == {1: 2}
        updates = calls(server, UPDATE)
        again = here("correct", "2025-W17")
        assert (again.status, calls(server, UPDATE)) == (0, updates)
        assert "no newer content" in again.err
        assert here("publish", "2025-W17").status == 0
        assert mailed(here) == mails
        assert (
            "readers: revision 1 of 2 in 2 deliveries: it cannot be changed there"
            in here("status", "2025-W17").out
        )


def test_a_correction_may_have_more_parts(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one")
        assert here("publish", "2025-W17").status == 0
        before = len(server.posts)
        written(here, "More", "one", "two", "three")
        assert here("correct", "2025-W17").status == 0
        count = len(server.posts)
        assert count > before
        assert said(server) == [f"More ({number}/{count})" for number in range(1, count + 1)]
        assert shown(here) == {2: count}
        assert here.balance(channel="team")["sent"] == count


def test_a_correction_may_have_fewer_and_takes_no_message_away(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one", "two", "three")
        assert here("publish", "2025-W17").status == 0
        count = len(server.posts)
        written(here, "Fewer", "one")
        assert here("correct", "2025-W17").status == 0
        assert len(server.posts) == count
        assert said(server)[-1] == "This part is no more: the issue was corrected."
        written(here, "All again", "one", "two", "three")
        assert here("correct", "2025-W17").status == 0
        assert said(server) == [f"All again ({number}/{count})" for number in range(1, count + 1)]
        assert revisions(server) == [3] * count


def test_a_part_that_slack_finds_too_long_is_changed_in_halves(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one", "two")
        assert here("publish", "2025-W17").status == 0
        count = len(server.posts)
        written(here, "As it is", "one", "two")
        server.next(faults.refuse("msg_blocks_too_long"), method=UPDATE)
        assert here("correct", "2025-W17").status == 0
        assert len(server.posts) == count + 1
        written(here, "And again", "one", "two")
        assert here("correct", "2025-W17").status == 0
        assert len(server.posts) == count + 1
        assert all("And again" in line for line in said(server))
        assert set(revisions(server)) == {3}


# ------------------------------------------------------------------------------------------------- refusals


def corrected_after(tmp_path: Path, *wrong: faults.Fault) -> tuple[Answer, dict[int, int], Answer]:
    """What `correct` says where its first updates go wrong, what stands then, and what it says once more."""
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one", "two")
        assert here("publish", "2025-W17").status == 0
        written(here, "As it is", "one", "two")
        server.next(*wrong, method=UPDATE)
        return here("correct", "2025-W17"), shown(here), here("correct", "2025-W17")


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("message_not_found", "it was deleted there"),
        ("cant_update_message", "the token that it was posted with"),
        ("edit_window_closed", "what is so old"),
        ("is_inactive", "is it archived?"),
        ("block_mismatch", "by hand"),
    ],
)
def test_what_cannot_be_changed_is_told_and_the_rest_is(tmp_path: Path, code: str, says: str) -> None:
    first, between, second = corrected_after(tmp_path, faults.refuse(code))
    assert first.status == 1
    assert f"team, part 1: Slack: {code}" in first.err
    assert says in first.err
    assert between[1] == 1
    assert second.status == 0


@pytest.mark.parametrize("code", ["invalid_auth", "update_failed"])
def test_what_would_be_said_of_each_ends_it(tmp_path: Path, code: str) -> None:
    first, between, second = corrected_after(tmp_path, faults.refuse(code))
    assert (first.status, set(between)) == (1, {1})
    assert code in first.err
    assert second.status == 0


@pytest.mark.parametrize(
    "fault", [faults.reset_after_storing, faults.internal_error_unheard, faults.bad_gateway]
)
def test_an_answer_that_is_lost_is_asked_for_again(tmp_path: Path, fault: faults.Fault) -> None:
    first, between, _ = corrected_after(tmp_path, fault)
    assert (first.status, 1 in between) == (0, False)


def test_a_message_that_was_deleted_is_told_each_time(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one", "two")
        assert here("publish", "2025-W17").status == 0
        server.posts[0].deleted = True
        written(here, "As it is", "one", "two")
        for _ in range(2):
            answer = here("correct", "2025-W17")
            assert (answer.status, "it was deleted there" in answer.err) == (1, True)
        assert "message_not_found" in here("status", "2025-W17").out


# ------------------------------------------------------------------------------------------------- approvals


def test_a_correction_needs_a_yes_of_its_own_where_one_is_required(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one", approval="required")
        assert here("approve", "2025-W17").status == 0
        assert here("publish", "2025-W17").status == 0
        assert "nothing is left to decide" in here("approve", "2025-W17").err
        written(here, "As it is", "one")
        refused = here("correct", "2025-W17")
        assert (refused.status, "broadsheet approve 2025-W17" in refused.err) == (1, True)
        assert calls(server, UPDATE) == 0
        assert here("approve", "2025-W17").status == 0
        written(here, "As it is now", "one")
        assert here("correct", "2025-W17").status == 1, "the yes was to other content"
        assert here("approve", "2025-W17").status == 0
        assert here("correct", "2025-W17").status == 0
        assert "As it is now" in said(server)[0]


def test_a_hold_stops_a_correction(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one")
        assert here("publish", "2025-W17").status == 0
        written(here, "As it is", "one")
        assert here("hold", "2025-W17").status == 0
        assert "a curator holds it" in here("correct", "2025-W17").err
        assert here("release", "2025-W17").status == 0
        assert here("correct", "2025-W17").status == 0


def test_what_was_never_published_cannot_be_corrected(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(InProcess, tmp_path, server, "one")
        answer = here("correct", "2025-W17")
    assert (answer.status, "it was never published" in answer.err) == (2, True)


def test_a_part_in_doubt_is_found_though_a_correction_came_in_between(tmp_path: Path) -> None:
    with SlackServer(scopes=frozenset({"chat:write"})) as server:
        here = installed(InProcess, tmp_path, server, "one", "two")
        server.next(faults.reset_after_storing)
        assert here("publish", "2025-W17").status == 1
        written(here, "As it is", "one", "two")
        server.scopes |= {"channels:history"}
        assert here("correct", "2025-W17").status == 0
        count = len(server.posts)
        assert said(server) == [f"As it is ({number}/{count})" for number in range(1, count + 1)]
        assert shown(here) == {2: count}


def test_a_folder_shows_the_correction(tmp_path: Path) -> None:
    here = InProcess(tmp_path)
    here.issue()
    assert here("publish", "2025-W17").status == 0
    here.issue(title="Three papers")
    assert here("correct", "2025-W17").status == 0
    file = min((here.root / "outbox/slack").rglob("part-*.json"))
    document = file.read_text("utf-8")
    assert "Three papers" in document
    assert '"revision": 2' in document


# ------------------------------------------------------------------------------------------------- the ledger


def chat(store: Store, parts: int) -> int:
    """An issue whose parts all stand in a conversation."""
    team = conversation(parts)
    issue = recorded(store, team=team)
    assert work(store, issue, {"team": team}, {"team": PAYLOAD}, terms()) == {}
    return issue


def latest(store: Store) -> Published:
    with store.read() as connection:
        found = issues.find(connection, LETTER, WEEK)
    assert found
    return found


def entered(store: Store) -> int:
    with store.write() as connection:
        return workers.register(connection, workers.Process.this(), NOW)


def claimed(store: Store, issue: int, worker: int, *tried: int) -> int | None:
    """The part that a worker gets to correct."""
    with store.write() as connection:
        found = corrections.claim(connection, issue, "team", 2, worker, tried)
    return found.delivery.part if found else None


def test_a_revision_takes_the_place_of_the_one_before(store: Store) -> None:
    chat(store, 1)
    assert (latest(store).revision, latest(store).hash) == (1, "hash")
    for number in (2, 3):
        with store.write() as connection:
            made = {"team": b"%d" % number}
            issues.add_revision(connection, latest(store), f"Title {number}", f"hash {number}", made, NOW)
    gone = latest(store)
    assert (gone.revision, gone.hash, gone.title) == (3, "hash 3", "Title 3")
    with store.read() as connection:
        assert issues.payloads_of(connection, gone.id) == {"team": b"3"}


def test_each_delivery_is_corrected_by_one_worker(store: Store) -> None:
    issue, first, second = chat(store, 3), entered(store), entered(store)
    assert [claimed(store, issue, one) for one in (first, second, first, second)] == [1, 2, 3, None]


def test_what_a_dead_worker_was_correcting_is_free_again_and_not_in_doubt(store: Store) -> None:
    issue, dead, living = chat(store, 1), entered(store), entered(store)
    assert claimed(store, issue, dead) == 1
    with store.write() as connection:
        workers.leave(connection, dead, NOW)
    assert claimed(store, issue, living) == 1
    with store.read() as connection:
        assert balances.of_channel(connection, issue, "team") == Balance(sent=1)


def test_what_was_corrected_or_given_up_is_shown(store: Store) -> None:
    issue, worker = chat(store, 2), entered(store)
    with store.write() as connection:
        one = corrections.claim(connection, issue, "team", 2, worker, ())
        assert one
        corrections.settle(connection, worker, one.delivery.id, 2, "C1:1.2,1.3", NOW)
        other = corrections.claim(connection, issue, "team", 2, worker, ())
        assert other
        corrections.give_up(connection, worker, other.delivery.id, "it was deleted", NOW)
    with store.read() as connection:
        assert corrections.shown(connection, issue) == [
            corrections.Shown("team", 1, 1, ("it was deleted",)),
            corrections.Shown("team", 2, 1, ()),
        ]
    assert claimed(store, issue, worker, other.delivery.id) is None
    assert claimed(store, issue, worker) == 2


def test_a_worker_that_was_taken_for_dead_settles_nothing(store: Store) -> None:
    issue, dead, living = chat(store, 1), entered(store), entered(store)
    assert claimed(store, issue, dead) == 1
    with store.write() as connection:
        workers.leave(connection, dead, NOW)
        one = corrections.claim(connection, issue, "team", 2, living, ())
        assert one
        corrections.settle(connection, dead, one.delivery.id, 2, "C1:9.9", NOW)
    with store.read() as connection:
        assert [row.revision for row in corrections.shown(connection, issue)] == [1]


def test_parts_that_wait_and_are_no_more_are_skipped_until_a_correction_has_them_again(store: Store) -> None:
    issue = recorded(store, team=conversation(3))
    with store.write() as connection:
        corrections.drop_beyond(connection, issue, "team", 2, NOW)
        assert corrections.parts_of(connection, issue, "team") == 3
    with store.read() as connection:
        assert balances.of_channel(connection, issue, "team") == Balance(waiting=2, skipped=1)
    with store.write() as connection:
        corrections.take_up_within(connection, issue, "team", 3, NOW)
    with store.read() as connection:
        assert balances.of_channel(connection, issue, "team") == Balance(waiting=3)
