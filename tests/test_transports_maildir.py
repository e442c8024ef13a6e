"""Maildir: what a reader of the folder sees, and what a mail's file is called."""

import mailbox
from pathlib import Path

import pytest

from bot.errors import StopRunError
from bot.transports import maildir
from tests.waited import Waited

MAIL = b"Subject: Hello\r\nMessage-ID: <one@example.org>\r\n\r\n.dot\r\nFrom here\r\n"


def writer(root: Path, path: str = "outbox/maildir") -> Waited:
    options = maildir.Options(kind="maildir", path=Path(path))
    return Waited(maildir.build(options, root=root, password=None).connect())


def send(connection: Waited, mail: bytes = MAIL) -> str:
    return connection.send("papers@example.org", "reader@example.org", mail).reference


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_mail_is_a_file_that_has_its_very_bytes(tmp_path: Path) -> None:
    name = send(writer(tmp_path))
    assert (tmp_path / "outbox/maildir/new" / name).read_bytes() == MAIL


def test_mail_programs_read_the_folder(tmp_path: Path) -> None:
    send(writer(tmp_path))
    (message,) = mailbox.Maildir(tmp_path / "outbox/maildir", create=False)
    assert (message["Subject"], message.get_payload()) == ("Hello", ".dot\nFrom here\n")


def test_the_same_mail_again_is_still_one_file(tmp_path: Path) -> None:
    first = send(writer(tmp_path))
    again = send(writer(tmp_path), MAIL.replace(b"Subject: Hello", b"Subject: Hello again"))
    assert first == again
    assert names(tmp_path / "outbox/maildir/new") == [first]


def test_two_mails_are_two_files(tmp_path: Path) -> None:
    connection = writer(tmp_path)
    both = {send(connection), send(connection, MAIL.replace(b"<one@", b"<two@"))}
    assert set(names(tmp_path / "outbox/maildir/new")) == both
    assert len(both) == 2


def test_a_message_id_in_the_body_names_nothing(tmp_path: Path) -> None:
    connection = writer(tmp_path)
    mails = (b"Subject: %d\r\n\r\nMessage-ID: <one@example.org>\r\n" % number for number in range(2))
    assert len({send(connection, mail) for mail in mails}) == 2


def test_a_message_id_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    send(writer(tmp_path), b"Message-ID: <../../../evil@example.org>\r\n\r\n")
    assert names(tmp_path) == ["outbox"]
    assert names(tmp_path / "outbox") == ["maildir"]


def test_nothing_half_written_stays_behind(tmp_path: Path) -> None:
    connection = writer(tmp_path)
    send(connection)
    connection.close()
    assert names(tmp_path / "outbox/maildir/tmp") == []


def test_a_folder_that_cannot_be_written_stops_the_run(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file where the folder should be")
    with pytest.raises(StopRunError, match=r"maildir: .*: "):
        send(writer(tmp_path))


def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    send(writer(tmp_path / "root", str(elsewhere)))
    assert len(names(elsewhere / "new")) == 1


def test_nothing_leaves_the_machine(tmp_path: Path) -> None:
    built = maildir.build(maildir.Options(kind="maildir"), root=tmp_path, password=None)
    assert built.local
    assert built.by == "maildir outbox/maildir"
