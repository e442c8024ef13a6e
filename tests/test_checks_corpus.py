"""Real newsletters, imported and held against every rule about content: what is found, and that no more is.

Every warning in the table was read: all are faults but one, the title of a pull request with “(TODO: add
date)” in it, which makes one false alarm in 149 issues. A rule that finds more has most likely begun to alarm
falsely; one that finds less may have gone blind.
"""

from collections import Counter
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.checks import Material, look
from bot.importing import import_file
from bot.models import Finding, Severity
from bot.sources.markdown import read_newsletter
from tests import manuscripts

UTC = ZoneInfo("UTC")
CORPORA = {
    "dair-ai": ("en", "README.md"),
    "swiftweekly": ("en", "*.md"),
    "lwkd": ("en", "*.md"),
    "jser-info": ("ja", "*.json"),
}
"""The language and the files of each."""
WARNINGS: dict[str, dict[str, int]] = {
    "dair-ai": {
        "content.duplicate-url": 3,
        "links.earlier": 2,
        "writing.brackets": 8,
        "writing.broken-off": 4,
        "writing.punctuation": 1,
        "writing.week-label": 4,
    },
    "swiftweekly": {"links.shortener": 1, "writing.ragged-title": 1},
    "lwkd": {
        "content.no-text": 2,
        "links.shortener": 2,
        "writing.broken-off": 1,
        "writing.no-such-day": 1,
        "writing.week-label": 1,
    },
    "jser-info": {"content.duplicate-url": 1, "writing.note": 1, "writing.stray-mark": 2},
}
"""How many of each rule, exactly."""
HINTS: dict[str, dict[str, int]] = {
    "dair-ai": {
        "content.link-http": 22,
        "content.no-text": 5,
        "links.arxiv-pdf": 3,
        "links.earlier": 1,
        "links.tracking": 650,
        "writing.brackets": 1,
        "writing.broken-off": 21,
        "writing.full-stop": 35,
        "writing.punctuation": 3,
        "writing.ragged-title": 1,
    },
    "swiftweekly": {"content.link-http": 8, "content.no-text": 16, "writing.full-stop": 1},
    "lwkd": {"content.no-link": 1, "content.no-text": 34, "writing.full-stop": 2, "writing.ragged-title": 1},
    "jser-info": {
        "content.duplicate-url": 4,
        "content.link-http": 10,
        "links.earlier": 1,
        "writing.punctuation": 3,
        "writing.ragged-title": 9,
    },
}
"""How many of each rule, at most."""


@pytest.fixture(scope="module")
def findings(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Finding]]:
    """What is found in each corpus."""
    folder = tmp_path_factory.mktemp("corpora")
    return {name: look(imported(shared / "corpus" / name, folder / name, *CORPORA[name])) for name in CORPORA}


def imported(corpus: Path, root: Path, language: str, pattern: str) -> Material:
    folder = root / "content/ai-papers"
    for file in sorted(corpus.glob(pattern)):
        import_file(file, newsletter="ai-papers", folder=folder, zone=UTC)
    content = read_newsletter(folder, "ai-papers", UTC, root)
    return Material(
        manuscripts.settings(language), content.issues, findings=content.findings, texts=content.texts
    )


@pytest.mark.parametrize("corpus", CORPORA)
def test_of_a_real_newsletter_its_faults_are_told_and_nothing_else(
    corpus: str, findings: dict[str, list[Finding]]
) -> None:
    told = [finding for finding in findings[corpus] if finding.severity is not Severity.HINT]
    assert Counter(finding.rule for finding in told) == WARNINGS[corpus]
    assert [str(finding) for finding in told if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize("corpus", CORPORA)
def test_no_more_is_mentioned_of_a_real_newsletter_than_was_read(
    corpus: str, findings: dict[str, list[Finding]]
) -> None:
    hints = Counter(finding.rule for finding in findings[corpus] if finding.severity is Severity.HINT)
    assert hints - Counter(HINTS[corpus]) == Counter()


def test_the_weeks_that_are_none_are_told_by_their_lines(findings: dict[str, list[Finding]]) -> None:
    odd = [one.place for one in findings["dair-ai"] if one.rule == "writing.week-label"]
    weeks = ("2023-W01", "2024-W12", "2024-W13", "2025-W15")
    assert odd == [f"content/ai-papers/{week}.md:2:35" for week in weeks]
