"""Mails that are no issue: to one person, from the bot itself; no list, nothing to unsubscribe from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING

from bot.headers import field, mailbox, unstructured
from bot.mail.head import sender_of, wire_address
from bot.mail.parts import Body, frozen_part
from bot.models import aware
from bot.settings import Newsletter

if TYPE_CHECKING:  # signing needs a library that only those pay for who sign
    from bot.dkim import Signer


@dataclass(frozen=True, slots=True)
class Note:
    """What one person is written."""

    name: str
    email: str
    subject: str
    text: str
    html: str


def note_bytes(
    note: Note, newsletter: Newsletter, identity: str, now: datetime, signer: "Signer | None" = None
) -> bytes:
    """The whole mail; `identity` is the part of its Message-ID before the @, the same for the same mail.

    It says that no person wrote it (`Auto-Submitted`, RFC 3834 §5), so that none is answered by a program.
    """
    name, sender = sender_of(newsletter)
    rule = f"=_{identity}"
    head = "".join(
        (
            mailbox("From", name, sender),
            mailbox("To", note.name, wire_address(note.email)),
            unstructured("Subject", note.subject),
            f"Date: {format_datetime(aware(now).replace(microsecond=0))}\r\n",
            f"Message-ID: <{identity}@{sender.rpartition('@')[2]}>\r\n",
            field("Auto-Submitted", ["auto-generated"]),
            field("Content-Language", ["en"]),
            field("MIME-Version", ["1.0"]),
            f'Content-Type: multipart/alternative; boundary="{rule}"\r\n',
        )
    ).encode()
    parts = [Body.load(frozen_part(kind, text, identity)) for kind, text in _parts(note)]
    body = _joined(parts, rule)
    if signer:
        head = signer.fields(head, _joined([part.relaxed() for part in parts], rule)[2:], now) + head
    return head + body


def _parts(note: Note) -> Sequence[tuple[str, str]]:
    return (("text/plain", note.text), ("text/html", note.html))


def _joined(parts: Sequence[Body], rule: str) -> bytes:
    pieces = [piece for part in parts for piece in (f"\r\n--{rule}\r\n".encode(), *part.fill({}))]
    return b"".join([*pieces, f"\r\n--{rule}--\r\n".encode()])
