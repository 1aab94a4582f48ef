"""One sentence for each report of the page: what its picture shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.text import number_of
from budgetframe.frames.money import milliunits
from budgetframe.frames.number_text import in_currency, number_text
from budgetframe.reports._shared.report import Report

_Money = Callable[[float], str]
"""Writes amounts in the format of a budget."""

UNCATEGORIZED = "uncategorized"
"""The key in ``attrs`` of the spending without a category that a report leaves out, by period."""


def finding(report: Report) -> str:
    """What a report shows, as a sentence; its name for an unknown type, and if it shows nothing."""
    name = str(report.attrs.get("report", ""))
    is_nothing = report.empty and not any(report.attrs.get(UNCATEGORIZED, ()))
    if is_nothing or name not in _SENTENCES:
        return name.replace("_", " ").capitalize()
    money = partial(in_currency, currency_format=report.attrs.get("currency_format"))
    frame = pd.DataFrame(report)
    frame.attrs = report.attrs  # pandas does not copy them
    return _SENTENCES[name](frame, money)


def _net_worth(frame: pd.DataFrame, money: _Money) -> str:
    first, last = frame.iloc[0], frame.iloc[-1]
    change = _sum([last["net"], -first["net"]])
    now, since = money(last["net"]), _month(first["date"])
    if len(frame) == 1:
        return f"Net worth is {now}."
    if not change:
        return f"Net worth is {now}, the same as at the end of {since}."
    direction = "rose" if change > 0 else "fell"
    return f"Net worth {direction} by {money(abs(change))} to {now} since the end of {since}."


def _income_expense(frame: pd.DataFrame, money: _Money) -> str:
    income, left = _sum(frame["income"]), _sum(frame["net"])
    outcome = f"{money(left)} was left" if left >= 0 else f"{money(-left)} was missing"
    since = f"Since {_month(frame['period'].iloc[0])}" if len(frame) > 1 else "This month"
    rest = _rest(_sum(frame["uncategorized"]), money)
    spent = f"spending was {money(_sum(frame['spent']))}"
    parts = f", {spent}{rest}" if rest else f" and {spent}"
    return f"{since}, income was {money(income)}{parts}: {outcome}."


def _spending(frame: pd.DataFrame, money: _Money) -> str:
    total = money(_sum(frame["spent"]))
    rest = _rest(_sum(frame.attrs.get(UNCATEGORIZED, ())), money)
    largest = frame[frame["spent"] > 0].nlargest(3, "spent")
    if largest.empty:  # there are refunds only
        return f"Spending was {total}{rest}."
    first, *others = (
        f"{_name(row['category_name'])} with {money(row['spent'])}" for _, row in largest.iterrows()
    )
    others_text = f", followed by {' and '.join(others)}" if others else ""
    return f"Spending was {total}{rest}; most was spent on {first}{others_text}."


def _same_period(frame: pd.DataFrame, money: _Money) -> str:
    now, rests = frame.iloc[-1], pd.Series(frame.attrs.get(UNCATEGORIZED, 0.0), frame.index)
    rest = _rest(rests.iloc[-1], money)
    text = f"{_spent(now['spent'], money)} this month up to {now['date']:%d %b}{rest}"
    all_spent = frame["spent"] + rests
    if len(frame) == 1:
        return f"{text}."
    mean = round(float(all_spent.iloc[:-1].mean()), 3)
    difference = _sum([all_spent.iloc[-1], -mean])
    together = ": together" if rest else ","
    if not difference:
        return f"{text}{together} as much as on average by the same day of earlier months."
    more = "more" if difference > 0 else "less"
    amount = money(abs(difference))
    return f"{text}{together} {amount} {more} than on average by the same day of earlier months."


def _budget_vs_actual(frame: pd.DataFrame, money: _Money) -> str:
    spent, assigned = _spent(_sum(frame["spent"]), money), money(_sum(frame["assigned"]))
    rest = _rest(_sum(frame.attrs.get(UNCATEGORIZED, ())), money)
    text = f"This month {assigned} was assigned and {spent}{rest}"
    over = frame[frame["difference"] < 0]
    if over.empty:
        return f"{text}; no category has more spending than was assigned to it."
    most = over.nsmallest(1, "difference").iloc[0]
    count = number_of(len(over), "category", "categories")
    name, amount = _name(most["category_name"]), money(-most["difference"])
    return f"{text}; {count} had more spending than assigned, most of all {name} by {amount}."


def _spent(amount: float, money: _Money) -> str:
    if amount < 0:
        return f"{money(-amount)} more was refunded than spent"
    return f"{money(amount)} was spent"


def _rest(uncategorized: float, money: _Money) -> str:
    """The end of a sentence about spending: what has no category, if there is something."""
    if not uncategorized:
        return ""
    kind = "" if uncategorized > 0 else " of inflow"
    return f", and {money(abs(uncategorized))}{kind} has no category"


def _recurring(frame: pd.DataFrame, money: _Money) -> str:
    largest = frame.nlargest(1, "yearly_cost").iloc[0]
    count = number_of(len(frame), "recurring payment costs", "recurring payments cost")
    total, most = money(_sum(frame["yearly_cost"])), money(largest["yearly_cost"])
    return f"{count} {total} a year, the largest {most} to {_name(largest['payee_name'])}."


def _forecast(frame: pd.DataFrame, money: _Money) -> str:
    is_changing = (frame["change"] != 0) | (frame["typical"] != 0)
    changing = frame.loc[is_changing, "account_id"].unique()
    rows = frame[frame["account_id"].isin(changing)] if len(changing) else frame
    lowest = rows.nsmallest(1, "balance").iloc[0]
    if lowest["balance"] >= 0:  # then the largest fall is the one to know
        balances = rows.groupby("account_id")["balance"]
        falling = (balances.first() - balances.min()).idxmax()
        lowest = rows[rows["account_id"] == falling].nsmallest(1, "balance").iloc[0]
    name, amount = _name(lowest["account_name"]), money(lowest["balance"])
    return (
        f"Until {frame['date'].max():%Y-%m-%d}, the lowest expected balance of {name} is {amount},"
        f" on {lowest['date']:%Y-%m-%d}."
    )


def _runway(frame: pd.DataFrame, _money: _Money) -> str:
    return _days(
        frame.set_index("date")["days"], "The money of the budget accounts lasts {}", frame
    )


def _age_of_money(frame: pd.DataFrame, _money: _Money) -> str:
    return _days(frame.set_index("month")["age_of_money"], "Money is spent after {}", frame)


def _days(days: pd.Series[Any], text: str, frame: pd.DataFrame) -> str:
    """A sentence about the last number of days of a report, and its difference from the first."""
    number = partial(number_text, currency_format=frame.attrs.get("currency_format"))
    known = days.dropna().astype("float64").round()
    if known.empty or pd.isna(days.iloc[-1]):
        return f"{text.format('an unknown number of days')}."
    last, change = known.iloc[-1], known.iloc[-1] - known.iloc[0]
    said = text.format(f"{number(last)} day{'' if last == 1 else 's'}")
    if not change:
        return f"{said}."
    more = "more" if change > 0 else "fewer"
    return f"{said}, {number(abs(change))} {more} than in {_month(known.index[0])}."


def _month(day: Any) -> str:
    return f"{day:%b %Y}"


def _name(name: Any) -> str:
    return "no name" if pd.isna(name) else str(name)


def _sum(amounts: Any) -> float:
    """The sum of the amounts that are known, as a sum of integers."""
    return int(milliunits(pd.Series(amounts, dtype="float64")).sum()) / MILLIUNITS


_SENTENCES: Mapping[str, Callable[[pd.DataFrame, _Money], str]] = {
    "net_worth": _net_worth,
    "income_expense": _income_expense,
    "spending": _spending,
    "same_period": _same_period,
    "budget_vs_actual": _budget_vs_actual,
    "recurring": _recurring,
    "forecast": _forecast,
    "runway": _runway,
    "age_of_money": _age_of_money,
}
