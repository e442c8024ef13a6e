"""Links that open the studio once, by mail to the curator of an address."""

import logging
import secrets
from dataclasses import dataclass
from datetime import datetime

from bot.app import App
from bot.errors import BroadsheetError
from bot.signing import said, sign
from bot.store import spent
from bot.telling.entering import ENTER, LASTS, entry_note
from bot.web.studio.persons import Person, by_mail

log = logging.getLogger(__name__)


def write(app: App, email: str, to: str, now: datetime) -> None:
    """Write a link to the curator of an address, if there is one; it leads to the page `to`."""
    person = by_mail(app.settings.newsletters, email)
    if person is None:
        return
    name, key = next(iter(person.keys.items()))
    newsletter, nonce = app.settings.newsletters[name], secrets.token_hex(16)
    said_there = {"newsletter": name, "curator": key, "nonce": nonce, "to": to}
    url = f"{app.settings.url}/studio/enter/{sign(app.signing_key, ENTER, said_there, now + LASTS)}"
    try:
        note = entry_note(newsletter, key, newsletter.curators[key].email or "", url, app.templates)
        app.post_office(newsletter).send(note, nonce, now)
    except BroadsheetError as error:
        log.warning("a link was not sent: %s", type(error).__name__, extra={"action": "link_not_sent"})


@dataclass(frozen=True, slots=True)
class Invited:
    """Whom a link was written to."""

    person: Person
    email: str
    to: str
    name: str
    """By which the link is remembered once it was used."""


def invited(app: App, word: str, now: datetime) -> Invited | None:
    """Whom a link's word is for, with the address that they have now; None where it is none of ours."""
    what = said(app.signing_key, ENTER, word, now)
    newsletter = app.settings.newsletters.get(what.get("newsletter", "")) if what else None
    curator = newsletter.curators.get(what.get("curator", "")) if what and newsletter else None
    email = (curator.email if curator else None) or ""
    person = by_mail(app.settings.newsletters, email)
    return Invited(person, email, what.get("to", ""), what.get("nonce", "")) if what and person else None


def is_used(app: App, one: Invited) -> bool:
    """Whether a link has opened the studio already."""
    with app.store.read() as connection:
        return spent.is_spent(connection, one.name)


def use(app: App, one: Invited, now: datetime) -> bool:
    """Use a link up; False where somebody has."""
    with app.store.write() as connection:
        return spent.spend(connection, one.name, now + LASTS, now)
