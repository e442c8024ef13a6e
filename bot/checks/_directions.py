"""Rules about the direction of writing: what turns it round, and what mail programs get wrong."""

from collections.abc import Iterator

from bot.checks._characters import DIRECTIONS, HAS_RTL, OVERRIDES, named, sides, unpaired
from bot.checks._material import Material
from bot.checks._passages import HEADINGS, TEXTS, flaw, shown
from bot.checks._rules import Flaw
from bot.models import Severity


def directions(material: Material) -> Iterator[Flaw]:
    """A bidirectional control is never closed, closes nothing, or turns the order of letters round.

    What follows may be shown backwards, in a mail program's list of mails even the next sender's name; and
    what is shown is not what a link or a command says (Trojan Source, CVE-2021-42574).
    """
    for passage in material.passages:
        if not DIRECTIONS.search(passage.words):
            continue
        if odd := unpaired(passage.words):
            message = f"{named(odd)} has no partner in {shown(passage.words)}"
            yield flaw(material, passage, odd, message, "delete it")
        elif turned := next((one for one in passage.words if one in OVERRIDES), None):
            message = f"{named(turned)} turns letters round in {shown(passage.words)}"
            yield flaw(material, passage, turned, message, "delete it", Severity.WARNING)


def mixed_direction(material: Material) -> Iterator[Flaw]:
    """A text that reads one way begins with a letter that reads the other.

    Mail programs go by the first letter: the whole line is set from the wrong side, and its full stop stands
    at the wrong end.
    """
    for passage in material.passages:
        if (passage.kind in TEXTS or passage.kind in HEADINGS) and HAS_RTL.search(passage.prose):
            found = sides(passage.prose)
            if found and found[0] != found[1]:
                mark = "U+200F (right-to-left mark)" if found[1] == "rtl" else "U+200E (left-to-right mark)"
                side = "right" if found[1] == "rtl" else "left"
                message = (
                    f"{passage.kind}: reads from the {side}, but does not begin so: {shown(passage.words)}"
                )
                yield flaw(material, passage, passage.words[:30], message, f"put {mark} in front")
