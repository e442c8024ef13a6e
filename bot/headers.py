"""Writes header fields to the byte: the standard library's folding breaks List-Unsubscribe and leaks lines.

Everything is one printable line before it comes here; what comes out is ASCII, CRLF, at most 76 columns
wherever there is a blank to fold at, and never a line that nobody meant.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

COLUMNS = 76
"""RFC 2047 §2 for lines with encoded words; RFC 5322 asks for 78."""
HARD = 998
"""Octets of a line without its end (RFC 5322 §2.1.1)."""
WORD = 75
"""Characters of one encoded word (RFC 2047 §2)."""

# Controls, lone surrogates, ends of lines, and what turns the direction of the words after it.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BYTE_ORDER = "\ufeff"
"""Says nothing within a text, and decoders eat it where it begins an encoded word."""
_ENCODED_WORD = re.compile(r"=\?[^?\s]+\?[bq]\?", re.IGNORECASE)
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
_LOOK_ALIKE = re.compile(r"=\?")
_Q_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/")


def one_line(text: str) -> str:
    """The words of a text on one line, without a control character: no field can begin in it.

    What joins letters and emoji stays, and so does a character that this Python does not know yet.
    """
    if not text.isprintable():
        text = _STEERING.sub(" ", text.replace(_BYTE_ORDER, ""))
    return " ".join(text.split())


def breach(text: str) -> str | None:
    """What in a text would break a header, said to whoever can still mend it; None where nothing would.

    The rule of `one_line`, for the doors: no character is refused that a header can carry.
    """
    if _STEERING.search(text):
        return "has a line break or a control character"
    if _ENCODED_WORD.search(text):
        return "looks like an encoded word (=?…?=), which mail programs would decode"
    return None


def field(name: str, tokens: Sequence[str]) -> str:
    """A field of tokens parted by one blank, folded before a token that does not fit; ends with CRLF.

    Never folded right after the colon: some verifiers of signatures fail on that (nodemailer#1654).
    """
    lines = [f"{name}:"]
    for number, token in enumerate(tokens):
        if number and len(lines[-1]) + 1 + len(token) > COLUMNS:
            lines.append("")
        lines[-1] += f" {token}"
    return "\r\n".join(lines) + "\r\n"


def unstructured(name: str, text: str) -> str:
    """A field of words, such as a subject."""
    text = one_line(text)
    if (
        text.isascii()
        and not _LOOK_ALIKE.search(text)
        and all(len(word) < HARD // 2 for word in text.split(" "))
    ):
        return field(name, text.split(" "))
    return field(name, list(encoded_words(text, len(name) + 2)))


def phrase(text: str, before: int) -> list[str]:
    """A display name as tokens: plain words, one quoted string, or encoded words; never one in another.

    `before` is how many columns of the line are taken already.
    """
    text = one_line(text)
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    if not text.isascii() or _LOOK_ALIKE.search(text) or len(quoted) > HARD // 2:
        return list(encoded_words(text, before))
    if not text or _ATOMS.fullmatch(text):
        return text.split()
    return [f'"{quoted}"']


def mailbox(name: str, display: str, address: str) -> str:
    """A field with one mailbox."""
    return field(name, [*phrase(display, len(name) + 2), f"<{address}>" if one_line(display) else address])


def encoded_words(text: str, before: int) -> Iterator[str]:
    """A text as encoded words that each fit their line, none of them empty, no character cut in two.

    The blanks between them are no part of the text (RFC 2047 §6.2).
    """
    room = min(WORD, COLUMNS - before)
    chunk = ""
    for character in text:
        if chunk and len(_shorter(chunk + character)) > room:
            yield _shorter(chunk)
            chunk, room = "", min(WORD, COLUMNS - 1)
        chunk += character
    yield _shorter(chunk or " ")


def _shorter(text: str) -> str:
    """The shorter of the two encodings: Q for mostly Latin words, B for the rest."""
    data = text.encode()
    q = f"=?utf-8?q?{''.join(_q(data))}?="
    b = f"=?utf-8?b?{b64encode(data).decode()}?="
    return q if len(q) <= len(b) else b


def _q(data: bytes) -> Iterable[str]:
    for byte in data:
        yield "_" if byte == 0x20 else chr(byte) if byte in _Q_SAFE else f"={byte:02X}"  # noqa: PLR2004 (a blank)
