"""Email: one letter per confirmed reader, by the transport that the installation names."""

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from bot import plugins
from bot.channels import Audience, SteppingCourier
from bot.models import Delivery, Issue, Reader, Receipt, Rendered
from bot.steps import Steps

if TYPE_CHECKING:
    from bot.dkim import Signer
    from bot.mail import Letter
    from bot.settings import Newsletter, Settings
    from bot.transports import Connection, Transport


class Options(plugins.Options):
    """`[channels.<name>]` with `kind = "email"`: nothing to set here, `[transport]` says how mail leaves."""


def build(
    options: Options,  # noqa: ARG001 (there are none)
    *,
    newsletter: "Newsletter",
    settings: "Settings",
    templates: object,  # noqa: ARG001 (mail is rendered already)
    transport: "Transport",
) -> "_Email":
    """The channel that mails a newsletter's issues."""
    return _Email(newsletter, settings, transport)


class _Email:
    audience = Audience.READERS

    def __init__(self, newsletter: "Newsletter", settings: "Settings", transport: "Transport") -> None:
        self._newsletter, self._settings, self._transport = newsletter, settings, transport
        self.concurrency, self.local, self.by = transport.connections, transport.local, transport.by

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:
        from bot.mail import freeze_mail

        _ = self._signer  # a key that is missing is told before anything is written
        url, several = self._settings.url, self._settings.several
        return freeze_mail(rendered, self._newsletter, issue.key, url, several=several)

    @cached_property
    def _signer(self) -> "Signer | None":
        """Who signs the mails, its keys read once; InputError where one cannot be used."""
        if self._settings.dkim is None:
            return None
        from bot.dkim import read

        return read(self._settings.root, self._settings.dkim)

    def parts(self, payload: bytes) -> int:  # noqa: ARG002 (always one letter)
        return 1

    def files(self, payload: bytes, reader: Reader, now: datetime) -> dict[str, bytes]:
        from bot.mail import Letter, parts_of

        message = Letter.load(payload, self._signer).address(reader, now)
        text, page = parts_of(message)
        return {"message.eml": message, "email.html": page, "email.txt": text}

    def courier(self, payload: bytes) -> SteppingCourier:
        from bot.mail import Letter

        return _Courier(Letter.load(payload, self._signer), self._transport.connect())


class _Courier:
    """Addresses a letter to each reader and hands it over on one connection."""

    def __init__(self, letter: "Letter", connection: "Connection") -> None:
        from bot.mail import wire_address

        self._letter, self._connection, self._wire_address = letter, connection, wire_address

    def standing_by(self) -> Steps[bool]:
        return self._connection.ready()

    def delivering(self, delivery: Delivery, now: datetime) -> Steps[Receipt]:
        assert delivery.reader is not None  # noqa: S101 (mail goes to readers)
        pieces = self._letter.pieces(delivery.reader, now)
        address = self._wire_address(delivery.reader.email)
        return (yield from self._connection.send(self._letter.sender, address, pieces))

    def leaving(self) -> Steps[None]:
        return self._connection.close()
