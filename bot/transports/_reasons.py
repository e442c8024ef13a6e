"""What enhanced status codes say, in a few words for whoever has to read why a mail was refused.

Sources: RFC 3463, RFC 7372, RFC 7505, RFC 8689 and the registry of status codes; Gmail's pages for senders,
since it gives x.7.27 to x.7.40 meanings of its own.
"""

import re

_REGISTERED = {
    "1.1": "there is no such mailbox",
    "1.2": "there is no such mail domain",
    "1.3": "the address is misspelt",
    "1.6": "the mailbox has moved, and nobody says where",
    "1.7": "the sender's address is misspelt",
    "1.8": "the sender's domain does not exist or takes no mail",
    "1.10": "the domain says that it takes no mail",
    "2.1": "the mailbox is disabled",
    "2.2": "the mailbox is full",
    "2.3": "the mail is longer than this mailbox takes",
    "3.1": "the server has no room left",
    "3.4": "the mail is larger than the server takes",
    "4.1": "the server behind does not answer",
    "4.2": "the connection behind is bad",
    "4.4": "there is no way to that domain",
    "4.6": "mail for that address goes round in a circle",
    "4.7": "the server behind could not be reached in time",
    "5.3": "too many recipients at once",
    "6.7": "the address needs SMTPUTF8",
    "7.0": "refused by a rule of theirs",
    "7.1": "refused by a rule of theirs",
    "7.8": "the user or the password is wrong",
    "7.20": "no DKIM signature passed",
    "7.21": "no DKIM signature that they accept passed",
    "7.22": "no DKIM signature of the sender's domain passed",
    "7.23": "SPF did not pass",
    "7.24": "the SPF record cannot be read",
    "7.25": "the sending address has no reverse DNS name",
    "7.26": "several checks of who sent it did not pass",
    "7.27": "the sender's domain says that it takes no mail",
    "7.28": "too much mail at once",
    "7.29": "the chain of forwarders (ARC) did not pass",
    "7.30": "the way to the reader is not all TLS",
}
_OF_GMAIL = {
    "7.26": "neither SPF nor DKIM passed",
    "7.27": "SPF did not pass",
    "7.28": "too much mail at once, or too much of it unwanted",
    "7.29": "TLS is needed",
    "7.30": "DKIM did not pass",
    "7.31": "the sender's domain has no DMARC record",
    "7.32": "the From domain is aligned with neither SPF nor DKIM",
    "7.40": "the sender's domain has no DMARC record with a policy",
}
_GMAIL = re.compile(r"\bgsmtp\b|\bgmail\b|\bgoogle\.com\b", re.IGNORECASE)


def reason(enhanced: str, text: str) -> str:
    """What an enhanced code means in the mouth of whoever said `text`; nothing where it means nothing."""
    kind = enhanced.partition(".")[2]
    ours = _OF_GMAIL.get(kind) if _GMAIL.search(text) else None
    return ours or _REGISTERED.get(kind, "")
