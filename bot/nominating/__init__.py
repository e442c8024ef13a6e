"""Takes entries from Slack into `content/<newsletter>/entries/`, where the links are shared.

words → address, newsletter, note → who may → there already? → title → entry → read back → a file, once
"""

from bot.nominating.entries import Nomination, nominate
from bot.nominating.talking import SHORTCUT, Talk, add

__all__ = ["SHORTCUT", "Nomination", "Talk", "add", "nominate"]
