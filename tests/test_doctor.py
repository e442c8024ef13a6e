"""The doctor: each examination's verdicts as tables, and whole commands against servers on loopback."""

import http.server
import json
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given, strategies as st
from pydantic import SecretStr

from bot import plugins
from bot.channels._slack_client import client
from bot.cli import broadsheet
from bot.cli.doctor import _lines
from bot.dkim import Key
from bot.doctor import (
    Diagnosis,
    Patient,
    State,
    as_json,
    cleaned,
    clock,
    configuration,
    database,
    disk,
    dns,
    relay,
    slack,
)
from bot.doctor._records import Lookups
from bot.doctor.slack import Said
from bot.errors import StopRunError, StoreError, TransientError
from bot.settings import load
from bot.store.condition import Condition, condition
from bot.store.engine import HEAD, open_store
from bot.transports.smtp import Probe
from tests.servers.dns import DnsServer, Trouble
from tests.servers.postgres import Cluster, Database
from tests.servers.slack import (
    TOKEN,
    Conversation,
    Fault,
    SlackServer,
    bad_gateway,
    page_instead_of_json,
    refuse,
)
from tests.servers.smtp import inbox
from tests.stories.installation import Answer, Installation

PAGE = Path(__file__).resolve().parents[1] / "docs/how-to/dns.md"
NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)

# -------------------------------------------------------------------------------------------------- cleaning


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("\x1b[2Jgone\x07", "�[2Jgone�"),
        ("right\u202eleft", "right�left"),
        ("half \udc80", "half �"),
        ("ü 日本", "ü 日本"),
    ],
)
def test_nothing_from_outside_moves_the_cursor(text: str, shown: str) -> None:
    assert cleaned(text) == shown


@given(st.text(max_size=3000))
def test_what_is_shown_is_one_bounded_printable_line(text: str) -> None:
    line = cleaned(text)
    assert line.isprintable()
    assert len(line) <= 1501


def test_there_is_a_document_for_each_diagnosis() -> None:
    one = Diagnosis("disk", State.BAD, "var", "50 MB free", "make room")
    assert as_json([one]) == [
        {"check": "disk", "state": "bad", "where": "var", "message": "50 MB free", "fix": "make room"}
    ]


def test_every_examination_that_the_contract_names_is_there() -> None:
    assert set(plugins.kinds("doctor")) == {
        "configuration", "database", "relay", "dns", "slack", "clock", "disk",
    }  # fmt: skip


# ----------------------------------------------------------------------------------------------------- clock


@pytest.mark.parametrize(
    ("seconds", "state", "says"),
    [
        (0, State.GOOD, "+0 s"),
        (30, State.GOOD, "+30 s"),
        (-30, State.GOOD, "-30 s"),
        (31, State.WARNING, "31 s behind that one"),
        (-3600, State.WARNING, "3600 s ahead of that one"),
    ],
)
def test_a_clock_is_judged_by_another(seconds: int, state: State, says: str) -> None:
    sign = clock.judged_offset("https://example.org", timedelta(seconds=seconds))
    assert sign.state is state
    assert says in sign.message


@pytest.mark.parametrize(
    ("release", "state"),
    [
        ("2026a", State.GOOD),
        ("2024b", State.GOOD),
        ("2023c", State.WARNING),
        ("2025.2", State.GOOD),
        ("", State.GOOD),
    ],
)
def test_old_rules_of_time_zones_are_warned_of(release: str, state: State) -> None:
    assert clock.judged_rules(release, NOW).state is state


def test_a_zone_says_what_time_it_is_there() -> None:
    assert clock.judged_zone("Asia/Kolkata", NOW).message == "it is Mon 2026-11-30 13:30 +0530 there"


