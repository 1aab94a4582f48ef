"""Credit cards by month: spending, payments, and whether what is owed is covered."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import CARD_GROUP
from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import printable
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day
from budgetframe.frames.internal_categories import income_rows, uncategorized_rows
from budgetframe.frames.ledger import positions_of
from budgetframe.frames.loan_terms import CARD_TYPES
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import LEDGER

from ._shared.arguments import report_function
from ._shared.ledger_rows import IS_COMPLETE, PERIOD
from ._shared.periods import (
    DAY,
    Span,
    complete_periods,
    first_days,
    period_numbers,
    require_full_history,
    span_of,
)
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import AccountFilters, row_filter
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sums import grid, required_frame

_ACCOUNT = tuple(column for column in LEDGER if column.name in {"account_name", "account_id"})
_LEDGER_COLUMNS = (
    "date", "amount", "account_id", "account_name", "account_type", "category_id", "is_transfer",
    "transfer_on_budget", "is_spending", "is_uncategorized",
)  # fmt: skip
_MONTH_COLUMNS = ("month", "category_group_name", "category_name", "balance", "category_id")


@report_function
def cards(
    ledger: pd.DataFrame | ArrowTable,
    month_categories: pd.DataFrame | ArrowTable,
    *,
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Each credit card and month: what was spent and paid, what is owed, and what covers it.

    The function takes ``bf.ledger()`` and ``bf.month_categories()``; the other parameters and the
    columns are those of `bf.reports.cards`.

    The ledger must be complete: without its first rows, the balances would be wrong.
    """
    ledger = required_frame(ledger, _LEDGER_COLUMNS, "ledger")
    month_categories = required_frame(month_categories, _MONTH_COLUMNS, "month_categories")
    require_full_history(ledger)
    span = _whole_months(ledger, since, until)
    # Without attrs, which pandas copies with each selection of rows.
    rows = pd.DataFrame(numbered(ledger)[[*_LEDGER_COLUMNS]])
    rows = rows[rows["account_type"].isin(CARD_TYPES).to_numpy(bool)]
    plan = pd.DataFrame(month_categories[[*_MONTH_COLUMNS]])
    kept = row_filter([rows], filters)
    listed = kept.rows(rows)[[column.name for column in _ACCOUNT]]
    listed = listed[~listed["account_id"].duplicated(keep="last")]
    listed = listed.sort_values(["account_name", "account_id"], ignore_index=True)
    values: dict[str, Any] = {}
    behind: dict[str, Any] = {}
    if span is not None:
        starts, ends = span.starts("month"), span.ends("month")
        before = starts[0] - DAY  # the rows before the first month are the opening balance
        month = first_days(rows["date"], "month", span)
        card = positions_of(listed, "account_id", rows["account_id"])
        counts = (card >= 0) & (rows["date"] <= span.last).to_numpy(bool)
        counted = rows[["date", "amount"]].assign(
            label=len(_KINDS) * card + _kinds(rows), period=np.maximum(month, before)
        )[counts]
        table = grid(counted, len(listed) * len(_KINDS), np.append(before, starts))
        table = table.reshape(len(listed), len(_KINDS), len(starts) + 1)
        # A card has rows from the month of its first transaction on.
        first = np.full(len(listed), ends[-1])
        np.minimum.at(first, card[counts], month[counts])
        cards_of, periods = np.nonzero(first[:, None] <= starts[None, :])
        order = np.lexsort((cards_of, periods))
        at = cards_of[order], periods[order]
        balance = np.cumsum(table.sum(axis=1), axis=1)[:, 1:][at]
        available = _available(listed, plan, starts)[at]
        owed = np.maximum(-balance, 0)
        unfunded = np.maximum(owed - np.maximum(available, 0), 0)
        of_kinds = [currency(table[:, kind, 1:][at] * sign) for kind, sign in enumerate(_SIGNS)]
        values = {
            "period": starts[at[1]],
            **{column.name: listed[column.name].take(at[0]) for column in _ACCOUNT},
            **dict(zip(_KINDS, of_kinds, strict=True)),
            "balance": currency(balance),
            "available": available / MILLIUNITS,
            "unfunded": np.where(owed > 0, unfunded, 0) / MILLIUNITS,
            "overspent": currency(_overspent(rows, listed, plan, starts)[at]),
            "is_complete": complete_periods(span, "month", ledger, since)[at[1]],
        }
        rows_of = CountedRows(counted, counted["label"])
        days = {"first": starts[at[1]], "last": ends[at[1]]}
        own = len(_KINDS) * at[0]
        behind = {name: rows_of.behind(own + kind, **days) for kind, name in enumerate(_KINDS)}
        labels = own[:, None] + np.arange(len(_KINDS))
        behind["balance"] = rows_of.behind(labels, last=days["last"])
    return make_report(
        _CARDS, values, of=[ledger, month_categories], freq="month", filters=kept.given or None,
        rows=RowSource(ledger, ("account_id", "period"), behind),
        rules=[*_RULES, *kept.rules, "" if span is None else span.rule],
    )  # fmt: skip


