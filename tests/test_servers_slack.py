"""The Slack of the tests is as strict as the real one: what a wrong call would hide, it refuses."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.servers import slack as faults
from tests.servers.slack import (
    APP_TOKEN,
    BOT,
    CONVERSATION,
    HOOK,
    TOKEN,
    WEBHOOK,
    Clock,
    Conversation,
    Fault,
    SlackServer,
)

Json = dict[str, Any]
DIVIDER: Json = {"type": "divider"}
WORDS: Json = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
RICH: Json = {
    "type": "rich_text",
    "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}],
}
METADATA: Json = {"event_type": "newsletter_part", "event_payload": {"key": "k"}}
EVERYTHING = frozenset(
    {"chat:write", "channels:history", "channels:read", "channels:join", "groups:history", "groups:read"}
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def slack(clock: Clock) -> Iterator[SlackServer]:
    with SlackServer(scopes=EVERYTHING, clock=clock) as server:
        yield server


def client(slack: SlackServer, token: str | None = TOKEN, timeout: float = 5) -> WebClient:
    made = WebClient(token, base_url=slack.url, timeout=timeout, retry_handlers=[])  # type: ignore[arg-type] # urllib takes fractions
    made.proxy = None
    return made


def call(slack: SlackServer, method: str, token: str | None = TOKEN, **arguments: Any) -> Json:
    """What a method answers, yes or no."""
    try:
        answer = client(slack, token).api_call(method, json={"channel": CONVERSATION, **arguments})
    except SlackApiError as error:
        answer = error.response
    assert isinstance(answer.data, dict)
    return answer.data


def post(slack: SlackServer, text: str = "x", **arguments: Any) -> str:
    """A message's name, once it is posted."""
    answer = call(slack, "chat.postMessage", text=text, **arguments)
    assert answer["ok"], answer
    return str(answer["ts"])


def error(slack: SlackServer, method: str, **arguments: Any) -> str | None:
    """Slack's word for no, or None."""
    return call(slack, method, **arguments).get("error")


# ------------------------------------------------------------------------------------------- who may do what

