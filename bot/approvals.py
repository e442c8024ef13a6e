"""What a curator says of an issue: approve, hold, release; a yes is bound to one content hash."""

from datetime import datetime

from bot.errors import InputError
from bot.models import Approval, Week
from bot.store import Store, issues
from bot.store.issues import Published


def approve(store: Store, newsletter: str, week: Week, content_hash: str, now: datetime) -> None:
    """Say yes to the content that has this hash; a hold is lifted by `release` alone."""
    with store.write() as connection:
        issues.reserve(connection, newsletter, week)
        _refuse_settled(issues.find(connection, newsletter, week), content_hash)
        before = issues.approval(connection, newsletter, week)
        if before and before.decision == "held":
            raise InputError(f"{newsletter}/{week}", "it is held", "release it first")
        issues.decide(connection, newsletter, week, Approval("approved", content_hash, now), now)


def hold(store: Store, newsletter: str, week: Week, content_hash: str, now: datetime) -> None:
    """Keep the issue from going out, whatever its content becomes."""
    with store.write() as connection:
        issues.reserve(connection, newsletter, week)
        _refuse_settled(issues.find(connection, newsletter, week), content_hash)
        issues.decide(connection, newsletter, week, Approval("held", content_hash, now), now)


def release(store: Store, newsletter: str, week: Week, now: datetime) -> None:
    """Lift a hold; where approval is required, it is asked for anew."""
    with store.write() as connection:
        issues.reserve(connection, newsletter, week)
        before = issues.approval(connection, newsletter, week)
        if not before or before.decision != "held":
            raise InputError(f"{newsletter}/{week}", "it is not held", "nothing to release")
        issues.decide(connection, newsletter, week, None, now)


def _refuse_settled(gone: Published | None, content_hash: str) -> None:
    """What went out is decided; what was changed since can be approved or held as a correction."""
    if gone and gone.hash == content_hash:
        what = "it is published already"
        raise InputError(f"{gone.newsletter}/{gone.week}", what, "nothing is left to decide")
