"""The nouns of the product, frozen, without input or output; the README's glossary tells them apart."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Literal, Self

from bot.text import Block, Blocks, Paragraph

# ------------------------------------------------------------------------------------------------- time


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """An ISO week with its ISO year (`%G-W%V`, never `%Y`): `2026-W53` exists, `2025-W53` does not."""

    year: int
    number: int

    def __post_init__(self) -> None:
        date.fromisocalendar(self.year, self.number, 1)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `2025-W17`; ValueError for any other spelling and for weeks a year does not have.

        Years go from 1900 to 2999: a slip of the pen is refused here, not where the weeks beside it overflow.
        """
        if not (found := re.fullmatch(r"(\d{4})-W(\d{2})", text, re.ASCII)):
            raise ValueError(f"{text!r} is not a week such as 2025-W17")
        if not "1900" <= found[1] <= "2999":
            raise ValueError(f"{text} does not exist: years go from 1900 to 2999")
        try:
            return cls(int(found[1]), int(found[2]))
        except ValueError as error:
            raise ValueError(f"{text} does not exist: {found[1]} has no week {int(found[2])}") from error

    @classmethod
    def of(cls, day: date) -> Self:
        """The week that holds a calendar day."""
        year, number, _ = day.isocalendar()
        return cls(year, number)

    @property
    def monday(self) -> date:
        return date.fromisocalendar(self.year, self.number, 1)

    def __str__(self) -> str:
        return f"{self.year:04}-W{self.number:02}"


def aware(instant: datetime) -> datetime:
    """The instant in UTC; ValueError where it names no zone, since no door of ours takes one."""
    if instant.tzinfo is None or instant.utcoffset() is None:
        raise ValueError(f"{instant.isoformat()} has no time zone")
    return instant.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Window:
    """The half-open span [start, end) of UTC instants whose entries an issue takes."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", aware(self.start))
        object.__setattr__(self, "end", aware(self.end))

    def __contains__(self, instant: datetime) -> bool:
        return self.start <= instant < self.end


# ---------------------------------------------------------------------------------------------- content


@dataclass(frozen=True, slots=True)
class Reference:
    """One link of an entry's line of links: what it leads to, and what it is called."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One curated item. `place` is `file:line`, for messages; it is no part of what the entry says."""

    title: str
    references: tuple[Reference, ...] = ()
    blocks: Blocks = ()
    section: str | None = None
    date: datetime | None = None
    """When a single entry was collected (aware); None for an entry of an issue file."""
    place: str = field(default="", compare=False)

    @property
    def url(self) -> str | None:
        """Where the title leads: the first reference."""
        return self.references[0].url if self.references else None

    @property
    def lead(self) -> Paragraph | None:
        """The opening paragraph, if the entry opens with one."""
        first = self.blocks[0] if self.blocks else None
        return first if isinstance(first, Paragraph) else None

    @property
    def rest(self) -> tuple[Block, ...]:
        """What follows the lead."""
        return self.blocks[1:] if self.lead else self.blocks


@dataclass(frozen=True, slots=True)
class Section:
    """A headed group of entries; the group without a title comes first, if there is one."""

    title: str | None
    entries: tuple[Entry, ...]


class Status(StrEnum):
    """What the curator says of an issue file: only a ready one goes out."""

    DRAFT = "draft"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Issue:
    """One numbered number of a newsletter, as the curators wrote it."""

    newsletter: str
    week: Week
    title: str
    sections: tuple[Section, ...] = ()
    subject: str | None = None
    """The mail's subject where it is not the title."""
    preheader: str | None = None
    intro: Blocks = ()
    status: Status = Status.READY
    place: str = field(default="", compare=False)
    checks: Mapping[str, str] = field(default_factory=dict, compare=False)
    """How bad to take what a rule finds in it, by the rule's id: off, hint, warning or error."""

    @property
    def key(self) -> str:
        """`ai-papers/2025-W17`: the issue's full name."""
        return f"{self.newsletter}/{self.week}"

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for section in self.sections for entry in section.entries)


