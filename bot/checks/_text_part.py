"""The rule about a mail's text part: it says what the HTML says, and leads where that leads."""

import re
from collections.abc import Iterable, Iterator

from bot.checks import Flaw, Mail, Rule
from bot.markup import words
from bot.models import Issue, Severity
from bot.slots import Slots

TEMPLATE = "templates/email/text.txt.j2"
NAMED = 8
"""Words that a message names."""

_WORD = re.compile(r"[^\W\d_](?:[^\W_]*[^\W_])?")
_ADDRESS = re.compile(r"(?:https?://|mailto:|www\.)\S+", re.IGNORECASE)
_NOTE = re.compile(r"\[\d{1,4}\]")
"""Where the text part says which of the addresses at its end is meant; it parts no word."""


def text_part(mail: Mail) -> Iterator[Flaw]:
    """The text part is empty, lacks words or links that the HTML shows, or has words of its own.

    Readers of text, watches and some screen readers have only that part, and spam filters compare the two.
    """
    text = mail.rendered.text
    if not _WORD.search(text):
        yield Flaw(TEMPLATE, "the text part has no words", "let it say what the HTML says", mail.issue.key)
        return
    shown, said = _plain(mail.words), _plain(text)
    yield from _told(mail, _lacking(mail, shown, said), "the text part lacks", TEMPLATE)
    if not mail.rendered.folded:  # what is folded in the HTML is whole in the text
        yield from _told(mail, _lacking(mail, said, shown), "the HTML lacks, of the text part,", mail.place())
    yield from _links(mail)


def _plain(text: str) -> str:
    """A text in small letters, without the addresses in it and the marks that stand for them."""
    return _NOTE.sub("", _ADDRESS.sub(" ", text)).casefold()


def _lacking(mail: Mail, whole: str, other: str) -> list[str]:
    """The words of one part that the other does not have, in order."""
    there = set(_WORD.findall(other))
    known = there.union(*map(_WORD.findall, _plain_furniture(mail)))
    missing = [word for word in dict.fromkeys(_WORD.findall(whole)) if word not in known]
    if not missing:
        return []
    joined = "".join(re.findall(r"[^\W_]+", other))  # a line may end, or a mark stand, within a word
    return [word for word in missing if word not in joined]


def _plain_furniture(mail: Mail) -> Iterator[str]:
    """What one of the parts may say alone: the week, and the line below the newsletter's name."""
    yield _plain(mail.newsletter.tagline)
    yield str(mail.issue.week).casefold()


def _told(mail: Mail, missing: list[str], what: str, place: str) -> Iterator[Flaw]:
    if missing:
        content = set(_WORD.findall(_plain(" ".join(_content(mail.issue)))))
        severity = Severity.WARNING if content.intersection(missing) else Severity.HINT
        named = ", ".join(word[:30] for word in missing[:NAMED])
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        message = f"{what} {len(missing)} of the words: {named}{more}"
        yield Flaw(place, message, "let both say the same", mail.issue.key, severity)


def _content(issue: Issue) -> Iterable[str]:
    """What the curators wrote."""
    yield from (issue.title, words(issue.intro), *(section.title or "" for section in issue.sections))
    for entry in issue.entries:
        yield from (entry.title, words(entry.blocks), *(each.label for each in entry.references))


def _links(mail: Mail) -> Iterator[Flaw]:
    """The links that readers of the HTML can follow, and readers of the text cannot."""
    targets = (link.get("href") or "" for link in mail.tags("a") if mail.has_words(link))
    wanted = dict.fromkeys(target for target in targets if target.startswith(("https://", "http://")))
    way_out, to_entry = Slots(mail.rendered.nonce).unsubscribe, f"{mail.web_url}#"
    missing = [url for url in wanted if url not in mail.rendered.text and not url.startswith(to_entry)]
    if way_out in missing:
        message = "the text part has no link to unsubscribe"
        yield Flaw(TEMPLATE, message, "write {{ reader.unsubscribe_url }}", mail.issue.key)
        missing.remove(way_out)
    if missing:
        message = f"the text part lacks {len(missing)} of the links: {missing[0][:60]}"
        yield Flaw(TEMPLATE, message, "name their addresses", mail.issue.key, Severity.WARNING)


RULES = (
    Rule(
        "mail.text-part",
        Severity.ERROR,
        text_part,
        example="<p>Words that the template of the text part does not have.</p>",
        mend="Let templates/email/text.txt.j2 say all that the theme says.",
    ),
)
