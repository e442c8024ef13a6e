"""Reads what a web page calls itself: within limits of time and size, and only on the public internet."""

import re
import time
from collections.abc import Callable, Iterator
from html import unescape

from bot.canonical import arxiv_id, canonical
from bot.lookups.asking import Wire
from bot.lookups.conversation import REDIRECTED, Ask, Reply, target_of
from bot.markup import inline_words, safe_url, text

WITHIN = 8.0
"""Seconds after which no further redirect is followed."""
REDIRECTS = 4
LONGEST = 200
"""Characters of a title."""

_TITLE = re.compile(r"<title(?:\s[^<>]{0,500})?>([^<]{1,2000})", re.IGNORECASE)
_META = re.compile(r"<meta\s([^<>]{1,3000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""([a-z:-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,2000})"|'([^']{0,2000})')""", re.IGNORECASE
)
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([a-z0-9._:-]{2,40})", re.IGNORECASE)
_ENCODINGS = re.compile(  # of text, and read in linear time: punycode, say, is neither
    r"utf-?8|utf-?16(?:-?[lb]e)?|us-ascii|iso-?8859-\d{1,2}|latin-?1|windows-\d{3,4}|cp\d{3,4}|koi8-[ru]"
    r"|shift[_-]jis|euc-(?:jp|kr)|iso-2022-jp|gb(?:2312|k|18030)|big5(?:-hkscs)?",
    re.IGNORECASE,
)
_NAMES = ("citation_title", "og:title", "twitter:title")
"""What pages call themselves in their metadata, the plainest first; a `<title>` often holds the site."""


def title(
    url: str, wire: Wire, *, clock: Callable[[], float] = time.monotonic, within: float = WITHIN
) -> str | None:
    """What the page at an address calls itself, on one line; None where nobody can say."""
    there = canonical(url) if arxiv_id(url) else url  # a PDF has no title to read, its abstract's page has
    until = clock() + within
    for _ in range(1 + REDIRECTS):
        if not (target := safe_url(there.partition("#")[0])) or not target.lower().startswith("http"):
            return None
        reply = wire.ask(Ask("GET", target, whole=True))
        if reply.status not in REDIRECTED or not reply.location or clock() > until:
            return title_in(reply)
        there = target_of(target, reply.location) or ""
    return None


def title_in(reply: Reply) -> str | None:
    """The title in a reply; None where it is no page, or none that says anything."""
    if reply.status != 200 or "html" not in reply.kind.lower():  # noqa: PLR2004 (what stands there is the page)
        return None
    page = _decoded(reply)
    known = dict(_metadata(page))
    found = _TITLE.search(page)
    named = [*(known.get(name, "") for name in _NAMES), found[1] if found else ""]
    return next(filter(None, (_words(one) for one in named)), None)


def _decoded(reply: Reply) -> str:
    """The page as text, by what it says of itself; what does not fit is replaced."""
    said = _CHARSET.search(reply.kind) or _CHARSET.search(reply.page[:2048].decode("latin-1"))
    encoding = said[1] if said and _ENCODINGS.fullmatch(said[1]) else "utf-8"
    try:
        return reply.page.decode(encoding, "replace")
    except LookupError:  # ISO 8859-12, say, which there is not
        return reply.page.decode("utf-8", "replace")


def _metadata(page: str) -> Iterator[tuple[str, str]]:
    """The names and contents of its `<meta>`s; of two with one name, the first."""
    seen: set[str] = set()
    for meta in _META.finditer(page):
        given = {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(meta[1])}
        name = (given.get("property") or given.get("name") or "").lower()
        if name not in seen and given.get("content"):
            seen.add(name)
            yield name, given["content"]


def _words(markup: str) -> str:
    """Its words on one line, not too many."""
    words = inline_words(text(unescape(markup))).strip()
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rstrip()}…"
