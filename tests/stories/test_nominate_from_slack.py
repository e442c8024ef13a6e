"""The week's collecting happens where the links are shared: a command or a shortcut makes an entry."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from bot.nominating import talking
from tests.servers.postgres import Database
from tests.servers.slack import WEBHOOK, Call, Conversation, SlackServer, obey
from tests.stories.slackroom import ANN, BO, CURATORS, DRAFTS, EVE, TEAM, Slackroom

PAGE = "<https://example.org/a?utm_source=x>"
once = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For what no row decides."""
Room = Callable[[str], Slackroom]


@pytest.fixture
def new_room(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """Makes a room whose web knows one page by its title, and no other."""
    monkeypatch.setattr(talking, "title_on_the_web", lambda url: "A page" if url.endswith("/a") else None)
    with SlackServer({TEAM: Conversation(), DRAFTS: Conversation()}) as slack:
        yield lambda curators: Slackroom(database, slack, "2025-04-23T09:30+02:00", curators=curators)


@pytest.fixture
def room(new_room: Room) -> Slackroom:
    return new_room(CURATORS)


def entries(room: Slackroom, newsletter: str = "ai-papers") -> dict[str, str]:
    folder = room.root / "content" / newsletter / "entries"
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*"))}


def ask(room: Slackroom, text: str, user: str = ANN) -> str:
    """What the slash command answers."""
    before = len(room.answers)
    with room.listening():
        room.say(text, user)
    (answer,) = room.answers[before:]
    return answer


def test_a_curator_s_link_becomes_an_entry_of_this_week_s_issue(room: Slackroom) -> None:
    answer = ask(room, f"add {PAGE} it says &lt;b&gt;much&lt;/b&gt; &amp; *more*")
    assert (
        answer == "Added to AI Papers of the Week: “A page”.\ncontent/ai-papers/entries/2025-04-23-a-page.md"
    )
    (text,) = entries(room).values()
    assert "[example.org](https://example.org/a)" in text
    assert "it says \\<b>much\\</b> & \\*more\\*" in text
    assert "# nominated in Slack by Ann" in text
    assert room.here("check").status == 0
    with room.app() as app:
        desk, week = app.issue("2025-W17")
        (entry,) = desk.issue(week, room.now).entries
    assert (entry.title, entry.url) == ("A page", "https://example.org/a")


def test_the_same_work_is_there_already_whoever_nominated_it(room: Slackroom) -> None:
    ask(room, f"add {PAGE} why")
    answer = ask(room, "add http://www.example.org/a/ once more", BO)
    assert answer == "Not added. It is there already, by Ann, since 23 Apr 2025: “A page”."
    assert len(entries(room)) == 1


@once
def test_an_envelope_told_twice_nominates_once_and_answers_once(room: Slackroom) -> None:
    with room.listening():
        envelope = room.say(f"add {PAGE}")
        room.slack.sockets.send_again(envelope)
        room.slack.sockets.wait(lambda sockets: len(sockets.acknowledgements(envelope)) == 2)
    assert len(room.answers) == len(entries(room)) == 1


@once
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("add <https://example.org/b> What it is about", "What it is about"),
        ("add <http://example.org/b|example.org/b>", "example.org"),
        ("ADD  look at this:  <https://example.org/b>", "look at this:"),
        ("add ai-papers <https://example.org/b> Words", "Words"),
    ],
)
def test_where_the_page_cannot_be_asked_the_note_or_the_host_is_the_title(
    room: Slackroom, text: str, title: str
) -> None:
    assert f"“{title}”" in ask(room, text)


@once
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "add https://…"),
        ("help", "add https://…"),
        ("ad <https://example.org/b>", "'ad' is none of add, next, status, help; did you mean"),
        ("add", "Which page? Give its address."),
        ("add example", "Which page? Give its address."),
        ("add ai-paper <https://example.org/b>", "'ai-paper' is none of ai-papers"),
        ("add <http://localhost/b>", "Not added. "),
        ("add <https://example.org:x/>", "That did not work: "),
    ],
)
def test_what_cannot_be_done_is_told_with_a_way_out(room: Slackroom, text: str, answer: str) -> None:
    assert ask(room, text).startswith(answer)
    assert entries(room) == {}


def test_a_stranger_may_not_unless_everybody_may(new_room: Room) -> None:
    assert ask(new_room(CURATORS), f"add {PAGE}", EVE) == "Only curators can do that."
    room = new_room(f'{CURATORS}nominations = "everybody"\n')
    assert ask(room, f"add {PAGE}", EVE).startswith("Added to")
    assert "# nominated in Slack by ada" in "".join(entries(room).values())
    assert ask(room, "status", EVE) == "Only curators can do that."


