"""JSON lists of links: objects with `title`, `url`, `date` and a text, gathered into issues by ISO week."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from bot.errors import InputError
from bot.markup import parse_blocks, safe_url, url_fault
from bot.models import Entry, Reference, Section, Week
from bot.sources import CERTAIN, LIKELY, UNKNOWN, Doubt, Found, Given, Left, Reading
from bot.sources._dates import Span

_TITLES = ("title", "name", "headline")
_URLS = ("url", "link", "href", "external_url")
_TEXTS = ("content", "description", "summary", "content_text", "text", "body")
_DATES = ("date", "date_published", "published", "created_at", "pubDate")
_VIA = ("viaURL", "via")
_RELATED = ("relatedLinks", "links")
_KNOWN = {*_TITLES, *_URLS, *_TEXTS, *_DATES, *_VIA, *_RELATED}
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(slots=True)
class _Object:
    """One object of the list being read; `place` is its index, `[12]`."""

    place: str
    fields: Mapping[str, Any]
    doubts: list[Doubt] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def doubt(self, what: str) -> None:
        self.doubts.append(Doubt(None, f"{self.place}{what}"))

    def leave(self, key: str, value: object) -> None:
        self.left.append(Left(None, f"{self.place}.{key}: {_written(value)}"))

    def words(self, keys: tuple[str, ...]) -> str:
        """The first of these keys that has a text; whatever the others have is left, and reported."""
        words = ""
        for key in (key for key in keys if self.fields.get(key) not in (None, "")):
            value = self.fields[key]
            if not isinstance(value, str):
                self.doubt(f".{key} is {_type(value)}, not a text: left out")
            if isinstance(value, str) and not words:
                words = self.clean(key, value)
            else:
                self.leave(key, value)
        return words

    def clean(self, key: str, value: str) -> str:
        cleaned = _UNPRINTABLE.sub(" ", value.replace("\r\n", "\n"))
        if cleaned != value.replace("\r\n", "\n"):
            self.doubt(f".{key} has characters that cannot be printed: read as blanks")
        return cleaned


def recognises(name: str, text: str) -> int:
    """A JSON text; sure where the name says so too."""
    start = text.lstrip()[:1]
    if start not in {"{", "["} or not start:
        return UNKNOWN
    return CERTAIN if name.lower().endswith(".json") else LIKELY if _parses(text) else UNKNOWN


def read(text: str, given: Given) -> Reading:
    """One issue per ISO week of the objects' dates, in the given zone; an index stands for a line."""
    repeated: list[str] = []
    document = _parse(text, given.name, repeated)
    path, listed = _list_in(document, given.name)
    doubts = [
        Doubt(None, f"the key {key!r} stands twice in one object: the last one counts") for key in repeated
    ]
    left = [Left(None, f"{key}: {_written(value)}") for key, value in _around(document, path)]
    weeks: dict[Week | None, list[tuple[date | None, Entry, list[Doubt]]]] = {}
    for index, fields in enumerate(listed):
        entry, day, item = _entry(_Object(f"{path}[{index}]", _fields(fields)), fields, given)
        left += item.left
        if entry is None:
            doubts += item.doubts
        else:
            weeks.setdefault(Week.of(day) if day else given.week, []).append((day, entry, item.doubts))
    if weeks:
        doubts.append(Doubt(None, "the list has no titles of issues: each is called after its week"))
    return Reading(_issues(weeks), tuple(doubts), tuple(left), several=True)


