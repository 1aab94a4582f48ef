"""Comparison of an edited frame with the current rows of the service: one request for the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from budgetframe._changes.collector import Collector
from budgetframe._changes.plan import Change, Compared, Plan, digest_of
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._changes.sending.matching import likeness, likeness_of_row
from budgetframe._changes.service_state import read_state
from budgetframe._changes.state import Names, State
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of
from budgetframe._session.frame_states import FrameStates
from budgetframe._session.ledger import ledger_of
from budgetframe._session.reads import Answer
from budgetframe._session.session import Session
from budgetframe._session.written import parts_of
from budgetframe.frames.request_bodies import Keys
from budgetframe.frames.schema import DELETED, MILLIUNITS_SUFFIX, deleted_rows
from budgetframe.frames.tables import LEDGER, TABLES

from .base_rows import base_rows_of, with_key
from .categories import changed_categories
from .deletions import Deletion
from .edits import NO_EDITS, EditedRow, Edits, find_edits, row_keys
from .frame_kinds import (
    MONTH_KEY,
    TRANSACTIONS,
    Kind,
    check_origin,
    checked_frame,
    ignored_columns,
    recognised_frame,
)
from .given_rows import converted_rows
from .splits import FORMER_PAYEE, SplitRule, left_out_rows, without_own_payees
from .transactions import Comparison, unknown_keys

_REVERTED = "so that a change made elsewhere since then would be reverted: read the frame again"
_UNKNOWN_BASE = (
    "the state in which this frame was read is not known,"
    f" {_REVERTED}, or copy the attrs of the frame that was read"
)
_FORGOTTEN_BASE = (
    "the state in which this frame was read is not known any more, because newer ones were read"
    f" since then or it comes from another process, {_REVERTED}, and edit that one"
)
_WITHOUT_GROUP = ("transactions", "scheduled_transactions")  # they have no category_group_name
_CATEGORY = {"category_id", "category_name"}
_NOT_OF_SCHEDULES = ("cleared", "approved", "import_id")


async def compare(
    session: Session, edited: pd.DataFrame | None, delete: Keys | None, *, splits: SplitRule
) -> tuple[Compared, pd.DataFrame | None]:
    """Find what an edited frame and a deletion change, and the rows that are left out."""
    found, left_out = await find_changes(session, edited, delete, splits=splits)
    plan = finished_plan(found.state, found.plan.changes, found.plan.conflicts, found.plan.warnings)
    return replace(found, plan=plan), left_out


async def find_changes(
    session: Session,
    edited: pd.DataFrame | None,
    delete: Keys | None,
    *,
    splits: SplitRule,
    known: tuple[Answer, State] | None = None,
) -> tuple[Compared, pd.DataFrame | None]:
    """What an edited frame and a deletion change, without what the service changes too."""
    # With `known`, the frame is compared with rows that were read before, without a request.
    budget = (await session.reads.budget()).name
    for given in (edited, delete):
        if isinstance(given, pd.DataFrame):
            check_origin(given, budget)
    today = session.reads.now().date()
    frame, kind = (None, None) if edited is None else _recognised(edited, today, session.states)
    currency = session.reads.currency_format
    deletion = Deletion.of(delete, kind, today, session.states, splits=splits, currency=currency)
    kind = kind or deletion.kind
    if kind is None:
        raise refused("pass an edited frame, or delete=")
    answer, state = known or await read_state(session, kind.resource, _months_of(kind, frame))
    left_out = [] if deletion.skipped is None else [deletion.skipped]
    if frame is not None:
        frame = _live_rows(_with_categories(frame, kind, state.names), kind, state)
    # The keys alone do not say in which state they were read.
    source = frame if frame is not None else deletion.frame
    base = {} if source is None else session.states.of(source.attrs)
    if frame is not None and kind is TRANSACTIONS and FORMER_PAYEE in frame:
        read = base_rows_of(kind, base, frame["transaction_id"])
        frame, own_payees = without_own_payees(frame, state, read)
        left_out += own_payees
    edits = NO_EDITS if frame is None else await _edits(session, kind, frame, base, answer)
    changed = ((row.key, row.row.get("transaction_id")) for row in edits.changed)
    keys = [*(key for pair in changed for key in pair if key is not None), *deletion.keys]
    sides = (side for key in keys for side in state.sides(key))
    base_rows = base_rows_of(kind, base, [*keys, *sides])
    warnings = [] if edited is None else [*_warn_of_columns(edited, kind)]
    found: Comparison | Collector
    if kind.can_create_and_delete:
        found = Comparison(state, base_rows, kind.resource, splits=splits)
        found.edit(edits.changed, frame)
        if frame is not None and found.fixed_splits:
            left_out.insert(0, left_out_rows(frame, kind, found.fixed_splits, state))
        found.create(edits.new)
        found.delete(deletion.keys, deletion.kept)
    else:
        read_in = "" if frame is None else str(frame.attrs.get("as_of", ""))
        found = changed_categories(kind.resource, state, base_rows, edits, read_in=read_in)
    version = "" if source is None else str(source.attrs.get("version", "")).partition(" ")[0]
    is_unknown = source is not None and not base and version != answer.version
    if frame is not None:
        warnings += _warn_of_rows(frame, kind, edits, state)
        warnings += _warn_of_existing_rows(kind, edits, found.changes, state)
    if is_unknown and any(change.action != "create" for change in found.changes):
        warnings.append(_FORGOTTEN_BASE if version else _UNKNOWN_BASE)
    asked = "" if known is not None else _asked(kind, edits, deletion, splits)
    plan = Plan(found.changes, found.conflicts, warnings)
    compared = Compared(plan, state, is_old=known is not None, asked=asked)
    return compared, pd.concat(left_out) if left_out else None


def _asked(kind: Kind, edits: Edits, deletion: Deletion, splits: SplitRule) -> str:
    """What a frame and a deletion ask for; new rows alone are the same as those of a method."""
    if kind.can_create_and_delete and edits.new and not (edits.changed or deletion.keys):
        return digest_of("POST", kind.resource, converted_rows(kind.resource, edits.new))
    return digest_of(kind.resource, edits.changed, edits.new, deletion.keys, splits)


def _recognised(edited: Any, today: date, states: FrameStates) -> tuple[pd.DataFrame, Kind]:
    """The frame and its kind; it must have a column that can be changed."""
    frame, kind = recognised_frame(checked_frame(edited), today, states)
    if not kind.writable.intersection(frame.columns):
        usable = f"these columns can be changed: {', '.join(sorted(kind.writable))}"
        raise refused(f"the frame has no column that can be changed; {usable}")
    return frame, kind


def _warn_of_columns(edited: pd.DataFrame, kind: Kind) -> Iterator[str]:
    """Warnings of columns that may be misspelt or missing."""
    columns = [*LEDGER, *(TABLES[kind.table].columns if kind.table in TABLES else ())]
    known = {column.name for column in columns}
    known |= {f"{name}{MILLIUNITS_SUFFIX}" for name in known} | kind.writable | {DELETED.name}
    yield from ignored_columns(edited, known, kind.writable)
    names = {*edited.columns, *edited.index.names}
    has_no_keys = "version" in edited.attrs and not names.intersection(kind.keys)
    if kind.can_create_and_delete and has_no_keys:
        effect = "all of its rows are created once more"
        yield f"the frame has no {kind.keys[-1]} although it was read from the budget: {effect}"
    if kind.resource == "scheduled_transactions":
        if "subtransactions" in edited and edited["subtransactions"].notna().any():
            raise refused("subtransactions: the service creates no parts of schedules")
        given = [name for name in _NOT_OF_SCHEDULES if name in edited]
        ignored = [name for name in given if edited[name].notna().any()]
        if ignored:
            yield f"{', '.join(ignored)}: these columns are ignored, because schedules have none"


def _warn_of_rows(frame: pd.DataFrame, kind: Kind, edits: Edits, state: State) -> Iterator[str]:
    """Warnings of new rows that exist already, and of groups that are set without a category."""
    if number := sum(row.get("existing_transaction_id") is not None for row in edits.new):
        exist = number_of(number, "new row exists", "new rows exist")
        yield f"{exist} already, as existing_transaction_id says: a second row is created"
    if number := _ignored_groups(frame, kind, edits, state):
        advice = "a row gets another category by its category_name"
        yield f"category_group_name is ignored in {number_of(number, 'row')}: {advice}"


def _warn_of_existing_rows(
    kind: Kind, edits: Edits, changes: Iterable[Change], state: State
) -> Iterator[str]:
    """The warning of new rows that are like rows that exist, for example after a left join."""
    new = [change for change in changes if change.action == "create" and change.replaces is None]
    if not new:
        return
    known = {
        likeness_of_row({**raw, "amount": leg.get("amount")}, kind.resource)
        for raw in state.rows.values()
        for leg in (raw, *parts_of(raw))
    }
    number = sum(
        likeness(change.after, kind.resource) in known
        for change, row in zip(new, edits.new, strict=True)
        if row.get("existing_transaction_id") is None
    )
    key = kind.keys[-1]
    if number == 1:
        yield (
            f"1 row without a {key} has the account, the date and the amount of a row that exists:"
            f" a second row is created. To change the row that exists, set its {key}"
        )
    elif number:
        yield (
            f"{number:,} rows without a {key} have the account, the date and the amount of rows"
            " that exist: second rows are created. To change the rows that exist, set their"
            f" {key}"
        )


def _ignored_groups(frame: pd.DataFrame, kind: Kind, edits: Edits, state: State) -> int:
    """The number of rows whose group differs although their category is not changed."""
    if kind.table not in _WITHOUT_GROUP or "category_group_name" not in frame:
        return 0
    changed = {row.key for row in edits.changed if _CATEGORY & row.cells.keys()}
    number = 0
    for key, group in zip(row_keys(frame, kind.keys), frame["category_group_name"], strict=True):
        if key in state.rows and key not in changed and not pd.isna(group):
            category_id = state.rows[key].get("category_id") or ""
            number += state.names.categories.get(category_id, {}).get("group_name") != group
    return number


def _live_rows(frame: pd.DataFrame, kind: Kind, state: State) -> pd.DataFrame:
    """The rows that are not deleted; the column cannot be changed."""
    is_deleted = deleted_rows(frame)
    marked = [key for key in frame.loc[is_deleted, kind.keys[-1]] if key in state.rows]
    if marked:
        advice = "pass the rows to delete as delete="
        raise refused(f"deleted cannot be changed (first: {kind.keys[-1]} {marked[0]!r}): {advice}")
    live: pd.DataFrame = frame[~is_deleted]
    return live


def _with_categories(frame: pd.DataFrame, kind: Kind, names: Names) -> pd.DataFrame:
    """The frame with the keys of its assigned amounts, which may name their categories."""
    if kind.table != "month_categories":
        return frame
    columns = ("category_id", "category_name", "category_group_name")
    cells = frame.reindex(columns=list(columns)).astype(object)
    cells = cells.where(cells.notna(), None)
    keys = cells["category_id"].copy()
    is_named = keys.isna() & cells["category_name"].notna() & frame["month"].notna()
    for at in map(int, np.flatnonzero(is_named)):
        _, name, group = cells.iloc[at]
        keys.iloc[at] = names.key("category", name, f"{frame['month'].iloc[at]:%Y-%m}", group=group)
    months = frame["month"].dt.strftime("%Y-%m-%d").astype(object)
    place = (months + " " + keys).where(months.notna() & keys.notna(), None)
    return frame.assign(**{"category_id": keys, MONTH_KEY: place.astype(object)})


def _months_of(kind: Kind, edited: pd.DataFrame | None) -> list[str]:
    if kind.table != "month_categories" or edited is None:
        return []
    return [f"{month:%Y-%m-%d}" for month in edited["month"].dropna().unique()]


async def _edits(
    session: Session,
    kind: Kind,
    edited: pd.DataFrame,
    base: Mapping[str, pd.DataFrame],
    answer: Answer,
) -> Edits:
    """What differs from the base; rows that are not in the base are compared with the service."""
    table = kind.table
    if table == "month_categories" and table not in base and "month" in base:
        table = "month"
    known = base.get(table)
    if known is not None:
        known = with_key(kind, known)
        edits = find_edits(edited, known, kind.keys, kind.writable)
        if not edits.unknown:
            return edits
        rest = edited[row_keys(edited, kind.keys).isin(edits.unknown).to_numpy(bool)]
    else:
        edits, rest = NO_EDITS, edited
    current = with_key(kind, await _current_frame(session, kind, answer))
    more = find_edits(rest, current, kind.keys, kind.writable)
    changed = [*edits.changed, *more.changed]
    if more.unknown and kind.table != "month_categories":
        raise unknown_keys(more.unknown, kind.keys[-1])
    if more.unknown and "budgeted" in rest:
        is_unknown = rest[MONTH_KEY].isin(more.unknown) & rest["budgeted"].notna()
        changed += _amounts_of_new_months(rest[is_unknown], current["month"].min())
    return Edits(changed, [*edits.new, *more.new], [])


def _amounts_of_new_months(rows: pd.DataFrame, first: pd.Timestamp) -> list[EditedRow]:
    """The assigned amounts of months that the budget does not have yet."""
    if (rows["month"] < first).any():
        raise refused(
            f"the budget has no month {rows['month'].min():%Y-%m}: its first month is {first:%Y-%m}"
        )
    amounts: dict[str, Any] = {}
    for key, amount in zip(rows[MONTH_KEY], rows["budgeted"], strict=True):
        if amounts.setdefault(key, amount) != amount:
            problem = "they have different values: keep one of them"
            raise refused(f"the frame has two rows with the key {key!r}, and {problem}")
    return [EditedRow(key, {"budgeted": amount}, {}) for key, amount in amounts.items()]


async def _current_frame(session: Session, kind: Kind, answer: Answer) -> pd.DataFrame:
    if kind.table == "ledger":
        return session.states.of((await ledger_of(session)).attrs)["ledger"]
    table = kind.table
    if table == "month_categories" and "/months/" in answer.source:
        table = "month"
    (built,) = session.frames_of({table: answer})
    return built.frame
