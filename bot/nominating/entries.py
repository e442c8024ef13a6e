"""Makes a file of a nomination: its words are only words, its name is new, and one work is there once."""

import fcntl
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from secrets import token_hex

from bot import markup
from bot.canonical import canonical, without_tracking
from bot.checks import Material, look
from bot.desk import Desk
from bot.errors import InputError, RefusedError
from bot.headers import one_line
from bot.models import Entry, Finding, Reference, errors_of
from bot.settings import Settings
from bot.sources.markdown import dump_entry, read_entry_bytes
from bot.text import Paragraph, Text

TitleOf = Callable[[str], str | None]
"""What the page at an address calls itself; None where nobody can say."""

LONGEST_TITLE = 150
LONGEST_NOTE = 3000
LONGEST_SLUG = 60
_BY = re.compile(r"^# nominated in Slack by (.{1,100})$", re.MULTILINE)
_INVISIBLE = re.compile("[\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e0fff]")


@dataclass(frozen=True, slots=True)
class Nomination:
    """What somebody wants to see in a newsletter; hostile."""

    url: str
    note: str
    by: str
    """Who they are, as others know them."""


def nominate(
    open_desk: Callable[[], Desk],
    settings: Settings,
    nomination: Nomination,
    now: datetime,
    title_of: TitleOf,
) -> tuple[Entry, Path]:
    """Write a nomination as an entry; RefusedError where its work is there already, or it would be faulty.

    `open_desk` reads the content anew each time: the page is asked for its title in between.
    """
    url = address(nomination.url)
    if found := there(open_desk(), url):
        raise RefusedError(found)
    title = title_of(url)
    desk = open_desk()
    folder = settings.root / "content" / desk.newsletter.name / "entries"
    entry = entry_of(nomination, url, title, now.astimezone(desk.newsletter.schedule.zone))
    with _alone(folder):
        if found := there(open_desk(), url):
            raise RefusedError(found)
        path = _free(folder, entry)
        content = dump_entry(entry, f"nominated in Slack by {known(nomination.by)}").encode()
        if errors := faults(settings, desk, content, path, now):
            raise RefusedError(f"{errors[0].message} [{errors[0].rule}]")
        return entry, _write(folder, path, content)


def address(url: str) -> str:
    """The address as it is written down: safe, of the web, and without what only tracks."""
    safe = markup.safe_url(url)
    if safe is None or not safe.lower().startswith(("http://", "https://")):
        raise InputError(
            repr(url[:80]), markup.url_fault(url) or "no address of a web page", "give https://…"
        )
    return without_tracking(safe)


# ---------------------------------------------------------------------------------------- there already?


def there(desk: Desk, url: str) -> str | None:
    """Where the same work stands already, and by whom; None where it is new."""
    name = canonical(url)
    for entry in desk.content.entries:
        if name in _works(entry):
            return f"It is there already{_of(desk, entry)}: “{entry.title}”."
    for issue in sorted(desk.content.issues, key=lambda one: one.week, reverse=True):
        for entry in issue.entries:
            if name in _works(entry):
                return f"It is there already, in {issue.week}: “{entry.title}”."
    return None


def _works(entry: Entry) -> set[str]:
    return {canonical(reference.url) for reference in entry.references}


def _of(desk: Desk, entry: Entry) -> str:
    """Who nominated an entry, and when it was collected."""
    found = _BY.search(desk.content.texts.get(entry.place.rpartition(":")[0], ""))
    by = f", by {found[1]}" if found else ""
    return (
        f"{by}, since {entry.date.astimezone(desk.newsletter.schedule.zone):%d %b %Y}" if entry.date else by
    )


# ------------------------------------------------------------------------------------------------ an entry


def entry_of(nomination: Nomination, url: str, title: str | None, now: datetime) -> Entry:
    """The entry of a nomination: under its page's title, else the note's first line, else the host's name."""
    note = [words for line in nomination.note[:LONGEST_NOTE].splitlines() if (words := _plain(line))]
    host = markup.plain_text(markup.text(_host(url)))
    heading = _plain(title or "")
    if not heading and note:
        heading = note[0]
        note = note[1:] if len(heading) <= LONGEST_TITLE else note
    blocks = tuple(Paragraph((Text(words),)) for words in note)
    return Entry(_shortened(heading) or host, (Reference(host, url),), blocks, date=now)


def _plain(text: str) -> str:
    """The words of a line, as a title can hold them: no control, nothing invisible, no encoded word."""
    return one_line(_INVISIBLE.sub("", text)).replace("=?", "= ?")


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1].rstrip()}…"


def _host(url: str) -> str:
    return url.split("/")[2].rpartition("@")[2].removeprefix("www.")


def known(by: str) -> str:
    """A name as a remark can hold it."""
    return re.sub(r"[^\w .'’-]", "", one_line(by))[:60].strip() or "somebody"


def faults(settings: Settings, desk: Desk, content: bytes, path: Path, now: datetime) -> list[Finding]:
    """The errors that reading the entry, and every rule about content, would find in it."""
    place = path.relative_to(settings.root).as_posix()
    entry, found = read_entry_bytes(content, place, desk.newsletter.schedule.zone)
    name = desk.newsletter.name
    material = Material(
        settings.model_copy(update={"newsletters": {name: desk.newsletter}}),
        entries={name: (entry,) if entry else ()},
        findings=tuple(found),
        now=now,
        texts={place: content.decode()},
    )
    every = (*found, *look(material))
    return [finding for finding in errors_of(every) if finding.place.startswith(place)]


# ------------------------------------------------------------------------------------------------- its file


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else on this machine writes nominations there meanwhile."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(str(folder), f"cannot be written ({error.strerror})", "make it writable") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _free(folder: Path, entry: Entry) -> Path:
    """A name that no file has: the day and the title's words in plain letters."""
    assert entry.date is not None  # noqa: S101 (it was collected just now)
    stem = f"{entry.date:%Y-%m-%d}-{slug(entry.title) or slug(entry.references[0].label) or 'entry'}"
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(path for name in names if not os.path.lexists(path := folder / f"{name}.md"))


def slug(words: str) -> str:
    """Words as small letters, digits and hyphens; nothing of what has no such spelling."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", words) if not unicodedata.combining(one))
    letters = re.sub(r"[\W_]+", "-", bare).encode("ascii", "ignore").decode().lower()
    whole = re.sub(r"-+", "-", letters).strip("-")
    return whole[:LONGEST_SLUG].rsplit("-", 1)[0] if len(whole) > LONGEST_SLUG else whole


def _write(folder: Path, path: Path, content: bytes) -> Path:
    """Put the whole file there at once, and never in the place of another."""
    partial = folder / f".{path.name}.{token_hex(4)}"
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(partial, path)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})", "make it writable") from error
    finally:
        partial.unlink(missing_ok=True)
    return path
