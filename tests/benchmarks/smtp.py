"""`make bench`: 10,000 copies of a 40 KB issue into Postfix's smtp-sink, beside Postfix's own smtp-source.

Both use ten connections and take turns; what counts is the ratio of each pair, and how memory grows. Our side
is the whole product: readers and ledger in SQLite, publish, outbox, letters, SMTP.
"""

import json
import os
import random
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.channels import email
from bot.models import Consent, Issue, Rendered, Week
from bot.outbox import Terms, work
from bot.publish import Edition, publish
from bot.store import balances, issues, open_store, readers
from bot.store.readers import Wish
from bot.subscriptions import new_token
from bot.transports import smtp

SINK, SOURCE = "/usr/sbin/smtp-sink", "/usr/sbin/smtp-source"
CONNECTIONS = 10
ROUNDS = 3
ISSUE = Issue("bench", Week.parse("2025-W17"), "A benchmark")
LINE = "A line of an issue that is as long as the lines of newsletters tend to be, no more.\n"


def rendered(size: int) -> Rendered:
    """An issue whose mail has about `size` bytes, a third of it text."""
    from bot.slots import Slots  # noqa: PLC0415

    slots = Slots("0123456789abcdef")
    text = LINE * (size // 3 // len(LINE)) + f"{slots.email} {slots.unsubscribe}\n"
    html = "<p>" + LINE * (2 * size // 3 // len(LINE)) + f"{slots.name}, {slots.unsubscribe}</p>"
    return Rendered("A benchmark", "", html, text, "", slots.nonce)


@contextmanager
def sink() -> Iterator[int]:
    """A Postfix smtp-sink on a free port, which takes everything and keeps nothing."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    user = ["-u", "postfix"] if os.getuid() == 0 else []
    process = subprocess.Popen([SINK, *user, f"127.0.0.1:{port}", "1000"])
    try:
        _until_open(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _until_open(port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise RuntimeError("smtp-sink did not start")


def source(port: int, count: int, size: int) -> float:
    """Messages a second by smtp-source, which keeps no books at all."""
    command = [SOURCE, "-s", str(CONNECTIONS), "-m", str(count), "-l", str(size), f"127.0.0.1:{port}"]
    began = time.perf_counter()
    subprocess.run(command, check=True)
    return count / (time.perf_counter() - began)


def ours(port: int, count: int, size: int) -> dict[str, Any]:
    """Messages a second and peak memory by us, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.smtp", "--one", str(port), str(count), str(size)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def one(port: int, count: int, size: int) -> dict[str, Any]:
    """Publish an issue to `count` readers and work the outbox until every row is settled."""
    folder = Path(tempfile.mkdtemp(prefix="broadsheet-bench-"))
    try:
        store = open_store("sqlite:///bench.db", folder)
        now = datetime.now(UTC)
        for first in range(0, count, 1000):
            wishes = [_wish(number) for number in range(first, min(first + 1000, count))]
            with store.write() as connection:
                readers.enter(connection, "bench", wishes, Consent.CONFIRMED, new_token, now)
        channels = {"readers": _channel(port)}
        payloads = {"readers": channels["readers"].freeze(ISSUE, rendered(size))}
        began = time.perf_counter()
        publish(store, Edition(ISSUE, "0" * 64, (), payloads), channels, now)
        with store.read() as connection:
            published = issues.find(connection, "bench", ISSUE.week)
        assert published is not None
        work(store, published.id, channels, payloads, Terms(lambda: datetime.now(UTC), random.random))
        took = time.perf_counter() - began
        with store.read() as connection:
            balance = balances.of_channel(connection, published.id, "readers")
        assert balance.sent == balance.planned == count, balance
        return {"rate": count / took, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    finally:
        shutil.rmtree(folder)


def _wish(number: int) -> Wish:
    return Wish(f"reader{number}@example.org", f"reader{number}@example.org", f"Reader {number}", "en")


def _channel(port: int) -> Any:
    options = smtp.Options(kind="smtp", host="127.0.0.1", port=port, security="none", connections=CONNECTIONS)
    newsletter: Any = SimpleNamespace(
        name="bench",
        sender="Bench <bench@example.org>",
        title="Bench",
        list_id="bench.example.org",
        language="en",
        unnamed="reader",
    )
    settings: Any = SimpleNamespace(url="https://example.org", several=False, dkim=None)
    transport = smtp.build(options, root=Path(), password=None)
    none = email.Options(kind="email")
    return email.build(none, newsletter=newsletter, settings=settings, templates=None, transport=transport)


def main() -> None:
    """Run the rounds and print the ratios."""
    if not (Path(SINK).exists() and Path(SOURCE).exists()):
        sys.exit("the benchmark needs Postfix's smtp-sink and smtp-source: apt-get install postfix")
    count, size = int(os.environ.get("COUNT", "10000")), 40_000
    ratios = []
    with sink() as port:
        small = ours(port, max(count // 10, 1), size)
        for number in range(1, ROUNDS + 1):
            theirs, mine = source(port, count, size), ours(port, count, size)
            ratios.append(mine["rate"] / theirs)
            rates = f"smtp-source {theirs:,.0f}/s, broadsheet {mine['rate']:,.0f}/s"
            print(f"round {number}: {rates}, ratio {ratios[-1]:.2f}", flush=True)
    what = f"{count:,} copies of {size:,} bytes, {CONNECTIONS} connections"
    print(f"median ratio {statistics.median(ratios):.2f} ({what})")
    print(f"peak memory {small['peak']} MB at {count // 10:,} readers, {mine['peak']} MB at {count:,}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(*map(int, sys.argv[2:5]))))
    else:
        main()
