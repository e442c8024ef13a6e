"""What people can ask for: buttons by `action_id`, slash commands, shortcuts by `callback_id`.

Nobody but a curator may press a button; who may say or choose something else is for what is asked.
"""

import logging
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from bot.errors import BroadsheetError
from bot.listening.envelopes import Click, Command, Heard, Shortcut

log = logging.getLogger(__name__)

Answers: TypeAlias = Iterable[str]
"""What to say to them, one after the other; after the last of it, what is done once they know."""
Action: TypeAlias = Callable[[Click], Answers]
"""Does what a button is for, and says to whoever pressed it how that went.

Slack may tell of one click twice and people press twice: an action must look before it acts.
"""


class Actions:
    """What does something, and the curators of each newsletter by their Slack IDs."""

    def __init__(self, curators: Mapping[str, Collection[str]]) -> None:
        self._curators = curators
        self._buttons: dict[str, Action] = {}
        self._slow: set[str] = set()
        self._shortcuts: dict[str, Callable[[Shortcut], Answers]] = {}
        self._command: Callable[[Command], Answers] | None = None

    def add(self, action_id: str, action: Action, *, slow: bool = False) -> None:
        """Let a button do something; ValueError where it does already.

        What is `slow` keeps no other button waiting.
        """
        if action_id in self._buttons:
            raise ValueError(f"{action_id}: there is such an action already")
        self._buttons[action_id] = action
        self._slow |= {action_id} if slow else set()

    def add_shortcut(self, callback_id: str, action: Callable[[Shortcut], Answers]) -> None:
        """Let a shortcut at a message do something."""
        self._shortcuts[callback_id] = action

    def add_command(self, action: Callable[[Command], Answers]) -> None:
        """Let the app's slash command do something, whatever it is called."""
        self._command = action

    def is_slow(self, heard: Heard) -> bool:
        """Whether it may take long: whatever asks somebody else first."""
        return not isinstance(heard, Click) or heard.action in self._slow

    def answers(self, heard: Heard) -> Iterator[str]:
        """Do what was asked; what to say to them, nothing where it is none of ours."""
        try:
            yield from self._done(heard)
        except BroadsheetError as error:
            yield f"That did not work: {error}"
        except Exception as error:  # noqa: BLE001 (an action's bug is told, and must not end the listening)
            # Its words may hold anything, its place in the code may not.
            fault = f"{type(error).__name__} {place(error)}"
            log.warning("what was asked in Slack failed asked=%s error=%s", type(heard).__name__, fault)
            yield "That did not work, and it is our fault. It is in the log."

    def _done(self, heard: Heard) -> Answers:
        match heard:
            case Click():
                return self._pressed(heard)
            case Shortcut() if chosen := self._shortcuts.get(heard.name):
                return chosen(heard)
            case Command() if self._command:
                return self._command(heard)
        return ()

    def _pressed(self, click: Click) -> Answers:
        action = self._buttons.get(click.action)
        if action is None:
            return ()
        if click.user not in self._curators.get(click.newsletter, ()):
            log.info("a click refused action=%s newsletter=%s", click.action, click.newsletter[:100])
            return ["Only this newsletter's curators can do that."]
        return action(click)


def place(error: BaseException) -> str:
    """Where in the code an error came from, without its words."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
