"""What bad input gets: one clear line that says where, what and how to mend, status 2, and nothing sent."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.smtp import Scripted, reply
from tests.stories.installation import ISSUE, InProcess, Installation

WEEK = ISSUE.format(title="T", week="2025-W17", status="ready")


@pytest.fixture
def here(begun: Path, tmp_path: Path) -> Installation:
    """A fresh installation with one reader."""
    return Installation.copied(begun, tmp_path)


@pytest.fixture
def inside(begun: Path, tmp_path: Path) -> Installation:
    """The same without a process for each command, for tables of many."""
    return InProcess.copied(begun, tmp_path)


def nothing_went_out(here: Installation) -> bool:
    return not list((here.root / "outbox").rglob("*.eml"))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (WEEK.replace("week: 2025-W17", "week: 2025-W53"), "2025-W17.md:3: week: "),
        (WEEK.replace("title: ", "titel: "), "2025-W17.md:2: titel: "),
        (WEEK.replace("---\n\nAn intro", "\nAn intro"), "2025-W17.md:1: "),
        (WEEK.replace('title: "T"', 'title: "T"\ntitle: "U"'), "2025-W17.md:3: title: "),
        (WEEK.replace('"T"', '""'), "2025-W17.md:2: title: "),
        (WEEK.replace('"T"', '"a\\nBcc: e@x.org"'), "2025-W17.md:2: title: "),
        (WEEK.replace('"T"', '"=?utf-8?q?x?="'), "2025-W17.md:2: title: "),
        (WEEK.replace("status: ready", "status: redy"), "2025-W17.md:4: status: "),
        (WEEK.replace("An intro", "An \0 intro"), "2025-W17.md:7: "),
    ],
    ids=["week", "key", "unclosed", "twice", "empty", "line-break", "encoded-word", "status", "nul"],
)
def test_a_broken_issue_is_refused_with_its_line(inside: Installation, content: str, line: str) -> None:
    inside.write("content/ai-papers/2025-W17.md", content)
    answer = inside("publish", "2025-W17")
    assert answer.status == 2
    assert f"content/ai-papers/{line}" in answer.complaint
    assert "Traceback" not in answer.err
    assert nothing_went_out(inside)


def test_invalid_utf_8_is_refused_with_its_offset(here: Installation) -> None:
    path = here.issue()
    path.write_bytes(path.read_bytes().replace(b"An intro", b"An \xff intro"))
    answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert str(path.read_bytes().index(b"\xff")) in answer.complaint


def test_one_bad_file_does_not_hide_the_others(here: Installation) -> None:
    here.issue()
    here.write("content/ai-papers/2025-W18.md", WEEK.replace("2025-W17", "2025-W99"))
    here.write("content/ai-papers/2025-W19.md", "---\ntitle: [\n---\n")
    answer = here("check", "--format", "json")
    assert answer.status == 1
    assert {
        finding["place"].split(":")[0][-11:] for finding in answer.json if finding["severity"] == "error"
    } == {
        "2025-W18.md",
        "2025-W19.md",
    }
    assert here("publish", "2025-W17").status == 0


def test_an_issue_that_cannot_be_read_is_listed_as_faulty(inside: Installation) -> None:
    inside.issue()
    inside.write("content/ai-papers/2025-W19.md", "---\ntitle: [\n---\n")
    inside.write("content/ai-papers/notes.md", "---\ntitle: [\n---\n")  # of no week that one could tell
    rows = inside("issues", "--format", "json").json
    assert {row["issue"]: row["state"] for row in rows} == {"2025-W19": "faulty", "2025-W17": "ready"}


def test_two_files_for_one_week_are_an_error_that_names_both(here: Installation) -> None:
    here.issue()
    here.write("content/ai-papers/again.md", WEEK)
    answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert "2025-W17.md" in answer.err
    assert "again.md" in answer.err
    assert nothing_went_out(here)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "config/bot.toml",
            'kind = "maildir"',
            'kind = "smtpp"',
            "transport.kind: 'smtpp' is none of maildir, smtp",
        ),
        ("config/bot.toml", "base_url", "base_ulr", "base_ulr: no such key"),
        ("config/newsletters/ai-papers.toml", "Europe/Berlin", "Europe/Berln", "schedule.zone: "),
        ("config/newsletters/ai-papers.toml", '"09:00"', '"9"', "schedule.at: "),
        ("config/newsletters/ai-papers.toml", "conversation =", "channel =", "channels.team."),
        ("config/newsletters/ai-papers.toml", "title =", "title", "ai-papers.toml"),
    ],
)
def test_a_broken_configuration_names_file_and_key(
    inside: Installation, file: str, old: str, new: str, said: str
) -> None:
    path = inside.root / file
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    answer = inside("publish", "2025-W17")
    assert answer.status == 2
    assert said in answer.err
    assert file in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("publish", "2025-W53"),
        ("publish", "2025-17"),
        ("publish", "other/2025-W17"),
        ("status", "2025-W17"),
        ("next", "--now", "2027-02-29T00:00Z"),
        ("next", "--now", "2027-02-28T00:00"),
        ("resolve", "2025-W17"),
        ("publsh",),
        ("import", "no-such-file.md"),
        ("subscribers", "import", "no-such-file.csv"),
        ("subscribers", "add", "not-an-address"),
        ("render", "2025-W17", "--out", "x", "--as", "nobody@example.org"),
        ("--config", "nowhere/bot.toml", "issues"),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_one_line_and_status_2(inside: Installation, words: tuple[str, ...]) -> None:
    inside.issue()
    answer = inside(*words)
    assert answer.status == 2
    assert answer.complaint
    assert "Traceback" not in answer.err


def broken(path: Path) -> None:
    path.write_bytes(b"this is no database, whatever its name says" * 100)


def read_only(path: Path) -> None:
    path.chmod(0o400)
    path.parent.chmod(0o500)


@pytest.mark.parametrize("harm", [broken, read_only], ids=["broken", "read-only"])
def test_a_database_that_cannot_be_used_is_named(here: Installation, harm: Callable[[Path], None]) -> None:
    if harm is read_only and os.getuid() == 0:
        pytest.skip("root may write everywhere")
    here.issue()
    harm(here.root / "var/broadsheet.db")
    for extra in ("-wal", "-shm"):
        (here.root / f"var/broadsheet.db{extra}").unlink(missing_ok=True)
    answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert "broadsheet.db" in answer.complaint
    assert "Traceback" not in answer.err


def test_a_locked_database_is_waited_for_and_then_named(here: Installation) -> None:
    here.issue()
    with sqlite3.connect(here.root / "var/broadsheet.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = here("publish", "2025-W17")
        other.execute("ROLLBACK")
    other.close()
    assert answer.status == 2
    assert "locked" in answer.complaint
    assert nothing_went_out(here)


def test_a_relay_that_refuses_connections_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    with Scripted() as server:
        port = server.port
    here = Installation(tmp_path, f'kind = "smtp"\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"')
    here.issue()
    here.readers(3)
    answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert f"127.0.0.1:{port}" in answer.err
    assert here.balance()["waiting"] == 3


def test_a_relay_that_will_not_relay_stops_the_run_with_its_words(tmp_path: Path) -> None:
    with Scripted({"RCPT": reply(554, "5.7.1 Relay access denied")}) as server:
        here = Installation(
            tmp_path, f'kind = "smtp"\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"'
        )
        here.issue()
        here.readers(50)
        answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert "Relay access denied" in answer.err
    assert here.balance()["waiting"] == 50


def test_pretending_a_time_does_not_send_over_a_network_by_accident(tmp_path: Path) -> None:
    here = Installation(tmp_path, 'kind = "smtp"\nhost = "127.0.0.1"\nport = 9\nsecurity = "none"')
    here.issue()
    answer = here("publish", "2025-W17", "--now", "2025-04-25T09:00+02:00")
    assert (answer.status, "--allow-time-travel" in answer.complaint) == (2, True)


def test_a_missing_slack_token_is_named(tmp_path: Path) -> None:
    here = Installation(tmp_path, slack="")
    here.issue()
    answer = here("publish", "2025-W17")
    assert answer.status == 2
    assert "BROADSHEET_SLACK_TOKEN" in answer.err


def test_a_bad_row_is_reported_by_its_line_and_the_others_go_in(here: Installation) -> None:
    here.write(
        "more.csv",
        'email,name\nok@example.org,Ann\nnonsense,Bob\nfine@example.org,"a\nb"\nlast@example.org,Zed\n',
    )
    answer = here("subscribers", "import", "more.csv", "--format", "json")
    assert answer.status == 1
    assert answer.json["added"] == 2
    assert [row["line"] for row in answer.json["rejected"]] == [3, 4]
