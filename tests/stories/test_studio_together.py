"""Several people at once: one decision, and whoever comes second is told whose it was, and when."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.security import generate_password_hash

from bot.channels import _slack_courier
from tests.stories.curating import CURATORS, PATIENCE, WEEK, Newsroom, browsing, visit

ISSUE = f"/studio/ai-papers/{WEEK}"
SECRET = "correct horse battery"
TWICE = """() => {
    const button = document.querySelector("[value=approved]");
    setTimeout(() => button.click(), 0); setTimeout(() => button.click(), 1);
}"""
BOTH = CURATORS.replace(
    'email = "bo@example.org"\n',
    'email = "bo@example.org"\n'
    f'password_hash = "{generate_password_hash(SECRET, method="scrypt:1024:8:1")}"\n',
)


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with Newsroom(tmp_path, "2025-04-24T09:00+02:00", curators=BOTH) as newsroom:
        newsroom.here.issue()
        yield newsroom.open()


def signed_in(page: Page, newsroom: Newsroom) -> None:
    """Bo, by his password, at the page that he asked for."""
    page.goto(f"{newsroom.address}{ISSUE}")
    page.locator("[name=who]").fill("bo")
    page.locator("[name=password]").fill(SECRET)
    page.locator("[name=password]").press("Enter")
    expect(page.get_by_role("button", name="Approve")).to_be_visible(timeout=PATIENCE)


def test_two_curators_and_one_decision(newsroom: Newsroom, chromium: Browser) -> None:
    with browsing(chromium, newsroom.address) as ann, browsing(chromium, newsroom.address) as bo:
        visit(ann.page, newsroom.invitation(ISSUE))
        signed_in(bo.page, newsroom)

        # Bo looks on while Ann says yes: his page says so by itself.
        newsroom.now = newsroom.now.replace(minute=12)
        ann.page.get_by_role("button", name="Approve").click()
        expect(ann.page.locator(".said")).to_have_text("Approved by Ann at 09:12.")
        expect(bo.page.locator(".decision")).to_contain_text("by Ann", timeout=PATIENCE)
        expect(bo.page.get_by_role("button", name="Approve")).to_have_count(0)

        # It changes, and both press before either page has heard of the other.
        newsroom.edit("An intro.", "Another intro.")
        for page in (ann.page, bo.page):
            expect(page.get_by_role("button", name="Approve")).to_be_visible(timeout=PATIENCE)
        newsroom.now = newsroom.now.replace(minute=20)
        for page in (ann.page, bo.page):  # neither waits for an answer, and both press twice
            page.evaluate(TWICE)
        for page in (ann.page, bo.page):
            expect(page.locator(".said")).to_have_text(re.compile("pproved by .* at 09:20"), timeout=PATIENCE)
        told = [page.locator(".said").inner_text() for page in (ann.page, bo.page)]
    first = [verb for verb in newsroom.decided() if verb[0] == "approved"]
    assert len(first) == 2
    name = {"ann": "Ann", "bo": "Bo B."}[first[-1][1]]
    assert {one.partition(" by ")[2] for one in told} == {f"{name} at 09:20."}
    assert sum(one.startswith("Already") for one in told) >= 1
