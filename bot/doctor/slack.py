"""Slack: whether the token is good, what it allows, and whether each conversation can be posted to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.channels import slack_webhook
from bot.channels._slack_client import client
from bot.channels._slack_errors import CODES, FAILURES
from bot.doctor import Patient, Sign, bad, good, skipped, warning
from bot.errors import InputError
from bot.settings import Settings

NETWORK = True
TIMEOUT = 10
"""Seconds that Slack may take to answer."""
NEEDED = frozenset({"chat:write"})
USEFUL = frozenset(
    {"chat:write.public", "channels:read", "groups:read", "channels:history", "groups:history"}
)
READING = frozenset({"channels:history", "groups:history"})
_TOKEN = "BROADSHEET_SLACK_TOKEN"  # noqa: S105 (its name)


@dataclass(frozen=True, slots=True)
class Said:
    """What Slack said to one call."""

    data: Mapping[str, Any] = field(default_factory=dict)
    scopes: frozenset[str] | None = None
    """What the token allows, where Slack said so."""
    error: str = ""
    """Slack's word for no, or why there is no answer; empty where it said yes."""


def examine(patient: Patient) -> Iterator[Sign]:
    """Ask who we are and what we may, then look at each conversation once."""
    hooks = list(webhooks(patient.settings))
    yield from hooks
    posting = conversations(patient.settings)
    if not posting and not hooks:
        yield skipped("config/newsletters", "nothing is posted to Slack")
    token = patient.settings.secret("slack_token")
    for api_url, names in posting.items():
        slack = client(api_url, token, timeout=TIMEOUT)
        identity = said(slack, "auth.test")
        yield from judged_token(identity)
        for name in names if not identity.error else ():
            answer = said(slack, "conversations.info", channel=name)
            yield judged_conversation(name, answer, identity.scopes or frozenset())


def webhooks(settings: Settings) -> Iterator[Sign]:
    """What can be said of webhooks without posting: whether there is an address, and what they cannot do."""
    for newsletter in settings.newsletters.values():
        for name, options in newsletter.channels.items():
            if isinstance(options, slack_webhook.Options):
                yield _hook(f"{newsletter.name} {name}", options, settings)


def _hook(where: str, options: slack_webhook.Options, settings: Settings) -> Sign:
    try:
        slack_webhook.secret_url(options, settings)
    except InputError as error:
        return bad(where, f"{error.where}: {error.what}", error.mend)
    what = "a webhook cannot read back or correct: an answer that is lost waits for a person"
    return warning(where, what, 'kind = "slack" with a bot token can do both')


def conversations(settings: Settings) -> dict[str, list[str]]:
    """The conversations that are really posted to, by Slack's address."""
    found: dict[str, list[str]] = {}
    for newsletter in settings.newsletters.values():
        for options in newsletter.channels.values():
            if options.kind == "slack" and not getattr(options, "folder", None):
                names = found.setdefault(str(getattr(options, "api_url", "")), [])
                names += [name for name in [str(getattr(options, "conversation", ""))] if name not in names]
    return found


def said(slack: Any, method: str, **arguments: str) -> Said:
    """Call one method; what goes wrong is an error in words, without the token and Slack's own pages."""
    from slack_sdk.errors import SlackApiError  # noqa: PLC0415 (only where something is posted to Slack)

    try:
        response = slack.api_call(method, params=arguments)
    except SlackApiError as error:
        return Said(error=_word(error.response))
    except FAILURES as error:
        reason = getattr(error, "reason", error)
        return Said(error=f"cannot be reached ({getattr(reason, 'strerror', None) or type(reason).__name__})")
    data = response.data if isinstance(response.data, dict) else {}
    return Said(data, _scopes(response.headers))


def _word(response: Any) -> str:
    """Slack's word for what is wrong; of some answers slack_sdk gives a bare dict (python-slack-sdk#1421)."""
    data = response if isinstance(response, dict) else getattr(response, "data", None)
    data = data if isinstance(data, dict) else {}
    code, status = data.get("error"), getattr(response, "status_code", data.get("status"))
    if isinstance(code, str) and re.fullmatch(r"[a-z][a-z0-9_]{1,80}", code):
        return code
    return f"an answer that is none (HTTP {status})" if isinstance(status, int) else "an answer that is none"


def _scopes(headers: Mapping[str, str]) -> frozenset[str] | None:
    listed = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
    return None if listed is None else frozenset(re.findall(r"[a-z][a-z:._-]{1,60}", listed[:4000]))


# ------------------------------------------------------------------------------------------------- judgement


def judged_token(answer: Said) -> Iterator[Sign]:
    """Judge the answer to auth.test."""
    if answer.error:
        yield _refused(_TOKEN, answer)
        return
    team, user = (str(answer.data.get(key, "?")) for key in ("team", "user"))
    yield good(_TOKEN, f"signed in to {team} as {user}")
    if not answer.data.get("bot_id"):
        yield warning(
            _TOKEN, "it is a person's token: messages come from that person", "take the bot's, xoxb-…"
        )
    if answer.scopes is None:
        yield warning(_TOKEN, "Slack does not say what the token allows", "is there a proxy in between?")
    elif missing := NEEDED - answer.scopes:
        mend = "add it under OAuth & Permissions, and install the app again"
        yield bad(_TOKEN, f"the scope {', '.join(sorted(missing))} is missing: nothing can be posted", mend)
    else:
        yield good(_TOKEN, f"scopes: {_listed(answer.scopes)}")
        if not answer.scopes & READING:
            what = "may not read back: an answer that is lost waits for a person"
            yield warning(_TOKEN, what, "add channels:history (groups:history for private conversations)")


def _listed(scopes: frozenset[str]) -> str:
    needless = scopes - NEEDED - USEFUL
    words = ", ".join(sorted(scopes - needless))
    return f"{words}; not needed: {', '.join(sorted(needless))}" if needless else words


def judged_conversation(name: str, answer: Said, scopes: frozenset[str]) -> Sign:
    """Judge the answer to conversations.info."""
    if answer.error == "missing_scope":
        mend = "to have it looked at, add channels:read (groups:read for a private one)"
        return skipped(name, "not looked at: posting needs no scope for that", mend)
    if answer.error:
        return _refused(name, answer)
    channel = answer.data.get("channel")
    if not isinstance(channel, dict):
        return warning(name, "Slack says nothing about it")
    if channel.get("is_archived"):
        return bad(name, "is archived", CODES["is_archived"].remedy)
    shown = f"#{channel['name']}" if isinstance(channel.get("name"), str) else "there"
    open_to_all = "chat:write.public" in scopes and not channel.get("is_private")
    if channel.get("is_member") or channel.get("is_im") or open_to_all:
        return good(name, f"{shown}, and may be posted to")
    return bad(name, f"{shown}, but the bot is not in it", CODES["not_in_channel"].remedy)


def _refused(where: str, answer: Said) -> Sign:
    meaning = CODES.get(answer.error)
    return bad(where, f"Slack: {answer.error}", meaning.remedy if meaning else "")
