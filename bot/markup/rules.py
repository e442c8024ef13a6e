"""Where our Markdown differs from GitHub's: markdown-it's rules, each with the change we need."""

import re
import unicodedata
from collections.abc import Callable

from linkify_it import LinkifyIt  # type: ignore[import-untyped]  # it ships no types
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, reference
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

_BlockRule = Callable[[StateBlock, int, int, bool], bool]

_DEEPEST_LEVEL = 24
"""Levels of open blocks (a list takes two): beyond it, marks are text, and no input can exhaust the stack."""
_YEAR = re.compile(r"\d{4,}[.)]")
_FOOTNOTE = re.compile(r"\[\^")
_WORDS = re.compile(r"(?:[^\\`*_~\[\]<>&@\n/]|/(?!/))+")
"""A text in which no rule for marks finds anything: most titles, labels and sentences are such."""


def markdown() -> MarkdownIt:
    """CommonMark with tables and bare URLs; raw HTML comes as tokens, none of which gets through."""
    md = MarkdownIt("gfm-like", {"linkify": True, "html": True, "typographer": False, "maxNesting": 100})
    md.disable(["html_block"])
    linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    for schema in ("ftp:", "//"):
        linkify.add(schema, None)
    linkify.pretest = _may_hold_address
    md.linkify = linkify
    # Every address reaches the parser as it was written; `urls.safe_url` alone decides.
    md.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 (named by markdown-it)
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]
    md.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    md.core.ruler.at("inline", _inline)
    md.inline.ruler.at("emphasis", _emphasis)
    md.inline.ruler.at("strikethrough", _strike)
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.at("blockquote", _unless_deep(blockquote), {"alt": ends})
    md.block.ruler.at("list", _unless_year(_unless_deep(list_block)), {"alt": ends[:3]})
    md.block.ruler.at("reference", _unless_footnote(reference))
    return md


def _may_hold_address(text: str) -> bool:
    """Whether linkify need look for `https://` and `mailto:`; its own question costs more than the answer."""
    return "//" in text or "@" in text


def _inline(state: StateCore) -> None:
    """Read the marks of each text; a text that can hold none is its words, without asking every rule."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if _WORDS.fullmatch(token.content):
            token.children = [Token("text", "", 0, content=token.content)]
        else:
            token.children = token.children or []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _unless_deep(rule: _BlockRule) -> _BlockRule:
    def shallow(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (markdown-it's)
        return state.level < _DEEPEST_LEVEL and rule(state, start, end, silent)

    return shallow


def _unless(pattern: re.Pattern[str], rule: _BlockRule) -> _BlockRule:
    def other(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (markdown-it's)
        begin = state.bMarks[start] + state.tShift[start]
        return not pattern.match(state.src, begin) and rule(state, start, end, silent)

    return other


def _unless_year(rule: _BlockRule) -> _BlockRule:
    """`2024. A good year` opens a sentence, not a list."""
    return _unless(_YEAR, rule)


def _unless_footnote(rule: _BlockRule) -> _BlockRule:
    """`[^1]: note` is text: as a definition it would turn `[^1]` into a link to "note"."""
    return _unless(_FOOTNOTE, rule)


# ------------------------------------------------------------------------------------------- emphasis


def flanks(before: str, after: str) -> tuple[bool, bool]:
    """Whether a run of `*` between two characters may open, and may close (CommonMark 6.2, and CJK).

    Chinese, Japanese and Korean put no blank around marks: beside their letters, punctuation does not keep a
    mark from opening or closing (commonmark-spec#650), so that `这是**重要。**后面` is bold.
    """
    left = not after.isspace() and (not _is_punctuation(after) or _ends_word(before))
    right = not before.isspace() and (not _is_punctuation(before) or _ends_word(after))
    return left, right


def _ends_word(neighbour: str) -> bool:
    return neighbour.isspace() or _is_punctuation(neighbour) or _is_cjk(neighbour)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _is_cjk(character: str) -> bool:
    return character >= "\u1100" and unicodedata.east_asian_width(character) in "WF"


def _emphasis(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (markdown-it's)
    """Take a run of `*` or `_` as so many marks that may open or close."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    can_open, can_close, length = _scanned(state, marker)
    for _ in range(length):
        token = state.push("text", "", 0)
        token.content = marker
        mark = Delimiter(ord(marker), length, len(state.tokens) - 1, -1, can_open, can_close)
        state.delimiters.append(mark)
    state.pos += length
    return True


def _strike(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (markdown-it's)
    """Take `~~` as a mark that may open or close; any other number of them is words (`~/x`, `~~~`)."""
    if silent or state.src[state.pos] != "~":
        return False
    can_open, can_close, length = _scanned(state, "~")
    token = state.push("text", "", 0)
    token.content = "~" * length
    if length == 2:  # noqa: PLR2004 (which is what this is about)
        state.delimiters.append(Delimiter(ord("~"), 0, len(state.tokens) - 1, -1, can_open, can_close))
    state.pos += length
    return True


def _scanned(state: StateInline, marker: str) -> tuple[bool, bool, int]:
    if marker == "_":
        return state.scanDelims(state.pos, canSplitWord=False)
    end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    before = state.src[state.pos - 1] if state.pos else " "
    after = state.src[end] if end < state.posMax else " "
    return *flanks(before, after), end - state.pos
