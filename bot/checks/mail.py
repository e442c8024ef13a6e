"""Rules about an issue as it would be mailed: what mail programs cut, drop or hide of it."""

import re
from collections.abc import Iterator
from itertools import pairwise

from lxml.etree import _Element

from bot.checks import Flaw, Mail, Rule
from bot.checks._mail import letters
from bot.checks._styles import big_styles, imported_styles, loosely, lost_in_gmail, unresolved_variables
from bot.checks.content import links_of, urls_of
from bot.errors import InputError
from bot.folding import LIMIT, foldable
from bot.models import Finding, Issue, Severity
from bot.slots import Slots

CLIPPED = 102_000
"""Bytes of HTML that Gmail shows; what follows is behind a link, with every style and the footer."""
BIG = 80_000
"""Bytes of HTML from which a curator should know that entries will fold soon."""

NAMED = 10
"""Folded entries that a message names."""

_LEADS_SOMEWHERE = re.compile(r"(?:https?://|mailto:|tel:)[^\s]|#", re.IGNORECASE)
_SOURCE = re.compile(r"(?:https?://|cid:)[^\s]", re.IGNORECASE)
_NEVER = ("script", "iframe", "object", "embed", "form", "input", "button", "base", "frame", "applet")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


# -------------------------------------------------------------------------------------------------- images


def no_alternative(mail: Mail) -> Iterator[Flaw]:
    """An image has no alt: readers whose program shows no images are not told what is missing."""
    for image in mail.tags("img"):
        if image.get("alt") is None:
            place = mail.place(r"<img(?![^>]*\balt\s*=)")
            yield Flaw(place, f"{_shown(image)} has no alt", 'say what it shows, or alt=""', mail.issue.key)


def unreachable_image(mail: Mail) -> Iterator[Flaw]:
    """An image's source is relative, within the page (data:) or missing: most mail programs show nothing."""
    for image in mail.tags("img"):
        source = (image.get("src") or "").strip()
        if not _SOURCE.match(source):
            place = mail.place(rf"<img[^>]*{loosely(source)}" if source else "<img(?![^>]*src)", "<img")
            what = "is within the page, which Gmail does not show" if source.startswith("data:") else (
                "leads nowhere from a mail" if source else "has no source"
            )  # fmt: skip
            mend = "put the image on the web, and name its whole address: https://…"
            yield Flaw(place, f"{_shown(image)} {what}", mend, mail.issue.key)


def no_width(mail: Mail) -> Iterator[Flaw]:
    """An image has no width attribute in pixels: Outlook shows it as wide as the file is."""
    for image in mail.tags("img"):
        if not re.fullmatch(r"\s*[0-9]+%?\s*", image.get("width") or ""):
            place = mail.place(r'<img(?![^>]*\bwidth\s*=\s*["\']?[0-9{])', "<img")
            yield Flaw(place, f"{_shown(image)} has no width", 'add width="600", without px', mail.issue.key)


def _shown(image: _Element) -> str:
    return f"image {(image.get('src') or '')[:60]!r}"


# ---------------------------------------------------------------------------------------------------- size


def clipped(mail: Mail) -> Iterator[Flaw]:
    """The HTML has more than the 102,000 bytes that Gmail shows, with all folded, or (a warning) nearly."""
    if mail.size > CLIPPED:
        message = (
            f"{mail.size:,} bytes of HTML, of which Gmail shows {CLIPPED:,}: the link to leave is cut off"
        )
        yield Flaw(mail.issue.place, message, "divide the issue, or shorten its leads", mail.issue.key)
    elif mail.size > BIG and not mail.rendered.folded:
        message = f"{mail.size:,} bytes of HTML: from {LIMIT:,} on, the last entries are shortened"
        yield Flaw(mail.issue.place, message, "", mail.issue.key, Severity.WARNING)


