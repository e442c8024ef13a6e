"""The disk: whether there is room where the database and the outbox grow."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from bot.doctor import Patient, Sign, bad, good, warning
from bot.settings import Settings

NETWORK = False
LITTLE, SCARCE = 10**9, 10**8
"""Bytes below which room is little, and too little for an issue to many readers."""


def examine(patient: Patient) -> Iterator[Sign]:
    """Look at each folder that is written to."""
    for folder in folders(patient.settings):
        there = _nearest(folder)
        try:
            free = shutil.disk_usage(there).free
        except OSError as error:
            yield bad(str(folder), error.strerror or type(error).__name__, "make it readable")
            continue
        yield judged(folder, free, writable=there.is_dir() and os.access(there, os.W_OK | os.X_OK))


def folders(settings: Settings) -> list[Path]:
    """The folders that grow: the database's, a Maildir's, those of messages that are only looked at."""
    paths = [Path("var")]
    scheme, _, file = settings.database.partition(":///")
    if scheme == "sqlite" and file:
        paths = [Path(file).parent]
    paths += [getattr(settings.transport, "path", None) or Path("outbox")]
    for newsletter in settings.newsletters.values():
        paths += [path for one in newsletter.channels.values() if (path := getattr(one, "folder", None))]
    return list(dict.fromkeys(settings.root / path for path in paths))


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))


def judged(folder: Path, free: int, *, writable: bool) -> Sign:
    """Judge the room in a folder, in bytes."""
    if not writable:
        return bad(str(folder), "cannot be written to", "give it to the user that runs Broadsheet")
    if free < SCARCE:
        return bad(str(folder), f"{_size(free)} free: too little for an issue to many readers", "make room")
    if free < LITTLE:
        return warning(str(folder), f"only {_size(free)} free", "make room")
    return good(str(folder), f"{_size(free)} free")


def _size(count: int) -> str:
    return f"{count / 10**9:.1f} GB" if count >= LITTLE else f"{count // 10**6} MB"
