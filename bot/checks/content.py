"""Rules about content that can be read, but may not be what readers or curators want."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from bot.checks import Flaw, Material, Rule
from bot.models import Entry, Issue, Severity, Status
from bot.text import (
    Block,
    Bullets,
    CodeBlock,
    Emphasis,
    Heading,
    Inline,
    Link,
    Paragraph,
    Quote,
    Strong,
    Struck,
    Table,
)

_SUBJECT = 70
_PREHEADER = 140


def two_files(material: Material) -> Iterator[Flaw]:
    """Two files claim one week: nobody can tell which is the issue."""
    yield from material.read("content.week")
    files = defaultdict[str, list[Issue]](list)
    for issue in material.issues:
        files[issue.key].append(issue)
    told = {finding.issue for finding in material.findings if finding.rule == "content.week"}
    for key, (first, *others) in files.items():
        for other in others if key not in told else ():
            message = f"week: {other.week} is also the week of {first.place}"
            yield Flaw(other.place, message, "give each week one file", key)


def long_subject(material: Material) -> Iterator[Flaw]:
    """A mail's subject is longer than most inboxes show (70 characters)."""
    for issue in material.issues:
        subject = issue.subject or issue.title
        if len(subject) > _SUBJECT:
            key = "subject" if issue.subject else "title"
            message = f"{key}: {len(subject)} characters, of which an inbox shows about {_SUBJECT}"
            yield Flaw(issue.place, message, "put what matters first, or set `subject`", issue.key)


def long_preheader(material: Material) -> Iterator[Flaw]:
    """The line that inboxes show after the subject is longer than they show (140 characters)."""
    for issue in material.issues:
        if (length := len(issue.preheader or "")) > _PREHEADER:
            message = f"preheader: {length} characters, of which an inbox shows about {_PREHEADER}"
            yield Flaw(issue.place, message, issue=issue.key)


def draft(material: Material) -> Iterator[Flaw]:
    """The issue is a draft, which never goes out."""
    for issue in material.issues:
        if issue.status is Status.DRAFT:
            yield Flaw(issue.place, "status: draft does not go out", "write `status: ready`", issue.key)


def no_entries(material: Material) -> Iterator[Flaw]:
    """The issue has no entries of its own; single entries may still join it."""
    for issue in material.issues:
        if not issue.entries:
            yield Flaw(issue.place, "no entries", "each `##` heading begins one", issue.key)


def no_link(material: Material) -> Iterator[Flaw]:
    """An entry leads nowhere: it has no line of links, and none in its text."""
    for entry, issue in material.all_entries():
        if not entry.references and not any(links_of(entry.blocks)):
            yield Flaw(
                entry.place, f"{entry.title!r} has no link", "a line of links follows the heading", issue
            )


def no_text(material: Material) -> Iterator[Flaw]:
    """An entry is a title alone."""
    for entry, issue in material.all_entries():
        if not entry.blocks:
            yield Flaw(
                entry.place, f"{entry.title!r} says nothing", "write a lead of a sentence or two", issue
            )


def insecure_link(material: Material) -> Iterator[Flaw]:
    """A link goes over http: many sites redirect it, and some readers' browsers warn."""
    for entry, issue in material.all_entries():
        for url in dict.fromkeys(urls_of(entry)):
            if url.lower().startswith("http://"):
                yield Flaw(entry.place, f"{url} is not https", "try https", issue)


def repeated_url(material: Material) -> Iterator[Flaw]:
    """Two references of one issue lead to the same page."""
    for issue in material.issues:
        first = dict[str, str]()
        for entry in issue.entries:
            for reference in entry.references:
                page = _page(reference.url)
                if page in first:
                    message = f"{reference.url} is also a link of {first[page]!r}"
                    yield Flaw(entry.place, message, issue=issue.key)
                first.setdefault(page, entry.title)


def repeated_title(material: Material) -> Iterator[Flaw]:
    """Two entries of one issue have the same title."""
    for issue in material.issues:
        seen = Counter[str]()
        for entry in issue.entries:
            seen[entry.title.casefold()] += 1
            if seen[entry.title.casefold()] == 2:  # noqa: PLR2004 (the second one)
                yield Flaw(entry.place, f"{entry.title!r} is in this issue twice", issue=issue.key)


def urls_of(entry: Entry) -> Iterator[str]:
    """Where an entry leads."""
    yield from (reference.url for reference in entry.references)
    yield from (link.url for link in links_of(entry.blocks))


def _page(url: str) -> str:
    """What tells pages apart: not the scheme, the case of the host, the fragment or a final slash."""
    try:
        parts = urlsplit(url)
    except ValueError:  # an unclosed bracket: no page that another link could name
        return url
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}?{parts.query}"


def links_of(blocks: Iterable[Block]) -> Iterator[Link]:
    """Every link of a text, wherever in it."""
    for block in blocks:
        match block:
            case Paragraph() | Heading():
                yield from _inline_links(block.children)
            case Quote():
                yield from links_of(block.children)
            case Bullets():
                for item in block.items:
                    yield from links_of(item)
            case Table():
                for row in block.rows:
                    for cell in row:
                        yield from _inline_links(cell)
            case CodeBlock():
                pass


def _inline_links(inlines: Iterable[Inline]) -> Iterator[Link]:
    for inline in inlines:
        if isinstance(inline, Link):
            yield inline
        elif isinstance(inline, Strong | Emphasis | Struck):
            yield from _inline_links(inline.children)


LOOKS_AT = Material
RULES = (
    Rule("content.week", Severity.ERROR, two_files),
    Rule("content.title-length", Severity.HINT, long_subject),
    Rule("content.preheader-length", Severity.HINT, long_preheader),
    Rule("content.draft", Severity.HINT, draft),
    Rule("content.empty", Severity.WARNING, no_entries),
    Rule("content.no-link", Severity.HINT, no_link),
    Rule("content.no-text", Severity.HINT, no_text),
    Rule("content.link-http", Severity.HINT, insecure_link),
    Rule("content.duplicate-url", Severity.WARNING, repeated_url),
    Rule("content.duplicate-title", Severity.HINT, repeated_title),
)
