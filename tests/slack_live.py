"""What can only be known from Slack itself, asked of a real workspace in a conversation made for it.

    python -m tests.slack_live --conversation C0123456789

It posts some twenty messages there and deletes them again. Each check says what we take for granted and what
Slack did; where nothing is written down of it, it only says what Slack did. The tests ask their own Slack the
same, so that the two can be compared. docs/how-to/slack-live-checks.md tells more.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

Json: TypeAlias = dict[str, Any]
GOLDEN = Path(__file__).parent / "golden" / "slack.json"
SAMPLE = "A check of Broadsheet's; it is deleted in a moment."
NOT_TRIED = "not tried"


@dataclass(slots=True)
class Live:
    """A workspace, the conversation that may be written to, and what was written there."""

    client: WebClient
    conversation: str
    wait: Callable[[float], None] = time.sleep
    app_token: str | None = None
    webhook: str | None = None
    posted: list[str] = field(default_factory=list)

    def call(self, method: str, **arguments: Any) -> Json:
        """What a method answers, yes or no, with HTTP's status; waits where Slack asks for that."""
        while True:
            try:
                answer = self.client.api_call(method, json={"channel": self.conversation, **arguments})
            except SlackApiError as error:
                answer = error.response
            if answer.status_code != 429:
                assert isinstance(answer.data, dict)
                return answer.data
            self.wait(float(answer.headers.get("Retry-After", 1)))

    def post(self, **message: Any) -> Json:
        """Post something, and remember to delete it."""
        answer = self.call("chat.postMessage", **{"text": SAMPLE, **message})
        if answer["ok"]:
            self.posted.append(answer["ts"])
        return answer

    def said(self, method: str, **arguments: Any) -> str:
        """Slack's word: `ok`, or why not."""
        answer = self.post(**arguments) if method == "chat.postMessage" else self.call(method, **arguments)
        return "ok" if answer["ok"] else str(answer["error"])

    def read(self, ts: str, **arguments: Any) -> Json:
        """A message as it is read back."""
        span = {"oldest": ts, "latest": ts, "inclusive": True, "limit": 1, **arguments}
        found = self.call("conversations.history", **span).get("messages", [])
        return dict(found[0]) if found else {}

    def clean(self) -> None:
        """Delete what was posted, last first."""
        for ts in reversed(self.posted):
            self.call("chat.delete", ts=ts)
        self.posted.clear()


def words(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def rich(*runs: Json) -> Json:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(runs)}]}


def literal(text: str) -> Json:
    return rich({"type": "text", "text": text})


