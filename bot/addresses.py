"""Addresses as mail carries them: domains as A-labels, local parts as they are, nothing that breaks a line.

What cannot be carried is a ValueError whose words follow "the address …" and never repeat it.
"""

import re
import unicodedata
from functools import lru_cache

LOCAL_PART = 64
"""Octets before the @ (RFC 5321 §4.5.3.1.1)."""
LONGEST = 254
"""Octets of a whole address: those of a path without its brackets (RFC 5321 §4.5.3.1.3)."""

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL_PART = re.compile(rf"(?=.{{1,{LOCAL_PART}}}\Z){_ATOM}(?:\.{_ATOM})*")
_DOMAIN = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")


def on_the_wire(email: str) -> str:
    """An address as it stands in envelopes and headers; one that is not ASCII there needs SMTPUTF8."""
    local, _, domain = email.rpartition("@")
    if not _LOCAL_PART.fullmatch(local):
        local = _foreign_local_part(local)
    address = f"{local}@{a_labels(domain)}"
    if len(address) > LONGEST // 2 and len(address.encode()) > LONGEST:
        raise ValueError(f"is longer than {LONGEST} octets")
    return address


def mailbox_of(text: str) -> tuple[str, str]:
    """The name and the address of `Name <address>`, `"Name" <address>` or `address`.

    Not the standard library's reading, which differs between its releases and loses commas.
    """
    if not text.endswith(">"):
        return "", text.strip()
    name, _, address = text[:-1].rpartition("<")
    name = name.strip()
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return name, address.strip()


def _foreign_local_part(local: str) -> str:
    """A local part with letters beyond ASCII, in the form NFC (RFC 6531 §3.3, RFC 6532 §3.1).

    Quoted forms are refused: hardly a mailbox has one, and programs disagree about them.
    """
    if local.isascii():
        raise ValueError("has a part before the @ that cannot be used")
    local = unicodedata.normalize("NFC", local)
    # To the grammar each foreign letter is one more of those that an atom is made of.
    if not _LOCAL_PART.fullmatch("".join(one if one.isascii() else "x" for one in local)):
        raise ValueError("has a part before the @ that cannot be used")
    if len(local.encode("utf-8", "replace")) > LOCAL_PART:
        raise ValueError(f"has more than {LOCAL_PART} octets before the @")
    if unicodedata.combining(local[0]) or not all(one.isascii() or _is_a_letter(one) for one in local):
        raise ValueError("has a character before the @ that no mailbox has")
    return local


def _is_a_letter(character: str) -> bool:
    """Letters, marks, digits, signs; no blank, control, joiner, half character, or one nobody defined."""
    return unicodedata.category(character)[0] in "LMNPS"


@lru_cache(maxsize=4096)
def a_labels(domain: str) -> str:
    """A domain as the DNS has it: mapped by UTS 46 without its transitional half, encoded by IDNA 2008."""
    labels = domain.lower() if domain.isascii() else _encoded(domain)
    if not _DOMAIN.fullmatch(labels):
        raise ValueError("has a domain that cannot exist")
    return labels


def _encoded(domain: str) -> str:
    import idna  # noqa: PLC0415 (for few)

    try:
        return idna.encode(domain, uts46=True).decode("ascii")
    except idna.IDNAError:
        return ""


def aligned(one: str, other: str) -> bool:
    """Whether two domains are the same, or one lies below the other.

    Narrower than DMARC's relaxed alignment, which takes brothers as well (RFC 7489 §3.1.1): what two domains
    have in common may be a registry's, and only the DNS or a list that ages can tell.
    """
    one, other = one.lower(), other.lower()
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")
