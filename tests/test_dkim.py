"""Signatures: another implementation says yes to each mail as it goes out, and no to any other."""

import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from functools import cache
from pathlib import Path

import dkim as dkimpy
import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import example, given, strategies as st

from bot.dkim import SEALED, SIGNED, Key, Signer, read, relaxed, relaxed_body
from bot.errors import InputError
from bot.mail import Letter, freeze_mail
from bot.models import Reader, Rendered
from bot.settings import Dkim, DkimKey, Newsletter
from bot.slots import Slots
from tests import strategies
from tests.signatures import by_mail_dkim, key, signer, verdicts

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
SLOTS = Slots("0123456789abcdef")
ADA = Reader("ada@example.org", "Ada", "A" * 22)
ZOE = Reader("zoë@faß.de", "Zoë,  \u200fX", "B" * 22)
TEXT = f"Hello {SLOTS.name},\n\nLeave: {SLOTS.unsubscribe}\n"
HTML = f"<p>Hello   {SLOTS.name} {SLOTS.email}</p>\n     <b>x</b>\n"
AWKWARD = (
    "",
    "\n\n\n",
    ".\n..\n. x\n",
    "a  b \t \n  c",
    "论文 " * 90,
    "x" * 300,
    "From me\n",
    " ",
    "é\n" * 40,
)


def letter(text: str = TEXT, page: str = HTML, signed_by: Signer | None = None) -> Letter:
    paper = Newsletter.model_construct(
        name="ai-papers", title="论文, weekly", sender="论文 <papers@example.org>", list_id="ai.example.org",
        language="en", unnamed="reader",
    )  # fmt: skip
    issue = Rendered("The week – 论文", "", page, text, "", SLOTS.nonce)
    payload = freeze_mail(issue, paper, "ai-papers/2025-W17", "https://news.example.org")
    return Letter.load(payload, signed_by or signer())


def signatures(message: bytes) -> list[dict[str, str]]:
    """The tags of each signature, without the blanks that folding made."""
    fields = (str(one) for one in message_from_bytes(message).get_all("DKIM-Signature", []))
    return [dict(tag.split("=", 1) for tag in re.sub(r"\s", "", one).split(";")) for one in fields]


# -------------------------------------------------------------------------------------------------- verified


@pytest.mark.parametrize("selectors", [("r",), ("e",), ("r", "e"), ("e", "r")])
@pytest.mark.parametrize("reader", [ADA, ZOE], ids=["ada", "zoe"])
def test_each_signature_of_a_mail_is_good(selectors: tuple[str, ...], reader: Reader) -> None:
    message = letter(signed_by=signer(*selectors)).address(reader, NOW)
    assert verdicts(message) == [True] * len(selectors)


@pytest.mark.parametrize("text", AWKWARD)
@pytest.mark.parametrize("page", AWKWARD)
def test_any_body_is_signed_as_it_goes_out(text: str, page: str) -> None:
    text, page = (f"{one}{SLOTS.name}{one}{SLOTS.unsubscribe}{SLOTS.email}{one}" for one in (text, page))
    for reader in (ADA, ZOE):
        assert verdicts(letter(text, page).address(reader, NOW)) == [True, True]


@given(strategies.texts(20), strategies.texts(20), strategies.texts(4))
def test_a_mail_of_any_words_is_signed_as_it_goes_out(text: str, page: str, name: str) -> None:
    text, page = (f"{one}\n{SLOTS.name}  {SLOTS.email}{SLOTS.unsubscribe} {one}" for one in (text, page))
    message = letter(text, page, signer("e")).address(replace(ADA, name=name), NOW)
    assert verdicts(message) == [True]


def test_a_third_implementation_agrees_and_is_not_confused_by_what_it_does_not_know() -> None:
    pages = [f"{one}{SLOTS.name}{one}{SLOTS.unsubscribe}{one}" for one in AWKWARD]
    good = [letter(page, page).address(reader, NOW) for page in pages for reader in (ADA, ZOE)]
    bad = [mail.replace(b"Subject: ", b"Subject: x") for mail in good]
    for (first, second), (worse, _) in zip(by_mail_dkim(good), by_mail_dkim(bad), strict=True):
        assert (first, worse) == ("pass", "fail")
        assert second in {"pass", "invalid"}  # without CryptX, Ed25519 is unknown to it


def test_a_signed_mail_is_the_unsigned_one_below_its_signatures() -> None:
    bare = replace(letter(), signer=None).address(ADA, NOW)
    signed = letter().address(ADA, NOW)
    assert signed.endswith(bare)
    assert signed.removesuffix(bare).count(b"DKIM-Signature: ") == 2


