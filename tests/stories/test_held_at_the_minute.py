"""At its minute an issue is held to every check: an error keeps it back, and mended it goes by itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

import pytest

from bot import subscriptions
from bot.app import App
from bot.errors import HeldError
from bot.models import Consent
from bot.notices import Kind, Notice
from bot.running import run
from bot.settings import load
from tests.stories.installation import InProcess, Installation

EVE = "2025-04-24T09:00+02:00"
AT = "2025-04-25T09:00+02:00"
LATER = "2025-04-25T11:00+02:00"
TOO_LATE = "2025-04-25T15:01+02:00"
TODO = "content/ai-papers/2025-W17.md:7:11: "
NEWSLETTER = "config/newsletters/ai-papers.toml"


@dataclass
class Bot:
    """The bot of an installation, each time as if it were started anew; it keeps what it says and tells."""

    here: Installation
    notices: ClassVar[list[Notice]] = []

    @contextmanager
    def app(self) -> Iterator[App]:
        app = App(load(self.here.root / "config/bot.toml", {}))
        yield app
        app.store.close()

    def __call__(self, now: str) -> list[str]:
        """One look at the clock; what it says."""
        said: list[str] = []
        with self.app() as app:
            run(app, clock=lambda: datetime.fromisoformat(now), once=True, say=said.append)
        return said

    def readers(self, count: int) -> None:
        with self.app() as app:
            for number in range(count):
                email, name = f"reader{number}@example.org", f"Reader {number}"
                subscriptions.add(
                    app.store, "ai-papers", email, name, "", Consent.CONFIRMED, datetime.fromisoformat(EVE)
                )

    def by_hand(self, now: str) -> None:
        """What `publish` does first: everything is queued, or nothing."""
        with self.app() as app:
            desk, week = app.issue("2025-W17")
            desk.publish(week, datetime.fromisoformat(now))

    @property
    def mails(self) -> int:
        return len(list((self.here.root / "outbox").rglob("*.eml")))


@pytest.fixture(autouse=True)
def notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """What curators are told is kept as it is written down."""
    monkeypatch.setattr(Bot, "notices", [])
    monkeypatch.setattr("bot.desk.write_down", Bot.notices.append)


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    """An installation with an issue in which something was left to do."""
    made = InProcess(tmp_path)
    left_to_do(made)
    return made


@pytest.fixture
def bot(here: Installation) -> Bot:
    """Its bot, and three readers."""
    made = Bot(here)
    made.readers(3)
    return made


def left_to_do(here: Installation, note: str = "TODO: write it") -> None:
    path = here.issue()
    path.write_text(path.read_text("utf-8").replace("An intro.", f"An intro. {note}"), "utf-8")


def configured(here: Installation, *, checks: str = "", schedule: str = "") -> None:
    """Say something more in the newsletter's file."""
    text = (here.root / NEWSLETTER).read_text("utf-8").replace("[schedule]", f"[schedule]\n{schedule}")
    here.write(NEWSLETTER, f"{text}\n[checks]\n{checks}\n")


def test_it_is_held_with_its_first_errors_told_once_and_goes_once_it_is_mended(
    here: Installation, bot: Bot
) -> None:
    said = bot(AT)
    assert said[0] == (
        "ai-papers/2025-W17: not sent: the checks found errors in what would be sent: "
        "mend them, and it goes by itself"
    )
    assert said[1].strip().startswith(TODO)
    assert bot(LATER) == []
    assert bot.mails == 0
    here.issue()
    assert "ai-papers/2025-W17: published, late" in bot(LATER)
    assert bot.mails == 3


def test_what_is_mended_wrongly_is_told_again(here: Installation, bot: Bot) -> None:
    assert len(bot(AT)) == 2
    left_to_do(here, "XXX: write it")
    assert "XXX" in bot(LATER)[1]
    assert bot(LATER) == []


def test_beyond_the_limit_it_goes_only_by_hand(here: Installation, bot: Bot) -> None:
    assert bot(AT)
    here.issue()
    assert "its time is over by more than late_limit" in bot(TOO_LATE)[0]
    bot.by_hand(TOO_LATE)
    assert bot(TOO_LATE) == []
    assert bot.mails == 3


