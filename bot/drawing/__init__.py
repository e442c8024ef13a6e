"""Draws what would be posted to Slack as HTML, from the very JSON: a curator sees it before anybody else.

posts → blocks → texts: rich text run by run, mrkdwn by Slack's own rules → markup, every word of it escaped

Slack's own look changes and is theirs; what is drawn faithfully is the order, the words, the links, the
styles, what calls people, and what is folded. Nothing is fetched: an image is drawn as its description.
"""

from bot.drawing.posts import drawn

__all__ = ["drawn"]
