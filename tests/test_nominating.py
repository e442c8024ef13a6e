"""What is nominated in Slack becomes an entry whose words are only words, once, and never over another."""

import stat
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given, settings as how, strategies as st

from bot import inspection, markup
from bot.app import App
from bot.desk import Desk
from bot.errors import InputError, RefusedError
from bot.listening.words import written
from bot.models import Entry, errors_of
from bot.nominating import SHORTCUT
from bot.nominating.entries import (
    LONGEST_TITLE,
    Nomination,
    address,
    entry_of,
    known,
    nominate,
    slug,
)
from bot.settings import Settings
from bot.sources.markdown import dump_entry, read_entry_bytes
from bot.text import Link
from tests.website import TABLE

NOW = datetime(2025, 4, 23, 7, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def nomination(note: str = "", url: str = "https://example.org/a", by: str = "Ann") -> Nomination:
    return Nomination(url, note, by)


def read_back(entry: Entry, by: str = "Ann") -> Entry:
    """What broadsheet reads in the file of an entry; it finds nothing wrong with it."""
    remark = f"nominated in Slack by {known(by)}"
    found, findings = read_entry_bytes(dump_entry(entry, remark).encode(), "entries/x.md", BERLIN)
    assert list(errors_of(findings)) == []
    assert found is not None
    return found


# ------------------------------------------------------------------------------------------- Slack's writing


@pytest.mark.parametrize(
    ("text", "plain", "urls"),
    [
        ("two &lt;b&gt; words &amp; more", "two <b> words & more", ()),
        ("&amp;lt; stays", "&lt; stays", ()),
        ("<https://x.org/?a=1&amp;b=2>", "https://x.org/?a=1&b=2", ("https://x.org/?a=1&b=2",)),
        ("see <https://x.org/|the page>!", "see the page!", ("https://x.org/",)),
        ("see https://x.org/a, and", "see https://x.org/a, and", ("https://x.org/a",)),
        ("<https://x.org/|https://y.org/>", "https://y.org/", ("https://x.org/",)),
        ("<@U123|ada> and <@U124>", "@ada and @U124", ()),
        ("<#C123|papers> <#C124>", "#papers #C124", ()),
        ("<!here> <!channel|channel> <!subteam^S1|@team>", "@here @channel @team", ()),
        ("<!date^1392734382^{date}|Feb 18>", "@Feb 18", ()),
        ("<mailto:a@x.org|a@x.org>", "a@x.org", ()),
        ("<javascript:alert(1)|x>", "x", ()),
        ("< > << <> <|> <a|b|c>", "< > << <> <|> b|c", ()),
    ],
)
def test_slack_s_escapes_are_undone(text: str, plain: str, urls: tuple[str, ...]) -> None:
    found = written(text)
    assert (found.text, found.urls) == (plain, urls)


def test_a_command_s_links_are_read_as_their_addresses() -> None:
    assert written("add <http://x.org|x.org> why", labels=False).text == "add http://x.org why"


@given(st.text(alphabet=st.sampled_from("<>|&;lt@#!^https://x.org "), max_size=200))
def test_no_writing_is_too_strange_to_read(text: str) -> None:
    assert len(written(text).text) <= len(text) + 2 * text.count("<")


# --------------------------------------------------------------------------------------------------- entries


def hostile() -> st.SearchStrategy[str]:
    """Notes and titles as nobody would wish them."""
    bits = [
        "[x](javascript:alert(1))", "![x](https://evil.example/p.png)", "<script>", "</p>", "<!-- ", "-->",
        "---", "\n---\n", "...", "# Title", "## Entry", "- ", "1. ", "> ", "```", "    code", "|a|b|", "\\",
        "**", "_", "~~", "`", "{{ x }}", "{% x %}", "title: x", ": ", " #", "&amp;", "&#60;", "\u202e",
        "\u200b", "\x00", "\r\n", "\ud800", "\U000e0041", "=?utf-8?q?x?=", "@here", "!", "*",
        "null", "~", "'", '"', "word", "重要", "مهم", "\u2028", "\x85", "mailto:a@b.org", "www.evil.example",
        "https://evil.example/",
    ]  # fmt: skip
    return st.lists(st.sampled_from(bits) | st.text(max_size=8), max_size=12).map("".join)


@how(max_examples=300)
@given(hostile(), hostile(), hostile())
def test_whatever_is_written_is_only_words(note: str, title: str, by: str) -> None:
    entry = entry_of(nomination(note), "https://example.org/a", title or None, NOW.astimezone(BERLIN))
    found = read_back(entry, by)
    assert found == entry
    assert [one.url for one in found.references] == ["https://example.org/a"]
    assert not any(isinstance(one, Link) for block in found.blocks for one in getattr(block, "children", ()))
    assert found.title
    assert len(found.title) <= LONGEST_TITLE


@how(max_examples=300)
@given(hostile())
def test_a_name_is_one_line_of_a_remark(by: str) -> None:
    assert known(by).isprintable()
    assert not set(known(by)) & set('#:"<>\n')


@pytest.mark.parametrize(
    ("title", "note", "heading", "words"),
    [
        ("A page", "why\n\nand how", "A page", ["why", "and how"]),
        (None, "Its first line\nand a second", "Its first line", ["and a second"]),
        (None, "", "example.org", []),
        (None, " \n ", "example.org", []),
        ("x" * 300, "", "x" * (LONGEST_TITLE - 1) + "…", []),
        (None, "y" * 300, "y" * (LONGEST_TITLE - 1) + "…", ["y" * 300]),
    ],
)
def test_the_title_is_the_page_s_or_the_note_s_or_the_host(
    title: str | None, note: str, heading: str, words: list[str]
) -> None:
    entry = entry_of(nomination(note), "https://www.example.org/a", title, NOW.astimezone(BERLIN))
    assert entry.title == heading
    assert [markup.to_text((block,), width=1000) for block in entry.blocks] == words
    assert (entry.references[0].label, entry.date) == ("example.org", NOW)


@pytest.mark.parametrize(
    ("url", "taken"),
    [
        ("https://x.org/?utm_source=slack", "https://x.org/"),
        ("http://x.org/a b", None),
        ("javascript:alert(1)", None),
        ("mailto:a@x.org", None),
        ("//x.org", None),
        ("https://", None),
        ("https://x.org/" + "a" * 3000, None),
    ],
)
def test_an_address_is_whole_and_of_the_web(url: str, taken: str | None) -> None:
    if taken:
        assert address(url) == taken
    else:
        with pytest.raises(InputError):
            address(url)


@pytest.mark.parametrize(
    ("words", "spelt"),
    [
        ("BitNet b1.58: 1-bit LLMs!", "bitnet-b1-58-1-bit-llms"),
        ("Über—Größe", "uber-groe"),
        ("重要", ""),
        ("../../etc/passwd", "etc-passwd"),
        ("a" * 100, "a" * 60),
        ("word " * 40, "-".join(["word"] * 12)),
    ],
)
def test_a_slug_is_plain_letters(words: str, spelt: str) -> None:
    assert slug(words) == spelt


# ----------------------------------------------------------------------------------------------------- files


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    table = {**TABLE, "name": "ai-papers", "channels": {"readers": {"kind": "email"}}}
    made = App(
        Settings(
            root=tmp_path,
            database="sqlite:///ledger.db",
            base_url="https://papers.example.org",  # type: ignore[arg-type] # pydantic reads it
            newsletters={"ai-papers": table},  # type: ignore[dict-item] # likewise
        )
    )
    yield made
    made.store.close()


def put(app: App, one: Nomination, title: str | None = "A page") -> tuple[Entry, Path]:
    def desk() -> Desk:
        return app.desk(app.newsletter(None))

    return nominate(desk, app.settings, one, NOW, lambda _url: title)


def test_an_entry_is_a_file_that_reads_without_a_finding(app: App) -> None:
    entry, path = put(app, nomination("Why it *matters* & how"))
    assert path.relative_to(app.settings.root).as_posix() == "content/ai-papers/entries/2025-04-23-a-page.md"
    assert path.read_text("utf-8") == (
        "---\n"
        "title: A page\n"
        "date: 2025-04-23 09:30 +0200\n"
        "# nominated in Slack by Ann\n"
        "---\n"
        "\n"
        "[example.org](https://example.org/a)\n"
        "\n"
        "Why it \\*matters\\* & how\n"
    )
    assert stat.S_IMODE(path.stat().st_mode) & 0o400
    content = app.desk(app.newsletter(None)).content
    assert (content.entries, content.findings) == ((entry,), ())
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "again", ["https://example.org/a", "http://www.example.org/a/", "https://example.org/a?utm_source=x#top"]
)
def test_one_work_is_nominated_once_however_it_is_spelt(app: App, again: str) -> None:
    put(app, nomination())
    with pytest.raises(RefusedError, match=r"already, by Ann, since 23 Apr 2025: “A page”"):
        put(app, nomination(url=again, by="Bo"))
    assert len(app.desk(app.newsletter(None)).content.entries) == 1


