"""What is not seen, seen wrong or lost: each rule with what it hits and what it nearly hits."""

import unicodedata
from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given, strategies as st

from bot.checks import text, writing
from bot.checks._characters import decomposed, has_words, mojibake, unpaired, unseen
from bot.models import Finding, Severity
from tests.manuscripts import FILE, issue, material, said, titled, told

RULES = {rule.id: rule for rule in text.RULES}
E, W, H = Severity.ERROR, Severity.WARNING, Severity.HINT
HEBREW = "\u05de\u05d5\u05d3\u05dc \u05e9\u05e4\u05d4 \u05d2\u05d3\u05d5\u05dc"


def found(rule: str, written: str, *, language: str = "en") -> list[Finding]:
    return told(RULES[f"text.{rule}"], material(written, language=language))


def levels(rule: str, written: str, *, language: str = "en") -> list[Severity]:
    return [finding.severity for finding in found(rule, written, language=language)]


@pytest.mark.parametrize(
    ("words", "severities"),
    [
        ("400 \u202ewheels", [E]),
        ("400 \u2067wheels", [E]),
        ("400 wheels\u2069", [E]),
        ("400 \u2067wheels\u202c", [E]),
        ("400 \u202ewheels\u202c", [W]),
        ("400 \u202bwheels\u202c", []),
        ("400 \u2068wheels\u2069", []),
        ("400 \u2067\u202bwheels\u202c\u2069", []),
        ("400\u200e wheels\u200f", []),
        (HEBREW, []),
    ],
)
def test_a_direction_that_is_not_ended_is_told(words: str, severities: list[Severity]) -> None:
    assert levels("direction-control", said(words)) == severities


def test_a_direction_that_is_not_ended_is_told_in_code_as_well() -> None:
    assert levels("direction-control", said("```\nif \u202eadmin:\n```")) == [E]


@pytest.mark.parametrize(
    ("words", "severities"),
    [
        ("400\u200b wheels", [W]),
        ("400\ufeff wheels", [W]),
        ("400\u2060 wheels", [W]),
        ("whe\u200dels", [W]),
        ("whe\u200cels", [W]),
        ("whe\u00ad els", [W]),
        ("\u3164", [W]),
        ("400\U000e0041\U000e0042 wheels", [E, E]),
        ("whe\ufe0fels", [W]),
        ("\U0001f9c0\U000e0101\U000e0102\U000e0103", [E]),  # bytes in disguise
        ("\u2764\ufe0f and 1\ufe0f\u20e3 and \u845b\U000e0100", []),
        ("whe\u00adels", []),
        ("\u0e0a\u0e35\u0e2a\u200b\u0e2b\u0e19\u0e31\u0e01", []),  # Thai writes no blanks
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", []),  # Persian needs the non-joiner
        ("\u0915\u094d\u200d\u0937", []),  # Devanagari needs the joiner
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467 and \u2764\ufe0f", []),
        (
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f plays",
            [],
        ),  # England's flag
        ("4\u202f000\u00a0kg", []),
    ],
)
def test_what_nobody_sees_is_told_unless_its_script_needs_it(words: str, severities: list[Severity]) -> None:
    assert levels("invisible", said(words)) == severities


def test_an_invisible_character_is_told_by_name_and_column() -> None:
    (finding,) = found("invisible", said("The authors weigh 400\u200b wheels."))
    assert finding.place == f"{FILE}:9:22"
    assert "U+200B zero width space" in finding.message
    assert "\u200b" not in finding.message


def test_a_soft_hyphen_is_told_where_an_inbox_would_show_it() -> None:
    assert levels("invisible", issue(subject="Chee\u00adse")) == [W]
    assert levels("invisible", titled("Chee\u00adse")) == []


@pytest.mark.parametrize(
    ("words", "told_of"),
    [("Gruy\ufffdre", 1), ("Gruy\ufffd\ufffdre", 1), ("Gruy\u00e8re", 0), ("It shows `\ufffd` then", 0)],
)
def test_a_lost_character_is_told(words: str, told_of: int) -> None:
    assert len(found("lost-character", said(words))) == told_of


