"""How near an issue is to the limits of mail programs and of Slack, and what inboxes show of its subject.

Rendered, posts → gauges and cuts, for a curator who looks at the draft
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from bot.blockkit import limits
from bot.blockkit.measure import size

Json: TypeAlias = dict[str, Any]

HTML = 102_000
"""Bytes of HTML that Gmail shows of a mail."""
STYLES = 16_384
"""Bytes of `<style>` that Gmail reads."""
NEAR = 0.8
"""The share of a limit from which it is near."""
PHONE, DESKTOP = 38, 70
"""Characters of a subject that inboxes show: an iPhone 33 to 41, a wide window some 70."""
TEASER_PHONE, TEASER_DESKTOP = 90, 140
"""Characters of a preheader that they show after it."""

_STYLE = re.compile(r"<style\b[^>]*>([^<]*)", re.IGNORECASE)


class Level(StrEnum):
    """How a size stands to its limit."""

    FINE = "fine"
    NEAR = "near"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Gauge:
    """One size against its limit."""

    what: str
    value: int
    limit: int
    unit: str
    near: float = NEAR
    """The share of the limit from which it is near; 1 for what is filled up to it on purpose."""

    @property
    def level(self) -> Level:
        if self.value > self.limit:
            return Level.OVER
        return Level.NEAR if self.value > self.limit * self.near else Level.FINE

    @property
    def percent(self) -> int:
        """Of the limit, rounded down."""
        return self.value * 100 // self.limit


@dataclass(frozen=True, slots=True)
class Cut:
    """One line as an inbox shows it: the characters that are seen, and those that are not."""

    where: str
    limit: int
    seen: str
    lost: str


def of_mail(html: str, longest: int) -> tuple[Gauge, ...]:
    """The gauges of a mail: `longest` is the bytes of its HTML for the reader with the longest name."""
    styles = sum(len(sheet.encode()) for sheet in _STYLE.findall(html))
    return Gauge("HTML", longest, HTML, "bytes"), Gauge("Styles", styles, STYLES, "bytes")


def of_posts(posts: Sequence[Json]) -> Iterator[tuple[Gauge, ...]]:
    """For each message of a conversation: its blocks, their JSON, its longest text and its fallback."""
    for post in posts:
        blocks = post.get("blocks") or []
        texts = [len(text) for text in _texts(blocks)]
        yield (
            Gauge("Blocks", len(blocks), limits.BLOCKS, "blocks", near=1),
            Gauge("JSON", size(blocks), limits.SERIALISED, "characters", near=1),
            Gauge("Longest text", max(texts, default=0), limits.TEXT, "characters"),
            Gauge("Notification", len(str(post.get("text") or "")), limits.FALLBACK, "characters"),
        )


def _texts(value: object) -> Iterator[str]:
    """Every text object's words, at any depth."""
    if isinstance(value, dict):
        if value.get("type") in {"mrkdwn", "plain_text"}:
            yield str(value.get("text") or "")
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)


def subject_cuts(subject: str) -> tuple[Cut, ...]:
    """A subject as a phone and as a wide window show it."""
    return cut("phone", subject, PHONE), cut("desktop", subject, DESKTOP)


def preheader_cuts(preheader: str) -> tuple[Cut, ...]:
    """A preheader likewise."""
    return cut("phone", preheader, TEASER_PHONE), cut("desktop", preheader, TEASER_DESKTOP)


def cut(where: str, line: str, limit: int) -> Cut:
    """A line cut after so many characters, never within one that is written as several code points."""
    marks = re.compile(r"[\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
    end = min(limit, len(line))
    while 0 < end < len(line) and (marks.match(line[end]) or line[end - 1] == "\u200d"):
        end -= 1
    return Cut(where, limit, line[:end], line[end:])
