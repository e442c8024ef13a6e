"""What every answer of the pages has, and what becomes of requests that nobody should make."""

import logging
import re
import shutil
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flask import request
from werkzeug.test import TestResponse

from bot.errors import StoreError
from bot.web import LARGEST_BODY, LONGEST_PATH
from bot.web.door import shown
from tests.website import URL, Website

New = Callable[..., Website]

LANGUAGES = [
    "en", "ar", "de", "es", "fa", "fr", "he", "it", "ja", "ko", "nl", "pl", "pt", "ru", "uk", "zh", "zh-TW",
]  # fmt: skip
EVERYWHERE = ["/", "/issues/2025-W17", "/feed.xml", "/u/x", "/nothing", "/healthz", "/readyz", "/metrics"]


@pytest.fixture
def website(new_website: New) -> Website:
    made = new_website()
    made.publish()
    return made


def policy(answer: TestResponse) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in answer.headers["Content-Security-Policy"].split(";"))
    return {name: value for name, _, value in parts}


# -------------------------------------------------------------------------------------------------- headers


def test_every_answer_is_safe_to_show_and_sets_no_cookie(website: Website) -> None:
    for path, method in product(EVERYWHERE, ["GET", "HEAD", "OPTIONS", "PUT"]):
        answer = website.client.open(path, method=method)
        assert policy(answer)["default-src"] == "'none'", (path, method)
        assert policy(answer)["frame-ancestors"] == "'none'"
        assert "script-src" not in policy(answer)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] in {"strict-origin-when-cross-origin", "no-referrer"}
        assert "Set-Cookie" not in answer.headers
        assert "Server" not in answer.headers


def test_a_page_allows_its_own_styles_by_their_hash_and_no_others(website: Website) -> None:
    website.correct(words="Other words.", at=website.now)
    for path in ("/", "/issues/2025-W17", "/u/x", "/nothing"):
        answer = website.client.get(path)
        page = answer.get_data(as_text=True)
        sheets = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        hashes = [f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in sheets]
        assert policy(answer)["style-src"] == " ".join(hashes)
        assert len(sheets) == 1
        assert " style=" not in page
        assert "<script" not in page


# -------------------------------------------------------------------------------------------------- methods