@contextmanager
def web_server(date: str | None) -> Iterator[str]:
    """A web server whose Date header says this; without one, it is no web server at all."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response_only(404)
            if date is not None:
                self.send_header("Date", date)
            self.end_headers()

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/letters"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("date", ["Mon, 30 Nov 2015 08:00:00 GMT", "Mon, 30 Nov 2015 08:00:00 -0000"])
def test_another_clock_is_asked_by_http(date: str) -> None:
    with web_server(date) as url:
        apart = clock.offset(url)
    assert apart is not None
    assert apart < timedelta(days=-3000)


@pytest.mark.parametrize(
    "date",
    [
        None,
        "",
        "soon",
        "Mon, 99 Nov 2015 08:00:00 GMT",
        "Mon, 30 Nov 99999 08:00:00 GMT",
        f"Mon, 30 Nov 2015 08:00:00 +{'9' * 30}",
    ],
)
def test_a_server_without_a_time_says_nothing(date: str | None) -> None:
    with web_server(date) as url:
        assert clock.offset(url) is None
    assert clock.offset(url) is None  # it is gone by now


# -------------------------------------------------------------------------------------------- configuration


@pytest.mark.parametrize(
    ("mode", "wrong"), [(0o600, False), (0o400, False), (0o640, False), (0o644, True), (0o602, True)]
)
def test_a_secret_is_for_nobody_else(mode: int, *, wrong: bool) -> None:
    assert bool(configuration.judged_mode(stat.S_IFREG | mode)) is wrong


# -------------------------------------------------------------------------------------------------- database

MOUNTS = [
    "overlay / overlay rw 0 0",
    "server:/export /srv/letters nfs4 rw 0 0",
    "/dev/sdb1 /srv/letters/var ext4 rw 0 0",
    r"box:/home /mnt/two\040words fuse.sshfs rw 0 0",
    "short",
]


@pytest.mark.parametrize(
    ("file", "kind", "elsewhere"),
    [
        ("/home/bot/var/broadsheet.db", "overlay", False),
        ("/srv/letters/broadsheet.db", "nfs4", True),
        ("/srv/letters/var/broadsheet.db", "ext4", False),
        ("/srv/letters-too/broadsheet.db", "overlay", False),
        ("/mnt/two words/broadsheet.db", "fuse.sshfs", True),
    ],
)
def test_the_file_system_below_a_database_is_known(file: str, kind: str, *, elsewhere: bool) -> None:
    assert database.filesystem(Path(file), MOUNTS) == kind
    assert database.is_elsewhere(kind) is elsewhere


SQLITE = Condition("/x/ledger.db", "SQLite 3.40.1", (3, 40, 1), Path("/x/ledger.db"), HEAD)
POSTGRES = Condition("postgresql://db/x", "PostgreSQL 15.4", (15, 4), None, HEAD)


@pytest.mark.parametrize(
    ("found", "kind", "states"),
    [
        (SQLITE, "ext4", [State.GOOD]),
        (SQLITE, "nfs", [State.GOOD, State.WARNING]),
        (replace(SQLITE, version=(), revision=None), "ext4", [State.GOOD]),
        (replace(SQLITE, revision=None), "ext4", [State.GOOD]),
        (replace(SQLITE, revision="0000"), "ext4", [State.WARNING]),
        (replace(SQLITE, revision="9999"), "ext4", [State.BAD]),
        (POSTGRES, "", [State.GOOD]),
        (replace(POSTGRES, server="PostgreSQL 12.1", version=(12, 1)), "", [State.GOOD, State.WARNING]),
    ],
)
def test_a_database_is_judged_by_what_it_says(found: Condition, kind: str, states: list[State]) -> None:
    assert [sign.state for sign in database.judged(found, kind)] == states


def test_looking_at_a_database_makes_and_changes_nothing(empty_database: Database) -> None:
    before = condition(empty_database.url, empty_database.root)
    assert before.revision is None
    assert not (empty_database.root / "var/ledger.db").exists()
    empty_database.open().close()
    after = condition(empty_database.url, empty_database.root)
    assert after.revision == HEAD
    assert after.version > (3,)
    assert condition(empty_database.url, empty_database.root) == after


def test_a_database_that_cannot_be_written_to_is_an_error(cluster: Cluster) -> None:
    url = cluster.create("readonly")
    open_store(url, Path()).close()
    with pytest.raises(StoreError, match="read-only"):
        condition(f"{url}?options=-c%20default_transaction_read_only%3Don", Path())
    cluster.drop("readonly")


def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match=r"ledger\.db"):
        condition("sqlite:///ledger.db", tmp_path)


# ------------------------------------------------------------------------------------------------------ disk


@pytest.mark.parametrize(
    ("free", "writable", "state"),
    [
        (10**12, True, State.GOOD),
        (10**9, True, State.GOOD),
        (10**9 - 1, True, State.WARNING),
        (10**8, True, State.WARNING),
        (10**8 - 1, True, State.BAD),
        (0, True, State.BAD),
        (10**12, False, State.BAD),
    ],
)
def test_room_on_the_disk_is_judged(free: int, state: State, *, writable: bool) -> None:
    assert disk.judged(Path("var"), free, writable=writable).state is state


# ----------------------------------------------------------------------------------------------------- relay


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("example.org", State.GOOD),
        ("mail.example.org.", State.GOOD),
        ("localhost", State.BAD),
        ("localhost.localdomain", State.BAD),
        ("newsbox", State.BAD),
        ("newsbox.local", State.BAD),
        ("", State.BAD),
        ("[192.0.2.1]", State.WARNING),
    ],
)
def test_what_we_call_ourselves_is_a_name_that_others_know(name: str, state: State) -> None:
    assert relay.judged_name(name).state is state


@pytest.mark.parametrize(
    ("probe", "state", "says"),
    [
        (Probe("r:25", ("8BITMIME", "PIPELINING", "SIZE 10240000", "SMTPUTF8")), State.GOOD, "in clear"),
        (Probe("r:587", ("SIZE 1", "SMTPUTF8"), "TLSv1.3"), State.GOOD, "(TLSv1.3); offers SIZE 1, SMTPUTF8"),
        (Probe("r:587", (), "TLSv1.3"), State.GOOD, "not to readers with letters"),
        (Probe("r:25", error=TransientError("r:25: no answer in time")), State.BAD, "no answer in time"),
        (Probe("r:25", error=StopRunError("AUTH: 535 5.7.8 no")), State.BAD, "535"),
    ],
)
def test_a_relay_is_judged_by_what_it_says(probe: Probe, state: State, says: str) -> None:
    (sign,) = relay.judged([probe])
    assert sign.state is state
    assert says in sign.message


@pytest.mark.parametrize(
    ("away", "states"),
    [
        ((False, False), [State.GOOD, State.GOOD]),
        ((True, False), [State.WARNING, State.GOOD]),
        ((False, True), [State.GOOD, State.WARNING]),
        ((True, True), [State.BAD, State.BAD]),
    ],
)
def test_while_one_relay_takes_mail_mail_goes_out(away: tuple[bool, bool], states: list[State]) -> None:
    probes = [Probe("r", error=TransientError("no answer") if gone else None) for gone in away]
    assert [sign.state for sign in relay.judged(probes)] == states


# ----------------------------------------------------------------------------------------------------- Slack

BOT = {"team": "Test", "user": "broadsheet", "bot_id": "B1"}
MAY_POST = frozenset({"chat:write", "channels:history"})


@pytest.mark.parametrize(
    ("answer", "states", "says"),
    [
        (Said(BOT, MAY_POST), [State.GOOD, State.GOOD], "scopes: channels:history, chat:write"),
        (Said(BOT, frozenset({"chat:write"})), [State.GOOD, State.GOOD, State.WARNING], "may not read back"),
        (Said(BOT, frozenset({"chat:write", "groups:history"})), [State.GOOD, State.GOOD], "groups:history"),
        (Said(BOT, MAY_POST | {"files:read"}), [State.GOOD, State.GOOD], "not needed: files:read"),
        (Said(BOT, frozenset({"channels:read"})), [State.GOOD, State.BAD], "chat:write is missing"),
        (Said(BOT, frozenset()), [State.GOOD, State.BAD], "chat:write is missing"),
        (Said(BOT, None), [State.GOOD, State.WARNING], "does not say"),
        (Said({"user": "ann"}, MAY_POST), [State.GOOD, State.WARNING, State.GOOD], "chat:write"),
        (Said(error="invalid_auth"), [State.BAD], "invalid_auth"),
        (Said(error="cannot be reached (Connection refused)"), [State.BAD], "refused"),
    ],
)
def test_a_token_is_judged_by_what_it_allows(answer: Said, states: list[State], says: str) -> None:
    signs = list(slack.judged_token(answer))
    assert [sign.state for sign in signs] == states
    assert says in signs[-1].message


@pytest.mark.parametrize(
    ("channel", "scopes", "state", "says"),
    [
        ({"name": "papers", "is_member": True}, MAY_POST, State.GOOD, "#papers"),
        ({"name": "papers", "is_member": False}, MAY_POST, State.BAD, "not in it"),
        ({"name": "papers"}, MAY_POST | {"chat:write.public"}, State.GOOD, "#papers"),
        ({"name": "p", "is_private": True}, MAY_POST | {"chat:write.public"}, State.BAD, "not in it"),
        ({"is_im": True}, MAY_POST, State.GOOD, "may be posted to"),
        ({"name": "papers", "is_member": True, "is_archived": True}, MAY_POST, State.BAD, "archived"),
        ({"name": 7, "is_member": True}, MAY_POST, State.GOOD, "there"),
        ("nonsense", MAY_POST, State.WARNING, "says nothing"),
    ],
)
def test_a_conversation_is_judged_by_what_it_is(
    channel: Any, scopes: frozenset[str], state: State, says: str
) -> None:
    sign = slack.judged_conversation("C1", Said({"channel": channel}), scopes)
    assert sign.state is state
    assert says in sign.message


@pytest.mark.parametrize(
    ("error", "state"),
    [("missing_scope", State.SKIPPED), ("channel_not_found", State.BAD), ("never_heard_of", State.BAD)],
)
def test_a_conversation_that_is_not_shown_says_why(error: str, state: State) -> None:
    assert slack.judged_conversation("C1", Said(error=error), MAY_POST).state is state


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (bad_gateway, "an answer that is none (HTTP 502)"),
        (page_instead_of_json, "an answer that is none"),
        (refuse("Not A Word \x1b[2J"), "an answer that is none (HTTP 200)"),
        (refuse("account_inactive"), "account_inactive"),
    ],
)
def test_what_is_no_answer_of_slacks_is_said_without_its_words(fault: Fault, error: str) -> None:
    with SlackServer() as server:
        server.otherwise = fault
        assert slack.said(client(server.url, SecretStr(TOKEN)), "auth.test").error.startswith(error)
    assert "cannot be reached" in slack.said(client(server.url, SecretStr(TOKEN)), "auth.test").error


# -------------------------------------------------------------------------------------------- whole commands

SMTP = """\
kind = "smtp"
host = "127.0.0.1"
port = {port}
security = "none"
"""
DKIM = """\

