"""The days and weeks that words name, in the languages that newsletters are written in."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from functools import lru_cache

from bot.models import Week

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
}
_WEEK_WORDS = (
    "week|kw|kalenderwoche|woche|semaine|semana|settimana|vecka|uke|uge|viikko|tydzień|hafta"
    "|\u043d\u0435\u0434\u0435\u043b\u044f|第"
)
_WEEK_NUMBER = re.compile(
    rf"(?<!\w)(?:{_WEEK_WORDS})\s?#?(\d{{1,2}})(?![\d.,]*\d|\w)(?!\s?%)|第(\d{{1,2}})[週周]",
    re.IGNORECASE,
)
_ISO_WEEK = re.compile(r"(?<![\w-])(?:(\d{4})-)?W(\d{2})(?![\w-])")
_LAST_WEEK = 53
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
_ORDINAL = r"(?:st|nd|rd|th|er|\.|º)?"
_DASH = r"\s?(?:[-\u2010-\u2015]|\b(?:to|bis|au|al|t/m)\b)\s?"


@dataclass(frozen=True, slots=True)
class Days:
    """The days that words name: from `start` to `end`, which are months with days."""

    words: str
    at: int
    """Where in the text they begin."""
    start: tuple[int, int]
    end: tuple[int, int]
    year: int | None = None
    """That of the last day."""
    weekday: int | None = None
    """0 is Monday."""

    @property
    def is_span(self) -> bool:
        return self.start != self.end

    def near(self, week: Week) -> tuple[date, date] | None:
        """The first and the last day, in the year that is said, or else as near to a week as can be.

        None for days that no calendar has.
        """
        years = (self.year,) if self.year else (week.year - 1, week.year, week.year + 1)
        spans = [span for year in years if (span := self._in(year))]
        return min(spans, key=lambda span: abs(span[0] - week.monday), default=None)

    def _in(self, year: int) -> tuple[date, date] | None:
        try:
            return date(year - (self.start > self.end), *self.start), date(year, *self.end)
        except ValueError:
            return None


def week_of(span: tuple[date, date]) -> Week:
    """The week that holds most of some days, the later one of two that hold as many."""
    first, last = span
    return Week.of(first + timedelta(days=((last - first).days + 1) // 2))


def weeks_named(text: str) -> Iterator[tuple[str, int, int | None]]:
    """Each week that a text names by number: its words, the number, and the year where it is said."""
    for found in _ISO_WEEK.finditer(text):
        yield found[0], int(found[2]), int(found[1]) if found[1] else None
    if not _ISO_WEEK.search(text):
        for found in _WEEK_NUMBER.finditer(text):
            if 1 <= (number := int(found[1] or found[2])) <= _LAST_WEEK:
                yield found[0], number, None


def days_named(text: str, language: str) -> Iterator[Days]:
    """Each day or span of days that a text names, in figures, in English or in its own language."""
    yield from _figures(text)
    names = _names(language)
    for pattern in names.patterns:
        for found in pattern.finditer(text):
            part = found.groupdict()
            first, last = part["first"] or part["last"], part["last"] or part["first"]
            yield Days(
                found[0].strip(" ,.-"),
                found.start(),
                (names.months[first.lower()], int(part["day"])),
                (names.months[last.lower()], int(part["until"] or part["day"])),
                int(part["year"]) if part["year"] else None,
                names.weekdays[part["weekday"].lower()] if part["weekday"] else None,
            )


_NEAR_A_DAY = re.compile(r"\b([A-Z][a-z]{3,10})\.?\s\d{1,2}(?!\d)|(?<!\d)\d{1,2}\.?\s([A-Z][a-z]{3,10})\b")
_ALIKE = 0.82


def misspelt_months(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Each word beside a number that is nearly the name of a month, and that name."""
    known = {name.lower() for table in _MONTHS.values() for name in table.split()}
    own = [*_MONTHS["en"].split(), *_MONTHS.get(language, "").split()]
    for found in _NEAR_A_DAY.finditer(text):
        word = found[1] or found[2]
        if word.lower() not in known and (near := get_close_matches(word, own, 1, _ALIKE)):
            yield word, near[0]


