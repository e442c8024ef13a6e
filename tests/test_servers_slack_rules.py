"""Each rule of the tests' own Slack, just kept and just broken: it takes the one, and refuses the other."""

from typing import Any

import pytest

from tests.servers.slack.messages import (
    Refused,
    check_blocks,
    check_metadata,
    check_post,
    check_update,
    kept,
    shown_blocks,
    shown_text,
)
from tests.servers.slack.rules import faults, is_too_long, mentions

Json = dict[str, Any]
PLAIN: Json = {"type": "plain_text", "text": "x"}
MRKDWN: Json = {"type": "mrkdwn", "text": "x"}
DIVIDER: Json = {"type": "divider"}
RUN: Json = {"type": "text", "text": "x"}
URL = "https://x.org/"
IMAGE: Json = {"type": "image", "image_url": f"{URL}a.png", "alt_text": "x"}
BUTTON: Json = {"type": "button", "text": PLAIN}
CHOICE: Json = {"text": PLAIN, "value": "v"}
CELL: Json = {"type": "raw_text", "text": "x"}


def plain(length: int) -> Json:
    return {"type": "plain_text", "text": "x" * length}


def mrkdwn(length: int) -> Json:
    return {"type": "mrkdwn", "text": "x" * length}


def section(**keys: Any) -> Json:
    return {"type": "section", "text": MRKDWN, **keys}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def button(**keys: Any) -> Json:
    return actions({**BUTTON, **keys})


def confirm(**keys: Any) -> Json:
    return button(confirm={"text": PLAIN, **keys})


def pressed(kind: str, **keys: Any) -> Json:
    return actions({"type": kind, **keys})


def choice(**keys: Any) -> Json:
    return pressed("static_select", options=[{**CHOICE, **keys}])


def picture(**keys: Any) -> Json:
    return {**IMAGE, **keys}


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def runs(*elements: Json) -> Json:
    return rich({"type": "rich_text_section", "elements": list(elements)})


def listed(**keys: Any) -> Json:
    item = {"type": "rich_text_section", "elements": [RUN]}
    return rich({"type": "rich_text_list", "style": "bullet", "elements": [item], **keys})


def boxed(kind: str, *elements: Json, **keys: Any) -> Json:
    return rich({"type": kind, "elements": list(elements), **keys})


def table(rows: int = 1, columns: int = 1, **keys: Any) -> Json:
    return {"type": "table", "rows": [[CELL] * columns] * rows, **keys}


def data(rows: int = 2, columns: int = 1, cells: Any = None, **keys: Any) -> Json:
    return {"type": "data_table", "caption": "x", "rows": cells or [[CELL] * columns] * rows, **keys}


def card(**keys: Any) -> Json:
    return {"type": "card", **keys}


def carousel(*cards: Json) -> Json:
    return {"type": "carousel", "elements": list(cards)}


def container(children: int = 1, **keys: Any) -> Json:
    return {"type": "container", "title": PLAIN, "child_blocks": [DIVIDER] * children, **keys}


def video(**keys: Any) -> Json:
    must = {"video_url": URL, "thumbnail_url": URL, "title": PLAIN, "alt_text": "x"}
    return {"type": "video", **must, **keys}


def without(block: Json, key: str) -> Json:
    return {name: value for name, value in block.items() if name != key}


LONG_URL = URL + "y" * (3000 - len(URL))
CARD = card(title=MRKDWN)

