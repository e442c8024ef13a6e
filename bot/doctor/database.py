"""The database: whether it opens, knows this release's tables, can be written to, and is where it may be."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.doctor import Patient, Sign, bad, good, warning
from bot.store.condition import Condition, condition

NETWORK = False  # a PostgreSQL elsewhere is asked all the same: without the database nothing works
OLDEST = 14
"""The oldest PostgreSQL that its makers still mend."""
MOUNTS = Path("/proc/self/mounts")
_ELSEWHERE = {
    "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
    "smb3", "smbfs", "vboxsf", "virtiofs",
}  # fmt: skip
_LOCAL_FUSE = {"fuse.ext4", "fuse.fuse-overlayfs", "fuse.ntfs-3g", "fuseblk"}


def examine(patient: Patient) -> Iterator[Sign]:
    """Look at the database as it is, and at the disk below it."""
    found = condition(patient.settings.database, patient.settings.root)
    mounts = MOUNTS.read_text("utf-8", "replace").splitlines() if MOUNTS.exists() else []
    yield from judged(found, filesystem(found.file, mounts) if found.file else "")


def judged(found: Condition, kind: str) -> Iterator[Sign]:
    """Judge a database that opens; `kind` is the file system that an SQLite file is on."""
    if found.file and not found.version:
        yield good(found.name, "not there yet: the first command makes it")
    elif found.revision is None:
        yield good(found.name, f"{found.server}: opens, and is empty: the first command makes its tables")
    elif found.revision > found.head:
        yield bad(found.name, f"made by a newer release ({found.revision})", "install that release")
    elif found.revision < found.head:
        words = (
            f"{found.server}: of an older release ({found.revision}): the next command brings it up to date"
        )
        yield warning(found.name, words, "make a backup first")
    else:
        yield good(
            found.name, f"{found.server}: opens, is up to date ({found.revision}) and can be written to"
        )
    if is_elsewhere(kind):
        mend = "put it on a disk of this machine, or use PostgreSQL"
        yield warning(
            found.name, f"SQLite on {kind}, a file system of another machine: locks may not hold", mend
        )
    if found.file is None and found.version and found.version[0] < OLDEST:
        yield warning(found.name, f"{found.server} is no longer mended", f"move to {OLDEST} or newer")


def filesystem(file: Path, mounts: Iterable[str]) -> str:
    """The kind of file system that a file is on, from lines of /proc/self/mounts; nothing where none fits."""
    best, kind = -1, ""
    for line in mounts:
        words = line.split(" ")
        if len(words) < 3:  # noqa: PLR2004 (device, folder, kind)
            continue
        folder = Path(_unescaped(words[1]))
        if file.resolve().is_relative_to(folder) and len(folder.parts) >= best:
            best, kind = len(folder.parts), words[2]
    return kind


def _unescaped(text: str) -> str:
    """A folder whose blanks and tabs the kernel wrote as octal codes."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, char)
    return text


def is_elsewhere(kind: str) -> bool:
    """Whether a file system is another machine's: SQLite's write-ahead log needs shared memory."""
    return kind in _ELSEWHERE or (kind.startswith("fuse") and kind not in _LOCAL_FUSE)
