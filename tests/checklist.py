"""The checklist for HTML mail, each line as a check by a machine: what it finds wrong, in words."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lxml import html as lxml_html
from lxml.etree import Comment, _Element


@dataclass(frozen=True)
class Mail:
    """A mail as a reader's program gets it, and what the checks ask of it."""

    html: str
    text: str
    language: str

    @cached_property
    def document(self) -> _Element:
        return lxml_html.document_fromstring(self.html)

    @cached_property
    def body(self) -> _Element:
        found = self.document.find("body")
        assert found is not None
        return found

    def all(self, path: str) -> list[_Element]:
        """The elements at an XPath."""
        found = self.document.xpath(path)
        assert isinstance(found, list)
        return [one for one in found if isinstance(one, _Element)]

    @cached_property
    def sheets(self) -> str:
        """What the stylesheets hold that are left in the head."""
        return "\n".join(style.text or "" for style in self.all("//style"))

    @cached_property
    def styles(self) -> list[tuple[_Element, dict[str, str]]]:
        """Each element of the body with its inline declarations; of two for one property, the last."""
        return [(one, declared(one)) for one in self.body.iter("*") if one.get("style")]


def declared(element: _Element) -> dict[str, str]:
    pairs = (one.partition(":") for one in (element.get("style") or "").split(";") if ":" in one)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def words(element: _Element) -> str:
    return " ".join("".join(map(str, element.itertext(tag="*"))).split())


def told(element: _Element) -> str:
    return f"<{element.tag} class={element.get('class')!r}> {words(element)[:40]}"


Faults = Iterator[str]
CHECKS: dict[str, Callable[[Mail], Faults]] = {}


def check(line: str) -> Callable[[Callable[[Mail], Faults]], Callable[[Mail], Faults]]:
    """Enter a check into the table, under its line."""

    def entered(function: Callable[[Mail], Faults]) -> Callable[[Mail], Faults]:
        CHECKS[line] = function
        return function

    return entered


@check("1 the doctype comes first, in capitals")
def _doctype(mail: Mail) -> Faults:
    if not mail.html.startswith("<!DOCTYPE html>\n<html"):
        yield mail.html[:40]


@check("2 language, direction, namespaces, charset, viewport and title")
def _head(mail: Mail) -> Faults:
    root = mail.document
    direction = "rtl" if mail.language in {"he", "ar"} else "ltr"
    wanted = {
        "lang": mail.language,
        "dir": direction,
        "xmlns:v": "urn:schemas-microsoft-com:vml",
        "xmlns:o": "urn:schemas-microsoft-com:office:office",
    }
    yield from (f"{name}={root.get(name)}" for name, value in wanted.items() if root.get(name) != value)
    first = mail.all("/html/head/*")[0]
    if first.get("charset") != "utf-8":
        yield "the charset is not said first"
    if metas(mail).get("viewport") != "width=device-width,initial-scale=1":
        yield "viewport"
    if [words(title) for title in mail.all("//title")] in ([], [""]):
        yield "title"


@check("3 programs are asked to leave size, numbers and colours alone")
def _metas(mail: Mail) -> Faults:
    found = metas(mail)
    formats = "telephone=no,date=no,address=no,email=no,url=no"
    if "x-apple-disable-message-reformatting" not in found or found.get("format-detection") != formats:
        yield f"{found}"
    if set(found.get("color-scheme", "").split()) != {"light", "dark"}:
        yield "color-scheme"
    if found.get("supported-color-schemes") != found.get("color-scheme"):
        yield "supported-color-schemes"


def metas(mail: Mail) -> dict[str, str]:
    return {meta.get("name") or "": meta.get("content") or "" for meta in mail.all("//meta")}


@check("4 Outlook is told its resolution, in its own spelling")
def _outlook(mail: Mail) -> Faults:
    comments = [str(one.text) for one in mail.document.iter(Comment)]
    head = next((one for one in comments if "OfficeDocumentSettings" in one), "")
    for part in ("<o:AllowPNG/>", "<o:PixelsPerInch>96</o:PixelsPerInch>"):
        if part not in head:
            yield f"no {part}"
    yield from (one for one in comments if not re.fullmatch(r"\[if mso\]>.*<!\[endif\]", one, re.DOTALL))
    if len(re.findall(r"<!--\[if mso\]>", mail.html)) != len(re.findall(r"<!\[endif\]-->", mail.html)):
        yield "a conditional comment is not closed as Outlook wants it"


@check("5 rules that stay override what is inline")
def _overriding(mail: Mail) -> Faults:
    kept = mail.sheets
    found = re.findall(r"(?:@media[^{]*\{|\[data-og)[^@]*", kept)
    rules = "".join(found)
    yield from (one for one in re.findall(r"[a-z-]+: [^;{}]+(?=;)", rules) if " !important" not in one)
    if "@media only screen and (max-width" not in kept or ":hover" not in kept:
        yield "no rules for phones, or none for a pointer"
    for hack in ("#MessageViewBody .plain a", "u + .body .plain a", "a[x-apple-data-detectors]", ":root"):
        if hack not in kept:
            yield f"no {hack}"
    if len(kept.encode()) > 0.9 * 16_384:
        yield f"{len(kept.encode())} bytes of stylesheet"


