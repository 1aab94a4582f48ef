"""Frames of one bucket, and of each budget in it: what a Dask task reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from budgetframe._runtime.arguments import closest_names
from budgetframe.errors import ToolError
from budgetframe.frames.schema import Column

from .columns import FRAMES, LEFT, OWNER_COLUMNS, POSITION, SHOWN, STATE, SYNC, frame_from
from .storage import Snapshot

_OF_BUDGET = ["budget_id", "budget_name", "currency", "as_of", "currency_format", "attrs"]


def chosen_columns(name: str, wanted: Sequence[str] | None) -> list[Column]:
    """The columns with these names, of those of a table and of its owner; by default all."""
    every = (*FRAMES[name], *OWNER_COLUMNS, LEFT)
    known = {column.name: column for column in every if column.name in SHOWN[name].names}
    if wanted is None:
        return [*known.values()]
    if isinstance(wanted, str):
        raise ToolError(f"columns={wanted!r}: pass a list, such as columns=[{wanted!r}]")
    for each in wanted:
        if each not in known:
            close = ", ".join(closest_names(str(each), known)) or ", ".join(known)
            raise ToolError(f"columns: {name} has no column {each!r}; the closest: {close}")
    return [known[each] for each in dict.fromkeys(wanted)]


def empty_frame(name: str, columns: Sequence[Column]) -> pd.DataFrame:
    """The frame of a bucket without rows."""
    return _indexed(frame_from(name, SHOWN[name].empty_table(), columns), 0)


def bucket_frame(
    snapshot: Snapshot, name: str, columns: Sequence[Column], bucket: int
) -> pd.DataFrame:
    """All rows of a table in a bucket, with some of the columns."""
    stored = {*SHOWN[name].names} - {LEFT.name}
    read = {"budget_id", POSITION, *(each.name for each in columns)} & stored
    rows = snapshot.read(name, buckets=[bucket], columns=sorted(read))
    if LEFT in columns:
        states = snapshot.read(SYNC, columns=["budget_id", "status"]).to_pylist()
        kept = [row["budget_id"] for row in states if row["status"] != "left"]
        is_kept = pc.is_in(rows["budget_id"], pa.array(kept, pa.large_string()))
        rows = rows.append_column(LEFT.name, pc.invert(is_kept))
    return _indexed(frame_from(name, rows, columns), bucket)


def budget_frames(
    snapshot: Snapshot, names: Sequence[str], bucket: int, budget_id: str | None = None
) -> Iterator[tuple[str, str, dict[str, pd.DataFrame]]]:
    """The id, the currency and the frames of each budget in a bucket or of one, sorted by id."""
    which: dict[str, Any] = {"buckets": [bucket], "budget_ids": budget_id and [budget_id]}
    states = snapshot.read(STATE, columns=_OF_BUDGET, **which).to_pylist()
    tables = {name: snapshot.read(name, **which) for name in names}
    for state in sorted(states, key=lambda row: row["budget_id"]):
        frames = {}
        for name, table in tables.items():
            rows = table.filter(pc.equal(table["budget_id"], pa.scalar(state["budget_id"])))
            frames[name] = frame_from(name, rows)
            frames[name].attrs |= _attrs(name, state, len(rows))
        yield state["budget_id"], state["currency"], frames


def _attrs(name: str, state: dict[str, Any], count: int) -> dict[Any, Any]:
    """The ``attrs`` of a frame, as in the facade."""
    attrs: dict[Any, Any] = {
        "as_of": state["as_of"].isoformat(timespec="seconds"),
        "source": f"GET /budgets/{state['budget_id']}",
        "budget": state["budget_name"],
        "currency_format": json.loads(state["currency_format"]),
        **json.loads(state["attrs"]).get(name, {}),
        "rows": count if name == "ledger" else None,
    }
    return {key: value for key, value in attrs.items() if value}


def _indexed(frame: pd.DataFrame, bucket: int) -> pd.DataFrame:
    frame.index = pd.Index(np.full(len(frame), bucket, "int64"), name="bucket")
    return frame
