"""Tells curators, each once: a row per notice and recipient is committed before anything leaves.

Notice or draft → document → recipients → rows ⇒ queued ─ claim ─ set for Slack or mail ─ send ─ settle
                                              in doubt ─ Slack is looked at; a mail waits for nobody
"""

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Protocol

from sqlalchemy import Connection

from bot.channels import CorrectingCourier, LookingCourier, Wait
from bot.errors import BroadsheetError, DeliveryError, InDoubtError, StopRunError, TransientError
from bot.models import Delivery, DeliveryState, Receipt, Week
from bot.notices import Notice
from bot.policy import Verdict, judge
from bot.settings import Newsletter
from bot.store import Store, notices
from bot.store.notices import Address, Kept
from bot.telling.documents import DRAFT, Document, of_notice
from bot.telling.posts import post

__all__ = ["DRAFT", "Document", "Messenger", "Way", "deliver", "follow", "put", "recipients", "tell"]

log = logging.getLogger(__name__)

TRIES = 5
"""How often a message is brought up to date where others do the same at the same time."""


class Messenger(LookingCourier, CorrectingCourier, Protocol):
    """Carries one Slack message: posts it, looks for it, puts another in its place."""


@dataclass(frozen=True, slots=True)
class Way:
    """How the curators of one newsletter are reached."""

    newsletter: Newsletter
    studio: str
    """Where the studio is: `https://…/studio`."""
    messenger: Callable[[dict[str, object]], Messenger]
    """Who carries one message of Slack's, given as the arguments of `chat.postMessage`."""
    mail: Callable[[Document, str, str, datetime], Receipt]
    """Writes to a curator: the document, their key, the mail's identity, and when."""


# -------------------------------------------------------------------------------------------- writing down


def recipients(newsletter: Newsletter) -> Iterator[Address]:
    """Whom a notice goes to: the curators' conversation, and by mail whoever is not reached there."""
    conversation = newsletter.drafts.conversation
    if conversation:
        yield Address("slack", conversation)
    for key, curator in newsletter.curators.items():
        if curator.email and not (conversation and curator.slack):
            yield Address("mail", key)


def put(connection: Connection, newsletter: Newsletter, about: str, document: Document, now: datetime) -> int:
    """Queue a document for everybody who has not been told of it; how many."""
    data, name = document.dump(), newsletter.name
    return sum(
        notices.add(connection, name, document.week, about, to, data, now) for to in recipients(newsletter)
    )


def tell(connection: Connection, newsletter: Newsletter, notice: Notice) -> None:
    """Queue a notice, once for its kind, its reason and its content."""
    named = sha256(f"{notice.hash}\0{notice.reason}".encode()).hexdigest()[:16]
    put(connection, newsletter, f"{notice.kind}:{named}", of_notice(notice), notice.at)


# ------------------------------------------------------------------------------------------------ delivering


def deliver(store: Store, way: Way, clock: Callable[[], datetime], wait: Wait) -> None:
    """Send what waits, and look for what is in doubt where one can look; a fault of one keeps no other."""
    name = way.newsletter.name
    with store.write() as connection:
        notices.give_up_abandoned(connection, name, clock())
    with store.read() as connection:
        doubtful, waiting = notices.in_doubt(connection, name), notices.due(connection, name, clock())
    for one in doubtful:
        _look(store, way, one, clock())
    for one in waiting:
        _send(store, way, one, clock, wait)


def _send(store: Store, way: Way, one: Kept, clock: Callable[[], datetime], wait: Wait) -> None:
    now = clock()
    with store.write() as connection:
        if not notices.claim(connection, one, now):
            return
    try:
        verdict, receipt = Verdict(DeliveryState.SENT, ""), _sent(way, one, now, wait)
    except (DeliveryError, StopRunError) as error:
        verdict, receipt = judge(_delivery(one), _as_delivery(error), clock(), random.random), None
    except BroadsheetError as error:  # such as a token that is not set: tried again when that is mended
        verdict, receipt = judge(_delivery(one), TransientError(str(error)), clock(), random.random), None
    if verdict.state is not DeliveryState.SENT:
        log.warning("a notice: %s", verdict.reason, extra={"action": "notice", "state": str(verdict.state)})
    with store.write() as connection:
        notices.settle(connection, one, verdict, receipt.reference if receipt else None, clock())


