"""Takes out of a text what no output may hold, and makes one line of it."""

import re

_BLANKS = re.compile(r"[ \t\n\r]+")
_OTHER_BLANKS = re.compile(r"[\v\f\x1c-\x1f\x85\u2028\u2029]")
_REMOVED = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    """Text without control characters, lone surrogates and noncharacters; line ends and tabs stay."""
    return text if text.isprintable() else _cleaned(text)


def _cleaned(text: str) -> str:
    return _SURROGATE.sub("\ufffd", _REMOVED.sub("", _OTHER_BLANKS.sub(" ", text)))


def one_line(text: str) -> str:
    """Clean text whose runs of blanks and line ends are one blank each; no-break spaces stay."""
    if text.isprintable():  # so the only blank in it is the plain one
        return one_blank(text) if "  " in text else text
    return one_blank(_cleaned(text))


def one_blank(text: str) -> str:
    """A text whose runs of blanks and line ends are one blank each."""
    return _BLANKS.sub(" ", text)
