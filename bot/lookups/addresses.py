"""Which machines may be asked: those on the public internet, whatever name leads to them."""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

from bot.checks import Fault

Address: TypeAlias = IPv4Address | IPv6Address
Resolve: TypeAlias = Callable[[str, int], list[str]]
"""The addresses of a host, for a port; LookupFaultError where there are none."""

_NAT64 = ip_network("64:ff9b::/96")


class LookupFaultError(Exception):
    """There is no answer, and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault = fault


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet, also where IPv6 wraps one of IPv4 (RFC 3056, 6052)."""
    if isinstance(address, IPv6Address):
        if inner := address.ipv4_mapped or address.sixtofour or _within_nat64(address):
            return is_public(inner)
        if address.teredo or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _within_nat64(address: IPv6Address) -> IPv4Address | None:
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host by this machine's resolver, each once."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        away = error.errno == socket.EAI_AGAIN
        raise LookupFaultError(Fault.NO_NAME_SERVER if away else Fault.NO_HOST) from error
    except (OSError, UnicodeError) as error:
        raise LookupFaultError(Fault.NO_HOST) from error
    return list(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in found))


def checked(host: str, port: int, resolver: Resolve, allowed: Callable[[Address], bool]) -> list[str]:
    """The addresses of a host; LookupFaultError where it has none, or one of them may not be asked.

    Whoever connects must take one of these, and not the name once more: a name may lead elsewhere a moment
    later (DNS rebinding).
    """
    addresses = resolver(host, port)
    if not addresses:
        raise LookupFaultError(Fault.NO_HOST)
    if not all(allowed(ip_address(address)) for address in addresses):
        raise LookupFaultError(Fault.PRIVATE)
    return addresses
