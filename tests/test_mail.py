"""Mail: frozen once, addressed per reader, and what a mail program reads is what was rendered."""

import html
import quopri
import re
from datetime import UTC, datetime, timedelta, timezone
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from bot.errors import InputError, PermanentError
from bot.headers import one_line
from bot.mail import Letter, freeze_mail, parts_of, wire_address
from bot.mail.parts import quoted
from bot.models import Reader, Rendered
from bot.settings import Newsletter
from bot.slots import Slots
from tests import strategies

NOW = datetime(2025, 4, 25, 7, 0, 0, 123456, tzinfo=UTC)
SLOTS = Slots("0123456789abcdef")
BASE_URL = "https://news.example.org"
ADA = Reader("ada@example.org", "Ada", "A" * 22)
REQUIRED = (
    "From", "To", "Subject", "Date", "Message-ID", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post",
    "MIME-Version", "Content-Type", "Content-Language", "X-Auto-Response-Suppress", "List-Help",
    "List-Archive", "Archived-At", "Feedback-ID",
)  # fmt: skip
NAMES = (
    "Ada", "", "<b>Ada</b> & \"Co\" 'x'", "Ada\r\nBcc: everyone@example.org", "👩‍💻", "李雷", "Zoë", ".dot",
    "From here", "a=b", "tab\there", "x" * 300, "\x00\x1b", " \u2028 ", "{{ 7*7 }}", "\ud800", "{name}",
    "=?utf-8?q?x?=",
)  # fmt: skip
TEXT = f"Hello {SLOTS.name},\nyou are {SLOTS.email}.\n\nLeave: {SLOTS.unsubscribe}\n"
HTML = f'<p>Hello {SLOTS.name}</p><p>{SLOTS.email}</p><a href="{SLOTS.unsubscribe}">Unsubscribe</a>\n'


def newsletter(**changes: str) -> Newsletter:
    values: dict[str, Any] = {
        "name": "ai-papers",
        "title": "AI Papers",
        "sender": "AI Papers <papers@example.org>",
        "list_id": "ai-papers.example.org",
        "language": "en",
        "unnamed": "reader",
    }
    return Newsletter.model_construct(**values | changes)


def rendered(text: str = TEXT, page: str = HTML, subject: str = "The week") -> Rendered:
    return Rendered(subject, "", page, text, "", SLOTS.nonce)


def frozen(text: str = TEXT, page: str = HTML, subject: str = "The week", **changes: str) -> bytes:
    return freeze_mail(rendered(text, page, subject), newsletter(**changes), "ai-papers/2025-W17", BASE_URL)


def letter(text: str = TEXT, page: str = HTML, subject: str = "The week", **changes: str) -> Letter:
    return Letter.load(frozen(text, page, subject, **changes))


def filled(text: str, reader: Reader, *, page: bool) -> str:
    """A rendering as one reader should see it."""
    escape = html.escape if page else str
    own = {
        SLOTS.unsubscribe: f"{BASE_URL}/u/{reader.token}",
        SLOTS.name: one_line(reader.name) or "reader",
        SLOTS.email: reader.email,
    }
    for slot, value in own.items():
        text = text.replace(slot, escape(value))
    return text


def bodies(message: bytes) -> tuple[str, str]:
    """The text and the HTML, decoded, with LF."""
    text, page = (part.decode().replace("\r\n", "\n") for part in parts_of(message))
    return text, page


def parsed(message: bytes) -> Message:
    return message_from_bytes(message)


def modern(message: bytes) -> EmailMessage:
    return message_from_bytes(message, policy=policy.default)


def assert_fit_for_the_wire(message: bytes) -> None:
    """ASCII, CRLF alone, short body lines, nothing a relay would stuff or mangle."""
    assert message.isascii()
    assert b"\n" not in message.replace(b"\r\n", b"")
    assert b"\r" not in message.replace(b"\r\n", b"")
    for line in message.partition(b"\r\n\r\n")[2].split(b"\r\n"):
        assert len(line) <= 76, line
        assert not line.startswith((b".", b"From "))
        assert line == line.rstrip(b" \t")


# ------------------------------------------------------------------------------------------------- the whole


