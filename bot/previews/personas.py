"""Readers who are nobody, to look at an issue as they would get it: with names that mails stumble on."""

from dataclasses import dataclass

from bot.models import Reader

_TOKEN = "0" * 22


@dataclass(frozen=True, slots=True)
class Persona:
    """Somebody an issue can be looked at as."""

    label: str
    reader: Reader


PERSONAS = {
    "no-name": Persona("No name", Reader("reader@example.org", "", _TOKEN)),
    "short": Persona("Ada", Reader("ada@example.org", "Ada", _TOKEN)),
    "long-name": Persona(
        "A very long name",
        Reader(
            "wolfeschlegelsteinhausenbergerdorff@subdomain.of-a-rather-long-host-name.example.org",
            "Hubert Blaine Wolfeschlegelsteinhausenbergerdorff, Keeper of the Archives and of the Great Seal",
            _TOKEN,
        ),
    ),
    "right-to-left": Persona("Right to left", Reader("reader@example.org", "שרה כהן־לוי", _TOKEN)),
    "markup": Persona(
        "Markup in the name", Reader("reader@example.org", "<script>alert('Bobby')</script> & <b>", _TOKEN)
    ),
}
"""By their names in addresses; the first is whom nobody chose."""
