"""Proofs: an issue is set once for one content, judged where readers get mail, and refused or not."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import HttpUrl

from bot import checks
from bot.checks import Flaw, Mail, Material, Rule
from bot.compose import compose
from bot.errors import HeldError, InputError
from bot.models import Entry, Issue, Rendered, Section, Severity, Status, Week
from bot.plugins import Options
from bot.proofs import KEPT, Print, Proof, Proofs
from bot.settings import Newsletter, Settings
from bot.sources.markdown import read_issue
from bot.templates import Templates, shipped
from bot.text import Paragraph, Text
from tests import strategies
from tests.recording import PAYLOAD, Recorder, conversation

REPOSITORY = Path(__file__).resolve().parents[1]
SAMPLES = (
    REPOSITORY / "content/ai-papers/2025-W17.md",
    REPOSITORY / "content/ai-papers/2025-W45.md",
    REPOSITORY / "tests/golden/issue.md",
)
THEMES = sorted(path.name.removesuffix(".html.j2") for path in (shipped() / "themes").glob("*.html.j2"))
LEAD = (Paragraph((Text("Words."),)),)
FAULTY = """\
{% extends "themes/plain.html.j2" %}
{% block sheet %}
{{ super() }}
<tr><td><script>x</script></td></tr>
{% endblock %}
"""


def newsletter(theme: str = "plain", language: str = "en") -> Newsletter:
    return Newsletter.model_validate(
        {
            "name": "ai-papers",
            "title": "AI Papers of the Week",
            "tagline": "Papers & people",
            "language": language,
            "sender": "AI Papers <papers@example.org>",
            "list_id": "ai-papers.example.org",
            "postal_address": "AI Papers\n1 Example Street",
            "greeting": "Hello {name},",
            "theme": theme,
            "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
            "channels": {"readers": Options(kind="email")},
        }
    )


def made(root: Path, theme: str = "plain", *, language: str = "en", mails: bool = True) -> Proofs:
    templates = Templates(root)
    channels = {"to-all": Recorder() if mails else conversation(1)}
    ours = newsletter(theme, language)
    settings = Settings(
        root=root, base_url=HttpUrl("https://news.example.org"), newsletters={ours.name: ours}
    )
    return Proofs(ours, templates, channels, settings)


def own_theme(root: Path, text: str) -> None:
    folder = root / "templates/themes"
    folder.mkdir(parents=True)
    (folder / "own.html.j2").write_text(text, "utf-8")


def issue(title: str = "AI Papers", **changes: object) -> Issue:
    entry = Entry("One", blocks=LEAD)
    whole = {"sections": (Section(None, (entry,)),), "place": "content/ai-papers/2025-W17.md:1", **changes}
    return Issue("ai-papers", Week(2025, 17), title, **whole)  # type: ignore[arg-type]  # what a test says


# ------------------------------------------------------------------------------------------ our own themes


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("theme", THEMES)
def test_our_themes_make_mails_without_any_finding(
    theme: str, sample: Path, language: str, tmp_path: Path
) -> None:
    content, _ = read_issue(sample, "ai-papers", sample.name)
    assert content
    assert made(tmp_path, theme, language=language).of(content).findings == ()


@pytest.mark.parametrize("theme", THEMES)
@settings(
    max_examples=5,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(content=strategies.issues())
def test_no_content_makes_our_themes_faulty(theme: str, content: Issue, tmp_path: Path) -> None:
    assert made(tmp_path, theme).of(content).errors == ()


def test_an_issue_that_had_to_be_folded_passes_and_says_what_is_shortened(tmp_path: Path) -> None:
    rest = Paragraph((Text("word " * 700),))
    entries = tuple(Entry(f"Entry {n}", blocks=(*LEAD, rest), place=f"a.md:{n}") for n in range(40))
    proof = made(tmp_path).of(issue(sections=(Section(None, entries),)))
    count = proof.passed().rendered.folded
    assert 0 < count < len(entries)
    folded = next(one for one in proof.findings if one.rule == "mail.folded")
    assert folded.severity is Severity.WARNING
    assert folded.message.startswith(f"{count} entries are shortened")
    assert f"'Entry {len(entries) - count}'" in folded.message


# ------------------------------------------------------------------------------------------ proofs


def test_a_mail_that_is_in_order_passes(tmp_path: Path) -> None:
    proof = made(tmp_path).of(issue())
    assert proof.passed() is proof.looked_at()
    assert isinstance(proof.looked_at(), Print)


def test_an_error_of_the_theme_is_found_with_its_line_and_refused(tmp_path: Path) -> None:
    own_theme(tmp_path, FAULTY)
    proof = made(tmp_path, "own").of(issue())
    (finding,) = proof.findings
    assert (finding.rule, finding.place) == ("mail.active-content", "templates/themes/own.html.j2:4")
    with pytest.raises(HeldError, match=r"own\.html\.j2:4: <script> does not work in mail") as caught:
        proof.passed()
    assert caught.value.findings == (finding,)
    assert "<script>" in proof.looked_at().rendered.html


def test_what_is_no_error_is_no_reason_to_refuse(tmp_path: Path) -> None:
    own_theme(tmp_path, FAULTY.replace("<script>x</script>", '<img src="https://example.org/a" width="9">'))
    proof = made(tmp_path, "own").of(issue())
    assert [(one.rule, one.severity) for one in proof.findings] == [("mail.image-alt", Severity.WARNING)]
    assert isinstance(proof.passed(), Print)


def test_without_readers_by_mail_nothing_is_judged(tmp_path: Path) -> None:
    own_theme(tmp_path, FAULTY)
    assert made(tmp_path, "own", mails=False).of(issue()).findings == ()


@pytest.mark.parametrize("mails", [True, False])
def test_an_issue_that_cannot_be_set_is_a_finding_with_its_place(tmp_path: Path, *, mails: bool) -> None:
    own_theme(tmp_path, FAULTY.replace("<script>x</script>", "{{ issue.titel }}"))
    proof = made(tmp_path, "own", mails=mails).of(issue())
    (finding,) = proof.findings
    assert (finding.rule, finding.severity) == ("mail.render", Severity.ERROR)
    assert finding.place == "templates/themes/own.html.j2:4"
    assert finding.issue == "ai-papers/2025-W17"
    for ask in (proof.passed, proof.looked_at):
        with pytest.raises((HeldError, InputError), match=r"own\.html\.j2:4: "):
            ask()


def test_what_each_channel_would_send_is_part_of_a_proof(tmp_path: Path) -> None:
    assert made(tmp_path).of(issue()).passed().payloads["to-all"] == PAYLOAD


def test_what_a_channel_cannot_carry_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise InputError("templates/slack/issue.j2:3", "a header of 151 characters", "shorten it")

    monkeypatch.setattr(Recorder, "freeze", refuse)
    (finding,) = made(tmp_path, mails=False).of(issue()).findings
    assert str(finding) == "templates/slack/issue.j2:3: a header of 151 characters: shorten it"
    assert finding.rule == "mail.render"


def test_one_content_is_set_once_and_another_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def counted(*given: object, **more: object) -> Rendered:
        nonlocal count
        count += 1
        return compose(*given, **more)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr("bot.proofs.compose", counted)
    press = made(tmp_path)
    first = press.of(issue())
    assert press.of(issue(status=Status.DRAFT, place="elsewhere.md:1")) is first
    assert count == 1
    others = [press.of(issue(f"Another {number}")) for number in range(KEPT)]
    assert len({proof.hash for proof in (first, *others)}) == KEPT + 1
    assert press.of(issue()) is not first
    assert count == KEPT + 2


def test_a_theme_that_was_mended_passes(tmp_path: Path) -> None:
    own_theme(tmp_path, FAULTY)
    press = made(tmp_path, "own")
    assert press.of(issue()).errors
    (tmp_path / "templates/themes/own.html.j2").write_text(FAULTY.replace("script", "i"), "utf-8")
    mended: Proof = press.of(issue())
    assert mended.errors == ()


# ------------------------------------------------------------------------------------------ with the content


def material(root: Path, *issues: Issue, text: str = "", now: str = "2025-04-24T12:00Z") -> Material:
    ours = newsletter()
    return Material(
        Settings(root=root, newsletters={ours.name: ours}),
        issues,
        now=datetime.fromisoformat(now),
        texts={"content/ai-papers/2025-W17.md": text},
    )


LEFT = (Paragraph((Text("TODO: say more."),)),)


def test_with_its_content_the_rules_about_content_are_asked_as_well(tmp_path: Path) -> None:
    unfinished = issue(intro=LEFT)
    press = made(tmp_path)
    assert press.of(unfinished).errors == ()
    with pytest.raises(HeldError, match="TODO") as caught:
        press.of(unfinished, material(tmp_path, unfinished)).passed()
    assert "writing.note" in {one.rule for one in caught.value.findings}


def test_a_word_about_a_rule_is_heard_though_the_content_is_the_same(tmp_path: Path) -> None:
    press, unfinished = made(tmp_path), issue(intro=LEFT)
    allowed = issue(intro=LEFT, checks={"writing.note": "off"})
    held = press.of(unfinished, material(tmp_path, unfinished))
    free = press.of(allowed, material(tmp_path, allowed))
    assert held.hash == free.hash
    assert held.errors
    assert free.errors == ()


@pytest.mark.parametrize(
    "change", [{"text": "another"}, {"now": "2025-04-25T00:00Z"}], ids=["a text", "the day"]
)
def test_a_proof_is_made_anew_when_anything_changes_that_rules_look_at(
    tmp_path: Path, change: dict[str, str]
) -> None:
    press, one = made(tmp_path), issue()
    first = press.of(one, material(tmp_path, one))
    assert press.of(one, material(tmp_path, one, now="2025-04-24T12:01Z")) is first
    assert press.of(one, material(tmp_path, one, **change)) is not first


def test_a_check_that_fails_itself_holds_what_it_could_not_look_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_mail: Mail) -> Iterator[Flaw]:
        """A check that is broken."""
        raise KeyError("secret words")

    rule = Rule("mail.broken", Severity.HINT, broken)
    monkeypatch.setattr(checks, "rules", lambda about=None: (rule,) if about is Mail else ())
    with pytest.raises(HeldError, match=r"check mail\.broken failed: KeyError") as caught:
        made(tmp_path).of(issue()).passed()
    assert "secret words" not in str(caught.value)