def test_a_mail_has_every_header_once() -> None:
    message = parsed(letter().address(ADA, NOW))
    assert {name: len(message.get_all(name, [])) for name in REQUIRED} == dict.fromkeys(REQUIRED, 1)
    assert sorted(message.keys()) == sorted(REQUIRED)


def test_a_mail_is_text_first_and_html_second() -> None:
    message = modern(letter().address(ADA, NOW))
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    assert {part.get_content_charset() for part in message.iter_parts()} == {"utf-8"}
    assert all(not part.defects for part in message.walk())


def test_the_unsubscribe_header_is_one_click_and_on_one_line() -> None:
    raw = letter().address(ADA, NOW).decode()
    assert f"\r\nList-Unsubscribe: <{BASE_URL}/u/{ADA.token}>\r\n" in raw
    assert "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw


def test_a_long_unsubscribe_address_is_neither_folded_nor_encoded() -> None:
    base_url = "https://news.example.org/" + "path/" * 30
    payload = freeze_mail(rendered(), newsletter(), "ai-papers/2025-W17", base_url)
    raw = Letter.load(payload).address(ADA, NOW).decode()
    assert f"\r\nList-Unsubscribe: <{base_url}/u/{ADA.token}>\r\n" in raw


def test_the_list_is_named_by_the_newsletter() -> None:
    assert parsed(letter().address(ADA, NOW))["List-Id"] == "AI Papers <ai-papers.example.org>"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("more", ["", "论文" * 90])
def test_a_readers_name_lands_as_words_whatever_it_is(name: str, more: str) -> None:
    reader = Reader("ada@example.org", name, "A" * 22)
    text, page = TEXT + more, HTML + more
    message = letter(text, page).address(reader, NOW)
    assert_fit_for_the_wire(message)
    assert bodies(message) == (filled(text, reader, page=False), filled(page, reader, page=True))
    assert modern(message)["To"].addresses[0].addr_spec == "ada@example.org"
    assert "Bcc" not in modern(message)


@given(strategies.texts(20), strategies.texts(20), st.sampled_from(NAMES))
def test_what_is_read_is_what_was_rendered(text: str, page: str, name: str) -> None:
    text, page = (f"{one}\n{SLOTS.name} {SLOTS.email}{SLOTS.unsubscribe} {one}" for one in (text, page))
    reader = Reader("ada@example.org", name, "A" * 22)
    message = letter(text, page).address(reader, NOW)
    assert_fit_for_the_wire(message)
    assert bodies(message) == (filled(text, reader, page=False), filled(page, reader, page=True))


def test_each_reader_gets_their_own_of_one_letter() -> None:
    whole = letter()
    readers = [Reader(f"r{n}@example.org", f"R{n}", f"{n:022}") for n in range(3)]
    for reader in readers:
        text, page = bodies(whole.address(reader, NOW))
        assert text == filled(TEXT, reader, page=False)
        assert page == filled(HTML, reader, page=True)


@given(strategies.texts(20), st.lists(st.text(st.characters(codec="utf-8"), max_size=70), max_size=5))
def test_what_readers_share_in_base64_is_each_readers_own_all_the_same(text: str, names: list[str]) -> None:
    text = f"{'论文' * 60}{text}{SLOTS.name}{text}{SLOTS.email}\n{SLOTS.unsubscribe}{text}{'摘要' * 90}"
    whole = letter(text, text)
    for name in [*names, *names]:
        reader = Reader("ada@example.org", name, "A" * 22)
        message = whole.address(reader, NOW)
        assert_fit_for_the_wire(message)
        assert b"base64" in message
        assert bodies(message) == (filled(text, reader, page=False), filled(text, reader, page=True))


# ------------------------------------------------------------------------------------------------- the bytes


@given(
    st.one_of(
        strategies.texts(60), st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]))
    )
)
@example("From me\n.\n..\nFrom \n. x")
@example("trailing blanks  \nand tab\t\n ")
@example("." + "x" * 200)
@example("From " + "x" * 71)
@example("x" * 73 + ".")
@example("=" * 80)
@example("é" * 80)
def test_quoted_printable_reads_back(text: str) -> None:
    written = quoted(text)
    assert quopri.decodestring(written.encode("ascii")).decode() == text.replace("\n", "\r\n")
    for line in written.split("\r\n"):
        assert len(line) <= 76
        assert not line.startswith((".", "From "))
        assert line == line.rstrip(" \t")


