"""The addresses that letters lead to."""


def unsubscribe_url(base_url: str, token: str) -> str:
    """Where one reader leaves one newsletter (RFC 8058: the URL alone says who and what)."""
    return f"{base_url}/u/{token}"
