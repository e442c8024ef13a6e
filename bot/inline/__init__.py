"""Styles go into the tags, nothing looks different, and nothing else of a page changes.

text → page (tags and tree) → sheets → cases (who matches what) → plan (the cascade) → styles → text

Whatever cannot be decided before the mail is opened stays in the head: states, media rules, what only one
mail program obeys. It keeps its rank over what went into the tags. Nothing is ever fetched.
docs/why/inlining.md says more.
"""

from collections.abc import Iterator, Sequence

from lxml.etree import _Element

from bot.errors import InputError
from bot.inline import cascade, css, matching, stylesheets, tags
from bot.inline.css import Fate, Sheet
from bot.inline.matching import Matched
from bot.inline.page import WHERE, Block, Page, changed, read
from bot.inline.tags import Changes

__all__ = ["inline"]


def inline(html: str) -> str:
    """Put the styles of a whole page into its tags; InputError where it is no page, or cannot be sent."""
    try:
        return _inlined(read(html))
    except RecursionError as error:
        raise InputError(
            WHERE, "its styles cannot be inlined: it is nested too deeply", "make it flatter"
        ) from error


def _inlined(page: Page) -> str:
    from bot.inline import by_premailer  # noqa: PLC0415 (loads an HTTP client: for those who render alone)

    blocks = page.blocks()
    read_ = stylesheets.read(tuple((block.css, block.stays) for block in blocks))
    sheets = read_.sheets
    matched = matching.match(page, read_)
    plan = cascade.plan(matched.cases(), read_.animated)
    fate = Fate(matched.moved, plan.kept, plan.raised)
    added = dict(_added(page, matched, plan, by_premailer.styles(page.root, sheets, matched, plan)))
    if not page.is_whole() or matching.is_noticed(page.root, sheets, added):
        fate, added = Fate(), {}
    return changed(page.text, _heads(page, blocks, sheets, fate) | _tags(page, added))


def _added(
    page: Page, matched: Matched, plan: cascade.Plan, merged: dict[cascade.Case, str] | None
) -> Iterator[tuple[_Element, dict[str, str]]]:
    """The attributes that elements get, their styles as premailer `merged` them where it could."""
    texts = {case: tags.text_of(styles) for case, styles in plan.styles.items()} | (merged or {})
    for element, case in matched.elements:
        tag = page.tag(element)
        if tag and case.in_tag and case.is_told:
            yield element, tags.attributes(tag, texts[case], plan.styles[case])


def _tags(page: Page, added: dict[_Element, dict[str, str]]) -> Changes:
    found = ((page.tag(element), attributes) for element, attributes in added.items())
    return {place: text for tag, some in found if tag for place, text in tags.changes(tag, some)}


def _heads(page: Page, blocks: list[Block], sheets: Sequence[Sheet], fate: Fate) -> Changes:
    """What stays of the style blocks; one in the head of which nothing stays goes."""
    changes: Changes = {}
    for block, sheet in zip(blocks, sheets, strict=True):
        text = css.write(sheet, fate)
        if text.strip() or not block.in_head:
            changes |= {block.tag.content: text} | page.without("data-premailer", block.tag)
        else:
            changes[page.whole(block.tag)] = ""
    return changes
