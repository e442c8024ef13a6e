"""What every transport promises, whichever it is: it takes a mail, keeps its bytes, and gives a receipt."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot import plugins
from bot.models import Receipt
from bot.transports import Transport, maildir, smtp
from tests.servers.smtp import inbox
from tests.waited import Waited

SENDER, READER = "papers@example.org", "ada.secret@example.org"


def mail(number: int) -> bytes:
    head = f"Message-ID: <{number}@example.org>\r\nSubject: {number}\r\n\r\n"
    return head.encode() + b".a line with a dot\r\n.\r\nFrom here\r\nthe end=\r\n"


@dataclass(frozen=True)
class Room:
    """A transport, and a look at what arrived where it leads."""

    transport: Transport
    arrived: Callable[[], list[bytes]]


@contextmanager
def _maildir(root: Path) -> Iterator[Room]:
    transport = maildir.build(maildir.Options(kind="maildir", path=Path("mails")), root=root, password=None)
    yield Room(transport, lambda: [path.read_bytes() for path in (root / "mails" / "new").iterdir()])


@contextmanager
def _smtp(root: Path) -> Iterator[Room]:
    with inbox() as server:
        options = smtp.Options(kind="smtp", host=server.host, port=server.port, security="none")
        transport = smtp.build(options, root=root, password=None)
        yield Room(transport, lambda: [one.content for one in server.mails])


ROOMS: dict[str, Callable[[Path], AbstractContextManager[Room]]] = {"maildir": _maildir, "smtp": _smtp}


def test_every_transport_is_held_to_this() -> None:
    assert set(plugins.kinds("transports")) == set(ROOMS)


@pytest.fixture(params=plugins.kinds("transports"))
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    with ROOMS[request.param](tmp_path) as found:
        yield found


def test_it_says_how_it_leaves(room: Room) -> None:
    kind = type(room.transport).__name__.lower().lstrip("_")
    assert room.transport.by.startswith(f"{kind} ")
    assert room.transport.connections >= 1
    assert room.transport.local is (kind == "maildir")


def test_a_mail_arrives_byte_for_byte_for_a_receipt(room: Room) -> None:
    connection = Waited(room.transport.connect(), nobody_waits)
    receipt = connection.send(SENDER, READER, mail(1))
    connection.close()
    assert room.arrived() == [mail(1)]
    assert isinstance(receipt, Receipt)
    assert receipt.reference
    assert READER not in receipt.reference


def test_one_connection_carries_many_mails(room: Room) -> None:
    connection = Waited(room.transport.connect(), nobody_waits)
    references = [connection.send(SENDER, READER, mail(number)).reference for number in range(5)]
    connection.close()
    assert sorted(room.arrived()) == [mail(number) for number in range(5)]
    assert len(set(references)) == 5


def test_connections_do_not_disturb_one_another(room: Room) -> None:
    first, second = (Waited(room.transport.connect()) for _ in range(2))
    first.send(SENDER, READER, mail(1))
    second.send(SENDER, READER, mail(2))
    first.close()
    second.send(SENDER, READER, mail(3))
    second.close()
    assert sorted(room.arrived()) == [mail(1), mail(2), mail(3)]


def test_a_connection_opens_at_its_first_mail_and_can_be_closed_before(room: Room) -> None:
    connection = Waited(room.transport.connect(), nobody_waits)
    connection.close()
    connection.send(SENDER, READER, mail(1))
    connection.close()
    connection.close()
    assert room.arrived() == [mail(1)]


def test_without_a_limit_it_is_ready_at_once_as_often_as_it_is_asked(room: Room) -> None:
    connection = Waited(room.transport.connect(), nobody_waits)
    for number in range(2):
        assert connection.ready()
        assert connection.ready()
        connection.send(SENDER, READER, mail(number))
    connection.close()
    assert sorted(room.arrived()) == [mail(0), mail(1)]


def nobody_waits(seconds: float) -> bool:
    raise AssertionError(f"waited for {seconds} seconds")
