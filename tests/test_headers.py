"""Header fields: whatever the words, one field, ASCII, CRLF, folded where mail folds, and read back."""

import re
from base64 import b64encode
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header
from email.utils import parseaddr
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

import bot
from bot import mail
from bot.addresses import on_the_wire
from bot.headers import COLUMNS, HARD, breach, encoded_words, field, mailbox, one_line, phrase, unstructured
from bot.models import Reader, Rendered
from bot.settings import Newsletter
from bot.subscriptions.persons import wish_of
from tests import strategies
from tests.node import ask

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


@given(TEXTS)
def test_what_the_doors_take_loses_nothing_but_blanks(text: str) -> None:
    if breach(text) is None:
        assert one_line(text) == " ".join(text.replace("\ufeff", "").split())
    else:
        assert one_line(text) != text or "=?" in text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\r\nlines", "two lines"),
        ("a\u2028b\u2029c\x85d\x00e", "a b c d e"),
        ("  blanks \t between ", "blanks between"),
        ("a\u00a0b", "a b"),
        ("right\u202eleft", "right left"),
        ("bell\x07", "bell"),
        ("\ufeffmark", "mark"),
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


# ------------------------------------------------------------------------- what the standard library breaks

LONG_URL = "<https://news.example.org/u/" + "x" * 100 + ">"
DIFFUSE = "Re: some few filler words here RE: Routeraustausch und übriggebliebene Glasfaser"
COMMAED = "A véry long name that needs folding, and a comma"


def folded(*lines: str) -> str:
    """A field of several lines."""
    return "\r\n ".join(lines) + "\r\n"


FAULTS = {
    "E1 a long address becomes encoded words": (
        field("List-Unsubscribe", [LONG_URL]),
        f"List-Unsubscribe: {LONG_URL}\r\n",
    ),
    "E3 an encoded line end begins a field": (
        unstructured("Subject", "A=?UTF-8?Q?=0A?=Bcc: x@y"),
        "Subject: =?utf-8?b?QT0/VVRGLTg/UT89MEE/PUJjYzogeEB5?=\r\n",
    ),
    "E4 a line end after foreign words ends the head": (
        unstructured("Subject", "A 💩 s\n"),
        "Subject: =?utf-8?b?QSDwn5KpIHM=?=\r\n",
    ),
    "E5 words that look encoded are decoded": (
        unstructured("Subject", "=?utf-8?q?hi?="),
        "Subject: =?utf-8?b?PT91dGYtOD9xP2hpPz0=?=\r\n",
    ),
    "E6 an encoded word is empty": (
        unstructured("Subject", DIFFUSE),
        folded(
            "Subject: =?utf-8?q?Re=3A_some_few_filler_words_here_RE=3A_Routeraustausch_?=",
            "=?utf-8?q?und_=C3=BCbriggebliebene_Glasfaser?=",
        ),
    ),
    "E8 encoded words and their lines are too long": (
        unstructured("Subject", "日本語" * 9),
        folded(
            "Subject: =?utf-8?b?5pel5pys6Kqe5pel5pys6Kqe5pel5pys6Kqe5pel5pys6Kqe5pel?=",
            "=?utf-8?b?5pys6Kqe5pel5pys6Kqe5pel5pys6Kqe5pel5pys6Kqe5pel5pys6Kqe?=",
        ),
    ),
    "E9 a comma in an encoded name makes two people": (
        mailbox("To", COMMAED, "to@example.org"),
        folded("To: =?utf-8?q?A_v=C3=A9ry_long_name_that_needs_folding=2C_and_a_comma?=", "<to@example.org>"),
    ),
    "E11 an address is encoded": (
        mailbox("To", "", on_the_wire("jürgen@bücher.example")),
        "To: jürgen@xn--bcher-kva.example\r\n",
    ),
    "E12 a line end in a name stays": (
        mailbox("To", "A\nB", "x@example.org"),
        "To: A B <x@example.org>\r\n",
    ),
    "E13 what splitlines takes for a line end": (
        unstructured("Subject", "a\x0bb\x0cc\x85d\u2028e\x1cf"),
        "Subject: a b c d e f\r\n",
    ),
    "E16 half a character fails when it is too late": (
        unstructured("Subject", "a\udce9"),
        "Subject: a\r\n",
    ),
    "E17 a fold right after the colon": (
        field("Message-ID", [f"<{'x' * 90}@example.org>"]),
        f"Message-ID: <{'x' * 90}@example.org>\r\n",
    ),
}
"""What Python's email package does wrong, and what is written here instead."""


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_standard_library_breaks_is_whole_here(fault: str) -> None:
    written, right = FAULTS[fault]
    assert written == right


def test_nothing_of_ours_asks_the_standard_library_to_write_a_mail() -> None:
    """E2 refolding, E7 line lengths, E14 8bit by itself, E15 bodies that vanish: none can happen."""
    for module in Path(bot.__file__).parent.rglob("*.py"):
        source = module.read_text("utf-8")
        assert not re.search(
            r"EmailMessage|MIMEText|as_bytes|BytesGenerator|send_message|set_content", source
        )


# ------------------------------------------------------------------------------------- what two others read


class Case(NamedTuple):
    """What a mail's head is made of, from outside."""

    subject: str
    name: str
    title: str
    path: str


