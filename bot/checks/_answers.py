"""Findings for machines: JSON documents, and the lines that GitHub turns into annotations."""

import re
from collections.abc import Iterable

from bot.checks._places import located
from bot.models import Finding, Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def as_json(findings: Iterable[Finding]) -> list[dict[str, str | None]]:
    """One document per finding, with the keys that scripts rely on."""
    return [
        {
            "rule": finding.rule,
            "severity": finding.severity.value,
            "issue": finding.issue,
            "place": finding.place,
            "message": finding.message,
            "fix": finding.fix,
        }
        for finding in findings
    ]


def github(findings: Iterable[Finding], folder: str = "") -> str:
    """Workflow commands, one a line: `::error file=content/a.md,line=12,col=5,title=content.week::…`.

    `folder` is where the installation is in its repository, from whose top GitHub reads the names of files.
    """
    return "\n".join(_annotation(finding, folder) for finding in findings)


def _annotation(finding: Finding, folder: str) -> str:
    properties = {**_location(finding.place, folder), "title": finding.rule}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = ": ".join(part for part in (finding.message, finding.fix) if part)
    if "file" not in properties and finding.place:
        message = f"{finding.place}: {message}"
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(message)}"


def _location(place: str, folder: str) -> dict[str, str]:
    """The file, line and column of a place; none where it is a variable of the environment."""
    spot = located(place)
    if re.fullmatch(r"[A-Z0-9_]*", spot.file):
        return {}
    numbers = {"line": spot.line, "col": spot.column}
    file = f"{folder}/{spot.file}" if folder else spot.file
    return {"file": file, **{name: str(number) for name, number in numbers.items() if number}}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
