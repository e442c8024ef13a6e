"""How a page looks in Chromium, told in computed styles: of every element, every property."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from playwright.sync_api import Browser, Page, Route

WIDTHS = (600, 375)
SCHEMES = ("light", "dark")

Look = list[dict[str, str]]
"""Of every element its tag (under `""`) and its computed styles."""

_LOOK = """
const look = (view) =>
  [...view.document.querySelectorAll("*")]
    .filter((element) => element.tagName !== "STYLE")
    .map((element) => {
      const computed = view.getComputedStyle(element);
      const properties = [...computed].map((name) => [name, computed.getPropertyValue(name)]);
      return { "": element.tagName, ...Object.fromEntries(properties) };
    });
"""
# All frames of a comparison are shown at once: a width is that of a frame.
_COMPARE = f"""
async ([before, after, widths]) => {{
  {_LOOK}
  const show = (html, width) => new Promise((done) => {{
    const frame = document.createElement("iframe");
    frame.style.cssText = `width: ${{width}}px; height: 900px; border: 0`;
    frame.onload = () => done(frame);
    frame.srcdoc = html;
    document.body.append(frame);
  }});
  const frames = await Promise.all(widths.flatMap((width) => [show(before, width), show(after, width)]));
  const looks = frames.map((frame) => look(frame.contentWindow));
  frames.forEach((frame) => frame.remove());
  const wrong = [];
  widths.forEach((width, pair) => {{
    const [was, is] = looks.slice(2 * pair, 2 * pair + 2);
    if (was.length !== is.length) wrong.push([width, -1, "elements", `${{was.length}}`, `${{is.length}}`]);
    was.forEach((styles, number) => {{
      for (const name in styles)
        if (styles[name] !== is[number]?.[name])
          wrong.push([width, number, `${{styles[""]}} ${{name}}`, styles[name], `${{is[number]?.[name]}}`]);
    }});
  }});
  return wrong;
}}
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """One property of one element that is not what it was."""

    scheme: str
    width: int
    element: int
    what: str
    was: str
    became: str


class Judge:
    """Compares two pages, each in both colour schemes and at both widths, cut off from any network."""

    def __init__(self, chromium: Browser) -> None:
        self.pages = {scheme: _page(chromium, scheme) for scheme in SCHEMES}
        self.comparisons = 0

    def differences(self, before: str, after: str) -> list[Difference]:
        """All that looks different."""
        self.comparisons += 1
        return [
            Difference(scheme, *found)
            for scheme, page in self.pages.items()
            for found in page.evaluate(_COMPARE, [before, after, list(WIDTHS)])
        ]

    def hovered(self, before: str, after: str, scheme: str = "light", links: int = 3) -> list[str]:
        """All that looks different with the mouse over the first links, one after the other."""
        was, became = self._looks(before, scheme, links), self._looks(after, scheme, links)
        pairs = zip(chain.from_iterable(was), chain.from_iterable(became), strict=False)
        wrong = [
            f"{one['']} {name}: {one[name]} became {other.get(name)}"
            for one, other in pairs
            for name in one
            if one[name] != other.get(name)
        ]
        counted = [len(look) for look in was] == [len(look) for look in became]
        return wrong if counted else [*wrong, "not the same elements"]

    def _looks(self, html: str, scheme: str, links: int) -> list[Look]:
        page = self.pages[scheme]
        page.set_content(html, wait_until="load")
        looks = []
        for link in page.locator("a").all()[:links]:
            if box := link.bounding_box():
                page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                looks.append(page.evaluate(f"() => {{ {_LOOK} return look(window); }}"))
        page.mouse.move(0, 0)
        page.set_content("<!DOCTYPE html><body>")
        return looks

    def close(self) -> None:
        """Close its windows."""
        for page in self.pages.values():
            page.context.close()


@contextmanager
def judge_in(chromium: Browser) -> Iterator[Judge]:
    """A judge for as long as it is needed."""
    judge = Judge(chromium)
    try:
        yield judge
    finally:
        judge.close()


def _page(chromium: Browser, scheme: str) -> Page:
    context = chromium.new_context(
        viewport={"width": 2600, "height": 1000}, color_scheme="dark" if scheme == "dark" else "light"
    )
    context.route("**/*", _refuse)
    page = context.new_page()
    page.set_content("<!DOCTYPE html><body>")
    return page


def _refuse(route: Route) -> None:
    route.abort()
