"""However files are saved, broken, renamed or taken away: the page ends at the last state, and says so."""

import http.client
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from bot.channels import _slack_courier
from tests.stories.curating import PATIENCE, WEEK, Newsroom, browsing, visit

ISSUE = f"/studio/ai-papers/{WEEK}"


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with Newsroom(tmp_path, "2025-04-24T09:00+02:00") as newsroom:
        newsroom.here.issue()
        newsroom.here.write("templates/email/words.txt", "")
        yield newsroom.open()


def swapped(path: Path, text: str) -> None:
    """Save as most editors do: a file beside it takes its place."""
    beside = path.with_name(f".{path.name}.swp")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def in_halves(path: Path, text: str) -> None:
    """Save in pieces, each of which somebody may read."""
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, len(text), 40):
            file.write(text[start : start + 40])
            file.flush()


def renamed(path: Path, text: str) -> None:
    """Save as editors do that keep the old file: away with it, then anew."""
    path.replace(path.with_name(f"{path.name}~"))
    path.write_text(text, "utf-8")


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_fifty_saves_in_a_row_end_at_the_last(newsroom: Newsroom, chromium: Browser) -> None:
    path, words = newsroom.path, newsroom.path.read_text("utf-8")
    with browsing(chromium, newsroom.address) as ann:
        page = ann.page
        visit(page, newsroom.invitation(ISSUE))
        threads = threading.active_count()
        for number in range(50):
            save = (Path.write_text, swapped, in_halves, renamed)[number % 4]
            text = words.replace("An intro.", f"Intro number {number}.")
            broken = number % 7 == 3  # now and then, one that cannot be read
            save(path, text.replace("week:", "weak:") if broken else text)
            if number % 10 == 9:  # and one that is away for a moment
                path.unlink()
                path.write_text(text, "utf-8")
        last = page.frame_locator("#pane-desktop").locator("body")
        expect(last).to_contain_text("Intro number 49.", timeout=PATIENCE)
        assert threading.active_count() <= threads + 2
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".said")).to_contain_text("Approved by Ann")


def test_what_cannot_be_read_is_told_in_place_and_mended_by_the_next_save(
    newsroom: Newsroom, chromium: Browser
) -> None:
    path, words = newsroom.path, newsroom.path.read_text("utf-8")
    config = newsroom.here.root / "config/newsletters/ai-papers.toml"
    settings = config.read_text("utf-8")
    with browsing(chromium, newsroom.address) as ann:
        page = ann.page
        visit(page, newsroom.invitation(ISSUE))
        main = page.locator("body")

        def shows(what: str) -> None:
            expect(main).to_contain_text(what, timeout=PATIENCE)
            assert "Traceback" not in ann.text()

        def mended() -> None:
            seen = page.frame_locator("#pane-desktop").locator("body")
            expect(seen).to_contain_text("A first paper", timeout=PATIENCE)
            expect(page.locator(".fault")).to_have_count(0)

        # Content: the file, the line, the words around it.
        path.write_text(
            words.replace("[Paper](https://example.org/1)", "[Paper](htp://example.org/1)"), "utf-8"
        )
        shows("content/ai-papers/2025-W17.md:11")
        path.write_text(words, "utf-8")
        mended()
        path.write_bytes(b"\xff\xfe\x00not text at all")
        shows("content/ai-papers/2025-W17.md")
        path.unlink()
        shows("2025-W17")
        path.write_text(words, "utf-8")
        mended()

        # A template of the installation's own, with a mistake in it.
        for mistake in ("{% if %}", "{{ nothing_of_that_name }}"):
            own = newsroom.here.write("templates/email/subject.txt.j2", mistake)
            shows("subject.txt.j2")
            own.unlink()
            mended()

        # The configuration: what is shown stays, and what is wrong stands above it.
        for wrong in (settings.replace('day = "fri"', 'day = "fry"'), "["):
            config.write_text(wrong, "utf-8")
            shows("The configuration cannot be read")
            shows("ai-papers.toml")
            config.write_text(settings, "utf-8")
            mended()
        swapped(config, settings.replace("AI Papers of the Week", "Papers, Weekly"))
        shows("Papers, Weekly")
        config.unlink()
        shows("ai-papers")
        config.write_text(settings, "utf-8")
        mended()


def test_pages_that_wait_and_go_leave_nothing_behind(newsroom: Newsroom) -> None:
    address = urlsplit(newsroom.address).netloc
    link = urlsplit(newsroom.invitation())
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("GET", link.path)
    answer = connection.getresponse()
    answer.read()
    cookie = (answer.headers["Set-Cookie"] or "").partition(";")[0]
    before, files = threading.active_count(), open_files()
    for _ in range(40):
        waiting = http.client.HTTPConnection(address, timeout=60)
        waiting.request("GET", f"/studio/changes?after={newsroom.studio.number}", headers={"Cookie": cookie})
        waiting.close()
    connection.request("GET", "/studio/changes?after=x", headers={"Cookie": cookie})
    answer = connection.getresponse()
    assert json.loads(answer.read())["number"] == newsroom.studio.number
    assert threading.active_count() <= before + 1
    assert open_files() <= files + 45
    connection.close()


def test_a_save_leaves_a_curator_where_they_were_and_what_they_were_typing(
    newsroom: Newsroom, chromium: Browser
) -> None:
    path, words = newsroom.path, newsroom.path.read_text("utf-8")
    with browsing(chromium, newsroom.address) as ann:
        page = ann.page
        visit(page, newsroom.invitation(ISSUE))
        page.locator("#show-desktop").check(force=True)
        page.locator("#find").press_sequentially("rea")
        began = page.evaluate("() => performance.timeOrigin")
        path.write_text(words.replace("title: ", 'title: "Another" # '), "utf-8")
        expect(page.locator("h1")).to_have_text("Another", timeout=PATIENCE)
        expect(page).to_have_title(re.compile("Another"))
        expect(page.locator("#find")).to_have_value("rea")
        expect(page.locator("#find")).to_be_focused()
        expect(page.locator("#show-desktop")).to_be_checked()
        # It is the same page still, and the yes is to what it shows now.
        assert page.evaluate("() => performance.timeOrigin") == began
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".said")).to_contain_text("Approved by Ann")
