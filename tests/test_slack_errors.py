"""What each of Slack's words means for a message, class by class, and what HTTP alone says."""

from datetime import timedelta

import pytest

from bot.channels._slack_errors import CODES, ImagesError, LimitedError, TooLongError, from_answer
from bot.errors import BroadsheetError, InDoubtError, PermanentError, StopRunError, TransientError

LIMITED = ("ratelimited", "rate_limited")
LATER = (
    "message_limit_exceeded", "team_added_to_org", "org_login_required", "accesslimited", "ekm_access_denied",
    "update_failed", "external_channel_migrating",
)  # fmt: skip
DOUBTFUL = (
    "fatal_error", "internal_error", "request_timeout", "service_unavailable", "duplicate_message_not_found",
    "duplicate_channel_not_found",
)  # fmt: skip
PAYLOAD = (
    "invalid_blocks", "invalid_blocks_format", "msg_too_long", "no_text", "markdown_text_conflict",
    "too_many_attachments", "attachment_payload_limit_exceeded", "invalid_metadata_format",
    "invalid_metadata_schema", "metadata_too_large", "invalid_arguments", "invalid_array_arg",
    "invalid_charset",
)  # fmt: skip
CONVERSATION = (
    "channel_not_found", "not_in_channel", "is_archived", "restricted_action",
    "restricted_action_read_only_channel", "restricted_action_thread_only_channel",
    "restricted_action_non_threadable_channel", "restricted_action_thread_locked", "cannot_reply_to_message",
    "no_permission", "messages_tab_disabled", "team_not_found",
)  # fmt: skip
CREDENTIALS = (
    "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope",
    "not_allowed_token_type", "two_factor_setup_required", "enterprise_is_restricted",
    "team_access_not_granted", "access_denied", "deprecated_endpoint", "method_deprecated",
)  # fmt: skip


def meant(code: str, retry_after: str | None = None) -> BroadsheetError:
    return from_answer({"ok": False, "error": code}, 200, retry_after)


@pytest.mark.parametrize("code", LIMITED)
@pytest.mark.parametrize(
    ("named", "span"),
    [("1", 1.0), ("1.5", 1.5), ("0.25", 0.25), (None, None), ("", None), ("soon", None), ("-1", None),
     ("nan", None), ("inf", None), ("99999", None)],
)  # fmt: skip
def test_a_limit_names_its_wait_and_charges_nobody(code: str, named: str | None, span: float | None) -> None:
    error = meant(code, named)
    assert isinstance(error, LimitedError)
    assert error.retry_after == (None if span is None else timedelta(seconds=span))
    assert not error.charged


@pytest.mark.parametrize("code", LATER)
def test_what_somebody_must_finish_first_waits_for_an_hour_and_charges_nobody(code: str) -> None:
    error = meant(code)
    assert isinstance(error, TransientError)
    assert (error.retry_after, error.charged) == (timedelta(hours=1), False)


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (DOUBTFUL, InDoubtError),
        (PAYLOAD, PermanentError),
        (("msg_blocks_too_long",), TooLongError),
        (CONVERSATION, StopRunError),
        (CREDENTIALS, StopRunError),
        (("a_word_of_tomorrow", "another_one"), PermanentError),
    ],
)
def test_every_other_word_is_of_one_class(codes: tuple[str, ...], kind: type[BroadsheetError]) -> None:
    assert {code: type(meant(code)) for code in codes} == dict.fromkeys(codes, kind)


def test_the_table_has_a_meaning_for_each() -> None:
    every = {*LIMITED, *LATER, *DOUBTFUL, *PAYLOAD, "msg_blocks_too_long", *CONVERSATION, *CREDENTIALS}
    assert every <= CODES.keys()


@pytest.mark.parametrize("code", [*CONVERSATION, *CREDENTIALS])
def test_what_stops_a_channel_says_what_to_do(code: str) -> None:
    assert len(str(meant(code))) > len(f"Slack: {code}: ")


@pytest.mark.parametrize("where", ["errors", "response_metadata"])
def test_an_image_that_cannot_be_fetched_is_told_from_other_faults(where: str) -> None:
    def answer(*said: str) -> dict[str, object]:
        listed = {"errors": [*said]} if where == "errors" else {"response_metadata": {"messages": [*said]}}
        return {"ok": False, "error": "invalid_blocks", **listed}

    image = "[ERROR] downloading image failed [json-pointer:/blocks/3/image_url]"
    assert type(from_answer(answer(image), 200, None)) is ImagesError
    assert type(from_answer(answer(image, "[ERROR] must be shorter"), 200, None)) is PermanentError
    assert "json-pointer:/blocks/3" in str(from_answer(answer(image), 200, None))


@pytest.mark.parametrize(
    ("status", "answer", "kind"),
    [
        (429, {}, LimitedError),
        (429, {"error": "<html>too many</html>"}, LimitedError),
        (500, {}, InDoubtError),
        (502, {"error": "<html>502</html>"}, InDoubtError),
        (503, {"ok": False, "error": "service_unavailable"}, InDoubtError),
        (500, {"ok": False, "error": "invalid_auth"}, InDoubtError),
        (200, {}, InDoubtError),
        (200, {"ok": False}, InDoubtError),
        (200, {"ok": False, "error": None}, InDoubtError),
        (404, {}, StopRunError),
        (302, {}, StopRunError),
        (403, {"ok": False, "error": "invalid_auth"}, StopRunError),
    ],
)
def test_what_http_says_where_there_is_no_word(
    status: int, answer: dict[str, object], kind: type[BroadsheetError]
) -> None:
    assert type(from_answer(answer, status, None)) is kind
