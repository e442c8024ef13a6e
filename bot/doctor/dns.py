"""DNS: SPF, DKIM, DMARC and MX of each domain that mails are from, and what to publish."""

from collections.abc import Iterator
from ipaddress import ip_address

from bot.dkim import read
from bot.doctor import Patient, Sign, _dkim, _dmarc, _mx, _spf, skipped, warning
from bot.doctor._publishing import misplaced
from bot.settings import Newsletter, Settings
from bot.settings.values import domain_of

NETWORK = True
_BOT = "config/bot.toml"


def examine(patient: Patient) -> Iterator[Sign]:
    """Ask about each sender's domain once, and about each key that signs."""
    settings = patient.settings
    if settings.transport.kind == "maildir":
        yield skipped(_BOT, "mails stay on this machine (transport.kind is maildir)")
        return
    if not (domains := sender_domains(settings)):
        yield skipped("config/newsletters", "no newsletter goes out by mail")
        return
    for domain in domains:
        yield from _examined(domain, patient)
    yield from _keys(patient)


def sender_domains(settings: Settings) -> dict[str, Newsletter]:
    """The domains that mails are from, as the DNS spells them, each with a newsletter that does so."""
    mailing = [one for one in settings.newsletters.values() if _mails(one)]
    return {domain_of(one.sender): one for one in reversed(mailing)}


def _mails(newsletter: Newsletter) -> bool:
    return any(options.kind == "email" for options in newsletter.channels.values())


def _examined(domain: str, patient: Patient) -> Iterator[Sign]:
    settings, ask = patient.settings, patient.ask
    yield from _spf.judged(domain, _spf.walk(domain, ask), _relay(settings))
    policies = _dmarc.walk(domain, ask)
    yield from _dmarc.judged(policies, ask)
    yield from _dmarc.judged_alignment(policies, settings.dkim.domain if settings.dkim else None, ask)
    yield _mx.judged(domain, ask)
    if settings.dkim is None:
        yield _unsigned(domain)


def _relay(settings: Settings) -> str:
    """The relay's name, if it is another machine that has one."""
    host = str(getattr(settings.transport, "host", ""))
    try:
        return "" if ip_address(host).is_loopback else host
    except ValueError:
        return "" if host == "localhost" else host


def _unsigned(domain: str) -> Sign:
    look = "send an issue to yourself and look for dkim=pass and header.d= in Authentication-Results"
    mend = f"{look}: it must be {domain} or of the same organisation; or add [dkim] to {_BOT} to sign here"
    return warning(domain, "DKIM: nothing is signed here, so the relay must sign", mend)


def _keys(patient: Patient) -> Iterator[Sign]:
    """Hold each key that signs against its record."""
    dkim = patient.settings.dkim
    if dkim is None:
        return
    keys = read(patient.settings.root, dkim).keys
    if all(key.algorithm.startswith("ed25519") for key in keys):
        mend = "add an RSA key: docs/how-to/dkim.md"
        yield warning(_BOT, "DKIM: Ed25519 alone, which Gmail and others do not read", mend)
    for key in keys:
        name = f"{key.selector}._domainkey.{dkim.domain}"
        answer = patient.ask(name, "TXT")
        elsewhere = misplaced(name, dkim.domain, patient.ask, "v=DKIM1") if answer.void else ""
        yield _dkim.judged(name, answer, key, elsewhere)