RULES: dict[str, tuple[Json, Json, str]] = {
    "a known type": (
        DIVIDER,
        {"type": "paragraph"},
        "unsupported type: paragraph [json-pointer:/blocks/0/type]",
    ),
    "an alert is for modals": (DIVIDER, {"type": "alert", "text": PLAIN}, "unsupported type: alert"),
    "a date picker is not known here": (button(), pressed("datepicker"), "unsupported type: datepicker"),
    "no key too many": (DIVIDER, {**DIVIDER, "text": PLAIN}, "invalid additional property: text"),
    "block_id: 255": (
        {**DIVIDER, "block_id": "b" * 255},
        {**DIVIDER, "block_id": "b" * 256},
        "1 to 255 characters",
    ),
    "block_id is a string": ({**DIVIDER, "block_id": "1"}, {**DIVIDER, "block_id": 1}, "must be a string"),
    # header
    "header: 150": (
        {"type": "header", "text": plain(150)},
        {"type": "header", "text": plain(151)},
        "1 to 150",
    ),
    "header: 150 characters, not bytes": (
        {"type": "header", "text": {**PLAIN, "text": "é" * 150}},
        {"type": "header", "text": {**PLAIN, "text": "é" * 151}},
        "1 to 150",
    ),
    "header says something": (
        {"type": "header", "text": plain(1)},
        {"type": "header", "text": plain(0)},
        "1 to 150",
    ),
    "header is plain": (
        {"type": "header", "text": PLAIN},
        {"type": "header", "text": MRKDWN},
        "type: mrkdwn",
    ),
    "header has a text": ({"type": "header", "text": PLAIN}, {"type": "header"}, "required field: text"),
    "header has no level": (
        {"type": "header", "text": PLAIN},
        {"type": "header", "text": PLAIN, "level": 1},
        "additional property: level",
    ),
    # section and texts
    "section: 3000": (section(text=mrkdwn(3000)), section(text=mrkdwn(3001)), "1 to 3000 characters"),
    "section says something": (section(text=mrkdwn(1)), section(text=mrkdwn(0)), "1 to 3000 characters"),
    "section: text or fields": (
        {"type": "section", "fields": [PLAIN]},
        {"type": "section"},
        "required field: text",
    ),
    "section: an object": (section(), section(text="x"), "unsupported type: None"),
    "section: 10 fields": (section(fields=[PLAIN] * 10), section(fields=[PLAIN] * 11), "1 to 10 items"),
    "section: a field of 2000": (section(fields=[mrkdwn(2000)]), section(fields=[mrkdwn(2001)]), "1 to 2000"),
    "section: expand is yes or no": (section(expand=True), section(expand=1), "must be a boolean"),
    "section: an accessory": (
        section(accessory=IMAGE),
        section(accessory=DIVIDER),
        "unsupported type: divider",
    ),
    "mrkdwn has no emoji (slack-go#1414)": (
        section(text={**MRKDWN, "verbatim": True}),
        section(text={**MRKDWN, "emoji": False}),
        "invalid additional property: emoji",
    ),
    "plain_text has no verbatim": (
        section(text={**PLAIN, "emoji": False}),
        section(text={**PLAIN, "verbatim": True}),
        "invalid additional property: verbatim",
    ),
    # context and image
    "context: 10": (
        {"type": "context", "elements": [PLAIN] * 10},
        {"type": "context", "elements": [PLAIN] * 11},
        "1 to 10 items",
    ),
    "context is not empty": (
        {"type": "context", "elements": [IMAGE]},
        {"type": "context", "elements": []},
        "1 to 10 items",
    ),
    "context has no buttons": (
        {"type": "context", "elements": [MRKDWN]},
        {"type": "context", "elements": [BUTTON]},
        "unsupported type: button",
    ),
    "image: address of 3000": (picture(image_url=LONG_URL), picture(image_url=f"{LONG_URL}y"), "1 to 3000"),
    "image: an address": (IMAGE, picture(image_url="a.png"), "must match"),
    "image: alt of 2000": (picture(alt_text="x" * 2000), picture(alt_text="x" * 2001), "1 to 2000"),
    "image: alt there": (IMAGE, without(IMAGE, "alt_text"), "missing required field: alt_text"),
    "image: an address or a file": (
        {"type": "image", "alt_text": "x", "slack_file": {"id": "F1"}},
        {"type": "image", "alt_text": "x", "slack_file": {}},
        "must have one of id, url",
    ),
    "image: title of 2000": (picture(title=plain(2000)), picture(title=plain(2001)), "1 to 2000"),
    "image: a plain title": (picture(title=PLAIN), picture(title=MRKDWN), "unsupported type: mrkdwn"),
    # actions
    "actions: 25": (actions(*[BUTTON] * 25), actions(*[BUTTON] * 26), "1 to 25 items"),
    "actions: one action_id each": (
        actions({**BUTTON, "action_id": "a"}, {**BUTTON, "action_id": "b"}),
        actions({**BUTTON, "action_id": "a"}, {**BUTTON, "action_id": "a"}),
        "`action_id`s exist twice",
    ),
    "button: text of 75": (button(text=plain(75)), button(text=plain(76)), "1 to 75"),
    "button: a plain text": (button(), button(text=MRKDWN), "unsupported type: mrkdwn"),
    "button: value of 2000": (button(value="x" * 2000), button(value="x" * 2001), "1 to 2000"),
    "button: url of 3000": (button(url=LONG_URL), button(url=f"{LONG_URL}y"), "1 to 3000"),
    "button: action_id of 255": (button(action_id="x" * 255), button(action_id="x" * 256), "1 to 255"),
    "button: label of 75": (
        button(accessibility_label="x" * 75),
        button(accessibility_label="x" * 76),
        "1 to 75",
    ),
    "button: style": (button(style="danger"), button(style="default"), "one of primary, danger"),
    "confirm: title of 100": (confirm(title=plain(100)), confirm(title=plain(101)), "1 to 100"),
    "confirm: text of 300": (confirm(text=plain(300)), confirm(text=plain(301)), "1 to 300"),
    "confirm: yes of 30": (confirm(confirm=plain(30)), confirm(confirm=plain(31)), "1 to 30"),
    "confirm: no of 30": (confirm(deny=plain(30)), confirm(deny=plain(31)), "1 to 30"),
    "option: text of 75": (choice(text=plain(75)), choice(text=plain(76)), "1 to 75"),
    "option: value of 150": (choice(value="x" * 150), choice(value="x" * 151), "1 to 150"),
    "option: description of 75": (choice(description=plain(75)), choice(description=plain(76)), "1 to 75"),
    "option: url in overflow only": (
        pressed("overflow", options=[{**CHOICE, "url": URL}]),
        choice(url=URL),
        "additional property: url",
    ),
    "select: 100 options": (
        pressed("static_select", options=[CHOICE] * 100),
        pressed("static_select", options=[CHOICE] * 101),
        "1 to 100 items",
    ),
    "select: 100 groups": (
        pressed("static_select", option_groups=[{"label": PLAIN, "options": [CHOICE]}] * 100),
        pressed("static_select", option_groups=[{"label": PLAIN, "options": [CHOICE]}] * 101),
        "1 to 100 items",
    ),
    "select: something to choose": (choice(), pressed("static_select"), "needs `options` or"),
    "overflow: 5": (
        pressed("overflow", options=[CHOICE] * 5),
        pressed("overflow", options=[CHOICE] * 6),
        "1 to 5 items",
    ),
    "radio_buttons: 10": (
        pressed("radio_buttons", options=[CHOICE] * 10),
        pressed("radio_buttons", options=[CHOICE] * 11),
        "1 to 10 items",
    ),
    "checkboxes: 10": (
        pressed("checkboxes", options=[CHOICE] * 10),
        pressed("checkboxes", options=[CHOICE] * 11),
        "1 to 10 items",
    ),
    # rich_text
    "list: a style": (listed(style="ordered"), listed(style="dots"), "one of bullet, ordered"),
    "list: indent of 8": (listed(indent=8), listed(indent=9), "0 to 8"),
    "list: indent is a number": (listed(indent=0), listed(indent=True), "0 to 8"),
    "list: offset not below 0": (listed(offset=3), listed(offset=-1), "must be 0"),
    "list: border of 1": (listed(border=1), listed(border=2), "0 to 1"),
    "list: of sections": (listed(), listed(elements=[RUN]), "unsupported type: text"),
    "list: of something": (listed(), listed(elements=[]), "must have 1 to"),
    "rich_text: of something": (runs(RUN), rich(), "must have 1 to"),
    "rich_text: no bare runs": (runs(RUN), rich(RUN), "unsupported type: text"),
    "rich_text: runs of something": (runs(RUN), runs(), "must have 1 to"),
    "text: of something": (runs(RUN), runs({**RUN, "text": ""}), "must be 1 to"),
    "text: a style": (runs({**RUN, "style": {"bold": True}}), runs({**RUN, "style": {"loud": True}}), "loud"),
    "text: a style is yes or no": (
        runs({**RUN, "style": {"bold": False}}),
        runs({**RUN, "style": {"bold": "yes"}}),
        "must be a boolean",
    ),
    "link: an address": (
        runs({"type": "link", "url": "mailto:x@y.org"}),
        runs({"type": "link", "url": "data:x"}),
        "must match",
    ),
    "link: an address of 3000": (
        runs({"type": "link", "url": LONG_URL}),
        runs({"type": "link", "url": f"{LONG_URL}y"}),
        "1 to 3000",
    ),
    "broadcast: to whom": (
        runs({"type": "broadcast", "range": "here"}),
        runs({"type": "broadcast", "range": "all"}),
        "one of here, channel, everyone",
    ),
    "quote: of runs": (
        boxed("rich_text_quote", RUN, border=1),
        boxed("rich_text_quote", DIVIDER),
        "unsupported type: divider",
    ),
    "preformatted: no emoji": (
        boxed("rich_text_preformatted", RUN, language="python"),
        boxed("rich_text_preformatted", {"type": "emoji", "name": "x"}),
        "unsupported type: emoji",
    ),
    # tables
    "table: 100 rows": (table(100), table(101), "1 to 100 items"),
    "table: 20 columns": (table(1, 20), table(1, 21), "1 to 20 items"),
    "table: a cell": (
        {"type": "table", "rows": [[runs(RUN)]]},
        {"type": "table", "rows": [[PLAIN]]},
        "unsupported type: plain_text",
    ),
    "table: a column": (
        table(column_settings=[{"align": "right", "is_wrapped": True}]),
        table(column_settings=[{"align": "middle"}]),
        "one of left, center, right",
    ),
    "table: 10,000 characters": (
        {"type": "table", "rows": [[{**CELL, "text": "x" * 10_000}]]},
        {"type": "table", "rows": [[{**CELL, "text": "x" * 10_001}]]},
        "more than 10000 characters in a table",
    ),
    "data_table: 201 rows": (data(201), data(202), "2 to 201 items"),
    "data_table: not one row": (data(2), data(1), "2 to 201 items"),
    "data_table: 20 columns": (data(2, 20), data(2, 21), "1 to 20 items"),
    "data_table: 20,000 characters": (
        data(cells=[[{**CELL, "text": "x" * 10_000}]] * 2),
        data(cells=[[{**CELL, "text": "x" * 10_001}]] * 2),
        "more than 20000 characters in a data_table",
    ),
    "data_table: page of 100": (data(page_size=100), data(page_size=101), "1 to 100"),
    "data_table: a number is one": (
        data(cells=[[{"type": "raw_number", "value": 1.5, "text": "1.5"}]] * 2),
        data(cells=[[{"type": "raw_number", "value": "1.5", "text": "1.5"}]] * 2),
        "must be a number",
    ),
    # cards, containers, videos, markdown
    "card: title of 150": (card(title=mrkdwn(150)), card(title=mrkdwn(151)), "1 to 150"),
    "card: subtitle of 150": (
        card(body=MRKDWN, subtitle=mrkdwn(150)),
        card(subtitle=mrkdwn(151)),
        "1 to 150",
    ),
    "card: body of 200": (card(body=mrkdwn(200)), card(body=mrkdwn(201)), "1 to 200"),
    "card: 3 buttons": (card(actions=[BUTTON] * 3), card(actions=[BUTTON] * 4), "1 to 3 items"),
    "card: something to see": (CARD, card(subtitle=MRKDWN), "shows nothing"),
    "carousel: 10 cards": (carousel(*[CARD] * 10), carousel(*[CARD] * 11), "1 to 10 items"),
    "carousel: a card": (carousel(CARD), carousel(), "1 to 10 items"),
    "container: 10 blocks": (container(10), container(11), "1 to 10 items"),
    "container: title of 150": (container(title=plain(150)), container(title=plain(151)), "1 to 150"),
    "container: subtitle of 150": (
        container(subtitle=plain(150)),
        container(subtitle=plain(151)),
        "1 to 150",
    ),
    "container: a title": (
        without(container(rich_text_title=runs(RUN)), "title"),
        without(container(), "title"),
        "missing required field: title",
    ),
    "container: no markdown inside": (
        container(child_blocks=[DIVIDER]),
        container(child_blocks=[{"type": "markdown", "text": "x"}]),
        "unsupported type: markdown",
    ),
    "video: title of 200": (video(title=plain(200)), video(title=plain(201)), "1 to 200"),
    "video: author of 50": (video(author_name="x" * 50), video(author_name="x" * 51), "1 to 50"),
    "video: by https": (video(), video(video_url="http://x.org/"), "must match"),
    "markdown: 12,000": (
        {"type": "markdown", "text": "x" * 12_000},
        {"type": "markdown", "text": "x" * 12_001},
        "1 to 12000",
    ),
}


