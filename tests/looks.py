"""How a page looks in Chromium, told in computed styles: of every element, every property."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Locator, Page, Route

WIDTHS = (600, 375)
SCHEMES = ("light", "dark")

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
# The frames stay in the page while they are compared: only differences leave it, as looks are large.
_COMPARE = f"""
async ([before, after, widths]) => {{
  {_LOOK}
  const show = (html, width) => new Promise((done) => {{
    const frame = document.createElement("iframe");
    frame.style.cssText = `width: ${{width}}px; height: 900px; border: 0`;
    frame.onload = () => done(frame.contentWindow);
    frame.srcdoc = html;
    document.body.append(frame);
  }});
  document.body.replaceChildren();
  const views = await Promise.all(widths.flatMap((width) => [show(before, width), show(after, width)]));
  window.compare = (was, is) => {{
    if (was.length !== is.length) return [[-1, "elements", `${{was.length}}`, `${{is.length}}`]];
    return was.flatMap((styles, number) =>
      Object.keys(styles)
        .filter((name) => styles[name] !== is[number][name])
        .map((name) => [number, `${{styles[""]}} ${{name}}`, styles[name], `${{is[number][name]}}`]));
  }};
  window.views = views;
  window.look = look;
  return widths.flatMap((width, pair) =>
    compare(look(views[2 * pair]), look(views[2 * pair + 1])).map((found) => [width, ...found]));
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

    def differences(self, before: str, after: str) -> list[Difference]:
        """All that looks different."""
        return [
            Difference(scheme, *found)
            for scheme, page in self.pages.items()
            for found in page.evaluate(_COMPARE, [before, after, list(WIDTHS)])
        ]

    def hovered(self, before: str, after: str, scheme: str = "light", links: int = 2) -> list[Difference]:
        """All that looks different with the mouse over the first links, one after the other."""
        page, width = self.pages[scheme], WIDTHS[0]
        page.evaluate(_COMPARE, [before, after, [width]])
        frames = page.frames[-2:]
        found = []
        for was, became in list(zip(*(frame.locator("a").all() for frame in frames), strict=True))[:links]:
            if _point(page, was):
                page.evaluate("window.was = look(views[0])")
                _point(page, became)
                found += page.evaluate("compare(window.was, look(views[1]))")
        page.mouse.move(0, 0)
        return [Difference(scheme, width, *each) for each in found]

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


def _point(page: Page, link: Locator) -> bool:
    """Put the mouse over a link; false where it is not shown."""
    box = link.bounding_box()
    if box:
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return bool(box)


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
