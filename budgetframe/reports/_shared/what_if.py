"""What would change in a forecast: events that are added, and series that end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.request_bodies import EVENT, check_cells, milliunits_of, rows_to_write

from .periods import DAY, Span
from .row_filters import Names, check_known, names_of

Events: TypeAlias = pd.DataFrame | ArrowTable | Sequence[Mapping[str, Any]]
Ends: TypeAlias = Names | Mapping[str, Day]


def events_of(events: Events, _name: str = "") -> list[dict[str, Any]]:
    """The cells of events, checked without the accounts of the budget."""
    given: Any = in_pandas(events)
    if isinstance(given, Sequence | pd.DataFrame) and not len(given):
        return []
    try:
        rows = rows_to_write(given)
        for number, row in enumerate(rows):
            check_cells(row, EVENT, f"row {number}")
    except ToolError as error:
        raise ToolError(f"events: {str(error).removesuffix('. Nothing was sent')}") from None
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows]


def ends_of(without: Ends, today: Any) -> dict[str, Any]:
    """The names and keys in an argument with the first day without them, by default today."""
    names = names_of([*without] if isinstance(without, Mapping) else without, "without")
    if not isinstance(without, Mapping):
        return dict.fromkeys(names, today)
    days = [day_of(day, f"without[{name!r}]") for name, day in without.items()]
    return dict(zip(names, days, strict=True))


def event_schedules(
    events: Sequence[Mapping[str, Any]], accounts: pd.DataFrame, span: Span
) -> pd.DataFrame:
    """Events as further schedules; they can only be in the given accounts."""
    single = accounts.drop_duplicates("account_name", keep=False)
    keys = dict(zip(single["account_name"], single["account_id"], strict=True))
    keys |= {key: key for key in accounts["account_id"]}
    rows = []
    for number, event in enumerate(events):
        where = f"events: row {number}"
        day, until = (day_of(event.get(name, span.last), where) for name in ("date", "until"))
        if not span.first <= day <= min(until, span.last):
            days = f"{span.first:%Y-%m-%d}, to its until and to the last day, {span.last:%Y-%m-%d}"
            raise ToolError(f"{where}: date={day:%Y-%m-%d} must be from today, {days}")
        row = {"frequency": "never", **event, "until": until, "date_first": day, "date_next": day}
        for side in ("account", "transfer_account"):
            name = row.get(f"{side}_id", row.get(f"{side}_name"))
            if name is not None:
                check_known(where, [name], keys, "no open account is {names}", ["accounts"])
                row[f"{side}_id"] = keys[name]
        row["amount"] = milliunits_of(event["amount"], where) / MILLIUNITS
        rows.append(row | {"scheduled_transaction_id": f"event {number}"})
    return pd.DataFrame(rows)


def with_ends(
    tables: Sequence[pd.DataFrame], ends: Mapping[str, pd.Timestamp], label: Mapping[Any, str]
) -> list[pd.DataFrame]:
    """The rows with the last day of a payee, category or account of transfers as ``until``."""
    names = [_names(rows, label) for rows in tables]
    known = {str(each) for table in names for each in table.melt()["value"].dropna()}
    missing = "nothing is scheduled or typical for {names}"
    check_known("without", [*ends], known, missing, ["payees", "categories"])
    found = []
    for rows, table in zip(tables, names, strict=True):
        until = rows["until"]
        for name, first in ends.items():
            is_named = table.isin([name]).any(axis=1)
            until = until.mask(is_named & ~(until < first), first - DAY)
        found.append(rows.assign(until=until))
    return found


def _names(rows: pd.DataFrame, label: Mapping[Any, str]) -> pd.DataFrame:
    """The names and keys of each row, in columns; `label` has the names of accounts by key."""
    is_transfer = rows["transfer_account_id"].fillna("") != ""
    sides = [rows[name].where(is_transfer) for name in ("account_id", "transfer_account_id")]
    names = ("payee_id", "payee_name", "category_id", "category_name", "key")
    others = [rows[name] for name in names if name in rows]
    every = [*sides, *(keys.map(label) for keys in sides), *others]
    return pd.concat([each.astype(object) for each in every], axis=1, keys=range(len(every)))


def what_if_rules(events: Sequence[Mapping[str, Any]], ends: Mapping[str, Any]) -> list[str]:
    """What is assumed, as sentences."""
    listed = [", ".join(f"{name} {cell}" for name, cell in event.items()) for event in events]
    rules = [f"Event: {each.replace(' 00:00:00', '')}." for each in listed]
    rules += [f"Without {name} from {first:%Y-%m-%d} on." for name, first in ends.items()]
    return [*rules, _RULE] if rules else []


_RULE = "Events are added and replace no typical amounts; the baseline has no events and no ends."
