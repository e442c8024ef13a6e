"""Is this installation fit to send? One file per examination: each asks its part of the world, and judges.

An examination is a module of this folder with `NETWORK` (whether all of it needs one) and `examine`, from a
Patient to signs. What it is told from outside is judged by pure functions, and cleaned before it is shown.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from typing import Any

from bot import plugins
from bot.doctor._records import Ask
from bot.errors import BroadsheetError, InputError
from bot.settings import Settings

__all__ = ["Diagnosis", "Patient", "Sign", "State", "as_json", "bad", "examine", "good", "skipped", "warning"]

SHOWN = 1500
"""Characters of one text that are shown: the record of a 4096-bit key, and some words, fit in."""


class State(StrEnum):
    """How bad it is."""

    GOOD = "good"
    WARNING = "warning"
    """Mails go out, but not as well as they could; or nothing could be found out."""
    BAD = "bad"
    """Mails would not go out or not arrive."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that an examination saw."""

    state: State
    where: str
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A sign, with the examination that saw it; its texts are one printable line each."""

    check: str
    state: State
    where: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Patient:
    """The installation that is looked at, and the means to look at it."""

    settings: Settings
    now: datetime
    ask: Ask
    """How the DNS is asked."""
    offline: bool = False
    """Whether the network is to be left alone."""


def good(where: str, message: str) -> Sign:
    """All is well here."""
    return Sign(State.GOOD, where, message)


def warning(where: str, message: str, fix: str = "") -> Sign:
    """Mails go out, and something could be better."""
    return Sign(State.WARNING, where, message, fix)


def bad(where: str, message: str, fix: str = "") -> Sign:
    """Mails would not go out or not arrive."""
    return Sign(State.BAD, where, message, fix)


def skipped(where: str, message: str, fix: str = "") -> Sign:
    """Not looked at, and why."""
    return Sign(State.SKIPPED, where, message, fix)


def examine(patient: Patient) -> Iterator[Diagnosis]:
    """Everything that every examination sees, in the order of their names; slow where the network is."""
    for name in plugins.kinds("doctor"):
        for sign in _signs(name, patient):
            texts = map(cleaned, (sign.where, sign.message, sign.fix))
            yield Diagnosis(name, sign.state, *texts)


def _signs(name: str, patient: Patient) -> Iterator[Sign]:
    examination: Any = import_module(f"bot.doctor.{name}")
    if patient.offline and examination.NETWORK:
        yield skipped("network", "not looked at: --offline")
        return
    try:
        yield from examination.examine(patient)
    except InputError as error:
        yield bad(error.where, error.what, error.mend)
    except BroadsheetError as error:
        yield bad(name, str(error))
    except OSError as error:  # a folder that may not even be looked into
        yield bad(str(error.filename or name), error.strerror or type(error).__name__)


def cleaned(text: str) -> str:
    """A text as a terminal may be given it: one bounded line, nothing in it that moves a cursor."""
    line = " ".join("".join(map(_shown, text[: SHOWN + 1])).split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def _shown(char: str) -> str:
    if char.isprintable():
        return char
    return " " if char.isspace() else "\ufffd"


def as_json(diagnoses: list[Diagnosis]) -> list[dict[str, str]]:
    """One document per diagnosis, with the keys that scripts rely on."""
    return [{key: str(value) for key, value in asdict(one).items()} for one in diagnoses]
