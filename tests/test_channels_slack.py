"""Slack: what a post, an answer or the lack of one does, tried by the real SDK against a strict server."""

import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr, ValidationError

from bot.channels import Audience, Channel, Courier, SteppingCourier, _slack_client, _slack_errors, slack
from bot.errors import (
    BroadsheetError,
    InDoubtError,
    InputError,
    PermanentError,
    StopRunError,
    TransientError,
)
from bot.models import Delivery, Entry, Issue, Reader, Receipt, Reference, Rendered, Section, Week
from bot.settings import Newsletter, Schedule
from bot.templates import Templates
from bot.text import Paragraph, Text
from tests.servers import slack as faults
from tests.servers.slack import CONVERSATION, TOKEN, Conversation, Fault, SlackServer

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
RENDERED = Rendered("", "", "", "", "", "")
LONG = Paragraph((Text("word " * 900),))
READER = Reader("a@example.org", "A", "0" * 22)


def issue(entries: int = 6) -> Issue:
    made = (
        Entry(f"Title {number}", (Reference("Paper", f"https://example.org/{number}"),), (LONG,))
        for number in range(1, entries + 1)
    )
    return Issue("ai-papers", Week(2025, 17), "The week", (Section(None, tuple(made)),))


def newsletter() -> Newsletter:
    schedule = Schedule(day="fri", at=time(9), zone=ZoneInfo("Europe/Berlin"))
    return Newsletter.model_construct(name="ai-papers", title="AI Papers", tagline="", schedule=schedule)


def channel(root: Path, token: str | None = TOKEN, **options: Any) -> Channel:
    chosen = slack.Options(kind="slack", **{"conversation": CONVERSATION, **options})
    secret = None if token is None else SecretStr(token)
    installation: Any = SimpleNamespace(
        root=root, url="https://news.example.org", several=False, secret=lambda _: secret
    )
    return slack.build(
        chosen,
        newsletter=newsletter(),
        settings=installation,
        templates=Templates(root),
        transport=None,
    )


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as running:
        yield running


def delivery(part: int = 1, root: Receipt | None = None) -> Delivery:
    return Delivery(part, "ai-papers/2025-W17", "team", part, None, root)


def courier_of(built: Channel, payload: bytes) -> Courier:
    """One whose calls block, as a chat's are."""
    made = built.courier(payload)
    assert not isinstance(made, SteppingCourier)
    return made


def courier(server: SlackServer, root: Path, **options: Any) -> Courier:
    built = channel(root, **{"api_url": server.url, **options})
    return courier_of(built, built.freeze(issue(), RENDERED))


def failure(made: Courier, part: int = 1) -> BroadsheetError:
    with pytest.raises(BroadsheetError) as caught:
        made.deliver(delivery(part), NOW)
    return caught.value


# -------------------------------------------------------------------------------------------------- posting


def test_the_parts_of_an_issue_go_below_the_first(server: SlackServer, tmp_path: Path) -> None:
    made = courier(server, tmp_path)
    first = made.deliver(delivery(), NOW)
    made.deliver(delivery(2, first), NOW)
    assert first.reference == f"{CONVERSATION}:{server.posts[0].ts}"
    assert [post.thread_ts for post in server.posts] == [None, server.posts[0].ts]


@pytest.mark.parametrize("layout", ["messages", "digest"])
def test_other_layouts_have_no_thread(layout: str, server: SlackServer, tmp_path: Path) -> None:
    built = channel(tmp_path, api_url=server.url, layout=layout)
    payload = built.freeze(issue(), RENDERED)
    made = courier_of(built, payload)
    for part in range(1, built.parts(payload) + 1):
        made.deliver(delivery(part, Receipt(f"{CONVERSATION}:1.2")), NOW)
    assert [post.thread_ts for post in server.posts] == [None] * built.parts(payload)
    assert built.parts(payload) == (1 if layout == "digest" else 6)


def test_a_later_part_stands_alone_where_only_a_person_saw_the_first(
    server: SlackServer, tmp_path: Path
) -> None:
    courier(server, tmp_path).deliver(delivery(2, None), NOW)
    assert server.posts[0].thread_ts is None


def test_a_post_unfurls_nothing_and_names_itself(tmp_path: Path) -> None:
    built = channel(tmp_path)
    payload = built.freeze(issue(), RENDERED)
    posts = json.loads(payload)
    assert payload == channel(tmp_path).freeze(issue(), RENDERED)
    assert built.parts(payload) == len(posts) == 7
    assert all(post["unfurl_links"] is post["unfurl_media"] is False for post in posts)
    assert not any(post.keys() & {"parse", "link_names", "thread_ts"} for post in posts)
    assert len({post["client_msg_id"] for post in posts}) == len(posts)
    named = [post["metadata"]["event_payload"] for post in posts]
    assert [one["part"] for one in named] == [1, 2, 3, 4, 5, 6, 7]
    assert named[0]["key"] == f"ai-papers/2025-W17/{CONVERSATION}/1"


