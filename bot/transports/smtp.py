"""SMTP: one transaction per reader, over the first relay that is well.

Which relay, and how fast: `_connection`. Opening one: `_opening`. A mail: `_transaction`. Bytes: `_wire`.
"""

import random
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, SecretStr, model_validator

from bot import plugins
from bot.errors import BroadsheetError, InputError
from bot.settings.secrets import read_secret
from bot.steps import finish
from bot.transports import Connection
from bot.transports._connection import Route, SmtpConnection, Strikes
from bot.transports._opening import Relay
from bot.transports._pace import Pace
from bot.transports._patience import PATIENCE, Patience, hurried
from bot.transports._relays import Relays
from bot.transports._wire import Wire

ASKED = 15.0
"""Seconds to wait for each answer of a relay that is only asked how it is."""


class RelayOptions(BaseModel):
    """What a relay is: where, how to speak to it, and how much it takes."""

    model_config = plugins.Options.model_config

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
    messages_per_second: Annotated[float, Field(gt=0, le=100_000)] | None = None
    """How many mails a second, over all connections; `0.5` is one every two seconds, nothing is no limit."""
    helo: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$|^\[[0-9A-Fa-f.:]+\]$")] | None = None
    """What this machine calls itself; the sender's domain where it is left out."""
    ca_file: Path | None = None
    """Certificates to trust beside the system's, for a relay of your own."""


class Fallback(RelayOptions):
    """`[[transport.fallback]]`: a relay that is used while those before it are away."""

    password_file: Path | None = None
    """A file that holds its password."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.user is None) != (self.password_file is None):
            raise ValueError("user and password_file go together")
        return self


class Options(plugins.Options, RelayOptions):
    """`[transport]` with `kind = "smtp"`; the password comes from BROADSHEET_SMTP_PASSWORD or a file."""

    fallback: tuple[Fallback, ...] = ()
    """Relays that are used, in order, while the first is away."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What the transport is given from outside: the time, chance and patience."""

    clock: Callable[[], float] = time.monotonic
    """Seconds that never go back."""
    jitter: Callable[[], float] = random.random
    """A number from 0 to 1."""
    patience: Patience = PATIENCE


def build(
    options: Options, *, root: Path, password: SecretStr | None, outside: Outside | None = None
) -> "_Smtp":
    """The transport that speaks to the relays; `password` is the first one's."""
    return _Smtp(options, root, password, outside or Outside())


class _Smtp:
    local = False

    def __init__(self, options: Options, root: Path, password: SecretStr | None, outside: Outside) -> None:
        self._outside = outside
        self.routes = tuple(_routes(options, root, password, outside.clock))
        limits = [relay.connections for relay in (options, *options.fallback)]
        self._relays = Relays(limits, outside.clock, outside.jitter)
        self.connections = options.connections
        self.by = "smtp " + ", else ".join(str(route.relay) for route in self.routes)

    def connect(self) -> Connection:
        outside = self._outside
        return SmtpConnection(self.routes, self._relays, outside.patience, outside.clock)


def _routes(
    options: Options, root: Path, password: SecretStr | None, clock: Callable[[], float]
) -> Iterator[Route]:
    if options.user and password is None:
        where, mend = "BROADSHEET_SMTP_PASSWORD", "set it, or name a file with smtp_password_file"
        raise InputError(where, f"not set, but transport.user is {options.user!r}", mend)
    yield _route(options, "transport", root, password, clock)
    for number, one in enumerate(options.fallback):
        key = f"transport.fallback.{number}"
        file = one.password_file
        secret = read_secret(root, file, f"{key}.password_file") if file else None
        yield _route(one, key, root, secret, clock)


def _route(
    options: RelayOptions, key: str, root: Path, password: SecretStr | None, clock: Callable[[], float]
) -> Route:
    login = (options.user, password) if options.user and password is not None else None
    return Route(
        Relay(options.host, options.port, options.security, login, key),
        options.helo,
        options.messages_per_connection,
        _Trust(options, root, key),
        Pace(options.messages_per_second, clock),
        Strikes(),
    )


class _Trust:
    """Whom to trust as a relay; read once for all connections, since the system's list is long."""

    def __init__(self, options: RelayOptions, root: Path, key: str) -> None:
        self._options, self._root, self._key = options, root, key
        self._context: ssl.SSLContext | None = None
        self._reading = threading.Lock()

    def __call__(self) -> ssl.SSLContext | None:
        with self._reading:
            if self._context is None and self._options.security != "none":
                self._context = self._read()
        return self._context

    def _read(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._options.ca_file:
            try:
                context.load_verify_locations(self._root / self._options.ca_file)
            except OSError as error:
                what = f"{self._key}.ca_file: {error.strerror or 'not a certificate'}"
                raise InputError("config/bot.toml", what, "name a PEM file") from error
        return context


# -------------------------------------------------------------------------------------------------- asking


@dataclass(frozen=True, slots=True)
class Probe:
    """How one relay answers."""

    relay: str
    """`smtp.example.org:587`"""
    offers: tuple[str, ...] = ()
    """What it offers, sorted: `8BITMIME`, `SIZE 10240000`."""
    tls: str | None = None
    """The version that is spoken, `TLSv1.3`; None in clear."""
    error: BroadsheetError | None = None
    """Why it cannot be used."""


def probe(
    options: Options, *, root: Path, password: SecretStr | None, name: str, patience: float = ASKED
) -> tuple[Probe, ...]:
    """Open a connection to each relay, in order, as for sending, and say goodbye; no mail is begun.

    `name` is what we call ourselves where nothing is set, `patience` the seconds to wait for each answer.
    InputError for a password that is missing or a file that cannot be read.
    """
    routes = _routes(options, root, password, time.monotonic)
    return tuple(_probed(route, name, hurried(patience)) for route in routes)


def _probed(route: Route, name: str, patience: Patience) -> Probe:
    try:
        wire = route.open(name, patience)
    except InputError:
        raise
    except BroadsheetError as error:
        return Probe(str(route.relay), error=error)
    offers = sorted(" ".join([key.upper(), *words.split()]) for key, words in wire.esmtp_features.items())
    found = Probe(str(route.relay), tuple(offers), _tls(wire))
    finish(wire.farewell())
    return found


def _tls(wire: Wire) -> str | None:
    connection = wire.connection
    return connection.version() if isinstance(connection, ssl.SSLSocket) else None
