"""What would change in a forecast: events that are added, and series that end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.arguments import closest_names
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.request_bodies import EVENT, check_cells, milliunits_of, rows_to_write

from .periods import DAY, Span
from .row_filters import Names, RowFilter, check_known, names_of, row_filter

Events: TypeAlias = pd.DataFrame | ArrowTable | Sequence[Mapping[str, Any]]
Ends: TypeAlias = Names | Mapping[str, Day]

_CATEGORY = ["category_id", "category_name", "category_group_id", "category_group_name"]
_SIDES = ("account", "transfer_account")
_NAMED = ["payee_id", "payee_name", "account_id", "transfer_account_id", *_SIDES]
_MOST = 10  # number of events and ends that have a rule


def events_of(events: Events, _name: str = "") -> list[dict[str, Any]]:
    """The cells of events, checked without the accounts of the budget."""
    given: Any = in_pandas(events)
    if isinstance(given, Sequence | pd.DataFrame) and not len(given):
        return []
    if not isinstance(given, Sequence | pd.DataFrame):
        raise ToolError(f"events={events!r}: it must be a list of mappings, or a DataFrame")
    try:
        rows = rows_to_write(given)
        for number, row in enumerate(rows):
            check_cells(row, EVENT, f"row {number}")
    except ToolError as error:
        text = str(error).removesuffix(". Nothing was sent")
        text = text.replace("cannot be written", "cannot be in an event")
        raise ToolError(f"events: {text}") from None
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
) -> tuple[pd.DataFrame, list[str]]:
    """Events as further schedules, which can only be in the given accounts, and as sentences."""
    single = accounts.drop_duplicates("account_name", keep=False)
    keys = dict(zip(single["account_name"], single["account_id"], strict=True))
    keys |= {key: key for key in accounts["account_id"]}
    names = dict(zip(accounts["account_id"], accounts["account_name"].astype(str), strict=True))
    rows, rules = [], []
    for number, event in enumerate(events):
        where = f"events: row {number}"
        day, until = (day_of(event.get(name, span.last), where) for name in ("date", "until"))
        if not span.first <= day <= min(until, span.last):
            cause = "after the last day" if day > span.last else "after its until"
            cause = "before today" if day < span.first else cause
            days = f"from {span.first:%Y-%m-%d} to {span.last:%Y-%m-%d}: change until= or days="
            raise ToolError(f"{where}: date={day:%Y-%m-%d} is {cause}; the forecast is {days}")
        row = {"frequency": "never", **event, "until": until, "date_first": day, "date_next": day}
        for side in _SIDES:
            name = row.get(f"{side}_id", row.get(f"{side}_name"))
            if name is not None:
                several = "more than one open account is {names}: write account_id"
                missing = several if name in names.values() else "there is no open account {names}"
                check_known(where, [name], keys, missing, ["accounts"])
                row[f"{side}_id"] = keys[name]
        if row["account_id"] == row.get("transfer_account_id"):
            raise ToolError(f"{where}: both accounts of the transfer are {name!r}")
        row["amount"] = milliunits_of(event["amount"], where) / MILLIUNITS
        rows.append(row | {"scheduled_transaction_id": f"event {number}"})
        places = ", with ".join(names[row[f"{side}_id"]] for side in _SIDES if f"{side}_id" in row)
        amount = in_currency(row["amount"], accounts.attrs.get("currency_format"), exact=True)
        often = "" if row["frequency"] == "never" else f", {row['frequency']} to {until:%Y-%m-%d}"
        note = f" ({row['note']})" if "note" in row else ""
        rules.append(f"Event of {day:%Y-%m-%d}{often}: {amount} in {places}{note}.")
    return pd.DataFrame(rows), rules


def with_ends(
    tables: Sequence[pd.DataFrame], ends: Mapping[str, Any], ledger: Any, names: Any
) -> tuple[list[pd.DataFrame], list[str]]:
    """The rows with the last day of what ends as ``until``, and the ends as sentences."""
    columns = [*_CATEGORY, *_NAMED]
    every = pd.concat([rows.reindex(columns=columns).astype(object) for rows in tables])
    owners = [every] if ledger is None else [ledger[_CATEGORY].drop_duplicates(), every]
    known = pd.concat([rows[_CATEGORY].astype(object) for rows in owners])
    known = known.dropna(subset="category_id").drop_duplicates("category_id")
    every = every.drop(columns=_CATEGORY[1:]).merge(known, how="left", on="category_id")
    is_transfer = every["transfer_account_id"].fillna("") != ""
    for side in _SIDES:
        every[f"{side}_id"] = every[f"{side}_id"].where(is_transfer)
        every[side] = every[f"{side}_id"].map(names)
    until, rules = pd.concat([rows["until"] for rows in tables], ignore_index=True), []
    for name, first in ends.items():
        is_category = RowFilter({"categories": (name,)}, {}, {}).mask(every, "categories")
        is_named = every[_NAMED].isin([name]).any(axis=1) | is_category
        if not is_named.any():
            labels = every.loc[:, ~every.columns.str.endswith("_id")]
            close = closest_names(name, sorted({*labels.melt()["value"].dropna()}), cutoff=0)
            named = ", ".join(map(repr, close)) or "none"
            why = _TYPICAL if len(tables[-1]) else ""  # the last table has the typical amounts
            text = f"{why}nothing is scheduled or typical for {name!r}"
            raise ToolError(f"without: {text}; the closest names are {named}")
        until = until.mask(is_named & ~(until < first), first - DAY)
        shown = row_filter([every[is_category]], {"categories": name}).given["categories"][0]
        rules.append(f"Without {shown} from {first:%Y-%m-%d} on.")
    parts = np.split(until.to_numpy(), np.cumsum([len(rows) for rows in tables])[:-1])
    return [rows.assign(until=part) for rows, part in zip(tables, parts, strict=True)], rules


def what_if_rules(stated: Sequence[str], *, is_changed: bool) -> list[str]:
    """What is assumed, as sentences."""
    more = len(stated) - _MOST
    rules = [*stated[:_MOST], f"{more} further events and ends." if more > 0 else ""]
    return [*rules, _RULE, "" if is_changed else _SAME] if stated else []


_TYPICAL = "typical amounts have categories and no payees, and "
_RULE = (
    "Events are added and replace no typical amounts; a split ends with its payee, with all parts;"
    " the baseline has no events and no ends."
)
_SAME = "Events and ends change no balance of an account that is shown."