def test_what_stood_in_an_earlier_issue_is_told(app: App) -> None:
    folder = app.content_folder(app.newsletter(None))
    folder.mkdir(parents=True)
    issue = (
        "---\ntitle: Two papers\n---\n\n## BitNet\n\n[Paper](https://arxiv.org/pdf/2504.12285v2)\n\nLead.\n"
    )
    (folder / "2025-W16.md").write_text(issue, "utf-8")
    with pytest.raises(RefusedError, match="already, in 2025-W16: “BitNet”"):
        put(app, nomination(url="https://arxiv.org/abs/2504.12285"))


def test_two_works_of_one_title_are_two_files(app: App) -> None:
    paths = [put(app, nomination(url=f"https://example.org/{number}"))[1].name for number in range(3)]
    assert paths == ["2025-04-23-a-page.md", "2025-04-23-a-page-2.md", "2025-04-23-a-page-3.md"]


def test_no_file_is_written_over_not_even_one_that_leads_nowhere(app: App) -> None:
    folder = app.content_folder(app.newsletter(None)) / "entries"
    folder.mkdir(parents=True)
    (folder / "2025-04-23-a-page.md").symlink_to(folder / "nowhere")
    _, path = put(app, nomination())
    assert path.name == "2025-04-23-a-page-2.md"
    assert not (folder / "nowhere").exists()


