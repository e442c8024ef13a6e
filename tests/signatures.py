"""The word of two others on signatures, with our own keys for the DNS: dkimpy and Mail::DKIM."""

import json
import shutil
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Sequence
from email import message_from_bytes
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dkim as dkimpy
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from bot.dkim import Key, Signer


class _VerifyKey:
    """What dkimpy asks of PyNaCl, by cryptography: the check of one signature."""

    def __init__(self, public: bytes, encoder: object) -> None:
        self._public = ed25519.Ed25519PublicKey.from_public_bytes(b64decode(public))

    def verify(self, message: bytes, signature: bytes) -> None:
        self._public.verify(signature, message)


NACL = SimpleNamespace(
    signing=SimpleNamespace(VerifyKey=_VerifyKey),
    encoding=SimpleNamespace(Base64Encoder=None),
    exceptions=SimpleNamespace(BadSignatureError=InvalidSignature, ValueError=ValueError),
)


@cache
def key(selector: str) -> Key:
    private = (
        rsa.generate_private_key(65537, 2048) if selector == "r" else ed25519.Ed25519PrivateKey.generate()
    )
    return Key(selector, private)


def signer(*selectors: str) -> Signer:
    return Signer("example.org", [key(selector) for selector in selectors or ("r", "e")])


def verdicts(message: bytes) -> list[bool]:
    """What dkimpy says of each signature of a mail, with our own keys for the DNS."""

    def dns(name: bytes, timeout: int = 5) -> bytes:
        selector, _, rest = name.decode().partition(".")
        assert rest == "_domainkey.example.org."
        return key(selector).record.encode()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dkimpy, "nacl", NACL, raising=False)
        count = len(message_from_bytes(message).get_all("DKIM-Signature", []))
        return [_says_yes(dkimpy.DKIM(message), number, dns) for number in range(count)]


def _says_yes(judge: Any, number: int, dns: Any) -> bool:
    try:
        return bool(judge.verify(number, dnsfunc=dns))
    except dkimpy.DKIMException:
        return False


def by_mail_dkim(mails: Sequence[bytes]) -> list[list[str]]:
    """What Mail::DKIM, which SpamAssassin asks, says of each signature; it may not know Ed25519."""
    asked = ["perl", "-MMail::DKIM", "-e1"]
    if not shutil.which("perl") or subprocess.run(asked, check=False, capture_output=True).returncode:
        pytest.skip("needs Perl's Mail::DKIM: apt-get install libmail-dkim-perl")
    records = {f"{selector}._domainkey.example.org": key(selector).record for selector in ("r", "e")}
    question = {"records": records, "mails": [b64encode(mail).decode() for mail in mails]}
    answer = subprocess.run(
        ["perl", Path(__file__).with_suffix(".pl")],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=True,
        timeout=100,
    )
    found: list[list[str]] = json.loads(answer.stdout)
    return found
