"""DKIM: whether the key that is published is the one that signs (RFC 6376 §3.6.1, RFC 8463)."""

import binascii
from base64 import b64decode

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from bot.dkim import Key
from bot.doctor import Sign, bad, good, warning
from bot.doctor._publishing import publish
from bot.doctor._records import Answer, Outcome
from bot.doctor._tags import TagsError, tags

ED25519 = 32
"""Bytes of an Ed25519 key (RFC 8032), which stands in the record without any wrapping."""


def judged(name: str, answer: Answer, key: Key, elsewhere: str = "") -> Sign:
    """Hold what the DNS has at `name` against the key that signs; `elsewhere` says where else it stands."""
    fix = publish(name, key.record)
    if answer.outcome is Outcome.FAILED:
        return warning(name, f"DKIM: could not be looked up: {answer.why}")
    if answer.void:
        return bad(name, f"DKIM: this key is not published, so that every signature fails{elsewhere}", fix)
    if len(answer.records) > 1:
        return bad(name, f"DKIM: {len(answer.records)} TXT records where one may be", f"leave one: {fix}")
    try:
        found = tags(answer.texts[0])
    except TagsError as error:
        return bad(name, f"DKIM: the record cannot be read: {error}", fix)
    if fault := _fault(found, key):
        return bad(name, f"DKIM: {fault}", fix)
    return _weighed(name, found, key)


def _fault(found: dict[str, str], key: Key) -> str:
    """What makes every signature fail, in words; nothing where they hold."""
    kind, published = key.algorithm.partition("-")[0], found.get("k", "rsa")
    faults = (
        (
            "v" in found and (next(iter(found)) != "v" or found["v"] != "DKIM1"),
            "it does not begin with v=DKIM1",
        ),
        ("p" not in found, "it holds no key (p=)"),
        (found.get("p") == "", "the key is revoked (p= is empty)"),
        (published != kind, f"it says k={published}, and the key that signs is {kind}"),
        ("sha256" not in _flags(found.get("h", "sha256")), f"it allows no sha256 (h={found.get('h')})"),
        (not _flags(found.get("s", "*")) & {"*", "email"}, f"it is not for email (s={found.get('s')})"),
    )
    first = next((words for wrong, words in faults if wrong), "")
    return first or _other_key(found["p"], key)


def _flags(value: str) -> set[str]:
    return {flag.strip().lower() for flag in value.split(":")}


def _other_key(text: str, key: Key) -> str:
    try:
        data = b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return "what stands after p= is not base64: was it cut?"
    if isinstance(key.private, Ed25519PrivateKey):
        return _other_ed25519(data, key.private)
    try:
        other = load_der_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        return "what stands after p= is no RSA key: was it cut?"
    numbers = other.public_numbers() if isinstance(other, RSAPublicKey) else None
    return "" if numbers == key.private.public_key().public_numbers() else "p= is another key's"


def _other_ed25519(data: bytes, private: Ed25519PrivateKey) -> str:
    if len(data) != ED25519:
        return f"p= has {len(data)} bytes, and not the bare {ED25519} of an Ed25519 key"
    return "" if data == private.public_key().public_bytes_raw() else "p= is another key's"


def _weighed(name: str, found: dict[str, str], key: Key) -> Sign:
    """A key that holds, and how well."""
    if "y" in _flags(found.get("t", "")):
        words = "DKIM: t=y says that this domain only tries DKIM, and receivers may ignore it"
        return warning(name, words, publish(name, key.record))
    private = key.private
    what = f"RSA, {private.key_size} bits" if isinstance(private, RSAPrivateKey) else "Ed25519"
    return good(name, f"DKIM: published, and the key that signs ({what})")
