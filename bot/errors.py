"""Everything that can go wrong, by what it means for whoever must go on.

BroadsheetError
├── InputError          bad usage, configuration or content: exit status 2, nothing sent
├── StoreError          the database is locked, read-only, full or gone: exit status 2
├── RefusedError        a person or a rule said no: exit status 1, nothing sent
│   ├── ChangedError    a yes to content that is no more
│   └── HeldError       the checks found errors in what would be sent
├── StopRunError        policy or configuration of the far side: pause the run, touch no reader
└── DeliveryError       the answer to one delivery
    ├── TransientError  not sent; again later
    ├── PermanentError  not sent; never again unchanged
    └── InDoubtError    may or may not have been sent: the answer never came
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a Finding is a noun of models, which may not be needed to raise
    from bot.models import Finding


class BroadsheetError(Exception):
    """Any error this product raises on purpose."""


class InputError(BroadsheetError):
    """What was given cannot be used; says where, what, and how to mend it."""

    def __init__(self, where: str, what: str, mend: str = "", *, findings: Sequence["Finding"] = ()) -> None:
        super().__init__(": ".join(part for part in (where, what, mend) if part))
        self.where, self.what, self.mend = where, what, mend
        self.findings = tuple(findings)


class StoreError(BroadsheetError):
    """The database cannot be used: locked, read-only, full or unreachable."""


class RefusedError(BroadsheetError):
    """It could be done, and a person or a rule said no: held, a draft."""


class ChangedError(RefusedError):
    """A curator said yes to what they saw, and the content is another by now."""

    def __init__(self, issue: str) -> None:
        super().__init__(f"{issue}: this draft changed since: look at it again, then approve it")


class HeldError(RefusedError):
    """What would be sent has errors: it is held until they are mended, or taken for less."""

    def __init__(self, findings: Sequence["Finding"]) -> None:
        errors = [finding for finding in findings if finding.severity == "error"]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{errors[0]}{more}" if errors else "held")
        self.findings = tuple(findings)
        """All that was found, errors or not."""


class StopRunError(BroadsheetError):
    """The far side refuses us, not one reader: stop the run and show its words to a person."""


class DeliveryError(BroadsheetError):
    """One delivery did not simply succeed."""


class TransientError(DeliveryError):
    """Not sent, and worth another try, not before `retry_after` where the far side named it."""

    def __init__(self, reason: str, *, retry_after: timedelta | None = None, charged: bool = True) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.charged = charged
        """False where the whole far side was away, so that no recipient has used up an attempt."""


class PermanentError(DeliveryError):
    """Not sent, and no use trying again unchanged."""


class InDoubtError(DeliveryError):
    """The bytes left and the answer never came."""
