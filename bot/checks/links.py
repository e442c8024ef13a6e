"""Rules about links that can be judged without following them."""

from collections.abc import Iterator, Mapping

from bot.canonical import canonical
from bot.checks import Flaw, Material, Rule
from bot.checks._destinations import (
    cut_off,
    disguised_host,
    doubled_scheme,
    private_host,
    shortener,
    template_slot,
    user_info,
)
from bot.checks._links import flaw, parts_of
from bot.checks._spelling import (
    arxiv_pdf,
    invisible,
    long_address,
    not_encoded,
    not_made,
    odd_end,
    tracking,
)
from bot.models import Severity, Week

_BARE = 60
"""Characters of an address that a reader may be shown as it is."""

# ------------------------------------------------------------------------------------------- their words

_SAYS_NOTHING = frozenset(
    (
        "here", "click here", "tap here", "link", "this link", "the link",
        "hier", "hier klicken", "klick hier", "klicken sie hier", "klicke hier", "klik hier",
        "aquí", "haz clic aquí", "haga clic aquí", "pulsa aquí", "enlace",
        "ici", "cliquez ici", "clique ici", "lien", "qui", "clicca qui", "aqui", "clique aqui", "clica aqui",
        "tutaj", "kliknij tutaj", "здесь", "тут", "нажмите здесь", "ссылка", "натисніть тут", "посилання",
        "こちら", "ここ", "ここをクリック", "リンク", "여기", "여기를 클릭", "링크",
        "这里", "点击这里", "点此", "链接", "這裡", "點擊這裡", "連結",
        "هنا", "اضغط هنا", "انقر هنا", "رابط", "اینجا", "اینجا کلیک کنید", "لینک", "כאן", "לחצו כאן", "קישור",
    )
)  # fmt: skip
_AROUND = " \t.,:;!?()[]«»\"'“”‘’„→»>-–—"


def vague_words(material: Material) -> Iterator[Flaw]:
    """A link is called "here", "click here" or "link", or shows a long bare address.

    Who listens to a mail goes from link to link and hears their words alone; a long address is read out
    letter by letter.
    """
    for seen in material.links:
        words = seen.words.strip(_AROUND).casefold()
        if words in _SAYS_NOTHING:
            message = f"a link is called {seen.words!r}"
            yield Flaw(seen.place, message, "say where it leads: [the paper](…)", seen.issue)
        elif len(words) > _BARE and words.startswith(("http://", "https://")) and " " not in words:
            yield flaw(seen, "is shown as a bare address", "give it words: [the paper](…)")


# ------------------------------------------------------------------------------------------------- history


def earlier(material: Material) -> Iterator[Flaw]:
    """An entry leads to a work that an earlier issue has led to already.

    Regular readers know it. The work is the same under whatever address: arXiv's page, PDF and HTML, a
    DOI, with and without www or tracking. A paper is a warning; a page may have changed since.
    """
    known = _first_issues(material)
    weeks = {issue.key: issue.week for issue in material.issues}
    for seen in material.links:
        if not seen.in_line or not _is_a_work(seen.url):
            continue
        name = canonical(seen.url)
        week, title = known.get((seen.newsletter, name), (None, ""))
        if week and (seen.issue is None or week < weeks[seen.issue]):
            severity = None if name.startswith(_PAPERS) else Severity.HINT
            fix = "say what is new about it, or leave it out"
            yield flaw(seen, f"was in {week} already, in {title!r}", fix, severity)


_PAPERS = (
    "https://arxiv.org/abs/",
    "https://doi.org/",
    "https://openreview.net/",
    "https://aclanthology.org/",
)


def _first_issues(material: Material) -> Mapping[tuple[str, str], tuple[Week, str]]:
    """Where each work was first, by newsletter and name: one pass for all issues."""
    first = dict[tuple[str, str], tuple[Week, str]]()
    every = {issue.key: issue for issue in (*material.earlier, *material.issues)}
    for issue in sorted(every.values(), key=lambda one: one.week):
        for entry in issue.entries:
            for reference in entry.references:
                first.setdefault((issue.newsletter, canonical(reference.url)), (issue.week, entry.title))
    return first


def _is_a_work(url: str) -> bool:
    """Whether an address leads to something in particular, not to the front page of a site."""
    parts = parts_of(url)
    return bool(parts.path.strip("/") or parts.query)


