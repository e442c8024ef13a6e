"""The web is asked politely, within limits, and never a machine that is not on the public internet."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given, strategies as st

from bot.checks import Answer, Fault, Step
from bot.lookups import Hosts, Lookups, Memory, Wire, is_public
from bot.lookups.addresses import Address, LookupFaultError, resolve
from bot.lookups.conversation import Ask, Reply, conversation
from tests.servers.web import Asked, Page, WebServer, certificate, serving

NOW = datetime(2025, 4, 24, 12, tzinfo=UTC)
OK: Page = (200, {}, b"a page")


def loopback(address: Address) -> bool:
    return address.is_loopback


def wire(*ports: int, **changes: object) -> Wire:
    """A wire that may ask loopback, under whatever name."""
    given_ = {"allowed": loopback, "resolver": lambda _host, _port: ["127.0.0.1"], "ports": ports, **changes}
    return Wire(**given_)  # type: ignore[arg-type]  # what a test says


def lookups(made: Wire, memory: Memory | None = None, **changes: object) -> Lookups:
    hosts = Hosts(wait=lambda _seconds: None, clock=lambda: 0.0)
    patience = {"wait": lambda _seconds: None, **changes}
    return Lookups(made, memory or Memory(None, NOW), hosts, **patience)  # type: ignore[arg-type]  # as above


def ask(server: WebServer, path: str, *, whole: bool = False, **changes: object) -> Answer:
    url = f"http://x.org:{server.port}{path}"
    return lookups(wire(server.port, **changes)).look_up({url: whole})[url]


# -------------------------------------------------------------------------------------------------- guards


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
        ("198.18.0.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("fe80::1", False),
        ("fec0::1", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("2001:db8::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("2002:7f00:1::", False),
        ("2002:808:808::", True),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
    ],
)
def test_only_machines_on_the_public_internet_may_be_asked(address: str, *, public: bool) -> None:
    assert is_public(ip_address(address)) is public


def test_loopback_is_refused_before_anything_is_sent() -> None:
    with serving({"/a": OK}) as server:
        for host in ("127.0.0.1", "localhost", "[::1]", "127.1", "2130706433"):
            url = f"http://{host}:{server.port}/a"
            answer = lookups(Wire(ports=(server.port,))).look_up({url: False})[url]
            assert answer.fault in (Fault.PRIVATE, Fault.NO_HOST), host
        assert server.asked == []


def test_a_redirect_into_a_private_network_is_refused() -> None:
    def resolver(host: str, _port: int) -> list[str]:
        return {"inside.org": ["10.0.0.1"]}.get(host, ["127.0.0.1"])

    with serving({"/a": (302, {"Location": "http://inside.org/secret"}, b"")}) as server:
        answer = ask(server, "/a", resolver=resolver, ports=(server.port, 80))
    assert answer == Answer(steps=(Step(302, "http://inside.org/secret"),), fault=Fault.PRIVATE)


def test_a_host_with_one_private_address_among_public_ones_is_refused() -> None:
    made = Wire(resolver=lambda _host, _port: ["8.8.8.8", "10.0.0.1"])
    assert made.ask(Ask("HEAD", "http://x.org/")).fault is Fault.PRIVATE


def test_the_address_that_was_checked_is_the_one_that_is_connected_to() -> None:
    """A name that leads elsewhere a moment later (DNS rebinding) is not asked for again."""
    asked: list[str] = []

    def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    with serving({"/a": OK}) as server:
        reply = wire(server.port, resolver=rebinding).ask(
            Ask("GET", f"http://nowhere.invalid:{server.port}/a")
        )
    assert reply.status == 200
    assert asked == ["nowhere.invalid"]
    assert server.hosts == [f"nowhere.invalid:{server.port}"]


def test_other_ports_than_the_web_s_are_not_asked() -> None:
    with serving({"/a": OK}) as server:
        assert ask(server, "/a", ports=(80, 443)).fault is Fault.PORT
        assert server.asked == []


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "ftp://x.org/", "javascript:alert(1)", "http://[", "mailto:a@x.org"],
)
def test_a_redirect_away_from_the_web_is_not_followed(location: str) -> None:
    with serving({"/a": (301, {"Location": location}, b"")}) as server:
        assert ask(server, "/a") == Answer(fault=Fault.SCHEME)


INWARD = Wire(resolver=lambda _host, _port: ["10.0.0.1"])


@given(st.text(max_size=30), st.sampled_from(["http://", "https://", "http://127.0.0.1:1/", "gopher://", ""]))
def test_no_address_whatever_makes_asking_raise(rest: str, head: str) -> None:
    assert INWARD.ask(Ask("HEAD", head + rest)).fault


def test_a_host_that_does_not_exist_is_told_from_one_that_nobody_answers_for() -> None:
    with pytest.raises(LookupFaultError) as refused:
        resolve("\udc80.invalid", 80)
    assert refused.value.fault is Fault.NO_HOST


# ------------------------------------------------------------------------------------------ the conversation


def busy(times: int, status: int = 503, **headers: str) -> object:
    def answer(asked: Asked) -> Page:
        return (status, headers, b"") if asked.number < times else OK

    return answer


def get_only(status: int) -> object:
    return lambda asked: (status, {}, b"") if asked.method == "HEAD" else OK


@pytest.mark.parametrize(
    ("page", "status", "asked"),
    [
        (OK, 200, ["HEAD"]),
        ((404, {}, b""), 404, ["HEAD", "GET"]),
        ((410, {}, b""), 410, ["HEAD", "GET"]),
        ((403, {}, b""), 403, ["HEAD", "GET"]),
        ((999, {}, b""), 999, ["HEAD", "GET"]),
        (get_only(405), 200, ["HEAD", "GET"]),
        (get_only(403), 200, ["HEAD", "GET"]),
        (get_only(501), 200, ["HEAD", "GET"]),
        (get_only(404), 200, ["HEAD", "GET"]),
        (busy(2, 429), 200, ["HEAD", "HEAD", "HEAD"]),
        (busy(9, 429), 429, ["HEAD", "HEAD", "HEAD"]),
        (busy(9, 429, **{"Retry-After": "3600"}), 429, ["HEAD"]),
        (busy(2), 200, ["HEAD", "GET", "GET", "GET"]),
        (busy(9), 503, ["HEAD", "GET", "GET", "GET"]),
    ],
)
def test_head_comes_first_and_get_where_it_is_not_believed(page: Page, status: int, asked: list[str]) -> None:
    with serving({"/a": page}) as server:
        assert ask(server, "/a") == Answer(status)
        assert [method for method, _ in server.asked] == asked


def talk(url: str, replies: list[Reply]) -> tuple[list[Ask], Answer | None]:
    """What is asked when the replies come back in turn."""
    asked: list[Ask] = []
    going = conversation(url)
    try:
        asked.append(next(going))
        asked.extend(map(going.send, replies))
    except StopIteration as end:
        return asked, end.value
    return asked, None


def test_who_is_busy_is_asked_again_with_more_and_more_patience() -> None:
    asked, _ = talk("http://x.org/", [Reply(429), Reply(429)])
    assert [one.wait for one in asked] == [0, 1, 2]
    asked, _ = talk("http://x.org/", [Reply(429, retry_after=7.0)])
    assert [one.wait for one in asked] == [0, 7]


def test_redirects_are_followed_and_told() -> None:
    with serving({}) as server:
        there = f"http://x.org:{server.port}"
        server.pages |= {
            "/a": (301, {"Location": "/b?x=1"}, b""),
            "/b?x=1": (308, {"Location": f"{there}/c#part"}, b""),
            "/c": (302, {"Location": "d"}, b""),
            "/d": OK,
        }
        answer = ask(server, "/a")
    assert answer.status == 200
    assert answer.steps == (
        Step(301, f"{there}/b?x=1"), Step(308, f"{there}/c#part"), Step(302, f"{there}/d"),
    )  # fmt: skip


def test_circles_end() -> None:
    with serving({"/a": (302, {"Location": "/a"}, b"")}) as server:
        assert ask(server, "/a").fault is Fault.CIRCLE
        assert len(server.asked) == 9


def test_a_redirect_without_an_address_is_an_answer() -> None:
    with serving({"/a": (302, {}, b"")}) as server:
        assert ask(server, "/a") == Answer(302)


# ----------------------------------------------------------------------------------------------- the wire


@pytest.fixture
def mute() -> Iterator[int]:
    """A port where somebody listens and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_server_that_says_nothing_is_given_up(mute: int) -> None:
    assert wire(mute, silence=0.05).ask(Ask("HEAD", f"http://x.org:{mute}/")).fault is Fault.TIMEOUT


