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
from bot.desk import Desk
from bot.errors import BroadsheetError
from bot.schedule import Publish, Wait, due, run_clock, stopping

log = logging.getLogger(__name__)


def run(
    app: App, *, clock: Callable[[], datetime], once: bool, say: Callable[[str], None], web: bool = True
) -> None:
    """Be the bot until SIGTERM or Ctrl-C, with its pages where `web` says so; with `once`, for one tick."""
    stop = Event()
    bot = _Bot(app, clock, stop, say)
    if once:
        bot.tick(clock())
        return
    say(f"watching {', '.join(app.settings.newsletters)}; Ctrl-C ends it")
    with app.pages(clock, say) if web else nullcontext(), app.listener(clock, say), stopping(stop, say):
        run_clock(bot.tick, stop=stop, next_ring=bot.next_ring, clock=clock)


class _Bot:
    """What one process does at each ring."""

    def __init__(
        self, app: App, clock: Callable[[], datetime], stop: Event, say: Callable[[str], None]
    ) -> None:
        self._app, self._clock, self._stop, self._say = app, clock, stop, say

    def tick(self, now: datetime) -> None:
        """One look at every newsletter; what is wrong with one does not keep the others waiting."""
        for newsletter in self._app.settings.newsletters.values():
            if self._stop.is_set():
                return
            try:
                desk = self._app.desk(newsletter)
                self._decide(desk, now)
                self._work(desk)
            except BroadsheetError as error:
                self._say(f"{newsletter.name}: {error}")

    def next_ring(self, now: datetime) -> datetime | None:
        """The next send of any newsletter."""
        schedules = (newsletter.schedule for newsletter in self._app.settings.newsletters.values())
        return min((upcoming(schedule, now, 1)[0].utc for schedule in schedules), default=None)

    def _decide(self, desk: Desk, now: datetime) -> None:
        """Do what is due until there is nothing to do but to wait."""
        while not isinstance(decision := due(now, desk.newsletter, desk.view(now)), Wait):
            name = f"{desk.newsletter.name}/{decision.week}"
            if isinstance(decision, Publish):
                for notice in desk.publish(decision.week, now, late=decision.late):
                    self._say(str(notice))
                self._say(f"{name}: published" + (", late" if decision.late else ""))
            elif desk.tell(decision.week, decision.reason, now):
                self._say(f"{name}: not sent: {decision.reason}")

    def _work(self, desk: Desk) -> None:
        for week in desk.unsettled():
            for channel, halt in desk.work(week, self._clock, stop=self._stop).items():
                self._say(f"{desk.newsletter.name}/{week} {channel}: stopped: {halt.reason}")
