"""What the files say, and what the environment lays over it, before anybody asks whether it makes sense."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import InputError
from bot.models import Finding, Severity

PREFIX = "BROADSHEET_"
SECRETS = {
    "token": "slack_token",
    "slack_app_token": "slack_app_token",
    "webhook": "slack_webhook",
    "password": "smtp_password",
}
_SECRET_KEY = re.compile(r"(?:.*_)?(token|password|secret|webhook)", re.ASCII)


@dataclass
class Reading:
    """The tables as they were written, and what could not be read."""

    config: Path
    root: Path
    """The folder that holds `config/`."""
    bot: dict[str, Any] = field(default_factory=dict)
    newsletters: dict[str, dict[str, Any]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def find(self, place: str | Path, message: str, fix: str = "") -> None:
        """Note what is wrong, in a file or under an environment variable."""
        shown = self.shown(place) if isinstance(place, Path) else place
        self.findings.append(Finding("config", Severity.ERROR, shown, message, fix))

    def shown(self, file: Path) -> str:
        """A file's name from the installation's folder."""
        return str(file.relative_to(self.root) if file.is_relative_to(self.root) else file)

    def file_of(self, newsletter: str) -> Path:
        return self.config.parent / "newsletters" / f"{newsletter}.toml"


def read(config: Path) -> Reading:
    """Read `bot.toml` and the newsletters beside it; what one file says wrong hides no other."""
    config = config.absolute()
    if not config.exists():
        raise InputError(
            str(config), "no such file", "run from the newsletter's folder, or name it with --config"
        )
    reading = Reading(config, config.parent.parent)
    reading.bot = _table(reading, config)
    for file in sorted((config.parent / "newsletters").glob("*.toml")):
        before = len(reading.findings)
        table = _table(reading, file)
        if len(reading.findings) == before or table:
            reading.newsletters[file.stem] = table
    return reading


def overlaid(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """One table laid over another, tables within them too.

    Names in `over` come from environment variables, which cannot hold a hyphen: `ai_papers` there is
    `ai-papers` here. A table of another kind replaces the one below, whose keys would mean nothing to it.
    """
    if "kind" in over and over["kind"] != under.get("kind"):
        return dict(over)
    names = {key.replace("-", "_"): key for key in under}
    both = dict(under)
    for key, value in over.items():
        name = names.get(key, key)
        below = under.get(name)
        tables = isinstance(value, Mapping) and isinstance(below, Mapping)
        both[name] = overlaid(below, value) if tables else value  # type: ignore[arg-type]  # `tables` says so
    return both


def _table(reading: Reading, file: Path) -> dict[str, Any]:
    try:
        return _without_secrets(reading, file, tomllib.loads(file.read_text("utf-8-sig")))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r" \(at line (\d+), column \d+\)", str(error))
        what = str(error).replace(line[0], "") if line else str(error)
        place = f"{reading.shown(file)}:{line[1]}" if line else reading.shown(file)
        reading.find(place, what, "mend the TOML: text stands in quotes")
    except UnicodeDecodeError as error:
        reading.find(file, f"invalid UTF-8 at byte {error.start}", "save the file as UTF-8")
    except (OSError, RecursionError) as error:
        reading.find(file, getattr(error, "strerror", None) or type(error).__name__)
    return {}


def _without_secrets(reading: Reading, file: Path, table: dict[str, Any], *above: str) -> dict[str, Any]:
    """The table without the secrets written into it, which are findings: a configuration is shown around."""
    kept: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            kept[key] = _without_secrets(reading, file, value, *above, key)
        elif isinstance(value, list):
            kept[key] = [
                _without_secrets(reading, file, one, *above, key, str(number))
                if isinstance(one, dict)
                else one
                for number, one in enumerate(value)
            ]
        elif found := _SECRET_KEY.fullmatch(key):
            path = ".".join((*above, key))
            reading.find(
                file,
                f"{path}: a secret does not belong into this file",
                _elsewhere(key if key in SECRETS else found[1], above),
            )
        else:
            kept[key] = value
    return kept


def _elsewhere(kind: str, above: tuple[str, ...]) -> str:
    if above[:2] == ("transport", "fallback"):
        return f"name a file with {kind}_file beside it"
    if not (name := SECRETS.get(kind)):
        return ""
    return f"set {PREFIX}{name.upper()}, or name a file with {name}_file in bot.toml"