def test_head_is_get_without_its_body(website: Website) -> None:
    for path in ("/", "/issues/2025-W17", "/feed.xml", "/healthz"):
        got, head = website.client.get(path), website.client.head(path)
        assert (head.status_code, head.data) == (200, b"")
        assert head.headers.get("ETag") == got.headers.get("ETag")
        assert head.headers["Content-Length"] == str(len(got.data))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", {"GET", "HEAD", "OPTIONS"}),
        ("/u/x", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("/feed.xml", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_page_says_which_methods_it_takes_and_refuses_the_others(
    website: Website, path: str, allowed: set[str]
) -> None:
    assert set(website.client.options(path).allow) == allowed
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "X"} - allowed:
        answer = website.client.open(path, method=method)
        assert answer.status_code == 405, method
        assert set(answer.allow) == allowed


# --------------------------------------------------------------------------------------------------- limits


def test_an_address_that_is_too_long_is_refused(website: Website) -> None:
    assert website.client.get("/" + "x" * (LONGEST_PATH - 10)).status_code == 404
    assert website.client.get("/" + "x" * LONGEST_PATH).status_code == 414
    assert website.client.get("/?" + "x" * LONGEST_PATH).status_code == 414


def test_a_form_that_is_too_large_is_refused_and_changes_nothing(website: Website) -> None:
    token = website.reader()
    data = {"List-Unsubscribe": "One-Click", "more": "x" * LARGEST_BODY}
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        assert website.client.post(f"/u/{token}", data=data, content_type=kind).status_code == 413
    many = {"List-Unsubscribe": "One-Click", **{f"field{number}": "x" for number in range(200)}}
    assert (
        website.client.post(f"/u/{token}", data=many, content_type="multipart/form-data").status_code == 413
    )
    assert website.consent() == "confirmed"


# ----------------------------------------------------------------------------------------------- who is asked


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:8000", "[::1]", "a b", "", "é"])
def test_what_a_request_calls_us_is_in_no_answer(website: Website, host: str) -> None:
    headers = {"Host": host, "X-Forwarded-Host": "evil.example.com", "X-Forwarded-Proto": "gopher"}
    for path in (
        "/",
        "/issues/2025-W17",
        "/atom.xml",
        "/ai-papers/feed.xml",
        "/nothing",
    ):
        answer = website.client.get(path, headers=headers)
        assert answer.status_code in {200, 301, 404}
        assert b"evil" not in answer.data
        assert "evil" not in answer.headers.get("Location", "")


def test_whatever_a_page_takes_for_our_host_is_that_of_the_base_url(new_website: New) -> None:
    website = new_website(f"{URL}/letters")
    website.wsgi.add_url_rule(
        "/probe", "probe", lambda: [request.url_root, request.environ["broadsheet.host"]]
    )
    answer = website.client.get("/letters/probe", headers={"Host": "evil.example.com"})
    assert answer.json == [f"{URL}/letters/", "evil.example.com"]


def test_a_redirect_names_no_host(website: Website) -> None:
    moved = website.client.get("/ai-papers/", headers={"Host": "evil.example.com"})
    assert moved.headers["Location"] == "/"
    assert website.client.get("/issues//2025-W17").status_code == 404


# --------------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("path", "method", "status", "words"),
    [
        ("/nothing", "GET", 404, "There is no such page."),
        ("/", "DELETE", 405, "This cannot be asked for."),
        ("/" + "x" * LONGEST_PATH, "GET", 414, "This cannot be asked for."),
    ],
)
def test_what_is_refused_is_refused_in_the_same_look(
    website: Website, path: str, method: str, status: int, words: str
) -> None:
    answer = website.client.open(path, method=method)
    page = answer.get_data(as_text=True)
    assert (answer.status_code, words in page, 'class="name"' in page) == (status, True, True)
    assert "noindex" in page


def test_a_fault_of_ours_shows_nothing_of_what_is_inside(
    website: Website, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret of ada@example.org")

    monkeypatch.setattr("bot.store.archive.shown", broken)
    with caplog.at_level(logging.ERROR):
        answer = website.client.get("/")
    page = answer.get_data(as_text=True)
    assert (answer.status_code, "Something went wrong here." in page) == (500, True)
    for text in (page, caplog.text):
        assert "secret" not in text
        assert "Traceback" not in text
    assert "RuntimeError at bot/web/archive.py:" in caplog.text


def test_a_database_that_is_away_is_told_as_that(website: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise StoreError("ledger.db: gone")

    monkeypatch.setattr("bot.store.archive.shown", away)
    answer = website.client.get("/")
    assert (answer.status_code, b"ledger" in answer.data) == (503, False)


def test_a_template_of_ones_own_that_cannot_be_filled_is_no_traceback(website: Website) -> None:
    template = website.app.settings.root / "templates/web/skeleton.html.j2"
    template.parent.mkdir(parents=True)
    template.write_text("{{ nonsense }}", "utf-8")
    answer = website.client.get("/")
    assert (answer.status_code, answer.data) == (500, b"500\n")


# ----------------------------------------------------------------------------------------------------- log


def logged(website: Website, caplog: pytest.LogCaptureFixture, path: str, **given: Any) -> str:
    with caplog.at_level(logging.INFO, "bot.web"):
        website.client.open(path, **given)
    return caplog.records[-1].getMessage()


def test_a_request_is_one_line_in_the_log(website: Website, caplog: pytest.LogCaptureFixture) -> None:
    assert re.fullmatch(r"GET / 200 \d+ ms", logged(website, caplog, "/"))
    assert re.fullmatch(r"PUT / 405 \d+ ms", logged(website, caplog, "/", method="PUT"))


def test_neither_tokens_nor_addresses_nor_who_asked_are_in_the_log(
    website: Website, caplog: pytest.LogCaptureFixture
) -> None:
    token = website.reader()
    line = logged(website, caplog, f"/u/{token}", environ_base={"REMOTE_ADDR": "203.0.113.9"})
    assert line.startswith("GET /u/… 200 ")
    logged(website, caplog, f"/?email=ada@example.org&token={token}")
    logged(website, caplog, "/ada@example.org/x")
    logged(website, caplog, "/ada%40example.org")
    for secret in (token, "ada", "203.0.113.9"):
        assert secret not in caplog.text


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("/issues/2025-W17", "/issues/2025-W17"),
        ("/u/abc", "/u/…"),
        ("/u/", "/u/…"),
        ("/studio/decide/a.b.c", "/studio/decide/…"),
        ("/a\r\nGET /b", "/a??GET?/b"),
        ("/x@y.example/b", "/…/b"),
        ("/\x1b[31m", "/?[31m"),
        ("/Ã¶", "/ö"),
        ("/\udcff", "/?"),
        ("/" + "x" * 999, "/" + "x" * 199),
        ("", ""),
    ],
)
def test_a_path_in_the_log_is_one_short_line(path: str, line: str) -> None:
    assert shown(path) == line