METHODS: dict[str, tuple[Json, str]] = {
    "chat.postMessage": ({"text": "x"}, "chat:write"),
    "chat.update": ({"text": "x"}, "chat:write"),
    "chat.delete": ({}, "chat:write"),
    "conversations.history": ({}, "channels:history"),
    "conversations.replies": ({}, "channels:history"),
    "conversations.info": ({}, "channels:read"),
    "conversations.join": ({}, "channels:join"),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_method_needs_its_scope_and_says_which(method: str, slack: SlackServer) -> None:
    arguments, scope = METHODS[method]
    ts = post(slack)
    arguments = arguments if method == "chat.postMessage" else {"ts": ts, **arguments}
    slack.scopes = frozenset({scope})
    assert error(slack, method, **arguments) is None
    slack.scopes = EVERYTHING - {scope} - {"groups:read", "groups:history"}
    answer = call(slack, method, **arguments)
    assert (answer["error"], answer["needed"]) == ("missing_scope", scope)


@pytest.mark.parametrize(
    ("method", "scope"),
    [
        ("conversations.info", "groups:read"),
        ("conversations.history", "groups:history"),
        ("conversations.replies", "groups:history"),
    ],
)
def test_a_private_conversation_needs_a_scope_of_its_own(method: str, scope: str, slack: SlackServer) -> None:
    ts = post(slack)
    slack.conversations[CONVERSATION].private = True
    assert error(slack, method, ts=ts) is None
    slack.scopes = EVERYTHING - {scope}
    assert error(slack, method, ts=ts) == "missing_scope"


@pytest.mark.parametrize("method", ["auth.test", *METHODS, "chat.getPermalink"])
@pytest.mark.parametrize(
    ("token", "code"),
    [(None, "not_authed"), ("xoxb-other", "invalid_auth"), (APP_TOKEN, "not_allowed_token_type")],
)
def test_a_call_needs_the_bots_token(method: str, token: str | None, code: str, slack: SlackServer) -> None:
    assert call(slack, method, token, text="x")["error"] == code
    assert slack.every == []


def test_who_the_bot_is(slack: SlackServer) -> None:
    answer = client(slack).auth_test()
    assert answer["bot_id"] == BOT
    assert answer.headers["X-OAuth-Scopes"].split(",") == sorted(EVERYTHING)


def test_an_unknown_method_is_none(slack: SlackServer) -> None:
    assert error(slack, "chat.postNewsletter") == "unknown_method"


def test_an_identity_of_one_s_own_needs_a_scope(slack: SlackServer) -> None:
    assert error(slack, "chat.postMessage", text="x", username="Editor") == "missing_scope"
    slack.scopes |= {"chat:write.customize"}
    assert error(slack, "chat.postMessage", text="x", username="Editor") is None


def test_a_video_needs_a_scope(slack: SlackServer) -> None:
    video = {"type": "video", "alt_text": "x", "title": {"type": "plain_text", "text": "x"}}
    blocks = [{**video, "video_url": "https://x.org/v", "thumbnail_url": "https://x.org/t.png"}]
    assert error(slack, "chat.postMessage", text="x", blocks=blocks) == "missing_scope"
    slack.scopes |= {"links.embed:write"}
    assert error(slack, "chat.postMessage", text="x", blocks=blocks) is None


STANDING: dict[str, tuple[Conversation, Json]] = {
    "a member": (Conversation(), {}),
    "a guest": (
        Conversation(member=False),
        {
            "chat.postMessage": "not_in_channel",
            "conversations.history": "not_in_channel",
            "conversations.replies": "not_in_channel",
        },
    ),
    "archived": (
        Conversation(archived=True),
        {
            "chat.postMessage": "is_archived",
            "chat.update": "is_inactive",
            "conversations.join": "is_archived",
        },
    ),
    "private": (
        Conversation(private=True),
        {"conversations.join": "method_not_supported_for_channel_type"},
    ),
    "private and closed": (
        Conversation(private=True, member=False),
        dict.fromkeys([*METHODS, "chat.getPermalink"], "channel_not_found"),
    ),
    "only to read": (Conversation(refuses="restricted_action"), {"chat.postMessage": "restricted_action"}),
}


@pytest.mark.parametrize(("conversation", "refused"), STANDING.values(), ids=STANDING)
def test_a_conversation_says_what_the_bot_may_do_there(
    conversation: Conversation, refused: Json, slack: SlackServer
) -> None:
    ts = post(slack)
    slack.conversations[CONVERSATION] = conversation
    calls: dict[str, Json] = {
        "chat.getPermalink": {"message_ts": ts},
        "chat.postMessage": {"text": "y"},
        "chat.update": {"ts": ts, "text": "y"},
        "conversations.history": {},
        "conversations.info": {},
        "conversations.replies": {"ts": ts},
        "chat.delete": {"ts": ts},
        "conversations.join": {},
    }
    said = {method: error(slack, method, **arguments) for method, arguments in calls.items()}
    assert said == dict.fromkeys(calls) | refused


@pytest.mark.parametrize("method", [*METHODS, "chat.getPermalink"])
def test_a_name_is_no_conversation(method: str, slack: SlackServer) -> None:
    assert error(slack, method, channel="#papers", text="x") == "channel_not_found"


def test_a_public_conversation_can_be_joined_or_posted_to_from_outside(slack: SlackServer) -> None:
    slack.conversations[CONVERSATION].member = False
    slack.scopes |= {"chat:write.public"}
    assert error(slack, "chat.postMessage", text="x") is None
    assert error(slack, "conversations.history") == "not_in_channel"
    assert "warning" not in call(slack, "conversations.join")
    assert call(slack, "conversations.join")["warning"] == "already_in_channel"
    assert call(slack, "conversations.info")["channel"]["is_member"]
    assert error(slack, "conversations.history") is None


# -------------------------------------------------------------------------------------------------- posting


def test_a_message_that_slack_would_refuse_is_refused_with_a_pointer(slack: SlackServer) -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}
    answer = call(slack, "chat.postMessage", text="x", blocks=[block])
    assert answer["error"] == "invalid_blocks"
    assert "[json-pointer:/blocks/0/text/text]" in answer["response_metadata"]["messages"][0]
    assert slack.posts == []