@pytest.mark.parametrize(("taken", "refused", "said"), RULES.values(), ids=RULES)
def test_a_block_at_a_limit_is_taken_and_one_beyond_it_is_not(taken: Json, refused: Json, said: str) -> None:
    assert faults([taken]) == []
    assert said in " ".join(faults([refused]))


def of_characters(count: int) -> list[Json]:
    """A text in several sections, with a line between."""
    lengths = [*[3000] * (count // 3000), count % 3000]
    return [DIVIDER, *(section(text=mrkdwn(length)) for length in lengths)]


WHOLE: dict[str, tuple[list[Json], list[Json], str]] = {
    "50 blocks": ([DIVIDER] * 50, [DIVIDER] * 51, "invalid_blocks"),
    "one block": ([DIVIDER], [], "invalid_blocks"),
    "each block_id once": (
        [{**DIVIDER, "block_id": "a"}, {**DIVIDER, "block_id": "b"}],
        [{**DIVIDER, "block_id": "a"}] * 2,
        "invalid_blocks",
    ),
    "12,000 of markdown in all": (
        [{"type": "markdown", "text": "x" * 6000}] * 2,
        [{"type": "markdown", "text": "x" * 6000}, {"type": "markdown", "text": "x" * 6001}],
        "invalid_blocks",
    ),
    "one table": ([table()], [table()] * 2, "invalid_blocks"),
    "11,340 of other text": (of_characters(11_340), of_characters(11_341), "msg_blocks_too_long"),
    "13,000 in all": (
        [section(text={**MRKDWN, "text": '"' * 3000})] * 2,
        [section(text={**MRKDWN, "text": '"' * 3000})] * 3,
        "msg_blocks_too_long",
    ),
    "an image that Slack can show (node-slack-sdk#1482)": (
        [picture(image_url=f"{URL}a.gif")],
        [picture(image_url=f"{URL}a.webp")],
        "invalid_blocks",
    ),
    "an array": ([DIVIDER], DIVIDER, "invalid_blocks"),  # type: ignore[dict-item] # which is what it is about
}


@pytest.mark.parametrize(("taken", "refused", "code"), WHOLE.values(), ids=WHOLE)
def test_blocks_taken_together_are_held_to_their_limits(taken: Any, refused: Any, code: str) -> None:
    check_blocks(taken)
    with pytest.raises(Refused) as caught:
        check_blocks(refused)
    assert caught.value.code == code


def test_a_message_full_of_structure_is_too_long_as_well() -> None:
    assert not is_too_long([runs(*[RUN] * 300)])
    assert is_too_long([runs(*[RUN] * 500)])


# ------------------------------------------------------------------------------------------------- messages

SAID: Json = {"channel": "C1", "text": "x"}
POSTS: dict[str, tuple[Json, Json, str]] = {
    "a text": ({"text": "x"}, {"text": " "}, "no_text"),
    "a text is one": ({"text": "1"}, {"text": 1}, "invalid_arguments"),
    "known arguments": ({"mrkdwn": False}, {"colour": "red"}, "invalid_arguments"),
    "thread_ts is a string": (
        {"thread_ts": "1760000001.000001"},
        {"thread_ts": 1760000001.000001},
        "invalid_arguments",
    ),
    "reply_broadcast in a thread": (
        {"thread_ts": "1760000001.000001", "reply_broadcast": True},
        {"reply_broadcast": True},
        "invalid_arguments",
    ),
    "flags are yes or no": ({"unfurl_links": False}, {"unfurl_links": "no"}, "invalid_arguments"),
    "flags of a form": ({"unfurl_links": "0"}, {"unfurl_links": 0.5}, "invalid_arguments"),
    "blocks are a list": ({"blocks": [DIVIDER]}, {"blocks": "none"}, "invalid_blocks_format"),
    "blocks are right": ({"blocks": [DIVIDER]}, {"blocks": [{}]}, "invalid_blocks"),
    "100 attachments": (
        {"attachments": [{"text": "x"}] * 100},
        {"attachments": [{"text": "x"}] * 101},
        "too_many_attachments",
    ),
}


@pytest.mark.parametrize(("taken", "refused", "code"), POSTS.values(), ids=POSTS)
def test_a_post_is_held_to_its_limits(taken: Json, refused: Json, code: str) -> None:
    check_post(SAID | taken)
    with pytest.raises(Refused) as caught:
        check_post(SAID | refused)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"markdown_text": "x" * 12_000}, None),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "text": "x"}, "markdown_text_conflict"),
        ({"markdown_text": "x", "blocks": [DIVIDER]}, "markdown_text_conflict"),
        ({"blocks": [DIVIDER]}, None),
        ({"text": "", "blocks": []}, "no_text"),
        ({}, "no_text"),
    ],
)
def test_a_post_says_something_in_one_way(message: Json, code: str | None) -> None:
    if code is None:
        check_post({"channel": "C1", **message})
        return
    with pytest.raises(Refused) as caught:
        check_post({"channel": "C1", **message})
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": "x" * 4000}, None),
        ({"text": "x" * 4001}, "msg_too_long"),
        ({"blocks": [DIVIDER], "text": "x"}, None),
        ({"blocks": [{}], "text": "x"}, "invalid_blocks"),
        ({"metadata": {}}, None),
        ({"metadata": {"event_type": ""}}, "invalid_metadata_format"),
        ({}, "no_text"),
        ({"text": "x", "unfurl_links": False}, "invalid_arguments"),
        ({"text": "x", "thread_ts": "1"}, "invalid_arguments"),
    ],
)
def test_an_update_is_held_to_its_limits(change: Json, code: str | None) -> None:
    change = {"channel": "C1", "ts": "1760000001.000001", **change}
    if code is None:
        check_update(change)
        return
    with pytest.raises(Refused) as caught:
        check_update(change)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({}, None),
        ({"a": "x", "b": 1, "c": True, "d": {"e": 1.5}, "f": [{"g": "h"}]}, None),
        ({"a": None}, "invalid_metadata_schema"),
        ({"a": ["b"]}, "invalid_metadata_schema"),
        ({"a": {"b": None}}, "invalid_metadata_schema"),
        ({"a": {"b": {"c": "d"}}}, "invalid_metadata_schema"),
        ({"a": "b" * 900}, None),
        ({"a": "b" * 1024}, "metadata_too_large"),
        (["a"], "invalid_metadata_format"),
    ],
)
def test_metadata_is_what_slacks_types_say(payload: Any, code: str | None) -> None:
    message = {"metadata": {"event_type": "x", "event_payload": payload}}
    if code is None:
        check_metadata(message)
        return
    with pytest.raises(Refused) as caught:
        check_metadata(message)
    assert caught.value.code == code


