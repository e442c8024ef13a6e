"""Signs mails: DKIM (RFC 6376), relaxed/relaxed, with RSA, with Ed25519 (RFC 8463), or with both.

files of `[dkim]` → read → Signer → fields(head, body, now) → what stands before the mail's head
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from bot.errors import InputError
from bot.headers import COLUMNS, field
from bot.settings import Dkim, DkimKey

SEALED = (
    "From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
    "List-Unsubscribe", "List-Unsubscribe-Post",
)  # fmt: skip
"""Signed once more than they are there: nobody can add another of them and keep the signature.

RFC 8058 §4 asks for both of the List headers, and many signers forget the second.
"""
SIGNED = ("Content-Language", "List-Id", "List-Help", "List-Archive", "Archived-At", "Feedback-ID")
"""Signed where they are."""
BITS = 2048
"""Of an RSA key; fewer are weak (RFC 8301 §3.2)."""
LARGEST_FILE = 65536
MEND = "docs/how-to/dkim.md shows how to make one"

_BLANKS = re.compile(rb"[ \t]+")
_BLANKS_AT_END = re.compile(rb" (?=\r\n|\Z)")
_NEXT_FIELD = re.compile(rb"\r\n(?![ \t])")


# ----------------------------------------------------------------------------------------------------- keys


@dataclass(frozen=True, slots=True)
class Key:
    """A private key and its name in the DNS."""

    selector: str
    private: RSAPrivateKey | Ed25519PrivateKey

    @property
    def algorithm(self) -> str:
        return "rsa-sha256" if isinstance(self.private, RSAPrivateKey) else "ed25519-sha256"

    @property
    def record(self) -> str:
        """The text to publish at `<selector>._domainkey.<domain>` (RFC 6376 §3.6.1, RFC 8463 §4)."""
        public = self.private.public_key()
        if isinstance(self.private, RSAPrivateKey):
            data = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        else:
            data = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return f"v=DKIM1; k={self.algorithm.partition('-')[0]}; p={b64encode(data).decode()}"

    def sign(self, data: bytes) -> bytes:
        """The signature of the header fields; Ed25519 signs their hash (RFC 8463 §3)."""
        if isinstance(self.private, RSAPrivateKey):
            return self.private.sign(data, PKCS1v15(), hashes.SHA256())
        return self.private.sign(sha256(data).digest())


def read(root: Path, dkim: Dkim) -> "Signer":
    """The signer that `[dkim]` describes; InputError names the key whose file is none."""
    return Signer(dkim.domain.lower(), [_read_key(root, key, n) for n, key in enumerate(dkim.keys)])


def _read_key(root: Path, key: DkimKey, number: int) -> Key:
    where = f"dkim.keys.{number}.file"
    try:
        with (root / key.file).open("rb") as file:
            private = load_pem_private_key(file.read(LARGEST_FILE), password=None)
    except OSError as error:
        _refuse(where, key, error.strerror or type(error).__name__)
    except TypeError:
        _refuse(where, key, "is locked with a passphrase, which nobody is there to type")
    except (ValueError, UnsupportedAlgorithm):  # whose words may quote the key
        _refuse(where, key, "is no private key in PEM")
    if not isinstance(private, RSAPrivateKey | Ed25519PrivateKey):
        _refuse(where, key, "is neither an RSA nor an Ed25519 key")
    if isinstance(private, RSAPrivateKey) and private.key_size < BITS:
        _refuse(where, key, f"is an RSA key of {private.key_size} bits, and {BITS} are the least")
    return Key(key.selector, private)


def _refuse(where: str, key: DkimKey, what: str) -> NoReturn:
    raise InputError(where, f"{key.file}: {what}", MEND) from None


# -------------------------------------------------------------------------------------------------- signing


class Signer:
    """Signs any number of mails for one domain, in any number of threads."""

    def __init__(self, domain: str, keys: Sequence[Key]) -> None:
        self.domain, self.keys = domain, tuple(keys)

    def fields(self, head: bytes, body: bytes, now: datetime) -> bytes:
        """The signatures of a mail, one field for each key.

        `head` is its header fields, each with its CRLF; `body` is in the form of `relaxed`.
        """
        there = [_canonical(one) for one in _NEXT_FIELD.split(head.removesuffix(b"\r\n"))]
        names = _signed_names(tuple(one.partition(b":")[0] for one in there))
        signed = _chosen(there, names)
        body_hash = b64encode(sha256(body).digest()).decode()
        return b"".join(self._field(key, names, signed, body_hash, now) for key in self.keys)

    def _field(self, key: Key, names: tuple[str, ...], signed: bytes, body_hash: str, now: datetime) -> bytes:
        who = (f"d={self.domain};", f"s={key.selector};", f"t={int(now.timestamp())};")
        what = (*_listed(names), f"bh={body_hash};", "b=")
        tags = ("v=1;", f"a={key.algorithm};", "c=relaxed/relaxed;", *who, *what)
        unsigned = field("DKIM-Signature", tags).removesuffix("\r\n")
        signature = key.sign(signed + _canonical(unsigned.encode()))
        return f"{unsigned}{_folded(b64encode(signature).decode(), unsigned)}\r\n".encode()


@lru_cache(maxsize=64)
def _signed_names(there: tuple[bytes, ...]) -> tuple[str, ...]:
    """The names for `h=`: every field that is there and counts, the sealed ones once more."""
    count = {name: there.count(name.lower().encode()) for name in (*SEALED, *SIGNED)}
    return tuple(name for name in count for _ in range(count[name] + (name in SEALED)))


def _chosen(there: Sequence[bytes], names: Sequence[str]) -> bytes:
    """The fields that `h=` names; of several with one name, the last comes first (RFC 6376 §5.4.2)."""
    fields: dict[str, list[bytes]] = {}
    for one in there:
        fields.setdefault(one.partition(b":")[0].decode("ascii", "replace"), []).append(one)
    return b"".join(left.pop() + b"\r\n" for name in names if (left := fields.get(name.lower())))


@lru_cache(maxsize=64)
def _listed(names: tuple[str, ...]) -> tuple[str, ...]:
    """`h=` as tokens between which the field may be folded."""
    first, *others = names
    *middle, last = [f"h={first}", *others]
    return tuple(_runs([*(f"{name}:" for name in middle), f"{last};"]))


def _runs(pieces: Sequence[str]) -> Iterator[str]:
    """Pieces put together as long as they fit a line."""
    run = ""
    for piece in pieces:
        if run and len(run) + len(piece) >= COLUMNS:
            yield run
            run = ""
        run += piece
    yield run


def _folded(signature: str, before: str) -> str:
    """A signature that goes on from the last line before it."""
    room = COLUMNS - len(before.rpartition("\n")[2])
    rest = signature[room:]
    return "\r\n ".join(
        [signature[:room], *(rest[at : at + COLUMNS - 1] for at in range(0, len(rest), COLUMNS - 1))]
    )


# ------------------------------------------------------------------------------------------- canonical forms


def _canonical(one: bytes) -> bytes:
    """A field, relaxed: its name in small letters, its value on one line (RFC 6376 §3.4.2)."""
    name, _, value = one.partition(b":")
    return name.strip().lower() + b":" + b" ".join(value.split())


def relaxed(text: bytes) -> bytes:
    """Whole lines of a body, relaxed: one blank between words, none at a line's end (RFC 6376 §3.4.4).

    The empty lines that end a body do not count; of them only `relaxed_body` knows.
    """
    return _BLANKS_AT_END.sub(b"", _BLANKS.sub(b" ", text))


def relaxed_body(body: bytes) -> bytes:
    """A whole body, relaxed."""
    lines = relaxed(body).rstrip(b"\r\n")
    return lines + b"\r\n" if lines else b""
