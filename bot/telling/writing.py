"""Writes to curators by the installation's own way out for mail."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.errors import PermanentError
from bot.mail.head import sender_of, wire_address
from bot.mail.notes import Note, note_bytes
from bot.models import Receipt
from bot.settings import Newsletter
from bot.steps import Steps, finish
from bot.telling.documents import Document
from bot.telling.letters import letter

if TYPE_CHECKING:
    from bot.dkim import Signer
    from bot.templates import Templates
    from bot.transports import Transport


@dataclass(frozen=True, slots=True)
class PostOffice:
    """What a mail to a curator needs."""

    newsletter: Newsletter
    templates: "Templates"
    transport: "Transport"
    signer: Callable[[], "Signer | None"]
    base_url: str
    key: Callable[[], bytes]
    """What the links are signed with."""

    def write(self, document: Document, curator: str, identity: str, now: datetime) -> Receipt:
        """Write to a curator; PermanentError where they have no address (any more)."""
        known = self.newsletter.curators.get(curator)
        if known is None or known.email is None:
            raise PermanentError(f"{curator} is no curator with an address any more")
        note = letter(document, self.newsletter, curator, self.base_url, self.key(), now, self.templates)
        return self.send(note, identity, now)

    def send(self, note: Note, identity: str, now: datetime) -> Receipt:
        """Send a note to whom it is for."""
        message = note_bytes(note, self.newsletter, identity, now, self.signer())
        sender = wire_address(sender_of(self.newsletter)[1])
        return finish(self._sent(sender, wire_address(note.email), message))

    def _sent(self, sender: str, recipient: str, message: bytes) -> Steps[Receipt]:
        connection = self.transport.connect()
        try:
            return (yield from connection.send(sender, recipient, [message]))
        finally:
            yield from connection.close()
