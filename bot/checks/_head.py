"""Rules about what stands above a mail in the inbox and in its head: subject, preheader, list and links."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.addresses import aligned, mailbox_of
from bot.checks import Flaw, Mail, Rule
from bot.checks._mail import letters
from bot.headers import HARD
from bot.links import leads_somewhere, unsubscribe_url
from bot.models import Severity

LOUD = 3
"""Exclamation marks, or emoji, from which a subject is loud."""
BEGINNING = 40
"""Characters of a preheader that are looked for in the mail."""

_ANSWER = re.compile(
    r"\s*(?:re|fwd?|aw|wg|antw|回复|答复|转发)\s*(?:\[\d{1,3}\]|\(\d{1,3}\))?\s*(?::\s|\uff1a)", re.IGNORECASE
)
_EMOJI = re.compile(
    "[\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001faff]"
)


# ------------------------------------------------------------------------------------------------- the inbox


def looks_like_an_answer(mail: Mail) -> Iterator[Flaw]:
    """The subject begins like an answer or a forwarded mail: `Re:`, `Fwd:`.

    It promises a conversation that there is not; spam filters count it, and the law of some countries forbids
    subjects that mislead.
    """
    if found := _ANSWER.match(mail.rendered.subject):
        message = f"the subject begins with {found[0].strip()!r}"
        yield Flaw(mail.issue.place, message, "leave that out", mail.issue.key)


def loud_subject(mail: Mail) -> Iterator[Flaw]:
    """The subject has three or more exclamation marks or emoji.

    Spam filters count both, and screen readers read out the name of every emoji before the words.
    """
    subject = mail.rendered.subject
    counts = {
        "exclamation marks": len(re.findall("[!\uff01]", subject)),
        "emoji": len(_EMOJI.findall(subject)),
    }
    for what, count in counts.items():
        if count >= LOUD:
            message = f"the subject has {count} {what}"
            yield Flaw(mail.issue.place, message, "one is enough", mail.issue.key)


def preheader(mail: Mail) -> Iterator[Flaw]:
    """There is no preheader, it repeats the subject, or the theme does not have it.

    Inboxes show it beside the subject: without one they show whatever the mail begins with, such as "Read on
    the web", and a repeated one says nothing.
    """
    text, issue = mail.rendered.preheader, mail.issue
    if not letters(text):
        yield Flaw(issue.place, "there is no preheader", "write `preheader`, or an introduction", issue.key)
    elif letters(text) == letters(mail.rendered.subject):
        fix = "say in `preheader` what the subject does not"
        yield Flaw(issue.place, "the preheader repeats the subject", fix, issue.key)
    elif not _has(mail, letters(text[:BEGINNING])):
        fix = "show {{ preheader }} first in the body, hidden"
        yield Flaw(mail.place(r"<body\b"), "the theme does not have the preheader", fix, issue.key)


def _has(mail: Mail, beginning: str) -> bool:
    """Whether the body has these letters, seen or hidden."""
    hidden = (
        element.text or "" for element in mail.hidden if element.tag not in {"style", "title", "script"}
    )
    return beginning in mail.letters or any(beginning in letters(text) for text in hidden)


# -------------------------------------------------------------------------------------------------- the head


def foreign_list(mail: Mail) -> Iterator[Flaw]:
    """The list's name is not below the sender's domain.

    Mail programs and filters tell lists by it; under a domain that is not the sender's, anyone could claim it
    (RFC 2919 §3).
    """
    list_id, domain = mail.newsletter.list_id, _domain(mail)
    if domain and not _related(list_id, domain) and not list_id.lower().endswith(".localhost"):
        message = f"list_id: {list_id} is not below the sender's domain, {domain}"
        yield Flaw(_file(mail), message, f"write {mail.newsletter.name}.{domain}", mail.issue.key)


def foreign_links(mail: Mail) -> Iterator[Flaw]:
    """The link to unsubscribe leads to a domain that is not the sender's.

    Readers and filters trust a mail less whose links lead elsewhere than its sender's address does.
    """
    host, domain = urlsplit(mail.web_url).hostname or "", _domain(mail)
    if domain and leads_somewhere(mail.web_url) and not _related(host, domain):
        message = f"base_url: links lead to {host}, and the sender is at {domain}"
        yield Flaw("config/bot.toml", message, "best below one domain", mail.issue.key)


def long_line(mail: Mail) -> Iterator[Flaw]:
    """A link in the mail's head makes a line of more than 998 octets.

    Relays break such a line wherever they like: the link is dead, and the signature with it (RFC 5322,
    2.1.1).
    """
    base_url = mail.web_url.partition("/issues/")[0]
    lines = {
        "List-Unsubscribe": unsubscribe_url(base_url, "x" * 22),
        "Archived-At": mail.web_url,
    }
    for name, url in lines.items():
        if (length := len(f"{name}: <{url}>".encode())) > HARD:
            message = f"base_url: {name} makes a line of {length:,} octets, of which {HARD} may be"
            yield Flaw("config/bot.toml", message, "choose a shorter address", mail.issue.key)


def _domain(mail: Mail) -> str:
    return mailbox_of(mail.newsletter.sender)[1].rpartition("@")[2].lower()


def _related(one: str, other: str) -> bool:
    """Whether one domain is above the other, or both end in the same two labels: as far as names can tell."""
    return aligned(one, other) or one.lower().split(".")[-2:] == other.lower().split(".")[-2:]


def _file(mail: Mail) -> str:
    return f"config/newsletters/{mail.newsletter.name}.toml"


RULES = (
    Rule(
        "mail.subject-answer",
        Severity.WARNING,
        looks_like_an_answer,
        example="subject: 'Re: your papers of the week'",
        mend="Leave out what looks like an answer.",
    ),
    Rule(
        "mail.subject-loud",
        Severity.HINT,
        loud_subject,
        example="subject: 'News! From us! Today!'",
        mend="Use one exclamation mark or emoji, or none.",
    ),
    Rule(
        "mail.preheader",
        Severity.WARNING,
        preheader,
        example="subject: AI Papers\npreheader: AI papers",
        mend="Say in `preheader` what the subject does not.",
    ),
    Rule(
        "mail.list-id",
        Severity.HINT,
        foreign_list,
        example='list_id = "ai-papers.lists.example"\nsender = "papers@letters.org"',
        mend="Name the list below the sender's domain.",
    ),
    Rule(
        "mail.link-host",
        Severity.HINT,
        foreign_links,
        example='base_url = "https://news.example"\nsender = "papers@letters.org"',
        mend="Let base_url and the sender's address be below one domain.",
    ),
    Rule(
        "mail.head-line",
        Severity.ERROR,
        long_line,
        example='base_url = "https://letters.org/{{ "x" * 1000 }}"',
        mend="Choose a shorter base_url.",
    ),
)
