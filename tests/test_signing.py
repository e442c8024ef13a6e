"""Words that are handed out come back only whole, for their purpose, and in time."""

import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bot.errors import InputError
from bot.settings.secrets import kept_key
from bot.signing import said, sign

KEY, NOW = b"k" * 32, datetime(2025, 4, 24, 9, tzinfo=UTC)
SOON = NOW + timedelta(minutes=20)


@given(
    st.dictionaries(
        st.text(max_size=20).filter(lambda name: name != "until"), st.text(max_size=40), max_size=5
    )
)
def test_what_was_signed_is_read_again(words: dict[str, str]) -> None:
    word = sign(KEY, "decide", words, SOON)
    assert said(KEY, "decide", word, NOW) == (words if len(word) <= 1000 else None)


@pytest.mark.parametrize(
    ("key", "purpose", "now", "read"),
    [
        (KEY, "decide", NOW, {"issue": "letter/2025-W17"}),
        (KEY, "decide", SOON - timedelta(seconds=1), {"issue": "letter/2025-W17"}),
        (KEY, "decide", SOON, None),
        (KEY, "sign in", NOW, None),
        (b"other", "decide", NOW, None),
    ],
)
def test_a_word_is_good_for_one_purpose_under_one_key_until_its_time(
    key: bytes, purpose: str, now: datetime, read: dict[str, str] | None
) -> None:
    assert said(key, purpose, sign(KEY, "decide", {"issue": "letter/2025-W17"}, SOON), now) == read


@pytest.mark.parametrize(
    "word", ["", ".", "a.b", "x" * 5000, "eyJ1bnRpbCI6OTk5OTk5OTk5OX0.forged", "é", "\0"]
)
def test_what_we_never_signed_says_nothing(word: str) -> None:
    assert said(KEY, "decide", word, NOW) is None


def test_any_other_letter_in_a_word_makes_it_none_of_ours() -> None:
    word = sign(KEY, "decide", {"issue": "letter/2025-W17"}, SOON)
    for at in range(len(word) - 1):  # the last letter holds bits that mean nothing
        other = word[:at] + ("A" if word[at] != "A" else "B") + word[at + 1 :]
        assert said(KEY, "decide", other, NOW) is None


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "var" / "signing-key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: kept_key(file), range(16)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["signing-key"]


def test_a_file_that_holds_no_key_is_refused_and_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "signing-key"
    file.write_text("a secret of another kind")
    with pytest.raises(InputError, match="does not hold a key: make it readable") as caught:
        kept_key(file)
    assert "secret of another" not in str(caught.value)
