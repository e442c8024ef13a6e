"""The ledger's questions stay cheap, however much is written in it."""

from pathlib import Path

from bot.store import ledger, open_store
from tests.recording import NOW


def test_a_claim_costs_the_same_whatever_is_still_queued(tmp_path: Path) -> None:
    """Claims walk the index in its order: sorting all that is queued would cost more with every reader."""
    store = open_store("sqlite:///ledger.db", tmp_path)
    question = ledger._due(1, "mail", 500, NOW).compile(
        store.engine, compile_kwargs={"render_postcompile": True}
    )
    values = tuple(question.params[name] for name in question.positiontup or [])
    with store.read() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {question}", values).all()
    steps = [row.detail for row in plan]
    assert "USING INDEX ix_deliveries_outbox" in steps[0]
    assert not [step for step in steps if "TEMP B-TREE" in step]
    store.close()
