"""Compose: one issue, the same visible words in mail, text and page, and nothing in it is ever markup."""

import re
from dataclasses import replace
from datetime import UTC, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import html as lxml_html
from lxml.etree import _Element

from bot import markup
from bot.compose import PREHEADER, compose, fingerprint
from bot.errors import InputError
from bot.models import Entry, Issue, Reference, Rendered, Section, Status, Week
from bot.plugins import options
from bot.settings import Newsletter, Schedule
from bot.slots import Slot, Slots
from bot.templates import Templates, shipped
from bot.text import Blocks, Code, CodeBlock, Heading, Paragraph, Strong, Table, Text
from tests import strategies

BASE_URL = "https://news.example.org"
MARKUP = (
    "{{ 7*7 }} {% raw %} {# x #} <b>bold</b> <script>x()</script> & &amp; <!-- c --> \" ' \\ </style> ]]>"
)
SCHEDULE = Schedule(day="fri", at=time(9), zone=ZoneInfo("Europe/Berlin"))


def newsletter(**changes: Any) -> Newsletter:
    values: dict[str, Any] = {
        "name": "ai-papers",
        "title": "AI Papers",
        "tagline": "Ten a week",
        "language": "en",
        "sender": "AI Papers <papers@example.org>",
        "list_id": "ai-papers.example.org",
        "postal_address": "1 Example Street, Berlin",
        "theme": "plain",
        "greeting": "Hello {name},",
        "unnamed": "reader",
        "schedule": SCHEDULE,
        "channels": {},
    }
    return Newsletter.model_construct(**values | changes)


def paragraph(text: str) -> Blocks:
    return (Paragraph((Text(text),)),)


def issue(text: str = "Words.", **changes: Any) -> Issue:
    entry = Entry(
        f"Title: {text}", (Reference(f"Paper {text}", "https://example.org/?a=1&b=2"),), paragraph(text)
    )
    whole = Issue("ai-papers", Week(2025, 17), f"The week: {text}", (Section(f"Part {text}", (entry,)),))
    return replace(whole, intro=paragraph(text), **changes)


SHIPPED = Templates(Path("/nowhere"))


def rendered(whole: Issue | None = None, templates: Templates = SHIPPED, **changes: Any) -> Rendered:
    return compose(whole or issue(), newsletter(**changes), templates, BASE_URL)


def user_template(root: Path, name: str, text: str) -> Templates:
    path = root / "templates" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return Templates(root)


# ---------------------------------------------------------------------------------------------------- words


def squeezed(text: str) -> str:
    """A text without blanks, so that how lines are broken does not matter."""
    return "".join(text.split())


def shown(element: _Element) -> str:
    return "".join(map(str, element.itertext(tag="*")))


def expected(whole: Issue) -> str:
    """What every rendering must show of an issue, in this order."""
    said = [whole.title, markup.words(whole.intro)]
    number = 0
    for section in whole.sections:
        said.append(section.title or "")
        for entry in section.entries:
            number += 1
            said.append(f"{number}. {entry.title}")
            said.append("·".join(reference.label for reference in entry.references))
            said.append(markup.words(entry.blocks))
    return squeezed("".join(said))


def words_of_page(page: str) -> str:
    (main,) = lxml_html.document_fromstring(page).findall(".//main")
    return squeezed(shown(main))


def words_of_mail(mail: str, greeting: str) -> str:
    cells = lxml_html.document_fromstring(mail).xpath(
        "//td[@class='opening' or @class='entry' or @class='section-cell']"
    )
    assert isinstance(cells, list)
    return squeezed("".join(shown(cell) for cell in cells if isinstance(cell, _Element))).replace(
        squeezed(greeting), "", 1
    )


@given(strategies.issues())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_mail_page_and_text_show_the_same_words(whole: Issue) -> None:
    made = rendered(whole)
    greeting = f"Hello {Slots(made.nonce).name},"
    assert words_of_mail(made.html, greeting) == words_of_page(made.page) == expected(whole)
    assert_in_order(whole, made.text)


def assert_in_order(whole: Issue, text: str) -> None:
    """Each word of an issue stands in its text part, in order, between the text's own marks."""
    written = squeezed(without_notes(text))
    at = 0
    for word in without_notes(" ".join(_words(whole))).split():
        found = written.find(word, at)
        assert found >= 0, f"{word!r} is missing or out of order"
        at = found + len(word)


