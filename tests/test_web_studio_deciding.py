"""Deciding in the studio: once, of what one saw, by who may; and behind the links of mails."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.signing import sign
from bot.telling.letters import DECIDE, LASTS
from tests.studio import HERE, ISSUE, SECRET, URL, Browser, House, words

DECIDING = f"{ISSUE}/decide"
FAULTY = '---\ntitle: "Two papers"\nweek: 2025-W17\nstatus: perhaps\n---\n'


@pytest.fixture
def ann(house: House) -> Browser:
    return house.at_home()


@pytest.fixture
def bo(house: House) -> Browser:
    browser = house.browser()
    assert browser.post("/studio/sign-in/password", who="bo", password=SECRET).status_code == 303
    return browser


def said(browser: Browser, house: House, verb: str = "approved", **form: str) -> str:
    """What a decision is answered with: where it leads, or the page's words."""
    answer = browser.post(DECIDING, **{"csrf": browser.word(), "verb": verb, "seen": house.hash, **form})
    assert answer.status_code in {303, 400, 409}
    return answer.headers.get("Location") or words(answer)


# -------------------------------------------------------------------------------------------------- deciding


def test_a_yes_is_written_down_with_who_and_from_where(house: House, ann: Browser) -> None:
    assert said(ann, house) == f"{ISSUE}?done=approved"
    assert house.decided() == [("approved", "ann", "studio")]


def test_two_curators_and_a_double_click_are_one_decision(house: House, ann: Browser, bo: Browser) -> None:
    assert said(ann, house) == f"{ISSUE}?done=approved"
    house.later(minutes=12)
    assert said(bo, house) == f"{ISSUE}?done=already-approved"
    assert said(ann, house) == f"{ISSUE}?done=already-approved"
    assert house.decided() == [("approved", "ann", "studio")]
    assert "Already approved by Ann at 09:00." in words(bo.get(f"{ISSUE}?done=already-approved"))


def test_a_yes_to_what_has_changed_meanwhile_is_none(house: House, ann: Browser) -> None:
    seen = house.hash
    house.files.issue(title="Three papers")
    assert said(ann, house, seen=seen).startswith("This draft changed It is not what you looked at any more.")
    assert said(ann, house, seen="").startswith("This draft changed")
    assert house.decided() == []
    assert said(ann, house) == f"{ISSUE}?done=approved"


def test_a_hold_is_lifted_by_a_release_alone(house: House, ann: Browser, bo: Browser) -> None:
    assert said(ann, house, "held") == f"{ISSUE}?done=held"
    assert said(bo, house, "held") == f"{ISSUE}?done=already-held"
    assert "it is held: release it first" in said(bo, house)
    assert said(bo, house, "released") == f"{ISSUE}?done=released"
    assert "it is not held" in said(bo, house, "released")
    assert house.decided() == [("held", "ann", "studio"), ("released", "bo", "studio")]


def test_what_has_errors_is_not_approved_and_the_errors_are_shown(house: House, ann: Browser) -> None:
    file = house.files.issue()
    text = file.read_text("utf-8").replace("https://example.org/1", "https://user:secret@example.org/1")
    file.write_text(text, "utf-8")
    answer = said(ann, house)
    assert answer.startswith("Not approved The checks found what keeps it from going out.")
    assert "content/ai-papers/2025-W17.md:" in answer
    assert house.decided() == []


def test_content_that_cannot_be_read_is_told_with_file_and_line(house: House, ann: Browser) -> None:
    seen = house.hash
    house.files.write("content/ai-papers/2025-W17.md", FAULTY)
    for verb in ("approved", "held"):
        answer = ann.post(DECIDING, csrf=ann.word(), verb=verb, seen=seen)
        assert answer.status_code == 409
        assert "content/ai-papers/2025-W17.md:4" in words(answer)
    assert house.decided() == []


@pytest.mark.parametrize("verb", ["", "approve", "published", "<script>", "approved\0"])
def test_nothing_else_can_be_decided(house: House, ann: Browser, verb: str) -> None:
    assert "nothing that can be decided" in said(ann, house, verb)
    assert house.decided() == []


