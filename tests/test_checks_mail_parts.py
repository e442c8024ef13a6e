"""What is found in a mail's text part, head and images, and in styles that some programs do not know."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median
from time import process_time

import pytest
import yaml
from jinja2 import Environment

from bot.checks import Mail, Rule, look, mail as family
from bot.checks._support import lacking
from bot.compose import compose
from bot.folding import longest
from bot.links import issue_url
from bot.models import Finding, Issue, Severity
from bot.settings import Newsletter
from bot.slots import Slots
from tests.node import support
from tests.oracles.samples import BASE_URL, FILES, SAMPLES, TEMPLATES, THEMES, issue_of, newsletter
from tests.test_checks_mail import NEWSLETTER, SLOTS, WEB, found, mail, page, told
from tests.test_slack_corpus import corpus

Rules = list[str]


def of(rule: str, given_mail: Mail) -> list[Finding]:
    return [one for one in look(given_mail) if one.rule == f"mail.{rule}"]


def names(rule: str, given_mail: Mail) -> Rules:
    return [told(one) for one in of(rule, given_mail)]


# ---------------------------------------------------------------------------------------------- the text part

WHOLE = page(body="<p>One <b>Two</b> seven</p>")


def with_text(text: str, html: str = WHOLE, **changes: object) -> Mail:
    """A mail whose text part has the page's furniture and this."""
    furniture = mail(page()).rendered.text
    given_mail = mail(html)
    rendered = replace(given_mail.rendered, text=f"{furniture}\n{text}" if text else "", **changes)  # type: ignore[arg-type]  # what a test says
    return replace(given_mail, rendered=rendered)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("One Two seven", []),
        ("ONE\ntwo, *seven*", []),
        ("One two sev\nen", []),
        ("One two sev[3]en", []),
        ("1. One Two seven [17] https://example.org/words", []),
        ("One Two seven 2025-W17", []),
        ("One seven", ["text-part warning"]),
        ("One Two", ["text-part hint"]),
        ("One Two seven four", ["text-part hint"]),
        ("One Two seven example.org", ["text-part hint"]),
        ("", ["text-part"]),
    ],
)
def test_the_text_part_says_what_the_html_says(text: str, rules: Rules) -> None:
    assert names("text-part", with_text(text)) == rules


def test_words_of_the_curators_that_are_missing_are_named() -> None:
    (finding,) = of("text-part", with_text("seven"))
    assert finding.message == "the text part lacks 2 of the words: one, two"
    assert finding.place == "templates/email/text.txt.j2"
    (finding,) = of(
        "text-part", with_text("One Two seven four " + " ".join(f"word{chr(97 + n)}" for n in range(20)))
    )
    assert finding.message.endswith("wordg and 13 more")
    assert finding.place == "templates/themes/own.html.j2"


def test_what_is_folded_in_the_html_may_be_whole_in_the_text() -> None:
    assert names("text-part", with_text("One Two seven and the rest", folded=1)) == []


@pytest.mark.parametrize(
    ("body", "text", "rules"),
    [
        ('<p><a href="https://e.org/a">One</a></p>', "One: https://e.org/a", []),
        ('<p><a href="https://e.org/a">One</a></p>', "One: https://e.org/b", ["text-part warning"]),
        ('<p>One <a href="https://e.org/a" style="display:none">Two</a></p>', "One", []),
        (f'<p><a href="{WEB}#entry-1">One</a></p>', "One", []),
        ('<p><a href="mailto:a@e.org">One</a></p>', "One", []),
    ],
)  # fmt: skip
def test_the_text_part_leads_where_the_html_leads(body: str, text: str, rules: Rules) -> None:
    assert names("text-part", with_text(text, page(body=body))) == rules


def test_a_text_part_without_the_way_out_is_an_error() -> None:
    given_mail = mail()
    rendered = replace(given_mail.rendered, text=given_mail.rendered.text.replace(SLOTS.unsubscribe, ""))
    assert names("text-part", replace(given_mail, rendered=rendered)) == ["text-part"]


