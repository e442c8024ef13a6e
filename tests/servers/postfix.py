"""Debian's Postfix of the tests' own: it takes mail in, passes it on to itself, delivers it to a folder.

port `relay` → cleanup → qmgr → smtp (Postfix's own client, which rewrites) → port `last` → virtual → Maildir
port `narrow` → … → port `seven`, which takes no octet above 127 → …
port `stranger`: relays for nobody; `small`: takes little; `ascii`: knows no SMTPUTF8; `greylisting`

Nothing of the machine's own Postfix is read or touched, and no name is looked up: all that is outside of
`denied.test` lands in the folder.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from pathlib import Path

import pytest

POSTFIX = Path("/usr/sbin/postfix")
MASTER_PROGRAM = "/usr/lib/postfix/sbin/master"
LIFE = "1800"
"""Seconds after which it ends by itself, should the tests be killed."""
NOBODY = "nobody"
DENIED = "denied.test"
"""The one domain that is not ours to deliver to."""
SMALL = 8192
"""Octets that the port `small` takes, at most."""

MAIN = """\
compatibility_level = 3.6
config_directory = {folder}/config
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = relay.test
mydestination =
mynetworks = 127.0.0.0/8
smtp_dns_support_level = disabled
smtp_host_lookup = native
smtpd_peername_lookup = no
disable_dns_lookups = yes
local_recipient_maps =
alias_maps =
alias_database =
smtputf8_enable = yes
smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination
smtpd_client_connection_rate_limit = 0
virtual_mailbox_domains = regexp:{folder}/config/domains
virtual_mailbox_maps = static:inbox/
virtual_mailbox_base = {folder}
virtual_mailbox_limit = 0
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
smtp_tls_security_level = none
"""

MASTER = """\
127.0.0.1:{relay} inet n - n - - smtpd
    -o content_filter=smtp:[127.0.0.1]:{last}
127.0.0.1:{last} inet n - n - - smtpd
    -o myhostname=last.test
127.0.0.1:{narrow} inet n - n - - smtpd
    -o content_filter=smtp:[127.0.0.1]:{seven}
127.0.0.1:{seven} inet n - n - - smtpd
    -o myhostname=seven.test
    -o smtpd_discard_ehlo_keywords=8bitmime,smtputf8,chunking
127.0.0.1:{stranger} inet n - n - - smtpd
    -o mynetworks=192.0.2.1/32
127.0.0.1:{small} inet n - n - - smtpd
    -o message_size_limit={size}
127.0.0.1:{ascii} inet n - n - - smtpd
    -o smtputf8_enable=no
127.0.0.1:{greylisting} inet n - n - - smtpd
    -o smtpd_recipient_restrictions=check_recipient_access,regexp:{folder}/config/greylist
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

PORTS = ("relay", "last", "narrow", "seven", "stranger", "small", "ascii", "greylisting")


