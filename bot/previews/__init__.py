"""What a curator looks at before saying yes: an issue as it is now, from every side.

desk, week, now → look → panes · findings in their places · words that changed
"""

from bot.previews.comparing import Comparison, shortened, since_approved, since_last_week
from bot.previews.excerpts import Excerpt, excerpt, excerpts
from bot.previews.looking import Look, State, against_approving, conversations, look_at
from bot.previews.personas import PERSONAS
from bot.previews.places import by_entry, pane_of

__all__ = [
    "PERSONAS",
    "Comparison",
    "Excerpt",
    "Look",
    "State",
    "against_approving",
    "by_entry",
    "conversations",
    "excerpt",
    "excerpts",
    "look_at",
    "pane_of",
    "shortened",
    "since_approved",
    "since_last_week",
]
