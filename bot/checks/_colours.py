"""Colours as styles write them, what is seen where one lies over another, and how far two differ."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tinycss2.color4 import parse_color


@dataclass(frozen=True, slots=True)
class Colour:
    """One colour without transparency, and the words of the style or tag that set it."""

    red: float
    """From 0 to 1, as the others."""
    green: float
    blue: float
    written: str = ""

    @property
    def luminance(self) -> float:
        """How bright it is: WCAG 2.2, relative luminance."""
        red, green, blue = map(_linear, (self.red, self.green, self.blue))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def __str__(self) -> str:
        return "#" + "".join(f"{round(part * 255):02x}" for part in (self.red, self.green, self.blue))


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 (WCAG 2.2)


def contrast(one: Colour, other: Colour) -> float:
    """From 1, the same, to 21, black on white (WCAG 2.2, contrast ratio)."""
    low, high = sorted((one.luminance, other.luminance))
    return (high + 0.05) / (low + 0.05)


WHITE, BLACK = Colour(1, 1, 1), Colour(0, 0, 0)


def over(paint: Sequence[float], alpha: float, under: Colour | None, written: str) -> Colour | None:
    """What is seen where a colour that may be transparent lies over another."""
    if alpha == 0 or (alpha < 1 and under is None):
        return under
    below = (under.red, under.green, under.blue) if under else paint
    red, green, blue = (alpha * one + (1 - alpha) * two for one, two in zip(paint, below, strict=True))
    return Colour(red, green, blue, written)


def solid(value: str) -> Colour | None:
    """A colour that hides what is behind it; None for any other value."""
    found = parsed(value)
    return Colour(*found[:3], value) if found and found[3] == 1 else None


def colour_in(background: str) -> tuple[float, float, float, float] | None:
    """The colour that a `background` names among other things; none of it is fully transparent."""
    if whole := parsed(background):
        return whole
    words = re.findall(r"[^\s(),/]+(?:\([^()]*\))?", background)
    named = (found for word in words if (found := parsed(word)))
    return next(named, None if "(" in background else (0.0, 0.0, 0.0, 0.0))


@lru_cache(maxsize=512)
def parsed(value: str) -> tuple[float, float, float, float] | None:
    """Red, green, blue and alpha from 0 to 1; None for what is no colour that can be known here."""
    try:
        found = parse_color(value)
        if found is None or isinstance(found, str):
            return None
        red, green, blue = (min(1.0, max(0.0, one or 0.0)) for one in found.to("srgb").coordinates)
    except (ValueError, NotImplementedError, OverflowError):
        return None
    return red, green, blue, float(found.alpha)
