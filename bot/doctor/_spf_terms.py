"""Reads an SPF record into its terms (RFC 7208 §4.6.1, §5, §6, §12)."""

import ipaddress
import re
from dataclasses import dataclass

VERSION = "v=spf1"
MECHANISMS = ("all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists")
_MECHANISM = re.compile(r"([+?~-]?)([A-Za-z0-9_.-]+)(?::([^/]*(?:/(?![0-9/])[^/]*)*))?(/.*)?", re.DOTALL)
_MODIFIER = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)=(.*)", re.DOTALL)
_MACRO = re.compile(r"%(?:\{[slodiphcrtv]\d{0,3}r?[.+,/_=-]*\}|%|_|-)", re.IGNORECASE | re.ASCII)
_LAST_LABEL = re.compile(r"(?=[^.]*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?", re.ASCII)
_LONGEST_NAME = 253


class TermError(ValueError):
    """What is wrong with a term, after its text."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term: `~include:example.org` is ("include", "example.org", "~")."""

    name: str
    """A mechanism of `MECHANISMS`, or a modifier with its `=`: `redirect=`."""
    value: str = ""
    """The domain or network it names, or nothing."""
    qualifier: str = "+"
    length: int | None = None
    """The leading bits of an IPv4 network, where the term says how many."""

    def __str__(self) -> str:
        sign = "" if self.qualifier == "+" else self.qualifier
        if self.name.endswith("="):
            return f"{self.name}{self.value}"
        return f"{sign}{self.name}:{self.value}" if self.value else f"{sign}{self.name}"

    @property
    def macro(self) -> bool:
        """Whether what it names depends on the mail."""
        return "%" in self.value


def is_spf(text: str) -> bool:
    """Whether a TXT record is an SPF record (RFC 7208 §4.5)."""
    return text.lower() == VERSION or text.lower().startswith(f"{VERSION} ")


def terms(text: str) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """The terms of an SPF record in their order, and what is wrong with the others."""
    good: list[Term] = []
    faults: list[str] = []
    for word in text[len(VERSION) :].split(" "):
        try:
            if word:
                good.append(_term(word))
        except TermError as error:
            faults.append(f"{word}: {error}")
    names = [term.name for term in good]
    faults += [f"{name} stands twice" for name in ("redirect=", "exp=") if names.count(name) > 1]
    return tuple(good), tuple(faults)


def _term(word: str) -> Term:
    if not word.isascii() or not word.isprintable():
        raise TermError("has characters that may not stand there")
    if modifier := _MODIFIER.fullmatch(word):
        return _modifier(modifier[1].lower(), modifier[2])
    if not (mechanism := _MECHANISM.fullmatch(word)):
        raise TermError("is no term")
    qualifier, name, value, lengths = mechanism.groups()
    if name.lower() not in MECHANISMS:
        raise TermError(_unknown(name))
    return _mechanism(name.lower(), value, lengths or "", qualifier or "+")


def _unknown(name: str) -> str:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        near = {"ipv4": "ip4", "ipv6": "ip6", "ip": "ip4", "includes": "include", "cname": "a"}
        mend = near.get(name.lower())
        return f"is no mechanism; {mend}: is meant?" if mend else "is no mechanism"
    return f"is no mechanism; ip4:{name} is meant?"


def _modifier(name: str, value: str) -> Term:
    if name in {"redirect", "exp"}:
        _check_domain(value)
    elif "%" in _MACRO.sub("", value):
        raise TermError("has a % that begins no macro")
    return Term(f"{name}=", value)


def _mechanism(name: str, value: str | None, lengths: str, qualifier: str) -> Term:
    match name:
        case "ip4" | "ip6":
            return _network(name, f"{value or ''}{lengths}", qualifier)
        case "all" if value is not None or lengths:
            raise TermError("all takes nothing after it")
        case "include" | "exists" if value is None:
            raise TermError("names no domain")
        case "include" | "exists" | "ptr" if lengths:
            raise TermError("takes no length")
    if value is not None:
        _check_domain(value)
    return Term(name, value or "", qualifier, _length(lengths))


def _network(name: str, value: str, qualifier: str) -> Term:
    of = ipaddress.IPv4Network if name == "ip4" else ipaddress.IPv6Network
    address, slash, length = value.partition("/")
    try:
        if slash and not re.fullmatch(r"0|[1-9]\d{0,2}", length, re.ASCII):
            raise TermError("has no length after its slash")
        network = of(f"{address}{slash}{length}", strict=False)
    except ValueError as error:
        if isinstance(error, TermError):
            raise
        raise TermError(f"is no {'IPv4' if name == 'ip4' else 'IPv6'} address or network") from error
    return Term(name, str(network), qualifier, network.prefixlen if name == "ip4" else None)


def _length(lengths: str) -> int | None:
    """The IPv4 length of `/24`, `/24//64` or `//64`."""
    found = re.fullmatch(r"(?:/(0|[1-9]\d?))?(?://(0|[1-9]\d{0,2}))?", lengths, re.ASCII)
    if not found or int(found[1] or 0) > 32 or int(found[2] or 0) > 128:  # noqa: PLR2004 (bits of an address)
        raise TermError("has a length that is none")
    return int(found[1]) if found[1] else None


def _check_domain(value: str) -> None:
    """Refuse what is no domain-spec (RFC 7208 §7.1)."""
    plain = _MACRO.sub("", value)
    if "%" in plain:
        raise TermError("has a % that begins no macro")
    if ":" in plain:  # the grammar has it, no name has: two strings were joined without a blank
        raise TermError(_no_domain(value))
    if value.endswith("}"):
        return
    *_, last = value.removesuffix(".").split(".")
    if "." not in value or len(value) > _LONGEST_NAME or not _LAST_LABEL.fullmatch(last):
        raise TermError(_no_domain(value))
    if not plain.startswith(".") and ".." in value:
        raise TermError("has an empty label")


def _no_domain(value: str) -> str:
    try:
        ipaddress.IPv4Address(value)
    except ValueError:
        return "names no domain"
    return f"names an address; ip4:{value} is meant?"
