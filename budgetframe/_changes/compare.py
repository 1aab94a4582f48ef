"""Comparison of an edited frame with the current rows of the service: one request for the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.number_of import number_of
from budgetframe._session.ledger import ledger_of
from budgetframe._session.reads import Answer
from budgetframe._session.session import Session
from budgetframe.frames.one_line import decimals_of
from budgetframe.frames.request_bodies import Keys, keys_of, month_to_write
from budgetframe.frames.schema import DELETED, MILLIUNITS_SUFFIX
from budgetframe.frames.tables import LEDGER, TABLES
from budgetframe.frames.version import Version

from .collector import BaseRows
from .completion import amount_warnings, finished_plan
from .current_rows import read_state
from .edits import EditedRow, Edits, find_edits, is_deleted_row, normal_frame, row_keys
from .origin import check_origin, checked_frame, ignored_columns
from .other_rows import (
    ASSIGNABLE,
    CATEGORY_COLUMNS,
    SCHEDULE_COLUMNS,
    assignments_plan,
    categories_plan,
    schedules_plan,
)
from .outcome import likeness, likeness_of_row
from .plan import Compared, Plan, Resource
from .state import FIELDS, PART_FIELDS, Names, State, current_month, parts_of, refused
from .transactions import WRITABLE, Comparison, unknown_keys

__all__ = ["compare"]

_UNKNOWN_BASE = (
    "the state in which this frame was read is not known, so that a change made elsewhere since"
    " then would be reverted: read the frame again, or copy the attrs of the frame that was read"
)
_MONTH_KEY = "month and category_id"
_WITHOUT_GROUP = ("transactions", "scheduled_transactions")
"""The tables that have no column category_group_name."""
_CATEGORY = {"category_id", "category_name"}
_NOT_OF_SCHEDULES = ("cleared", "approved", "import_id")
_ALL_KEYS = ("transaction_id", "subtransaction_id", "scheduled_transaction_id", "category_id")


class _Kind(NamedTuple):
    """A kind of frame that can be edited."""

    table: str
    resource: Resource
    keys: tuple[str, ...]
    writable: frozenset[str]

    @property
    def can_create_and_delete(self) -> bool:
        """Whether rows can be created, as rows without a key, and deleted."""
        return self.resource in ("transactions", "scheduled_transactions")


_TRANSACTIONS = _Kind("transactions", "transactions", ("transaction_id",), WRITABLE)
_KINDS = {
    kind.table: kind
    for kind in (
        _TRANSACTIONS,
        _Kind("ledger", "transactions", ("subtransaction_id", "transaction_id"), WRITABLE),
        _Kind("subtransactions", "transactions", ("subtransaction_id", "transaction_id"), WRITABLE),
        _Kind(
            "scheduled_transactions",
            "scheduled_transactions",
            ("scheduled_transaction_id",),
            SCHEDULE_COLUMNS,
        ),
        _Kind("categories", "categories", ("category_id",), CATEGORY_COLUMNS),
        _Kind("month_categories", "month_categories", (_MONTH_KEY,), ASSIGNABLE),
    )
}


async def compare(
    session: Session, edited: pd.DataFrame | None, delete: Keys | None, *, replace_splits: bool
) -> Compared:
    """Find what an edited frame and a deletion change.

    Parameters
    ----------
    session : Session
        Reads the current rows.
    edited : DataFrame or None
        The edited frame.
    delete : str, DataFrame, iterable of str or None
        What is deleted.
    replace_splits : bool
        Whether splits are deleted and created again where the service cannot change them.

    Raises
    ------
    ToolError
        For changes that cannot be made.
    """
    budget = (await session.reads.budget()).name
    for given in (edited, delete):
        if isinstance(given, pd.DataFrame):
            check_origin(given, budget)
    today = session.reads.now().date()
    frame, kind = (None, None) if edited is None else _recognised(checked_frame(edited), today)
    if frame is not None and kind is not None and not kind.writable.intersection(frame.columns):
        raise refused(
            "the frame has no column that can be changed; these columns can be changed:"
            f" {', '.join(sorted(kind.writable))}"
        )
    deletion = _NO_DELETION if delete is None else _Deletion.of(delete, kind, today)
    kind = kind or deletion.kind
    if kind is None:
        raise refused("pass an edited frame, or delete=")
    answer, state = await read_state(session, kind.resource, _months_of(kind, frame))
    if frame is not None:
        frame = _live_rows(_with_categories(frame, kind, state.names), kind, state)
    # The keys alone do not say in which state they were read.
    source = frame if frame is not None else deletion.frame
    version = None if source is None else source.attrs.get("version")
    base = version.frames if isinstance(version, Version) else {}
    edits = None if frame is None else await _edits(session, kind, frame, base, answer)
    sides = (side for key in deletion.keys for side in state.sides(key))
    base_rows = _base_rows(kind, base, [*_keys_in(edits), *deletion.keys, *sides])
    if kind.resource == "transactions":
        comparison = Comparison(state, base_rows, replace_splits=replace_splits)
        if edits is not None and frame is not None:
            comparison.edit(edits, frame)
            comparison.create(edits.new)
        comparison.delete(deletion.keys)
        plan = finished_plan(state, comparison.changes, comparison.conflicts)
    else:
        read_in = str(frame.attrs.get("as_of", "")) if frame is not None else ""
        plan = _other_plan(kind, state, base_rows, edits, deletion.keys, read_in=read_in)
    is_unknown = source is not None and not base and version != answer.version
    warnings = [] if edited is None else _of_columns(edited, kind)
    if edits is not None and frame is not None:
        warnings += [*_of_rows(frame, kind, edits, state), *_of_existing(kind, edits, plan, state)]
    if is_unknown and any(change.action != "create" for change in plan.changes):
        warnings.append(_UNKNOWN_BASE)
    decimals = decimals_of(session.budget_attrs().get("currency_format"))
    warnings += amount_warnings(plan.changes, decimals)
    return Compared(replace(plan, warnings=[*warnings, *plan.warnings]), state)


def _of_columns(edited: pd.DataFrame, kind: _Kind) -> list[str]:
    """Warnings of columns that may be misspelt or missing."""
    columns = [*LEDGER, *(TABLES[kind.table].columns if kind.table in TABLES else ())]
    known = {column.name for column in columns}
    known |= {f"{name}{MILLIUNITS_SUFFIX}" for name in known} | kind.writable | {DELETED.name}
    found = ignored_columns(edited, known, kind.writable)
    names = {*edited.columns, *edited.index.names}
    if (
        kind.can_create_and_delete
        and "version" in edited.attrs
        and not names.intersection(kind.keys)
    ):
        found.append(
            f"the frame has no {kind.keys[-1]} although it was read from the budget: all of its"
            " rows are created once more"
        )
    if kind.resource == "scheduled_transactions":
        found += _of_schedules(edited)
    return found


def _of_schedules(edited: pd.DataFrame) -> list[str]:
    """The warning of columns that transactions have and schedules have not."""
    if "subtransactions" in edited and edited["subtransactions"].notna().any():
        raise refused("subtransactions: the service creates no parts of schedules")
    ignored = [name for name in _NOT_OF_SCHEDULES if name in edited and edited[name].notna().any()]
    if not ignored:
        return []
    return [f"{', '.join(ignored)}: these columns are ignored, because schedules have none"]


def _of_rows(frame: pd.DataFrame, kind: _Kind, edits: Edits, state: State) -> list[str]:
    """Warnings of new rows that exist already, and of groups that are set without a category."""
    found = []
    number = sum(row.get("existing_transaction_id") is not None for row in edits.new)
    if number:
        exist = number_of(number, "new row exists", "new rows exist")
        found.append(f"{exist} already, as existing_transaction_id says: a second row is created")
    number = _ignored_groups(frame, kind, edits, state)
    if number:
        found.append(
            f"category_group_name is ignored in {number_of(number, 'row')}: a row gets another"
            " category by its category_name"
        )
    return found


def _of_existing(kind: _Kind, edits: Edits, plan: Plan, state: State) -> list[str]:
    """The warning of new rows that are like rows that exist, for example after a left join."""
    created = [
        change
        for change in plan.changes
        if change.action == "create" and change.cause is None and change.replaces is None
    ]
    if not created:
        return []
    known = {
        likeness_of_row({**raw, "amount": leg.get("amount")}, kind.resource)
        for raw in state.rows.values()
        for leg in (raw, *parts_of(raw))
    }
    number = sum(
        likeness(change.after, kind.resource) in known
        for change, row in zip(created, edits.new, strict=True)
        if row.get("existing_transaction_id") is None
    )
    if not number:
        return []
    key = kind.keys[-1]
    if number == 1:
        text = (
            f"1 row without a {key} has the account, the date and the amount of a row that exists:"
            f" a second row is created. To change the row that exists, set its {key}"
        )
    else:
        text = (
            f"{number:,} rows without a {key} have the account, the date and the amount of rows"
            f" that exist: second rows are created. To change the rows that exist, set their {key}"
        )
    return [text]


def _ignored_groups(frame: pd.DataFrame, kind: _Kind, edits: Edits, state: State) -> int:
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


def _live_rows(frame: pd.DataFrame, kind: _Kind, state: State) -> pd.DataFrame:
    """The rows that are not deleted; the column cannot be changed."""
    is_deleted = is_deleted_row(frame)
    marked = [key for key in frame.loc[is_deleted, kind.keys[-1]] if key in state.rows]
    if marked:
        raise refused(
            f"deleted cannot be changed (first: {kind.keys[-1]} {marked[0]!r}): pass the rows to"
            " delete as delete="
        )
    live: pd.DataFrame = frame[~is_deleted]
    return live


def _keys_in(edits: Edits | None) -> Iterator[str]:
    """The keys of the changed rows, and of the transactions of changed parts."""
    for row in edits.changed if edits else ():
        yield row.key
        if row.row.get("transaction_id") is not None:
            yield row.row["transaction_id"]


def _other_plan(
    kind: _Kind,
    state: State,
    base_rows: BaseRows,
    edits: Edits | None,
    deleted: list[str],
    *,
    read_in: str,
) -> Plan:
    if kind.resource == "scheduled_transactions":
        return schedules_plan(state, base_rows, edits, deleted)
    edits = edits or Edits([], [], [])
    if kind.resource == "categories":
        return categories_plan(state, base_rows, edits, read_in=read_in)
    return assignments_plan(state, base_rows, edits)


def _recognised(frame: pd.DataFrame, today: date) -> tuple[pd.DataFrame, _Kind]:
    """The frame with its keys as columns and the first days of its months, and its kind."""
    frame = normal_frame(frame, (*_ALL_KEYS, "month"))
    kind = _kind_of(frame)
    if kind.table == "month_categories":
        cells = (None if pd.isna(cell) else cell for cell in frame["month"].astype(object))
        months = [None if cell is None else _first_day(cell, today) for cell in cells]
        texts = pd.Series(months, index=frame.index, dtype=object)
        frame = frame.assign(month=pd.to_datetime(texts, format="%Y-%m-%d"))
    elif kind is _TRANSACTIONS and "transaction_id" not in frame:
        frame = frame.assign(transaction_id=None)
    elif kind.resource == "scheduled_transactions" and kind.keys[0] not in frame:
        frame = frame.assign(scheduled_transaction_id=None)
    return frame, kind


def _first_day(month: Any, today: date) -> str:
    day = month_to_write(month)
    return current_month(today) if day == "current" else day


def _with_categories(frame: pd.DataFrame, kind: _Kind, names: Names) -> pd.DataFrame:
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
    return frame.assign(**{"category_id": keys, _MONTH_KEY: place.astype(object)})


def _kind_of(frame: pd.DataFrame) -> _Kind:
    """The kind of a frame, by its columns."""
    columns = set(frame.columns)
    if "scheduled_subtransaction_id" in columns:
        raise refused("the service cannot change the parts of schedules")
    for needed, excluded, table in _RECOGNITION:
        if needed <= columns and not excluded & columns:
            return _KINDS[table if table != "ledger" else _split_rows_of(frame)]
    raise refused(
        "the columns are not those of a frame that can be changed: pass one from transactions(),"
        " ledger(), subtransactions(), scheduled_transactions(), month_categories(), month() or"
        " categories(), or new rows with date, amount and account_name"
    )


_RECOGNITION: tuple[tuple[set[str], set[str], str], ...] = (
    ({"scheduled_transaction_id"}, set(), "scheduled_transactions"),
    ({"subtransaction_id"}, set(), "ledger"),
    ({"transaction_id"}, set(), "transactions"),
    ({"month", "category_id"}, set(), "month_categories"),
    ({"month", "category_name", "budgeted"}, {"date"}, "month_categories"),
    ({"category_id"}, {"date", "date_next"}, "categories"),
    ({"frequency", "amount"}, set(), "scheduled_transactions"),
    ({"date", "amount"}, set(), "transactions"),
)
"""Columns that a kind of frame has, columns that it does not have, and the kind."""


def _split_rows_of(frame: pd.DataFrame) -> str:
    """The kind of a frame with parts of splits."""
    if "transaction_id" not in frame:
        raise refused("the frame has a subtransaction_id, but no transaction_id: keep both")
    if "matched_transaction_id" in frame:
        raise refused(
            "rows of transactions_of_category() or transactions_of_payee() cannot be compared: pass"
            " rows of ledger()"
        )
    version = frame.attrs.get("version")
    if isinstance(version, Version):
        return "ledger" if "ledger" in version.frames else "subtransactions"
    has_state = "cleared" in frame or bool(frame["subtransaction_id"].isna().any())
    return "ledger" if has_state else "subtransactions"


@dataclass(frozen=True, slots=True)
class _Deletion:
    """The rows to delete."""

    kind: _Kind | None
    keys: list[str]
    frame: pd.DataFrame | None = None

    @classmethod
    def of(cls, delete: Keys, kind: _Kind | None, today: date) -> _Deletion:
        """Recognise the keys, which are those of the kind if it is given.

        Raises
        ------
        ToolError
            If they are not those of rows that can be deleted.
        """
        if not isinstance(delete, pd.DataFrame):
            name = getattr(delete, "name", None)
            found = (
                _KINDS["scheduled_transactions"]
                if name == "scheduled_transaction_id"
                else (kind or _TRANSACTIONS)
            )
            if isinstance(delete, Sized) and not len(delete):
                return cls(found, [])
            if isinstance(delete, pd.Series) and pd.api.types.is_bool_dtype(delete):
                raise refused("delete= is a mask of True and False: pass the rows, frame[mask]")
            _require_deletable(found)
            return cls(_same(found, kind), keys_of(delete, found.keys[-1]))
        frame, found = _recognised(delete, today)
        frame = frame[~is_deleted_row(frame)]
        if frame.empty:
            return cls(_same(found, kind), [])
        _require_deletable(found)
        keys = keys_of(frame, found.keys[-1])
        _require_whole_splits(frame)
        return cls(_same(found, kind), keys, frame)


_NO_DELETION = _Deletion(None, [])


def _require_deletable(kind: _Kind) -> None:
    if not kind.can_create_and_delete:
        raise refused(f"the service cannot delete rows of {kind.table}()")


def _same(found: _Kind, kind: _Kind | None) -> _Kind:
    if kind is not None and found.resource != kind.resource:
        raise refused(
            f"delete= has rows of {found.table}(), but the edited frame has rows of {kind.table}():"
            " pass them in two calls"
        )
    return found


def _require_whole_splits(frame: pd.DataFrame) -> None:
    """Check that all parts of the splits are deleted, as far as the frame's version knows them."""
    version = frame.attrs.get("version")
    if "subtransaction_id" not in frame or not isinstance(version, Version):
        return
    base = version.frames.get("ledger", version.frames.get("subtransactions"))
    if base is None:
        return
    parts = base[base["transaction_id"].isin(frame["transaction_id"].dropna()).to_numpy(bool)]
    given = set(frame["subtransaction_id"].dropna())
    missing = [key for key in parts["subtransaction_id"].dropna() if key not in given]
    if missing:
        raise refused(
            f"{number_of(len(missing), 'part of a split is', 'parts of splits are')} not in delete="
            " although another part is"
            f" (first: {missing[0]!r}): the service deletes only whole transactions"
        )


