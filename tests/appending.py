"""A process that sends by appending a line to a file, and kills itself where it is told to.

python -m tests.appending DATABASE ROOT ISSUE MAILBOX COURIERS [before|after NUMBER]
"""

import os
import signal
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from bot import outbox
from bot.models import Delivery, Receipt
from bot.store import open_store
from tests.recording import PAYLOAD, Recorder


@dataclass(frozen=True)
class Mailbox:
    """A file with a line for each delivery, which no other process breaks."""

    file: int
    death: tuple[str, int]
    numbers: "count[int]"

    def answer(self, delivery: Delivery) -> Receipt:
        number = next(self.numbers)
        self._perhaps_die("before", number)
        assert delivery.reader
        os.write(self.file, f"{delivery.reader.name}\n".encode())
        self._perhaps_die("after", number)
        return Receipt(f"line {number}")

    def _perhaps_die(self, when: str, number: int) -> None:
        if self.death == (when, number):
            os.kill(os.getpid(), signal.SIGKILL)


def main(database: str, root: str, issue: str, mailbox: str, couriers: str, *death: str) -> None:
    outbox.BATCH = 25
    store = open_store(database, Path(root))
    file = os.open(mailbox, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    point = (death[0], int(death[1])) if death else ("never", 0)
    channel = Recorder(Mailbox(file, point, count(1)).answer, concurrency=int(couriers))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    outbox.work(
        store,
        int(issue),
        {"email": channel},
        {"email": PAYLOAD},
        outbox.Terms(lambda: datetime.now(UTC), lambda: 0.0),
    )
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
