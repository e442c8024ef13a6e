"""SpamAssassin without a network: nothing about a mail of ours looks like spam."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.samples import SAMPLES, THEMES, made

BOUND = 0.7
"""Points; spam begins at 5.

Measured: 0.0 in Latin, Hebrew and Korean letters; 0.6 in Chinese and Japanese, where a rule takes words
without blanks around their tags for obfuscation.
"""

RECEIVED = (
    b"Received: from relay.example.org (relay.example.org [9.9.9.9])\r\n"
    b"\tby mx.example.net (Postfix) with ESMTPS id 4Zk1x23yzz1\r\n"
    b"\tfor <ada@example.org>; Fri, 25 Apr 2025 07:00:05 +0000 (UTC)\r\n"
)
"""What the reader's server puts on top: without it, rules about the way a mail came are not tried."""


def judged(mails: list[bytes], folder: Path) -> list[dict[str, Any]]:
    """Score and rule hits of each mail."""
    if not shutil.which("spamassassin"):
        pytest.skip("needs SpamAssassin: apt-get install spamassassin")
    question = [base64.b64encode(RECEIVED + mail).decode() for mail in mails]
    answer = subprocess.run(
        ["/usr/bin/perl", str(Path(__file__).with_name("spamassassin.pl")), str(folder)],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=True,
        timeout=100,
    )
    found: list[dict[str, Any]] = json.loads(answer.stdout)
    return found


def test_no_mail_looks_like_spam(tmp_path: Path) -> None:
    names = [(sample, theme) for theme in THEMES for sample in SAMPLES]
    found = judged([made(*name).mail for name in names], tmp_path)
    bad = {name: one for name, one in zip(names, found, strict=True) if one["score"] > BOUND}
    assert bad == {}


GTUBE = b"XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X"


PLANTED = [
    (b"Date: ", b"X-Date: ", "MISSING_DATE"),
    (b"Message-ID: <", b"Message-ID: ", "INVALID_MSGID"),
    (b"Bold lead-in", b"Viagra for $5, lose weight", "DRUGS_ERECTILE"),
    (b"<h1", b"<p>" + GTUBE + b"</p>\r\n<h1", "GTUBE"),
]


def test_planted_signs_of_spam_are_found(tmp_path: Path) -> None:
    mail = made("everything", THEMES[0]).mail
    assert [old for old, _, _ in PLANTED if old not in mail] == []
    found = judged([mail.replace(old, new, 1) for old, new, _ in PLANTED], tmp_path)
    for (_, _, rule), said in zip(PLANTED, found, strict=True):
        assert rule in said["hits"], said
        assert said["score"] > BOUND, said
