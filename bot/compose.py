"""Sets an issue in its theme: one Issue in, one Rendered out; every reader's letter is made of it.

Issue + theme → fingerprint → slots → HTML (inlined), text, page, subject
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
    meta,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

import bot
from bot.errors import InputError
from bot.headers import one_line
from bot.inline import inline
from bot.links import issue_url
from bot.markup import Footnotes, inline_html, inline_text, to_html, to_text, words
from bot.models import Entry, Issue, Rendered
from bot.settings import Newsletter
from bot.slots import Slots
from bot.text import Blocks

PREHEADER = 140
"""Characters of it that any mail program shows."""
SUBJECT = 255
"""Characters of it that Outlook keeps; more is a slip."""
WIDTH = 72
MEND = "templates/README.md lists what a template is given"


# ------------------------------------------------------------------------------------------------ templates


class Templates:
    """The templates of an installation: its own `templates/` first, then those that come with the product."""

    def __init__(self, root: Path) -> None:
        self.folders = (root / "templates", shipped())
        self.loader: BaseLoader = ChoiceLoader([FileSystemLoader(folder) for folder in self.folders])
        self._html = _environment(self.loader, autoescape=True)
        self._plain = _environment(self.loader, autoescape=False)

    def html(self, name: str, context: Mapping[str, Any]) -> str:
        """Fill an HTML template; whatever is not HTML by its type is escaped."""
        return self._filled(self._html, name, context)

    def plain(self, name: str, context: Mapping[str, Any]) -> str:
        """Fill a template whose words are words: a subject, a text part."""
        return self._filled(self._plain, name, context)

    def themes(self) -> list[str]:
        """The themes there are."""
        names = (path.name for folder in self.folders for path in (folder / "themes").glob("*.html.j2"))
        return sorted({name.removesuffix(".html.j2") for name in names})

    def digest(self, names: Iterable[str], folders: Iterable[str] = ()) -> str:
        """A hash of templates and of all that they extend or include: another look is another content.

        `folders` names those of which every template counts. Read anew each time: an editor may be at work.
        """
        every = [name for name in self.loader.list_templates() if name.endswith(".j2")]
        todo = [*names, *(name for name in every if name.split("/")[0] in set(folders))]
        sources: dict[str, str] = {}
        while todo:
            if (name := todo.pop()) not in sources:
                sources[name] = self._source(name)
                used = _used_by(sources[name])
                todo += every if used is None else used
        whole = sha256()
        for name in sorted(sources):
            whole.update(f"{name}\0{sources[name]}\0".encode())
        return whole.hexdigest()

    def _source(self, name: str) -> str:
        """A template's text; nothing where there is none, which is told when it is to be filled."""
        try:
            return self.loader.get_source(self._plain, name)[0]
        except TemplateNotFound:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"templates/{name}", f"cannot be read: {error}", "save it as UTF-8") from error

    def _filled(self, environment: Environment, name: str, context: Mapping[str, Any]) -> str:
        try:
            return environment.get_template(name).render(context)
        except InputError:
            raise
        except TemplateNotFound as error:
            where, mend = f"templates/{error.name}", "put it there, or mend the name"
            raise InputError(where, "no such template", mend) from error
        except TemplateSyntaxError as error:
            where = f"templates/{error.name}:{error.lineno}"
            raise InputError(where, error.message or "not a template", "mend the template") from error
        except Exception as error:  # a template is a program: anything can go wrong in it
            what = str(error) or type(error).__name__
            raise InputError(f"templates/{self._place(error, name)}", what, MEND) from error

    def _place(self, error: Exception, name: str) -> str:
        """The template and line that an error came from: the innermost frame that is a template's."""
        place, step = name, error.__traceback__
        while step:
            file = Path(step.tb_frame.f_code.co_filename)
            for folder in self.folders:
                if file.is_relative_to(folder):
                    place = f"{file.relative_to(folder).as_posix()}:{step.tb_lineno}"
            step = step.tb_next
        return place


@lru_cache(maxsize=128)
def _used_by(source: str) -> tuple[str, ...] | None:
    """The templates that one extends, includes or imports; None where only running it would tell."""
    try:
        names = tuple(meta.find_referenced_templates(Environment(autoescape=True).parse(source)))
    except TemplateSyntaxError:
        return None
    known = tuple(name for name in names if name is not None)
    return known if len(known) == len(names) else None