# -------------------------------------------------------------------------------------------------- the inbox


def with_lines(subject: str = "Subject", preheader: str = "AI Papers", html: str | None = None) -> Mail:
    given_mail = mail(html)
    return replace(given_mail, rendered=replace(given_mail.rendered, subject=subject, preheader=preheader))


@pytest.mark.parametrize(
    ("subject", "rules"),
    [
        ("Re: your order", ["subject-answer warning"]),
        ("RE : papers", ["subject-answer warning"]),
        ("Fwd: papers", ["subject-answer warning"]),
        ("AW: Papiere", ["subject-answer warning"]),
        ("Re[2]: papers", ["subject-answer warning"]),
        ("回复\uff1a论文", ["subject-answer warning"]),
        ("Reading: ten papers", []),
        ("re:publica in Berlin", []),
        ("Regarding Re: Zero", []),
        ("On RE: a review", []),
        ("News! For you! Today", []),
        ("News! For you! Today!", ["subject-loud hint"]),
        ("ニュース\uff01今日\uff01明日\uff01", ["subject-loud hint"]),
        ("🎉🎉 Party", []),
        ("🎉 Party 🎈 now ⭐", ["subject-loud hint"]),
        ("→ ten papers ≥ 3 → more →", []),
    ],
)
def test_a_subject_that_filters_count_is_told(subject: str, rules: Rules) -> None:
    assert [told(one) for one in look(with_lines(subject)) if "subject" in one.rule] == rules


@pytest.mark.parametrize(
    ("subject", "preheader", "rules"),
    [
        ("Ten papers", "AI Papers", []),
        ("Ten papers", "", ["preheader warning"]),
        ("Ten papers", " \u200b ", ["preheader warning"]),
        ("Ten papers", "ten  Papers", ["preheader warning"]),
        ("Ten papers", "Hidden words", []),
        ("Ten papers", "Hidden words that are not there", ["preheader warning"]),
        ("Ten papers", "Hidden words of which a theme shows only so many, and not these", []),
        ("Ten papers", "Hidden words of which a theme, or so", ["preheader warning"]),
    ],
)
def test_a_preheader_that_says_nothing_is_told(subject: str, preheader: str, rules: Rules) -> None:
    html = page(body='<div style="display:none">Hidden words of which a theme shows only so many</div>')
    assert names("preheader", with_lines(subject, preheader, html)) == rules


# --------------------------------------------------------------------------------------------------- the head


def of_sender(sender: str, list_id: str = "ai-papers.letters.org", web_url: str = WEB) -> Mail:
    paper = Newsletter.model_validate({**NEWSLETTER.model_dump(), "sender": sender, "list_id": list_id,
                                       "channels": NEWSLETTER.channels})  # fmt: skip
    return replace(mail(), newsletter=paper, web_url=web_url)


@pytest.mark.parametrize(
    ("given_mail", "rules"),
    [
        (of_sender("AI <papers@letters.org>"), []),
        (of_sender("papers@mail.letters.org"), []),
        (of_sender("papers@LETTERS.org", "AI.letters.ORG"), []),
        (of_sender("papers@letters.org", "ai-papers.lists.example"), ["list-id hint"]),
        (of_sender("papers@letters.org", "ai-papers.localhost"), []),
        (of_sender("papers@letters.org", "ai-papers.notletters.org"), ["list-id hint"]),
        (of_sender("papers@letters.org", web_url="https://news.letters.org/issues/2025-W17"), []),
        (of_sender("papers@mail.letters.org", web_url="https://news.letters.org/issues/2025-W17"), []),
        (of_sender("papers@letters.org", web_url="https://news.example/issues/2025-W17"), ["link-host hint"]),
        (of_sender("papers@letters.org", web_url="http://localhost:8000/issues/2025-W17"), []),
        (of_sender("papers@letters.org", web_url=f"https://letters.org/{'x' * 900}/issues/2025-W17"), []),
        (of_sender("papers@letters.org", web_url=f"https://letters.org/{'x' * 950}/issues/2025-W17"),
         ["head-line", "head-line"]),
    ],
)  # fmt: skip
def test_a_head_that_does_not_fit_its_sender_is_told(given_mail: Mail, rules: Rules) -> None:
    wanted = {"mail.list-id", "mail.link-host", "mail.head-line"}
    assert [told(one) for one in look(given_mail) if one.rule in wanted] == rules


