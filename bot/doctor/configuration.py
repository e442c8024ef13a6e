"""The configuration: its own rules, and whether the files with secrets are there and closed to others."""

import stat
from collections.abc import Iterator
from pathlib import Path

from bot.checks import Material, look
from bot.doctor import Patient, Sign, State, bad, good, warning
from bot.errors import InputError
from bot.models import Finding, Severity
from bot.settings import Settings

NETWORK = False
_STATES = {Severity.ERROR: State.BAD, Severity.WARNING: State.WARNING, Severity.HINT: State.WARNING}
READERS = stat.S_IROTH | stat.S_IWOTH
"""Who may not read a secret; a group may, since services often share files that way."""


def examine(patient: Patient) -> Iterator[Sign]:
    """Say first what is configured, then what is wrong with it."""
    settings = patient.settings
    channels = sum(len(newsletter.channels) for newsletter in settings.newsletters.values())
    yield good(
        "config/bot.toml",
        f"{_count(len(settings.newsletters), 'newsletter')}, {_count(channels, 'channel')}, "
        f"mail by {settings.transport.kind}",
    )
    yield from map(_sign, (one for one in look(Material(settings)) if one.rule.startswith("config.")))
    yield from _secrets(settings)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _sign(finding: Finding) -> Sign:
    return Sign(_STATES[finding.severity], finding.place, finding.message, finding.fix)


def _secrets(settings: Settings) -> Iterator[Sign]:
    for name in ("slack_token", "slack_app_token", "slack_webhook", "smtp_password"):
        try:
            settings.secret(name)
        except InputError as error:
            yield bad(error.where, error.what, error.mend)
    for file in secret_files(settings):
        path = settings.root / file
        if path.exists() and (fault := judged_mode(path.stat().st_mode)):
            yield warning(str(file), fault, f"chmod 600 {file}")


def secret_files(settings: Settings) -> list[Path]:
    """The files that hold secrets."""
    named = [settings.slack_token_file, settings.slack_app_token_file, settings.slack_webhook_file]
    named.append(settings.smtp_password_file)
    channels = [one for newsletter in settings.newsletters.values() for one in newsletter.channels.values()]
    named += [getattr(options, "url_file", None) for options in channels]
    named += [getattr(relay, "password_file", None) for relay in getattr(settings.transport, "fallback", ())]
    named += [key.file for key in settings.dkim.keys] if settings.dkim else []
    return [file for file in named if file]


def judged_mode(mode: int) -> str:
    """What is wrong with the rights to a file that holds a secret; nothing where nobody else may read it."""
    return "holds a secret, and every user of this machine may read it" if mode & READERS else ""
