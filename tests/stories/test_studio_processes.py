"""The studio of the real commands: the link in the terminal, each save, an end when it is asked to end."""

import json
import queue
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO

import pytest
from playwright.sync_api import Browser, expect

from tests.stories.curating import PATIENCE, WEEK, browsing
from tests.stories.installation import Installation

CURATORS = 'folder = "outbox/slack"\n\n[curators.ann]\nname = "Ann"\nemail = "ann@example.org"\n'
LINK = re.compile(r"http://127\.0\.0\.1:\d+/studio/enter/\S+")


@contextmanager
def running(here: Installation, *words: str) -> Iterator[str]:
    """A command that serves the studio, and the link that it prints; ended as by Ctrl-C, it ends well."""
    process = here.start(*words)
    told: queue.Queue[str] = queue.Queue()
    readers = [Thread(target=_read, args=(stream, told)) for stream in (process.stdout, process.stderr)]
    for reader in readers:
        reader.start()
    try:
        lines: list[str] = []
        while not (found := LINK.search(lines[-1] if lines else "")):
            lines.append(told.get(timeout=60))
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=60)
        for reader in readers:
            reader.join()
    rest = "".join([*lines, *_left(told)])
    assert (status, "Traceback" in rest) == (0, False), rest


def _read(stream: IO[str] | None, told: "queue.Queue[str]") -> None:
    assert stream
    with stream:
        for line in stream:
            told.put(line)


def _left(told: "queue.Queue[str]") -> Iterator[str]:
    while not told.empty():
        yield told.get()


@pytest.mark.parametrize("words", [("preview", WEEK, "--no-open"), ("run",), ("serve",)])
def test_a_curator_comes_in_by_the_link_of_the_terminal(
    tmp_path: Path, chromium: Browser, words: tuple[str, ...]
) -> None:
    here = Installation(tmp_path, approval="required", slack=CURATORS)
    path = here.issue()
    with running(here, *words) as link:
        address = link.partition("/studio")[0]
        with browsing(chromium, address) as ann:
            page = ann.page
            page.goto(link)
            if words[0] != "preview":
                page.goto(f"{address}/studio/ai-papers/{WEEK}")
            expect(page.locator("h1")).to_have_text("Two papers", timeout=PATIENCE)
            path.write_text(path.read_text("utf-8").replace("Two papers", "Two new papers"), "utf-8")
            expect(page.locator("h1")).to_have_text("Two new papers", timeout=PATIENCE)
            page.get_by_role("button", name="Hold").click()
            expect(page.locator(".decision")).to_contain_text("by Ann", timeout=PATIENCE)
    row = next(one for one in here("issues", "--format", "json").json if one["issue"] == WEEK)
    assert "held" in json.dumps(row)
