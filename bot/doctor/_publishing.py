"""Says what to publish, so that it can be copied whole, and whether it was published under a wrong name."""

from bot.doctor._records import Ask

_STRING = 255
"""Octets of one string of a TXT record (RFC 1035 §3.3.14)."""


def publish(name: str, text: str) -> str:
    """The words that tell somebody to publish a TXT record."""
    words = f'publish: {name.rstrip(".")}. TXT "{text}"'
    return words if len(text) <= _STRING else f"{words} (in a zone file: as strings of at most {_STRING})"


def misplaced(name: str, domain: str, ask: Ask, version: str) -> str:
    """Words about a record that stands at `name.domain`, since many forms add the domain by themselves."""
    doubled = f"{name}.{domain}"
    if any(text.startswith(version) for text in ask(doubled, "TXT").texts):
        return f"; one stands at {doubled}: leave the domain out of the name in your provider's form"
    return ""
