"""Who is in the studio, and which newsletters they may see: asked of the configuration at each request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from bot.settings import Newsletter


class Way(StrEnum):
    """How somebody showed who they are."""

    LOCAL = "local"
    MAIL = "mail"
    PASSWORD = "password"  # noqa: S105 (a word, not one that opens anything)


@dataclass(frozen=True, slots=True)
class Person:
    """A curator in the studio."""

    way: Way
    keys: Mapping[str, str]
    """Under which key each newsletter that they may see knows them, by the newsletter's name."""
    name: str
    """How others see them."""

    def key_in(self, newsletter: Newsletter) -> str:
        """Who decides, as it is written down."""
        return self.keys[newsletter.name]


def by_mail(newsletters: Mapping[str, Newsletter], email: str) -> Person | None:
    """The curator who has that address, in every newsletter where somebody has it."""
    wanted = email.strip().casefold()
    keys = {
        name: key
        for name, newsletter in newsletters.items()
        for key, curator in newsletter.curators.items()
        if curator.email and curator.email.casefold() == wanted
    }
    return _person(newsletters, Way.MAIL, keys)


def by_password(newsletters: Mapping[str, Newsletter], key: str, proofs: frozenset[str]) -> Person | None:
    """The curator of that key, in every newsletter whose password is one that they gave."""
    keys = {name: key for name, one in hashes(newsletters, key) if fingerprint(one) in proofs}
    return _person(newsletters, Way.PASSWORD, keys)


def at_home(newsletters: Mapping[str, Newsletter], user: str) -> Person:
    """Whoever has this machine: a curator where one is named so, and otherwise its user, as for commands."""
    known = [one.known_as(user) for one in newsletters.values() if user in one.curators]
    return Person(Way.LOCAL, dict.fromkeys(newsletters, user), known[0] if known else user)


def only(newsletters: Mapping[str, Newsletter]) -> str | None:
    """The key of the only curator there is."""
    keys = {key for newsletter in newsletters.values() for key in newsletter.curators}
    return keys.pop() if len(keys) == 1 else None


def hashes(newsletters: Mapping[str, Newsletter], key: str) -> Iterator[tuple[str, str]]:
    """The password hashes of a curator, each with its newsletter's name."""
    for name, newsletter in newsletters.items():
        curator = newsletter.curators.get(key)
        if curator and curator.password_hash:
            yield name, curator.password_hash


def fingerprint(password_hash: str) -> str:
    """What a session remembers of a password: once it is another, the session is over."""
    return sha256(password_hash.encode()).hexdigest()[:16]


def _person(newsletters: Mapping[str, Newsletter], way: Way, keys: Mapping[str, str]) -> Person | None:
    if not keys:
        return None
    name, key = next(iter(keys.items()))
    return Person(way, keys, newsletters[name].known_as(key))
