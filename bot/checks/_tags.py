"""Rules about the tags of a mail: what programs drop, what leads nowhere, and what cannot be listened to."""

import re
from collections.abc import Iterator
from itertools import pairwise

from bot.checks import Flaw, Mail, Rule
from bot.checks._styles import loosely
from bot.checks.content import links_of, urls_of
from bot.models import Severity

_LEADS_SOMEWHERE = re.compile(r"(?:https?://|mailto:|tel:)[^\s]|#", re.IGNORECASE)
_NEVER = ("script", "iframe", "object", "embed", "form", "input", "button", "base", "frame", "applet")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def active_content(mail: Mail) -> Iterator[Flaw]:
    """The mail has a script, a form, a frame, a base or a stylesheet of another file.

    Mail programs drop it, and spam filters fear it: the mail may not arrive at all.
    """
    for what, pattern in dict.fromkeys(_active(mail)):
        yield Flaw(mail.place(pattern), f"{what} does not work in mail", "leave it out", mail.issue.key)


def _active(mail: Mail) -> Iterator[tuple[str, str]]:
    for element in mail.elements:
        tag = str(element.tag)
        if tag in _NEVER:
            yield f"<{tag}>", rf"<{tag}\b"
        elif tag == "link" and "stylesheet" in (element.get("rel") or "").lower():
            yield "a stylesheet of another file", r"<link\b[^>]*stylesheet"
        elif tag == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
            yield "<meta http-equiv=refresh>", r"<meta\b[^>]*refresh"
        for name in map(str, element.attrib):
            if re.match(r"on[a-z]{3}", name, re.IGNORECASE):
                yield f"{name}=", rf"\b{re.escape(name)}\s*="


def dead_link(mail: Mail) -> Iterator[Flaw]:
    """A link is not absolute, or of a kind that mail programs do not follow.

    A mail has no address that a relative link could begin from, and javascript: and data: are blocked.
    """
    for link in mail.tags("a", "area"):
        target = link.get("href")
        if target is not None and not _LEADS_SOMEWHERE.match(target.strip()):
            place = _in_content(mail, target) or mail.place(rf"href\s*=\s*.?{loosely(target)}", "<a ")
            message = f"the link {target[:60]!r} leads nowhere from a mail"
            yield Flaw(place, message, "write the whole address: https://…", mail.issue.key)


def silent_link(mail: Mail) -> Iterator[Flaw]:
    """A link has no words.

    A screen reader has nothing to say of it, or reads out its address, letter by letter.
    """
    for link in mail.tags("a"):
        if link.get("href") and link not in mail.hidden and not mail.has_words(link):
            target = link.get("href") or ""
            place = _in_content(mail, target) or mail.place(loosely(target), "<a ")
            yield Flaw(place, f"the link {target[:60]!r} has no words", "say where it leads", mail.issue.key)


def heading_order(mail: Mail) -> Iterator[Flaw]:
    """There is not one `<h1>`, or a level of heading is left out.

    Who listens to a mail moves through it by its headings, as others do with their eyes.
    """
    levels = [int(str(heading.tag)[1]) for heading in mail.tags(*_HEADINGS) if heading not in mail.hidden]
    if levels.count(1) != 1:
        fix = "make the issue's title the one <h1>"
        yield Flaw(mail.place("<h1"), f"the mail has {levels.count(1)} <h1>", fix, mail.issue.key)
    skips = [(before, level) for before, level in pairwise(levels) if level > before + 1]
    for before, level in dict.fromkeys(skips):
        message = f"<h{level}> follows <h{before}>"
        yield Flaw(mail.place(f"<h{level}"), message, f"make it an <h{before + 1}>", mail.issue.key)


def table_without_role(mail: Mail) -> Iterator[Flaw]:
    """A table that only lays things out has no role.

    A screen reader then reads out the rows and columns of what is no table to a reader.
    """
    for table in mail.tags("table"):
        is_data = any(True for _ in table.iter("th"))
        if not is_data and (table.get("role") or "").lower() not in {"presentation", "none"}:
            place = mail.place(r"<table(?![^>]*\brole\s*=)", "<table")
            fix = 'add role="presentation"; a table of data has <th>'
            yield Flaw(place, "a table has neither a role nor <th>", fix, mail.issue.key)


def _in_content(mail: Mail, url: str) -> str | None:
    """The place of the entry that leads there, or of the issue whose intro does."""
    for entry in mail.issue.entries:
        if url in urls_of(entry):
            return entry.place
    return mail.issue.place if any(link.url == url for link in links_of(mail.issue.intro)) else None


RULES = (
    Rule(
        "mail.active-content",
        Severity.ERROR,
        active_content,
        example="<script>alert(1)</script>",
        mend="Leave it out, and link to a page that has it.",
    ),
    Rule(
        "mail.link",
        Severity.ERROR,
        dead_link,
        example='<a href="/issues">All issues</a>',
        mend="Write the whole address, with https:// before it.",
    ),
    Rule(
        "mail.link-text",
        Severity.WARNING,
        silent_link,
        example='<a href="https://example.org"><img src="https://example.org/a.png" alt="" width="9"></a>',
        mend="Say in the link, or in the alt of its image, where it leads.",
    ),
    Rule(
        "mail.heading-order",
        Severity.WARNING,
        heading_order,
        example="<h2>News</h2><h4>Details</h4>",
        mend="Make the title of the issue the one <h1>, and leave no level out.",
    ),
    Rule(
        "mail.layout-table",
        Severity.WARNING,
        table_without_role,
        example="<table><tr><td>Words</td></tr></table>",
        mend='Write role="presentation" into the tag; a table of data has <th>.',
    ),
)
