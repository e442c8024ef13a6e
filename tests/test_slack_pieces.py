"""What is made of a message that Slack refuses: nothing of it is lost, and each piece has its own name."""

from typing import Any

from hypothesis import given, strategies as st

from bot.channels._slack_pieces import halves, key_of, note, revised, split, without_images
from bot.channels._slack_reading import complete

TEXT = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": []}]}
IMAGE = {"type": "image", "image_url": "https://example.org/a.png", "alt_text": "A"}
BLOCKS = st.lists(
    st.builds(lambda words: {"type": "header", "text": {"type": "plain_text", "text": words}}, st.text()),
    min_size=1,
    max_size=12,
)


def message(blocks: list[Any], key: str = "ai-papers/2025-W17/C1/3") -> dict[str, Any]:
    payload = {"key": key, "revision": 1, "part": 3}
    return {
        "channel": "C1",
        "text": "Title\nwith lines",
        "blocks": blocks,
        "metadata": {"event_type": "newsletter_part", "event_payload": payload},
        "client_msg_id": "0c5b1e2e-0000-5000-8000-000000000000",
    }


@given(BLOCKS, st.integers(1, 15))
def test_pieces_together_hold_all_blocks_in_order(blocks: list[Any], count: int) -> None:
    pieces = split(message(blocks), count)
    assert [block for piece in pieces for block in piece["blocks"]] == blocks
    assert len(pieces) == min(count, len(blocks))
    assert (
        len({key_of(piece) for piece in pieces})
        == len({one["client_msg_id"] for one in pieces})
        == len(pieces)
    )


@given(BLOCKS)
def test_halves_are_the_same_each_time_and_none_is_empty(blocks: list[Any]) -> None:
    pair = halves(message(blocks))
    assert pair == halves(message(blocks))
    assert (pair is None) == (len(blocks) == 1)
    assert all(half["blocks"] for half in pair or ())


def test_halves_are_cut_where_they_are_nearest_in_size() -> None:
    blocks = [{"type": "a", "text": "x" * size} for size in (10, 10, 10, 2000)]
    pair = halves(message(blocks))
    assert pair
    assert [len(half["blocks"]) for half in pair] == [3, 1]
    assert [half["text"] for half in pair] == ["Title\nwith lines", "Title …"]


@given(BLOCKS, st.integers(1, 6))
def test_a_part_stands_only_where_all_its_pieces_do(blocks: list[Any], count: int) -> None:
    whole = message(blocks)
    pieces = split(whole, count)
    standing = {key_of(piece): f"1.{number}" for number, piece in enumerate(pieces)}
    assert complete(whole, standing) == list(standing.values())
    for key in standing:
        assert complete(whole, {one: ts for one, ts in standing.items() if one != key}) is None


def test_a_message_without_images_has_all_else() -> None:
    with_one = {"type": "section", "accessory": IMAGE}
    context = {"type": "context", "elements": [IMAGE, {"type": "mrkdwn", "text": "x"}]}
    only = {"type": "context", "elements": [IMAGE]}
    bare = without_images(message([TEXT, IMAGE, with_one, context, only]))
    assert bare
    assert bare["blocks"] == [
        TEXT,
        {"type": "section"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}]},
    ]
    assert without_images(bare) is None
    assert without_images(message([IMAGE])) is None


def test_a_note_keeps_the_name_of_the_part_whose_place_it_takes() -> None:
    whole = note(message([TEXT]), "Left out.", 5)
    assert (key_of(whole), whole["text"]) == ("ai-papers/2025-W17/C1/5", "Left out.")
    assert whole["metadata"]["event_payload"]["part"] == 5
    piece = note(message([TEXT], "ai-papers/2025-W17/C1/3.1"), "Left out.")
    assert key_of(piece) == "ai-papers/2025-W17/C1/3.1-"


def test_a_revision_changes_nothing_but_its_number() -> None:
    before, after = message([TEXT]), revised(message([TEXT]), 7)
    assert after["metadata"]["event_payload"].pop("revision") == 7
    del before["metadata"]["event_payload"]["revision"]
    assert after == before
