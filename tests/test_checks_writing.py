"""What a copy editor marks: each rule with what it hits and what it nearly hits, in several languages."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from bot.checks import writing
from bot.checks._days import days_named, week_of, weeks_named
from bot.models import Entry, Finding, Reference, Severity, Week
from tests.manuscripts import ENTRY, FILE, issue, material, said, titled, told

RULES = {rule.id: rule for rule in writing.RULES}
E, W, H = Severity.ERROR, Severity.WARNING, Severity.HINT
LONG = "The authors weigh 400 wheels of cheese and find that twice the milk makes twice the wheel."


def found(
    rule: str, text: str, earlier: Mapping[str, str] | None = None, *, language: str = "en"
) -> list[Finding]:
    return told(RULES[f"writing.{rule}"], material(text, earlier, language=language))


def levels(
    rule: str, text: str, earlier: Mapping[str, str] | None = None, *, language: str = "en"
) -> list[Severity]:
    return [finding.severity for finding in found(rule, text, earlier, language=language)]


# ---------------------------------------------------------------------------------------------- leftovers


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        ("TODO: write this", [E]),
        ("The wheels are heavy. TODO look up how heavy", [E]),
        ("The wheels weigh (TODO) kilos.", [E]),
        ("The wheels weigh TKTK kilos.", [E]),
        ("The wheels weigh [TK] kilos.", [E]),
        ("The wheels weigh TK.", [E]),
        ("FIXME", [E]),
        ("XXX", [E]),
        ("- one\n- XXX: two", [E]),
        ("The wheels weigh TODO kilos.", [W]),
        ("The wheels weigh XXX kilos.", [W]),
        ("The date is TBD.", [H]),
        ("They weigh $TK million.", [E]),
        ("They weigh how much? TODO", [E]),
        ("[todo: weigh them]", [W]),
        ("They weigh ??? kilos.", [W]),
        ("It gains XX% and XX.X percent.", [W, W]),
        ("What??? They weigh 20 % (todos los días).", []),
        ("A TODO app in forty lines.", []),
        ("It finds every TODO in a repository.", []),
        ("TODO lists are for machines.", []),
        ("It says “TODO” and nothing else.", []),
        ("The word “TODO” is what it looks for.", []),
        ("Er findet das TODO im Text.", []),
        ("Write `TODO: later` and go on.", []),
        ("See TODO.md and #TODO.", []),
        ("TODOs are found.", []),
        ("todo: nothing", []),
        ("TK Maxx opens a shop.", [W]),
        ("Super Bowl XXX was in Tempe.", []),
        ("Tcl/TK is old.", []),
        ("Model TK-421 is not at its post.", []),
    ],
)
def test_a_note_to_oneself_is_told_and_a_word_about_notes_is_not(
    text: str, severities: list[Severity]
) -> None:
    assert levels("note", said(text)) == severities


def test_a_note_in_the_title_of_what_is_linked_may_be_its_own() -> None:
    assert levels("note", titled("Changelog for 16.9 (TODO: add date)")) == [W]
    assert levels("note", titled("TODO: find a title")) == [E]


def test_a_note_is_told_with_its_column() -> None:
    (finding,) = found("note", said("The wheels are heavy. TODO: how heavy?"))
    assert (finding.place, finding.issue) == (f"{FILE}:9:23", "ai-papers/2025-W17")


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        ("Hello {{ name }}, welcome.", [E]),
        ("{% include sponsor.html %}", [E]),
        ("{% if x %}yes{% endif %}", [E, E]),
        ("Hello *|FNAME|*, welcome.", [E]),
        ("Hello %FIRST_NAME%, welcome.", [E]),
        ("Hello %%first name%%, welcome.", [E]),
        ("Hello {first_name}, welcome.", [E]),
        ("Hello [Your Name], welcome.", [E]),
        ("The wheels [insert number] are heavy.", [E]),
        ("Les meules [insérer le chiffre] sont lourdes.", [E]),
        ("Die Laibe [Zahl einfügen] sind schwer.", [E]),
        ("Hello <%= name %>, welcome.", [E]),
        ("Hello ${name}, welcome.", [W]),
        ("Hello [[first_name]], welcome.", [E]),
        ("Hello <first name>, welcome.", [E]),
        ("Hello %recipient.name%, welcome.", [E]),
        ("It is heavy.:contentReference[oaicite:0]", [E]),
        ("The wheels (insert figure here) are heavy.", [W]),
        ("It is heavy [citation needed].", [W]),
        ("See the paper [link].", [W]),
        ("Hello %VORNAME%, willkommen.", [W]),
        ("Add it to %PATH% and %APPDATA%.", []),
        ("Write `{{ name }}` in the template.", []),
        ("```\n{{ name }}\n```", []),
        ("From 5% to 10% of the wheels.", []),
        ("He said that “[they] weigh it”.", []),
        ("The set {a, b} and the list [1, 2].", []),
        ("[link](https://example.org/)", []),
    ],
)
def test_what_a_template_would_have_filled_in_is_told(text: str, severities: list[Severity]) -> None:
    assert levels("template", said(text)) == severities


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        ("Lorem ipsum dolor sit amet, consectetur.", [E]),
        ("Your text goes here", [E]),
        ("Hier steht Ihr Text", [E]),
        ("Votre texte ici", [E]),
        ("asdf", [E]),
        ("A generator of lorem ipsum.", [H]),
        ("Where the text goes is up to you.", []),
    ],
)
def test_text_that_only_fills_the_space_is_told(text: str, severities: list[Severity]) -> None:
    assert levels("filler", said(text))[: len(severities) or 1] == severities


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("Certainly! Here is the summary.", 1),
        ("As an AI language model, I cannot weigh.", 1),
        ("Here's a revised version: they weigh.", 1),
        ("“As an AI language model, I cannot weigh”, it said.", 0),
        ("It certainly is here. An AI language model weighs.", 0),
        ("Sure, here is why they weigh.", 0),
    ],
)
def test_what_a_language_model_says_to_its_user_is_told(text: str, told_of: int) -> None:
    assert len(found("machine-talk", said(text))) == told_of


@pytest.mark.parametrize(
    ("key", "words", "severities"),
    [
        ("title", "Untitled", [E]),
        ("title", "Ohne Titel", [E]),
        ("title", "無題", [E]),
        ("title", "undefined", [E]),
        ("title", '"Papers of YYYY-MM-DD"', [E]),
        ("title", '"Cheese weekly #XX"', [E]),
        ("title", "2021-(TODO)", [E]),
        ("subject", "Copy of Cheese weekly", [E]),
        ("subject", '"[TEST] Cheese weekly"', [E]),
        ("subject", '"Re: Cheese weekly"', [E]),
        ("preheader", "Preview text", [E]),
        ("title", "Draft horses", []),
        ("title", '"Cheese weekly #20"', []),
        ("subject", '"Regarding: cheese"', []),
        ("subject", "Copy offices are closing", []),
        ("preheader", "Test results of the week", []),
    ],
)
def test_what_was_there_to_begin_with_is_no_title(key: str, words: str, severities: list[Severity]) -> None:
    assert levels("unfinished", issue(**{key: words})) == severities


def test_an_entry_that_is_called_test_may_mean_it() -> None:
    assert levels("unfinished", titled("Test")) == [W]
    assert levels("unfinished", titled("Test-time training")) == []


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("It is told in a note.[^1]", ["[^1]"]),
        ("See [the paper](https://example.org/ and", []),  # which is told of links
        ("• one\n• two", ["•"]),
        ("run `pip install x to", ["`"]),
        ("##Weighing the wheels", ["##W"]),
        (r"See \[the paper\]\[1\].", ["[the paper][1]"]),
        ("A lone \\`backtick\\`.", ["`backtick`"]),
        ("We are live :tada:", [":tada:"]),
        (r"This is \_\_bold\_\_.", ["__bold__"]),
        ("| one | two |", ["| one | two |"]),
        ("Use `__init__`, a[i][j] and .env.[development|test][.local].", []),
        ("At 10:30:45 in std::vector:x:y.", []),
        ("It is [here](https://example.org/) and [there][1].\n\n[1]: https://example.org/there", []),
        ("snake_case and ~/notes and 2 * 3.", []),
    ],
)
def test_a_mark_that_stays_visible_is_told(text: str, marks: list[str]) -> None:
    assert [one.message for one in found("stray-mark", said(text))] == [f"{m!r} stays visible" for m in marks]


@pytest.mark.parametrize(
    ("title", "told_of"),
    [
        ('"**Cheese** weekly"', 2),
        ('"<b>Cheese</b> weekly"', 2),
        ('"# Cheese weekly"', 1),
        ("5 * 3", 0),
        ('"C# weekly"', 0),
    ],
)
def test_a_title_in_the_front_matter_is_plain_words(title: str, told_of: int) -> None:
    assert len(found("stray-mark", issue(title=title))) == told_of


# ------------------------------------------------------------------------------------------------ wording


@pytest.mark.parametrize(
    ("language", "text", "told_of"),
    [
        ("en", "They weigh the the wheels.", 1),
        ("en", "They weigh the\nthe wheels.", 1),
        ("en", "The the wheels are heavy.", 1),
        ("en", "They weigh *the* the wheels.", 1),
        ("en", "The wheel is is heavy.", 1),
        ("en", "What it is is a wheel.", 0),
        ("en", "They live in the in the cellar.", 1),
        ("en", "They say that that is enough, and had had it.", 0),
        ("en", "Duran Duran plays in Baden Baden.", 0),
        ("en", "It is very, very heavy, and so so, blah blah.", 0),
        ("en", "In 2025 2025 wheels were made.", 0),
        ("en", "They weigh the `the` wheels.", 0),
        ("en", "It's the C.C. of C. C.", 0),
        ("de", "Menschen, die die Welt mögen.", 0),
        ("de", "Sie wiegen und und messen.", 1),
        ("fr", "Nous nous pesons, et vous vous mesurez.", 0),
        ("fr", "Ils pèsent les les roues.", 1),
        ("es", "Pesan los los quesos.", 1),
        ("nl", "De mensen die die kaas wegen.", 0),
        ("id", "Mereka makan pelan pelan.", 0),
        ("tr", "Yavaş yavaş yürüdü.", 0),
        ("tr", "They weigh the the wheels.", 1),
        ("ja", "チーズチーズ", 0),
    ],
)
def test_a_word_that_stands_twice_is_told(language: str, text: str, told_of: int) -> None:
    assert len(found("doubled-word", said(text), language=language)) == told_of


def test_a_doubled_word_is_told_where_it_stands_even_over_the_end_of_a_line() -> None:
    (finding,) = found("doubled-word", said("They weigh all of the\nthe wheels."))
    assert finding.place == f"{FILE}:9:19"


@pytest.mark.parametrize(
    ("language", "text", "severities"),
    [
        ("en", "They weigh wheels,, and taste.", [W]),
        ("en", "They weigh wheels..", [W]),
        ("en", "They weigh wheels,.", [W]),
        ("en", "They weigh wheels?.", [W]),
        ("en", "They weigh wheels.The rest is cheese.", [W]),
        ("en", "They weigh wheels,and taste.", [W]),
        ("en", "They weigh wheels , and taste.", [H]),
        ("en", "They weigh ( and taste) wheels.", [H]),
        ("en", "They weigh wheels !", [H]),
        ("fr", "Ils pèsent les roues !", []),
        ("fr", "Ils pèsent les roues , et goûtent.", [H]),
        ("en", "In post- training they weigh it.", [H]),
        ("en", "In pre- and post-training they weigh it.", []),
        ("de", "Vor- und Nachteile der Waage.", []),
        ("en", "They weigh wheels... and taste.", []),
        ("en", 'What about ...? Folders are called ".." there.', []),
        ("en", "They weigh wheels, etc., and taste Jr., Inc., too.", []),
        ("en", "From 1..10 in ../wheels with .NET and Node.js.", []),
        ("en", "It is 1,000.5 kg. ASP.NET and fast.ai weigh it.", []),
        ("ja", "チーズ、、重い。。", [W, W]),
        ("ja", "チーズは重い。。。", []),
    ],
)
def test_marks_that_do_not_go_together_are_told(language: str, text: str, severities: list[Severity]) -> None:
    assert levels("punctuation", said(text), language=language) == severities


def test_who_shouts_may_mean_it() -> None:
    assert levels("punctuation", issue(subject='"Cheese!!!"')) == [H]
    assert levels("punctuation", said("Cheese!!! Really?? Well....")) == [H, H, H]
    assert levels("punctuation", said("Cheese! Really? Well...")) == []


@pytest.mark.parametrize(
    ("words", "severities"),
    [
        ("FOUR HUNDRED WHEELS OF CHEESE", [W]),
        ("BREAKING NEWS", [W]),
        ("ГОЛОВЫ СЫРА ВЕСЯТ МНОГО", [W]),
        ("GPT-4, LLAMA AND BERT", [W]),
        ("GPT-4 LLM RL", []),
        ("DOC-LLM BERT", []),
        ("Four HUNDRED WHEELS OF CHEESE", []),
        ("四百個のチーズ", []),
    ],
)
def test_a_subject_in_capitals_is_told(words: str, severities: list[Severity]) -> None:
    assert levels("capitals", issue(subject=f'"{words}"')) == severities


@pytest.mark.parametrize(
    "title", ["GPT یک مدل زبانی است", "מודל שפה גדול של GPT", "NASA と ESA の新しい論文"]
)
def test_letters_that_have_no_small_ones_are_no_capitals(title: str) -> None:
    assert levels("capitals", titled(title)) == []


def test_a_bracket_is_told_where_it_stands_and_not_at_an_earlier_one() -> None:
    (finding,) = found("brackets", said("See [the page](https://x.org/a)) now."))
    assert finding.place == f"{FILE}:9:32"


def test_an_entry_in_capitals_may_quote() -> None:
    assert levels("capitals", titled("FOUR HUNDRED WHEELS OF CHEESE")) == [H]


@pytest.mark.parametrize(
    ("language", "text", "severities"),
    [
        ("en", "They weigh (and taste wheels.", [W]),
        ("en", "They weigh and taste) wheels.", [W]),
        ("en", r"They weigh \[and taste) wheels.", [W]),
        ("ja", "チーズ【重い。", [W]),
        ("ja", "「チーズ」【重い】", []),
        ("en", "They say “weigh it.", [H]),
        ("de", "Sie sagen „wiegen“ und “messen”.", []),
        ("de", "Sie sagen „wiegen und gehen.", [H]),
        ("de", "Sie sagen „wiegen und „messen“.", [H]),
        ("pl", "Mówią „ważyć” i idą.", []),
        ("en", "They do: a) weigh, b) taste, 3) sell it :)", []),
        ("en", "They do (1) weigh (2) taste (see 3).", []),
        ("en", "In [0, 1) and (0, ∞].", []),
        ("en", "Use `f(x` and `]`.", []),
        ("en", 'They say "weigh it.', [H]),
        ("en", 'They say "carry the 1" and weigh.', []),
        ("en", 'A 27" wheel and a "round" one.', []),
        ("fr", "Ils disent « peser.", [H]),
        ("fr", "Ils disent « peser ».", []),
        ("en", "Sad :( but [linked (twice)](https://example.org/).", []),
    ],
)
def test_a_bracket_without_a_partner_is_told(language: str, text: str, severities: list[Severity]) -> None:
    assert levels("brackets", said(text), language=language) == severities


@pytest.mark.parametrize(
    ("language", "text", "severities"),
    [
        ("en", "They weigh four hundred wheels and", [W]),
        ("en", "They weigh four hundred wheels,", [W]),
        ("en", "They weigh four hundred wheels with the\n\nThat is all.", [W]),
        ("en", "They weigh these:", [W]),
        ("en", "They weigh four hundred wheels \u2013", [W]),
        ("de", "Sie wiegen vierhundert Laibe und", [W]),
        ("fr", "Ils pèsent quatre cents roues de", [W]),
        ("en", "- They weigh:\n- They taste.", [H]),
        ("en", "They weigh these:\n\n- one, and\n- two.", []),
        ("en", "They weigh what cheese is made of.", []),
        ("en", "They found what they were looking for", []),
        ("en", "They weigh these, and\n\n> as they say, they taste.", []),
        ("en", "Hello everybody,\n\nthey weigh it.", []),
        ("en", "- bread,\n- butter, and\n- cheese.", []),
    ],
)
def test_a_text_that_breaks_off_is_told(language: str, text: str, severities: list[Severity]) -> None:
    assert levels("broken-off", said(text), language=language) == severities


@pytest.mark.parametrize(
    ("title", "severities"),
    [
        ("A scaling law for cheese:", [W]),
        ("A scaling law for cheese -", [W]),
        (", and a scaling law for cheese", [W]),
        ("A scaling law for cheese, " + "and for milk " * 10, [H]),
        ("A scaling law for cheese and milk. " * 7, [W]),
        ("GPT-", []),
        (".NET weighs cheese", []),
        ("What is cheese?", []),
        ("LLMs Can Get “Brain Rot”!", []),
    ],
)
def test_a_title_with_a_loose_end_is_told(title: str, severities: list[Severity]) -> None:
    assert levels("ragged-title", titled(title)) == severities


def test_a_text_that_lost_its_full_stop_is_told_where_the_others_have_theirs() -> None:
    texts = [LONG, LONG.replace("400", "500"), LONG.replace("400", "600"), LONG.replace("400", "700")[:-1]]
    assert levels("full-stop", said("\n\n".join(texts))) == [H]
    assert levels("full-stop", said("\n\n".join(texts[:3]))) == []
    assert levels("full-stop", said("\n\n".join([*texts[:3], "Too short to be one"]))) == []
    assert levels("full-stop", said("\n\n".join([*texts[:3], f"{LONG[:-1]} `so`"]))) == []
    assert levels("full-stop", said("\n\n".join(text.rstrip(".") for text in texts))) == []


def test_a_heading_that_nothing_follows_is_told() -> None:
    assert levels("bare-heading", said("They weigh.\n\n### What they found\n")) == [W]
    assert levels("bare-heading", said("They weigh.\n\n### What they found\n\nMuch.")) == []
    assert levels("bare-heading", issue(f"Welcome.\n\n### Today\n\n{ENTRY}")) == [W]


def test_a_small_heading_right_above_another_is_a_hint() -> None:
    """The other may be a smaller one."""
    (finding,) = found("bare-heading", said("### What they found\n\n### How\n\nThey weigh."))
    assert (finding.severity, finding.place) == (H, f"{FILE}:9:5")
    assert finding.message == "nothing stands between 'What they found' and 'How'"


# ------------------------------------------------------------------------------------------------- series


def numbered(*numbers: object) -> str:
    return issue("".join(f"## {number} Cheese {at}\n\nText.\n\n" for at, number in enumerate(numbers)))


@pytest.mark.parametrize(
    ("numbers", "told_of"),
    [
        (("1.", "2.", "4."), 1),
        (("1)", "3)"), 1),
        (("1.", "2.", "2."), 1),
        (("2.", "3."), 1),
        (("0.", "1.", "2."), 0),
        (("1.", "2.", "3."), 0),
        (("3.", "2.", "1."), 0),
        (("3.", "1."), 1),
        (("1.", "2.", "1.", "2."), 0),
        (("7.", "", "", ""), 0),
        (("2024:", "", ""), 0),
    ],
)
def test_a_gap_in_the_numbers_of_entries_is_told(numbers: tuple[str, ...], told_of: int) -> None:
    text = numbered(*numbers).replace("## 1.", r"## 1\.")
    assert len(found("numbering", text)) == told_of


@pytest.mark.parametrize(
    ("key", "words", "told_of"),
    [
        ("title", '"Ten papers: 21–27 April"', 1),
        ("title", '"2 papers on cheese"', 1),
        ("subject", '"Cheese weekly: three new tools"', 1),
        ("title", '"Zehn Beiträge über Käse"', 1),
        ("title", '"One paper on cheese"', 0),
        ("title", '"Papers of the week"', 0),
        ("title", '"We read papers"', 0),
    ],
)
def test_a_promise_of_more_entries_than_there_are_is_told(key: str, words: str, told_of: int) -> None:
    assert len(found("count", issue(**{key: words}))) == told_of


def test_one_entry_is_counted_as_one() -> None:
    (finding,) = found("count", issue(subject="Ten papers on cheese"))
    assert finding.message == "subject: 'Ten papers on cheese' promises 10, and there is one entry"


def test_single_entries_that_may_join_are_not_counted_out() -> None:
    single = Entry("Two", date=datetime(2025, 4, 23, tzinfo=UTC), place="content/ai-papers/entries/two.md:1")
    given_material = material(issue(title="Two papers"), entries=(single,))
    assert told(RULES["writing.count"], given_material) == []


@pytest.mark.parametrize(
    ("now", "before", "severities"),
    [
        ({"subject": "Cheese"}, [{"subject": "Cheese"}], [W]),
        ({"preheader": "Cheese"}, [{"preheader": "Cheese"}], [W, W]),  # the title is the same as well
        ({"subject": "Cheese"}, [{"subject": "Butter"}], []),
        ({"subject": "Cheese"}, [], []),
        ({"title": "Cheese"}, [{"title": "Cheese"}], [W]),
        ({"title": "Cheese"}, [{"title": "Cheese"}] * 3, [H]),
        ({"title": "Cheese", "subject": "One"}, [{"title": "Cheese", "subject": "Two"}], []),
        ({"subject": "Cheese"}, [{"subject": "Cheese"}, {"subject": "Butter"}], []),  # the week before last
    ],
)
def test_the_subject_of_the_issue_before_is_told(
    now: dict[str, str], before: list[dict[str, str]], severities: list[Severity]
) -> None:
    earlier = {f"2025-W{week}": issue(**keys) for week, keys in enumerate(before, 17 - len(before))}
    assert levels("same-line", issue(**now), earlier) == severities


def test_a_text_that_stands_twice_or_stood_in_an_issue_before_is_told() -> None:
    assert levels("same-text", said(f"{LONG}\n\n{LONG}")) == [W]
    assert levels("same-text", said(LONG), {"2025-W16": said(LONG)}) == [W]
    assert levels("same-text", said("Too short."), {"2025-W16": said("Too short.")}) == []
    assert levels("same-text", said(LONG), {"2025-W16": said(LONG), "2025-W15": said(LONG)}) == []


def test_an_issue_without_an_introduction_is_told_where_the_others_have_one() -> None:
    opened, bare = issue(f"Welcome.\n\n{ENTRY}"), issue()
    earlier = {"2025-W14": opened, "2025-W15": opened, "2025-W16": opened}
    assert levels("no-intro", bare, earlier) == [W]
    assert levels("no-intro", opened, earlier) == []
    assert levels("no-intro", bare, {**earlier, "2025-W15": bare}) == []
    assert levels("no-intro", bare, {"2025-W16": opened}) == []


@pytest.mark.parametrize(
    ("before", "now", "severities"),
    [
        ("Cheese weekly #41", "Cheese weekly #41", [W]),
        ("Cheese weekly #41", "Cheese weekly #40", [W]),
        ("Cheese weekly #41", "Cheese weekly #43", [H]),
        ("Issue No. 41", "Issue No. 42", []),
        ("Ausgabe 41", "Ausgabe 42", []),
        ("Cheese weekly", "Cheese weekly #1", []),
    ],
)
def test_a_number_that_does_not_follow_the_last_one_is_told(
    before: str, now: str, severities: list[Severity]
) -> None:
    earlier = {"2025-W16": issue(title=f'"{before}"')}
    assert levels("issue-number", issue(title=f'"{now}"'), earlier) == severities


# ------------------------------------------------------------------------------------------ days and weeks


@pytest.mark.parametrize(
    ("language", "title", "severities"),
    [
        ("en", "Papers (April 14 - 20)", [W]),
        ("en", "Papers (April 14 - April 20) - 2025", [W]),
        ("en", "Papers (April 21 - 27, 2024)", [W]),
        ("en", "Papers, week 16", [W]),
        ("en", "Papers 2025-W18", [W]),
        ("de", "Texte der KW 16", [W]),
        ("de", "Texte vom 14.–20. April", [W]),
        ("fr", "Articles du 14 au 20 avril", [W]),
        ("es", "Del 14 al 20 de abril de 2025", [W]),
        ("en", "Papers, week ending April 27, 2024", [W]),
        ("en", "Papers (April 20 - 27)", [W]),  # eight days
        ("en", "Papers: April 18", [H]),
        ("en", "Papers of W16", [W]),
        ("en", "The week of April 14", [W]),
        ("de", "Texte vom 14.04.2025 - 20.04.2025", [W]),
        ("de", "Texte vom 14.4. bis 20.4.", [W]),
        ("en", "Papers 2025-04-14 to 2025-04-20", [W]),
        ("en", "Papers 4/14 - 4/20", [W]),
        ("ja", "論文 4月14日-20日", [W]),
        ("ja", "論文 2025年4月21日〜27日", []),
        ("de", "Texte vom 21.4.-27.4.", []),
        ("en", "Papers 4/21 - 4/27", []),
        ("en", "Papers on A100-W16 and W8A8", []),
        ("en", "Papers (April 21 - 27)", []),
        ("en", "Papers (April 21 - 27) - 2025", []),
        ("en", "Papers, week 17", []),
        ("en", "Papers 2025-W17", []),
        ("de", "Texte der 17. Woche, KW 17", []),
        ("de", "Texte vom 21. bis 27. April", []),
        ("fr", "Articles du 21 au 27 avril", []),
        ("en", "Papers: April 25, 2025", []),
        ("en", "What May 2024 brought to 35 people", []),
        ("en", "May 5 people weigh it", []),
        ("en", "On July 4 we rest, and other papers", []),
        ("en", "The 12 week plan for week 99", []),
    ],
)  # fmt: skip
def test_the_label_of_another_week_is_told(language: str, title: str, severities: list[Severity]) -> None:
    assert levels("week-label", issue(title=f'"{title}"'), language=language) == severities


@pytest.mark.parametrize(
    ("before", "now", "told_of"),
    [
        ("Papers (April 7 - 13)", "Papers (April 14 - 20)", 0),  # always the week before
        ("Papers (April 14 - 20)", "Papers (April 14 - 20)", 1),
        ("Week 3", "Week 4", 0),  # a count of its own
        ("Week 3", "Week 3", 1),
    ],
)
def test_a_newsletter_may_name_its_weeks_in_its_own_way(before: str, now: str, told_of: int) -> None:
    earlier = {"2025-W16": issue(title=f'"{before}"')}
    assert len(found("week-label", issue(title=f'"{now}"'), earlier)) == told_of


def test_the_introduction_of_the_week_before_is_told() -> None:
    assert levels("week-label", issue(f"This week (April 14 - 20) we read.\n\n{ENTRY}")) == [W]
    assert levels("week-label", issue(f"This week (April 21 - 27) we read.\n\n{ENTRY}")) == []
    assert levels("week-label", issue(f"After last week (April 14 - 20) we read.\n\n{ENTRY}")) == []
    assert levels("week-label", issue(f"Welcome to week 16!\n\n{ENTRY}")) == [W]
    assert levels("week-label", issue(f"The best of the week of April 14.\n\n{ENTRY}")) == [W]
    assert levels("week-label", issue(f"We met on April 14 and in week 12.\n\n{ENTRY}")) == []
    assert levels("week-label", issue(f"We meet on May 5-9.\n\n{ENTRY}")) == []


@pytest.mark.parametrize(
    ("language", "text", "told_of"),
    [
        ("en", "We meet on Friday, April 24, 2025.", 1),
        ("en", "We meet on Friday, April 24.", 1),
        ("en", "We meet on April 31.", 1),
        ("en", "We meet on February 29, 2025.", 1),
        ("de", "Wir treffen uns am Freitag, den 24. April.", 1),
        ("fr", "Rendez-vous vendredi 24 avril.", 1),
        ("es", "Nos vemos el viernes 24 de abril de 2025.", 1),
        ("en", "We meet on Thursday, April 24, 2025.", 0),
        ("en", "We meet on February 29, 2024.", 0),
        ("de", "Wir treffen uns am Donnerstag, den 24. April.", 0),
        ("fr", "Rendez-vous jeudi 24 avril.", 0),
        ("en", "In March 40 people met, in May 31.", 0),
        ("en", "Version 3.1 March release 30.", 0),
    ],
)
def test_a_day_that_does_not_exist_is_told(language: str, text: str, told_of: int) -> None:
    assert len(found("no-such-day", said(text), language=language)) == told_of


@pytest.mark.parametrize(
    ("title", "told_of"),
    [
        ("Week ending Feburary 12, 2025", 1),
        ("Papers of 21 Ocotber", 1),
        ("Papers of 21 Octobre", 0),
        ("Week ending Sept 12, 2025", 0),
        ("Marchand 12 and the Mayor 5", 0),
        ("An augur 5 Aug", 0),
    ],
)
def test_a_month_that_is_none_is_told_in_a_title(title: str, told_of: int) -> None:
    assert len(found("no-such-day", issue(title=f'"{title}"'))) == told_of


@pytest.mark.parametrize(
    ("name", "day", "told_of"),
    [
        ("cheese", "2025-04-24", 0),
        ("cheese", "2026-04-24", 1),
        ("2025-04-24-cheese", "2025-04-24", 0),
        ("2025-04-24-cheese", "2025-03-24", 1),
        ("cheese", "2024-04-24", 0),  # long sent
    ],
)
def test_a_slip_in_the_date_of_a_single_entry_is_told(name: str, day: str, told_of: int) -> None:
    at = datetime.fromisoformat(f"{day}T12:00+02:00")
    links = (Reference("Paper", "https://example.org/"),)
    single = Entry("Cheese", links, date=at, place=f"content/ai-papers/entries/{name}.md:1")
    assert len(told(RULES["writing.entry-date"], material(issue(), entries=(single,)))) == told_of


@given(
    st.dates(min_value=date(2001, 1, 1), max_value=date(2089, 12, 31)),
    st.integers(0, 9),
)
def test_a_span_of_days_is_read_back_as_it_was_written(start: date, days: int) -> None:
    end = start + timedelta(days=days)
    text = f"({start:%B} {start.day} - {end:%B} {end.day}, {end.year})"
    (named,) = days_named(text, "en")
    assert named.near(Week.of(start)) == (start, end)


@given(st.text(alphabet="0123456789 -.,Week#W第週Apiléà()", max_size=60))
def test_whatever_is_written_names_no_impossible_week(text: str) -> None:
    assert all(1 <= number <= 99 for _, number, _ in weeks_named(text))
    for days in days_named(text, "fr"):
        span = days.near(Week(2025, 17))
        assert span is None or span[0] <= week_of(span).monday + timedelta(days=6)
