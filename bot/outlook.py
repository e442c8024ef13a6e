"""How the issues that are due stand at this moment: content, checks, curators and readers, for the schedule.

desk → view → schedule.due decides → Publish, or the Notice that says why not
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from bot.calendar import is_skipped
from bot.desk import Desk
from bot.models import Finding, Severity, Week, errors_of
from bot.notices import Kind, Notice
from bot.schedule import Outlook, Reason, Told, View, candidates, to_tell, why_not
from bot.store import issues

KINDS = {
    Reason.HELD: Kind.STOPPED,
    Reason.DRAFT: Kind.STOPPED,
    Reason.TOO_LATE: Kind.MISSED,
    Reason.OVERTAKEN: Kind.MISSED,
    Reason.FAULTY: Kind.HELD,
    Reason.UNFIT: Kind.HELD,
    Reason.UNAPPROVED: Kind.WAITING_FOR_APPROVAL,
    Reason.CHANGED: Kind.WAITING_FOR_APPROVAL,
    Reason.EMPTY: Kind.EMPTY,
    Reason.SKIPPED: Kind.STOPPED,
}
"""What a notice is about, by the reason why an issue does not go out."""


def view(desk: Desk, now: datetime) -> View:
    """What the ledger and the content say, for `schedule.due`."""
    name, schedule = desk.newsletter.name, desk.newsletter.schedule
    with desk.store.read() as connection:
        published = frozenset(one.week for one in issues.every(connection, name))
        told = issues.told_of(connection, name)
    weeks = candidates(now, schedule, published)
    outlooks = {week: outlook(desk, week, published, now) for week in weeks}
    known = {
        week: Told(Reason(reason), content_hash)
        for week, (reason, content_hash) in told.items()
        if reason in set(Reason)
    }
    return View(published, outlooks, known)


def outlook(desk: Desk, week: Week, published: Collection[Week], now: datetime) -> Outlook:
    """How the issue of one week stands; the readers are counted where nothing else is against sending it."""
    picked = desk.picked(week, now)
    faults, issue = desk.faults(picked, week), picked.issue
    if issue is None or faults:
        content_hash = desk.proofs.hash_of(issue) if issue else ""
        approval = desk.approval(week, content_hash or None)
        return Outlook(issue is None, bool(faults), approval=approval, hash=content_hash, findings=faults)
    proof = desk.proof(issue, now)
    stands = Outlook(
        unfit=bool(proof.errors),
        status=issue.status,
        approval=desk.approval(week, proof.hash),
        hash=proof.hash,
        findings=proof.findings,
    )
    if why_not(now, desk.newsletter.schedule, week, published, stands):
        return stands
    people = desk.people(issue, proof, now, sending=True)
    return replace(stands, unfit=any(errors_of(people)), findings=(*proof.findings, *people))


def against(desk: Desk, now: datetime) -> dict[Week, Notice]:
    """What is against sending the issues that are due, by week; the others are not looked at."""
    stands, schedule = view(desk, now), desk.newsletter.schedule
    reasons = {
        week: why_not(now, schedule, week, stands.published, one) for week, one in stands.outlooks.items()
    }
    return {
        week: notice(desk, week, reason, stands.outlooks[week], now)
        for week, reason in reasons.items()
        if reason
    }


def against_one(desk: Desk, week: Week, now: datetime) -> Notice | None:
    """What would be against sending the issue of a week at its time, and all that was found in it now."""
    with desk.store.read() as connection:
        published = {one.week for one in issues.every(connection, desk.newsletter.name)}
    stands = outlook(desk, week, published, now)
    reason = why_not(now, desk.newsletter.schedule, week, published, stands)
    if reason is None:
        return skipped(desk, week, now)
    found = replace(notice(desk, week, reason, stands, now), findings=_errors_first(stands.findings))
    return skipped(desk, week, now) or found


def skipped(desk: Desk, week: Week, now: datetime) -> Notice | None:
    """That nothing is sent on an issue's date, where that is so."""
    if is_skipped(desk.newsletter.schedule, week):
        return notice(desk, week, Reason.SKIPPED, Outlook(), now)
    return None


def notice(desk: Desk, week: Week, reason: Reason, stands: Outlook, now: datetime) -> Notice:
    """What curators hear of an issue that is due and does not go out."""
    findings = _errors_first(stands.findings) if reason.of_content else ()
    told = to_tell(reason, stands)
    name = desk.newsletter.name
    remedy = reason.remedy(f"{name}/{week}")
    return Notice(KINDS[reason], name, week, told.hash, str(reason), findings, now, remedy)


def failure(desk: Desk, week: Week, reason: str, now: datetime) -> Notice:
    """What curators hear of a published issue that a channel stopped to send."""
    return Notice(Kind.FAILED, desk.newsletter.name, week, desk.published(week).hash, reason, (), now)


def _errors_first(findings: Collection[Finding]) -> tuple[Finding, ...]:
    rest = (one for one in findings if one.severity is not Severity.ERROR)
    return (*errors_of(tuple(findings)), *rest)
