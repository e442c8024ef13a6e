"""Secrets that stand alone in a file which the configuration names."""

from pathlib import Path
from typing import NoReturn

from pydantic import SecretStr

from bot.errors import InputError


def read_secret(root: Path, file: Path, key: str) -> SecretStr:
    """The one line of a file, relative to `root`; InputError names the `key` that named the file."""
    try:
        text = (root / file).read_text("utf-8-sig").strip()
    except OSError as error:
        _refuse(key, file, error.strerror or type(error).__name__)
    except UnicodeDecodeError:
        _refuse(key, file, "is not text")
    if not text or not text.isprintable():
        _refuse(key, file, "does not hold one line")
    return SecretStr(text)


def _refuse(key: str, file: Path, what: str) -> NoReturn:
    raise InputError(key, f"{file}: {what}", "name a readable file that holds the secret alone")
