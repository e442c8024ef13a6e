"""mailparser and postal-mime, which share no code, read in every mail what was meant; Python's does too."""

import base64
from dataclasses import replace
from email import message_from_bytes, policy
from typing import Any

import pytest

from bot.models import Reader
from tests.node import ask
from tests.oracles.samples import ADA, BASE_URL, SAMPLES, THEMES, Made, issue_of, made, mailed, newsletter

NAMES = [
    "Ada",
    "",
    "Jürgen Groß",
    'Anna "Nana" O’Hara, Dr.',
    "Smith, John; <john> (home) @work",
    'back\\slash and "quote"',
    "山田 太郎",
    "דוד בן-גוריון",
    "👩‍💻 Ada 🏳️‍🌈",
    "Maximiliane " * 9 + "Müller-Lüdenscheidt",
    "漢字" * 60,
    "=3D not encoded",
    "e\u0301 decomposed",
    "a.b.c",
]

SUBJECTS = [
    "Plain",
    "Re: some few filler words here RE: Routeraustausch und übriggebliebene Glasfaser",
    "日本語" * 40,
    "A b" * 60,
    "x" * 200,
    "👩‍💻" * 20,
    "ends with = and _ and ?=",
    "<b>& \"quotes\" 'single'",
    "שלום: 12 (ציפורים)",
]


def readings(mails: list[bytes]) -> list[list[dict[str, Any]]]:
    """Each mail as three parsers read it: mailparser, postal-mime, Python's."""
    answers: list[list[dict[str, Any]]] = ask(
        "parse_mail.js", [base64.b64encode(mail).decode() for mail in mails]
    )
    return [[*answer, by_python(mail)] for answer, mail in zip(answers, mails, strict=True)]


def by_python(data: bytes) -> dict[str, Any]:
    """What Python's parser reads of the bodies; its reading of names is wrong (cpython#128110)."""
    mail = message_from_bytes(data, policy=policy.default)
    bodies = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
    return {"text": bodies["text/plain"], "html": bodies["text/html"], "subject": mail["Subject"]}


def meant(one: Made, reader: Reader, title: str = "AI Papers of the Week") -> dict[str, Any]:
    """What a reader's program must find."""
    link = f"<{BASE_URL}/u/{reader.token}>"
    return {
        "subject": one.rendered.subject,
        "from": {"name": "AI Papers", "address": "papers@example.org"},
        "to": [{"name": reader.name, "address": reader.email}],
        "lists": {
            "list-id": f"{title} <ai-papers.example.org>",
            "list-unsubscribe": link,
            "list-unsubscribe-post": "List-Unsubscribe=One-Click",
        },
        "text": bare(one.text),
        "html": bare(one.html),
        "attachments": 0,
    }


def bare(text: str) -> str:
    """A body without what parsers differ in: line ends, and those at the very end."""
    return text.replace("\r\n", "\n").rstrip("\n")


def read(reading: dict[str, Any]) -> dict[str, Any]:
    bodies = {part: bare(reading[part]) for part in ("text", "html")}
    return {**reading, **bodies}


def agree(found: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    """Every parser finds what was meant, as far as it is asked."""
    for reading in map(read, found):
        assert {key: reading[key] for key in expected if key in reading} == {
            key: value for key, value in expected.items() if key in reading
        }


@pytest.mark.parametrize("theme", THEMES)
def test_every_sample_is_read_as_it_was_meant(theme: str) -> None:
    for sample, found in zip(
        SAMPLES, readings([made(sample, theme).mail for sample in SAMPLES]), strict=True
    ):
        agree(found, meant(made(sample, theme), ADA))
        assert len(set(found[0]["keys"])) == len(found[0]["keys"]), "no header is there twice"


def test_every_name_arrives_as_it_is() -> None:
    issue, paper = issue_of("everything"), newsletter()
    rendered = made("everything", "plain").rendered
    readers = [Reader(f"reader{number}@example.org", name, "B" * 22) for number, name in enumerate(NAMES)]
    mails = [mailed(issue, rendered, paper, reader)["message.eml"] for reader in readers]
    for reader, found in zip(readers, readings(mails), strict=True):
        for reading in found[:2]:
            assert reading["to"] == [{"name": reader.name, "address": reader.email}]


def test_every_subject_arrives_as_it_is() -> None:
    issue, paper = issue_of("everything"), newsletter()
    rendered = made("everything", "plain").rendered
    mails = [mailed(issue, replace(rendered, subject=words), paper)["message.eml"] for words in SUBJECTS]
    for words, found in zip(SUBJECTS, readings(mails), strict=True):
        assert [reading["subject"] for reading in found] == [words] * 3


PLANTED = [
    (b"Subject: AI", b"Subject: =?utf-8?q?AJ?="),
    (b"To: Ada <ada@", b"To: Ada <eve@"),
    (b"List-Unsubscribe: <", b"List-Unsubscribe: =?utf-8?q?=3C?="),
    (b"From: AI Papers <", b"From: AI, Papers <"),
    (b"charset=utf-8", b"charset=iso-8859-1"),
]


def test_planted_faults_are_found() -> None:
    one = made("everything", THEMES[0])
    assert [old for old, _ in PLANTED if old not in one.mail] == []
    for found in readings([one.mail.replace(old, new) for old, new in PLANTED]):
        with pytest.raises(AssertionError):
            agree(found, meant(one, ADA))
