"""Sends an issue as a test: to an address or a conversation, marked, and never as a delivery.

issue as it is now → what its channel would send → marked → one person; no row, no reader's token
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from secrets import token_hex
from threading import Event
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from bot import blockkit
from bot.channels import Channel, in_steps
from bot.channels._slack_posts import EVENT, Setter
from bot.desk import Desk
from bot.errors import BroadsheetError, InDoubtError, InputError, RefusedError
from bot.links import token_of_test
from bot.mail.marking import headed_as_test, titled_as_test
from bot.models import Delivery, Issue, Reader, Receipt, Rendered, Week
from bot.steps import Steps, finish
from bot.store import often, readers
from bot.subscriptions import key_of
from bot.subscriptions.persons import wish_of
from bot.telling.posts import TEST, pressed

if TYPE_CHECKING:
    from bot.app import App
    from bot.listening import Actions, Click

MOST = 10
"""Tests that an installation sends in a minute."""
SENT = "test sent"
"""The kind of the events that are counted."""
WORDS = "Test: this is how the issue would be posted. Nothing has gone out."

Json = dict[str, Any]


# ------------------------------------------------------------------------------------------------- by mail


def by_mail(
    desk: Desk, week: Week, address: str, now: datetime, *, name: str = "", mark: str | None = None
) -> Receipt:
    """Send the very mail that would go out to one address, marked as a test.

    Its link to unsubscribe leads to a page that says it was a test. InputError where there is no such mail
    or address, RefusedError where the address is suppressed or too many tests were sent.
    """
    channel = _mailing(desk)
    address = _accepted(desk, address)
    issue, rendered = _printed(desk, week, now)
    payload = headed_as_test(channel.freeze(issue, titled_as_test(rendered)))
    reader = Reader(address, name, token_of_test(mark or token_hex(8)))
    _count(desk, now)
    delivery = Delivery(0, issue.key, "test", 0, reader, published_at=now)
    return finish(_delivered(channel, payload, delivery, now))


def _mailing(desk: Desk) -> Channel:
    """The channel by which the newsletter is mailed."""
    for name, options in desk.newsletter.channels.items():
        if options.kind == "email":
            return desk.channels[name]
    where = f"newsletters.{desk.newsletter.name}.channels"
    raise InputError(where, 'none is of kind "email"', "add one, or test it in Slack")


def _accepted(desk: Desk, address: str) -> str:
    """The address as it can be mailed."""
    try:
        address = wish_of(address, "", "").email
    except ValueError as error:
        raise InputError("the address of a test", str(error)) from error
    key = key_of(address)
    with desk.store.read() as connection:
        barred = readers.standings(connection, desk.newsletter.name, [key])[key].suppressed
    if barred:
        raise RefusedError(f"that address is suppressed ({barred}): no mail goes there, not even a test")
    return address


def _delivered(channel: Channel, payload: bytes, delivery: Delivery, now: datetime) -> Steps[Receipt]:
    courier = in_steps(channel.courier(payload), _wait)
    try:
        yield from courier.standing_by()
        return (yield from courier.delivering(delivery, now))
    finally:
        yield from courier.leaving()


def _wait(seconds: float) -> bool:
    return not Event().wait(seconds)


# ------------------------------------------------------------------------------------------------ to Slack


def to_slack(
    app: "App", desk: Desk, week: Week, conversation: str, now: datetime, *, mark: str | None = None
) -> list[Receipt]:
    """Post the very blocks that would be posted to one conversation, or to a person by their Slack ID.

    InputError where it is no ID or there is no token; the errors of a delivery where Slack does not take it.
    """
    if not re.fullmatch(r"[A-Z][A-Z0-9]{2,79}", conversation):
        raise InputError("the conversation of a test", f"{conversation[:80]!r} is no ID", "C0123456789, say")
    issue, _ = _printed(desk, week, now)
    setter = _setter(app, desk)
    posts = marked(setter.posts(issue), conversation, mark or token_hex(8))
    courier = app.poster(posts, in_thread=setter.layout == "thread")
    _count(desk, now)
    receipts: list[Receipt] = []
    for part in range(1, len(posts) + 1):
        courier.ready(_wait)
        root = receipts[0] if receipts else None
        receipts.append(
            courier.deliver(Delivery(0, issue.key, "test", part, None, root, published_at=now), now)
        )
    courier.close()
    return receipts


def _setter(app: "App", desk: Desk) -> Setter:
    """Who sets the issue as its first Slack channel would, or as one that nobody configured."""
    layouts = (getattr(options, "layout", None) for options in desk.newsletter.channels.values())
    layout = next(filter(None, layouts), "thread")
    settings = app.settings
    return Setter(desk.newsletter, app.templates, settings.url, settings.several, layout, "C0123456789")


def marked(posts: Sequence[Json], conversation: str, mark: str) -> list[Json]:
    """Posts as a test of their own: whoever reads the conversation back never takes them for the issue."""
    return [_marked(post, conversation, f"test/{mark}/{part}") for part, post in enumerate(posts, 1)]


def _marked(post: Json, conversation: str, key: str) -> Json:
    payload = {**post["metadata"]["event_payload"], "key": key, "issue": "test"}
    return {
        **post,
        "channel": conversation,
        "text": f"[Test] {post['text']}"[: blockkit.limits.FALLBACK],
        "blocks": [*blockkit.context(WORDS), *post["blocks"]],
        "metadata": {"event_type": EVENT, "event_payload": payload},
        "client_msg_id": str(uuid5(NAMESPACE_URL, f"{key}/{json.dumps(post['blocks'], sort_keys=True)}")),
    }


# ------------------------------------------------------------------------------------------------- for both


def _printed(desk: Desk, week: Week, now: datetime) -> tuple[Issue, Rendered]:
    """The issue as it is now, whatever the rules say of it: looking is how one sees what they mean."""
    issue = desk.issue(week, now)
    return issue, desk.proof(issue, now).looked_at().rendered


def _count(desk: Desk, now: datetime) -> None:
    minute = timedelta(minutes=1)
    with desk.store.write() as connection:
        if not often.note(connection, SENT, desk.newsletter.name, most=MOST, within=minute, now=now):
            raise RefusedError(f"{MOST} tests were sent within a minute: wait a little")


# ------------------------------------------------------------------------------------- the button in Slack


def add(actions: "Actions", app: "App", clock: Callable[[], datetime]) -> None:
    """Let “Send me a test” send one to whoever presses it: by mail, and in Slack to them alone."""
    actions.add(TEST, lambda click: _pressed(app, clock, click), slow=True)


def _pressed(app: "App", clock: Callable[[], datetime], click: "Click") -> Iterator[str]:
    name, _ = pressed(click.value)
    desk, week = app.issue(name)
    curator = desk.newsletter.curators[desk.newsletter.curator_in_slack(click.user) or ""]
    kinds = {options.kind for options in desk.newsletter.channels.values()}
    if "email" in kinds and curator.email:
        address = curator.email
        yield _told("by mail", lambda: by_mail(desk, week, address, clock(), name=curator.name))
    if "slack" in kinds or not ("email" in kinds and curator.email):
        what = "in Slack, among your direct messages"
        yield _told(what, lambda: to_slack(app, desk, week, click.user, clock()))


def _told(where: str, send: Callable[[], object]) -> str:
    try:
        send()
    except InDoubtError as error:
        return f"A test may have been sent {where}, or not: {error}"
    except BroadsheetError as error:
        return f"No test was sent {where}: {error}"
    return f"A test was sent {where}: the issue as it is now."