class Severity(StrEnum):
    """How bad a finding is: an error keeps an issue from going out."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Edit:
    """A mend that needs no judgement: within one line of a content file, `old` becomes `new`."""

    place: str
    """`file:line`, or `file:line:column` where `old` begins; without a column it is looked for."""
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, under a stable rule id."""

    rule: str
    severity: Severity
    place: str
    """`content/ai-papers/2025-W17.md:12`, or the key's path in a configuration file."""
    message: str
    """What is wrong; begins with the key where one is concerned: `week: 2025-W53 does not exist`."""
    fix: str = ""
    issue: str | None = None
    edits: tuple[Edit, ...] = ()
    """What `check --fix` does about it; nothing where a person has to judge."""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.message, self.fix) if part)


def errors_of(findings: tuple[Finding, ...] | list[Finding]) -> Iterator[Finding]:
    """The findings that keep an issue from going out."""
    return (finding for finding in findings if finding.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A finished issue: what every reader gets, but for the slots (`bot.slots`) that differ between them."""

    subject: str
    preheader: str
    html: str
    text: str
    page: str
    nonce: str
    """Names this issue's slots; see `bot.slots.Slots`."""
    folded: int = 0
    """How many of the last entries show a link, in the HTML, in the place of what follows their lead."""
    sheets: tuple[str, ...] = ()
    """The text of each `<style>` before inlining: what its author wrote."""
    article: str = ""
    """What the page holds below its title: HTML that feeds carry as well."""


# ---------------------------------------------------------------------------------------------- readers


class Consent(StrEnum):
    """The state of a subscription. It only moves forward: an unsubscribed reader comes back by asking."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    UNSUBSCRIBED = "unsubscribed"


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A person with an address, and how they stand to each newsletter."""

    email: str
    name: str = ""
    language: str = ""
    subscriptions: dict[str, Consent] = field(default_factory=dict)
    suppressed: str | None = None
    """Why nobody here may mail this address, or None."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One recipient of one newsletter, as a letter needs them."""

    email: str
    name: str
    token: str
    """The subscription's secret name: 22 characters of [A-Za-z0-9] (131 bits), for links and Message-IDs."""


# ----------------------------------------------------------------------------------------------- ledger


class DeliveryState(StrEnum):
    """Where a delivery stands; all but the first two are settled."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    IN_DOUBT = "in_doubt"
    SUPPRESSED = "suppressed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the other side gave back: an SMTP reply with its queue id, a Slack `ts`, a file's name."""

    reference: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One issue × one channel × one recipient (chat: × part), as the outbox hands it to a courier."""

    id: int
    issue: str
    """The issue's key, `ai-papers/2025-W17`."""
    channel: str
    part: int
    """0 for mail; a chat's messages count from 1, in order."""
    reader: Reader | None
    """None for chat."""
    root: Receipt | None = None
    """The receipt of part 1, for the later parts of a chat."""
    attempts: int = 0
    """How many tries were charged to it so far."""
    first_tried_at: datetime | None = None
    published_at: datetime | None = None
    """When its issue was put into the outbox: nothing of it left before."""


@dataclass(frozen=True, slots=True)
class Balance:
    """The rows of one issue on one channel, counted by state: planned = all the others together."""

    sent: int = 0
    failed: int = 0
    suppressed: int = 0
    skipped: int = 0
    in_doubt: int = 0
    waiting: int = 0

    @property
    def planned(self) -> int:
        return self.sent + self.failed + self.suppressed + self.skipped + self.in_doubt + self.waiting


ApprovalState = Literal["approved", "void", "held"]


class Origin(StrEnum):
    """Where a curator decided."""

    CLI = "cli"
    STUDIO = "studio"
    SLACK = "slack"
    MAIL = "mail"


@dataclass(frozen=True, slots=True)
class Approval:
    """A curator's decision on one content hash of an issue: yes (`approved`) or stop (`held`)."""

    decision: Literal["approved", "held"]
    hash: str
    at: datetime
    by: str = ""
    """Who: a curator's key in the configuration or, on the command line, the machine's user."""
    origin: Origin | None = None

    def stands_for(self, content_hash: str) -> ApprovalState:
        """What the decision is worth for the content as it is now: a yes is void once the content changed."""
        if self.decision == "held":
            return "held"
        return "approved" if self.hash == content_hash else "void"
