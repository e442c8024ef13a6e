"""The ledger's questions stay cheap, however much is written in it."""

from pathlib import Path
from typing import Any

from sqlalchemy import Executable

from bot.store import Store, issues, ledger, open_store
from tests.recording import NOW


def test_a_claim_costs_the_same_whatever_is_still_queued(tmp_path: Path) -> None:
    """Claims walk the index in its order: sorting all that is queued would cost more with every reader."""
    store = open_store("sqlite:///ledger.db", tmp_path)
    steps = plan(store, ledger._due(1, "mail", 500, NOW))
    assert "USING INDEX ix_deliveries_outbox" in steps[0]
    assert not [step for step in steps if "TEMP B-TREE" in step]
    store.close()


def test_what_is_unsettled_is_found_without_a_look_at_what_is_settled(tmp_path: Path) -> None:
    store = open_store("sqlite:///ledger.db", tmp_path)
    steps = [step for step in plan(store, issues._open_issues()) if " deliveries" in step]
    assert len(steps) == 2
    assert all("ix_deliveries_" in step for step in steps)
    store.close()


def plan(store: Store, question: Any) -> list[str]:
    """How SQLite would answer a question, step by step."""
    assert isinstance(question, Executable)
    compiled = question.compile(store.engine, compile_kwargs={"render_postcompile": True})  # type: ignore[attr-defined]
    values = tuple(compiled.params[name] for name in compiled.positiontup or [])
    with store.read() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values).all()
    return [row.detail for row in rows]
