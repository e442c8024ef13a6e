"""SMTP: one transaction per reader, each phase driven by itself.

A drop before the final dot means not sent, a drop after it means in doubt; no client library tells the two
apart, so only the opening of a connection is smtplib's.
"""

import re
import smtplib
import ssl
import threading
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from pydantic import Field, SecretStr

from bot import plugins
from bot.errors import BroadsheetError, InDoubtError, InputError, PermanentError, StopRunError, TransientError
from bot.models import Receipt
from bot.transports import Connection
from bot.transports._replies import Phase, PolicyError, cleaned, meaning
from bot.transports._wire import GO_AHEAD, OK, Relay, Reply, Wire, opened, why

STRIKES = 3
"""So many policy answers in a row without one mail taken, and the run stops."""

CLOSING = 421
"""The relay ends the connection (RFC 5321 §4.2.1)."""
ADDRESS = re.compile(r"[!-;=?-~]+@[!-;=?-~]+")
"""Printable ASCII but `<` and `>`: nothing that could end a command or begin another."""


class Options(plugins.Options):
    """`[transport]` with `kind = "smtp"`; the password comes from BROADSHEET_SMTP_PASSWORD or a file."""

    host: Annotated[str, Field(min_length=1, max_length=255, pattern=r"^\S+$")]
    """The relay's name."""
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    """Its port: 587 or 465 for most relays, 25 for one on this machine."""
    security: Literal["none", "starttls", "tls"] = "starttls"
    """How the connection is kept from others; with `starttls`, never without."""
    user: str | None = None
    """Whom to log in as; nobody where it is left out."""
    connections: Annotated[int, Field(ge=1, le=100)] = 10
    """How many connections at once."""
    messages_per_connection: Annotated[int, Field(ge=1)] = 500
    """After so many mails a connection is opened anew; some providers allow few."""
    helo: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$|^\[[0-9A-Fa-f.:]+\]$")] | None = None
    """What this machine calls itself; the sender's domain where it is left out."""
    ca_file: Path | None = None
    """Certificates to trust beside the system's, for a relay of your own."""


def build(options: Options, *, root: Path, password: SecretStr | None) -> "_Smtp":
    """The transport that speaks to one relay."""
    if options.user and password is None:
        where, mend = "BROADSHEET_SMTP_PASSWORD", "set it, or name a file with smtp_password_file"
        raise InputError(where, f"not set, but transport.user is {options.user!r}", mend)
    login = (options.user, password) if options.user and password is not None else None
    return _Smtp(options, root, Relay(options.host, options.port, options.security, login))


class _Smtp:
    local = False

    def __init__(self, options: Options, root: Path, relay: Relay) -> None:
        self._options, self._root, self._relay = options, root, relay
        self.connections = options.connections
        self.by = f"smtp {relay}"
        self.messages_per_connection = options.messages_per_connection
        self.strikes = _Strikes()
        self._context: ssl.SSLContext | None = None
        self._reading = threading.Lock()

    def connect(self) -> Connection:
        return _Connection(self)

    def open(self, domain: str) -> Wire:
        """A new connection, on which we call ourselves by the sender's domain where nothing else is set."""
        return opened(self._relay, self._options.helo or domain, self._trusted())

    def _trusted(self) -> ssl.SSLContext | None:
        """Whom to trust; read once for all connections, since the system's list is long."""
        with self._reading:
            if self._context is None and self._relay.security != "none":
                self._context = _context(self._root, self._options.ca_file)
        return self._context

    def __str__(self) -> str:
        return str(self._relay)