@pytest.mark.parametrize(
    ("words", "was"),
    [
        ("It\u00e2\u20ac\u2122s", "\u2019"),
        ("caf\u00c3\u00a9", "\u00e9"),
        ("100\u00c2\u00b0", "\u00b0"),
        ("\u00f0\u0178\u0160\u2030", "\U0001f289"),
        ("\u00c3\u00bcber", "\u00fc"),
        ("\u00d0\u0178\u00d1\u20ac\u00d0\u00b8", "\u041f\u0440\u0438"),
    ],
)
def test_text_of_a_wrong_encoding_is_told_with_what_it_was(words: str, was: str) -> None:
    (finding,) = found("encoding", said(words))
    assert finding.fix == f"write {was}"


@pytest.mark.parametrize(
    "words",
    [
        "N\u00c3O \u00c9 CAF\u00c9\u2026",
        "\u201cAMANH\u00c3\u201d",
        "\u201eMEN\u00dc\u201c",
        "\u00c2ngela e a m\u00e3e",
        "\u00c5ngstr\u00f6m, \u00e2ge, \u00d1and\u00fa",
        "\u041f\u0440\u0438\u0432\u0435\u0442",
        "\u00abtrois\u00bb \u00e0 100 \u20ac",
    ],
)
def test_text_of_a_right_encoding_is_not(words: str) -> None:
    assert found("encoding", said(words)) == []


@given(st.text(alphabet=st.characters(min_codepoint=0xA1, max_codepoint=0xFF), min_size=1, max_size=20))
def test_whatever_was_read_in_a_wrong_encoding_is_found(words: str) -> None:
    wrong = words.encode("utf-8").decode("latin-1")
    assert "".join(was for _, was in mojibake(wrong)) == words


@pytest.mark.parametrize(
    ("written", "told_of"),
    [
        (issue(title='"Cheese &amp; butter"'), 1),
        (issue(title='"Cheese&nbsp;weekly"'), 1),
        (said("Cheese &amp;amp; butter"), 1),
        (said("Cheese &amp;#39; butter"), 1),
        (said("Cheese &amp; butter"), 0),
        (issue(title='"Cheese&nbsp weekly"'), 1),
        (said("Cheese & butter; AT&T; Q&A; R&D;"), 0),
        (said("Write `&amp;` for it"), 0),
    ],
)
def test_a_character_as_html_spells_it_is_told(written: str, told_of: int) -> None:
    assert len(found("entity", written)) == told_of


@pytest.mark.parametrize(
    ("words", "told_of"), [("a \uf8ff b", 1), ("a \U0001f34e b", 0), ("a \U00100001 b", 1)]
)
def test_a_character_of_one_font_alone_is_told(words: str, told_of: int) -> None:
    assert len(found("private-use", said(words))) == told_of


def test_a_decomposed_title_is_told_and_a_decomposed_text_is_mentioned() -> None:
    assert levels("decomposed", titled("Gruye\u0300re")) == [W]
    assert levels("decomposed", said("Gruye\u0300re")) == [H]
    assert levels("decomposed", titled("Gruy\u00e8re")) == []
    assert levels("decomposed", titled("x\u0304 and \u05e9\u05c1")) == []  # Unicode has no character for it
    assert levels("decomposed", titled("\u30ab\u3099\u30b9")) == [W]


@pytest.mark.parametrize(
    ("words", "told_of"),
    [
        ("whe\u0301\u0302\u0303\u0304els", 1),
        ("Vi\u1ec7t Nam", 0),
        ("e\u0302\u0301", 0),
        ("\u0e17\u0e35\u0e48", 0),
    ],
)
def test_accents_on_a_heap_are_told(words: str, told_of: int) -> None:
    assert len(found("heaped-marks", said(words))) == told_of


@pytest.mark.parametrize(
    ("words", "told_of"),
    [
        ("p\u0430pers", 1),
        ("P\u0391PERS", 1),
        ("papers", 0),
        ("\u03b2-VAE and TGF\u03b2", 0),
        ("\u0441\u044b\u0440", 0),
        ("GPT\u0448\u043a\u0430", 0),
        ("IT-\u0440\u044b\u043d\u043e\u043a", 0),
        ("\u039c\u039f\u039d\u039f", 0),
        ("\u00b5m", 0),
    ],
)
def test_a_word_of_two_alphabets_that_look_alike_is_told(words: str, told_of: int) -> None:
    assert len(found("look-alike", said(words))) == told_of


