"""Each of Slack's blocks as HTML; a block that is not known is shown as its JSON."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from markupsafe import Markup

from bot.drawing.words import calling, link, mrkdwn, plain

Json: TypeAlias = dict[str, Any]

FOLDED = 700
"""Characters of a section after which Slack folds it behind "See more", unless it says `expand`."""
_STYLES = (("bold", "strong"), ("italic", "em"), ("strike", "s"), ("code", "code"))
_DEPTHS = 9
"""Levels of a list that Slack has, 0 to 8."""


def block(one: Json) -> Markup:
    """One block."""
    draw = _BLOCKS.get(str(one.get("type")), _unknown)
    try:
        return draw(one)
    except (KeyError, TypeError, ValueError, AttributeError):  # not as Slack defines it
        return _unknown(one)


def _unknown(one: Json) -> Markup:
    return Markup('<pre class="unknown">{}</pre>').format(json.dumps(one, ensure_ascii=False, indent=1))


def _header(one: Json) -> Markup:
    return Markup('<p class="header" role="heading" aria-level="3">{}</p>').format(_object(one["text"]))


def _section(one: Json) -> Markup:
    texts = [one["text"]] if "text" in one else []
    words = Markup().join(Markup("<p>{}</p>").format(_object(text)) for text in texts)
    if fields := one.get("fields"):
        cells = Markup().join(Markup("<p>{}</p>").format(_object(text)) for text in fields)
        words += Markup('<div class="fields">{}</div>').format(cells)
    if not one.get("expand") and sum(len(text["text"]) for text in texts) > FOLDED:
        words = Markup('<details class="more"><summary>See more</summary>{}</details>').format(words)
    beside = _element(one["accessory"]) if "accessory" in one else Markup()
    return Markup('<div class="section"><div>{}</div>{}</div>').format(words, beside)


def _context(one: Json) -> Markup:
    shown = Markup(" ").join(map(_element, one["elements"]))
    return Markup('<p class="context">{}</p>').format(shown)


def _actions(one: Json) -> Markup:
    shown = Markup(" ").join(map(_element, one["elements"]))
    return Markup('<p class="actions">{}</p>').format(shown)


def _image(one: Json) -> Markup:
    title = (
        Markup("<figcaption>{}</figcaption>").format(_object(one["title"])) if "title" in one else Markup()
    )
    return Markup('<figure>{}<span class="image">{}</span></figure>').format(title, one["alt_text"])


def _table(one: Json) -> Markup:
    rows = (Markup().join(Markup("<td>{}</td>").format(_cell(cell)) for cell in row) for row in one["rows"])
    body = Markup().join(Markup("<tr>{}</tr>").format(row) for row in rows)
    return Markup(
        '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>{}</table></div>'
    ).format(body)


def _cell(cell: Json) -> Markup:
    return _rich(cell) if cell["type"] == "rich_text" else plain(cell["text"])


def _element(element: Json) -> Markup:
    """A text, an image or something to press, in a line."""
    match element["type"]:
        case "image":
            return Markup('<span class="image">{}</span>').format(element["alt_text"])
        case "plain_text" | "mrkdwn":
            return _object(element)
        case "button":
            style = element.get("style")
            kind = f"button {style}" if style in {"primary", "danger"} else "button"
            label = Markup('<span class="{}">{}</span>').format(kind, _object(element["text"]))
            return link(element.get("url", ""), label)
        case kind:
            return Markup('<span class="button">{}</span>').format(str(kind).replace("_", " "))


def _object(text: Json) -> Markup:
    if text["type"] == "plain_text":
        return plain(text["text"])
    return mrkdwn(text["text"], verbatim=bool(text.get("verbatim")))


# ------------------------------------------------------------------------------------------------ rich text


def _rich(one: Json) -> Markup:
    return Markup().join(_RICH[element["type"]](element) for element in one["elements"])


def _runs(element: Json) -> Markup:
    return Markup().join(map(_run, element["elements"]))


def _run(run: Json) -> Markup:
    match run["type"]:
        case "text":
            return _styled(plain(run["text"]), run)
        case "link":
            return link(run["url"], _styled(plain(run.get("text") or run["url"]), run))
        case "emoji":
            return _emoji(run)
        case "user" | "usergroup" | "channel" | "broadcast" as kind:
            named = run.get("range") or run.get("user_id") or run.get("usergroup_id") or run.get("channel_id")
            return calling(f"{'#' if kind == 'channel' else '@'}{named}")
        case "date":
            return plain(run.get("fallback") or run["timestamp"])
        case _:
            return _unknown(run)


def _styled(words: Markup, run: Json) -> Markup:
    for style, tag in _STYLES:
        if (run.get("style") or {}).get(style):
            words = Markup(f"<{tag}>{{}}</{tag}>").format(words)  # noqa: S704 (one of four tags)
    return words


def _emoji(run: Json) -> Markup:
    """By its code points, `1f44b-1f3fb`, where they are told; else by its name."""
    points = str(run.get("unicode") or "").split("-")
    try:
        return Markup.escape("".join(chr(int(point, 16)) for point in points))
    except (ValueError, OverflowError):
        return Markup.escape(f":{run['name']}:")


def _list(element: Json) -> Markup:
    depth = min(max(int(element.get("indent", 0)), 0), _DEPTHS - 1)
    items = Markup().join(Markup("<li>{}</li>").format(_runs(item)) for item in element["elements"])
    if element["style"] == "ordered":
        start = int(element.get("offset", 0)) + 1
        return Markup('<ol class="in{}" start="{}">{}</ol>').format(depth, start, items)
    return Markup('<ul class="in{}">{}</ul>').format(depth, items)


_RICH: dict[str, Callable[[Json], Markup]] = {
    "rich_text_section": lambda element: Markup("<p>{}</p>").format(_runs(element)),
    "rich_text_quote": lambda element: Markup("<blockquote>{}</blockquote>").format(_runs(element)),
    "rich_text_preformatted": lambda element: Markup("<pre>{}</pre>").format(_runs(element)),
    "rich_text_list": _list,
}
_BLOCKS: dict[str, Callable[[Json], Markup]] = {
    "header": _header,
    "section": _section,
    "divider": lambda _: Markup("<hr>"),
    "context": _context,
    "image": _image,
    "actions": _actions,
    "markdown": lambda one: Markup("<pre>{}</pre>").format(one["text"]),
    "rich_text": _rich,
    "table": _table,
    "data_table": _table,
}
