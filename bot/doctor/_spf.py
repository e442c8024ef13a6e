"""SPF: walks a record and all that it includes, as a receiver may have to (RFC 7208)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.doctor import Sign, bad, good, warning
from bot.doctor._publishing import publish
from bot.doctor._records import Answer, Ask, Outcome, Record
from bot.doctor._spf_terms import Term, is_spf, terms

LOOKUPS, VOIDS = 10, 2
"""Terms that may ask the DNS, and how many of them may find nothing (RFC 7208 §4.6.4)."""
SERVERS = 10
"""Mail servers that one `mx` may lead to (§4.6.4)."""
FAR_ENOUGH = 50
"""Terms after which a walk ends: the record is beyond its limits long before."""
WIDE = 8
"""An IPv4 network of fewer bits is a good part of the Internet."""
_ASKING = {"include", "a", "mx", "ptr", "exists", "redirect="}


@dataclass(slots=True)
class Spf:
    """What a walk found."""

    records: tuple[str, ...] = ()
    """The domain's own records: there should be one."""
    lookups: int = 0
    """Terms that ask the DNS, in this record and all that it leads to."""
    voids: int = 0
    """How many of them find nothing."""
    faults: list[str] = field(default_factory=list)
    """What makes a receiver give up: `permerror`."""
    cautions: list[str] = field(default_factory=list)
    """What is allowed and does not do what is meant."""
    unasked: list[str] = field(default_factory=list)
    """What the DNS gave no answer to, so that all of the above is a lower bound."""
    end: str | None = None
    """The qualifier of the `all` that decides about everybody else; None where there is none."""


def walk(domain: str, ask: Ask) -> Spf:
    """Judge the SPF record of a domain."""
    answer = ask(domain, "TXT")
    spf = Spf()
    if answer.outcome is Outcome.FAILED:
        spf.unasked.append(f"{domain}: {answer.why}")
        return spf
    records = [record for record in answer.records if is_spf(record.text)]
    if len(records) > 1:
        spf.faults.append(f"{len(records)} SPF records: a receiver takes none of them")
    spf.records = tuple(record.text for record in records)
    spf.cautions += [f"a TXT record is nearly one: {text}" for text in answer.texts if _nearly(text)]
    if len(records) == 1:
        spf.end = _Walk(ask, spf).follow(domain, records[0], ())
        _weigh(spf)
    return spf


def _nearly(text: str) -> bool:
    shape = text.lower().lstrip("\"' ")
    return shape.startswith(("v=spf", "spf1", "v = spf", "spf2")) and not is_spf(text)


def _weigh(spf: Spf) -> None:
    """Hold what was counted against the limits."""
    if spf.lookups > LOOKUPS:
        count = f"more than {FAR_ENOUGH}" if spf.lookups > FAR_ENOUGH else str(spf.lookups)
        spf.faults.append(f"{count} terms ask the DNS, and {LOOKUPS} are allowed")
    if spf.voids > VOIDS:
        spf.faults.append(f"{spf.voids} terms find nothing in the DNS, and {VOIDS} are allowed")


