"""Whether the tables of a lake agree with each other."""

from pathlib import Path

from pandas.testing import assert_frame_equal

from budgetframe.frames import totals
from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES, STATE
from budgetframe.lake.partitions import budget_frames, states_of
from budgetframe.reports.reconciliation import reconcile

RECONCILED = ("accounts", "month_categories", "transactions", "subtransactions")


def check_consistency(lake: Lake) -> set[str]:
    """Check that the tables agree with each other; return the budgets in the lake."""
    if not (Path(lake._address.uri) / "_sync" / "_delta_log").exists():
        return set()
    snapshot = lake._snapshot()
    tables = {name: snapshot.read(name).to_pandas() for name in (*FRAMES, STATE)}
    state = tables.pop(STATE).set_index("budget_id")
    assert state.index.is_unique
    for name, rows in tables.items():
        times = rows.groupby("budget_id")["as_of"].agg(["min", "max"])
        assert {*times.index} <= {*state.index}, name
        assert (times["min"] == state["as_of"].reindex(times.index)).all(), name
        assert (times["max"] == state["as_of"].reindex(times.index)).all(), name
    names = [*RECONCILED, "ledger"]
    for frames in budget_frames(snapshot, names, states_of(snapshot)):
        assert reconcile(*(frames[name] for name in RECONCILED)).ok
        of_leaves, of_rows = (
            totals(frames[name][["account_id", "amount"]], "account_id")
            for name in ("ledger", "transactions")
        )
        assert_frame_equal(of_leaves, of_rows)
    return {*state.index}
