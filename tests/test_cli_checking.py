"""What `broadsheet check` shows a person: the findings of each file together, and one line of summary."""

from io import StringIO

import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from bot.cli.checking import show_findings
from bot.models import Finding, Severity

FILE = "content/ai-papers/2025-W17.md"
FINDINGS = [
    Finding("config.base-url", Severity.WARNING, "config/bot.toml", "base_url: is not https", "set it"),
    Finding("content.draft", Severity.HINT, f"{FILE}:4:1", "status: draft does not go out"),
    Finding("content.link", Severity.ERROR, f"{FILE}:120", "link: relative URL: '/x'", "give a full address"),
]
SHOWN = """\
config/bot.toml
  warning base_url: is not https  config.base-url
          set it

content/ai-papers/2025-W17.md
  4:1  hint    status: draft does not go out  content.draft
  120  error   link: relative URL: '/x'  content.link
               give a full address

1 error, 1 warning, 1 hint in 2 files
"""


def shown(findings: list[Finding], *, colours: bool = False) -> str:
    out = StringIO()
    console = Console(file=out, width=60, highlight=False, force_terminal=colours, no_color=not colours)
    show_findings(console, findings)
    return out.getvalue()


def test_findings_stand_below_their_file_with_their_places_in_a_column() -> None:
    assert shown(FINDINGS) == SHOWN


def test_a_terminal_gets_colours_and_a_file_gets_none() -> None:
    assert "\x1b[1;31merror" in shown(FINDINGS, colours=True)
    assert "\x1b[33mwarning" in shown(FINDINGS, colours=True)
    assert "\x1b" not in shown(FINDINGS)


def test_a_long_message_is_not_cut_and_stays_on_its_line() -> None:
    long = Finding("content.x", Severity.ERROR, f"{FILE}:1", "word " * 40)
    assert "word " * 40 in shown([long])


@pytest.mark.parametrize(
    ("severities", "summary"),
    [
        ("", "Everything is in order."),
        ("h", "1 hint in 1 file"),
        ("eehh", "2 errors, 2 hints in 1 file"),
        ("ewwwh", "1 error, 3 warnings, 1 hint in 1 file"),
    ],
)
def test_the_last_line_counts_errors_warnings_and_hints(severities: str, summary: str) -> None:
    named = {"e": Severity.ERROR, "w": Severity.WARNING, "h": Severity.HINT}
    findings = [Finding("content.x", named[one], f"{FILE}:1", "wrong") for one in severities]
    assert shown(findings).splitlines()[-1] == summary


@given(st.text(), st.text(), st.text())
def test_nothing_in_a_finding_can_steer_the_terminal(place: str, message: str, fix: str) -> None:
    text = shown([Finding("content.x", Severity.ERROR, place, message, fix)])
    assert all(sign.isprintable() for sign in text.replace("\n", ""))


def test_what_looks_like_markup_is_shown_as_it_stands() -> None:
    text = shown([Finding("content.x", Severity.ERROR, "a[b].md:1", "[red]x[/] [link=y]", "[/]")])
    assert "a[b].md\n" in text
    assert "[red]x[/] [link=y]" in text