# -------------------------------------------------------------------------------------------------- language


def test_the_pages_speak_each_language_that_mails_speak(new_website: New) -> None:
    website = new_website()
    templates = website.app.templates.sources(["web/words.j2", "email/words.j2"])
    spoken = {
        name: set(re.findall(r'^  "([a-z-]+)": \{', text, re.MULTILINE)) for name, text in templates.items()
    }
    assert spoken["web/words.j2"] == spoken["email/words.j2"]
    assert len(spoken["web/words.j2"]) == 17


def headings(website: Website) -> list[str]:
    """The fixed words of each page, in its language: what stands on top, and on the buttons."""
    website.publish_many(30)
    path = f"/u/{website.reader()}"
    asked = [
        ("GET", "/page/2"),
        ("GET", path),
        ("POST", path),
        ("GET", "/u/x"),
        ("GET", "/nothing"),
        ("PUT", "/"),
    ]
    found = []
    for method, address in asked:
        data = {"leave": "yes"} if method == "POST" else None
        page = website.client.open(address, method=method, data=data).get_data(as_text=True)
        found += re.findall("<(?:h1|button|nav|p role)[^>]*>(.*?)</(?:h1|button|nav|p)>", page, re.DOTALL)
    return found


def test_no_fixed_word_is_left_in_english_in_any_other_language(tmp_path: Path, migrated: Path) -> None:
    said: dict[str, list[str]] = {}
    for language in LANGUAGES:
        root = tmp_path / language
        root.mkdir()
        shutil.copyfile(migrated, root / "ledger.db")
        with closing(Website(root, ai_papers={"language": language})) as website:
            said[language] = headings(website)
    for language, words in said.items():
        assert len(words) == len(said["en"]) > 8
        same = [one for one, other in zip(words, said["en"], strict=True) if one == other]
        assert language == "en" or same == [], language


def test_where_the_words_are_english_for_want_of_others_they_say_so(new_website: New) -> None:
    page = new_website(ai_papers={"language": "sw"}).client.get("/").get_data(as_text=True)
    assert '<html lang="sw" dir="ltr">' in page
    assert '<h1 lang="en" dir="ltr">All issues</h1>' in page


def test_links_begin_with_the_base_url_alone(new_website: New) -> None:
    website = new_website(f"{URL}/letters/")
    website.publish()
    page = website.client.get("/").get_data(as_text=True)
    assert f'<link rel="canonical" href="{URL}/letters/">' in page