def test_a_signature_is_short_lines_that_do_not_begin_with_a_fold() -> None:
    head = letter().address(ADA, NOW).partition(b"\r\nFrom:")[0].decode("ascii")
    assert all(0 < len(line) <= 76 and line == line.rstrip() for line in head.split("\r\n"))
    assert head.count("DKIM-Signature: v=1; ") == 2


@pytest.mark.parametrize("length", range(1, 64))
def test_signatures_fold_anywhere(length: int) -> None:
    whole = Signer(f"{'d' * length}.example.org", [Key("s" * length, key("e").private)])
    message = letter(signed_by=whole).address(ADA, NOW)
    assert all(len(line) <= 100 for line in message.split(b"\r\n\r\n")[0].split(b"\r\n"))
    (tags,) = signatures(message)
    assert (tags["d"], tags["s"]) == (whole.domain, "s" * length)
    assert len(b64decode(tags["b"])) == 64


# ------------------------------------------------------------------------------------------ what is covered


def test_a_signature_says_who_signed_what_and_when() -> None:
    one, two = signatures(letter().address(ADA, NOW))
    for tags, algorithm, selector in ((one, "rsa-sha256", "r"), (two, "ed25519-sha256", "e")):
        assert (tags["v"], tags["a"], tags["c"]) == ("1", algorithm, "relaxed/relaxed")
        assert (tags["d"], tags["s"], tags["t"]) == ("example.org", selector, str(int(NOW.timestamp())))
        assert "l" not in tags  # a signed length lets others append (RFC 6376 §8.2)


def test_every_field_is_signed_but_what_tells_programs_not_to_answer() -> None:
    message = letter().address(ADA, NOW)
    names = [name.lower() for name in signatures(message)[0]["h"].split(":")]
    there = {name.lower() for name in message_from_bytes(message)} - {"dkim-signature"}
    assert there - set(names) == {"x-auto-response-suppress"}
    for name in SEALED:
        assert names.count(name.lower()) == (name.lower() in there) + 1
    assert all(names.count(name.lower()) == 1 for name in SIGNED)


@pytest.mark.parametrize("name", [name for name in (*SEALED, *SIGNED) if name not in {"Cc", "Reply-To"}])
def test_a_field_that_is_changed_or_taken_away_breaks_every_signature(name: str) -> None:
    message = letter().address(ADA, NOW)
    found = re.search(rb"^%b: (?:.|\r\n )*\r\n" % name.encode(), message, re.MULTILINE)
    assert found
    assert verdicts(message.replace(found[0], b"")) == [False, False]
    changed = re.sub(
        rb"([a-z0-9])(?=[^a-z0-9]*\r\n\Z)", lambda one: b"y" if one[0] == b"x" else b"x", found[0]
    )
    assert changed != found[0]
    assert verdicts(message.replace(found[0], changed)) == [False, False]


@pytest.mark.parametrize("place", [0, 31, -1])
def test_a_signature_with_one_bit_turned_is_bad_and_the_other_stays_good(place: int) -> None:
    message = letter().address(ADA, NOW)
    for number, expected in enumerate([[False, True], [True, False]]):
        # The bit of a byte: the last letter in Base64 has bits of its own that mean nothing.
        found = list(re.finditer(rb"b=((?:\S|\r\n )+)\r\n(?! )", message))[number]
        turned = bytearray(b64decode(found[1]))
        turned[place] ^= 1
        assert verdicts(message.replace(found[1], b64encode(turned))) == expected


@pytest.mark.parametrize("name", SEALED)
def test_a_second_field_of_a_sealed_name_breaks_every_signature(name: str) -> None:
    message = letter().address(ADA, NOW)
    added = f"{name}: another@example.com\r\n".encode()
    assert verdicts(added + message) == [False, False]
    assert verdicts(message.replace(b"\r\n\r\n", b"\r\n" + added + b"\r\n", 1)) == [False, False]


@pytest.mark.parametrize("old", [b"Hello", b"/u/", b"--=_", b"utf-8"])
def test_a_body_that_is_changed_breaks_every_signature(old: bytes) -> None:
    head, _, body = letter().address(ADA, NOW).partition(b"\r\n\r\n")
    assert old in body
    assert verdicts(head + b"\r\n\r\n" + body.replace(old, old + b"x", 1)) == [False, False]
    assert verdicts(head + b"\r\n\r\n" + body + b"more\r\n") == [False, False]


def test_what_relays_do_to_blanks_breaks_nothing() -> None:
    message = letter().address(ADA, NOW)
    head, _, body = message.partition(b"\r\n\r\n")
    refolded = head.replace(b"List-Id: ", b"LIST-ID:   ").replace(b"\r\nDate: ", b"\r\nDate:\t ")
    assert verdicts(refolded + b"\r\n\r\n" + body + b"\r\n\r\n") == [True, True]
    assert verdicts(b"Received: from x\r\n by y; z\r\n" + message) == [True, True]