@pytest.mark.parametrize(
    ("language", "written", "severities"),
    [
        ("en", titled("\U0001d5ef\U0001d5f6\U0001d5f4 cheese"), [W]),
        ("en", said("\U0001d5ef\U0001d5f6\U0001d5f4 cheese"), [H]),
        ("en", titled("\U0001d5b3\U0001d5a2^0 circuits"), []),
        ("en", titled("\uff23\uff28\uff25\uff25\uff33\uff25"), [W]),
        ("ja", titled("\uff23\uff28\uff25\uff25\uff33\uff25"), []),
        ("en", titled("\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea"), []),
    ],
)
def test_letters_that_are_none_are_told(language: str, written: str, severities: list[Severity]) -> None:
    assert levels("styled-letters", written, language=language) == severities


@pytest.mark.parametrize(
    ("written", "severities"),
    [
        (titled("\U0001f9c0\U0001f389"), [W]),
        (titled("?!"), [W]),
        (issue(subject='"\U0001f9c0"'), [W]),
        (said("[\u2192](https://example.org/)\n"), []),
        (titled("404"), []),
        (titled("\U0001f9c0 cheese"), []),
        (titled("\u30c1"), []),
    ],
)
def test_a_title_without_a_word_is_told(written: str, severities: list[Severity]) -> None:
    assert levels("no-words", written) == severities


@pytest.mark.parametrize(
    ("title", "told_of"),
    [
        (f"GPT {HEBREW}", 1),
        (f"{HEBREW} GPT", 0),
        (f"\u200fGPT {HEBREW}", 0),
        (f"{HEBREW[:3]} is a Hebrew word", 1),
        ("Cheese", 0),
        ("404", 0),
    ],
)
def test_a_title_that_begins_in_the_other_direction_is_told(title: str, told_of: int) -> None:
    assert len(found("mixed-direction", titled(title))) == told_of


@pytest.mark.parametrize(
    ("language", "title", "told_of"),
    [
        ("en", "A law\u2003for cheese", 1),
        ("en", "A law\u3000for cheese", 1),
        ("en", "A law\u00a0\u00a0for cheese", 1),
        ("ja", "\u30c1\u30fc\u30ba\u3000\u6cd5", 0),
        ("fr", "La loi du fromage\u00a0: 4\u202f000", 0),
        ("en", "A law for cheese", 0),
    ],
)
def test_an_odd_blank_in_a_title_is_told(language: str, title: str, told_of: int) -> None:
    assert len(found("blanks", titled(title), language=language)) == told_of


# ------------------------------------------------------------------------------------------- whatever comes


@given(st.text(alphabet="ab\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", max_size=12))
def test_what_is_wrapped_in_an_isolate_is_paired_if_it_was_before(words: str) -> None:
    assert (unpaired(f"\u2068{words}\u2069") is None) or unpaired(words) is not None


@given(st.text(max_size=40))
def test_no_letter_is_called_unseen_and_nothing_composed_decomposed(words: str) -> None:
    assert [one[0] for one in unseen(words) if unicodedata.category(one[0])[0] in "NPS"] == []
    assert decomposed(unicodedata.normalize("NFC", words)) is None
    assert has_words(words) == has_words(words[::-1])


@pytest.mark.parametrize(
    "scrap",
    [":) ", "((a ", "TODO ", "the the ", "{{", "April 14 - ", "week of April 14, ", ",,", "\u201c", "a- ",
     "`", "__a ", "][", "\u200b", "\u202e", "e\u0301", "\u00c3\u00a9", "p\u0430 "],
)  # fmt: skip
def test_eight_times_the_text_takes_no_more_than_some_eight_times_as_long(scrap: str) -> None:
    short, long = (cost(said(f"x {scrap * (length // len(scrap))} y")) for length in (2000, 16000))
    assert long < 32 * short + 0.1  # what looks at everything for everything would take 64 times as long


def cost(written: str) -> float:
    """Processor time of every rule about characters and words, in seconds."""
    given_material = material(written)
    assert given_material.passages
    begun = process_time()
    for rule in (*text.RULES, *writing.RULES):
        told(rule, given_material)
    return process_time() - begun


def test_half_of_a_character_is_a_lost_one() -> None:
    given_material = material(titled("Cheese"))
    odd = replace(given_material.issues[0], title="Cheese \ud83e", subject="\udc00")
    told_of = [
        one.place for one in told(RULES["text.lost-character"], replace(given_material, issues=(odd,)))
    ]
    assert told_of == [f"{FILE}:1", f"{FILE}:1"]