def without_notes(text: str) -> str:
    """A text without the numbers of its footnotes, nor what looks like one or like a quote's mark."""
    return re.sub(r"\s+\[\d+\]", "", f" {text}".replace(">", ""))


def _words(whole: Issue) -> list[str]:
    said = [whole.title, markup.to_text(whole.intro, marks=False)]
    for entry_of in whole.sections:
        said.append(entry_of.title or "")
        for entry in entry_of.entries:
            said += [entry.title, *(f"{one.label}: {one.url}" for one in entry.references)]
            said.append(markup.words(entry.blocks))
    return said


def test_text_in_content_is_literal_and_escaped_once() -> None:
    whole = issue(MARKUP, preheader=MARKUP)
    made = rendered(whole)
    for page in (made.html, made.page):
        document = lxml_html.document_fromstring(page)
        assert shown(document).count(MARKUP) >= 5
        assert "49" not in shown(document).replace(made.nonce, "")
        assert not document.xpath("//script | //b")
        assert "&amp;amp;amp;" not in page
    assert squeezed(made.text).count(squeezed(MARKUP)) >= 5
    assert made.subject == f"The week: {MARKUP}"
    assert made.preheader == MARKUP


def test_what_newsletters_are_called_is_literal_too() -> None:
    made = rendered(title=MARKUP, tagline=MARKUP, postal_address=MARKUP, greeting=MARKUP, language="en")
    document = lxml_html.document_fromstring(made.html)
    assert shown(document).count(MARKUP) >= 4
    assert not document.xpath("//script | //b")
    assert MARKUP in made.text


def test_code_and_stress_arrive_as_such() -> None:
    blocks: Blocks = (
        Paragraph((Strong((Text("a<b"),)), Text(" "), Code("x & y"))),
        CodeBlock("if a < b:\n    c()"),
    )
    made = rendered(replace(issue(), intro=blocks))
    for page in (made.html, made.page):
        document = lxml_html.document_fromstring(page)
        assert [shown(one) for one in document.iter("strong")] == ["a<b"]
        assert [shown(one).rstrip("\n") for one in document.iter("code")] == ["x & y", "if a < b:\n    c()"]


def test_entries_are_numbered_through_all_sections() -> None:
    sections = tuple(Section(name, (Entry("A"), Entry("B"))) for name in (None, "More"))
    made = rendered(replace(issue(), sections=sections))
    assert re.findall(r"^(\d)\. [AB]$", made.text, re.MULTILINE) == ["1", "2", "3", "4"]


# ---------------------------------------------------------------------------------------------------- slots


def test_slots_survive_where_readers_differ() -> None:
    made = rendered()
    slots = Slots(made.nonce)
    for text in (made.html, made.text):
        assert f"Hello {slots.name}," in text
        assert text.count(slots.unsubscribe) == 1
    for words in (made.text, shown(lxml_html.document_fromstring(made.html))):
        assert f"because {slots.email} subscribed" in " ".join(words.split())
    assert f'href="{slots.unsubscribe}"' in made.html


def test_a_page_for_all_and_a_subject_have_no_slot() -> None:
    made = rendered()
    assert "slot-" not in made.page + made.subject + made.preheader


def test_no_content_can_hold_a_slot() -> None:
    nonce = rendered().nonce
    forged = issue(f"{Slots(nonce).unsubscribe} {Slots(nonce).email}")
    made = rendered(forged)
    assert made.nonce != nonce
    assert Slots(made.nonce).split(made.page) == [made.page]


def test_a_newsletter_without_a_greeting_has_none() -> None:
    made = rendered(greeting="")
    assert "Hello" not in made.html + made.text


# -------------------------------------------------------------------------------------------------- subject


@pytest.mark.parametrize(
    ("title", "subject", "line"),
    [
        ("Title", None, "Title"),
        ("Title", "Subject", "Subject"),
        ("Title & <b>", None, "Title & <b>"),
        ("👩‍💻 and 🫨", None, "👩‍💻 and 🫨"),
        ("نیم‌فاصله", None, "نیم‌فاصله"),
    ],
)
def test_the_subject_is_one_line_of_words(title: str, subject: str | None, line: str) -> None:
    assert rendered(replace(issue(), title=title, subject=subject)).subject == line


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("a\x07b", "the subject has a control character"),
        ("{{ 'x' * 256 }}", "the subject has 256 characters"),
    ],
)
def test_a_subject_that_no_mail_should_have_is_refused(tmp_path: Path, template: str, what: str) -> None:
    templates = user_template(tmp_path, "email/subject.txt.j2", template)
    with pytest.raises(InputError, match=what):
        rendered(templates=templates)


