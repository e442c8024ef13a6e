"""The Slack of the tests is as strict as the real one: what a wrong message would hide, it refuses."""

from collections.abc import Iterator
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.servers.slack import CONVERSATION, TOKEN, Clock, Conversation, SlackServer, rules as slack_rules

Json = dict[str, Any]
PLAIN = {"type": "plain_text", "text": "x"}
MRKDWN = {"type": "mrkdwn", "text": "x"}
DIVIDER = {"type": "divider"}
RUN = {"type": "text", "text": "x"}


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as server:
        yield server


def client(slack: SlackServer, token: str | None = TOKEN) -> WebClient:
    made = WebClient(token, base_url=slack.url, timeout=5, retry_handlers=[])
    made.proxy = None
    return made


def error_of(slack: SlackServer, token: str | None = TOKEN, **message: Any) -> Json:
    """Slack's answer to a post that it refuses."""
    with pytest.raises(SlackApiError) as caught:
        client(slack, token).api_call(
            "chat.postMessage", json={"channel": CONVERSATION, "text": "x", **message}
        )
    data: Json = caught.value.response.data
    return data


def text(length: int, kind: str = "mrkdwn") -> Json:
    return {"type": kind, "text": "x" * length}


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def bullets(**keys: Any) -> Json:
    item = {"type": "rich_text_section", "elements": [RUN]}
    return rich({"type": "rich_text_list", "style": "bullet", "elements": [item], **keys})


GOOD: list[Json] = [
    {"type": "header", "text": text(150, "plain_text")},
    {"type": "section", "text": text(3000), "expand": True},
    {"type": "section", "fields": [text(2000), *[MRKDWN] * 9]},
    {"type": "section", "text": {**MRKDWN, "verbatim": True}, "block_id": "b" * 255},
    {"type": "context", "elements": [{**PLAIN, "emoji": False}] * 10},
    {"type": "image", "image_url": "https://x.org/a.png", "alt_text": "x"},
    {"type": "markdown", "text": "# x"},
    DIVIDER,
    bullets(indent=8, offset=3, border=1),
    rich({"type": "rich_text_quote", "elements": [{"type": "link", "url": "https://x.org"}]}),
    rich({"type": "rich_text_preformatted", "elements": [RUN]}),
    rich({"type": "rich_text_section", "elements": [{**RUN, "style": {"bold": True}}]}),
]