# --------------------------------------------------------------------------------- what some do not know


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ('<div style="display:flex">x</div>', ["css-support warning"]),
        ('<div style="DISPLAY: inline-flex !important">x</div>', ["css-support warning"]),
        ('<div style="display:grid">x</div>', ["css-support warning"]),
        ('<div style="display:block">x</div>', []),
        ('<div style="position:absolute">x</div>', ["css-support warning"]),
        ('<div style="position:relative">x</div>', []),
        ('<div style="background-position:fixed">x</div>', []),
        ('<div style="width:calc(100% - 9px)">x</div>', ["css-support warning"]),
        ('<div style="width:clamp(1px, 2px, 3px)">x</div>', ["css-support warning"]),
        ('<div style="width:100px;letter-spacing:calc(1px + 2px)">x</div>', []),
        ('<div style="transform:rotate(9deg)">x</div>', ["css-support warning"]),
        ('<div style="transform:none;text-transform:uppercase">x</div>', []),
        ('<div style="visibility:hidden">x</div>', ["css-support warning"]),
        ('<div style="visibility:visible">x</div>', []),
        ('<div style="opacity:0.5">x</div>', []),
        ('<div style="opacity:0">x</div>', ["css-support warning"]),
        ('<div style="display:none;opacity:0">x</div>', []),
        ('<div style="float:left">x</div>', ["css-support hint"]),
        ('<div style="float:none">x</div>', []),
        ('<div style="column-count:2">x</div>', ["css-support hint"]),
        ('<div style="width:50vw">x</div>', ["css-support hint"]),
        ('<div style="background:url(https://e.org/a.png)">x</div>', ["css-support hint"]),
        ('<div style="border-radius:9px;box-shadow:0 0 9px #000;max-width:600px">x</div>', []),
        ("<style>@media screen { div { display: flex } }</style><div>x</div>", []),
        ("<svg></svg>", ["html-support warning"]),
        ('<video src="https://e.org/a.mp4"></video>', ["html-support warning"]),
        ("<progress></progress>", ["html-support warning"]),
        ("<b>x</b><sup>1</sup><table><tr><th>x</th></tr></table>", []),
        ('<img src="https://e.org/a.webp" alt="" width="9">', ["image-kind warning"]),
        ('<img src="https://e.org/a.SVG?x=1" alt="" width="9">', ["image-kind warning"]),
        ('<img src="https://e.org/a.png?x=.svg" alt="" width="9">', []),
        ('<img src="https://e.org/webp" alt="" width="9">', []),
        ('<img src="https://[/a.svg" alt="" width="9">', []),
    ],
)  # fmt: skip
def test_what_some_programs_do_not_know_is_told_where_it_does_harm(body: str, rules: Rules) -> None:
    assert found(page(body=body)) == rules


def test_the_programs_are_named() -> None:
    (finding,) = of("css-support", mail(page(body='<p style="display:flex">x</p>')))
    assert (
        finding.message == "display:flex is not known to Outlook (Windows): its parts stand below each other"
    )
    assert lacking("html-svg") == "Gmail, Outlook, Yahoo Mail"
    assert lacking("image-png") == lacking("no-such-feature") == ""