[dkim]
domain = "example.org"

[[dkim.keys]]
selector = "s2026"
file = "secrets/rsa.pem"

[[dkim.keys]]
selector = "e2026"
file = "secrets/ed25519.pem"
"""


@dataclass(frozen=True)
class Clinic:
    """An installation that sends by SMTP and Slack, and what it depends on, all on loopback."""

    installation: Installation
    dns: DnsServer
    slack: SlackServer

    def doctor(self, *words: str) -> Answer:
        """Run the command, within this process for the time it saves."""
        config = str(self.installation.root / "config/bot.toml")
        command = ["--config", config, "doctor", "--nameserver", self.dns.address, *words]
        result = CliRunner(env=self.installation.environment).invoke(broadsheet, command)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Answer(result.exit_code, result.stdout, result.stderr)

    def signs(self, *words: str) -> dict[str, list[dict[str, str]]]:
        """What is found, by examination."""
        answer = self.doctor("--format", "json", *words)
        assert answer.err == ""
        return {
            check: [one for one in answer.json if one["check"] == check] for check in plugins.kinds("doctor")
        }


@pytest.fixture(scope="module")
def keys() -> dict[str, Key]:
    return {
        "rsa": Key("s2026", generate_private_key(public_exponent=65537, key_size=2048)),
        "ed25519": Key("e2026", Ed25519PrivateKey.generate()),
    }


@pytest.fixture
def clinic(tmp_path: Path, keys: dict[str, Key]) -> Iterator[Clinic]:
    zones = {
        "example.org": {"TXT": ["v=spf1 mx ~all", "other=1"], "MX": ["10 mail.example.org."]},
        "mail.example.org": {"A": ["192.0.2.1"]},
        "_dmarc.example.org": {"TXT": ["v=DMARC1; p=quarantine; rua=mailto:dmarc@example.org"]},
        **{f"{key.selector}._domainkey.example.org": {"TXT": [key.record]} for key in keys.values()},
    }
    scopes = frozenset({"chat:write", "channels:read", "channels:history"})
    with SlackServer(scopes=scopes) as slack, DnsServer(zones) as dns, inbox(enable_SMTPUTF8=True) as relay:
        transport = SMTP.format(port=relay.port) + DKIM
        made = Installation(tmp_path, transport, slack=f'api_url = "{slack.url}"')
        # The machine of these tests asks nobody else, not even for the time.
        made.environment |= {"BROADSHEET_SLACK_TOKEN": TOKEN, "BROADSHEET_BASE_URL": "http://localhost:8000"}
        for name, key in keys.items():
            pem = key.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            made.write(f"secrets/{name}.pem", pem.decode()).chmod(0o600)
        yield Clinic(made, dns, slack)


def states(signs: Iterable[dict[str, str]]) -> set[str]:
    return {sign["state"] for sign in signs}


def test_an_installation_that_is_fit_to_send_is_told_so(clinic: Clinic) -> None:
    answer = clinic.installation("doctor", "--nameserver", clinic.dns.address)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines()[-1].endswith(": fit to send.")
    assert "DKIM: published, and the key that signs (RSA, 2048 bits)" in answer.out
    assert "DKIM: published, and the key that signs (Ed25519)" in answer.out
    assert "SPF: v=spf1 mx ~all (1 of 10 lookups)" in answer.out
    assert "example.org signs for example.org (relaxed)" in answer.out
    assert "signed in to Test as broadsheet" in answer.out
    assert TOKEN not in answer.out
    assert [call for call, _ in clinic.slack.calls] == ["auth.test", "conversations.info"]


def test_each_examination_has_its_part_of_the_answer(clinic: Clinic) -> None:
    signs = clinic.signs()
    assert all(signs.values())
    for check in ("database", "disk", "dns", "relay", "slack"):
        assert states(signs[check]) == {"good"}, signs[check]
    keys_of_all = {frozenset(sign) for group in signs.values() for sign in group}
    assert keys_of_all == {frozenset({"check", "state", "where", "message", "fix"})}


def test_where_nothing_is_published_each_record_is_written_out(clinic: Clinic, keys: dict[str, Key]) -> None:
    clinic.dns.zones.clear()
    answer = clinic.doctor()
    assert answer.status == 1
    assert answer.out.splitlines()[-1].endswith(": not fit to send.")
    lines = [line.strip() for line in answer.out.splitlines()]
    for key in keys.values():
        start = f'→ publish: {key.selector}._domainkey.example.org. TXT "{key.record}"'
        assert any(line.startswith(start) for line in lines)
    assert any(line.startswith('→ publish: _dmarc.example.org. TXT "v=DMARC1; p=none"') for line in lines)
    assert any(line.startswith('→ publish: example.org. TXT "v=spf1 ip4:<this machine') for line in lines)


def test_hostile_records_never_reach_the_terminal(clinic: Clinic) -> None:
    evil = b"\x1b]0;owned\x07\x1b[2J\r\n"
    clinic.dns.zones |= {
        "example.org": {"TXT": [(b"v=spf1 " + evil,)], "MX": [r"10 \027[2J.example.org."]},
        "_dmarc.example.org": {
            "TXT": [(b"v=DMARC1; p=none; rua=mailto:" + evil,), (b"v=DMARC1; p=" + evil,)]
        },
        "s2026._domainkey.example.org": {"TXT": [(b"v=DKIM1; k=" + evil,)]},
        "e2026._domainkey.example.org": {"TXT": [(b"v=DKIM1; p=" + b"A" * 200, b"A" * 200) * 50]},
    }
    answer = clinic.doctor()
    assert answer.status == 1
    assert "owned" in answer.out
    assert all(char.isprintable() for line in answer.out.split("\n") for char in line)
    assert max(map(len, answer.out.splitlines())) < 2000


def test_a_name_server_that_never_answers_is_no_verdict(clinic: Clinic) -> None:
    clinic.dns.zones |= dict.fromkeys(clinic.dns.zones, Trouble.HANG)
    settings = load(clinic.installation.root / "config/bot.toml", {})
    ask = Lookups(clinic.dns.address, timeout=0.1, lifetime=0.2)
    assert {sign.state for sign in dns.examine(Patient(settings, NOW, ask))} == {State.WARNING}


def test_offline_nothing_is_asked(clinic: Clinic) -> None:
    signs = clinic.signs("--offline")
    assert states([*signs["dns"], *signs["relay"], *signs["slack"]]) == {"skipped"}
    assert clinic.dns.asked == []
    assert clinic.slack.calls == []
    assert states(signs["database"]) == {"good"}


def test_a_token_that_slack_refuses_is_bad_and_never_shown(clinic: Clinic) -> None:
    clinic.installation.environment["BROADSHEET_SLACK_TOKEN"] = "xoxb-another-secret"
    (sign,) = clinic.signs()["slack"]
    assert sign["state"] == "bad"
    assert "invalid_auth" in sign["message"]
    assert "another-secret" not in json.dumps(sign)


@pytest.mark.parametrize(
    ("conversation", "state", "says"),
    [
        (Conversation(member=False), "bad", "the bot is not in it"),
        (Conversation(archived=True), "bad", "is archived"),
        (Conversation(private=True, member=False), "bad", "channel_not_found"),
    ],
)
def test_a_conversation_that_cannot_be_posted_to_is_bad(
    conversation: Conversation, state: str, says: str, clinic: Clinic
) -> None:
    clinic.slack.conversations["C0123456789"] = conversation
    sign = clinic.signs()["slack"][-1]
    assert (sign["where"], sign["state"]) == ("C0123456789", state)
    assert says in sign["message"]


def test_without_the_scope_to_look_a_conversation_is_not_judged(clinic: Clinic) -> None:
    clinic.slack.scopes = frozenset({"chat:write"})
    signs = clinic.signs()["slack"]
    assert [sign["state"] for sign in signs] == ["good", "good", "warning", "skipped"]
    assert "channels:read" in signs[-1]["fix"]


def test_a_relay_that_is_away_is_bad(clinic: Clinic) -> None:
    clinic.installation.environment["BROADSHEET_TRANSPORT__PORT"] = "1"
    name, sign = clinic.signs()["relay"]
    assert name["message"] == "EHLO example.org"
    assert (sign["state"], sign["where"]) == ("bad", "127.0.0.1:1")


def test_where_nothing_goes_by_mail_neither_relay_nor_dns_is_asked(clinic: Clinic) -> None:
    newsletter = clinic.installation.root / "config/newsletters/ai-papers.toml"
    without = newsletter.read_text("utf-8").replace('[channels.readers]\nkind = "email"\n', "")
    newsletter.write_text(without, "utf-8")
    signs = clinic.signs()
    assert states([*signs["dns"], *signs["relay"]]) == {"skipped"}


def test_what_may_not_be_looked_into_is_bad_and_no_traceback(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def examine(_patient: Patient) -> Iterator[None]:
        raise PermissionError(13, "Permission denied", "/closed/var")

    monkeypatch.setattr(disk, "examine", examine)
    (sign,) = clinic.signs("--offline")["disk"]
    assert (sign["state"], sign["where"], sign["message"]) == ("bad", "/closed/var", "Permission denied")


def test_a_key_that_is_none_and_one_that_anybody_reads_are_told(clinic: Clinic) -> None:
    folder = clinic.installation.root / "secrets"
    (folder / "rsa.pem").write_text("no key", "utf-8")
    (folder / "ed25519.pem").chmod(0o644)
    signs = clinic.signs()
    assert [sign["where"] for sign in signs["dns"] if sign["state"] == "bad"] == ["dkim.keys.0.file"]
    assert [sign["where"] for sign in signs["configuration"] if sign["fix"].startswith("chmod")] == [
        "secrets/ed25519.pem"
    ]


def test_without_signing_here_the_relay_must(clinic: Clinic) -> None:
    transport = clinic.installation.root / "config/bot.toml"
    transport.write_text(transport.read_text("utf-8").replace(DKIM, ""), "utf-8")
    (sign,) = [sign for sign in clinic.signs()["dns"] if sign["state"] != "good"]
    assert sign["state"] == "warning"
    assert "the relay must sign" in sign["message"]
    assert "header.d=" in sign["fix"]


def test_a_new_installation_is_fit_and_nothing_is_made_in_it(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    installation.environment["BROADSHEET_BASE_URL"] = "http://localhost:8000"
    before = sorted(path.name for path in tmp_path.rglob("*"))
    answer = installation("doctor")
    assert (answer.status, answer.err) == (0, "")
    assert "mails stay on this machine" in answer.out
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted([*before, "var"])


def test_what_is_no_name_server_ends_the_command(tmp_path: Path) -> None:
    answer = Installation(tmp_path)("doctor", "--nameserver", "dns.example.org")
    assert answer.status == 2
    assert answer.complaint.startswith("--nameserver: 'dns.example.org' is not an address")


def test_the_page_about_dns_shows_what_the_doctor_says(tmp_path: Path) -> None:
    zones = {"example.org": {"MX": ["10 mail.example.org."]}, "mail.example.org": {"A": ["192.0.2.1"]}}
    installation = Installation(tmp_path, 'kind = "smtp"\nhost = "smtp.relay.example"')
    settings = load(installation.root / "config/bot.toml", {})
    with DnsServer(zones) as server:
        signs = list(dns.examine(Patient(settings, NOW, Lookups(server.address))))
    width = max(len(sign.where) for sign in signs)
    diagnoses = [Diagnosis("dns", sign.state, sign.where, sign.message, sign.fix) for sign in signs]
    lines = [line.plain for one in diagnoses for line in _lines(one, width)]
    assert "\n".join(["dns", *lines]) in PAGE.read_text("utf-8")
