"""A web server on loopback that answers as each path is told to, over http or https."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Page: TypeAlias = tuple[int, dict[str, str], bytes]
Answering: TypeAlias = Callable[["Asked"], Page]


class Asked:
    """One request as it came."""

    def __init__(self, method: str, path: str, headers: dict[str, str], number: int) -> None:
        self.method, self.path, self.headers = method, path, headers
        self.number = number
        """How many asked for this path by this method before."""


class WebServer:
    """Its port, what it was asked, and what each path answers."""

    def __init__(self, pages: dict[str, Page | Answering]) -> None:
        self.pages = pages
        self.asked: list[tuple[str, str]] = []
        self.hosts: list[str] = []
        self.port = 0
        self.open_now = 0
        self.most_open = 0
        self._lock = Lock()

    def answer(self, method: str, path: str, headers: dict[str, str]) -> Page:
        with self._lock:
            number = self.asked.count((method, path))
            self.asked.append((method, path))
            self.hosts.append(headers.get("Host", ""))
        page = self.pages.get(path, (404, {}, b"no such page"))
        return page(Asked(method, path, headers, number)) if callable(page) else page

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self.open_now += 1
            self.most_open = max(self.most_open, self.open_now)
        try:
            yield
        finally:
            with self._lock:
                self.open_now -= 1


@contextmanager
def serving(pages: dict[str, Page | Answering], context: ssl.SSLContext | None = None) -> Iterator[WebServer]:
    """A server on a free port of loopback until the block ends."""
    server = WebServer(pages)
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    listening.daemon_threads = True
    if context:
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
    server.port = listening.server_address[1]
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


def _handler(server: WebServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            with server.counted():
                status, headers, body = server.answer(self.command, self.path, dict(self.headers.items()))
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

        do_GET = do_HEAD = _serve  # noqa: N815 (named by http.server)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (named by http.server)
            pass

    return Handler


def certificate(folder: Path, host: str, now: datetime) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context for a host, and a client's that trusts just that certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    try:
        known: x509.GeneralName = x509.IPAddress(ip_address(host))
    except ValueError:
        known = x509.DNSName(host)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([known]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "certificate.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    serves = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serves.load_cert_chain(pem)
    return serves, ssl.create_default_context(cadata=made.public_bytes(serialization.Encoding.PEM).decode())
