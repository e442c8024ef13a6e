"""Feeds: a list of issues as RSS 2.0, as Atom (RFC 4287) and as JSON Feed 1.1."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from lxml.etree import Element, SubElement, _Element, tostring

ATOM = "http://www.w3.org/2005/Atom"
CONTENT = "http://purl.org/rss/1.0/modules/content/"
XML = "{http://www.w3.org/XML/1998/namespace}"
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""When a feed without issues changed last: Atom wants a time (RFC 4287 §4.1.1), the same each time."""

_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold, not even escaped (XML 1.0 §2.2)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One issue in a feed."""

    id: str
    """A name for ever, whatever becomes of addresses: see `issue_id`."""
    url: str
    title: str
    summary: str
    content: str
    """HTML."""
    language: str
    published: datetime
    updated: datetime


@dataclass(frozen=True, slots=True)
class Feed:
    """A newsletter's latest issues, newest first."""

    title: str
    description: str
    language: str
    home: str
    """Where its issues are read."""
    url: str
    """Where this feed is."""
    items: Sequence[Item]

    @property
    def updated(self) -> datetime:
        """When any of it changed last."""
        return max((item.updated for item in self.items), default=NEVER)


def issue_id(list_id: str, newsletter: str, week: str, published: datetime) -> str:
    """A `tag:` address (RFC 4151): the list's own name on the day of publication names an issue for ever."""
    return f"tag:{list_id.lower()},{published.astimezone(UTC):%Y-%m-%d}:{newsletter}/{week}"


# ---------------------------------------------------------------------------------------------------- RSS


def rss(feed: Feed) -> bytes:
    """RSS 2.0 with whole issues in `content:encoded`; a correction shows in `atom:updated`."""
    root = Element("rss", {"version": "2.0"}, nsmap={"atom": ATOM, "content": CONTENT})
    channel = SubElement(root, "channel")
    _put(channel, "title", feed.title)
    _put(channel, "link", feed.home)
    _put(channel, "description", feed.description)
    _put(channel, "language", feed.language.lower())
    _put(channel, "lastBuildDate", _rfc822(feed.updated))
    _put(channel, "generator", "Broadsheet")
    _put(channel, f"{{{ATOM}}}link", href=feed.url, rel="self", type="application/rss+xml")
    for one in feed.items:
        item = SubElement(channel, "item")
        _put(item, "title", one.title)
        _put(item, "link", one.url)
        _put(item, "guid", one.id, isPermaLink="false")
        _put(item, "pubDate", _rfc822(one.published))
        _put(item, "description", one.summary)
        _put(item, f"{{{CONTENT}}}encoded", one.content)
        _put(item, f"{{{ATOM}}}updated", _rfc3339(one.updated))
    return tostring(root, xml_declaration=True, encoding="UTF-8")


# --------------------------------------------------------------------------------------------------- Atom


def atom(feed: Feed) -> bytes:
    """Atom (RFC 4287); `updated` moves with each correction, ids never do."""
    root = Element(f"{{{ATOM}}}feed", {f"{XML}lang": feed.language}, nsmap={None: ATOM})  # type: ignore[dict-item] # the stubs forget the default namespace
    _put_atom(root, "id", feed.home)
    _put_atom(root, "title", feed.title)
    _put_atom(root, "subtitle", feed.description)
    _put_atom(root, "updated", _rfc3339(feed.updated))
    _put_atom(_put_atom(root, "author"), "name", feed.title)
    _put_atom(root, "link", href=feed.url, rel="self", type="application/atom+xml")
    _put_atom(root, "link", href=feed.home, rel="alternate", type="text/html")
    _put_atom(root, "generator", "Broadsheet")
    for one in feed.items:
        entry = _put_atom(root, "entry")
        entry.set(f"{XML}lang", one.language)
        _put_atom(entry, "id", one.id)
        _put_atom(entry, "title", one.title)
        _put_atom(entry, "link", href=one.url, rel="alternate", type="text/html")
        _put_atom(entry, "published", _rfc3339(one.published))
        _put_atom(entry, "updated", _rfc3339(one.updated))
        _put_atom(entry, "summary", one.summary)
        _put_atom(entry, "content", one.content, type="html")
    return tostring(root, xml_declaration=True, encoding="UTF-8")


# --------------------------------------------------------------------------------------------------- JSON


def json_feed(feed: Feed) -> bytes:
    """JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.home,
        "feed_url": feed.url,
        "description": feed.description,
        "language": feed.language,
        "authors": [{"name": feed.title}],
        "items": [_json_item(one) for one in feed.items],
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode(errors="replace")


def _json_item(one: Item) -> dict[str, Any]:
    item = {
        "id": one.id,
        "url": one.url,
        "title": one.title,
        "summary": one.summary,
        "content_html": one.content,
        "language": one.language,
        "date_published": _rfc3339(one.published),
    }
    return item | ({"date_modified": _rfc3339(one.updated)} if one.updated != one.published else {})


FORMS: dict[str, tuple[str, Callable[[Feed], bytes]]] = {
    "feed.xml": ("application/rss+xml", rss),
    "atom.xml": ("application/atom+xml", atom),
    "feed.json": ("application/feed+json", json_feed),
}
"""The feeds by the name of their file: its media type, and what writes it."""


def _put(parent: _Element, tag: str, text: str | None = None, **attributes: str) -> _Element:
    """A new last child; what XML cannot hold is replaced."""
    child = SubElement(parent, tag, {name: _said(value) for name, value in attributes.items()})
    child.text = _said(text) if text else None
    return child


def _put_atom(parent: _Element, tag: str, text: str | None = None, **attributes: str) -> _Element:
    return _put(parent, f"{{{ATOM}}}{tag}", text, **attributes)


def _said(text: str) -> str:
    return _UNSPEAKABLE.sub("\ufffd", text)


def _rfc822(instant: datetime) -> str:
    return format_datetime(instant.astimezone(UTC), usegmt=True)


def _rfc3339(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