_KINDS = ("spent", "refunded", "paid", "other")
_SIGNS = (-1, 1, 1, 1)
_RULES = (
    "Each account of the types credit card and line of credit is a card.",
    "Spent: outflows that are spending or have no category, and transfers to tracking accounts.",
    "Refunded: inflows of the same kind. Paid: transfers from and to other budget accounts.",
    "Other: starting balances, and rows in a category of income.",
    "Balance = the balance of the month before - spent + refunded + paid + other.",
    ("Available is the service's own figure of the category of payments, which has the name of"
     " the card."),
    "Unfunded: what is owed and not available.",
    ("Overspent: what a category lacks at the end of the month, as far as it was spent on cards"
     " in that month. Of several cards, that with the smaller key comes first, because the"
     " service does not say which."),
    "A category that was deleted has no row, and is not overspent.",
)  # fmt: skip


def _whole_months(ledger: pd.DataFrame, since: Day | None, until: Day | None) -> Span | None:
    """The months that a report covers, of which only the running one can be incomplete."""
    known, span = (span_of(ledger, "date", *days) for days in ((None, None), (since, until)))
    if span is None or known is None:
        return None
    return Span(span.first.replace(day=1), min(span.whole_months.last, known.last))


def _kinds(rows: pd.DataFrame) -> Any:
    """The position in `_KINDS` of each row of a card."""
    is_payment = rows["is_transfer"] & rows["transfer_on_budget"].fillna(value=False).astype(bool)
    is_spending = rows["is_spending"] | rows["is_uncategorized"]
    is_inflow = (rows["amount"] > 0).to_numpy(bool)
    kinds = np.where(is_spending.to_numpy(bool), np.where(is_inflow, 1, 0), 3)
    return np.where(is_payment.to_numpy(bool), 2, kinds)


def _available(listed: pd.DataFrame, plan: pd.DataFrame, starts: Any) -> Any:
    """What the category of payments of each card has at the end of each month, in milliunits."""
    payments = plan[(plan["category_group_name"] == CARD_GROUP).to_numpy(bool)]
    names, cards = payments.drop_duplicates("category_id")["category_name"], listed["account_name"]
    unclear = {*names[names.duplicated()], *cards[cards.duplicated()]}
    found = np.full((len(listed), len(starts)), np.nan)
    missing = []
    for card, name in enumerate(cards):
        of_card = payments[(payments["category_name"] == name).to_numpy(bool)]
        if name in unclear or of_card.empty:
            missing.append(repr(name))
            continue
        amounts = dict(zip(of_card["month"].to_numpy(), exact(of_card, "balance"), strict=True))
        found[card] = [amounts.get(start, np.nan) for start in starts]
    if missing:
        listing = ", ".join(dict.fromkeys(missing))
        message = (
            f"cards: there is not exactly one category of payments with the name {listing} in the"
            f" group {CARD_GROUP!r}: available and unfunded are missing. Give each card a name of"
            " its own, and its category the same name"
        )
        defer_warning(printable(message))
    return found


