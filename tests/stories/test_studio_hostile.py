"""Whatever stands in content, names, files and messages: in the studio it is words, and nothing more."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from bot import nominating
from bot.channels import _slack_courier
from tests.stories.curating import ANN, DRAFTS, PATIENCE, WEEK, Newsroom, browsing, visit

ISSUE = f"/studio/ai-papers/{WEEK}"


def evil(where: str) -> str:
    """Words that leave a mark wherever they are taken for more than words."""
    mark = f"top.mark='{where}'"
    return (
        f"<script>{mark}</script><img src=x onerror={mark}><svg onload={mark}>"
        f"<form action=/studio/sign-out method=post><button name=verb value=approved>Approve</button></form>"
        f"<iframe srcdoc='<script>{mark}</script>'></iframe><a href=javascript:{mark}>{where}</a>"
        "<style>*{display:none}</style>"
    )


def brief(where: str) -> str:
    """The same, as short as a subject must be."""
    return (
        f"<script>top.mark='{where}'</script><img src=x onerror=top.mark='{where}'><button>Approve</button>"
    )


CURATORS = f"""
[curators.ann]
name = "Ann <img src=x onerror=top.mark='curator'><button>Approve</button>"
slack = "{ANN}"

[drafts]
conversation = "{DRAFTS}"
"""
TAME = """\
---
title: "Tame words"
week: 2025-W17
status: ready
---

An intro.

## An entry

