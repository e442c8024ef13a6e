"""Slack by an incoming webhook: what its words do, and that what it cannot know is left to a person."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from bot import plugins
from bot.channels import (
    Audience,
    Channel,
    Courier,
    LookingCourier,
    SteppingCourier,
    _slack_client,
    _slack_courier,
    slack_webhook,
)
from bot.channels._slack_words import WORDS, from_words
from bot.doctor.slack import webhooks
from bot.errors import (
    BroadsheetError,
    InDoubtError,
    InputError,
    PermanentError,
    StopRunError,
    TransientError,
)
from bot.models import Receipt
from bot.templates import Templates
from tests.servers import slack as faults
from tests.servers.slack import WEBHOOK, Fault, SlackServer
from tests.stories.installation import Installation
from tests.test_channels_slack import NOW, READER, RENDERED, delivery, issue, newsletter


def channel(root: Path, url: str | None, **options: Any) -> Channel:
    chosen = slack_webhook.Options(kind="slack-webhook", **options)
    secret = None if url is None else SecretStr(url)
    installation: Any = SimpleNamespace(
        root=root, url="https://news.example.org", several=False, secret=lambda _: secret
    )
    return slack_webhook.build(
        chosen, newsletter=newsletter(), settings=installation, templates=Templates(root), transport=None
    )


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as running:
        yield running


@pytest.fixture(autouse=True)
def no_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)


def courier_of(built: Channel, payload: bytes) -> Courier:
    """One whose calls block, as a chat's are."""
    made = built.courier(payload)
    assert not isinstance(made, SteppingCourier)
    return made


def courier(server: SlackServer, root: Path, **options: Any) -> Courier:
    built = channel(root, server.hook_url, **options)
    return courier_of(built, built.freeze(issue(3), RENDERED))


def failure(made: Courier, part: int = 1) -> BroadsheetError:
    with pytest.raises(BroadsheetError) as caught:
        made.deliver(delivery(part), NOW)
    return caught.value


def test_its_kind_is_written_with_a_hyphen() -> None:
    assert "slack-webhook" in plugins.kinds("channels")
    assert plugins.find("channels", "slack-webhook").Options is slack_webhook.Options


def test_the_parts_of_an_issue_stand_in_the_conversation_in_order(
    server: SlackServer, tmp_path: Path
) -> None:
    built = channel(tmp_path, server.hook_url)
    payload = built.freeze(issue(3), RENDERED)
    made = courier_of(built, payload)
    receipts = [made.deliver(delivery(part), NOW) for part in range(1, built.parts(payload) + 1)]
    assert set(receipts) == {Receipt("ok")}
    assert [post.message["text"].partition("\n")[0] for post in server.posts] == [
        f"The week ({number}/3)" for number in (1, 2, 3)
    ]
    assert (built.audience, built.local, built.by) == (Audience.CONVERSATION, False, "slack webhook")
    assert json.loads(built.files(payload, READER, NOW)["slack-webhook.json"]) == json.loads(payload)


def test_it_names_nothing_that_a_webhook_does_not_take(tmp_path: Path) -> None:
    posts = json.loads(channel(tmp_path, None).freeze(issue(1), RENDERED))
    assert [set(post) for post in posts] == [{"text", "blocks", "unfurl_links", "unfurl_media"}]


def test_there_are_no_threads_by_webhook() -> None:
    with pytest.raises(ValidationError):
        slack_webhook.Options(kind="slack-webhook", layout="thread")  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("invalid_payload", PermanentError),
        ("no_text", PermanentError),
        ("too_many_attachments", PermanentError),
        ("user_not_found", StopRunError),
        ("action_prohibited", StopRunError),
        ("posting_to_general_channel_denied", StopRunError),
        ("channel_not_found", StopRunError),
        ("channel_is_archived", StopRunError),
        ("no_service", StopRunError),
        ("no_service_id", StopRunError),
        ("no_team", StopRunError),
        ("no_active_hooks", StopRunError),
        ("team_disabled", StopRunError),
        ("invalid_token", StopRunError),
        ("a_word_of_tomorrow", PermanentError),
    ],
)
@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_the_word_decides_and_not_the_status(word: str, kind: type[BroadsheetError], status: int) -> None:
    error = from_words(status, f"{word}\n", None)
    assert type(error) is kind
    assert word in str(error)


def test_every_word_has_a_remedy() -> None:
    assert all(meaning.remedy for meaning in WORDS.values())


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, "", InDoubtError),
        (200, "<html>Please log in</html>", InDoubtError),
        (500, "rollup_error", InDoubtError),
        (502, "<html>", InDoubtError),
        (404, "<html>404</html>", StopRunError),
        (302, "", StopRunError),
    ],
)
def test_what_is_no_word_of_slack_s_is_told_apart(
    status: int, body: str, kind: type[BroadsheetError]
) -> None:
    assert type(from_words(status, body, None)) is kind


@pytest.mark.parametrize("word", ["no_active_hooks", "action_prohibited", "invalid_payload"])
def test_a_word_is_heard_over_the_wire(word: str, server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.refuse(word), method=WEBHOOK)
    error = failure(courier(server, tmp_path))
    assert word in str(error)
    assert server.hook_url not in str(error)


