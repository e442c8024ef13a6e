"""Findings for machines: JSON documents, and the lines that GitHub turns into annotations."""

import re
from collections.abc import Iterable

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


def github(findings: Iterable[Finding]) -> str:
    """Workflow commands, one a line: `::error file=content/a.md,line=12,title=content.week::…`."""
    return "\n".join(map(_annotation, findings))


def _annotation(finding: Finding) -> str:
    properties = {**_location(finding.place), "title": finding.rule}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = ": ".join(part for part in (finding.message, finding.fix) if part)
    if "file" not in properties and finding.place:
        message = f"{finding.place}: {message}"
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(message)}"


def _location(place: str) -> dict[str, str]:
    """The file and line of a place; none where it is a variable of the environment."""
    file, _, line = place.rpartition(":")
    if line.isdecimal():
        return {"file": file, "line": line}
    return {} if re.fullmatch(r"[A-Z0-9_]*", place) else {"file": place}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
