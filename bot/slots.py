"""The few places of a finished issue that differ from reader to reader.

An issue is rendered, inlined and encoded once, with a token where a reader's own words go; per reader only
bytes are filled in. A token carries the issue's nonce, a hash of the issue itself, so that no content can
hold or guess one.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Slot(StrEnum):
    """What is filled in per reader."""

    UNSUBSCRIBE = "unsubscribe"
    NAME = "name"
    EMAIL = "email"


@dataclass(frozen=True, slots=True)
class Slots:
    """The tokens of one issue, as templates and the serialiser use them."""

    nonce: str
    """16 lower-case hexadecimal digits."""

    @property
    def unsubscribe(self) -> str:
        """A URL, so that it passes through an inliner and a browser's eyes unharmed."""
        return f"https://slot-{self.nonce}.invalid/{Slot.UNSUBSCRIBE}"

    @property
    def name(self) -> str:
        return f"slot-{self.nonce}-{Slot.NAME}"

    @property
    def email(self) -> str:
        return f"slot-{self.nonce}-{Slot.EMAIL}"

    def split(self, text: str) -> list[str | Slot]:
        """Cut a text at its tokens: literal pieces and slots, in order."""
        pattern = rf"(?:https://)?slot-{self.nonce}(?:\.invalid/|-)({'|'.join(Slot)})"
        pieces = re.split(pattern, text)
        return [Slot(piece) if odd % 2 else piece for odd, piece in enumerate(pieces)]
