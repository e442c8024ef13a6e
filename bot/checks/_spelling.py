"""How the addresses of links are written: what is lost, left over or needless in them."""

import re
from collections.abc import Iterator
from itertools import groupby
from urllib.parse import unquote

from bot.canonical import arxiv_id, canonical, without_tracking
from bot.checks import Flaw, Material
from bot.checks._links import Seen, becomes, flaw, parts_of, shown
from bot.checks._passages import Passage
from bot.models import Edit

_LONG = 400
"""Characters of an address beyond which nobody can read where it leads, and some programs cut it."""

_ENDS_ODDLY = re.compile(r"(?:[,;:.]|\*\*|%22|%3E|%60|%E2%80%9D|%5D|%7D|[)])$")
_OPENERS = {")": "(", "%5D": "%5B", "%7D": "%7B", "%3E": "%3C", "%22": "", "%60": ""}


def odd_end(material: Material) -> Iterator[Flaw]:
    """An address or the words behind it have a bracket, quote or stop that seems to belong to the sentence.

    Either the address took one with it and leads elsewhere, or it lost its last one, or a bracket is
    left over for readers to see.
    """
    for seen in material.links:
        if what := _odd_end(seen.url):
            yield flaw(seen, *what)
        elif seen.loose:
            yield flaw(seen, "is followed by a bracket that nothing opened", "delete one )")


def _odd_end(url: str) -> tuple[str, str] | None:
    if "(" in url and url.count("(") > url.count(")"):
        return "has lost a closing bracket", "write %29 for the last one, or put the address between < and >"
    found = _ENDS_ODDLY.search(url)
    if not found or url.startswith("mailto:") or url.endswith("..."):  # which links.cut-off tells
        return None
    end = found[0]
    if end == "." and parts_of(url).netloc.endswith("wikipedia.org"):  # /wiki/Apple_Inc.
        return None
    opener = _OPENERS.get(end)
    if opener and url.count(opener) >= url.count(end):
        return None
    return f"ends in {unquote(end)}", "leave that out of the address"


_UNMADE = re.compile(r"\]\(|\] \((?=https?:)|\)\[(?=https?:)")
_NUMBERED = re.compile(r"\[\d{1,3}$")


def not_made(material: Material) -> Iterator[Flaw]:
    """What looks like a link stayed text, with its brackets.

    A blank or line break within the address, one between the two pairs of brackets, or a bracket that
    is missing: Markdown makes no link of it, and readers see the marks.
    """
    told = {finding.place for finding in material.findings if finding.rule == "content.link"}
    for passage in material.passages:
        prose = passage.prose
        if "](" not in prose and "] (http" not in prose and ")[http" not in prose:
            continue
        for found in _UNMADE.finditer(prose):
            place = _spot(material, passage, found)
            if (
                not _NUMBERED.search(prose[max(found.start() - 9, 0) : found.start()])
                and place.rpartition(":")[0] not in told
            ):
                around = prose[max(found.start() - 20, 0) : found.end() + 40]
                fix = "write [words](https://…), without a blank or line break in the address"
                yield Flaw(place, f"{around!r} is not made into a link", fix, passage.issue)


def _spot(material: Material, passage: Passage, found: re.Match[str]) -> str:
    """Where the brackets of what is no link begin, or else where they meet: `](` alone may be any link's."""
    begin = passage.prose.rfind("[" if found[0][0] == "]" else "(", 0, found.start())
    place = material.spot(passage.place, passage.prose[begin : found.end()]) if begin >= 0 else passage.place
    return place if place != passage.place else material.spot(passage.place, found[0])


_INVISIBLE = re.compile(r"[\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def invisible(material: Material) -> Iterator[Flaw]:
    """An address holds characters that nobody sees: zero-width or bidirectional marks.

    They are left out of the mail. Whoever copies the address from the file gets them, and a page that
    does not exist.
    """
    for seen in material.links:
        if seen.raw and not seen.raw.isascii() and (found := _INVISIBLE.search(seen.raw)):
            message = f"has an invisible U+{ord(found[0]):04X}"
            plain = _INVISIBLE.sub("", seen.raw)
            yield flaw(seen, message, "delete it", edits=becomes(seen, plain))


def not_encoded(material: Material) -> Iterator[Flaw]:
    """An address has letters beyond ASCII behind its host, which are percent-encoded for the mail.

    Some programs cut such an address where they begin when it is copied from the file; in the mail it
    works.
    """
    for seen in material.links:
        if seen.raw and not seen.raw.isascii():
            path = _INVISIBLE.sub("", seen.raw).partition("//")[2].partition("/")[2]
            if not path.isascii():
                yield flaw(seen, "has letters that are not encoded", "copy it from a browser's address bar")


def long_address(material: Material) -> Iterator[Flaw]:
    """An address is longer than 400 characters.

    Nobody can read where it leads, some programs cut it, and what makes it so long is rarely needed.
    """
    for seen in material.links:
        if (length := len(seen.url)) > _LONG:
            yield flaw(seen, f"has {length} characters", "try what can be left out of it")


def tracking(material: Material) -> Iterator[Flaw]:
    """A link carries parameters that only tell who sent the reader: `utm_source`, `fbclid` and the like.

    They came with the page it was copied from, credit readers to somebody else, and make one page look
    like two.
    """
    for first, *others in _tracked(material):
        edits = tuple(edit for seen in (first, *others) for edit in _untracked(seen))
        if others:
            fix = "delete utm_source and the like; `check --fix` does it"
            message = f"{len(others) + 1} links of this entry carry tracking parameters"
            yield Flaw(first.place, message, fix, first.issue, edits=edits)
        else:
            fix = f"write {shown(without_tracking(first.url))}"
            yield flaw(first, "carries tracking parameters", fix, edits=edits)


def _tracked(material: Material) -> Iterator[list[Seen]]:
    """The links with tracking parameters, of each entry together."""
    tracked = (one for one in material.links if "?" in one.url and without_tracking(one.url) != one.url)
    for _, group in groupby(tracked, key=lambda seen: (seen.issue, id(seen.entry))):
        yield list(group)


def _untracked(seen: Seen) -> tuple[Edit, ...]:
    safe = seen.raw is not None and "&amp;" not in seen.raw
    return becomes(seen, without_tracking(seen.raw or "")) if safe else ()


_PDF = re.compile(
    r"(https?://(?:www\.|export\.)?arxiv\.org)/pdf/([^?#]+?)(?:v\d+)?(?:\.pdf)?(\?[^#]*)?", re.IGNORECASE
)


def arxiv_pdf(material: Material) -> Iterator[Flaw]:
    """A link leads to an arXiv PDF rather than to the paper's page, and its words do not say so.

    The page opens at once on a phone, shows abstract, versions and code, and leads on to the PDF and the
    HTML.
    """
    for seen in material.links:
        found = _PDF.fullmatch(seen.url) if "/pdf/" in seen.url and arxiv_id(seen.url) else None
        if found and "pdf" not in seen.words.lower() and not _has_page(seen):
            page = without_tracking(f"{found[1]}/abs/{found[2]}{found[3] or ''}")
            edits = becomes(seen, page) if seen.raw == seen.url else ()
            yield flaw(seen, "is a PDF", f"write {page}", edits=edits)


def _has_page(seen: Seen) -> bool:
    """Whether the entry leads to the paper's page as well."""
    name = canonical(seen.url)
    urls = (reference.url for reference in seen.entry.references) if seen.entry else ()
    return any(url != seen.url and "/abs/" in url and canonical(url) == name for url in urls)
