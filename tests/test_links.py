"""The addresses that letters lead to."""

from urllib.parse import quote, urlsplit

import pytest

from bot.links import issue_url, unsubscribe_url
from bot.models import Week
from bot.subscriptions import new_token


@pytest.mark.parametrize("base_url", ["https://example.org", "https://example.org/letters"])
def test_a_reader_leaves_at_an_address_that_needs_no_escaping_anywhere(base_url: str) -> None:
    token = new_token()
    url = unsubscribe_url(base_url, token)
    assert url == f"{base_url}/u/{token}"
    assert quote(url, safe=":/") == url
    assert urlsplit(url).query == ""


@pytest.mark.parametrize(
    ("several", "path"), [(False, "/issues/2025-W17"), (True, "/ai-papers/issues/2025-W17")]
)
def test_an_issue_s_address_names_its_newsletter_where_there_are_others(several: bool, path: str) -> None:  # noqa: FBT001 (a row of the table)
    url = issue_url("https://example.org/letters", "ai-papers", Week(2025, 17), several=several)
    assert url == f"https://example.org/letters{path}"