LINES = st.one_of(strategies.texts(12), st.text(max_size=60), st.sampled_from(NASTY))
PATHS = st.text("abcXYZ019-._~%/", max_size=120).map(lambda path: f"/{path}" if path else "")
CASES = st.builds(Case, LINES, LINES, LINES, PATHS)


def mail_of(case: Case) -> bytes:
    paper = Newsletter.model_construct(
        name="ai-papers", title=case.title, language="en", unnamed="reader", list_id="ai.example.org",
        sender="AI Papers <papers@example.org>",
    )  # fmt: skip
    issue = Rendered(case.subject, "", "<p>x</p>", "x", "", "0123456789abcdef")
    payload = mail.freeze_mail(issue, paper, "ai-papers/2025-W17", f"https://news.example.org{case.path}")
    return mail.Letter.load(payload).address(
        Reader("ada@example.org", case.name, "A" * 22), datetime(2025, 4, 25, 7, tzinfo=UTC)
    )


def lists_of(case: Case) -> dict[str, str]:
    """The List fields as they must stand, each on one line and in ASCII."""
    base = f"https://news.example.org{case.path}"
    return {
        "List-Unsubscribe": f"<{base}/u/{'A' * 22}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "List-Help": "<mailto:papers@example.org?subject=help>",
        "List-Archive": f"<{base}/>",
        "Archived-At": f"<{base}/issues/2025-W17>",
    }


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(CASES, min_size=40, max_size=60))
@example([Case(text, text, text, "") for text in NASTY])
def test_two_parsers_that_share_no_code_read_what_was_meant(cases: list[Case]) -> None:
    mails = [mail_of(case) for case in cases]
    answers = ask("parse_mail.js", [b64encode(one).decode() for one in mails])
    for case, both in zip(cases, answers, strict=True):
        for reading in both:
            assert reading.get("subject", "") == one_line(case.subject)
            assert reading["from"] == {"name": "AI Papers", "address": "papers@example.org"}
            assert reading["to"] == [{"name": one_line(case.name), "address": "ada@example.org"}]
            assert len(reading["keys"]) == len(set(reading["keys"])) == 16


@given(CASES)
def test_a_head_is_well_formed_whatever_it_says(case: Case) -> None:
    head = mail_of(case).partition(b"\r\n\r\n")[0].decode("ascii") + "\r\n"
    fields = re.split(r"(?<=\r\n)(?![ \t])", head)[:-1]
    for one in fields:
        assert_well_formed(one, one.partition(":")[0])
    stand = dict(one.removesuffix("\r\n").split(": ", 1) for one in fields)
    assert lists_of(case).items() <= stand.items()
    assert read(stand["List-Id"]).endswith("<ai.example.org>")
    assert len(fields) == len(stand) == 16


LOCAL_PARTS = st.one_of(
    st.text("abcXYZ019.+_-!#$%&'*/=?^`{|}~", min_size=1, max_size=20),
    st.text('aé李م\u0301\u200d\u200cß\uff41👩.+\u202e "(', min_size=1, max_size=20),
    st.text(min_size=1, max_size=70),
)
DOMAINS = st.sampled_from(
    ("example.org", "EXAMPLE.org", "faß.de", "Bücher.example", "例え。jp", "xn--fa-hia.de", "a.b.c.example",
     "☃.net", "-a.org", "example.org.", "[127.0.0.1]", "localhost", "איקס.com", "मेल.भारत", "a\u200db.org"),
)  # fmt: skip


def taken(local: str, domain: str) -> str | None:
    """An address as the door takes it; None where it is refused with its reason."""
    try:
        return wish_of(f"{local}@{domain}", "", "").email
    except ValueError as error:
        assert local.strip() not in str(error) or len(local) < 4  # noqa: PT017 (both ways out are right)
        return None


@given(LOCAL_PARTS, DOMAINS)
def test_whom_the_door_takes_the_wire_can_carry(local: str, domain: str) -> None:
    if (email := taken(local, domain)) is not None:
        wire = on_the_wire(email)
        assert wire.rpartition("@")[2].isascii()
        assert mailbox("To", "", wire) == f"To: {wire}\r\n"
        assert on_the_wire(wire) == wire
        assert len(wire.rpartition("@")[0].encode()) <= 64


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(LOCAL_PARTS, DOMAINS, LINES), min_size=60, max_size=80))
@example(
    [
        ("zoë", "faß.de", "Zoë, X"),
        ("李.雷+x", "例え。jp", '"'),
        ("!#$%&'*+/=?^_`{|}~-", "example.org", "<x@y.z>"),
    ]
)
def test_two_parsers_read_the_address_that_the_door_took(rows: list[tuple[str, str, str]]) -> None:
    emails = [(email, name) for local, domain, name in rows if (email := taken(local, domain))]
    fields = [mailbox("To", name, on_the_wire(email)) for email, name in emails]
    mails = [f"From: a@example.org\r\n{one}\r\nx\r\n".encode() for one in fields]
    answers = ask("parse_mail.js", [b64encode(one).decode() for one in mails])
    for (email, name), both in zip(emails, answers, strict=True):
        for reading in both:
            (person,) = reading["to"]
            assert person["name"] == one_line(name)
            assert on_the_wire(person["address"]) == on_the_wire(email)
