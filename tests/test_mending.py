"""`check --fix` mends what needs no judgement, and not one byte beside it."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bot.checks import Material, files, links
from bot.markup.protected import protected
from bot.mending import Mended, diff, mend, mended, write
from bot.models import Edit, Finding, Severity
from bot.settings import Settings
from bot.sources.markdown import read_issue_bytes
from tests.strategies import texts

SETTINGS = Settings(root=Path("/letters"), transport={"kind": "maildir"})  # type: ignore[arg-type]  # as in TOML
NAME = "2025-W17.md"
HEAD = "---\ntitle: AI Papers  # a comment\n---\n\n## One\n\n"


def findings(content: bytes) -> list[Finding]:
    issue, _ = read_issue_bytes(content, NAME, "ai-papers")
    assert issue
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    material = Material(SETTINGS, (issue,), texts={NAME: text})
    return [finding for rule in (*links.RULES, *files.RULES) for finding in rule.findings(material)]


def fixed(content: bytes) -> bytes:
    return mend(content, [edit for finding in findings(content) for edit in finding.edits])[0]


def fully(content: bytes) -> bytes:
    """As often as it takes: two mends of one place are made one after the other."""
    for _ in range(5):
        before, content = content, fixed(content)
        if before == content:
            return content
    raise AssertionError("it never comes to rest")


MENDED = (
    ("[a](https://x.org/a?utm_source=x&b=1)", "[a](https://x.org/a?b=1)"),
    ("[a](https://x.org/o\u200bne)", "[a](https://x.org/one)"),
    ("[a](https://x.org/o\u200bne?fbclid=1#c)", "[a](https://x.org/one#c)"),
    ("[a](https://arxiv.org/pdf/2504.12285v2)", "[a](https://arxiv.org/abs/2504.12285)"),
    ("[a](https://arxiv.org/pdf/2504.12285v2?utm_source=x)", "[a](https://arxiv.org/abs/2504.12285)"),
    ("[a](https://x.org/?gclid=1) and [b](https://x.org/?gclid=1).", "[a](https://x.org/) and [b](https://x.org/)."),
    ("Words <https://x.org/?gclid=1>, https://x.org/?gclid=2.", "Words <https://x.org/>, https://x.org/."),
    ("[r]\n\n[r]: https://x.org/?gclid=1 'T'", "[r]\n\n[r]: https://x.org/ 'T'"),
    ("Words \t\nand  \nmore. ", "Words\nand  \nmore."),
    ("## Two  \n\n   \nWords.  ", "## Two\n\n\nWords."),
)  # fmt: skip

LEFT = (
    "Words `[a](https://x.org/?gclid=1)` and ``https://x.org/?gclid=1 ` `` stay.",
    "```\nhttps://x.org/?gclid=1  \n```",
    "Words.\n\n    https://x.org/?gclid=1  \n    code\n\nWords.",
    "<!-- [a](https://x.org/?gclid=1)  \n-->",
    "[a](https://x.org/?q=%7e&&ref=main)",
    "A line  \nbreaks.",
    "> ~~~\n> https://x.org/?gclid=1  \n> ~~~",
)


@pytest.mark.parametrize(("line", "becomes"), MENDED)
def test_what_needs_no_judgement_is_mended(line: str, becomes: str) -> None:
    assert fully((HEAD + line).encode()) == (HEAD + becomes).encode()


@pytest.mark.parametrize("line", LEFT)
def test_code_comments_and_what_means_something_are_left(line: str) -> None:
    assert fixed((HEAD + line).encode()) == (HEAD + line).encode()


@pytest.mark.parametrize("line", LEFT[:3])
def test_the_same_address_in_code_is_left_where_the_one_in_the_text_is_mended(line: str) -> None:
    text = HEAD + line + "\n\nThe [paper](https://x.org/?gclid=1).\n"
    assert fully(text.encode()).decode() == HEAD + line + "\n\nThe [paper](https://x.org/).\n"


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_all_other_bytes_stay_as_they_are(end: str, mark: bytes) -> None:
    lines = (HEAD + "```\ncode  \n```\n\nÄ [a](https://x.org/?gclid=1) 👩‍💻\nB ").split("\n")
    wanted = (HEAD + "```\ncode  \n```\n\nÄ [a](https://x.org/) 👩‍💻\nB").split("\n")
    assert fixed(mark + end.join(lines).encode()) == mark + end.join(wanted).encode()


def test_front_matter_keeps_its_comments_and_loses_the_tracking_of_a_link() -> None:
    text = "---\n# ours\ntitle: One   # kept\ndate: 2025-04-23\nlink: https://x.org/?gclid=1\n---\nWords.\n"
    edit = Edit(f"{NAME}:5:7", "https://x.org/?gclid=1", "https://x.org/")
    assert mend(text.encode(), [edit])[0].decode() == text.replace("?gclid=1", "")


@pytest.mark.parametrize(
    "edit",
    [
        Edit(f"{NAME}:7:4", "https://x.org/b", "x"),
        Edit(f"{NAME}:7:6", "https://x.org/a", "x"),
        Edit(f"{NAME}:6", "https://x.org/a", "x"),
        Edit(f"{NAME}:99:1", "https://x.org/a", "x"),
        Edit(f"{NAME}:0:1", "https://x.org/a", "x"),
        Edit(NAME, "https://x.org/a", "x"),
        Edit(f"{NAME}:7:4", "", "x"),
    ],
)
def test_an_edit_that_does_not_find_what_it_expects_is_left_alone(edit: Edit) -> None:
    content = (HEAD + "[a](https://x.org/a)").encode()
    assert mend(content, [edit]) == (content, ())


def test_an_edit_without_a_column_is_made_where_its_text_stands_in_the_line() -> None:
    content = (HEAD + "Words [a](https://x.org/a)").encode()
    edit = Edit(f"{NAME}:7", "https://x.org/a", "https://x.org/b")
    assert mend(content, [edit]) == (content.replace(b"x.org/a", b"x.org/b"), (edit,))


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("Words `https://x.org/a`.", "7:8"),
        ("```\nhttps://x.org/a\n```", "8:1"),
        ("<!-- one\nhttps://x.org/a -->", "8:1"),
        ("Words.\n\n    https://x.org/a", "9:5"),
        ("Words `https://x.org/a`.", "7"),
    ],
)
def test_an_edit_that_aims_at_code_or_a_comment_is_not_made(
    lines: str, place: str, mark: str, end: str
) -> None:
    content = (mark + HEAD + lines).replace("\n", end).encode()
    edit = Edit(f"{NAME}:{place}", "https://x.org/a", "https://x.org/b")
    assert mend(content, [edit]) == (content, ())


def test_of_two_edits_that_clash_the_first_is_made() -> None:
    content = (HEAD + "[a](https://x.org/a)").encode()
    edits = [Edit(f"{NAME}:7:5", "https://x.org/a", f"https://x.org/{letter}") for letter in "bc"]
    assert mend(content, edits) == (content.replace(b"x.org/a", b"x.org/b"), (edits[0],))


def test_of_two_edits_that_put_words_into_one_place_the_first_is_made() -> None:
    content = (HEAD + "[a](https://x.org/a)").encode()
    edits = [Edit(f"{NAME}:7:5", "https://x.org/a", f"https://x.org/a{letter}") for letter in "bc"]
    assert mend(content, edits) == (content.replace(b"x.org/a", b"x.org/ab"), (edits[0],))


@given(texts(), st.sampled_from(["https://x.org/?gclid=1", "https://arxiv.org/pdf/2504.12285v2", "b "]))
def test_mending_comes_to_rest_and_reads_the_same_but_for_its_addresses(text: str, piece: str) -> None:
    content = f"{HEAD}{piece}\n\n{text}\n\n{piece} {text}".encode()
    once = fully(content)
    assert fixed(once) == once
    assert protected(content.decode()) == [] or words(once) == words(content)


def words(content: bytes) -> list[str]:
    issue, _ = read_issue_bytes(content, NAME, "ai-papers")
    assert issue
    return [entry.title for entry in issue.entries]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a `b` c", ["`b`"]),
        ("a ``b ` c`` d", ["``b ` c``"]),
        ("a \\`b` c`", ["` c`"]),
        ("a `b c", []),
        ("a `b\n\nc` d", []),
        ("```\na\n```\nb", ["```\na\n```\n"]),
        ("<!-- `a --> b ` c ` d", ["<!-- `a -->", "` c `"]),
        ("- a\n\n      b\n", ["      b\n"]),
        ("no code", []),
    ],
)
def test_code_and_comments_are_protected(text: str, kept: list[str]) -> None:
    assert [text[begin:end] for begin, end in protected(text)] == kept


# -------------------------------------------------------------------------------------------- files on disk


def site(tmp_path: Path, content: bytes = HEAD.encode() + b"[a](https://x.org/?gclid=1)\n") -> Path:
    folder = tmp_path / "content" / "ai-papers"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(content)
    return folder / NAME


def told(place: str = f"content/ai-papers/{NAME}:7:5") -> Finding:
    edit = Edit(place, "https://x.org/?gclid=1", "https://x.org/")
    return Finding("links.tracking", Severity.HINT, place, "carries tracking", edits=(edit,))


def test_a_file_is_replaced_in_one_step_and_keeps_its_mode(tmp_path: Path) -> None:
    file = site(tmp_path)
    file.chmod(0o640)
    (change,) = mended(tmp_path, [told(), told()])
    assert b"gclid" in file.read_bytes(), "nothing is written yet"
    assert write(tmp_path, change)
    assert b"gclid" not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in file.parent.iterdir()] == [NAME], "no temporary file is left"
    assert mended(tmp_path, [told()]) == []


def test_a_file_that_changed_since_it_was_looked_at_is_not_overwritten(tmp_path: Path) -> None:
    file = site(tmp_path)
    (change,) = mended(tmp_path, [told()])
    file.write_bytes(b"somebody's new words")
    assert not write(tmp_path, change)
    assert file.read_bytes() == b"somebody's new words"


def test_only_content_files_are_mended(tmp_path: Path) -> None:
    site(tmp_path)
    outside = tmp_path / "notes.md"
    outside.write_bytes((tmp_path / "content/ai-papers" / NAME).read_bytes())
    (tmp_path / "content/ai-papers/linked.md").symlink_to(outside)
    places = (
        "notes.md:7:5",
        "content/../notes.md:7:5",
        f"{outside}:7:5",
        "content/ai-papers/linked.md:7:5",
        "x.md:1",
    )
    assert mended(tmp_path, map(told, places)) == []


def test_the_diff_shows_what_changes() -> None:
    change = Mended("content/a.md", b"one\r\ntwo \r\nthree\r\n", b"one\r\ntwo\r\nthree\r\n", ())
    assert diff(change) == [
        "--- content/a.md", "+++ content/a.md", "@@ -1,3 +1,3 @@", " one", "-two ", "+two", " three"
    ]  # fmt: skip