def _months_of(kind: _Kind, edited: pd.DataFrame | None) -> list[str]:
    if kind.table != "month_categories" or edited is None:
        return []
    return [f"{month:%Y-%m-%d}" for month in edited["month"].dropna().unique()]


async def _edits(
    session: Session,
    kind: _Kind,
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
        known = _with_key(kind, known)
        edits = find_edits(edited, known, kind.keys, kind.writable)
        if not edits.unknown:
            return edits
        rest = edited[row_keys(edited, kind.keys).isin(edits.unknown).to_numpy(bool)]
    else:
        edits, rest = Edits([], [], []), edited
    current = _with_key(kind, await _current_frame(session, kind, answer))
    more = find_edits(rest, current, kind.keys, kind.writable)
    changed = [*edits.changed, *more.changed]
    if more.unknown and kind.table != "month_categories":
        raise unknown_keys(more.unknown, kind.keys[-1])
    if more.unknown and "budgeted" in rest:
        is_unknown = rest[_MONTH_KEY].isin(more.unknown) & rest["budgeted"].notna()
        changed += _in_new_months(rest[is_unknown], current["month"].min())
    return Edits(changed, [*edits.new, *more.new], [])


def _in_new_months(rows: pd.DataFrame, first: pd.Timestamp) -> list[EditedRow]:
    """The assigned amounts of months that the budget does not have yet.

    Raises
    ------
    ToolError
        For a month before the first one, and for two amounts of one category and month.
    """
    if (rows["month"] < first).any():
        raise refused(
            f"the budget has no month {rows['month'].min():%Y-%m}: its first month is {first:%Y-%m}"
        )
    amounts: dict[str, Any] = {}
    for key, amount in zip(rows[_MONTH_KEY], rows["budgeted"], strict=True):
        if amounts.setdefault(key, amount) != amount:
            raise refused(
                f"the frame has two rows with the key {key!r}, and they have different values: keep"
                " one of them"
            )
    return [EditedRow(key, {"budgeted": amount}, {}) for key, amount in amounts.items()]


def _with_key(kind: _Kind, frame: pd.DataFrame) -> pd.DataFrame:
    if kind.table != "month_categories":
        return frame
    months = frame["month"].dt.strftime("%Y-%m-%d")
    return frame.assign(**{_MONTH_KEY: months + " " + frame["category_id"].astype(object)})


async def _current_frame(session: Session, kind: _Kind, answer: Answer) -> pd.DataFrame:
    if kind.table == "ledger":
        version: Version = (await ledger_of(session)).attrs["version"]
        return version.frames["ledger"]
    table = kind.table
    if table == "month_categories" and "/months/" in answer.source:
        table = "month"
    (built,) = session.frames_of({table: answer})
    return built.frame


# The rows of the base

_COLUMNS: Mapping[tuple[str, str], str] = {
    ("scheduled_transactions", "date"): "date_next",
    ("categories", "name"): "category_name",
}
"""The columns of fields, where they have other names."""


def _base_rows(kind: _Kind, base: Mapping[str, pd.DataFrame], keys: Iterable[str]) -> BaseRows:
    """A function that returns the fields of the rows with these keys, as the user read them."""
    tables = {
        "transactions": ("transactions",),
        "scheduled_transactions": ("scheduled_transactions",),
        "categories": ("categories",),
        "month_categories": ("month_categories", "month"),
    }[kind.resource]
    frame = next((base[name] for name in tables if name in base), None)
    wanted = set(keys)
    found: dict[str, dict[str, Any]] = {}
    if frame is not None:
        names = [(field, _COLUMNS.get((kind.resource, field), field)) for field in _fields_of(kind)]
        frame = _with_key(kind, frame)
        key_column = kind.keys[-1]
        chosen = frame[frame[key_column].isin(wanted).to_numpy(bool)]
        for row in chosen.to_dict("records"):
            found[row[key_column]] = {field: _field(row[name]) for field, name in names}
            if row.get("is_split"):
                found[row[key_column]]["category_id"] = None
            if kind.resource == "categories":
                found[row[key_column]].pop("budgeted")
                found[f"{_CURRENT} {row[key_column]}"] = {"budgeted": _field(row["budgeted"])}
    parts = base.get("subtransactions") if kind.resource == "transactions" else None
    if parts is not None:
        chosen = parts[parts["transaction_id"].isin(wanted).to_numpy(bool)]
        for row in chosen.to_dict("records"):
            key = row["transaction_id"]
            split = found.setdefault(key, {name: _field(row[name]) for name in _OF_PARENT})
            part = {name: _field(row[name]) for name in PART_FIELDS}
            split.setdefault("subtransactions", []).append(part)

    def row_of(key: str) -> Mapping[str, Any] | None:
        month, _, category = key.partition(" ")
        if kind.resource == "categories" and category and month:
            return found.get(f"{_CURRENT} {category}")
        return found.get(key)

    return row_of


_CURRENT = "current"
_OF_PARENT = ("date", "account_id")


def _fields_of(kind: _Kind) -> list[str]:
    return [*FIELDS[kind.resource], *(["budgeted"] if kind.resource == "categories" else [])]


def _field(value: Any) -> Any:
    """A cell as the service writes it, amounts in milliunits."""
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.strftime("%Y-%m-%d")
    if isinstance(value, float):
        return round(value * MILLIUNITS)
    return bool(value) if type(value).__name__ in ("bool", "bool_") else value
