"""Rules about an issue as it would be posted to Slack: what Slack refuses, cuts or takes for a call."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from bot.blockkit import limits
from bot.checks import Flaw, Rule, _slack_limits
from bot.checks._posts import TEMPLATE, Post, Posts
from bot.checks.content import urls_of
from bot.markup import words
from bot.models import Entry, Severity

_LOOK_ALIKE = re.compile(
    r"(?<![\w@.])@(?:here|channel|everyone)\b|<!(?:here|channel|everyone|subteam)\b|<@[UW][A-Z0-9]{6,}|"
    r"(?<!\S)#general\b",
    re.IGNORECASE,
)
_LIVE = re.compile(r"<!(?!date\^)|<@[UW]|<#C")
_LIVE_PLAIN = re.compile(r"(?<![\w.])@(?:here|channel|everyone)\b")
_CALLS = ("broadcast", "user", "usergroup", "channel")
_OTHER_PICTURES = {".webp", ".svg", ".avif", ".heic", ".heif", ".tif", ".tiff", ".bmp", ".ico"}
_LEADS_SOMEWHERE = re.compile(r"https?://[^\s/]|mailto:[^\s]", re.IGNORECASE)


def empty_block(posts: Posts) -> Iterator[Flaw]:
    """A message has no blocks, or one of its texts is empty.

    Slack refuses the whole message with `invalid_blocks` or `no_text`.
    """
    for post in posts.all:
        if not post.blocks:
            yield Flaw(TEMPLATE, f"{post.name}: no blocks", "give it some", posts.issue.key)
        for piece in post.of("plain_text", "mrkdwn"):
            if not str(piece.get("text") or "").strip():
                message = f"{post.name}: an empty text in a block"
                yield Flaw(TEMPLATE, message, "leave the block out where there are no words", posts.issue.key)


def silent_message(posts: Posts) -> Iterator[Flaw]:
    """A message has no text beside its blocks, or one over 4,000 characters (a warning).

    Notifications, search and screen readers have only that text; a longer one cannot be corrected later.
    """
    for post in posts.all:
        if not post.text.strip():
            message = f"{post.name}: no text for notifications and screen readers"
            yield Flaw(TEMPLATE, message, "name the issue and its entries", posts.issue.key)
        elif len(post.text) > limits.FALLBACK:
            message = f"{post.name}: {len(post.text):,} characters of text beside the blocks"
            fix = f"shorten it to {limits.FALLBACK:,}"
            yield Flaw(TEMPLATE, message, fix, posts.issue.key, Severity.WARNING)


def long_link(posts: Posts) -> Iterator[Flaw]:
    """A link is longer than Slack takes (3,000 characters), or leads nowhere from Slack.

    Slack refuses the whole message for one such address.
    """
    for post in posts.all:
        for url in dict.fromkeys(_targets(post)):
            if len(url) > limits.ADDRESS or not _LEADS_SOMEWHERE.match(url):
                what = f"{len(url):,} characters" if len(url) > limits.ADDRESS else "no web or mail address"
                message = f"{post.name}: the link {url[:60]!r} has {what}"
                fix = "write a whole and short address: https://…"
                yield Flaw(_place_of_link(posts, url), message, fix, posts.issue.key)


def _targets(post: Post) -> Iterator[str]:
    return (str(piece["url"]) for piece in post.of("link", "button") if piece.get("url") is not None)


def _place_of_link(posts: Posts, url: str) -> str:
    entries = posts.issue.entries
    return next((entry.place for entry in entries if url in urls_of(entry)), TEMPLATE)


def unfurling(posts: Posts) -> Iterator[Flaw]:
    """A message lets Slack unfold its links.

    Slack then puts a preview of every link below the message: an issue of ten entries fills the screen.
    """
    for post in posts.all:
        if any(post.message.get(name) is not False for name in ("unfurl_links", "unfurl_media")):
            message = f"{post.name}: unfurl_links and unfurl_media are not both false"
            yield Flaw(TEMPLATE, message, "set both to false", posts.issue.key)


# ------------------------------------------------------------------------------------------------- mentions


def look_alike(posts: Posts) -> Iterator[Flaw]:
    """A text such as `@here` looks as if it would call people; in an issue it calls nobody.

    Whoever reads it may think that everybody was called, or that the curators meant to.
    """
    found = dict.fromkeys(name for post in posts.all for name in _look_alikes(post))
    for name in found:
        message = f"{name!r} looks like a call to people, and calls nobody"
        fix = "write it otherwise, unless it is what you write about"
        yield Flaw(_place_of_words(posts, name), message, fix, posts.issue.key)


def _look_alikes(post: Post) -> Iterator[str]:
    for piece in post.of("text", "plain_text", "mrkdwn"):
        text, style = piece.get("text"), piece.get("style")
        is_code = isinstance(style, dict) and style.get("code")
        if isinstance(text, str) and not is_code and ("@" in text or "<!" in text or "#" in text):
            yield from (found[0].lower() for found in _LOOK_ALIKE.finditer(text))


def _place_of_words(posts: Posts, name: str) -> str:
    said = (entry for entry in posts.issue.entries if name in _words_of(entry))
    return next((entry.place for entry in said), posts.issue.place)


def _words_of(entry: Entry) -> str:
    return f"{entry.title} {words(entry.blocks)}".lower()


def live_call(posts: Posts) -> Iterator[Flaw]:
    """A message would call people: `<!channel>`, `@here` in a text that Slack looks through, a user's ID.

    An issue that rings every phone of a workspace cannot be taken back.
    """
    for post in posts.all:
        for what in dict.fromkeys(_calls(post)):
            message = f"{post.name}: {what} would call people"
            yield Flaw(TEMPLATE, message, "write it as text that is escaped", posts.issue.key)


def _calls(post: Post) -> Iterator[str]:
    yield from (found[0] for found in _LIVE.finditer(post.text))
    for piece in post.pieces:
        if piece.get("type") == "mrkdwn":
            text = str(piece.get("text") or "")
            yield from (found[0] for found in _LIVE.finditer(text))
            if not piece.get("verbatim"):
                yield from (found[0] for found in _LIVE_PLAIN.finditer(text))
        elif piece.get("type") in _CALLS and piece.keys() & {
            "range",
            "user_id",
            "usergroup_id",
            "channel_id",
        }:
            yield f"an element of the type {piece['type']}"


# --------------------------------------------------------------------------------------------------- images


def fetched_image(posts: Posts) -> Iterator[Flaw]:
    """An image is one that Slack would have to fetch and cannot, or (a hint) could fail to.

    Slack fetches images while it posts: where it cannot, it refuses the whole message, and the issue goes out
    without any image.
    """
    for post in posts.all:
        for image in post.of("image"):
            url = str(image.get("image_url") or "")
            if image.get("image_url") is not None or not image.get("slack_file"):
                severity, what = _fetching(url)
                message = f"{post.name}: the image {url[:60]!r} {what}"
                fix = "name a PNG, JPEG or GIF on the web: https://…"
                yield Flaw(_place_of_link(posts, url), message, fix, posts.issue.key, severity)


def _fetching(url: str) -> tuple[Severity, str]:
    try:
        parts = urlsplit(url)
        host, kind = parts.hostname or "", PurePosixPath(parts.path).suffix.lower()
    except ValueError:
        return Severity.WARNING, "has no address that can be read"
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return Severity.WARNING, "has no whole address"
    if "." not in host.strip(".") or host.startswith("127."):
        return Severity.WARNING, "is on a machine that Slack cannot reach"
    if parts.scheme.lower() == "http":
        return Severity.WARNING, "is not https"
    if kind in _OTHER_PICTURES:
        return Severity.WARNING, f"is of a kind that Slack does not show ({kind})"
    return Severity.HINT, "is fetched by Slack while it posts"


def image_without_words(posts: Posts) -> Iterator[Flaw]:
    """An image has no alt_text.

    Slack refuses the whole message, and whoever cannot see the image is told nothing.
    """
    for post in posts.all:
        for image in post.of("image"):
            if not str(image.get("alt_text") or "").strip():
                message = f"{post.name}: an image without alt_text"
                yield Flaw(TEMPLATE, message, "say what it shows", posts.issue.key)


# -------------------------------------------------------------------------------------------------- the rules

LOOKS_AT = Posts
RULES = (
    *_slack_limits.RULES,
    Rule(
        "slack.empty",
        Severity.ERROR,
        empty_block,
        example='{"type": "section", "text": {"type": "mrkdwn", "text": " "}}',
        mend="Leave out the block where there are no words.",
    ),
    Rule(
        "slack.fallback",
        Severity.ERROR,
        silent_message,
        example='{"text": ""}',
        mend="Let the text name the issue and its entries.",
    ),
    Rule(
        "slack.link",
        Severity.ERROR,
        long_link,
        example="""{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements":
 [{"type": "link", "url": "/issues/2025-W17", "text": "x"}]}]}""",
        mend="Write a whole and short address.",
    ),
    Rule(
        "slack.unfurl",
        Severity.WARNING,
        unfurling,
        example='{"unfurl_links": true}',
        mend="Set both unfurl_links and unfurl_media to false.",
    ),
    Rule(
        "slack.mention",
        Severity.HINT,
        look_alike,
        example="""{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements":
 [{"type": "text", "text": "Ask @here about it"}]}]}""",
        mend="Write it otherwise, or leave it where it is what you write about.",
    ),
    Rule(
        "slack.call",
        Severity.ERROR,
        live_call,
        example='{"type": "section", "text": {"type": "mrkdwn", "text": "<!channel> look"}}',
        mend="Give texts to the functions of the template, which escape them.",
        binding=True,
    ),
    Rule(
        "slack.image",
        Severity.WARNING,
        fetched_image,
        example='{"type": "image", "image_url": "http://example.org/a.png", "alt_text": "x"}',
        mend="Name a PNG, JPEG or GIF on the web by https, or leave images out.",
    ),
    Rule(
        "slack.image-alt",
        Severity.ERROR,
        image_without_words,
        example='{"type": "image", "image_url": "https://example.org/a.png"}',
        mend="Say in alt_text what the image shows.",
    ),
)