# ------------------------------------------------------------------------------------------- canonical forms


def _lines(pieces: list[bytes]) -> bytes:
    return b"".join(pieces) + b"\r\n"


@given(
    st.lists(st.sampled_from([b" ", b"\t", b"\r\n", b"a", b".", b"=\r\n", b"  "]), max_size=20).map(_lines)
)
@example(b"\r\n\r\n")
@example(b" \r\n")
@example(b"a \t\r\n\r\n \r\n")
def test_a_body_is_relaxed_as_others_relax_it(body: bytes) -> None:
    assert relaxed_body(body) == dkimpy.canonicalization.Relaxed.canonicalize_body(body)
    assert relaxed(relaxed(body)) == relaxed(body)


@pytest.mark.parametrize("text", AWKWARD)
def test_what_a_letter_signs_is_its_body_relaxed(text: str) -> None:
    seen: list[bytes] = []

    class Listener(Signer):
        def fields(self, head: bytes, body: bytes, now: datetime) -> bytes:
            seen.append(body)
            return super().fields(head, body, now)

    text = f"{text}{SLOTS.name}{text}{SLOTS.name}"
    message = letter(text, text, Listener("example.org", [key("e")])).address(ADA, NOW)
    assert seen == [relaxed_body(message.partition(b"\r\n\r\n")[2])]


# ----------------------------------------------------------------------------------------------------- keys


def pem(private: PrivateKeyTypes, lock: KeySerializationEncryption | None = None) -> bytes:
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock or NoEncryption())


def described(*files: str) -> Dkim:
    keys = tuple(DkimKey(selector=f"s{n}", file=Path(file)) for n, file in enumerate(files))
    return Dkim(domain="Example.org", keys=keys)


def told(folder: Path) -> list[str]:
    """What the how-to's commands of OpenSSL print, run in a folder as they are written."""
    if not shutil.which("openssl"):
        pytest.skip("needs OpenSSL's command: apt-get install openssl")
    page = (Path(__file__).parents[1] / "docs/how-to/dkim.md").read_text("utf-8")
    commands = [line.removeprefix("$ ") for line in page.splitlines() if re.match(r"\$ (?!broadsheet)", line)]
    answer = subprocess.run(
        ["bash", "-ec", "\n".join(commands)], cwd=folder, check=True, capture_output=True, text=True
    )
    return answer.stdout.splitlines()


def test_the_how_to_makes_keys_that_sign_and_the_records_to_publish(tmp_path: Path) -> None:
    records = told(tmp_path)
    found = read(tmp_path, described("secrets/dkim-rsa.pem", "secrets/dkim-ed25519.pem"))
    assert found.domain == "example.org"
    assert [(one.selector, one.algorithm, one.record) for one in found.keys] == [
        ("s0", "rsa-sha256", records[0]),
        ("s1", "ed25519-sha256", records[1]),
    ]
    assert (tmp_path / "secrets/dkim-rsa.pem").stat().st_mode & 0o077 == 0


def test_a_record_holds_the_public_key() -> None:
    public = key("r").private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    version, kind, data = key("r").record.split("; ")
    assert (version, kind, b64decode(data.removeprefix("p="))) == ("v=DKIM1", "k=rsa", public)
    assert re.fullmatch(r"v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=", key("e").record)


@cache
def bad_files() -> dict[str, bytes]:
    small, locked = rsa.generate_private_key(65537, 1024), BestAvailableEncryption(b"x")
    public = key("r").private.public_key()
    return {
        "is an RSA key of 1024 bits, and 2048 are the least": pem(small),
        "is neither an RSA nor an Ed25519 key": pem(ec.generate_private_key(ec.SECP256R1())),
        "is neither an RSA nor an Ed25519 key ": pem(dsa.generate_private_key(2048)),
        "is locked with a passphrase, which nobody is there to type": pem(key("r").private, locked),
        "is no private key in PEM": b"",
        "is no private key in PEM ": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "is no private key in PEM  ": pem(key("r").private)[:-200],
        "is no private key in PEM   ": b"\xff\x00" * 99,
    }


@pytest.mark.parametrize("said", list(bad_files()))
def test_a_file_that_is_no_key_is_told_in_one_line_without_a_word_of_it(tmp_path: Path, said: str) -> None:
    (tmp_path / "good").write_bytes(pem(key("e").private))
    (tmp_path / "bad").write_bytes(bad_files()[said])
    with pytest.raises(InputError) as caught:
        read(tmp_path, described("good", "bad"))
    remedy = "docs/how-to/dkim.md shows how to make one"
    assert str(caught.value) == f"dkim.keys.1.file: bad: {said.strip()}: {remedy}"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(("name", "said"), [("none", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"^dkim\.keys\.0\.file: {re.escape(name)}: {said}"):
        read(tmp_path, described(name))
