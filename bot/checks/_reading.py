"""Rules about content files that cannot be read as they were meant; reading has found the faults."""

from collections.abc import Iterator

from bot.checks._marks import MARKS
from bot.checks._material import Material
from bot.checks._rules import Flaw, Rule
from bot.models import Severity


def unreadable_file(material: Material) -> Iterator[Flaw]:
    """A content file cannot be read, or is far larger than an issue can be.

    What is in it would be missing from the issue, and nobody would know.
    """
    return material.read("content.file")


def not_text(material: Material) -> Iterator[Flaw]:
    """A content file is not UTF-8, or holds a control character.

    Read by a guess, names and quotes would arrive garbled; control characters break mails on their way.
    """
    return material.read("content.encoding")


def unreadable_keys(material: Material) -> Iterator[Flaw]:
    """The front matter is not readable as YAML, or (a warning) YAML takes a part of a value for a comment.

    A key that is read otherwise than it was meant changes the subject, or whether the issue goes out at all.
    """
    return material.read("content.yaml")


def unknown_key(material: Material) -> Iterator[Flaw]:
    """The front matter has a key that means nothing.

    Most often a known key is misspelt, and what it says would be lost without a word.
    """
    return material.read("content.key")


def no_title(material: Material) -> Iterator[Flaw]:
    """An issue, an entry or a section has no title, or one that a mail's header could not hold.

    The title is the mail's subject, and what readers find their way by.
    """
    return material.read("content.title")


def not_one_line(material: Material) -> Iterator[Flaw]:
    """The subject, preheader, introduction or section of the front matter is no plain text.

    A list or table cannot stand in a mail's header, and line breaks and encoded words there are how headers
    are forged.
    """
    return material.read("content.text")


def unknown_status(material: Material) -> Iterator[Flaw]:
    """The status is neither draft nor ready.

    Whether the issue may go out would be a guess; so it does not.
    """
    return material.read("content.status")


def no_date(material: Material) -> Iterator[Flaw]:
    """A single entry has no date, or one that does not exist.

    The date decides which issue takes the entry.
    """
    return material.read("content.date")


def astray(material: Material) -> Iterator[Flaw]:
    """Text stands between a section's heading and its first entry, or (a warning) a section is empty.

    Such text belongs to no entry and would be left out; an empty section is one whose entries were forgotten,
    or whose heading was meant to be an entry's.
    """
    return material.read("content.section")


def unknown_check(material: Material) -> Iterator[Flaw]:
    """The issue says of a rule what cannot be said: there is no such rule or severity, or it is binding.

    A word that is not heard leaves the curator in the belief that it was.
    """
    return material.read("content.checks")


_BODY = "---\ntitle: AI Papers\n---\n\n"
READING = (
    *MARKS,
    Rule(
        "content.file",
        Severity.ERROR,
        unreadable_file,
        binding=True,
        mend="Mend the file's permissions, or take what is no issue out of the folder.",
        example="error content/ai-papers/2025-W17.md:1: cannot be read: Permission denied",
    ),
    Rule(
        "content.encoding",
        Severity.ERROR,
        not_text,
        binding=True,
        mend="Save the file as UTF-8, and delete the control character.",
        example=f"{_BODY}## A scaling law\x07 for cheese\n",
    ),
    Rule(
        "content.yaml",
        Severity.ERROR,
        unreadable_keys,
        binding=True,
        mend='Put the value between quotes: `title: "Agents: the next step"`.',
        example="---\ntitle: Agents: the next step\n---\n\n## A scaling law for cheese\n",
    ),
    Rule(
        "content.key",
        Severity.ERROR,
        unknown_key,
        binding=True,
        mend="Write one of the keys that content/README.md lists.",
        example="---\ntitle: AI Papers\nsubjcet: Cheese\n---\n\n## A scaling law for cheese\n",
    ),
    Rule(
        "content.title",
        Severity.ERROR,
        no_title,
        binding=True,
        mend="Write `title: …` between the two lines of `---`, and words behind each `#`.",
        example="---\nweek: 2025-W17\n---\n\n## A scaling law for cheese\n",
    ),
    Rule(
        "content.text",
        Severity.ERROR,
        not_one_line,
        binding=True,
        mend="Write it as plain words in one line, between quotes if need be.",
        example="---\ntitle: AI Papers\nsubject: [cheese, butter]\n---\n\n## A scaling law for cheese\n",
    ),
    Rule(
        "content.status",
        Severity.ERROR,
        unknown_status,
        binding=True,
        mend="Write `status: draft` or `status: ready`.",
        example="---\ntitle: AI Papers\nstatus: redy\n---\n\n## A scaling law for cheese\n",
    ),
    Rule(
        "content.date",
        Severity.ERROR,
        no_date,
        binding=True,
        mend="Write `date: 2026-11-30`, with a time and a zone if they matter.",
        example={
            "entries/cheese.md": "---\ntitle: A scaling law for cheese\ndate: 2025-04-31\n---\n\nWheels.\n"
        },
    ),
    Rule(
        "content.section",
        Severity.ERROR,
        astray,
        binding=True,
        mend="Write `##` before the title of each entry, and delete headings without entries.",
        example="# Theory\n\nThe authors weigh 400 wheels.\n\n## A scaling law for cheese\n",
    ),
    Rule(
        "content.checks",
        Severity.ERROR,
        unknown_check,
        binding=True,
        mend="Name a rule of this page, and say off, hint, warning or error of it.",
        example="---\ntitle: AI Papers\nchecks:\n  content.no-txt: off\n---\n\n## A scaling law for cheese\n",
    ),
)
"""The rules about a file and its front matter, and those about the marks in its text."""