def test_what_is_looked_at_is_what_goes_out(server: SlackServer, tmp_path: Path) -> None:
    built = channel(tmp_path, api_url=server.url)
    payload = built.freeze(issue(), RENDERED)
    courier_of(built, payload).deliver(delivery(), NOW)
    (name, file), *others = built.files(payload, READER, NOW).items()
    assert (name, others) == ("slack.json", [])
    assert json.loads(file)[0] == server.posts[0].message


def test_messages_in_a_row_say_which_they_are(tmp_path: Path) -> None:
    posts = json.loads(channel(tmp_path, layout="messages").freeze(issue(), RENDERED))
    heads = [post["blocks"][0].get("elements", [{}])[0].get("text") for post in posts]
    assert heads[1:] == [f"The week · {number}/6" for number in range(2, 7)]


# ------------------------------------------------------------------------------------------------- answers

POSTED: list[Fault] = [
    faults.close_after_storing,
    faults.reset_after_storing,
    faults.truncate_after_storing,
    faults.internal_error_after_storing,
    faults.ok_without_ts,
    faults.page_instead_of_json,
    faults.list_instead_of_object,
    faults.foreign_charset,
]


@pytest.mark.parametrize("fault", POSTED, ids=lambda fault: fault.__name__)
def test_a_post_without_a_clear_answer_is_in_doubt_and_made_once(
    fault: Fault, server: SlackServer, tmp_path: Path
) -> None:
    server.next(fault)
    assert isinstance(failure(courier(server, tmp_path)), InDoubtError)
    assert len(server.posts) == 1


def test_silence_is_in_doubt(server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_slack_client, "TIMEOUT", 1.0)
    server.next(faults.hang_after_storing)
    assert isinstance(failure(courier(server, tmp_path)), InDoubtError)
    assert len(server.posts) == 1


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (faults.rate_limited("3"), timedelta(seconds=3)),
        (faults.rate_limited("1.5"), timedelta(seconds=1.5)),
        (faults.rate_limited(None), None),
        (faults.rate_limited("soon"), None),
        (faults.rate_limited("-1"), None),
        (faults.rate_limited("inf"), None),
        (faults.rate_limited_at_the_edge, timedelta(seconds=7)),
        (faults.refuse("ratelimited"), None),
    ],
)
def test_a_limited_rate_costs_nothing_and_names_its_wait(
    fault: Fault, wait: timedelta | None, server: SlackServer, tmp_path: Path
) -> None:
    server.next(fault)
    error = failure(courier(server, tmp_path))
    assert isinstance(error, TransientError)
    assert (error.retry_after, error.charged) == (wait, False)


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (faults.bad_gateway, InDoubtError, "HTTP 502"),
        (faults.not_found, StopRunError, "api_url"),
        (faults.refuse("fatal_error"), InDoubtError, "fatal_error"),
        (faults.refuse("duplicate_message_not_found"), InDoubtError, "broadsheet resolve"),
        (faults.refuse("message_limit_exceeded"), TransientError, "plan"),
        (faults.refuse("missing_scope", needed="chat:write"), StopRunError, "needs chat:write"),
        (faults.refuse("token_revoked"), StopRunError, "BROADSHEET_SLACK_TOKEN"),
        (faults.refuse("is_archived"), StopRunError, "unarchive"),
        (faults.refuse("restricted_action_thread_locked"), StopRunError, 'layout = "messages"'),
        (faults.refuse("msg_too_long"), PermanentError, "shorten"),
        (
            faults.refuse("invalid_blocks", response_metadata={"messages": ["bad [json-pointer:/blocks/0]"]}),
            PermanentError,
            "/blocks/0",
        ),
        (faults.refuse("a_word_of_tomorrow"), PermanentError, "a_word_of_tomorrow"),
        (faults.refuse("A whole sentence."), InDoubtError, "no reason"),
    ],
)
def test_a_no_is_told_with_its_remedy(
    fault: Fault, kind: type[BroadsheetError], says: str, server: SlackServer, tmp_path: Path
) -> None:
    server.next(fault)
    error = failure(courier(server, tmp_path))
    assert type(error) is kind
    assert says in str(error)
    assert TOKEN not in str(error)


def test_every_word_in_the_table_that_a_person_must_act_on_has_a_remedy() -> None:
    unclear = [
        code
        for code, meaning in _slack_errors.CODES.items()
        if issubclass(meaning.error, StopRunError | PermanentError) and not meaning.remedy
    ]
    assert unclear == []


def test_a_conversation_without_the_bot_says_how_to_invite_it(tmp_path: Path) -> None:
    with SlackServer({CONVERSATION: Conversation(member=False)}) as server:
        assert "/invite" in str(failure(courier(server, tmp_path)))
        assert "its ID" in str(failure(courier(server, tmp_path, conversation="#papers")))


