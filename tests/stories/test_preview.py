"""`broadsheet preview`: the studio on one's own machine, at a link that opens once."""

import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import pytest

from tests.stories.installation import Installation

NEEDS_SECRETS = """\
kind = "smtp"
host = "relay.example.org"
user = "papers"
"""


@pytest.fixture
def bare(tmp_path: Path) -> Installation:
    made = Installation(tmp_path, approval="required")
    made.issue()
    return made


@pytest.fixture
def here(bare: Installation) -> Installation:
    """One whose server has secrets that are not on this machine."""
    return Installation(bare.root, NEEDS_SECRETS, approval="required")


@contextmanager
def started(here: Installation, *words: str) -> Iterator[tuple[Popen[str], str]]:
    """A command that prints the studio's link, and the link."""
    process = here.start(*words)
    try:
        assert process.stdout
        assert process.stderr
        stream = process.stdout if words[0] == "preview" else process.stderr
        for line in stream:
            if found := re.search(r"http://127\.0\.0\.1:\d+/studio/enter/[\w-]+", line):
                yield process, found[0]
                return
        pytest.fail(f"it printed no link: {process.stderr.read()}")
    finally:
        process.kill()
        process.communicate(timeout=60)


def asked(link: str, path: str = "", cookie: str = "") -> tuple[HTTPResponse, str]:
    """The answer at an address of the same server, and what it says."""
    parts = urlsplit(link)
    with closing(HTTPConnection(parts.netloc, timeout=60)) as connection:
        connection.request("GET", path or parts.path, headers={"Cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        return answer, answer.read().decode()


def entered(link: str) -> str:
    """The cookie of whoever opens the link."""
    answer, _ = asked(link)
    assert answer.status == 303
    return answer.headers["Set-Cookie"].partition(";")[0]


def test_preview_shows_the_issue_without_any_secret_and_ends_when_asked(here: Installation) -> None:
    with started(here, "preview", "2025-W17", "--no-open") as (process, link):
        answer, _ = asked(link)
        assert answer.headers["Location"] == "/studio/ai-papers/2025-W17"
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        answer, page = asked(link, "/studio", cookie)
        assert (answer.status, "Two papers" in page) == (200, True)
        assert asked(link)[0].status == 410
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "The link opens once, within ten minutes. Ctrl-C ends the studio." in err


def test_who_previews_is_the_only_curator_or_whom_one_names_or_the_machines_user(
    here: Installation,
) -> None:
    def seen(*words: str) -> str:
        with started(here, "preview", "--no-open", *words) as (_, link):
            found = re.search(r'class="who"[^>]*>([^<]*)<', asked(link, "/studio", entered(link))[1])
            return found[1] if found else ""

    here.environment["LOGNAME"] = "somebody"
    assert seen() == "somebody"
    config = here.root / "config/newsletters/ai-papers.toml"
    curators = '[curators.ann]\nname = "Ann"\nemail = "ann@example.org"\n'
    config.write_text(config.read_text("utf-8") + curators, "utf-8")
    assert seen() == "Ann"
    config.write_text(config.read_text("utf-8") + '[curators.bo]\nemail = "bo@example.org"\n', "utf-8")
    assert seen("--as", "bo") == "bo"
    answer = here("preview", "--as", "bob")
    assert answer.status == 2
    assert answer.complaint.startswith("--as: 'bob' is no curator; did you mean 'bo'?: add [curators.<name>]")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("2025-W54",), "ISSUE: 2025-W54 does not exist: 2025 has no week 54: name a week such as 2025-W17"),
        (("talks/2025-W17",), "ISSUE: 'talks' is none of the newsletters ai-papers: name the issue"),
        (("--port", "70000"), "Invalid value for '--port': 70000 is not in the range 0<=x<=65535."),
    ],
)
def test_what_cannot_be_previewed_is_one_line(
    here: Installation, words: tuple[str, ...], complaint: str
) -> None:
    answer = here("preview", "--no-open", *words)
    assert answer.status == 2
    assert answer.complaint.startswith(complaint)


def test_for_programs_the_link_is_in_a_document(here: Installation) -> None:
    process = here.start("preview", "--no-open", "--format", "json")
    try:
        assert process.stdout
        document = "".join(iter(process.stdout.readline, "}\n"))
        assert re.search(r'"link": "http://127\.0\.0\.1:\d+/studio/enter/[\w-]+"', document)
    finally:
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.parametrize("command", ["run", "serve"])
def test_where_the_pages_are_served_the_studio_is_and_its_link_is_printed(
    bare: Installation, command: str
) -> None:
    with started(bare, command) as (process, link):
        cookie = entered(link)
        assert asked(link, "/studio", cookie)[0].status == 200
        assert asked(link, "/studio")[0].status == 403
        process.send_signal(signal.SIGTERM)
        assert "Traceback" not in process.communicate(timeout=60)[1]
    assert process.returncode == 0


def test_what_is_decided_in_the_studio_is_seen_by_every_command(bare: Installation) -> None:
    with started(bare, "preview", "--no-open") as (_, link):
        cookie = entered(link)
        page = asked(link, "/studio/ai-papers/2025-W17", cookie)[1]
        word = re.search(r'name="csrf" value="(\w+)"', page)
        assert word
        with closing(HTTPConnection(urlsplit(link).netloc, timeout=60)) as connection:
            head = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
            form = f"csrf={word[1]}&verb=held&seen="
            connection.request("POST", "/studio/ai-papers/2025-W17/decide", form, head)
            assert connection.getresponse().status == 303
    rows = bare("issues", "--format", "json").json
    assert [row["approval"] for row in rows if row["issue"] == "2025-W17"] == ["held"]