BAD: list[tuple[Json, str]] = [
    ({"type": "paragraph"}, "unsupported type: paragraph [json-pointer:/blocks/0/type]"),
    ({"type": "header", "text": MRKDWN}, "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]"),
    ({"type": "header", "text": text(151, "plain_text")}, "must be 1 to 150 characters"),
    ({"type": "header", "text": {"type": "plain_text", "text": ""}}, "must be 1 to 150 characters"),
    ({"type": "header", "text": PLAIN, "colour": "red"}, "invalid additional property: colour"),
    ({"type": "header"}, "missing required field: text"),
    ({"type": "section"}, "missing required field: text"),
    ({"type": "section", "text": text(3001)}, "must be 1 to 3000 characters"),
    ({"type": "section", "text": "x"}, "unsupported type: None"),
    ({"type": "section", "text": {**MRKDWN, "emoji": False}}, "invalid additional property: emoji"),
    ({"type": "section", "text": {**PLAIN, "verbatim": True}}, "invalid additional property: verbatim"),
    ({"type": "section", "fields": [MRKDWN] * 11}, "must have 1 to 10 items"),
    ({"type": "section", "fields": [text(2001)]}, "must be 1 to 2000 characters"),
    ({"type": "section", "text": MRKDWN, "expand": 1}, "must be a boolean"),
    ({"type": "context", "elements": []}, "must have 1 to 10 items"),
    ({"type": "context", "elements": [PLAIN] * 11}, "must have 1 to 10 items"),
    ({"type": "context", "elements": [{"type": "button", "text": PLAIN}]}, "unsupported type: button"),
    ({"type": "divider", "text": PLAIN}, "invalid additional property: text"),
    ({"type": "divider", "block_id": "b" * 256}, "must be 1 to 255 characters"),
    ({"type": "image", "image_url": "https://x.org/a.png"}, "missing required field: alt_text"),
    ({"type": "image", "image_url": "a.png", "alt_text": "x"}, "must match"),
    ({"type": "actions", "elements": [{"type": "button", "text": text(76, "plain_text"), "action_id": "a"}]},
     "must be 1 to 75 characters"),
    (bullets(style="dots"), "must be one of bullet, ordered"),
    (bullets(indent=9), "must be 0 to 8"),
    (bullets(indent=True), "must be 0 to 8"),
    (bullets(elements=[RUN]), "unsupported type: text"),
    (bullets(elements=[]), "must have 1 to"),
    (rich({"type": "rich_text_section", "elements": []}), "must have 1 to"),
    (rich({"type": "rich_text_section", "elements": [{"type": "text", "text": ""}]}), "must be 1 to"),
    (rich({"type": "rich_text_section", "elements": [{**RUN, "style": {"bold": "yes"}}]}), "a boolean"),
    (rich({"type": "rich_text_section", "elements": [{**RUN, "style": {"loud": True}}]}), "property: loud"),
    (rich({"type": "rich_text_section", "elements": [{"type": "link", "url": "data:x"}]}), "must match"),
    (rich({"type": "rich_text_preformatted", "elements": [{"type": "emoji", "name": "x"}]}), "emoji"),
    (rich(RUN), "unsupported type: text"),
    (rich(), "must have 1 to"),
]  # fmt: skip


@pytest.mark.parametrize("block", GOOD)
def test_blocks_within_the_limits_are_posted(slack: SlackServer, block: Json) -> None:
    answer = client(slack).chat_postMessage(channel=CONVERSATION, text="x", blocks=[block])
    assert slack.posts[0].ts == answer["ts"]


@pytest.mark.parametrize(("block", "said"), BAD)
def test_blocks_beyond_a_limit_are_refused_with_a_pointer(block: Json, said: str) -> None:
    assert said in " ".join(slack_rules.faults([block]))


def test_a_refusal_carries_what_is_wrong(slack: SlackServer) -> None:
    answer = error_of(slack, blocks=[{"type": "section", "text": text(3001)}])
    assert answer["error"] == "invalid_blocks"
    assert "[json-pointer:/blocks/0/text/text]" in answer["response_metadata"]["messages"][0]
    assert slack.posts == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"blocks": [DIVIDER] * 51}, "invalid_blocks"),
        ({"blocks": [{**DIVIDER, "block_id": "same"}] * 2}, "invalid_blocks"),
        ({"blocks": [{"type": "markdown", "text": "x" * 7000}] * 2}, "invalid_blocks"),
        ({"blocks": [{"type": "section", "text": text(3000)}] * 5}, "msg_blocks_too_long"),
        ({"blocks": "none"}, "invalid_blocks_format"),
        ({"markdown_text": "x"}, "markdown_text_conflict"),
        ({"colour": "red"}, "invalid_arguments"),
        ({"thread_ts": 1760000001.000001}, "invalid_arguments"),
        ({"thread_ts": "1.2"}, "thread_not_found"),
        ({"channel": "#general"}, "channel_not_found"),
        ({"metadata": {"event_type": "x"}}, "invalid_metadata_format"),
        ({"metadata": {"event_type": "x", "event_payload": {"a": None}}}, "invalid_metadata_schema"),
        ({"metadata": {"event_type": "x", "event_payload": {"a": ["b"]}}}, "invalid_metadata_schema"),
        ({"metadata": {"event_type": "x", "event_payload": {"a": "b" * 1024}}}, "metadata_too_large"),
    ],
)
def test_a_message_that_slack_would_refuse_is_refused(slack: SlackServer, message: Json, code: str) -> None:
    assert error_of(slack, **message)["error"] == code
    assert slack.posts == []


