"""Messages as a conversation shows them: the first, and the others below it or in its thread."""

from collections.abc import Sequence

from markupsafe import Markup

from bot.drawing.blocks import Json, block
from bot.drawing.words import mrkdwn

_MESSAGE = Markup(
    '<article class="message"><div class="face" aria-hidden="true">{}</div><div class="said">'
    '<p class="who"><b>{}</b> <span class="app">APP</span></p>{}'
    '<details class="fallback"><summary>What notifications and screen readers say</summary>'
    "<p>{}</p></details>"
    "</div></article>"
)


def drawn(posts: Sequence[Json], *, name: str, in_thread: bool) -> Markup:
    """The arguments of `chat.postMessage`, in order, as one conversation.

    `name` is the app's; with `in_thread` all but the first are replies to it, folded as Slack folds them.
    """
    messages = [_message(post, name) for post in posts]
    if not (in_thread and messages[1:]):
        return Markup('<div class="slack">{}</div>').format(Markup().join(messages))
    count = len(messages) - 1
    words = "1 reply" if count == 1 else f"{count} replies"
    thread = Markup('<details class="thread"><summary>{}</summary>{}</details>').format(
        words, Markup().join(messages[1:])
    )
    return Markup('<div class="slack">{}{}</div>').format(messages[0], thread)


def _message(post: Json, name: str) -> Markup:
    blocks = post.get("blocks") or []
    text = mrkdwn(post.get("text", ""), verbatim=False)
    said = Markup().join(map(block, blocks)) if blocks else Markup("<p>{}</p>").format(text)
    return _MESSAGE.format(name[:1].upper(), name, said, text)
