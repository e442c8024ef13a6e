"""Rules about what every mail must have: a language, a title, a way out, an address, and a way to the web."""

from collections.abc import Iterator

from bot.checks import Flaw, Mail, Rule
from bot.checks._mail import letters
from bot.models import Severity
from bot.slots import Slots

_KEYS = {"lang": "language", "dir": "direction"}


def no_language(mail: Mail) -> Iterator[Flaw]:
    """The page does not say its language and direction.

    Screen readers choose their voice by it: without it, German is read as English; without a direction,
    Arabic and Hebrew stand on the wrong side.
    """
    page = mail.page
    if missing := [name for name in ("lang", "dir") if not (page.get(name) or "").strip()]:
        wanted = " ".join(f'{name}="{{{{ newsletter.{_KEYS[name]} }}}}"' for name in missing)
        message = f"<html> has no {' and no '.join(missing)}"
        yield Flaw(mail.place(r"<html\b"), message, f"write {wanted}", mail.issue.key)


def no_title(mail: Mail) -> Iterator[Flaw]:
    """The page has no title.

    Android and Outlook read it out as the name of the mail, and so do browsers where it is opened.
    """
    if not any((title.text or "").strip() for title in mail.tags("title")):
        place = mail.place(r"<title\b", r"<head\b")
        yield Flaw(place, "no <title>", "write <title>{{ subject }}</title>", mail.issue.key)


def no_way_out(mail: Mail) -> Iterator[Flaw]:
    """Readers see no link to unsubscribe in the mail.

    The law of many countries and the big mail providers ask for one; readers who find none press "spam".
    """
    way_out = Slots(mail.rendered.nonce).unsubscribe
    if not any(link.get("href") == way_out and mail.has_words(link) for link in mail.tags("a")):
        fix = 'add <a href="{{ reader.unsubscribe_url }}">Unsubscribe</a>'
        yield Flaw(mail.place(), "no visible link to unsubscribe", fix, mail.issue.key)


def no_postal_address(mail: Mail) -> Iterator[Flaw]:
    """Readers do not see where the sender can be reached by post.

    The law of many countries asks for it, the CAN-SPAM Act of the United States for one.
    """
    lines = mail.newsletter.postal_address.splitlines()
    if any(letters(line) not in mail.letters for line in lines):
        fix = "show {{ newsletter.postal_address }}"
        yield Flaw(mail.place(), "the postal address is not shown whole", fix, mail.issue.key)


def no_web_version(mail: Mail) -> Iterator[Flaw]:
    """Readers find no link to the issue on the web.

    Readers whose program shows the mail badly, or cuts it, have nowhere else to read it.
    """
    if not any(link.get("href") == mail.web_url and mail.has_words(link) for link in mail.tags("a")):
        fix = 'add <a href="{{ web_url }}">Read on the web</a>, best near the top'
        yield Flaw(mail.place(), "no visible link to the issue on the web", fix, mail.issue.key)


RULES = (
    Rule(
        "mail.language",
        Severity.WARNING,
        no_language,
        example="<html><p>Guten Tag</p></html>",
        mend="Write lang and dir of the newsletter into <html>.",
    ),
    Rule(
        "mail.title",
        Severity.WARNING,
        no_title,
        example="<title></title>",
        mend="Write <title>{{ subject }}</title> into the head.",
    ),
    Rule(
        "mail.unsubscribe",
        Severity.ERROR,
        no_way_out,
        example='<p hidden><a href="{{ reader.unsubscribe_url }}">Unsubscribe</a></p>',
        mend="Show a link with {{ reader.unsubscribe_url }}.",
    ),
    Rule(
        "mail.postal-address",
        Severity.WARNING,
        no_postal_address,
        example="<p>AI Papers</p>",
        mend="Show {{ newsletter.postal_address }} in the foot.",
    ),
    Rule(
        "mail.web-version",
        Severity.WARNING,
        no_web_version,
        example="<p>Read on the web</p>",
        mend="Show a link with {{ web_url }}, best near the top.",
    ),
)