LOOKS_AT = Material
RULES = (
    Rule(
        "links.doubled-scheme",
        Severity.ERROR,
        doubled_scheme,
        mend="Delete one of the two beginnings.",
        example="## One\n\n[Paper](https://https://arxiv.org/abs/2504.12285)\n\nText.\n",
    ),
    Rule(
        "links.private-host",
        Severity.ERROR,
        private_host,
        mend="Link the page under the address at which everybody can reach it.",
        example="## One\n\n[Draft](http://localhost:8000/draft)\n\nText.\n",
    ),
    Rule(
        "links.user-info",
        Severity.ERROR,
        user_info,
        mend="Delete what stands before the @, and change the password if there was one.",
        example="## One\n\n[Paper](https://editor:secret@example.org/paper)\n\nText.\n",
    ),
    Rule(
        "links.disguised-host",
        Severity.WARNING,
        disguised_host,
        mend="Type the address anew, letter by letter.",
        example="## One\n\n[Shop](https://xn--80ak6aa92e.com/)\n\nText.\n",
    ),
    Rule(
        "links.shortener",
        Severity.WARNING,
        shortener,
        mend="Follow the link, and write the address at which you arrive.",
        example="## One\n\n[Paper](https://bit.ly/3xYz)\n\nText.\n",
    ),
    Rule(
        "links.template-slot",
        Severity.ERROR,
        template_slot,
        mend="Write the address that is meant.",
        example="## One\n\n[Paper](https://example.org/{{slug}})\n\nText.\n",
    ),
    Rule(
        "links.cut-off",
        Severity.WARNING,
        cut_off,
        mend="Copy the address from the link itself, not from the words that show it.",
        example="## One\n\n[Paper](https://example.org/a-very-long-na…)\n\nText.\n",
    ),
    Rule(
        "links.odd-end",
        Severity.WARNING,
        odd_end,
        mend="Leave the mark out of the address, or write %29 for a bracket that belongs to it.",
        example="## One\n\n[Paper](https://example.org/one))\n\nText.\n",
    ),
    Rule(
        "links.not-made",
        Severity.WARNING,
        not_made,
        mend="Write [words](https://…), without a blank or line break within the address.",
        example="## One\n\n[Paper](https://example.org/one)\n\nSee [the code] (https://example.org/code).\n",
    ),
    Rule(
        "links.invisible",
        Severity.HINT,
        invisible,
        mend="Delete the invisible character; `check --fix` does it.",
        example="## One\n\n[Paper](https://example.org/o\u200bne)\n\nText.\n",
    ),
    Rule(
        "links.not-encoded",
        Severity.HINT,
        not_encoded,
        mend="Copy the address from a browser's address bar, which encodes it.",
        example="## One\n\n[Paper](https://example.org/straße)\n\nText.\n",
    ),
    Rule(
        "links.long",
        Severity.HINT,
        long_address,
        mend="Leave out of it what the page does not need.",
        example=f"## One\n\n[Paper](https://example.org/?state={'x' * 400})\n\nText.\n",
    ),
    Rule(
        "links.tracking",
        Severity.HINT,
        tracking,
        mend="Delete the parameters; `check --fix` does it.",
        example="## One\n\n[Paper](https://example.org/one?utm_source=letter)\n\nText.\n",
    ),
    Rule(
        "links.arxiv-pdf",
        Severity.HINT,
        arxiv_pdf,
        mend="Link the paper's page, or call the link PDF; `check --fix` does the first.",
        example="## One\n\n[Paper](https://arxiv.org/pdf/2504.12285v2)\n\nText.\n",
    ),
    Rule(
        "links.words",
        Severity.HINT,
        vague_words,
        mend="Let the words say where the link leads.",
        example="## One\n\n[Paper](https://example.org/one)\n\nThe code is [here](https://example.org/code).\n",
    ),
    Rule(
        "links.earlier",
        Severity.WARNING,
        earlier,
        mend="Say what is new about it, or leave it out.",
        example={
            "2025-W16.md": "## One\n\n[Paper](https://arxiv.org/abs/2504.12285)\n\nText.\n",
            "2025-W17.md": "## Two\n\n[Paper](https://arxiv.org/pdf/2504.12285v2)\n\nText.\n",
        },
    ),
)