def test_a_thread_hangs_below_its_first_message_only(slack: SlackServer) -> None:
    first = post(slack)
    reply = post(slack, thread_ts=first)
    assert error(slack, "chat.postMessage", text="x", thread_ts=reply) == "cannot_reply_to_message"
    assert error(slack, "chat.postMessage", text="x", thread_ts="1760000000.999999") == "thread_not_found"
    slack.conversations["C2"] = Conversation()
    assert error(slack, "chat.postMessage", channel="C2", text="x", thread_ts=first) == "thread_not_found"
    slack.conversations[CONVERSATION].threads = False
    assert error(slack, "chat.postMessage", text="x", thread_ts=first) == "cannot_reply_to_message"


def test_each_message_is_named_by_its_time_as_text_and_none_like_another(
    slack: SlackServer, clock: Clock
) -> None:
    names = [post(slack), post(slack)]
    clock.go_on(3600)
    names.append(post(slack))
    clock.go_on(-7200)
    names.append(post(slack))
    assert names == sorted(set(names))
    assert names[0].startswith("1760000000.")
    assert names[2].startswith("1760003600.")


def test_one_message_a_second_to_one_conversation(clock: Clock) -> None:
    with SlackServer({CONVERSATION: Conversation(), "C2": Conversation()}, interval=1, clock=clock) as slack:
        post(slack)
        post(slack, channel="C2")
        clock.go_on(0.9)
        with pytest.raises(SlackApiError) as caught:
            client(slack).chat_postMessage(channel=CONVERSATION, text="too soon")
        assert caught.value.response.status_code == 429
        assert caught.value.response.headers["Retry-After"] == "1"
        clock.go_on(0.1)
        post(slack)


@pytest.mark.parametrize("method", ["conversations.history", "chat.update", "conversations.info"])
def test_fifty_calls_a_minute_of_what_is_in_tier_3(method: str, slack: SlackServer, clock: Clock) -> None:
    ts = post(slack)
    for _ in range(50):
        assert error(slack, method, ts=ts, text="y") is None
    clock.go_on(59)
    assert error(slack, method, ts=ts, text="y") == "ratelimited"
    assert error(slack, "auth.test") is None
    clock.go_on(1)
    assert error(slack, method, ts=ts, text="y") is None


# ------------------------------------------------------------------------------------- changing and deleting


def test_an_update_stands_in_the_place_of_what_was_there(slack: SlackServer) -> None:
    ts = post(slack, "old", blocks=[WORDS], metadata=METADATA)
    answer = call(slack, "chat.update", ts=ts, text="new", blocks=[DIVIDER, WORDS])
    (found,) = slack.posts
    assert (answer["ts"], found.ts, found.message["text"]) == (ts, ts, "new")
    assert [one["text"] for one in found.earlier] == ["old"]
    assert found.message["metadata"] == METADATA, "what is not named stays"
    assert "edited" not in call(slack, "conversations.history")["messages"][0], "with blocks it is not marked"


def test_a_text_without_blocks_takes_the_blocks_away(slack: SlackServer) -> None:
    ts = post(slack, blocks=[WORDS])
    call(slack, "chat.update", ts=ts, text="new")
    shown = call(slack, "conversations.history")["messages"][0]
    assert "blocks" not in shown
    assert "edited" in shown


def test_metadata_alone_leaves_the_words_and_an_empty_one_clears_it(slack: SlackServer) -> None:
    ts = post(slack, "words", blocks=[WORDS], metadata=METADATA)
    assert error(slack, "chat.update", ts=ts, metadata={}) is None
    assert slack.posts[0].message.keys() == {"channel", "text", "blocks"}


UPDATES: list[tuple[str, Json, str | None]] = [
    ("its own", {}, None),
    ("another's", {"author": {"bot_id": "B9", "app_id": "A9"}}, "cant_update_message"),
    ("a person's", {"author": {"user": "U1"}}, "cant_update_message"),
]


