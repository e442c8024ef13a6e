"""Rules about titles and headings: what is lost at their ends, and below them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest

from bot.checks._material import Material
from bot.checks._passages import CODE, TEXTS, Kind, Passage, Then, flaw, shown
from bot.checks._rules import Flaw
from bot.markup import plain_text
from bot.models import Severity
from bot.text import Blocks, Heading

_RAGGED_END = re.compile(r"[,;:\u2013\u2014\uff0c\u3001\uff1a]\s*$|(?<=\s)-\s*$")
_RAGGED_START = re.compile(r"^\s*(?:[,;:)\]}!?%]|[-\u2013\u2014]\s|\.(?=\s))")
_TITLE = 120
_TEXT = 200
"""Characters from which a title is long, and from which it is a text."""


def ragged_title(material: Material) -> Iterator[Flaw]:
    """A title begins or ends with a mark that joins words, or is as long as a text.

    Something was cut off, or title and text were not parted.
    """
    for passage in material.passages:
        if passage.kind not in (Kind.ENTRY, Kind.SECTION, Kind.TITLE, Kind.SUBJECT):
            continue
        words = passage.words
        if found := _RAGGED_END.search(words) or _RAGGED_START.search(words):
            side = "ends" if found.start() else "begins"
            message = f"{passage.kind}: {shown(words)} {side} with {found[0].strip()!r}"
            yield flaw(material, passage, words, message, "take it off, or write what is missing")
        elif len(words) > _TITLE and passage.kind is Kind.ENTRY:
            message = f"{passage.kind}: a title of {len(words)} characters: {shown(words)}"
            severity = None if len(words) > _TEXT else Severity.HINT
            yield flaw(material, passage, words, message, "make its end the lead", severity)


def bare_heading(material: Material) -> Iterator[Flaw]:
    """A small heading has nothing below it.

    What it announces was never written, or taken out.
    """
    headed = [(entry.place, entry.blocks, issue) for entry, issue in material.all_entries()]
    headed += [(issue.place, issue.intro, issue.key) for issue in material.issues]
    for place, blocks, key in headed:
        for words, then in _bare(blocks):
            message = (
                f"nothing stands between {shown(words)} and {shown(then)}"
                if then
                else f"nothing follows {shown(words)}"
            )
            severity = Severity.HINT if then else None  # the next may be a smaller one, and divide it
            yield Flaw(material.spot(place, words), message, "write it, or delete the heading", key, severity)


def _bare(blocks: Blocks) -> Iterator[tuple[str, str]]:
    """The words of each heading that no text follows, and those of the heading that does, if one does."""
    for block, then in zip_longest(blocks, blocks[1:]):
        if isinstance(block, Heading) and (then is None or isinstance(then, Heading)):
            yield plain_text(block.children), plain_text(then.children) if then else ""


_ENDED = re.compile(r"[^\w\ufffc]\s*$|\ufffc$")
_SENTENCE = 8
"""Words from which a text is a sentence."""
_TEXTS = 4
"""So many texts of an issue show whether they end with a full stop."""


def no_full_stop(material: Material) -> Iterator[Flaw]:
    """A text ends without a full stop, where the others of its issue have one.

    It may have lost more than that: a text that was cut when it was copied ends so.
    """
    texts = defaultdict[str, list[Passage]](list)
    for passage in material.passages:
        if passage.issue and _is_sentence(passage):
            texts[passage.issue].append(passage)
    for passages in texts.values():
        bare = [passage for passage in passages if not _ENDED.search(passage.prose)]
        if len(passages) >= _TEXTS and len(bare) * 4 <= len(passages):
            for passage in bare:
                end = passage.prose[-40:].rpartition(CODE)[2].partition(" ")[2] or passage.prose
                yield flaw(
                    material,
                    passage,
                    end,
                    f"no full stop: {shown(end)}",
                    "write the rest of it, or a full stop",
                )


def _is_sentence(passage: Passage) -> bool:
    stands_alone = passage.kind in TEXTS and passage.then in (Then.END, Then.PARAGRAPH)
    return stands_alone and len(passage.prose.split()) >= _SENTENCE