def _as_delivery(error: DeliveryError | StopRunError) -> DeliveryError:
    """What would stop a whole run is for one notice a reason to try later: somebody may mend it."""
    return TransientError(str(error)) if isinstance(error, StopRunError) else error


def _sent(way: Way, one: Kept, now: datetime, wait: Wait) -> Receipt:
    document = Document.load(one.payload)
    if one.to.medium == "mail":
        return way.mail(document, one.to.recipient, _identity(one), now)
    messenger = _messenger(way, one)
    try:
        if not messenger.ready(wait):
            raise TransientError("the run ended before it was sent", charged=False)
        return messenger.deliver(_delivery(one), now)
    finally:
        messenger.close()


def _identity(one: Kept) -> str:
    """The part of a mail's Message-ID before the @: the same for the same notice to the same curator."""
    named = "\0".join((one.newsletter, str(one.week), one.about, one.to.recipient))
    return sha256(named.encode()).hexdigest()[:24]


def _look(store: Store, way: Way, one: Kept, now: datetime) -> None:
    """A message that may stand there is looked for; a mail cannot be, and is not sent twice."""
    if one.to.medium == "mail":
        return
    messenger = _messenger(way, one)
    try:
        found = messenger.look(_delivery(one))
    except (InDoubtError, BroadsheetError):
        return
    finally:
        messenger.close()
    state = DeliveryState.SENT if found else DeliveryState.QUEUED
    with store.write() as connection:
        notices.settle(
            connection, one, Verdict(state, "", charged=False), found.reference if found else None, now
        )


def _messenger(way: Way, one: Kept) -> Messenger:
    document = Document.load(one.payload)
    return way.messenger(post(document, one.about, one.to.recipient, f"{way.studio}/{document.issue}"))


def _delivery(one: Kept) -> Delivery:
    """The row as those see it who carry deliveries."""
    issue = f"{one.newsletter}/{one.week}"
    return Delivery(
        one.id, issue, "curators", 1, None,
        attempts=one.attempts, first_tried_at=one.first_tried_at, published_at=one.first_tried_at,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------- following


def follow(store: Store, way: Way, week: Week, draw: Callable[[], Document | None]) -> None:
    """Let the draft that stands in Slack show what is so now, as `draw` sees it; a mail stays what it was."""
    for one in _in_slack(store, way, week):
        document = draw()  # after the row was read: what is decided meanwhile shows in one of the two
        if document and one.payload != document.dump():
            _bring(store, way, one, draw, document)


def _bring(
    store: Store, way: Way, one: Kept, draw: Callable[[], Document | None], document: Document
) -> None:
    """Put a document in the place of what one message shows, and note that it stands there.

    Where another process did the same meanwhile, nobody knows whose stands there: it is drawn and put anew.
    """
    for _ in range(TRIES):
        if not _shows(way, one, document):
            return
        with store.write() as connection:
            if notices.replace_payload(connection, one, document.dump()):
                return
        one = next((other for other in _in_slack(store, way, one.week) if other.id == one.id), one)
        if (anew := draw()) is None:
            return
        document = anew


def _in_slack(store: Store, way: Way, week: Week) -> list[Kept]:
    with store.read() as connection:
        shown = notices.about(connection, way.newsletter.name, week, DRAFT)
    return [one for one in shown if one.to.medium == "slack"]


def _shows(way: Way, one: Kept, document: Document) -> bool:
    """Whether the document stands there now, or will when it is posted; what failed is tried again."""
    if one.state is DeliveryState.QUEUED:
        return True
    if one.state is not DeliveryState.SENT or not one.receipt:
        return False
    try:
        messenger = way.messenger(
            post(document, one.about, one.to.recipient, f"{way.studio}/{document.issue}")
        )
        with closing(messenger):
            messenger.correct(_delivery(one), Receipt(one.receipt))
    except BroadsheetError as error:
        log.warning("a draft in Slack was not brought up to date: %s", error, extra={"action": "notice"})
        return False
    return True
