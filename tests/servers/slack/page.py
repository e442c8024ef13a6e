"""What was posted, drawn simply: every word of it escaped, nothing fetched, and what calls people marked."""

import json
import re
from collections.abc import Callable, Iterable
from html import escape, unescape
from typing import Any

from tests.servers.slack import rules
from tests.servers.slack.messages import Json
from tests.servers.slack.workspace import Post, Workspace

STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.45 system-ui, sans-serif;
       color: #1d1c1d; background: #fff }
article { margin: 1rem 0; padding: .5rem 1rem; border: 1px solid #ddd; border-radius: .5rem }
article article { margin-left: 1.5rem }
.small, footer { color: #616061; font-size: .85rem }
.words, td, th { white-space: pre-wrap; overflow-wrap: anywhere }
.button { border: 1px solid #888; border-radius: .3rem; padding: .2rem .6rem }
.live { background: #b00020; color: #fff }
pre, code { background: #f4f4f4; white-space: pre-wrap; overflow-wrap: anywhere }
pre { padding: .5rem }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .2rem .5rem }
"""


def drawn(workspace: Workspace) -> str:
    """A page of all conversations, each with its messages and their threads."""
    with workspace.lock:
        rooms = [_conversation(name, workspace) for name in workspace.conversations]
    head = f'<meta charset="utf-8"><title>Slack, to try out</title><style>{STYLE}</style>'
    intro = "<h1>Slack, to try out</h1><p>Reload this page to see what came since.</p>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{intro}{"".join(rooms)}</body></html>'


def _conversation(name: str, workspace: Workspace) -> str:
    here = [post for post in workspace.every if post.message["channel"] == name]
    shown = [_with_thread(post, here) for post in here if post.in_conversation and not post.thread_ts]
    nothing = "<p>Nothing was posted yet.</p>"
    return f"<h2>#{_text(workspace.conversations[name].name)} · {_text(name)}</h2>{''.join(shown) or nothing}"


def _with_thread(post: Post, here: Iterable[Post]) -> str:
    replies = [_message(one) for one in here if one.thread_ts == post.ts and not one.deleted]
    thread = f"<p class=small>In the thread:</p>{''.join(replies)}" if replies else ""
    return "" if post.deleted and not replies else _message(post, thread)


def _message(post: Post, thread: str = "") -> str:
    if post.deleted:
        return f"<article><p class=small>This message was deleted.</p>{thread}</article>"
    blocks = post.message.get("blocks") or []
    text = f"<p class=words>{_mrkdwn(post.message.get('text', ''), verbatim=True)}</p>"
    body = "".join(map(_block, blocks)) or text
    fallback = f"<details><summary>Where blocks are not shown</summary>{text}</details>" if blocks else ""
    source = _text(json.dumps(post.message, ensure_ascii=False, indent=1))
    raw = f"<details><summary>As it was sent</summary><pre>{source}</pre></details>"
    return f"<article>{body}<footer>{_about(post)}{fallback}{raw}</footer>{thread}</article>"


def _about(post: Post) -> str:
    """Who said it and when, how often it was corrected, and whom it calls."""
    author = post.author.get("bot_id") or post.author.get("user")
    times = f" · corrections: {len(post.earlier)}" if post.earlier else ""
    live = rules.mentions(post.message)
    calls = f" · <strong class=live>calls {_text(', '.join(live))}</strong>" if live else ""
    return f"<p>{_text(author)} · {_text(post.ts)}{times}{calls}</p>"


# --------------------------------------------------------------------------------------------------- blocks


def _block(block: Json) -> str:
    draw = _BLOCKS.get(block["type"])
    return draw(block) if draw else f"<pre>{_text(json.dumps(block, ensure_ascii=False))}</pre>"


def _section(block: Json) -> str:
    texts = [block[key] for key in ("text",) if key in block] + block.get("fields", [])
    beside = _element(block["accessory"]) if "accessory" in block else ""
    return "".join(f"<p class=words>{_object(text)}</p>" for text in texts) + beside


def _context(block: Json) -> str:
    return f"<p class='small words'>{' '.join(map(_element, block['elements']))}</p>"


def _image(block: Json) -> str:
    return f"<p class=small>[image: {_text(block['alt_text'])}]</p>"


def _table(block: Json) -> str:
    rows = ("".join(f"<td>{_cell(cell)}</td>" for cell in row) for row in block["rows"])
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _cell(cell: Json) -> str:
    return _rich(cell) if cell["type"] == "rich_text" else _text(cell["text"])


def _element(element: Json) -> str:
    """A text, an image or something to press, in a line."""
    if element["type"] == "image":
        return _image(element)
    if element["type"] in {"plain_text", "mrkdwn"}:
        return _object(element)
    label = _object(element["text"]) if "text" in element else _text(element["type"])
    return _link(element.get("url", ""), f"<span class=button>{label}</span>")


def _object(text: Json) -> str:
    return (
        _text(text["text"])
        if text["type"] == "plain_text"
        else _mrkdwn(text["text"], verbatim=bool(text.get("verbatim")))
    )


# ------------------------------------------------------------------------------------------------ rich text


def _rich(block: Json) -> str:
    return "".join(_RICH[element["type"]](element) for element in block["elements"])


def _runs(element: Json) -> str:
    return "".join(map(_run, element["elements"]))


def _run(run: Json) -> str:
    if run["type"] not in {"text", "link", "emoji"}:
        return f"<span class=live>{_text(json.dumps(run))}</span>"
    words = _text(run.get("text") or run.get("url") or f":{run.get('name')}:")
    for style, tag in (("bold", "strong"), ("italic", "em"), ("strike", "s"), ("code", "code")):
        words = f"<{tag}>{words}</{tag}>" if run.get("style", {}).get(style) else words
    return _link(run.get("url", ""), words)


def _list(element: Json) -> str:
    tag = "ol" if element["style"] == "ordered" else "ul"
    items = "".join(f"<li class=words>{_runs(item)}</li>" for item in element["elements"])
    start, indent = int(element.get("offset", 0)) + 1, int(element.get("indent", 0))
    return f'<{tag} start="{start}" style="margin-left: {indent}rem">{items}</{tag}>'


# ---------------------------------------------------------------------------------------------------- words


def _text(words: Any) -> str:
    return escape(str(words))


def _link(url: str, shown: str) -> str:
    """A link, if it leads to a page or a mailbox."""
    known = re.match(r"(?i)(https?://|mailto:)", url)
    return f'<a href="{_text(url)}" rel="noreferrer">{shown}</a>' if known else shown


def _mrkdwn(text: str, *, verbatim: bool) -> str:
    """Slack's markup: links, bold words, and what calls people; all else as it stands."""
    pieces = re.split(r"(<[^<>]*>)", text)
    shown = [
        _angle(piece[1:-1]) if at % 2 else _plain(piece, verbatim=verbatim) for at, piece in enumerate(pieces)
    ]
    return re.sub(r"(?<![\w*])\*(\S[^*\n]*?)\*(?![\w*])", r"<strong>\1</strong>", "".join(shown))


def _angle(inside: str) -> str:
    """What stands in angle brackets; no asterisk in there is a mark."""
    target, _, label = inside.partition("|")
    if target[:1] in {"!", "@", "#"}:
        return f"<span class=live>{_text(unescape(inside))}</span>"
    return _link(unescape(target), _text(unescape(label or target))).replace("*", "&#42;")


def _plain(piece: str, *, verbatim: bool) -> str:
    shown = _text(unescape(piece))
    return shown if verbatim else re.sub(r"(?<!\w)([@#]\w+)", r"<span class=live>\1</span>", shown)


_RICH: dict[str, Callable[[Json], str]] = {
    "rich_text_section": lambda element: f"<p class=words>{_runs(element)}</p>",
    "rich_text_quote": lambda element: f"<blockquote class=words>{_runs(element)}</blockquote>",
    "rich_text_preformatted": lambda element: f"<pre>{_runs(element)}</pre>",
    "rich_text_list": _list,
}
_BLOCKS: dict[str, Callable[[Json], str]] = {
    "header": lambda block: f"<h3>{_object(block['text'])}</h3>",
    "section": _section,
    "divider": lambda _: "<hr>",
    "context": _context,
    "image": _image,
    "actions": lambda block: f"<p>{' '.join(map(_element, block['elements']))}</p>",
    "markdown": lambda block: f"<pre>{_text(block['text'])}</pre>",
    "rich_text": _rich,
    "table": _table,
    "data_table": _table,
}
