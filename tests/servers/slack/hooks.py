"""Addresses that need no token: incoming webhooks, and the one to answer a press of a button at."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.servers.slack import messages
from tests.servers.slack.messages import Json, Refused
from tests.servers.slack.workspace import APP, CONVERSATION, TEAM, Post, Workspace

HOOK = f"/services/{TEAM}/B0HOOK/abcdefghijklmnop"
STATUS = {
    "action_prohibited": 403,
    "channel_is_archived": 410,
    "channel_not_found": 404,
    "expired_url": 404,
    "no_active_hooks": 404,
    "no_service": 404,
    "no_team": 404,
    "ratelimited": 429,
    "used_url": 404,
}
"""HTTP's code for a word; 400 for all others. Which goes with which is from memory: go by the word."""


@dataclass(slots=True)
class Hook:
    """One incoming webhook: it posts to one conversation, under its own name."""

    conversation: str = CONVERSATION
    active: bool = True


@dataclass(slots=True)
class ResponseUrl:
    """Where a press, a command or a shortcut may be answered: five times, for half an hour."""

    conversation: str
    until: float
    post: Post | None = None
    """What was pressed in; a command and a shortcut leave nothing that an answer could replace."""
    uses: int = 0


@dataclass(slots=True)
class Hooks:
    """All such addresses of a workspace."""

    workspace: Workspace
    paths: dict[str, Hook] = field(default_factory=lambda: {HOOK: Hook()})
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict)
    ephemeral: list[Json] = field(default_factory=list)
    """What was answered for one person alone to see."""

    def take(self, path: str, message: Any) -> str:
        """Do what is asked at a path; Refused says why not."""
        with self.workspace.lock:
            self.workspace.calls.append(
                ("response_url" if path in self.response_urls else "webhook", message)
            )
            if path in self.response_urls:
                return self._respond(self.response_urls[path], message)
            return self._post(path, message)

    # -------------------------------------------------------------------------------------- incoming webhooks

    def _post(self, path: str, message: Any) -> str:
        hook = self._hook(path)
        conversation = self.workspace.conversations.get(hook.conversation)
        if conversation is None:
            raise Refused("channel_not_found")
        if conversation.archived:
            raise Refused("channel_is_archived")
        if conversation.refuses:
            raise Refused("action_prohibited")
        _check(message, messages.HOOKED)
        message = {"channel": hook.conversation, **message}
        self.workspace.check_thread(conversation, message)
        self.workspace.check_pace(path)
        for piece in messages.kept(message):
            self.workspace.store(piece, {"bot_id": "B0HOOK", "app_id": APP, "subtype": "bot_message"})
        return "ok"

    def _hook(self, path: str) -> Hook:
        hook = self.paths.get(path)
        if hook is None:
            raise Refused("no_service" if path.startswith(f"/services/{TEAM}/") else "no_team")
        if not hook.active:
            raise Refused("no_active_hooks")
        return hook

    # ----------------------------------------------------------------------------------- answering at a press

    def response_url(self, post: Post) -> str:
        """A new path to answer a press of something in this message at."""
        return self._new(post.message["channel"], post)

    def url_of(self, conversation: str) -> str:
        """A new path to answer a command or a shortcut at that was given in a conversation."""
        return self._new(conversation, None)

    def _new(self, conversation: str, post: Post | None) -> str:
        path = f"/actions/{TEAM}/{uuid4().hex}"
        self.response_urls[path] = ResponseUrl(conversation, self.workspace.clock() + 30 * 60, post)
        return path

    def _respond(self, known: ResponseUrl, message: Any) -> str:
        if self.workspace.clock() > known.until:
            raise Refused("expired_url")
        if known.uses >= 5:
            raise Refused("used_url")
        known.uses += 1
        if isinstance(message, dict) and message.get("delete_original"):
            _pressed_in(known).deleted = True
            return "ok"
        _check(message, messages.ANSWERED)
        return self._say(known, {"channel": known.conversation, **message})

    def _say(self, known: ResponseUrl, message: Json) -> str:
        """Put an answer in the place of what was pressed, or below, or before one person's eyes alone."""
        if message.pop("replace_original", False):
            post = _pressed_in(known)
            post.earlier.append(post.message)
            post.message = message
        elif message.pop("response_type", "ephemeral") == "in_channel":
            self.workspace.store(message)
        else:
            self.ephemeral.append(message)
        return "ok"


def _pressed_in(known: ResponseUrl) -> Post:
    if known.post is None:
        raise Refused("invalid_payload")
    return known.post


def _check(message: Any, known: set[str]) -> None:
    """Refuse what is no message for an address that needs no token."""
    if not isinstance(message, dict) or message.keys() - known - {"response_type"}:
        raise Refused("invalid_payload")
    held = {key: value for key, value in message.items() if key not in messages.ANSWERED - messages.POSTED}
    try:
        messages.check_arguments(held, messages.HOOKED)
        messages.check_said(held)
    except Refused as refused:
        raise refused if refused.code != "invalid_arguments" else Refused("invalid_payload") from refused
    if any(block["type"] == "markdown" for block in held.get("blocks", [])):
        raise Refused("invalid_blocks")  # vtex/designsystem#146