@pytest.mark.parametrize(("whose", "more", "code"), UPDATES, ids=[one[0] for one in UPDATES])
def test_only_its_own_messages_can_be_changed_or_deleted(
    whose: str, more: Json, code: str | None, slack: SlackServer
) -> None:
    ts = slack.write(CONVERSATION, text="x", **more).ts if more else post(slack)
    assert error(slack, "chat.update", ts=ts, text="y") == code
    assert error(slack, "chat.delete", ts=ts) == (code and "cant_delete_message")


def test_what_is_not_there_cannot_be_changed_deleted_or_linked(slack: SlackServer) -> None:
    ts = post(slack)
    assert error(slack, "chat.delete", ts=ts) is None
    assert error(slack, "chat.update", ts=ts, text="x") == "message_not_found"
    assert error(slack, "chat.delete", ts=ts) == "message_not_found"
    assert error(slack, "chat.getPermalink", message_ts=ts) == "message_not_found"
    assert slack.posts == []
    assert len(slack.every) == 1


def test_what_may_not_be_edited_any_more_says_so(slack: SlackServer) -> None:
    ts = post(slack)
    slack.post(ts).fixed = "edit_window_closed"
    assert error(slack, "chat.update", ts=ts, text="y") == "edit_window_closed"


def test_rich_text_stays_rich(slack: SlackServer) -> None:
    ts = post(slack, blocks=[RICH])
    assert error(slack, "chat.update", ts=ts, text="y", blocks=[WORDS]) == "block_mismatch"
    assert error(slack, "chat.update", ts=ts, text="y", blocks=[WORDS, RICH]) is None


def test_a_thread_outlives_its_first_message(slack: SlackServer) -> None:
    first = post(slack)
    post(slack, "reply", thread_ts=first)
    call(slack, "chat.delete", ts=first)
    shown = call(slack, "conversations.replies", ts=first)["messages"]
    assert [one.get("subtype") for one in shown] == ["tombstone", None]
    assert call(slack, "conversations.history")["messages"] == []


def test_a_link_names_the_thread(slack: SlackServer) -> None:
    first = post(slack)
    reply = post(slack, thread_ts=first)
    links = [call(slack, "chat.getPermalink", message_ts=ts)["permalink"] for ts in (first, reply)]
    assert links[0].endswith(f"/archives/{CONVERSATION}/p{first.replace('.', '')}")
    assert links[1].endswith(f"?thread_ts={first}&cid={CONVERSATION}")


# -------------------------------------------------------------------------------------------------- reading


def test_what_was_posted_can_be_read_back_page_by_page(slack: SlackServer) -> None:
    for number in range(5):
        post(slack, f"{number}")
    read, cursor = [], ""
    while True:
        page = client(slack).conversations_history(channel=CONVERSATION, limit=2, cursor=cursor)
        read.append([one["text"] for one in page["messages"]])
        cursor = page["response_metadata"]["next_cursor"]
        assert page["has_more"] is bool(cursor)
        if not cursor:
            break
    assert read == [["4", "3"], ["2", "1"], ["0"]]


def test_metadata_is_shown_to_who_asks(slack: SlackServer) -> None:
    first = post(slack, metadata=METADATA)
    post(slack, thread_ts=first, metadata=METADATA)
    for read in (
        client(slack).conversations_history,
        lambda **keys: client(slack).conversations_replies(ts=first, **keys),
    ):
        plain, full = (
            read(channel=CONVERSATION, include_all_metadata=asked)["messages"][-1] for asked in (False, True)
        )
        assert "metadata" not in plain
        assert full["metadata"] == METADATA


def test_a_thread_is_read_apart_from_the_conversation(slack: SlackServer) -> None:
    first = post(slack, "1")
    post(slack, "1a", thread_ts=first)
    post(slack, "1b", thread_ts=first, reply_broadcast=True)
    post(slack, "2")
    history = call(slack, "conversations.history")["messages"]
    replies = call(slack, "conversations.replies", ts=first)["messages"]
    assert [one["text"] for one in history] == ["2", "1b", "1"]
    assert [one["text"] for one in replies] == ["1", "1a", "1b"]
    assert history[-1]["reply_count"] == 2
    assert error(slack, "conversations.replies", ts="1.2") == "thread_not_found"


