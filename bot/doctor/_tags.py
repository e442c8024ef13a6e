"""Reads the `name=value; name=value` lists that DKIM and DMARC records are (RFC 6376 §3.2)."""

import re

_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*([\x20-\x3a\x3c-\x7e\t\r\n]*?)\s*", re.ASCII)


class TagsError(ValueError):
    """Why a text is no tag list."""


def tags(text: str) -> dict[str, str]:
    """The tags of a record, in their order; TagsError where it is no list of tags or names one twice."""
    found: dict[str, str] = {}
    *parts, last = text.split(";")
    for part in (*parts, *([last] if last.strip() else ())):
        if not (tag := _TAG.fullmatch(part)):
            raise TagsError(f"{part.strip()[:40]!r} is no tag such as k=rsa")
        if tag[1] in found:
            raise TagsError(f"the tag {tag[1]} stands twice")
        found[tag[1]] = tag[2]
    return found
