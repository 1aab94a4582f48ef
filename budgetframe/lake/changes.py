"""The rows of a table that differ between the state that a sync left and another one."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from budgetframe.errors import ToolError
from budgetframe.frames.schema import Column

from .columns import FRAMES, LEFT, OWNER, POSITION, RUNS, SYNC, frame_from
from .partitions import chosen_columns, state_key, states_of
from .storage import Snapshot, explained

_CHANGE = Column("change", "str", "", "added, changed or removed")
_RUN_KEY = ["started_at", "ended_at", "host"]


def state_after(run: Any, snapshot: Snapshot) -> Snapshot:
    """The state that a sync left: the first one that contains its row of ``_runs``."""
    try:
        wanted = {name: run[name] for name in _RUN_KEY}
    except (TypeError, LookupError):
        text = "since: pass a row of lake.runs(), or attrs['run'] of the result of a sync"
        raise ToolError(text) from None
    address, table = snapshot.address, snapshot.table(SYNC)

    def contains(version: int) -> bool | None:
        """Whether a state contains the row; None if it does not exist any more."""
        try:
            with explained(address):
                stated = address.open(SYNC, version).transaction_version(RUNS)
                rows = address.open(RUNS, stated).to_pyarrow_table(columns=_RUN_KEY)
        except ToolError:
            return None
        return wanted in rows.to_pylist()

    versions = sorted(each["version"] for each in table.history())
    at = bisect_left(versions, x=True, key=lambda version: bool(contains(version)))
    if at in (0, len(versions)) or contains(versions[at - 1]) is not False:
        raise ToolError(
            f"the lake does not have the state that the sync of {wanted['started_at']} left:"
            " `vacuum` keeps it with keep_hours (48, if changes are read each night), and `forget`"
            " deletes it"
        )
    return address.stated_by(address.open(SYNC, versions[at]))


def changed_rows(before: Snapshot, after: Snapshot, name: str) -> pd.DataFrame:
    """The rows of a table that were added, changed or removed, sorted by budget and key."""
    names = [column.name for column in FRAMES[name]]
    keys = [each for each in names if each == "month" or each.endswith("_id")]
    key = [*dict.fromkeys(["budget_id", *keys[: 2 if name == "month_categories" else 1]])]
    ids = _changed_budgets(before, after)
    old, new = (state.read(name, budget_ids=ids) for state in (before, after))
    index, present = (pd.MultiIndex.from_frame(rows.select(key).to_pandas()) for rows in (old, new))
    places = index.get_indexer(present)
    former = old.take(pa.array(places, mask=places < 0))  # without values where a row is new
    differs = np.zeros(len(new), bool)
    for column in {*new.column_names} - {*OWNER, POSITION} | {"currency", "budget_id"}:
        was, value = former[column], new[column]
        one_is_missing = pc.not_equal(pc.is_null(was), pc.is_null(value))
        differs |= pc.fill_null(pc.not_equal(was, value), one_is_missing).to_numpy()
    change = np.where(places < 0, "added", "changed").tolist()
    parts = [(new, differs, change), (old, ~index.isin(present), ["removed"] * len(old))]
    rows = pa.concat_tables(
        table.append_column("change", pa.array(texts, pa.large_string())).filter(pa.array(chosen))
        for table, chosen, texts in parts
    )
    rows = rows.sort_by([(column, "ascending") for column in key])
    columns = chosen_columns(name, None)
    return frame_from(name, rows, [_CHANGE, *(each for each in columns if each != LEFT)])


def _changed_budgets(before: Snapshot, after: Snapshot) -> set[str]:
    """The budgets whose rows may differ."""
    keys = [
        {(state["budget_id"], state_key(state)) for state in states_of(each)}
        for each in (before, after)
    ]
    unclear = {each for each in keys[0] | keys[1] if not each[1]}
    return {budget_id for budget_id, _ in keys[0] ^ keys[1] | unclear}
