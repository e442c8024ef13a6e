"""Whatever an author writes into a Slack template: blocks that Slack takes, or a fault with file and line."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bot.blockkit import packed
from bot.channels._slack_gone import no_more
from bot.channels._slack_template import groups
from bot.compose import numbered
from bot.errors import InputError
from bot.models import Entry, Issue, Reference, Section, Week
from bot.templates import Templates, shipped
from bot.text import Bullets, Paragraph, Text
from tests.measuring import calls
from tests.servers.slack import rules

HOSTILE = '<!channel> @here <@U0123456> <https://x.org|bank> *b* :tada: " \\ {{ 7*7 }}'
WORDS = Paragraph((Text(HOSTILE),))
ENTRY = Entry(HOSTILE, (Reference(HOSTILE, "https://example.org/"),), (WORDS, Bullets(((WORDS,),))))
ISSUE = Issue("ai-papers", Week(2025, 17), HOSTILE, (Section(HOSTILE, (ENTRY,)),), intro=(WORDS,))
CONTEXT: dict[str, Any] = {
    "issue": ISSUE,
    "newsletter": {"title": HOSTILE},
    "sections": list(numbered(ISSUE)),
    "layout": "thread",
    "web_url": "https://example.org/issues/2025-W17",
}


def blocks_of(folder: Path, template: str) -> list[Any]:
    """The blocks of each message that a template makes."""
    path = folder / "templates/slack/issue.j2"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(template, "utf-8")
    return [message.blocks for message in packed(groups(Templates(folder), CONTEXT))]


def assert_slack_takes(messages: list[Any]) -> None:
    for blocks in messages:
        assert rules.faults(blocks) == []
        assert rules.mentions({"blocks": blocks}) == []


def test_a_template_is_read_once_and_again_when_it_is_edited_or_another_is_put_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = calls(monkeypatch, ImmutableSandboxedEnvironment, "compile")
    templates = Templates(tmp_path)
    context = {**CONTEXT, "newsletter": {"title": HOSTILE, "tagline": "", "language": "en"}}
    first = groups(templates, context)
    before = len(read)
    assert before > 0
    assert groups(templates, context) == first
    assert len(read) == before
    own = tmp_path / "templates/slack/issue.j2"
    own.parent.mkdir(parents=True)
    for at, words in enumerate(("mine", "edited"), start=1):
        own.write_text(f"{{{{ header('{words}') }}}}", "utf-8")
        os.utime(own, (at, at))
        assert words in repr(groups(templates, context))
    assert len(read) == before + 2


@pytest.mark.parametrize(
    "template",
    [
        "{{ header(issue.title) }}{{ context(issue.title, newsletter.title) }}{{ heading(issue.title) }}",
        "{{ rich(issue.intro) }}{{ entry_list(sections[0].entries) }}",
        "{{ entry_title(sections[0].entries[0]) }}{{ references(sections[0].entries[0]) }}",
        "{{ link(issue.title, web_url) }}{{ button(issue.title, web_url) }}",
        "{{ button('x' * 500, web_url) }}{{ button('again', web_url) }}",
        "{% set kept = header('x') %}{{ kept }}{{ kept }}",
        "{% macro twice(it) %}{{ header(it) }}{{ heading(it) }}{% endmacro %}{{ twice(issue.title) }}",
        "{% call together() %}{% call together() %}{{ header('x') }}{% endcall %}{% endcall %}",
        "{% for n in range(300) %}{{ heading(n) }}{{ divider() }}{% endfor %}",
        "{{ heading('x' * 50000) }}{{ context('y' * 50000) }}{{ header('z' * 50000) }}",
        "{{ header(issue.title | upper) }}{{ heading('\\u0000\\u001b[31m<!here>') }}",
        "{# nothing #}{{ divider() }}{{ heading('x') }}{{ divider() }}",
        "{% if true %}{{ heading('<!everyone>') }}{% endif %}",
    ],
)
def test_what_a_template_may_say_slack_takes(template: str, tmp_path: Path) -> None:
    messages = blocks_of(tmp_path, template)
    assert messages
    assert_slack_takes(messages)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("\n<!channel>", ":2: text outside of a block: '<!channel>'"),
        ("{{ issue.title }}", ":1: {{ … }} gives str here, not a block"),
        ("\n\n{{ issue.nothing }}", ":3: "),
        ("{{ {'type': 'section'} }}", ":1: {{ … }} gives dict here, not a block"),
        ("{{ header }}", ":1: {{ … }} gives function here, not a block"),
        ("{{ header('x') | upper }}", ":1: "),
        ("{{ header('x') ~ header('y') }}", ":1: "),
        ("\n{{ button('x', 'javascript:alert(1)') }}", ":2: a button needs words and an http address"),
        ("{{ button('', web_url) }}", ":1: a button needs words and an http address"),
        ("{{ rich('words') }}", ":1: this is not a text of an issue"),
        ("{{ entry_title(issue) }}", ":1: this is not an entry of a section"),
        ("{{ rich(7) }}", ":1: "),
        ("{{ 1 // 0 }}", ":1: "),
        ("{% for n in range(10 ** 9) %}{% endfor %}", ":1: "),
        ("{{ ''.__class__.__mro__ }}", ":1: "),
        ("{{ header('x' }}", ":1: "),
        ("{% if %}", ":1: "),
        ("{% include 'slack/issue.j2' %}", "it calls itself without end"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "it calls itself without end"),
    ],
)
def test_anything_else_is_a_fault_with_its_place(template: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        blocks_of(tmp_path, template)
    assert str(caught.value).startswith("templates/slack/issue.j2")
    assert says in str(caught.value)


def test_a_fault_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    part = tmp_path / "templates/slack/parts/end.j2"
    part.parent.mkdir(parents=True)
    part.write_text("{{ divider() }}\n{{ issue.nothing }}", "utf-8")
    with pytest.raises(InputError, match=r"^templates/slack/parts/end\.j2:2: "):
        blocks_of(tmp_path, "{% include 'slack/parts/end.j2' %}")


PIECES = (
    "{{ header(issue.title) }}", "{{ ", " }}", "{% call together() %}", "{% endcall %}",
    "{% for s in sections %}", "{% endfor %}", "{{ rich(issue.intro) }}",
    "{{ button(issue.title, web_url) }}", "{{ new_message() }}", "\n", "{{ divider() }}",
    "{{ entry_list(s.entries) }}", "{% set x = heading(issue.title) %}", "{{ x }}", "'", "words",
    "{{ issue }}", "{{ [] }}", "{{ none }}", "{{ '' }}", "{% raw %}", "{% endraw %}", "{#", "#}", "| upper",
    "\x00",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_template_makes_good_blocks_or_a_fault_with_its_place(tmp_path: Path, template: str) -> None:
    try:
        messages = blocks_of(tmp_path, template)
    except InputError as error:
        assert re.match(r"templates/slack/issue\.j2:\d+: ", str(error))  # noqa: PT017 (one of two good ends)
    else:
        assert_slack_takes(messages)


# ------------------------------------------------------------------------------------------------- languages


def said_in(language: str, *, layout: str = "thread") -> str:
    """Every word of the messages of an issue with two entries, as the shipped template sets them."""
    entry = Entry("A title", (Reference("here", "https://example.org/"),))
    two = Issue("ai-papers", Week(2025, 17), "Title", (Section(None, (entry, entry)),))
    context = CONTEXT | {
        "issue": two,
        "newsletter": {"title": "News", "tagline": "", "language": language},
        "sections": list(numbered(two)),
        "layout": layout,
    }
    messages = packed(groups(Templates(Path("/nowhere")), context))
    return json.dumps([message.blocks for message in messages], ensure_ascii=False)


@pytest.mark.parametrize(
    ("language", "count", "web", "read"),
    [
        ("en", "2 entries", "Read it on the web", "Read the issue"),
        ("de-AT", "2 Beiträge", "Im Web lesen", "Ausgabe lesen"),
        ("zh-TW", "2 則", "在網頁上閱讀", "閱讀本期"),
        ("ru", "Записей: 2", "Читать в браузере", "Читать выпуск"),
        ("la", "2 entries", "Read it on the web", "Read the issue"),
    ],
)
def test_messages_speak_the_newsletters_language(language: str, count: str, web: str, read: str) -> None:
    assert f"News · 2025-W17 · {count}" in said_in(language)
    assert web in said_in(language)
    assert read in said_in(language, layout="digest")


def test_mail_and_slack_speak_the_same_languages() -> None:
    spoken = {
        name: set(re.findall(r'^  "([a-z-]+)": \{', (shipped() / name).read_text("utf-8"), re.MULTILINE))
        for name in ("email/words.j2", "slack/words.j2")
    }
    assert spoken["slack/words.j2"] == spoken["email/words.j2"]
    assert all(no_more(language) != no_more("en") for language in spoken["email/words.j2"] - {"en"})
    assert no_more("de-CH").startswith("Diesen Teil")
    assert no_more("la") == no_more("en")
