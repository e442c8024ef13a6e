"""The preview of an issue: what readers will get to the byte, what is wrong and where, what changed."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

from bot.desk import Desk
from bot.models import Consent, Origin, Week
from bot.previews import PERSONAS
from bot.store import readers
from bot.store.decisions import Verb
from bot.subscriptions import add, key_of
from bot.web.studio.facts import TOGETHER, until
from bot.web.studio.shelf import KEPT, LASTS, Shelf
from tests.studio import EVE, ISSUE, WEEK, Browser, House, words

CONTENT = "content/ai-papers/2025-W17.md"


@pytest.fixture
def house(tmp_path: Path, migrated: Path) -> Iterator[House]:
    made = House(tmp_path, migrated)
    yield made
    made.close()


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[House]:
    """One that is only looked at, with one reader: its issue is made once for all who look."""
    made = House(tmp_path_factory.mktemp("still"), migrated)
    reader(made, "ada@example.org", "Ada")
    yield made
    made.close()


@pytest.fixture(scope="module")
def onlooker(still: House) -> Browser:
    return still.at_home()


@pytest.fixture
def ann(house: House) -> Browser:
    return house.at_home()


def page(browser: Browser, query: str = "") -> str:
    answer = browser.get(f"{ISSUE}{query}")
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def frame(browser: Browser, file: str) -> bytes:
    answer = browser.get(f"{ISSUE}/frame/{file}")
    assert answer.status_code == 200, file
    data: bytes = answer.data
    return data


def section(html: str, name: str) -> str:
    """The words of the section that a heading names."""
    found = re.search(rf'<section[^>]*aria-labelledby="{name}".*?</section>', html, re.DOTALL)
    assert found, name
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", found[0])).split())


def reader(house: House, email: str, name: str = "", consent: Consent = Consent.CONFIRMED) -> str:
    """Enter a reader; by which number an address of the studio names them."""
    add(house.app.store, "ai-papers", email, name, "en", consent, EVE)
    with house.app.store.read() as connection:
        found = readers.beginning(connection, "ai-papers", key_of(email), 1)
    return str(found[0][0]) if found else ""


def edit(house: House, old: str, new: str, file: str = CONTENT) -> None:
    text = (house.root / file).read_text("utf-8")
    assert old in text
    (house.root / file).write_text(text.replace(old, new), "utf-8")


def desk(house: House) -> Desk:
    """A fresh one, as each command and each request has."""
    return house.app.desk(house.app.settings.newsletters["ai-papers"])


# ------------------------------------------------------------------------------------------------------ panes


@pytest.mark.parametrize("email", [None, "ada@example.org"])
def test_the_panes_show_the_files_of_render_to_the_byte(
    house: House, ann: Browser, email: str | None
) -> None:
    number = reader(house, "ada@example.org", "Ada <b>Lovelace</b>")
    asked = ["--as", email] if email else []
    answer = house.files("render", "2025-W17", "--out", "out", *asked)
    assert answer.status == 0, answer.err
    query = f"?as={number}" if email else ""
    for file in ("email.html", "email.txt", "page.html"):
        assert frame(ann, f"{file}{query}") == (house.root / "out" / file).read_bytes(), file
    off = frame(ann, f"email.html{query.replace('?', '?images=off&') or '?images=off'}")
    assert off == (house.root / "out/email.html").read_bytes()


def test_every_pane_of_the_page_is_there(onlooker: Browser) -> None:
    sources = re.findall(r'<iframe[^>]*src="([^"]+)"', page(onlooker))
    assert [source.rpartition("/frame/")[2] for source in map(unescape, sources)] == [
        "email.html",
        "email.html",
        "email.html",
        "email.html?images=off",
        "email.txt",
        "slack/team",
        "slack/team?scheme=dark",
        "page.html",
        "feed.html",
    ]
    for source in sources:
        assert onlooker.get(unescape(source)).status_code == 200, source


@pytest.mark.parametrize(
    ("file", "pictures"),
    [
        ("email.html", "https: data:"),
        ("email.html?images=off", "'none'"),
        ("email.txt", "https: data:"),
        ("page.html", "https: data:"),
        ("feed.html", "https: data:"),
        ("slack/team", "https: data:"),
    ],
)
def test_nothing_in_a_pane_can_run_or_send_anything(onlooker: Browser, file: str, pictures: str) -> None:
    said = onlooker.get(f"{ISSUE}/frame/{file}").headers["Content-Security-Policy"]
    policy = dict(part.strip().partition(" ")[::2] for part in said.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["img-src"] == pictures
    assert policy["form-action"] == policy["base-uri"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert "script" not in said
    assert not {"allow-scripts", "allow-forms", "allow-top-navigation"} & set(policy["sandbox"].split())
    assert re.findall(r'sandbox="([^"]+)"', page(onlooker))[0] == policy["sandbox"]


@pytest.mark.parametrize(
    "path",
    [
        "/studio/ai-papers/2025-W17/frame/message.eml",
        "/studio/ai-papers/2025-W17/frame/slack.json",
        "/studio/ai-papers/2025-W17/frame/slack/readers",
        "/studio/ai-papers/2025-W17/frame/slack/nobody",
        "/studio/ai-papers/2025-W17/frame/email.html?as=nobody",
        "/studio/ai-papers/2025-W17/frame/email.html?as=999",
        "/studio/ai-papers/2025-W17/frame/email.html?as=%C2%B2",
        "/studio/ai-papers/2025-W17/frame/email.html?as=99999999999999999999",
        "/studio/ai-papers/2025-W17?as=nobody",
        "/studio/ai-papers/2025-W18/frame/email.html",
        "/studio/ai-papers/2025-W99",
        "/studio/other/2025-W17",
        "/studio/other/2025-W17/frame/email.html",
    ],
)
def test_what_is_not_there_is_not_there(onlooker: Browser, path: str) -> None:
    assert onlooker.get(path).status_code == 404


@pytest.mark.parametrize("path", ["", "/frame/email.html", "/frame/slack/team", "?find=a"])
def test_nobody_sees_anything_without_signing_in(still: House, path: str) -> None:
    answer = still.browser("https://papers.example.org").get(f"{ISSUE}{path}")
    assert answer.status_code in {401, 403}
    assert "papers" not in words(answer).lower()
    assert "ada@" not in answer.get_data(as_text=True)


def test_a_thread_in_slack_is_folded_as_slack_folds_it(house: House, ann: Browser) -> None:
    text = "\n\n".join(
        f"## Paper {n}\n\n[Paper](https://example.org/{n})\n\n{'Words. ' * 80}" for n in range(30)
    )
    edit(house, "## A second paper", f"{text}\n\n## A second paper")
    posts = frame(ann, "slack/team").decode()
    assert re.search(r'<details class="thread"><summary>\d+ replies</summary>', posts)
    assert "<main>" in posts
    assert '<main data-scheme="dark">' in frame(ann, "slack/team?scheme=dark").decode()
    house.rewrite('folder = "outbox/slack"', 'folder = "outbox/slack"\nlayout = "messages"')
    assert "replies" not in frame(ann, "slack/team").decode()


def test_a_newsletter_without_mail_has_no_panes_for_it(house: House, ann: Browser) -> None:
    house.rewrite('[channels.readers]\nkind = "email"\n', "")
    assert "Mail, desktop" not in page(ann)
    assert ann.get(f"{ISSUE}/frame/email.html").status_code == 404


# ------------------------------------------------------------------------------------------- as which reader


@pytest.mark.parametrize("name", PERSONAS)
def test_an_issue_can_be_looked_at_as_anybody(onlooker: Browser, name: str) -> None:
    html, text = (
        frame(onlooker, f"email.html?as={name}").decode(),
        frame(onlooker, f"email.txt?as={name}").decode(),
    )
    shown = PERSONAS[name].reader.name or "reader"
    assert shown in unescape(html)
    assert shown in text.replace("\r\n", " ") or name == "long-name"
    assert "<script" not in html
    assert f'?as={name}#looks" aria-current="true"' in page(onlooker, f"?as={name}")
    assert f"frame/email.html?as={name}" in page(onlooker, f"?as={name}")


def test_a_reader_is_found_by_the_first_letters_of_address_or_name(house: House, ann: Browser) -> None:
    number = reader(house, "ada@example.org", "Countess Lovelace")
    reader(house, "grace@example.org", "Grace")
    for letters in ("ada", "ADA", "ada@example.org", "count", "Countess+L"):
        found = page(ann, f"?find={letters}")
        assert f"?as={number}&amp;find=" in found, letters
        assert "ada@example.org" in found
        assert "grace@" not in found
    assert "Ada" not in section(page(ann, "?find=love"), "looks").replace("Ada A very", "")
    assert "No reader" in section(page(ann, "?find=xyz"), "looks")
    assert "ada@example.org" not in page(ann)
    assert "Countess Lovelace" in frame(ann, f"email.html?as={number}").decode()
    assert "Seen as ada@example.org" in section(page(ann, f"?as={number}"), "looks")


def test_no_more_than_twenty_readers_are_shown(house: House, ann: Browser) -> None:
    for number in range(22):
        reader(house, f"ada{number:02}@example.org")
    found = page(ann, "?find=ada")
    assert found.count("ada") - found.count("find=ada") - 1 == 20 + found.count('value="ada"') - 1
    assert "There are more" in found
    assert "There are more" not in page(ann, "?find=ada1")


@pytest.mark.parametrize("letters", ["%25", "_", "%25%25", "\\", "'", '"><script>', "%00", "a" * 3000])
def test_letters_are_letters_whatever_they_are(onlooker: Browser, letters: str) -> None:
    answer = onlooker.get(f"{ISSUE}?find={letters}")
    assert answer.status_code in {200, 414}
    assert "ada@" not in answer.get_data(as_text=True)
    assert "<script>" not in answer.get_data(as_text=True)


def test_who_gets_no_mail_is_not_found(house: House, ann: Browser) -> None:
    add(house.app.store, "ai-papers", "pending@example.org", "", "en", Consent.PENDING, EVE)
    assert "pending@" not in page(ann, "?find=pending").replace('value="pending"', "")


def test_a_reader_s_name_is_words_on_the_page(house: House, ann: Browser) -> None:
    reader(house, "eve@example.org", "<script>alert(1)</script>")
    found = page(ann, "?find=eve")
    assert "&lt;script&gt;alert(1)" in found
    assert "<script>alert" not in found


# --------------------------------------------------------------------------------------------------- findings


def test_a_finding_stands_beside_its_entry_with_its_mend_and_goes_when_it_is_mended(
    house: House, ann: Browser
) -> None:
    edit(house, "https://example.org/2", "https://bit.ly/2")
    html = page(ann)
    (entry,) = re.findall(r'<li id="entry-2".*?</li>', html, re.DOTALL)
    assert 'class="entry has-warning' in entry
    assert "links.shortener" in entry
    assert re.search(r'class="mend">.*\w', entry)
    assert re.search(rf'<code dir="ltr">{CONTENT}:\d+:\d+<', entry)
    assert "links.shortener" not in html.replace(entry, "")
    edit(house, "https://bit.ly/2", "https://example.org/2")
    assert "links.shortener" not in page(ann)


def test_a_finding_about_one_way_of_looking_stands_in_its_pane_as_well(house: House, ann: Browser) -> None:
    edit(house, "A lead and nothing more.", "Please call @here and nothing more.")
    html = page(ann)
    (pane,) = re.findall(r'<section class="pane slack".*?</section>', html, re.DOTALL)
    assert "slack.mention" in pane
    assert "1 finding here" in pane
    assert "slack.mention" in section(html, "findings")


def test_findings_are_those_of_check(house: House, ann: Browser) -> None:
    edit(house, "A lead and nothing more.", "A lead TODO and and nothing more (.")
    said = house.files("check", "2025-W17", "--format", "json")
    known = {(one["rule"], one["place"]) for one in json.loads(said.out)}
    shown = section(page(ann), "findings")
    assert {"writing.note", "writing.doubled-word"} <= {rule for rule, _ in known}
    people = {rule for rule, _ in known if rule.startswith(("config.", "people."))}  # of another moment
    assert [rule for rule, _ in known if rule not in shown and rule not in people] == []


@pytest.mark.parametrize(
    ("old", "new", "line", "rule"),
    [
        ("status: ready", "status: redy", 4, "content.status"),
        ("https://example.org/1", "javascript:alert(1)", 11, "content.link"),
        ('title: "Two papers"', 'title: "Two', 2, "content.yaml"),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_lines_and_nothing_older(
    house: House, ann: Browser, old: str, new: str, line: int, rule: str
) -> None:
    page(ann)  # which could be read
    frame(ann, "email.html")
    edit(house, old, new)
    house.studio.changes.grow()  # as the watch over the files does
    html = page(ann)
    said = section(html, "faults")
    assert f"{CONTENT}:{line}" in said
    assert rule in said
    assert new in said
    assert "faulty" in section(html, "decision")
    assert "Traceback" not in html
    assert "<iframe" not in html
    assert ann.get(f"{ISSUE}/frame/email.html").status_code == 404
    assert (
        re.search(r'value="approved" disabled aria-describedby="against"', html)
        or "nothing to approve" in html
    )
    edit(house, new, old)
    house.studio.changes.grow()
    assert "<iframe" in page(ann)


def test_a_template_that_is_broken_is_shown_with_its_lines(house: House, ann: Browser) -> None:
    house.files.write(
        "templates/themes/plain.html.j2", "<p>one</p>\n<p>two</p>\n{{ nothing.here }}\n<p>four</p>\n"
    )
    said = section(page(ann), "faults")
    assert "templates/themes/plain.html.j2:3" in said
    assert "{{ nothing.here }}" in said
    assert "<iframe" not in page(ann)


# --------------------------------------------------------------------------------------------------- deciding


def buttons(html: str) -> dict[str, bool]:
    """The verbs that can be pressed: whether they are there, and open."""
    found = re.findall(r'<button type="submit"[^>]*name="verb" value="(\w+)"( disabled)?', html)
    return {verb: not shut for verb, shut in found}


def test_the_buttons_fit_what_stands(house: House, ann: Browser) -> None:
    def decide(verb: Verb) -> None:
        desk(house).decide(WEEK, verb, EVE, by="bo", origin=Origin.SLACK)

    html = page(ann)
    assert buttons(html) == {"approved": True, "held": True}
    assert "Ready Nobody has approved it yet" in section(html, "decision").replace("ready", "Ready")
    assert f'name="seen" value="{house.hash}"' in html

    decide("approved")
    html = page(ann)
    assert buttons(html) == {"held": True}
    assert "Approved by Bo B., on Thu 24 Apr 2025, 09:00 Europe/Berlin, in Slack" in section(html, "decision")

    edit(house, "A lead", "Another lead")
    html = page(ann)
    assert buttons(html) == {"approved": True, "held": True}
    assert "Changed since it was approved by Bo B." in section(html, "decision")

    decide("held")
    html = page(ann)
    assert buttons(html) == {"released": True}
    assert "It is held: release it first." in section(html, "decision")

    decide("released")
    assert buttons(page(ann)) == {"approved": True, "held": True}


def test_where_the_checks_find_an_error_approving_is_shut_and_says_why(house: House, ann: Browser) -> None:
    edit(house, "A lead and nothing more.", "lorem ipsum dolor sit amet")
    html = page(ann)
    assert buttons(html) == {"approved": False, "held": True}
    assert "The checks found 1 error." in section(html, "decision")
    assert "writing.filler" in section(html, "findings")


def test_pressing_a_button_of_the_page_decides(house: House, ann: Browser) -> None:
    html = page(ann)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    answer = ann.post(f"{ISSUE}/decide", verb="approved", csrf=fields["csrf"], seen=fields["seen"])
    assert answer.status_code == 303
    back = ann.get(answer.headers["Location"]).get_data(as_text=True)
    assert "Approved by Ann" in unescape(back)
    assert house.decided() == [("approved", "ann", "studio")]


def test_what_has_gone_out_is_shown_as_it_went_and_has_nothing_to_decide(house: House, ann: Browser) -> None:
    reader(house, "ada@example.org")
    desk(house).decide(WEEK, "approved", EVE, by="ann", origin=Origin.CLI)
    desk(house).publish(WEEK, EVE)
    before = frame(ann, "email.html")
    html = page(ann)
    assert buttons(html) == {}
    assert "Went out" in section(html, "when")
    assert "1 planned" in section(html, "who")
    edit(house, "A lead and nothing more.", "Other words that came later.")
    assert frame(ann, "email.html") == before
    assert buttons(page(ann)) == {"approved": True, "held": True}  # of a correction


def test_what_cannot_be_read_can_be_held_so_that_it_does_not_go_once_it_is_mended(
    house: House, ann: Browser
) -> None:
    edit(house, "status: ready", "status: redy")
    assert buttons(page(ann)) == {"approved": False, "held": True}
    answer = ann.post(f"{ISSUE}/decide", verb="held", csrf=ann.word(), seen="")
    assert answer.status_code == 303
    assert house.decided() == [("held", "ann", "studio")]
    edit(house, "status: redy", "status: ready")
    assert buttons(page(ann)) == {"released": True}


# ------------------------------------------------------------------------------------------------------ tests


def test_a_test_goes_to_whom_the_curator_names_and_is_no_delivery(house: House, ann: Browser) -> None:
    assert 'name="to" value="ann@example.org"' in page(ann)
    answer = ann.post(f"{ISSUE}/test", to="bo@example.org", csrf=ann.word())
    assert "It went to bo@example.org by maildir" in words(answer)
    (mail,) = (house.root / "outbox/maildir/new").iterdir()
    assert b"bo@example.org" in mail.read_bytes()
    assert buttons(page(ann)) == {"approved": True, "held": True}


@pytest.mark.parametrize("to", ["", "nobody", "a@b@c", "x" * 5000, "C0123456789", "<script>@x"])
def test_a_test_that_cannot_be_sent_says_why(house: House, ann: Browser, to: str) -> None:
    answer = ann.post(f"{ISSUE}/test", to=to, csrf=ann.word())
    assert answer.status_code == 409
    assert words(answer).startswith("No test was sent")
    assert "<script>@" not in answer.get_data(as_text=True)
    assert not (house.root / "outbox/maildir/new").exists()


def test_no_test_is_sent_for_a_form_of_somebody_else_s(house: House, ann: Browser) -> None:
    assert ann.post(f"{ISSUE}/test", to="bo@example.org", csrf="guessed").status_code == 403
    assert not (house.root / "outbox").exists()


# ---------------------------------------------------------------------------------------------------- sending


def test_it_says_when_it_goes_to_whom_and_what_is_against_it(house: House, ann: Browser) -> None:
    for number in range(3):
        reader(house, f"reader{number}@example.org", "Name")
    reader(house, "new@example.org", consent=Consent.PENDING)
    html = page(ann)
    when, who = section(html, "when"), section(html, "who")
    assert "Friday 25 April 2025, 09:00" in when
    assert "Europe/Berlin, Fri 07:00 UTC" in when
    assert "in 1 day" in when
    assert 'data-countdown="2025-04-25T07:00:00+00:00"' in html
    assert "nobody has approved it" in when
    assert "3 readers by maildir" in who
    assert "not: 1 have not confirmed their subscription" in who
    assert "message" in who


# ---------------------------------------------------------------------------------------------------- changes


def test_words_that_changed_since_the_yes_are_marked_by_more_than_colour(house: House, ann: Browser) -> None:
    assert "Nobody has approved it yet." in section(page(ann), "changes")
    desk(house).decide(WEEK, "approved", EVE, by="ann", origin=Origin.CLI)
    assert "It is as it was approved." in section(page(ann), "changes")
    edit(house, "A lead and nothing more.", "A lead and much <more>.")
    html = page(ann)
    assert re.search(r"<del>nothing more\.</del> *<ins>much &lt;more&gt;\.</ins>", html)
    assert "Since the approval by Ann, on Thu 24 Apr 2025" in section(html, "changes")
    assert "1 changed" in section(html, "changes")


def test_a_look_that_changed_is_told_though_no_word_has(house: House, ann: Browser) -> None:
    desk(house).decide(WEEK, "approved", EVE, by="ann", origin=Origin.CLI)
    house.rewrite('greeting = "Hello {name},"', 'greeting = "Dear {name},"')
    assert "No word has changed, but its look" in section(page(ann), "changes")


def test_words_are_compared_with_last_week_s_issue_as_it_went_out(house: House, ann: Browser) -> None:
    assert "No issue has gone out before it." in section(page(ann), "changes")
    house.files.issue("2025-W16", title="An older one")
    before = EVE.replace(day=17)
    desk(house).decide(Week(2025, 16), "approved", before, by="ann", origin=Origin.CLI)
    desk(house).publish(Week(2025, 16), before)
    edit(house, "What it says", "What it said once", "content/ai-papers/2025-W16.md")
    edit(house, "A lead and nothing more.", "A lead and much more.")
    said = section(page(ann), "changes")
    assert "Since issue 2025-W16: 2 changed" in said  # the head's title, and the second paper
    assert "said once" not in said


# ------------------------------------------------------------------------------------------ hostile, and much


def test_content_is_words_on_the_page_whatever_it_holds(house: House, ann: Browser) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> & {{ 7*7 }}"
    edit(house, "Two papers", evil.replace('"', ""))
    edit(house, "## A first paper", f"## {evil}")
    edit(house, "A lead and nothing more.", f"{evil} lorem ipsum")
    html = page(ann)
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize("query", ["", "?find=a", "?as=markup"])
def test_the_page_has_no_style_and_no_script_of_its_own(onlooker: Browser, query: str) -> None:
    html = page(onlooker, query)
    assert not re.search(r'\sstyle="|<style|\son\w+="', html)
    assert re.findall(r"<script[^>]*>[^<]*", html) == re.findall(r'<script src="[^"]+" defer>', html)


def test_long_lists_are_folded_and_nothing_is_left_out(house: House, ann: Browser) -> None:
    count = TOGETHER + 130
    text = "\n\n".join(
        f"## Paper {n}\n\n[Paper](https://bit.ly/{n})\n\nOf matter {n}." for n in range(1, count - 1)
    )
    edit(house, "## A first paper", f"{text}\n\n## A first paper")
    html = page(ann)
    assert len(re.findall(r'<li id="entry-\d+"', html)) == count
    assert f"Entries {TOGETHER + 1} to {TOGETHER + 100}: 100 findings" in html
    shown = re.sub(r"<details.*?</details>", "", html, flags=re.DOTALL)
    assert len(re.findall(r'<li id="entry-\d+"', shown)) == TOGETHER


def test_an_issue_with_one_entry_has_its_page(house: House, ann: Browser) -> None:
    house.files.write(
        CONTENT, "---\ntitle: One\nstatus: ready\n---\n\n## Only\n\n[P](https://example.org/1)\n\nIt is.\n"
    )
    assert len(re.findall(r'<li id="entry-\d+"', page(ann))) == 1


def test_a_week_without_anything_says_so(onlooker: Browser) -> None:
    html = onlooker.get("/studio/ai-papers/2025-W30").get_data(as_text=True)
    assert "There is nothing to approve." in html
    assert "<iframe" not in html


def test_a_configuration_that_cannot_be_read_is_shown_with_its_lines_and_without_its_secrets(
    house: House, ann: Browser
) -> None:
    house.rewrite('day = "fri"', 'day = "frigg"')
    for path in (ISSUE, "/studio"):
        html = unescape(ann.get(path).get_data(as_text=True))
        assert "config/newsletters/ai-papers.toml:" in html
        assert '<mark><span class="unseen">Here: </span>day = "frigg"</mark>' in html
        assert "scrypt:" not in html


def test_two_files_for_one_week_are_a_fault_and_keep_what_was_said_before(house: House, ann: Browser) -> None:
    desk(house).decide(WEEK, "approved", EVE, by="ann", origin=Origin.CLI)
    house.files.write(
        "content/ai-papers/again.md", "---\ntitle: One\nweek: 2025-W17\n---\n\n## Only\n\nIt is.\n"
    )
    html = page(ann)
    assert "faulty" in section(html, "decision")
    assert "2025-W17 stands in" in section(html, "faults")
    assert "It cannot be compared until it can be read." in section(html, "changes")


def test_panes_show_what_their_page_has_looked_at_until_something_changes(house: House) -> None:
    at = [0.0]
    shelf = Shelf(house.studio, lambda: at[0])
    first = shelf.fresh(desk(house), WEEK)
    assert shelf.kept(desk(house), WEEK) is first
    assert shelf.fresh(desk(house), WEEK) is not first  # a page is always of now
    second = shelf.kept(desk(house), WEEK)
    at[0] += LASTS
    third = shelf.kept(desk(house), WEEK)
    assert third is not second
    house.studio.changes.grow()
    assert shelf.kept(desk(house), WEEK) is not third


def test_looks_are_not_kept_without_end(house: House) -> None:
    shelf = Shelf(house.studio, lambda: 0.0)
    first = shelf.fresh(desk(house), Week(2025, 1))
    for number in range(2, KEPT + 2):
        shelf.fresh(desk(house), Week(2025, number))
    assert shelf.kept(desk(house), Week(2025, 1)) is not first


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(days=2, hours=3, minutes=9), "in 2 days 3 hours"),
        (timedelta(days=1), "in 1 day"),
        (timedelta(days=1, minutes=1), "in 1 day 1 minute"),
        (timedelta(hours=1, minutes=59, seconds=59), "in 1 hour 59 minutes"),
        (timedelta(seconds=59), "in less than a minute"),
        (timedelta(), "in less than a minute"),
        (timedelta(seconds=-1), "less than a minute ago"),
        (-timedelta(days=400, hours=1), "400 days 1 hour ago"),
    ],
)
def test_how_long_it_is_until_the_send_is_said_in_two_units(left: timedelta, said: str) -> None:
    assert until(left) == said
