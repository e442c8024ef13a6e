"""Markdown → one tree → HTML, plain text, Markdown again, runs: the same visible words in each of them."""

from bot.markup.doubts import Doubt
from bot.markup.form import normalise, words
from bot.markup.html import escape_html, inline_html, to_html
from bot.markup.markdown import destination, escape, inline_markdown, to_markdown
from bot.markup.parse import Document, Part, parse_blocks, parse_document, parse_inline
from bot.markup.plain import Footnotes, plain_text, to_text
from bot.markup.runs import Run, inline_text, inline_words, normalise_inlines, runs, text
from bot.markup.urls import safe_url, url_fault

__all__ = [
    "Document",
    "Doubt",
    "Footnotes",
    "Part",
    "Run",
    "destination",
    "escape",
    "escape_html",
    "inline_html",
    "inline_markdown",
    "inline_text",
    "inline_words",
    "normalise",
    "normalise_inlines",
    "parse_blocks",
    "parse_document",
    "parse_inline",
    "plain_text",
    "runs",
    "safe_url",
    "text",
    "to_html",
    "to_markdown",
    "to_text",
    "url_fault",
    "words",
]
