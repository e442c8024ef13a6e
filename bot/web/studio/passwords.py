"""Passwords of curators: looked at in a time that tells nobody whether there is such a curator."""

from collections.abc import Iterator, Mapping

from werkzeug.security import check_password_hash

from bot.settings import Newsletter
from bot.web.studio.persons import fingerprint, hashes

LONGEST = 1000
"""Characters of a password that are looked at."""


def proofs(newsletters: Mapping[str, Newsletter], who: str, password: str) -> frozenset[str]:
    """The fingerprints of those hashes of a curator that a password fits.

    As many hashes are computed for each name, whether there is such a curator or not: what is missing is made
    up by those of others, whose result is forgotten.
    """
    theirs = list(dict.fromkeys(one for _, one in hashes(newsletters, who)))
    others = [one for one in dict.fromkeys(_every(newsletters)) if one not in theirs]
    decoys = others[: most(newsletters) - len(theirs)]
    fits = [one for one in theirs if _fits(one, password)]
    for one in decoys:
        _fits(one, password)
    return frozenset(map(fingerprint, fits))


def most(newsletters: Mapping[str, Newsletter]) -> int:
    """How many hashes one curator has at most: mostly one, or another in each newsletter."""
    keys = {key for newsletter in newsletters.values() for key in newsletter.curators}
    return max((len({one for _, one in hashes(newsletters, key)}) for key in keys), default=0)


def _fits(password_hash: str, password: str) -> bool:
    try:
        return check_password_hash(password_hash, password[:LONGEST])
    except ValueError:  # of a hash whose cost nobody can pay
        return False


def _every(newsletters: Mapping[str, Newsletter]) -> Iterator[str]:
    for newsletter in newsletters.values():
        for curator in newsletter.curators.values():
            if curator.password_hash:
                yield curator.password_hash
