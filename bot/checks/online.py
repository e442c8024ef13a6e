"""Rules about what the web says of links, for `check --online`: they are gone, moved, or cannot be judged."""

import re
from collections.abc import Iterator
from itertools import takewhile

from bot.canonical import canonical
from bot.checks import Flaw, Rule
from bot.checks._links import Seen, becomes, flaw, parts_of, shown
from bot.checks._web import Answer, Fault, Web, secure
from bot.models import Severity

_GONE = {404: "is not there (404)", 410: "is gone for good (410)"}
_PLAIN = re.compile(r"[A-Za-z0-9:/._~?&=%+#@,;-]*[A-Za-z0-9/=_-]")
"""What an address may be made of that reads as the same address wherever it stands in a text."""
_PERMANENT = (301, 308)
_WALLS = (401, 402, 403, 405, 406, 407, 418, 429, 451, 999)
"""What sites say to whoever is no browser, or not logged in: no word about the page."""
_DOORS = ("login", "signin", "sign-in", "sign_in", "consent", "captcha", "challenge", "validate", "authorize")


def _judged(web: Web) -> Iterator[tuple[Seen, Answer]]:
    for seen in web.material.links:
        if answer := web.answer(seen.url):
            yield seen, answer


def dead(web: Web) -> Iterator[Flaw]:
    """A link leads to a page or host that does not exist.

    Readers who want to know more find an error page; the author may have moved the page, and often a search
    finds it.
    """
    for seen, answer in _judged(web):
        if answer.status in _GONE:
            yield flaw(seen, _GONE[answer.status], "look where it has gone, or link a copy of it")
        elif answer.fault is Fault.NO_HOST and web.reachable:
            yield flaw(seen, f"leads nowhere: {answer.fault}", "look for a slip in the address")


def moved(web: Web) -> Iterator[Flaw]:
    """A page has moved for good, and says where to (301, 308).

    The old address works only as long as somebody keeps the redirect.
    """
    for seen, answer in _judged(web):
        new = _new_address(seen.url, answer)
        if new and not _is_trivial(seen.url, new):
            lost = parts_of(new).path.strip("/") == "" and parts_of(seen.url).path.strip("/") != ""
            if lost:
                yield flaw(seen, "leads to the front page now", "look whether the page is still there")
            else:
                edits = becomes(seen, new) if seen.raw == seen.url and _PLAIN.fullmatch(new) else ()
                yield flaw(seen, "has moved for good", f"write {shown(new)}", edits=edits)


def _new_address(url: str, answer: Answer) -> str | None:
    """Where a page has moved for good; None where it has not, or where that leads to a door and not to it."""
    steps = list(takewhile(lambda step: step.status in _PERMANENT, answer.steps))
    if not steps or not answer.there:
        return None
    new = steps[-1].url
    kept = new + url[url.index("#") :] if "#" in url and "#" not in new else new
    return None if any(door in new.lower() for door in _DOORS) else kept


def _is_trivial(old: str, new: str) -> bool:
    """Whether an address differs in its scheme alone, which is a finding of its own, or in a slash or www."""
    return secure(old) == new or (old.startswith("https:") and canonical(old) == canonical(new))


def insecure(web: Web) -> Iterator[Flaw]:
    """A link goes over http, and the same page answers over https.

    Whoever sits between can read and change what an http page shows; this one need not be read that way.
    """
    for seen, answer in _judged(web):
        twin = secure(seen.url)
        over_https = web.answer(twin) if twin else None
        if twin and over_https and _same(answer, over_https, twin) and not _moves(seen.url, answer):
            edits = becomes(seen, twin) if seen.raw == seen.url else ()
            yield flaw(seen, "answers the same over https", f"write {shown(twin)}", edits=edits)


def _moves(url: str, answer: Answer) -> bool:
    new = _new_address(url, answer)
    return new is not None and not _is_trivial(url, new)


def _same(over_http: Answer, over_https: Answer, twin: str) -> bool:
    """Whether http leads to its https twin, or both give the very same page."""
    if not over_http.there or not over_https.there:
        return False
    if any(step.url == twin.partition("#")[0] for step in over_http.steps):
        return True
    same_end = not over_http.steps and not over_https.steps
    return same_end and over_http.digest is not None and over_http.digest == over_https.digest


def unreachable(web: Web) -> Iterator[Flaw]:
    """A link could not be judged: nobody answered, or with an error of the server's.

    It may be a bad hour, or the end of the site: ask again later. Sites that turn away whoever is no browser
    (401, 403, 429, 999) are not told.
    """
    for seen, answer in _judged(web):
        if answer.fault is Fault.PRIVATE and not answer.steps:
            continue  # the rule about private hosts says so
        if answer.fault and not (answer.fault is Fault.NO_HOST and web.reachable):
            yield flaw(seen, f"cannot be judged: {answer.fault}", "open it in a browser")
        elif answer.status and answer.status not in (*_GONE, *_WALLS) and not answer.there:
            yield flaw(seen, f"cannot be judged: it answers {answer.status}", "open it in a browser")


LOOKS_AT = Web
RULES = (
    Rule(
        "links.dead",
        Severity.WARNING,
        dead,
        mend="Look where the page has gone, or link a copy of it.",
        example="https://example.org/paper → 404",
    ),
    Rule(
        "links.moved",
        Severity.HINT,
        moved,
        mend="Write the new address; `check --online --fix` does it.",
        example="https://example.org/old → 301 https://example.org/new → 200",
    ),
    Rule(
        "links.https",
        Severity.HINT,
        insecure,
        mend="Write https; `check --online --fix` does it.",
        example="http://example.org/paper → 301 https://example.org/paper → 200",
    ),
    Rule(
        "links.unreachable",
        Severity.HINT,
        unreachable,
        mend="Open it in a browser, or ask again later.",
        example="https://example.org/paper → 502",
    ),
)
