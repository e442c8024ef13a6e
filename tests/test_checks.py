"""What is found in a configuration and in content that can be read, and how it is told."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bot import checks
from bot.checks import Flaw, Material, Rule, as_json, asked, github, in_order, look
from bot.checks._words import Words
from bot.models import Entry, Finding, Issue, Reference, Section, Severity, Status, Week
from bot.plugins import Options
from bot.settings import Newsletter, Settings
from bot.text import Block, Bullets, Emphasis, Link, Paragraph, Quote, Table, Text
from bot.transports import smtp

W17 = Week(2025, 17)
LEAD = Paragraph((Text("What it is about."),))


def newsletter(name: str = "ai-papers", **keys: object) -> Newsletter:
    table = {
        "name": name,
        "title": "AI Papers",
        "sender": "AI Papers <papers@letters.org>",
        "list_id": f"{name}.letters.org",
        "postal_address": "1 Example Street",
        "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
        "channels": {"team": Options(kind="slack")},
        **keys,
    }
    return Newsletter.model_validate(table)


def settings(*newsletters: Newsletter, kind: str = "smtp", **keys: Any) -> Settings:
    return Settings(
        root=Path("/letters"),
        transport=Relay(kind=kind),
        newsletters={one.name: one for one in newsletters or (newsletter(),)},
        **{"base_url": "https://letters.org", "slack_token": "xoxb", **keys},
    )


class Relay(Options):
    host: str = "127.0.0.1"
    security: str = "none"


def entry(title: str = "One", *urls: str, blocks: tuple[Block, ...] = (LEAD,), line: int = 8) -> Entry:
    references = tuple(Reference("Paper", url) for url in urls or ("https://example.org/one",))
    return Entry(title, references, blocks, place=f"content/ai-papers/2025-W17.md:{line}")


def issue(*entries: Entry, title: str = "AI Papers", place: str = "2025-W17", **keys: object) -> Issue:
    made = {
        "sections": (Section(None, entries),) if entries else (),
        "place": f"content/ai-papers/{place}.md:1",
        **keys,
    }
    return Issue("ai-papers", W17, title, **made)  # type: ignore[arg-type]  # what a test says


def found(*issues: Issue, single: Entry | None = None) -> list[str]:
    entries = {"ai-papers": (single,)} if single else {}
    findings = look(Material(settings(), issues, entries))
    return [finding.rule for finding in findings if finding.rule.startswith("content.")]


# ------------------------------------------------------------------------------------------ configuration


@pytest.mark.parametrize(
    ("given_settings", "rules"),
    [
        (settings(), []),
        (settings(base_url="http://localhost:8000"), ["config.base-url"]),
        (settings(base_url="http://localhost:8000", kind="maildir"), []),
        (settings(newsletter(sender="papers@mail.example.org")), ["config.sample-address"]),
        (settings(newsletter(sender="papers@mail.example.org"), kind="maildir"), []),
        (settings(newsletter(sender="papers@counterexample.org")), []),
        (settings(newsletter(), newsletter("more", list_id="AI-papers.letters.org")), ["config.list-id"]),
        (settings(slack_token=None), ["config.slack-token"]),
        (settings(slack_token=None, slack_token_file="token"), []),
        (settings(newsletter(channels={"readers": Options(kind="email")}), slack_token=None), []),
    ],
)  # fmt: skip
def test_a_configuration_that_may_not_do_what_is_meant_is_told(
    given_settings: Settings, rules: list[str]
) -> None:
    assert [finding.rule for finding in look(Material(given_settings))] == rules


@pytest.mark.parametrize(
    ("host", "security", "told"),
    [
        ("relay.letters.org", "none", True),
        ("relay.letters.org", "starttls", False),
        ("127.0.0.1", "none", False),
        ("::1", "none", False),
        ("localhost", "none", False),
        ("10.0.0.1", "none", True),
    ],
)
def test_mail_that_crosses_a_network_unencrypted_is_told(host: str, security: str, *, told: bool) -> None:
    relay = Relay(kind="smtp", host=host, security=security)
    findings = look(Material(settings().model_copy(update={"transport": relay})))
    assert [finding.rule for finding in findings] == ["config.security"] * told


def test_a_relay_in_reserve_must_not_be_unencrypted_either() -> None:
    reserve = [{"host": "relay.letters.org", "security": "none"}, {"host": "localhost", "security": "none"}]
    relay = smtp.Options.model_validate({"kind": "smtp", "host": "relay.letters.org", "fallback": reserve})
    findings = look(Material(settings().model_copy(update={"transport": relay})))
    assert [finding.message for finding in findings] == [
        "transport.fallback.0.security: none, but relay.letters.org is another machine"
    ]


@pytest.mark.parametrize(("cut_off", "told"), [("fri 10:00", True), ("thu 20:00", False), (None, False)])
def test_a_window_that_closes_days_before_the_send_is_told(cut_off: str | None, *, told: bool) -> None:
    schedule = {"day": "fri", "at": "09:00", "zone": "Europe/Berlin", "cut_off": cut_off}
    findings = look(Material(settings(newsletter(schedule=schedule))))
    assert [finding.rule for finding in findings] == ["config.cut-off"] * told


def test_an_installation_without_a_newsletter_is_an_error() -> None:
    (finding,) = look(Material(settings().model_copy(update={"newsletters": {}})))
    assert (finding.rule, finding.severity) == ("config.newsletters", Severity.ERROR)


# ------------------------------------------------------------------------------------------ content


def linked(url: str) -> Link:
    return Link(url, (Text("here"),))


@pytest.mark.parametrize(
    ("given_issue", "rules"),
    [
        (issue(entry()), []),
        (issue(), ["content.empty"]),
        (issue(entry(), status=Status.DRAFT), ["content.draft"]),
        (issue(entry(), title="x" * 70), []),
        (issue(entry(), title="x" * 71), ["content.title-length"]),
        (issue(entry(), title="x" * 71, subject="Short"), []),
        (issue(entry(), subject="x" * 71), ["content.title-length"]),
        (issue(entry(), preheader="x" * 141), ["content.preheader-length"]),
        (issue(entry(blocks=())), ["content.no-text"]),
        (issue(Entry("One")), ["content.no-text"]),
        (issue(Entry("One", blocks=(LEAD,))), ["content.no-link"]),
        (issue(Entry("One", blocks=(Paragraph((linked("https://example.org"),)),))), []),
        (issue(entry("One", "http://example.org")), ["content.link-http"]),
        (issue(entry("One", "http://example.org", "http://example.org/2")), ["content.link-http"] * 2),
        (issue(entry("One"), entry("Two")), ["content.duplicate-url"]),
        (issue(entry("One"), entry("Two", "https://EXAMPLE.org/one/#top")), ["content.duplicate-url"]),
        (issue(entry("One"), entry("Two", "https://example.org/ONE")), []),
        (issue(entry("One"), entry("Two", "https://example.org/one?v=2")), []),
        (issue(entry("One"), entry("ONE", "https://example.org/2")), ["content.duplicate-title"]),
    ],
)
def test_content_that_may_not_be_what_is_meant_is_told(given_issue: Issue, rules: list[str]) -> None:
    assert found(given_issue) == rules


@pytest.mark.parametrize(
    "block",
    [
        Paragraph((Emphasis((linked("http://example.org"),)),)),
        Bullets(((Paragraph((linked("http://example.org"),)),),)),
        Quote((Paragraph((linked("http://example.org"),)),)),
        Table((((linked("http://example.org"),),),)),
    ],
)
def test_a_link_is_found_wherever_it_stands(block: Block) -> None:
    assert found(issue(entry(blocks=(LEAD, block)))) == ["content.link-http"]


def test_single_entries_are_looked_at_too() -> None:
    single = Entry("One", blocks=(LEAD,), place="content/ai-papers/entries/one.md:1")
    assert found(single=single) == ["content.no-link"]


def test_two_files_for_one_week_are_one_error_that_names_both() -> None:
    issues = (issue(entry()), issue(entry(), place="easter"))
    (finding,) = (one for one in look(Material(settings(), issues)) if one.severity is Severity.ERROR)
    assert finding.rule == "content.week"
    assert "2025-W17.md" in str(finding)
    assert "easter.md" in str(finding)
    read = Finding("content.week", Severity.ERROR, "content/ai-papers/easter.md:1", "x", issue=issues[0].key)
    findings = look(Material(settings(), issues, findings=(read,)))
    assert [one for one in findings if one.severity is Severity.ERROR] == [read]


# ------------------------------------------------------------------------------------------ the run


def told(place: str, rule: str = "content.x", severity: Severity = Severity.ERROR, **keys: Any) -> Finding:
    return Finding(rule, severity, place, keys.pop("message", "wrong"), **keys)


def test_findings_come_in_the_order_of_the_lines_and_columns_and_each_once() -> None:
    expected = [
        told("a.md"),
        told("b.md:9"),
        told("b.md:9", severity=Severity.HINT),
        told("b.md:9:2"),
        told("b.md:9:10"),
        told("b.md:10"),
    ]
    assert in_order([*expected, *expected[::-1]]) == expected
    assert in_order(expected[::-1]) == expected


def test_what_is_the_matter_with_many_issues_is_told_once() -> None:
    keys = ("ai-papers/2025-W17", "ai-papers/2025-W18", "ai-papers/2025-W18")
    theme = "templates/themes/own.html.j2:3"
    findings = (*(told(theme, issue=key) for key in keys), told("a.md:1", issue=keys[0]))
    assert in_order(findings) == [told("a.md:1", issue=keys[0]), told(theme, message="wrong (in 2 issues)")]


# ------------------------------------------------------------------------------------------ failing checks


def broken(material: Material) -> Iterator[Flaw]:
    """Finds one thing, and then fails."""
    yield Flaw("content/a.md:1", "wrong")
    yield Flaw("content/a.md:2", material.issues[7].key)


def test_a_check_that_fails_is_a_finding_beside_what_it_and_the_others_found() -> None:
    family = (Rule("writing.broken", Severity.HINT, broken), checks.known()["content.empty"])
    first, failure, last = asked(family, Material(settings(), (issue(),)), Words([newsletter()], []))
    assert (first.rule, last.rule) == ("writing.broken", "content.empty")
    assert (failure.rule, failure.severity) == ("checks.failed", Severity.ERROR)
    assert failure.message == "check writing.broken failed: IndexError"
    assert failure.issue == "ai-papers/2025-W17"
    assert failure.fix.endswith('"writing.broken" = "off"')


def test_the_place_of_a_failure_is_in_our_code() -> None:
    def look_up(_material: Material) -> Iterator[Flaw]:
        yield from checks.known()["content.empty"].look(None)

    (failure,) = asked([Rule("writing.broken", Severity.HINT, look_up)], Material(settings()), Words([], []))
    assert re.fullmatch(r"bot/checks/content\.py:\d+", failure.place)


def test_a_check_that_is_switched_off_is_not_even_tried() -> None:
    family = [Rule("writing.broken", Severity.HINT, broken)]
    words = Words([newsletter().model_copy(update={"checks": {"writing.broken": "off"}})], [])
    assert list(asked(family, Material(settings()), words)) == []


# ------------------------------------------------------------------------------------------ spots


TEXT = """---
title: Cheese weekly
---

