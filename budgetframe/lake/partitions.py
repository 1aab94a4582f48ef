"""Frames of all budgets, of those in one bucket, and of single budgets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from budgetframe._runtime.arguments import closest_names
from budgetframe.errors import ToolError
from budgetframe.frames.schema import Column

from .columns import FRAMES, LEFT, OWNER_COLUMNS, POSITION, SCHEMAS, SHOWN, STATE, SYNC, frame_from
from .storage import Snapshot, checked_names

if TYPE_CHECKING:
    import dask.dataframe as dd

_STATE_COLUMNS = [name for name in SCHEMAS[STATE].names if name != "content"]


def chosen_columns(name: str, wanted: Sequence[str] | None) -> list[Column]:
    """The columns with these names, of those of a table and of its owner; by default all."""
    every = (*FRAMES[name], *OWNER_COLUMNS, LEFT)
    known = {column.name: column for column in every if column.name in SHOWN[name].names}
    if wanted is None:
        return [*known.values()]
    names = checked_names(wanted, "columns")
    for each in names:
        if each not in known:
            close = ", ".join(closest_names(each, known)) or ", ".join(known)
            raise ToolError(f"columns: {name} has no column {each!r}; the closest: {close}")
    return [known[each] for each in dict.fromkeys(names)]


def dask_frame(snapshot: Snapshot, name: str, columns: Sequence[Column]) -> dd.DataFrame:
    """A table of all budgets with some of the columns, one partition for each bucket."""
    import dask  # noqa: PLC0415 - slow to import, and a sync does not need it
    import dask.dataframe as dd  # noqa: PLC0415

    with dask.config.set({"dataframe.convert-string": False}):  # the dtype stays the same
        frames: dd.DataFrame = dd.from_map(
            partial(_bucket_frame, snapshot, name, columns),
            range(snapshot.buckets),
            meta=_indexed(frame_from(name, SHOWN[name].empty_table(), columns), 0),
            divisions=(*range(snapshot.buckets), snapshot.buckets - 1),
            label=f"budgetframe-{name}",
        )
    return frames


def _bucket_frame(
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


def states_of(snapshot: Snapshot, **which: Any) -> list[dict[str, Any]]:
    """The rows of ``_state`` about all or some budgets, sorted by id, without the answers."""
    rows: list[dict[str, Any]] = snapshot.read(STATE, columns=_STATE_COLUMNS, **which).to_pylist()
    return sorted(rows, key=itemgetter("budget_id"))


def state_key(state: Mapping[str, Any]) -> str:
    """A text that stands for the rows of a budget; empty if they are damaged."""
    text = "" if state["knowledge"] is None else repr(sorted(state.items()))
    return text and blake2b(text.encode(), digest_size=16).hexdigest()


def budget_frames(
    snapshot: Snapshot, names: Sequence[str], states: Sequence[dict[str, Any]]
) -> Iterator[dict[str, pd.DataFrame]]:
    """The frames of each budget with one of these rows of ``_state``."""
    ids = [state["budget_id"] for state in states]
    tables = {name: snapshot.read(name, budget_ids=ids) for name in names}
    for state in states:
        frames = {}
        for name, table in tables.items():
            rows = table.filter(pc.equal(table["budget_id"], pa.scalar(state["budget_id"])))
            frames[name] = frame_from(name, rows)
            frames[name].attrs |= _attrs(name, state, len(rows))
        yield frames


def frames_of(snapshot: Snapshot, names: Sequence[str], budget: str) -> dict[str, pd.DataFrame]:
    """Some frames of a budget with this name or id."""
    states = states_of(snapshot, budget_ids=[id_of(budget, snapshot)])
    for frames in budget_frames(snapshot, names, states):
        return frames
    raise ToolError(f"the lake has no rows of the budget {budget!r} yet: lake.status() says why")


def id_of(budget: str, snapshot: Snapshot) -> str:
    """The id of a budget with this name or id."""
    columns = ["source", "budget_id", "budget_name"]
    rows: list[dict[str, str]] = snapshot.read(SYNC, columns=columns).to_pylist()
    names = {row["budget_id"]: row["budget_name"] for row in rows if row["source"]}
    names.pop("", None)  # of a source whose budgets are unknown
    if budget in names:
        return budget
    found = sorted(key for key, name in names.items() if name == budget)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(found[:5])
        raise ToolError(f"{len(found)} budgets have the name {budget!r}: pass the id, one of {ids}")
    close = closest_names(str(budget), {*names.values()})
    known = f": the closest names are {', '.join(map(repr, close))}" if close else ""
    raise ToolError(f"the lake has no budget {budget!r} among its {len(names)}{known}")


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