def test_a_span_of_time_has_ends_that_count_only_when_asked_for(slack: SlackServer) -> None:
    first, second, third = (post(slack, f"{number}") for number in (1, 2, 3))

    def read(**span: Any) -> str:
        return "".join(one["text"] for one in call(slack, "conversations.history", **span)["messages"])

    assert read(oldest=first) == "32"
    assert read(oldest=first, inclusive=True) == "321"
    assert read(latest=third) == "21"
    assert read(oldest=first, latest=third) == "2"
    assert read(oldest=second, latest=second, inclusive=True) == "2"
    assert read(oldest="0") == "321"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"limit": 999}, None),
        ({"limit": 1000}, "invalid_limit"),
        ({"limit": "many"}, "invalid_limit"),
        ({"cursor": "next"}, "invalid_cursor"),
        ({"cursor": "bmV4dF90czow"}, None),
        ({"oldest": "yesterday"}, "invalid_ts_oldest"),
        ({"oldest": "nan"}, "invalid_ts_oldest"),
        ({"latest": "today"}, "invalid_ts_latest"),
    ],
)
def test_how_a_page_may_be_asked_for(arguments: Json, code: str | None, slack: SlackServer) -> None:
    assert error(slack, "conversations.history", **arguments) == code


def test_a_message_comes_back_with_its_author_and_not_as_it_was_sent(slack: SlackServer) -> None:
    post(slack, "see https://x.org/", blocks=[DIVIDER], client_msg_id="1")
    slack.write(CONVERSATION, text="a person")
    other, ours = call(slack, "conversations.history")["messages"]
    assert (ours["bot_id"], ours["app_id"], ours["text"]) == (BOT, "A0BROADSHEET", "see <https://x.org/>")
    assert ours["blocks"][0].keys() == {"type", "block_id"}
    assert "client_msg_id" not in ours
    assert "bot_id" not in other


# ------------------------------------------------------------------------------------------------- the wire


def raw(slack: SlackServer, path: str, body: bytes, content_type: str) -> tuple[int, str]:
    headers = {"Content-Type": content_type, "Authorization": f"Bearer {TOKEN}"}
    try:
        with urlopen(Request(slack.root + path, body, headers), timeout=5) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as no:
        with no:
            return no.code, no.read().decode()


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b'{"text": "x"', "application/json", "invalid_json"),
        (b'["x"]', "application/json", "json_not_object"),
        (b"\xff", "application/x-www-form-urlencoded", "invalid_form_data"),
        (b"channel=C1&blocks=none", "application/x-www-form-urlencoded", "invalid_form_data"),
        (b"x", "text/plain", "invalid_post_type"),
        (b"channel=nowhere&text=x", "application/x-www-form-urlencoded", "channel_not_found"),
    ],
)
def test_a_body_is_json_or_a_form(body: bytes, content_type: str, code: str, slack: SlackServer) -> None:
    status, said = raw(slack, "/api/chat.postMessage", body, content_type)
    assert (status, json.loads(said)["error"]) == (200, code)


def test_a_form_holds_blocks_as_json(slack: SlackServer) -> None:
    form = urlencode(
        {"channel": CONVERSATION, "text": "x", "blocks": json.dumps([DIVIDER]), "unfurl_links": "0"}
    )
    raw(slack, "/api/chat.postMessage", form.encode(), "application/x-www-form-urlencoded")
    assert slack.posts[0].message["blocks"] == [DIVIDER]


# -------------------------------------------------------------------------------------------- misbehaviour

