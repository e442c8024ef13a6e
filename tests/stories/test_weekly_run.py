"""The weekly run as its people live it, from a fresh folder to the reader's inbox."""

import email
import email.policy
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.smtp import Scripted, inbox, reply
from tests.stories.installation import Installation

FRIDAY = "2025-04-25T09:00+02:00"


def smtp(port: int) -> str:
    return f'kind = "smtp"\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"\nconnections = 4'


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    """A fresh installation with an issue and three readers."""
    made = Installation(tmp_path)
    made.issue()
    made.readers(3)
    return made


def mails(here: Installation) -> list[bytes]:
    return [path.read_bytes() for path in (here.root / "outbox/maildir/new").iterdir()]


def parts(here: Installation) -> list[Path]:
    """What was posted to the team's folder, in order."""
    return sorted((here.root / "outbox/slack/ai-papers-2025-W17").glob("part-*.json"))


def test_each_reader_and_the_team_get_the_issue_once_however_often_it_is_published(
    here: Installation,
) -> None:
    for _ in range(3):
        answer = here("publish", "2025-W17", "--format", "json")
        assert answer.status == 0
        assert answer.json["channels"]["readers"] == {
            "planned": 3, "sent": 3, "failed": 0, "suppressed": 0, "skipped": 0, "in_doubt": 0, "waiting": 0,
        }  # fmt: skip
    to = [email.message_from_bytes(mail, policy=email.policy.default)["To"] for mail in mails(here)]
    assert sorted(to) == [f"Reader {number} <reader{number}@example.org>" for number in range(3)]
    posted = here.balance(channel="team")
    assert posted["sent"] == posted["planned"] == len(parts(here))


def test_what_render_shows_is_what_goes_out_byte_for_byte(here: Installation) -> None:
    arguments = ("render", "2025-W17", "--as", "reader1@example.org", "--now", FRIDAY)
    here(*arguments, "--out", "before")
    here("publish", "2025-W17", "--now", FRIDAY)
    sent = next(mail for mail in mails(here) if b"reader1@example.org" in mail)
    shown = (here.root / "before/message.eml").read_bytes()
    date = b"Date: Fri, 25 Apr 2025 07:00:00 +0000"
    assert date in shown
    assert sent == shown
    posted = [json.loads(part.read_bytes()) for part in parts(here)]
    assert json.loads((here.root / "before/slack.json").read_bytes()) == posted


def test_mail_reaches_a_real_server_with_the_reader_s_own_links_and_name(tmp_path: Path) -> None:
    with inbox() as server:
        here = Installation(tmp_path, smtp(server.port))
        here.issue()
        here.readers(40)
        assert here("publish", "2025-W17").status == 0
    assert Counter(mail.recipients for mail in server.mails) == {
        (f"reader{number}@example.org",): 1 for number in range(40)
    }
    mail = next(mail for mail in server.mails if mail.recipients == ("reader7@example.org",))
    message = email.message_from_bytes(mail.content, policy=email.policy.default)
    text = message.get_body(("plain",))
    assert text is not None
    assert "Hello Reader 7," in text.get_content()
    assert message["List-Unsubscribe"].strip("<>") in text.get_content()


def test_the_bot_publishes_at_its_minute_and_not_before(here: Installation) -> None:
    early = here("run", "--once", "--now", "2025-04-25T08:59:59+02:00")
    assert (early.status, mails_or_none(here)) == (0, [])
    on_time = here("run", "--once", "--now", FRIDAY)
    assert "ai-papers/2025-W17: published" in on_time.err
    assert len(mails(here)) == 3
    again = here("run", "--once", "--now", "2025-04-25T09:05+02:00")
    assert "published" not in again.err
    assert len(mails(here)) == 3


def mails_or_none(here: Installation) -> list[bytes]:
    return mails(here) if (here.root / "outbox/maildir/new").exists() else []


def test_a_late_start_still_sends_within_the_limit_and_beyond_it_tells_a_curator(here: Installation) -> None:
    too_late = here("run", "--once", "--now", "2025-04-25T15:00:01+02:00")
    assert (too_late.status, "late_limit" in too_late.err) == (1, True)
    assert here("run", "--once", "--now", "2025-04-25T15:01:01+02:00").status == 0  # told already
    assert mails_or_none(here) == []
    within = here("run", "--once", "--now", "2025-04-25T14:59+02:00")
    assert "published, late" in within.err
    assert len(mails(here)) == 3


