"""The distribution of net worth, savings rate and runway over all budgets, by currency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from budgetframe.errors import ToolError
from budgetframe.frames.number_text import in_currency, number_text, share_text
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.reports._shared.periods import today_of
from budgetframe.reports._shared.report import Report, make_report
from budgetframe.reports._shared.report_types import register
from budgetframe.reports.income_expense import income_expense
from budgetframe.reports.net_worth import net_worth
from budgetframe.reports.plotting.options import PlotOptions
from budgetframe.reports.runway import runway

_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
_MEASURES = ("net_worth", "savings_rate", "runway_days")
_TITLES = ("Net worth", "Savings rate of a year", "Runway in days")
_RULES = (
    "Each value is that of a budget: the given share of the budgets has this value or a lower one.",
    "Net worth: the last row of net_worth.",
    "Savings rate: of the last 12 complete months; a budget without income has none.",
    "Runway: the last row of runway (90 days); a budget without spending has none.",
    "Budgets of different currencies are never put together; without a currency, no net worth.",
)


def figures_of(ledger: pd.DataFrame) -> pd.DataFrame:
    """The figures of one budget, in one row."""
    today = today_of(ledger)
    found = dict.fromkeys(_MEASURES, np.nan)
    if today is not None and len(ledger):
        since = pd.Timestamp(today.year - 1, today.month, 1)
        until = today.replace(day=1) - pd.Timedelta(days=1)
        found["net_worth"] = _last(net_worth(ledger, freq="year")["net"])
        rates = income_expense(ledger, freq="all", since=since, until=until)["savings_rate"]
        found["savings_rate"] = _last(rates)
        found["runway_days"] = _last(runway(ledger, freq="year")["days"])
    return pd.DataFrame(found, index=[0])


def _last(values: Any) -> float:
    return float(values.iloc[-1]) if len(values) else float("nan")


def summary(figures: pd.DataFrame) -> Report:
    """The distribution of figures by currency; `figures` has one row for each budget."""
    rows = []
    for currency, of_currency in figures.groupby("currency", sort=True):
        values = {name: np.sort(of_currency[name].dropna().to_numpy()) for name in _MEASURES}
        if not currency:  # their amounts can be of different currencies
            values["net_worth"] = values["net_worth"][:0]
        for share in _SHARES:
            found = {name: _quantile(known, share) for name, known in values.items()}
            row = {"currency": currency, "share": share, "budgets": len(of_currency)}
            rows.append({**row, **found})
    columns = {column.name: [row[column.name] for row in rows] for column in _COLUMNS}
    return make_report(_SUMMARY, columns, of=[], rules=_RULES)


def _quantile(values: Any, share: float) -> float:
    """The value of a budget that the share has, so that amounts stay exact."""
    return float(np.quantile(values, share, method="inverted_cdf")) if len(values) else np.nan


def _draw(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Any:
    from budgetframe.reports.plotting.canvas import canvas  # noqa: PLC0415 - matplotlib is an extra

    if options.ax is not None:
        raise ToolError("ax=: a summary has three axes for each currency, and cannot draw on one")
    currencies = [*frame["currency"].unique()]
    size = options.figsize or (10.0, 1.0 + 1.3 * len(currencies))
    with canvas(attrs, options._replace(figsize=size)) as prepared:
        figure, theme, kind = prepared.ax.get_figure(), prepared.theme, type(prepared.ax)
        prepared.ax.remove()
        shape = len(currencies), len(_MEASURES)
        axes = figure.subplots(
            *shape, squeeze=False, subplot_kw={"axes_class": kind}, gridspec_kw={"wspace": 0.1}
        )
        for number, currency in enumerate(currencies):
            of_currency = frame[frame["currency"] == currency].set_index("share")
            for measure, ax in zip(_MEASURES, axes[number], strict=True):
                values = of_currency[measure].dropna()
                _draw_one(ax, values, measure, theme)
            count = int(of_currency["budgets"].max())
            label = f"{currency or 'currency unknown'}\n{count:,} budget{'' if count == 1 else 's'}"
            axes[number][0].set_ylabel(
                label, rotation=0, ha="right", va="center", labelpad=8, color=theme.ink
            )
        for title, ax in zip(_TITLES, axes[0], strict=True):
            ax.set_title(title, loc="left", fontsize=10)
        figure.suptitle(
            options.title
            or "All budgets. Bar: middle half; thin line: 10 % to 90 %; upright line: median",
            x=0.01, ha="left", fontsize=12, fontweight="bold",
        )  # fmt: skip
    return axes


def _draw_one(ax: Any, values: pd.Series[float], measure: str, theme: Any) -> None:
    """One distribution: a line from 10 % to 90 %, a bar for the middle half, the median."""
    # Each has a scale of its own: an extreme value in one currency would hide the others.
    ax.set_yticks([])
    ax.set_ylim(-1.0, 1.3)
    ax.grid(visible=True, axis="x", color=theme.rule, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines["bottom"].set_visible(False)
    ax.xaxis.set_major_formatter(lambda value, _: _text(value, measure))
    ax.locator_params(axis="x", nbins=3)
    ax.use_sticky_edges = False  # space also beside a bar
    ax.margins(x=0.05)
    if values.empty:
        ax.set_xticks([])
        ax.text(0.5, 0.4, "none", transform=ax.transAxes, ha="center", color=theme.faint)
        return
    low, first, middle, third, high = (float(values.loc[share]) for share in _SHARES)
    ax.plot([low, high], [0, 0], color=theme.faint, linewidth=1.5, zorder=2)
    ax.barh([0], [third - first], left=first, height=0.8, color=theme.series[0], zorder=3)
    ax.plot([middle, middle], [-0.6, 0.6], color=theme.ink, linewidth=2, zorder=4)
    ax.annotate(
        _text(middle, measure),
        (middle, 0.62),
        ha="center", va="bottom", fontsize="small", color=theme.ink,
    )  # fmt: skip


def _text(value: float, measure: str) -> str:
    if measure == "savings_rate":
        return share_text(value)
    return in_currency(value, whole=True) if measure == "net_worth" else number_text(value)


_COLUMNS = (
    Column("currency", "str", "", "ISO code of the currency"),
    Column("share", "float64", "share", "part of the budgets that have this value or a lower one"),
    Column("budgets", "Int64", "", "number of budgets in this currency"),
    Column("net_worth", "float64", CURRENCY, "assets plus debts"),
    Column("savings_rate", "float64", "share", "part of the income of a year that was not spent"),
    Column("runway_days", "float64", "days", "days that the money of the budget accounts lasts"),
)
_SUMMARY = register(
    summary, _COLUMNS, _draw, no_rows="it has the figures of many budgets; use lake.report()"
)
