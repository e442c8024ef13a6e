"""The templates of an installation, in Jinja's sandbox: filled, named, and hashed."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any

from jinja2 import (
    BaseLoader,
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
from bot.markup import inline_html, inline_text, to_html, to_text
from bot.text import Blocks

WIDTH = 72
"""Columns of the text part."""
MEND = "templates/README.md lists what a template is given"


class Templates:
    """The templates of an installation: its own `templates/` first, then those that come with the product."""

    def __init__(self, root: Path) -> None:
        self.folders = (root / "templates", shipped())
        self.loader: BaseLoader = _Folders(self.folders)
        self._html = _environment(self.loader, autoescape=True)
        self._plain = _environment(self.loader, autoescape=False)

    def html(self, name: str, context: Mapping[str, Any]) -> str:
        """Fill an HTML template; whatever is not HTML by its type is escaped."""
        return self._filled(self._html, name, context)

    def plain(self, name: str, context: Mapping[str, Any]) -> str:
        """Fill a template whose words are words: a subject, a text part."""
        return self._filled(self._plain, name, context)

    def text(self, name: str) -> str:
        """A file beside the templates as it is; nothing where there is none."""
        return self._source(name)

    def themes(self) -> list[str]:
        """The themes there are."""
        names = (path.name for folder in self.folders for path in (folder / "themes").glob("*.html.j2"))
        return sorted({name.removesuffix(".html.j2") for name in names})

    def digest(self, names: Iterable[str], folders: Iterable[str] = ()) -> str:
        """A hash of templates and of all that they extend or include: another look is another content.

        `folders` names those of which every template counts.
        """
        sources = self.sources(names, folders)
        whole = sha256()
        for name in sorted(sources):
            whole.update(f"{name}\0{sources[name]}\0".encode())
        return whole.hexdigest()

    def sources(self, names: Iterable[str], folders: Iterable[str] = ()) -> dict[str, str]:
        """The texts of templates and of all that they extend or include, by name, those named first.

        Read anew each time: an editor may be at work.
        """
        every = cache(lambda: [name for name in self.loader.list_templates() if name.endswith(".j2")])
        wanted = set(folders)
        todo = [*names, *(name for name in (every() if wanted else ()) if name.split("/")[0] in wanted)]
        sources: dict[str, str] = {}
        for name in todo:  # which grows as it is read
            if name not in sources:
                sources[name] = self._source(name)
                used = _used_by(sources[name])
                todo += every() if used is None else used
        return sources

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


class _Folders(FileSystemLoader):
    """Templates by name from the first folder that has them; it notices one that is put before another."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, file, is_unchanged = super().get_source(environment, template)
        places = (Path(folder, template) for folder in self.searchpath)
        before = list(takewhile(lambda place: not place.is_file(), places))
        return source, file, lambda: is_unchanged() and not any(place.is_file() for place in before)


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
    environment.filters["html"] = _html
    environment.filters["inline_html"] = lambda inlines: Markup(inline_html(inlines))  # noqa: S704 (likewise)
    environment.filters["inline_text"] = inline_text
    environment.filters["text"] = lambda blocks, notes=None: to_text(blocks, width=WIDTH, links=notes)
    environment.filters["wrapped"] = _wrapped
    return environment


def _html(blocks: Blocks, heading: int = 4, *, columns: bool = False) -> Markup:
    return Markup(to_html(blocks, heading=heading, columns=columns))  # noqa: S704 (ours, and nh3's lock behind it)


def _wrapped(text: str, width: int = WIDTH) -> str:
    """A line of words as lines that fit."""
    import textwrap  # noqa: PLC0415 (for this alone)

    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))