def shipped() -> Path:
    """The product's own templates: in the installed package, or beside it in a checkout."""
    package = Path(bot.__file__).parent
    return package / "templates" if (package / "templates").is_dir() else package.parent / "templates"


def _environment(loader: BaseLoader, *, autoescape: bool) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=loader,
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["html"] = lambda blocks, heading=4: Markup(to_html(blocks, heading=heading))  # noqa: S704 (ours, and nh3's lock behind it)
    environment.filters["inline_html"] = lambda inlines: Markup(inline_html(inlines))  # noqa: S704 (likewise)
    environment.filters["inline_text"] = inline_text
    environment.filters["text"] = lambda blocks, notes=None: to_text(blocks, width=WIDTH, links=notes)
    environment.filters["wrapped"] = _wrapped
    return environment


# ---------------------------------------------------------------------------------------------- fingerprint


def fingerprint(
    issue: Issue, newsletter: Newsletter, templates: Templates, base_url: str, *, several: bool = False
) -> str:
    """The content hash: of all that a rendering is made of, and of nothing else.

    The same on every machine and at any time; an approval is bound to it. `several`: see `issue_url`.
    """
    channels = newsletter.channels
    names = [_theme_of(newsletter), "email/text.txt.j2", "email/subject.txt.j2", "page.html.j2"]
    material = {
        "issue": _plain(issue),
        "base_url": base_url,
        "web_url": issue_url(base_url, issue.newsletter, issue.week, several=several),
        "newsletter": newsletter.model_dump(mode="json", include=_SHOWN),
        "channels": {name: options.model_dump(mode="json") for name, options in channels.items()},
        "templates": templates.digest(names, {options.kind for options in channels.values()}),
    }
    return sha256(json.dumps(material, sort_keys=True).encode()).hexdigest()


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

    def __getattr__(self, name: str) -> Any:
        return getattr(self.entry, name)


@dataclass(frozen=True, slots=True)
class Part:
    """A section as templates see it."""

    title: str | None
    entries: tuple[Numbered, ...]


def compose(
    issue: Issue, newsletter: Newsletter, templates: Templates, base_url: str, *, several: bool = False
) -> Rendered:
    """Render an issue once, with a slot wherever readers differ; `several`: see `issue_url`."""
    content_hash = fingerprint(issue, newsletter, templates, base_url, several=several)
    slots = Slots(sha256(content_hash.encode()).hexdigest()[:16])
    context: dict[str, Any] = {
        "issue": issue,
        "newsletter": newsletter,
        "sections": list(numbered(issue)),
        "subject": _subject(issue, newsletter, templates),
        "preheader": issue.preheader or _first_words(issue),
        "web_url": issue_url(base_url, issue.newsletter, issue.week, several=several),
        "base_url": base_url,
    }
    reader = {"name": slots.name, "email": slots.email, "unsubscribe_url": slots.unsubscribe}
    personal = {**context, "reader": reader, "greeting": newsletter.greeting.replace("{name}", slots.name)}
    return Rendered(
        subject=context["subject"],
        preheader=context["preheader"],
        html=inline(templates.html(_theme(newsletter, templates), personal)),
        text=_tidied(templates.plain("email/text.txt.j2", {**personal, "notes": Footnotes()})),
        page=templates.html("page.html.j2", context),
        nonce=slots.nonce,
    )


def _theme(newsletter: Newsletter, templates: Templates) -> str:
    if newsletter.theme not in (themes := templates.themes()):
        where = f"config/newsletters/{newsletter.name}.toml"
        raise InputError(
            where, f"theme: {newsletter.theme!r} is none of {', '.join(themes)}", "name one of them"
        )
    return _theme_of(newsletter)


def numbered(issue: Issue) -> Iterator[Part]:
    """The sections of an issue, each entry with its number in the whole."""
    number = 0
    for section in issue.sections:
        entries = tuple(Numbered(number + n, entry) for n, entry in enumerate(section.entries, 1))
        number += len(entries)
        yield Part(section.title, entries)


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


def _wrapped(text: str, width: int = WIDTH) -> str:
    """A line of words as lines that fit."""
    import textwrap  # noqa: PLC0415 (for this alone)

    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def _tidied(text: str) -> str:
    """A text without blanks at line ends, and never more than two empty lines together."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return re.sub(r"\n{4,}", "\n\n\n", lines) + "\n"
