"""Each save is shown at once: files are watched, pages that wait are told, the configuration is read anew."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from queue import Empty, Queue
from typing import Any, TypeVar

import pytest

from bot.web.serving import serving
from bot.web.studio import WAITING, changing
from bot.web.studio.watching import Changes, watching
from tests.studio import ISSUE, House, words

_T = TypeVar("_T")

PATIENCE = 60
"""Seconds after which something has not happened; the machine is shared, and slow at times."""


def saved_until_seen(saved: Callable[[int], object], seen: Callable[[], bool]) -> None:
    """Save again and again until it is noticed: nobody says from when on files are watched."""
    for number in range(PATIENCE):
        saved(number)
        if seen():
            return
    pytest.fail("nothing was noticed")


def first(saved: Callable[[int], object], told: Queue[_T]) -> _T:
    """The first that is told of what is saved again and again."""
    found: list[_T] = []

    def seen() -> bool:
        with suppress(Empty):
            found.append(told.get(timeout=3))
        return bool(found)

    saved_until_seen(saved, seen)
    return found[0]


class Served:
    """A studio as it is served, and Ann's browser."""

    def __init__(self, house: House, port: int, cookie: str) -> None:
        self.house, self.port, self._cookie = house, port, cookie

    def asking(self, path: str) -> HTTPConnection:
        """A page that has asked, and has not read the answer yet."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", path, headers={"Cookie": self._cookie})
        return connection

    def get(self, path: str) -> tuple[int, str]:
        with closing(self.asking(path)) as connection:
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    @property
    def changes(self) -> str:
        """The address at which a page of this moment waits for the next."""
        return f"/studio/changes?after={self.house.studio.number}"

    def noticed(self, saved: Callable[[int], object]) -> None:
        changes = self.house.studio.changes
        before = changes.number

        def seen() -> bool:
            changes.after(before, 3)
            return changes.number > before

        saved_until_seen(saved, seen)


@contextmanager
def served(house: House) -> Iterator[Served]:
    house.close()
    house.open(listen="127.0.0.1:0")
    with serving(house.app, lambda: house.now, house.studio) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        link = house.studio.invite(address)
        assert link
        with closing(Served(house, port, "").asking(link.removeprefix(address.rstrip("/")))) as connection:
            cookie = connection.getresponse().headers["Set-Cookie"].partition(";")[0]
        yield Served(house, port, cookie)


@pytest.fixture
def live(house: House) -> Iterator[Served]:
    with served(house) as one:
        yield one


# ------------------------------------------------------------------------------------------------- watching


def test_what_is_saved_is_seen_and_what_nobody_reads_is_not(tmp_path: Path) -> None:
    content, other = tmp_path / "content", tmp_path / "var"
    content.mkdir()
    other.mkdir()
    told: Queue[list[Path]] = Queue()
    with watching([content, tmp_path / "templates"], lambda paths: told.put([*paths])):

        def save(number: int) -> None:
            (other / "ledger.db").write_text(str(number))
            (content / ".2025-W17.md.swp").write_text(str(number))
            (content / "2025-W17.md").write_text(str(number))

        assert {*first(save, told)} == {content / "2025-W17.md"}


def test_a_folder_that_is_made_later_is_watched_from_then_on(tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    told: Queue[list[Path]] = Queue()
    with watching([folder], lambda paths: told.put([*paths])):
        folder.mkdir()
        assert told.get(timeout=PATIENCE) == [folder]
        while folder / "x.j2" not in first(lambda number: (folder / "x.j2").write_text(str(number)), told):
            pass
        shutil.rmtree(folder)
        while told.get(timeout=PATIENCE) != [folder]:
            pass


def test_a_save_in_a_new_folder_before_it_is_watched_is_told_of(tmp_path: Path) -> None:
    """Nobody sees that one: so whoever is told of the folder is told of it once more."""
    folder = tmp_path / "templates"
    told: Queue[list[Path]] = Queue()

    def saving(paths: Sequence[Path]) -> None:
        if told.empty():
            (folder / "x.j2").write_text("saved before the watching began")
        told.put([*paths])

    with watching([folder], saving):
        folder.mkdir()
        assert told.get(timeout=PATIENCE) == [folder]
        assert folder in told.get(timeout=PATIENCE)


def test_a_fault_of_who_is_told_ends_no_watching(tmp_path: Path) -> None:
    told: Queue[list[Path]] = Queue()

    def stumbling(paths: Sequence[Path]) -> None:
        told.put([*paths])
        raise ValueError

    with watching([tmp_path], stumbling):
        first(lambda number: (tmp_path / "a").write_text(str(number)), told)
        while tmp_path / "b" not in first(lambda number: (tmp_path / "b").write_text(str(number)), told):
            pass


def test_everybody_who_waits_is_woken_and_nobody_waits_after_the_end() -> None:
    changes = Changes()
    woken: Queue[bool] = Queue()
    threads = [threading.Thread(target=lambda: woken.put(changes.after(0, PATIENCE))) for _ in range(5)]
    for thread in threads:
        thread.start()
    changes.grow()
    assert [woken.get(timeout=PATIENCE) for _ in threads] == [True] * 5
    waiting = threading.Thread(target=lambda: woken.put(changes.after(1, PATIENCE)))
    waiting.start()
    changes.end()
    assert woken.get(timeout=PATIENCE) is False
    assert changes.after(1, PATIENCE) is False


# ---------------------------------------------------------------------------------------------------- pages


@pytest.mark.parametrize(
    "name", ["content/ai-papers/2025-W17.md", "content/ai-papers/entries/x.md", "templates/email/text.txt.j2"]
)
def test_a_page_that_waits_is_told_when_a_file_is_saved(house: House, name: str) -> None:
    (house.root / "templates").mkdir()
    with served(house) as live:
        before = house.studio.number
        waiting = live.asking(live.changes)
        live.noticed(lambda number: house.files.write(name, f"{number}"))
        document = json.loads(waiting.getresponse().read())
        assert document["number"] != before
        assert document["again"] == 0
        waiting.close()


def test_a_page_of_an_earlier_moment_or_process_is_told_at_once(live: Served) -> None:
    number = live.house.studio.number
    for after in ("", "0", f"{'0' * 16}.0", f"{number}1", "nonsense", "%00", "x" * 500):
        status, text = live.get(f"/studio/changes?after={after}")
        assert (status, json.loads(text)) == (200, {"number": number, "again": 0})
    assert live.get("/studio/changes")[0] == 200


def test_a_page_that_has_waited_long_is_told_that_nothing_has_changed(
    live: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changing, "HELD", 0.01)
    number = live.house.studio.number
    assert json.loads(live.get(live.changes)[1]) == {"number": number, "again": 0}


def arriving(live: Served, monkeypatch: pytest.MonkeyPatch) -> list[HTTPConnection]:
    """As many pages as may wait, all of which do."""
    arrived, real = Queue[None](), changing.wait

    def noted(*words: Any) -> None:
        arrived.put(None)
        real(*words)

    monkeypatch.setattr(changing, "HELD", PATIENCE * 10)
    monkeypatch.setattr(changing, "wait", noted)
    waiting = [live.asking(live.changes) for _ in range(WAITING)]
    for _ in waiting:
        arrived.get(timeout=PATIENCE)
    return waiting


def test_so_many_pages_wait_others_are_told_to_ask_again_and_all_else_is_answered(
    live: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = arriving(live, monkeypatch)
    assert json.loads(live.get(live.changes)[1])["again"] == changing.AGAIN
    assert live.get("/studio")[0] == 200
    live.house.studio.changes.grow()
    for one in waiting:
        assert json.loads(one.getresponse().read())["again"] == 0
        one.close()


def test_a_page_that_has_gone_keeps_no_place(live: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changing, "LOOK", 0.05)
    for one in arriving(live, monkeypatch):
        one.close()
    monkeypatch.setattr(changing, "HELD", 0.01)
    answers = (json.loads(live.get(live.changes)[1]) for _ in range(100_000))
    assert next(one for one in answers if not one["again"])


def test_a_stranger_waits_for_nothing(live: Served) -> None:
    stranger = Served(live.house, live.port, "studio=x")
    assert stranger.get(live.changes)[0] == 403


def test_pages_that_wait_are_let_go_at_the_end(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    with served(house) as live:
        waiting = arriving(live, monkeypatch)
    assert set(threading.enumerate()) <= before
    for one in waiting:
        one.close()


# ---------------------------------------------------------------------------------------------- configuration


def test_a_configuration_is_read_anew_when_it_is_saved(live: Served) -> None:
    text = live.house.config.read_text("utf-8")

    def save(number: int) -> None:
        live.house.config.write_text(text.replace("AI Papers of the Week", f"Papers {number}"), "utf-8")

    live.noticed(save)
    assert ">Papers " in live.get("/studio")[1]


def test_a_configuration_that_cannot_be_read_is_shown_with_file_and_key_and_the_one_before_stays(
    house: House,
) -> None:
    ann = house.at_home()
    store = house.app.store
    house.rewrite("at = ", "att = ")
    page = words(ann.get("/studio"))
    text = ann.get("/studio").get_data(as_text=True)
    assert (
        "config/newsletters/ai-papers.toml: schedule.att: no such key: did you mean"
        in text.replace("&#39;", "'")
        or "schedule.att" in text
    )
    assert "AI Papers of the Week" in page
    assert "schedule.att" not in house.browser().get("/studio").get_data(as_text=True)
    house.rewrite("att = ", "at = ")
    assert "schedule.att" not in ann.get("/studio").get_data(as_text=True)
    assert house.studio.app is house.app  # nothing has changed, and what was made of it is kept
    house.rewrite('title = "AI Papers of the Week"', 'title = "Papers"')
    assert "AI Papers of the Week" not in words(ann.get("/studio"))
    assert house.studio.app.store is store  # the database was opened once


def test_another_database_is_opened_where_the_configuration_names_one(house: House) -> None:
    ann = house.at_home()
    assert ann.post(f"{ISSUE}/decide", csrf=ann.word(), verb="held").status_code == 303
    main = house.root / "config/bot.toml"
    main.write_text(main.read_text("utf-8").replace("broadsheet.db", "another.db"), "utf-8")
    house.studio.reread()
    assert "held" not in words(ann.get("/studio")).split()
    house.studio.app.store.close()


def test_content_that_cannot_be_read_is_a_page_that_shows_where(house: House) -> None:
    ann = house.at_home()
    house.files.issue(status="perhaps")
    text = ann.get(ISSUE).get_data(as_text=True)
    assert "content/ai-papers/2025-W17.md:4" in text
    assert "Traceback" not in text
    assert "data-changes" in text  # it comes back by itself once that is mended
