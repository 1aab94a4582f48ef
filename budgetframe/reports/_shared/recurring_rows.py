"""What recurs among the rows of a ledger, and when the next payment is expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe.frames.money import exact

from .ledger_rows import payee_keys
from .periods import DAY, Span
from .recurring_series import FREQUENCIES, RECENT, Series, find_series

_NAMES = (
    "payee_id", "payee_name", "category_id", "category_name", "category_group_id",
    "category_group_name", "transfer_account_id", "transfer_account_name", "account_id",
)  # fmt: skip


class Recurring(NamedTuple):
    """A series of payments with one payee in one category."""

    names: pd.Series[Any]  # payee, category and account of the last payment
    series: Series
    payments: Any  # the numbers of its payments, as in `payment_parts`
    next_day: Any  # the expected day, datetime64[D]
    has_ended: bool  # whether the payment of that day is too late

    def days(self, span: Span) -> Iterator[pd.Timestamp]:
        """The expected days of a span, which begins today; a late one is today."""
        known, day = self.series.days, self.next_day
        while pd.Timestamp(day) <= span.last:
            yield max(pd.Timestamp(day), span.first)
            known = np.append(known[-RECENT:], day)
            day = FREQUENCIES[self.series.frequency].next_day(known)


def recurring_income(ledger: pd.DataFrame, day: pd.Timestamp) -> list[Recurring]:
    """The series of income in the rows of a ledger up to a day that have not ended by then."""
    last_day = np.datetime64(day, "D")
    parts = payment_parts(ledger, last_day, income=True)
    return [each for each in recurring_payments(parts, last_day) if not each.has_ended]


def income_to_come(
    ledger: pd.DataFrame | None, plan: pd.DataFrame, span: Span
) -> tuple[pd.DataFrame, list[str]]:
    """A schedule for each day of recurring income that no schedule replaces, and the rules."""
    if ledger is None:
        return pd.DataFrame(), [_ONLY_SCHEDULED]
    found = recurring_income(ledger, span.first)
    plan = plan[((plan["amount"] > 0) & plan["date_next"].notna()).to_numpy(bool)]
    names = pd.DataFrame([each.names for each in found], columns=[*_NAMES])
    of_plan, of_income = payee_keys(plan), payee_keys(names)
    payees, rows = [], list[dict[str, Any]]()
    for each, payee in zip(found, of_income, strict=True):
        places = [plan[name] == each.names[name] for name in ("category_id", "account_id")]
        same = plan[(of_plan == payee) | (~of_plan.isin(of_income) & places[0] & places[1])]
        if (same["frequency"] != "never").any():
            continue
        payees.append(str(each.names["payee_name"]))
        once = same["date_next"].clip(lower=span.first)
        tolerance = FREQUENCIES[each.series.frequency].tolerance * DAY
        schedule = {**each.names, "frequency": "never", "transfer_account_id": None}
        schedule["amount"] = int(each.series.amounts[-1]) / MILLIUNITS
        for day in each.days(span):
            if ((once - day).abs() > tolerance).all():
                key = f"income {len(rows)}"
                dates = {"date_first": day, "date_next": day, "scheduled_transaction_id": key}
                rows.append(schedule | dates)
    named = f"Recurring income: {', '.join(payees) or 'none'}."
    return pd.DataFrame(rows), [_AND_INCOME, _INCOME, named]


_MISSING = "without a schedule are missing; typical=6 adds what was typical in 6 months."
_ONLY_SCHEDULED = f"Only what is scheduled counts: a salary or groceries {_MISSING}"
_AND_INCOME = f"What is scheduled counts, and recurring income: groceries {_MISSING}"
_INCOME = (
    "Recurring income counts on its expected days, today if it is late, with its last amount, in"
    " its last account. A schedule of its payee replaces it, or one of its category and account"
    " whose payee has no such income; one that occurs once only replaces the income of those days."
)


def payment_parts(rows: pd.DataFrame, day: np.datetime64 | None, *, income: bool) -> pd.DataFrame:
    """The outflows or the income up to a day, with milliunits, series and number of payment."""
    amount = exact(rows) if income else -exact(rows)
    kept = amount > 0
    if income:
        kept &= (rows["is_income"] & rows["on_budget"]).to_numpy(bool)
    if day is not None:
        kept &= (rows["date"] <= pd.Timestamp(day)).to_numpy(bool)
    names = rows.loc[kept, list(_NAMES)].astype(object)
    names = names.where(names.notna(), None)
    has_none = rows.loc[kept, "is_uncategorized"].to_numpy(bool)
    names["category_id"] = names["category_id"].mask(has_none, None)
    payee = payee_keys(names)
    names["payee_name"] = names["payee_name"].fillna(names["transfer_account_name"])
    names["series"] = list(zip(payee, names["category_id"].fillna(""), strict=True))
    date, key = rows.loc[kept, "date"], rows.loc[kept, "transaction_id"]
    names = names.assign(amount=amount[kept], date=date, transaction_id=key)
    names = names[payee.notna().to_numpy(bool)]
    payment = names.groupby(["series", "transaction_id"], sort=False).ngroup()
    return pd.DataFrame(names.assign(payment=payment))


def recurring_payments(parts: pd.DataFrame, last_day: np.datetime64 | None) -> Iterator[Recurring]:
    """The series of the payments that consist of some parts."""
    sums = parts.assign(amount=parts.groupby("payment")["amount"].transform("sum"))
    payments = sums.drop_duplicates("payment").sort_values("date", kind="stable")
    number = payments.groupby("series", sort=False).ngroup().to_numpy()
    order = np.argsort(number, kind="stable")
    days = payments["date"].to_numpy().astype("datetime64[D]")
    amounts, numbers = payments["amount"].to_numpy("int64"), payments["payment"].to_numpy()
    for at in np.split(order, np.flatnonzero(np.diff(number[order])) + 1):
        for series in find_series(days[at], amounts[at]):
            frequency, own = FREQUENCIES[series.frequency], at[series.rows]
            upcoming = frequency.next_day(series.days)
            has_ended = last_day is not None and last_day > upcoming + frequency.grace * DAY
            names = payments[list(_NAMES)].iloc[own[-1]]
            yield Recurring(names, series, numbers[own], upcoming, bool(has_ended))
