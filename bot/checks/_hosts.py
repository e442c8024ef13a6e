"""What the host of a link tells: whether readers can reach it, what it hides, and whose letters it wears."""

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Iterable

from bot.models import Severity

_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")
_IN_HOUSE = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
    )
)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
# RFC 2606, 6761, 6762, 8375 and ICANN's .internal; the others are used as such, and are nobody's.
_RESERVED = ("localhost", "test", "example", "invalid")
_ONE_NETWORK = ("local", "internal", "home.arpa", "lan", "intranet", "corp", "localdomain", "private")

SHORTENERS = frozenset(
    "bit.ly bitly.com t.co tinyurl.com goo.gl ow.ly buff.ly is.gd v.gd rebrand.ly cutt.ly shorturl.at rb.gy "  # noqa: SIM905 (a table of words reads better)
    "t.ly tiny.cc bit.do lnkd.in dlvr.it trib.al ift.tt fb.me adf.ly soo.gd s.id urlz.fr x.gd mcaf.ee "
    "snip.ly j.mp su.pr cli.gs tr.im hubs.ly hubs.li eepurl.com spr.ly qr.ae dub.sh lc.cx clck.ru vk.cc u.to "
    "surl.li shrtco.de zpr.io tcrn.ch amzn.to geni.us smarturl.it shorte.st bc.vc po.st short.io kutt.it "
    "1url.com t2m.io urly.it tny.im shrturl.app chilp.it l.ead.me".split()
)
"""Hosts whose every path is a redirect to somewhere else; a publisher's own (youtu.be) tells whose it is."""


def unreachable(host: str) -> tuple[str, Severity] | None:
    """Why readers cannot reach a host, and how bad that is; None where they may."""
    if address := _address(host):
        return _unreachable_address(address)
    name = host.rstrip(".")
    last = name.rpartition(".")[2]
    if last in _RESERVED:
        kind = (
            "is each reader's own machine"
            if last == "localhost"
            else f".{last} is reserved: no such host exists"
        )
        return kind, Severity.ERROR
    if not all(_LABEL.fullmatch(label) for label in name.split(".")) or last.isdecimal():
        return "is no name that a host can have", Severity.ERROR
    if any(name.endswith(f".{suffix}") for suffix in _ONE_NETWORK):
        return "is a name within one network", Severity.WARNING
    if name and "." not in name:
        return "has no domain: a name within one network, or a slip", Severity.WARNING
    return None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address a host is, also in the old spellings that browsers take: `127.1`, `0x7f000001`."""
    if _NUMBERS.fullmatch(host):
        try:
            return ipaddress.IPv4Address(socket.inet_aton(host))
        except OSError:
            return None
    try:
        return ipaddress.IPv6Address(host) if ":" in host else None
    except ValueError:
        return None


def _unreachable_address(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> tuple[str, Severity] | None:
    address = getattr(address, "ipv4_mapped", None) or address
    if any(address.version == net.version and address in net for net in _IN_HOUSE):
        return "is an address within one network", Severity.WARNING
    if address.is_loopback or address.is_unspecified:
        return "is each reader's own machine", Severity.ERROR
    if not address.is_global or address.is_multicast:
        return "is an address that is not on the internet", Severity.ERROR
    return None


# -------------------------------------------------------------------------------------------------- letters

_TOGETHER = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
"""Scripts that words of one language mix (UTS 39, highly restrictive)."""
_LIKE_LATIN = frozenset("асԁеһіјӏорԛѕуԝхѵьгпնոսցօզյ" + "αικνορτυω")
"""Cyrillic, Armenian and Greek letters that look like Latin ones, as in `xn--80ak6aa92e.com`."""


def disguise(host: str) -> str | None:
    """Why a host's letters may be taken for others; None for an honest one, in whatever script."""
    if "xn--" not in host:
        return None
    labels = [_decoded(label) for label in host.split(".")]
    for label in labels:
        scripts = {_script(letter) for letter in label if letter.isalpha()}
        if len(scripts) > 1 and not scripts <= _TOGETHER:
            names = " and ".join(sorted(script.capitalize() for script in scripts))
            return f"reads {'.'.join(labels)!r}, with letters of {names} in one word"
        if scripts and "LATIN" not in scripts and labels[-1].isascii() and _looks_latin(label):
            return (
                f"reads {'.'.join(labels)!r}, with {next(iter(scripts)).capitalize()} letters that look Latin"
            )
    return None


def _decoded(label: str) -> str:
    try:
        return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label
    except UnicodeError:  # a label that stands for nothing stays as it is
        return label


def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0].partition("-")[0]


def _looks_latin(letters: Iterable[str]) -> bool:
    return all(letter in _LIKE_LATIN or letter.isascii() for letter in letters)
