"""One work has one name, however it is linked, and two works have two."""

import pytest
from hypothesis import example, given, strategies as st

from bot.canonical import arxiv_id, canonical, without_tracking
from tests.strategies import TRAPS, URLS, texts

ARXIV = "https://arxiv.org/abs/2504.12285"
DOI = "https://doi.org/10.1145/3292500.3330701"


@pytest.mark.parametrize(
    "url",
    [
        "https://arxiv.org/abs/2504.12285",
        "http://arxiv.org/abs/2504.12285/",
        "https://www.arxiv.org/abs/2504.12285v3",
        "https://ARXIV.org/abs/2504.12285#comments",
        "https://arxiv.org/abs/2504.12285?context=cs.LG&utm_source=x",
        "https://arxiv.org/pdf/2504.12285",
        "https://arxiv.org/pdf/2504.12285v2.pdf",
        "https://arxiv.org/html/2504.12285v1#S3",
        "https://export.arxiv.org/abs/2504.12285",
        "https://ar5iv.labs.arxiv.org/html/2504.12285",
        "https://www.alphaxiv.org/abs/2504.12285v1",
        "https://arxiv.org/abs/arXiv:2504.12285",
        "https://doi.org/10.48550/arXiv.2504.12285",
        "https://arxiv.org:443/abs/2504.12285",
        "https://arxiv.org/%61bs/2504.12285",
    ],
)
def test_a_paper_on_arxiv_has_one_name(url: str) -> None:
    assert canonical(url) == ARXIV
    assert arxiv_id(url) == "2504.12285"


