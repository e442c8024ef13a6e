"""Slack: after an answer that leaves doubt the conversation is read back, and each part stands there once."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.channels import LookingCourier, _slack_client, _slack_courier
from bot.channels._slack_reading import EARLIER, oldest
from bot.errors import InDoubtError, PermanentError, StopRunError, TransientError
from bot.models import Delivery, Receipt
from tests.servers import slack as faults
from tests.servers.slack import CONVERSATION, Fault, SlackServer
from tests.test_channels_slack import RENDERED, channel, issue

NOW = datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
"""When the server's clock begins."""

HEARD = [
    faults.close_after_storing,
    faults.reset_after_storing,
    faults.truncate_after_storing,
    faults.internal_error_after_storing,
    faults.bad_gateway_after_storing,
    faults.ok_without_ts,
    faults.page_instead_of_json,
    faults.list_instead_of_object,
    faults.foreign_charset,
]
"""The message is there, and we cannot know."""
UNHEARD = [
    faults.close_unheard,
    faults.reset_unheard,
    faults.internal_error_unheard,
    faults.bad_gateway,
    faults.refuse("fatal_error"),
    faults.refuse("request_timeout"),
    faults.refuse("service_unavailable"),
    faults.refuse("duplicate_message_not_found"),
    faults.refuse("duplicate_channel_not_found"),
]
"""The message is not there, and we cannot know."""


@dataclass
class Run:
    """Carries an issue of three parts, waiting without losing time."""

    server: SlackServer
    root: Path
    layout: str = "thread"
    waited: list[float] = field(default_factory=list)
    lasts: bool = True

    def __post_init__(self) -> None:
        self.channel = channel(self.root, api_url=self.server.url, layout=self.layout)
        entries = 2 if self.layout == "thread" else 3  # a thread opens with the contents
        self.payload = self.channel.freeze(issue(entries), RENDERED)
        self.receipts: list[Receipt] = []
        self.again()

    def again(self) -> None:
        """Begin anew, as another process would."""
        made = self.channel.courier(self.payload)
        assert isinstance(made, LookingCourier)
        self.courier = made
        assert self.courier.ready(self.wait)

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.payload)
        return found

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        return self.lasts

    def delivery(self, part: int) -> Delivery:
        root = self.receipts[0] if self.receipts else None
        return Delivery(part, "ai-papers/2025-W17", "team", part, None, root, published_at=NOW)

    def carry(self) -> list[Receipt]:
        """Deliver every part."""
        for part in range(1, self.channel.parts(self.payload) + 1):
            assert self.courier.ready(self.wait)
            self.receipts.append(self.courier.deliver(self.delivery(part), NOW))
        return self.receipts


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as running:
        yield running