@pytest.mark.parametrize("metadata", [None, {}, {"event_type": "x"}, {"event_type": "", "event_payload": {}}])
def test_metadata_has_a_type_and_a_payload(metadata: Any) -> None:
    with pytest.raises(Refused, match="invalid_metadata_format"):
        check_metadata({"metadata": metadata})


# ----------------------------------------------------------------------------------------- as Slack keeps it


@pytest.mark.parametrize(
    ("message", "lengths"),
    [
        ({"text": "x" * 4040}, [4040]),
        ({"text": "x" * 4041}, [4040, 1]),
        ({"text": "x" * 40_001, "blocks": [DIVIDER]}, [40_000]),
    ],
)
def test_a_bare_text_that_is_long_becomes_several_messages(message: Json, lengths: list[int]) -> None:
    assert [len(one["text"]) for one in kept(message)] == lengths


def test_a_text_comes_back_with_its_addresses_marked() -> None:
    assert (
        shown_text("at https://x.org/a or <https://y.org|y>") == "at <https://x.org/a> or <https://y.org|y>"
    )


def test_blocks_come_back_with_ids() -> None:
    given = [
        DIVIDER,
        {**DIVIDER, "block_id": "mine"},
        {"type": "markdown", "text": "x", "block_id": "dropped"},
    ]
    first, second, third = (block["block_id"] for block in shown_blocks(given, "1760000001.000001"))
    assert (bool(first), second, third != "dropped") == (True, "mine", True)
    assert "block_id" not in given[0]


# ------------------------------------------------------------------------------------------------- mentions


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"text": "<!channel> and @here"}, ["<!channel>"]),
        ({"text": "&lt;!channel&gt;"}, []),
        ({"text": "@here", "link_names": True}, ["link_names", "@here"]),
        ({"text": "x", "parse": "full"}, ["parse"]),
        ({"text": "x", "parse": "none"}, []),
        ({"blocks": [section(text={**MRKDWN, "text": "@here"})]}, ["@here"]),
        ({"blocks": [section(text={**MRKDWN, "text": "<@U1> #general"})]}, ["<@U1>", "#general"]),
        ({"blocks": [section(text={**MRKDWN, "text": "@here", "verbatim": True})]}, []),
        ({"blocks": [section(text={**PLAIN, "text": "<!here>"})]}, []),
        ({"blocks": [runs({**RUN, "text": "<!here>"})]}, []),
        (
            {"blocks": [runs({"type": "broadcast", "range": "here"})]},
            ["{'type': 'broadcast', 'range': 'here'}"],
        ),
    ],
)
def test_a_live_mention_is_seen(message: Json, found: list[str]) -> None:
    assert mentions(message) == found
