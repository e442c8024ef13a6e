"""Rules about Markdown that says something else than was most likely meant; reading has found the faults."""

from collections.abc import Iterator

from bot.checks._material import Material
from bot.checks._rules import Flaw, Rule
from bot.models import Severity


def refused_address(material: Material) -> Iterator[Flaw]:
    """A link's address is relative, empty, has a blank in it, or no scheme that is safe in a mail.

    Such a link leads nowhere from a mail, or somewhere that nobody should be led (javascript:, data:); it is
    left out, and only its words stay.
    """
    return material.read("content.link")


def odd_row(material: Material) -> Iterator[Flaw]:
    """A row of a table has fewer or more cells than its head.

    Markdown drops the cells beyond the head's. Here they are kept, but the row was hardly meant so.
    """
    return material.read("content.table")


def open_comment(material: Material) -> Iterator[Flaw]:
    """A comment is begun with `<!--` and never ended.

    All text behind it may be meant for readers, or may be what nobody should see.
    """
    return material.read("content.comment")


def tag(material: Material) -> Iterator[Flaw]:
    """HTML in the text is left out.

    Content is Markdown; a tag has no part in a chat message, and a word such as `<video>` that is meant as a
    word is lost with it.
    """
    return material.read("content.html")


def open_emphasis(material: Material) -> Iterator[Flaw]:
    """Two asterisks that make nothing bold.

    Readers see the asterisks.
    """
    return material.read("content.emphasis")


def accidental_heading(material: Material) -> Iterator[Flaw]:
    """A line becomes a heading by the line of hyphens or equals signs below it.

    Often that line was meant as a rule between two paragraphs.
    """
    return material.read("content.heading")


def no_break_space(material: Material) -> Iterator[Flaw]:
    """A mark such as `##` or `-` has a no-break space behind it, and so is no mark.

    The entry it should open becomes text of the one before; nothing of that can be seen in an editor.
    """
    return material.read("content.blank")


def open_code(material: Material) -> Iterator[Flaw]:
    """A block of code is begun and never ended.

    Everything behind it, headings and entries too, would be code.
    """
    return material.read("content.code")


def silent_image(material: Material) -> Iterator[Flaw]:
    """An image without words is left out.

    Images are shown by their words and a link, since many readers see none; without words nothing remains.
    """
    return material.read("content.image")


MARKS = (
    Rule(
        "content.link",
        Severity.ERROR,
        refused_address,
        binding=True,
        mend="Give the whole address, beginning with https://, and write %20 for a blank in it.",
        example="## Cheese\n\n[Paper](/papers/cheese)\n\nThe authors weigh 400 wheels.\n",
    ),
    Rule(
        "content.table",
        Severity.WARNING,
        odd_row,
        mend="Give each row as many cells as the head has; a bar within a cell is written `\\|`.",
        example="## Cheese\n\n| kind | wheels |\n|---|---|\n| Gouda | 300 | 7 |\n",
    ),
    Rule(
        "content.comment",
        Severity.ERROR,
        open_comment,
        binding=True,
        mend="End it with `-->`.",
        example="## Cheese\n\n<!-- ask Ann about the wheels\n\nThe authors weigh 400 wheels.\n",
    ),
    Rule(
        "content.html",
        Severity.WARNING,
        tag,
        mend="Delete the tag, or write a word about tags between backticks.",
        example="## Cheese\n\nThe authors <video src=wheels.mp4> weigh 400 wheels.\n",
    ),
    Rule(
        "content.emphasis",
        Severity.WARNING,
        open_emphasis,
        mend="Close the asterisks on the words, `**like this**`, or write `\\*\\*`.",
        example="## Cheese\n\nThe authors weigh **400 wheels.\n",
    ),
    Rule(
        "content.heading",
        Severity.HINT,
        accidental_heading,
        mend="Write `##` before it, or put a blank line between the two.",
        example="## Cheese\n\nThe authors weigh 400 wheels.\n---\nThen they eat them.\n",
    ),
    Rule(
        "content.blank",
        Severity.ERROR,
        no_break_space,
        binding=True,
        mend="Put an ordinary blank behind the mark.",
        example="## Cheese\n\nThe authors weigh 400 wheels.\n\n##\u00a0Butter\n",
    ),
    Rule(
        "content.code",
        Severity.ERROR,
        open_code,
        binding=True,
        mend="End it with a line of three backticks.",
        example="## Cheese\n\n```\nweigh(400)\n\nThat is the whole method.\n",
    ),
    Rule(
        "content.image",
        Severity.WARNING,
        silent_image,
        mend="Say what it shows: `![The scaling curve](https://…)`.",
        example="## Cheese\n\n![](https://example.org/curve.png)\n\nThe authors weigh 400 wheels.\n",
    ),
)
