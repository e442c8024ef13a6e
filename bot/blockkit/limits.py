"""Slack's limits in one table, and ours below them.

Counts are of characters or pieces (docs.slack.dev, Block Kit reference).
"""

TEXT = 3000
"""Any text object; a `section` holds one."""
HEADER = 150
BUTTON = 75
"""The words on a button."""
ADDRESS = 3000
CONTEXT = 10
"""Elements of a `context`."""
INDENT = 8
"""How deep a list may be indented."""
FALLBACK = 4000
"""`text` beside blocks; what is longer Slack may cut."""

BLOCKS = 40
"""Of one message; Slack takes 50."""
SERIALISED = 9500
"""Of the JSON of one message's blocks; Slack refuses it beyond some 11,000 (slackapi/bolt-js#2509, #2867)."""
PIECE = 4000
"""Of the JSON of one block that could go on for ever: such blocks are what messages are packed from."""
