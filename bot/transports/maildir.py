"""Maildir: each mail becomes a file that any mail program can open; nothing leaves the machine."""

import os
import re
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from pydantic import SecretStr

from bot import plugins
from bot.errors import StopRunError
from bot.models import Receipt
from bot.steps import Aside, Steps
from bot.transports import Connection


class Options(plugins.Options):
    """`[transport]` with `kind = "maildir"`."""

    path: Path = Path("outbox/maildir")
    """The folder with `new/`, `cur/` and `tmp/`."""


def build(options: Options, *, root: Path, password: SecretStr | None) -> "_Maildir":  # noqa: ARG001 (files need none)
    """The transport that writes into a folder."""
    return _Maildir(root / options.path, f"maildir {options.path}")


class _Maildir:
    connections = 2
    local = True

    def __init__(self, folder: Path, by: str) -> None:
        self._folder, self.by = folder, by

    def connect(self) -> Connection:
        return _Writer(self._folder)


class _Writer:
    """Writes into `tmp/` and moves to `new/`, so that no reader of the folder sees half a mail.

    A mail's name comes from its Message-ID: the same mail again replaces itself.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ready = False

    def ready(self) -> Steps[bool]:
        yield from ()  # a folder has no limits
        return True

    def send(self, sender: str, recipient: str, pieces: Sequence[bytes]) -> Steps[Receipt]:  # noqa: ARG002 (a file has no envelope)
        receipt: Receipt = yield Aside(partial(self._written, b"".join(pieces)))
        return receipt

    def _written(self, message: bytes) -> Receipt:
        name = _name(message)
        try:
            self._make_folders()
            partial = self._folder / "tmp" / name
            with partial.open("wb") as file:
                file.write(message)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self._folder / "new" / name)
        except OSError as error:
            raise StopRunError(f"{self._folder}: {error.strerror}: make it writable") from error
        return Receipt(name)

    def _make_folders(self) -> None:
        if not self._ready:
            for part in ("tmp", "new", "cur"):
                (self._folder / part).mkdir(parents=True, exist_ok=True)
            self._ready = True

    def close(self) -> Steps[None]:
        yield from ()  # every file is closed already


def _name(message: bytes) -> str:
    head = message.partition(b"\r\n\r\n")[0]
    found = re.search(rb"^Message-ID: (\S+)", head, re.MULTILINE | re.IGNORECASE)
    return f"{sha256(found[1] if found else message).hexdigest()[:32]}.eml"