def test_a_server_that_trickles_is_given_up() -> None:
    stop = Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def trickle() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while not stop.wait(0.01):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = Thread(target=trickle, daemon=True)
        thread.start()
        try:
            reply = wire(port, silence=30.0, limit=0.2).ask(Ask("HEAD", f"http://x.org:{port}/"))
        finally:
            stop.set()
            thread.join()
    assert reply.fault is Fault.TIMEOUT


def test_where_nobody_listens_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert wire(port).ask(Ask("HEAD", f"http://x.org:{port}/")).fault is Fault.REFUSED


def test_what_is_not_http_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"220 mail.example.org ESMTP\r\n")

        thread = Thread(target=greet, daemon=True)
        thread.start()
        assert wire(port).ask(Ask("HEAD", f"http://x.org:{port}/")).fault is Fault.BROKEN
        thread.join()


def test_of_a_large_page_only_the_beginning_is_read() -> None:
    pages: dict[str, object] = {"/a": (200, {}, b"x" * 100 + b"a"), "/b": (200, {}, b"x" * 100 + b"b")}
    with serving(pages) as server:  # type: ignore[arg-type]  # pages, and no functions
        one, other = (ask(server, path, whole=True, size=100).digest for path in ("/a", "/b"))
        assert one == other is not None
        one, other = (ask(server, path, whole=True, size=101).digest for path in ("/a", "/b"))
        assert one != other


