"""The ready workflow and the commit hook do what their page says: a change is held against the rules."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.stories.installation import REPOSITORY, Installation

WORKFLOW: dict[str, Any] = yaml.safe_load((REPOSITORY / "docs/how-to/check.yml").read_text("utf-8"))
STEPS = {step.get("name"): step for step in WORKFLOW["jobs"]["check"]["steps"]}
(HOOK,) = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
SECRETS = """
smtp_password_file = "secrets/smtp"
slack_token_file = "secrets/slack"

[dkim]
domain = "example.org"
keys = [{ selector = "s1", file = "secrets/dkim.pem" }]
"""


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    """A repository of a newsletter whose main branch holds one issue, and `broadsheet` on the path."""
    made = Installation(
        tmp_path / "news", 'kind = "smtp"\nhost = "mail.example.org"\nsecurity = "tls"', slack=""
    )
    path = made.root / "config/bot.toml"
    path.write_text(path.read_text("utf-8").replace("\n[transport]", f"{SECRETS}\n[transport]"), "utf-8")
    made.issue()
    command = tmp_path / "bin/broadsheet"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m bot "$@"\n', "utf-8")
    command.chmod(0o755)
    made.environment |= {"PATH": f"{command.parent}:{made.environment['PATH']}", "GITHUB_BASE_REF": "main"}
    made.environment |= WORKFLOW["jobs"]["check"]["env"]
    for words in (
        "init -q -b main",
        "add -A",
        "commit -q -m one",
        "update-ref refs/remotes/origin/main HEAD",
    ):
        git(made, *words.split())
    return made


def git(here: Installation, *words: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *words], cwd=here.root, check=True, timeout=60)


def changed(here: Installation, name: str, text: str) -> None:
    """Put a file on a branch."""
    here.write(name, text)
    git(here, "add", "-A")
    git(here, "commit", "-q", "-m", "two")


def step(here: Installation, name: str) -> "subprocess.CompletedProcess[str]":
    """Run a step of the workflow as GitHub does."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(
        command, cwd=here.root, env=here.environment, capture_output=True, text=True, timeout=90, check=False
    )


FAULTY = "---\ntitle: Two\nstatus: redy\n---\n\n## A paper\n\n[Paper](https://example.org/9)\n\nWords.\n"
FOUND = "::error file=content/ai-papers/2025-W18.md,line=3,title=content.status::"


def test_a_faulty_issue_of_a_pull_request_fails_the_job_with_an_annotation(here: Installation) -> None:
    changed(here, "content/ai-papers/2025-W18.md", FAULTY)
    answer = step(here, "Check what the pull request changes")
    assert answer.returncode != 0, answer.stderr
    assert FOUND in answer.stdout


def test_a_pull_request_answers_for_what_it_changes(here: Installation) -> None:
    changed(here, "content/ai-papers/2025-W18.md", FAULTY)
    git(here, "update-ref", "refs/remotes/origin/main", "HEAD")
    changed(here, "content/ai-papers/2025-W19.md", FAULTY.replace("redy", "ready").replace("/9", "/10"))
    answer = step(here, "Check what the pull request changes")
    assert (answer.returncode, FOUND in answer.stdout) == (0, False), answer.stdout + answer.stderr
    everything = step(here, "Check everything")
    assert (everything.returncode, FOUND in everything.stdout) == (1, True)


def test_a_pull_request_that_changes_nothing_of_ours_is_none_of_our_business(here: Installation) -> None:
    changed(here, "notes.txt", "{{ TODO }}")
    answer = step(here, "Check what the pull request changes")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("file", "ours"),
    [
        ("content/ai-papers/2025-W17.md", True),
        ("content/ai-papers/entries/one.md", True),
        ("config/newsletters/ai-papers.toml", True),
        ("templates/themes/own.html.j2", True),
        ("letters/content/ai-papers/2025-W17.md", False),
        ("README.md", False),
    ],
)
def test_the_hook_is_asked_about_what_makes_an_issue(file: str, *, ours: bool) -> None:
    assert bool(re.search(HOOK["files"], file)) is ours


def test_the_hook_stops_a_commit_for_an_error_in_the_files_it_is_given(here: Installation) -> None:
    assert (HOOK["language"], HOOK["entry"]) == ("python", "broadsheet check")
    words = HOOK["entry"].split()[1:]
    here.write("content/ai-papers/2025-W18.md", FAULTY)
    assert here(*words, "content/ai-papers/2025-W17.md").status == 0
    answer = here(*words, "content/ai-papers/2025-W17.md", "content/ai-papers/2025-W18.md")
    assert answer.status == 1
    assert "status: 'redy' is none of draft, ready" in answer.out


def test_the_page_shows_the_hook_that_there_is() -> None:
    page = (REPOSITORY / "docs/how-to/check-in-ci.md").read_text("utf-8")
    assert f"- id: {HOOK['id']}" in page
    assert "(check.yml)" in page
