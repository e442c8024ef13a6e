"""A DNS server for tests, on one loopback port by UDP and TCP: its zones are a dict.

    zones = {
        "example.org": {"TXT": ["v=spf1 -all"], "MX": ["10 mail.example.org."]},
        "mail.example.org": {"A": ["192.0.2.1"]},
        "down.example.org": Trouble.SERVFAIL,
    }
    with DnsServer(zones) as server:
        …  # a resolver asks server.address

A name that is not there does not exist, and one above a name that is exists without records. A TXT record is
a text, cut into strings of 255 octets, or the tuple of its strings.
"""

import socketserver
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from types import TracebackType
from typing import Any, Self, TypeAlias

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rdtypes.ANY.TXT
import dns.rrset


class Trouble(Enum):
    """What can be wrong with a name."""

    SERVFAIL = "the server fails"
    REFUSED = "the server refuses"
    TRUNCATED = "by UDP only half of an answer comes, and by TCP nothing"
    HANG = "no answer comes"
    GARBAGE = "what comes is no answer"
    WRONG_ID = "what comes is the answer to another question"


Data: TypeAlias = str | tuple[str | bytes, ...]
Zones: TypeAlias = Mapping[str, Mapping[str, Sequence[Data]] | Trouble]
CODES = {Trouble.SERVFAIL: dns.rcode.SERVFAIL, Trouble.REFUSED: dns.rcode.REFUSED}


class DnsServer:
    """Its zones, and the servers in front of them."""

    def __init__(self, zones: Zones) -> None:
        self.zones = {name.lower(): records for name, records in zones.items()}
        self.asked: list[tuple[str, str, str]] = []
        """Every question that arrived: `udp` or `tcp`, the name, the type."""
        self.released = threading.Event()
        self._udp, self._tcp = _servers(self)
        self._threads = [
            threading.Thread(target=one.serve_forever, args=(0.02,)) for one in (self._udp, self._tcp)
        ]

    @property
    def address(self) -> str:
        """What `--nameserver` takes."""
        return f"127.0.0.1:{self._tcp.server_address[1]}"

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        for server in (self._udp, self._tcp):
            server.shutdown()
        for thread in self._threads:
            thread.join()
        for server in (self._udp, self._tcp):
            server.server_close()

    def questions(self, name: str, kind: str) -> int:
        """How often this was asked."""
        return sum((asked, of) == (name, kind) for _, asked, of in self.asked)

    def answer(self, wire: bytes, by: str) -> bytes | None:
        """The answer to one message; None where there is none."""
        query = dns.message.from_wire(wire)
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True).lower()
        kind = dns.rdatatype.to_text(question.rdtype)
        self.asked.append((by, name, kind))
        match self.zones.get(name):
            case Trouble() as trouble:
                return self._troubled(trouble, query, by)
            case Mapping() as records:
                return _packed(_filled(query, records.get(kind, ())), query, by)
            case _:
                return _empty(query, exists=any(one.endswith(f".{name}") for one in self.zones)).to_wire()

    def _troubled(self, trouble: Trouble, query: dns.message.Message, by: str) -> bytes | None:
        response = dns.message.make_response(query)
        match trouble:
            case Trouble.GARBAGE:
                return b"\x00\x01what is this"
            case Trouble.WRONG_ID:
                response.id = query.id ^ 1
            case Trouble.TRUNCATED if by == "udp":
                response.flags |= dns.flags.TC
            case Trouble.HANG | Trouble.TRUNCATED:
                self.released.wait(30 if by == "tcp" else 0)
                return None
            case _:
                response.set_rcode(CODES[trouble])
        return response.to_wire()


def _empty(query: dns.message.Message, *, exists: bool) -> dns.message.Message:
    response = dns.message.make_response(query)
    response.set_rcode(dns.rcode.NOERROR if exists else dns.rcode.NXDOMAIN)
    return response


def _filled(query: dns.message.Message, records: Sequence[Data]) -> dns.message.Message:
    response, question = dns.message.make_response(query), query.question[0]
    if records:
        made = dns.rrset.RRset(question.name, dns.rdataclass.IN, question.rdtype)
        for record in records:
            made.add(_data(question.rdtype, record), ttl=60)
        response.answer.append(made)
    return response


def _data(kind: dns.rdatatype.RdataType, record: Data) -> Any:
    if kind != dns.rdatatype.TXT:
        return dns.rdata.from_text(dns.rdataclass.IN, kind, str(record))
    strings = _cut(record) if isinstance(record, str) else record
    return dns.rdtypes.ANY.TXT.TXT(dns.rdataclass.IN, kind, tuple(map(_octets, strings)))


def _cut(text: str) -> Iterator[bytes]:
    data = text.encode()
    yield from (data[start : start + 255] for start in range(0, max(len(data), 1), 255))


def _octets(string: str | bytes) -> bytes:
    return string.encode() if isinstance(string, str) else string


def _packed(response: dns.message.Message, query: dns.message.Message, by: str) -> bytes:
    """The message in octets; by UDP, without its records where they do not fit."""
    wire = response.to_wire(max_size=65535)
    if by == "tcp" or len(wire) <= max(query.payload, 512):
        return wire
    short = dns.message.make_response(query)
    short.flags |= dns.flags.TC
    return short.to_wire()


# --------------------------------------------------------------------------------------------------- the wire


class _Udp(socketserver.ThreadingUDPServer):
    daemon_threads = True


class _Tcp(socketserver.ThreadingTCPServer):
    daemon_threads = True


def _servers(dns_server: DnsServer) -> tuple[_Udp, _Tcp]:
    """One server for each, on a port that is free for both."""

    class UdpHandler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            wire, connection = self.request
            answer = dns_server.answer(wire, "udp")
            if answer is not None:
                with suppress(OSError):
                    connection.sendto(answer, self.client_address)

    class TcpHandler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            head = self.rfile.read(2)
            if len(head) < 2:
                return
            answer = dns_server.answer(self.rfile.read(struct.unpack("!H", head)[0]), "tcp")
            if answer is not None:
                with suppress(OSError):
                    self.wfile.write(struct.pack("!H", len(answer)) + answer)

    for _ in range(20):
        tcp = _Tcp(("127.0.0.1", 0), TcpHandler)
        try:
            return _Udp(tcp.server_address, UdpHandler), tcp
        except OSError:
            tcp.server_close()
    raise RuntimeError("no port is free for both UDP and TCP")