NO_ANSWER = (http.client.HTTPException, OSError)
FAULTS: list[tuple[Fault, int, type[Exception] | tuple[type[Exception], ...], str]] = [
    (faults.close_after_storing, 1, NO_ANSWER, ""),
    (faults.close_unheard, 0, NO_ANSWER, ""),
    (faults.reset_after_storing, 1, NO_ANSWER, ""),
    (faults.reset_unheard, 0, NO_ANSWER, ""),
    (faults.hang_after_storing, 1, TimeoutError, ""),
    (faults.hang_unheard, 0, TimeoutError, ""),
    (faults.truncate_after_storing, 1, http.client.IncompleteRead, ""),
    (faults.internal_error_after_storing, 1, SlackApiError, "internal_error"),
    (faults.internal_error_unheard, 0, SlackApiError, "internal_error"),
    (faults.bad_gateway, 0, SlackApiError, "502"),
    (faults.bad_gateway_after_storing, 1, SlackApiError, "502"),
    (faults.not_found, 0, SlackApiError, "404"),
    (faults.rate_limited("3"), 0, SlackApiError, "ratelimited"),
    (faults.rate_limited("1.5"), 0, SlackApiError, "ratelimited"),
    (faults.rate_limited(None), 0, SlackApiError, "ratelimited"),
    (faults.rate_limited_at_the_edge, 0, SlackApiError, ""),
    (faults.page_instead_of_json, 1, SlackApiError, ""),
    (faults.refuse("fatal_error"), 0, SlackApiError, "fatal_error"),
]


@pytest.mark.parametrize(("fault", "stored", "kind", "said"), FAULTS)
def test_a_post_goes_wrong_as_it_was_asked_to(
    fault: Fault, stored: int, kind: type[Exception], said: str, slack: SlackServer
) -> None:
    slack.next(fault)
    with pytest.raises(kind) as caught:
        client(slack, timeout=0.3).chat_postMessage(channel=CONVERSATION, text="x")
    assert said in str(caught.value)
    slack.released.set()
    assert len(slack.posts) == stored
    assert error(slack, "chat.postMessage", text="the next one goes well") is None


def test_any_call_of_any_method_can_go_wrong(slack: SlackServer) -> None:
    slack.at(2, faults.refuse("fatal_error"), "conversations.history")
    slack.always(faults.refuse("update_failed"), "chat.update")
    slack.otherwise = faults.refuse("service_unavailable")
    said = [error(slack, "conversations.history") for _ in range(3)]
    assert said == ["service_unavailable", "fatal_error", "service_unavailable"]
    slack.otherwise = None
    assert error(slack, "conversations.history") is None
    assert error(slack, "chat.update", ts=post(slack), text="y") == "update_failed"


def test_an_image_that_cannot_be_fetched_takes_the_whole_message_down(slack: SlackServer) -> None:
    slack.always(faults.image_fails)
    image = {"image_url": "https://x.org/a.png", "alt_text": "x", "type": "image"}
    answer = call(slack, "chat.postMessage", text="x", blocks=[DIVIDER, image])
    assert "downloading image failed [json-pointer:/blocks/1/image_url]" in answer["errors"][0]
    assert error(slack, "chat.postMessage", text="x", blocks=[{**WORDS, "accessory": image}]) is None
    assert len(slack.posts) == 1


def test_blocks_can_be_too_long_sooner(slack: SlackServer) -> None:
    slack.always(faults.too_long_over(60))
    assert error(slack, "chat.postMessage", text="x", blocks=[WORDS]) is None
    assert error(slack, "chat.postMessage", text="x", blocks=[WORDS, DIVIDER]) == "msg_blocks_too_long"