@pytest.mark.parametrize("addresses", [["::1", "127.0.0.1"], ["::1", "::1", "127.0.0.1"]])
def test_ipv4_is_tried_where_nobody_listens_over_ipv6(addresses: list[str]) -> None:
    with serving({"/a": OK}) as server:
        assert ask(server, "/a", resolver=lambda _host, _port: addresses).status == 200


@pytest.mark.parametrize(("name", "fault"), [("x.org", None), ("other.org", Fault.CERTIFICATE)])
def test_https_is_checked_against_the_name_though_an_address_is_connected_to(
    tmp_path: Path, name: str, fault: Fault | None
) -> None:
    serves, trusts = certificate(tmp_path, "x.org", datetime.now(UTC))
    with serving({"/a": OK}, serves) as server:
        reply = wire(server.port, context=trusts).ask(Ask("HEAD", f"https://{name}:{server.port}/a"))
    assert reply.fault is fault


def test_a_certificate_that_nobody_vouches_for_is_told(tmp_path: Path) -> None:
    serves, _ = certificate(tmp_path, "x.org", datetime.now(UTC))
    with serving({"/a": OK}, serves) as server:
        reply = wire(server.port, context=ssl.create_default_context()).ask(
            Ask("HEAD", f"https://x.org:{server.port}/a")
        )
    assert reply.fault is Fault.CERTIFICATE


# --------------------------------------------------------------------------------------------- politeness


def test_no_host_is_asked_by_more_than_two_at_once() -> None:
    both = Event()

    def slow(_asked: Asked) -> Page:
        both.wait(0.05)
        return OK

    with serving({f"/{number}": slow for number in range(8)}) as server:
        urls = {f"http://x.org:{server.port}/{number}": False for number in range(8)}
        answers = lookups(wire(server.port)).look_up(urls)
        assert all(answer.there for answer in answers.values())
        assert 1 <= server.most_open <= 2


