"""An issue as mail: encoded once, cut at its slots, and per reader only joined with what is theirs.

Rendered → freeze_mail → payload (kept in the ledger) → Letter → address(reader, now) → the bytes that go out
"""

import json
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from bot.headers import field, mailbox, one_line
from bot.links import unsubscribe_url
from bot.mail.head import frozen_head, sender_of, wire_address
from bot.mail.parts import Body, frozen_part
from bot.models import Reader, Rendered, Week, aware
from bot.settings import Newsletter
from bot.slots import Slot

if TYPE_CHECKING:  # signing needs a library that only those pay for who sign
    from bot.dkim import Signer

__all__ = ["Letter", "freeze_mail", "parts_of", "wire_address"]

BOUNDARY = "=_"
"""Begins each boundary; no encoded part holds it: in quoted-printable digits follow `=` (RFC 2045 §6.7)."""


def freeze_mail(
    rendered: Rendered, newsletter: Newsletter, issue: str, base_url: str, *, several: bool = False
) -> bytes:
    """All of an issue's mail that does not differ from reader to reader, as one document for the ledger.

    `issue` is its key, `ai-papers/2025-W17`; `several`: see `issue_url`.
    """
    week = Week.parse(issue.rpartition("/")[2])
    document = {
        "issue": issue,
        "sender": sender_of(newsletter)[1],
        "base_url": base_url,
        "unnamed": newsletter.unnamed,
        "head": frozen_head(rendered.subject, newsletter, week, base_url, several=several),
        "text": frozen_part("text/plain", rendered.text, rendered.nonce),
        "html": frozen_part("text/html", rendered.html, rendered.nonce),
    }
    return json.dumps(document).encode()


@dataclass(frozen=True, slots=True)
class Letter:
    """A frozen issue that can be addressed to one reader after the other."""

    issue: str
    sender: str
    """The envelope's sender."""
    base_url: str
    unnamed: str
    head: bytes
    parts: tuple[Body, ...]
    signer: "Signer | None" = None
    signed_parts: tuple[Body, ...] = ()
    """The parts as signatures see them, so that no blank is looked for once per reader."""

    @classmethod
    def load(cls, payload: bytes, signer: "Signer | None" = None) -> "Letter":
        """Read what `freeze_mail` wrote; with a signer, every mail will bear its signatures."""
        document = json.loads(payload)
        parts = tuple(Body.load(document[name]) for name in ("text", "html"))
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
        return b"".join(self.pieces(reader, now))

    def pieces(self, reader: Reader, now: datetime) -> Sequence[bytes]:
        """The same in pieces, of which the long ones are the same objects for every reader."""
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
        return [head, *body]

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


def _body(parts: Sequence[Body], rule: bytes, values: dict[bytes, str]) -> list[bytes]:
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


def parts_of(message: bytes) -> Sequence[bytes]:
    """The decoded text and HTML of a mail, as a mail program reads it."""
    from email import message_from_bytes  # noqa: PLC0415 (for previews alone)

    payloads = (part.get_payload(decode=True) for part in message_from_bytes(message).walk())
    return [payload for payload in payloads if isinstance(payload, bytes)]
