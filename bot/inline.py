"""premailer, with what it loses put back: styles go into the elements, and nothing else changes.

The themes keep what must stay in the head (media rules, dark mode, client hacks) in a style block marked
`data-premailer="ignore"`. What premailer still breaks is checked for afterwards: words, comments and links
must be those that went in.
"""

import logging
import re

from lxml import html as lxml_html
from lxml.etree import _Element
from premailer import Premailer

from bot.errors import InputError

DOCTYPE = "<!DOCTYPE html>"

# premailer would fetch an @import even with allow_network=False (its CSS parser does); no mail program would.
_IMPORT = re.compile(r"@import\b[^;{}<]*;?", re.IGNORECASE)
_STYLE = re.compile(r"(<style\b[^>]*>)(.*?)(</style>)", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

logging.getLogger("CSSUTILS").setLevel(logging.CRITICAL)  # it complains of every mso- property


def inline(html: str) -> str:
    """Put the styles of a whole page into its elements; InputError where that would change what it says."""
    source = DOCTYPE + re.sub(r"^\s*<!doctype[^>]*>", "", html, flags=re.IGNORECASE)
    source = _STYLE.sub(lambda style: style[1] + _IMPORT.sub("", style[2]) + style[3], source)
    inlined = Premailer(
        source,
        base_url=None,
        allow_network=False,
        allow_insecure_ssl=False,
        allow_loading_external_files=False,
        strip_important=False,
        keep_style_tags=False,
        remove_classes=False,
        disable_validation=True,
        # Widths in CSS are for CSS: an attribute made of them is often invalid, and overwrites the author's.
        disable_basic_attributes=["width", "height"],
        cssutils_logging_level=logging.CRITICAL,
    ).transform(pretty_print=False)  # it would put blanks between words
    _same(source, inlined)
    return str(inlined)


def _same(before: str, after: str) -> None:
    """Words, comments and links are what they were, or the mail must not go out."""
    was, became = lxml_html.document_fromstring(before), lxml_html.document_fromstring(after)
    for what, look in (("words", _words), ("links", _links)):
        if look(was) != look(became):
            raise InputError(
                "templates", f"inlining its styles changed a mail's {what}", "simplify the theme's CSS"
            )
    if _COMMENT.findall(before) != _COMMENT.findall(after):
        raise InputError(
            "templates", "inlining its styles changed a conditional comment", "simplify the theme"
        )
    if not after.startswith(DOCTYPE):
        raise InputError("templates", "inlining its styles lost the doctype", "begin with <!DOCTYPE html>")


def _words(page: _Element) -> str:
    body = page.find("body")
    text = "" if body is None else "".join(map(str, body.itertext(tag="*")))
    return re.sub(r"[ \t\r\n]+", " ", text).strip()


def _links(page: _Element) -> list[str]:
    return [
        str(value) for element in page.iter() for name, value in element.items() if name in {"href", "src"}
    ]