[Paper](https://example.org/1)

Words.

## Another entry

[Paper](https://example.org/2)

Words.
"""
HOSTILE = f"""\
---
title: {brief("title")!r}
subject: {brief("subject")!r}
week: 2025-W17
status: ready
---

{evil("intro")}

`{evil("code")}`

## {evil("entry")}

[{evil("label")}](https://example.org/1"onmouseover="top.mark='url')

{evil("words")} <!-- --> <![CDATA[ ]]> &lt;script&gt;top.mark='entity'&lt;/script&gt;

| {evil("cell").replace("|", "")} | b |
|---|---|
| c | d |

## Another entry

[Paper](https://example.org/2)

<@U0000000001> <!channel> &lt;mailto:x|Approve&gt;
"""
BROKEN = f"""\
---
title: {brief("title")!r}
week: 2025-W17
status: {evil("status")!r}
{evil("key")!r}: {evil("value")!r}
---

[run](javascript:top.mark='link') <javascript:top.mark='auto'> ![x](javascript:top.mark='image')
[data](data:text/html,<script>top.mark='data'</script>) `{evil("code")}`

## {evil("entry")}

<https://example.org|Approve> {{{{ 7*7 }}}}{{% raw %}}
"""


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with Newsroom(tmp_path, "2025-04-24T09:00+02:00", curators=CURATORS) as newsroom:
        newsroom.path.parent.mkdir(parents=True, exist_ok=True)
        newsroom.path.write_text(TAME, "utf-8")
        yield newsroom


def controls(page: Page) -> list[Any]:
    """Everything on the page itself that can be pressed, typed into or sent, and each frame's rules."""
    found: list[Any] = page.evaluate(
        """kinds => [...document.querySelectorAll(kinds)].map(one => [
            one.tagName, ...["name", "action", "sandbox", "src"].map(name => one.getAttribute(name)),
            one.type === "hidden" ? "" : one.getAttribute("value")])""",
        "button,input,form,select,textarea,object,embed,script,style,link,base,meta,svg,img,iframe",
    )
    return found


def test_hostile_content_is_words(newsroom: Newsroom, chromium: Browser) -> None:
    file = newsroom.here.write("r.csv", f"email,name\nreader@example.org,{brief('reader')}\n")
    assert newsroom.here("subscribers", "import", str(file), "--confirmed").status == 0
    newsroom.open()
    with browsing(chromium, newsroom.address) as ann:
        page = ann.page
        visit(page, newsroom.invitation(f"{ISSUE}?as=1"))
        page.get_by_role("button", name="Approve").click()
        expect(page.locator(".said")).to_contain_text("Approved by Ann")
        page.get_by_role("button", name="Hold").click()
        page.get_by_role("button", name="Release").click()
        expect(page.locator(".said")).to_contain_text("Released")
        visit(page, f"{newsroom.address}{ISSUE}?as=1")
        before = controls(page)

        newsroom.path.write_text(HOSTILE, "utf-8")
        expect(page.locator("h1")).not_to_contain_text("Tame", timeout=PATIENCE)
        searched = "find=%3Cimg+src%3Dx+onerror%3Dtop.mark%3D%27find%27%3E&done=%3Cb%3E"
        visit(page, f"{newsroom.address}{ISSUE}?as=1&{searched}")
        expect(page.locator("#find")).to_have_value("<img src=x onerror=top.mark='find'>")
        all_frames(page)
        assert unlike(before, controls(page)) == ["INPUT find"]

        newsroom.path.write_text(BROKEN, "utf-8")
        expect(page.locator(".fault").first).to_be_visible(timeout=PATIENCE)
        assert unlike(before, controls(page)) == []
        newsroom.here.write("content/ai-papers/<img src=x onerror=top.mark='file'>.md", HOSTILE)
        newsroom.here.write("content/ai-papers/entries/<img src=x onerror=top.mark='entry'>.md", BROKEN)
        expect(page.locator("main")).to_contain_text("top.mark='file'", timeout=PATIENCE)
        assert unlike(before, controls(page)) == []
        visit(page, f"{newsroom.address}/studio")
        assert page.locator("main :is(button, form, img, iframe)").count() == 0


def test_hostile_names_templates_and_messages_are_words(
    newsroom: Newsroom, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    newsroom.path.unlink()
    monkeypatch.setattr(nominating, "add", partial(nominating.add, title_of=lambda _url: evil("heading")))
    newsroom.open().listen()
    with browsing(chromium, newsroom.address) as ann:
        page = ann.page
        visit(page, newsroom.invitation(ISSUE))
        expect(page.locator("main")).to_contain_text("Nobody has approved it yet")

        # Somebody nominates: the page's own title, the note and their name are as bad as can be.
        newsroom.slack.command(
            f"add <https://example.org/x?a=%3Cscript%3E|x> {brief('note')}", ANN, name=brief("nominator")
        )
        expect(page.locator("h1")).not_to_be_empty(timeout=PATIENCE)
        expect(page.locator(".entries")).to_contain_text("top.mark='heading'", timeout=PATIENCE)
        all_frames(page)
        before = controls(page)

        # The configuration names things so, then cannot be read; a template's mistake has such words.
        config = newsroom.here.root / "config/newsletters/ai-papers.toml"
        good = config.read_text("utf-8")
        named = good.replace("AI Papers of the Week", brief("newsletter")[:140])
        assert named != good
        config.write_text(named.replace("1 Example Street", brief("address")), "utf-8")
        expect(page.locator("header.bar")).to_contain_text("top.mark='newsletter'", timeout=PATIENCE)
        all_frames(page)
        assert unlike(before, controls(page)) == []
        config.write_text(f"{good}\n['{evil('table').replace(chr(39), '')}']\n", "utf-8")
        expect(page.locator(".fault").first).to_contain_text("<script>", timeout=PATIENCE)
        assert unlike(before, controls(page)) == []
        config.write_text(good, "utf-8")
        expect(page.locator(".fault")).to_have_count(0, timeout=PATIENCE)
        newsroom.here.write("templates/email/subject.txt.j2", "{% <script>top.mark='template'</script> %}")
        expect(page.locator(".fault").first).to_contain_text("subject.txt.j2", timeout=PATIENCE)
        assert unlike(before, controls(page)) == []

        # A click whose value is no issue of ours, a link that says anything.
        for path in (
            brief("path"),
            f"enter/{brief('token')}",
            f"decide/{brief('word')}",
            f"{brief('name')}/2025-W17",
        ):
            visit(page, f"{newsroom.address}/studio/{quote(path, safe='')}")
            visit(page, f"{newsroom.address}/studio/{quote(path)}?to={quote(brief('to'))}")
            assert page.locator("main :is(img, iframe, [name=verb])").count() == 0


def all_frames(page: Page) -> None:
    """Look at each pane until all of them are there."""
    for number in range(page.locator("iframe").count()):
        page.locator("iframe").nth(number).scroll_into_view_if_needed()
        expect(page.locator("iframe").nth(number).content_frame.locator("body")).not_to_be_empty()


def unlike(before: list[Any], after: list[Any]) -> list[str]:
    """The controls that were not there before."""
    return [f"{one[0]} {one[1]}" for one in after if one not in before]
