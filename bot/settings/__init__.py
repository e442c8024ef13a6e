"""The configuration, typed: `config/bot.toml`, `config/newsletters/*.toml`, `BROADSHEET_…` in, Settings out.

Environment variables override files; `__` parts the levels: `BROADSHEET_TRANSPORT__PORT=25`,
`BROADSHEET_NEWSLETTERS__AI_PAPERS__SCHEDULE__ZONE=UTC`. An empty variable says nothing. Secrets come from the
environment or from a file that the configuration names, never from the configuration itself.
"""

from bot.settings.loading import load
from bot.settings.reading import PREFIX
from bot.settings.tables import Curator, Dkim, DkimKey, Drafts, Newsletter, Schedule, Web
from bot.settings.values import DAYS, Moment
from bot.settings.whole import Settings

__all__ = [
    "DAYS",
    "PREFIX",
    "Curator",
    "Dkim",
    "DkimKey",
    "Drafts",
    "Moment",
    "Newsletter",
    "Schedule",
    "Settings",
    "Web",
    "load",
]
