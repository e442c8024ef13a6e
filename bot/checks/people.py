"""Rules about the people of an issue: whom it would reach, who said yes, and when it goes."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.calendar import PUNCTUAL, last_call
from bot.checks import Flaw, Rule
from bot.checks._readership import KNOWN_FIELDS, TOGETHER, Crowd, Readership
from bot.models import Severity

FEW = 10
"""Readers below which a factor says little: two more are a jump."""
SUPPRESSED = 0.1
"""Of all confirmed readers, the share from which a list is worth looking at."""
COUNTED = 20
"""Readers from which such a share means something."""
NEAR = timedelta(days=1)
"""How long before its time a missing approval is told."""
LONG_AGO = timedelta(days=28)
"""From then on an issue that was never sent belongs to an archive."""


def _mailed(readership: Readership) -> Iterator[Crowd]:
    return (crowd for crowd in readership.crowds if crowd.of_readers)


def _readers(count: int) -> str:
    return "1 reader" if count == 1 else f"{count:,} readers"


# ------------------------------------------------------------------------------------------------- whom


def nobody(readership: Readership) -> Iterator[Flaw]:
    """The issue would reach nobody: no channel has a recipient; less bad before its minute.

    A list that is empty at the minute of sending was lost or never imported: the issue would count as
    published, and nobody would have read it. Where nothing was ever sent it is a hint until then.
    """
    if not any(crowd.recipients for crowd in readership.crowds):
        names = ", ".join(crowd.channel for crowd in readership.crowds)
        message = f"channels: nobody would get the issue: no recipient in {names or 'any channel'}"
        severity = Severity.ERROR if readership.sending or readership.last else _mildly(readership)
        yield Flaw(readership.file, message, "`broadsheet subscribers import`", readership.key, severity)


def empty_audience(readership: Readership) -> Iterator[Flaw]:
    """One channel has no readers, while others reach somebody; a warning where it never had any.

    Where there were readers last time, they are most likely lost, and the issue cannot be sent to them
    later on.
    """
    if not any(crowd.recipients for crowd in readership.crowds):
        return
    for crowd in _mailed(readership):
        if not crowd.recipients:
            had = f", and had {crowd.last:,} last time" if crowd.last else ""
            message = f"channels.{crowd.channel}: has no confirmed reader{had}"
            severity = Severity.ERROR if crowd.last else _mildly(readership)
            fix = "`broadsheet subscribers import`, or take the channel out"
            yield Flaw(readership.file, message, fix, readership.key, severity)


def _mildly(readership: Readership) -> Severity:
    """How bad an empty list is that never was otherwise: where content is checked for others, it is usual."""
    return Severity.HINT if readership.fresh and not readership.sending else Severity.WARNING


def changed_audience(readership: Readership) -> Iterator[Flaw]:
    """A channel has many more or many fewer readers than the last issue had (`audience_factor`).

    An import that was cut short, or one too many, shows in the numbers before it shows in complaints.
    """
    factor = readership.newsletter.audience_factor
    for crowd in _mailed(readership):
        now, last = crowd.recipients, crowd.last or 0
        if not now or not last or now == last or max(now, last) < factor * min(now, last):
            continue
        word = "more" if now > last else "fewer"
        message = f"channels.{crowd.channel}: {_readers(now)}, many {word} than the {last:,} of last time"
        severity = Severity.HINT if max(now, last) < FEW else Severity.WARNING
        fix = "look through `broadsheet subscribers list`; `audience_factor` says what is many"
        yield Flaw(readership.file, message, fix, readership.key, severity)


def many_suppressed(readership: Readership) -> Iterator[Flaw]:
    """More than a tenth of the confirmed readers cannot be mailed: their addresses are suppressed.

    Mailbox providers judge a sender by such addresses, and what was imported may have been old.
    """
    for crowd in _mailed(readership):
        everybody = crowd.recipients + crowd.suppressed
        if crowd.suppressed > SUPPRESSED * everybody:
            message = (
                f"channels.{crowd.channel}: {crowd.suppressed:,} of {_readers(everybody)} "
                "cannot be mailed: their addresses are suppressed"
            )
            severity = Severity.HINT if everybody < COUNTED else Severity.WARNING
            fix = "`broadsheet subscribers list` says why; ask where these addresses came from"
            yield Flaw(readership.file, message, fix, readership.key, severity)


def left_in_doubt(readership: Readership) -> Iterator[Flaw]:
    """Deliveries of the last issue are in doubt still: somebody may not have got it.

    Once another issue is out, nobody remembers to look.
    """
    if readership.doubts and readership.last:
        many = readership.doubts != 1
        message = f"{readership.last}: {readership.doubts:,} {'deliveries are' if many else 'delivery is'}"
        fix = f"`broadsheet status {readership.last}` lists them, `broadsheet resolve` settles them"
        yield Flaw(readership.issue.place, f"{message} in doubt still", fix, readership.key)


# ------------------------------------------------------------------------------------------------- fields


def unknown_field(readership: Readership) -> Iterator[Flaw]:
    """A template asks of a reader what no reader has.

    Where a template has a default for it, every letter gets the default, and nobody notices.
    """
    for name, place in readership.fields.items():
        if name not in KNOWN_FIELDS:
            known = ", ".join(sorted(KNOWN_FIELDS))
            yield Flaw(place, f"reader.{name}: no reader has it", f"there are {known}", readership.key)


def nameless(readership: Readership) -> Iterator[Flaw]:
    """Readers without a name are called by a word that nobody chose, or (a warning) by none at all.

    "Hello ," tells a reader that a machine wrote, and "Hello reader," may not be your tone.
    """
    newsletter = readership.newsletter
    chosen = newsletter.unnamed and "unnamed" in newsletter.model_fields_set
    if chosen or not readership.names_readers:
        return
    for crowd in _mailed(readership):
        if crowd.nameless:
            who = f"{crowd.nameless:,} of {_readers(crowd.recipients)} gave no name"
            said = newsletter.greeting.replace("{name}", newsletter.unnamed) or newsletter.unnamed
            message = f"unnamed: {who} and are called {said!r}"
            severity = Severity.HINT if newsletter.unnamed else Severity.WARNING
            yield Flaw(readership.file, message, "set `unnamed`", readership.key, severity)


# ------------------------------------------------------------------------------------------------- when


def unapproved(readership: Readership) -> Iterator[Flaw]:
    """Within a day the issue should go out, and nobody has approved it as it is now.

    Where approval is required, an issue that has none is held at its minute.
    """
    needs_yes = readership.newsletter.schedule.approval == "required" and not readership.by_hand
    near = readership.due - NEAR <= readership.now <= _last_call(readership)
    if needs_yes and near and not readership.skipped and readership.approval in {None, "void"}:
        what = (
            "its content has changed since it was approved"
            if readership.approval
            else "nobody has approved it"
        )
        message, fix = (
            f"{what}, and it is due {_shown(readership)}",
            f"`broadsheet approve {readership.issue.week}`",
        )
        yield Flaw(readership.issue.place, message, fix, readership.key)


def send_time_over(readership: Readership) -> Iterator[Flaw]:
    """The issue's time is over, and it was not sent; a hint while it still goes, or where it is old.

    What is late by more than `late_limit` never goes out by itself.
    """
    late = readership.now - readership.due
    if readership.by_hand or readership.skipped or late <= PUNCTUAL:
        return
    over = readership.now > _last_call(readership)
    message = f"was due {_shown(readership)}: it " + (
        "does not go out by itself" if over else "goes out late"
    )
    fix = f"`broadsheet publish {readership.issue.week}`, or give it another week" if over else ""
    severity = Severity.WARNING if over and late <= LONG_AGO else Severity.HINT
    yield Flaw(readership.issue.place, message, fix, readership.key, severity)


def skip_date(readership: Readership) -> Iterator[Flaw]:
    """The issue falls on a date on which nothing is sent (`schedule.skip`).

    Single entries roll on into the next issue; what stands in the issue's own file does not.
    """
    if readership.skipped:
        message = f"falls on {readership.due:%Y-%m-%d}, a date of schedule.skip: it does not go out by itself"
        fix = "give it another week, or take the date out of `skip`"
        yield Flaw(readership.issue.place, message, fix, readership.key)


def sent_together(readership: Readership) -> Iterator[Flaw]:
    """Another newsletter goes to the same readers within the same hour.

    Two mails at once are read like one, or like none.
    """
    for other in readership.neighbours:
        if other.shared and abs(other.at - readership.due) <= TOGETHER:
            at = other.at.astimezone(readership.newsletter.schedule.zone)
            message = f"schedule: {_readers(other.shared)} get {other.newsletter} at {at:%H:%M} as well"
            yield Flaw(readership.file, message, "send one of them at another time", readership.key)


def _last_call(readership: Readership) -> datetime:
    return last_call(readership.newsletter.schedule, readership.issue.week)


def _shown(readership: Readership) -> str:
    return f"{readership.due:%a %Y-%m-%d %H:%M}"


LOOKS_AT = Readership
RULES = (
    Rule(
        "people.nobody",
        Severity.ERROR,
        nobody,
        mend="Import the readers, or add a channel that has recipients.",
        example="[channels.readers] alone, and no confirmed reader",
    ),
    Rule(
        "people.empty-audience",
        Severity.ERROR,
        empty_audience,
        mend="Import the readers, or take the channel out of the newsletter's file.",
        example="1,200 readers last time, none now; the Slack channel is there still",
    ),
    Rule(
        "people.audience-size",
        Severity.WARNING,
        changed_audience,
        mend="Look where the readers came from or went, or set `audience_factor` in the newsletter's file.",
        example="1,200 readers last time, 2,400 now",
    ),
    Rule(
        "people.suppressed",
        Severity.WARNING,
        many_suppressed,
        mend="Find out where the suppressed addresses came from, and import no more from there.",
        example="100 confirmed readers, 11 of them suppressed",
    ),
    Rule(
        "people.in-doubt",
        Severity.WARNING,
        left_in_doubt,
        mend="Look whether they arrived, and say so with `broadsheet resolve`.",
        example="2025-W16 has 3 deliveries in doubt when 2025-W17 is to go",
    ),
    Rule(
        "people.field",
        Severity.WARNING,
        unknown_field,
        mend="Name a field that every reader has, or write the words themselves.",
        example="{{ reader.nickname | default('friend') }}",
    ),
    Rule(
        "people.unnamed",
        Severity.WARNING,
        nameless,
        mend="Say in the newsletter's file what stands for a missing name: `unnamed`.",
        example='greeting = "Hello {name}," without `unnamed`, and a reader without a name',
    ),
    Rule(
        "people.approval",
        Severity.WARNING,
        unapproved,
        mend="Approve it with `broadsheet approve`, or hold it.",
        example='approval = "required", an hour before the send, and no approval',
    ),
    Rule(
        "people.send-time",
        Severity.WARNING,
        send_time_over,
        mend="Publish it by hand, give it another week, or leave it.",
        example="2025-W17, due on Friday at 09:00, on Saturday",
    ),
    Rule(
        "people.skip-date",
        Severity.WARNING,
        skip_date,
        mend="Give the issue another week, or take the date out of `skip` in [schedule].",
        example='skip = ["2025-04-25"] and content/ai-papers/2025-W17.md',
    ),
    Rule(
        "people.doubled",
        Severity.HINT,
        sent_together,
        mend="Send one of the newsletters at another time, if their readers should read both.",
        example="ai-papers on Friday at 09:00, ai-tools on Friday at 09:30, with readers in common",
    ),
)
