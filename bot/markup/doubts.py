"""What a curator may not have meant: told, never mended in silence."""

from dataclasses import dataclass, field
from typing import Literal

DoubtKind = Literal["link", "table", "comment", "html", "emphasis", "heading", "blank", "code", "image"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a curator may not have meant, on a 1-based line of the text."""

    line: int
    kind: DoubtKind
    message: str
    fix: str


@dataclass(slots=True)
class Doubts:
    """The doubts about one text as they come up; `first_line` is the number of its first line in the file."""

    first_line: int
    found: list[Doubt] = field(default_factory=list)

    def add(self, line: int, kind: DoubtKind, message: str, fix: str) -> None:
        """Note a doubt about a 0-based line of the text."""
        self.found.append(Doubt(self.first_line + line, kind, message, fix))