@pytest.mark.parametrize("opening", ["", ".", "From ", "é"])
@pytest.mark.parametrize("length", range(66, 80))
@pytest.mark.parametrize("after", ["", " ", "."])
def test_lines_beside_a_slot_fit_as_well(opening: str, length: int, after: str) -> None:
    text = f"{opening}{'x' * (length - len(opening))}{SLOTS.name}{after}{SLOTS.name}{opening}"
    reader = Reader("ada@example.org", f"{opening}{'y' * (length - len(opening))}", "A" * 22)
    message = letter(text).address(reader, NOW)
    assert_fit_for_the_wire(message)
    assert bodies(message)[0] == filled(text, reader, page=False)


@pytest.mark.parametrize(
    ("text", "encoding"), [("plain words", "quoted-printable"), ("Zoë naïve", "base64"), ("论文", "base64"),
                           ("A long line with one é", "quoted-printable"), ("", "quoted-printable")],
)  # fmt: skip
def test_a_part_takes_the_encoding_that_is_smaller(text: str, encoding: str) -> None:
    parts = modern(letter(text).address(ADA, NOW)).iter_parts()
    assert next(iter(parts))["Content-Transfer-Encoding"] == encoding


@pytest.mark.parametrize("body", ["论文" * 500, "plain " * 500, "--=_boundary\n--\n--=_\n"])
def test_no_body_holds_the_boundary(body: str) -> None:
    message = letter(body, body).address(ADA, NOW)
    boundary = parsed(message).get_boundary()
    assert boundary
    assert message.count(boundary.encode()) == 4  # named once, and three rules
    assert bodies(message) == (body, body)


def test_a_frozen_payload_is_the_same_every_time() -> None:
    assert frozen() == frozen()
    assert letter().address(ADA, NOW) == letter().address(ADA, NOW)


def test_windows_line_ends_are_line_ends() -> None:
    assert bodies(letter("one\r\ntwo\r\n").address(ADA, NOW))[0] == "one\ntwo\n"


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x0b", "\x1b", "\x7f", "\x85", "\ud800"])
@pytest.mark.parametrize("part", ["text", "html"])
def test_a_control_character_is_refused_by_name(character: str, part: str) -> None:
    text, page = (f"a{character}b", "x") if part == "text" else ("x", f"a{character}b")
    with pytest.raises(InputError, match=rf"U\+{ord(character):04X}"):
        frozen(text, page)


# ------------------------------------------------------------------------------------------------- identity


def test_a_message_id_is_one_reader_of_one_issue() -> None:
    bob = Reader("bob@example.org", "Bob", "B" * 22)
    other = Letter.load(freeze_mail(rendered(), newsletter(), "ai-papers/2025-W18", BASE_URL))
    found = [
        str(parsed(message)["Message-ID"])
        for message in (letter().address(ADA, NOW), letter().address(bob, NOW), other.address(ADA, NOW))
    ]
    assert len(set(found)) == 3
    assert all(re.fullmatch(r"<[a-z2-7]{24}@example\.org>", one) for one in found)


def test_a_message_id_is_the_same_at_every_try() -> None:
    first, later = (letter("x").address(ADA, NOW), letter("y").address(ADA, NOW + timedelta(days=1)))
    assert parsed(first)["Message-ID"] == parsed(later)["Message-ID"]


def test_the_date_has_a_numeric_zone() -> None:
    berlin = NOW.astimezone(timezone(timedelta(hours=2)))
    for now in (NOW, berlin):
        date = str(parsed(letter().address(ADA, now))["Date"])
        assert date == "Fri, 25 Apr 2025 07:00:00 +0000"
        assert parsedate_to_datetime(date) == NOW.replace(microsecond=0)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        letter().address(ADA, NOW.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("sender", "name", "address"),
    [
        ("papers@example.org", "", "papers@example.org"),
        ('"Papers, AI" <papers@example.org>', "Papers, AI", "papers@example.org"),
        ('"The \\"AI\\" \\\\ Papers" <papers@example.org>', 'The "AI" \\ Papers', "papers@example.org"),
        ("<papers@example.org>", "", "papers@example.org"),
        ("  AI  Papers <papers@example.org>", "AI Papers", "papers@example.org"),
        ("论文 <papers@例え.jp>", "论文", "papers@xn--r8jz45g.jp"),
    ],
)
def test_the_sender_is_the_newsletters(sender: str, name: str, address: str) -> None:
    whole = letter(sender=sender)
    mailbox = modern(whole.address(ADA, NOW))["From"].addresses[0]
    assert (mailbox.display_name, mailbox.addr_spec) == (name, address)
    assert whole.sender == address


