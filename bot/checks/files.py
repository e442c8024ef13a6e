"""Rules about content files as files: what stands in them and is no part of any text."""

from collections.abc import Iterator

from bot.checks import Flaw, Material, Rule
from bot.front_matter import open_bytes
from bot.markup.protected import protected
from bot.models import Edit, Severity

_BLANKS = " \t"


def trailing_blanks(material: Material) -> Iterator[Flaw]:
    """Lines end in blanks that mean nothing.

    They show in every comparison of two versions and hide what has changed. Two blanks that break a line
    within a paragraph mean something, and are left.
    """
    for file, issue in _files(material):
        text = material.texts.get(file, "")
        if any(f"{blank}\n" in text for blank in _BLANKS) or text.endswith((" ", "\t")):
            edits = tuple(_blanks(file, text))
            if edits:
                lines = "1 line ends" if len(edits) == 1 else f"{len(edits)} lines end"
                yield Flaw(edits[0].place, f"{lines} in blanks", "delete them", issue, edits=edits)


def _files(material: Material) -> Iterator[tuple[str, str | None]]:
    """Each file that is looked at, and the key of the issue that it is the file of."""
    told = {issue.place.rpartition(":")[0]: issue.key for issue in material.issues}
    for entry, issue in material.all_entries():
        told.setdefault(entry.place.rpartition(":")[0], issue or "")
    yield from ((file, key or None) for file, key in told.items())


def _blanks(file: str, text: str) -> Iterator[Edit]:
    kept = _code_lines(text, file)
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        bare = line.rstrip(_BLANKS)
        if bare != line and number not in kept and not _breaks(lines, number):
            yield Edit(f"{file}:{number}:{len(bare) + 1}", line[len(bare) :], "")


def _breaks(lines: list[str], number: int) -> bool:
    """Whether the blanks at the end of a line break it: two, and the paragraph goes on."""
    line = lines[number - 1]
    goes_on = number < len(lines) and bool(lines[number].strip(_BLANKS))
    return line.endswith("  ") and bool(line.strip(_BLANKS)) and goes_on and not line.startswith("#")


def _code_lines(text: str, file: str) -> set[int]:
    """The numbers of the lines that are code or a comment, or touch some."""
    opened = open_bytes(text.encode("utf-8", "replace"), file)
    inside = set[int]()
    for begin, end in protected(opened.body):
        first = opened.body_line + opened.body.count("\n", 0, begin)
        inside.update(range(first, first + opened.body.count("\n", begin, end) + 1))
    return inside


LOOKS_AT = Material
RULES = (
    Rule(
        "files.trailing-blanks",
        Severity.HINT,
        trailing_blanks,
        mend="Delete them; `check --fix` does it.",
        example="## One \n\n[Paper](https://example.org/one)\n\nText.\n",
    ),
)
