"""A Slack for tests: a real HTTP server, as strict as the real one, that can misbehave on request.

    with SlackServer() as slack:
        slack.next(internal_error_after_storing)             # so goes the next post
        slack.at(2, hang_unheard, "conversations.history")   # and so the second look into the conversation
        …  # a WebClient posts to slack.url
        assert slack.posts[0].message["text"] == "Hello"

`rules` says what blocks may be, `messages` what a message may be; `workspace` holds what is there and does
what each method asks, `reading` gives it out again. `hooks` are the addresses without a token, `sockets` is
Socket Mode, `wire` the network before it all, `misbehaviour` what can go wrong, `page` shows what was posted.
By itself, to try the bot: `python -m tests.servers.slack`.
"""

from tests.servers.slack.hooks import HOOK, Hook
from tests.servers.slack.messages import Json, Refused
from tests.servers.slack.misbehaviour import (
    bad_gateway,
    bad_gateway_after_storing,
    close_after_storing,
    close_unheard,
    foreign_charset,
    hang_after_storing,
    hang_unheard,
    image_fails,
    internal_error_after_storing,
    internal_error_unheard,
    list_instead_of_object,
    not_found,
    ok_without_ts,
    page_instead_of_json,
    rate_limited,
    rate_limited_at_the_edge,
    refuse,
    reset_after_storing,
    reset_unheard,
    too_long_over,
    truncate_after_storing,
)
from tests.servers.slack.wire import WEBHOOK, Call, Fault, SlackServer, obey
from tests.servers.slack.workspace import (
    APP,
    APP_TOKEN,
    BOT,
    CONVERSATION,
    TOKEN,
    Clock,
    Conversation,
    Post,
    Workspace,
)

__all__ = [
    "APP",
    "APP_TOKEN",
    "BOT",
    "CONVERSATION",
    "HOOK",
    "TOKEN",
    "WEBHOOK",
    "Call",
    "Clock",
    "Conversation",
    "Fault",
    "Hook",
    "Json",
    "Post",
    "Refused",
    "SlackServer",
    "Workspace",
    "bad_gateway",
    "bad_gateway_after_storing",
    "close_after_storing",
    "close_unheard",
    "foreign_charset",
    "hang_after_storing",
    "hang_unheard",
    "image_fails",
    "internal_error_after_storing",
    "internal_error_unheard",
    "list_instead_of_object",
    "not_found",
    "obey",
    "ok_without_ts",
    "page_instead_of_json",
    "rate_limited",
    "rate_limited_at_the_edge",
    "refuse",
    "reset_after_storing",
    "reset_unheard",
    "too_long_over",
    "truncate_after_storing",
]
