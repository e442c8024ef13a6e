"""The pages are served by the command that is asked to, and by the bot beside its work; then no more."""

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType

import pytest

from bot.app import App
from bot.errors import InputError
from bot.settings import load
from bot.web.serving import HEAD, serving
from tests.stories.installation import Installation
from tests.website import NOW, Website

New = Callable[..., Website]


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


@contextmanager
def started(
    here: Installation, *words: str, sign: str = r"serving http://127\.0\.0\.1:(\d+)/"
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A command that says a sign of being ready, and the port in it; killed at the latest when this ends."""
    process = here.start(*words)
    try:
        assert process.stderr
        for line in process.stderr:
            if found := re.search(sign, line):
                yield process, int(found[1] or 0)
                return
        pytest.fail("it ended before it was ready")
    finally:
        process.kill()
        process.communicate(timeout=30)


def ended(process: subprocess.Popen[str], number: int) -> tuple[int, str]:
    """How a command ends when it is asked to, and what it said meanwhile."""
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    return process.returncode, err


def get(port: int, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers=dict(headers))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def spoken(port: int, request: bytes) -> bytes:
    """What a server answers to bytes that no library would send."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        with suppress(ConnectionResetError):  # a server need not read to the end what it refuses
            while piece := connection.recv(65536):
                answer += piece
        return answer


@contextmanager
def served(website: Website) -> Iterator[int]:
    web = website.app.settings.web.model_copy(update={"listen": "127.0.0.1:0"})
    app = App(website.app.settings.model_copy(update={"web": web}))
    with serving(app, lambda: NOW) as address:
        yield int(address.rstrip("/").rpartition(":")[2])


# -------------------------------------------------------------------------------------------- in this process


def test_pages_are_served_until_they_are_no_longer_and_leave_no_thread(new_website: New) -> None:
    website = new_website()
    website.publish()
    before = set(threading.enumerate())
    with served(website) as port:
        assert get(port, "/healthz") == (200, b"ok\n")
        assert get(port, "/issues/2025-W17")[0] == 200
        assert get(port, "/metrics")[0] == 200
        assert get(port, "/metrics", {"X-Forwarded-For": "203.0.113.9"})[0] == 404
        lingering = HTTPConnection("127.0.0.1", port, timeout=30)
        lingering.request("GET", "/")
        lingering.getresponse().read()  # and stays open: it must not hold up the end
    assert set(threading.enumerate()) <= before
    with pytest.raises(ConnectionRefusedError):
        get(port, "/healthz")
    lingering.close()


def test_bytes_that_no_browser_sends_are_refused_and_name_nothing(new_website: New) -> None:
    website = new_website()
    token = website.reader()
    with served(website) as port:

        def status(request: bytes) -> bytes:
            answer = spoken(port, request)
            assert b"Traceback" not in answer
            assert b"evil" not in answer
            assert b"server:" not in answer.lower()
            return answer.split(b" ", 2)[1] if answer else b""

        assert status(b"GET / HTTP/1.0\r\n\r\n") == b"200"
        assert status(b"GET //evil.example.com/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") == b"404"
        assert (
            status(b"GET http://evil.example.com/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") == b"200"
        )
        assert status(b"nonsense\r\n\r\n") == b"400"
        assert status(b"GET /\x00 HTTP/1.0\r\n\r\n") in {b"400", b"404"}
        assert status(b"GET /%ff%fe HTTP/1.0\r\n\r\n") == b"404"
        assert status(b"GET / HTTP/1.0\r\nX: " + b"x" * HEAD + b"\r\n\r\n") in {b"431", b""}
        body = b"List-Unsubscribe=One-Click&" + b"x" * 100_000
        head = f"POST /u/{token} HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        assert status(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body) in {b"413", b""}
        both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        assert status(b"POST /u/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + both) in {b"400", b"404"}
    assert website.consent() == "confirmed"


def test_many_who_ask_at_once_are_all_answered(new_website: New) -> None:
    website = new_website()
    website.publish()
    with served(website) as port:
        found: list[int] = []
        threads = [threading.Thread(target=lambda: found.append(get(port, "/")[0])) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [200] * 40


def test_an_address_that_is_not_ours_is_told_in_one_line(new_website: New) -> None:
    website = new_website()
    web = website.app.settings.web.model_copy(update={"listen": "192.0.2.1:8000"})
    app = App(website.app.settings.model_copy(update={"web": web}))
    told = r"web\.listen: 192\.0\.2\.1:8000: .*: name an address of this machine"
    with pytest.raises(InputError, match=told), serving(app, lambda: NOW):
        pass


# ------------------------------------------------------------------------------------------------- commands


def test_serve_shows_what_was_published_logs_it_without_tokens_and_ends_when_asked(
    installed: Installation,
) -> None:
    installed.issue(title="Two papers")
    installed.readers(1)
    assert installed("publish", "2025-W17").status == 0
    with started(installed, "serve") as (process, port):
        status, page = get(port, "/issues/2025-W17")
        assert (status, b"What it says" in page) == (200, True)
        assert get(port, "/u/" + "x" * 22)[0] == 404
        status, err = ended(process, signal.SIGTERM)
    assert status == 0
    assert re.search(r"GET /issues/2025-W17 200 \d+ ms", err)
    assert re.search(r"GET /u/… 404 \d+ ms", err)


@pytest.mark.parametrize("command", ["serve", "run"])
def test_a_taken_port_is_one_line(installed: Installation, command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        installed.environment["BROADSHEET_WEB__LISTEN"] = f"127.0.0.1:{port}"
        answer = installed(command)
    assert answer.status == 2
    assert answer.complaint == (
        f"config/bot.toml: web.listen: 127.0.0.1:{port}: another program listens there: "
        "end it, or name another port"
    )
    assert "Traceback" not in answer.err


def test_a_database_that_cannot_be_opened_is_one_line(installed: Installation) -> None:
    installed.write("var/broadsheet.db", "this is no database, and never was one " * 40)
    answer = installed("serve")
    assert (answer.status, "this file is something else" in answer.complaint) == (2, True)


def test_the_bot_serves_the_pages_beside_its_work(installed: Installation) -> None:
    with started(installed, "run") as (process, port):
        assert get(port, "/readyz") == (200, b"ok\n")
        status, err = ended(process, signal.SIGINT)
    assert status == 0
    assert "Traceback" not in err


def test_the_bot_can_do_without_pages(installed: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        installed.environment["BROADSHEET_WEB__LISTEN"] = f"127.0.0.1:{other.getsockname()[1]}"
        with started(installed, "run", "--no-web", sign="watching ai-papers()") as (process, _):
            assert ended(process, signal.SIGTERM)[0] == 0


def test_where_pages_listen_is_on_this_machine_alone_unless_said_otherwise(installed: Installation) -> None:
    assert load(installed.root / "config/bot.toml", {}).web.listen == "127.0.0.1:8000"
