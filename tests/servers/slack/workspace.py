"""A Slack workspace as a bot sees it: conversations, messages, scopes and pace, and what its methods say.

It knows no network, and no other time than the clock it was given.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from tests.servers.slack import messages, reading
from tests.servers.slack.messages import Json, Refused

CONVERSATION = "C0123456789"
TOKEN = "xoxb-1234-abcd"
APP_TOKEN = "xapp-1-A0BROADSHEET-1234"
TEAM, APP, BOT, USER = "T0TEST", "A0BROADSHEET", "B0BROADSHEET", "U0BROADSHEET"
OURS = {"user": USER, "bot_id": BOT, "app_id": APP, "team": TEAM}
"""How Slack shows who a message of the bot is from."""
SCOPES = frozenset({"chat:write", "channels:history"})
PER_MINUTE = 50
"""Calls a minute of one method in Slack's tier 3: reading, updating, joining."""
TIER_3 = {
    "chat.update",
    "chat.delete",
    "conversations.history",
    "conversations.info",
    "conversations.join",
    "conversations.replies",
}


class Clock:
    """A time that passes when a test says so."""

    def __init__(self, now: float = 1_760_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += seconds


@dataclass(slots=True)
class Conversation:
    """One of Slack's channels, as the bot stands to it."""

    member: bool = True
    archived: bool = False
    threads: bool = True
    private: bool = False
    name: str = "papers"
    refuses: str | None = None
    """Slack's word for why nobody may post there, such as `restricted_action`."""


@dataclass(slots=True)
class Post:
    """A message that is there for all to see."""

    ts: str
    message: Json
    """The arguments it was posted with, or what an update left of them."""
    author: Json = field(default_factory=lambda: dict(OURS))
    earlier: list[Json] = field(default_factory=list)
    """What `message` was before each update."""
    edited: float | None = None
    """When it got its mark "edited"; with blocks it gets none."""
    deleted: bool = False
    fixed: str | None = None
    """Slack's word for why it may not be changed any more, such as `edit_window_closed`."""

    @property
    def thread_ts(self) -> str | None:
        return self.message.get("thread_ts")

    @property
    def in_conversation(self) -> bool:
        return not self.thread_ts or bool(self.message.get("reply_broadcast"))

    @property
    def is_ours(self) -> bool:
        return self.author.get("app_id") == APP


class Workspace:
    """What is there, and what each method does to it."""

    def __init__(
        self,
        conversations: dict[str, Conversation] | None = None,
        *,
        token: str = TOKEN,
        scopes: frozenset[str] = SCOPES,
        interval: float = 0.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.conversations = conversations or {CONVERSATION: Conversation()}
        self.token, self.scopes, self.clock = token, scopes, clock
        self.app_token = APP_TOKEN
        self.app_scopes = frozenset({"connections:write"})
        self.interval = interval
        """Seconds that must lie between two posts to one conversation; Slack's own rule says one."""
        self.people: set[str] = set()
        """The IDs of members, to whom the app can write directly."""
        self.every: list[Post] = []
        """Every message that was ever posted, in order."""
        self.calls: list[tuple[str, Json]] = []
        """Every call that arrived: the method's name and its arguments."""
        self.lock = threading.RLock()
        self._last_post: dict[str, float] = {}
        self._recent: dict[str, deque[float]] = {}
        self._methods: dict[str, Callable[[Json], Json]] = {
            "auth.test": self._auth_test,
            "chat.delete": self._delete,
            "chat.getPermalink": self._permalink,
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "conversations.history": self._history,
            "conversations.info": self._info,
            "conversations.join": self._join,
            "conversations.replies": self._replies,
        }

    @property
    def posts(self) -> list[Post]:
        """The messages that can be seen, in order."""
        return [post for post in self.every if not post.deleted]

    def answer(self, method: str, arguments: Json, authorization: str) -> Json:
        """Do what a call asks; Refused says why not."""
        with self.lock:
            self.calls.append((method, arguments))
            if method == "blocks.validate":
                return messages.validated(arguments)
            if not authorization:
                raise Refused("not_authed")
            if authorization == f"Bearer {self.app_token}" and method in self._methods:
                raise Refused("not_allowed_token_type")
            if authorization != f"Bearer {self.token}":
                raise Refused("invalid_auth")
            if method not in self._methods:
                raise Refused("unknown_method")
            self._check_tier(method)
            return {"ok": True, **self._methods[method](arguments)}

    def write(self, conversation: str, **message: Any) -> Post:
        """A message of somebody else: of a person, or of the app whose `author` is given."""
        author = message.pop("author", {"user": "U0SOMEBODY", "team": TEAM})
        with self.lock:
            return self.store({"channel": conversation, **message}, author)

    def store(self, message: Json, author: Json | None = None) -> Post:
        """Put a message there without a question."""
        newest = int(self.every[-1].ts.partition(".")[0]) if self.every else 0
        second = max(int(self.clock()), newest)
        post = Post(f"{second}.{len(self.every) + 1:06}", message, dict(author or OURS))
        self.every.append(post)
        return post

    def post(self, ts: str) -> Post:
        """The message of that name."""
        return next(post for post in self.every if post.ts == ts)

    # -------------------------------------------------------------------------------------- who may do what

    def needs(self, *scopes: str) -> None:
        """Refuse who has none of these scopes."""
        if not self.scopes & set(scopes):
            raise Refused("missing_scope", needed=scopes[0], provided=",".join(sorted(self.scopes)))

    def _conversation(self, arguments: Json) -> Conversation:
        """A conversation that exists for the bot: a private one is there for its members alone."""
        found = self.conversations.get(str(arguments.get("channel", "")))
        if found is None or (found.private and not found.member):
            raise Refused("channel_not_found")
        return found

    def _check_tier(self, method: str) -> None:
        """Refuse what comes more often than a method's tier allows."""
        if method not in TIER_3:
            return
        recent, now = self._recent.setdefault(method, deque()), self.clock()
        while recent and now - recent[0] >= 60:
            recent.popleft()
        if len(recent) >= PER_MINUTE:
            raise Refused("ratelimited", retry_after=ceil(60 - (now - recent[0])))
        recent.append(now)

    def check_pace(self, where: str) -> None:
        """Refuse what comes sooner than a second after the last post to the same place."""
        now = self.clock()
        since = now - self._last_post.get(where, float("-inf"))
        if 0 <= since < self.interval:
            raise Refused("ratelimited", retry_after=ceil(self.interval - since))
        self._last_post[where] = now

    # ------------------------------------------------------------------------------------------- about it all

    def _auth_test(self, _: Json) -> Json:
        team = {"url": "https://test.slack.com/", "team": "Test", "team_id": TEAM}
        return {**team, "user": "broadsheet", "user_id": USER, "bot_id": BOT, "is_enterprise_install": False}

    def _info(self, arguments: Json) -> Json:
        """What a conversation is."""
        self.needs("channels:read", "groups:read")
        found = self._conversation(arguments)
        self.needs("groups:read" if found.private else "channels:read")
        return {"channel": self._described(arguments["channel"], found)}

    def _described(self, name: str, found: Conversation) -> Json:
        kinds = {"is_channel": not found.private, "is_private": found.private}
        state = {"is_archived": found.archived, "is_member": found.member}
        return {"id": name, "name": found.name, **kinds, **state}

    def _join(self, arguments: Json) -> Json:
        """Become a member of a public conversation."""
        self.needs("channels:join")
        found = self._conversation(arguments)
        if found.private:
            raise Refused("method_not_supported_for_channel_type")
        if found.archived:
            raise Refused("is_archived")
        more: Json = {"warning": "already_in_channel"} if found.member else {}
        found.member = True
        return {"channel": self._described(arguments["channel"], found), **more}

    # ------------------------------------------------------------------------------------------------ posting

    def _post(self, message: Json) -> Json:
        self.needs("chat:write")
        message = self._addressed(message)
        if message.keys() & messages.CUSTOM:
            self.needs("chat:write.customize")
        conversation = self._conversation(message)
        if conversation.archived:
            raise Refused("is_archived")
        if not conversation.member and "chat:write.public" not in self.scopes:
            raise Refused("not_in_channel")
        if conversation.refuses:
            raise Refused(conversation.refuses)
        messages.check_post(message)
        self._check_video(message)
        self.check_thread(conversation, message)
        self.check_pace(message["channel"])
        first, *_ = [self.store(piece) for piece in messages.kept(message)]
        return {"channel": message["channel"], "ts": first.ts, "message": self.shown(first, metadata=False)}

    def _addressed(self, message: Json) -> Json:
        """A message to a person goes to their direct messages with the app, a conversation of its own."""
        person = str(message.get("channel", ""))
        if person not in self.people:
            return message
        direct = f"D{person[1:]}"
        self.conversations.setdefault(direct, Conversation(private=True, name=person))
        return {**message, "channel": direct}

    def _check_video(self, message: Json) -> None:
        if any(block["type"] == "video" for block in message.get("blocks", [])):
            self.needs("links.embed:write")

    def check_thread(self, conversation: Conversation, message: Json) -> None:
        """Refuse a reply to what is no first message of a thread."""
        if "thread_ts" not in message:
            return
        here = [post for post in self.every if post.message["channel"] == message["channel"]]
        parent = next((post for post in here if post.ts == message["thread_ts"]), None)
        if parent is None:
            raise Refused("thread_not_found")
        if parent.thread_ts or not conversation.threads:
            raise Refused("cannot_reply_to_message")

    def _own(self, arguments: Json, refusal: str) -> Post:
        """A message that the bot may change, since it is its own."""
        self.needs("chat:write")
        self._conversation(arguments)
        found = self._found(arguments.get("ts"), arguments)
        if not found.is_ours:
            raise Refused(refusal)
        return found

    def _found(self, ts: Any, arguments: Json) -> Post:
        for post in self.posts:
            if post.ts == ts and post.message["channel"] == arguments["channel"]:
                return post
        raise Refused("message_not_found")

    def _update(self, arguments: Json) -> Json:
        """Change a message in place; what is said anew replaces all that was said."""
        messages.check_update(arguments)
        post = self._own(arguments, "cant_update_message")
        if post.fixed:
            raise Refused(post.fixed)
        if self.conversations[arguments["channel"]].archived:
            raise Refused("is_inactive")
        messages.check_same_kind(post.message, arguments)
        post.earlier.append(post.message)
        post.message = messages.updated(post.message, arguments)
        post.edited = None if post.message.get("blocks") else self.clock()
        shown = self.shown(post, metadata=False)
        return {"channel": arguments["channel"], "ts": post.ts, "text": shown["text"], "message": shown}

    def _delete(self, arguments: Json) -> Json:
        """Take a message of its own away; what was said below it stays."""
        post = self._own(arguments, "cant_delete_message")
        post.deleted = True
        return {"channel": arguments["channel"], "ts": post.ts}

    def _permalink(self, arguments: Json) -> Json:
        self._conversation(arguments)
        post = self._found(arguments.get("message_ts"), arguments)
        link = f"https://test.slack.com/archives/{arguments['channel']}/p{post.ts.replace('.', '')}"
        thread = f"?thread_ts={post.thread_ts}&cid={arguments['channel']}" if post.thread_ts else ""
        return {"channel": arguments["channel"], "permalink": link + thread}

    # ------------------------------------------------------------------------------------------------ reading

    def _history(self, arguments: Json) -> Json:
        """What stands in a conversation itself, newest first."""
        found = [post for post in self._read(arguments) if post.in_conversation and not post.deleted]
        return self._page([*reversed(reading.within(found, arguments))], arguments, 100)

    def _replies(self, arguments: Json) -> Json:
        """A thread: its first message, whether in the span or not, then the others in order."""
        first = arguments.get("ts", "")
        here = self._read(arguments)
        parent = [post for post in here if post.ts == first]
        replies = [post for post in here if post.thread_ts == first and not post.deleted]
        if not parent or (parent[0].deleted and not replies):
            raise Refused("thread_not_found")
        return self._page([*parent, *reading.within(replies, arguments)], arguments, reading.PAGE)

    def _read(self, arguments: Json) -> list[Post]:
        """All of a conversation, for who may read it."""
        self.needs("channels:history", "groups:history")
        found = self._conversation(arguments)
        self.needs("groups:history" if found.private else "channels:history")
        if not found.member:
            raise Refused("not_in_channel")
        return [post for post in self.every if post.message["channel"] == arguments["channel"]]

    def _page(self, posts: list[Post], arguments: Json, usual: int) -> Json:
        found, cursor = reading.paged(posts, arguments, usual)
        metadata = reading.is_true(arguments.get("include_all_metadata"))
        shown = [self.shown(post, metadata=metadata) for post in found]
        return {"messages": shown, "has_more": bool(cursor), "response_metadata": {"next_cursor": cursor}}

    def shown(self, post: Post, *, metadata: bool) -> Json:
        """A message as Slack gives it back."""
        if post.deleted:
            gone = {"subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT"}
            return {"type": "message", "ts": post.ts, "thread_ts": post.ts, **gone}
        given = post.message
        text = str(given.get("text") or given.get("markdown_text") or "")
        found = {"type": "message", "ts": post.ts, **post.author, "text": messages.shown_text(text)}
        if given.get("blocks"):
            found["blocks"] = messages.shown_blocks(given["blocks"], post.ts)
        if metadata and given.get("metadata"):
            found["metadata"] = given["metadata"]
        if post.edited is not None:
            found["edited"] = {"user": post.author.get("user"), "ts": f"{post.edited:.6f}"}
        return found | self._thread_of(post)

    def _thread_of(self, post: Post) -> Json:
        if post.thread_ts:
            return {"thread_ts": post.thread_ts}
        replies = [one for one in self.posts if one.thread_ts == post.ts]
        latest = {"reply_count": len(replies), "latest_reply": replies[-1].ts} if replies else {}
        return {"thread_ts": post.ts, **latest} if replies else {}
