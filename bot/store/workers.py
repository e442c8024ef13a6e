"""Who works the outbox, and what a worker that is gone leaves behind."""

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select, text, update

from bot.models import DeliveryState
from bot.store import ledger
from bot.store.tables import workers

LEASE = timedelta(minutes=20)
"""How long a worker we cannot look at may be silent; longer than the ten minutes a final dot may take."""
BEAT = timedelta(minutes=1)
"""How often a worker says that it is alive, as long as anything is answered."""

CRASHED = "the process ended before the answer came"
BROKE_OFF = "the run broke off before the answer was written down"
POWER_CUT = "the machine or the database restarted while a batch was being sent"


@dataclass(frozen=True, slots=True)
class Process:
    """One process on one machine, in such a way that a later one with the same pid is another."""

    host: str
    boot: str
    pid: int
    started: str

    @classmethod
    def this(cls) -> "Process":
        """The process that asks."""
        return cls(platform.node(), _boot_id(), os.getpid(), _start_of(os.getpid()) or "")


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""  # no such thing outside Linux: a power cut there looks like a killed process


def _start_of(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; '' where no system says, None where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    except FileNotFoundError:
        return "" if not Path("/proc/self/stat").exists() and _exists(pid) else None
    except (OSError, IndexError):
        return ""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def register(connection: Connection, process: Process, now: datetime) -> int:
    """Enter a worker into the ledger; its id marks what it claims."""
    entered = insert(workers).values(_row(connection, process, now)).returning(workers.c.id)
    number: int = connection.execute(entered).scalar_one()
    return number


def stay(connection: Connection, worker: int, process: Process, now: datetime) -> None:
    """Say that a worker is alive, before it claims; one that was taken for dead is entered again.

    Else nobody would know whose its claims are, and if it died, they would wait for ever.
    """
    if not beat(connection, worker, now):
        connection.execute(insert(workers).values(id=worker, **_row(connection, process, now)))


def _row(connection: Connection, process: Process, now: datetime) -> dict[str, Any]:
    return {
        "host": process.host,
        "boot": _boot(connection, process),
        "pid": process.pid,
        "started": process.started,
        "heartbeat_at": now,
    }


def _boot(connection: Connection, process: Process) -> str:
    """What changes when marks that were not synced may be lost: the machine's boot, PostgreSQL's start."""
    if connection.dialect.name != "postgresql":
        return process.boot
    started = connection.execute(
        text("SELECT extract(epoch FROM pg_postmaster_start_time())::text")
    ).scalar_one()
    return f"{process.boot[:60]}/{started}"


def beat(connection: Connection, worker: int, now: datetime) -> bool:
    """Say that a worker is alive; False where it was taken for dead."""
    living = update(workers).where(workers.c.id == worker).values(heartbeat_at=now)
    return connection.execute(living).rowcount == 1


def leave(connection: Connection, worker: int, now: datetime) -> None:
    """A worker ends: what it claimed and did not begin goes back, what it could not settle is in doubt."""
    ledger.put_in_doubt(connection, worker, [DeliveryState.SENDING], BROKE_OFF, now)
    ledger.release_claims(connection, worker)
    connection.execute(delete(workers).where(workers.c.id == worker))


def recover(
    connection: Connection,
    me: Process,
    now: datetime,
    start_of: Callable[[int], str | None] = _start_of,
) -> int:
    """Settle what dead workers left: being sent → in doubt, claimed → queued; how many are in doubt.

    After a power cut all that was claimed is in doubt, since the marks of what was sent may be lost.
    """
    doubtful = 0
    boot = _boot(connection, me)
    for row in connection.execute(select(workers)).all():
        power_cut = row.boot != boot and (row.host == me.host or _restarted(row.boot, boot))
        if not (power_cut or _is_dead(row.host, row.pid, row.started, row.heartbeat_at, me, now, start_of)):
            continue
        if power_cut:
            doubtful += ledger.put_in_doubt(connection, row.id, [DeliveryState.QUEUED], POWER_CUT, now)
        doubtful += ledger.put_in_doubt(connection, row.id, [DeliveryState.SENDING], CRASHED, now)
        leave(connection, row.id, now)
    return doubtful


def _restarted(then: str, now: str) -> bool:
    """Whether PostgreSQL itself has started anew since, wherever the worker was."""
    return "/" in then and "/" in now and then.rpartition("/")[2] != now.rpartition("/")[2]


def _is_dead(
    host: str,
    pid: int,
    started: str,
    heartbeat: datetime,
    me: Process,
    now: datetime,
    start_of: Callable[[int], str | None],
) -> bool:
    ours = (
        pid == me.pid and started == me.started
    )  # this process lives, and yet a run of it may have broken off
    if host != me.host or ours:
        return now - heartbeat > LEASE
    return start_of(pid) != started