def test_a_bare_message_has_no_text(slack: SlackServer) -> None:
    with pytest.raises(SlackApiError, match="no_text"):
        client(slack).api_call("chat.postMessage", json={"channel": CONVERSATION})


def test_only_who_may_post_posts() -> None:
    conversations = {CONVERSATION: Conversation(member=False), "C2": Conversation(archived=True)}
    with SlackServer(conversations, scopes=frozenset()) as slack:
        assert error_of(slack)["needed"] == "chat:write"
        slack.scopes = frozenset({"chat:write"})
        assert error_of(slack)["error"] == "not_in_channel"
        assert error_of(slack, channel="C2")["error"] == "is_archived"
        assert error_of(slack, token="xoxb-other")["error"] == "invalid_auth"
        assert error_of(slack, token="")["error"] == "not_authed"


def test_a_thread_hangs_below_its_first_message_only(slack: SlackServer) -> None:
    first = client(slack).chat_postMessage(channel=CONVERSATION, text="1")["ts"]
    reply = client(slack).chat_postMessage(channel=CONVERSATION, text="2", thread_ts=first)["ts"]
    assert error_of(slack, thread_ts=reply)["error"] == "cannot_reply_to_message"
    slack.conversations[CONVERSATION].threads = False
    assert error_of(slack, thread_ts=first)["error"] == "cannot_reply_to_message"


def test_what_was_posted_can_be_read_back(slack: SlackServer) -> None:
    metadata = {"event_type": "x", "event_payload": {"key": "k"}}
    first = client(slack).chat_postMessage(channel=CONVERSATION, text="1", metadata=metadata)["ts"]
    client(slack).chat_postMessage(channel=CONVERSATION, text="1a", thread_ts=first)
    client(slack).chat_postMessage(channel=CONVERSATION, text="2")
    history = client(slack).conversations_history(channel=CONVERSATION, include_all_metadata=True, limit=1)
    older = client(slack).conversations_history(
        channel=CONVERSATION, include_all_metadata=True, cursor=history["response_metadata"]["next_cursor"]
    )
    replies = client(slack).conversations_replies(channel=CONVERSATION, ts=first)
    assert [one["text"] for one in history["messages"]] == ["2"]
    assert [one["metadata"] for one in older["messages"]] == [metadata]
    assert [one["text"] for one in replies["messages"]] == ["1", "1a"]
    assert "metadata" not in replies["messages"][0]


def test_one_message_a_second_where_that_is_asked_for() -> None:
    clock = Clock()
    with SlackServer({CONVERSATION: Conversation(), "C2": Conversation()}, interval=1, clock=clock) as slack:
        client(slack).chat_postMessage(channel=CONVERSATION, text="1")
        client(slack).chat_postMessage(channel="C2", text="elsewhere it is another matter")
        clock.go_on(0.9)
        with pytest.raises(SlackApiError) as caught:
            client(slack).chat_postMessage(channel=CONVERSATION, text="too soon")
        clock.go_on(0.1)
        client(slack).chat_postMessage(channel=CONVERSATION, text="2")
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"text": "<!channel> and @here"}, ["<!channel>"]),
        ({"blocks": [{"type": "section", "text": {**MRKDWN, "text": "@here"}}]}, ["@here"]),
        ({"blocks": [{"type": "section", "text": {**MRKDWN, "text": "@here", "verbatim": True}}]}, []),
        ({"blocks": [{"type": "section", "text": {**PLAIN, "text": "<!here>"}}]}, []),
        ({"blocks": [rich({"type": "rich_text_section", "elements": [{**RUN, "text": "<!here>"}]})]}, []),
        ({"blocks": [rich({"type": "rich_text_section",
                           "elements": [{"type": "broadcast", "range": "here"}]})]},
         ["{'type': 'broadcast', 'range': 'here'}"]),
    ],
)  # fmt: skip
def test_a_live_mention_is_seen(message: Json, found: list[str]) -> None:
    assert slack_rules.mentions(message) == found
