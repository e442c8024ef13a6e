"""Where a request comes from, as far as the studio cares: from this machine itself, or over a network."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

FROM_A_PROXY = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP")
"""What proxies add: who comes through one sits somewhere else."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request, before anybody knows who makes it."""

    local: bool
    """Whether it was made on this machine, to this machine, by nobody in between."""
    origins: frozenset[str]
    """What a browser may call the place that a form of ours was sent from (RFC 6454 §7)."""
    client: str
    """Who is counted where tries are: an address, of IPv6 its network, of which one person has 2⁶⁴."""


def visit(environ: Mapping[str, object], base_url: str, *, loopback: bool) -> Visit:
    """Read it from what a server hands over; `loopback` says where the server listens.

    A page elsewhere whose name leads here is not local: its `Host` is its own name.
    """
    peer, host = str(environ.get("REMOTE_ADDR", "")), str(environ.get("broadsheet.host", ""))
    proxied = any(name in environ for name in FROM_A_PROXY)
    local = loopback and is_loopback(peer) and is_loopback(_name(host)) and not proxied
    parts = urlsplit(base_url)
    own = {f"{parts.scheme}://{parts.netloc}", *({f"http://{host}"} if local else ())}
    return Visit(local, frozenset(own), _client(environ, peer))


def is_loopback(name: str) -> bool:
    """Whether a name or an address is this machine's alone."""
    if name.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """A `Host` header without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _client(environ: Mapping[str, object], peer: str) -> str:
    """The peer or, where that is a proxy beside us, whom it named last.

    Who lies there, past a proxy that adds no truth, is counted as somebody else: the limits of a name and of
    all together remain.
    """
    named = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
    try:
        near = ip_address(peer)
        found = ip_address(named) if named and (near.is_loopback or near.is_private) else near
    except ValueError:
        return peer[:50]
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return str(found)