@pytest.mark.parametrize("word", ["off", "hint", "warning"])
def test_a_rule_that_the_newsletter_takes_for_less_does_not_hold_it(
    here: Installation, bot: Bot, word: str
) -> None:
    configured(here, checks=f'"writing.note" = "{word}"')
    assert "ai-papers/2025-W17: published" in bot(AT)
    assert bot.mails == 3


def test_what_reading_finds_is_taken_as_the_newsletter_says_too(here: Installation, bot: Bot) -> None:
    path = here.issue()
    path.write_text(path.read_text("utf-8").replace("*two* words", "two <video> words"), "utf-8")
    configured(here, checks='"content.html" = "error"')
    assert "[content.html]" in bot(AT)[1]
    text = (here.root / NEWSLETTER).read_text("utf-8")
    here.write(NEWSLETTER, text.partition("[checks]")[0])
    assert "ai-papers/2025-W17: published, late" in bot(LATER)


def test_a_rule_that_the_issue_switches_off_does_not_hold_it(here: Installation, bot: Bot) -> None:
    """The content that readers see is the same before and after: what was remembered of it is not."""
    with bot.app() as app:
        desk, week = app.issue("2025-W17")
        assert desk.proof(desk.issue(week, datetime.fromisoformat(AT)), datetime.fromisoformat(AT)).errors
        path = here.root / "content/ai-papers/2025-W17.md"
        text = path.read_text("utf-8").replace("status: ready", "status: ready\nchecks:\n  writing.note: off")
        here.write(str(path), text)
        again, _ = app.issue("2025-W17")
        issue = again.issue(week, datetime.fromisoformat(AT))
        assert again.proof(issue, datetime.fromisoformat(AT)).errors == ()
    assert "ai-papers/2025-W17: published, late" in bot(LATER)


def test_a_warning_that_the_newsletter_takes_for_an_error_holds_it(here: Installation, bot: Bot) -> None:
    configured(here, checks='"people.audience-size" = "error"')
    here.issue("2025-W16")
    assert "ai-papers/2025-W16: published" in bot("2025-04-18T09:00+02:00")
    here.issue()
    with bot.app() as app:
        for number in (0, 1):
            subscriptions.remove(app.store, f"reader{number}@example.org", None, datetime.fromisoformat(AT))
    assert "1 reader, many fewer than the 3 of last time" in bot(AT)[1]


def test_issues_status_and_plan_say_why(here: Installation, bot: Bot) -> None:
    (row,) = here("--now", AT, "issues", "--format", "json").json
    assert (row["state"], row["published"]) == ("held", None)
    assert row["why"]["findings"][0]["rule"] == "writing.note"
    for words, status in ((("issues",), 0), (("status",), 0), (("status", "2025-W17"), 1)):
        answer = here("--now", AT, *words)
        assert "the checks found errors in what would be sent" in answer.out, words
        assert TODO in answer.out, words
        assert answer.status == status, words
    planned = here("--now", EVE, "plan", "2025-W17", "--format", "json")
    assert planned.status == 1
    assert planned.json["channels"]["readers"]["recipients"] == 3
    assert [one["rule"] for one in planned.json["why"]["findings"]] == ["writing.note"]
    assert bot.notices == []


def test_what_is_in_order_has_no_reason_against_it(here: Installation, bot: Bot) -> None:
    here.issue()
    (row,) = here("--now", AT, "issues", "--format", "json").json
    assert (row["state"], row["why"]) == ("ready", None)
    assert here("--now", EVE, "plan", "2025-W17", "--format", "json").json["why"] is None
    assert bot.notices == []


def test_by_hand_it_is_held_too_and_the_findings_are_shown_by_file(here: Installation, bot: Bot) -> None:
    answer = here("publish", "2025-W17")
    assert answer.status == 1
    assert answer.out.splitlines()[0].startswith("ai-papers/2025-W17 held")
    assert "content/ai-papers/2025-W17.md\n  7:11  error" in answer.out
    document = here("publish", "2025-W17", "--format", "json").json
    assert (document["state"], document["findings"][0]["rule"]) == ("held", "writing.note")
    assert here("approve", "2025-W17").status == 1
    assert bot.mails == 0
    with bot.app() as app:
        desk, week = app.issue("2025-W17")
        assert desk.find(week) is None