@pytest.fixture(autouse=True)
def no_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for is what doubts make."""
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)


def standing(server: SlackServer) -> list[str]:
    """The keys of our messages that stand, in the order of their posting."""
    return [post.message["metadata"]["event_payload"]["key"].rpartition("/")[2] for post in server.posts]


# ------------------------------------------------------------------------------------------------ each answer


@pytest.mark.parametrize("part", [1, 2, 3])
@pytest.mark.parametrize("fault", HEARD)
def test_a_part_that_was_taken_is_found_and_not_posted_again(
    fault: Fault, part: int, server: SlackServer, tmp_path: Path
) -> None:
    server.at(part, fault)
    run = Run(server, tmp_path)
    receipts = run.carry()
    assert standing(server) == ["1", "2", "3"]
    assert [one.reference for one in receipts] == [f"{CONVERSATION}:{post.ts}" for post in server.posts]
    assert {post.thread_ts for post in server.posts[1:]} == {server.posts[0].ts}
    assert run.waited == [3.0]


@pytest.mark.parametrize("part", [1, 2, 3])
@pytest.mark.parametrize("fault", UNHEARD)
def test_a_part_that_was_not_taken_is_looked_for_twice_and_posted_again(
    fault: Fault, part: int, server: SlackServer, tmp_path: Path
) -> None:
    server.at(part, fault)
    run = Run(server, tmp_path)
    run.carry()
    assert standing(server) == ["1", "2", "3"]
    assert run.waited == [3.0, 10.0]


@pytest.mark.parametrize("fault", [faults.hang_after_storing, faults.hang_unheard])
def test_silence_is_looked_into(
    fault: Fault, server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_slack_client, "TIMEOUT", 0.3)
    server.at(2, fault)
    Run(server, tmp_path).carry()
    assert standing(server) == ["1", "2", "3"]


@pytest.mark.parametrize("layout", ["messages", "digest"])
def test_where_there_are_no_threads_the_conversation_itself_is_read(
    layout: str, server: SlackServer, tmp_path: Path
) -> None:
    server.at(1, faults.reset_after_storing)
    run = Run(server, tmp_path, layout)
    run.carry()
    assert len(server.posts) == run.channel.parts(run.payload)


def test_what_is_doubtful_again_and_surely_absent_is_tried_later(server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.reset_unheard, faults.internal_error_unheard)
    run = Run(server, tmp_path)
    with pytest.raises(TransientError, match="posted twice"):
        run.carry()
    assert server.posts == []
    assert run.waited == [3.0, 10.0, 3.0, 10.0]


def test_what_is_doubtful_again_and_there_is_found(server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.reset_unheard, faults.reset_after_storing)
    Run(server, tmp_path).carry()
    assert standing(server) == ["1", "2", "3"]


def test_a_run_that_ends_before_the_look_leaves_a_doubt(server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.reset_after_storing)
    run = Run(server, tmp_path, lasts=False)
    with pytest.raises(InDoubtError, match="broadsheet resolve"):
        run.carry()


# -------------------------------------------------------------------------------------- who may be read


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (faults.refuse("missing_scope", needed="channels:history"), "needs channels:history"),
        (faults.refuse("not_in_channel"), "/invite"),
        (faults.bad_gateway, "HTTP 502"),
        (faults.reset_unheard, "never came"),
        (faults.page_instead_of_json, "no reason"),
    ],
)
@pytest.mark.parametrize("method", ["conversations.history", "auth.test"])
def test_what_cannot_be_read_back_stays_in_doubt_with_its_remedy(
    fault: Fault, says: str, method: str, server: SlackServer, tmp_path: Path
) -> None:
    server.next(faults.reset_after_storing)
    server.always(fault, method)
    with pytest.raises(InDoubtError) as caught:
        Run(server, tmp_path).carry()
    assert "cannot be read back" in str(caught.value)
    assert says in str(caught.value)
    assert len(server.posts) == 1


def test_a_limit_while_reading_is_waited_for(server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.reset_after_storing)
    server.next(faults.rate_limited("2.5"), faults.rate_limited(None), method="conversations.history")
    run = Run(server, tmp_path)
    run.carry()
    assert run.waited == [3.0, 2.5, 5.0]


def test_only_messages_of_our_own_app_count(server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)
    forged = {key: value for key, value in run.messages[0].items() if key != "channel"}
    server.write(CONVERSATION, **forged)
    server.next(faults.reset_unheard)
    run.carry()
    ours = [post for post in server.posts if post.is_ours]
    assert len(ours) == 3


def test_the_text_is_not_what_is_compared(server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)
    server.write(CONVERSATION, text=run.messages[0]["text"])
    server.next(faults.reset_unheard)
    run.carry()
    assert len([post for post in server.posts if post.is_ours]) == 3


def test_a_lively_conversation_is_read_page_by_page(server: SlackServer, tmp_path: Path) -> None:
    def lost_among_others(call: faults.Call) -> None:
        faults.reset_after_storing(call)
        for number in range(450):
            server.write(CONVERSATION, text=f"and {number}")

    server.next(lost_among_others)
    Run(server, tmp_path).carry()
    assert len([post for post in server.posts if post.is_ours]) == 3
    assert [name for name, _ in server.calls].count("conversations.history") == 3


def test_reading_begins_before_the_issue_was_published_whatever_our_clock_says() -> None:
    assert oldest(NOW, NOW) == f"{(NOW - EARLIER).timestamp():.6f}"
    assert oldest(NOW + timedelta(days=1), NOW) == "0"
    assert oldest(None, NOW) == "0"


# ------------------------------------------------------------------------------------ as told at a start


@pytest.mark.parametrize("part", [1, 2])
def test_a_look_finds_what_an_earlier_process_posted(part: int, server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)
    run.carry()
    receipts = run.receipts
    run.receipts = [] if part == 1 else receipts[:1]
    run.again()
    assert run.courier.look(run.delivery(part)) == receipts[part - 1]


def test_a_look_sees_that_nothing_was_posted(server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)
    assert run.courier.look(run.delivery(1)) is None


def test_a_part_that_shows_another_revision_is_there_all_the_same(
    server: SlackServer, tmp_path: Path
) -> None:
    run = Run(server, tmp_path)
    run.carry()
    messages = run.messages
    messages[0]["metadata"]["event_payload"]["revision"] = 2
    run.payload, run.receipts = json.dumps(messages).encode(), []
    run.again()
    assert run.courier.look(run.delivery(1)) == Receipt(f"{CONVERSATION}:{server.posts[0].ts}")


# --------------------------------------------------------------------------------------------------- too long


def test_what_is_too_long_is_posted_in_two_halves_below_one_another(
    server: SlackServer, tmp_path: Path
) -> None:
    run = Run(server, tmp_path)
    server.next(faults.refuse("msg_blocks_too_long"))
    first, *_ = run.carry()
    assert standing(server) == ["1.1", "1.2", "2", "3"]
    assert first.reference == f"{CONVERSATION}:{server.posts[0].ts},{server.posts[1].ts}"
    assert {post.thread_ts for post in server.posts[1:]} == {server.posts[0].ts}
    blocks = [block for post in server.posts[:2] for block in post.message["blocks"]]
    assert blocks == run.messages[0]["blocks"]


def test_a_half_that_is_too_long_is_halved_again(server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path, "messages")
    server.next(faults.refuse("msg_blocks_too_long"), faults.obey, faults.refuse("msg_blocks_too_long"))
    first, *_ = run.carry()
    assert standing(server) == ["1.1", "1.2.1", "1.2.2", "2", "3"]
    assert first.reference.count(",") == 2
    assert {post.thread_ts for post in server.posts} == {None}


def test_one_block_that_is_too_long_is_for_a_person(server: SlackServer, tmp_path: Path) -> None:
    server.always(faults.refuse("msg_blocks_too_long"))
    with pytest.raises(PermanentError, match="shorten"):
        Run(server, tmp_path).carry()
    assert server.posts == []


def test_halves_whose_answers_are_lost_are_found(server: SlackServer, tmp_path: Path) -> None:
    server.next(
        faults.refuse("msg_blocks_too_long"), faults.reset_after_storing, faults.internal_error_after_storing
    )
    run = Run(server, tmp_path)
    first, *_ = run.carry()
    assert standing(server) == ["1.1", "1.2", "2", "3"]
    run.receipts = []
    run.again()
    assert run.courier.look(run.delivery(1)) == first


def test_a_run_that_ended_between_two_halves_goes_on_with_the_second(
    server: SlackServer, tmp_path: Path
) -> None:
    too_long = faults.refuse("msg_blocks_too_long")
    server.next(too_long, faults.obey, faults.refuse("is_archived"))
    run = Run(server, tmp_path)
    with pytest.raises(StopRunError):
        run.carry()
    assert standing(server) == ["1.1"]
    run.again()
    assert run.courier.look(run.delivery(1)) is None, "half of it is not all of it"
    server.next(too_long)
    run.carry()
    assert standing(server) == ["1.1", "1.2", "2", "3"], "nothing stands there twice"


# ----------------------------------------------------------------------------------------------------- images


def with_images(run: Run) -> None:
    messages = run.messages
    image = {"type": "image", "image_url": "https://example.org/a.png", "alt_text": "A"}
    messages[0]["blocks"] += [image, {"type": "context", "elements": [{**image}]}]
    run.payload = json.dumps(messages).encode()
    run.again()


def test_images_that_slack_cannot_fetch_are_left_out(server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)
    plain = run.messages[0]["blocks"]
    with_images(run)
    server.next(faults.image_fails)
    run.carry()
    assert standing(server) == ["1", "2", "3"]
    assert server.posts[0].message["blocks"] == plain


def test_that_is_tried_once(server: SlackServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)
    with_images(run)
    failed = faults.refuse("invalid_blocks", response_metadata={"messages": ["downloading image failed"]})
    server.next(failed, failed)
    with pytest.raises(PermanentError, match="downloading image failed"):
        run.carry()
    assert [name for name, _ in server.calls].count("chat.postMessage") == 0


# ----------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (faults.rate_limited("3"), 3.0),
        (faults.rate_limited("1.5"), 1.5),
        (faults.rate_limited(None), 5.0),
        (faults.rate_limited("soon"), 5.0),
        (faults.rate_limited_at_the_edge, 7.0),
        (faults.refuse("ratelimited"), 5.0),
        (faults.refuse("rate_limited"), 5.0),
    ],
)
def test_a_limit_is_waited_for_as_long_as_slack_says(
    fault: Fault, wait: float, server: SlackServer, tmp_path: Path
) -> None:
    server.at(2, fault)
    run = Run(server, tmp_path)
    run.carry()
    assert standing(server) == ["1", "2", "3"]
    assert run.waited == [wait]


@pytest.mark.parametrize("named", ["61", "3000"])
def test_a_limit_that_lasts_gives_the_delivery_back(named: str, server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.rate_limited(named))
    with pytest.raises(TransientError) as caught:
        Run(server, tmp_path).carry()
    assert (caught.value.retry_after, caught.value.charged) == (timedelta(seconds=int(named)), False)


def test_limits_without_end_are_waited_for_a_minute_in_all(server: SlackServer, tmp_path: Path) -> None:
    server.always(faults.rate_limited("0"))
    run = Run(server, tmp_path)
    with pytest.raises(TransientError):
        run.carry()
    assert len(run.waited) <= 60


def test_two_posts_to_a_conversation_lie_a_second_apart(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_slack_courier, "PACE", 1.0)
    run = Run(server, tmp_path)
    run.carry()
    assert len(run.waited) == 2
    assert all(0 < seconds <= 1 for seconds in run.waited)


def test_a_run_that_ends_while_it_waits_for_its_turn_posts_no_more(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(server, tmp_path)
    monkeypatch.setattr(_slack_courier, "PACE", 1.0)
    run.courier.deliver(replace(run.delivery(1)), NOW)
    assert not run.courier.ready(lambda _seconds: False)