@dataclass(frozen=True)
class Arrived:
    """One mail as it lies in the folder: who it is for, and its bytes from our first header on."""

    recipient: str
    data: bytes
    """With CRLF line ends, as it was on the wire; without what the servers put on top of it."""

    @property
    def head(self) -> Message:
        return BytesHeaderParser().parsebytes(self.data)

    @property
    def body(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[2]


@dataclass(frozen=True)
class Postfix:
    """A running server: its ports on 127.0.0.1 by their names, and what has arrived."""

    folder: Path
    ports: Mapping[str, int]

    def transport(self, port: str = "relay", *more: str) -> str:
        """The lines of `[transport]` for one of its ports."""
        lines = ['kind = "smtp"', 'host = "127.0.0.1"', f"port = {self.ports[port]}", 'security = "none"']
        return "\n".join([*lines, *more])

    def forget(self) -> None:
        """Empty the folder, and let the greylist know nobody."""
        for path in (self.folder / "inbox").rglob("*"):
            if path.is_file():
                path.unlink()

    def arrived(self, count: int, seconds: float = 60) -> list[Arrived]:
        """What is in the folder, as soon as there are `count` mails and Postfix has nothing left to do."""
        deadline = time.monotonic() + seconds
        while len(found := list((self.folder / "inbox/new").glob("*"))) < count or self._busy():
            assert time.monotonic() < deadline, f"{len(found)} of {count} arrived; {self.log()}"
            time.sleep(0.02)  # Postfix tells nobody when it has delivered
        return sorted((_arrived(path.read_bytes()) for path in found), key=lambda mail: mail.recipient)

    def log(self) -> str:
        """The end of its log, for the message of a test that failed."""
        log = self.folder / "log"
        return "\n".join(log.read_text("utf-8", "replace").splitlines()[-30:]) if log.exists() else "no log"

    def _busy(self) -> bool:
        queues = (self.folder / "queue" / name for name in ("incoming", "active", "maildrop"))
        return any(path.is_file() for queue in queues for path in queue.rglob("*"))


def _arrived(raw: bytes) -> Arrived:
    """A file of the folder, without the lines that delivery put on top of it."""
    data = raw.replace(b"\n", b"\r\n")
    recipient = ""
    while (line := data.partition(b"\r\n")[0]).lower().startswith(TOP):
        if line.lower().startswith(b"delivered-to:"):
            recipient = line.partition(b":")[2].strip().decode()
        data = data.partition(b"\r\n")[2]
        while data[:1] in {b" ", b"\t"}:
            data = data.partition(b"\r\n")[2]
    return Arrived(recipient, data)


TOP = (b"return-path:", b"x-original-to:", b"delivered-to:", b"received:")


@pytest.fixture(scope="session")
def postfix() -> Iterator[Postfix]:
    """Start a Postfix that nobody else uses, and end it; skip where there is none, or no root to start it."""
    if not POSTFIX.exists():
        pytest.skip("needs Postfix: apt-get install postfix")
    if os.geteuid() != 0:
        pytest.skip("needs root: Postfix's master gives up its rights by itself")
    folder = Path(tempfile.mkdtemp(prefix="broadsheet-postfix-"))
    try:
        folder.chmod(0o755)  # Postfix's own users look into it
        with _running(folder) as server:
            yield server
    finally:
        shutil.rmtree(folder)


@contextmanager
def _running(folder: Path) -> Iterator[Postfix]:
    ports = _free_ports(PORTS)
    _set_up(folder, ports)
    configured = ["-c", str(folder / "config")]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([str(POSTFIX), *configured, "check"], check=True, cwd="/", timeout=60, **quiet)  # type: ignore[call-overload] # three streams
    started = subprocess.run(
        [MASTER_PROGRAM, "-w", "-e", LIFE, *configured], check=False, cwd="/", timeout=60, **quiet
    )  # type: ignore[call-overload] # three streams
    server = Postfix(folder, ports)
    assert started.returncode == 0, server.log()
    pid = int((folder / "queue/pid/master.pid").read_text())
    try:
        yield server
    finally:
        os.kill(pid, signal.SIGTERM)
        _wait_for_end(pid)


def _set_up(folder: Path, ports: Mapping[str, int]) -> None:
    owner, nobody = pwd.getpwnam("postfix"), pwd.getpwnam(NOBODY)
    for name, user in (("config", 0), ("queue", 0), ("data", owner.pw_uid), ("inbox", nobody.pw_uid)):
        (folder / name).mkdir()
        os.chown(folder / name, user, -1)
    values = {"folder": folder, "uid": nobody.pw_uid, "gid": nobody.pw_gid, "size": SMALL, **ports}
    files = {
        "main.cf": MAIN.format(**values),
        "master.cf": MASTER.format(**values),
        "domains": f"!/^{DENIED.replace('.', '[.]')}$/ ours\n",
        "greylist": "/^later/ 450 4.7.1 Greylisted, come back later\n/./ OK\n",
    }
    for name, text in files.items():
        (folder / "config" / name).write_text(text)


def _free_ports(names: tuple[str, ...]) -> dict[str, int]:
    """As many ports as there are names: all are held at once, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    try:
        return {name: held.getsockname()[1] for name, held in zip(names, sockets, strict=True)}
    finally:
        for held in sockets:
            held.close()


def _wait_for_end(pid: int, seconds: float = 60) -> None:
    """Until the server is gone; it is no child of ours."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)  # it is not ours to wait for