@once
def test_nobody_nominates_without_end(new_room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking, "MOST", 2)
    room = new_room(f'{CURATORS}nominations = "everybody"\n')
    with room.listening():
        for number in range(3):
            room.say(f"add <https://example.org/{number}> n", EVE)
        room.say("add <https://example.org/9> n", ANN)
    assert [answer.split(" ")[0] for answer in room.answers] == ["Added", "Added", "2", "Added"]


@once
def test_with_several_newsletters_one_is_named_unless_only_one_is_theirs(new_room: Room) -> None:
    room = new_room(CURATORS)
    first = (room.root / "config/newsletters/ai-papers.toml").read_text("utf-8")
    other = first.replace("ai-papers.example.org", "db.example.org").replace(
        f'slack = "{BO}"', 'email = "b@x.org"'
    )
    room.here.write("config/newsletters/db-papers.toml", other)
    assert ask(room, f"add {PAGE}", ANN).startswith("Which newsletter? Say `add ai-papers https://…`")
    assert ask(room, f"add db-papers {PAGE}", ANN).startswith("Added")
    assert ask(room, f"add {PAGE}", BO).startswith("Added")
    assert ask(room, "add db-papers <https://example.org/c>", BO) == "Only curators can do that."
    assert [len(entries(room, name)) for name in ("ai-papers", "db-papers")] == [1, 1]


# --------------------------------------------------------------------------------------------- the shortcut


@once
def test_a_message_s_link_is_nominated_with_the_message_as_its_note(room: Slackroom) -> None:
    text = "Worth a read: <https://example.org/b|this one> &amp; <https://example.org/c>"
    post = room.slack.write(TEAM, text=text)
    with room.listening():
        room.acknowledged(room.slack.choose(post, "nominate", ANN))
    (answer,) = room.answers
    assert answer.split("\n") == [
        "Added to AI Papers of the Week: “Worth a read: this one & https://example.org/c”.",
        "content/ai-papers/entries/2025-04-23-worth-a-read-this-one-https-example-org-c.md",
        "The message has 1 more link: only the first was taken.",
    ]
    assert "(https://example.org/b)" in "".join(entries(room).values())


@once
def test_a_message_without_a_link_has_nothing_to_nominate(room: Slackroom) -> None:
    post = room.slack.write(TEAM, text="hello")
    with room.listening():
        room.acknowledged(
            room.slack.choose(post, "nominate", ANN), room.slack.choose(post, "something-else", ANN)
        )
    assert room.answers == ["There is no link in that message, so there is nothing to nominate."]


@once
def test_a_stranger_s_shortcut_is_refused(room: Slackroom) -> None:
    post = room.slack.write(TEAM, text=PAGE)
    with room.listening():
        room.acknowledged(room.slack.choose(post, "nominate", EVE))
    assert (room.answers, entries(room)) == (["Only curators can do that."], {})


# ------------------------------------------------------------------------------------------ next and status


@once
def test_next_and_status_answer_a_line(room: Slackroom) -> None:
    goes = "goes Fri 25 Apr 2025, 09:00 Europe/Berlin (07:00 UTC)"
    assert ask(room, "next") == (
        f"AI Papers of the Week, 2025-W17: {goes}. Nothing was collected for it yet."
    )
    assert ask(room, "status") == "Nothing was published yet."
    room.here.issue()
    assert ask(room, "next").endswith(f"KB of HTML · {goes}. It waits for approval.")
    with room.app() as app:
        desk, week = app.issue("2025-W17")
        desk.publish(week, room.now)
    assert ask(room, "status") == "ai-papers/2025-W17: team 0 of 2 sent."


# ------------------------------------------------------------------------------------------------- in time


@once
def test_a_slow_page_keeps_neither_the_acknowledgement_nor_a_decision_waiting(
    room: Slackroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answered, answer_came = Event(), Event(), Event()

    def noted(call: Call) -> None:
        obey(call)
        answer_came.set()

    room.slack.always(noted, WEBHOOK)

    def slow(_url: str) -> str:
        asked.set()
        assert answered.wait(30)
        return "A slow page"

    monkeypatch.setattr(talking, "title_on_the_web", slow)
    room.here.issue()
    room.tick("2025-04-24T09:00+02:00")
    with room.listening():
        room.say(f"add {PAGE}")
        assert asked.wait(30)
        room.say("add <https://example.org/c> more")
        room.press("approve")
        assert answer_came.wait(30)
        assert room.answers[0].startswith("Approved.")
        assert entries(room) == {}
        answered.set()
    assert len(entries(room)) == 2


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    (folder / "entries").write_text("a file where a folder should be", "utf-8")
    yield


@once
def test_a_folder_that_cannot_be_written_is_told(room: Slackroom) -> None:
    with read_only(room.root / "content/ai-papers"):
        answer = ask(room, f"add {PAGE}")
    assert answer.startswith("That did not work: ")
    assert answer.endswith("make it writable")