@pytest.mark.parametrize(
    "path",
    ["/studio/talks/2025-W17", "/studio/ai-papers/2025-W54", "/studio/ai-papers/x", "/studio/../2025-W17"],
)
def test_there_is_nothing_to_decide_where_there_is_no_issue(house: House, ann: Browser, path: str) -> None:
    answer = ann.post(f"{path}/decide", csrf=ann.word(), verb="held", seen="")
    assert answer.status_code == 404
    assert house.decided() == []


def test_looking_decides_nothing(house: House, ann: Browser) -> None:
    for path in (
        DECIDING,
        f"{DECIDING}?verb=held&seen={house.hash}&csrf={ann.word()}",
        f"{ISSUE}?done=approved",
    ):
        for method in ("GET", "HEAD", "OPTIONS"):
            assert ann.open(path, method).status_code in {200, 405}
    assert "Approved" not in words(ann.get(f"{ISSUE}?done=approved"))
    assert house.decided() == []


# ----------------------------------------------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({}, True),  # a browser that says neither, and knows the word
        ({"Origin": HERE}, True),
        ({"Origin": URL}, True),  # by the address of the pages, through a proxy that hands on no name
        ({"Origin": HERE, "Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Origin": "https://evil.example.com"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Origin": "http://127.0.0.1:9000"}, False),
        ({"Origin": "https://127.0.0.1:8000"}, False),
        ({"Origin": f"{URL}.evil.example.com"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Origin": HERE, "Sec-Fetch-Site": "cross-site"}, False),
    ],
)
def test_a_form_is_taken_from_a_page_of_ours(
    house: House, ann: Browser, headers: dict[str, str], *, taken: bool
) -> None:
    form = {"csrf": ann.word(), "verb": "held", "seen": ""}
    assert ann.send(DECIDING, headers, form).status_code == (303 if taken else 403)
    assert bool(house.decided()) == taken


def test_a_form_needs_the_word_of_its_own_session(house: House, ann: Browser, bo: Browser) -> None:
    word = ann.word()
    for csrf in ("", bo.word(), word[:-1], f"{word}x", word.upper(), "é" * 64, "0" * 64):
        assert ann.post(DECIDING, verb="held", csrf=csrf).status_code == 403
    assert ann.post(DECIDING, verb="held").status_code == 403
    assert ann.post("/studio/sign-out").status_code == 403
    assert house.decided() == []
    assert ann.post(DECIDING, verb="held", csrf=word).status_code == 303


@pytest.mark.parametrize(
    "path", ["/studio/sign-in/password", "/studio/sign-in/link", "/studio/sign-in/invite"]
)
def test_no_other_site_signs_somebody_in(house: House, path: str) -> None:
    form = {"who": "bo", "password": SECRET, "email": "bo@example.org"}
    answer = house.browser(HERE).send(path, {"Origin": "https://evil.example.com"}, form)
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (403, False)
    assert (house.said, house.mails()) == ([], [])


# --------------------------------------------------------------------------------------------- links of mails


def link(house: House, **instead: str) -> str:
    """The path of a link in a mail to Bo."""
    said = {"issue": "ai-papers/2025-W17", "hash": house.hash, "verb": "approved", "curator": "bo", **instead}
    return f"/studio/decide/{sign(house.app.signing_key, DECIDE, said, house.now + LASTS)}"


def button(page: str) -> str | None:
    found = re.search(r'<form class="ask" method="post">\s*<button type="submit">(\w+)<', page)
    return found[1] if found else None


def test_a_link_in_a_mail_shows_what_would_be_decided_and_its_button_decides(house: House) -> None:
    to, browser = link(house), house.browser()
    for _ in range(3):
        page = browser.get(to).get_data(as_text=True)
    assert button(page) == "Approve"
    for said in ("Two papers", "2 entries", "goes Fri 25 Apr 2025, 09:00 Europe/Berlin (07:00 UTC)", "Bo B."):
        assert said in page
    assert house.decided() == []
    answer = browser.post(to)
    assert words(answer).startswith("Approve Approved by Bo B. at 09:00.")
    assert "Set-Cookie" not in answer.headers
    assert house.decided() == [("approved", "bo", "mail")]
    house.later(hours=24)
    assert "Already approved by Bo B. at 09:00 on Thu 24 Apr." in words(browser.post(to))
    again = browser.get(to)
    assert "Already approved by Bo B." in words(again)
    assert button(again.get_data(as_text=True)) is None
    assert len(house.decided()) == 1


def test_a_link_in_a_mail_holds_whatever_the_content_has_become(house: House) -> None:
    to = link(house, verb="held")
    house.files.issue(title="Three papers")
    assert button(house.browser().get(to).get_data(as_text=True)) == "Hold"
    assert words(house.browser().post(to)).startswith("Hold Held by Bo B. at 09:00.")
    assert house.decided() == [("held", "bo", "mail")]


def test_a_link_to_approve_what_has_changed_says_so(house: House) -> None:
    to = link(house)
    house.files.issue(title="Three papers")
    page = house.browser().get(to)
    assert "It is not what you looked at any more" in words(page)
    assert button(page.get_data(as_text=True)) is None
    answer = house.browser().post(to)
    assert (answer.status_code, words(answer)[:18]) == (409, "This draft changed")
    assert house.decided() == []


@pytest.mark.parametrize(
    ("instead", "status", "told"),
    [
        ({"curator": "zoe"}, 403, "is no curator any more"),
        ({"curator": ""}, 403, "is no curator any more"),
        ({"issue": "talks/2025-W17"}, 410, "is not here any more"),
        ({"issue": "ai-papers/2025-W54"}, 410, "is not here any more"),
        ({"issue": ""}, 410, "is not here any more"),
        ({"verb": "published"}, 410, "is not here any more"),
        ({"issue": "ai-papers/2019-W01"}, 404, "There is no such issue any more"),
    ],
)
def test_a_link_about_what_is_no_more_is_told_plainly(
    house: House, instead: dict[str, str], status: int, told: str
) -> None:
    answer = house.browser().get(link(house, **instead))
    assert (answer.status_code, told in words(answer)) == (status, True)
    assert house.browser().post(link(house, **instead)).status_code >= 400
    assert house.decided() == []


def test_a_link_that_is_forged_or_too_old_is_told_plainly(house: House) -> None:
    good, key = link(house), house.app.signing_key
    said = {"issue": "ai-papers/2025-W17", "hash": house.hash, "verb": "held", "curator": "bo"}
    until = house.now + timedelta(days=1)
    forged = [good[:-1], f"{good}x", f"{good.rpartition('.')[0]}.x", "/studio/decide/x", "/studio/decide/..x"]
    forged += [f"/studio/decide/{sign(b'x' * 32, DECIDE, said, until)}"]
    forged += [f"/studio/decide/{sign(key, 'studio enter', said, until)}"]
    house.later(days=8)
    for path in (*forged, good):
        for answer in (house.browser().get(path), house.browser().post(path)):
            assert answer.status_code == 410
            assert "This link is not complete, or older than its time." in words(answer)
    assert house.decided() == []


def test_no_other_site_presses_the_button_of_a_link(house: House) -> None:
    answer = house.browser().send(link(house), {"Origin": "https://evil.example.com"}, {})
    assert answer.status_code == 403
    assert house.decided() == []


def test_a_link_may_be_followed_by_whoever_is_signed_in_as_another(house: House, ann: Browser) -> None:
    assert ann.post(link(house)).status_code == 200
    assert house.decided() == [("approved", "bo", "mail")]  # whom it was written to, whatever the browser


def test_hostile_content_is_shown_and_does_nothing(new_house: Callable[..., House]) -> None:
    curators = '[curators.bo]\nname = "<script>alert(1)</script>"\nemail = "bo@example.org"\n'
    house = new_house(curators)
    house.files.issue(title="<script>alert(1)</script><img src=x onerror=alert(1)>")
    for page in (
        house.browser().get(link(house)),
        house.browser().post(link(house)),
        house.at_home().get("/studio"),
    ):
        text = page.get_data(as_text=True)
        assert "alert(1)" in text or page.status_code == 409
        assert "<script>alert" not in text
        assert "<img" not in text
