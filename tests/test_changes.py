"""What changed in an issue since: which entries, and which words of them."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from bot.changes import Change, Kind, Passage, Run, changes, from_json, passages, to_json
from bot.markup import parse_blocks
from bot.models import Entry, Issue, Reference, Section, Week

A = Passage("Alpha", "The first of all letters.", "https://a.example.org/")
B = Passage("Beta", "The second of all letters.", "https://b.example.org/")
C = Passage("Gamma", "The third one, which the Romans turned into two.", "https://c.example.org/")
D = Passage("Delta", "A triangle.", "")


def told(before: list[Passage], after: list[Passage]) -> list[tuple[str, str, str, str]]:
    return [(str(one.kind), one.title, one.removed, one.added) for one in changes(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ([A, B], [A, B], []),
        ([], [A], [("added", "Alpha", "", A.words)]),
        ([A, B], [B], [("removed", "Alpha", "", "")]),
        ([A, B, C], [C, A, B], [("moved", "Gamma", "", "")]),
        ([A, B], [A, replace(B, section="More")], [("moved", "Beta", "", "")]),
        ([A], [replace(A, words="The very first of all letters.")], [("changed", "Alpha", "", "very")]),
        ([A], [replace(A, words="The first of letters,")],
         [("changed", "Alpha", "all letters.", "letters,")]),
        # The same by its link under another title, by its title under another link, by its words under both.
        ([A, B], [replace(A, title="Aleph"), B], [("changed", "Aleph", "Alpha", "Aleph")]),
        ([A], [replace(A, key="https://x.example.org/", words="Other.")],
         [("changed", "Alpha", "The first of all letters.", "Other.")]),
        ([C], [replace(C, title="Gimel", key="https://x.example.org/")],
         [("changed", "Gimel", "Gamma", "Gimel")]),
        ([C], [D], [("added", "Delta", "", "A triangle."), ("removed", "Gamma", "", "")]),
        # Two of the same name are told apart by their order.
        ([D, D], [D], [("removed", "Delta", "", "")]),
    ],
)  # fmt: skip
def test_a_change_is_told_as_what_it_is(
    before: list[Passage], after: list[Passage], says: list[tuple[str, str, str, str]]
) -> None:
    assert told(before, after) == says


def test_what_changed_stands_between_what_did_not() -> None:
    one = replace(A, words="The last of all letters.\nAnd a line.")
    (change,) = changes([A], [one])
    assert change.runs == (
        (Run.SAME, "Alpha\nThe"),
        (Run.REMOVED, "first"),
        (Run.ADDED, "last"),
        (Run.SAME, "of all letters."),
        (Run.ADDED, "\nAnd a line."),
    )


def issue(lead: str = "A [link](https://x.org/1) and words.", **changed: object) -> Issue:
    entry = Entry("Alpha", (Reference("Paper", "https://a.example.org/"),), parse_blocks(lead))
    whole = Issue("ai-papers", Week(2025, 17), "Title", (Section("Papers", (entry,)),), subject="Subject")
    return replace(whole, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("after", "says"),
    [
        (issue(), []),
        (issue(subject="Other"), [("changed", "The head", "Subject", "Other")]),
        (issue(intro=parse_blocks("Hello.")), [("changed", "The head", "", "\nHello.")]),
        (issue("A [link](https://x.org/2) and words."),
         [("changed", "Alpha", "https://x.org/1", "https://x.org/2")]),
        (issue("A [link](https://x.org/1) and *words*."), []),
        (issue("- A [link](https://x.org/1) and words.\n- More [there](https://y.org/).\n"),
         [("changed", "Alpha", "", "More there. https://y.org/")]),
    ],
)  # fmt: skip
def test_an_issue_is_compared_by_what_readers_see_and_where_links_lead(
    after: Issue, says: list[tuple[str, str, str, str]]
) -> None:
    found = told(list(passages(issue())), list(passages(after)))
    assert [(kind, title, *(" ".join(words.split()) for words in runs)) for kind, title, *runs in found] == [
        (kind, title, removed, " ".join(added.split())) for kind, title, removed, added in says
    ]


PASSAGES = st.lists(
    st.builds(
        Passage,
        st.sampled_from("abcd"),
        st.text(st.sampled_from("xyz \n"), max_size=12).map(lambda text: " ".join(text.split())),
        st.sampled_from(["", "https://a.org", "https://b.org"]),
        st.sampled_from(["", "s"]),
    ),
    max_size=7,
)


@given(PASSAGES, PASSAGES)
def test_every_word_of_both_sides_is_accounted_for(before: list[Passage], after: list[Passage]) -> None:
    found = changes(before, after)
    assert changes(after, after) == ()
    added = sum(one.kind is Kind.ADDED for one in found)
    removed = sum(one.kind is Kind.REMOVED for one in found)
    assert len(before) + added - removed == len(after)
    for one in found:
        if one.kind is Kind.CHANGED:
            assert _side(one, Run.REMOVED) in {_whole(passage) for passage in before}
            assert _side(one, Run.ADDED) in {_whole(passage) for passage in after}


def _side(change: Change, other: str) -> str:
    return " ".join(" ".join(words for kind, words in change.runs if kind in {Run.SAME, other}).split())


def _whole(passage: Passage) -> str:
    return " ".join(f"{passage.title} {passage.words}".split())


@given(PASSAGES)
def test_passages_can_be_kept_and_come_back(given_: list[Passage]) -> None:
    assert from_json(to_json(given_)) == tuple(given_)


def test_800_entries_with_repeated_words_are_compared_all_the_same() -> None:
    chance = random.Random(1)
    vocabulary = [f"word{number}" for number in range(50)]
    before = [
        Passage(f"Entry {n}", " ".join(chance.choices(vocabulary, k=120)), f"https://x.org/{n}")
        for n in range(800)
    ]
    after = [replace(one, words=f"{one.words} more") for one in before]
    chance.shuffle(after)
    found = changes(before, after)
    assert len(found) == 800
    assert {one.added for one in found} == {"more"}


def test_a_very_long_passage_is_one_run_on_either_side() -> None:
    before = replace(A, words=" ".join(f"a{n}" for n in range(5_000)))
    after = replace(A, words=" ".join(f"b{n}" for n in range(5_000)))
    (change,) = changes([before], [after])
    assert [kind for kind, _ in change.runs] == [Run.SAME, Run.REMOVED, Run.ADDED]