@pytest.mark.parametrize(
    "fault",
    [
        faults.close_after_storing,
        faults.reset_after_storing,
        faults.reset_unheard,
        faults.bad_gateway_after_storing,
        faults.page_instead_of_json,
        faults.list_instead_of_object,
    ],
)
def test_a_lost_answer_is_in_doubt_at_once_and_for_a_person(
    fault: Fault, server: SlackServer, tmp_path: Path
) -> None:
    server.next(fault, method=WEBHOOK)
    made = courier(server, tmp_path)
    assert not isinstance(made, LookingCourier)
    error = failure(made)
    assert isinstance(error, InDoubtError)
    assert "broadsheet resolve" in str(error)
    assert len(server.calls) <= 1


def test_silence_is_in_doubt(server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_slack_client, "TIMEOUT", 1.0)
    server.next(faults.hang_after_storing, method=WEBHOOK)
    assert isinstance(failure(courier(server, tmp_path)), InDoubtError)


def test_a_webhook_that_cannot_be_reached_costs_nothing(tmp_path: Path) -> None:
    built = channel(tmp_path, "http://no-such-host.invalid/services/T/B/x")
    error = failure(courier_of(built, built.freeze(issue(1), RENDERED)))
    assert isinstance(error, TransientError)
    assert not error.charged


@pytest.mark.parametrize(("named", "waits"), [("1.5", 1.5), (None, 5.0)])
def test_a_limit_is_waited_for(named: str | None, waits: float, server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.rate_limited(named), method=WEBHOOK)
    made, waited = courier(server, tmp_path), list[float]()

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        return True

    assert made.ready(wait)
    made.deliver(delivery(1), NOW)
    assert (waited, len(server.posts)) == ([waits], 1)


def test_a_limit_without_a_run_to_wait_in_gives_it_back(server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.rate_limited("3"), method=WEBHOOK)
    error = failure(courier(server, tmp_path))
    assert isinstance(error, TransientError)
    assert (error.retry_after, error.charged) == (timedelta(seconds=3), False)


def test_what_is_too_long_is_posted_in_halves(server: SlackServer, tmp_path: Path) -> None:
    server.next(faults.refuse("msg_blocks_too_long"), method=WEBHOOK)
    courier(server, tmp_path).deliver(delivery(1), NOW)
    assert len(server.posts) == 2


def test_a_half_without_the_other_is_for_a_person(server: SlackServer, tmp_path: Path) -> None:
    server.next(
        faults.refuse("msg_blocks_too_long"), faults.obey, faults.refuse("action_prohibited"), method=WEBHOOK
    )
    error = failure(courier(server, tmp_path))
    assert isinstance(error, InDoubtError)
    assert "one half is there" in str(error)


# ------------------------------------------------------------------------------------------------ the address


@pytest.mark.parametrize("url", [None, "", "example.org", "https://x y", "https://x\n"])
def test_an_address_that_cannot_be_one_is_named_by_its_variable(url: str | None, tmp_path: Path) -> None:
    built = channel(tmp_path, url)
    with pytest.raises(InputError, match="BROADSHEET_SLACK_WEBHOOK") as caught:
        courier_of(built, built.freeze(issue(1), RENDERED))
    assert not url or url not in str(caught.value)


def test_a_file_can_hold_the_address(server: SlackServer, tmp_path: Path) -> None:
    (tmp_path / "hook").write_text(f"{server.hook_url}\n", "utf-8")
    built = channel(tmp_path, None, url_file="hook")
    courier_of(built, built.freeze(issue(1), RENDERED)).deliver(delivery(1), NOW)
    assert len(server.posts) == 1


def test_the_address_is_refused_in_a_configuration_file(tmp_path: Path) -> None:
    here = Installation(tmp_path, slack='folder = "x"')
    path = here.root / "config/bot.toml"
    path.write_text(
        'slack_webhook = "https://hooks.slack.com/services/S"\n' + path.read_text("utf-8"), "utf-8"
    )
    answer = here("check")
    assert answer.status == 2
    assert "set BROADSHEET_SLACK_WEBHOOK" in answer.err + answer.out
    assert "services/S" not in answer.err + answer.out


def test_the_doctor_says_what_a_webhook_cannot_do(tmp_path: Path) -> None:
    def settings(url: str | None) -> Any:
        options = slack_webhook.Options(kind="slack-webhook")
        one = SimpleNamespace(name="ai-papers", channels={"team": options})
        secret = SecretStr(url) if url else None
        return SimpleNamespace(root=tmp_path, newsletters={"ai-papers": one}, secret=lambda _: secret)

    [sign] = webhooks(settings("https://hooks.slack.com/services/S"))
    assert (sign.where, sign.state) == ("ai-papers team", "warning")
    assert "cannot read back" in sign.message
    [missing] = webhooks(settings(None))
    assert missing.state == "bad"


def test_an_installation_posts_by_webhook_once(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = Installation(tmp_path)
        path = here.root / "config/newsletters/ai-papers.toml"
        text = path.read_text("utf-8").partition("[channels.team]")[0]
        path.write_text(f'{text}[channels.team]\nkind = "slack-webhook"\n', "utf-8")
        here.environment["BROADSHEET_SLACK_WEBHOOK"] = server.hook_url
        here.issue()
        for _ in range(2):
            assert here("publish", "2025-W17").status == 0
    assert len(server.posts) == 1
