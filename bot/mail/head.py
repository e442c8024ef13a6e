"""The head of a mail, as far as readers share it: what an issue says of itself, its list and its archive."""

import re
from hashlib import sha256
from urllib.parse import quote, urlsplit

from bot.addresses import mailbox_of, on_the_wire
from bot.errors import InputError, PermanentError
from bot.headers import field, mailbox, phrase, unstructured
from bot.links import issue_url, leads_somewhere
from bot.models import Week
from bot.settings import Newsletter


def frozen_head(subject: str, newsletter: Newsletter, week: Week, base_url: str, *, several: bool) -> str:
    """The fields that all readers share."""
    name, address = sender_of(newsletter)
    fields = [
        mailbox("From", name, address),
        unstructured("Subject", subject),
        *_list_fields(newsletter, address),
        *_archive_fields(base_url, issue_url(base_url, newsletter.name, week, several=several)),
        field("Feedback-ID", [_feedback_id(week, newsletter, base_url, address)]),
        field("Content-Language", [newsletter.language]),
        field("MIME-Version", ["1.0"]),
        # No mail from those on holiday, and nothing that would stop bounces, as `All` does. RFC 3834 §2 tells
        # programs by the List fields not to answer, and keeps Auto-Submitted for what no person wrote;
        # Precedence was never standard (RFC 2076 §3.9). So neither stands in an issue.
        field("X-Auto-Response-Suppress", ["OOF,", "AutoReply"]),
    ]
    return "".join(fields)


def sender_of(newsletter: Newsletter) -> tuple[str, str]:
    """The sender's name and address; InputError where no header can carry it as it is."""
    where = f"newsletters.{newsletter.name}.sender"
    name, sender = mailbox_of(newsletter.sender)
    try:
        address = wire_address(sender)
    except PermanentError as error:
        raise InputError(where, str(error), "name another") from error
    if not address.isascii():
        raise InputError(where, "the address has letters before the @ that few relays take", "name another")
    return name, address


def _list_fields(newsletter: Newsletter, address: str) -> list[str]:
    """What RFC 2369 and RFC 2919 say of a list, but for the address where one reader leaves it.

    Addresses are one token each: never folded, never an encoded word (RFC 2369 §2).
    """
    return [
        field("List-Id", [*phrase(newsletter.title, 9), f"<{newsletter.list_id}>"]),
        field("List-Help", [f"<mailto:{quote(address, safe='@')}?subject=help>"]),
        field("List-Unsubscribe-Post", ["List-Unsubscribe=One-Click"]),
    ]


def _archive_fields(base_url: str, web_url: str) -> list[str]:
    """Where the list's archive is, and this issue in it (RFC 5064), unless only this machine could follow."""
    if not leads_somewhere(base_url):
        return []
    return [field("List-Archive", [f"<{base_url}/>"]), field("Archived-At", [f"<{web_url}>"])]


def _feedback_id(week: Week, newsletter: Newsletter, base_url: str, address: str) -> str:
    """What Gmail counts complaints by, read from the right: sender, installation, newsletter, issue.

    Nothing in it differs between readers.
    """
    installation = re.sub(r"[^A-Za-z0-9.-]", "-", urlsplit(base_url).hostname or "-")
    return f"{week}:{newsletter.name}:{installation}:{_sender_id(address.rpartition('@')[2])}"


def _sender_id(domain: str) -> str:
    """A sender in 5 to 15 characters, always the same: the domain, or its beginning and a hash."""
    readable = domain.replace(".", "-")
    if 5 <= len(readable) <= 15:  # noqa: PLR2004 (Gmail's bounds)
        return readable
    return f"{readable[:8].rstrip('-')}-{sha256(domain.encode()).hexdigest()[:6]}"


def wire_address(email: str) -> str:
    """An address as it stands in envelopes and headers: ASCII, but for a local part that needs SMTPUTF8.

    PermanentError where mail cannot carry it; the address is not repeated.
    """
    try:
        return on_the_wire(email)
    except ValueError as error:
        raise PermanentError(f"the address {error}") from error
