"""Rules about how large a mail may be, and what becomes of what is too much."""

from collections.abc import Iterator

from bot.checks import Flaw, Mail, Rule
from bot.folding import LIMIT, foldable
from bot.models import Severity

CLIPPED = 102_000
"""Bytes of HTML that Gmail shows; what follows is behind a link, with every style and the footer."""
BIG = 80_000
"""Bytes of HTML from which a curator should know that entries will fold soon."""

NAMED = 10
"""Folded entries that a message names."""


def clipped(mail: Mail) -> Iterator[Flaw]:
    """The HTML has more than the 102,000 bytes that Gmail shows, or (a warning) nearly.

    Gmail hides the rest behind a link, and with it the link to leave and the postal address; readers who miss
    them press "spam".
    """
    if mail.size > CLIPPED:
        message = (
            f"{mail.size:,} bytes of HTML, of which Gmail shows {CLIPPED:,}: the link to leave is cut off"
        )
        yield Flaw(mail.issue.place, message, "divide the issue, or shorten its leads", mail.issue.key)
    elif mail.size > BIG and not mail.rendered.folded:
        message = f"{mail.size:,} bytes of HTML: from {LIMIT:,} on, the last entries are shortened"
        yield Flaw(mail.issue.place, message, "", mail.issue.key, Severity.WARNING)


def folded(mail: Mail) -> Iterator[Flaw]:
    """The last entries are shortened to their lead and a link, since Gmail would cut the mail.

    Readers of mail get less of these entries than readers of the web page; curators may prefer two issues.
    """
    entries = mail.issue.entries
    if numbers := sorted(foldable(entries, mail.web_url)[: mail.rendered.folded]):
        titles = ", ".join(repr(entries[number - 1].title) for number in numbers[:NAMED])
        titles += f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else ""
        message = f"{len(numbers)} entries are shortened in the mail, which Gmail would cut: {titles}"
        yield Flaw(mail.issue.place, message, "divide the issue to show them whole", mail.issue.key)


RULES = (
    Rule(
        "mail.html-size",
        Severity.ERROR,
        clipped,
        example='<p>{{ "x" * 102_001 }}</p>',
        mend="Divide the issue, or shorten its leads.",
    ),
    Rule(
        "mail.folded",
        Severity.WARNING,
        folded,
        example='<p>{{ "x" * 100_001 }}</p>',
        mend="Divide the issue to show its entries whole.",
    ),
)
