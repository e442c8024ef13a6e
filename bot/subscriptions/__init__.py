"""Readers come and go: consent that only moves forward, and an import that loses nobody to one bad row.

pending ─▶ confirmed ─▶ unsubscribed      and never back by an import
"""

from bot.subscriptions.consent import add, new_token, next_consent, remove
from bot.subscriptions.exporting import export_csv
from bot.subscriptions.importing import ReadersReport, import_csv
from bot.subscriptions.persons import key_of, wish_of

__all__ = [
    "ReadersReport",
    "add",
    "export_csv",
    "import_csv",
    "key_of",
    "new_token",
    "next_consent",
    "remove",
    "wish_of",
]
