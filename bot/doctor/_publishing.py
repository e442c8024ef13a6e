"""Says what to publish, so that it can be copied whole."""

_STRING = 255
"""Octets of one string of a TXT record (RFC 1035 §3.3.14)."""


def publish(name: str, text: str) -> str:
    """The words that tell somebody to publish a TXT record."""
    words = f'publish: {name.rstrip(".")}. TXT "{text}"'
    return words if len(text) <= _STRING else f"{words} (in a zone file: as strings of at most {_STRING})"