# ------------------------------------------------------------------------------------------------- JSON


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _parse(text: str, name: str, repeated: list[str]) -> Any:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        whole = dict(found)
        if len(whole) < len(found):
            seen: set[str] = set()
            repeated.extend(key for key, _ in found if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return whole

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        where = f"{name}:{error.lineno}:{error.colno}"
        raise InputError(where, f"this is no JSON: {error.msg}", "mend the file") from error
    except RecursionError as error:
        raise InputError(name, "the JSON is nested too deeply", "give a list of objects") from error
    except ValueError as error:
        raise InputError(name, f"this JSON cannot be read: {error}", "mend the file") from error


def _list_in(document: Any, name: str) -> tuple[str, list[Any]]:
    """The list of objects and the key it stands under: the document itself, or its one list of objects."""
    if isinstance(document, list):
        return "", document
    pairs = document.items() if isinstance(document, dict) else ()
    lists = [(key, value) for key, value in pairs if _lists_objects(value)]
    if len(lists) != 1:
        what = "no list of objects" if not lists else f"{len(lists)} lists of objects"
        raise InputError(name, f"{what} in this JSON", 'give `[{"title": …, "url": …, "date": …}, …]`')
    return lists[0]


def _lists_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _around(document: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(document, dict):
        yield from ((key, value) for key, value in document.items() if key != path)


def _fields(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _type(value: object) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "a text")


def _written(value: object) -> str:
    """A value as JSON, for the report; lone surrogates stay escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


# ---------------------------------------------------------------------------------------------- entries


def _entry(item: _Object, value: Any, given: Given) -> tuple[Entry | None, date | None, _Object]:
    if not isinstance(value, dict):
        item.doubt(f" is {_type(value)}, not an object: left out")
        item.left.append(Left(None, f"{item.place}: {_written(value)}"))
        return None, None, item
    url = _address(item, item.words(_URLS), "url")
    title = " ".join(item.words(_TITLES).split())
    blocks = parse_blocks(item.words(_TEXTS))
    if not title:
        item.doubt(" has no title: " + (f"called {url}" if url else "left out"))
    if not title and not url:
        item.left.append(Left(None, f"{item.place}: {_written(value)}"))
        return None, None, item
    references = [Reference(url.split("/")[2] or url, url)] if url and "//" in url else []
    references += _related(item)
    for key in value.keys() - _KNOWN:
        item.leave(key, value[key])
    day = _day(item, given)
    return Entry(title or url or "", tuple(references), blocks, place=f"{given.name}{item.place}"), day, item


def _address(item: _Object, url: str, key: str) -> str | None:
    if not url:
        return None
    if (safe := safe_url(url.strip())) is None:
        item.doubt(f".{key}: no link can lead to {url!r} ({url_fault(url.strip())}): left out")
        item.leave(key, url)
    return safe


def _related(item: _Object) -> Iterator[Reference]:
    """`relatedLinks` and `viaURL`."""
    for key in (key for key in _RELATED if item.fields.get(key)):
        links = item.fields[key]
        for index, link in enumerate(links if isinstance(links, list) else [links]):
            yield from _related_link(item, f"{key}[{index}]", link)
    if url := _address(item, item.words(_VIA), _VIA[0]):
        yield Reference("via", url)


def _related_link(item: _Object, key: str, link: Any) -> Iterator[Reference]:
    fields = link if isinstance(link, dict) else {"url": link}
    url, label = fields.get("url"), fields.get("title")
    if not isinstance(url, str) or not isinstance(label, str | None):
        item.doubt(f".{key} is no link: left out")
        item.leave(key, link)
    elif safe := _address(item, item.clean(key, url), key):
        yield Reference(" ".join(item.clean(key, label or "").split()) or safe, safe)
        for other in fields.keys() - {"url", "title"}:
            item.leave(f"{key}.{other}", fields[other])
    elif label:
        item.leave(f"{key}.title", label)


def _day(item: _Object, given: Given) -> date | None:
    """The day an object's instant falls on in the given zone."""
    if not (text := item.words(_DATES)):
        item.doubt(" has no date")
        return None
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError:
        item.doubt(f" has a date that does not exist or cannot be read: {text!r}")
        item.leave("date", text)
        return None
    try:
        return instant.astimezone(given.zone).date() if instant.tzinfo else instant.date()
    except (OverflowError, ValueError):
        item.doubt(f" has a date outside the calendar: {text!r}")
        item.leave("date", text)
        return None


def _issues(weeks: Mapping[Week | None, list[tuple[date | None, Entry, list[Doubt]]]]) -> tuple[Found, ...]:
    ordered = sorted(weeks.items(), key=lambda pair: (pair[0] is None, str(pair[0])))
    return tuple(_found(week, entries) for week, entries in ordered)


def _found(week: Week | None, entries: list[tuple[date | None, Entry, list[Doubt]]]) -> Found:
    """The entries of one week in the order of the file."""
    days = [day for day, _, _ in entries if day]
    return Found(
        title=str(week) if week else "no date",
        sections=(Section(None, tuple(entry for _, entry, _ in entries)),),
        week=week,
        span=Span(min(days), max(days)) if days else None,
        doubts=tuple(doubt for _, _, doubts in entries for doubt in doubts),
        undated=f"{len(entries)} entries have no date",
    )
