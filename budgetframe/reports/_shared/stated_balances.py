"""The balances of accounts, also of those whose stated balance is not the sum of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day
from budgetframe.frames.ledger import positions_of
from budgetframe.frames.loan_terms import LOAN_TYPES
from budgetframe.frames.money import currency
from budgetframe.frames.schema import Column
from budgetframe.frames.tables import LEDGER

from .exchange_rates import ExchangeRates
from .loan_rule import (
    ESCROW,
    INTEREST,
    UNEXPLAINED,
    LoanHistory,
    cost_rows,
    difference_rule,
    loan_histories,
    loan_rules,
    state_day,
)
from .periods import DAY, CalendarFreq, Span, first_days, require_full_history, span_of
from .row_filters import AccountFilters, RowFilter, check_mapping, row_filter
from .sums import grid, required_frame, summed

_OF_ACCOUNT = ("account_id", "account_name", "account_type", "on_budget")
ACCOUNT = tuple(column for column in LEDGER if column.name in _OF_ACCOUNT)
"""The columns of a ledger that describe an account."""

_ACCOUNT = [column.name for column in ACCOUNT]
_LOAN_COLUMNS = (INTEREST.name, ESCROW.name, UNEXPLAINED.name)
_LEDGER_COLUMNS = ("date", "amount", *_ACCOUNT)
STATE_DATE = Column("date", "datetime64[us]", "", "day that the row describes, at its end")
"""The date column of a report whose rows state balances."""

_CONVERTED_RULE = (
    "{0}: its rows are in {1}. What they add up to at the end of a period is converted to {2} with"
    " the last rate on or before that day, and rounded to a thousandth; rows() shows the {1}."
)
_MAX_NAMED = 5  # accounts in a warning


class AccountBalances(NamedTuple):
    """The balances of the accounts that count at the ends of periods, in milliunits."""

    kept: RowFilter
    starts: Any  # the first day of each period
    ends: Any  # the last day of each period
    accounts: pd.DataFrame  # sorted by name
    table: Any  # the balances, shape (accounts, periods)
    opening: Any  # the balance of each account before the first period
    loans: Mapping[str, Any]  # the loan columns, as `table`; the balances contain them
    rules: list[str]  # about loans, differences from the service's balances, and the days


def account_balances(
    whole: pd.DataFrame,
    freq: CalendarFreq,
    filters: AccountFilters,
    since: Day | None,
    until: Day | None,
    *,
    interest: bool,
    currencies: Mapping[str, str] | None = None,
    rates: Any = None,
) -> AccountBalances:
    """Calculate the balance of each account of a ledger at the end of each period."""
    required_frame(whole, _LEDGER_COLUMNS, "ledger")
    require_full_history(whole)
    span = span_of(whole, "date", since, until)
    stated = stated_differences(whole, interest=interest)
    kept = row_filter([whole, stated], filters)
    ledger, differences = kept.rows(whole), kept.rows(stated)
    loans = loan_histories(ledger, interest=interest)
    listed = _listed_accounts(ledger, differences)
    if span is None:
        days = np.zeros(0, dtype="datetime64[us]")
        table = np.zeros((0, 0), dtype="int64")
        costs = dict.fromkeys(_LOAN_COLUMNS, table)
        listed = listed.iloc[:0]
        return AccountBalances(kept, days, days, listed, table, table.sum(axis=1), costs, [])
    starts = span.starts(freq)
    # All rows before the first period go into one extra period: their sum is the opening balance.
    before = starts[0] - DAY

    def changes(rows: pd.DataFrame) -> Any:
        is_before_end = (rows["date"] <= span.last).to_numpy(bool)
        rows = rows if is_before_end.all() else rows[is_before_end]
        label = positions_of(listed, "account_id", rows["account_id"])
        period = np.maximum(first_days(rows["date"], freq, span), before)
        rows = rows[["amount"]].assign(label=label, period=period)
        return grid(rows, len(listed), np.append(before, starts))

    table = changes(pd.DataFrame(ledger)[["account_id", "date", "amount"]])
    rows = cost_rows(loans, differences, ledger)
    amounts = {name: currency(rows[name].to_numpy()) for name in _LOAN_COLUMNS}
    costs = {name: changes(rows.assign(amount=amounts[name])) for name in _LOAN_COLUMNS}
    sums = np.cumsum(table - costs["interest"] - costs["escrow"] + costs["unexplained"], axis=1)
    rules = balance_rules(loans, differences, whole, span, interest=interest)
    if currencies is not None:
        codes = check_mapping("currencies", currencies, whole, ["accounts"], [stated])
        of_tables = [day.date() for day in pd.to_datetime([before, *span.ends(freq)])]
        tables = [sums, *costs.values()]
        rules += _convert(listed, codes, _rates_of(whole, rates), of_tables, tables)
    in_periods = {name: amounts[:, 1:] for name, amounts in costs.items()}
    ends, table, opening = span.ends(freq), sums[:, 1:], sums[:, 0]
    return AccountBalances(kept, starts, ends, listed, table, opening, in_periods, rules)


def _rates_of(ledger: pd.DataFrame, rates: Any) -> ExchangeRates:
    """The rates to the currency of the budget."""
    code = (ledger.attrs.get("currency_format") or {}).get("iso_code")
    if not code:
        advice = "set ledger.attrs['currency_format'] = {'iso_code': 'EUR'}"
        raise ToolError(f"currencies: the ledger does not state the budget's currency; {advice}")
    return ExchangeRates(rates, code)


def _convert(
    listed: pd.DataFrame,
    currencies: Mapping[str, str],
    rates: ExchangeRates,
    days: Sequence[date],
    tables: Sequence[Any],
) -> list[str]:
    """Convert the amounts of accounts in another currency in place, and return the rules."""
    rules = []
    for at, (key, name) in enumerate(listed[["account_id", "account_name"]].to_numpy()):
        code = currencies.get(key, currencies.get(name, rates.target))
        if code == rates.target:
            continue
        used = set[date]()
        for table in tables:
            places = np.flatnonzero(table[at]).tolist()  # zero needs no rate
            own = [days[place] for place in places]
            table[at, places] = rates.converted(table[at, places].tolist(), code, own)
            used |= {*own}
        rules += [_CONVERTED_RULE.format(name, code, rates.target), rates.rule(code, used)]
    return rules


def _listed_accounts(ledger: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """The accounts with rows in a ledger, and those with a stated difference, by name."""
    accounts = pd.DataFrame(ledger).loc[~ledger["account_id"].duplicated(keep="last"), _ACCOUNT]
    is_other = ~differences["account_id"].isin(accounts["account_id"]).to_numpy(bool)
    if is_other.any():  # accounts without rows
        accounts = pd.concat([accounts, differences.loc[is_other, _ACCOUNT]])
    return accounts.sort_values(["account_name", "account_id"], ignore_index=True)


def with_steps(table: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    """Split a day with an unexplained difference in two rows: without it and with it."""
    # The line of a picture then rises or falls vertically on this day.
    stepped = (steps != 0).any(axis=1).to_numpy(bool)
    if not stepped.any():
        return table
    return pd.concat([(table - steps)[stepped], table]).sort_index(kind="stable")


def stated_differences(ledger: pd.DataFrame, *, interest: bool) -> pd.DataFrame:
    """The accounts of a ledger whose balance is not the sum of their rows."""
    # They have the columns `ACCOUNT`, and ``unexplained`` in milliunits: the service's balance
    # minus the sum of the rows. Loans with rows are not among them (see `loan_histories`), nor
    # other loans without `interest`, nor an account of which the ledger lacks rows.
    stated = ledger.attrs.get("differences", [])
    known = {}
    if stated:  # the sums of a large ledger are not free
        sums = summed(pd.DataFrame(ledger), ["account_id"])
        known = dict(zip(sums["account_id"], sums["amount"].tolist(), strict=True))
    if len(ledger) >= ledger.attrs.get("rows", 0):  # accounts without rows are complete, too
        known = {each["account_id"]: 0 for each in stated} | known
    whole = [each for each in stated if known.get(each["account_id"]) == each["rows_total"]]
    kept = [each for each in whole if interest or each["account_type"] not in LOAN_TYPES]
    accounts = {each.name: each.array([row[each.name] for row in kept]) for each in ACCOUNT}
    frame = pd.DataFrame(accounts)
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
    rules = loan_rules(loans, ledger, span.last, interest=interest)
    return [*rules, *_difference_rules(differences, ledger, span.last), span.rule]


def _difference_rules(
    differences: pd.DataFrame, ledger: pd.DataFrame, last: pd.Timestamp
) -> list[str]:
    """The rules about accounts whose balance is not the sum of their rows."""
    # A `RuntimeWarning` names the accounts and the amounts. A report whose last day is before the
    # last state of the ledger does not contain the differences.
    if differences.empty or last < state_day(ledger):
        return []
    names, amounts = differences["account_name"], differences["unexplained"].tolist()
    of_accounts = zip(names, amounts, strict=True)
    rules = [difference_rule(*each, "sum of its rows", ledger) for each in of_accounts]
    named = rules[:_MAX_NAMED]
    if len(rules) > _MAX_NAMED:
        named.append(f"The same holds for {len(rules) - _MAX_NAMED:,} more accounts.")
    advice = "bf.reconcile() reads all figures at the same time and compares them."
    defer_warning(printable(" ".join([*named, advice])))
    return rules
