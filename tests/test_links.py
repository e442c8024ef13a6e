"""The addresses that letters lead to."""

from urllib.parse import quote, urlsplit

import pytest

from bot.links import unsubscribe_url
from bot.subscriptions import new_token


@pytest.mark.parametrize("base_url", ["https://example.org", "https://example.org/letters"])
def test_a_reader_leaves_at_an_address_that_needs_no_escaping_anywhere(base_url: str) -> None:
    token = new_token()
    url = unsubscribe_url(base_url, token)
    assert url == f"{base_url}/u/{token}"
    assert quote(url, safe=":/") == url
    assert urlsplit(url).query == ""
