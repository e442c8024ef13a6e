"""MX: whether replies and bounces find a server (RFC 5321 §5.1, RFC 7505)."""

from bot.doctor import Sign, bad, good, warning
from bot.doctor._records import Answer, Ask, Outcome

SERVERS = 5
"""Mail servers whose addresses are asked for."""


def judged(domain: str, ask: Ask) -> Sign:
    """Say whether mail to a domain can arrive."""
    answer = ask(domain, "MX")
    if answer.outcome is Outcome.FAILED:
        return warning(domain, f"MX: could not be looked up: {answer.why}")
    if answer.void:
        return _without(domain, ask)
    servers = sorted(filter(None, map(_server, answer.texts)))
    if not servers:
        mend = "publish the MX of the server that takes the domain's mail"
        return bad(
            domain, "MX: the domain says that it takes no mail (null MX); receivers refuse such senders", mend
        )
    return _reachable(domain, [name for _, name in servers[:SERVERS]], ask)


def _server(text: str) -> tuple[int, str] | None:
    """`10 mail.example.org.` → (10, "mail.example.org"); None for a null MX."""
    preference, _, name = text.partition(" ")
    return (int(preference), name.rstrip(".")) if name.strip(".") and preference.isdecimal() else None


def _without(domain: str, ask: Ask) -> Sign:
    mend = "publish the MX of the server that takes the domain's mail"
    if _address(domain, ask).outcome is Outcome.FOUND:
        return warning(domain, "MX: no record, so that replies go to the address of the domain itself", mend)
    return bad(domain, "MX: nobody takes mail for this domain, and receivers refuse such senders", mend)


def _reachable(domain: str, servers: list[str], ask: Ask) -> Sign:
    lost = [name for name in servers if _address(name, ask).void]
    if not lost:
        return good(domain, f"MX: {', '.join(servers)}")
    words = f"MX: no address for {', '.join(lost)}"
    mend = "publish an address (A, AAAA) for each name, or another MX"
    return bad(domain, words, mend) if len(lost) == len(servers) else warning(domain, words, mend)


def _address(name: str, ask: Ask) -> Answer:
    answer = ask(name, "A")
    return ask(name, "AAAA") if answer.void else answer
