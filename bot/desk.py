"""The desk of one newsletter: its content, readers and ledger, brought together for whoever decides."""

import random
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from threading import Event
from typing import Literal

from bot import approvals, correcting, inspection, publish, telling
from bot.calendar import send_at, upcoming
from bot.changes import Change, changes, from_json, passages, to_json
from bot.channels import Channel, CorrectableChannel
from bot.checks import look
from bot.checks.people import LONG_AGO
from bot.correcting import Shortfall
from bot.errors import ChangedError, InputError, RefusedError
from bot.models import (
    Approval,
    ApprovalState,
    DeliveryState,
    Finding,
    Issue,
    Origin,
    Severity,
    Status,
    Week,
    errors_of,
)
from bot.notices import Notice, write_down
from bot.outbox import Halt, Report, Terms, work
from bot.picker import Picked, pick
from bot.proofs import Proof, Proofs
from bot.readership import Asked, readership
from bot.settings import Newsletter, Settings
from bot.sources.markdown import Content, read_newsletter
from bot.store import Store, decisions, issues, ledger, rulings
from bot.store.decisions import Verb
from bot.store.issues import Published


class Desk:
    """One newsletter. Content is read once: a desk lasts for one command or one tick."""

    def __init__(
        self,
        newsletter: Newsletter,
        store: Store,
        channels: Mapping[str, Channel],
        proofs: Proofs,
        settings: Settings,
    ) -> None:
        self.newsletter, self.store, self.channels, self.proofs = newsletter, store, channels, proofs
        self._settings = settings

    # ---------------------------------------------------------------------------------------- what there is

    @cached_property
    def content(self) -> Content:
        name, root = self.newsletter.name, self._settings.root
        return read_newsletter(root / "content" / name, name, self.newsletter.schedule.zone, root)

    def weeks(self, now: datetime) -> set[Week]:
        """The weeks that an issue was written for, readable or not, and the one that is collected for."""
        collected = {send.week for send in upcoming(self.newsletter.schedule, now, 1)}
        keys = (finding.issue or "" for finding in self.content.findings)
        faulty = {week for key in keys if (week := _week_of(key))}
        return {issue.week for issue in self.content.issues} | faulty | collected

    def unpublished(self, now: datetime) -> list[Week]:
        """Those of `weeks` that have not gone out, oldest first."""
        with self.store.read() as connection:
            gone = {one.week for one in issues.every(connection, self.newsletter.name)}
        return sorted(self.weeks(now) - gone)

    def picked(self, week: Week, now: datetime) -> Picked:
        """The issue of a week as it would be now; one that was published, as it would have been then."""
        name = self.newsletter.name
        with self.store.read() as connection:
            gone = {one.week: one.at for one in issues.every(connection, name)}
            taken = issues.taken_entries(connection, name, but=week)
        now = gone.get(week, now)
        published = [other for other, at in gone.items() if other != week and at <= now]
        content = self.content
        return pick(
            self.newsletter, week, content.issues, content.entries, taken=taken, published=published, now=now
        )

    def issue(self, week: Week, now: datetime) -> Issue:
        """The issue of a week; InputError where there is none, or its content has errors."""
        picked = self.picked(week, now)
        if faults := self.faults(picked, week):
            first = faults[0]
            raise InputError(first.place, first.message, first.fix, findings=faults)
        if picked.issue is None:
            where = f"content/{self.newsletter.name}/{week}.md"
            raise InputError(
                where, f"no issue {week}, and nothing was collected for it", "write it, or name another"
            )
        return picked.issue

    def faults(self, picked: Picked, week: Week) -> tuple[Finding, ...]:
        """The findings that keep an issue's content from going out."""
        return tuple(errors_of([*picked.findings, *inspection.read(self, week, picked.issue)]))

    def frozen(self, gone: Published) -> dict[str, bytes]:
        """What each channel sends of a published issue."""
        with self.store.read() as connection:
            return issues.payloads_of(connection, gone.id)

    def approval(self, week: Week, content_hash: str | None) -> ApprovalState | None:
        """What a curator's decision on an issue is worth for the content of this hash."""
        with self.store.read() as connection:
            approval = decisions.standing(connection, self.newsletter.name, week)
        return approval.stands_for(content_hash or "") if approval else None

    def find(self, week: Week) -> Published | None:
        """The issue of a week as it was published, if it was."""
        with self.store.read() as connection:
            return issues.find(connection, self.newsletter.name, week)

    def published(self, week: Week) -> Published:
        """The issue of a week as it was published; InputError where it was not."""
        if found := self.find(week):
            return found
        raise InputError(
            f"{self.newsletter.name}/{week}", "it was never published", "`broadsheet issues` lists them"
        )

    # --------------------------------------------------------------------------------------------- checking

    def judged(self, week: Week, now: datetime, *, named: bool = False) -> tuple[Finding, ...]:
        """What the rules about what would be sent, and about whom to, find in the issue of a week.

        The readers are asked for where it was not sent, and either belongs to the present or was `named`.
        """
        issue = self.picked(week, now).issue
        if issue is None:
            return ()
        proof = self.proofs.of(issue)
        present = named or now - send_at(self.newsletter.schedule, week) <= LONG_AGO
        asks = present and self.find(week) is None
        return (*proof.findings, *(self.people(issue, proof, now) if asks else ()))

    def proof(self, issue: Issue, now: datetime) -> Proof:
        """The proof of an issue, held against every rule but those about people."""
        return self.proofs.of(issue, inspection.one(self._settings, self, issue, now))

    def people(
        self, issue: Issue, proof: Proof, now: datetime, *, sending: bool = False, by_hand: bool = False
    ) -> tuple[Finding, ...]:
        """What the rules about people find now; they are asked anew each time."""
        if isinstance(proof.result, InputError):
            return ()
        approval = self.approval(issue.week, proof.hash)
        asked = Asked(issue, proof.result, approval, now, sending, by_hand)
        return tuple(look(readership(self.store, self._settings, self.newsletter, self.channels, asked)))

    # ------------------------------------------------------------------------------------------- publishing

    def publish(
        self, week: Week, now: datetime, *, late: bool = False, by_hand: bool = True
    ) -> list[Finding]:
        """Put an issue into the outbox, or go on with it; what a curator should know of it.

        HeldError, and nothing is queued, where the checks find an error at this moment.
        """
        if gone := self.find(week):
            return self._go_on(gone, now)
        picked = self.picked(week, now)
        issue = self.issue(week, now)
        if issue.status is Status.DRAFT:
            raise RefusedError(f"{issue.key}: its status is draft: set `status: ready` in {issue.place}")
        proof = self.proof(issue, now)
        people = self.people(issue, proof, now, sending=True, by_hand=by_hand)
        proof = replace(proof, findings=(*proof.findings, *people))
        edition = publish.Edition(issue, proof.hash, picked.taken, proof.passed().payloads)
        publish.publish(self.store, edition, self.channels, now, late=late)
        return [*picked.findings, *(one for one in proof.findings if _is_worth_a_word(one))]

    def _go_on(self, gone: Published, now: datetime) -> list[Finding]:
        """A person asked for it again: what waits for a later try is tried now."""
        with self.store.write() as connection:
            rulings.hurry(connection, gone.id, now)
        issue = self.picked(gone.week, now).issue
        if issue is None or self.proofs.hash_of(issue) == gone.hash:
            return []
        message = (
            "has changed since it was published, and goes on as published: `broadsheet correct` changes it"
        )
        return [Finding("publish.changed", Severity.HINT, issue.place, message, issue=issue.key)]

    def work(
        self,
        week: Week,
        clock: Callable[[], datetime],
        report: Report = lambda _channel, _balance: None,
        stop: Event | None = None,
        *,
        only: Container[str] | None = None,
    ) -> dict[str, Halt]:
        """Work off what is due of an issue, on `only` some channels; why some stopped early, if they did."""
        gone = self.published(week)
        payloads = self.frozen(gone)
        channels = {
            name: channel
            for name, channel in self.channels.items()
            if name in payloads and (only is None or name in only)
        }
        terms = Terms(clock, random.random, stop or Event(), report)
        return work(self.store, gone.id, channels, payloads, terms)

    # ------------------------------------------------------------------------------------------- correcting

    def revise(self, week: Week, now: datetime) -> bool:
        """Write down the content as it is now as what is to stand there; False where that is so already."""
        gone = self.published(week)
        issue = self.issue(week, now)
        if issue.status is Status.DRAFT:
            raise RefusedError(f"{issue.key}: its status is draft: set `status: ready` in {issue.place}")
        if self.proofs.hash_of(issue) == gone.hash:
            return False
        proof = self.proof(issue, now)
        edition = publish.Edition(issue, proof.hash, (), proof.passed().payloads)
        required = self.newsletter.schedule.approval == "required"
        return correcting.revise(self.store, gone, edition, self.channels, now, approval_required=required)

    def correct(
        self, week: Week, clock: Callable[[], datetime], stop: Event
    ) -> tuple[dict[str, Halt], list[Shortfall]]:
        """Send the parts that are new, and change those that stand there; what stopped, and what stays."""
        correctable = {name for name, one in self.channels.items() if isinstance(one, CorrectableChannel)}
        halts = self.work(week, clock, stop=stop, only=correctable)
        gone = self.published(week)
        terms = Terms(clock, random.random, stop)
        shortfalls = correcting.correct(
            self.store, gone.id, gone.revision, self.channels, self.frozen(gone), terms
        )
        return halts, shortfalls

    def retry(self, week: Week, now: datetime) -> int:
        """Queue the failed deliveries again; how many."""
        gone = self.published(week)
        with self.store.write() as connection:
            return rulings.requeue(connection, gone.id, DeliveryState.FAILED, None, now)

    def resolve(
        self, week: Week, answer: Literal["sent", "resend"], channel: str | None, now: datetime
    ) -> int:
        """Settle the deliveries in doubt as a person says; how many."""
        gone = self.published(week)
        with self.store.write() as connection:
            if answer == "sent":
                return rulings.count_as_sent(connection, gone.id, channel, now)
            return rulings.requeue(connection, gone.id, DeliveryState.IN_DOUBT, channel, now)

    # --------------------------------------------------------------------------------------------- deciding

    def decide(
        self, week: Week, verb: Verb, now: datetime, *, by: str, origin: Origin, seen: str | None = None
    ) -> approvals.Outcome:
        """Write down a curator's decision on the content as it is now.

        `seen` is the hash of what they looked at. ChangedError where a yes is to something else by now,
        HeldError where the checks find errors: it could not go out. What has errors in its content can be
        held all the same, so that it does not go once they are mended.
        """
        readable = self.picked(week, now).issue if verb != "approved" else None
        issue = readable or self.issue(week, now)
        content_hash = self.proofs.hash_of(issue)
        if verb == "approved":
            if seen not in {None, content_hash}:
                raise ChangedError(issue.key)
            self.proof(issue, now).passed()
        word = approvals.Word(content_hash, to_json(passages(issue)), by, origin)
        return approvals.decide(self.store, self.newsletter.name, week, verb, word, now)

    def changes(self, week: Week, now: datetime) -> tuple[Approval, tuple[Change, ...]] | None:
        """The last yes to an issue, and what has changed since; None where nobody said yes."""
        with self.store.read() as connection:
            yes = decisions.last_approved(connection, self.newsletter.name, week)
            words = decisions.find(connection, yes.hash) if yes else None
        if yes is None or words is None:
            return None
        return yes, changes(from_json(words), passages(self.issue(week, now)))

    def tell(self, notice: Notice) -> bool:
        """Note for curators what keeps an issue, unless they were told the same; False where they were."""
        with self.store.write() as connection:
            first = issues.tell(
                connection, notice.newsletter, notice.week, notice.reason, notice.hash, notice.at
            )
            if first:
                telling.tell(connection, self.newsletter, notice)
        if first:
            write_down(notice)
        return first

    def unsettled(self) -> list[Week]:
        """The weeks of the issues that still have deliveries to work off."""
        with self.store.read() as connection:
            return [one.week for one in issues.unsettled(connection, self.newsletter.name)]

    def next_due(self, week: Week) -> datetime | None:
        """When the next waiting delivery of an issue may be tried."""
        gone = self.published(week)
        with self.store.read() as connection:
            return ledger.next_due(connection, gone.id, self.channels)


def _is_worth_a_word(finding: Finding) -> bool:
    """Whether who publishes an issue is told: a warning about the issue, not about the whole installation."""
    return finding.severity is Severity.WARNING and finding.issue is not None


def _week_of(key: str) -> Week | None:
    """The week that an issue's key names; of a file without a week there is none."""
    try:
        return Week.parse(key.rpartition("/")[2])
    except ValueError:
        return None
