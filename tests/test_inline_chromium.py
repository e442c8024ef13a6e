"""Inlining changes nothing that a browser shows: computed styles before and after, in Chromium.

Every element, every property, at 600 and 375 px, light and dark, and with the mouse over a link.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import css_inline
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from playwright.sync_api import Browser

from bot.inline import by_premailer, inline
from tests.looks import Judge, judge_in
from tests.oracles.samples import THEMES, issue_of, newsletter, set_in
from tests.stylesheets import pages
from tests.test_inline import Listener, listener  # noqa: F401 (a fixture)

BODY = """
<div class="ground"><table class="sheet" width="300"><tr>
<td class="a" dir="rtl"><h1 id="t">Title <b>b</b></h1>
<p class="a quiet">Words, <a href="https://x.example/">a link</a>
<a class="btn" href="https://y.example/">press</a></p>
<p class="b" style="color: #080; margin: 2px !important">More <a class="a" href="https://z.example/">words</a></p>
<tr><td class="a sm:w-full"><ul><li>one<li class="b">two</ul>
<td class="b"><blockquote><p>said</p></blockquote></table></div>
"""

SHEETS = {
    "!important over ids and tags (P3)": r"""
        #t{color:red} h1{color:blue !important} p.b{color:pink !important}
    """,
    "media rules with and without !important (P1)": r"""
        p{color:red;padding:9px} @media (max-width:480px){p{color:blue;padding:1px !important}}
        @media (prefers-color-scheme:dark){.a{color:#eee} td{background:#222}}
    """,
    "hovered links (P2)": r"""
        a{color:red} .btn{color:#fff;background:#000} a:hover{color:blue} .btn:hover{background:#333}
        p:hover a{text-decoration:none} .a{color:tan}
    """,
    "hovered links that dark mode overrides": r"""
        .btn{color:#fff} .btn:hover{color:lime}
        @media (prefers-color-scheme:dark){a{color:#abc !important}}
    """,
    "what one program only obeys (P7)": r"""
        a{color:red} [data-ogsc] a{color:#fff} #MessageViewBody a{color:inherit}
        u + .body a{color:red !important} a[x-apple-data-detectors]{color:inherit !important}
    """,
    "at-rules (P8)": r"""
        @font-face{font-family:X;src:local(x)} @keyframes k{from{opacity:.3}to{opacity:.3}}
        p{opacity:.9;animation:k 9s paused forwards} @supports (display:grid){p{margin:3px}} p{margin:1px}
        @layer x{p{padding:4px}}
    """,
    "structure (P10)": r"""
        li:nth-child(2){color:lime} p:not(.a){margin:3px} td:first-child{padding:5px} p + p{color:tan}
        table > tr{color:red} tbody > tr > td{border:1px solid red} tr:last-child td{color:blue}
        a:link{color:teal} p:has(a){letter-spacing:1px} :where(p){line-height:2}
        td > :only-child{margin:7px}
    """,
    "lists of selectors within one (P11)": r"""
        :is(h1,h2){color:red} :is(.a,#z) a{color:blue} td :is(p, li):hover{color:lime}
    """,
    "escapes and capitals (P12, P13)": r"""
        .sm\:w-full{width:80px} P.A{COLOR:red} A{Color:GREEN} #\74{margin:4px}
    """,
    "every element (P14)": r"""
        *{margin:0;letter-spacing:1px} * p{margin:2px} td *{padding:1px}
    """,
    "fallbacks (P15)": r"""
        p{background:#f00;background:linear-gradient(red,blue)} .a{width:50px;width:calc(50% - 1px)}
        li{color:red;color:bogus} td{color:#123;color:rgb(0 0 0/50%)}
    """,
    "shorthands and their parts (P16)": r"""
        .a{padding-right:0} td .a{padding:5px} p{margin-inline-start:9px;margin:1px} p.b{margin-left:3px}
        li{border-color:red;border:1px solid} .b{border-top:2px dashed;border-left-width:4px}
        td{font:12px/2 serif;line-height:1.1} .b{font-size:15px;font:bold 13px Arial}
    """,
    "modern syntax (P17)": r"""
        :root{--c:red;--d:} @media (prefers-color-scheme:dark){:root{--c:lime}}
        p{color:var(--c);& a{color:rgb(9 9 9/40%);&:hover{color:red}} .b &{margin:4px}}
        td{width:min(90px,50%);color:oklch(50% .2 90)} ul{li{color:color-mix(in srgb,red,blue)} margin:2px}
    """,
    "data in addresses (P24)": r"""
        p{background:url("data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'/>")}
        li{list-style-image:url('data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=')}
    """,
    "selectors that look at styles": r"""
        p{margin:16px 0} p[style*="16px"]{color:red} td[bgcolor]{color:blue} td{background-color:#eee}
    """,
    "slips": r"""
        p{color:red;;color} } h1{color:blue} p{color:} @media{p{margin:3px}} a{color:red !imp}
        li{*zoom:1;margin:4px} h1:foo,p{color:tan} .a{color:lime
    """,
    "what looks like the end": r"""
        p{font-family:"<\/style>"} a::before{content:"a;b}c"} li{color:red}
    """,
    "everything reset": r"""
        p{all:unset} .a{color:red;margin:3px} p:hover{all:initial} .b{all:revert !important}
    """,
}


@pytest.fixture(scope="module")
def judge(chromium: Browser) -> Iterator[Judge]:
    with judge_in(chromium) as found:
        yield found


def page(styles: str, body: str = BODY, kind: str = "") -> str:
    return f"<!DOCTYPE html><html><head><style{kind}>{styles}</style></head><body class=body>{body}</body>"


@pytest.mark.parametrize("styles", SHEETS.values(), ids=SHEETS)
def test_a_style_sheet_of_every_kind_looks_the_same_in_tags(judge: Judge, styles: str) -> None:
    written = page(styles)
    assert judge.differences(written, inline(written))[:5] == []


@pytest.mark.parametrize("styles", SHEETS.values(), ids=SHEETS)
def test_what_is_hovered_looks_the_same_in_tags(judge: Judge, styles: str) -> None:
    written = page(styles)
    assert judge.hovered(written, inline(written), "dark" if "dark" in styles else "light")[:5] == []


@pytest.mark.parametrize(
    "kind", [" media=print", " media='(max-width: 480px)'", " media=screen", " title=x", " type=text/x"]
)
def test_a_block_for_some_screens_looks_the_same(judge: Judge, kind: str) -> None:
    styles = "p{color:red;margin:3px} .a{color:blue}"
    written = page(styles, f"<style>p{{color:tan}} a{{color:lime}}</style>{BODY}", kind)
    assert judge.differences(written, inline(written))[:5] == []


def test_a_difference_is_seen(judge: Judge) -> None:
    written = page("p{color:red} @media (max-width:480px){p{margin:3px}}")
    found = judge.differences(written, written.replace("red", "tan").replace("3px", "4px"))
    assert {(each.width, each.what) for each in found if each.what in {"P color", "P margin-top"}} == {
        (600, "P color"), (375, "P color"), (375, "P margin-top"),
    }  # fmt: skip


# ------------------------------------------------------------------------------------- the shipped themes


@pytest.mark.parametrize(
    ("theme", "language"), [*((theme, "en") for theme in THEMES), (next(iter(THEMES)), "he")]
)
def test_a_theme_looks_the_same_in_tags(
    judge: Judge, theme: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = source_of(theme, language, monkeypatch)
    inlined = inline(written)
    assert judge.differences(written, inlined)[:5] == []
    assert judge.hovered(written, inlined, links=1)[:5] == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_goes_through_premailer(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = by_premailer.styles
    results: list[object] = []

    def noted(*given: Any) -> Any:
        results.append(asked(*given))
        return results[-1]

    written = source_of(theme, "en", monkeypatch)
    monkeypatch.setattr("bot.inline.by_premailer.styles", noted)
    inline(written)
    assert results != [None]


def source_of(theme: str, language: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The sample issue set in a theme, before its styles are inlined."""
    seen: list[str] = []

    def noted(html: str) -> str:
        seen.append(html)
        return inline(html)

    monkeypatch.setattr("bot.compose.inline", noted)
    issue = issue_of("sample")
    first = replace(issue.sections[0], entries=issue.sections[0].entries[:1])
    set_in(replace(issue, sections=(first,)), newsletter(theme, language))
    return seen[-1]


# ----------------------------------------------------------------------------------------- drawn at random


def quickly(examples: int) -> settings:
    """The same examples in every run; no search for a smaller one, as each costs some eight page loads."""
    return settings(
        max_examples=examples,
        phases=[Phase.explicit, Phase.generate],
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@given(pages)
@quickly(40)
def test_any_page_looks_the_same_in_tags(judge: Judge, written: str) -> None:
    assert judge.differences(written, inline(written))[:5] == []


@given(pages)
@quickly(12)
def test_any_hovered_link_looks_the_same_in_tags(judge: Judge, written: str) -> None:
    assert judge.hovered(written, inline(written))[:5] == []


# --------------------------------------------------------------------------------------- the other inliner

OTHER = css_inline.CSSInliner(
    keep_style_tags=True, remove_inlined_selectors=True, load_remote_stylesheets=False
)
"""In the one way of using it that keeps what it does not inline."""

BETTER = {
    "a block for print": page("p{color:red}", kind=" media=print"),
    "a hovered link": page("a{color:red} a:hover{color:blue}"),
    "a media rule without !important": page("p{color:red} @media (max-width:480px){p{color:blue}}"),
    "a media rule over !important": page(
        "p{color:red !important} @media (max-width:480px){p{color:blue !important}}"
    ),
}


def wrong(judge: Judge, before: str, after: str) -> int:
    """The number of elements that look different, counted in every scheme, at every width and hovered."""
    found = {(each.scheme, each.width, each.element) for each in judge.differences(before, after)}
    return len(found) + len(judge.hovered(before, after))


@pytest.mark.parametrize("written", BETTER.values(), ids=BETTER)
def test_where_the_other_inliner_is_wrong_ours_is_right(judge: Judge, written: str) -> None:
    assert wrong(judge, written, inline(written)) == 0
    assert wrong(judge, written, OTHER.inline(written)) > 0


@given(pages)
@quickly(10)
def test_ours_is_never_worse_than_the_other_inliner(judge: Judge, written: str) -> None:
    assert len(judge.differences(written, inline(written))) <= len(
        judge.differences(written, OTHER.inline(written))
    )


def test_what_the_other_inliner_loses_stays() -> None:
    written = page(
        "p{background:#f00;background:linear-gradient(red,blue)}", "<![if !mso]><p>x</p><![endif]>"
    )
    assert "linear-gradient" in OTHER.inline(written)
    assert "#f00" not in OTHER.inline(written)
    assert "<![if !mso]>" not in OTHER.inline(written)
    assert "background:#f00;background:linear-gradient(red,blue)" in inline(written)
    assert "<![if !mso]>" in inline(written)


# -------------------------------------------------------------------------------------- nothing is fetched


def test_nothing_is_fetched(listener: Listener) -> None:  # noqa: F811 (the fixture)
    here = f"http://127.0.0.1:{listener.port}"
    inline(
        page(
            f"@import url({here}/a.css); @import '{here}/b.css' screen;"
            f"@font-face{{font-family:X;src:url({here}/c)}}"
            f"p{{background:url({here}/d.png)}} @media screen{{p{{background:url({here}/e.png)}}}}"
            f"li{{list-style:url({here}/f.png)}}",
            f'<link rel=stylesheet href="{here}/g.css"><img src="{here}/h.png">'
            f'<style>@import "{here}/i.css";</style>{BODY}',
        )
    )
    assert listener.knocks == []
