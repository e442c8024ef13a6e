"""Rules about what Slack takes of a message: how many blocks, how many characters, how many messages."""

from collections.abc import Iterator

from bot.blockkit import limits
from bot.blockkit.measure import size
from bot.checks import Flaw, Rule
from bot.checks._posts import TEMPLATE, Json, Post, Posts
from bot.models import Severity

BLOCKS = 50
"""Of one message (docs.slack.dev, Block Kit)."""
SERIALISED = 11_000
"""Characters of a message's blocks as JSON: beyond, some were refused (slackapi/bolt-js#2867)."""
ACTIONS = 25
"""Elements of one `actions` block."""
NEARLY = 0.9
"""The share of a limit from which a hint says that it is near."""
SHORT_BUTTON = 30
"""Characters of a button's words that every screen shows."""
MANY = 8
"""Messages of one issue; the longest of 149 real issues made five."""


def many_blocks(posts: Posts) -> Iterator[Flaw]:
    """A message has more blocks than Slack takes (50), or (a hint) nearly.

    Slack refuses the whole message with `invalid_blocks`, and with it that part of the issue.
    """
    for post in posts.all:
        yield from _measured(posts, post, "blocks", len(post.blocks), BLOCKS)


def much_json(posts: Posts) -> Iterator[Flaw]:
    """The blocks of a message are longer than Slack was seen to take (11,000 characters), or (a hint) nearly.

    Slack adds up all blocks of a message and answers `msg_blocks_too_long`; it documents no number.
    """
    for post in posts.all:
        yield from _measured(posts, post, "characters of blocks", size(post.blocks), SERIALISED)


def long_header(posts: Posts) -> Iterator[Flaw]:
    """A header is longer than Slack takes (150 characters), or the issue's title than a header can be.

    Slack refuses the message; a title that is too long is set as bold text, which is smaller.
    """
    for post in posts.all:
        for piece in post.of("header"):
            yield from _measured(posts, post, "characters of header", _length(piece), limits.HEADER)
    title = len(posts.issue.title)
    if posts.all and title > limits.HEADER:
        message = f"the title has {title} characters: over {limits.HEADER}, Slack shows it as bold text"
        yield Flaw(posts.issue.place, message, "shorten it", posts.issue.key, Severity.HINT)


def long_text(posts: Posts) -> Iterator[Flaw]:
    """A text is longer than Slack takes (3,000 characters), or (a hint) nearly.

    Slack refuses the whole message for one text that is too long.
    """
    for post in posts.all:
        for piece in post.of("plain_text", "mrkdwn"):
            yield from _measured(posts, post, "characters of text", len(str(piece.get("text"))), limits.TEXT)


def many_elements(posts: Posts) -> Iterator[Flaw]:
    """A line of small print has more pieces than Slack takes (10), or a row more buttons (25).

    Slack refuses the whole message.
    """
    for post in posts.all:
        for kind, limit in (("context", limits.CONTEXT), ("actions", ACTIONS)):
            for piece in post.of(kind):
                elements = piece.get("elements")
                if isinstance(elements, list) and (count := len(elements)) > limit:
                    message = f"{post.name}: {count} elements in a block of the kind {kind}, of {limit}"
                    yield Flaw(TEMPLATE, message, "divide it", posts.issue.key)


def many_messages(posts: Posts) -> Iterator[Flaw]:
    """The issue makes more than 8 messages, which fills a conversation.

    People mute a conversation that one issue fills, and Slack drops messages that come in a burst.
    """
    for channel, messages in posts.channels.items():
        if len(messages) > MANY:
            message = f"{channel}: {len(messages)} messages"
            fix = f'divide the issue, or set channels.{channel}.layout = "digest"'
            yield Flaw(posts.issue.place, message, fix, posts.issue.key)


def button_words(posts: Posts) -> Iterator[Flaw]:
    """A button's words are longer than Slack takes (75 characters), or (a hint) than it shows (30).

    Slack refuses the message; on phones, what is over some 30 characters is cut.
    """
    for post in posts.all:
        for piece in post.of("button"):
            if (count := _length(piece)) > SHORT_BUTTON:
                severity = Severity.ERROR if count > limits.BUTTON else Severity.HINT
                message = f"{post.name}: a button with {count} characters, of which {SHORT_BUTTON} are shown"
                yield Flaw(TEMPLATE, message, "use fewer words", posts.issue.key, severity)


def _measured(posts: Posts, post: Post, what: str, count: int, limit: int) -> Iterator[Flaw]:
    if count >= limit * NEARLY:
        severity = Severity.ERROR if count > limit else Severity.HINT
        message = f"{post.name}: {count:,} {what}, of which Slack takes {limit:,}"
        yield Flaw(TEMPLATE, message, "shorten or divide it", posts.issue.key, severity)


def _length(piece: Json) -> int:
    text = piece.get("text")
    return len(str(text.get("text") or "")) if isinstance(text, dict) else 0


RULES = (
    Rule(
        "slack.blocks",
        Severity.ERROR,
        many_blocks,
        example='{% for n in range(51) %}{{ ", " if n }}{"type": "divider"}{% endfor %}',
        mend="Begin another message, or give fewer blocks for each entry.",
    ),
    Rule(
        "slack.size",
        Severity.ERROR,
        much_json,
        example="""{% for n in range(4) %}{{ ", " if n }}{"type": "section", "text":
 {"type": "mrkdwn", "text": "{{ "x" * 2800 }}", "verbatim": true}}{% endfor %}""",
        mend="Begin another message before the entry that is too much.",
    ),
    Rule(
        "slack.header",
        Severity.ERROR,
        long_header,
        example="""{"type": "header", "text": {"type": "plain_text", "text": "{{ "x" * 151 }}"}}""",
        mend="Shorten the title, or set it with heading(), which has no limit.",
    ),
    Rule(
        "slack.text",
        Severity.ERROR,
        long_text,
        example="""{"type": "section", "text": {"type": "plain_text", "text": "{{ "x" * 3001 }}"}}""",
        mend="Divide the text, or give it with rich(), which divides it by itself.",
    ),
    Rule(
        "slack.elements",
        Severity.ERROR,
        many_elements,
        example="""{"type": "context", "elements": [{% for n in range(11) %}{{ ", " if n }}
{"type": "plain_text", "text": "x"}{% endfor %}]}""",
        mend="Give the elements in two blocks.",
    ),
    Rule(
        "slack.button",
        Severity.ERROR,
        button_words,
        example="""{"type": "actions", "elements": [{"type": "button", "url": "https://example.org",
 "text": {"type": "plain_text", "text": "{{ "x" * 76 }}"}}]}""",
        mend="Use two or three words.",
    ),
    Rule(
        "slack.messages",
        Severity.WARNING,
        many_messages,
        example='{% for n in range(9) %}{{ ", " if n }}{"text": "One"}{% endfor %}',
        mend="Divide the issue, or choose the layout `digest`.",
    ),
)
