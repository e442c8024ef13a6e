"""Secrets that stand alone in a file: those that the configuration names, and the key that we make."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

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


def kept_key(file: Path) -> bytes:
    """A key of 32 random bytes in a file that only its owner reads; made where there is none yet.

    InputError where it can be neither read nor made. Of many processes that make it at once one is heard.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), _fresh(file) as made:
            made.write(secrets.token_hex(32))
        return bytes.fromhex(file.read_text("ascii"))
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or "does not hold a key"
        raise InputError(
            str(file), what, "make it readable, or delete it so that a new one is made"
        ) from error


@contextmanager
def _fresh(file: Path) -> Iterator[IO[str]]:
    """A file that is there as a whole or not at all, and its owner's; FileExistsError where one is there."""
    partial = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    if file.exists():
        raise FileExistsError
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            yield opened
        os.link(partial, file)
    finally:
        partial.unlink(missing_ok=True)


def _refuse(key: str, file: Path, what: str) -> NoReturn:
    raise InputError(key, f"{file}: {what}", "name a readable file that holds the secret alone")
