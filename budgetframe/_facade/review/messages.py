"""What the table of a review shows: rows, choices and sums as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from budgetframe._facade.preview import cost_of
from budgetframe._milliunits import to_currency, to_milliunits
from budgetframe._resources import CARD_GROUP, INTERNAL_GROUP, is_income
from budgetframe._runtime.text import number_of, visible
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.schema import DELETED
from budgetframe.frames.tables import LEDGER

if TYPE_CHECKING:
    from budgetframe._changes.draft import Draft, DraftRow
    from budgetframe._facade.aio.changes import AsyncChanges

COLUMNS = {
    "category": "category_id", "payee": "payee_name", "memo": "memo", "flag": "flag_color",
    "assigned": "budgeted",
}  # fmt: skip
"""The columns of the table that can be edited, and what they set."""
ACTIONS: Mapping[str, tuple[str, str, Any]] = {
    "approve": ("Approve", "approved", True), "unapprove": ("Not approved", "approved", False),
    "clear": ("Cleared", "cleared", "cleared"), "unclear": ("Not cleared", "cleared", "uncleared"),
    "delete": ("Delete", DELETED.name, True), "discard": ("Discard the changes", "", True),
    "restore": ("Restore the changes", "", False),
}  # fmt: skip
"""The choices for the state of a row: label, what it sets, and the value."""
_FLAGS = next(column.vocabulary for column in LEDGER if column.name == "flag_color")
_FIELDS = {"day": "date", "amount": "amount"}  # only a change that was prepared can set these


def row_message(number: int, row: DraftRow, draft: Draft, refusal: str) -> dict[str, Any]:
    """One row of the table; `refusal` says why the last edit of it was not taken."""
    names, new = draft.state.names, row.values(draft.state.names)
    cells = {**row.cells, **new}
    category = cells.get("category_name")
    if "category_id" in new:
        category = names.name("category", new["category_id"])
    account = cells.get("account_name")
    if "account_id" in new:
        account = names.name("account", new["account_id"])
    is_gone = row.at is None and row.change is None
    is_deleted = is_gone or bool(new.get(DELETED.name))
    is_left_out = row.is_left_out and not row.edits
    states = [
        row.outcome,  # first: the end can be cut
        "new" if row.change is not None and row.change.action == "create" else "",
        "deleted" if is_deleted else "left out" if is_left_out else "",
        "" if cells.get("approved", True) else "not approved",
        cells.get("cleared") or "",
    ]
    day, amount = cells.get("date"), cells.get("amount")
    offered = {} if row.is_made else row.offered
    shown = {name: new[each] for name, each in COLUMNS.items() if each in new}
    suggested = {name: offered.get(each) for name, each in COLUMNS.items()}
    suggested["category"] = names.name("category", suggested["category"])
    labels = (label for label, each, to in ACTIONS.values() if each and offered.get(each) == to)
    suggested["state"] = ", ".join(labels).lower()
    milliunits: dict[str, Any] = {"amount": None if amount is None else to_milliunits(amount)}
    if draft.month:
        milliunits = {"wanted": cells.get("wanted"), "assigned": cells["budgeted"]}
        milliunits["before"] = row.cells["budgeted"]
    amounts = {
        name: in_currency(to_currency(each), draft.currency, exact=True)
        for name, each in milliunits.items()
    }
    problem = row.problem
    if problem and row.at is not None and shown:  # the cells are those that the service has now
        present = {**row.cells, "category_id": row.cells.get("category_name")}
        present["budgeted"] = amounts.get("before")
        now = (f"{name} {present[COLUMNS[name]] or 'empty'}" for name in shown)
        problem = f"{problem}. Now: {', '.join(now)}"
    texts = {
        "day": f"{day:%Y-%m-%d}" if isinstance(day, pd.Timestamp) else day, "account": account,
        "payee": cells.get("payee_name"), "memo": cells.get("memo"), **amounts,
        "group": cells.get("category_group_name") if draft.month else "", "rule": cells.get("rule"),
        "category": category, "flag": cells.get("flag_color"),
        "state": ", ".join(filter(None, states)), "note": row.note if offered else "",
        "problem": refusal or problem,
    }  # fmt: skip
    editable = {**COLUMNS, **_FIELDS}.items()
    changed = [name for name, each in editable if each in new and new[each] != row.cells.get(each)]
    changed += ["state"] if {"approved", "cleared", DELETED.name} & new.keys() else []
    columns = {**COLUMNS, "state": DELETED.name} if is_gone else COLUMNS
    return {
        **{name: visible(str(text or "")) for name, text in texts.items()},
        "id": number,
        "milliunits": milliunits,
        "ticked": row.is_ticked and not row.is_made,
        "changed": [] if row.is_made else changed,
        "fixed": {name: row.fixed[each] for name, each in columns.items() if each in row.fixed},
        "suggestion": {name: visible(text) for name, text in suggested.items() if text},
        "struck": is_deleted or is_left_out,
    }


def categories(draft: Draft) -> list[dict[str, Any]]:
    """The categories that a row can have, in the order of the service, and that of no category."""
    none: dict[str, Any] = {"value": None, "label": "no category", "group": "", "available": ""}
    found = [none]
    for key, row in draft.state.names.categories.items():
        group, name = row.get("group_name") or "", row.get("name") or ""
        is_own = group not in (INTERNAL_GROUP, CARD_GROUP) and not row.get("hidden")
        if is_own or is_income(group, name):
            balance: Any = to_currency(row.get("balance") if is_own else None)
            available = in_currency(balance, draft.currency)
            texts = {"label": visible(name), "group": visible(group)}
            found.append({"value": key, **texts, "available": available})
    return [{**each, "text": f"{each['label']} {each['group']}"} for each in found]


def flags() -> list[dict[str, Any]]:
    """The flags that a row can have."""
    return [{"value": each, "label": each or "no flag"} for each in (None, *_FLAGS)]


def actions(draft: Draft) -> list[dict[str, Any]]:
    """The choices for the state of a row."""
    has_prepared = any(row.change is not None for row in draft.rows)
    return [
        {"value": name, "label": label}
        for name, (label, column, _) in ACTIONS.items()
        if (name != "restore" or has_prepared) and not (draft.month and column)
    ]


def left_texts(left: tuple[int, int], draft: Draft) -> tuple[str, str]:
    """What is left to assign before and after the changes, and a warning if it is too little."""
    amounts = (to_currency(each) for each in (*left, -left[1]))
    before, after, missing = (in_currency(each, draft.currency, exact=True) for each in amounts)
    text = f"Left to assign from {draft.month[:7]} on: {after}"
    text += "" if before == after else f" (before: {before})"
    return text, f"{missing} more is assigned than there is" if left[1] < 0 else ""


def effect_texts(effects: pd.DataFrame, currency: Currency) -> Iterator[list[str]]:
    """The effects on what is available and left to assign in the last month: before and after."""
    wanted = effects[effects["quantity"].isin(["available", "to_be_budgeted"]).to_numpy(bool)]
    wanted = wanted.drop_duplicates(["quantity", "key"], keep="last")
    for row in wanted.to_dict("records"):
        name = row["name"] if row["quantity"] == "available" else "Ready to Assign"
        name = "a deleted category" if pd.isna(name) else name
        amounts = (in_currency(row[each], currency, exact=True) for each in ("before", "after"))
        yield [visible(f"{name} {row['month']:%Y-%m}"), *amounts]


def number_text(changes: AsyncChanges) -> str:
    """The number of changes, the requests that they need, and what the limit leaves."""
    left = number_of(len(changes.application.operation.left), "change")
    number = f"{left} left" if changes.is_interrupted else number_of(len(changes), "change")
    cost = (text for name, text in cost_of(changes) if name == "cost")
    return ": ".join([number, *cost])
