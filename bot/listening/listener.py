"""Keeps a connection open for as long as the bot runs, and never lets what goes wrong there reach the run."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.channels._slack_client import SDK_LOG
from bot.errors import BroadsheetError
from bot.listening.actions import Actions, place
from bot.listening.connection import Connection
from bot.listening.envelopes import Click, click, names
from bot.listening.watchdog import lost, wait_before
from bot.store import Store, heard

log = logging.getLogger(__name__)

LOOK = 0.5
"""Seconds between two looks at the connection."""
LONG = 60.0
"""Seconds after which a connection was no failure; whoever opens them faster is limited by Slack."""
ANSWER = 10
"""Seconds that an answer to a click may take."""


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
        self._clock, self._say = clock, say
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name="slack-listener", daemon=True)
        self._last_said = ""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

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
        """Do what an acknowledged envelope asks, once; what goes wrong is logged and no more."""
        try:
            pressed = click(kind, payload)
            if pressed is None or not self._is_new(names(envelope_id, payload)):
                return
            if words := self._actions.answer(pressed):
                self._answer(pressed, words)
        except Exception as error:  # noqa: BLE001 (a thread of the SDK's: whatever escapes is lost)
            log.warning("an envelope was not worked error=%s %s", type(error).__name__, place(error))

    def _is_new(self, envelope: list[str]) -> bool:
        with self._store.write() as connection:
            return heard.note(connection, envelope, self._clock())

    def _answer(self, pressed: Click, words: str) -> None:
        """Answer so that they alone see it."""
        from slack_sdk.webhook import WebhookClient  # noqa: PLC0415 (only where somebody pressed something)

        if not self._may_answer_to(pressed.answer_to):
            return
        webhook = WebhookClient(pressed.answer_to, timeout=ANSWER, retry_handlers=[], logger=SDK_LOG)
        webhook.proxy = None  # as for the Web API
        answer = {"response_type": "ephemeral", "replace_original": False}
        webhook.send_dict({"text": words, "mrkdwn": False, **answer})

    def _may_answer_to(self, url: str) -> bool:
        """Whether an address is Slack's: at its own hosts over TLS, or where our Web API is."""
        there, ours = urlsplit(url), urlsplit(self._api_url)
        if (there.scheme, there.netloc) == (ours.scheme, ours.netloc):
            return True
        return there.scheme == "https" and (there.hostname or "").endswith(".slack.com")


def _hang_up(connection: Connection) -> None:
    try:
        connection.close()
    except Exception as error:  # noqa: BLE001 (the SDK's threads; what is closed badly is closed)
        log.info("a connection was closed badly error=%s", type(error).__name__)
