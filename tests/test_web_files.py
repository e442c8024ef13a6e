"""The public site as files: the same pages, written where they differ, beside whatever else is there."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest
from lxml import html

from bot.errors import InputError
from bot.web.files import LIST, write_site
from tests.test_correcting import Here
from tests.test_web_feeds import JUDGES
from tests.website import NOW, URL, Website

New = Callable[..., Website]

FEEDS = {"feed.xml", "atom.xml", "feed.json"}


def files(out: Path) -> set[str]:
    return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}


def test_every_public_page_is_a_file_of_the_same_bytes(new_website: New, tmp_path: Path) -> None:
    website, out = new_website(), tmp_path / "public"
    website.publish_many(30)
    website.publish()
    done = write_site(website.app, out, NOW)
    issues = {f"issues/2000-W{number + 1:02}/index.html" for number in range(30)} | {
        "issues/2025-W17/index.html"
    }
    pages = {"index.html", "page/2/index.html", "404.html", *issues, *FEEDS}
    assert files(out) == pages | {LIST}
    assert set(done.written) == pages
    for name in pages - {"404.html"}:
        path = "/" + name.removesuffix("index.html")
        assert (out / name).read_bytes() == website.client.get(path).data, name
    assert "There is no such page." in (out / "404.html").read_text("utf-8")


def test_several_newsletters_have_a_folder_each(new_website: New, tmp_path: Path) -> None:
    website, out = new_website(ai_papers={}, zine={}), tmp_path / "public"
    website.publish(newsletter="zine")
    write_site(website.app, out, NOW)
    below = {f"{name}/{file}" for name in ("ai-papers", "zine") for file in ("index.html", *FEEDS)}
    assert files(out) == below | {"zine/issues/2025-W17/index.html", "index.html", "404.html", LIST} | FEEDS


def test_a_second_time_writes_nothing_and_after_a_correction_what_changed(
    new_website: New, tmp_path: Path
) -> None:
    website, out = new_website(), tmp_path / "public"
    website.publish("2025-W16", at=NOW - timedelta(days=7))
    website.publish()
    write_site(website.app, out, NOW)
    before = {name: (out / name).stat().st_mtime_ns for name in files(out)}
    again = write_site(website.app, out, NOW + timedelta(days=1))
    assert (again.written, len(again.unchanged)) == ((), len(before) - 1)
    assert {name: (out / name).stat().st_mtime_ns for name in files(out)} == before
    website.correct(words="Corrected words.", at=NOW + timedelta(days=2))
    changed = write_site(website.app, out, NOW)
    assert set(changed.written) == {"index.html", "issues/2025-W17/index.html", *FEEDS}
    assert ">2025-04-27</time>" in (out / "issues/2025-W17/index.html").read_text("utf-8")


def test_what_others_put_there_stays_and_is_never_written_over(new_website: New, tmp_path: Path) -> None:
    website, out = new_website(), tmp_path / "public"
    (out / "issues").mkdir(parents=True)
    (out / "CNAME").write_text("papers.example.org", "utf-8")
    website.publish()
    write_site(website.app, out, NOW)
    assert (out / "CNAME").read_text("utf-8") == "papers.example.org"
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("mine", "utf-8")
    with pytest.raises(InputError, match=r"index\.html: was not written by this command"):
        write_site(website.app, other, NOW)
    assert files(other) == {"index.html"}
    assert (other / "index.html").read_text("utf-8") == "mine"


def test_a_killed_run_leaves_whole_files_and_the_next_goes_on(
    new_website: New, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    website, out = new_website(), tmp_path / "public"
    website.publish()
    replaced: list[Path] = []
    replace = Path.replace

    def dying(file: Path, target: Path) -> Path:
        if len(replaced) == 3:
            raise KeyboardInterrupt
        replaced.append(target)
        return replace(file, target)

    monkeypatch.setattr(Path, "replace", dying)
    with pytest.raises(KeyboardInterrupt):
        write_site(website.app, out, NOW)
    monkeypatch.undo()
    assert files(out) == {str(one.relative_to(out)) for one in replaced}
    assert len(write_site(website.app, out, NOW).unchanged) == 2


def test_the_list_of_what_was_written_names_nothing_outside(new_website: New, tmp_path: Path) -> None:
    website, out = new_website(), tmp_path / "public"
    out.mkdir()
    (out / LIST).write_text("nonsense", "utf-8")
    with pytest.raises(InputError, match="cannot be read: name an empty folder"):
        write_site(website.app, out, NOW)
    (out / LIST).write_text(json.dumps(["../outside", 3]), "utf-8")
    write_site(website.app, out, NOW)
    assert not (tmp_path / "outside").exists()


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """A host of files that knows nothing of us."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["", "/letters"])
def test_every_link_leads_somewhere_on_a_host_of_files(new_website: New, tmp_path: Path, path: str) -> None:
    website = new_website(URL + path)
    website.publish_many(26)
    website.publish()
    write_site(website.app, tmp_path / f"host{path}", NOW)
    with hosted(tmp_path / "host") as host:
        todo, seen = [f"{path}/"], set[str]()
        while todo:
            if (link := todo.pop()) not in seen and link.startswith("/"):
                seen.add(link)
                with urlopen(host + link, timeout=30) as answer:  # a fault raises
                    data = answer.read()
                if b"<html" in data[:200]:
                    todo += [str(one) for one in html.fromstring(data).xpath("//a/@href")]  # type: ignore[union-attr] # a list
    assert {f"{path}/page/2", f"{path}/issues/2025-W17", f"{path}/feed.xml"} <= seen


def test_from_publishing_to_a_correction_by_the_commands_alone(tmp_path: Path) -> None:
    here, out = Here(tmp_path), tmp_path / "public"
    here.issue(title="As it was")
    assert here("publish", "2025-W17").status == 0
    first = here("site", "--out", str(out), "--format", "json").json
    assert {"index.html", "issues/2025-W17/index.html"} <= set(first["written"])
    page = out / "issues/2025-W17/index.html"
    assert "As it was" in page.read_text("utf-8")
    assert "What it says, in <em>two</em> words." in page.read_text("utf-8")
    here.issue(title="As it is")
    assert "6 unchanged" in here("site", "--out", str(out)).out  # an edit alone shows nowhere
    assert here("correct", "2025-W17").status == 0
    assert here("site", "--out", str(out)).status == 0
    assert "As it is" in page.read_text("utf-8")
    assert 'class="corrected"' in page.read_text("utf-8")
    for name, judge in JUDGES.items():
        assert judge((out / name).read_bytes()) == []
    rendered = tmp_path / "rendered"
    assert here("render", "2025-W17", "--out", str(rendered)).status == 0
    assert "As it is" in (rendered / "page.html").read_text("utf-8")
