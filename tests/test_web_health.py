"""Machines see whether the pages are alive and ready and what waits, and never who waits."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.errors import StoreError
from bot.models import Week
from bot.store import issues, ledger
from bot.store.figures import Count, Waiting
from bot.web.health import exposition
from tests.website import NOW, Website

New = Callable[..., Website]


@pytest.fixture
def website(new_website: New) -> Website:
    return new_website()


def test_alive_and_ready(website: Website) -> None:
    for path in ("/healthz", "/readyz"):
        answer = website.client.get(path)
        assert (answer.status_code, answer.data, answer.headers["Cache-Control"]) == (
            200,
            b"ok\n",
            "no-store",
        )


def test_without_its_database_it_is_alive_and_not_ready(
    website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> bool:
        raise StoreError("ledger.db: disk I/O error")

    monkeypatch.setattr("bot.web.health.is_current", away)
    answer = website.client.get("/readyz")
    assert (answer.status_code, answer.data) == (503, b"the database cannot be reached\n")
    assert website.client.get("/healthz").status_code == 200


def test_with_the_tables_of_another_release_it_is_not_ready(website: Website) -> None:
    with website.app.store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert website.client.get("/readyz").status_code == 503


def test_the_figures_count_deliveries_by_state_and_say_how_long_the_oldest_waits(website: Website) -> None:
    for number in range(3):
        website.reader(f"reader{number}@example.org")
    with website.app.store.write() as connection:
        entered = issues.add(connection, "ai-papers", Week.parse("2025-W17"), "T", "0" * 64, NOW, late=False)
        assert entered
        ledger.queue_readers(connection, entered, "readers", "ai-papers", NOW)
        connection.execute(text("UPDATE deliveries SET state = 'sent' WHERE id = 1"))
    website.now += timedelta(minutes=5)
    answer = website.client.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.get_data(as_text=True).splitlines()
    assert 'broadsheet_deliveries{newsletter="ai-papers",channel="readers",state="queued"} 2' in lines
    assert 'broadsheet_deliveries{newsletter="ai-papers",channel="readers",state="sent"} 1' in lines
    assert 'broadsheet_waiting{newsletter="ai-papers",channel="readers"} 2' in lines
    assert 'broadsheet_oldest_waiting_seconds{newsletter="ai-papers",channel="readers"} 300' in lines
    assert "@" not in answer.get_data(as_text=True)


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_who_comes_through_a_proxy_sees_no_figures(website: Website, header: str) -> None:
    assert website.client.get("/metrics", headers={header: "203.0.113.9"}).status_code == 404


def test_the_figures_are_in_prometheus_form() -> None:
    lines = list(
        exposition([Count("a", "b", "sent", 2)], [Waiting("a", "b", 1, NOW + timedelta(hours=1))], NOW)
    )
    assert lines == [
        "# HELP broadsheet_deliveries Deliveries of each newsletter's newest issue, by state.",
        "# TYPE broadsheet_deliveries gauge",
        'broadsheet_deliveries{newsletter="a",channel="b",state="sent"} 2',
        "# HELP broadsheet_waiting Deliveries of any issue that wait to be sent.",
        "# TYPE broadsheet_waiting gauge",
        'broadsheet_waiting{newsletter="a",channel="b"} 1',
        "# HELP broadsheet_oldest_waiting_seconds How long ago the oldest issue of these was published.",
        "# TYPE broadsheet_oldest_waiting_seconds gauge",
        'broadsheet_oldest_waiting_seconds{newsletter="a",channel="b"} 0',  # clocks are never exact
    ]
