"""What is made of the web's answers: links that are gone, have moved, or cannot be judged."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot import checks
from bot.checks import Answer, Fault, Material, Step, Web, online, to_ask
from bot.models import Edit, Finding
from bot.settings import Settings
from bot.sources.markdown import read_issue_bytes

SETTINGS = Settings(root=Path("/letters"), transport={"kind": "maildir"})  # type: ignore[arg-type]  # as in TOML
RULES = {rule.id: rule for rule in online.RULES}
HEAD = "---\ntitle: AI Papers\n---\n## One\n\n"
OTHER = {"https://answers.org/": Answer(200)}
"""Somebody answers, so the fault is not at this end."""


def material(*urls: str) -> Material:
    text = HEAD + " · ".join(f"[Paper]({url})" for url in urls) + "\n\nWhat it is about.\n"
    issue, _ = read_issue_bytes(text.encode(), "2025-W17.md", "ai-papers")
    assert issue
    return Material(SETTINGS, (issue,), texts={"2025-W17.md": text})


def found(rule: str, url: str, answers: Mapping[str, Answer]) -> list[Finding]:
    return list(RULES[rule].findings(Web(material(url), answers)))


def told(url: str, answer: Answer, **others: Answer) -> list[str]:
    web = Web(material(url), {**OTHER, url.partition("#")[0]: answer, **others})
    return [rule.id for rule in RULES.values() for _ in rule.findings(web)]


URL = "https://x.org/a"
OTHERS = [fault for fault in Fault if fault not in (Fault.NO_HOST, Fault.PRIVATE)]


@pytest.mark.parametrize(
    ("answer", "rules"),
    [
        (Answer(200), []),
        (Answer(204), []),
        (Answer(404), ["links.dead"]),
        (Answer(410), ["links.dead"]),
        (Answer(fault=Fault.NO_HOST), ["links.dead"]),
        (Answer(404, (Step(301, "https://x.org/b"),)), ["links.dead"]),
        *((Answer(status), []) for status in (401, 403, 405, 429, 451, 999)),
        *((Answer(status), ["links.unreachable"]) for status in (400, 422, 500, 502, 503)),
        *((Answer(fault=fault), ["links.unreachable"]) for fault in OTHERS),
        (Answer(fault=Fault.PRIVATE), []),  # links.private-host has said so
        (Answer(fault=Fault.PRIVATE, steps=(Step(302, "http://10.0.0.1/"),)), ["links.unreachable"]),
        (Answer(200, (Step(301, "https://x.org/b"),)), ["links.moved"]),
        (Answer(200, (Step(308, "https://y.org/b"),)), ["links.moved"]),
        (Answer(200, (Step(301, "https://x.org/"),)), ["links.moved"]),
        (Answer(200, (Step(302, "https://x.org/b"),)), []),
        (Answer(200, (Step(307, "https://x.org/b"),)), []),
        (Answer(200, (Step(301, "https://x.org/a/"),)), []),
        (Answer(200, (Step(301, "https://www.x.org/a"),)), []),
        (Answer(200, (Step(301, "https://x.org/login?next=a"),)), []),
        (Answer(403, (Step(301, "https://x.org/b"),)), []),
    ],
)  # fmt: skip
def test_an_answer_is_judged(answer: Answer, rules: list[str]) -> None:
    assert told(URL, answer) == rules


def test_what_was_not_asked_is_not_judged() -> None:
    web = Web(material(URL), {})
    assert [finding for rule in RULES.values() for finding in rule.findings(web)] == []


def test_where_nobody_answers_at_all_the_fault_is_at_this_end() -> None:
    """Without a network every host seems not to exist."""
    assert found("links.dead", URL, {URL: Answer(fault=Fault.NO_HOST)}) == []
    assert len(found("links.unreachable", URL, {URL: Answer(fault=Fault.NO_HOST)})) == 1


@pytest.mark.parametrize(
    ("url", "answer", "becomes"),
    [
        (URL, Answer(200, (Step(301, "https://y.org/b"),)), "https://y.org/b"),
        (f"{URL}#c", Answer(200, (Step(301, "https://y.org/b"),)), "https://y.org/b#c"),
        (f"{URL}#c", Answer(200, (Step(301, "https://y.org/b#d"),)), "https://y.org/b#d"),
        (URL, Answer(200, (Step(301, "https://y.org/b"), Step(308, "https://y.org/c"))), "https://y.org/c"),
        (URL, Answer(200, (Step(301, "https://y.org/b"), Step(302, "https://y.org/c"))), "https://y.org/b"),
        ("http://x.org/a", Answer(200, (Step(301, "https://www.x.org/b"),)), "https://www.x.org/b"),
    ],
)
def test_the_new_address_of_a_moved_page_comes_with_the_finding(
    url: str, answer: Answer, becomes: str
) -> None:
    (finding,) = found("links.moved", url, {url.partition("#")[0]: answer})
    assert finding.edits == (Edit("2025-W17.md:6:9", url, becomes),)


@pytest.mark.parametrize(
    "new", ["https://x.org/", "https://x.org/b)", "https://x.org/*b*", "https://x.org/b."]
)
def test_a_new_address_that_a_person_should_look_at_is_not_mended(new: str) -> None:
    """A front page is not the page, and marks may end a link where it stands."""
    (finding,) = found("links.moved", URL, {URL: Answer(200, (Step(301, new),))})
    assert finding.edits == ()


HTTP, TWIN = "http://x.org/a", "https://x.org/a"


@pytest.mark.parametrize(
    ("over_http", "over_https", "same"),
    [
        (Answer(200, (Step(301, TWIN),)), Answer(200), True),
        (Answer(200, (Step(302, TWIN),)), Answer(200), True),
        (Answer(200, digest="d"), Answer(200, digest="d"), True),
        (Answer(200, digest="d"), Answer(200, digest="e"), False),
        (Answer(200), Answer(200), False),
        (Answer(200, (Step(302, "http://x.org/b"),), digest="d"), Answer(200, digest="d"), False),
        (Answer(200, digest="d"), Answer(404), False),
        (Answer(200, digest="d"), Answer(fault=Fault.CERTIFICATE), False),
        (Answer(403, (Step(301, TWIN),)), Answer(403), False),
        (Answer(200, (Step(301, TWIN), Step(301, "https://x.org/b"))), Answer(200), False),  # it has moved
    ],
)
def test_http_becomes_https_only_where_both_answer_the_same(
    over_http: Answer, over_https: Answer, *, same: bool
) -> None:
    told = found("links.https", HTTP, {HTTP: over_http, TWIN: over_https})
    assert [finding.edits for finding in told] == [(Edit("2025-W17.md:6:9", HTTP, TWIN),)] * same


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://x.org/a#b", {"https://x.org/a": False}),
        ("http://x.org/a#b", {"http://x.org/a": True, "https://x.org/a": True}),
        ("http://x.org:80/a", {"http://x.org:80/a": True, "https://x.org/a": True}),
        ("http://x.org:8080/a", {"http://x.org:8080/a": False}),
        ("mailto:a@x.org", {}),
    ],
)
def test_each_address_is_asked_once_and_http_beside_its_twin(url: str, wanted: dict[str, bool]) -> None:
    assert to_ask(material(url, url)) == wanted


def test_the_rules_are_looked_for_where_the_web_was_asked() -> None:
    (finding,) = checks.look(Web(material(URL), {URL: Answer(404)}))
    assert (finding.rule, finding.place, finding.issue) == (
        "links.dead",
        "2025-W17.md:6:9",
        "ai-papers/2025-W17",
    )
