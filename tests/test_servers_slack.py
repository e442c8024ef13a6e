"""The Slack of our tests is as strict as the real one: what Slack refuses, it refuses."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.servers import slack as fake
from tests.servers.slack import CONVERSATION, TOKEN, Workspace
from tests.servers.slack_rules import faults, is_too_long


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with fake.slack() as found:
        yield found


def client(workspace: Workspace, token: str = TOKEN) -> WebClient:
    return WebClient(token, base_url=workspace.url, timeout=5, retry_handlers=[])


def post(workspace: Workspace, **arguments: Any) -> dict[str, Any]:
    arguments = {"channel": CONVERSATION, "text": "x"} | arguments
    answer = client(workspace).api_call("chat.postMessage", json=arguments)
    assert isinstance(answer.data, dict)
    return answer.data


def refusal(workspace: Workspace, **arguments: Any) -> Any:
    with pytest.raises(SlackApiError) as caught:
        post(workspace, **arguments)
    assert not workspace.messages
    return caught.value.response.data


# ------------------------------------------------------------------------------------------------ the blocks


def plain(text: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, **more}


def mrkdwn(text: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text, **more}


def header(text: Any) -> dict[str, Any]:
    return {"type": "header", "text": text}


def section(text: Any, **more: Any) -> dict[str, Any]:
    return {"type": "section", "text": text, **more}


def context(*elements: Any) -> dict[str, Any]:
    return {"type": "context", "elements": list(elements)}


def rich(*elements: Any) -> dict[str, Any]:
    return {"type": "rich_text", "elements": list(elements)}


def runs(*elements: Any, kind: str = "section") -> dict[str, Any]:
    return {"type": f"rich_text_{kind}", "elements": list(elements)}


def run(text: Any = "x", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def bullets(*elements: Any, **more: Any) -> dict[str, Any]:
    return {"type": "rich_text_list", "style": "bullet", "elements": list(elements), **more}


def link(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "link", "url": url, **more}


def image(**more: Any) -> dict[str, Any]:
    return {"type": "image", "image_url": "https://example.org/a.png", "alt_text": "a", **more}


DIVIDER = {"type": "divider"}
EMOJI = {"type": "emoji", "name": "x"}

GOOD: tuple[Any, ...] = (
    [header(plain("x" * 150, emoji=False))],
    [section(mrkdwn("x" * 3000, verbatim=True), expand=True)],
    [section(plain("é" * 3000))],
    [{"type": "section", "fields": [mrkdwn("x" * 2000)] * 2}],
    [context(*[plain()] * 10)],
    [image()],
    [DIVIDER] * 50,
    [DIVIDER | {"block_id": "a"}, DIVIDER | {"block_id": "b"}],
    [rich(runs(run(style={"bold": True, "code": True}), link("https://example.org")))],
    [rich(runs(run(), kind="quote"), runs(run("a\nb"), kind="preformatted"))],
    [rich(bullets(runs(run()), runs(run()), indent=8, border=0))],
    [rich(bullets(runs(run()), style="ordered", offset=3))],
)  # fmt: skip


@pytest.mark.parametrize("blocks", GOOD)
def test_good_blocks_pass(workspace: Workspace, blocks: Any) -> None:
    assert faults(blocks) == []
    post(workspace, blocks=blocks)
    assert workspace.messages[0]["blocks"] == blocks


BAD: tuple[tuple[Any, str], ...] = (
    ([], "/blocks"),
    ("x", "/blocks"),
    ([DIVIDER] * 51, "/blocks"),
    (["x"], "/blocks/0"),
    ([{"type": "marquee"}], "/blocks/0/type"),
    ([{"text": plain()}], "/blocks/0/type"),
    ([DIVIDER | {"text": "x"}], "/blocks/0"),
    ([DIVIDER | {"block_id": "x" * 256}], "/blocks/0/block_id"),
    ([DIVIDER | {"block_id": "x"}] * 2, "/blocks/1/block_id"),
    ([header(plain("x" * 151))], "/blocks/0/text/text"),
    ([header(plain(""))], "/blocks/0/text/text"),
    ([header(mrkdwn())], "/blocks/0/text/type"),
    ([header("x")], "/blocks/0/text"),
    ([{"type": "header"}], "/blocks/0"),
    ([header(plain()) | {"level": 2}], "/blocks/0"),
    ([section(plain("x" * 3001))], "/blocks/0/text/text"),
    ([section(plain(""))], "/blocks/0/text/text"),
    ([section(plain(verbatim=True))], "/blocks/0/text"),
    ([section(mrkdwn(emoji=True))], "/blocks/0/text"),
    ([section(mrkdwn(), expand="yes")], "/blocks/0/expand"),
    ([{"type": "section"}], "/blocks/0"),
    ([{"type": "section", "fields": [plain()] * 11}], "/blocks/0/fields"),
    ([{"type": "section", "fields": [plain("x" * 2001)]}], "/blocks/0/fields/0/text"),
    ([context()], "/blocks/0/elements"),
    ([context(*[plain()] * 11)], "/blocks/0/elements"),
    ([context(DIVIDER)], "/blocks/0/elements/0/type"),
    ([image(alt_text="")], "/blocks/0/alt_text"),
    ([image(image_url="javascript:x")], "/blocks/0/image_url"),
    ([rich()], "/blocks/0/elements"),
    ([rich(run())], "/blocks/0/elements/0/type"),
    ([rich(runs())], "/blocks/0/elements/0/elements"),
    ([rich(runs(run("")))], "/blocks/0/elements/0/elements/0/text"),
    ([rich(runs(run(None)))], "/blocks/0/elements/0/elements/0/text"),
    ([rich(runs(run(style={"blink": True})))], "/blocks/0/elements/0/elements/0/style"),
    ([rich(runs(run(style="bold")))], "/blocks/0/elements/0/elements/0/style"),
    ([rich(runs(run(url="https://example.org")))], "/blocks/0/elements/0/elements/0"),
    ([rich(runs(link("/x")))], "/blocks/0/elements/0/elements/0/url"),
    ([rich(runs(link("https://x.org", text="")))], "/blocks/0/elements/0/elements/0/text"),
    ([rich(bullets(run()))], "/blocks/0/elements/0/elements/0/type"),
    ([rich(bullets(bullets(runs(run()))))], "/blocks/0/elements/0/elements/0/type"),
    ([rich(bullets())], "/blocks/0/elements/0/elements"),
    ([rich(bullets(runs(run()), indent=9))], "/blocks/0/elements/0/indent"),
    ([rich(bullets(runs(run()), indent=True))], "/blocks/0/elements/0/indent"),
    ([rich(bullets(runs(run()), offset=-1))], "/blocks/0/elements/0/offset"),
    ([rich(bullets(runs(run()), style="dotted"))], "/blocks/0/elements/0/style"),
    ([rich(runs(runs(run()), kind="quote"))], "/blocks/0/elements/0/elements/0/type"),
    ([rich(runs(EMOJI, kind="preformatted"))], "/blocks/0/elements/0/elements/0/type"),
)  # fmt: skip


@pytest.mark.parametrize(("blocks", "pointer"), BAD)
def test_bad_blocks_are_refused_with_a_pointer(workspace: Workspace, blocks: Any, pointer: str) -> None:
    answer = refusal(workspace, blocks=blocks)
    assert answer["error"] == "invalid_blocks"
    assert any(said.endswith(f"[json-pointer:{pointer}]") for said in answer["response_metadata"]["messages"])


def test_blocks_that_are_good_one_by_one_can_be_too_much_together(workspace: Workspace) -> None:
    blocks = [section(plain("é" * 2900))] * 4
    assert not is_too_long(blocks)
    post(workspace, blocks=blocks)
    workspace.messages.clear()
    assert refusal(workspace, blocks=[*blocks, section(plain("é" * 1200))])["error"] == "msg_blocks_too_long"


# --------------------------------------------------------------------------------------------- the arguments


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({"event_type": "x"}, "invalid_metadata_format"),
        ({"event_type": "", "event_payload": {}}, "invalid_metadata_format"),
        ({"event_type": "x", "event_payload": "x"}, "invalid_metadata_format"),
        ({"event_type": "x", "event_payload": {}, "more": 1}, "invalid_metadata_format"),
        ({"event_type": "x", "event_payload": {"a": {"b": "c"}}}, "invalid_metadata_schema"),
        ({"event_type": "x", "event_payload": {"a": None}}, "invalid_metadata_schema"),
        ({"event_type": "x", "event_payload": {"a": "x" * 8000}}, "metadata_too_large"),
    ],
)
def test_bad_metadata_are_refused(workspace: Workspace, metadata: Any, code: str) -> None:
    assert refusal(workspace, metadata=metadata)["error"] == code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"channel": "C0000000000"}, "channel_not_found"),
        ({"channel": "#papers"}, "channel_not_found"),
        ({"text": ""}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"thread_ts": "1745564400.000009"}, "thread_not_found"),
        ({"colour": "red"}, "invalid_arguments"),
    ],
)
def test_bad_arguments_are_refused(workspace: Workspace, arguments: Any, code: str) -> None:
    assert refusal(workspace, **arguments)["error"] == code


def test_a_bot_must_be_a_member_with_the_scope_of_an_open_conversation(workspace: Workspace) -> None:
    workspace.joined.clear()
    assert refusal(workspace)["error"] == "not_in_channel"
    workspace.archived.add(CONVERSATION)
    assert refusal(workspace)["error"] == "is_archived"
    workspace.scopes.remove("chat:write")
    assert refusal(workspace)["needed"] == "chat:write"


@pytest.mark.parametrize(("token", "code"), [("", "not_authed"), ("xoxb-other", "invalid_auth")])
def test_a_token_is_asked_for(workspace: Workspace, token: str, code: str) -> None:
    with pytest.raises(SlackApiError, match=code):
        client(workspace, token).auth_test()
    assert client(workspace).auth_test()["bot_id"]


def test_a_form_is_read_like_json(workspace: Workspace) -> None:
    metadata = {"event_type": "x", "event_payload": {"part": 1}}
    form = {"channel": CONVERSATION, "blocks": json.dumps([DIVIDER]), "metadata": json.dumps(metadata)}
    client(workspace).api_call("chat.postMessage", data={**form, "unfurl_links": "false"})
    kept = workspace.messages[0]
    assert (kept["blocks"], kept["metadata"], kept["unfurl_links"]) == ([DIVIDER], metadata, False)


def test_replies_stand_in_their_thread_and_not_in_the_history(workspace: Workspace) -> None:
    root = post(workspace)["ts"]
    reply = post(workspace, thread_ts=root)["ts"]
    caller = client(workspace)
    history = caller.conversations_history(channel=CONVERSATION)
    replies = caller.conversations_replies(channel=CONVERSATION, ts=root)
    assert [one["ts"] for one in history["messages"]] == [root]
    assert [one["ts"] for one in replies["messages"]] == [root, reply]
    with pytest.raises(SlackApiError, match="thread_not_found"):
        caller.conversations_replies(channel=CONVERSATION, ts=reply)
