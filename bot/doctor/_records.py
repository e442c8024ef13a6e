"""Asks the DNS for records, a bounded number of times, and never waits long for a server that is away."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import TypeAlias

import dns.exception
import dns.inet
import dns.name
import dns.rdata
import dns.resolver

from bot.errors import InputError

MOST = 500
"""Questions that one examination may ask: what hostile records lead to ends there."""
RECORDS, LONGEST = 40, 4096
"""Records of an answer and characters of a record that are looked at."""
TIMEOUT, LIFETIME = 2.0, 5.0
"""Seconds for one server's answer, and for one question over all servers and tries."""
PATIENCE = 3
"""So many questions in a row without any answer, and no more are asked."""


class Outcome(Enum):
    """What came of a question."""

    FOUND = "found"
    EMPTY = "there is no such record at this name"
    ABSENT = "there is no such name"
    FAILED = "no answer"


@dataclass(frozen=True, slots=True)
class Record:
    """One record's text: a TXT record's strings joined as readers join them, or the data of another kind."""

    text: str
    strings: int = 1
    """How many strings it is made of (RFC 7208 §3.3)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the DNS said to one question."""

    outcome: Outcome
    records: tuple[Record, ...] = ()
    why: str = ""
    """Where there is no answer: what went wrong."""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(record.text for record in self.records)

    @property
    def void(self) -> bool:
        """Whether the DNS knows that there is nothing (RFC 7208 §4.6.4)."""
        return self.outcome in {Outcome.EMPTY, Outcome.ABSENT}


Ask: TypeAlias = Callable[[str, str], Answer]
"""Name and type of record (`TXT`, `MX`, `A`, …) in, answer out."""


def found(*records: str | Record) -> Answer:
    """The answer that holds these records."""
    whole = (Record(record) if isinstance(record, str) else record for record in records)
    return Answer(Outcome.FOUND, tuple(whole))


def failed(why: str) -> Answer:
    """No answer."""
    return Answer(Outcome.FAILED, why=why)


_LATE = failed("no answer in time")
_UNASKABLE = failed("not a name that can be asked for")
_ANSWERS = (
    (dns.resolver.NXDOMAIN, Answer(Outcome.ABSENT)),
    (dns.resolver.NoAnswer, Answer(Outcome.EMPTY)),
    (
        dns.resolver.NoNameservers,
        failed("its name servers fail or refuse (SERVFAIL): is DNSSEC in order?"),
    ),
    (dns.resolver.NoResolverConfiguration, failed("this machine names no name server (/etc/resolv.conf)")),
    (dns.exception.Timeout, _LATE),
    (OSError, _LATE),
)
"""What dnspython's errors mean; the first that fits."""


class Lookups:
    """An `Ask` by dnspython: each question once."""

    def __init__(
        self, nameserver: str | None = None, *, timeout: float = TIMEOUT, lifetime: float = LIFETIME
    ) -> None:
        """`nameserver` is `ADDRESS` or `ADDRESS:PORT`; the system's own are asked without it."""
        self._nameserver = _address(nameserver) if nameserver is not None else None
        self._timeout, self._lifetime = timeout, lifetime
        self._resolver: dns.resolver.Resolver | None = None
        self._known: dict[tuple[str, str], Answer] = {}
        self._unanswered = 0

    def __call__(self, name: str, kind: str) -> Answer:
        """Ask once; the same question again has the same answer."""
        question = (name.lower().rstrip("."), kind)
        if question not in self._known:
            self._known[question] = self._asked(*question)
        return self._known[question]

    def _asked(self, name: str, kind: str) -> Answer:
        if len(self._known) >= MOST:
            return failed(f"more than {MOST} questions: not asked")
        if self._unanswered >= PATIENCE:
            return failed("no name server answers: not asked")
        try:
            return self._answered(name, kind)
        except (dns.exception.DNSException, OSError, UnicodeError) as error:
            answer = next((answer for of, answer in _ANSWERS if isinstance(error, of)), _UNASKABLE)
            self._unanswered += answer is _LATE
            return answer

    def _answered(self, name: str, kind: str) -> Answer:
        if self._resolver is None:
            self._resolver = _resolver(self._nameserver, self._timeout)
        absolute = dns.name.from_text(f"{name}.")
        answer = self._resolver.resolve(absolute, kind, lifetime=self._lifetime, search=False)
        self._unanswered = 0
        records = sorted((_record(data) for data in islice(answer, RECORDS)), key=lambda record: record.text)
        return Answer(Outcome.FOUND, tuple(records))


def _resolver(nameserver: tuple[str, int] | None, timeout: float) -> dns.resolver.Resolver:
    resolver = dns.resolver.Resolver(configure=nameserver is None)
    resolver.timeout = timeout
    if nameserver is not None:
        address, resolver.port = nameserver
        resolver.nameservers = [address]
    return resolver


def _address(nameserver: str) -> tuple[str, int]:
    """`192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`."""
    shape = r"\[([^\]]+)\](?::(\d{1,5}))?|([^:]+)(?::(\d{1,5}))?|(.*)"
    found = re.fullmatch(shape, nameserver, re.ASCII | re.DOTALL)
    six, six_port, four, four_port, bare = found.groups() if found else [None] * 5
    port = int(six_port or four_port or 53)
    try:
        address = str(ipaddress.ip_address(six or four or bare or ""))
    except ValueError:
        address = ""
    if not address or not 0 < port < 65536:  # noqa: PLR2004 (a port)
        mend = "write an address such as 192.0.2.1 or 192.0.2.1:5353"
        raise InputError("--nameserver", f"{nameserver!r} is not an address of a name server", mend)
    return address, port


def _record(data: dns.rdata.Rdata) -> Record:
    if strings := getattr(data, "strings", None):
        text = b"".join(strings)[:LONGEST].decode("ascii", "surrogateescape")
        return Record(text, len(strings))
    return Record(data.to_text()[:LONGEST])
