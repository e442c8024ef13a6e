"""Rules about content that can be read, but may not be what readers or curators want."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from bot.canonical import canonical
from bot.checks import Flaw, Material, Rule
from bot.checks._links import Seen, parts_of
from bot.checks._reading import READING
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
_PARAGRAPH = 150
"""Characters of a subject that is none."""
_PREHEADER = 140


def two_files(material: Material) -> Iterator[Flaw]:
    """Two files claim one week: nobody can tell which is the issue.

    Whichever went out, the curators of the other one would be surprised; so neither does.
    """
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
    """A mail's subject is longer than most inboxes show (70 characters): a hint, and from 150 on a warning.

    What an inbox does not show is not read, and the end of a subject is often what tells one week from the
    next. One of more than 150 characters is most likely a paragraph that slipped into the key.
    """
    for issue in material.issues:
        subject = issue.subject or issue.title
        if len(subject) > _SUBJECT:
            key = "subject" if issue.subject else "title"
            message = f"{key}: {len(subject)} characters, of which an inbox shows about {_SUBJECT}"
            severity = Severity.HINT if len(subject) <= _PARAGRAPH else None
            place = material.spot(issue.place, f"{key}:")
            yield Flaw(place, message, "put what matters first, or set `subject`", issue.key, severity)


def long_preheader(material: Material) -> Iterator[Flaw]:
    """The line that inboxes show after the subject is longer than they show (140 characters).

    It is cut in the middle of a word, and the end of it was written for nobody.
    """
    for issue in material.issues:
        if (length := len(issue.preheader or "")) > _PREHEADER:
            message = f"preheader: {length} characters, of which an inbox shows about {_PREHEADER}"
            place = material.spot(issue.place, "preheader:")
            yield Flaw(place, message, "shorten it, or put what matters first", issue.key)


def draft(material: Material) -> Iterator[Flaw]:
    """The issue is a draft, which never goes out.

    So that nobody waits for an issue that its curators have not declared finished.
    """
    for issue in material.issues:
        if issue.status is Status.DRAFT:
            place = material.spot(issue.place, "status:")
            yield Flaw(place, "status: draft does not go out", "write `status: ready`", issue.key)


def no_entries(material: Material) -> Iterator[Flaw]:
    """The issue has no entries of its own; single entries may still join it.

    An issue that is empty at its minute is not sent at all.
    """
    for issue in material.issues:
        if not issue.entries:
            yield Flaw(issue.place, "no entries", "each `##` heading begins one", issue.key)


def no_link(material: Material) -> Iterator[Flaw]:
    """An entry leads nowhere: it has no line of links, and none in its text.

    Readers who want to know more have nowhere to go; often the line of links was forgotten.
    """
    for entry, issue in material.all_entries():
        if entry.blocks and not entry.references and not any(links_of(entry.blocks)):
            yield Flaw(
                entry.place, f"{entry.title!r} has no link", "a line of links follows the heading", issue
            )


def no_text(material: Material) -> Iterator[Flaw]:
    """An entry is a title alone: a hint, and a warning where it leads nowhere either.

    A title seldom says why something is worth a reader's time. One without text and link was most likely
    begun and forgotten.
    """
    for entry, issue in material.all_entries():
        if not entry.blocks:
            bare = not entry.references
            message = f"{entry.title!r} says nothing{' and leads nowhere' if bare else ''}"
            fix = "finish it or delete it" if bare else "write a lead of a sentence or two"
            yield Flaw(entry.place, message, fix, issue, None if bare else Severity.HINT)


def insecure_link(material: Material) -> Iterator[Flaw]:
    """A link goes over http: many sites redirect it, and some readers' browsers warn.

    Whoever sits between can read and change what the reader is shown.
    """
    for seen in material.links:
        if seen.url.lower().startswith("http://"):
            yield Flaw(seen.place, f"{seen.url} is not https", "try https", seen.issue)


def repeated_url(material: Material) -> Iterator[Flaw]:
    """Two references of one issue lead to the same work, under whatever address.

    Most likely the address of one entry was pasted into the other, which then leads to the wrong page; or
    two curators found one thing, one its arXiv page and the other its PDF. A hint where it is the first
    link of neither: a source may be thanked twice.
    """
    first = dict[tuple[str, str], Seen]()
    for seen in material.links:
        if seen.in_line and seen.issue and seen.entry:
            before = first.setdefault((seen.issue, canonical(seen.url)), seen)
            if before is not seen and before.entry and not _two_forms(before, seen):
                message = f"{seen.url} is also a link of {before.entry.title!r}"
                severity = None if _leads(seen) or _leads(before) else Severity.HINT
                yield Flaw(seen.place, message, "link each work once", seen.issue, severity)


def _leads(seen: Seen) -> bool:
    """Whether a link is its entry's first, where the title leads."""
    return seen.entry is not None and seen.entry.url == seen.url