@check("6 the mail is an article, with its name, language and direction")
def _article(mail: Mail) -> Faults:
    articles = mail.all("//div[@role='article']")
    if len(articles) != 1:
        yield f"{len(articles)} articles"
        return
    (one,) = articles
    title = words(mail.all("//title")[0])
    root = mail.document
    if one.get("aria-roledescription") != "email" or " ".join((one.get("aria-label") or "").split()) != title:
        yield "its description or name"
    if (one.get("lang"), one.get("dir")) != (root.get("lang"), root.get("dir")):
        yield "its language or direction"


@check("7 the preheader comes first, is hidden, and nothing leaks into it or from it")
def _preheader(mail: Mail) -> Faults:
    first = mail.body[0]
    style = declared(first)
    wanted = {"display": "none", "max-height": "0", "overflow": "hidden", "mso-hide": "all", "opacity": "0"}
    yield from (
        f"{name}: {style.get(name)}"
        for name, value in wanted.items()
        if style.get(name) not in {value, "0px"}
    )
    said = "".join(map(str, first.itertext()))
    if said.count("\u034f\u200c\u00a0") < 75:  # what Ghost came to (TryGhost/Ghost#24993)
        yield "too little behind it"
    if "\u034f" in mail.text:
        yield "it leaks into the text part"
    if metas(mail).get("description") != said.rstrip("\u034f\u200c\u00a0"):
        yield "the description does not say the same"


@check("8 tables of the layout say so, and tables of data have heads")
def _tables(mail: Mail) -> Faults:
    for table in mail.all("//table"):
        if table.get("role") == "presentation":
            zero = {name: table.get(name) for name in ("cellpadding", "cellspacing", "border")}
            yield from (f"{name}={value} {told(table)}" for name, value in zero.items() if value != "0")
            if table.xpath("./thead | ./tr/th"):
                yield f"has heads: {told(table)}"
        elif not table.xpath("./thead/tr/th") or table.xpath(".//th[not(@scope='col')]"):
            yield f"no heads: {told(table)}"


@check("9 one column of 600 px, in Outlook too")
def _column(mail: Mail) -> Faults:
    columns = [one for one, style in mail.styles if style.get("max-width") == "600px"]
    if [one.tag for one in columns] != ["div"]:
        yield f"{len(columns)} columns"
    ghosts = [str(one.text) for one in mail.body.iter(Comment)]
    if len(ghosts) != 2 or '<table role="presentation" width="600" align="center"' not in ghosts[0]:
        yield f"{ghosts}"
    elif ghosts[0].count("<td>") != ghosts[1].count("</td>"):
        yield "the ghost table is not closed"
    for one, style in mail.styles:
        if (found := re.match(r"(\d+)px", style.get("width", ""))) and int(found[1]) > 280:
            yield f"wider than a phone: {told(one)}"


@check("10 images say what they show, and how wide they are")
def _images(mail: Mail) -> Faults:
    for one in mail.all("//img"):
        if one.get("alt") is None or not re.fullmatch(r"\d+", one.get("width") or ""):
            yield f"no alt or width: {one.get('src')}"
        if not (one.get("src") or "").startswith("https://") or declared(one).get("display") != "block":
            yield f"{one.get('src')}"


@check("11 links lead somewhere, have words, and can be told from what stands around them")
def _links(mail: Mail) -> Faults:
    for one in mail.all("//a"):
        if not re.match(r"https?://|mailto:", one.get("href") or ""):
            yield f"href={one.get('href')}"
        if words(one).lower() in {"", "here", "click here", "link", "more"}:
            yield f"no words: {told(one)}"
        style = declared(one)
        in_button = style.get("display") == "inline-block" and "background-color" in style
        if not in_button and style.get("text-decoration") != "underline":
            yield f"no line below it: {told(one)}"


@check("12 letters are large enough, lines loose enough")
def _sizes(mail: Mail) -> Faults:
    for one, style in mail.styles:
        if one.get("class") == "preheader":
            continue
        size = style.get("font-size", "14px")
        if not re.fullmatch(r"\d+px", size) or int(size.removesuffix("px")) < 14:
            yield f"{size}: {told(one)}"
        height = style.get("line-height", "1.4")
        if not re.fullmatch(r"1(\.\d+)?", height):
            yield f"line-height {height}: {told(one)}"
        if float(height) < 1.4 and int(size.removesuffix("px")) < 16:
            yield f"tight lines: {told(one)}"