def of_size(characters: int) -> list[Json]:
    """Blocks in our own mix: a section, and rich text of up to 3,000 characters each, with lines between."""
    blocks, rest = [words("*Title*"), {"type": "divider"}], characters
    while rest > 0:
        blocks += [literal("word " * (min(rest, 3000) // 5)), {"type": "divider"}]
        rest -= 3000
    return blocks


# ------------------------------------------------------------------------------------------------- the checks


def scopes(live: Live) -> str:
    """The token has what reading back needs."""
    answer = live.client.api_call("auth.test")
    held = set(str(answer.headers.get("X-OAuth-Scopes", "")).split(","))
    return (
        "ok"
        if {"chat:write"} <= held and held & {"channels:history", "groups:history"}
        else str(sorted(held))
    )


def validated(live: Live) -> str:
    """Slack's own validator takes the blocks of our examples."""
    said = {live.said("blocks.validate", blocks=one["blocks"]) for one in json.loads(GOLDEN.read_bytes())}
    return " ".join(sorted(said))


def golden(live: Live) -> str:
    """Our examples are posted, as a thread."""
    said: set[str] = set()
    thread: Json = {}
    for one in json.loads(GOLDEN.read_bytes()):
        answer = live.post(**{**one, "channel": live.conversation}, **thread)
        said.add("ok" if answer["ok"] else answer["error"])
        thread = thread or {"thread_ts": answer.get("ts", "")}
    return " ".join(sorted(said))


def metadata_back(live: Live) -> str:
    """A bot's metadata come back to who asks for them, and to nobody else."""
    metadata = {"event_type": "broadsheet_check", "event_payload": {"key": uuid4().hex}}
    ts = live.post(metadata=metadata)["ts"]
    asked = live.read(ts, include_all_metadata=True).get("metadata") == metadata
    return f"asked: {asked}, not asked: {'event_payload' in live.read(ts).get('metadata', {})}"


def metadata_size(live: Live) -> str:
    """How much metadata Slack takes."""
    for size in (900, 2_000, 4_000, 8_000, 16_000):
        payload = {"event_type": "broadsheet_check", "event_payload": {"key": "x" * size}}
        if (said := live.said("chat.postMessage", metadata=payload)) != "ok":
            return f"{said} at {size}"
    return "16000 is taken"


def author(live: Live) -> str:
    """A message of ours names the bot that auth.test names."""
    bot = live.client.api_call("auth.test").get("bot_id")
    return str(live.read(live.post()["ts"]).get("bot_id") == bot)


def posted_twice(live: Live) -> str:
    """Whether a second post with the same client_msg_id is made."""
    name = str(uuid4())
    return " ".join(live.said("chat.postMessage", client_msg_id=name) for _ in range(2))


def literal_text(live: Live) -> str:
    """What would call people stays text in rich text."""
    text = "<!channel> @here :tada: *bold* <https://example.org|x> 10:30:45"
    ts = live.post(blocks=[literal(text)])["ts"]
    runs = live.read(ts)["blocks"][0]["elements"][0]["elements"]
    return str([run["type"] for run in runs])


def list_offset(live: Live) -> str:
    """A numbered list may begin anywhere."""
    item = {"type": "rich_text_section", "elements": [{"type": "text", "text": "seventh"}]}
    numbers = {"type": "rich_text_list", "style": "ordered", "offset": 6, "elements": [item]}
    return live.said("chat.postMessage", blocks=[{"type": "rich_text", "elements": [numbers]}])


def preformatted_language(live: Live) -> str:
    """Code may name its language."""
    code = {
        "type": "rich_text_preformatted",
        "language": "python",
        "elements": [{"type": "text", "text": "x"}],
    }
    return live.said("chat.postMessage", blocks=[{"type": "rich_text", "elements": [code]}])


def our_size(live: Live) -> str:
    """A message of our greatest size is taken."""
    return live.said("chat.postMessage", blocks=of_size(9_000))


def greatest_size(live: Live) -> str:
    """Where a message gets too long."""
    for size in range(10_000, 15_000, 500):
        if (said := live.said("chat.postMessage", blocks=of_size(size))) != "ok":
            return f"{said} at {size}"
    return "14500 is taken"


def text_alone(live: Live) -> str:
    """An update with a text and no blocks takes the blocks away."""
    ts = live.post(blocks=[words("old")])["ts"]
    said = live.said("chat.update", ts=ts, text="new")
    return f"{said}, blocks: {'blocks' in live.read(ts)}"


def rich_to_plain(live: Live) -> str:
    """Rich text cannot give way to what is none."""
    return live.said("chat.update", ts=live.post(blocks=[literal("x")])["ts"], text="x", blocks=[words("x")])


def metadata_stay(live: Live) -> str:
    """An update that does not name metadata leaves them."""
    metadata = {"event_type": "broadsheet_check", "event_payload": {"key": "k"}}
    ts = live.post(metadata=metadata)["ts"]
    live.call("chat.update", ts=ts, text="new")
    return str("event_payload" in live.read(ts, include_all_metadata=True).get("metadata", {}))


def reply_to_a_reply(live: Live) -> str:
    """A thread hangs below its first message only."""
    first = live.post()["ts"]
    return live.said("chat.postMessage", thread_ts=live.post(thread_ts=first)["ts"])


def no_such_thread(live: Live) -> str:
    """A reply to what is not there is refused."""
    return live.said("chat.postMessage", thread_ts="1000000000.000001")


def image_gone(live: Live) -> str:
    """An image that cannot be fetched takes the message with it."""
    image = {"type": "image", "image_url": "https://broadsheet.invalid/x.webp", "alt_text": "x"}
    answer = live.post(blocks=[image])
    told = " ".join(answer.get("response_metadata", {}).get("messages", []))
    return f"{answer.get('error', 'ok')}, says so: {'downloading image failed' in told}"


def pace(live: Live) -> str:
    """What five messages at once meet."""
    waits: list[float] = []
    before = live.wait

    def noted(seconds: float) -> None:
        waits.append(seconds)
        before(seconds)

    live.wait = noted
    try:
        for _ in range(5):
            live.post()
    finally:
        live.wait = before
    return f"429 with Retry-After {waits[0]:g}" if waits else "all are taken"


def ends_of_a_span(live: Live) -> str:
    """`oldest` itself counts only with `inclusive`."""
    ts = live.post()["ts"]
    found = [
        len(live.call("conversations.history", oldest=ts, inclusive=yes)["messages"]) for yes in (False, True)
    ]
    return str(found)


def webhook(live: Live) -> str:
    """A webhook says ok, and refuses metadata and markdown blocks."""
    if not live.webhook:
        return NOT_TRIED
    metadata = {"event_type": "broadsheet_check", "event_payload": {}}
    markdown = [{"type": "markdown", "text": "x"}]
    tried: list[Json] = [
        {"text": SAMPLE},
        {"text": SAMPLE, "metadata": metadata},
        {"text": SAMPLE, "blocks": markdown},
    ]
    return " ".join(_hook(live, message) for message in tried)


def _hook(live: Live, message: Json) -> str:
    live.wait(1)
    body = json.dumps(message).encode()
    try:
        with urlopen(
            Request(str(live.webhook), body, {"Content-Type": "application/json"}), timeout=30
        ) as answer:
            return str(answer.read().decode())
    except HTTPError as no:
        with no:
            return f"{no.code}:{no.read().decode()}"


def socket_mode(live: Live) -> str:
    """The app's own token opens a WebSocket."""
    if not live.app_token:
        return NOT_TRIED
    try:
        url = live.client.apps_connections_open(app_token=live.app_token)["url"]
    except SlackApiError as error:
        return str(error.response["error"])
    return str(url).partition(":")[0].replace("wss", "ws")


CHECKS: list[tuple[Callable[[Live], str], str | None]] = [
    (scopes, "ok"),
    (validated, "ok"),
    (golden, "ok"),
    (metadata_back, "asked: True, not asked: False"),
    (metadata_size, None),
    (author, "True"),
    (posted_twice, None),
    (literal_text, "['text']"),
    (list_offset, "ok"),
    (preformatted_language, None),
    (our_size, "ok"),
    (greatest_size, None),
    (text_alone, "ok, blocks: False"),
    (rich_to_plain, "block_mismatch"),
    (metadata_stay, "True"),
    (reply_to_a_reply, "cannot_reply_to_message"),
    (no_such_thread, "thread_not_found"),
    (image_gone, "invalid_blocks, says so: True"),
    (pace, None),
    (ends_of_a_span, "[0, 1]"),
    (webhook, "ok 400:invalid_payload 400:invalid_blocks"),
    (socket_mode, "ws"),
]
"""Each check with what we take for granted; None where nothing is written down of it."""


# ----------------------------------------------------------------------------------------------- running them


def report(live: Live) -> Iterator[tuple[str, str, str]]:
    """Each check's name, its verdict, and what Slack did."""
    for check, expected in CHECKS:
        try:
            found = check(live)
        finally:
            live.clean()
        known = expected is None or found == NOT_TRIED
        yield check.__name__, " " if known else "=" if found == expected else "≠", found


def main(asked: list[str] | None = None) -> int:
    """Run all checks; 1 where Slack does something else than we take for granted."""
    given = _parser().parse_args(asked)
    token = os.environ.get("BROADSHEET_SLACK_TOKEN", "")
    if not token:
        sys.stderr.write("BROADSHEET_SLACK_TOKEN: not set\n")
        return 2
    client = WebClient(token, base_url=given.api_url, retry_handlers=[])
    secrets = (os.environ.get("BROADSHEET_SLACK_APP_TOKEN"), os.environ.get("BROADSHEET_SLACK_WEBHOOK"))
    live = Live(client, given.conversation, app_token=secrets[0], webhook=secrets[1])
    differ = 0
    for name, verdict, found in report(live):
        sys.stdout.write(f"{verdict} {name.replace('_', ' '):24}{found}\n")
        sys.stdout.flush()
        differ += verdict == "≠"
    return 1 if differ else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.slack_live",
        description="Ask a real Slack what we take for granted. It posts, and deletes what it posted.",
        epilog="Reads BROADSHEET_SLACK_TOKEN, and if they are set BROADSHEET_SLACK_APP_TOKEN and _WEBHOOK.",
    )
    parser.add_argument("--conversation", required=True, help="the ID of a conversation for tests")
    parser.add_argument("--api-url", default="https://slack.com/api/", help="another Slack to ask")
    return parser


if __name__ == "__main__":
    sys.exit(main())
