"""A real relay: each reader gets their mail once, and it arrives byte for byte as it was sent."""

import smtplib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.dkim import relaxed_body
from tests.oracles.samples import FILES, NOW, REPOSITORY, SAMPLES, THEMES, made
from tests.oracles.test_parsers import readings
from tests.servers.postfix import SMALL, Arrived, Postfix
from tests.signatures import key, signer, verdicts
from tests.stories.installation import Installation

READERS = {
    "ada@example.org": "Ada",
    "juergen@example.org": "Jürgen Groß",
    "anna@example.org": 'Anna "Nana" O’Hara, Dr.',
    "long@example.org": "Maximiliane " * 8 + "Müller-Lüdenscheidt",
    "taro@example.org": "山田 太郎",
    "nobody@example.org": "",
    "a+b.c=d@example.org": "Plus & Sons <b>",
    "shop@bücher.example": "Bücher",
    "jörg@example.org": "Jörg",
}
ENVELOPE = {"shop@bücher.example": "shop@xn--bcher-kva.example"}
"""Where the address on the wire is another than the one that was given."""
DKIM = """

[dkim]
domain = "example.org"

[[dkim.keys]]
selector = "r"
file = "secrets/r.pem"

[[dkim.keys]]
selector = "e"
file = "secrets/e.pem"
"""


@pytest.fixture
def relay(postfix: Postfix) -> Iterator[Postfix]:
    """The running server, with nothing in its folder."""
    postfix.forget()
    yield postfix
    postfix.forget()


@dataclass(frozen=True)
class Published:
    """An installation that has published, and what came of it in the readers' folder."""

    here: Installation
    mails: dict[str, Arrived]
    copies: int


