"""Rules about an issue as it would be mailed: what programs cut or drop of it, and who cannot read it."""

from collections.abc import Iterator

from bot.checks import (
    Flaw,
    Mail,
    Rule,
    _contrast,
    _duties,
    _head,
    _pictures,
    _sizes,
    _styles,
    _support,
    _tags,
    _text_part,
)
from bot.errors import InputError
from bot.models import Finding, Issue, Severity


def _nothing(_mail: Mail) -> Iterator[Flaw]:
    """The issue cannot be set: a template is broken, or makes what mail or Slack cannot carry.

    There is nothing that could go out.
    """
    yield from ()


_RENDER = Rule(
    "mail.render",
    Severity.ERROR,
    _nothing,
    example="{{ issue.titel | upper",
    mend="Mend the template at the place that is named.",
    binding=True,
)


def cannot_be_made(issue: Issue, error: InputError) -> Finding:
    """The finding of whoever tried to render an issue: there is no mail to look at."""
    return _RENDER.finding(Flaw(error.where, error.what, error.mend, issue.key))


LOOKS_AT = Mail
RULES = (
    _RENDER,
    *_styles.RULES,
    *_pictures.RULES,
    *_sizes.RULES,
    *_duties.RULES,
    *_tags.RULES,
    *_contrast.RULES,
    *_support.RULES,
    *_text_part.RULES,
    *_head.RULES,
)
