"""The command line: what may stand where, and how quickly it answers."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from bot.cli import COMMANDS, _hoisted, broadsheet


@pytest.mark.parametrize(
    ("words", "front"),
    [
        (["status", "--format", "json"], ["--format", "json", "status"]),
        (["render", "W", "--now", "T", "--out", "x"], ["--now", "T", "render", "W", "--out", "x"]),
        (["plan", "--format=json", "W"], ["--format=json", "plan", "W"]),
        (["publish", "--allow-time-travel", "W"], ["--allow-time-travel", "publish", "W"]),
        (["issues", "--now"], ["--now", "issues"]),
        (["subscribers", "add", "--", "--now"], ["subscribers", "add", "--", "--now"]),
    ],
)
def test_global_options_may_stand_anywhere(words: list[str], front: list[str]) -> None:
    assert _hoisted(words) == front


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    answer = run(command, "--help")
    assert answer.returncode == 0
    assert answer.stdout.startswith("Usage:")


def test_help_says_what_each_command_does_in_a_whole_sentence() -> None:
    told = (
        CliRunner().invoke(broadsheet, ["--help"]).stdout.partition("Commands:")[2].partition("Examples:")[0]
    )
    assert "..." not in told
    assert "Hold configuration, content and what would go out against every" in told


def test_help_imports_nothing_heavy() -> None:
    """The whole of `--help` is to take 0.3 s at most; what costs time is importing."""
    code = "import sys; sys.argv = ['broadsheet', '--help']\nfrom bot.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    heavy = (
        "sqlalchemy",
        "pydantic",
        "jinja2",
        "premailer",
        "slack_sdk",
        "apscheduler",
        "rich",
        "lxml",
        "alembic",
    )
    code += f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert answer.stderr.strip() == "[]"
