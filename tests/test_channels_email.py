"""Email: one letter per reader, over the installation's transport, and the preview is what goes out."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.channels import Audience, Channel, email
from bot.compose import compose
from bot.errors import BroadsheetError, InputError, PermanentError
from bot.models import Delivery, Entry, Issue, Reader, Rendered, Section, Week
from bot.settings import Dkim, DkimKey, Newsletter
from bot.templates import Templates
from bot.text import Paragraph, Text
from bot.transports import Transport, maildir, smtp
from tests.servers.smtp import Inbox, Scripted, inbox, reply
from tests.test_compose import BASE_URL, newsletter
from tests.waited import WaitedCourier

NOW = datetime(2025, 4, 25, 7, 0, tzinfo=UTC)
ROOT = Path("/nowhere")
ADA = Reader("ada.secret@example.org", "Ada", "A" * 22)
ISSUE = Issue(
    "ai-papers",
    Week(2025, 17),
    "The week in papers",
    (Section(None, (Entry("One", blocks=(Paragraph((Text("Words."),)),)),)),),
)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    return compose(ISSUE, newsletter(), Templates(tmp_path_factory.mktemp("root")), BASE_URL)


@pytest.fixture
def server() -> Iterator[Inbox]:
    with inbox() as found:
        yield found


def over(server: Inbox | Scripted) -> Transport:
    options: dict[str, Any] = {"kind": "smtp", "host": server.host, "port": server.port, "security": "none"}
    return smtp.build(smtp.Options(**options), root=Path(), password=None)


def channel(
    transport: Transport, paper: Newsletter | None = None, *, dkim: Dkim | None = None, root: Path = ROOT
) -> Channel:
    settings: Any = SimpleNamespace(root=root, url=BASE_URL, several=False, dkim=dkim)
    options = email.Options(kind="email")
    paper = paper or newsletter()
    return email.build(options, newsletter=paper, settings=settings, templates=None, transport=transport)


def delivery(reader: Reader | None = ADA) -> Delivery:
    return Delivery(1, ISSUE.key, "readers", 0, reader)


def test_it_delivers_to_each_reader_as_its_transport_does(tmp_path: Path) -> None:
    folder = maildir.build(maildir.Options(kind="maildir"), root=tmp_path, password=None)
    wire = smtp.build(smtp.Options(kind="smtp", host="relay", connections=7), root=tmp_path, password=None)
    for transport in (folder, wire):
        built = channel(transport)
        assert built.audience is Audience.READERS
        assert (built.concurrency, built.local, built.by) == (
            transport.connections,
            transport.local,
            transport.by,
        )


def test_a_payload_is_the_same_every_time_and_makes_one_delivery(server: Inbox, rendered: Rendered) -> None:
    built = channel(over(server))
    assert built.freeze(ISSUE, rendered) == built.freeze(ISSUE, rendered)
    assert built.parts(built.freeze(ISSUE, rendered)) == 1


def test_the_preview_is_the_very_mail(server: Inbox, rendered: Rendered) -> None:
    built = channel(over(server))
    payload = built.freeze(ISSUE, rendered)
    files = built.files(payload, ADA, NOW)
    courier = WaitedCourier.of(built.courier(payload))
    receipt = courier.deliver(delivery(), NOW)
    courier.close()
    assert files["message.eml"] == server.mails[0].content
    assert receipt.reference.startswith("250 2.0.0 Ok: queued as Q1")
    assert sorted(files) == ["email.html", "email.txt", "message.eml"]


def test_the_preview_shows_both_parts_decoded(server: Inbox, rendered: Rendered) -> None:
    built = channel(over(server))
    files = built.files(built.freeze(ISSUE, rendered), ADA, NOW)
    assert files["email.html"].startswith(b"<!DOCTYPE html>")
    assert b"The week in papers" in files["email.txt"]
    assert files["email.txt"].rstrip().endswith(b"/u/" + ADA.token.encode())


def test_the_envelope_names_the_newsletter_and_the_reader(server: Inbox, rendered: Rendered) -> None:
    built = channel(over(server), newsletter(sender="Papers <papers@bücher.example>"))
    courier = WaitedCourier.of(built.courier(built.freeze(ISSUE, rendered)))
    courier.deliver(delivery(Reader("Ada@faß.de", "", "A" * 22)), NOW)
    courier.close()
    assert server.mails[0].sender == "papers@xn--bcher-kva.example"
    assert server.mails[0].recipients == ("Ada@xn--fa-hia.de",)


def test_one_courier_carries_many_letters(server: Inbox, rendered: Rendered) -> None:
    built = channel(over(server))
    courier = WaitedCourier.of(built.courier(built.freeze(ISSUE, rendered)))
    for number in range(3):
        courier.deliver(delivery(Reader(f"r{number}@example.org", "", f"{number:022}")), NOW)
    courier.close()
    assert [mail.recipients for mail in server.mails] == [(f"r{n}@example.org",) for n in range(3)]
    assert all(f"/u/{n:022}".encode() in mail.content for n, mail in enumerate(server.mails))


def test_a_reader_mail_cannot_reach_is_refused_before_the_relay_hears_of_it(rendered: Rendered) -> None:
    with Scripted() as server:
        built = channel(over(server))
        courier = WaitedCourier.of(built.courier(built.freeze(ISSUE, rendered)))
        with pytest.raises(PermanentError, match="before the @"):
            courier.deliver(delivery(Reader("zoë lang@example.org", "", "A" * 22)), NOW)
        courier.close()
    assert server.wires == []


def test_a_reader_with_letters_of_their_own_gets_a_file_all_the_same(
    tmp_path: Path, rendered: Rendered
) -> None:
    built = channel(maildir.build(maildir.Options(kind="maildir"), root=tmp_path, password=None))
    courier = WaitedCourier.of(built.courier(built.freeze(ISSUE, rendered)))
    receipt = courier.deliver(delivery(Reader("zoë@faß.de", "", "A" * 22)), NOW)
    written = (tmp_path / "outbox/maildir/new" / receipt.reference).read_bytes()
    assert "\r\nTo: zoë@xn--fa-hia.de\r\n".encode() in written


def key_in(folder: Path) -> Dkim:
    private = Ed25519PrivateKey.generate()
    (folder / "key.pem").write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return Dkim(domain="example.org", keys=(DkimKey(selector="s1", file=Path("key.pem")),))


def test_a_signed_mail_is_what_the_preview_shows(tmp_path: Path, server: Inbox, rendered: Rendered) -> None:
    built = channel(over(server), dkim=key_in(tmp_path), root=tmp_path)
    payload = built.freeze(ISSUE, rendered)
    courier = WaitedCourier.of(built.courier(payload))
    courier.deliver(delivery(), NOW)
    courier.close()
    preview = built.files(payload, ADA, NOW)["message.eml"]
    assert preview.startswith(b"DKIM-Signature: v=1; a=ed25519-sha256;")
    assert server.mails[0].content == preview


def test_a_key_that_is_missing_is_told_before_anything_is_frozen(
    tmp_path: Path, server: Inbox, rendered: Rendered
) -> None:
    built = channel(over(server), dkim=key_in(tmp_path), root=tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"^dkim\.keys\.0\.file: key\.pem: No such file or directory"):
        built.freeze(ISSUE, rendered)


def test_a_relays_no_names_nobody(rendered: Rendered) -> None:
    with Scripted({"RCPT": reply(550, f"5.1.1 <{ADA.email}>: no such user")}) as server:
        built = channel(over(server))
        courier = WaitedCourier.of(built.courier(built.freeze(ISSUE, rendered)))
        with pytest.raises(BroadsheetError) as caught:
            courier.deliver(delivery(), NOW)
        courier.close()
    assert type(caught.value) is PermanentError
    assert "ada.secret" not in str(caught.value)
