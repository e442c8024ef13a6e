"""Rules about links that can be judged without following them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

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
from bot.checks._links import Seen, flaw, parts_of
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
    names = {canonical(seen.url) for seen in material.links if _is_a_work(seen)}
    known = _first_issues(material, names)
    weeks = {issue.key: issue.week for issue in material.issues}
    for seen in filter(_is_a_work, material.links):
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


def _first_issues(material: Material, names: Collection[str]) -> Mapping[tuple[str, str], tuple[Week, str]]:
    """Where works were first, by newsletter and name: one pass for all issues."""
    first = dict[tuple[str, str], tuple[Week, str]]()
    looked_at = {issue.key: issue for issue in material.issues}
    earlier_ones = [issue for issue in material.earlier if issue.key not in looked_at]
    ends = _ends(names) if len(names) <= _FEW else ()
    for issue in sorted((*earlier_ones, *looked_at.values()), key=lambda one: one.week):
        sieve = ends if issue.key not in looked_at else ()
        for entry in issue.entries:
            for reference in entry.references:
                if not sieve or _may_be(reference.url, sieve):
                    key = issue.newsletter, canonical(reference.url)
                    first.setdefault(key, (issue.week, entry.title))
    return first


_FEW = 100
"""Works up to which it is quicker to sieve the addresses of earlier issues than to name them all."""


def _ends(names: Iterable[str]) -> tuple[str, ...]:
    """The last piece of each name, such as an arXiv id: every address of that work has it in it."""
    return tuple({re.split("[/?=&#]", name)[-1].lower() for name in names})


def _may_be(url: str, ends: Sequence[str]) -> bool:
    """Whether an address may be of one of some works, by their ends; one that is encoded may be of any."""
    lower = url.lower()
    return "%" in url or any(end in lower for end in ends)


def _is_a_work(seen: Seen) -> bool:
    """Whether a link of a line of links leads to something in particular, not to a site's front page."""
    parts = parts_of(seen.url) if seen.in_line else None
    return parts is not None and bool(parts.path.strip("/") or parts.query)


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