def test_an_issue_that_needs_a_yes_waits_for_it_and_a_comma_voids_it(tmp_path: Path) -> None:
    here = Installation(tmp_path, approval="required")
    here.issue()
    here.readers(2)
    assert "nobody has approved it: `broadsheet approve" in here("run", "--once", "--now", FRIDAY).err
    assert "nobody has approved it: `broadsheet approve" in here("issues", "--now", FRIDAY).out
    assert here("approve", "2025-W17").status == 0
    here.issue(title="Two papers, and a comma")
    (row,) = here("issues", "--format", "json").json
    assert row["approval"] == "void"
    assert "changed since it was approved" in here("run", "--once", "--now", FRIDAY).err
    assert mails_or_none(here) == []
    assert here("approve", "2025-W17").status == 0
    assert "published" in here("run", "--once", "--now", FRIDAY).err
    assert len(mails(here)) == 2


def test_a_held_issue_goes_out_neither_by_the_clock_nor_by_hand_until_it_is_released(
    here: Installation,
) -> None:
    assert here("hold", "2025-W17").status == 0
    by_hand = here("publish", "2025-W17")
    assert (by_hand.status, "a curator holds it" in by_hand.complaint) == (1, True)
    assert "a curator holds it" in here("run", "--once", "--now", FRIDAY).err
    assert here("release", "2025-W17").status == 0
    assert here("publish", "2025-W17").status == 0


def test_a_draft_does_not_go_out(here: Installation) -> None:
    here.issue(status="draft")
    answer = here("publish", "2025-W17")
    assert (answer.status, "status is draft" in answer.complaint) == (1, True)
    assert mails_or_none(here) == []


def test_an_empty_week_sends_nothing_and_says_so(here: Installation) -> None:
    answer = here("run", "--once", "--now", "2025-05-02T09:00+02:00")
    assert (answer.status, "nothing was collected" in answer.err) == (0, True)
    assert mails_or_none(here) == []


def test_single_entries_of_the_week_make_an_issue_and_a_late_one_rolls_into_the_next(tmp_path: Path) -> None:
    here = Installation(tmp_path)
    here.readers(1)
    here.write(
        "content/ai-papers/entries/one.md",
        "---\ntitle: One\ndate: 2025-04-22\nlink: https://x.org/1\n---\nA.\n",
    )
    assert "published" in here("run", "--once", "--now", FRIDAY).err
    here.write(
        "content/ai-papers/entries/two.md",
        "---\ntitle: Two\ndate: 2025-04-23\nlink: https://x.org/2\n---\nB.\n",
    )
    here.write("content/ai-papers/entries/three.md", "---\ntitle: Three\ndate: 2025-04-29\n---\nC.\n")
    answer = here("run", "--once", "--now", "2025-05-02T09:00+02:00")
    assert "entries/two.md" in answer.err
    (row,) = (row for row in here("issues", "--format", "json").json if row["issue"] == "2025-W18")
    assert (row["state"], row["entries"]) == ("sent", 2)


def test_a_reader_who_left_gets_no_more_and_no_list_brings_them_back(here: Installation) -> None:
    assert here("subscribers", "remove", "reader1@example.org").status == 0
    answer = here("subscribers", "import", "readers.csv", "--confirmed", "--format", "json")
    assert (answer.json["kept_out"], answer.json["unchanged"]) == (1, 2)
    here("publish", "2025-W17")
    assert len(mails(here)) == 2


def test_a_greylisted_reader_waits_and_publishing_again_tries_now(tmp_path: Path) -> None:
    later = reply(451, "4.7.1 greylisted")
    with Scripted({"RCPT": [later]}) as server:
        here = Installation(tmp_path, smtp(server.port).replace("connections = 4", "connections = 1"))
        here.issue()
        here.readers(1)
        first = here("publish", "2025-W17")
        assert (first.status, here.balance()["waiting"]) == (1, 1)
        assert "the next try is due at" in first.err
        assert here("publish", "2025-W17").status == 0
    assert here.balance()["sent"] == 1


def test_readers_that_failed_are_retried_and_no_others(tmp_path: Path) -> None:
    never = reply(550, "5.1.1 no such mailbox")
    with Scripted({"RCPT": [never]}) as server:
        here = Installation(tmp_path, smtp(server.port).replace("connections = 4", "connections = 1"))
        here.issue()
        here.readers(3)
        assert here("publish", "2025-W17").status == 1
        assert (here.balance()["failed"], here.balance()["sent"]) == (1, 2)
        assert here("retry", "2025-W17").status == 0
    assert here.balance()["sent"] == 3
