"""Who may not decide: strangers, old and forged links, other sites' pages, other newsletters' curators."""

import http.client
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Route, expect
from werkzeug.security import generate_password_hash

from bot.channels import _slack_courier
from tests.stories.curating import CURATORS, WEEK, Newsroom, browsing, visit
from tests.stories.installation import NEWSLETTER

ISSUE = f"/studio/ai-papers/{WEEK}"
SECRET = "correct horse battery"
OTHERS = f"""
[curators.cy]
name = "Cy"
password_hash = "{generate_password_hash(SECRET, method="scrypt:1024:8:1")}"
"""
NEIGHBOUR = "http://127.0.0.1:9999"
"""Another server of this machine: for a browser the same site, so that it sends our cookie along."""


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with Newsroom(tmp_path, "2025-04-24T09:00+02:00", curators=CURATORS) as newsroom:
        newsroom.here.issue()
        other = NEWSLETTER % {"approval": "none", "slack": f'api_url = "{newsroom.slack.url}"\n{OTHERS}'}
        newsroom.here.write("config/newsletters/other.toml", other.replace("ai-papers.", "other."))
        newsroom.open()
        yield newsroom


def asked(
    newsroom: Newsroom,
    path: str,
    headers: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
) -> http.client.HTTPResponse:
    """An answer of the server to somebody who is no browser; it was read already."""
    connection = http.client.HTTPConnection(urlsplit(newsroom.address).netloc, timeout=60)
    body = urlencode(form) if form is not None else None
    typed = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
    connection.request("POST" if form is not None else "GET", path, body, {**typed, **(headers or {})})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_without_a_session_nothing_is_shown_and_nothing_is_decided(newsroom: Newsroom) -> None:
    for path in (
        "/studio",
        ISSUE,
        f"{ISSUE}/frame/email.html",
        f"{ISSUE}/frame/slack/team",
        "/studio/changes?after=x",
        "/studio/nowhere/2025-W17",
    ):
        for cookie in (
            "",
            "studio=x",
            f"studio={'x.' * 2000}",
            "studio=\N{SNOWMAN}".encode().decode("latin-1"),
        ):
            assert asked(newsroom, path, {"Cookie": cookie}).status in {401, 403, 431}, (path, cookie[:20])
    form = {"verb": "approved", "seen": "0" * 64, "csrf": "x"}
    assert asked(newsroom, f"{ISSUE}/decide", form=form).status in {401, 403}
    assert asked(newsroom, f"{ISSUE}/decide?verb=approved").status in {401, 404, 405}
    assert newsroom.decided() == []


def test_links_open_once_and_sessions_end(newsroom: Newsroom, chromium: Browser) -> None:
    link = newsroom.invitation(ISSUE)
    token = urlsplit(link).path.rpartition("/")[2]
    assert asked(newsroom, f"/studio/enter/{token[:-1]}{'a' if token[-1] != 'a' else 'b'}").status == 410
    with browsing(chromium, newsroom.address) as ann, browsing(chromium, newsroom.address) as thief:
        visit(ann.page, link)
        expect(ann.page.get_by_role("button", name="Approve")).to_be_visible()
        visit(thief.page, link)
        expect(thief.page.locator("main")).to_contain_text("This link was used")
        visit(thief.page, f"{newsroom.address}{ISSUE}")
        assert "Two papers" not in thief.text()
        old = newsroom.invitation()
        newsroom.now = newsroom.now.replace(minute=10)
        visit(thief.page, old)
        expect(thief.page.locator("main")).to_contain_text("too old")

        # Twelve hours later her page asks her to sign in, and what it had decided is not decided.
        newsroom.now = newsroom.now.replace(hour=21, minute=11)
        ann.page.get_by_role("button", name="Approve").click()
        expect(ann.page.locator("main")).to_contain_text("Sign in")
        assert newsroom.decided() == []


def test_a_curator_of_another_newsletter_sees_theirs_alone(newsroom: Newsroom, chromium: Browser) -> None:
    with browsing(chromium, newsroom.address) as cy:
        visit(cy.page, f"{newsroom.address}/studio/sign-in")
        for word in ("wrong", SECRET):
            cy.page.locator("[name=who]").fill("cy")
            cy.page.locator("[name=password]").fill(word)
            cy.page.locator("[name=password]").press("Enter")
            expect(cy.page.locator("body")).to_contain_text("is wrong" if word == "wrong" else "Sign out")
        assert "other" in cy.page.content()
        assert "ai-papers" not in cy.page.content()
        for path in (ISSUE, f"{ISSUE}/frame/email.html", f"{ISSUE}/frame/page.html?as=1"):
            answer = cy.page.goto(f"{newsroom.address}{path}")
            assert answer
            assert answer.status == 404
            assert "Two papers" not in cy.text()


def test_another_page_can_neither_decide_nor_frame_the_studio(newsroom: Newsroom, chromium: Browser) -> None:
    newsroom.tick()
    content = newsroom.posts()[0].message["blocks"][-1]["elements"][0]["value"].rpartition("@")[2]
    fields = "".join(
        f'<input name="{name}" value="{value}">'
        for name, value in {"verb": "approved", "seen": content, "csrf": "x"}.items()
    )
    pages = {
        "form": f'<form method="post" action="{newsroom.address}{ISSUE}/decide">{fields}</form>'
        "<script>document.forms[0].submit()</script>",
        "frame": f'<iframe src="{newsroom.address}{ISSUE}"></iframe>',
    }
    for site in (NEIGHBOUR, "https://other.example"):
        with closing(chromium.new_context()) as context:
            page = context.new_page()
            for name, html in pages.items():
                page.route(f"{site}/{name}", partial(_answer, html))
            visit(page, newsroom.invitation(ISSUE))
            expect(page.get_by_role("button", name="Approve")).to_be_visible()
            with page.expect_response(lambda answer: answer.url.endswith("/decide")) as answer:
                visit(page, f"{site}/form")
            assert answer.value.status == 403
            page.wait_for_load_state()
            visit(page, f"{site}/frame")
            inside = page.frames[1].evaluate("document.body ? document.body.innerText : ''")
            assert "Approve" not in inside
    assert newsroom.decided() == []


def _answer(html: str, route: Route) -> None:
    route.fulfill(body=html, content_type="text/html")


def test_a_mail_s_link_decides_by_its_button_alone_and_once(newsroom: Newsroom, chromium: Browser) -> None:
    newsroom.tick()
    (mail,) = newsroom.mails
    link = newsroom.link_in(mail, "Approve")
    with browsing(chromium, newsroom.address) as bo:
        for _ in range(2):
            visit(bo.page, link)
        assert newsroom.decided() == []
        bo.page.get_by_role("button", name="Approve").click()
        expect(bo.page.locator("main")).to_contain_text("Approved by Bo B. at 09:00.")
        visit(bo.page, link)
        expect(bo.page.locator("main")).to_contain_text("Already approved by Bo B.")
        expect(bo.page.locator("main button")).to_have_count(0)
        assert asked(newsroom, f"{urlsplit(link).path[:-3]}abc").status == 410
        newsroom.edit("An intro.", "Another intro.")
        visit(bo.page, link)
        expect(bo.page.locator("main button")).to_have_count(0)
        newsroom.now = newsroom.now.replace(month=5, day=3)
        visit(bo.page, link)
        expect(bo.page.locator("main")).to_contain_text("older than its time")
    assert newsroom.decided() == [("approved", "bo", "mail")]