def test_many_at_once_nominate_one_work_once(app: App) -> None:
    app.desk(app.newsletter(None))  # what is built once is built
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(put, app, nomination(by=f"P{number}")) for number in range(8)]
    outcomes = [type(one.exception()) for one in asked]
    assert outcomes.count(type(None)) == 1
    assert outcomes.count(RefusedError) == 7
    assert len(app.desk(app.newsletter(None)).content.entries) == 1


@pytest.mark.parametrize(
    ("url", "rule"), [("http://localhost/x", r"links\."), ("https://127.0.0.1/x", r"links\.")]
)
def test_what_the_rules_take_for_an_error_is_not_written(app: App, url: str, rule: str) -> None:
    with pytest.raises(RefusedError, match=rule):
        put(app, nomination(url=url))
    assert list((app.content_folder(app.newsletter(None)) / "entries").iterdir()) == []


@how(max_examples=30, deadline=None)
@given(note=hostile(), title=hostile())
def test_what_is_written_passes_every_rule_that_finds_errors(
    tmp_path_factory: pytest.TempPathFactory, note: str, title: str
) -> None:
    root = tmp_path_factory.mktemp("nominated")
    table = {**TABLE, "name": "ai-papers"}
    made = Settings(root=root, newsletters={"ai-papers": table})  # type: ignore[dict-item] # pydantic reads it
    app = App(made)
    try:
        put(app, nomination(note), title or None)
    except RefusedError:
        assert not list(root.rglob("*.md"))
        return
    finally:
        app.store.close()
    again = App(made)
    assert list(errors_of(inspection.check(again, [], NOW))) == []
    again.store.close()


def test_the_manifest_of_the_manual_names_what_we_listen_for() -> None:
    page = (Path(__file__).parents[1] / "docs/how-to/hear-slack.md").read_text("utf-8")
    manifest = yaml.safe_load(textwrap.dedent(page.partition("```yaml\n")[2].partition("```")[0]))
    (shortcut,) = manifest["features"]["shortcuts"]
    assert (shortcut["callback_id"], shortcut["type"]) == (SHORTCUT, "message")
    assert len(shortcut["name"]) <= 24
    assert manifest["settings"]["socket_mode_enabled"]
    assert {"chat:write", "commands"} <= set(manifest["oauth_config"]["scopes"]["bot"])