@pytest.mark.parametrize("sender", ["zoë@example.org", "papers@example..org"])
def test_a_sender_that_mail_cannot_carry_is_a_fault_of_the_configuration(sender: str) -> None:
    with pytest.raises(InputError, match=r"^newsletters\.ai-papers\.sender: ") as caught:
        frozen(sender=sender)
    assert sender not in str(caught.value)


def test_programs_that_answer_for_people_on_holiday_are_asked_not_to() -> None:
    assert parsed(letter().address(ADA, NOW))["X-Auto-Response-Suppress"] == "OOF, AutoReply"


def test_an_issue_is_neither_called_a_programs_own_nor_bulk() -> None:
    """RFC 3834 leaves lists to their List fields; both names would only be guessed at by filters."""
    assert not {"Auto-Submitted", "Precedence"} & set(parsed(letter().address(ADA, NOW)))


# ------------------------------------------------------------------------------------------------- the list


def headers_at(base_url: str, *, several: bool = False, **changes: str) -> Message:
    payload = freeze_mail(rendered(), newsletter(**changes), "ai-papers/2025-W17", base_url, several=several)
    return parsed(Letter.load(payload).address(ADA, NOW))


@pytest.mark.parametrize(
    ("base_url", "several", "archive", "issue"),
    [
        ("https://news.example.org", False, "/", "/issues/2025-W17"),
        ("https://news.example.org", True, "/", "/ai-papers/issues/2025-W17"),
        ("https://example.org/letters", False, "/", "/issues/2025-W17"),
        ("https://192.0.2.7:8443", False, "/", "/issues/2025-W17"),
    ],
)
def test_a_mail_says_where_its_archive_is(base_url: str, several: bool, archive: str, issue: str) -> None:  # noqa: FBT001 (a row of the table)
    message = headers_at(base_url, several=several)
    assert (message["List-Archive"], message["Archived-At"]) == (
        f"<{base_url}{archive}>",
        f"<{base_url}{issue}>",
    )


@pytest.mark.parametrize(
    "base_url",
    ["http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]", "http://box", "http://a.localhost",
     "http://box.local/letters"],
)  # fmt: skip
def test_an_archive_that_readers_cannot_reach_is_not_named(base_url: str) -> None:
    message = headers_at(base_url)
    assert not {"List-Archive", "Archived-At"} & set(message)
    assert message["List-Unsubscribe"] == f"<{base_url}/u/{ADA.token}>"


@pytest.mark.parametrize(
    ("sender", "help_url"),
    [
        ("papers@example.org", "mailto:papers@example.org?subject=help"),
        ("AI <a+b%c?d&e@bücher.example>", "mailto:a%2Bb%25c%3Fd%26e@xn--bcher-kva.example?subject=help"),
    ],
)
def test_who_needs_help_writes_to_the_sender(sender: str, help_url: str) -> None:
    assert headers_at(BASE_URL, sender=sender)["List-Help"] == f"<{help_url}>"


@pytest.mark.parametrize(
    ("base_url", "sender", "feedback_id"),
    [
        (BASE_URL, "p@example.org", "2025-W17:ai-papers:news.example.org:example-org"),
        (BASE_URL, "p@x.io", "2025-W17:ai-papers:news.example.org:x-io-d404e3"),
        (BASE_URL, "p@newsletters.example.org", "2025-W17:ai-papers:news.example.org:newslett-ae735c"),
        ("http://[::1]:8000", "p@example.org", "2025-W17:ai-papers:--1:example-org"),
    ],
)
def test_complaints_are_counted_by_sender_installation_newsletter_and_issue(
    base_url: str, sender: str, feedback_id: str
) -> None:
    bob = Reader("bob@example.org", "Bob", "B" * 22)
    whole = Letter.load(freeze_mail(rendered(), newsletter(sender=sender), "ai-papers/2025-W17", base_url))
    found = {parsed(whole.address(reader, NOW))["Feedback-ID"] for reader in (ADA, bob)}
    assert found == {feedback_id}
    assert feedback_id.count(":") == 3
    assert 5 <= len(feedback_id.rpartition(":")[2]) <= 15


