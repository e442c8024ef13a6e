"""DMARC: the record that covers a domain, and whose signatures align with it (RFC 7489, RFC 9989)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bot.doctor import Sign, bad, good, warning
from bot.doctor._publishing import misplaced, publish
from bot.doctor._records import Answer, Ask, Outcome
from bot.doctor._tags import TagsError, tags

_DEEPEST = 8
"""Labels of a name of which every parent is asked; of a longer one, the last seven and below."""
POLICIES = ("none", "quarantine", "reject")
REPORTED = 5
"""Addresses for reports that are looked at."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The record that covers a domain."""

    domain: str
    """Where it was found, `_dmarc.` left out."""
    text: str
    tags: dict[str, str]
    fault: str = ""
    """What makes it void."""

    def wants(self, by: Literal["adkim", "aspf"]) -> str:
        """`s` for strict, `r` for relaxed."""
        return "s" if self.tags.get(by, "r").lower() == "s" else "r"


@dataclass(frozen=True, slots=True)
class Walk:
    """What the names from a domain upwards say."""

    domain: str
    policies: tuple[Policy, ...]
    """From the domain upwards."""
    many: str = ""
    """The domain that has more than one record, none of which counts."""
    unasked: str = ""
    """Why the domain's own name could not be asked."""

    @property
    def policy(self) -> Policy | None:
        """The one that covers the domain."""
        return self.policies[0] if self.policies else None

    @property
    def organisation(self) -> str:
        """The organisational domain, by the tree walk (RFC 9989 §4.10.2)."""
        for policy in self.policies:
            if policy.tags.get("psd", "").lower() == "n":
                return policy.domain
            if policy.tags.get("psd", "").lower() == "y" and policy.domain != self.domain:
                return _below(self.domain, policy.domain)
        return self.policies[-1].domain if self.policies else self.domain


def walk(domain: str, ask: Ask) -> Walk:
    """Look for the records of a domain and of the domains above it."""
    domain = domain.lower().rstrip(".")
    policies, many, unasked = [], "", ""
    for name in _upwards(domain):
        answer = ask(f"_dmarc.{name}", "TXT")
        found = [text for text in answer.texts if is_dmarc(text)]
        if answer.outcome is Outcome.FAILED and name == domain:
            unasked = answer.why
        if len(found) > 1:
            many = many or name
        elif found:
            policies.append(read(name, found[0]))
    return Walk(domain, tuple(policies), many, unasked)


def _upwards(domain: str) -> list[str]:
    """The domain and those above it: a.b.org → a.b.org, b.org, org (RFC 9989 §4.10)."""
    labels = domain.split(".")
    first = 1 if len(labels) <= _DEEPEST else len(labels) - _DEEPEST + 1
    return [domain, *(".".join(labels[start:]) for start in range(first, len(labels)))]


def _below(domain: str, top: str) -> str:
    """The domain one label below `top`, on the way to `domain`."""
    return ".".join(domain.split(".")[-(top.count(".") + 2) :])


def is_dmarc(text: str) -> bool:
    """Whether a TXT record is a DMARC record."""
    return re.match(r"v\s*=\s*DMARC1\s*(;|$)", text) is not None


def read(domain: str, text: str) -> Policy:
    """One record; its fault where receivers would not take it."""
    try:
        found = {name.lower(): value for name, value in tags(text).items()}
    except TagsError as error:
        return Policy(domain, text, {}, str(error))
    wanted = found.get("p", "").lower()
    if wanted not in POLICIES and not ("rua" in found and "p" not in found):
        said = f"p={found['p']}" if "p" in found else "no p="
        return Policy(domain, text, found, f"{said}: none, quarantine or reject must stand there")
    return Policy(domain, text, found)


def aligned(from_domain: str, other: str, mode: str, ask: Ask) -> bool:
    """Whether another domain counts as the From domain: the same, or relaxed, of the same organisation."""
    one, two = (name.lower().rstrip(".") for name in (from_domain, other))
    if one == two or mode == "s":
        return one == two
    return walk(one, ask).organisation == walk(two, ask).organisation


