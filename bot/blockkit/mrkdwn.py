"""Words as mrkdwn, Slack's own markup: escaped, and only where they cannot be taken for markup.

Slack has an escape for three characters and none for its markers, so words that hold one do not go out
as mrkdwn at all: see `is_tame`.
"""

import re
from collections.abc import Sequence

from bot.blockkit.graphemes import shortened
from bot.blockkit.limits import FALLBACK
from bot.markup import safe_url

_FULL_WIDTH = "\uff0a\uff3f\uff40\uff5e\uff1e"  # Slack takes these for markers, too
_MARKER = re.compile(
    rf"[*_~`|{_FULL_WIDTH}]|:[\w+'-]+:|^\s*>|[@#]\w|https?://|\S@\S|[\x00-\x1f\x7f-\x9f\u2028\u2029]",
    re.MULTILINE,
)
_BROADCAST = re.compile(r"[@\uff20](?=(?:here|channel|everyone)\b)", re.IGNORECASE)
_LONGEST_TITLE = 300


def escape(text: str) -> str:
    """Words as mrkdwn; Slack decodes these three and nothing else."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def is_tame(text: str) -> bool:
    """Whether words mean themselves in mrkdwn: no marker, emoji name, mention or address in them."""
    return not _MARKER.search(text)


def bold_link(words: str, url: str | None) -> str:
    """Tame words in bold that lead to `url`; the bold stands outside, where every client takes it."""
    target = safe_url(url) if url else None
    return f"*<{_address(target)}|{escape(words)}>*" if target else f"*{escape(words)}*"


def _address(url: str) -> str:
    """A safe address inside `<…|…>`: what would end it is percent-encoded."""
    return escape(url.replace("|", "%7C").replace("<", "%3C").replace(">", "%3E").replace(" ", "%20"))


def fallback(title: str, lines: Sequence[str]) -> str:
    """What notifications show and screen readers read, as mrkdwn; whole lines as long as there is room."""
    text = _dead(shortened(title, _LONGEST_TITLE))
    for number, line in enumerate(map(_dead, lines)):
        more = f"\n… +{len(lines) - number}"
        if len(text) + len(line) + len(more) + 1 > FALLBACK:
            return text + more
        text += f"\n{line}"
    return text


def _dead(text: str) -> str:
    """Words that call nobody: here Slack takes no typed text, and `@here` is one without any brackets."""
    return _BROADCAST.sub("@\u2060", escape(text))