_ISO_DAYS = re.compile(
    rf"(?<![\d-])(\d{{4}})-(\d\d)-(\d\d)(?:(?:{_DASH}|/)(\d{{4}})-(\d\d)-(\d\d))?(?![\d-])"
)
_DOTTED = re.compile(rf"(?<![\d.])(\d\d?)\.(\d\d?)\.(\d{{4}})?{_DASH}(\d\d?)\.(\d\d?)\.(\d{{4}})?(?!\d)")
_SLASHED = re.compile(rf"(?<![\d/])(\d\d?)/(\d\d?){_DASH}(\d\d?)/(\d\d?)(?![\d/])")
_CJK_DAYS = re.compile(
    r"(?:(\d{4})年)?(\d\d?)月(\d\d?)日(?:\s?[-\u2013\u301c\uff5e~至]\s?(?:(\d\d?)月)?(\d\d?)日)?"
)


def _figures(text: str) -> Iterator[Days]:
    """Days in figures: `2025-04-14`, and spans such as `14.4.-20.4.2025`, `4/14 - 4/20`, `4月14日-20日`."""
    for found in _ISO_DAYS.finditer(text):
        year, month, day, *late = (int(part) for part in found.groups() if part)
        last_year, *last = late or (year, month, day)
        yield _counted(found, (month, day), (last[0], last[1]), last_year)
    for found in _DOTTED.finditer(text):
        day, month, year, last_day, last_month, last_year = (int(part or 0) for part in found.groups())
        yield _counted(found, (month, day), (last_month, last_day), last_year or year or None)
    for found in _SLASHED.finditer(text):
        first, second, third, fourth = (int(part) for part in found.groups())
        american = max(first, third) <= _MONTHS_OF_A_YEAR and max(second, fourth) > _MONTHS_OF_A_YEAR
        start, end = ((first, second), (third, fourth)) if american else ((second, first), (fourth, third))
        yield _counted(found, start, end, None)
    for found in _CJK_DAYS.finditer(text):
        year, month, day, last_month, last_day = (int(part or 0) for part in found.groups())
        yield _counted(found, (month, day), (last_month or month, last_day or day), year or None)


def _counted(found: re.Match[str], start: tuple[int, int], end: tuple[int, int], year: int | None) -> Days:
    return Days(found[0], found.start(), start, end, year)


_MONTHS_OF_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class _Names:
    """How a language names days: `April 14 - 20, 2025` and `14.-20. April 2025`."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    patterns: tuple[re.Pattern[str], re.Pattern[str]]


@lru_cache
def _names(language: str) -> _Names:
    months, weekdays = dict(_numbered(_MONTHS, language, 1)), dict(_numbered(_WEEKDAYS, language, 0))
    patterns = _patterns(_any_of(months), _any_of(weekdays))
    return _Names(_lowered(months), _lowered(weekdays), patterns)


def _lowered(numbers: Mapping[str, int]) -> Mapping[str, int]:
    return {name.lower(): number for name, number in numbers.items()}


def _numbered(table: Mapping[str, str], language: str, first: int) -> Iterator[tuple[str, int]]:
    """The names of a language and the English ones, those short as well, as they may be written."""
    for number, name in enumerate(table["en"].split(), first):
        yield from ((name, number), (name[:3], number), (name[:4], number))
    for number, name in enumerate(table.get(language, "").split(), first):
        yield from ((name, number), (name.capitalize(), number))


def _any_of(names: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(names, key=len, reverse=True)) + ")"


def _patterns(month: str, day_of_week: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    weekday = rf"(?:\b(?P<weekday>{day_of_week})\.?,?\s(?:the |den |der |le |el )?)?"
    year = r"(?:\)?\s?(?:[-\u2013,]|de|del)?\s?(?P<year>(?:19|20)\d\d)(?!\d))?"
    until = rf"(?P<until>{_DAY}){_ORDINAL}"
    return (
        re.compile(
            rf"{weekday}\b(?P<first>{month})\.?\s(?P<day>{_DAY}){_ORDINAL}"
            rf"(?:{_DASH}(?:(?P<last>{month})\.?\s)?{until})?(?![\d%]|[.,]\d){year}"
        ),
        re.compile(
            rf"{weekday}(?<![\d.,#/$-])(?P<day>{_DAY}){_ORDINAL}"
            rf"(?:(?:\s(?:de )?(?P<first>{month})\.?)?{_DASH}{until})?"
            rf"\s(?:of |de )?(?P<last>{month})\b\.?{year}"
        ),
    )