@pytest.fixture(scope="module")
def published(postfix: Postfix, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The sample issue, signed twice, published to every reader through two servers."""
    postfix.forget()
    here = installation(tmp_path_factory.mktemp("published"), postfix.transport() + DKIM, READERS)
    answer = here("publish", "2025-W17")
    assert answer.status == 0, answer
    arrived = postfix.arrived(len(READERS))
    return Published(here, {mail.recipient: mail for mail in arrived}, len(arrived))


def installation(root: Path, transport: str, readers: dict[str, str]) -> Installation:
    """A newsletter with the sample issue, its readers and its keys."""
    here = Installation(root, transport)
    for selector in ("r", "e"):
        pem = key(selector).private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        here.write(f"secrets/{selector}.pem", pem.decode())
    here.write("content/ai-papers/2025-W17.md", (REPOSITORY / FILES["sample"][1]).read_text("utf-8"))
    rows = "".join(f'{email},"{name.replace(chr(34), chr(34) * 2)}"\n' for email, name in readers.items())
    file = here.write("readers.csv", f"email,name\n{rows}")
    answer = here("subscribers", "import", str(file), "--confirmed")
    assert answer.status == 0, answer
    return here


def as_sent(here: Installation, email: str) -> bytes:
    """What the product says it sends to a reader: its own preview."""
    answer = here("render", "2025-W17", "--as", email, "--out", str(here.root / "out"))
    assert answer.status == 0, answer
    return next((here.root / "out").rglob("message.eml")).read_bytes()


def without_time(mail: bytes) -> bytes:
    """A mail without the headers that differ from one sending to the next."""
    head, blank, body = mail.partition(b"\r\n\r\n")
    fields = head.replace(b"\r\n ", b"\0").split(b"\r\n")
    kept = [one for one in fields if not one.startswith((b"Date: ", b"DKIM-Signature: "))]
    return b"\r\n".join(kept).replace(b"\0", b"\r\n ") + blank + body


def hand_over(mails: dict[str, bytes], port: int) -> None:
    """Give finished mails to a relay, by another client than the product's."""
    with smtplib.SMTP("127.0.0.1", port, "client.test") as client:
        for recipient, mail in mails.items():
            client.sendmail("papers@example.org", [recipient], mail)


# ---------------------------------------------------------------------------------------- what arrives


def test_each_reader_gets_the_issue_once(published: Published) -> None:
    assert published.copies == len(READERS)
    assert set(published.mails) == {ENVELOPE.get(email, email) for email in READERS}
    assert published.here.balance()["sent"] == len(READERS)


@pytest.mark.parametrize("email", ["anna@example.org", "shop@bücher.example", "jörg@example.org"])
def test_it_arrives_byte_for_byte_as_previewed(published: Published, email: str) -> None:
    arrived = published.mails[ENVELOPE.get(email, email)]
    assert without_time(arrived.data) == without_time(as_sent(published.here, email))


def test_both_signatures_of_every_mail_hold_where_it_arrives(published: Published) -> None:
    assert {email: verdicts(mail.data) for email, mail in published.mails.items()} == {
        email: [True, True] for email in published.mails
    }


def test_a_mail_that_was_changed_on_its_way_is_seen_by_its_signatures(published: Published) -> None:
    mail = published.mails["ada@example.org"].data
    for old in (b"List-Unsubscribe-Post: List-", b"Subject: AI", b"</html>"):
        assert old in mail
        assert verdicts(mail.replace(old, old + b"x", 1)) == [False, False]


def test_every_name_is_read_as_it_was_given(published: Published) -> None:
    found = readings([published.mails[ENVELOPE.get(email, email)].data for email in READERS])
    for name, (first, second, _) in zip(READERS.values(), found, strict=True):
        assert [person["name"] for person in first["to"] + second["to"]] == [name.strip()] * 2


def test_no_line_is_long_and_only_a_reader_who_needs_it_gets_more_than_ascii(published: Published) -> None:
    for email, mail in published.mails.items():
        assert max(map(len, mail.data.split(b"\r\n"))) <= 78
        assert mail.data.isascii() == email.isascii()
        assert mail.body.isascii()
        assert b"\r\n." not in mail.body


# ------------------------------------------------------------------------------ what a relay does to mail


@pytest.mark.parametrize("theme", THEMES)
def test_every_sample_passes_unchanged_through_a_hop_of_seven_bits(theme: str, relay: Postfix) -> None:
    sent = {f"{sample}@example.org": made(sample, theme).mail for sample in SAMPLES}
    hand_over(sent, relay.ports["narrow"])
    assert {mail.recipient: mail.data for mail in relay.arrived(len(sent))} == sent


SINGLE = b"From: papers@example.org\r\nTo: ada@example.org\r\nDate: Fri, 25 Apr 2025 07:00:00 +0000\r\n"
TEXT = b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "


@pytest.mark.parametrize(
    "mail",
    [
        SINGLE + b"Message-ID: <1@example.org>\r\nX-Long: " + b"x" * 1200 + b"\r\n\r\nHello\r\n",
        SINGLE + b"Message-ID: <1@example.org>\r\n\r\n" + b"y" * 1200 + b"\r\n",
        SINGLE + b"Message-ID: <1@example.org>\r\n" + TEXT + b"8bit\r\n\r\nGr\xc3\xbc\xc3\x9fe\r\n",
        SINGLE + b"\r\nHello\r\n",
        SINGLE + b"Message-ID: <1@example.org>\r\nBcc: eve@example.org\r\n\r\nHello\r\n",
    ],
    ids=["long-header", "long-line", "8bit", "no-message-id", "bcc"],
)
def test_what_a_relay_would_change_is_seen_to_be_changed(mail: bytes, relay: Postfix) -> None:
    hand_over({"ada@example.org": mail}, relay.ports["narrow"])
    (arrived,) = relay.arrived(1)
    assert arrived.data != mail


def test_signatures_hold_through_a_hop_of_seven_bits(published: Published, relay: Postfix) -> None:
    sent = published.mails["anna@example.org"].data
    hand_over({"anna@example.org": sent}, relay.ports["narrow"])
    (arrived,) = relay.arrived(1)
    assert arrived.data == sent
    assert verdicts(arrived.data) == [True, True]


@pytest.mark.parametrize(
    "body", [b"Gr\xc3\xbc\xc3\x9fe\r\n", b"y" * 1200 + b"\r\n"], ids=["8bit", "long-line"]
)
def test_a_mail_that_a_relay_rewrites_loses_its_signatures(body: bytes, relay: Postfix) -> None:
    head = SINGLE + b"Message-ID: <1@example.org>\r\n" + TEXT + b"8bit\r\n"
    signed = signer().fields(head, relaxed_body(body), NOW) + head + b"\r\n" + body
    assert verdicts(signed) == [True, True]
    hand_over({"ada@example.org": signed}, relay.ports["narrow"])
    (arrived,) = relay.arrived(1)
    assert verdicts(arrived.data) == [False, False]


# ------------------------------------------------------------------------------------ what a relay refuses


def test_a_relay_that_will_not_relay_stops_the_run_and_nobody_is_charged(
    tmp_path: Path, relay: Postfix
) -> None:
    readers = {f"reader{number}@denied.test": "" for number in range(20)}
    here = installation(tmp_path, relay.transport("stranger"), readers)
    answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert "Relay access denied" in answer.err
    assert here.balance()["waiting"] == len(readers)
    assert relay.arrived(0) == []


def test_who_is_greylisted_waits_and_the_others_get_theirs(tmp_path: Path, relay: Postfix) -> None:
    readers = {"later@example.org": "", "now@example.org": ""}
    here = installation(tmp_path, relay.transport("greylisting"), readers)
    here("publish", "2025-W17")
    assert [mail.recipient for mail in relay.arrived(1)] == ["now@example.org"]
    balance = here.balance()
    assert (balance["sent"], balance["waiting"]) == (1, 1)


def test_a_mail_that_is_too_big_for_the_relay_is_never_handed_over(tmp_path: Path, relay: Postfix) -> None:
    assert len(made("sample", "plain").mail) > SMALL
    here = installation(tmp_path, relay.transport("small"), {"ada@example.org": "Ada"})
    assert here("publish", "2025-W17").status != 0
    assert here.balance()["sent"] == 0
    assert relay.arrived(0) == []


def test_a_reader_whom_a_relay_cannot_address_is_the_only_one_without(tmp_path: Path, relay: Postfix) -> None:
    readers = {"jörg@example.org": "Jörg", "ada@example.org": "Ada"}
    here = installation(tmp_path, relay.transport("ascii"), readers)
    here("publish", "2025-W17")
    balance = here.balance()
    assert (balance["sent"], balance["failed"]) == (1, 1)
    assert [mail.recipient for mail in relay.arrived(1)] == ["ada@example.org"]
