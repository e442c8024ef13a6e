"""Nobody gets into the studio but curators, and nothing tells a stranger who they are."""

import logging
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from werkzeug.security import generate_password_hash

from bot.signing import sign
from bot.telling.entering import ENTER, LASTS
from bot.web.studio import DOORS, OPEN
from tests.studio import EVE, HERE, ISSUE, QUICK, SECRET, URL, Browser, House, words

PROTECTED = ["/studio", "/studio/", ISSUE, "/studio/changes?after=x", "/studio/x/2025-W99", "/studio/x/y/z"]


def asked_by_mail(house: House, email: str = "ann@example.org", **form: str) -> str:
    """The link that a curator was written."""
    before = len(house.mails())
    assert house.browser().post("/studio/sign-in/link", email=email, **form).status_code == 200
    mails = house.mails()
    assert len(mails) == before + 1
    return mails[-1][1]


def signed_in(house: House, email: str = "ann@example.org") -> Browser:
    browser = house.browser()
    assert browser.post(asked_by_mail(house, email)).status_code == 303
    return browser


def is_in(browser: Browser) -> bool:
    return browser.get("/studio").status_code == 200


# -------------------------------------------------------------------------------------------------- strangers


@pytest.mark.parametrize("base", [URL, HERE])
def test_a_stranger_sees_the_door_and_nothing_else(house: House, base: str) -> None:
    browser = house.browser(base)
    for path in PROTECTED[:4]:
        answer = browser.get(path)
        assert answer.status_code == 403
        assert words(answer).startswith("Sign in")
        assert "AI Papers" not in answer.get_data(as_text=True)
        assert "Ann" not in answer.get_data(as_text=True)
    for path in PROTECTED:
        answer = browser.post(path)
        assert answer.status_code in {403, 404, 405}
        assert "Set-Cookie" not in answer.headers
    assert browser.post(f"{ISSUE}/decide", verb="approved", seen=house.hash).status_code == 403
    assert house.decided() == []


def test_every_page_needs_somebody_signed_in_unless_it_is_a_door(house: House) -> None:
    """Also those that others add: what a door is stands in one list."""
    browser = house.browser()
    for rule in house.wsgi.url_map.iter_rules():
        group, _, name = rule.endpoint.partition(".")
        if group != "studio" or name in OPEN:
            continue
        path = re.sub(r"<[^>]*>", "x", rule.rule)
        for method in (rule.methods or set()) - {"OPTIONS"}:
            answer = browser.open(path, method)
            assert answer.status_code == 403, (method, path)
    assert DOORS < OPEN


def test_every_answer_of_the_studio_is_kept_by_nobody_and_framed_by_nobody(house: House) -> None:
    stranger, ann = house.browser(), house.at_home()
    for browser, path in [
        *((stranger, path) for path in (*PROTECTED[:4], "/studio/enter/x", "/studio/decide/x")),
        *((ann, path) for path in ("/studio", "/studio/sign-in")),
    ]:
        answer = browser.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy, path
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
        page = answer.get_data(as_text=True)
        assert " style=" not in page
        assert not re.search(r"<script(?! src=)|\son\w+=", page)


# ------------------------------------------------------------------------------------------------- terminal


def test_the_link_of_the_terminal_opens_once_and_leads_to_its_page(house: House) -> None:
    link = house.studio.invite(f"{HERE}/", ISSUE)
    assert link
    first, second = house.browser(HERE), house.browser(HERE)
    answer = first.get(link.removeprefix(HERE))
    assert (answer.status_code, answer.headers["Location"]) == (303, ISSUE)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("studio=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/studio", "Max-Age=43200"} < {*re.split("; ", cookie)}
    assert "Secure" not in cookie  # there is no https on this machine's own address
    assert is_in(first)
    assert second.get(link.removeprefix(HERE)).status_code == 410
    assert not is_in(second)


def test_the_link_of_the_terminal_is_too_old_after_ten_minutes(house: House) -> None:
    link = house.studio.invite(f"{HERE}/")
    assert link
    house.later(minutes=10)
    assert house.browser(HERE).get(link.removeprefix(HERE)).status_code == 410


