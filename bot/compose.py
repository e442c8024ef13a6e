"""Sets an issue in its theme: one Issue in, one Rendered out; every reader's letter is made of it.

Issue + theme → fingerprint → slots → HTML (inlined), text, page, subject
"""

import json
import re
import unicodedata
from collections.abc import Container, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from bot.errors import InputError
from bot.folding import LIMIT, fewest, foldable, longest
from bot.headers import one_line
from bot.inline import inline
from bot.links import home_path, issue_url
from bot.markup import Footnotes, words
from bot.models import Entry, Issue, Rendered
from bot.settings import Newsletter
from bot.slots import Slots
from bot.templates import Templates
from bot.text import Blocks

PREHEADER = 140
"""Characters of it that any mail program shows."""
SUBJECT = 255
"""Characters of it that Outlook keeps; more is a slip."""

_COMMENT_OR_SHEET = re.compile(r"<!--.*?-->|<style\b[^>]*>(.*?)</style\s*>", re.IGNORECASE | re.DOTALL)

# ---------------------------------------------------------------------------------------------- fingerprint


def fingerprint(
    issue: Issue, newsletter: Newsletter, templates: Templates, base_url: str, *, several: bool = False
) -> str:
    """The content hash: of all that a rendering is made of, and of nothing else.

    The same on every machine and at any time; an approval is bound to it. `several`: see `issue_url`.
    """
    channels = newsletter.channels
    names = [_theme_of(newsletter), *_OF_ALL_THEMES]
    material = {
        "issue": _plain(issue),
        "base_url": base_url,
        "web_url": issue_url(base_url, issue.newsletter, issue.week, several=several),
        "newsletter": newsletter.model_dump(mode="json", include=_SHOWN),
        "channels": {name: options.model_dump(mode="json") for name, options in channels.items()},
        "templates": templates.digest(names, {options.kind for options in channels.values()}),
    }
    return sha256(json.dumps(material, sort_keys=True).encode()).hexdigest()


_OF_ALL_THEMES = ("email/text.txt.j2", "email/subject.txt.j2", "page.html.j2", "web/article.html.j2")

_SHOWN = {
    "name", "title", "tagline", "language", "sender", "list_id", "postal_address", "theme", "greeting",
    "unnamed",
}  # fmt: skip
"""What of a newsletter readers can see; its schedule they cannot."""


def _theme_of(newsletter: Newsletter) -> str:
    return f"themes/{newsletter.theme}.html.j2"


def _plain(value: Any) -> Any:
    """A noun as JSON, each with its type's name: two that differ in type alone are different."""
    if is_dataclass(value) and not isinstance(value, type):
        shown = (one for one in fields(value) if one.compare and one.name not in {"status", "date"})
        return {"is": type(value).__name__, **{one.name: _plain(getattr(value, one.name)) for one in shown}}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


# -------------------------------------------------------------------------------------------------- compose