@check("14 one h1, no level skipped, margins said at each")
def _headings(mail: Mail) -> Faults:
    headings = mail.all("//h1 | //h2 | //h3 | //h4 | //h5 | //h6")
    levels = [int(str(one.tag)[1]) for one in headings]
    if levels.count(1) != 1 or any(after > before + 1 for before, after in pairwise([0, *levels])):
        yield f"{levels}"
    for one in [*headings, *mail.all("//p | //ul | //ol | //blockquote | //pre")]:
        if "margin" not in declared(one):
            yield f"no margin: {told(one)}"


@check("15 each list of faces ends in a kind, and Outlook is given one it has")
def _faces(mail: Mail) -> Faults:
    for one, style in mail.styles:
        last = style.get("font-family", "serif").rpartition(",")[2].strip()
        if last not in {"serif", "sans-serif", "monospace"}:
            yield f"{last}: {told(one)}"
    comments = "".join(str(one.text) for one in mail.document.iter(Comment))
    if not re.search(r"td,th,[^{}]*\{font-family:[^{};]*(serif|monospace) !important;\}", comments):
        yield "nothing for Outlook"


@check("16 nothing that programs refuse")
def _refused(mail: Mail) -> Faults:
    path = "//script | //form | //iframe | //object | //embed | //link | //base | //svg | //video | //input"
    yield from map(told, mail.all(path))
    urls = [str(one.get("href") or one.get("src")) for one in mail.all("//*[@href or @src]")]
    yield from (url for url in urls if re.match(r"javascript:|data:", url))
    names = {str(name) for one in mail.document.iter("*") for name, _ in one.items()}
    yield from (name for name in names if name.startswith("on"))
    yield from re.findall(r"@import|var\(|calc\(|rem\b(?=[;}])", mail.html)


@check("17 the way out, the postal address, and the web page before all else")
def _ways_out(mail: Mail) -> Faults:
    links = mail.all("//a")
    if not (links[0].get("href") or "").endswith("/issues/2025-W17"):
        yield "the first link is not the one to the web"
    ways = [one for one in links if "/u/" in (one.get("href") or "")]
    if not ways or any("display:none" in (one.get("style") or "") for one in ways):
        yield "no way out"
    if "12345 Example Town" not in words(mail.body):
        yield "no postal address"


@check("18 no control characters, no letters in pieces, no lines that relays break")
def _letters(mail: Mail) -> Faults:
    yield from re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", mail.html)
    bare = re.sub(r"[^\w\s]", "", mail.html)
    if unicodedata.normalize("NFC", bare) != bare and mail.language != "de":  # `edges` has one on purpose
        yield "not in normal form"


@check("dark: two ways to say it, nothing pure, colour and ground together")
def _dark(mail: Mail) -> Faults:
    for way in ("@media (prefers-color-scheme: dark)", "[data-ogsc]", "[data-ogsb]"):
        if way not in mail.sheets:
            yield f"no {way}"
    pure = r"(?:#fff|#ffffff|#000|#000000|\bwhite|\bblack)\b(?=[;\"! ])"
    yield from re.findall(pure, mail.html, re.IGNORECASE)
    if "background-image" in mail.html or "url(" in mail.html:
        yield "a background image"
    grounds = [declared(one).keys() for one in mail.all("//div[@role='article']")]
    if not all({"color", "background-color"} <= names for names in grounds):
        yield "no colour and ground on the wrapper, so that Outlook.com would not mark it"
    for one in mail.all("//td[@class]"):
        if "color" in declared(one) and "background-color" not in declared(one):
            yield f"a colour without its ground: {told(one)}"


@check("directions: a text of its own finds its own")
def _directions(mail: Mail) -> Faults:
    for one in mail.all("//*[@role='article']//*[self::h1 or self::h2 or self::h3 or self::h4 or self::li]"):
        if one.get("dir") not in ({"auto", "ltr", "rtl"} if one.tag == "li" else {"auto"}):
            yield told(one)
    for one in mail.all("//div[@class='text']//p"):
        if one.get("dir") not in {"auto", "ltr"}:
            yield told(one)
    yield from (told(one) for one in mail.all("//pre[not(@dir='ltr')]"))


@check("buttons can be pressed anywhere, and say their words once")
def _buttons(mail: Mail) -> Faults:
    if "v:roundrect" in mail.html:
        yield "VML"
    for one in mail.all("//td[@class='button']"):
        cell, link = declared(one), declared(one[0])
        if "mso-padding-alt" not in cell or cell.get("background-color") != link.get("background-color"):
            yield "its cell"
        if link.get("display") != "inline-block" or not link.get("padding"):
            yield "its link"


@check("Gmail shows it to its end")
def _size(mail: Mail) -> Faults:
    if (size := len(mail.html.encode())) > 100_000:
        yield f"{size:,} bytes"


def faults(mail: Mail) -> dict[str, list[str]]:
    """What each line of the checklist finds, where it finds anything."""
    found = {line: list(look(mail)) for line, look in CHECKS.items()}
    return {line: ones for line, ones in found.items() if ones}
