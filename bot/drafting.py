"""Shows curators the draft of the coming issue in good time, and lets what was shown follow the issue.

desk → document → a row per recipient ⇒ telling;  what stands in Slack ← the document as it is now
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bot.calendar import send_at
from bot.changes import Change
from bot.desk import Desk
from bot.models import Approval, Finding, Issue, Severity, Week
from bot.proofs import Print, Proof
from bot.store import decisions, notices
from bot.telling import DRAFT, Document, Way, follow, put

FOLLOWED = timedelta(days=14)
"""How long after its send time what was shown of an issue is kept up to date."""
MOST_CHANGES = 5


def show(desk: Desk, way: Way, now: datetime) -> None:
    """Show drafts whose time has come to whoever has not seen them, and bring those in Slack up to date."""
    for week in _to_show(desk, now):
        document = draft(desk, week, now)
        if document is not None:
            with desk.store.write() as connection:
                put(connection, desk.newsletter, DRAFT, document, now)
    for week in _to_follow(desk, now):
        bring_up_to_date(desk, way, week, now)


def bring_up_to_date(desk: Desk, way: Way, week: Week, now: datetime) -> None:
    """Let what stands in Slack of an issue show what is so now: its content, and what was decided of it."""
    follow(desk.store, way, week, lambda: draft(desk, week, now))


def _to_show(desk: Desk, now: datetime) -> Iterator[Week]:
    lead, schedule = desk.newsletter.drafts.lead, desk.newsletter.schedule
    for week in desk.unpublished(now):
        due = send_at(schedule, week)
        if lead and due - lead <= now < due:
            yield week


def _to_follow(desk: Desk, now: datetime) -> set[Week]:
    with desk.store.read() as connection:
        shown = notices.all_about(connection, desk.newsletter.name, DRAFT)
    return {
        one.week
        for one in shown
        if one.to.medium == "slack" and now - send_at(desk.newsletter.schedule, one.week) < FOLLOWED
    }


# ---------------------------------------------------------------------------------------- what is to be seen


def draft(desk: Desk, week: Week, now: datetime) -> Document | None:
    """The issue of a week as curators see it before it goes; None where there is nothing."""
    picked = desk.picked(week, now)
    issue, faults = picked.issue, desk.faults(picked, week)
    key = f"{desk.newsletter.name}/{week}"
    if faults:
        lines = tuple(map(str, faults))
        return Document(key, "", f"Draft: {week}", goes(desk, week), "It cannot be read as it is.", lines)
    if issue is None:
        return None
    proof, gone = desk.proof(issue, now), desk.find(week)
    if gone:
        return Document(key, "", f"Draft: {issue.title}", _small(desk, issue, proof), "It has gone out.")
    with desk.store.read() as connection:
        standing = decisions.standing(connection, desk.newsletter.name, week)
    void = standing is not None and standing.stands_for(proof.hash) == "void"
    changed = desk.changes(week, now) if void else None
    return Document(
        key,
        proof.hash,
        f"Draft: {issue.title}",
        _small(desk, issue, proof),
        _stands(desk, standing, proof),
        (*_changed(changed[1] if changed else ()), *map(_found, proof.findings)),
        decided=standing is not None and not void,
    )


def _small(desk: Desk, issue: Issue, proof: Proof) -> str:
    count = len(issue.entries)
    facts = [f"{count} entr{'y' if count == 1 else 'ies'}"]
    if isinstance(proof.result, Print):
        facts.append(f"{len(proof.result.rendered.html.encode()) / 1000:.0f} KB of HTML")
    return " · ".join([*facts, goes(desk, issue.week)])


def goes(desk: Desk, week: Week) -> str:
    """When it goes, by the newsletter's clock and in UTC."""
    due, zone = send_at(desk.newsletter.schedule, week), desk.newsletter.schedule.zone
    return f"goes {due.astimezone(zone):%a %d %b %Y, %H:%M} {zone} ({due.astimezone(UTC):%H:%M} UTC)"


def _stands(desk: Desk, standing: Approval | None, proof: Proof) -> str:
    """How it stands, in a sentence."""
    if standing is None:
        needed = desk.newsletter.schedule.approval
        waits = {"required": "It waits for approval", "unless-held": "It goes unless somebody holds it"}
        words = waits.get(needed, "It goes by itself")
    else:
        worth = standing.stands_for(proof.hash)
        said = {"approved": "Approved", "held": "Held", "void": "Changed since it was approved"}[worth]
        words = f"{said}{by_whom(desk, standing)}"
    errors = sum(finding.severity is Severity.ERROR for finding in proof.findings)
    return f"{words}; the checks found {errors} error{'s' if errors > 1 else ''}." if errors else f"{words}."


def by_whom(desk: Desk, standing: Approval) -> str:
    """Who decided, and when by the newsletter's clock: ` by Ann at 09:12 on Fri 25 Apr`."""
    who = desk.newsletter.known_as(standing.by) if standing.by in desk.newsletter.curators else standing.by
    named = f" by {who}" if who else ""
    return f"{named} at {standing.at.astimezone(desk.newsletter.schedule.zone):%H:%M on %a %d %b}"


def _changed(changes: tuple[Change, ...]) -> Iterator[str]:
    """What voided a yes, the first few in a line each."""
    for change in changes[:MOST_CHANGES]:
        words = "".join(
            (
                f" -{_short(change.removed)}" if change.removed else "",
                f" +{_short(change.added)}" if change.added else "",
            )
        )
        yield f"{change.kind}: {change.title}{':' if words else ''}{words}"
    if len(changes) > MOST_CHANGES:
        yield f"and {len(changes) - MOST_CHANGES} more changes: `broadsheet changes` lists them"


def _short(words: str, most: int = 80) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _found(finding: Finding) -> str:
    return f"{finding.severity}: {finding} [{finding.rule}]"
