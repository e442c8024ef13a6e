"""caniemail: what each theme uses that some mail program knows partly or not at all, and nothing new.

The baseline is `caniemail.json`; `BLESS=1` writes it anew, for whoever wants to say yes to what changed.
"""

import json
import os
from functools import cache
from pathlib import Path

import pytest

from tests.node import ask
from tests.oracles.samples import SAMPLES, THEMES, made

BASELINE = Path(__file__).with_suffix("").with_name("caniemail.json")
FAMILIES = ["apple-mail", "gmail", "outlook", "yahoo"]

Support = dict[str, dict[str, str]]
"""Feature → client → `partial` or `none`; what a client knows in full is left out."""


def lacking(pages: list[str]) -> list[Support]:
    """What each page uses that a client lacks."""
    answer: list[Support] = ask("caniemail.js", {"families": FAMILIES, "pages": pages})
    return answer


@cache
def of_theme(theme: str) -> Support:
    """What a theme lacks in any of the samples."""
    whole: Support = {}
    for page in lacking([made(sample, theme).html for sample in SAMPLES]):
        for feature, clients in page.items():
            whole.setdefault(feature, {}).update(clients)
    return {feature: dict(sorted(clients.items())) for feature, clients in sorted(whole.items())}


def new_in(now: Support, before: Support) -> list[str]:
    """What is lacking now and was not before, as `feature: client: partial`."""
    return [
        f"{feature}: {client}: {support}"
        for feature, clients in now.items()
        for client, support in clients.items()
        if before.get(feature, {}).get(client) not in {support, "none"}
    ]


def baseline() -> dict[str, Support]:
    known: dict[str, Support] = json.loads(BASELINE.read_text("utf-8"))
    return known


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_uses_nothing_new_that_a_client_lacks(theme: str) -> None:
    now = of_theme(theme)
    if os.environ.get("BLESS"):
        known = {**baseline(), theme: now}
        text = json.dumps({name: known[name] for name in sorted(known) if name in THEMES}, indent=1)
        BASELINE.write_text(text + "\n", "utf-8", newline="\n")
    assert theme in baseline(), "a new theme: look at what it lacks, then BLESS=1"
    assert new_in(now, baseline()[theme]) == []


def test_the_baseline_holds_nothing_that_is_gone() -> None:
    """What was mended stays mended."""
    now = {theme: of_theme(theme) for theme in THEMES}
    assert [(theme, new_in(baseline()[theme], now.get(theme, {}))) for theme in baseline()] == [
        (theme, []) for theme in baseline()
    ]


PLANTED = {
    '<p style="justify-content:center">x</p>': "justify-content: gmail.desktop-webmail: none",
    '<p style="position:absolute">x</p>': "position: gmail.desktop-webmail: none",
    '<p style="color:var(--x)">x</p>': "CSS Variables (Custom Properties): outlook.outlook-com: none",
    '<p style="width:calc(1px + 2px)">x</p>': "CSS calc() function: outlook.windows: none",
    "<style>p { & b { color: red } }</style>": "CSS Nesting: gmail.desktop-webmail: none",
    "<svg></svg>": "Embedded <svg> image: gmail.desktop-webmail: none",
    '<img alt="" src="https://example.org/x.webp">': "webP image format: outlook.windows: none",
    "<style>@font-face{font-family:x}</style>": "@font-face: gmail.desktop-webmail: none",
}


def test_planted_features_are_found() -> None:
    theme = THEMES[0]
    page = made("everything", theme).html
    found = lacking([page.replace("</h1>", f"</h1>{fault}", 1) for fault in PLANTED])
    for said, now in zip(PLANTED.values(), found, strict=True):
        assert said in new_in(now, baseline()[theme])