def test_calls_at_once_are_told_apart(slack: SlackServer) -> None:
    threads = [threading.Thread(target=post, args=(slack,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.ts for one in slack.posts}) == 8


# ------------------------------------------------------------------------------------------------- webhooks


def hook(slack: SlackServer, message: Any, path: str = HOOK) -> tuple[int, str]:
    return raw(slack, path, json.dumps(message).encode(), "application/json")


def _deactivated(slack: SlackServer) -> None:
    slack.hooks.paths[HOOK].active = False


def _gone(slack: SlackServer) -> None:
    slack.conversations.clear()


def _in_state(**state: Any) -> Callable[[SlackServer], None]:
    def put(slack: SlackServer) -> None:
        slack.conversations[CONVERSATION] = Conversation(**state)

    return put


def test_a_webhook_says_ok_and_not_where(slack: SlackServer) -> None:
    assert hook(slack, {"text": "x", "blocks": [WORDS], "unfurl_links": False}) == (200, "ok")
    assert slack.posts[0].message["channel"] == CONVERSATION
    assert not slack.posts[0].is_ours or slack.posts[0].author["bot_id"] != BOT
    form = urlencode({"payload": json.dumps({"text": "y"})}).encode()
    assert raw(slack, HOOK, form, "application/x-www-form-urlencoded") == (200, "ok")


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("text", (400, "invalid_payload")),
        ({"colour": "red", "text": "x"}, (400, "invalid_payload")),
        ({"channel": "C2", "text": "x"}, (400, "invalid_payload")),
        ({"username": "Editor", "text": "x"}, (400, "invalid_payload")),
        ({"metadata": METADATA, "text": "x"}, (400, "invalid_payload")),
        ({"thread_ts": 1.5, "text": "x"}, (400, "invalid_payload")),
        ({"text": ""}, (400, "no_text")),
        ({"text": "x", "blocks": [{}]}, (400, "invalid_blocks")),
        ({"text": "x", "blocks": [{"type": "markdown", "text": "x"}]}, (400, "invalid_blocks")),
        ({"attachments": [{"text": "x"}] * 101}, (400, "too_many_attachments")),
        ({"text": "x", "thread_ts": "1.2"}, (400, "thread_not_found")),
    ],
)
def test_a_webhook_refuses_what_it_cannot_post(message: Any, answer: Any, slack: SlackServer) -> None:
    assert hook(slack, message) == answer
    assert slack.posts == []


@pytest.mark.parametrize(
    ("put", "answer"),
    [
        (_deactivated, (404, "no_active_hooks")),
        (_gone, (404, "channel_not_found")),
        (_in_state(archived=True), (410, "channel_is_archived")),
        (_in_state(refuses="restricted_action"), (403, "action_prohibited")),
        (_in_state(member=False), (200, "ok")),
    ],
)
def test_a_webhook_may_have_lost_its_place(
    put: Callable[[SlackServer], None], answer: Any, slack: SlackServer
) -> None:
    put(slack)
    assert hook(slack, {"text": "x"}) == answer


@pytest.mark.parametrize(
    ("path", "answer"),
    [(f"{HOOK}x", (404, "no_service")), ("/services/T9/B9/x", (404, "no_team"))],
)
def test_a_webhook_is_known_by_its_whole_address(path: str, answer: Any, slack: SlackServer) -> None:
    assert hook(slack, {"text": "x"}, path) == answer


def test_a_webhook_takes_one_message_a_second(clock: Clock) -> None:
    with SlackServer(interval=1, clock=clock) as slack:
        assert hook(slack, {"text": "x"})[0] == 200
        assert hook(slack, {"text": "x"}) == (429, "ratelimited")
        clock.go_on(1)
        assert hook(slack, {"text": "x"})[0] == 200


def test_a_webhook_can_go_wrong_too(slack: SlackServer) -> None:
    slack.next(faults.close_after_storing, method=WEBHOOK)
    with pytest.raises(NO_ANSWER):
        hook(slack, {"text": "x"})
    assert len(slack.posts) == 1


# -------------------------------------------------------------------------------------- Slack's own validator


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"blocks": [DIVIDER]}, None),
        ({"message": {"blocks": [DIVIDER]}}, None),
        ({"blocks": [{"type": "section"}]}, "invalid_blocks"),
        ({"message": {"text": "x"}}, "invalid_blocks"),
        ({"blocks": [DIVIDER], "message": {"blocks": [DIVIDER]}}, "invalid_arguments"),
        ({}, "invalid_arguments"),
    ],
)
def test_blocks_can_be_validated_without_a_token(
    arguments: Json, code: str | None, slack: SlackServer
) -> None:
    assert call(slack, "blocks.validate", None, **arguments).get("error") == code


def test_the_validator_points_at_what_is_wrong(slack: SlackServer) -> None:
    (found,) = call(slack, "blocks.validate", blocks=[DIVIDER, {"type": "section"}])["errors"]
    assert found["pointer"] == "/blocks/1"
    assert "text" in found["message"]
