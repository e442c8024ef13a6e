"""What we would post is judged by others too: Slack's own types with TypeScript, and slackblocks for lengths.

Neither knows all: the types know no length and no count, slackblocks no rich text and no key too many. Their
verdicts on each rule of the tests' Slack are written down here, so that none of the three can drift unseen.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from slackblocks import LengthError, MissingRequiredError, TypeMismatchError
from slackblocks.blocks import Block

from bot.models import Issue
from tests import strategies
from tests.node import ask
from tests.servers.slack.rules import faults, is_too_long
from tests.test_servers_slack_rules import RULES
from tests.test_slack_issues import EXTREMES, LAYOUTS, frozen

Json = dict[str, Any]
GOLDEN = Path(__file__).parent / "golden"
SLACKBLOCKS_SAYS_NO = (LengthError, MissingRequiredError, TypeMismatchError)


def goldens() -> list[Json]:
    """Every message that is kept as an example."""
    return [
        message for file in sorted(GOLDEN.rglob("slack*.json")) for message in json.loads(file.read_bytes())
    ]


def extremes() -> list[Json]:
    """The messages of issues that try every limit."""
    return [message for issue in EXTREMES.values() for layout in LAYOUTS for message in frozen(issue, layout)]


def generated(count: int) -> list[Json]:
    """The messages of issues that nobody thought of."""
    found: list[Json] = []

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.issues(), st.sampled_from(LAYOUTS))
    def gather(issue: Issue, layout: Any) -> None:
        found.extend(frozen(issue, layout))

    gather()
    return found


@pytest.fixture(scope="module")
def messages() -> list[Json]:
    return [*goldens(), *extremes(), *generated(30)]


# ---------------------------------------------------------------------------------------------- what we post


def test_slacks_types_take_every_message_that_we_would_post(messages: list[Json]) -> None:
    answers = ask("slack_types.js", messages)
    assert [(said, message) for said, message in zip(answers, messages, strict=True) if said] == []
    assert len(messages) > 100


def test_the_tests_slack_takes_every_message_that_we_would_post(messages: list[Json]) -> None:
    assert [
        message for message in messages if faults(message["blocks"]) or is_too_long(message["blocks"])
    ] == []


def test_slackblocks_takes_every_block_that_it_can_read(messages: list[Json]) -> None:
    read = sum(_reads(block) for message in messages for block in message["blocks"])
    assert read > 100


def _reads(block: Json) -> bool:
    """Whether slackblocks knows how to read a block; its error if it finds it wrong."""
    with suppress(NotImplementedError):
        again = Block.from_dict(block)._resolve()
        assert again["type"] == block["type"]
        return True
    return False


# ------------------------------------------------------------------------------------- who knows which rule

STRUCTURE = {
    "a known type", "no key too many", "block_id is a string", "header is plain", "header has a text",
    "header has no level", "section: an object", "section: expand is yes or no", "section: an accessory",
    "mrkdwn has no emoji (slack-go#1414)", "plain_text has no verbatim", "context has no buttons",
    "image: alt there", "image: an address or a file", "image: a plain title", "button: a plain text",
    "button: style", "list: a style", "list: indent is a number", "list: border of 1", "list: of sections",
    "rich_text: no bare runs", "text: a style", "text: a style is yes or no", "broadcast: to whom",
    "quote: of runs", "preformatted: no emoji", "table: a cell", "table: a column",
    "data_table: a number is one", "container: no markdown inside",
}  # fmt: skip
"""The rules that are in the types."""
LENGTHS = {
    "block_id: 255", "header: 150", "header: 150 characters, not bytes", "header says something",
    "section: 3000", "section says something", "section: text or fields", "section: 10 fields",
    "section: a field of 2000", "context: 10", "image: address of 3000", "image: alt of 2000",
    "image: title of 2000", "video: title of 200", "video: author of 50", "markdown: 12,000",
}  # fmt: skip
"""The rules that slackblocks has as well."""


def test_slacks_types_take_what_just_keeps_each_rule() -> None:
    answers = ask("slack_types.js", [{"blocks": [taken]} for taken, _, _ in RULES.values()])
    assert {name: said for name, said in zip(RULES, answers, strict=True) if said} == {}


def test_slacks_types_refuse_what_breaks_a_rule_of_structure() -> None:
    answers = ask("slack_types.js", [{"blocks": [refused]} for _, refused, _ in RULES.values()])
    assert {name for name, said in zip(RULES, answers, strict=True) if said} == STRUCTURE


@pytest.mark.parametrize("name", sorted(LENGTHS))
def test_slackblocks_draws_the_line_where_we_draw_it(name: str) -> None:
    taken, refused, _ = RULES[name]
    assert _reads(taken)
    with pytest.raises(SLACKBLOCKS_SAYS_NO):
        Block.from_dict(refused)


MESSAGES: list[tuple[Json, str]] = [
    ({"text": "x", "metadata": {"event_type": "x", "event_payload": {"a": {"b": 1}}}}, ""),
    ({"text": "x", "metadata": {"event_type": "x", "event_payload": {"a": None}}}, "null"),
    ({"text": "x", "metadata": {"event_type": "x", "event_payload": {"a": ["b"]}}}, "string"),
    (
        {"text": "x", "metadata": {"event_type": "x", "event_payload": {"a": {"b": {"c": 1}}}}},
        "not assignable",
    ),
    ({"text": "x", "thread_ts": 1760000001.000001}, "number"),
    ({"text": "x", "texts": "x"}, "texts"),
    ({"text": "x", "blocks": [{"type": "rich_text_list"}]}, "rich_text_list"),
    ({"text": "</script>\u2028\0 \ud83d\ude00"}, ""),
]


def test_the_types_are_asked_for_the_whole_message_and_answer_for_the_right_one() -> None:
    answers = ask("slack_types.js", [message for message, _ in MESSAGES])
    for said, (message, expected) in zip(answers, MESSAGES, strict=True):
        assert (expected in " ".join(said)) if expected else said == [], message


# --------------------------------------------------------------------------------------- what is not checked


def keys_in(value: Any) -> Iterator[str]:
    """Every `type.key` of a message's blocks."""
    if isinstance(value, dict):
        yield from (f"{value.get('type')}.{key}" for key in value)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_in(one)


def test_only_what_the_types_do_not_know_yet_is_kept_from_them(messages: list[Json]) -> None:
    script = (Path(__file__).parent / "node/slack_types.js").read_text("utf-8")
    kept = dict(re.findall(r'(rich_text_\w+): \["(\w+)"\]', script))
    assert kept == {"rich_text_list": "offset", "rich_text_preformatted": "language"}
    used = set(keys_in([message["blocks"] for message in messages]))
    assert "rich_text_list.offset" in used
