"""An issue as mail: encoded once, cut at its slots, and per reader only joined with what is theirs.

Rendered → freeze_mail → payload (kept in the ledger) → Letter → address(reader, now) → the bytes that go out
"""

import html
import json
import re
from base64 import b32encode
from binascii import b2a_base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field as attribute
from datetime import datetime
from email.utils import format_datetime, parseaddr
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from bot.addresses import on_the_wire
from bot.errors import InputError, PermanentError
from bot.headers import field, mailbox, one_line, phrase, unstructured
from bot.links import issue_url, leads_somewhere, unsubscribe_url
from bot.models import Reader, Rendered, Week, aware
from bot.settings import Newsletter
from bot.slots import Slot, Slots

if TYPE_CHECKING:  # signing needs a library that only those pay for who sign
    from bot.dkim import Signer

QP_LINE = 75
"""Characters before the `=` of a soft line break (RFC 2045 §6.7); a slot may put one after any line."""
BASE64_LINE = 57
"""Octets that make a line of 76 columns (RFC 2045 §6.8)."""

BOUNDARY = "=_"
"""Begins each boundary; no encoded part can hold it: digits follow `=` in quoted-printable (RFC 2045 §6.7)."""

_PLAIN_IN_QP = re.compile(r"(?!From )[A-Za-z0-9/:@_-](?:[A-Za-z0-9/:@._+ -]{0,70}[A-Za-z0-9/:@._+-])?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


# -------------------------------------------------------------------------------------------------- freezing


def freeze_mail(
    rendered: Rendered, newsletter: Newsletter, issue: str, base_url: str, *, several: bool = False
) -> bytes:
    """All of an issue's mail that does not differ from reader to reader, as one document for the ledger.

    `issue` is its key, `ai-papers/2025-W17`; `several`: see `issue_url`.
    """
    name, address = _sender(newsletter)
    week = Week.parse(issue.rpartition("/")[2])
    head = [
        mailbox("From", name, address),
        unstructured("Subject", rendered.subject),
        *_list_fields(newsletter, address),
        *_archive_fields(base_url, issue_url(base_url, newsletter.name, week, several=several)),
        field("Feedback-ID", [_feedback_id(week, newsletter, base_url, address)]),
        field("Content-Language", [newsletter.language]),
        field("MIME-Version", ["1.0"]),
        # No mail from those on holiday, and nothing that would stop bounces, as `All` does. RFC 3834 §2 tells
        # programs by the List fields not to answer, and keeps Auto-Submitted for what no person wrote;
        # Precedence was never standard (RFC 2076 §3.9). So neither stands in an issue.
        field("X-Auto-Response-Suppress", ["OOF,", "AutoReply"]),
    ]
    document = {
        "issue": issue,
        "sender": address,
        "base_url": base_url,
        "unnamed": newsletter.unnamed,
        "head": "".join(head),
        "text": _part("text/plain", rendered.text, rendered.nonce),
        "html": _part("text/html", rendered.html, rendered.nonce),
    }
    return json.dumps(document).encode()


def _sender(newsletter: Newsletter) -> tuple[str, str]:
    """The sender's name and address; InputError where no header can carry it as it is."""
    where = f"newsletters.{newsletter.name}.sender"
    name, sender = parseaddr(newsletter.sender)
    try:
        address = wire_address(sender)
    except PermanentError as error:
        raise InputError(where, str(error), "name another") from error
    if not address.isascii():
        raise InputError(where, "the address has letters before the @ that few relays take", "name another")
    return name, address


def _list_fields(newsletter: Newsletter, address: str) -> list[str]:
    """What RFC 2369 and RFC 2919 say of a list, but for the address where one reader leaves it.

    Addresses are one token each: never folded, never an encoded word (RFC 2369 §2).
    """
    return [
        field("List-Id", [*phrase(newsletter.title, 9), f"<{newsletter.list_id}>"]),
        field("List-Help", [f"<mailto:{quote(address, safe='@')}?subject=help>"]),
        field("List-Unsubscribe-Post", ["List-Unsubscribe=One-Click"]),
    ]


def _archive_fields(base_url: str, web_url: str) -> list[str]:
    """Where the list's archive is, and this issue in it (RFC 5064), unless only this machine could follow."""
    if not leads_somewhere(base_url):
        return []
    return [field("List-Archive", [f"<{base_url}/>"]), field("Archived-At", [f"<{web_url}>"])]


def _feedback_id(week: Week, newsletter: Newsletter, base_url: str, address: str) -> str:
    """What Gmail counts complaints by, read from the right: sender, installation, newsletter, issue.

    Nothing in it differs between readers.
    """
    installation = re.sub(r"[^A-Za-z0-9.-]", "-", urlsplit(base_url).hostname or "-")
    return f"{week}:{newsletter.name}:{installation}:{_sender_id(address.rpartition('@')[2])}"


def _sender_id(domain: str) -> str:
    """A sender in 5 to 15 characters, always the same: the domain, or its beginning and a hash."""
    readable = domain.replace(".", "-")
    if 5 <= len(readable) <= 15:  # noqa: PLR2004 (Gmail's bounds)
        return readable
    return f"{readable[:8].rstrip('-')}-{sha256(domain.encode()).hexdigest()[:6]}"


def _part(kind: str, text: str, nonce: str) -> dict[str, Any]:
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
    return sum(byte > 0x7F for byte in data) * 6 > len(data)  # noqa: PLR2004 (the last of ASCII)


def quoted(text: str) -> str:
    """A text with LF line ends as quoted-printable, CRLF, at most 76 columns (RFC 2045 §6.7).

    A dot or `From ` that begins a line is encoded as well, so that no relay needs to stuff or mangle it.
    """
    return "\r\n".join(map(_quoted_line, text.split("\n")))


def _quoted_line(line: str) -> str:
    tokens = [chr(byte) if 32 <= byte <= 126 and byte != 61 else f"={byte:02X}" for byte in line.encode()]  # noqa: PLR2004 (printable ASCII but =)
    if tokens and tokens[-1] == " ":
        tokens[-1] = "=20"
    lines: list[str] = []
    start = width = 0
    for number, token in enumerate(tokens):
        if width + len(token) > QP_LINE - 2:  # two columns for an encoded first character
            lines.append(_opening("".join(tokens[start:number])))
            start, width = number, 0
        width += len(token)
    lines.append(_opening("".join(tokens[start:])))
    return "=\r\n".join(lines)


def _opening(line: str) -> str:
    if line.startswith("."):
        return f"=2E{line[1:]}"
    return f"=46{line[1:]}" if line.startswith("From ") else line


# ------------------------------------------------------------------------------------------------ addressing


@dataclass(frozen=True, slots=True)
class _Body:
    """One part, ready to be filled in."""

    head: bytes
    pieces: tuple[bytes, ...]
    """Even ones are the part's own bytes, encoded but for base64; odd ones name a slot."""
    encoding: str
    escape: Callable[[str], str]
    lines: dict[tuple[int, int], tuple[bytes, bytes]] = attribute(default_factory=dict)
    """Base64 of what many readers share; see `_whole_lines`."""

    @classmethod
    def load(cls, part: dict[str, Any]) -> "_Body":
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

    def relaxed(self) -> "_Body":
        """The part as signatures see it; a slot is filled with lines of its own, with no blank to lose."""
        if self.encoding == "base64":
            return self
        from bot.dkim import relaxed  # noqa: PLC0415 (for those who sign)

        pieces = (piece if n % 2 else relaxed(piece) for n, piece in enumerate(self.pieces))
        return _Body(self.head, tuple(pieces), self.encoding, self.escape)

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


@dataclass(frozen=True, slots=True)
class Letter:
    """A frozen issue that can be addressed to one reader after the other."""

    issue: str
    sender: str
    """The envelope's sender."""
    base_url: str
    unnamed: str
    head: bytes
    parts: tuple[_Body, ...]
    signer: "Signer | None" = None
    signed_parts: tuple[_Body, ...] = ()
    """The parts as signatures see them, so that no blank is looked for once per reader."""

    @classmethod
    def load(cls, payload: bytes, signer: "Signer | None" = None) -> "Letter":
        """Read what `freeze_mail` wrote; with a signer, every mail will bear its signatures."""
        document = json.loads(payload)
        parts = tuple(_Body.load(document[name]) for name in ("text", "html"))
        return cls(
            document["issue"],
            document["sender"],
            document["base_url"],
            document["unnamed"],
            document["head"].encode("ascii"),
            parts,
            signer,
            tuple(part.relaxed() for part in parts) if signer else (),
        )

    def address(self, reader: Reader, now: datetime) -> bytes:
        """The whole mail for one reader; PermanentError where no mail can be addressed to them."""
        identity = b32encode(sha256(f"{self.issue}\0{reader.token}".encode()).digest()[:15]).decode().lower()
        url = unsubscribe_url(self.base_url, reader.token)
        name = one_line(reader.name) or self.unnamed
        own = {Slot.UNSUBSCRIBE: url, Slot.NAME: name, Slot.EMAIL: reader.email}
        values = {slot.encode(): value for slot, value in own.items()}
        head = self.head + self._own_head(reader, now, identity, url)
        rule = b"\r\n--" + BOUNDARY.encode() + identity.encode()
        body = _body(self.parts, rule, values)
        if self.signer:
            body_as_signed = b"".join(_body(self.signed_parts, rule, values))[2:]  # without the empty line
            head = self.signer.fields(head, body_as_signed, now) + head
        return b"".join([head, *body])

    def _own_head(self, reader: Reader, now: datetime, identity: str, url: str) -> bytes:
        domain = self.sender.rpartition("@")[2]
        head = (
            mailbox("To", reader.name, wire_address(reader.email))
            + f"Date: {_date(aware(now).replace(microsecond=0))}\r\nMessage-ID: <{identity}@{domain}>\r\n"
            # One token: never folded, never an encoded word (RFC 2369 §2).
            + field("List-Unsubscribe", [f"<{url}>"])
            + f'Content-Type: multipart/alternative; boundary="{BOUNDARY}{identity}"\r\n'
        )
        # ASCII, but for a reader whose address is not: then a header may be UTF-8 (RFC 6532 §3.2).
        return head.encode()


def _body(parts: Sequence[_Body], rule: bytes, values: dict[bytes, str]) -> list[bytes]:
    """Everything below the head, the empty line between them included."""
    pieces: list[bytes] = []
    for part in parts:
        pieces += (rule, b"\r\n")
        pieces += part.fill(values)
    pieces += (rule, b"--\r\n")
    return pieces


@lru_cache(maxsize=8)
def _date(now: datetime) -> str:
    return format_datetime(now)


def wire_address(email: str) -> str:
    """An address as it stands in envelopes and headers: ASCII, but for a local part that needs SMTPUTF8.

    PermanentError where mail cannot carry it; the address is not repeated.
    """
    try:
        return on_the_wire(email)
    except ValueError as error:
        raise PermanentError(f"the address {error}") from error


def parts_of(message: bytes) -> Sequence[bytes]:
    """The decoded text and HTML of a mail, as a mail program reads it."""
    from email import message_from_bytes  # noqa: PLC0415 (for previews alone)

    payloads = (part.get_payload(decode=True) for part in message_from_bytes(message).walk())
    return [payload for payload in payloads if isinstance(payload, bytes)]
