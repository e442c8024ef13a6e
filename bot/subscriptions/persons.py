"""Reads an address, a name and a language at the door, into a person who cannot be wrong."""

import re
import unicodedata
from contextlib import suppress
from functools import lru_cache

from email_validator import EmailNotValidError, ValidatedEmail, validate_email

from bot.addresses import on_the_wire
from bot.headers import breach, one_line
from bot.store.readers import Wish

LONGEST_NAME = 200

# What needs no look at its letters, for which most of the time of an import would go: up to 64 octets of
# atoms, and a domain short enough for any of them.
_PLAIN = re.compile(r"(?=[^@]{1,64}@)([A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*)@([A-Za-z0-9.-]{1,180})")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def wish_of(email: str, name: str, language: str) -> Wish:
    """A person as they are to be entered; ValueError says what is wrong without repeating the address."""
    address = _address(email.strip(" \t\u00a0"))
    return Wish(address, key_of(address), _name(name), _language(language.strip()))


def key_of(email: str) -> str:
    """The form in which two spellings of one address are equal: mail providers ignore the case."""
    local, _, domain = unicodedata.normalize("NFC", email.strip()).rpartition("@")
    with suppress(EmailNotValidError):
        domain = domain if domain.isascii() else _ascii_domain(domain)
    return f"{local.lower()}@{domain.lower()}"


def _ascii_domain(domain: str) -> str:
    return _validated(f"a@{domain}").ascii_domain


def _validated(email: str) -> ValidatedEmail:
    return validate_email(email, check_deliverability=False, test_environment=True)


def _address(email: str) -> str:
    if not email:
        raise ValueError("email is missing")
    try:
        if plain := _PLAIN.fullmatch(email):
            return f"{plain[1]}@{_domain(plain[2])}"
        found = _validated(email)
    except EmailNotValidError as error:
        raise ValueError(f"not an address: {str(error).replace(email, '…')}") from error
    return _carried(found.normalized)


def _carried(address: str) -> str:
    """An address that mail can carry; email_validator takes 70 octets before the @, too."""
    try:
        on_the_wire(address)
    except ValueError as error:
        raise ValueError(f"not an address: it {error}") from error
    return address


@lru_cache(maxsize=10_000)
def _domain(domain: str) -> str:
    """A domain as it is written; most readers of a newsletter share a few hundred."""
    return _validated(f"a@{domain}").domain


def _name(text: str) -> str:
    name = " ".join(text.strip(" ").split(" "))
    if fault := breach(name):
        raise ValueError(f"name {fault}")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"name is longer than {LONGEST_NAME} characters")
    return " ".join(name.split())


def _language(language: str) -> str:
    if language and not _LANGUAGE.fullmatch(language):
        raise ValueError("language is not a tag such as en or pt-BR")
    return language


def reason_of(text: str) -> str:
    """Why an address is barred, as one line that a person can read."""
    reason = one_line(text)
    return reason if len(reason) <= LONGEST_NAME else f"{reason[:LONGEST_NAME]}…"