def report_faults(policy: Policy, ask: Ask) -> list[str]:
    """What is wrong with the addresses for reports (RFC 7489 §7.1)."""
    faults = []
    for uri in policy.tags.get("rua", "").split(",")[:REPORTED]:
        address = re.fullmatch(
            r"mailto:[^@\s!]+@([A-Za-z0-9.-]+)(![0-9]+[kmgt]?)?", uri.strip(), re.IGNORECASE
        )
        if uri.strip() and not address:
            faults.append(f"rua: {uri.strip()} is no mailto: address")
        elif address and not _welcomes(address[1].lower(), policy.domain, ask):
            faults.append(f"rua: {address[1]} does not say that it takes reports about {policy.domain}")
    return faults


def _welcomes(receiver: str, domain: str, ask: Ask) -> bool:
    """Whether reports may go to a receiver; one that the DNS cannot tell of has the benefit of the doubt."""
    if receiver == domain or receiver.endswith(f".{domain}") or domain.endswith(f".{receiver}"):
        return True
    answer: Answer = ask(f"{domain}._report._dmarc.{receiver}", "TXT")
    return answer.outcome is Outcome.FAILED or any(text.startswith("v=DMARC1") for text in answer.texts)


def judged(walk: Walk, ask: Ask) -> Iterator[Sign]:
    """Say whether a domain is covered, and by what."""
    where = f"_dmarc.{walk.domain}"
    fix = f"{publish(where, 'v=DMARC1; p=none')} (for reports, add ; rua=mailto: and a mailbox of yours)"
    if walk.unasked:
        yield warning(where, f"DMARC: could not be looked up: {walk.unasked}")
    elif walk.many == walk.domain:
        yield bad(where, "DMARC: more than one record: receivers take none of them", "leave one")
    elif walk.policy is None:
        words = "DMARC: no record, which large mailbox providers ask for"
        yield bad(where, f"{words}{_elsewhere(where, walk.domain, ask)}", fix)
    elif walk.policy.fault:
        yield bad(f"_dmarc.{walk.policy.domain}", f"DMARC: {walk.policy.fault}", fix)
    else:
        yield from _weighed(where, walk, walk.policy, ask)


def _elsewhere(where: str, domain: str, ask: Ask) -> str:
    if any(map(is_dmarc, ask(domain, "TXT").texts)):
        return f"; one stands at {domain}, where nobody looks for it"
    return misplaced(where, domain, ask, "v=DMARC1")


def _weighed(where: str, walk: Walk, policy: Policy, ask: Ask) -> Iterator[Sign]:
    from_above = "" if policy.domain == walk.domain else f" (of {policy.domain})"
    yield good(where, f"DMARC: {policy.text}{from_above}")
    for fault in report_faults(policy, ask):
        yield warning(where, f"DMARC: {fault}", "name a mailbox of the domain itself")
    if not policy.tags.get("rua"):
        mend = f"add ; rua=mailto:… to the record of _dmarc.{policy.domain}"
        yield warning(where, "DMARC: nobody gets reports, which tell who else sends in this name", mend)


def judged_alignment(walk: Walk, signer: str | None, ask: Ask) -> Iterator[Sign]:
    """Whether the domain that signs counts as the sender's; the envelope's is the sender's own."""
    if walk.policy is None or signer is None:
        return
    mode = walk.policy.wants("adkim")
    words = f"{signer} signs for {walk.domain} ({'strict' if mode == 's' else 'relaxed'})"
    if aligned(walk.domain, signer, mode, ask):
        yield good(walk.domain, f"alignment: {words}, and the envelope's sender is of the same domain")
    else:
        mend = f'set dkim.domain = "{walk.domain}" and publish its keys there'
        yield warning(walk.domain, f"alignment: {words} does not count: only SPF can pass DMARC", mend)
