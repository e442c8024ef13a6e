"""Opens the file to import: bounded, as text, and with the source that reads its kind."""

import re
from pathlib import Path
from typing import cast

from bot import plugins
from bot.errors import InputError
from bot.sources import UNKNOWN, Source

MOST_BYTES = 20 * 1024 * 1024

_CONTROLS = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f]")


def text_of(path: Path) -> str:
    """The text of a file with plain line ends; InputError with the offset of what is no UTF-8 text."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}", "give a file that exists") from error
    if len(data) > MOST_BYTES:
        raise InputError(str(path), f"has more than {MOST_BYTES // 1024 // 1024} MiB", "import it in parts")
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(str(path), "is UTF-16", "save it as UTF-8")
    if (at := data.find(b"\0")) >= 0:
        raise InputError(str(path), f"has a NUL at byte {at}", "this is no text: give a text file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise InputError(str(path), what, "save it as UTF-8") from error
    if found := _CONTROLS.search(text):
        line = text.count("\n", 0, found.start()) + 1
        what = f"has a control character (U+{ord(found[0]):04X})"
        raise InputError(f"{path}:{line}", what, "take it out")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def kinds() -> tuple[str, ...]:
    """The kinds that can be imported from."""
    return tuple(
        kind for kind in plugins.kinds("sources") if hasattr(plugins.find("sources", kind), "recognises")
    )


def source_of(path: Path, text: str, kind: str | None) -> tuple[str, Source]:
    """The source for a text: the one that was named, else the one that is surest it is of its kind."""
    known = kinds()
    if kind is not None and kind not in known:
        mend = f"it is one of {', '.join(known)}{plugins.nearest(kind, known)}"
        raise InputError("--as", f"there is no kind {kind!r}", mend)
    kind = kind or _recognised(path, text, known)
    return kind, _source(kind)


def _source(kind: str) -> Source:
    return cast("Source", plugins.find("sources", kind))


def _recognised(path: Path, text: str, known: tuple[str, ...]) -> str:
    sure = {kind: _source(kind).recognises(path.name, text) for kind in known}
    best = [kind for kind, score in sure.items() if score == max(sure.values()) and score > UNKNOWN]
    if not text.strip():
        raise InputError(str(path), "is empty", "give a newsletter")
    if not best:
        raise InputError(str(path), "is of no kind known here", f"say --as one of {', '.join(known)}")
    if len(best) > 1:
        raise InputError(str(path), f"may be {' or '.join(best)}", "say which with --as")
    return best[0]
