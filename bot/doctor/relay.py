"""The relay: whether it can be reached and takes mail from us, and what it offers."""

import re
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bot.doctor import Patient, Sign, bad, good, skipped, warning
from bot.doctor.dns import sender_domains

if TYPE_CHECKING:
    from bot.transports.smtp import Probe

NETWORK = True
_BOT = "config/bot.toml"
USED = ("SIZE", "PIPELINING", "8BITMIME", "SMTPUTF8")
"""What we use where it is offered; all but the last are only quicker or safer."""


def examine(patient: Patient) -> Iterator[Sign]:
    """Open a connection to each relay as a run would, and begin no mail."""
    settings = patient.settings
    if settings.transport.kind != "smtp":
        yield skipped(_BOT, f"transport.kind is {settings.transport.kind}")
        return
    from bot.transports.smtp import probe  # noqa: PLC0415 (only where mail leaves by SMTP)

    options: Any = settings.transport
    sender = next(iter(sender_domains(settings)), "")
    if not sender:
        yield skipped(_BOT, "no newsletter goes out by mail")
        return
    for name in dict.fromkeys(relay.helo or sender for relay in (options, *options.fallback)):
        yield judged_name(name)
    password = settings.secret("smtp_password")
    yield from judged(probe(options, root=settings.root, password=password, name=sender))


def judged_name(name: str) -> Sign:
    """Judge what this machine calls itself: a name that others know (RFC 5321 §4.1.1.1)."""
    mend = "set transport.helo to the public name of this machine"
    if re.fullmatch(r"\[[0-9A-Fa-f.:]+\]", name):
        return warning(_BOT, f"EHLO {name}: an address, which many servers count against a mail", mend)
    label = name.lower().rstrip(".").rpartition(".")[2]
    if "." not in name.strip(".") or label in {"localhost", "localdomain", "local", "internal", "lan"}:
        return bad(_BOT, f"EHLO {name or '(nothing)'}: no name that others know", mend)
    return good(_BOT, f"EHLO {name}")


def judged(probes: "Sequence[Probe]") -> Iterator[Sign]:
    """Judge relays by what they said: while one of them takes mail, mail goes out."""
    refused = bad if all(probe.error for probe in probes) else warning
    for probe in probes:
        yield refused(probe.relay, str(probe.error)) if probe.error else _welcomed(probe)


def _welcomed(probe: "Probe") -> Sign:
    offers = {offer.partition(" ")[0]: offer for offer in probe.offers}
    named = ", ".join(offers[keyword] for keyword in USED if keyword in offers) or "nothing that we use"
    return good(
        probe.relay, f"takes mail from us ({probe.tls or 'in clear'}); offers {named}{_lacks(offers)}"
    )


def _lacks(offers: Container[str]) -> str:
    """What some readers have to do without: no other way leads to them."""
    return "" if "SMTPUTF8" in offers else "; not to readers with letters such as ü before their @ (SMTPUTF8)"
