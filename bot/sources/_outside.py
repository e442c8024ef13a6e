"""What a newsletter's file holds besides its text: front matter, comments, tags of a site's generator."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.sources import Left

_PAIR = re.compile(r"(?P<key>[A-Za-z_][\w-]{0,60}):(?:\s+(?P<value>\S.*))?$")
_QUOTED = re.compile(r"(?:!\s*)?(?P<quote>['\"])(?P<words>.*)(?P=quote)$")
_TAG = re.compile(r"\s{0,3}(?:\{%[^\n]{0,1000}%\}|\{\{[^\n]{0,1000}\}\})\s*$")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_DEFINITION = re.compile(r"\s{0,3}\[[^\]\n]{1,200}\]:\s")
_LINK_TITLE = re.compile(
    r"\]\(\s{0,9}<?[^\s()<>]{1,2000}>?\s{1,9}(?P<title>\"[^\"\n]{1,500}\"|'[^'\n]{1,500}')\s{0,9}\)"
)
_USED = {"title"}


@dataclass(slots=True)
class Body:
    """The text itself, and what stood around it."""

    text: str
    first_line: int = 1
    values: dict[str, str] = field(default_factory=dict)
    """The plain values of the front matter."""
    left: list[Left] = field(default_factory=list)


def take_outside(text: str) -> Body:
    """Part the text from the rest; the rest is kept, line by line, as what is left."""
    lines = text.split("\n")
    end = _end_of_front_matter(lines)
    body = Body("", first_line=end + 1)
    for number, line in enumerate(lines[1 : max(end - 1, 0)], start=2):
        _front_line(body, number, line)
    body.text = "\n".join(_without_tags(body, lines[end:]))
    body.left += _comments(body.text, body.first_line)
    body.left.sort(key=lambda left: left.line or 0)
    return body


def _end_of_front_matter(lines: list[str]) -> int:
    """How many lines the front matter has with both its rules; 0 for none, and for one that never ends."""
    if lines[0].rstrip() != "---" or len(lines) < 2 or not _PAIR.match(lines[1]):  # noqa: PLR2004 (rule and key)
        return 0
    ends = (number for number, line in enumerate(lines[1:], start=2) if line.rstrip() in {"---", "..."})
    return next(ends, 0)


def _front_line(body: Body, number: int, line: str) -> None:
    found = _PAIR.match(line)
    if found and found["value"]:
        body.values.setdefault(found["key"].lower(), _unquoted(found["value"].strip()))
    if line.strip() and not (found and found["key"].lower() in _USED):
        body.left.append(Left(number, line))


def _unquoted(value: str) -> str:
    if not (found := _QUOTED.match(value)):
        return value
    double = found["quote"] == '"'
    return found["words"].replace('\\"', '"') if double else found["words"].replace("''", "'")


def _without_tags(body: Body, lines: list[str]) -> Iterator[str]:
    """The lines with those emptied that are nothing but a tag of Liquid or the like."""
    fenced = False
    for number, line in enumerate(lines, start=body.first_line):
        fenced ^= bool(_FENCE.match(line))
        if _TAG.match(line) and not fenced:
            body.left.append(Left(number, line.strip()))
            yield ""
        else:
            yield line


def _comments(text: str, first_line: int) -> Iterator[Left]:
    """Comments are for editors: no reader sees them."""
    at, line = text.find("<!--"), first_line
    counted = 0
    while at >= 0 and (end := text.find("-->", at)) >= 0:
        line += text.count("\n", counted, at)
        counted = at
        yield Left(line, text[at : end + 3])
        at = text.find("<!--", end)


def unseen(body: Body) -> Iterator[Left]:
    """What Markdown shows to nobody: definitions of links, and the titles that pop up over some."""
    for number, line in enumerate(body.text.split("\n"), start=body.first_line):
        if _DEFINITION.match(line):
            yield Left(number, line.strip())
        for title in _LINK_TITLE.finditer(line):
            yield Left(number, title["title"][1:-1])