def test_a_wrong_token_stops_the_run(server: SlackServer, tmp_path: Path) -> None:
    assert isinstance(failure(courier(server, tmp_path, token="xoxb-wrong")), StopRunError)


# ------------------------------------------------------------------------------------ before anything is sent


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_a_slack_that_cannot_be_reached_costs_nothing(host: str, tmp_path: Path) -> None:
    built = channel(tmp_path, api_url=f"http://{host}:{closed_port()}/api")
    error = failure(courier_of(built, built.freeze(issue(), RENDERED)))
    assert isinstance(error, TransientError)
    assert not error.charged


def test_a_handshake_that_fails_sent_nothing(server: SlackServer, tmp_path: Path) -> None:
    error = failure(courier(server, tmp_path, api_url=server.url.replace("http:", "https:")))
    assert isinstance(error, TransientError)
    assert server.calls == []


@pytest.mark.parametrize("token", [None, "", "xoxb-1\nx", "xoxb 1", "xoxb-ß"])
def test_a_token_that_cannot_be_one_is_named_by_its_variable(token: str | None, tmp_path: Path) -> None:
    built = channel(tmp_path, token)
    payload = built.freeze(issue(), RENDERED)
    with pytest.raises(InputError, match="BROADSHEET_SLACK_TOKEN") as caught:
        courier_of(built, payload)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"conversation": ""}, {"conversation": "a b"}, {"api_url": "slack.com"}, {"layout": "x"}, {"x": 1}],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        slack.Options(kind="slack", **{"conversation": "C1", **options})


# -------------------------------------------------------------------------------------------------- a folder


def test_a_folder_takes_the_messages_as_they_would_be_posted(tmp_path: Path) -> None:
    built = channel(tmp_path, token=None, folder="outbox/slack")
    payload = built.freeze(issue(), RENDERED)
    receipt = courier_of(built, payload).deliver(delivery(2), NOW)
    written = tmp_path / "outbox/slack/ai-papers-2025-W17/part-002.json"
    assert receipt == Receipt(str(written))
    assert json.loads(written.read_bytes()) == json.loads(payload)[1]
    assert (built.audience, built.concurrency, built.local) == (Audience.CONVERSATION, 1, True)
    assert [path.name for path in written.parent.iterdir()] == ["part-002.json"]


def test_a_folder_that_is_a_file_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    built = channel(tmp_path, token=None, folder="taken")
    assert isinstance(failure(courier_of(built, built.freeze(issue(), RENDERED))), StopRunError)


# ------------------------------------------------------------------------------------------------- templates


def freeze_with(root: Path, template: str) -> list[Any]:
    (root / "templates/slack").mkdir(parents=True)
    (root / "templates/slack/issue.j2").write_text(template, "utf-8")
    found: list[Any] = json.loads(channel(root).freeze(issue(1), RENDERED))
    return found


def test_a_template_of_one_s_own_comes_first(tmp_path: Path) -> None:
    (post,) = freeze_with(tmp_path, "{{ header('Mine') }}{{ context('<!here> & *x*') }}")
    assert [block["type"] for block in post["blocks"]] == ["header", "context"]
    assert post["blocks"][1]["elements"][0] == {
        "type": "plain_text",
        "text": "<!here> & *x*",
        "emoji": False,
    }


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ header('x') }}\n\n stray <!here>\n", "issue.j2:3: text outside of a block: 'stray <!here>'"),
        ("{{ header('x') }}\n{{ issue.title }}", "issue.j2:2: {{ … }} gives str here, not a block"),
        ("{{ '<!here>' }}", "gives str here"),
        ("\n{{ {'type': 'broadcast'} }}", "issue.j2:2: {{ … }} gives dict here"),
        ("{% raw %}<!here>{% endraw %}", "text outside of a block"),
        ("{% call together() %}\nstray{% endcall %}", "issue.j2:2: text outside"),
        ("{{ header(nothing) }}", "issue.j2:1: 'nothing' is undefined"),
        ("{{ headr('x') }}", "issue.j2:1: 'headr' is undefined"),
        ("\n{% if %}", "issue.j2:2: "),
        ("{{ rich('words') }}", "issue.j2:1: this is not a text of an issue"),
        ("{{ rich(1) }}", "not iterable"),
        ("{{ entry_title(issue) }}", "issue.j2:1: this is not an entry of a section"),
        ("{{ header(1 / 0) }}", "issue.j2:1: division by zero"),
        ("{{ header() }}", "issue.j2:1: "),
        ("{{ header.__globals__ }}", "issue.j2:1: "),
        ("{% include 'slack/none.j2' %}", "templates/slack/none.j2: no such template"),
        ("{% include 'slack/issue.j2' %}", "it calls itself without end"),
        ("", "it gives no blocks"),
    ],
)
def test_a_template_that_could_say_anything_else_is_refused_with_its_line(
    template: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        freeze_with(tmp_path, template)
    assert says in str(caught.value)
    assert str(caught.value).startswith("templates/slack/")
