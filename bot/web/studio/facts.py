"""What a preview's page says of an issue, as plain words for its template."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlencode

from bot import meters
from bot.calendar import send_at
from bot.changes import Kind
from bot.channels import Audience
from bot.checks import known, located
from bot.checks._posts import Posts
from bot.desk import Desk
from bot.folding import longest
from bot.models import Approval, Finding, Severity, Week
from bot.overview import plan, status
from bot.previews import (
    PERSONAS,
    Comparison,
    Look,
    against_approving,
    by_entry,
    conversations,
    excerpt,
    pane_of,
    shortened,
)
from bot.slots import Slots
from bot.store import readers

Words: TypeAlias = dict[str, Any]

MOST_FOUND = 20
"""Readers that a search shows."""
TOGETHER = 40
"""Entries, or changes, that are shown before the rest is folded."""
EXCLUDED = {
    "pending": "have not confirmed their subscription",
    "unsubscribed": "have unsubscribed",
    "suppressed": "have an address that may not be mailed",
}
"""Why somebody does not get an issue, by the word of the census."""


# --------------------------------------------------------------------------------------------------- deciding


def decision(desk: Desk, look: Look) -> Words:
    """The state in a sentence, what can be pressed, and why not."""
    against = against_approving(look)
    open_ = not look.is_out
    return {
        "state": str(look.state),
        "said": _said(desk, look),
        "void": look.void,
        "hash": look.hash,
        "against": against,
        "approve": open_ and not look.approved and not look.held,
        "hold": open_ and not look.held and look.issue is not None,
        "release": look.held,
    }


def _said(desk: Desk, look: Look) -> str:
    """How it stands, by whose word and since when."""
    if look.gone and not look.standing:
        return f"Published {_moment(desk, look.gone.at)}"
    if look.standing:
        word = {"held": "Held", "approved": "Approved", "void": "Changed since it was approved"}
        stands = word[look.standing.stands_for(look.hash)]
        out = f"Published {_moment(desk, look.gone.at)}; before that: " if look.gone else ""
        return f"{out}{stands} {by(desk, look.standing)}"
    needed = {"required": "Nobody has approved it yet", "unless-held": "It goes unless somebody holds it"}
    return needed.get(desk.newsletter.schedule.approval, "It goes without being approved")


def by(desk: Desk, word: Approval) -> str:
    """Who said it, when, and from where."""
    curators = desk.newsletter.curators
    who = desk.newsletter.known_as(word.by) if word.by in curators else word.by
    where = {"cli": "on the command line", "studio": "in the studio", "slack": "in Slack", "mail": "by mail"}
    parts = (f"by {who}" if who else "", _moment(desk, word.at), where.get(str(word.origin), ""))
    return ", ".join(part for part in parts if part)


def _moment(desk: Desk, at: datetime) -> str:
    zone = desk.newsletter.schedule.zone
    return f"on {at.astimezone(zone):%a %d %b %Y, %H:%M} {zone}"


# ---------------------------------------------------------------------------------------------------- sending


def sending(desk: Desk, look: Look, now: datetime) -> Words:
    """When it goes and who gets it, or what became of it."""
    due, zone = send_at(desk.newsletter.schedule, look.week), desk.newsletter.schedule.zone
    when = {
        "utc": due.astimezone(UTC).isoformat(),
        "local": f"{due.astimezone(zone):%A %d %B %Y, %H:%M}",
        "zone": str(zone),
        "in_utc": f"{due.astimezone(UTC):%a %H:%M} UTC",
        "until": until(due - now),
    }
    if look.gone:
        document = status(desk, look.week)
        rows = [_sent(name, counts) for name, counts in document["channels"].items()]
        return {"when": when, "rows": rows, "why": None, "out": _moment(desk, look.gone.at)}
    if look.made is None:
        return {"when": when, "rows": [], "why": None, "out": ""}
    document = plan(desk, look.week, now)
    rows = [_planned(desk, name, counts) for name, counts in document["channels"].items()]
    return {"when": when, "rows": rows, "why": document["why"], "out": ""}


def until(left: timedelta) -> str:
    """A span of time in the two largest units that it has: `in 2 days 3 hours`."""
    minutes = int(abs(left).total_seconds() // 60)
    units = (("day", minutes // 1440), ("hour", minutes // 60 % 24), ("minute", minutes % 60))
    named = [f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in units if count][:2]
    words = " ".join(named) or "less than a minute"
    return f"in {words}" if left >= timedelta() else f"{words} ago"


def _planned(desk: Desk, name: str, counts: Mapping[str, Any]) -> Words:
    readers_by_mail = desk.channels[name].audience is Audience.READERS
    count = counts["recipients"]
    noun = ("reader" if readers_by_mail else "message") + ("" if count == 1 else "s")
    excluded = [
        f"{many:,} {EXCLUDED.get(word, word)}" for word, many in sorted(counts["excluded"].items()) if many
    ]
    return {"channel": name, "gets": f"{count:,} {noun}", "by": counts["by"], "excluded": excluded}


def _sent(name: str, counts: Mapping[str, int]) -> Words:
    rest = [f"{many:,} {word.replace('_', ' ')}" for word, many in counts.items() if many]
    return {"channel": name, "gets": ", ".join(rest), "by": "", "excluded": []}


# ------------------------------------------------------------------------------------------------------ sizes


def sizes(desk: Desk, look: Look, payloads: Mapping[str, bytes], url: str) -> Words:
    """The gauges of the mail and of each message, and the lines that inboxes show."""
    assert look.made  # noqa: S101 (what can be measured)
    assert look.issue  # noqa: S101 (what it was made of)
    rendered = look.made.rendered
    size = longest(rendered.html, Slots(rendered.nonce), url)
    mails = any(channel.audience is Audience.READERS for channel in desk.channels.values())
    posts = Posts.read(look.issue, desk.newsletter, payloads).channels
    return {
        "mail": meters.of_mail(rendered.html, size) if mails else (),
        "folded": rendered.folded,
        "posts": {name: list(meters.of_posts(messages)) for name, messages in posts.items()},
        "lines": (
            ("Subject", rendered.subject, meters.subject_cuts(rendered.subject)),
            ("Preheader", rendered.preheader, meters.preheader_cuts(rendered.preheader)),
        ),
    }


# ------------------------------------------------------------------------------------------------------ panes


def panes(desk: Desk, look: Look, payloads: Mapping[str, bytes], who: str) -> Iterator[Words]:
    """The panes in their order: name, title, address below the issue's, and the findings seen there."""
    found = defaultdict[str | None, list[Words]](list)
    for one in look.findings:
        found[pane_of(one.rule)].append(told(one))
    as_ = {"as": who} if who else {}
    mails = any(channel.audience is Audience.READERS for channel in desk.channels.values())
    shown = [
        ("desktop", "Mail, desktop", "email.html", as_, mails),
        ("phone", "Mail, phone", "email.html", as_, mails),
        ("dark", "Mail, dark", "email.html", as_, mails),
        ("off", "Mail, images off", "email.html", {**as_, "images": "off"}, mails),
        ("text", "Mail, plain text", "email.txt", as_, mails),
    ]
    for channel in conversations(desk, payloads):
        named = f"Slack, {channel}"
        shown += [
            (f"slack-{channel}", named, f"slack/{channel}", {}, True),
            (f"slack-{channel}-dark", f"{named}, dark", f"slack/{channel}", {"scheme": "dark"}, True),
        ]
    shown += [("page", "Web page", "page.html", {}, True), ("feed", "Feed entry", "feed.html", {}, True)]
    for name, title, file, query, there in shown:
        if there:
            family = name.partition("-")[0]
            address = f"{file}?{urlencode(query)}" if query else file
            yield {"name": name, "kind": family, "title": title, "address": address, "found": found[family]}


