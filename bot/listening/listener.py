"""Keeps a connection open for as long as the bot runs, and never lets what goes wrong there reach the run."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from pydantic import SecretStr

from bot.errors import BroadsheetError
from bot.listening.actions import Actions, place
from bot.listening.answering import Answering
from bot.listening.connection import Connection
from bot.listening.envelopes import Heard, heard, names
from bot.listening.lanes import Lane
from bot.listening.watchdog import lost, wait_before
from bot.store import Store, heard as ledger

log = logging.getLogger(__name__)

LOOK = 0.5
"""Seconds between two looks at the connection."""
LONG = 60.0
"""Seconds after which a connection was no failure; whoever opens them faster is limited by Slack."""


class Listener:
    """Listens from `with` to its end, in a thread of its own."""

    def __init__(
        self,
        api_url: str,
        token: SecretStr,
        actions: Actions,
        store: Store,
        *,
        clock: Callable[[], datetime],
        say: Callable[[str], None],
    ) -> None:
        self._api_url, self._token, self._actions, self._store = api_url, token, actions, store
        self._clock, self._say, self._answering = clock, say, Answering(api_url)
        self._quick, self._slow, self._open = Lane("slack-quick"), Lane("slack-slow"), ExitStack()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name="slack-listener", daemon=True)
        self._last_said = ""

    def __enter__(self) -> Self:
        for lane in (self._quick, self._slow):
            self._open.enter_context(lane)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._open.close()

    # -------------------------------------------------------------------------------------------- connection

    def _supervise(self) -> None:
        """Open, watch, open anew; an old connection stays until the new one is there."""
        connection: Connection | None = None
        failures = 0
        while not self._stop.is_set():
            fresh = self._opened()
            if connection and (fresh or lost(connection.pulse, time.time()) == "it was closed"):
                _hang_up(connection)
                connection = None
            connection = fresh or connection
            failures = 0 if fresh and self._watched(fresh) >= LONG else failures + 1
            self._stop.wait(wait_before(failures))
        if connection:
            _hang_up(connection)

    def _opened(self) -> Connection | None:
        """A new connection; None where there is none to be had, which is said once."""
        try:
            return Connection(self._api_url, self._token, self.hear)
        except BroadsheetError as error:
            self._tell(f"Slack's Socket Mode: {error}")
        except Exception as error:  # noqa: BLE001 (nothing that happens here may stop the run)
            self._tell(f"Slack's Socket Mode: {type(error).__name__}")
            log.warning("cannot listen error=%s %s", type(error).__name__, place(error))
        return None

    def _watched(self, connection: Connection) -> float:
        """Watch a connection until it is lost or the run ends; the seconds that it was of use."""
        greeted = False
        while not self._stop.wait(LOOK):
            pulse = connection.pulse
            if pulse.greeted and not greeted:
                greeted = True
                self._tell("listening to Slack")
            if reason := lost(pulse, time.time()):
                log.info("the connection to Slack is opened anew reason=%s", reason)
                return time.time() - pulse.opened_at if greeted else 0.0
        return LONG

    def _tell(self, words: str) -> None:
        """Say what is new, not the same at every try."""
        if words != self._last_said:
            self._last_said = words
            self._say(words)

    # --------------------------------------------------------------------------------------------- envelopes

    def hear(self, envelope_id: str, kind: str, payload: Mapping[str, Any]) -> None:
        """Take what an acknowledged envelope asks; it is done elsewhere, so that the next can be heard."""
        try:
            if (asked := heard(kind, payload)) is None:
                return
            known = names(envelope_id, payload)
            lane = self._slow if self._actions.is_slow(asked) else self._quick
            if not lane.put(lambda: self._do(known, asked)):
                log.warning("too much is asked in Slack: left undone asked=%s", type(asked).__name__)
        except Exception as error:  # noqa: BLE001 (a thread of the SDK's: whatever escapes is lost)
            log.warning("an envelope was not taken error=%s %s", type(error).__name__, place(error))

    def _do(self, known: Sequence[str], asked: Heard) -> None:
        """Do what was asked, once, and say how that went; what goes wrong is logged and no more."""
        try:
            with self._store.write() as connection:
                new = ledger.note(connection, known, self._clock())
            for words in self._actions.answers(asked) if new else ():
                self._answering.say(asked.answer_to, words)
        except Exception as error:  # noqa: BLE001 (a lane goes on, whatever becomes of one envelope)
            log.warning("an envelope was not worked error=%s %s", type(error).__name__, place(error))


def _hang_up(connection: Connection) -> None:
    try:
        connection.close()
    except Exception as error:  # noqa: BLE001 (the SDK's threads; what is closed badly is closed)
        log.info("a connection was closed badly error=%s", type(error).__name__)