def test_nothing_goes_where_nobody_would_get_it_and_goes_when_somebody_would(here: Installation) -> None:
    here.issue()
    text = (here.root / NEWSLETTER).read_text("utf-8")
    here.write(NEWSLETTER, text.partition("[channels.team]")[0])
    bot = Bot(here)
    assert "channels: nobody would get the issue" in bot(AT)[1]
    assert bot(AT) == []
    bot.readers(1)
    assert "ai-papers/2025-W17: published" in bot(AT)
    assert bot.mails == 1


def test_a_correction_is_held_as_well(here: Installation, bot: Bot) -> None:
    here.issue()
    bot.by_hand(AT)
    left_to_do(here)
    with bot.app() as app:
        desk, week = app.issue("2025-W17")
        with pytest.raises(HeldError, match="TODO"):
            desk.revise(week, datetime.fromisoformat(LATER))


# ------------------------------------------------------------------------------------- who is told, and once


def test_a_notice_is_handed_on_once_for_each_content_with_all_that_was_found(
    here: Installation, bot: Bot
) -> None:
    for now in (AT, LATER, LATER):
        bot(now)
    (first,) = bot.notices
    assert (first.kind, first.issue) == (Kind.HELD, "ai-papers/2025-W17")
    assert first.findings[0].rule == "writing.note"
    assert first.at == datetime.fromisoformat(AT)
    with bot.app() as app:
        desk, week = app.issue("2025-W17")
        assert first.hash == desk.proofs.hash_of(desk.issue(week, first.at))
    left_to_do(here, "XXX: write it")
    bot(LATER)
    assert len({one.hash for one in bot.notices}) == len(bot.notices) == 2


@pytest.mark.usefixtures("bot")
def test_of_two_processes_one_tells(here: Installation) -> None:
    processes = [here.start("--now", AT, "run", "--once") for _ in range(2)]
    said = [process.communicate(timeout=90)[1] for process in processes]
    assert sorted("not sent" in one for one in said) == [False, True]
    assert sorted(process.returncode for process in processes) == [0, 1]  # 1 is the one that tells


@pytest.mark.parametrize(
    ("approval", "status", "kind"),
    [("required", "ready", Kind.WAITING_FOR_APPROVAL), ("none", "draft", Kind.STOPPED)],
)
def test_what_waits_for_a_person_is_a_notice_of_another_kind(
    tmp_path: Path, approval: str, status: str, kind: Kind
) -> None:
    bot = Bot(Installation(tmp_path, approval=approval))
    bot.readers(1)
    bot.here.issue(status=status)
    for now in (AT, LATER):
        bot(now)
    assert [(one.kind, one.findings) for one in bot.notices] == [(kind, ())]


# ------------------------------------------------------------------------------------------- dates to skip


def test_on_a_date_to_skip_nothing_goes_and_its_entries_roll_on(here: Installation, bot: Bot) -> None:
    configured(here, schedule='skip = ["2025-04-25"]')
    (here.root / "content/ai-papers/2025-W17.md").unlink()
    entry = "---\ntitle: One\ndate: 2025-04-23\nlink: https://example.org/1\n---\n\nA lead.\n"
    here.write("content/ai-papers/entries/one.md", entry)
    assert "2025-W17" not in "".join(bot(AT))
    (coming,) = here("--now", EVE, "next", "-n", "1", "--format", "json").json
    assert (coming["issue"], coming["skipped"]) == ("2025-W18", ["2025-W17"])
    assert "2025-W17" in here("--now", EVE, "next", "-n", "1").out
    assert bot.mails == 0
    assert "ai-papers/2025-W18: published" in bot("2025-05-02T09:00+02:00")
    assert bot.mails == 3


def test_an_issue_written_for_a_date_to_skip_is_told_and_goes_by_hand_alone(
    here: Installation, bot: Bot
) -> None:
    configured(here, schedule='skip = ["2025-04-25"]')
    here.issue()
    for command in (("plan", "2025-W17"), ("issues",)):
        assert "nothing is sent on its date" in here("--now", EVE, *command).out
    found = here("--now", EVE, "check", "--format", "json").json
    assert "people.skip-date" in {one["rule"] for one in found}
    bot(AT)
    assert bot.mails == 0
    bot.by_hand(AT)
    bot(AT)
    assert bot.mails == 3
