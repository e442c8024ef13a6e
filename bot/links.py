"""The addresses that letters lead to."""

import re
from urllib.parse import urlsplit

from bot.models import Week

TEST = "aTestThatNobodyLeaves"
"""Begins what stands in a test's link instead of a reader's token: it leads to a page that says so."""


def token_of_test(mark: str) -> str:
    """The token of a test; `mark`, letters and digits, tells it from other tests."""
    return f"{TEST}{mark}"


def is_test(token: str) -> bool:
    """Whether a link stood in a test, and so is nobody's."""
    return token.startswith(TEST)


def unsubscribe_url(base_url: str, token: str) -> str:
    """Where one reader leaves one newsletter (RFC 8058: the URL alone says who and what)."""
    return f"{base_url}/u/{token}"


def home_path(base_url: str, newsletter: str, *, several: bool) -> str:
    """The path of a newsletter's archive, with a slash at the end: what links between pages begin with."""
    path = urlsplit(base_url).path.rstrip("/")
    return f"{path}/{newsletter}/" if several else f"{path}/"


def home_url(base_url: str, newsletter: str, *, several: bool) -> str:
    """Where a newsletter's archive is, with a slash at the end."""
    return f"{base_url}/{newsletter}/" if several else f"{base_url}/"


def leads_somewhere(base_url: str) -> bool:
    """Whether readers can follow it: `localhost` is their own machine, and a bare name is nobody's."""
    host = urlsplit(base_url).hostname or ""
    return "." in host and not re.fullmatch(r"127\.[\d.]+|.*\.(?:localhost|local|internal)", host)


def issue_url(base_url: str, newsletter: str, week: Week, *, several: bool) -> str:
    """Where an issue is read on the web; its newsletter is named where the installation has `several`."""
    return f"{base_url}/{newsletter}/issues/{week}" if several else f"{base_url}/issues/{week}"
