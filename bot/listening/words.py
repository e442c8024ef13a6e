"""What people write in Slack, as plain words and addresses: its escapes undone, its brackets opened.

`<https://x.org/|x.org>` is a link, `<@U1|ada>` a person, `<#C1|papers>` a conversation, `<!here>` a call
(docs.slack.dev, "Formatting message text"). What comes out is as hostile as what went in.
"""

import re
from dataclasses import dataclass

_BRACKETS = re.compile(r"<([^<>|\s][^<>|]{0,3000})(?:\|([^<>]{0,3000}))?>")
_ADDRESS = re.compile(r"https?://[^\s<>]{1,3000}", re.IGNORECASE)
_AFTER = ".,;:!?'\"»”’"
"""What stands behind an address in a sentence, and is none of it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text, and the web addresses in it in order."""

    text: str
    urls: tuple[str, ...] = ()


def written(text: str, *, labels: bool = True) -> Written:
    """Read what somebody wrote; links stand in the text as their words or, without `labels`, as addresses.

    Where Slack made no link of anything, the addresses that stand there bare are the links.
    """
    urls: list[str] = []
    plain = _unescaped(_BRACKETS.sub(lambda found: _opened(found[1], found[2], urls, labels), text))
    return Written(plain, tuple(urls or (found[0].rstrip(_AFTER) for found in _ADDRESS.finditer(plain))))


def _opened(inside: str, label: str | None, urls: list[str], labels: bool) -> str:  # noqa: FBT001 (its own)
    """What stands for brackets in the plain text."""
    if inside.lower().startswith(("http://", "https://")):
        urls.append(_unescaped(inside))
        return (labels and label) or inside
    if inside[0] in "@#!":
        return _called(inside, label)
    return label or inside.removeprefix("mailto:")


def _called(inside: str, label: str | None) -> str:
    """A person, a conversation or a call: its words, where Slack gives them, and never live."""
    name = label or inside[1:].partition("^")[0]
    return name if name.startswith(("@", "#")) else f"{'#' if inside[0] == '#' else '@'}{name}"


def _unescaped(text: str) -> str:
    """Slack escapes these three and no other (docs.slack.dev)."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
