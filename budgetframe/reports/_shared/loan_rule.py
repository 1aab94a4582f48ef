"""The rule for loans: the interest and escrow that are part of a balance but of no transaction.

The service adds both to the amount owed when a payment occurs. All arithmetic uses integers:
milliunits, and rates in thousandths of a per cent a year.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import printable
from budgetframe.frames.loan_terms import LOAN_TYPES, TERMS
from budgetframe.frames.money import decimals_of, exact
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.schema import CURRENCY, Column

from .periods import today_of

_LOAN_RULE = (
    "Loans: in each month with a payment, on the day of its first payment, the debt increases by"
    " interest on the amount owed, at one twelfth of the yearly rate and rounded to the smallest"
    " unit of the currency, and by the escrow amount of the month."
)
_ROWS_RULE = (
    "Loans: the balance is the sum of the rows, without the interest and escrow that no row"
    " records."
)
_LEFT = "service's balances minus calculated ones, on the last day"

_amount = partial(Column, dtype="float64", unit=CURRENCY, display="unless zero")
INTEREST = _amount("interest", meaning="interest of loans that no row records")
ESCROW = _amount("escrow", meaning="escrow of loans that no row records")
UNEXPLAINED = _amount("unexplained", meaning=_LEFT)
LOAN_COLUMNS = (INTEREST, ESCROW, UNEXPLAINED)

_RATE_UNITS = 12 * 100 * 1000  # months in a year, and thousandths of a per cent in 1
_COLUMNS_OF_LOANS = (
    "account_id", "account_name", "account_type", "date", "amount", "debt_transaction_type",
    "is_starting_balance",
)  # fmt: skip
"""The columns of a ledger that the rule needs; the last ones and the type may be missing."""
_NO_PAYMENTS = frozenset(
    {"balanceAdjustment", "refund", "credit", "interest", "escrow", "fee", "charge"}
)


class LoanRow(NamedTuple):
    """A row of a loan account."""

    day: str  # for example ``"2026-06-17"``
    amount: int  # milliunits; a payment is positive
    kind: str | None = None  # the kind of loan transaction that the service states
    is_start: bool = False  # whether it is the starting balance


class Costs(NamedTuple):
    """Interest and escrow that a day adds to the amount owed, in milliunits."""

    day: str
    interest: int
    escrow: int
    excess: int = 0  # what the payments of the day exceed the debt, if they end with it


class LoanHistory(NamedTuple):
    """A loan account with its rows and its calculated costs."""

    terms: Mapping[str, Any]  # the entry of the loan in ``attrs["loans"]``
    rows: list[LoanRow]
    costs: list[Costs]  # what the rule adds to the rows, by day
    unexplained: int  # service's balance - rows + costs; zero if rows of the account are missing
    # It is False if the frame lacks rows of an account whose rows do not record all interest.
    is_compared: bool = True
    has_terms: bool = True  # without them there are no costs, and `terms` has only key and name

    @property
    def account_id(self) -> str:
        """Key of the account."""
        return str(self.terms["account_id"])


def is_payment(row: LoanRow) -> bool:
    """Whether a row is a payment: positive, and not of a kind that is something else."""
    return row.amount > 0 and not row.is_start and row.kind not in _NO_PAYMENTS


def loan_costs(
    rows: Iterable[LoanRow],
    terms: Mapping[str, Any],
    *,
    unit: int = 10,
    opening: int = 0,
    known_months: Collection[str] = (),
    ends: bool = False,
) -> list[Costs]:
    """Calculate the interest and escrow that the rows of a loan do not record."""
    # Both are due in each month with a payment, on the day of the first payment of the month.
    # Interest is one twelfth of the yearly rate on the amount owed before that payment; a loan that
    # owes nothing bears none. A month with rows of the kind ``interest`` has no calculated
    # interest, and a month with rows of the kind ``escrow`` has no calculated escrow. Interest is
    # rounded to the `unit`, the smallest amount of the currency in milliunits, halves up. The rows
    # can have any order; `opening` is the balance before the first of them, and a debt is negative.
    # `known_months` are months such as ``"2026-06"`` whose costs it already contains. With `ends`,
    # the payments end with the debt: what exceeds it is ``excess``, and is not paid.
    ordered = sorted(rows, key=lambda row: row.day)
    recorded = {(row.kind, row.day[:7]) for row in ordered}
    balance, done, found = opening, {*known_months}, []
    for day, rows_of_day in groupby(ordered, key=lambda row: row.day):
        paid, month = 0, day[:7]
        for row in rows_of_day:  # a row that is not a payment comes before the payments of its day
            if is_payment(row):
                paid += row.amount
            else:
                balance += row.amount
        interest = escrow = excess = 0
        if ends and balance >= 0:
            paid, excess = 0, paid
        if paid and month not in done:
            done.add(month)
            if ("interest", month) not in recorded:
                rate = value_in(month, terms["interest_rates"])
                interest = monthly_interest(-balance, rate, unit)
            if ("escrow", month) not in recorded:
                escrow = value_in(month, terms["escrow_amounts"])
        balance += paid - interest - escrow
        if ends and paid and balance > 0:
            balance, excess = 0, balance
        if interest or escrow or excess:
            found.append(Costs(day, interest, escrow, excess))
    return found


def monthly_interest(owed: int, rate: int, unit: int) -> int:
    """One month's interest on an amount owed, rounded to a unit, halves up."""
    if owed <= 0:
        return 0
    return (2 * owed * rate + _RATE_UNITS * unit) // (2 * _RATE_UNITS * unit) * unit


