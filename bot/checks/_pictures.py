"""Rules about the images of a mail: what readers see where one is not shown, or not as it was meant."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from lxml.etree import _Element

from bot.checks import Flaw, Mail, Rule
from bot.checks._styles import loosely
from bot.checks._support import lacking
from bot.models import Severity

_SOURCE = re.compile(r"(?:https?://|cid:)[^\s]", re.IGNORECASE)
_KINDS = {
    ".svg": "image-svg", ".webp": "image-webp", ".avif": "image-avif", ".heic": "image-heif",
    ".heif": "image-heif", ".tif": "image-tiff", ".tiff": "image-tiff", ".mp4": "image-mp4",
}  # fmt: skip
"""The ends of names whose kind some mail program does not show, and what caniemail calls it."""


def no_alternative(mail: Mail) -> Iterator[Flaw]:
    """An image has no alt.

    Readers whose program shows no images, as many do at first, and those who listen, are not told what is
    missing; some programs read out the file's address instead.
    """
    for image in mail.tags("img"):
        if image.get("alt") is None:
            place = mail.place(r"<img(?![^>]*\balt\s*=)")
            yield Flaw(place, f"{_shown(image)} has no alt", 'say what it shows, or alt=""', mail.issue.key)


def unreachable_image(mail: Mail) -> Iterator[Flaw]:
    """An image's source is relative, within the page (data:) or missing.

    A mail has no address of its own that a relative one could begin from, and Gmail shows no image that is
    within the page: readers see a broken one.
    """
    for image in mail.tags("img"):
        source = (image.get("src") or "").strip()
        if not _SOURCE.match(source):
            place = mail.place(rf"<img[^>]*{loosely(source)}" if source else "<img(?![^>]*src)", "<img")
            what = "is within the page, which Gmail does not show" if source.startswith("data:") else (
                "leads nowhere from a mail" if source else "has no source"
            )  # fmt: skip
            mend = "put the image on the web, and name its whole address: https://…"
            yield Flaw(place, f"{_shown(image)} {what}", mend, mail.issue.key)


def no_width(mail: Mail) -> Iterator[Flaw]:
    """An image has no width attribute in pixels.

    Outlook takes no width from styles and shows the image as wide as its file is, which tears the mail apart.
    """
    for image in mail.tags("img"):
        if not re.fullmatch(r"\s*[0-9]+%?\s*", image.get("width") or ""):
            place = mail.place(r'<img(?![^>]*\bwidth\s*=\s*["\']?[0-9{])', "<img")
            yield Flaw(place, f"{_shown(image)} has no width", 'add width="600", without px', mail.issue.key)


def rare_kind(mail: Mail) -> Iterator[Flaw]:
    """An image is of a kind that some mail programs do not show, such as WebP or SVG.

    Their readers see a broken image; PNG, JPEG and GIF are shown by all.
    """
    for image in mail.tags("img"):
        source = image.get("src") or ""
        kind = _ending(source)
        if kind in _KINDS and (names := lacking(_KINDS[kind])):
            place = mail.place(rf"<img[^>]*{loosely(source)}", re.escape(kind), "<img")
            message = f"{_shown(image)} is of the kind {kind}, which is not shown by {names}"
            yield Flaw(place, message, "make it a PNG or a JPEG", mail.issue.key)


def _ending(source: str) -> str:
    try:
        return PurePosixPath(urlsplit(source).path).suffix.lower()
    except ValueError:
        return ""


def _shown(image: _Element) -> str:
    return f"image {(image.get('src') or '')[:60]!r}"


RULES = (
    Rule(
        "mail.image-alt",
        Severity.WARNING,
        no_alternative,
        example='<img src="https://example.org/chart.png" width="600">',
        mend='Say in alt what the image shows, or alt="" where it only decorates.',
    ),
    Rule(
        "mail.image-source",
        Severity.ERROR,
        unreachable_image,
        example='<img src="/chart.png" alt="Sales by month" width="600">',
        mend="Put the image on the web and name its whole address.",
    ),
    Rule(
        "mail.image-width",
        Severity.WARNING,
        no_width,
        example='<img src="https://example.org/chart.png" alt="Sales by month">',
        mend="Write the width into the tag, in pixels and without px.",
    ),
    Rule(
        "mail.image-kind",
        Severity.WARNING,
        rare_kind,
        example='<img src="https://example.org/chart.webp" alt="Sales by month" width="600">',
        mend="Turn the image into a PNG or a JPEG.",
    ),
)