def _overspent(rows: pd.DataFrame, listed: pd.DataFrame, plan: pd.DataFrame, starts: Any) -> Any:
    """The part of each month's overspending that is on each card, in milliunits."""
    found = np.zeros((len(listed), len(starts)), dtype="int64")
    is_of_card = plan["category_group_name"] == CARD_GROUP
    plan = plan[((plan["balance"] < 0) & ~is_of_card).to_numpy(bool)]
    plan = plan[~income_rows(plan)]
    none, has_none = plan["category_id"][uncategorized_rows(plan)], rows["is_uncategorized"]
    plan = plan[plan["month"].isin(starts).to_numpy(bool)]
    own = positions_of(plan, "category_id", plan["category_id"])
    category = positions_of(plan, "category_id", rows["category_id"])
    if len(none):
        category[has_none.to_numpy(bool)] = positions_of(plan, "category_id", none.iloc[:1])

    def numbers(days: pd.Series[Any], categories: Any) -> Any:
        """One number for each month and category."""
        return period_numbers(days.to_numpy(), "month") * len(plan) + categories

    lacking = pd.DataFrame({"number": numbers(plan["month"], own)})
    at = positions_of(lacking, "number", numbers(rows["date"], category))
    counts = (rows["is_spending"] | has_none).to_numpy(bool) & (category >= 0) & (at >= 0)
    account, accounts = pd.factorize(rows["account_id"], sort=True, use_na_sentinel=False)
    sums = np.zeros((len(accounts), len(plan)), dtype="int64")
    np.add.at(sums, (account[counts], at[counts]), exact(rows)[counts])
    spent = np.maximum(-sums, 0)
    left = np.minimum(-exact(plan, "balance"), np.maximum(-sums.sum(axis=0), 0))
    before = np.cumsum(spent, axis=0) - spent  # on the cards with smaller keys
    uncovered = np.clip(left - before, 0, spent)
    card = positions_of(listed, "account_id", accounts)
    period = np.searchsorted(starts, plan["month"].to_numpy())
    np.add.at(found, np.ix_(card[card >= 0], period), uncovered[card >= 0])
    return found


def _draw_cards(frame: pd.DataFrame, canvas: Canvas) -> Any:
    owed = np.maximum(-exact(frame, "balance"), 0) / MILLIUNITS
    # What is not known to be covered counts as not covered.
    unfunded = frame["unfunded"].fillna(pd.Series(owed, frame.index))
    by_period = frame.assign(owed=owed, unfunded=unfunded).groupby("period")
    table = by_period[["owed", "unfunded"]].sum()
    is_complete = by_period["is_complete"].first()
    owed, rest = table["owed"], table["unfunded"]
    table = pd.DataFrame({"owed, covered": owed - rest, "owed, not covered": rest})
    colours = [canvas.theme.plus, canvas.theme.minus]
    if canvas.is_line:
        canvas.period_lines(table, colours, is_complete)
    else:
        canvas.bars(table, colours, stacked=True, is_complete=is_complete)
    names = frame["account_name"].drop_duplicates()
    what = f"Owed on {canvas.name(names.iloc[0])}" if len(names) == 1 else "Owed on cards"
    return canvas.title(canvas.heading(what, frame))


_COLUMNS = (
    PERIOD,
    *_ACCOUNT,
    Column("spent", "float64", CURRENCY, "spent on the card in the month, without refunds"),
    Column("refunded", "float64", CURRENCY, "refunds in the month"),
    Column("paid", "float64", CURRENCY, "paid to the card in the month"),
    Column("other", "float64", CURRENCY, "starting balance and income", display="unless zero"),
    Column("balance", "float64", CURRENCY, "at the end of the month; negative: owed"),
    Column("available", "float64", CURRENCY, "in the category of its payments"),
    Column("unfunded", "float64", CURRENCY, "owed and not available"),
    Column("overspent", "float64", CURRENCY, "overspent on the card in the month"),
    IS_COMPLETE,
)
_CARDS = register(
    cards, _COLUMNS, on_canvas(_draw_cards), main="balance", kinds=("line",), has_wide=True,
    groups=("account_name", "account_id"),
)  # fmt: skip
