"""The rows of all tables from the answer of the service about one budget."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import pandas as pd
import pyarrow as pa

from budgetframe._cache.deleted_splits import DELETED_SPLITS
from budgetframe._client.responses import invalid_response
from budgetframe._runtime.deferred_warnings import DamagedRows, collected_warnings, defer_warning
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe.frames.export import EXPORTED, as_lists
from budgetframe.frames.ledger import ledger
from budgetframe.frames.loan_terms import add_loan_terms
from budgetframe.frames.reconciliation import unexplained_differences
from budgetframe.frames.tables import TABLES
from budgetframe.reports.reconciliation import reconcile

from .columns import FORMAT, FRAMES, KEYS, SCHEMAS, STATE, VERSION, table_from
from .storage import Snapshot

_LEDGER_TABLES = ("transactions", "subtransactions", "accounts", "categories", "payees")
_CODEC = pa.Codec("zstd", compression_level=3)  # of stored answers
_KNOWN_DIFFERENCES = "known_differences"  # key of a list in a stored budget; no answer has it
OWN_KEYS = (_KNOWN_DIFFERENCES, DELETED_SPLITS)  # what the package adds to a stored budget
_RECONCILED = ("accounts", "month_categories", "transactions", "subtransactions")


@paused_gc()
def tables_of(
    budget: dict[str, Any], state: Mapping[str, Any], *, verify: bool, is_whole: bool = False
) -> dict[str, pa.Table]:
    """Convert a whole budget to the rows of all tables, after a check of its sums."""
    # `state` has what the answer does not say, as in ``_state``: the source, the time of the
    # answer, the bucket, the server knowledge, and the month of the amounts. Damaged rows are kept,
    # but without a server knowledge: the next read asks for the whole budget again.
    form = _currency_of(budget)
    lists = as_lists(budget)
    is_of_app = "is_app_export" in budget  # fields that the app does not export are no damage
    with collected_warnings(then_defer=not is_of_app) as found:
        frames = {name: TABLES[name].frame(lists) for name in EXPORTED}
    if not is_of_app and any(isinstance(warning, DamagedRows) for warning in found):
        state = {**state, "knowledge": None}
    add_loan_terms(frames["accounts"], "accounts", lists)
    frames["accounts"].attrs["currency_format"] = form  # the interest of loans is rounded
    if verify:
        _check(budget, [frames[name] for name in _RECONCILED], is_whole=is_whole)
    frames["budgets"] = TABLES["budgets"].frame({"budgets": [budget]})
    frames["ledger"] = ledger(*(frames[name] for name in _LEDGER_TABLES))
    row = {
        **state,
        "currency": form.get("iso_code") or "",
        "budget_id": budget["id"],
        "budget_name": budget.get("name") or "",
        "row_count": sum(len(frames[name]) for name in FRAMES),
        "currency_format": json.dumps(form),
        "attrs": json.dumps({name: _stated(frames[name].attrs) for name in ("accounts", "ledger")}),
        "format": FORMAT,
        "version": VERSION,
        "content": _CODEC.compress(json.dumps(budget).encode(), asbytes=True),
    }
    tables = {name: table_from(name, frames[name], row) for name in FRAMES}
    for name in FRAMES:
        if missing := [key for key in sorted(KEYS[name]) if tables[name][key].null_count]:
            raise invalid_response(HTTPStatus.OK, f"has rows without {missing[0]} in {name}")
    return {**tables, STATE: pa.Table.from_pylist([row], SCHEMAS[STATE])}


def answer_in(snapshot: Snapshot, budget_id: str) -> dict[str, Any]:
    """The answer that the lake has of a budget."""
    rows = snapshot.read(STATE, budget_ids=[budget_id], columns=["content"])
    (content,) = rows["content"].to_pylist()
    return answer_from(content)


def answer_from(content: bytes) -> dict[str, Any]:
    """The answer in a row of ``_state``."""
    stream = pa.CompressedInputStream(pa.BufferReader(content), _CODEC.name)
    budget: dict[str, Any] = json.loads(stream.read())
    return budget


def _check(budget: dict[str, Any], frames: Sequence[pd.DataFrame], *, is_whole: bool) -> None:
    """Compare the rows of a budget with its own figures."""
    # If a whole answer differs only in the activity of categories, the service itself counts other
    # rows than it sends, as after the deletion of a split that the lake has not seen: no other
    # answer would be better. These differences are kept with the budget, for the check of its next
    # changes.
    splits, is_of_app = budget.get(DELETED_SPLITS, ()), "is_app_export" in budget
    result = reconcile(*frames, deleted_splits=splits, available=is_of_app)
    found = unexplained_differences(result)
    if is_whole and all(month for _, month, *_ in found):
        budget[_KNOWN_DIFFERENCES] = sorted(found)
    if not found <= {(*each,) for each in budget.get(_KNOWN_DIFFERENCES, ())}:
        problem = f"does not agree with its own figures: {result.summary}"
        raise invalid_response(HTTPStatus.OK, problem)
    if found:
        defer_warning(f"the service counts other rows: {result.summary}")


def _stated(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """What the ``attrs`` of a frame state about its accounts."""
    return {name: attrs[name] for name in ("loans", "differences") if name in attrs}


def _currency_of(budget: Mapping[str, Any]) -> Mapping[str, Any]:
    """The format of the amounts of a budget, after a check of the fields of the budget itself."""
    form = budget.get("currency_format") or {}
    for container, name, kind in (
        (budget, "name", str),
        (budget, "currency_format", dict),
        (form, "iso_code", str),
    ):
        value = container.get(name)
        if value is not None and not isinstance(value, kind):
            problem = f"has {name}={value!r}, which is not {kind.__name__}"
            raise invalid_response(HTTPStatus.OK, problem)
    return form