def value_in(month: str, values: Mapping[str, int]) -> int:
    """The value of the last key that is not after a month; zero before the first key."""
    keys = [key for key in values if key[:7] <= month]
    return int(values[max(keys)]) if keys else 0


def smallest_unit(frame: pd.DataFrame) -> int:
    """The smallest amount of the currency of a frame, in milliunits."""
    return int(MILLIUNITS // 10 ** decimals_of(frame.attrs.get("currency_format")))


def loan_histories(ledger: pd.DataFrame, *, interest: bool = True) -> list[LoanHistory]:
    """The loans that have rows in a ledger: those with terms in ``attrs["loans"]`` first."""
    # Without `interest`, no loan has costs or an unexplained difference. With it, a
    # `RuntimeWarning` names the loan accounts whose terms are missing.
    found = []
    unit = smallest_unit(ledger)
    stated = ledger.attrs.get("loans", ())
    # An ordinary frame with few columns, because its rows are selected for each loan.
    columns = [name for name in _COLUMNS_OF_LOANS if name in ledger]
    rows_of_all = pd.DataFrame(ledger)[columns]
    for terms in stated:
        of_loan = rows_of_all[(rows_of_all["account_id"] == terms["account_id"]).to_numpy(bool)]
        if of_loan.empty:
            continue
        rows = loan_rows(of_loan)
        total = sum(row.amount for row in rows)
        complete = terms.get("rows_total", total)
        # Rows that add up to the balance record all interest themselves.
        is_recorded = complete == terms["balance"] or not interest
        costs = [] if is_recorded else loan_costs(rows, terms, unit=unit)
        is_compared = total == complete or is_recorded
        unexplained = 0
        if is_compared and not is_recorded:
            unexplained = terms["balance"] - total + sum(cost[1] + cost[2] for cost in costs)
        found.append(LoanHistory(terms, rows, costs, unexplained, is_compared=is_compared))
    unknown = [*_without_terms(rows_of_all, {terms["account_id"] for terms in stated})]
    if unknown and interest:
        warn_of_missing_terms(_no_terms_rule(unknown))
    return found + unknown


def _without_terms(ledger: pd.DataFrame, known: Collection[str]) -> Iterator[LoanHistory]:
    """The loan accounts with rows whose terms are unknown."""
    if "account_type" not in ledger:  # rows that are not a whole ledger
        return
    is_of_loan = ledger["account_type"].isin(LOAN_TYPES).to_numpy(bool)
    rows = ledger[is_of_loan]
    rows = rows[~rows["account_id"].isin([*known]).to_numpy(bool)]
    if rows.empty:
        return
    names = rows.drop_duplicates("account_id", keep="last")
    names = names.sort_values(["account_name", "account_id"])
    for key, name in zip(names["account_id"], names["account_name"], strict=True):
        terms = {"account_id": key, "account_name": name, **{each: {} for each in TERMS}}
        of_loan = loan_rows(rows[(rows["account_id"] == key).to_numpy(bool)])
        yield LoanHistory(terms, of_loan, [], 0, has_terms=False)


def warn_of_missing_terms(rule: str) -> None:
    """Warn that the terms of loans are missing, with the rule that a report follows instead."""
    defer_warning(
        f'{printable(rule)} The terms are in attrs["loans"] of bf.ledger() and bf.accounts();'
        " pd.concat, CSV and DuckDB lose them: set the attrs of the new frame"
    )


def _no_terms_rule(unknown: Sequence[LoanHistory]) -> str:
    names = ", ".join(str(loan.terms["account_name"]) for loan in unknown)
    if len(unknown) == 1:
        return f"Loans: the frame has no terms of {names}, so its balance is the sum of its rows."
    problem = f"Loans: the frame has no terms of {names}"
    return f"{problem}, so their balances are the sums of their rows."


def loan_rows(rows: pd.DataFrame) -> list[LoanRow]:
    """The rows of a ledger as rows of a loan; columns with unknown kinds may be missing."""
    count = len(rows)
    kinds = [None] * count
    if "debt_transaction_type" in rows:
        given = rows["debt_transaction_type"].astype(object)
        kinds = given.where(given.notna(), None).tolist()
    is_start = [False] * count
    if "is_starting_balance" in rows:
        is_start = rows["is_starting_balance"].tolist()
    days = rows["date"].to_numpy().astype("datetime64[D]").astype(str).tolist()
    return [*map(LoanRow, days, exact(rows).tolist(), kinds, is_start)]


def state_day(ledger: pd.DataFrame) -> pd.Timestamp:
    """The day of the last state of a ledger: when it was read, or its last row if that is later."""
    newest: pd.Timestamp = ledger["date"].max()
    return max(newest, today_of(ledger) or newest)


def cost_rows(
    histories: Iterable[LoanHistory], differences: pd.DataFrame, ledger: pd.DataFrame
) -> pd.DataFrame:
    """The costs of loans and the unexplained differences, one row per account and day."""
    # The rows have the columns ``account_id``, ``date``, and ``interest``, ``escrow`` and
    # ``unexplained`` in milliunits. `differences` are the rows of `stated_differences`; the
    # unexplained differences belong to the last state of the ledger.
    unexplained = zip(differences["account_id"], differences["unexplained"].tolist(), strict=True)
    found: list[tuple[str, pd.Timestamp, int, int, int]] = [
        (key, state_day(ledger), 0, 0, amount) for key, amount in unexplained
    ]
    for loan in histories:
        for day, interest, escrow, _ in loan.costs:
            found.append((loan.account_id, pd.Timestamp(day), interest, escrow, 0))
        if loan.unexplained:
            found.append((loan.account_id, state_day(ledger), 0, 0, loan.unexplained))
    amounts = [column.name for column in LOAN_COLUMNS]
    rows = pd.DataFrame(found, columns=["account_id", "date", *amounts])
    return rows.astype({"date": "datetime64[us]"} | dict.fromkeys(amounts, "int64"))


def loan_rules(
    histories: Iterable[LoanHistory], ledger: pd.DataFrame, last: pd.Timestamp, *, interest: bool
) -> list[str]:
    """The rules of a report, which ends on the day `last`, about the loans in it, as sentences."""
    known = [*histories]
    if not known:
        return []
    if not interest:
        return [_ROWS_RULE]
    rules = []
    is_end = last >= state_day(ledger)
    if any(loan.costs or loan.unexplained for loan in known):
        rules.append(_LOAN_RULE)
    for loan in known:
        if is_end and loan.unexplained:
            name = loan.terms["account_name"]
            rules.append(difference_rule(name, loan.unexplained, "calculated one", ledger))
        if is_end and not loan.is_compared:
            rules.append(
                f"{loan.terms['account_name']}: the frame lacks rows of the account, so its balance"
                " is not compared with the service's."
            )
    unknown = [loan for loan in known if not loan.has_terms]
    return [*rules, _no_terms_rule(unknown)] if unknown else rules


def difference_rule(name: str, milliunits: int, other: str, ledger: pd.DataFrame) -> str:
    """The rule about an account whose balance, as the service states it, is not the other one."""
    amount = in_currency(milliunits / MILLIUNITS, ledger.attrs.get("currency_format"))
    rule = "The balance of the last day contains the difference."
    return f"{name}: the service's balance differs by {amount} from the {other}. {rule}"
