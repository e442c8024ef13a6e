"""Who would get an issue now, counted, as the rules about people look at it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.calendar import is_skipped, send_at
from bot.models import ApprovalState, Issue, Week
from bot.settings import Newsletter

KNOWN_FIELDS = frozenset({"name", "email", "unsubscribe_url"})
"""What a template may ask of a reader: every reader has it."""

TOGETHER = timedelta(hours=1)
"""Two issues that go out within this time arrive together."""

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_FIELD = re.compile(r"""(?<![\w.])reader(?:\.|\s{0,9}\[\s{0,9}["'])(\w{1,60})""")


@dataclass(frozen=True, slots=True)
class Crowd:
    """Whom one channel would reach."""

    channel: str
    recipients: int
    """Readers who would get it; of a conversation, the messages that would be posted."""
    of_readers: bool = True
    """False for a conversation."""
    suppressed: int = 0
    """Confirmed readers besides, whose address nobody here may mail."""
    nameless: int = 0
    """Those of the recipients who gave no name."""
    last: int | None = None
    """How many recipients the last issue had there; None where it did not go there."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another newsletter that goes out at about the same time."""

    newsletter: str
    at: datetime
    shared: int
    """How many readers of this newsletter it has, too."""


@dataclass(frozen=True, slots=True)
class Readership:
    """The people of one issue at one moment."""

    issue: Issue
    newsletter: Newsletter
    now: datetime
    crowds: tuple[Crowd, ...] = ()
    last: Week | None = None
    """The newest issue of the newsletter that went out."""
    doubts: int = 0
    """How many of its deliveries are in doubt."""
    approval: ApprovalState | None = None
    sending: bool = False
    """Whether it is sent at this moment, rather than looked at."""
    by_hand: bool = False
    """Whether a person sends it at this moment: that is a yes, and the time is theirs."""
    fresh: bool = False
    """Whether the ledger knows no reader and no issue yet: it may not be the one that will send."""
    names_readers: bool = False
    """Whether the mail has a place for the reader's name."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What its templates ask of a reader, by name: where the first one asks."""
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def key(self) -> str:
        return self.issue.key

    @property
    def file(self) -> str:
        """Where the newsletter is configured."""
        return f"config/newsletters/{self.newsletter.name}.toml"

    @property
    def due(self) -> datetime:
        """When the issue goes out, on the newsletter's own clock."""
        schedule = self.newsletter.schedule
        return send_at(schedule, self.issue.week).astimezone(schedule.zone)

    @property
    def skipped(self) -> bool:
        """Whether that is a date on which nothing is sent."""
        return is_skipped(self.newsletter.schedule, self.issue.week)

    @property
    def issues(self) -> tuple[Issue, ...]:
        return (self.issue,)

    @property
    def newsletters(self) -> tuple[Newsletter, ...]:
        return (self.newsletter,)


def fields_of(sources: Mapping[str, str]) -> dict[str, str]:
    """The fields of a reader that templates name, each with `templates/…:line` of the first place.

    `sources` are texts of templates by name; what is commented out does not count.
    """
    found = dict[str, str]()
    for name, source in sources.items():
        spoken = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)
        for one in _FIELD.finditer(spoken):
            line = spoken.count("\n", 0, one.start()) + 1
            found.setdefault(one[1], f"templates/{name}:{line}")
    return found
