"""Decides what curators press in Slack: Approve and Hold, for the content that they saw.

click → whose Slack ID → desk.decide → told to them alone → the message brought up to date
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from bot.calendar import send_at
from bot.desk import Desk
from bot.drafting import bring_up_to_date, by_whom, goes
from bot.errors import ChangedError, HeldError, InputError
from bot.models import Approval, Finding, Origin, Week, errors_of
from bot.store import decisions
from bot.store.decisions import Verb
from bot.telling.posts import APPROVE, HOLD, pressed

if TYPE_CHECKING:
    from bot.app import App
    from bot.listening import Actions, Click

SHOWN = 3
"""Errors that an answer repeats."""
CHANGED = "This draft changed since the message that you pressed in was written"


def add(actions: "Actions", app: "App", clock: Callable[[], datetime]) -> None:
    """Let Approve and Hold decide."""
    verbs: dict[str, Verb] = {APPROVE: "approved", HOLD: "held"}
    for button, verb in verbs.items():
        actions.add(button, partial(_pressed, app, clock, verb))


def _pressed(app: "App", clock: Callable[[], datetime], verb: Verb, click: "Click") -> Iterator[str]:
    """Decide, say how that went, and let the message show how it stands, whatever that is."""
    name, seen = pressed(click.value)
    desk, week = app.issue(name)
    by = desk.newsletter.curator_in_slack(click.user)
    if by is None:
        yield "Only this newsletter's curators can do that."
        return
    yield decided(desk, week, verb, clock(), by=by, seen=seen)
    bring_up_to_date(desk, app.way(desk.newsletter), week, clock())


def decided(desk: Desk, week: Week, verb: Verb, now: datetime, *, by: str, seen: str) -> str:
    """Decide for a curator who saw the content `seen`; what to tell them."""
    try:
        outcome = desk.decide(week, verb, now, by=by, origin=Origin.SLACK, seen=seen)
    except ChangedError:
        return f"{CHANGED}: look at it again, then approve it. Nothing was decided."
    except HeldError as error:
        return _with_errors("Not approved: the checks found errors.", error.findings)
    except InputError as error:
        return _refused(desk, week, verb, error)
    standing = outcome.standing
    if standing is None:  # released by somebody at this very moment
        return "Nothing was decided: look at it again."
    if not outcome.new:
        return f"It is already {verb}{by_whom(desk, standing)}."
    changed = f" {CHANGED}, and is held all the same." if verb == "held" and standing.hash != seen else ""
    return f"{verb.capitalize()}. {_what_follows(desk, week, verb, now)}{changed}"


def _what_follows(desk: Desk, week: Week, verb: Verb, now: datetime) -> str:
    if verb == "held":
        return "It does not go out until it is released."
    if send_at(desk.newsletter.schedule, week) <= now:
        return "Its time has come already: it goes by itself unless it is too late for that."
    return f"It {goes(desk, week)}."


def _refused(desk: Desk, week: Week, verb: Verb, error: InputError) -> str:
    """Why nothing was decided: what stands already, or what cannot be read."""
    if error.findings:
        return _with_errors("Nothing was decided: it cannot be read as it is.", error.findings)
    standing = _standing(desk, week)
    if verb == "approved" and standing and standing.decision == "held":
        return f"Not approved: it is held{by_whom(desk, standing)}. Release it first."
    if desk.find(week):
        return "It has gone out: nothing is left to decide."
    return f"Nothing was decided: {error}"


def _standing(desk: Desk, week: Week) -> Approval | None:
    with desk.store.read() as connection:
        return decisions.standing(connection, desk.newsletter.name, week)


def _with_errors(words: str, findings: tuple[Finding, ...]) -> str:
    """The words, and below them the first errors, each where it stands."""
    errors = list(errors_of(findings))
    more = [f"and {len(errors) - SHOWN} more"] if len(errors) > SHOWN else []
    return "\n".join([words, *(f"• {error} [{error.rule}]" for error in errors[:SHOWN]), *more])
