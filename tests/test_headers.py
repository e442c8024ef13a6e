"""Header fields: whatever the words, one field, ASCII, CRLF, folded where mail folds, and read back."""

import re
from email import message_from_bytes
from email.header import decode_header
from email.utils import parseaddr

import pytest
from hypothesis import given, strategies as st

from bot.headers import COLUMNS, HARD, encoded_words, field, mailbox, one_line, phrase, unstructured
from tests import strategies

TEXTS = st.one_of(strategies.texts(40), st.text(max_size=400))
ENCODED_WORD = re.compile(r"=\?utf-8\?[qb]\?[^? ]*\?=")
NASTY = (
    "Weekly\r\nBcc: everyone@example.org",
    "=?utf-8?q?x?=",
    "a =?utf-8?q?x?= b =?utf-8?b?eA==?=",
    "重要。" * 40,
    "👩‍💻🏳️‍🌈" * 20,
    "نیم‌فاصله",
    "x" * 2000,
    ("word " * 60).strip(),
    "é" + "x" * 300,
    'quotes " and \\ backslashes',
    '"' * 499,
    "\\" * 400,
    "comma, semicolon; colon: <angle> (round) [square] @",
    " ",
    "",
    "\ud800 alone",
)


def read(value: str) -> str:
    """An unfolded field's words, as a mail program reads them."""
    unfolded = re.sub(r"\r\n(?=[ \t])", "", value)
    parts = decode_header(unfolded)
    return "".join(p if isinstance(p, str) else p.decode(c or "ascii") for p, c in parts)


def assert_well_formed(written: str, name: str) -> None:
    """One field and no other; ASCII; CRLF only; short lines; no fold after the colon."""
    assert written.isascii()
    assert written.endswith("\r\n")
    lines = written.removesuffix("\r\n").split("\r\n")
    assert lines[0].startswith(f"{name}: ")
    for number, line in enumerate(lines):
        assert line.isprintable()
        assert len(line) <= HARD
        assert number == 0 or (line.startswith(" ") and line.strip())
        foldable = " " in line.removeprefix(f"{name}:").strip()
        assert len(line) <= COLUMNS or not foldable or '"' in line, line
    for word in ENCODED_WORD.findall(written):
        assert len(word) <= 75
    assert len(message_from_bytes(f"{written}\r\n".encode()).items()) == 1


@given(TEXTS)
def test_any_subject_is_one_field_that_reads_back(text: str) -> None:
    written = unstructured("Subject", text)
    assert_well_formed(written, "Subject")
    assert read(written.removeprefix("Subject: ").removesuffix("\r\n")) == one_line(text)


@given(TEXTS)
def test_any_display_name_is_one_field_that_reads_back(text: str) -> None:
    written = mailbox("From", text, "papers@example.org")
    assert_well_formed(written, "From")
    name, address = parseaddr(re.sub(r"\r\n(?=[ \t])", "", written.removeprefix("From: ").strip()))
    assert address == "papers@example.org"
    assert read(name) == one_line(text)


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_text_is_one_field_that_reads_back(text: str) -> None:
    subject = unstructured("Subject", text)
    assert_well_formed(subject, "Subject")
    assert read(subject.removeprefix("Subject: ").removesuffix("\r\n")) == one_line(text)
    sender = mailbox("From", text, "papers@example.org")
    assert_well_formed(sender, "From")
    unfolded = re.sub(r"\r\n(?=[ \t])", "", sender.removeprefix("From: ").strip())
    assert (read(parseaddr(unfolded)[0]), parseaddr(unfolded)[1]) == (one_line(text), "papers@example.org")


@given(TEXTS)
def test_one_line_is_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", line)
    assert one_line(line) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\r\nlines", "two lines"),
        ("a\u2028b\u2029c\x85d\x00e", "a b c d e"),
        ("  blanks \t between ", "blanks between"),
        ("a\u00a0b", "a b"),
        ("right\u202eleft", "right left"),
        ("bell\x07", "bell"),
        # Joiners are letters to Persian and glue to emoji; an emoji may be newer than this Python.
        ("👩‍💻", "👩‍💻"),
        ("می‌خواهم", "می‌خواهم"),
        ("🫨", "🫨"),
    ],
)
def test_a_line_keeps_its_words_and_loses_what_steers(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("AI Papers", ["AI", "Papers"]),
        ("A. Nother", ['"A. Nother"']),
        ("Papers, AI", ['"Papers, AI"']),
        ('The "Papers"', ['"The \\"Papers\\""']),
        ("back\\slash", ['"back\\\\slash"']),
        ("a@b.c", ['"a@b.c"']),
        ("", []),
        ("Zoë", ["=?utf-8?q?Zo=C3=AB?="]),
        ("论文", ["=?utf-8?b?6K665paH?="]),
    ],
)
def test_a_display_name_is_quoted_where_it_must_be(text: str, tokens: list[str]) -> None:
    assert phrase(text, 6) == tokens


def test_a_name_that_is_empty_leaves_the_bare_address() -> None:
    assert mailbox("To", " \t", "ada@example.org") == "To: ada@example.org\r\n"


@pytest.mark.parametrize("look_alike", ["=?utf-8?q?x?=", "=?us-ascii?Q?Free?= lunch", "=?"])
def test_what_looks_like_an_encoded_word_stays_what_it_is(look_alike: str) -> None:
    assert read(unstructured("Subject", look_alike).removeprefix("Subject: ").strip()) == look_alike
    assert f": {look_alike}\r\n" not in unstructured("Subject", look_alike)


def test_encoded_words_cut_no_character_in_two() -> None:
    for word in encoded_words("论文👩‍💻" * 30, 9):
        assert read(word)  # each decodes by itself
        assert len(word) <= 75


def test_a_field_of_one_token_is_never_folded() -> None:
    url = "<https://example.org/" + "x" * 200 + ">"
    assert field("List-Unsubscribe", [url]) == f"List-Unsubscribe: {url}\r\n"