def test_requests_to_one_host_begin_a_pause_apart_and_others_at_once() -> None:
    waits: list[float] = []
    hosts = Hosts(pause=0.5, wait=waits.append, clock=lambda: 0.0)
    for host in ("x.org", "x.org", "y.org", "x.org"):
        with hosts.turn(host):
            pass
    assert waits == [0.5, 1.0]


def test_how_far_it_is_is_told() -> None:
    told: list[tuple[int, int]] = []
    with serving({"/a": OK}) as server:
        urls = {f"http://x.org:{server.port}/{path}": False for path in "ab"}
        lookups(wire(server.port)).look_up(urls, lambda *how: told.append(how))
    assert told == [(0, 2), (1, 2), (2, 2)]


# -------------------------------------------------------------------------------------------------- memory


def test_an_answer_is_remembered_in_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "var" / "lookups.json"
    with serving({"/a": (301, {"Location": "/b"}, b""), "/b": OK}) as server:
        url = f"http://x.org:{server.port}/a"
        first = lookups(wire(server.port), Memory(file, NOW)).look_up({url: False})
        asked = len(server.asked)
        second = lookups(wire(server.port), Memory(file, NOW + timedelta(days=6))).look_up({url: False})
        assert second == first
        assert len(server.asked) == asked
        lookups(wire(server.port), Memory(file, NOW + timedelta(days=8))).look_up({url: False})
        assert len(server.asked) > asked
    assert [one.name for one in file.parent.iterdir()] == ["lookups.json"]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (Answer(200), timedelta(days=7)),
        (Answer(404), timedelta(days=1)),
        (Answer(503), timedelta(hours=1)),
        (Answer(fault=Fault.TIMEOUT), timedelta(hours=1)),
    ],
)
def test_the_less_sure_an_answer_is_the_sooner_it_is_forgotten(
    answer: Answer, kept: timedelta, tmp_path: Path
) -> None:
    file = tmp_path / "lookups.json"
    memory = Memory(file, NOW)
    memory.learn("https://x.org/", answer)
    memory.save()
    just = timedelta(seconds=1)
    assert Memory(file, NOW + kept - just).recall("https://x.org/", whole=False) == answer
    assert Memory(file, NOW + kept).recall("https://x.org/", whole=False) is None
    assert Memory(file, NOW - just).recall("https://x.org/", whole=False) is None, "the clock was set back"


def test_a_page_that_was_only_asked_for_by_head_is_asked_again_where_it_is_wanted() -> None:
    memory = Memory(None, NOW)
    memory.learn("https://x.org/", Answer(200))
    assert memory.recall("https://x.org/", whole=True) is None
    memory.learn("https://x.org/", Answer(200, digest="d"))
    assert memory.recall("https://x.org/", whole=True)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", '{"form": 2, "answers": {}}', '{"form": 1, "answers": []}',
        '{"form": 1, "answers": {"https://x.org/": 7}}',
        '{"form": 1, "answers": {"https://x.org/": {"at": "2025-04-24T11:00:00", "status": 200}}}',
        ('{"form": 1, "answers": {"https://x.org/": {"at": "2025-04-24T11:00:00+00:00", "status": "x", '
         '"steps": [], "fault": null, "digest": null}}}'),
    ],
)  # fmt: skip
def test_a_spoilt_memory_is_no_memory(text: str, tmp_path: Path) -> None:
    file = tmp_path / "lookups.json"
    file.write_text(text, "utf-8")
    memory = Memory(file, NOW)
    assert memory.recall("https://x.org/", whole=False) is None
    memory.learn("https://x.org/", Answer(200))
    memory.save()
    assert Memory(file, NOW).recall("https://x.org/", whole=False) == Answer(200)


def test_what_was_not_asked_for_a_rule_of_ours_is_not_remembered() -> None:
    memory = Memory(None, NOW)
    memory.learn("https://x.org:8080/", Answer(fault=Fault.PORT))
    assert memory.recall("https://x.org:8080/", whole=False) is None


def test_a_memory_that_cannot_be_written_is_no_fault_of_the_links(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file where a folder should be", "utf-8")
    memory = Memory(tmp_path / "var" / "lookups.json", NOW)
    memory.learn("https://x.org/", Answer(200))
    memory.save()