def test_the_data_are_those_of_the_package_that_the_judges_have() -> None:
    if not support.PACKAGE.is_dir():
        pytest.skip("needs the packages of tests/node: npm ci there")
    assert support.FILE.read_text("utf-8") == support.made(), "run python -m tests.node.support"


# ------------------------------------------------------------------------------------------- the examples

SHOWN = [rule for rule in family.RULES if rule.id != "mail.render"]  # what cannot be made cannot be looked at


def of_example(example: str) -> Mail:
    """A mail that an example is all of: HTML, lines of front matter or keys of the configuration."""
    values = {"reader": {"unsubscribe_url": SLOTS.unsubscribe}}
    scrap = Environment(autoescape=False).from_string(example).render(values)
    if scrap.startswith("<"):
        made_mail = mail(scrap, *re.findall("<style>(.*?)</style>", scrap), folded=1)
        text = "" if "text part" in scrap else made_mail.rendered.text
        return replace(made_mail, rendered=replace(made_mail.rendered, text=text))
    if scrap.startswith("subject:"):
        lines = yaml.safe_load(scrap)
        return with_lines(**lines)
    keys = {"sender": "papers@letters.org", "list_id": "ai.letters.org", **tomllib.loads(scrap)}
    base_url = keys.pop("base_url", "https://letters.org")
    return of_sender(**keys, web_url=f"{base_url}/issues/2025-W17")


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.id)
def test_the_example_of_a_rule_is_found_by_it(rule: Rule[Mail]) -> None:
    assert isinstance(rule.example, str)
    assert list(rule.look(of_example(rule.example)))


@pytest.mark.parametrize("rule", family.RULES, ids=lambda rule: rule.id)
def test_a_rule_says_why_and_how_to_mend_it(rule: Rule[Mail]) -> None:
    assert rule.why.endswith((".", '"'))
    assert rule.mend.endswith(".")


def test_nobody_can_switch_off_that_a_mail_can_be_made() -> None:
    assert [rule.id for rule in family.RULES if rule.binding] == ["mail.render"]


# ----------------------------------------------------------------------------------------- real newsletters


def set_in(issue: Issue, paper: Newsletter) -> Mail:
    """An issue as it would be mailed."""
    rendered = compose(issue, paper, TEMPLATES, BASE_URL)
    web_url = issue_url(BASE_URL, issue.newsletter, issue.week, several=False)
    size = longest(rendered.html, Slots(rendered.nonce), BASE_URL)
    return Mail(issue, paper, rendered, web_url, size, TEMPLATES.sources([f"themes/{paper.theme}.html.j2"]))


def alarms(given_mail: Mail) -> list[str]:
    return [str(one) for one in look(given_mail) if one.severity is not Severity.HINT]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample != "edges"])  # a subject with Re:
def test_our_own_themes_give_no_alarm(theme: str, sample: str) -> None:
    assert alarms(set_in(issue_of(sample), newsletter(theme, FILES[sample][0]))) == []


def test_real_newsletters_give_no_false_alarm(shared: Path) -> None:
    issues = corpus(shared)[::15]
    assert len(issues) == 10
    for issue, theme in zip(issues, cycle(THEMES)):
        assert alarms(set_in(issue, newsletter(theme))) == [], issue.key


def test_looking_is_much_quicker_than_setting() -> None:
    """Both measured here, one after the other, so that the machine's own speed does not matter."""
    issue, paper = issue_of("sample"), newsletter()

    def setting() -> None:
        compose(issue, paper, TEMPLATES, BASE_URL)

    def looking() -> None:
        look(replace(given_mail))  # a new one, of which nothing is known yet

    given_mail = set_in(issue, paper)
    looking()
    assert _median(looking) < _median(setting)


def _median(work: Callable[[], None]) -> float:
    """Processor seconds that it takes, the middle of five."""
    seconds = []
    for _ in range(5):
        begun = process_time()
        work()
        seconds.append(process_time() - begun)
    return median(seconds)
