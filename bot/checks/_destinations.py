"""Where links lead: to readers' own machines, behind shorteners and disguises, or nowhere."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from bot.checks import Flaw, Material
from bot.checks._hosts import SHORTENERS, disguise, unreachable
from bot.checks._links import flaw, parts_of
from bot.models import Severity

_DOUBLED = re.compile(r"https?://(?:www\.)?https?(?::|/|%3a|$)", re.IGNORECASE)
_GLUED_HOST = re.compile(r"https?://[^/?#]*https?:(?://|$)", re.IGNORECASE)
_GLUED = re.compile(r"[A-Za-z0-9]https?://", re.IGNORECASE)


def doubled_scheme(material: Material) -> Iterator[Flaw]:
    """An address begins twice, as in `https://https://`, or two addresses are glued together.

    The first leads to a host called "https", the second to a page that nobody made: no reader arrives.
    """
    for seen in material.links:
        if _DOUBLED.match(seen.url):
            yield flaw(seen, "begins twice", "delete the first https://")
        elif _GLUED_HOST.match(seen.url):
            yield flaw(seen, "is two addresses glued together", "keep one of them")
        elif seen.url.startswith("http") and _GLUED.search(seen.url, 8):
            yield flaw(seen, "looks like two addresses glued together", "keep one of them", Severity.WARNING)


def private_host(material: Material) -> Iterator[Flaw]:
    """A link leads where readers cannot: to their own machine, a private network or a reserved name.

    It works on the machine where it was copied, and nowhere else. A newsletter that is read in one
    house only may mean names and addresses of that house: those are a warning.
    """
    for seen in material.links:
        host = seen.host
        if (
            host
            and not _GLUED_HOST.match(seen.url)
            and not _DOUBLED.match(seen.url)
            and (why := unreachable(host))
        ):
            yield flaw(seen, f"leads nowhere: {host} {why[0]}", "link the page as the public sees it", why[1])


def user_info(material: Material) -> Iterator[Flaw]:
    """A link holds a user name or password before its host.

    A password would be mailed to every reader; without one, it is how a link pretends to lead to
    another site: `https://bank.com@elsewhere.org`.
    """
    for seen in material.links:
        if "@" in parts_of(seen.url).netloc:
            host = seen.host
            message = f"a link to {host} has a user name before the host"
            yield Flaw(seen.place, message, f"begin it with https://{host}", seen.issue)


def disguised_host(material: Material) -> Iterator[Flaw]:
    """A host is written in letters that are taken for others: two scripts in a word, or Cyrillic as Latin.

    Such names are bought to pretend to be well-known ones. What readers would visit is the spelling
    that begins with `xn--`.
    """
    for seen in material.links:
        if why := disguise(seen.host):
            yield flaw(seen, why, "type the address anew, letter by letter")


def shortener(material: Material) -> Iterator[Flaw]:
    """A link goes through a shortener.

    Readers cannot see where it leads, spam filters distrust it, and it dies with the company that made
    it.
    """
    for seen in material.links:
        if seen.host.removeprefix("www.") in SHORTENERS and parts_of(seen.url).path.strip("/"):
            yield flaw(seen, "hides where it leads", "follow it, and link the page itself")


_SLOT = re.compile(r"\{\{|\{%|<%|\$\{|\*\||\|\*|%%[A-Za-z_]+%%|%25%25[A-Za-z_]+%25%25|\[\[")


def template_slot(material: Material) -> Iterator[Flaw]:
    """A link holds what some template should have filled in: `{{ url }}`, `*|LINK|*`, `${id}`.

    Content is never a template here: every reader would get the slot itself.
    """
    for seen in material.links:
        if "%" in seen.url or "*" in seen.url:
            plain = unquote(seen.url)
            if _SLOT.search(plain) or _SLOT.search(seen.url):
                yield flaw(seen, "has a slot that nothing fills", "write the address that is meant")


def cut_off(material: Material) -> Iterator[Flaw]:
    """An address was cut short by whoever showed it: it ends in an ellipsis.

    It was copied from what a page displayed, and leads to a page that does not exist.
    """
    for seen in material.links:
        if seen.url.endswith(("...", "%E2%80%A6")):
            yield flaw(seen, "is cut short", "copy the address from the link, not from its words")
