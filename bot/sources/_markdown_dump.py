"""Writes an issue, or a single entry, as the content file that reads back as the same."""

import json
import re
from collections.abc import Iterator

from bot import markup
from bot.models import Entry, Issue, Reference

# Words that mean just themselves in YAML without quotes: they begin with a letter or a digit, and hold
# neither `: ` nor ` #`, nor are they what YAML takes for nothing.
_PLAIN = re.compile(r"(?!(?:null|Null|NULL)$)[^\W_](?:[\w ,.;()'’“”!?/+&%$@=–—-]|:(?=\w)|(?<=\w)#)*")
_UNPRINTABLE = re.compile(r"[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")


def dump(issue: Issue) -> str:
    """Give the content file's text; it reads back as the same issue where the texts are in normal form."""
    return "\n".join((*_front_matter(issue), *_body(issue), ""))


def dump_entry(entry: Entry, remark: str = "") -> str:
    """Give the text of a file of `entries/`; `remark`, one line, is for curators and shows nowhere.

    The entry has a date, which is written to the minute with its own zone's offset.
    """
    assert entry.date is not None  # noqa: S101 (what is collected has one)
    front = [f"title: {_scalar(entry.title)}", f"date: {entry.date:%Y-%m-%d %H:%M %z}"]
    front += [f"section: {_scalar(entry.section)}"] if entry.section else []
    front += [f"# {remark}"] if remark else []
    body = list(_entry(entry))[2:]  # without the heading: the title stands above
    return "\n".join(("---", *front, "---", *body, ""))


def _front_matter(issue: Issue) -> Iterator[str]:
    yield "---"
    yield f"title: {_scalar(issue.title)}"
    yield f"week: {issue.week}"
    yield f"status: {issue.status}"
    for key, value in (("subject", issue.subject), ("preheader", issue.preheader)):
        if value is not None:
            yield f"{key}: {_scalar(value)}"
    if issue.checks:
        yield "checks:"
        yield from (f"  {rule}: {word}" for rule, word in issue.checks.items())
    yield "---"


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _body(issue: Issue) -> Iterator[str]:
    if issue.intro:
        yield from ("", markup.to_markdown(issue.intro))
    for section in issue.sections:
        if section.title is not None:
            yield from ("", f"# {markup.escape(section.title)}")
        for entry in section.entries:
            yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    yield from ("", f"## {markup.escape(entry.title)}")
    if entry.references:
        yield from ("", " · ".join(_reference(reference) for reference in entry.references))
    if entry.blocks:
        yield from ("", markup.to_markdown(entry.blocks))


def _reference(reference: Reference) -> str:
    return f"[{markup.escape(reference.label)}]({markup.destination(reference.url)})"