@pytest.mark.parametrize(
    ("base", "peer", "headers"),
    [
        (URL, "127.0.0.1", {}),  # through a proxy that hands the name on
        (HERE, "192.0.2.7", {}),
        ("http://evil.example.com", "127.0.0.1", {}),  # a name that leads to this machine
        (HERE, "127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}),
        (HERE, "127.0.0.1", {"Via": "1.1 proxy"}),
    ],
)
def test_what_the_terminal_opened_is_open_on_the_machine_alone(
    house: House, base: str, peer: str, headers: dict[str, str]
) -> None:
    link = (house.studio.invite(f"{HERE}/") or "").removeprefix(HERE)
    assert house.browser(base).get(link, headers, peer).status_code == 410
    cookie = f"studio={house.at_home().cookies()['studio']}"
    assert house.browser(base, cookie).get("/studio", headers, peer).status_code == 403
    assert house.browser(HERE, cookie).get("/studio").status_code == 200


def test_another_link_is_printed_in_the_terminal_and_nowhere_else(house: House) -> None:
    browser = house.browser(HERE)
    answer = browser.post("/studio/sign-in/invite", to=ISSUE)
    link = re.search(r"http://127\.0\.0\.1:8000(/studio/enter/\S+)", "".join(house.said))
    assert link
    assert link[1] not in answer.get_data(as_text=True)
    browser.post("/studio/sign-in/invite")
    assert len(house.said) == 1  # a page that asks in a loop does not fill the terminal
    house.later(seconds=5)
    browser.post("/studio/sign-in/invite")
    assert len(house.said) == 2
    assert house.browser().post("/studio/sign-in/invite").status_code == 404
    assert browser.get(link[1]).headers["Location"] == ISSUE


def test_where_the_pages_listen_to_others_the_terminal_opens_nothing(house: House) -> None:
    house.open(listen="0.0.0.0:8000")
    assert house.studio.invite(f"{HERE}/") is None
    assert house.browser().post("/studio/sign-in/invite").status_code == 404


# ----------------------------------------------------------------------------------------------------- mail


def test_a_link_by_mail_opens_once_and_only_when_its_button_is_pressed(house: House) -> None:
    link = asked_by_mail(house, to=ISSUE)
    assert house.mails()[0][0] == "Ann <ann@example.org>"
    for _ in range(3):  # a scanner, another scanner, the curator
        answer = house.browser().get(link)
        assert (answer.status_code, words(answer)) == (200, "Open the studio You come in as Ann . Come in")
        assert "Set-Cookie" not in answer.headers
    browser = house.browser()
    answer = browser.post(link)
    assert (answer.status_code, answer.headers["Location"]) == (303, ISSUE)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Secure-studio=")
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/studio"} < {*re.split("; ", cookie)}
    assert is_in(browser)
    for again in (house.browser().get(link), house.browser().post(link)):
        assert again.status_code == 410
        assert "This link was used" in words(again)
        assert "Set-Cookie" not in again.headers


def test_a_link_by_mail_is_used_up_for_every_process_of_the_installation(house: House) -> None:
    link = asked_by_mail(house)
    assert house.browser().post(link).status_code == 303
    house.close()
    house.open()
    assert house.browser().post(link).status_code == 410


def test_a_link_by_mail_is_too_old_after_twenty_minutes(house: House) -> None:
    link = asked_by_mail(house)
    house.later(minutes=20)
    assert house.browser().get(link).status_code == 410
    assert house.browser().post(link).status_code == 410


def test_the_answer_to_a_stranger_is_that_to_a_curator(house: House) -> None:
    known = house.browser().post("/studio/sign-in/link", email="ann@example.org")
    others = ["nobody@example.org", "", "ann", "x" * 300, "ann@example.org\r\nBcc: all@example.org", "<b>@x"]
    for email in others:
        answer = house.browser().post("/studio/sign-in/link", email=email)
        assert (answer.status_code, answer.data) == (known.status_code, known.data)
        assert {*answer.headers} == {*known.headers}
    assert [to for to, _ in house.mails()] == ["Ann <ann@example.org>"]


def test_links_are_written_to_an_address_a_few_times_and_the_answer_stays_the_same(house: House) -> None:
    answers = {house.browser().post("/studio/sign-in/link", email="Ann@example.org").data for _ in range(5)}
    assert len(answers) == 1
    assert len(house.mails()) == 3
    house.later(minutes=20)
    asked_by_mail(house)


def test_a_link_is_for_who_is_a_curator_when_it_is_used(house: House) -> None:
    link = asked_by_mail(house)
    house.rewrite('email = "ann@example.org"', 'slack = "U0000000001"')
    assert house.browser().post(link).status_code == 410


@pytest.mark.parametrize("name", ["newsletter", "curator", "nonce", "to"])
def test_a_forged_link_opens_nothing(house: House, name: str) -> None:
    what = {"newsletter": "ai-papers", "curator": "ann", "nonce": "0" * 32, "to": ""}
    key, until = house.app.signing_key, EVE + LASTS
    good, other = sign(key, ENTER, what, until), sign(key, ENTER, {**what, name: "bo"}, until)
    body, _, signature = good.rpartition(".")
    forged = [
        f"{other.rpartition('.')[0]}.{signature}",
        f"{body}.",
        sign(key, "decide", what, until),
        sign(b"x" * 32, ENTER, what, until),
        quote("../../") + body,
        "x" * 1800,
    ]
    for word in forged:
        assert house.browser().post(f"/studio/enter/{word}").status_code in {404, 410}, word
    assert house.browser().post(f"/studio/enter/{good}").status_code == 303


# ------------------------------------------------------------------------------------------------ passwords


def enter(
    house: House, who: str = "bo", password: str = SECRET, browser: Browser | None = None, **form: str
) -> int:
    browser = browser or house.browser()
    return browser.post("/studio/sign-in/password", who=who, password=password, **form).status_code


def test_a_password_opens_for_its_curator_alone(house: House) -> None:
    browser = house.browser()
    assert enter(house, browser=browser, to=ISSUE) == 303
    assert is_in(browser)
    assert "Bo B." in browser.get("/studio").get_data(as_text=True)
    assert set(browser.cookies()) == {"__Secure-studio"}


def test_whatever_is_wrong_with_a_name_or_a_password_the_answer_is_the_same(house: House) -> None:
    answers = set()
    for who, password in [("bo", "wrong"), ("ann", SECRET), ("nobody", SECRET), ("", ""), ("bo", "x" * 5000)]:
        answer = house.browser().post("/studio/sign-in/password", who=who, password=password)
        assert answer.status_code == 403
        answers.add(answer.data)
        house.later(hours=1)
    assert len({re.sub(rb'data-now="[^"]*"', b"", one) for one in answers}) == 1


def test_wrong_passwords_are_answered_with_growing_waits_and_a_right_one_is_heard_after(house: House) -> None:
    assert [enter(house, password="wrong") for _ in range(3)] == [403] * 3
    answer = house.browser().post("/studio/sign-in/password", who="bo", password=SECRET)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert "Try again in 1 seconds" in words(answer)
    house.later(seconds=1)
    assert enter(house) == 303
    assert enter(house) == 303


def test_the_wait_is_that_of_the_name_however_it_is_written(house: House) -> None:
    for who in ("bo", " BO ", "Bo"):
        assert enter(house, who, "wrong") == 403
    assert enter(house) == 429


def test_without_passwords_in_the_configuration_nobody_is_asked_for_one(
    new_house: Callable[..., House],
) -> None:
    house = new_house('[curators.ann]\nemail = "ann@example.org"\n', base_url=URL)
    assert "password" not in words(house.browser().get("/studio")).lower()
    assert enter(house) == 404


def test_the_door_says_that_nobody_can_come_in_where_that_is_so(new_house: Callable[..., House]) -> None:
    house = new_house('[curators.ann]\nslack = "U0000000001"\n', base_url=URL)
    assert "Nobody can sign in from here" in words(house.browser().get("/studio"))


def test_a_studio_that_sends_nothing_is_entered_by_the_terminal_alone(house: House) -> None:
    house.open(sends=False)
    browser = house.browser(HERE)
    door = browser.get("/studio").get_data(as_text=True)
    assert ("sign-in/link" in door, "sign-in/password" in door, "sign-in/invite" in door) == (
        False,
        False,
        True,
    )
    assert enter(house) == 404
    browser.post("/studio/sign-in/link", email="ann@example.org")
    assert house.mails() == []


# ---------------------------------------------------------------------------------- where one goes from there


@pytest.mark.parametrize(
    ("to", "lands"),
    [
        (ISSUE, ISSUE),
        ("/studio", "/studio"),
        ("", "/studio"),
        ("https://evil.example.com/", "/studio"),
        ("//evil.example.com/studio/", "/studio"),
        ("/studio//evil.example.com", "/studio"),
        ("/studio/\\evil.example.com", "/studio"),
        ("/studiox", "/studio"),
        ("/u/token", "/studio"),
        ("/studio/x\r\nSet-Cookie: a=b", "/studio"),
        ("/studio/" + "x" * 300, "/studio"),
        ("javascript:alert(1)", "/studio"),
    ],
)
def test_after_signing_in_one_stays_in_the_studio(house: House, to: str, lands: str) -> None:
    answer = house.browser().post("/studio/sign-in/password", who="bo", password=SECRET, to=to)
    assert (answer.status_code, answer.headers["Location"]) == (303, lands)


def test_the_door_leads_to_the_page_that_was_asked_for(house: House) -> None:
    assert f'name="to" value="{ISSUE}"' in house.browser().get(ISSUE).get_data(as_text=True)
    hostile = house.browser().get('/studio/"><script>alert(1)</script>/x').get_data(as_text=True)
    assert "<script>" not in hostile


# --------------------------------------------------------------------------------------------------- the end


def test_a_session_ends_when_one_signs_out_also_for_who_copied_its_cookie(house: House) -> None:
    ann = signed_in(house)
    copy = f"__Secure-studio={ann.cookies()['__Secure-studio']}"
    assert is_in(house.browser(cookie=copy))
    answer = ann.post("/studio/sign-out", csrf=ann.word())
    assert (answer.status_code, answer.headers["Location"]) == (303, "/studio/sign-in")
    assert not ann.cookies()
    assert not is_in(house.browser(cookie=copy))


def test_a_session_ends_after_twelve_hours_with_the_curator_and_with_the_password(house: House) -> None:
    ann, bo = signed_in(house), house.browser()
    enter(house, browser=bo)
    house.rewrite(QUICK, generate_password_hash("another", method="scrypt:1024:8:1"))
    assert (is_in(ann), is_in(bo)) == (True, False)
    house.later(hours=12, seconds=-1)
    assert is_in(ann)
    house.later(seconds=1)
    assert not is_in(ann)
    ann = signed_in(house)
    house.rewrite("[curators.ann]", "[curators.anna]")
    assert is_in(ann)  # by her address she is still the same
    house.rewrite("ann@example.org", "anna@example.org")
    assert not is_in(ann)


def test_behind_https_a_cookie_that_anybody_could_have_set_is_none(house: House) -> None:
    """Whoever sits in the network can set a cookie over http, but none whose name begins with `__Secure-`."""
    ann = signed_in(house)
    word = ann.cookies()["__Secure-studio"]
    assert is_in(house.browser(cookie=f"__Secure-studio={word}"))
    assert not is_in(house.browser(cookie=f"studio={word}"))


def test_without_https_the_cookie_has_a_plain_name(new_house: Callable[..., House]) -> None:
    house = new_house(base_url="http://papers.example.org")
    browser = house.browser("http://papers.example.org")
    assert enter(house, browser=browser) == 303
    assert set(browser.cookies()) == {"studio"}
    assert is_in(browser)


def test_a_curator_of_one_newsletter_sees_no_other(house: House) -> None:
    other = (
        house.config.read_text("utf-8")
        .partition("[curators.ann]")[0]
        .replace("ai-papers.example", "talks.example")
    )
    house.files.write("config/newsletters/talks.toml", f'{other}\n[curators.cy]\nemail = "cy@example.org"\n')
    house.studio.reread()
    assert house.studio.fault is None
    cy = signed_in(house, "cy@example.org")
    page = cy.get("/studio").get_data(as_text=True)
    assert ("n-talks" in page, "n-ai-papers" in page) == (True, False)
    assert cy.get(ISSUE).status_code == 404
    assert cy.post(f"{ISSUE}/decide", csrf=cy.word(), verb="held").status_code == 404
    assert house.decided() == []


def test_below_a_path_the_studio_is_below_it_too(new_house: Callable[..., House]) -> None:
    house = new_house(base_url="https://example.org/letters")
    browser = house.browser("https://example.org")
    answer = browser.post("/letters/studio/sign-in/password", who="bo", password=SECRET)
    assert answer.headers["Location"] == "/letters/studio"
    assert "Path=/letters/studio" in answer.headers["Set-Cookie"]
    assert browser.get("/letters/studio").status_code == 200
    assert 'href="/letters/studio/ai-papers/2025-W17"' in browser.get("/letters/studio").get_data(
        as_text=True
    )


def test_the_log_holds_no_token_and_no_address(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    link = asked_by_mail(house)
    browser = house.browser()
    browser.post(link)
    browser.get("/studio")
    enter(house, password="wrong password")
    home = (house.studio.invite(f"{HERE}/") or "").removeprefix(HERE)
    house.browser(HERE).get(home)
    text = caplog.text
    assert "signed in by mail" in text
    for secret in (link[-20:], home[-20:], "ann@example.org", "wrong password", *browser.cookies().values()):
        assert secret not in text


def test_a_mail_that_cannot_be_sent_is_noted_without_the_address(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    (house.root / "outbox").write_text("no folder", "utf-8")
    assert house.browser().post("/studio/sign-in/link", email="ann@example.org").status_code == 200
    assert house.mails() == []
    assert "a link was not sent" in caplog.text
    assert "ann@example.org" not in caplog.text
