"""A fresh installation per story: its own folder and database, the real command in its own process."""

import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from bot import cli

REPOSITORY = Path(__file__).resolve().parents[2]

BOT = """\
database = "sqlite:///var/broadsheet.db"
base_url = "https://papers.example.org"

[transport]
{transport}
"""

NEWSLETTER = """\
title = "AI Papers of the Week"
sender = "AI Papers <papers@example.org>"
list_id = "ai-papers.example.org"
postal_address = "1 Example Street"
greeting = "Hello {name},"

[schedule]
day = "fri"
at = "09:00"
zone = "Europe/Berlin"
cut_off = "fri 08:00"
late_limit = "6h"
approval = "%(approval)s"

[channels.readers]
kind = "email"

[channels.team]
kind = "slack"
conversation = "C0123456789"
%(slack)s
"""

ISSUE = """\
---
title: "{title}"
week: {week}
status: {status}
---

An intro.

## A first paper

[Paper](https://example.org/1)

What it says, in *two* words.

- **Point one:** a claim
- **Point two:** another

## A second paper

[Paper](https://example.org/2)

A lead and nothing more.
"""


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line of an error, without the command's name."""
        lines = [line for line in self.err.splitlines() if line.startswith("broadsheet: ")]
        return lines[0].removeprefix("broadsheet: ") if lines else ""


class Installation:
    """A newsletter's folder, and the command in it."""

    def __init__(self, root: Path, transport: str = 'kind = "maildir"', **newsletter: str) -> None:
        self.root = root
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith("BROADSHEET_")
        }
        self.environment.pop(
            "PYTHONDONTWRITEBYTECODE", None
        )  # each command would compile all of the bot anew
        self.environment["PYTHONPATH"] = str(REPOSITORY)
        self.environment["BROADSHEET_WEB__LISTEN"] = "127.0.0.1:0"  # whatever else runs on this machine
        values = {"approval": "none", "slack": 'folder = "outbox/slack"', **newsletter}
        self.write("config/bot.toml", BOT.format(transport=transport))
        self.write("config/newsletters/ai-papers.toml", NEWSLETTER % values)

    @classmethod
    def copied(cls, made: Path, root: Path) -> Self:
        """Another installation, with all that is in the folder of one."""
        shutil.copytree(made, root, dirs_exist_ok=True)
        return cls(root)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def issue(self, week: str = "2025-W17", *, title: str = "Two papers", status: str = "ready") -> Path:
        return self.write(f"content/ai-papers/{week}.md", ISSUE.format(title=title, week=week, status=status))

    def readers(self, count: int) -> None:
        rows = "".join(f"reader{number}@example.org,Reader {number}\n" for number in range(count))
        file = self.write("readers.csv", f"email,name\n{rows}")
        assert self("subscribers", "import", str(file), "--confirmed").status == 0

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command and leave it running."""
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "bot", *words],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str) -> Answer:
        process = self.start(*words)
        out, err = process.communicate(timeout=90)
        return Answer(process.returncode, out, err)

    def balance(self, week: str = "2025-W17", channel: str = "readers") -> dict[str, int]:
        balance: dict[str, int] = self("status", week, "--format", "json").json["channels"][channel]
        return balance


class InProcess(Installation):
    """One whose commands run in the test's own process: quicker, where none has to die or to meet another."""

    def __call__(self, *words: str) -> Answer:
        out, err, status = io.StringIO(), io.StringIO(), 0
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.root)
            patch.setattr(sys, "argv", ["broadsheet", *words])
            for variable in [one for one in os.environ if one.startswith("BROADSHEET_")]:
                patch.delenv(variable)
            for variable, value in self.environment.items():
                patch.setenv(variable, value)
            try:
                cli.main()
            except SystemExit as end:
                status = int(end.code or 0)
        return Answer(status, out.getvalue(), err.getvalue())