## Cheese

The authors weigh
400  wheels of cheese.

> Said by
> Ann, twice.

## Butter

Nobody weighs butter, nor cheese.
"""


@pytest.mark.parametrize(
    ("line", "needle", "spot"),
    [
        (1, "Cheese", "2:8"),
        (5, "Cheese", "5:4"),
        (5, "cheese", "8:16"),
        (6, "authors weigh 400 wheels of", "7:5"),
        (5, "by Ann", "10:8"),
        (5, "butter", None),
        (13, "butter", "15:15"),
        (13, "cheese.", "15:27"),
        (1, "Butter", None),
        (99, "cheese", None),
        (5, " ", None),
    ],
)
def test_a_spot_is_where_words_stand_from_a_line_to_the_next_entry(
    line: int, needle: str, spot: str | None
) -> None:
    file = "content/ai-papers/2025-W17.md"
    material = Material(settings(), (issue(entry(line=5), entry(line=13)),), texts={file: TEXT})
    assert material.spot(f"{file}:{line}", needle) == f"{file}:{spot or line}"


@pytest.mark.parametrize("place", ["content/b.md:1", "content/ai-papers/entries", "BROADSHEET_X", ""])
def test_without_a_text_or_a_line_the_place_is_the_spot(place: str) -> None:
    assert Material(settings(), texts={"content/a.md": TEXT}).spot(place, "Cheese") == place


# ------------------------------------------------------------------------------------------ for machines


def test_a_finding_is_a_document_with_the_keys_of_the_contract() -> None:
    finding = told("content/a.md:12", message="week: no", fix="write one", issue="ai-papers/2025-W17")
    assert as_json([finding]) == [
        {
            "rule": "content.x",
            "severity": "error",
            "issue": "ai-papers/2025-W17",
            "place": "content/a.md:12",
            "message": "week: no",
            "fix": "write one",
        }
    ]
    assert json.loads(json.dumps(as_json([finding])))[0]["issue"] == "ai-papers/2025-W17"


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (told("content/a.md:12", message="week: no", fix="write one"),
         "::error file=content/a.md,line=12,title=content.x::week: no: write one"),
        (told("config/bot.toml", severity=Severity.WARNING),
         "::warning file=config/bot.toml,title=content.x::wrong"),
        (told("a.md:1", severity=Severity.HINT), "::notice file=a.md,line=1,title=content.x::wrong"),
        (told("a.md:12:5"), "::error file=a.md,line=12,col=5,title=content.x::wrong"),
        (told("BROADSHEET_DATABSE"), "::error title=content.x::BROADSHEET_DATABSE: wrong"),
        (told("a,b:c%.md:3", message="100%\r\n::error::x"),
         "::error file=a%2Cb%3Ac%25.md,line=3,title=content.x::100%25%0D%0A::error::x"),
    ],
)  # fmt: skip
def test_a_finding_is_an_annotation_on_github(finding: Finding, line: str) -> None:
    assert github([finding]) == line


def test_github_reads_names_of_files_from_the_top_of_the_repository() -> None:
    line = github([told("content/a.md:3")], "letters/weekly")
    assert line == "::error file=letters/weekly/content/a.md,line=3,title=content.x::wrong"


@given(st.lists(st.builds(told, st.text(), message=st.text(), fix=st.text()), min_size=1, max_size=4))
def test_no_finding_can_break_out_of_its_line(findings: list[Finding]) -> None:
    lines = github(findings).split("\n")
    assert len(lines) == len(findings)
    assert all(line.startswith("::error ") for line in lines)
    assert "\r" not in github(findings)
