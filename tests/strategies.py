"""What hypothesis draws: trees of text, entries and issues, all in normal form."""

from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from bot import markup
from bot.models import Entry, Issue, Reference, Section, Status, Week
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

# Snippets that mean something somewhere: to Markdown, HTML, Slack, YAML, mail or a template.
TRAPS = (
    *"*_`[]()<>&!|\\#-+=~:;.,'\"{}@$%^/?", "**", "***", "__", "``", "```", "~~~", "---", "===", "<!--",
    "-->", "</", "<b>", "</b>", "<br>", "<think>", "List<int>", "<script>", "&amp;", "&#58;", "&copy",
    "![", "](", "[^1]", "[a]: ", "1.", "1)", "2024. ", "# ", "> ", "- ", "| a |", ":--",
    "https://x.org", "mailto:a@b.c", "www.x.org", "@here", "<!channel>", ":tada:", "{{ x }}", "{% y %}",
    "snake_case", "2*3*4", "\u00a0", "\u200b", "\u200d", "\ufeff", "é", "ß", "重要。", "粗体", "한국어",
    "עברית", "👩‍💻", "“", "”", "—", "…", " ", "  ", "\t", "\n", "\u2028", "null", "no", "0130",
)  # fmt: skip
URLS = (
    "https://example.org/",
    "http://example.org/a_(b)",
    "https://example.org/(",
    "https://example.org/a*b*c_d_?x=1&copy;=2#f",
    "https://arxiv.org/abs/2311.04200",
    "mailto:papers@example.org",
)  # fmt: skip


def texts(max_size: int = 8) -> st.SearchStrategy[str]:
    """Strings of words and traps, without control characters and surrogates."""
    words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")), max_size=6)
    letters = st.text("abcXYZ 019", max_size=6)
    return st.lists(st.one_of(letters, st.sampled_from(TRAPS), words), max_size=max_size).map("".join)


def titles() -> st.SearchStrategy[str]:
    """One line of words, as titles, labels and sections are: never empty."""
    return texts().map(lambda text: markup.plain_text((Text(text),)) or "x")


def urls() -> st.SearchStrategy[str]:
    """Addresses that are safe."""
    paths = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
    built = paths.map(lambda path: markup.safe_url("https://example.org/" + path) or URLS[0])
    return st.one_of(st.sampled_from(URLS), built)


def any_inlines() -> st.SearchStrategy[Inlines]:
    """Inlines as a careless hand might build them."""
    leaves: st.SearchStrategy[Inline] = st.one_of(texts().map(Text), texts(4).map(Code), st.just(LineBreak()))

    def nested(inner: st.SearchStrategy[Inline]) -> st.SearchStrategy[Inline]:
        children = st.lists(inner, max_size=3).map(tuple)
        return st.one_of(
            children.map(Strong),
            children.map(Emphasis),
            children.map(Struck),
            st.builds(Link, url=urls(), children=children),
        )

    return st.lists(st.recursive(leaves, nested, max_leaves=5), max_size=4).map(tuple)


def any_blocks() -> st.SearchStrategy[Blocks]:
    """Blocks as a careless hand might build them."""
    inlines = any_inlines()
    row = st.lists(inlines, min_size=1, max_size=3).map(tuple)
    leaves: st.SearchStrategy[Block] = st.one_of(
        inlines.map(Paragraph),
        inlines.map(Heading),
        texts().map(CodeBlock),
        st.lists(row, min_size=1, max_size=3).map(tuple).map(Table),
    )

    def nested(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
        children = st.lists(inner, max_size=3).map(tuple)
        starts = st.one_of(st.none(), st.integers(0, 999))
        return st.one_of(
            children.map(Quote),
            st.builds(Bullets, items=st.lists(children, max_size=3).map(tuple), start=starts),
        )

    return st.lists(st.recursive(leaves, nested, max_leaves=5), max_size=4).map(tuple)


def inlines() -> st.SearchStrategy[Inlines]:
    """Texts in normal form, perhaps empty."""
    return any_inlines().map(markup.normalise_inlines)


def blocks() -> st.SearchStrategy[Blocks]:
    """Blocks in normal form, perhaps none."""
    return any_blocks().map(markup.normalise)


def references() -> st.SearchStrategy[Reference]:
    """Links of an entry's line of links."""
    return st.builds(Reference, label=titles(), url=urls())


def entries() -> st.SearchStrategy[Entry]:
    """Entries of an issue file."""
    found = st.lists(references(), max_size=3).map(tuple)
    return st.builds(Entry, title=titles(), references=found, blocks=blocks()).map(_told_apart)


def _told_apart(entry: Entry) -> Entry:
    """An entry without links that opens with a line of links reads as one that has them: so give it one."""
    runs = markup.runs(entry.lead.children) if entry.lead else ()
    only_links = not any(run.text.strip(" ,;·|•/\n\u00a0") for run in runs if not run.link)
    return replace(entry, references=(Reference("x", URLS[0]),)) if runs and only_links else entry


def sections() -> st.SearchStrategy[tuple[Section, ...]]:
    """An issue's groups of entries: the one without a title first, if any."""
    some = st.lists(entries(), min_size=1, max_size=3).map(tuple)
    first = st.lists(st.builds(Section, title=st.none(), entries=some), max_size=1)
    named = st.lists(st.builds(Section, title=titles(), entries=some), max_size=2)
    return st.tuples(first, named).map(lambda both: (*both[0], *both[1]))


def weeks() -> st.SearchStrategy[Week]:
    """ISO weeks of this century."""
    return st.dates(date(2000, 1, 8), date(2100, 1, 1)).map(Week.of)


def issues(newsletter: str = "ai-papers") -> st.SearchStrategy[Issue]:
    """Whole issues of one newsletter."""
    line = titles().map(lambda text: text.replace("=?", "="))
    return st.builds(
        Issue,
        newsletter=st.just(newsletter),
        week=weeks(),
        title=line,
        sections=sections(),
        subject=st.none() | line,
        preheader=st.none() | titles(),
        intro=blocks(),
        status=st.sampled_from(Status),
    )
