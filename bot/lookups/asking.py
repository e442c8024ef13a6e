"""One request on the wire, to the very address that was checked, within limits of time and size."""

import hashlib
import http.client
import socket
import ssl
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Timer
from urllib.parse import SplitResult, urlsplit

from urllib3 import HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
    ReadTimeoutError,
    SSLError,
)

from bot.checks import Fault
from bot.lookups.addresses import Address, LookupFaultError, Resolve, checked, is_public, resolve
from bot.lookups.conversation import Ask, Reply

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Wire:
    """How requests are made; the defaults are those for the public web."""

    agent: str = "Broadsheet (checks the links of a newsletter)"
    allowed: Callable[[Address], bool] = is_public
    resolver: Resolve = resolve
    ports: Collection[int] = (80, 443)
    context: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    silence: float = 10.0
    """Seconds without a byte after which a server is given up."""
    limit: float = 20.0
    """Seconds after which a request is given up, however many bytes trickle in."""
    size: int = 262_144
    """Bytes of a page that are read, where the page is wanted."""

    def ask(self, ask: Ask) -> Reply:
        """The reply to one request, or the fault for which there is none; never raises."""
        try:
            parts = urlsplit(ask.url)
            host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme.lower()]
            if port not in self.ports:
                return Reply(fault=Fault.PORT)
            addresses = checked(host, port, self.resolver, self.allowed)
            return self._first(_of_each_family(addresses), parts, port, ask)
        except LookupFaultError as error:
            return Reply(fault=error.fault)
        except (HTTPError, http.client.HTTPException, OSError, ValueError, KeyError) as error:
            return Reply(fault=fault_of(error))

    def _first(self, addresses: list[str], parts: SplitResult, port: int, ask: Ask) -> Reply:
        """What the first of some addresses replies at which anybody listens."""
        *others, last = addresses
        for address in others:
            with suppress(NewConnectionError, ConnectTimeoutError):
                return self._request(address, parts, port, ask)
        return self._request(last, parts, port, ask)

    def _request(self, address: str, parts: SplitResult, port: int, ask: Ask) -> Reply:
        with self._connected(address, parts, port) as connection, self._hurried(connection):
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            headers = {
                "Host": _named(parts),
                "User-Agent": self.agent,
                "Accept": "*/*",
                "Accept-Encoding": "identity",
                "Connection": "close",
            }
            connection.request(ask.method, target, headers=headers, preload_content=False)
            with closing(connection.getresponse()) as response:
                return self._reply(response, ask)

    def _reply(self, response: HTTPResponse, ask: Ask) -> Reply:
        digest, page = None, b""
        if ask.whole and ask.method == "GET":
            page = response.read(self.size, decode_content=False)
            digest = hashlib.sha256(page).hexdigest()
        location = response.headers.get("Location")
        after = response.headers.get("Retry-After", "")
        wait = float(after) if after.isdecimal() and len(after) < 6 else None  # noqa: PLR2004 (a day has 86400)
        kind = response.headers.get("Content-Type", "")[:200]
        return Reply(response.status, location, wait, digest, kind=kind, page=page)

    @contextmanager
    def _connected(self, address: str, parts: SplitResult, port: int) -> Iterator[HTTPConnection]:
        if parts.scheme.lower() == "https":
            # The certificate is held against this name, and not against the address.
            connection: HTTPConnection = HTTPSConnection(
                address,
                port,
                timeout=self.silence,
                ssl_context=self.context,
                server_hostname=parts.hostname,
            )
        else:
            connection = HTTPConnection(address, port, timeout=self.silence)
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _hurried(self, connection: HTTPConnection) -> Iterator[None]:
        """Cut the connection when the time is up: a server that trickles would hold it for ever."""
        late: list[bool] = []

        def cut() -> None:
            late.append(True)
            with suppress(OSError, AttributeError):  # it is closed, or not open yet
                connection.sock.shutdown(socket.SHUT_RDWR)

        timer = Timer(self.limit, cut)
        timer.daemon = True
        timer.start()
        try:
            yield
            if late:
                raise LookupFaultError(Fault.TIMEOUT)
        except (HTTPError, http.client.HTTPException, OSError, ValueError) as error:
            if late:
                raise LookupFaultError(Fault.TIMEOUT) from error
            raise
        finally:
            timer.cancel()


def _of_each_family(addresses: list[str]) -> list[str]:
    """The first address of IPv6 and of IPv4, in the order that the resolver prefers."""
    first = dict[bool, str]()
    for address in addresses:
        first.setdefault(":" in address, address)
    return list(first.values())


def _named(parts: SplitResult) -> str:
    """The Host header: without user, and with the port only where it is not the scheme's."""
    return parts.netloc.rpartition("@")[2]


def fault_of(error: Exception) -> Fault:
    """The one table from what libraries raise to what it means here."""
    match error:
        case SSLError() | ssl.SSLError():
            return Fault.CERTIFICATE
        case NewConnectionError() | ConnectionRefusedError():  # which is a ConnectTimeoutError to urllib3
            return Fault.REFUSED
        case ConnectTimeoutError() | ReadTimeoutError() | TimeoutError():
            return Fault.TIMEOUT
        case KeyError():
            return Fault.SCHEME
        case _:
            return Fault.BROKEN
