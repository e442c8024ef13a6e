"""premailer, with what it loses put back: styles go into the elements, and nothing else changes.

The themes keep what must stay in the head (media rules, dark mode, client hacks) in a style block marked
`data-premailer="ignore"`. What premailer still breaks is checked for afterwards: words, links, comments and
kept styles must be those that went in. Nothing is ever fetched.
"""

import logging
import re
from functools import lru_cache
from typing import Any, NoReturn

from cssutils import CSSParser
from lxml import html as lxml_html
from lxml.etree import Comment, _Element
from premailer import Premailer

from bot.errors import InputError

DOCTYPE = "<!DOCTYPE html>"

_WHERE = "templates"
_STYLE = re.compile(r"(<style\b([^>]*)>)(.*?)(</style\s*>)", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_IMPORT = re.compile(r"""@import\b(?:"[^"]*"|'[^']*'|\([^)]*\)|[^;{}<])*;?""", re.IGNORECASE)
_AT_RULE = re.compile(r"@(?!media\b|charset\b)[a-z-]+", re.IGNORECASE)
_WITH_COLOUR = {"body", "table", "tr", "td", "th"}

logging.getLogger("CSSUTILS").setLevel(logging.CRITICAL)  # it complains of every mso- property


class _Offline(Premailer):  # type: ignore[misc] # premailer has no types
    """premailer that cannot fetch, and that writes `bgcolor` and `valign` only where HTML has them."""

    def _parse_css_string(self, css_body: str, validate: bool = True) -> Any:  # noqa: FBT001, FBT002 (premailer's signature)
        return _parsed(css_body, validate)

    def _style_to_basic_html_attributes(self, element: _Element, style: str, force: bool = False) -> None:  # noqa: FBT001, FBT002 (likewise)
        if element.tag in _WITH_COLOUR:
            super()._style_to_basic_html_attributes(element, style, force)


@lru_cache(maxsize=8)
def _parsed(css: str, validate: bool) -> Any:  # noqa: FBT001 (likewise)
    # With allow_network=False premailer would still fetch an @import: its CSS parser does.
    return CSSParser(fetcher=lambda _url: None).parseString(css, validate=validate)


def inline(html: str) -> str:
    """Put the styles of a whole page into its elements; InputError where that would change what it says."""
    source = DOCTYPE + re.sub(r"^\s*<!doctype[^>]*>", "", html, flags=re.IGNORECASE)
    source = _STYLE.sub(lambda style: style[1] + _IMPORT.sub("", style[3]) + style[4], source)
    _lint(source)
    inlined = _inlined(source)
    _same(source, inlined)
    return inlined


def _lint(source: str) -> None:
    """Refuse what premailer would lose without a word: of all at-rules it keeps only @media."""
    for _, attributes, css, _ in _STYLE.findall(_COMMENT.sub("", source)):
        if "ignore" in attributes or "media" in attributes:
            continue
        if lost := _AT_RULE.search(_CSS_COMMENT.sub("", css)):
            _refuse(f"{lost[0]} cannot be moved into tags", "put it into the theme's block kept_styles")


def _inlined(source: str) -> str:
    try:
        return str(
            _Offline(
                source,
                base_url=None,
                allow_network=False,
                allow_insecure_ssl=False,
                allow_loading_external_files=False,
                strip_important=False,
                keep_style_tags=False,
                remove_classes=False,
                disable_validation=True,
                # As attributes these are often invalid, and they would overwrite the author's own.
                disable_basic_attributes=["width", "height", "align"],
                cssutils_logging_level=logging.CRITICAL,
            ).transform(pretty_print=False)  # it would put blanks between words
        )
    except Exception as error:  # premailer and its parsers raise what they like
        raise InputError(
            _WHERE, f"its styles cannot be inlined: {error}", "simplify the theme's CSS"
        ) from error


# ------------------------------------------------------------------------------------------- what must stay


def _same(before: str, after: str) -> None:
    """Words, links, comments and kept styles are what they were, or the mail must not go out."""
    if not after.startswith(DOCTYPE):
        _refuse("inlining its styles lost the doctype", "begin with <!DOCTYPE html>")
    was, became = lxml_html.document_fromstring(before), lxml_html.document_fromstring(after)
    for what, look in (("words", _words), ("links", _links), ("conditional comments", _comments)):
        if look(was) != look(became):
            _refuse(f"inlining its styles changed a mail's {what}", "simplify the theme's CSS")
    styles = [style.text for style in became.iter("style")]
    if any(style.text not in styles for style in was.iter("style") if style.get("data-premailer")):
        _refuse("inlining its styles changed those that were to stay", "simplify the theme's kept_styles")


def _refuse(what: str, mend: str) -> NoReturn:
    raise InputError(_WHERE, what, mend)


def _words(page: _Element) -> str:
    body = page.find("body")
    text = "" if body is None else "".join(map(str, body.itertext(tag="*")))
    return re.sub(r"[ \t\r\n]+", " ", text).strip()


def _comments(page: _Element) -> list[str]:
    return [str(comment.text) for comment in page.iter(Comment)]


def _links(page: _Element) -> list[str]:
    return [
        str(value) for element in page.iter() for name, value in element.items() if name in {"href", "src"}
    ]
