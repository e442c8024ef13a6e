"""Decides what becomes of a subscription, and writes it down."""

import secrets
import string
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import groupby
from typing import Any, TypeAlias

from bot.errors import InputError
from bot.models import Consent
from bot.store import Store, readers
from bot.store.readers import Standing, Wish
from bot.subscriptions.persons import key_of, wish_of

Case: TypeAlias = tuple[Wish, Standing, Consent]
"""Who, how they stand, and what they are to become."""


def new_token() -> str:
    """A subscription's secret name: 22 characters hold 131 bits, and need no escaping anywhere."""
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(22))


def next_consent(standing: Standing, wanted: Consent) -> Consent | None:
    """What a subscription becomes when somebody else vouches for a reader; None where it stays as it is.

    Who left comes back by asking for it, and a suppressed address by nobody's list.
    """
    if standing.suppressed or standing.consent in {Consent.UNSUBSCRIBED, Consent.CONFIRMED, wanted}:
        return None
    return wanted


def add(
    store: Store,
    newsletter: str,
    email: str,
    name: str,
    language: str,
    consent: Consent,
    now: datetime,
    token: Callable[[], str] = new_token,
) -> str:
    """Add one reader; their state afterwards, `suppressed` where nobody may mail them."""
    try:
        wish = wish_of(email, name, language)
    except ValueError as error:
        raise InputError("subscribers add", str(error), "mend it and try again") from error
    with store.write() as connection:
        standing = readers.standings(connection, newsletter, [wish.key])[wish.key]
        enter(connection, newsletter, [(wish, standing, consent)], token, now)
    if standing.suppressed:
        return f"suppressed: {standing.suppressed}"
    return next_consent(standing, consent) or standing.consent or consent


def enter(
    connection: Any, newsletter: str, cases: Iterable[Case], token: Callable[[], str], now: datetime
) -> None:
    """Write down what `next_consent` decided for each."""
    moving = [case for case in cases if next_consent(*case[1:])]
    for consent, some in groupby(sorted(moving, key=_wanted), _wanted):
        _enter_alike(connection, newsletter, [case[:2] for case in some], consent, token, now)


def _wanted(case: Case) -> Consent:
    return case[2]


def _enter_alike(
    connection: Any,
    newsletter: str,
    people: list[tuple[Wish, Standing]],
    consent: Consent,
    token: Callable[[], str],
    now: datetime,
) -> None:
    strangers = [wish for wish, standing in people if standing.subscriber is None]
    known = [s.subscriber for _, s in people if s.subscriber is not None and s.consent is None]
    pending = [s.subscriber for _, s in people if s.subscriber is not None and s.consent is not None]
    readers.enter(connection, newsletter, strangers, consent, token, now)
    readers.subscribe(connection, newsletter, known, consent, token, now)
    readers.change(connection, newsletter, pending, consent, now)


def remove(store: Store, email: str, newsletter: str | None, now: datetime) -> list[str]:
    """Unsubscribe an address from one newsletter or from all; the newsletters it left."""
    with store.write() as connection:
        return readers.leave(connection, key_of(email), newsletter, now)
