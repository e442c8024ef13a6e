"""The parts of a mail: encoded once, cut at their slots; per reader, only what is theirs is encoded anew."""

import html
import re
from binascii import b2a_base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.errors import InputError
from bot.slots import Slot, Slots

QP_LINE = 75
"""Characters before the `=` of a soft line break (RFC 2045 §6.7); a slot may put one after any line."""
BASE64_LINE = 57
"""Octets that make a line of 76 columns (RFC 2045 §6.8)."""

_TO_ENCODE = re.compile(rb"[^ -<>-~]")
_ASCII = bytes(range(128))

_PLAIN_IN_QP = re.compile(r"(?!From )[A-Za-z0-9/:@_-](?:[A-Za-z0-9/:@._+ -]{0,70}[A-Za-z0-9/:@._+-])?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def frozen_part(kind: str, text: str, nonce: str) -> dict[str, Any]:
    """One part of the mail, cut at its slots: even pieces are text, odd ones name a slot."""
    text = text.replace("\r\n", "\n")
    if found := _CONTROL.search(text):
        what = f"the {kind} part has the character U+{ord(found[0]):04X}, which mail must not carry"
        raise InputError("templates", what, "take it out of the template or the content")
    pieces = Slots(nonce).split(text)
    encoding = "base64" if _is_mostly_foreign(text) else "quoted-printable"
    if encoding == "quoted-printable":
        pieces = [str(piece) if isinstance(piece, Slot) else _between(quoted(piece), n, len(pieces))
                  for n, piece in enumerate(pieces)]  # fmt: skip
    return {"kind": kind, "encoding": encoding, "pieces": [str(piece) for piece in pieces]}


def _between(encoded: str, number: int, pieces: int) -> str:
    """Soft line breaks where a slot begins and ends: what is filled in is a line of its own."""
    after_slot = "=\r\n" if number else ""
    before_slot = "=\r\n" if number < pieces - 1 and encoded and not encoded.endswith("\r\n") else ""
    return after_slot + encoded + before_slot


def _is_mostly_foreign(text: str) -> bool:
    """Whether base64 is the smaller: more than a sixth of the bytes are not ASCII."""
    data = text.encode()
    return len(data.translate(None, _ASCII)) * 6 > len(data)


def quoted(text: str) -> str:
    """A text with LF line ends as quoted-printable, CRLF, at most 76 columns (RFC 2045 §6.7).

    A dot or `From ` that begins a line is encoded as well, so that no relay needs to stuff or mangle it.
    """
    return "\r\n".join(map(_quoted_line, text.split("\n")))


def _quoted_line(line: str) -> str:
    encoded = _TO_ENCODE.sub(_octet, line.encode()).decode("ascii")
    if encoded.endswith(" "):
        encoded = f"{encoded[:-1]}=20"
    return "=\r\n".join(map(_opening, _cut(encoded)))


def _octet(found: re.Match[bytes]) -> bytes:
    return b"=%02X" % found[0][0]


def _cut(encoded: str) -> Iterator[str]:
    """As much of a line as fits each time, no octet cut; two columns are for an encoded first character."""
    start = 0
    while len(encoded) - start > QP_LINE - 2:
        end = start + QP_LINE - 2
        begun = encoded.find("=", end - 2, end)
        end = end if begun < 0 else begun
        yield encoded[start:end]
        start = end
    yield encoded[start:]


def _opening(line: str) -> str:
    if line.startswith("."):
        return f"=2E{line[1:]}"
    return f"=46{line[1:]}" if line.startswith("From ") else line


@dataclass(frozen=True, slots=True)
class Body:
    """One part, ready to be filled in."""

    head: bytes
    pieces: tuple[bytes, ...]
    """Even ones are the part's own bytes, encoded but for base64; odd ones name a slot."""
    encoding: str
    escape: Callable[[str], str]
    lines: dict[tuple[int, int], tuple[bytes, bytes]] = field(default_factory=dict)
    """Base64 of what many readers share; see `_whole_lines`."""

    @classmethod
    def load(cls, part: dict[str, Any]) -> "Body":
        kind, encoding = part["kind"], part["encoding"]
        head = f"Content-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
        escape = html.escape if kind == "text/html" else str
        pieces = (piece.encode() for piece in part["pieces"])
        if encoding == "base64":
            pieces = (piece.replace(b"\n", b"\r\n") for piece in pieces)
        return cls(head.encode(), tuple(pieces), encoding, escape)

    def fill(self, values: dict[bytes, str]) -> list[bytes]:
        """The part as it goes out, in pieces, each slot escaped for where it lands."""
        if self.encoding == "base64":
            return [self.head, *self._base64(values)]
        return [
            self.head,
            *(self._quoted(values[piece]) if n % 2 else piece for n, piece in enumerate(self.pieces)),
        ]

    def relaxed(self) -> "Body":
        """The part as signatures see it; a slot is filled with lines of its own, with no blank to lose."""
        if self.encoding == "base64":
            return self
        from bot.dkim import relaxed  # noqa: PLC0415 (for those who sign)

        pieces = (piece if n % 2 else relaxed(piece) for n, piece in enumerate(self.pieces))
        return Body(self.head, tuple(pieces), self.encoding, self.escape)

    def _base64(self, values: dict[bytes, str]) -> list[bytes]:
        """The part's lines: those that a slot touches are encoded anew, the others once for all readers."""
        encoded, open_line = [], b""
        for number, piece in enumerate(self.pieces):
            if number % 2:
                open_line += self.escape(values[piece]).encode()
                continue
            missing = -len(open_line) % BASE64_LINE
            open_line += piece[:missing]
            if missing <= len(piece):
                whole, rest = self._whole_lines(number, missing)
                encoded += [_base64_lines(open_line), whole]
                open_line = rest
        return [*encoded, _base64_lines(open_line)]

    def _whole_lines(self, number: int, start: int) -> tuple[bytes, bytes]:
        """A piece from `start` on as encoded lines, and the octets that fill none.

        Kept, since there are no more than 57 ways to cut a piece into lines.
        """
        if (number, start) not in self.lines:
            piece = self.pieces[number]
            end = len(piece) - (len(piece) - start) % BASE64_LINE
            self.lines[number, start] = _base64_lines(piece[start:end]), piece[end:]
        return self.lines[number, start]

    def _quoted(self, value: str) -> bytes:
        value = self.escape(value)
        return (value if _PLAIN_IN_QP.fullmatch(value) else quoted(value)).encode("ascii")


def _base64_lines(data: bytes) -> bytes:
    starts = range(0, len(data), BASE64_LINE)
    return b"".join(b2a_base64(data[at : at + BASE64_LINE], newline=False) + b"\r\n" for at in starts)
