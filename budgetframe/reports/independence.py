"""When investments pay for the spending, year by year, with everything that is assumed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MAX_EXACT, MILLIUNITS, to_milliunits
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.loan_terms import LOAN_TYPES
from budgetframe.frames.money import exact, rounded
from budgetframe.frames.number_text import number_text, share_text
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.ledger_rows import LEDGER_COLUMNS, spending_rows
from ._shared.periods import DAY, Span, complete_periods, last_days, span_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.row_filters import AccountFilters
from ._shared.row_source import CountedRows, RowSource, numbered
from ._shared.sentences import amount_text
from ._shared.stated_balances import AccountBalances, account_balances
from ._shared.sums import required_frame
from ._shared.yearly_return import LARGEST, yearly_returns

_YEARS = range(61)
_MORE = 11  # years that are shown from the one in which it is reached
_MONTHS = 12
_ROOM = 1.15  # of a picture, as a multiple of its largest value: the band can be far higher
_COUNTED = {
    "spending": "rows in budget accounts with a category or without one, and transfers to tracking"
    " accounts, but not to those that count here",
    "contribution": "transfers in both directions, without starting balances",
}


@report_function
def independence(
    ledger: pd.DataFrame | ArrowTable,
    spending: float | None = None,
    *,
    withdrawal: float = 0.04,
    return_: float = 0.05,
    contribution: float | None = None,
    inflation: float = 0,
    **filters: Unpack[AccountFilters],
) -> Report:
    """When the invested money pays for the spending: its value and what is needed, by year.

    The function takes ``bf.ledger()``, which must be complete; the other parameters and the columns
    are those of `bf.reports.independence`.
    """
    ledger = numbered(required_frame(ledger, LEDGER_COLUMNS, "ledger"))
    is_chosen = filters.get("accounts") is not None
    is_other = ledger["on_budget"] | ledger["account_type"].isin(LOAN_TYPES)
    held = ledger[is_chosen | ~is_other.to_numpy(bool)]
    span = span_of(ledger, "date", None, None, to_today=True)
    until = None if span is None else span.last
    found = account_balances(held, "year", filters, None, until, interest=True)
    held, spent = found.kept.rows(held), ledger.iloc[:0]
    values: dict[str, Any] = {}
    rules: list[str] = []
    if span is not None and len(found.ends):
        held = held[span.holds(held["date"])]
        months = span.starts("month")[complete_periods(span, "month", ledger, None)][-_MONTHS:]
        is_inside = ledger["is_transfer"] & ledger["transfer_account_id"].isin(held["account_id"])
        spent = spending_rows(ledger[~is_inside.to_numpy(bool)], "to_tracking", uncategorized=True)
        paid = held[held["is_transfer"].to_numpy(bool)]
        need, spent, of_spending = _yearly("spending", spending, spent, months, ledger)
        added, _, of_contribution = _yearly("contribution", contribution, paid, months, ledger)
        returns = _own_returns(held, found)
        has_band = len(returns) > 1 and not held["on_budget"].any()  # wages are no return
        ordered = sorted(returns, key=returns.__getitem__) if has_band else []
        band = [(name, ordered[at]) for name, at in (("low", 0), ("high", -1)) if ordered]
        rates = {"value": return_} | {name: returns[year] for name, year in band}
        value = int(found.table[:, -1].sum())
        values = _columns(value, added, need, rates, (inflation, withdrawal))
        values["date"] = [span.last + pd.DateOffset(years=n) for n in range(len(values["value"]))]
        form = ledger.attrs.get("currency_format")
        shares = [number_text(100 * each, 2, form) for each in (return_, inflation, withdrawal)]
        rules = [
            f"Independence is {_reached(values, values['is_reached'])}.",
            *(f"{name.capitalize()}: with your return of {year}, {share_text(returns[year], form)},"
              f" it is {_reached(values, values[name] >= values['needed'])}."
              for name, year in band),
            _OWN_RULE if band else _NO_BAND_RULE,
            of_spending, of_contribution, _YEAR_RULE.format(*shares),
        ]  # fmt: skip
    for name in _AMOUNTS.keys() & values.keys():
        is_exact = np.abs(values[name]) <= MAX_EXACT / MILLIUNITS
        values[name] = np.where(is_exact, values[name], np.nan)
    labels = -np.sign(np.arange(len(values.get("date", ()))))  # the rows belong to the first year
    counted = {
        name: CountedRows(rows, np.zeros(len(rows), dtype="int64")).behind(labels)
        for name, rows in {"value": held, "spending": spent}.items()
    }
    every = "" if is_chosen else "Every tracking account counts whose type is not that of a loan."
    return make_report(
        _INDEPENDENCE, values, of=[ledger], freq="year", filters=found.kept.given or None,
        rows=RowSource(ledger, ("date",), counted),
        rules=[*found.kept.rules, every, *rules, *found.rules],
    )  # fmt: skip


_OWN_RULE, _NO_BAND_RULE, _YEAR_RULE = (
    ("Your returns: the lowest and the highest of complete calendar years, money-weighted, of all"
     " these accounts together."),
    ("Low and high are missing: they need two complete calendar years with a return of at most"
     f" {LARGEST:,.0%}, and only tracking accounts."),
    ("Each year: a return of {}% on the value, then the contribution, which stays the same; the"
     " spending rises by {}%. Needed: spending / {}%. No taxes count. Figures are rounded at the"
     " end; those that are too large to be exact are missing."),
)  # fmt: skip


def _yearly(
    name: str, given: float | None, rows: pd.DataFrame, months: Any, ledger: pd.DataFrame
) -> tuple[int, pd.DataFrame, str]:
    """A yearly amount in milliunits, the rows behind it, and the rule about it."""
    rule = "as given"
    if given is not None:
        amount, rows = to_milliunits(given), rows.iloc[:0]
    elif not len(months):
        raise ToolError(f"{name}: the ledger has no complete month that shows it; pass {name}=")
    else:
        span = Span(pd.Timestamp(months[0]), pd.Timestamp(last_days(months[-1:], "month")[0]))
        rows = rows[span.holds(rows["date"])]
        total = int(exact(rows).sum()) * (-1 if name == "spending" else 1)
        when = f"from {' to '.join(span.days)}"
        if name == "spending" and total <= 0:
            raise ToolError(f"spending: there was none {when}; pass spending=")
        amount = rounded(Fraction(total * _MONTHS, len(months)))
        rule = f"{_COUNTED[name]}, {when}"
        if len(months) < _MONTHS:
            rule += f", times {_MONTHS}/{len(months)}"
    return amount, rows, f"{name.capitalize()}: {amount_text(amount, ledger)} a year, {rule}."


def _own_returns(held: pd.DataFrame, found: AccountBalances) -> dict[int, float]:
    """The money-weighted return of all accounts together in each complete calendar year."""
    days, amounts, values = held["date"].to_numpy(), exact(held), found.table.sum(axis=0)
    is_paid = (held["is_transfer"] | held["is_starting_balance"]).to_numpy(bool)
    returns = {}
    for at, end in enumerate(found.ends):
        begin, opening = found.starts[at] - DAY, values[at - 1] if at else 0
        counts = is_paid & (days > begin) & (days <= end)
        paid = np.append(begin, days[counts]), np.append(opening, amounts[counts])
        (rate,) = yearly_returns(*paid, np.array([end]), values[at : at + 1])
        is_complete = days.min(initial=end) <= found.starts[at] and pd.Timestamp(end).is_year_end
        if is_complete and opening >= 0 and not np.isnan(rate):
            returns[pd.Timestamp(end).year] = float(rate)
    return returns


def _columns(
    value: int, added: int, need: int, rates: Mapping[str, float], shares: tuple[float, float]
) -> dict[str, Any]:
    """The columns of the report; the shares count as their decimal texts state them."""
    inflation, withdrawal = (Fraction(str(share)) for share in shares)
    years: dict[str, Any] = {}
    for name, rate in rates.items():
        grown = np.array([(1 + Fraction(str(rate))) ** number for number in _YEARS])
        years[name] = value * grown + added * (np.cumsum(grown) - grown)
    years["spending"] = np.array([need * (1 + inflation) ** number for number in _YEARS])
    years["needed"] = years["spending"] / withdrawal
    found = {name: np.array([*map(rounded, years[name])], dtype=object) for name in years}
    found["contributed"] = added * np.sign(_YEARS)
    found["gain"] = np.diff(found["value"], prepend=value) - found["contributed"]
    columns = {name: (found[name] / MILLIUNITS).astype("float64") for name in found}
    columns = dict.fromkeys(("low", "high"), np.full(len(_YEARS), np.nan)) | columns
    columns["is_reached"] = columns["value"] >= columns["needed"]
    count = [*columns["is_reached"], True].index(True) + _MORE
    return {name: column[:count] for name, column in columns.items()}


def _reached(frame: Any, is_reached: Any) -> str:
    """In which year a column is what is needed."""
    days = [*frame["date"]]
    first = [f"reached in {day:%Y}" for day, is_so in zip(days, is_reached, strict=True) if is_so]
    return [*first, f"not reached by {days[-1]:%Y}"][0]


def _draw_independence(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table, theme = frame.set_index("date"), canvas.theme
    canvas.lines(table[["value", "needed"]], [theme.plus, theme.minus])
    if table["low"].notna().any():
        canvas.fill(table["low"], table["high"], theme.plus, step=None)
        canvas.shading("with your lowest and highest return")
    top: Any = table[["value", "needed"]].max(axis=None)
    canvas.ax.set_ylim(top=None if pd.isna(top) else top * _ROOM)
    end = f": {_reached(frame, frame['is_reached'])}"
    for day, value in table.loc[table["is_reached"], "value"].head(1).items():
        canvas.mark(day, value, "", theme.ink)
        end += f", {canvas.amount(value)}"
    return canvas.title(f"{canvas.heading('Independence', frame, time='', end=end)}{end}")


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    spent, when = money(frame["spending"].iloc[0]), _reached(frame, frame["is_reached"])
    return f"Independence with a spending of {spent} a year is {when}."


_AMOUNTS = {
    "value": "of all accounts that count",
    "contributed": "paid in at the end of the year",
    "gain": "return of the year",
    "spending": "of a year, at the prices of the day",
    "needed": "spending divided by the withdrawal",
    "low": "value with your lowest return; missing: unknown",
    "high": "value with your highest return; missing: unknown",
}
_REPORT_COLUMNS = (
    Column("date", "datetime64[us]", "", "today, and the same day of each later year"),
    *(Column(name, "float64", CURRENCY, meaning) for name, meaning in _AMOUNTS.items()),
    Column("is_reached", "bool", "", "whether the value is at least what is needed"),
)
_INDEPENDENCE = register(
    independence, _REPORT_COLUMNS, on_canvas(_draw_independence), main="value", sentence=_sentence,
    kinds=("line",),
)  # fmt: skip
