"""Puts a corrected issue in the place of what was posted: written down first, then message by message.

content ─ approved ─▶ revision 2 ─▶ what waits is sent as revision 2
                                 ─▶ what stands there is changed, each row claimed, changed, settled

Mail cannot be changed, and is never sent again. Whatever ends a correction, the same command goes on with it.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.changes import passages, to_json
from bot.channels import Channel, CorrectableChannel, CorrectingCourier
from bot.errors import BroadsheetError, DeliveryError, InputError, RefusedError, StopRunError, TransientError
from bot.models import Approval
from bot.outbox import Terms, entered
from bot.publish import Edition, refuse_held
from bot.store import Store, corrections, decisions, issues, ledger
from bot.store.corrections import Outdated
from bot.store.issues import PAGE, Published

log = logging.getLogger(__name__)


def revise(
    store: Store,
    gone: Published,
    edition: Edition,
    channels: Mapping[str, Channel],
    now: datetime,
    *,
    approval_required: bool,
) -> bool:
    """Write down the next revision of an issue, what it says and adds; False where it is there already.

    RefusedError where a curator holds it, or has not approved this very content though that is required.
    """
    issue = edition.issue
    with store.write() as connection:
        issues.reserve(connection, issue.newsletter, issue.week)
        latest = issues.find(connection, issue.newsletter, issue.week) or gone
        if latest.hash == edition.hash:
            return False
        approval = decisions.standing(connection, issue.newsletter, issue.week)
        refuse_held(approval, issue)
        if approval_required:
            _refuse_unapproved(approval, edition)
        posted = issues.payloads_of(connection, gone.id)
        made = {
            name: channel.revised(edition.payloads[name], latest.revision + 1)
            for name, channel in channels.items()
            if name in posted and isinstance(channel, CorrectableChannel)
        }
        changed = edition.payloads.get(PAGE, b"") not in {b"", posted.get(PAGE)}
        pages = {PAGE: edition.payloads[PAGE]} if changed else {}
        decisions.keep(connection, edition.hash, to_json(passages(issue)), now)
        issues.add_revision(connection, latest, issue.title, edition.hash, {**made, **pages}, now)
        for name, payload in made.items():
            parts, before = channels[name].parts(payload), corrections.parts_of(connection, gone.id, name)
            ledger.queue_parts(connection, gone.id, name, parts, now, after=before)
            corrections.drop_beyond(connection, gone.id, name, parts, now)
            corrections.take_up_within(connection, gone.id, name, parts, now)
    return True


def _refuse_unapproved(approval: Approval | None, edition: Edition) -> None:
    if approval is None or approval.stands_for(edition.hash) != "approved":
        issue = edition.issue
        raise RefusedError(
            f"{issue.key}: its content as it is now is not approved: `broadsheet approve {issue.week}`"
        )


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why something shows an earlier revision still."""

    channel: str
    part: int
    reason: str


def correct(
    store: Store,
    issue: int,
    revision: int,
    channels: Mapping[str, Channel],
    payloads: Mapping[str, bytes],
    terms: Terms,
) -> list[Shortfall]:
    """Change all that stands there and shows less than a revision; what could not be changed, and why."""
    found: list[Shortfall] = []
    with entered(store, terms.clock) as worker:
        for name, channel in channels.items():
            if isinstance(channel, CorrectableChannel) and name in payloads:
                run = _Run(store, worker, issue, revision, name, terms)
                found += run.correct(channel, payloads[name])
    return found


@dataclass(frozen=True, slots=True)
class _Run:
    """The correction of one channel's deliveries."""

    store: Store
    worker: int
    issue: int
    revision: int
    name: str
    terms: Terms

    def correct(self, channel: Channel, payload: bytes) -> Sequence[Shortfall]:
        try:
            courier = channel.courier(payload)
        except (InputError, StopRunError) as error:
            return [Shortfall(self.name, 0, str(error))]
        assert isinstance(courier, CorrectingCourier)  # noqa: S101 (what CorrectableChannel promises)
        try:
            return self._corrected(courier)
        finally:
            courier.close()

    def _corrected(self, courier: CorrectingCourier) -> Sequence[Shortfall]:
        found: list[Shortfall] = []
        tried: list[int] = []
        while courier.ready(self._wait) and (outdated := self._claimed(tried)):
            tried.append(outdated.delivery.id)
            if error := self._changed(courier, outdated):
                found.append(Shortfall(self.name, outdated.delivery.part, str(error)))
            if isinstance(error, StopRunError | TransientError):
                break  # the far side takes nothing more for now, and would say so of each
        return found

    def _wait(self, seconds: float) -> bool:
        return not self.terms.stop.wait(seconds)

    def _claimed(self, tried: Sequence[int]) -> Outdated | None:
        if self.terms.stop.is_set():
            return None
        with self.store.write() as connection:
            return corrections.claim(connection, self.issue, self.name, self.revision, self.worker, tried)

    def _changed(self, courier: CorrectingCourier, outdated: Outdated) -> BroadsheetError | None:
        """Change one message and write it down; what went wrong."""
        delivery = outdated.delivery
        try:
            receipt = courier.correct(delivery, outdated.receipt)
        except (DeliveryError, StopRunError) as error:
            with self.store.write() as connection:
                corrections.give_up(connection, self.worker, delivery.id, str(error), self.terms.clock())
            log.warning("%s", error, extra={"action": "not_corrected"})
            return error
        with self.store.write() as connection:
            corrections.settle(
                connection, self.worker, delivery.id, self.revision, receipt.reference, self.terms.clock()
            )
        return None
