"""What is wrong with a configuration: every fault with the path of its key."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import ValidationError


class Fault(NamedTuple):
    """One fault: where it is, pydantic's name for its type, and what is wrong."""

    path: tuple[str, ...]
    type: str
    words: str


class FaultsError(ValueError):
    """Faults of a table within, carried through pydantic with their own paths."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{'.'.join(fault.path)}: {fault.words}" for fault in self.faults))


def flat(error: ValidationError) -> Iterator[Fault]:
    """Every fault that pydantic found, those of plug-ins' own tables included."""
    for found in error.errors(include_url=False, include_input=False):
        path = tuple(str(step) for step in found["loc"])
        cause = found.get("ctx", {}).get("error")
        if isinstance(cause, FaultsError):
            yield from (inner._replace(path=path + inner.path) for inner in cause.faults)
        else:
            yield Fault(path, found["type"], _plain(found["msg"]))


def _plain(message: str) -> str:
    """Pydantic's words in the shape of ours: `should be a valid integer`."""
    return re.sub(r"^(?:Value error, |Input |String |Value )", "", message)