@pytest.mark.parametrize(
    "url",
    [
        "https://doi.org/10.1145/3292500.3330701",
        "http://dx.doi.org/10.1145/3292500.3330701",
        "https://www.doi.org/10.1145%2F3292500.3330701",
        "https://dl.acm.org/doi/10.1145/3292500.3330701",
        "https://dl.acm.org/doi/pdf/10.1145/3292500.3330701?download=true",
    ],
)
def test_a_doi_has_one_name(url: str) -> None:
    assert canonical(url) == DOI


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://doi.org/10.1000/ABC", "https://doi.org/10.1000/abc"),
        ("https://arxiv.org/abs/math.GT/0309136", "https://arxiv.org/pdf/math/0309136v1"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full", "https://doi.org/10.1101/2020.01.02.123456"),
        ("https://www.nature.com/articles/s41586-021-03819-2.pdf", "https://doi.org/10.1038/s41586-021-03819-2"),
        ("https://twitter.com/a_b/status/1234567890", "https://x.com/a_b/status/1234567890?s=20"),
        ("https://youtu.be/dQw4w9WgXcQ?si=abc", "https://www.youtube.com/watch?t=9&v=dQw4w9WgXcQ"),
        ("https://openreview.net/pdf?id=Ab_c-1", "https://openreview.net/forum?id=Ab_c-1"),
        ("https://aclanthology.org/2023.acl-long.1.pdf", "https://aclanthology.org/2023.acl-long.1/"),
        ("http://example.org", "https://www.example.org/"),
        ("https://example.org:443/a", "http://example.org:80/a/"),
        ("https://example.org/a%7Eb%2fc", "https://EXAMPLE.org/a~b%2Fc"),
        ("https://example.org/a/./b/../c", "https://example.org/a/c"),
        ("https://example.org/a?x=1&y=2", "https://example.org/a?y=2&x=1&fbclid=7"),
        ("https://example.org/a?", "https://example.org/a#part"),
        ("https://example.org/a.pdf#page=3", "https://example.org/a.pdf#:~:text=so"),
        ("https://münchen.example/straße", "https://xn--mnchen-3ya.example/stra%C3%9Fe"),
        ("https://example.org/日本", "https://example.org/%E6%97%A5%E6%9C%AC"),
        ("https://user@example.org/a", "https://example.org./a"),
    ],
)  # fmt: skip
def test_two_addresses_of_one_work_have_one_name(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://arxiv.org/abs/2504.12285", "https://arxiv.org/abs/2504.12286"),
        ("https://arxiv.org/abs/2504.12285", "https://huggingface.co/abs/2504.12285"),
        ("https://arxiv.org/list/cs.LG/2504.12285", "https://arxiv.org/abs/2504.12285"),
        ("https://arxiv.org/abs/math/0309136", "https://arxiv.org/abs/cs/0309136"),
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a", "https://example.org:8443/a"),
        ("https://example.org/a", "https://docs.example.org/a"),
        ("https://example.org/a?v=1", "https://example.org/a?v=2"),
        ("https://example.org/#!/inbox", "https://example.org/#!/sent"),
        ("https://example.org/#/inbox", "https://example.org/"),
        ("https://example.org/features#milestone%3D76", "https://example.org/features#milestone%3D75"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://doi.org/10.1000/a", "https://doi.org/10.1000/b"),
        ("https://openreview.net/forum?id=A&noteId=B", "https://openreview.net/forum?id=A"),
        ("https://github.com/a/b?ref=main.dev", "https://github.com/a/b"),
        ("https://youtube.com/watch?v=dQw4w9WgXcQ", "https://youtube.com/watch?v=dQw4w9WgXcR"),
        ("https://www.com/", "https://com/"),
    ],
)
def test_what_may_be_two_things_has_two_names(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    "url", ["", "x", "https://", "https://[", "https://x:y/", "//x.org/a", "mailto:a@x.org", "https://[::1"]
)
def test_what_is_no_web_address_is_called_what_it_is_called(url: str) -> None:
    assert canonical(url) == url
    assert arxiv_id(url) is None


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://x.org/a?utm_source=n&b=1", "https://x.org/a?b=1"),
        ("https://x.org/a?b=1&UTM_Source=n#c", "https://x.org/a?b=1#c"),
        ("https://x.org/a?utm%5Fsource=n", "https://x.org/a"),
        ("https://x.org/?fbclid=1&gclid=2&mc_cid=3", "https://x.org/"),
        ("https://x.org/a?ref=ai-newsletter", "https://x.org/a"),
        ("https://x.org/a?ref=letters.example.com", "https://x.org/a"),
        ("https://x.com/a/status/1?s=20&t=abc", "https://x.com/a/status/1"),
        ("https://www.youtube.com/watch?v=1&si=2", "https://www.youtube.com/watch?v=1"),
        # near misses
        ("https://x.org/a?b=%7e&&c", "https://x.org/a?b=%7e&&c"),
        ("https://x.org/a?", "https://x.org/a?"),
        ("https://x.org/a?ref=v1", "https://x.org/a?ref=v1"),
        ("https://gitlab.com/a?ref=x.dev", "https://gitlab.com/a?ref=x.dev"),
        ("https://x.org/a?s=20&t=30", "https://x.org/a?s=20&t=30"),
        ("https://x.org/a#?utm_source=n", "https://x.org/a#?utm_source=n"),
        ("https://x.org/utm_source=n", "https://x.org/utm_source=n"),
        ("https://[?utm_source=n", "https://[?utm_source=n"),
    ],
)
def test_only_what_tells_who_sent_the_reader_is_taken_off(url: str, plain: str) -> None:
    assert without_tracking(url) == plain


PIECES = (
    "https://", "http://", "HTTPS://", "arxiv.org", "www.", "doi.org/", "/abs/", "/pdf/", "2504.12285", "v2",
    "10.1000/", "%2F", "%2f", "%2E", "%25", "%", "%FF", "%7B", "/.", "/..", "//", "/", ".", ":80", ":443",
    "?", "&", "=", "utm_source=x", "ref=", "#", "#!", "#/", "é", "。", "İ", "ß", "x.org", "[::1]",
    "youtu.be/", "@", "nature.com/articles/", "status/12", "twitter.com/a/", "id=a", "openreview.net/forum",
    "aclanthology.org/",
)  # fmt: skip
addresses = st.one_of(
    st.sampled_from(URLS),
    st.lists(st.sampled_from((*PIECES, *TRAPS)), max_size=10).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=10).map(lambda some: "https://" + "".join(some)),
    texts().map(lambda text: f"https://x.org/{text}"),
    st.text(max_size=40),
)


@given(addresses)
@example("https://www.www.x.org")
@example("http://x.org:443/")
@example("https://doi.org/10.1000/a%2F")
@example("https://x.org/%%37E")
def test_the_name_of_a_name_is_that_name(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)


@given(addresses)
def test_taking_tracking_off_twice_is_the_same_as_once_and_never_changes_the_work(url: str) -> None:
    plain = without_tracking(url)
    assert without_tracking(plain) == plain
    assert canonical(plain) == canonical(url)