def test_a_subject_of_nothing_is_refused(tmp_path: Path) -> None:
    templates = user_template(tmp_path, "email/subject.txt.j2", " \n ")
    with pytest.raises(InputError, match=r"templates/email/subject\.txt\.j2: the subject is empty"):
        rendered(templates=templates)


@pytest.mark.parametrize(
    ("intro", "lead", "preheader", "shows"),
    [
        ("Intro.", "Lead.", "Mine", "Mine"),
        ("Intro.", "Lead.", None, "Intro. Lead."),
        ("", "Lead.", None, "Lead."),
        ("", "", None, ""),
        ("word " * 60, "", None, ("word " * 28).strip() + " …"),
    ],
)
def test_the_preheader_is_the_first_words(intro: str, lead: str, preheader: str | None, shows: str) -> None:
    entry = Entry("Title", blocks=paragraph(lead) if lead else ())
    sections = (Section(None, (entry,)),)
    whole = issue(preheader=preheader, sections=sections)
    found = rendered(replace(whole, intro=paragraph(intro) if intro else ())).preheader
    assert found == shows
    assert len(found) <= PREHEADER + 2


# ------------------------------------------------------------------------------------------------- the frame


def test_what_mail_programs_need_survives_the_inliner() -> None:
    made = rendered()
    assert made.html.startswith("<!DOCTYPE html>")
    assert "@media (prefers-color-scheme: dark)" in made.html
    assert "<!--[if mso]>" in made.html
    assert "<![endif]-->" in made.html
    assert "style=" in made.html
    assert "@import" not in made.html


def test_headings_begin_with_one_h1_and_skip_no_level() -> None:
    heading: Blocks = (Heading((Text("Small"),)),)
    sections = tuple(Section(name, (Entry("A", blocks=heading), Entry("B"))) for name in (None, "More"))
    made = rendered(replace(issue(), intro=heading, sections=sections))
    for page in (made.html, made.page):
        elements = lxml_html.document_fromstring(page).iter(*(f"h{level}" for level in range(1, 7)))
        levels = [int(str(element.tag)[1]) for element in elements]
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise([0, *levels]))


def test_every_table_of_the_layout_is_presentation_and_no_table_of_the_content_is() -> None:
    rows = (((Text("Head"),), (Text("Two"),)), ((Text("Cell"),), (Text("Words"),)))
    document = lxml_html.document_fromstring(rendered(replace(issue(), intro=(Table(rows),))).html)
    layout = [table for table in document.iter("table") if table.get("role") == "presentation"]
    assert [table.get("class") for table in layout] == ["sheet"]
    assert {table.get("cellpadding") for table in layout} == {"0"}
    (content,) = (table for table in document.iter("table") if table.get("role") is None)
    assert {head.get("scope") for head in content.iter("th")} == {"col"}


def test_styles_that_stay_fit_what_gmail_reads_and_the_sample_issue_what_it_shows() -> None:
    made = rendered()
    styles = "".join(element.text or "" for element in lxml_html.document_fromstring(made.html).iter("style"))
    assert len(styles.encode()) < 16_384
    long = rendered(
        replace(issue(), sections=(Section(None, (Entry("T", blocks=paragraph("w " * 900)),) * 20),))
    )
    assert len(long.html.encode()) < 100_000


ALLOWED = {
    "a", "blockquote", "body", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "head", "html", "li",
    "meta", "ol", "p", "pre", "s", "span", "strong", "style", "table", "tbody", "td", "th", "thead", "title",
    "tr", "ul",
}  # fmt: skip


