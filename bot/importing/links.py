"""The addresses that an entry leads to, in its line of links and in its text."""

from collections.abc import Iterable, Iterator

from bot.markup import runs
from bot.models import Entry
from bot.text import Block, Bullets, Heading, Inlines, Paragraph, Quote, Table


def urls_of(entry: Entry) -> list[str]:
    """All addresses of an entry, as often as it has them."""
    return [*(reference.url for reference in entry.references), *urls_in(entry.blocks)]


def urls_in(blocks: Iterable[Block]) -> Iterator[str]:
    """The addresses that stand within a text."""
    for block in blocks:
        match block:
            case Paragraph() | Heading():
                yield from _urls(block.children)
            case Quote():
                yield from urls_in(block.children)
            case Bullets():
                for element in block.items:
                    yield from urls_in(element)
            case Table():
                yield from (url for row in block.rows for cell in row for url in _urls(cell))
            case _:
                pass


def _urls(inlines: Inlines) -> list[str]:
    """One for each link, however many differently marked words it has."""
    return [url for url in {run.link: run.url for run in runs(inlines) if run.link}.values() if url]
