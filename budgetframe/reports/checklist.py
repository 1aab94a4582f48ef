"""What is to do before the figures of a month can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from budgetframe._milliunits import to_currency
from budgetframe._resources import INTERNAL_GROUP
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.builder import NOT_LISTED
from budgetframe.frames.dates import Day, month_near
from budgetframe.frames.display import show_tables
from budgetframe.frames.money import exact
from budgetframe.frames.number_text import in_currency
from budgetframe.frames.reconciliation import Reconciliation, unexplained_differences
from budgetframe.frames.schema import CURRENCY, Column, frame_of_rows

from ._shared.periods import today_of
from .cards import cards
from .duplicates import duplicates

NOT_APPROVED, OVERSPENT = "not approved", "overspent categories"
SHORT, NOT_ASSIGNED = "targets short", "money not assigned"
TOO_MUCH = "assigned more than is there"
STEPS = {
    NOT_APPROVED: "row", "without a category": "row", "probably twice": "row",
    "transfers without the other side": "row", "uncleared": "row", "not reconciled": "account",
    "reconciliation difference": "difference", OVERSPENT: "category categories",
    "cards not covered": "card", SHORT: "target", "scheduled payments overdue": "schedule",
    NOT_ASSIGNED: "amount", TOO_MUCH: "amount",
}  # fmt: skip
"""What the number of each step counts, in the order in which a person does them."""
_REVIEWED = (NOT_APPROVED, "without a category", "probably twice")  # their rows can be edited
CHECKS = len(STEPS) - 1  # of the last two, only one can be there
CHECKLIST = (
    Column("step", "category", "", "what is to do, in this order", vocabulary=tuple(STEPS)),
    Column("count", "int64", "things", "rows, accounts, differences or categories"),
    Column("amount", "float64", CURRENCY, "sum of their amounts", display="always"),
    Column("why", "str", "", "where, since when, and how much"),
    Column("next", "str", "", "the call to run next"),
)
show_tables(CHECKLIST, whole=("step",))
UNAPPROVED = "date <= '{:%Y-%m-%d}' and approved == False"  # up to a day
_MOST_DAYS = 3650
_PAIRS = "reports.duplicates"

_Step = tuple[str, Any, str, str]
"""The step, its amounts in milliunits (one for each thing that counts), the reason, the call."""


def checklist(
    frames: Mapping[str, pd.DataFrame], compared: Reconciliation, month: Day, days: int
) -> pd.DataFrame:
    """The steps with something to do before a month can be trusted."""
    # The frames are those of one export and its ledger, and `compared` is their reconciliation.
    rows, months = frames["transactions"], frames["months"]["month"]
    today = today_of(rows)
    if today is None or not 0 <= days <= _MOST_DAYS:
        raise ToolError(f"days={days}: pass a number of days from 0 to {_MOST_DAYS:,}")
    first = pd.Timestamp(month_near(month, today))
    if not (months == first).any():
        known = f": it has {months.min():%Y-%m} to {months.max():%Y-%m}" if len(months) else ""
        raise ToolError(f"the budget has no month {first:%Y-%m}{known}")
    steps = _Month({**frames, _PAIRS: duplicates(rows)}, compared, first, today, days).steps()
    cells = [
        (step, len(amounts), to_currency(sum(map(int, amounts))), why, call)
        for step, amounts, why, call in sorted(steps, key=lambda each: [*STEPS].index(each[0]))
        if len(amounts)
    ]
    frame = frame_of_rows(CHECKLIST, cells)
    frame.attrs = {key: value for key, value in rows.attrs.items() if key != "version"}
    frame.attrs["month"] = f"{first:%Y-%m}"
    return frame


def sentences_of(frame: pd.DataFrame) -> list[str]:
    """What each row of a checklist says: its count, its amount and the reason."""
    form, found = frame.attrs.get("currency_format"), []
    columns = ("step", "count", "amount", "why")
    for step, number, amount, why in zip(*(frame[name] for name in columns), strict=True):
        counted = number_of(number, *STEPS[step].split())
        found.append(f"{counted}, {in_currency(amount, form, exact=True)}: {why}")
    return found


class _Month(NamedTuple):
    """A month, and what is known of the budget."""

    frames: Mapping[str, pd.DataFrame]
    compared: Reconciliation
    first: pd.Timestamp
    today: pd.Timestamp
    days: int

    @property
    def end(self) -> pd.Timestamp:
        return self.first + pd.offsets.MonthEnd(0)

    def steps(self) -> Iterator[_Step]:
        yield from self.of_rows()
        yield self.not_reconciled()
        is_later = (self.compared["month"] > self.first).to_numpy(bool)
        found = Reconciliation(self.compared[~is_later])
        found.attrs = dict(self.compared.attrs)
        amounts = [max(map(abs, parts)) for _, _, *parts in unexplained_differences(found)]
        yield ("reconciliation difference", amounts, found.summary, "bf.reconcile()")
        yield from self.of_month()
        yield self.uncovered_cards()

    def of_rows(self) -> Iterator[_Step]:
        """The steps with rows that a query selects, which is also in the call."""
        until, day = f"date <= '{self.end:%Y-%m-%d}'", min(self.end, self.today)
        old = f"date < '{day - pd.Timedelta(days=self.days):%Y-%m-%d}'"
        late = f"date_next < '{self.today:%Y-%m-%d}'"
        # A part of a split has its own key beside that of the split: either can be the other side.
        alone = (
            f"{until} and is_transfer and transfer_transaction_id not in transaction_id"
            " and transaction_id not in transfer_transaction_id"
        )
        for step, name, query in (
            (NOT_APPROVED, "transactions", UNAPPROVED.format(self.end)),
            ("without a category", "ledger", f"{until} and is_uncategorized"),
            ("probably twice", _PAIRS, until),
            ("transfers without the other side", "ledger", alone),
            ("uncleared", "transactions", f"{old} and cleared == 'uncleared'"),
            ("scheduled payments overdue", "scheduled_transactions", late),
        ):
            rows = self.frames[name].query(query)
            names = Counter(rows["account_name"].fillna(NOT_LISTED)).most_common()
            where = ", ".join(f"{account} {number:,}" for account, number in names)
            call = f'bf.{name}().query("{query}")'
            call = f"bf.review({call})" if step in _REVIEWED else call
            yield step, exact(rows), where, call

    def not_reconciled(self) -> _Step:
        """The open budget accounts that have cleared rows which are not reconciled."""
        rows, accounts = self.frames["transactions"], self.frames["accounts"]
        until = f"date <= '{min(self.end, self.today):%Y-%m-%d}'"
        amounts, why, names = list[Any](), list[str](), list[str]()
        rows = rows.query(until)
        accounts = accounts[(accounts["on_budget"] & ~accounts["closed"]).to_numpy(bool)]
        for key, name in zip(accounts["account_id"], accounts["account_name"], strict=True):
            own = rows[(rows["account_id"] == key).to_numpy(bool)]
            left, done = (own[own["cleared"] == state] for state in ("cleared", "reconciled"))
            if len(left):
                amounts.append(exact(left).sum())
                since = f"since {done['date'].max():%Y-%m-%d}" if len(done) else "never"
                why, names = [*why, f"{name} {since}"], [*names, name]
        text = f"{', '.join(why)}; bf.statement(account, balance, day) compares the bank's balance"
        query = f"{until} and cleared == 'cleared' and account_name in {names}"
        return "not reconciled", amounts, text, f"bf.transactions().query({query!r})"

    def of_month(self) -> Iterator[_Step]:
        """The categories, the targets and the money of the month."""
        month, plan = f"{self.first:%Y-%m}", self.frames["month_categories"]
        is_own = (plan["month"] == self.first) & (plan["category_group_name"] != INTERNAL_GROUP)
        plan = plan[is_own.to_numpy(bool)]
        # No money can be assigned in a month that has ended.
        since = max(self.first, self.today.replace(day=1))
        planned = f"bf.plan('{since:%Y-%m}')"
        short = (plan["goal_under_funded"] > 0) & ~plan["hidden"] & (since == self.first)
        for step, column, is_meant, call in (
            (OVERSPENT, "balance", plan["balance"] < 0, f"bf.cover({month!r})"),
            (SHORT, "goal_under_funded", short, planned),
        ):
            chosen = plan[is_meant.to_numpy(bool)]
            amounts = exact(chosen, column)
            yield step, amounts, self.listed(chosen["category_name"], amounts), call
        months = self.frames["months"]
        left = exact(months[(months["month"] >= since).to_numpy(bool)], "to_be_budgeted")
        left = np.sort(left)[:1]  # money that a later month uses is assigned
        why = "bf.plan(rules=...) assigns what no target needs"
        yield NOT_ASSIGNED, left[left > 0], why, planned
        call = f"bf.month_categories(since='{since:%Y-%m}').query('balance > 0')"
        yield TOO_MUCH, left[left < 0], "categories must give this money back", call

    def uncovered_cards(self) -> _Step:
        """The cards with an amount that is not covered, and since which row it is not."""
        rows, begin = self.frames["transactions"], self.end
        why, amounts = list[str](), list[Any]()
        report = cards(self.frames["ledger"], self.frames["month_categories"], until=self.end)
        for key, card in report.groupby("account_id", sort=False):
            lacking = exact(card, "unfunded")
            if not lacking[-1]:
                continue
            # The uninterrupted months with an uncovered amount begin after the last covered one.
            at = np.flatnonzero(np.append(0, lacking) == 0)[-1]
            start, available = card["period"].iloc[at], max(exact(card, "available")[at], 0)
            is_own = (rows["account_id"] == key) & (rows["date"] <= start + pd.offsets.MonthEnd(0))
            own = rows[is_own.to_numpy(bool)]
            owed = np.append(0, -np.cumsum(exact(own)))  # before the first row, and after each
            row = own.iloc[[np.flatnonzero(owed <= available)[-1]]]
            payee = self.listed(row["payee_name"].fillna("no payee"), exact(row))
            since = f"{row['date'].iloc[0]:%Y-%m-%d}, {payee}"
            if row["date"].iloc[0] < start:
                since = f"{start:%Y-%m-%d}, when less was available than was owed before"
            why.append(f"{self.listed(card['account_name'].iloc[-1:], lacking[-1:])} since {since}")
            amounts, begin = [*amounts, lacking[-1]], min(begin, start)
        call = f"bf.reports.cards(since='{begin:%Y-%m}', until='{self.end:%Y-%m}')"
        return ("cards not covered", amounts, "; ".join(why), call)

    def listed(self, names: Iterable[str], amounts: Any) -> str:
        form = self.compared.attrs.get("currency_format")
        texts = (in_currency(to_currency(int(amount)), form, exact=True) for amount in amounts)
        return ", ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