# --------------------------------------------------------------------------------------------------- findings


def findings(look: Look) -> Words:
    """What was found: of the whole issue, and of each entry, in order."""
    entries = look.issue.entries if look.issue else ()
    per_entry, rest = by_entry(entries, look.findings)
    rows = [
        {
            "number": number,
            "title": entry.title,
            "url": entry.url,
            "place": entry.place,
            "findings": [told(one) for one in sorted(found, key=_by_severity)],
        }
        for number, (entry, found) in enumerate(zip(entries, per_entry, strict=True), 1)
    ]
    return {
        "counts": {str(severity): count for severity, count in look.counts.items()},
        "rest": [told(one) for one in sorted(rest, key=_by_severity)],
        "entries": rows,
    }


def told(finding: Finding) -> Words:
    """One finding, with how to mend it and why it matters."""
    rule = known().get(finding.rule)
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "place": finding.place,
        "message": finding.message,
        "fix": finding.fix or (rule.mend if rule else ""),
        "why": rule.why if rule else "",
        "pane": pane_of(finding.rule),
    }


def faults(look: Look, folders: Sequence[Path]) -> list[Words]:
    """What keeps the issue from being read, each with the lines around it."""
    return [{**told(one), "lines": excerpt(one, folders).lines} for one in look.faults]


def _by_severity(finding: Finding) -> tuple[int, object]:
    return list(Severity).index(finding.severity), located(finding.place)


# ---------------------------------------------------------------------------------------------------- changes


def compared(desk: Desk, comparison: Comparison) -> Words:
    """What changed since then, as a list of entries with their words."""
    since = comparison.since
    named = (
        f"issue {since}" if isinstance(since, Week) else f"the approval {by(desk, since)}" if since else ""
    )
    counts = Counter(str(change.kind) for change in comparison.changes)
    return {
        "since": named,
        "note": comparison.note,
        "counts": [f"{counts[str(kind)]} {kind}" for kind in Kind if counts[str(kind)]],
        "changes": [
            {
                "kind": str(one.kind),
                "title": one.title,
                "runs": [(str(run), text) for run, text in shortened(one)],
            }
            for one in comparison.changes
        ],
    }


# ---------------------------------------------------------------------------------------------------- readers


def seen_as(desk: Desk, who: str, letters: str) -> Words:
    """Whom the issue can be looked at as: personas, and the readers whose address or name begins so."""
    letters = "".join(filter(str.isprintable, letters)).strip()[:100]
    with desk.store.read() as connection:
        name = desk.newsletter.name
        found = readers.beginning(connection, name, letters, MOST_FOUND + 1) if letters else []
        chosen = readers.numbered(connection, name, int(who)) if who.isdecimal() else None
    label = PERSONAS[who or next(iter(PERSONAS))].label if chosen is None else chosen.email
    return {
        "who": who or next(iter(PERSONAS)),
        "label": label,
        "personas": {name: persona.label for name, persona in PERSONAS.items()},
        "letters": letters,
        "found": [
            {"who": str(number), "email": email, "name": name} for number, email, name in found[:MOST_FOUND]
        ],
        "more": len(found) > MOST_FOUND,
    }
