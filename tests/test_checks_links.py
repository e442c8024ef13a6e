"""What is told of links that nobody has followed yet: each rule with what it hits and what it nearly hits."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from bot.canonical import canonical
from bot.checks import Material, _links, content, links
from bot.checks._hosts import disguise, unreachable
from bot.checks._links import links_of
from bot.models import Edit, Entry, Finding, Issue, Reference, Section, Severity, Week
from bot.settings import Settings
from bot.sources.markdown import read_issue_bytes
from bot.text import Blocks
from tests import strategies
from tests.measuring import times

SETTINGS = Settings(root=Path("/letters"), transport={"kind": "maildir"})  # type: ignore[arg-type]  # as in TOML
RULES = {rule.id: rule for rule in links.RULES}


def read(files: Mapping[str, str]) -> tuple[list[Issue], list[Finding]]:
    issues, findings = list[Issue](), list[Finding]()
    for name, text in files.items():
        issue, found = read_issue_bytes(text.encode(), name, "ai-papers")
        assert issue, found
        issues.append(issue)
        findings += found
    return issues, findings


def material(body: str, **earlier: str) -> Material:
    head = "---\ntitle: AI Papers\n---\n"
    files = {f"2025-{week}.md": head + text for week, text in {**earlier, "W17": body}.items()}
    issues, findings = read(files)
    return Material(
        SETTINGS, (issues[-1],), findings=tuple(findings), earlier=tuple(issues[:-1]), texts=files
    )


def found(rule: str, body: str, **earlier: str) -> list[Finding]:
    return list(RULES[rule].findings(material(body, **earlier)))


def entry(url: str, words: str = "Paper") -> str:
    return f"## One\n\n[{words}]({url})\n\nWhat it is about.\n"


HITS = (
    ("links.doubled-scheme", "https://https://x.org/a"),
    ("links.doubled-scheme", "https://http//x.org/a"),
    ("links.doubled-scheme", "http://www.https://x.org/a"),
    ("links.doubled-scheme", "https://x.orghttps://y.org/"),
    ("links.doubled-scheme", "https://x.org/ahttps://y.org/b"),
    ("links.private-host", "http://localhost:8000/a"),
    ("links.private-host", "https://x..org/a"),
    ("links.private-host", "https://.org/a"),
    ("links.private-host", "https://-x.org/a"),
    ("links.private-host", "https://x.123/a"),
    ("links.private-host", "http://app.localhost/a"),
    ("links.private-host", "http://127.0.0.1/a"),
    ("links.private-host", "http://127.1/a"),
    ("links.private-host", "http://2130706433/a"),
    ("links.private-host", "http://0x7f.1/a"),
    ("links.private-host", "http://[::1]/a"),
    ("links.private-host", "http://[::ffff:127.0.0.1]/a"),
    ("links.private-host", "http://169.254.169.254/latest"),
    ("links.private-host", "http://192.168.1.7/a"),
    ("links.private-host", "http://[fd00::1]/a"),
    ("links.private-host", "https://wiki/a"),
    ("links.private-host", "https://printer.local/a"),
    ("links.private-host", "https://wiki.corp.internal/a"),
    ("links.private-host", "https://letters.example/a"),
    ("links.private-host", "https://letters.test./a"),
    ("links.user-info", "https://editor:secret@x.org/a"),
    ("links.user-info", "https://bank.com@x.org/a"),
    ("links.disguised-host", "https://\u0430pple.com/"),
    ("links.disguised-host", "https://xn--80ak6aa92e.com/"),
    ("links.shortener", "https://bit.ly/3xYz"),
    ("links.shortener", "http://www.tinyurl.com/abc"),
    ("links.template-slot", "https://x.org/{{slug}}"),
    ("links.template-slot", "https://x.org/?u=*|EMAIL|*"),
    ("links.template-slot", "https://x.org/${id}"),
    ("links.template-slot", "https://x.org/%%user%%"),
    ("links.cut-off", "https://x.org/a-long-na…"),
    ("links.cut-off", "https://x.org/a-long-na..."),
    ("links.odd-end", "https://x.org/a,"),
    ("links.odd-end", "https://x.org/a**"),
    ("links.odd-end", "<https://x.org/a(b>"),
    ("links.odd-end", "<https://x.org/a)>"),
    ("links.odd-end", "https://x.org/a]"),
    ("links.odd-end", "https://x.org/a%22"),
    ("links.odd-end", "https://x.org/a)"),
    ("links.invisible", "https://x.org/o\u200bne"),
    ("links.invisible", "\u200bhttps://x.org/one"),
    ("links.not-encoded", "https://x.org/straße"),
    ("links.long", f"https://x.org/{'a' * 400}"),
    ("links.tracking", "https://x.org/a?utm_source=letter"),
    ("links.arxiv-pdf", "https://arxiv.org/pdf/2504.12285v2"),
    ("links.arxiv-pdf", "http://www.arxiv.org/pdf/math/0309136.pdf"),
)

NEAR_MISSES = (
    ("links.doubled-scheme", "https://web.archive.org/web/2020/https://x.org/a"),
    ("links.doubled-scheme", "https://http.cat/404"),
    ("links.doubled-scheme", "https://x.org/?url=https://y.org/"),
    ("links.doubled-scheme", "https://x.org/a#https://y.org/"),
    ("links.doubled-scheme", "http://x.org:80/a"),
    ("links.private-host", "https://x.orghttps://y.org/"),
    ("links.private-host", "https://a_b.x.org/a"),
    ("links.private-host", "https://münchen.de./a"),
    ("links.doubled-scheme", "https://https.cio.gov/"),
    ("links.private-host", "https://https://x.org/a"),
    ("links.private-host", "https://localhost.run/docs"),
    ("links.private-host", "https://8.8.8.8/"),
    ("links.private-host", "https://[2606:4700::1111]/"),
    ("links.private-host", "https://192.0.2.example.org/"),
    ("links.private-host", "https://example.org/localhost"),
    ("links.private-host", "https://internal.example.org/"),
    ("links.private-host", "mailto:editor@localhost"),
    ("links.user-info", "https://medium.com/@editor/a"),
    ("links.user-info", "https://x.org/?mail=a@x.org"),
    ("links.disguised-host", "https://münchen.de/"),
    ("links.disguised-host", "https://пример.рф/"),
    ("links.disguised-host", "https://яндекс.com/"),
    ("links.disguised-host", "https://日本語テスト.jp/"),
    ("links.disguised-host", "https://tokyo東京.jp/"),
    ("links.disguised-host", "https://代々木.jp/"),
    ("links.disguised-host", "https://новости.com/"),
    ("links.disguised-host", "https://xn--a-.org/"),
    ("links.shortener", "https://bit.ly/"),
    ("links.shortener", "https://youtu.be/dQw4w9WgXcQ"),
    ("links.shortener", "https://x.org/bit.ly/3xYz"),
    ("links.template-slot", "https://x.org/{id}"),
    ("links.template-slot", "https://x.org/a%20b*c"),
    ("links.cut-off", "https://github.com/x/y/compare/a...b"),
    ("links.odd-end", "https://en.wikipedia.org/wiki/A_(b)"),
    ("links.odd-end", "https://x.org/a/"),
    ("links.odd-end", "https://x.org/?q=[a]"),
    ("links.odd-end", "https://en.wikipedia.org/wiki/Apple_Inc."),
    ("links.odd-end", "mailto:editor@x.org?subject=a."),
    ("links.invisible", "https://x.org/日本"),
    ("links.not-encoded", "https://x.org/stra%C3%9Fe"),
    ("links.not-encoded", "https://münchen.de/a"),
    ("links.not-encoded", "https://x.org/o\u200bne"),
    ("links.long", f"https://x.org/{'a' * 380}"),
    ("links.tracking", "https://x.org/a?utm=1"),
    ("links.tracking", "https://x.org/utm_source=letter"),
    ("links.arxiv-pdf", "https://arxiv.org/abs/2504.12285v2"),
    ("links.arxiv-pdf", "https://x.org/pdf/2504.12285"),
    ("links.arxiv-pdf", "https://arxiv.org/pdf/unknown"),
)


@pytest.mark.parametrize(("rule", "url"), HITS)
def test_an_address_with_a_fault_is_told_at_its_column(rule: str, url: str) -> None:
    (finding,) = found(rule, entry(url))
    column = len("[Paper](") + 1 + url.startswith("<")
    assert finding.place == f"2025-W17.md:6:{column}"
    assert finding.issue == "ai-papers/2025-W17"
    assert finding.fix


@pytest.mark.parametrize(("rule", "url"), NEAR_MISSES)
def test_an_address_that_only_looks_like_it_is_not_told(rule: str, url: str) -> None:
    assert found(rule, entry(url)) == []


@pytest.mark.parametrize(
    ("host", "severity"),
    [
        ("localhost", Severity.ERROR),
        ("127.0.0.1", Severity.ERROR),
        ("letters.invalid", Severity.ERROR),
        ("192.0.2.1", Severity.ERROR),
        ("224.0.0.1", Severity.ERROR),
        ("10.1.2.3", Severity.WARNING),
        ("100.64.0.1", Severity.WARNING),
        ("wiki", Severity.WARNING),
        ("wiki.home.arpa", Severity.WARNING),
    ],
)
def test_what_one_house_may_mean_is_a_warning_and_what_nobody_reaches_is_an_error(
    host: str, severity: Severity
) -> None:
    told = unreachable(host)
    assert told
    assert told[1] == severity


def test_a_disguise_is_told_with_both_spellings() -> None:
    (finding,) = found("links.disguised-host", entry("https://\u0430pple.com/"))
    assert "xn--pple-43d.com" in finding.message
    assert "\u0430pple.com" in finding.message
    assert "Cyrillic and Latin" in finding.message
    assert disguise("xn--\udc80") is None


def test_a_password_is_not_repeated() -> None:
    (finding,) = found("links.user-info", entry("https://editor:secret@x.org/a"))
    assert "secret" not in str(finding)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("See [the code](https://x.org/a\nb).", True),
        ("See [the code] (https://x.org/a).", True),
        ("See (the code)[https://x.org/a].", True),
        ("See [the code](https://x.org/a", True),
        ("See [the code](the code).", True),
        ("See [the code](https://x.org/a).", False),
        ("See [1] (https://x.org/a).", False),
        ("A list\\[0\\](x) of calls.", False),
        ("Call `f[0](x)` twice.", False),
        ("See the code (https://x.org/a) [sic].", False),
        ("See [the code](https://x.org/a b).", False),  # reading it has told that already, as content.link
    ],
)
def test_what_looks_like_a_link_and_is_none_is_told(body: str, *, told: bool) -> None:
    assert bool(found("links.not-made", f"## One\n\n{body}\n")) is told


def test_what_is_no_link_is_told_at_its_own_place_and_not_at_a_link_s() -> None:
    body = "## One\n\n[Paper](https://x.org/a)\n\nSee [the paper](https://x.org/a and more.\n"
    (finding,) = found("links.not-made", body)
    assert finding.place == "2025-W17.md:8:5"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("It ([paper](https://x.org/a)) is good.", False),
        ("It [paper](https://x.org/a)) is good.", True),
        ("1) One ([paper](https://x.org/a)) is good.", False),
        ("(One **([paper](https://x.org/a))** is good.)", False),
    ],
)
def test_a_bracket_that_nothing_opened_is_told_behind_a_link(body: str, *, told: bool) -> None:
    assert bool(found("links.odd-end", f"## One\n\nWords.\n\n{body}\n")) is told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("here", True),
        ("Click here!", True),
        ("hier", True),
        ("Link →", True),
        ("こちら", True),
        ("cliquez ici", True),
        ("the code is here", False),
        ("Hierarchies", False),
        ("Paper", False),
    ],
)
def test_words_that_say_nothing_are_told(words: str, *, told: bool) -> None:
    assert bool(found("links.words", entry("https://x.org/a", words))) is told


@pytest.mark.parametrize(("length", "told"), [(60, False), (61, True)])
def test_a_long_bare_address_is_told(length: int, *, told: bool) -> None:
    url = "https://x.org/".ljust(length, "a")
    assert bool(found("links.words", f"## One\n\nSee {url} for more.\n")) is told


@pytest.mark.parametrize(
    "body",
    [
        entry("https://arxiv.org/pdf/2504.12285", "PDF"),
        "## One\n\n[Paper](https://arxiv.org/abs/2504.12285) · [Text](https://arxiv.org/pdf/2504.12285)\n",
    ],
)
def test_a_pdf_that_is_meant_is_left_alone(body: str) -> None:
    assert found("links.arxiv-pdf", body) == []


# ------------------------------------------------------------------------------------------------- history


@pytest.mark.parametrize(
    ("links_of_one", "links_of_two", "severity"),
    [
        ("[A](https://arxiv.org/abs/2504.12285)", "[B](https://arxiv.org/pdf/2504.12285)", Severity.WARNING),
        ("[Paper](https://x.org/a?utm_source=y)", "[Paper](http://www.x.org/a/)", Severity.WARNING),
        ("[A](https://x.org/a), [C](https://y.org)", "[B](https://x.org), [C](https://y.org)", Severity.HINT),
        ("[Paper](https://x.org/a)", "[Paper](https://x.org/b)", None),
        ("[A](https://arxiv.org/abs/2504.12285), [PDF](https://arxiv.org/pdf/2504.12285)", "Text", None),
    ],
)  # fmt: skip
def test_a_work_linked_twice_in_one_issue_is_told(
    links_of_one: str, links_of_two: str, severity: Severity | None
) -> None:
    (rule,) = (one for one in content.RULES if one.id == "content.duplicate-url")
    body = f"## One\n\n{links_of_one}\n\n## Two\n\n{links_of_two}\n"
    assert [one.severity for one in rule.findings(material(body))] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("before", "now", "severity"),
    [
        ("https://arxiv.org/abs/2504.12285", "https://arxiv.org/pdf/2504.12285v2", Severity.WARNING),
        ("https://doi.org/10.1000/A", "https://dx.doi.org/10.1000/a", Severity.WARNING),
        ("https://x.org/post?utm_source=a", "http://www.x.org/post/", Severity.HINT),
        ("https://arxiv.org/abs/2504.12285", "https://arxiv.org/abs/2504.12286", None),
        ("https://x.org/", "https://x.org/", None),
    ],
)
def test_a_work_of_an_earlier_issue_is_told(before: str, now: str, severity: Severity | None) -> None:
    told = found("links.earlier", entry(now), W16=entry(before))
    assert [finding.severity for finding in told] == ([severity] if severity else [])
    assert all("2025-W16" in finding.message for finding in told)


SAME = (
    ("https://youtu.be/dQw4w9WgXcQ", "https://www.youtube.com/watch?t=9&v=dQw4w9WgXcQ"),
    ("https://x.org/app#!/Inbox", "http://www.x.org/app/#!/Inbox"),
    ("https://x.org/a?b=1&c=2", "https://x.org/a?c=2&b=1"),
    ("https://arxiv.org/abs/math.GT/0309136", "https://arxiv.org/pdf/math/0309136v2.pdf"),
    ("https://doi.org/10.1000/ABC", "https://dl.acm.org/doi/pdf/10.1000/abc"),
    ("https://x.org/caf%C3%A9", "https://x.org/caf%c3%a9"),
    ("https://aclanthology.org/2023.acl-long.1.pdf", "https://aclanthology.org/2023.acl-long.1/"),
)


@pytest.mark.parametrize(("before", "now"), [*SAME, *((now, before) for before, now in SAME)])
def test_the_sieve_for_earlier_addresses_lets_every_spelling_through(before: str, now: str) -> None:
    assert canonical(before) == canonical(now)
    body = f"## One\n\n[Paper](<{now}>)\n"
    assert found("links.earlier", body, W16=f"## One\n\n[Paper](<{before}>)\n")


def test_a_work_of_a_later_issue_is_not_told_of_an_earlier_one() -> None:
    url = "https://arxiv.org/abs/2504.12285"
    assert found("links.earlier", entry(url), W18=entry(url)) == []


def test_the_first_issue_of_a_work_is_named_not_the_last() -> None:
    url = "https://arxiv.org/abs/2504.12285"
    (finding,) = found("links.earlier", entry(url), W15=entry(url), W16=entry(url))
    assert "2025-W15" in finding.message


# ------------------------------------------------------------------------------------------------- the file


@pytest.mark.parametrize(
    ("rule", "url", "becomes"),
    [
        ("links.tracking", "https://x.org/a?b=%7e&utm_source=x#c", "https://x.org/a?b=%7e#c"),
        ("links.invisible", "https://x.org/o\u200bne", "https://x.org/one"),
        ("links.arxiv-pdf", "https://arxiv.org/pdf/2504.12285v2", "https://arxiv.org/abs/2504.12285"),
        ("links.arxiv-pdf", "http://arxiv.org/pdf/2504.12285.pdf", "http://arxiv.org/abs/2504.12285"),
    ],
)
def test_what_needs_no_judgement_comes_with_its_edit(rule: str, url: str, becomes: str) -> None:
    (finding,) = found(rule, entry(url))
    assert finding.edits == (Edit(finding.place, url, becomes),)


@pytest.mark.parametrize(
    "written",
    [
        "[r][1]\n\n[1]: https://x.org/a?utm_source=x",
        "<https://x.org/a?utm_source=x>",
        "https://x.org/a?utm_source=x.",
        "(see https://x.org/a?utm_source=x)",
        '<a href="https://x.org/a?utm_source=x">a</a>',
        "**[a](https://x.org/a?utm_source=x)**",
        '[a](https://x.org/a?utm_source=x "title")',
    ],
)
def test_an_address_is_found_in_the_file_however_it_is_written(written: str) -> None:
    (finding,) = found("links.tracking", f"## One\n\n[First](https://x.org/a)\n\nWords {written}\n")
    assert finding.edits[0].old == "https://x.org/a?utm_source=x"
    line, column = map(int, finding.place.split(":")[1:])
    text = f"---\ntitle: AI Papers\n---\n## One\n\n[First](https://x.org/a)\n\nWords {written}\n"
    assert text.split("\n")[line - 1][column - 1 :].startswith("https://x.org/a?utm_source=x")


def test_two_links_of_one_address_have_two_places() -> None:
    body = "## One\n\n[A](https://x.org/?fbclid=1)\n\nWords [b](https://x.org/?fbclid=1).\n"
    (finding,) = found("links.tracking", body)
    assert finding.message == "2 links of this entry carry tracking parameters"
    assert [edit.place for edit in finding.edits] == ["2025-W17.md:6:5", "2025-W17.md:8:11"]


def test_addresses_that_cannot_exist_fail_no_rule() -> None:
    issues, _ = read({"2025-W17.md": "---\ntitle: AI Papers\n---\n"})
    odd = (Reference("Paper", "https://["), Reference("Paper", "https://x.org:y/"), Reference("Paper", ""))
    given = replace(issues[0], sections=(Section(None, (Entry("One", odd, place="2025-W17.md:4"),)),))
    for rule in RULES.values():
        list(rule.findings(Material(SETTINGS, (given,))))


def test_an_address_is_sought_in_its_own_entry() -> None:
    body = "## One\n\nWords `https://x.org/?fbclid=1`.\n\n## Two\n\n[A](https://x.org/?fbclid=1)\n"
    (finding,) = found("links.tracking", body)
    assert finding.place == "2025-W17.md:10:5"


def test_an_address_whose_letters_are_not_known_has_its_entry_s_place_and_no_edit() -> None:
    url = "https://x.org/a?utm_source=x"
    issues, _ = read({"2025-W17.md": "---\ntitle: AI Papers\n---\n" + entry(url)})
    (finding,) = RULES["links.tracking"].findings(Material(SETTINGS, tuple(issues)))
    assert (finding.place, finding.edits) == ("2025-W17.md:4", ())


def test_a_single_entry_s_link_is_found_in_its_own_file_though_an_issue_takes_it() -> None:
    head = "---\ntitle: One\ndate: 2025-04-23\n---\n"
    url = "https://x.org/a?utm_source=x"
    texts = {"2025-W17.md": "---\ntitle: AI Papers\n---\n", "entries/one.md": f"{head}[Paper]({url})\n"}
    (issue,), _ = read({"2025-W17.md": texts["2025-W17.md"]})
    taken = Entry("One", (Reference("Paper", url),), place="entries/one.md:1")
    given = replace(issue, sections=(Section(None, (taken,)),))
    (finding,) = RULES["links.tracking"].findings(Material(SETTINGS, (given,), texts=texts))
    assert finding.place == "entries/one.md:5:9"


@settings(max_examples=30)
@given(strategies.blocks(), st.lists(st.sampled_from([url for _, url in HITS]), max_size=4))
def test_no_content_makes_a_rule_about_links_fail(blocks: Blocks, urls: list[str]) -> None:
    odd = tuple(Reference("Paper", url) for url in (*urls, "https://["))
    one = Entry("One", odd, blocks, place="2025-W17.md:4")
    made = Issue("ai-papers", Week(2025, 17), "AI Papers", (Section(None, (one,)),), place="2025-W17.md:1")
    texts = {"2025-W17.md": "---\n\n---\n\n" + " ".join(urls)}
    for rule in RULES.values():
        list(rule.findings(Material(SETTINGS, (made,), earlier=(made,), texts=texts)))


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda n: "".join(f"[p](https://x.org/{at}), " for at in range(n)), id="in one line"),
        pytest.param(lambda n: "".join(f"See [p](https://x.org/{at}).\n" for at in range(n)), id="in lines"),
        pytest.param(lambda n: "\u200b" * 20 * n + "[p](https://x.org/)", id="signs that nobody sees"),
        pytest.param(
            lambda n: (
                "".join(f"[{at}]: https://x.org/{at}\n" for at in range(n))
                + "\n"
                + "".join(f"[{n - at - 1}] " for at in range(n))
            ),
            id="defined at their end, the other way round",
        ),
    ],
)
def test_to_find_links_in_a_file_takes_as_long_as_the_file_is(
    written: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_links, "_SOUGHT", 100)  # a text that is read in a moment is past its limits then
    monkeypatch.setattr(_links, "_PATIENCE", 2000)
    few, many = (material(f"## One\n\n{written(n)}\n") for n in (300, 2400))
    # Eight times, with slack; where it grows with the square it is 64.
    assert times(lambda: list(links_of(many)), lambda: list(links_of(few))) < 30


def test_an_address_that_is_cut_short_is_told_once() -> None:
    body = "## One\n\n[Paper](https://x.org/a-long-na...)\n\nWords.\n"
    assert len(found("links.cut-off", body)) == 1
    assert found("links.odd-end", body) == []
