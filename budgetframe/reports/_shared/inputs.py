"""The frames that each report takes, in the order of its parameters.

The parameter has the name of the frame, or ``listed_accounts`` and ``listed_categories`` where
``accounts`` and ``categories`` are filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Input(NamedTuple):
    """A frame that a report takes: the result of a method of `BudgetFrame`."""

    frame: str  # the name of the method
    needed_with: str = ""  # the report takes it only if this option is not None; empty: always
    options: tuple[str, ...] = ()  # the options of the report that are also options of the method


_LEDGER = (Input("ledger"),)

INPUTS: Mapping[str, tuple[Input, ...]] = {
    "net_worth": _LEDGER,
    "balances": _LEDGER,
    "income_expense": _LEDGER,
    "spending": _LEDGER,
    "budget_vs_actual": (Input("month_categories"),),
    "same_period": _LEDGER,
    "runway": _LEDGER,
    "recurring": _LEDGER,
    "suggestions": _LEDGER,
    "payees": _LEDGER,
    "duplicates": (Input("transactions"),),
    "age_of_money": (Input("months"),),
    "money_flow": (Input("money_movements", options=("month",)), Input("categories")),
    "cards": (Input("ledger"), Input("month_categories")),
    "targets": (Input("categories"), Input("months")),
    "income_sankey": _LEDGER,
    "loans": _LEDGER,
    "investments": _LEDGER,
    "forecast": (
        Input("scheduled_transactions"),
        Input("scheduled_subtransactions"),
        Input("accounts"),
        Input("ledger", needed_with="typical"),
    ),
}


def inputs_of(report: str, options: Mapping[str, object]) -> list[Input | None]:
    """The frames that a report takes with these options; None where it takes none."""
    return [
        each if not each.needed_with or options.get(each.needed_with) is not None else None
        for each in INPUTS[report]
    ]
