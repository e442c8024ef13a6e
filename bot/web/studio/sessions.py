"""Who is signed in: a word in a cookie, signed until it ends, held to the configuration at each request."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from bot.settings import Newsletter
from bot.signing import said, sign
from bot.web.studio.persons import Person, Way, at_home, by_mail, by_password

LASTS = timedelta(hours=12)
PURPOSE = "studio session"


@dataclass(frozen=True, slots=True)
class Session:
    """One browser of one person."""

    id: str
    person: Person
    word: str
    """What its forms carry, and no other site knows."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What somebody showed when they signed in."""

    way: Way
    who: str
    """An address, a curator's key, or the machine's user."""
    proofs: frozenset[str] = frozenset()
    """Of the passwords that they gave; of a way in that this process alone has opened, its name."""


def begun(key: bytes, proven: Proven, now: datetime) -> str:
    """A cookie's word for whoever has just signed in."""
    what = {
        "id": secrets.token_hex(16),
        "way": str(proven.way),
        "who": proven.who,
        "proofs": " ".join(proven.proofs),
    }
    return sign(key, PURPOSE, what, now + LASTS)


def found(
    key: bytes, word: str, newsletters: Mapping[str, Newsletter], house: str, now: datetime
) -> Session | None:
    """The session behind a cookie's word; None where it is over.

    It is once the person is no curator any more, or has another password. One that was opened on the machine
    itself belongs to the process, `house`, that opened it.
    """
    what = said(key, PURPOSE, word, now)
    if what is None or what.get("way") not in set(Way) or not what.get("id"):
        return None
    proven = Proven(Way(what["way"]), what.get("who", ""), frozenset(what.get("proofs", "").split()))
    person = who_is(proven, newsletters, house)
    return Session(what["id"], person, form_word(key, what["id"])) if person else None


def who_is(proven: Proven, newsletters: Mapping[str, Newsletter], house: str) -> Person | None:
    """The person that somebody has shown to be, by the configuration as it is."""
    match proven.way:
        case Way.MAIL:
            return by_mail(newsletters, proven.who)
        case Way.PASSWORD:
            return by_password(newsletters, proven.who, proven.proofs)
        case Way.LOCAL:
            return at_home(newsletters, proven.who) if house in proven.proofs else None


def form_word(key: bytes, session: str) -> str:
    """The word of a session's forms: nobody can make it who has not the key."""
    return hmac.new(key, f"studio form\0{session}".encode(), sha256).hexdigest()


def same(given: str, wanted: str) -> bool:
    """Whether two words are the same, in a time that does not tell where they part."""
    return hmac.compare_digest(given.encode(), wanted.encode())
