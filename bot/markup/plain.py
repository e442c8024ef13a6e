"""The tree as plain text: wrapped lines, marks for lists and quotes, and link addresses as footnotes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bot.markup.form import normalise
from bot.markup.runs import inline_text, normalise_inlines
from bot.text import (
    Block,
    Blocks,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Paragraph,
    Quote,
    Strong,
    Struck,
    Table,
    Text,
)


@dataclass(slots=True)
class Footnotes:
    """The addresses of one letter, numbered from 1 in order of use; the same address keeps its number."""

    urls: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, url: str) -> int:
        """The number of an address, a new one if it has none."""
        if url not in self._numbers:
            self.urls.append(url)
            self._numbers[url] = len(self.urls)
        return self._numbers[url]

    def lines(self) -> tuple[str, ...]:
        """`[1] https://…`, one per address; never wrapped."""
        return tuple(f"[{number}] {url}" for number, url in enumerate(self.urls, 1))


@dataclass(frozen=True, slots=True)
class _Setting:
    """How a text is set."""

    width: int
    links: Footnotes | None
    marks: bool

    def narrower(self, by: int) -> "_Setting":
        return replace(self, width=self.width - by)


def to_text(blocks: Blocks, *, width: int = 72, links: Footnotes | None = None, marks: bool = True) -> str:
    """Blocks as plain text of lines up to `width` characters, but never a word or an address broken.

    Without `links` no footnote numbers stand behind links; without `marks` no bullets, quote marks and
    bars, so that only the words are left.
    """
    return "\n".join(_blocks(normalise(blocks), _Setting(width, links, marks)))


def _blocks(blocks: Blocks, setting: _Setting) -> Iterator[str]:
    for at, block in enumerate(blocks):
        if at:
            yield ""
        yield from _block(block, setting)


def _block(block: Block, setting: _Setting) -> Iterator[str]:
    match block:
        case Paragraph(children) | Heading(children):
            yield from _wrapped(_noted(children, setting), setting.width)
        case CodeBlock(value):
            yield from (f"    {line}".rstrip() for line in value.split("\n"))
        case Quote(children):
            lines = _blocks(children, setting.narrower(2))
            yield from (f"> {line}".rstrip() if setting.marks else line for line in lines)
        case Bullets():
            yield from _bullets(block, setting)
        case Table(rows):
            bar = " | " if setting.marks else " "
            yield from (bar.join(_one_line(cell, setting) for cell in row).rstrip() for row in rows)


def _bullets(block: Bullets, setting: _Setting) -> Iterator[str]:
    loose = any(not _is_short(item) for item in block.items)
    for at, item in enumerate(block.items):
        if at and loose:
            yield ""
        yield from _item(item, _mark(block, at) if setting.marks else "", setting)


def _mark(block: Bullets, at: int) -> str:
    return "- " if block.start is None else f"{block.start + at}. "


def _is_short(item: Blocks) -> bool:
    """Whether an item is a line, with or without a list below, so that no blank line need part it."""
    return isinstance(item[0], Paragraph) and all(isinstance(block, Bullets) for block in item[1:])


def _item(item: Blocks, mark: str, setting: _Setting) -> Iterator[str]:
    inner = setting.narrower(len(mark))
    if _is_short(item):
        lines = [line for block in item for line in _block(block, inner)]
    else:
        lines = list(_blocks(item, inner))
    for at, line in enumerate(lines):
        yield ((mark if at == 0 else " " * len(mark)) + line).rstrip()


def _one_line(cell: Inlines, setting: _Setting) -> str:
    return " ".join(_noted(cell, setting).split())


def _noted(inlines: Inlines, setting: _Setting) -> str:
    """The words of a text, each link followed by its footnote."""
    return "".join(_inline(inline, setting) for inline in inlines)


def _inline(inline: Inline, setting: _Setting) -> str:
    match inline:
        case Strong(children) | Emphasis(children) | Struck(children):
            return _noted(children, setting)
        case Link(url, children):
            words = inline_text(children)
            if setting.links is None or _names(words, url):
                return words
            return f"{words} [{setting.links.number(url)}]"
        case Text(value) | Code(value):
            return value
        case LineBreak():
            return "\n"


def _names(words: str, url: str) -> bool:
    """Whether a link's words are its address already."""
    return words in (url, url.removeprefix("mailto:"))


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of whole words; a line break of the author's stays one."""
    for line in text.split("\n"):
        yield from _filled(line.split(), width)


def _filled(words: list[str], width: int) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def plain_text(inlines: Inlines) -> str:
    """A text as one line of words, as titles, subjects and labels need it."""
    return " ".join(inline_text(normalise_inlines(inlines)).split("\n"))