def folded(mail: Mail) -> Iterator[Flaw]:
    """Gmail would cut the mail, so some of its last entries show their lead and a link to read on."""
    entries = mail.issue.entries
    if numbers := sorted(foldable(entries, mail.web_url)[: mail.rendered.folded]):
        titles = ", ".join(repr(entries[number - 1].title) for number in numbers[:NAMED])
        titles += f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else ""
        message = f"{len(numbers)} entries are shortened in the mail, which Gmail would cut: {titles}"
        yield Flaw(mail.issue.place, message, "divide the issue to show them whole", mail.issue.key)


# ---------------------------------------------------------------------------------- what a mail must have


def no_language(mail: Mail) -> Iterator[Flaw]:
    """The page does not say its language and direction, by which screen readers choose a voice."""
    page = mail.page
    if missing := [name for name in ("lang", "dir") if not (page.get(name) or "").strip()]:
        wanted = " ".join(f'{name}="{{{{ newsletter.{_KEYS[name]} }}}}"' for name in missing)
        message = f"<html> has no {' and no '.join(missing)}"
        yield Flaw(mail.place(r"<html\b"), message, f"write {wanted}", mail.issue.key)


_KEYS = {"lang": "language", "dir": "direction"}


def no_title(mail: Mail) -> Iterator[Flaw]:
    """The page has no title, which Android and Outlook read out."""
    if not any((title.text or "").strip() for title in mail.tags("title")):
        place = mail.place(r"<title\b", r"<head\b")
        yield Flaw(place, "no <title>", "write <title>{{ subject }}</title>", mail.issue.key)


def no_way_out(mail: Mail) -> Iterator[Flaw]:
    """Readers see no unsubscribe link in the mail; the law and the big providers ask for one."""
    way_out = Slots(mail.rendered.nonce).unsubscribe
    if not any(link.get("href") == way_out and _has_words(mail, link) for link in mail.tags("a")):
        fix = 'add <a href="{{ reader.unsubscribe_url }}">Unsubscribe</a>'
        yield Flaw(mail.place(), "no visible link to unsubscribe", fix, mail.issue.key)


def no_postal_address(mail: Mail) -> Iterator[Flaw]:
    """Readers do not see who sends the mail from where, which the law of many countries asks for."""
    lines = mail.newsletter.postal_address.splitlines()
    if any(letters(line) not in mail.letters for line in lines):
        fix = "show {{ newsletter.postal_address }}"
        yield Flaw(mail.place(), "the postal address is not shown whole", fix, mail.issue.key)


def no_web_version(mail: Mail) -> Iterator[Flaw]:
    """Readers whose program shows the mail badly find no link to the issue on the web."""
    if not any(link.get("href") == mail.web_url and _has_words(mail, link) for link in mail.tags("a")):
        fix = 'add <a href="{{ web_url }}">Read on the web</a>, best near the top'
        yield Flaw(mail.place(), "no visible link to the issue on the web", fix, mail.issue.key)


# ------------------------------------------------------------------------------- what a mail must not have


def active_content(mail: Mail) -> Iterator[Flaw]:
    """The mail has a script, form, frame, base or outer stylesheet: programs drop it, filters fear it."""
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
    """A link is not absolute, or no link that mail programs follow (javascript:, data:)."""
    for link in mail.tags("a", "area"):
        target = link.get("href")
        if target is not None and not _LEADS_SOMEWHERE.match(target.strip()):
            place = _in_content(mail, target) or mail.place(rf"href\s*=\s*.?{loosely(target)}", "<a ")
            message = f"the link {target[:60]!r} leads nowhere from a mail"
            yield Flaw(place, message, "write the whole address: https://…", mail.issue.key)


def silent_link(mail: Mail) -> Iterator[Flaw]:
    """A link has no words: a screen reader has nothing to say of it."""
    for link in mail.tags("a"):
        if link.get("href") and link not in mail.hidden and not _has_words(mail, link):
            target = link.get("href") or ""
            place = _in_content(mail, target) or mail.place(loosely(target), "<a ")
            yield Flaw(place, f"the link {target[:60]!r} has no words", "say where it leads", mail.issue.key)


