"""Words that we hand out and take back: signed for one purpose, until some instant.

The signature is itsdangerous' (HMAC-SHA256). What is signed can be read by whoever holds it.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256

from itsdangerous import BadData, URLSafeSerializer

LONGEST = 1000
"""Characters of a signed word; what is longer is none of ours."""
_UNTIL = "until"


def sign(key: bytes, purpose: str, said: Mapping[str, str], until: datetime) -> str:
    """A word of letters, digits, `.`, `_` and `-` that says something for one purpose until then."""
    return _serializer(key, purpose).dumps({**said, _UNTIL: int(until.timestamp())})


def said(key: bytes, purpose: str, word: str, now: datetime) -> dict[str, str] | None:
    """What a word says; None where it is forged, of another purpose, or past its time."""
    if len(word) > LONGEST:
        return None
    try:
        read = _serializer(key, purpose).loads(word)
    except BadData:
        return None
    if not isinstance(read, dict) or not isinstance(until := read.pop(_UNTIL, None), int):
        return None
    if datetime.fromtimestamp(until, UTC) <= now:
        return None
    return {str(name): str(value) for name, value in read.items()}


def _serializer(key: bytes, purpose: str) -> URLSafeSerializer:
    return URLSafeSerializer(
        key, salt=purpose, signer_kwargs={"key_derivation": "hmac", "digest_method": sha256}
    )
