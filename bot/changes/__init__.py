"""What has changed between two states of an issue: entry by entry, word by word.

Issue → passages (a title and the words under it) → matched by where they lead, by title, by words in common
→ added · removed · moved · changed, each with its runs of words
"""

from bot.changes.comparing import Change, Kind, Run, changes
from bot.changes.passages import Passage, from_json, passages, to_json

__all__ = ["Change", "Kind", "Passage", "Run", "changes", "from_json", "passages", "to_json"]
