"""The bot: rings with the clock, asks the schedule, publishes what is due, works the outbox.

run_clock → tick: for each newsletter  due(view) → publish or tell why not → work what is unsettled
"""

import logging
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from threading import Event

from bot.app import App
from bot.calendar import upcoming
from bot.channels import Audience
from bot.desk import Desk
from bot.drafting import show
from bot.errors import BroadsheetError, InputError
from bot.models import Week
from bot.notices import Kind, Notice, lines
from bot.outlook import failure, notice, view
from bot.policy import LOOKED_AT, next_look
from bot.schedule import Hold, Publish, Skip, Wait, due, run_clock, stopping
from bot.store import doubts
from bot.telling import deliver

log = logging.getLogger(__name__)


def run(
    app: App, *, clock: Callable[[], datetime], once: bool, say: Callable[[str], None], web: bool = True
) -> bool:
    """Be the bot until SIGTERM or Ctrl-C, with its pages where `web` says so; with `once`, for one tick.

    False where something that was due did not go, and that had not been told before.
    """
    stop = Event()
    bot = _Bot(app, clock, stop, say)
    if once:
        bot.tick(clock())
        return not bot.refused
    with stopping(stop, say), app.pages(clock, say) if web else nullcontext(), app.listener(clock, say):
        say(f"watching {', '.join(app.settings.newsletters)}; Ctrl-C ends it")
        run_clock(bot.tick, stop=stop, next_ring=bot.next_ring, clock=clock)
    return True


class _Bot:
    """What one process does at each ring."""

    def __init__(
        self, app: App, clock: Callable[[], datetime], stop: Event, say: Callable[[str], None]
    ) -> None:
        self._app, self._clock, self._stop, self._say = app, clock, stop, say
        self._fault = ""
        self.refused = False
        """Whether something that was due did not go."""

    def tick(self, now: datetime) -> None:
        """One look at every newsletter; what is wrong with one does not keep the others waiting."""
        self._renew()
        for newsletter in self._app.settings.newsletters.values():
            if self._stop.is_set():
                return
            try:
                desk = self._app.desk(newsletter)
                self._decide(desk, now)
                self._work(desk)
                self._tell_curators(desk)
            except BroadsheetError as error:
                self.refused = True
                self._say(f"{newsletter.name}: {error}")

    def _renew(self) -> None:
        """Go on by the configuration as it is now: curators say yes to what they see by it.

        Where it cannot be read that is said once, and the one before holds.
        """
        try:
            self._app, fault = self._app.renewed(), ""
        except InputError as error:
            fault = str(error)
        if fault and fault != self._fault:
            self._say(f"{fault}; until that is mended, the configuration holds as it was")
        self._fault = fault

    def next_ring(self, now: datetime) -> datetime | None:
        """The next send of any newsletter."""
        schedules = (newsletter.schedule for newsletter in self._app.settings.newsletters.values())
        return min((upcoming(schedule, now, 1)[0].utc for schedule in schedules), default=None)

    def _decide(self, desk: Desk, now: datetime) -> None:
        """Do what is due until there is nothing to do but to wait."""
        while True:
            stands = view(desk, now)
            match due(now, desk.newsletter, stands):
                case Publish(week, late):
                    self._publish(desk, week, now, late=late)
                case Hold(week, reason) | Skip(week, reason):
                    self._tell(desk, notice(desk, week, reason, stands.outlooks[week], now))
                case Wait():
                    return

    def _publish(self, desk: Desk, week: Week, now: datetime, *, late: bool) -> None:
        for finding in desk.publish(week, now, late=late, by_hand=False):
            self._say(str(finding))
        self._say(f"{desk.newsletter.name}/{week}: published" + (", late" if late else ""))

    def _tell(self, desk: Desk, told: Notice) -> None:
        if desk.tell(told):
            self.refused = self.refused or told.kind is not Kind.EMPTY
            for line in lines(told):
                self._say(line)

    def _work(self, desk: Desk) -> None:
        for week in sorted({*desk.unsettled(), *doubtful(desk, self._clock())}):
            halts = desk.work(week, self._clock, stop=self._stop)
            reasons = [f"{channel}: stopped: {halt.reason}" for channel, halt in halts.items()]
            for reason in reasons:
                self._say(f"{desk.newsletter.name}/{week} {reason}")
            if reasons:
                self.refused = True
                desk.tell(failure(desk, week, "; ".join(reasons), self._clock()))

    def _tell_curators(self, desk: Desk) -> None:
        """Show the coming draft in good time, and deliver what curators are to hear."""
        way = self._app.way(desk.newsletter)
        show(desk, way, self._clock())
        deliver(desk.store, way, self._clock, lambda seconds: not self._stop.wait(seconds))


def doubtful(desk: Desk, now: datetime) -> set[Week]:
    """The weeks with doubts in conversations that are due for a look, which whoever asks is to make now."""
    talks = [name for name, one in desk.channels.items() if one.audience is Audience.CONVERSATION]
    known = desk.newsletter.name, talks, now - LOOKED_AT[-1], now
    with desk.store.read() as connection:
        if not doubts.due(connection, *known):
            return set()
    with desk.store.write() as connection:
        found = doubts.due(connection, *known)
        for one in found:
            doubts.look_again(connection, one, next_look(one.at, now))
    return {one.week for one in found}
