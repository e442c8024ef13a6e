"""The Slack of the tests by itself: try the bot without a workspace, and read what it posted."""

import argparse
import signal
import sys

from tests.servers.slack import APP_TOKEN, TOKEN, Conversation, SlackServer

SCOPES = frozenset(
    {"chat:write", "channels:history", "channels:join", "channels:read", "groups:history", "groups:read"}
)
TOLD = """\
A Slack of your own, as strict as the real one. It keeps nothing once it ends: press Ctrl-C.

Read what was posted:

    {root}/

In the newsletter's file:

    [channels.team]
    kind = "slack"
    conversation = "{conversation}"
    api_url = "{url}"

In the environment of the bot:

    export BROADSHEET_SLACK_TOKEN={token}

For an incoming webhook post to {hook}
For Socket Mode the app's token is {app_token}
"""


def main(words: list[str] | None = None) -> int:
    """Serve until a signal comes."""
    asked = _parser().parse_args(words)
    conversations = {asked.conversation: Conversation(private=asked.private, member=not asked.uninvited)}
    with SlackServer(conversations, scopes=SCOPES, interval=asked.interval, port=asked.port) as slack:
        for hook in slack.hooks.paths.values():
            hook.conversation = asked.conversation
        told = {"root": slack.root, "url": slack.url, "hook": slack.hook_url, "token": TOKEN}
        sys.stdout.write(TOLD.format(**told, conversation=asked.conversation, app_token=APP_TOKEN))
        sys.stdout.flush()
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.servers.slack",
        description="A Slack to try the bot with: no account, no network, only this machine.",
        epilog="It refuses what Slack refuses; docs/how-to/try-slack.md shows how to try it.",
    )
    parser.add_argument("--port", type=int, default=8099, help="where to listen; 0 for any free one (8099)")
    parser.add_argument("--conversation", default="C0123456789", help="the ID of its one conversation")
    parser.add_argument("--private", action="store_true", help="make that conversation a private one")
    parser.add_argument("--uninvited", action="store_true", help="leave the bot outside of it")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between two messages (1)")
    return parser


if __name__ == "__main__":
    signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM}
    )  # for sigwait, before any thread
    sys.exit(main())