@given(strategies.issues())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_the_issue_its_mail_holds_our_own_elements_and_slots_alone(whole: Issue) -> None:
    made = rendered(whole)
    document = lxml_html.document_fromstring(made.html)
    elements = list(document.iter("*"))
    assert {element.tag for element in elements} <= ALLOWED
    assert not [name for element in elements for name in map(str, element.keys()) if name.startswith("on")]
    links = [str(element.get("href")) for element in elements if element.get("href") is not None]
    assert all(link.startswith(("https://", "http://", "mailto:")) for link in links)
    assert [piece for piece in Slots(made.nonce).split(made.html) if isinstance(piece, Slot)] == [
        Slot.NAME, Slot.EMAIL, Slot.UNSUBSCRIBE,
    ]  # fmt: skip


@pytest.mark.parametrize(("language", "direction"), [("en", "ltr"), ("he", "rtl"), ("fa-IR", "rtl")])
def test_every_page_says_its_language_and_direction(language: str, direction: str) -> None:
    made = rendered(language=language)
    for page in (made.html, made.page):
        root = lxml_html.document_fromstring(page)
        assert (root.get("lang"), root.get("dir")) == (language, direction)


def test_text_lines_fit_and_end_without_blanks() -> None:
    made = rendered(issue("many words " * 40, subject="Many words"))
    lines = made.text.split("\n")
    assert all(line == line.rstrip() for line in lines)
    assert all(len(line) <= 72 for line in lines if "://" not in line and "Paper many" not in line)
    assert "\n\n\n\n" not in made.text
    assert made.text.endswith("\n")
    assert not made.text.endswith("\n\n")


# ------------------------------------------------------------------------------------------------- templates


def test_a_template_of_ones_own_wins(tmp_path: Path) -> None:
    templates = user_template(tmp_path, "email/subject.txt.j2", "[{{ newsletter.title }}] {{ issue.title }}")
    assert rendered(templates=templates).subject == "[AI Papers] The week: Words."


def test_a_theme_of_ones_own_is_found_by_its_name(tmp_path: Path) -> None:
    theme = "<!DOCTYPE html><html><head><title>x</title></head><body><p>{{ issue.title }}</p></body></html>"
    templates = user_template(tmp_path, "themes/mine.html.j2", theme)
    assert templates.themes() == ["dark-first", "magazine", "mine", "plain"]
    assert "<p>The week: Words.</p>" in rendered(templates=templates, theme="mine").html


def test_an_unknown_theme_names_those_there_are() -> None:
    with pytest.raises(InputError) as caught:
        rendered(theme="plane")
    told = "config/newsletters/ai-papers.toml: theme: 'plane' is none of dark-first, magazine, plain"
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("one\n{{ issue.nothing }}", "email/text.txt.j2:2", "nothing"),
        ("one\ntwo\n{{ nothing }}", "email/text.txt.j2:3", "nothing"),
        ("{% if %}", "email/text.txt.j2:1", ""),
        ("\n{{ issue.title | shout }}", "email/text.txt.j2:2", "shout"),
        ("\n{% include 'email/none.j2' %}", "email/none.j2", "no such template"),
        ("\n{{ 1 / 0 }}", "email/text.txt.j2:2", "zero"),
        ("\n{{ {}['x'].y }}", "email/text.txt.j2:2", ""),
        ("\n{{ issue.title() }}", "email/text.txt.j2:2", ""),
        ("\n{{ issue.title | int(base=99) | list }}", "email/text.txt.j2:2", ""),
        ("\n{{ ''.__class__.__mro__ }}", "email/text.txt.j2:2", "unsafe"),
        ("\n{% for n in range(999999999) %}{% endfor %}", "email/text.txt.j2:2", ""),
        ("{% macro m() %}\n{{ nothing }}{% endmacro %}\n\n{{ m() }}", "email/text.txt.j2:2", "nothing"),
        ("{% include 'email/text.txt.j2' %}", "email/text.txt.j2", ""),
    ],
)
def test_a_fault_in_a_template_is_told_with_its_place(
    tmp_path: Path, text: str, where: str, what: str
) -> None:
    templates = user_template(tmp_path, "email/text.txt.j2", text)
    with pytest.raises(InputError) as caught:
        rendered(templates=templates)
    assert str(caught.value).startswith(f"templates/{where}")
    assert what in str(caught.value)


def test_a_template_that_is_not_utf_8_is_told_with_its_place(tmp_path: Path) -> None:
    templates = user_template(tmp_path, "email/text.txt.j2", "")
    (tmp_path / "templates/email/text.txt.j2").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"templates/email/text\.txt\.j2.*UTF-8"):
        rendered(templates=templates)


