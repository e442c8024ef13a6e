"""Rules about an issue as one of a series: what it has in common with those before it, and should not."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from bot.checks._material import Material
from bot.checks._passages import TEXTS, Kind, Passage, flaw, paragraphs_of, shown
from bot.checks._rules import Flaw
from bot.models import Issue, Severity, Week

_HABIT = 3
"""So many earlier issues in a row make a habit."""


def earlier_of(material: Material) -> Iterator[tuple[Issue, Sequence[Issue]]]:
    """Each issue to look at, with those of its newsletter before it, the newest first."""
    known = _by_newsletter(material)
    for issue in material.issues:
        series = known[issue.newsletter]
        before = bisect_left(series, issue.week, key=lambda other: other.week)
        yield issue, series[max(before - 2 * _HABIT, 0) : before][::-1]


def _by_newsletter(material: Material) -> Mapping[str, list[Issue]]:
    """The issues of each newsletter, in order of their weeks."""
    by_key = {issue.key: issue for issue in (*material.earlier, *material.issues)}
    series = defaultdict[str, list[Issue]](list)
    for issue in sorted(by_key.values(), key=lambda issue: issue.week):
        series[issue.newsletter].append(issue)
    return series


# -------------------------------------------------------------------------------------- the same as before


def same_line(material: Material) -> Iterator[Flaw]:
    """A subject or a preheader is word for word that of the issue before.

    Mail programs put mails of one subject together, so that the new one hides behind the old one; and most
    likely it was copied to be changed.
    """
    for issue, earlier in earlier_of(material):
        if not earlier:
            continue
        last, key = earlier[0], "subject" if issue.subject else "title"
        if _subject(issue) == _subject(last):
            yield _same(material, issue, key, _subject(issue), [_subject(one) for one in earlier])
        if issue.preheader and issue.preheader == last.preheader:
            before = [one.preheader or "" for one in earlier]
            yield _same(material, issue, "preheader", issue.preheader, before)


def _subject(issue: Issue) -> str:
    return issue.subject or issue.title


def _same(material: Material, issue: Issue, key: str, words: str, before: Sequence[str]) -> Flaw:
    """A series that is called the same every week means it: then it is a hint."""
    meant = len(before) >= _HABIT and set(before[:_HABIT]) == {words}
    place = material.spot(issue.place, words)
    message = f"{key}: {shown(words)} is also that of the issue before"
    fix = "say what is in this one" if key != "title" else "say what is in this one, or set `subject`"
    return Flaw(place, message, fix, issue.key, Severity.HINT if meant else None)


_LONG_ENOUGH = 60
"""Characters of a text that nobody writes twice by chance."""


def same_text(material: Material) -> Iterator[Flaw]:
    """A text stands twice in an issue, or is word for word one of the issue before.

    It was copied to be changed, or pasted twice.
    """
    earlier = {issue.key: _texts_of(before) for issue, before in earlier_of(material)}
    seen = defaultdict[str, set[str]](set)
    for passage in material.passages:
        text = passage.words
        if passage.kind not in TEXTS or len(text) < _LONG_ENOUGH or passage.issue is None:
            continue
        if text in seen[passage.issue]:
            yield flaw(material, passage, text, f"{shown(text)} stands here twice", "delete one")
        elif earlier[passage.issue].get(text) == 1:  # what stands in every issue is meant
            message = f"{shown(text)} stood in an issue before"
            yield flaw(material, passage, text, message, "write what is new")
        seen[passage.issue].add(text)


def _texts_of(issues: Sequence[Issue]) -> Mapping[str, int]:
    """In how many of the issues before each long paragraph stands."""
    counted = Counter[str]()
    for issue in issues:
        counted.update(set(_paragraphs(issue)))
    return counted


def _paragraphs(issue: Issue) -> Iterator[str]:
    blocks = (issue.intro, *(entry.blocks for entry in issue.entries))
    return (words for words in paragraphs_of(blocks) if len(words) >= _LONG_ENOUGH)


# ------------------------------------------------------------------------------------ missing, against habit


def no_intro(material: Material) -> Iterator[Flaw]:
    """The issues before have an introduction, and this one has none.

    Readers who are used to a word of welcome miss it.
    """
    for issue, earlier in earlier_of(material):
        if not issue.intro and len(earlier) >= _HABIT and all(one.intro for one in earlier):
            message = f"no introduction, where the last {len(earlier)} issues have one"
            yield Flaw(issue.place, message, "write a sentence or two before the first heading", issue.key)


# ------------------------------------------------------------------------------------------------ numbers

_NUMBERED = re.compile(r"(\d{1,3})[.)\]:]\s+\S|#(\d{1,3})[.):]?\s")
_ISSUE_NUMBER = re.compile(
    r"(?:#|\b(?:issue|no\.?|nr\.?|nº|n\u00b0|ausgabe|edition"
    r"|vol\.?|\u2116)\s?#?)\s?(\d{1,5})\b",
    re.IGNORECASE,
)


def numbering(material: Material) -> Iterator[Flaw]:
    """The numbers of entries have a gap, or one number stands twice: 1, 2, 4.

    An entry was taken out or moved, and the numbers were not.
    """
    titles = defaultdict[str, list[tuple[int, Passage]]](list)
    every = Counter[str]()
    for passage in material.passages:
        if passage.kind is Kind.ENTRY and passage.issue:
            every[passage.issue] += 1
            if found := _NUMBERED.match(passage.words):
                titles[passage.issue].append((int(found[1] or found[2]), passage))
    for key, numbered in titles.items():
        if len(numbered) > 1 and 2 * len(numbered) > every[key]:
            yield from _gaps(material, numbered)


def _gaps(material: Material, numbered: Sequence[tuple[int, Passage]]) -> Iterator[Flaw]:
    """What is out of order; a section may begin with 1 again, and a series may count down."""
    numbers = [number for number, _ in numbered]
    step = -1 if numbers[0] > numbers[-1] and numbers[-1] == 1 else 1
    expected = numbers[0] if step < 0 or numbers[0] == 0 else 1
    for number, passage in numbered:
        if number != expected and (number != 1 or step < 0):
            message = f"number {number} stands where {expected} would be"
            yield flaw(material, passage, passage.words, message, "number the entries anew")
        expected = number + step


def issue_number(material: Material) -> Iterator[Flaw]:
    """The number of the issue in its title or subject does not follow that of the issue before.

    Readers who file the issues think that one is lost, or take it for last week's.
    """
    for issue, earlier in earlier_of(material):
        for key in ("title", "subject"):
            number, last = _number(getattr(issue, key)), _last_number(earlier, key)
            if not number or not last:
                continue
            before, week = last
            between = max((issue.week.monday - week.monday).days // 7, 1)
            if not before < number <= before + between:
                repeated = number <= before
                message = f"{key}: number {number} follows number {before}"
                place = material.spot(issue.place, getattr(issue, key))
                yield Flaw(
                    place, message, f"is it {before + 1}?", issue.key, None if repeated else Severity.HINT
                )


def _last_number(earlier: Sequence[Issue], key: str) -> tuple[int, Week] | None:
    numbers = ((_number(getattr(one, key)), one.week) for one in earlier)
    return next(((number, week) for number, week in numbers if number), None)


def _number(words: str | None) -> int | None:
    found = _ISSUE_NUMBER.search(words or "")
    return int(found[1]) if found else None


# ------------------------------------------------------------------------------------------- counted entries

_COUNTS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty",
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "es": "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
}
_THINGS = (
    r"(?:papers?|stories|links?|articles?|picks|reads?|items?|tools|projects|notes|posts|news|entries|updates"
    r"|Beiträge|Artikel|Meldungen|Texte|Fundstücke|Arbeiten|enlaces|artículos|articles|liens|lectures)"
)
_COUNTED = re.compile(
    rf"(?:^|[:\u2013\u2014.!|]\s+)(?:the |our |die |les |los )?"
    rf"(\d{{1,2}}|[^\W\d_]+) (?:[a-z-]+ )?{_THINGS}\b",
    re.IGNORECASE,
)


def counted(material: Material) -> Iterator[Flaw]:
    """The title, subject or preheader promises a number of entries, and there are more or fewer.

    Readers count: an entry was added or taken out after the line was written.
    """
    for issue in material.issues:
        if material.entries.get(issue.newsletter):  # single entries may join it
            continue
        for key in ("title", "subject", "preheader"):
            words = getattr(issue, key) or ""
            if (number := _promised(words)) and number != (there := len(issue.entries)):
                counted = f"there {'is one entry' if there == 1 else f'are {there} entries'}"
                message = f"{key}: {shown(words)} promises {number}, and {counted}"
                yield Flaw(material.spot(issue.place, words), message, "count again", issue.key)


def _promised(words: str) -> int | None:
    if not (found := _COUNTED.search(words)):
        return None
    said = found[1].lower()
    if said.isdecimal():
        return int(said)
    known = (names.split() for names in _COUNTS.values())
    return next((names.index(said) + 1 for names in known if said in names), None)
