"""Turns the inline tokens of Markdown into runs, and those into the tree of one text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from bot.markup import tags
from bot.markup.cleaning import one_line
from bot.markup.doubts import Doubts
from bot.markup.runs import BREAK, Run, normal_runs, text, tree_of
from bot.markup.urls import safe_url, url_fault
from bot.text import Inlines

# A link whose address holds a blank is no link to Markdown: `[c](https://x.org/a b)`.
_BLANK_URL = re.compile(r"\]\([ ]*(?:https?:|mailto:)[^()<>\s]*[ \t]+(?![\"'(])[^)\n]*\)", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`]*`")
_BOLD_MARK = re.compile(r"(?<!\\)\*\*")
_NO_BREAK_MARK = re.compile(r"^(?:#{1,6}|[-*+]|\d{1,3}[.)])\u00a0", re.MULTILINE)


def line_of(token: Token) -> int:
    """The 0-based line at which a token begins."""
    return token.map[0] if token.map else 0


@dataclass(frozen=True, slots=True)
class InlineReader:
    """Reads the texts of one document, noting doubts by the way."""

    doubts: Doubts

    def read(self, token: Token, *, literal_tags: bool = False) -> Inlines:
        """The text of one `inline` token."""
        children = token.children or []
        if len(children) == 1 and children[0].type == "text" and "**" not in token.content:
            self.judge_blanks(token)
            return text(children[0].content)
        self.judge_source(token)
        found = list(self.runs(children, line_of(token), literal_tags=literal_tags))
        return tree_of(normal_runs(found))

    def runs(self, tokens: Sequence[Token], line: int, *, literal_tags: bool) -> Iterator[Run]:
        raw = [token.content for token in tokens if token.type == "html_inline"]
        judged = iter([tags.Tag(tags.Kind.WORDS)] * len(raw) if literal_tags else tags.judge(raw))
        look = _Look()
        for token in tokens:
            if token.type == "softbreak":
                line += 1
            yield from self.run(token, next(judged) if token.type == "html_inline" else None, look, line)
            if token.type == "hardbreak":
                line += 1

    def run(self, token: Token, tag: tags.Tag | None, look: "_Look", line: int) -> Iterator[Run]:
        match token.type:
            case "softbreak":
                yield look.run(" ")
            case "hardbreak":
                yield look.run(BREAK)
            case "code_inline":
                yield look.run(one_line(token.content))._replace(code=True)
            case "image":
                yield from self.image(token, look, line)
            case "link_open":
                look.enter(self.taken(str(token.attrGet("href") or ""), line))
            case "link_close":
                look.leave()
            case "strong_open" | "em_open" | "s_open" | "strong_close" | "em_close" | "s_close":
                look.switch(tags.LOOKS[token.tag], token.nesting)
            case _ if tag and tag.kind is not tags.Kind.WORDS:
                yield from self.tag(tag, look, line)
            case _:
                yield look.run(one_line(token.content))

    def tag(self, tag: tags.Tag, look: "_Look", line: int) -> Iterator[Run]:
        match tag.kind:
            case tags.Kind.BREAK:
                yield look.run(BREAK)
            case tags.Kind.SILENCE | tags.Kind.SPEECH:
                look.silent += 1 if tag.kind is tags.Kind.SILENCE else -1
            case tags.Kind.OPEN if tag.look == "link":
                look.enter(self.taken(tag.href, line) if tag.href is not None else None)
            case tags.Kind.CLOSE if tag.look == "link":
                look.leave()
            case tags.Kind.OPEN | tags.Kind.CLOSE:
                look.switch(tag.look, 1 if tag.kind is tags.Kind.OPEN else -1)
        if tag.kind in (tags.Kind.NOTHING, tags.Kind.SILENCE):
            self.doubts.add(
                line, "html", f"<{tag.name}> is left out", "write a word about tags between backticks"
            )

    def image(self, token: Token, look: "_Look", line: int) -> Iterator[Run]:
        """There are no pictures yet: a picture is a link to it, called by its description."""
        words = "".join(_alt(token.children or []))
        if not words.strip():
            self.doubts.add(
                line, "image", "an image without words is left out", "describe it: ![what it shows](…)"
            )
        inside = look.inside
        if not inside:
            look.enter(self.taken(str(token.attrGet("src") or ""), line))
        yield look.run(one_line(words))
        if not inside:
            look.leave()

    def taken(self, url: str, line: int) -> str | None:
        """The address as it may stand in a link; a refused one is told."""
        if fault := url_fault(url):
            shown = one_line(url)[:80]
            self.doubts.add(
                line, "link", f"{fault}: {shown!r}", "give a full address that begins with https://"
            )
        return safe_url(url)

    def judge_source(self, token: Token) -> None:
        """Doubts that only the source of a text shows."""
        self.judge_blanks(token)
        source = token.content
        if "](" in source and (found := _BLANK_URL.search(_CODE_SPAN.sub(_as_long, source))):
            line = line_of(token) + source.count("\n", 0, found.start())
            self.doubts.add(line, "link", "blank in URL", "write %20 for a blank in an address")
        words = "".join(child.content for child in token.children or [] if child.type == "text")
        if "**" in words and (found := _BOLD_MARK.search(_CODE_SPAN.sub(_as_long, source))):
            line = line_of(token) + source.count("\n", 0, found.start())
            self.doubts.add(
                line, "emphasis", "** that makes nothing bold", r"close it on the words, or write \*\*"
            )

    def judge_blanks(self, token: Token) -> None:
        if "\u00a0" in token.content and (found := _NO_BREAK_MARK.search(token.content)):
            line = line_of(token) + token.content.count("\n", 0, found.start())
            what = f"{found[0].strip()} with a no-break space after it is no heading and no list"
            self.doubts.add(line, "blank", what, "put an ordinary blank after it")


@dataclass(slots=True)
class _Look:
    """How the words at one place of a text look: marks may overlap, as counts."""

    bold: int = 0
    italic: int = 0
    struck: int = 0
    code: int = 0
    silent: int = 0
    url: str | None = None
    links: int = 0
    inside: int = 0

    def run(self, text: str) -> Run:
        if self.silent:
            return Run("")
        return Run(
            text,
            bold=bool(self.bold),
            italic=bool(self.italic),
            struck=bool(self.struck),
            code=bool(self.code) and text != BREAK,
            url=self.url,
            link=self.links if self.url else 0,
        )

    def enter(self, url: str | None) -> None:
        """Begin a link; within another one it is only its words."""
        if not self.inside:
            self.url = url
            self.links += 1
        self.inside += 1

    def leave(self) -> None:
        self.inside -= 1
        if not self.inside:
            self.url = None

    def switch(self, look: str, by: int) -> None:
        if look:
            setattr(self, look, getattr(self, look) + by)


def _alt(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "image":
            yield from _alt(token.children or [])
        else:
            yield " " if token.type.endswith("break") else token.content


def _as_long(found: "re.Match[str]") -> str:
    """Blanks in place of what was found, so that all behind it keeps its place."""
    return re.sub(r"[^\n]", " ", found[0])
