"""The dates that headings and file names give, and the ISO week they mean."""

import calendar
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from bot.models import Week

_DAYS_OF_A_WEEK = 7
_LONGEST = timedelta(days=60)
_MONTHS = tuple(name.lower() for name in calendar.month_name)

_DAY = r"(\d{1,2})(?!\d)(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s{0,3}(\d{4})(?!\d))?"
_RANGE = re.compile(
    rf"\b([A-Za-z]{{3,9}})\.?\s{{1,3}}{_DAY}{_YEAR}\s{{0,3}}[-\u2010-\u2015]\s{{0,3}}"
    rf"(?:([A-Za-z]{{3,9}})\.?\s{{1,3}})?{_DAY}(?:\s{{0,3}}\)?\s{{0,3}}[-\u2010-\u2015,]?\s{{0,3}}(\d{{4}})(?!\d))?"
)
_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_ISO_WEEK = re.compile(r"(?<!\d)\d{4}-W\d{2}(?!\d)")
_MONTH_FIRST = re.compile(rf"\b([A-Za-z]{{3,9}})\.?\s{{1,3}}{_DAY},?\s{{1,3}}(\d{{4}})(?!\d)")
_DAY_FIRST = re.compile(rf"(?<!\d){_DAY}\s{{1,3}}([A-Za-z]{{3,9}})\.?,?\s{{1,3}}(\d{{4}})(?!\d)")


@dataclass(frozen=True, slots=True)
class Span:
    """The days from `start` to `end`, both included."""

    start: date
    end: date

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    @property
    def week(self) -> Week | None:
        """The ISO week that holds most of the days; None where two hold the same number."""
        days = (self.start + timedelta(days=number) for number in range(self.days))
        ranked = Counter(Week.of(day) for day in days).most_common(2)
        tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        return None if tied else ranked[0][0]

    @property
    def is_a_week(self) -> bool:
        """Monday to Sunday."""
        return self.days == _DAYS_OF_A_WEEK and self.start.weekday() == calendar.MONDAY

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"


@dataclass(frozen=True, slots=True)
class Dates:
    """Two days of the year as a heading names them; `year` is that of the later one."""

    start: tuple[int, int]
    end: tuple[int, int]
    year: int | None
    text: str

    def in_year(self, year: int) -> Span:
        """The days, given the year of the last; ValueError for days that do not exist."""
        first = year - 1 if self.start > self.end else year
        span = Span(date(first, *self.start), date(year, *self.end))
        if span.end - span.start > _LONGEST:
            raise ValueError(f"{self.text} is {span.days} days long")
        return span


def find_dates(text: str) -> Dates | None:
    """The first `Month D - Month D, YYYY` in a text, in any of its shorter spellings."""
    for found in _RANGE.finditer(text):
        month, day, early_year, late_month, late_day, late_year = found.groups()
        first, last = _month(month), _month(late_month or month)
        if first and last:
            year = int(late_year or early_year or 0) or None
            return Dates((first, int(day)), (last, int(late_day)), year, found[0])
    return None


def find_day(text: str) -> date | None:
    """The first full date in a text: `2025-04-21`, `April 21, 2025` or `21 April 2025`."""
    named = ((year, month, day) for year, month, day in _named_days(text))
    for year, month, day in (*_ISO_DAY.findall(text), *named):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None


def find_week(text: str) -> Week | None:
    """The first ISO week in a text, `2025-W17`."""
    for found in _ISO_WEEK.findall(text):
        try:
            return Week.parse(found)
        except ValueError:
            continue
    return None


def _named_days(text: str) -> list[tuple[str, int, str]]:
    month_first = [(year, _month(month), day) for month, day, year in _MONTH_FIRST.findall(text)]
    day_first = [(year, _month(month), day) for day, month, year in _DAY_FIRST.findall(text)]
    return month_first + day_first


def _month(word: str) -> int:
    """The month that a name or its beginning means; 0 for other words."""
    word = word.lower()
    return next((number for number, name in enumerate(_MONTHS) if number and name.startswith(word)), 0)