@dataclass(frozen=True, slots=True)
class Numbered:
    """An entry as templates see it, with its number in the issue."""

    number: int
    entry: Entry
    folded: bool = False
    """Whether a link to the page stands in the place of what follows the lead."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.entry, name)


@dataclass(frozen=True, slots=True)
class Part:
    """A section as templates see it."""

    title: str | None
    entries: tuple[Numbered, ...]


def compose(
    issue: Issue,
    newsletter: Newsletter,
    templates: Templates,
    base_url: str,
    *,
    several: bool = False,
    content_hash: str | None = None,
) -> Rendered:
    """Render an issue once, with a slot wherever readers differ; `several`: see `issue_url`.

    `content_hash` is its `fingerprint`, from who has it already.
    """
    content_hash = content_hash or fingerprint(issue, newsletter, templates, base_url, several=several)
    slots = Slots(sha256(content_hash.encode()).hexdigest()[:16])
    web_url = issue_url(base_url, issue.newsletter, issue.week, several=several)
    public = _public(issue, newsletter, templates) | {"web_url": web_url, "base_url": base_url}
    personal = public | _personal(newsletter, slots)
    theme = _theme(newsletter, templates)
    last_first = foldable(issue.entries, web_url)

    @cache
    def mail(folded: int) -> tuple[str, str]:
        """The HTML before and after its styles were moved, with so many entries folded."""
        sections = list(numbered(issue, last_first[:folded]))
        filled = templates.html(theme, personal | {"sections": sections})
        return filled, inline(filled)

    folded = fewest(len(last_first), lambda count: longest(mail(count)[1], slots, base_url) <= LIMIT)
    filled, html = mail(folded)
    article = Markup(templates.html("web/article.html.j2", public))  # noqa: S704 (a template has escaped)
    home = home_path(base_url, newsletter.name, several=several)
    return Rendered(
        subject=public["subject"],
        preheader=public["preheader"],
        html=html,
        text=_tidied(templates.plain("email/text.txt.j2", personal | {"notes": Footnotes()})),
        page=templates.html("page.html.j2", public | {"article": article, "home": home}),
        nonce=slots.nonce,
        sheets=sheets(filled),
        folded=folded,
        article=str(article),
    )


def _public(issue: Issue, newsletter: Newsletter, templates: Templates) -> dict[str, Any]:
    """What templates are given that is the same for every reader."""
    return {
        "issue": issue,
        "newsletter": newsletter,
        "sections": list(numbered(issue)),
        "subject": _subject(issue, newsletter, templates),
        "preheader": issue.preheader or _first_words(issue),
    }


def _personal(newsletter: Newsletter, slots: Slots) -> dict[str, Any]:
    """What mails are given besides: places that are filled in for each reader."""
    return {
        "reader": {"name": slots.name, "email": slots.email, "unsubscribe_url": slots.unsubscribe},
        "greeting": newsletter.greeting.replace("{name}", slots.name),
    }


def sheets(page: str) -> tuple[str, ...]:
    """The text of each stylesheet of a page, but for those that only Outlook sees."""
    return tuple(filter(None, _COMMENT_OR_SHEET.findall(page)))


def _theme(newsletter: Newsletter, templates: Templates) -> str:
    if newsletter.theme not in (themes := templates.themes()):
        where = f"config/newsletters/{newsletter.name}.toml"
        raise InputError(
            where, f"theme: {newsletter.theme!r} is none of {', '.join(themes)}", "name one of them"
        )
    return _theme_of(newsletter)


def numbered(issue: Issue, folded: Container[int] = ()) -> Iterator[Part]:
    """The sections of an issue, each entry with its number in the whole; `folded` holds numbers."""
    number = 0
    for section in issue.sections:
        start, number = number + 1, number + len(section.entries)
        entries = enumerate(section.entries, start)
        yield Part(section.title, tuple(Numbered(n, entry, n in folded) for n, entry in entries))


def _subject(issue: Issue, newsletter: Newsletter, templates: Templates) -> str:
    subject = templates.plain("email/subject.txt.j2", {"issue": issue, "newsletter": newsletter})
    where = issue.place or "templates/email/subject.txt.j2"
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in " ".join(subject.split())):
        raise InputError(where, "the subject has a control character", "delete it")
    if not (subject := one_line(subject)):
        raise InputError(where, "the subject is empty", "write one")
    if len(subject) > SUBJECT:
        raise InputError(where, f"the subject has {len(subject)} characters", f"shorten it to {SUBJECT}")
    return subject


def _first_words(issue: Issue) -> str:
    """What a mail program shows beside the subject, where the curators wrote nothing for it."""
    texts: list[Blocks] = [issue.intro, *((entry.lead,) for entry in issue.entries if entry.lead)]
    first = ""
    for text in texts:
        first = f"{first} {words(text)}".strip()
        if len(first) > PREHEADER:
            return first[:PREHEADER].rsplit(" ", 1)[0] + " …"
    return first


def _tidied(text: str) -> str:
    """A text without blanks at line ends, and never more than two empty lines together."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return re.sub(r"\n{4,}", "\n\n\n", lines) + "\n"