def test_a_template_can_do_nothing_but_write(tmp_path: Path) -> None:
    evil = "{{ issue.__init__.__globals__ }}"
    templates = user_template(tmp_path, "email/subject.txt.j2", evil)
    with pytest.raises(InputError, match="templates/email/subject"):
        rendered(templates=templates)


def test_the_products_own_templates_are_found() -> None:
    assert (shipped() / "themes" / "plain.html.j2").is_file()


# ----------------------------------------------------------------------------------------------- fingerprint


def print_of(whole: Issue | None = None, templates: Templates = SHIPPED, **changes: Any) -> str:
    return fingerprint(whole or issue(), newsletter(**changes), templates, "https://example.org")


def test_a_fingerprint_is_the_same_everywhere() -> None:
    assert print_of() == print_of(templates=Templates(Path("/elsewhere")))
    assert re.fullmatch(r"[0-9a-f]{64}", print_of())


@pytest.mark.parametrize(
    "changed",
    [
        issue("Other words."),
        issue(subject="Another"),
        issue(preheader="Another"),
        replace(issue(), week=Week(2025, 18)),
        replace(issue(), intro=(Paragraph((Code("Words."),)),)),
        replace(issue(), intro=(CodeBlock("Words."),)),
        replace(issue(), sections=()),
    ],
)
def test_a_fingerprint_changes_with_the_content(changed: Issue) -> None:
    assert print_of(changed) != print_of()


@pytest.mark.parametrize(
    ("key", "value"),
    [("title", "Other"), ("sender", "a@b.org"), ("theme", "other"), ("greeting", ""), ("postal_address", "x"),
     ("language", "de"), ("list_id", "x.example.org"), ("unnamed", "you"), ("tagline", "")],
)  # fmt: skip
def test_a_fingerprint_changes_with_the_newsletters_face(key: str, value: str) -> None:
    changes: dict[str, Any] = {key: value}
    assert print_of(**changes) != print_of()


def test_a_fingerprint_changes_with_what_a_channel_shows() -> None:
    slack = options("channels", {"kind": "slack", "conversation": "C1"})
    digest = options("channels", {"kind": "slack", "conversation": "C1", "layout": "digest"})
    assert print_of(channels={"team": slack}) != print_of(channels={"team": digest})


def test_a_fingerprint_sees_an_edit_at_once_and_only_templates_in_use(tmp_path: Path) -> None:
    templates = user_template(tmp_path, "themes/mine.html.j2", '{% include "parts/head.html.j2" %}')
    user_template(tmp_path, "parts/head.html.j2", "one")
    before = print_of(templates=templates), print_of(templates=templates, theme="mine")
    user_template(tmp_path, "parts/head.html.j2", "two")
    after = print_of(templates=templates), print_of(templates=templates, theme="mine")
    assert before[0] == after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize("text", ["{% include issue.title %}", "{% if %}"])
def test_where_only_running_a_template_would_tell_every_template_counts(tmp_path: Path, text: str) -> None:
    templates = user_template(tmp_path, "themes/mine.html.j2", text)
    before = print_of(templates=templates, theme="mine")
    user_template(tmp_path, "elsewhere.j2", "two")
    assert print_of(templates=templates, theme="mine") != before


def test_a_fingerprint_changes_with_a_template(tmp_path: Path) -> None:
    first = print_of(templates=user_template(tmp_path, "email/subject.txt.j2", "{{ issue.title }}"))
    second = print_of(templates=user_template(tmp_path, "email/subject.txt.j2", "{{ issue.title }}!"))
    assert len({print_of(), first, second}) == 3


def test_a_fingerprint_does_not_see_what_no_reader_sees() -> None:
    dated = datetime(2025, 4, 25, tzinfo=UTC)
    whole = issue()
    sections = tuple(
        replace(part, entries=tuple(replace(one, place="x:1", date=dated) for one in part.entries))
        for part in whole.sections
    )
    same = replace(whole, status=Status.DRAFT, place="content/elsewhere.md:1", sections=sections)
    assert print_of(same) == print_of()
    assert print_of(schedule=SCHEDULE.model_copy(update={"day": "mon"})) == print_of()


def test_the_same_issue_renders_the_same_every_time() -> None:
    assert rendered() == rendered(templates=Templates(Path("/elsewhere")))
