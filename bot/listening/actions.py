"""What buttons do: a registry by `action_id`, and nobody but a curator may press one."""

import logging
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeAlias

from bot.errors import BroadsheetError
from bot.listening.envelopes import Click

log = logging.getLogger(__name__)

Action: TypeAlias = Callable[[Click], str]
"""Does what a button is for, and says to whoever pressed it how that went.

Slack may tell of one click twice and people press twice: an action must look before it acts.
"""


class Actions:
    """The buttons that do something, and the curators of each newsletter by their Slack IDs."""

    def __init__(self, curators: Mapping[str, Collection[str]]) -> None:
        self._curators = curators
        self._known: dict[str, Action] = {}

    def add(self, action_id: str, action: Action) -> None:
        """Let a button do something; ValueError where it does already."""
        if action_id in self._known:
            raise ValueError(f"{action_id}: there is such an action already")
        self._known[action_id] = action

    def answer(self, click: Click) -> str:
        """Do what was pressed; what to say to them, or nothing where no button of ours was."""
        action = self._known.get(click.action)
        if action is None:
            return ""
        if click.user not in self._curators.get(click.newsletter, ()):
            log.info("a click refused action=%s newsletter=%s", click.action, click.newsletter[:100])
            return "Only this newsletter's curators can do that."
        try:
            return action(click)
        except BroadsheetError as error:
            return f"That did not work: {error}"
        except Exception as error:  # noqa: BLE001 (an action's bug is told, and must not end the listening)
            # Its words may hold anything, its place in the code may not.
            fault = f"{type(error).__name__} {place(error)}"
            log.warning("a click failed action=%s error=%s", click.action, fault)
            return "That did not work, and it is our fault. It is in the log."


def place(error: BaseException) -> str:
    """Where in the code an error came from, without its words."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