class _Walk:
    """Follows terms, and counts."""

    def __init__(self, ask: Ask, spf: Spf) -> None:
        self._ask, self._spf = ask, spf

    def follow(self, domain: str, record: Record, path: tuple[str, ...]) -> str | None:
        """Go through one record; the qualifier of the `all` that it ends with."""
        found, faults = terms(record.text)
        self._fault(domain if path else "", faults, record)
        path = (*path, domain.lower().rstrip("."))
        for number, term in enumerate(found):
            if term.name == "all":
                self._after_all(
                    (*found[number + 1 :], *(one for one in found[:number] if one.name == "redirect="))
                )
                return term.qualifier
            if term.name != "redirect=":
                self._meet(term, path)
        target = next((term for term in found if term.name == "redirect="), None)
        return self._include(target, path) if target and self._counted(target) else None

    def _fault(self, domain: str, faults: tuple[str, ...], record: Record) -> None:
        at = f"{domain}: " if domain else ""
        self._spf.faults += [f"{at}{fault}" for fault in faults]
        if faults and record.strings > 1:
            seam = "its strings are joined without a blank: end each but the last with one"
            self._spf.faults.append(f"{at}{seam}")

    def _after_all(self, rest: tuple[Term, ...]) -> None:
        if ignored := [str(term) for term in rest if not term.name.endswith("=") or term.name == "redirect="]:
            self._spf.cautions.append(f"ignored after all: {', '.join(ignored)}")

    def _meet(self, term: Term, path: tuple[str, ...]) -> None:
        if term.name == "ptr":
            self._spf.cautions.append("ptr is slow, and should not be used (RFC 7208 §5.5)")
        if term.length is not None and term.length < WIDE and term.qualifier == "+":
            self._spf.cautions.append(f"{term} takes in a good part of the Internet")
        if not self._counted(term) or term.macro:
            return
        match term.name:
            case "include":
                self._include(term, path)
            case "mx":
                self._servers(term, path[-1])
            case "a":
                name = term.value or path[-1]
                answer = self._ask(name, "A")
                self._void(self._ask(name, "AAAA") if answer.void else answer, str(term))
            case "exists":
                self._void(self._ask(term.value, "A"), str(term))

    def _counted(self, term: Term) -> bool:
        """Count a term that asks the DNS; whether to go on."""
        self._spf.lookups += term.name in _ASKING
        return self._spf.lookups <= FAR_ENOUGH

    def _include(self, term: Term, path: tuple[str, ...]) -> str | None:
        if term.macro:
            return None
        name = term.value.lower().rstrip(".")
        if name in path:
            self._spf.faults.append(f"{term} leads in a circle")
            return None
        answer = self._ask(name, "TXT")
        self._void(answer, str(term))
        records = [record for record in answer.records if is_spf(record.text)]
        if answer.outcome is not Outcome.FAILED and len(records) != 1:
            self._spf.faults.append(f"{term}: {'no' if not records else len(records)} SPF record there")
        return self.follow(name, records[0], path) if len(records) == 1 else None

    def _servers(self, term: Term, domain: str) -> None:
        answer = self._ask(term.value or domain, "MX")
        self._void(answer, str(term))
        if len(answer.records) > SERVERS:
            self._spf.faults.append(f"{term} leads to more than {SERVERS} mail servers")

    def _void(self, answer: Answer, term: str) -> None:
        self._spf.voids += answer.void
        if answer.outcome is Outcome.FAILED:
            self._spf.unasked.append(f"{term}: {answer.why}")


# ------------------------------------------------------------------------------------------------- judgement


def judged(domain: str, spf: Spf, relay: str) -> Iterator[Sign]:
    """Say what a walk means for mail that leaves by a relay, and what to publish."""
    if spf.faults:
        yield bad(domain, f"SPF: receivers give up (permerror): {'; '.join(spf.faults)}", _mend(domain, spf))
    elif spf.records:
        yield good(domain, f"SPF: {spf.records[0]} ({spf.lookups} of {LOOKUPS} lookups)")
    elif not spf.unasked:
        yield bad(
            domain, "SPF: no record, which large mailbox providers ask for", first_record(domain, relay)
        )
    for caution in spf.cautions:
        yield warning(domain, f"SPF: {caution}")
    if end := _weak_end(spf):
        yield warning(domain, f"SPF: {end}", _better_end(domain, spf))
    for question in spf.unasked:
        yield warning(domain, f"SPF: could not be looked up: {question}")


def _weak_end(spf: Spf) -> str:
    """What is weak about the end of a record that receivers take."""
    if spf.faults or spf.unasked or not spf.records:
        return ""
    ends = {
        "+": "+all lets anybody send in this name",
        "?": "?all says nothing about anybody else",
        None: "no `all` at its end: it says nothing about anybody else",
    }
    return ends.get(spf.end, "")


def first_record(domain: str, relay: str) -> str:
    """What to publish where there is nothing; only the relay's makers know the name of their include."""
    if not relay:
        return publish(domain, "v=spf1 ip4:<this machine's public address> ~all")
    include = publish(domain, "v=spf1 include:<the name that the relay's documentation gives> ~all")
    return f'{include}; or, where {relay} itself delivers the mails, "v=spf1 a:{relay} ~all"'


def _mend(domain: str, spf: Spf) -> str:
    if len(spf.records) > 1:
        return f"leave one: {publish(domain, _merged(spf.records))}"
    if spf.lookups > LOOKUPS:
        return "take out what sends no more, or name networks (ip4:, ip6:) in place of an include"
    return "mend what is named, or take it out"


def _merged(records: tuple[str, ...]) -> str:
    """One record that allows what all of them allow."""
    every = [str(term) for record in records for term in terms(record)[0] if term.name != "all"]
    return " ".join(["v=spf1", *dict.fromkeys(every), "~all"])


def _better_end(domain: str, spf: Spf) -> str:
    """The same record with an end that says something, where that is its own."""
    text = spf.records[0]
    if spf.end is None:
        return publish(domain, f"{text.rstrip()} ~all")
    text, changed = re.subn(r"(?<= )[+?]?all(?= |$)", "~all", text, flags=re.IGNORECASE)
    return publish(domain, text) if changed else "change it in the record that redirect= names"
