"""Brings an issue that came in into the form that a content file has, so that it reads back as itself."""

from dataclasses import replace

from bot.models import Entry, Reference
from bot.sources import Found
from bot.sources._markdown_body import host_of, led


def in_our_form(found: Found) -> Found:
    """The same issue; an entry's opening paragraph of nothing but links is its line of links."""
    sections = (replace(part, entries=tuple(map(_entry, part.entries))) for part in found.sections)
    return replace(found, title=" ".join(found.title.split()), sections=tuple(sections))


def _entry(entry: Entry) -> Entry:
    references, blocks = ((), entry.blocks) if entry.references else led(entry.blocks)
    return replace(entry, references=tuple(map(_reference, entry.references)) + references, blocks=blocks)


def _reference(reference: Reference) -> Reference:
    """A link without a name of its own is called by its host."""
    return replace(reference, label=host_of(reference.url)) if reference.label == reference.url else reference