def _context(root: Path, ca_file: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca_file:
        try:
            context.load_verify_locations(root / ca_file)
        except OSError as error:
            what = f"transport.ca_file: {error.strerror or 'not a certificate'}"
            raise InputError("config/bot.toml", what, "name a PEM file") from error
    return context


class _Strikes:
    """Counts policy answers over all connections: one may be a reader's affair, several in a row are ours."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def taken(self) -> None:
        """A mail was accepted."""
        self._count = 0

    def weighed(self, error: BroadsheetError) -> BroadsheetError:
        """The same error, or the one that stops the run."""
        if not isinstance(error, PolicyError):
            return error
        with self._lock:
            self._count += 1
            stop = self._count >= STRIKES
        return StopRunError(f"{error} ({STRIKES} such answers in a row)") if stop else error


class _StaleError(Exception):
    """A connection that was used before has died before anything of this mail was said on it."""


class _Connection:
    """One connection to the relay; opened at the first mail, opened anew when it breaks."""

    def __init__(self, transport: _Smtp) -> None:
        self._transport = transport
        self._wire: Wire | None = None
        self._begun = 0
        """Mails that this connection was used for, whatever became of them."""

    def send(self, sender: str, recipient: str, message: bytes) -> Receipt:
        """Hand over one mail; an error says how far it came."""
        if not (ADDRESS.fullmatch(sender) and ADDRESS.fullmatch(recipient)):
            raise PermanentError("the address cannot stand in an envelope")
        try:
            return self._sent(sender, recipient, message)
        except BroadsheetError as error:
            raise self._transport.strikes.weighed(error) from error

    def close(self) -> None:
        wire, self._wire = self._wire, None
        if wire is None:
            return
        try:
            wire.wait_briefly()
            wire.quit()
        except (smtplib.SMTPException, OSError):
            wire.close()

    def _sent(self, sender: str, recipient: str, message: bytes) -> Receipt:
        try:
            return self._sent_on(self._ready(sender), sender, recipient, message)
        except _StaleError:
            return self._sent_on(self._ready(sender), sender, recipient, message)

    def _ready(self, sender: str) -> Wire:
        if self._begun >= self._transport.messages_per_connection:
            self.close()
        if self._wire is None:
            self._wire, self._begun = self._transport.open(sender.rpartition("@")[2]), 0
        return self._wire

    def _drop(self) -> None:
        if self._wire:
            self._wire.close()
            self._wire = None

    # -------------------------------------------------------------------------------------- one transaction

    def _sent_on(self, wire: Wire, sender: str, recipient: str, message: bytes) -> Receipt:
        self._refuse_too_large(wire, message)
        self._begun += 1
        self._envelope(wire, sender, recipient, len(message))
        self._body(wire, _stuffed(message))
        code, text = reply = self._verdict(wire)
        if not _is_yes(code, OK):
            raise self._refused(Phase.DOT, reply)
        self._transport.strikes.taken()
        return Receipt(f"{code} {cleaned(text)}")

    def _refuse_too_large(self, wire: Wire, message: bytes) -> None:
        limit = wire.esmtp_features.get("size", "")
        if limit.isdigit() and 0 < int(limit) < len(message):
            raise StopRunError(f"{self._transport} takes {limit} bytes, and this mail has {len(message)}")

    def _envelope(self, wire: Wire, sender: str, recipient: str, size: int) -> None:
        """Say MAIL, RCPT and DATA: in one go where the relay takes that (RFC 2920), else one by one."""
        announced = f" SIZE={size}" if "size" in wire.esmtp_features else ""
        commands = (
            (Phase.MAIL, f"MAIL FROM:<{sender}>{announced}\r\n".encode(), OK),
            (Phase.RCPT, f"RCPT TO:<{recipient}>\r\n".encode(), OK),
            (Phase.DATA, b"DATA\r\n", GO_AHEAD),
        )
        pipelined = "pipelining" in wire.esmtp_features
        if pipelined:
            self._say(wire, Phase.MAIL, b"".join(command for _, command, _ in commands))
        for number, (phase, command, wanted) in enumerate(commands):
            if not pipelined:
                self._say(wire, phase, command)
            reply = self._reply(wire, phase)
            if not _is_yes(reply[0], wanted):
                self._unwanted(wire, phase, reply, unread=len(commands) - number - 1 if pipelined else 0)

    def _unwanted(self, wire: Wire, phase: Phase, reply: Reply, unread: int) -> NoReturn:
        """End a transaction that the relay refused, so that it delivers nothing and the next can begin."""
        if phase is Phase.MAIL and reply[0] == CLOSING and self._begun > 1:
            self._drop()
            raise _StaleError  # it was tired of waiting for the next mail, or has had enough of them
        error = self._refused(phase, reply)
        if self._wire:
            self._reset(wire, unread)
        raise error

    def _reset(self, wire: Wire, unread: int) -> None:
        """Clear what the refused mail left, once the other answers to its commands are read."""
        try:
            codes = [wire.reply()[0] for _ in range(unread)]
            if CLOSING in codes or GO_AHEAD in codes:
                self._drop()  # 354: it waits for a mail that must not come; a lone dot could deliver one
                return
            wire.say(b"RSET\r\n")
            if wire.reply()[0] != OK:
                self._drop()
        except (smtplib.SMTPException, OSError):
            self._drop()

    def _body(self, wire: Wire, stuffed: bytes) -> None:
        """Send the mail and its dot in one go.

        Where that fails the last bytes have not been handed over, so the dot has not left: not sent.
        """
        try:
            wire.say(stuffed)
        except OSError as error:
            raise self._last_words(wire) or self._broken(Phase.DATA, error) from error

    def _last_words(self, wire: Wire) -> BroadsheetError | None:
        """What a relay said that hung up on us in the middle of a mail: why, perhaps."""
        try:
            wire.wait_briefly()
            code, text = wire.reply()
        except (smtplib.SMTPException, OSError):
            return None
        self._drop()
        return meaning(Phase.DOT, code, text) if code // 100 in {4, 5} else None

    def _verdict(self, wire: Wire) -> Reply:
        """The answer to the dot; in doubt where there is none."""
        try:
            reply = wire.reply()
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise InDoubtError(f"the relay did not say whether it took the mail: {why(error)}") from error
        if reply[0] // 100 not in {2, 4, 5}:
            self._drop()
            raise InDoubtError("the relay's answer to the mail makes no sense")
        return reply

    # ------------------------------------------------------------------------------------- words both ways

    def _say(self, wire: Wire, phase: Phase, commands: bytes) -> None:
        try:
            wire.say(commands)
        except OSError as error:
            raise self._broken(phase, error) from error

    def _reply(self, wire: Wire, phase: Phase) -> Reply:
        try:
            return wire.reply()
        except (smtplib.SMTPException, OSError) as error:
            raise self._broken(phase, error) from error

    def _broken(self, phase: Phase, error: Exception) -> Exception:
        """The connection broke before the dot: nothing was sent."""
        self._drop()
        if phase is Phase.MAIL and self._begun > 1:
            return _StaleError()
        return TransientError(f"{self._transport}: the connection broke at {phase}: {why(error)}")

    def _refused(self, phase: Phase, reply: Reply) -> BroadsheetError:
        code, text = reply
        if code == CLOSING or code // 100 not in {4, 5}:
            self._drop()  # it hangs up, or we are out of step
        return meaning(phase, code, text)


_LINE_DOT = re.compile(rb"\n\.")


def _is_yes(code: int, wanted: int) -> bool:
    """Whether a reply is the one wanted; any 2xx where a yes is (RFC 5321 §4.2.1: 251 will forward)."""
    return code == wanted or (wanted == OK and 200 <= code < 300)  # noqa: PLR2004 (a class of replies)


def _stuffed(message: bytes) -> bytes:
    """A mail as it goes over the wire: leading dots doubled (RFC 5321 §4.5.2), and the dot that ends it."""
    if _LINE_DOT.search(message):  # half the time that `in` takes for two bytes, on every mail
        message = message.replace(b"\r\n.", b"\r\n..")
    if message.startswith(b"."):
        message = b"." + message
    return message + (b".\r\n" if message.endswith(b"\r\n") else b"\r\n.\r\n")
