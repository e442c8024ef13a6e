"""Which addresses a text may lead to: absolute http, https and mailto ones, spelt without surprises."""

import re
from functools import lru_cache
from urllib.parse import quote, urlsplit, urlunsplit

SCHEMES = ("http", "https", "mailto")
_LONGEST = 2000
"""Characters; longer ones are cut by mail programs and proxies."""

# Zero-width and bidirectional marks, soft hyphens and control characters: no address needs them, and
# they are how an address pretends to be another one.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_KEPT = "!$%&'()*+,-./:;=?@_~"


class _RefusedError(ValueError):
    """Why an address is not taken."""


def safe_url(url: str) -> str | None:
    """Give the address as it may stand in a link, or None where it may not; twice is the same as once."""
    return _judged(url)[0]


def url_fault(url: str) -> str | None:
    """Why an address is refused, in words for a curator; None for a safe one."""
    return _judged(url)[1]


@lru_cache(maxsize=4096)
def _judged(url: str) -> tuple[str | None, str | None]:
    try:
        return _checked(url), None
    except _RefusedError as refusal:
        return None, str(refusal)
    except ValueError:  # urlsplit and the idna codec, about brackets, ports and names
        return None, "no such address can exist"


def _checked(url: str) -> str:
    url = _INVISIBLE.sub("", url).strip()
    if re.search(r"\s", url):
        raise _RefusedError("blank in URL")
    if len(url) > _LONGEST:
        raise _RefusedError(f"longer than {_LONGEST} characters")
    if not (scheme := _SCHEME.match(url)):
        raise _RefusedError("relative URL" if url else "empty URL")
    if scheme[1].lower() not in SCHEMES:
        raise _RefusedError(f"{scheme[1].lower()}: is none of {', '.join(SCHEMES)}")
    return _mailto(url) if scheme[1].lower() == "mailto" else _web(url)


def _mailto(url: str) -> str:
    address = url.partition(":")[2]
    if not re.match(r"[^@?]+@[^@?]+", address) or re.search(r"%0[ad]", address, re.IGNORECASE):
        raise _RefusedError("no mail address")
    return "mailto:" + _encoded(address)


def _web(url: str) -> str:
    parts = urlsplit(url)
    if not parts.hostname or "\\" in parts.netloc:
        raise _RefusedError("no host in URL")
    _ = parts.port  # raises for a port that is no number
    path, query, fragment = (_encoded(part) for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme, _host(parts.netloc), path, query, fragment))


def _host(netloc: str) -> str:
    """The authority in ASCII: a name of other letters as its IDNA form."""
    user, at, host = netloc.rpartition("@")
    ascii_host = host if host.isascii() else host.encode("idna").decode("ascii")
    if not re.fullmatch(r"[A-Za-z0-9._~\[\]:%-]+", ascii_host):
        raise _RefusedError("no host in URL")
    return _encoded(user) + at + ascii_host


def _encoded(part: str) -> str:
    """Percent-encode what may not stand in a URL, and keep what is encoded already."""
    return quote(_STRAY_PERCENT.sub("%25", part), safe=_KEPT, errors="replace")
