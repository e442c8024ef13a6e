"""The desk of one newsletter: its content, readers and ledger, brought together for whoever decides."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from threading import Event
from typing import Any, Literal

from bot import approvals, publish
from bot.calendar import send_at, upcoming, window_of
from bot.channels import Audience, Channel
from bot.compose import Templates, compose, fingerprint
from bot.errors import InputError, RefusedError
from bot.models import (
    ApprovalState,
    Balance,
    DeliveryState,
    Finding,
    Issue,
    Reader,
    Rendered,
    Severity,
    Status,
    Week,
    Window,
    errors_of,
)
from bot.outbox import Halt, Report, Terms, work
from bot.picker import Picked, pick
from bot.schedule import Outlook, Reason, View, candidates
from bot.settings import Newsletter, Settings
from bot.sources.markdown import Content, read_newsletter
from bot.store import Store, issues, ledger, readers
from bot.store.issues import Published
from bot.subscriptions import key_of

SAMPLE = Reader("reader@example.org", "", "0" * 22)
"""Who gets a letter that is only looked at."""


class Desk:
    """One newsletter. Content is read once: a desk lasts for one command or one tick."""

    def __init__(
        self,
        newsletter: Newsletter,
        store: Store,
        templates: Templates,
        channels: Mapping[str, Channel],
        settings: Settings,
    ) -> None:
        self.newsletter, self.channels = newsletter, channels
        self._store, self._templates, self._settings = store, templates, settings

    # ---------------------------------------------------------------------------------------- what there is

    @cached_property
    def content(self) -> Content:
        root, name = self._settings.root, self.newsletter.name
        return read_newsletter(root / "content" / name, name, self.newsletter.schedule.zone, root)

    def picked(self, week: Week, now: datetime) -> Picked:
        """The issue of a week as it would be now; one that was published, as it would have been then."""
        name = self.newsletter.name
        with self._store.read() as connection:
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
        if faults := self._faults(picked, week):
            first = faults[0]
            raise InputError(first.place, first.message, first.fix, findings=faults)
        if picked.issue is None:
            where = f"content/{self.newsletter.name}/{week}.md"
            raise InputError(
                where, f"no issue {week}, and nothing was collected for it", "write it, or name another"
            )
        return picked.issue

    def _faults(self, picked: Picked, week: Week) -> tuple[Finding, ...]:
        key = f"{self.newsletter.name}/{week}"
        read = (
            finding
            for finding in self.content.findings
            if finding.issue == key or f"/{week}.md" in finding.place
        )
        return tuple(errors_of([*picked.findings, *read]))

    def hash_of(self, issue: Issue) -> str:
        url, several = self._settings.url, self._settings.several
        return fingerprint(issue, self.newsletter, self._templates, url, several=several)

    def published(self, week: Week) -> Published | None:
        with self._store.read() as connection:
            return issues.find(connection, self.newsletter.name, week)

    def _published(self, week: Week) -> Published:
        if found := self.published(week):
            return found
        raise InputError(
            f"{self.newsletter.name}/{week}", "it was never published", "`broadsheet issues` lists them"
        )

    # ---------------------------------------------------------------------------------------------- looking

    def listing(self, now: datetime) -> Iterator[dict[str, Any]]:
        """Every issue there is or was, newest first."""
        with self._store.read() as connection:
            gone = {one.week: one for one in issues.every(connection, self.newsletter.name)}
        written = {issue.week for issue in self.content.issues}
        collected = {send.week for send in upcoming(self.newsletter.schedule, now, 1)} - written
        for week in sorted({*gone, *written, *collected}, reverse=True):
            picked = self.picked(week, now)
            if picked.issue or week in gone:
                yield self._row(week, picked, gone.get(week))

    def _row(self, week: Week, picked: Picked, gone: Published | None) -> dict[str, Any]:
        issue = picked.issue
        content_hash = gone.hash if gone else self.hash_of(issue) if issue else None
        window = window_of(self.newsletter.schedule, week)
        return {
            "newsletter": self.newsletter.name,
            "issue": str(week),
            "title": gone.title if gone else issue.title if issue else "",
            "state": self._state(week, picked, gone),
            "approval": self._approval(week, content_hash),
            "hash": content_hash,
            "entries": len(issue.entries) if issue else 0,
            "window": _ends(window),
            "due": send_at(self.newsletter.schedule, week).isoformat(),
            "published": gone.at.isoformat() if gone else None,
        }

    def _state(self, week: Week, picked: Picked, gone: Published | None) -> str:
        if gone:
            return self._progress(gone)
        if self._faults(picked, week):
            return "faulty"
        return str(picked.issue.status) if picked.issue else "empty"

    def _progress(self, gone: Published) -> str:
        with self._store.read() as connection:
            balances = ledger.balances(connection, gone.id).values()
        return _state_of(balances)

    def _approval(self, week: Week, content_hash: str | None) -> ApprovalState | None:
        with self._store.read() as connection:
            approval = issues.approval(connection, self.newsletter.name, week)
        return approval.stands_for(content_hash or "") if approval else None

    def coming(self, now: datetime, count: int) -> Iterator[dict[str, Any]]:
        """The next sends."""
        for send in upcoming(self.newsletter.schedule, now, count):
            yield {
                "newsletter": self.newsletter.name,
                "issue": str(send.week),
                "window": _ends(send.window),
                "local": send.local.isoformat(),
                "zone": str(self.newsletter.schedule.zone),
                "utc": send.utc.isoformat(),
            }

    def plan(self, week: Week, now: datetime) -> dict[str, Any]:
        """Who would get what, when and how, and who would not; nothing is written."""
        issue = self.issue(week, now)
        payloads = self._payloads(issue)
        return {
            "issue": issue.key,
            "due": send_at(self.newsletter.schedule, week).isoformat(),
            "channels": {name: self._planned(name, payloads[name]) for name in self.channels},
        }

    def _planned(self, name: str, payload: bytes) -> dict[str, Any]:
        channel = self.channels[name]
        if channel.audience is Audience.CONVERSATION:
            return {"recipients": channel.parts(payload), "excluded": {}, "by": channel.by}
        with self._store.read() as connection:
            census = readers.census(connection, self.newsletter.name)
        return {"recipients": census.pop("confirmed", 0), "excluded": census, "by": channel.by}

    def rendered_files(self, week: Week, email: str | None, now: datetime) -> dict[str, bytes]:
        """Every file of an issue as it would go out to a reader: what was published, or else the draft."""
        gone = self.published(week)
        issue = None if gone else self.issue(week, now)
        payloads = self._frozen(gone) if gone else self._payloads(issue) if issue else {}
        reader = self._reader(email)
        files: dict[str, bytes] = {}
        for name, channel in self.channels.items():
            if name in payloads:
                files |= channel.files(payloads[name], reader, now)
        page = self._composed(issue or self.issue(week, now)).page
        return {**files, "page.html": page.encode()}

    def _composed(self, issue: Issue) -> Rendered:
        url, several = self._settings.url, self._settings.several
        return compose(issue, self.newsletter, self._templates, url, several=several)

    def _reader(self, email: str | None) -> Reader:
        if email is None:
            return SAMPLE
        with self._store.read() as connection:
            if found := readers.reader(connection, self.newsletter.name, key_of(email)):
                return found
        raise InputError(
            "--as", f"{email!r} does not read {self.newsletter.name}", "`broadsheet subscribers list`"
        )

    # ------------------------------------------------------------------------------------------- publishing

    def _payloads(self, issue: Issue) -> dict[str, bytes]:
        rendered = self._composed(issue)
        return {name: channel.freeze(issue, rendered) for name, channel in self.channels.items()}

    def _frozen(self, gone: Published) -> dict[str, bytes]:
        with self._store.read() as connection:
            return issues.payloads_of(connection, gone.id)

    def publish(self, week: Week, now: datetime, *, late: bool = False) -> list[Finding]:
        """Put an issue into the outbox, or go on with it; what a curator should know of it."""
        if gone := self.published(week):
            return self._go_on(gone, now)
        picked = self.picked(week, now)
        issue = self.issue(week, now)
        content_hash = self.hash_of(issue)
        if issue.status is Status.DRAFT:
            raise RefusedError(f"{issue.key}: its status is draft: set `status: ready` in {issue.place}")
        edition = publish.Edition(issue, content_hash, picked.taken, self._payloads(issue))
        publish.publish(self._store, edition, self.channels, now, late=late)
        return list(picked.findings)

    def _go_on(self, gone: Published, now: datetime) -> list[Finding]:
        """A person asked for it again: what waits for a later try is tried now."""
        with self._store.write() as connection:
            ledger.hurry(connection, gone.id, now)
        issue = self.picked(gone.week, now).issue
        if issue is None or self.hash_of(issue) == gone.hash:
            return []
        message = "has changed since it was published: what was published goes on, unchanged"
        return [Finding("publish.changed", Severity.HINT, issue.place, message, issue=issue.key)]

    def work(
        self,
        week: Week,
        clock: Callable[[], datetime],
        report: Report = lambda _channel, _balance: None,
        stop: Event | None = None,
    ) -> dict[str, Halt]:
        """Work off what is due of an issue; why channels stopped early, where they did."""
        gone = self._published(week)
        payloads = self._frozen(gone)
        channels = {name: channel for name, channel in self.channels.items() if name in payloads}
        terms = Terms(clock, random.random, stop or Event(), report)
        return work(self._store, gone.id, channels, payloads, terms)

    def retry(self, week: Week, now: datetime) -> int:
        """Queue the failed deliveries again; how many."""
        gone = self._published(week)
        with self._store.write() as connection:
            return ledger.requeue(connection, gone.id, DeliveryState.FAILED, None, now)

    def resolve(
        self, week: Week, answer: Literal["sent", "resend"], channel: str | None, now: datetime
    ) -> int:
        """Settle the deliveries in doubt as a person says; how many."""
        gone = self._published(week)
        with self._store.write() as connection:
            if answer == "sent":
                return ledger.count_as_sent(connection, gone.id, channel, now)
            return ledger.requeue(connection, gone.id, DeliveryState.IN_DOUBT, channel, now)

    # ----------------------------------------------------------------------------------------------- status

    def statuses(self) -> Iterator[dict[str, Any]]:
        """The balances of every published issue, newest first."""
        with self._store.read() as connection:
            every = issues.every(connection, self.newsletter.name)
        for gone in reversed(every):
            yield self._balances(gone)

    def status(self, week: Week) -> dict[str, Any]:
        """The balances of an issue, and the rows that are not sent."""
        gone = self._published(week)
        with self._store.read() as connection:
            rows = [_unsent(row) for row in ledger.unsent(connection, gone.id)]
        return {**self._balances(gone), "rows": rows}

    def _balances(self, gone: Published) -> dict[str, Any]:
        with self._store.read() as connection:
            balances = ledger.balances(connection, gone.id)
        channels = {name: _counts(balance) for name, balance in balances.items()}
        name = f"{gone.newsletter}/{gone.week}"
        return {"issue": name, "state": _state_of(balances.values()), "channels": channels}

    # --------------------------------------------------------------------------------------------- deciding

    def decide(self, week: Week, verb: str, now: datetime) -> str:
        """Write down a curator's decision on the content as it is now; its hash."""
        content_hash = self.hash_of(self.issue(week, now))
        name = self.newsletter.name
        if verb == "approved":
            approvals.approve(self._store, name, week, content_hash, now)
        elif verb == "held":
            approvals.hold(self._store, name, week, content_hash, now)
        else:
            approvals.release(self._store, name, week, now)
        return content_hash

    def view(self, now: datetime) -> View:
        """What the ledger and the content say, for `schedule.due`."""
        name, schedule = self.newsletter.name, self.newsletter.schedule
        with self._store.read() as connection:
            published = frozenset(one.week for one in issues.every(connection, name))
            told = issues.told_of(connection, name)
        outlooks = {week: self._outlook(week, now) for week in candidates(now, schedule, published)}
        known = {week: Reason(reason) for week, reason in told.items() if reason in set(Reason)}
        return View(published, outlooks, known)

    def _outlook(self, week: Week, now: datetime) -> Outlook:
        picked = self.picked(week, now)
        issue = picked.issue
        return Outlook(
            empty=issue is None,
            faulty=bool(self._faults(picked, week)),
            status=issue.status if issue else Status.READY,
            approval=self._approval(week, self.hash_of(issue) if issue else None),
        )

    def tell(self, week: Week, reason: Reason, now: datetime) -> bool:
        """Note that a curator is told why an issue does not go out; False where somebody was quicker."""
        with self._store.write() as connection:
            return issues.tell(connection, self.newsletter.name, week, str(reason), now)

    def unsettled(self) -> list[Week]:
        """The weeks of the issues that still have deliveries to work off."""
        with self._store.read() as connection:
            return [one.week for one in issues.unsettled(connection, self.newsletter.name)]

    def next_due(self, week: Week) -> datetime | None:
        """When the next waiting delivery of an issue may be tried."""
        gone = self._published(week)
        with self._store.read() as connection:
            return ledger.next_due(connection, gone.id, self.channels)


def _state_of(balances: Iterable[Balance]) -> str:
    """`sending` while rows wait, `incomplete` while rows need a person, then `sent`."""
    every = list(balances)
    if any(balance.waiting for balance in every):
        return "sending"
    return "incomplete" if any(balance.failed or balance.in_doubt for balance in every) else "sent"


def _ends(window: Window) -> list[str]:
    return [window.start.isoformat(), window.end.isoformat()]


def _counts(balance: Balance) -> dict[str, int]:
    return {"planned": balance.planned, **asdict(balance)}


def _unsent(row: ledger.Unsent) -> dict[str, Any]:
    return {
        "channel": row.channel,
        "recipient": row.recipient,
        "state": str(row.state),
        "reason": row.reason,
        "attempts": row.attempts,
        "due": row.due_at.isoformat(),
    }