def _two_forms(one: Seen, other: Seen) -> bool:
    """Whether an entry offers one work in two forms by intent, as its page and its PDF."""
    paths = parts_of(one.url).path, parts_of(other.url).path
    return one.entry is other.entry and one.words != other.words and paths[0] != paths[1]


def repeated_title(material: Material) -> Iterator[Flaw]:
    """Two entries of one issue have the same title.

    Often one thing was collected twice, by two curators or on two days.
    """
    for issue in material.issues:
        seen = Counter[str]()
        for entry in issue.entries:
            seen[entry.title.casefold()] += 1
            if seen[entry.title.casefold()] == 2:  # noqa: PLR2004 (the second one)
                message = f"{entry.title!r} is in this issue twice"
                yield Flaw(entry.place, message, "delete one, or say what tells them apart", issue.key)


def urls_of(entry: Entry) -> Iterator[str]:
    """Where an entry leads."""
    yield from (reference.url for reference in entry.references)
    yield from (link.url for link in links_of(entry.blocks))


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
    *READING,
    Rule(
        "content.week",
        Severity.ERROR,
        two_files,
        binding=True,
        mend="Name the file after its week, 2025-W17.md, and keep one file of each week.",
        example={
            "2025-W17.md": "---\ntitle: AI Papers\n---\n\n## One\n",
            "easter.md": "---\ntitle: AI Papers\nweek: 2025-W17\n---\n\n## Another\n",
        },
    ),
    Rule(
        "content.title-length",
        Severity.WARNING,
        long_subject,
        mend="Put what matters first, or give the mail a shorter `subject`.",
        example="---\ntitle: AI Papers of the Week, the last of April, with agents, models and much more\n"
        "---\n\n## One\n",
    ),
    Rule(
        "content.preheader-length",
        Severity.HINT,
        long_preheader,
        mend="Shorten it, or put what matters first.",
        example="---\ntitle: AI Papers\npreheader: This week we have ten papers for you, of which three are "
        "about agents that use tools, two about small models, and five about everything else that happened\n"
        "---\n\n## One\n",
    ),
    Rule(
        "content.draft",
        Severity.HINT,
        draft,
        mend="Write `status: ready` when it is finished.",
        example="---\ntitle: AI Papers\nstatus: draft\n---\n\n## One\n",
    ),
    Rule(
        "content.empty",
        Severity.WARNING,
        no_entries,
        mend="Begin each entry with a `##` heading, or collect single entries for the week.",
        example="---\ntitle: AI Papers\n---\n\nWelcome to this week.\n",
    ),
    Rule(
        "content.no-link",
        Severity.HINT,
        no_link,
        mend="Put a line of links below the heading: `[Paper](https://…), [Code](https://…)`.",
        example="## A scaling law for cheese\n\nThe authors weigh 400 wheels.\n",
    ),
    Rule(
        "content.no-text",
        Severity.WARNING,
        no_text,
        mend="Write a lead of a sentence or two.",
        example="## A scaling law for cheese\n\n[Paper](https://example.org/cheese)\n",
    ),
    Rule(
        "content.link-http",
        Severity.HINT,
        insecure_link,
        mend="Write https, and look whether the page answers there.",
        example="## Cheese\n\n[Paper](http://example.org/cheese)\n\nThe authors weigh 400 wheels.\n",
    ),
    Rule(
        "content.duplicate-url",
        Severity.WARNING,
        repeated_url,
        mend="Give each entry its own address, or make one entry of the two.",
        example="## Cheese\n\n[Paper](https://example.org/cheese)\n\nWheels.\n\n"
        "## Butter\n\n[Paper](https://example.org/cheese)\n\nPats.\n",
    ),
    Rule(
        "content.duplicate-title",
        Severity.HINT,
        repeated_title,
        mend="Make one entry of the two, or say in the titles what tells them apart.",
        example="## Cheese\n\n[Paper](https://example.org/1)\n\nWheels.\n\n"
        "## Cheese\n\n[Paper](https://example.org/2)\n\nSlices.\n",
    ),
)
