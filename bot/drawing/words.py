"""Slack's mrkdwn as HTML, by Slack's rules: what is a link, what is bold, and what would call people.

A mark counts at a word's edge alone, `<…>` holds links, mentions and dates, and three characters are written
`&amp; &lt; &gt;` (Slack's "Formatting text for app surfaces").
"""

import re
from collections.abc import Callable

from markupsafe import Markup

_ANGLE = re.compile(r"<([^<>\n]*)>")
_CODE = re.compile(r"`([^`\n]+)`")
_MARK = re.compile(
    r"(?<![^\s(\[{'\"*_~\x00-])(?:(?<!\*)(?=\*)|(?<!_)(?=_)|(?<!~)(?=~))([*_~])(?!\1)(?=\S)([^\n]{1,500}?)(?<=\S)\1(?!\1|[^\W_])"
)
_PLACE = re.compile(r"\x00(\d+)\x00")
_BARE = re.compile(r"(?<![\w/.])(@(?:here|channel|everyone)\b|#[a-z0-9][\w-]{1,79})")
_TAGS = {"*": "strong", "_": "em", "~": "s"}
_REACH = 40_000
"""Characters of a text that Slack keeps."""


def plain(text: object) -> Markup:
    """Words as they stand, each line its own."""
    return Markup("<br>").join(Markup.escape(line) for line in str(text).split("\n"))


def link(url: object, shown: Markup) -> Markup:
    """A link, if it leads to a page or a mailbox; else its words alone."""
    target = str(url)
    if not re.match(r"(?:https?://|mailto:)", target, re.IGNORECASE):
        return shown
    return Markup('<a href="{}" rel="noreferrer noopener" target="_blank">{}</a>').format(target, shown)


def calling(words: object) -> Markup:
    """What would call somebody, so that nobody overlooks it."""
    return Markup('<mark class="calls" title="This would notify people">{}</mark>').format(str(words))


def mrkdwn(text: object, *, verbatim: bool) -> Markup:
    """A text object's words; unless it is `verbatim`, Slack also reads a bare `@here` and `#name`."""
    placed: list[Markup] = []

    def put(made: Markup) -> str:
        placed.append(made)
        return f"\0{len(placed) - 1}\0"

    source = str(text)[:_REACH].replace("\0", "")
    source = _ANGLE.sub(lambda found: put(_angle(found[1])), source)  # in code, too, as Slack does
    source = _CODE.sub(lambda found: put(Markup("<code>{}</code>").format(_filled(found[1], placed))), source)
    if not verbatim:
        source = _BARE.sub(lambda found: put(calling(found[0])), source)
    lines = (_line(line, placed) for line in source.split("\n"))
    return Markup("<br>").join(lines)


def _line(line: str, placed: list[Markup]) -> Markup:
    if line.startswith("&gt;"):
        return Markup("<q>{}</q>").format(_marked(line[4:].lstrip(), placed))
    return _marked(line, placed)


def _marked(text: str, placed: list[Markup], depth: int = 0) -> Markup:
    """Words with their marks; those within marks are read the same way, up to the three there are."""
    pieces: list[Markup] = []
    at = 0
    for found in _MARK.finditer(text) if depth < len(_TAGS) else ():
        pieces.append(_filled(text[at : found.start()], placed))
        tag = _TAGS[found[1]]
        pieces.append(Markup(f"<{tag}>{{}}</{tag}>").format(_marked(found[2], placed, depth + 1)))  # noqa: S704 (one of three tags)
        at = found.end()
    pieces.append(_filled(text[at:], placed))
    return Markup().join(pieces)


def _filled(text: str, placed: list[Markup]) -> Markup:
    parts = _PLACE.split(text)
    return Markup().join(
        placed[int(part)] if at % 2 else Markup.escape(_decoded(part)) for at, part in enumerate(parts)
    )


def _decoded(text: str) -> str:
    """The three characters that Slack has escaped, and no other (`&quot;` stays as it is)."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _angle(inside: str) -> Markup:
    """What stands in angle brackets."""
    target, _, label = inside.partition("|")
    draw: dict[str, Callable[[], Markup]] = {
        "!": lambda: _command(target, label),
        "@": lambda: calling(label or target),
        "#": lambda: calling(f"#{label}" if label else target),
    }
    if target[:1] in draw:
        return draw[target[0]]()
    return link(_decoded(target), Markup.escape(_decoded(label or target)))


def _command(target: str, label: str) -> Markup:
    if target.startswith("!date^"):
        return Markup.escape(_decoded(label or target))
    return calling(f"@{label or target[1:]}")