def heading_order(mail: Mail) -> Iterator[Flaw]:
    """Not one `<h1>`, or a level of heading is left out: who listens to a mail moves by its headings."""
    levels = [int(str(heading.tag)[1]) for heading in mail.tags(*_HEADINGS) if heading not in mail.hidden]
    if levels.count(1) != 1:
        fix = "make the issue's title the one <h1>"
        yield Flaw(mail.place("<h1"), f"{levels.count(1)} <h1>", fix, mail.issue.key)
    skips = [(before, level) for before, level in pairwise(levels) if level > before + 1]
    for before, level in dict.fromkeys(skips):
        message = f"<h{level}> follows <h{before}>"
        yield Flaw(mail.place(f"<h{level}"), message, f"make it an <h{before + 1}>", mail.issue.key)


def table_without_role(mail: Mail) -> Iterator[Flaw]:
    """A layout table has no role, so that a screen reader reads out its rows and columns."""
    for table in mail.tags("table"):
        is_data = any(True for _ in table.iter("th"))
        if not is_data and (table.get("role") or "").lower() not in {"presentation", "none"}:
            place = mail.place(r"<table(?![^>]*\brole\s*=)", "<table")
            fix = 'add role="presentation"; a table of data has <th>'
            yield Flaw(place, "a table has neither a role nor <th>", fix, mail.issue.key)


def _has_words(mail: Mail, link: _Element) -> bool:
    """Whether a reader can see or hear what a link is about."""
    if link in mail.hidden:
        return False
    images = (image.get("alt") for image in link.iter("img"))
    words = "".join(map(str, (*link.itertext("*"), link.get("aria-label") or "", *filter(None, images))))
    return any(character.isprintable() and not character.isspace() for character in words)


def _in_content(mail: Mail, url: str) -> str | None:
    """The place of the entry that leads there, or of the issue whose intro does."""
    for entry in mail.issue.entries:
        if url in urls_of(entry):
            return entry.place
    return mail.issue.place if any(link.url == url for link in links_of(mail.issue.intro)) else None


def _nothing(_mail: Mail) -> Iterator[Flaw]:
    """The issue cannot be set: a template is broken, or makes what mail or Slack cannot carry."""
    yield from ()


_RENDER = Rule("mail.render", Severity.ERROR, _nothing)


def cannot_be_made(issue: Issue, error: InputError) -> Finding:
    """The finding of whoever tried to render an issue: there is no mail to look at."""
    return _RENDER.finding(Flaw(error.where, error.what, error.mend, issue.key))


LOOKS_AT = Mail
RULES = (
    _RENDER,
    Rule("mail.css-import", Severity.ERROR, imported_styles),
    Rule("mail.css-variable", Severity.ERROR, unresolved_variables),
    Rule("mail.css-gmail", Severity.ERROR, lost_in_gmail),
    Rule("mail.style-size", Severity.ERROR, big_styles),
    Rule("mail.image-alt", Severity.WARNING, no_alternative),
    Rule("mail.image-source", Severity.ERROR, unreachable_image),
    Rule("mail.image-width", Severity.WARNING, no_width),
    Rule("mail.html-size", Severity.ERROR, clipped),
    Rule("mail.folded", Severity.WARNING, folded),
    Rule("mail.language", Severity.WARNING, no_language),
    Rule("mail.title", Severity.WARNING, no_title),
    Rule("mail.unsubscribe", Severity.ERROR, no_way_out),
    Rule("mail.postal-address", Severity.WARNING, no_postal_address),
    Rule("mail.web-version", Severity.WARNING, no_web_version),
    Rule("mail.active-content", Severity.ERROR, active_content),
    Rule("mail.link", Severity.ERROR, dead_link),
    Rule("mail.link-text", Severity.WARNING, silent_link),
    Rule("mail.heading-order", Severity.WARNING, heading_order),
    Rule("mail.layout-table", Severity.WARNING, table_without_role),
)
