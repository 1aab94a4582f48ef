"""A ledger by hand, row by row, and reports as plain values."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from budgetframe import reports
from budgetframe.frames import TABLES, ledger, milliunits
from budgetframe.reports._shared.inputs import INPUTS
from budgetframe.reports._shared.report_types import registered_types
from tests.frames.columns import Json
from tests.frames.household import account, category, transaction

AS_OF = "2026-06-17"
"""The default day on which ledgers were read."""

OF_LEDGER: list[Callable[..., reports.Report]] = [
    getattr(reports, name)
    for name, taken in INPUTS.items()
    if [each.frame for each in taken] == ["ledger"]
]
"""The reports that take the ledger and no other frame."""
REPORT_TYPES = tuple(registered_types())

ACCOUNTS = (
    account("checking", "Checking", "checking", 0.0), account("savings", "Savings", "savings", 0.0),
    account("old", "Old", "savings", 0.0, closed=True), account("visa", "Visa", "creditCard", 0.0),
    account("fund", "Fund", "otherAsset", 0.0, on_budget=False),
    account("loan", "Car Loan", "autoLoan", 0.0, on_budget=False),
)  # fmt: skip
CATEGORIES = (
    ("Internal Master Category", "ready", "Inflow: Ready to Assign"),
    ("Internal Master Category", "none", "Uncategorized"), ("Daily", "food", "Food"),
    ("Daily", "fun", "Fun"), ("Office", "office food", "Food"), ("Home", "rent", "Rent"),
    ("Later", "invest", "Investing"),
)  # fmt: skip
PAYEES = (("market", "Market"), ("cafe", "Café"), ("start", "Starting Balance"))


def row(
    day: str, amount: float, category_id: str | None = None, at: str = "checking", **more: Any
) -> Json:
    """A transaction of an account; an outflow is negative."""
    return transaction("", day, at, amount, category_id=category_id, **more)


def began(day: str, account_id: str, amount: float) -> Json:
    """A starting balance."""
    return row(day, amount, "ready", account_id, payee_id="start")


def moved(
    day: str, amount: float, origin: str, target: str, category_id: str | None = None
) -> tuple[Json, Json]:
    """Both sides of a transfer; the side in the budget account has the category."""
    out = row(day, -amount, category_id, origin, transfer_account_id=target)
    into = row(day, amount, category_id, target, transfer_account_id=origin)
    (into if origin in {"fund", "loan"} else out)["category_id"] = category_id
    (out if origin in {"fund", "loan"} else into)["category_id"] = None
    return out, into


def split(day: str, amount: float, *parts: Json, **more: Any) -> Json:
    """A split transaction; `part` builds the parts."""
    return row(day, amount, subtransactions=parts, **more)


def ledger_frame(
    *rows: Json, as_of: str | None = AS_OF, accounts: tuple[Json, ...] = ACCOUNTS,
    categories: tuple[tuple[str, str, str], ...] = CATEGORIES, differences: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """The ledger of some rows, with the flags that `BudgetFrame.ledger` would set.

    It states the differences from the balances of the accounts only if the caller asks for them.
    The ledger of the same rows is built once; the caller gets a copy.
    """
    key = repr((rows, as_of, accounts, categories, differences))
    if key not in _LEDGERS:
        built = _build_ledger(rows, as_of, _listed(accounts, categories))
        if not differences:
            built.attrs.pop("differences", None)
        _LEDGERS[key] = built
    return _LEDGERS[key].copy()


_LEDGERS: dict[str, pd.DataFrame] = {}
_LISTED: dict[str, tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]] = {}


def _listed(
    accounts: tuple[Json, ...], categories: tuple[tuple[str, str, str], ...]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The frames of accounts, categories and payees, built once."""
    key = repr((accounts, categories))
    if key not in _LISTED:
        groups = [
            {
                "id": group, "name": group, "hidden": False,
                "categories": [category(category_id, group, name, 0)],
            }
            for group, category_id, name in categories
        ]  # fmt: skip
        payees = [{"id": payee_id, "name": name} for payee_id, name in PAYEES]
        _LISTED[key] = (
            TABLES["accounts"].frame({"accounts": list(accounts)}),
            TABLES["categories"].frame({"category_groups": groups}),
            TABLES["payees"].frame({"payees": payees}),
        )
    return _LISTED[key]


def _build_ledger(
    rows: tuple[Json, ...], as_of: str | None,
    listed: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame],
) -> pd.DataFrame:  # fmt: skip
    keyed = [{**each, "id": f"t{number:03}"} for number, each in enumerate(rows)]
    answer = {"transactions": [{**each, "subtransactions": _parts(each)} for each in keyed]}
    transactions, subtransactions = (
        TABLES[name].frame(answer) for name in ("transactions", "subtransactions")
    )
    built = ledger(transactions, subtransactions, *listed)
    attrs = {
        "as_of": as_of and f"{as_of}T12:00:00+00:00", "source": "GET /somewhere", "budget": "Home",
        "currency_format": {"iso_code": "EUR"},
    }  # fmt: skip
    built.attrs |= {name: value for name, value in attrs.items() if value}
    if terms := recorded_terms(built):
        built.attrs["loans"] = terms
    return built


def recorded_terms(ledger: pd.DataFrame) -> list[Json]:
    """The terms of the loan in a ledger, if its rows record all interest: none is calculated."""
    of_loan = ledger[(ledger["account_id"] == "loan").to_numpy(bool)]
    if of_loan.empty:
        return []
    total = int(milliunits(of_loan["amount"]).sum())
    return [loan_terms(total, interest_rates={}, rows_total=total)]


def loan_terms(balance: int, **more: Any) -> Json:
    """The terms of the loan at 3 %, as a connection states them."""
    return (
        {"account_id": "loan", "account_name": "Car Loan", "balance": balance}
        | {"interest_rates": {"2025-01-01": 3000}, "escrow_amounts": {}, "minimum_payments": {}}
        | more
    )


def _parts(whole: Json) -> list[Json]:
    return [{**each, "transaction_id": whole["id"]} for each in whole["subtransactions"]]


def values(report: pd.DataFrame, name: str) -> list[Any]:
    """A column as plain values: days as texts, missing values as None."""
    return [_plain(value) for value in report[name].astype(object)]


def lines(report: pd.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    """The rows of some columns as plain values."""
    return list(zip(*(values(report, name) for name in names), strict=True))


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    return f"{value:%Y-%m-%d}" if isinstance(value, pd.Timestamp) else value
