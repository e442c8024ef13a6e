"""What newsletters and issues say about rules: how bad to take what one finds, or not to ask it at all."""

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.checks._rules import Rule
from bot.models import Finding, Issue, Severity
from bot.plugins import nearest
from bot.settings import Newsletter

OFF = "off"
LEVELS: tuple[str, ...] = (OFF, *(one.value for one in reversed(Severity)))
"""What can be said of a rule, from the mildest."""

_OWN_PLACE = re.compile(r"(?:content/|config/newsletters/)([a-z][a-z0-9_-]*)(?:/|\.toml)")


class Words:
    """The words of the newsletters and issues at hand; an issue's word wins over its newsletter's.

    What is about no single newsletter is taken as badly as by the newsletter that takes it worst.
    """

    def __init__(self, newsletters: Iterable[Newsletter], issues: Iterable[Issue]) -> None:
        self._newsletters: dict[str, Mapping[str, str]] = {one.name: one.checks for one in newsletters}
        self._issues: dict[str, Mapping[str, str]] = {one.key: one.checks for one in issues if one.checks}

    def asks(self, rule: Rule[Any]) -> bool:
        """Whether anybody wants to know what a rule finds."""
        said = [words.get(rule.id) for words in self._newsletters.values()]
        said += [words[rule.id] for words in self._issues.values() if rule.id in words]
        return rule.binding or not said or any(word != OFF for word in said)

    def heard(self, rule: Rule[Any], finding: Finding) -> Finding | None:
        """The finding, as bad as it is to be taken; None where nobody wants to know."""
        if rule.binding:
            return finding
        said = (words.get(rule.id, finding.severity) for words in self._concerned(finding))
        level = max(said, key=LEVELS.index, default=finding.severity)
        return None if level == OFF else replace(finding, severity=Severity(level))

    def _concerned(self, finding: Finding) -> list[Mapping[str, str]]:
        """The words of whom a finding is about."""
        own = finding.issue or ((found := _OWN_PLACE.match(finding.place)) and found[1]) or ""
        if (name := own.partition("/")[0]) not in self._newsletters:
            return [*self._newsletters.values()]
        return [ChainMap(dict(self._issues.get(own, {})), dict(self._newsletters[name]))]


def refused(name: str, word: str, known: Mapping[str, Rule[Any]]) -> tuple[str, str] | None:
    """What is wrong with what is said of a rule, and how to mend it; None where it can be said."""
    if name not in known:
        hint = nearest(name, known).removeprefix("; ")
        return "no such rule", hint or "the rules are listed in docs/reference/rules.md"
    if word not in LEVELS:
        return f"{word!r} is none of {', '.join(LEVELS)}", nearest(word, LEVELS).removeprefix("; ")
    if known[name].binding and word != known[name].severity:
        return "protects from harm: it cannot be switched off or made milder", "leave it out"
    return None
