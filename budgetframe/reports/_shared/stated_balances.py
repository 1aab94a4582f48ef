"""The accounts whose balance, as the service states it, is not the sum of their rows."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import printable
from budgetframe.frames.loan_terms import LOAN_TYPES
from budgetframe.frames.tables import LEDGER

from .loan_rule import LoanHistory, difference_rule, loan_rules, state_day
from .periods import Span
from .sums import summed

ACCOUNT = tuple(
    column
    for column in LEDGER
    if column.name in ("account_id", "account_name", "account_type", "on_budget")
)
"""The columns of a ledger that describe an account."""

_MAX_NAMED = 5  # accounts in a warning


def stated_differences(ledger: pd.DataFrame, *, interest: bool) -> pd.DataFrame:
    """The accounts of a ledger whose balance is not the sum of their rows.

    They have the columns `ACCOUNT`, and ``unexplained`` in milliunits: the service's balance minus
    the sum of the rows. Loans with rows are not among them; `loan_histories` has their
    differences. Without `interest`, loans without rows are not among them either. An account is
    left out if the ledger lacks rows of it.
    """
    stated = ledger.attrs.get("differences", [])
    known = {}
    if stated:  # the sums of a large ledger are not free
        sums = summed(pd.DataFrame(ledger), ["account_id"])
        known = dict(zip(sums["account_id"], sums["amount"].tolist(), strict=True))
    if len(ledger) >= ledger.attrs.get("rows", 0):  # accounts without rows are complete, too
        known = {each["account_id"]: 0 for each in stated} | known
    kept = [
        each
        for each in stated
        if known.get(each["account_id"]) == each["rows_total"]
        and (interest or each["account_type"] not in LOAN_TYPES)
    ]
    frame = pd.DataFrame(
        {column.name: column.array([each[column.name] for each in kept]) for column in ACCOUNT}
    )
    amounts = [each["balance"] - each["rows_total"] for each in kept]
    return frame.assign(unexplained=pd.array(amounts, dtype="int64"))


def balance_rules(
    loans: Sequence[LoanHistory],
    differences: pd.DataFrame,
    ledger: pd.DataFrame,
    span: Span | None,
    *,
    interest: bool,
) -> list[str]:
    """The rules of a report of balances about loans, stated differences, and its days."""
    if span is None:
        return []
    return [
        *loan_rules(loans, ledger, span.last, interest=interest),
        *_difference_rules(differences, ledger, span.last),
        span.rule,
    ]


def _difference_rules(
    differences: pd.DataFrame, ledger: pd.DataFrame, last: pd.Timestamp
) -> list[str]:
    """The rules about accounts whose balance is not the sum of their rows.

    A `RuntimeWarning` names the accounts and the amounts. A report whose last day is before the
    last state of the ledger does not contain the differences.
    """
    if differences.empty or last < state_day(ledger):
        return []
    rules = [
        difference_rule(name, amount, "sum of its rows", ledger)
        for name, amount in zip(
            differences["account_name"], differences["unexplained"].tolist(), strict=True
        )
    ]
    named = rules[:_MAX_NAMED]
    if len(rules) > _MAX_NAMED:
        named.append(f"The same holds for {len(rules) - _MAX_NAMED:,} more accounts.")
    advice = "bf.reconcile() reads all figures at the same time and compares them."
    defer_warning(RuntimeWarning(printable(" ".join([*named, advice]))))
    return rules
