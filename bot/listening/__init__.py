"""Hears what people do in Slack: Socket Mode, a connection that we open, so that nothing has to reach us.

supervise: connect ─ hello ─▶ watch until it is lost ─▶ connect anew, the old one until then ─▶ …
envelope → acknowledge → a lane → heard before? → Actions: who may, act → answer to them alone
"""

from bot.listening.actions import Action, Actions
from bot.listening.envelopes import Click, Command, Shortcut
from bot.listening.listener import Listener

__all__ = ["Action", "Actions", "Click", "Command", "Listener", "Shortcut"]