# ------------------------------------------------------------------------------------------------ addresses


ZOE = Reader("zoe\u0308@faß.de", "Zoë, ÄÖÜ", "A" * 22)


def test_a_reader_whose_address_needs_it_gets_it_in_utf_8_and_all_else_stays_ascii() -> None:
    head, _, body = letter().address(ZOE, NOW).partition(b"\r\n\r\n")
    to = "To: =?utf-8?b?Wm/Dqywgw4TDlsOc?= <zo\u00eb@xn--fa-hia.de>".encode()
    assert [line for line in head.split(b"\r\n") if not line.isascii()] == [to]
    assert_fit_for_the_wire(b"\r\n\r\n" + body)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_elses_mail_leaves_ascii(name: str) -> None:
    for email in ("ada@example.org", "ada@faß.de"):
        assert letter().address(Reader(email, name, "A" * 22), NOW).isascii()


@pytest.mark.parametrize(
    ("email", "wire"),
    [
        ("ada@example.org", "ada@example.org"),
        ("Ada.Lovelace+x@EXAMPLE.org", "Ada.Lovelace+x@example.org"),
        ("ada@faß.de", "ada@xn--fa-hia.de"),
        ("ada@Bücher.example", "ada@xn--bcher-kva.example"),
        ("ada@例え。jp", "ada@xn--r8jz45g.jp"),
        ("!#$%&'*+/=?^_`{|}~-@example.org", "!#$%&'*+/=?^_`{|}~-@example.org"),
        ("ada@FASS.de", "ada@fass.de"),
        ("ada@XN--FA-HIA.de", "ada@xn--fa-hia.de"),
        # Only these need SMTPUTF8; their letters are in the form NFC, their domains as everybody's.
        ("zoë@example.org", "zoë@example.org"),
        ("zoe\u0308@example.org", "zo\u00eb@example.org"),
        ("李.雷+x@例え.jp", "李.雷+x@xn--r8jz45g.jp"),
        ("\uff41@example.org", "\uff41@example.org"),
        ("é" * 32 + "@example.org", "é" * 32 + "@example.org"),
    ],
)
def test_a_domain_goes_out_as_a_labels(email: str, wire: str) -> None:
    assert wire_address(email) == wire


@pytest.mark.parametrize(
    "email",
    [
        "no-at-sign", "@example.org", "ada@", "a b@example.org",
        '"a b"@example.org', "ada@example.org\r\nBcc: bob@example.org", "ada\r\n@example.org",
        "ada@exam ple.org", "ada@example.org>", "ada@a..b", "ada@\u2603\ufffd.org", "x" * 65 + "@example.org",
        "ada@" + "x" * 64 + ".org", "ada@-ü-.org", "ada@example.org\n", ".ada@example.org",
        "a..b@example.org",
        "é" * 33 + "@example.org", "zo\u00eb\x00@example.org", "zoë\u2028@example.org", "zoë x@example.org",
        '"zoë x"@example.org', "zoë\ud800@example.org", "zoë\u202e@example.org", "\u0301oe@example.org",
        "zoë\r\nBcc:bob@example.org", "zoë.@example.org", "zoë@-ü-.org", "x@" + "y." * 126 + "org",
    ],
)  # fmt: skip
def test_an_address_that_mail_cannot_carry_is_refused_without_repeating_it(email: str) -> None:
    for refuse in (lambda: wire_address(email), lambda: letter().address(Reader(email, "", "A" * 22), NOW)):
        with pytest.raises(PermanentError) as caught:
            refuse()
        local, _, domain = email.strip().rpartition("@")
        said = str(caught.value)
        assert "the address" in said
        assert not any(part and part in said for part in (email, local if len(local) > 2 else "", domain))
