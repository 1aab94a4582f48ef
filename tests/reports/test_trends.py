"""Lines and trends of reports over time: values, texts, and arguments that do not fit."""

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from budgetframe import ToolError, reports
from tests.reports.plans import EURO, report_of
from tests.reports.rows import REPORT_TYPES, began, ledger_frame, row
from tests.reports.test_age_of_money import months
from tests.reports.test_pictures import labels, legend, rendered

WITH_TRENDS = [each.name for each in REPORT_TYPES if "trend" in each.kinds]
WITH_LINES = [each.name for each in REPORT_TYPES if "line" in each.kinds]


def food(*amounts: float, as_of: str = "2026-04-10", **more: Any) -> reports.Report:
    """Spending on food from January on, by month, if it was read in April."""
    rows = [row(f"2026-{month:02}-02", -each, "food") for month, each in enumerate(amounts, 1)]
    found = reports.spending(ledger_frame(*rows, as_of=as_of), freq="month", **more)
    found.attrs["currency_format"] = EURO
    return found


def line(ax: Axes, start: str) -> Line2D:
    """The line whose text in the legend has this start."""
    (found,) = (each for each in ax.lines if str(each.get_label()).startswith(start))
    return found


def heights(drawn: Line2D) -> list[float | None]:
    values = np.asarray(drawn.get_ydata(), dtype=float)
    return [None if np.isnan(value) else round(float(value), 6) for value in values]


# Values


@pytest.mark.parametrize(("trend", "label", "expected", "name"), [
    ("linear", "trend", [5.0, 30.0, 55.0], "trend: +25,00 € per month"),  # of least squares
    (2, "mean", [None, 15.0, 40.0], "mean of 2 months"),  # a period and those before it
])  # fmt: skip
def test_a_trend_is_that_of_the_complete_periods(
    trend: Any, label: str, expected: list[float | None], name: str
) -> None:
    ax = rendered(food(10.0, 20.0, 60.0, 999.0).plot(trend=trend))
    assert heights(line(ax, label)) == expected
    assert legend(ax) == [name, "Food"]


def test_a_trend_goes_through_the_middles_of_the_periods() -> None:
    days = line(food(10.0, 20.0, 60.0).plot(trend="linear"), "trend").get_xdata()
    assert list(np.asarray(days)) == [20469.5, 20499.0, 20528.5]  # of January, February, March


def test_months_that_the_user_removed_leave_a_gap() -> None:
    found = food(10.0, 20.0, 60.0, 70.0, as_of="2026-04-30")
    found = found[found["period"] != "2026-02-01"]
    # Months 0, 2 and 3 with 10, 60 and 70: the slope is 290 / 14.
    assert legend(found.plot(trend="linear"))[0] == "trend: +20,71 € per month"
    assert heights(line(found.plot(trend=2), "mean")) == [None, None, 65.0]


def test_the_slope_is_per_period_of_the_report(subtests: pytest.Subtests) -> None:
    ledger = ledger_frame(
        row("2024-03-01", -30.0, "food"), row("2025-03-01", -24.0, "food"),
        row("2026-03-01", -1.0, "food"),
    )  # fmt: skip
    cases: list[tuple[reports.Report, str]] = [
        (reports.spending(ledger, freq="year"), "trend: -6.00 per year"),
        # Nine complete quarters from Q1 2024: 30 in number 0, 24 in number 4, 1 in number 8.
        (reports.spending(ledger, freq="quarter"), "trend: -1.93 per quarter"),
        (reports.same_period(ledger, every="year", today="2026-03-31"), "trend: -14.50 per year"),
    ]
    for found, text in cases:
        with subtests.test(text=text):
            assert text in legend(rendered(found.plot(trend="linear")))


def test_stacked_groups_have_the_trend_of_their_sum_and_each_line_has_its_own() -> None:
    rows = (
        row("2026-01-01", -1.0, "food"), row("2026-01-01", -2.0, "rent"),
        row("2026-02-01", -9.0, "food"),
    )  # fmt: skip
    found = reports.spending(ledger_frame(*rows, as_of="2026-02-28"), freq="month")
    assert heights(line(found.plot(trend="linear"), "trend")) == [3.0, 9.0]
    ax = rendered(found.plot(kind="line", trend="linear"))
    assert legend(ax) == [
        "Food", "Rent", "Food, trend: +8.00 per month", "Rent, trend: -2.00 per month",
    ]  # fmt: skip
    assert heights(line(ax, "Rent, trend")) == [2.0, 0.0]


def test_income_and_spending_have_a_trend_each(subtests: pytest.Subtests) -> None:
    ledger = ledger_frame(
        row("2026-01-01", 10.0, "ready"), row("2026-02-01", 11.0, "ready"),
        row("2026-02-01", -4.0, "food"), as_of="2026-02-28",
    )  # fmt: skip
    texts = ["income, trend: +1.00 per month", "spent, trend: +4.00 per month"]
    for kind in (None, "line"):
        with subtests.test(kind=kind):
            found = legend(rendered(reports.income_expense(ledger).plot(kind=kind, trend="linear")))
            assert [text for text in found if "trend" in text] == texts


def test_the_state_in_the_middle_of_a_month_is_not_part_of_a_trend() -> None:
    ledger = ledger_frame(
        began("2026-01-01", "checking", 100.0), row("2026-02-10", 5.0, "ready"),
        row("2026-03-02", 1000.0, "ready"), as_of="2026-03-17",
    )  # fmt: skip
    drawn = line(rendered(reports.balances(ledger).plot(trend="linear")), "trend")
    assert heights(drawn) == [100.0, 105.0]
    assert list(np.asarray(drawn.get_xdata())) == [20484.0, 20512.0]  # ends of two months


def test_a_trend_over_the_bars_of_net_worth_goes_through_their_middles() -> None:
    ledger = ledger_frame(
        began("2026-01-01", "checking", 100.0), row("2026-02-10", 5.0, "ready"), as_of="2026-02-28"
    )
    drawn = line(reports.net_worth(ledger).plot(trend="linear"), "trend")
    assert list(np.asarray(drawn.get_xdata())) == [20469.5, 20499.0]
    drawn = line(reports.net_worth(ledger).plot(kind="line", trend="linear"), "trend")
    assert list(np.asarray(drawn.get_xdata())) == [20484.0, 20512.0]


@pytest.mark.parametrize(
    ("as_of", "expected"), [("2026-03-30", [30.0, 40.0]), ("2026-03-31", [31.0, 38.0, 45.0])]
)
def test_a_trend_of_the_age_of_money_has_complete_months(as_of: str, expected: list[float]) -> None:
    found = reports.age_of_money(months(as_of, jan=30, feb=40, mar=44))
    assert heights(line(found.plot(trend="linear"), "trend")) == expected


def test_a_trend_of_days_has_its_unit() -> None:
    ax = rendered(report_of("age_of_money").plot(trend="linear"))
    assert legend(ax) == ["days", "trend: +4,0 days per month"]


# Lines


def test_a_line_of_an_incomplete_period_is_dashed() -> None:
    ax = rendered(food(10.0, 20.0, 60.0, 7.0).plot(kind="line"))
    whole, dashed = (each for each in ax.lines if len(np.asarray(each.get_xdata())) == 4)
    assert heights(whole) == [10.0, 20.0, 60.0, None]
    assert heights(dashed) == [None, None, 60.0, 7.0]
    assert (whole.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
    assert labels(ax, "x") == ["Jan\n2026", "Feb\n2026", "Mar\n2026", "Apr\n2026\nso far"]


@pytest.mark.parametrize("name", WITH_LINES)
def test_every_report_over_time_can_be_drawn_as_lines_and_with_a_trend(name: str) -> None:
    found = report_of(name)
    if name == "spending":
        found = food(1.0, 2.0)
    ax = found.plot(kind="line")
    assert len(ax.lines) > 0
    assert len(ax.containers) == 0
    if name in WITH_TRENDS:
        for kind, trend in ((None, "linear"), ("line", 2)):
            texts = legend(found.plot(kind=kind, trend=trend))
            assert [text for text in texts if "trend: " in text or "mean of" in text]
    plt.close("all")


# Arguments that do not fit


@pytest.mark.parametrize("trend", ["lin", 1, 0, -3, True, 2.5, "3 months"])
def test_an_invalid_trend_raises_an_error(trend: Any) -> None:
    with pytest.raises(ToolError, match="must be 'linear', or the number of per"):
        food(1.0, 2.0).plot(trend=trend)


@pytest.mark.parametrize(("name", "arguments", "text"), [
    ("recurring", {"kind": "line"}, f"are {', '.join(WITH_LINES)}$"),
    ("money_flow", {"trend": 3}, f"are {', '.join(WITH_TRENDS)}$"),
    ("loans", {"trend": "linear"}, f"are {', '.join(WITH_TRENDS)}$"),
    ("income_sankey", {"kind": "line"}, "kind='line': the plot of income_sankey cannot"),
])  # fmt: skip
def test_reports_without_time_name_others(name: str, arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ToolError, match=text):
        report_of(name).plot(**arguments)


def test_too_few_periods_raise_an_error_before_anything_is_drawn(subtests: pytest.Subtests) -> None:
    rows = (row("2026-01-01", -1.0, "food", memo="#a"), row("2026-02-01", -1.0, "food", memo="#b"))
    by_tag = reports.spending(ledger_frame(*rows), "hashtag", freq="month")
    by_group = reports.same_period(ledger_frame(*rows, row("2026-02-01", -1.0, "rent")), "category")
    cases: list[tuple[reports.Report, dict[str, Any], str]] = [
        (report_of("spending"), {"kind": "line"}, "2 periods, and the report spending has 1; f"),
        (report_of("spending"), {"trend": "linear"}, "freq='month' gives one row for each month"),
        (food(1.0).iloc[:1], {"trend": 2}, "the report spending has 1$"),
        (food(1.0, 2.0), {"trend": 4}, "at least 4 complete periods with a value.* has 3$"),
        (food(1.0, 2.0, as_of="2026-02-03"), {"trend": "linear"}, "at least 2 complete .* has 1$"),
        (by_tag, {"trend": 2}, "a row with two hashtags counts for both"),
        (by_group, {"trend": 2}, "the bars of several groups have no axis of time"),
    ]
    for found, arguments, text in cases:
        with subtests.test(text=text):
            _, ax = plt.subplots()
            with pytest.raises(ToolError, match=text):
                found.plot(ax=ax, **arguments)
            assert not ax.has_data()


@pytest.mark.parametrize("arguments", [{"kind": "bar"}, {"x": "period", "y": "spent"}])
def test_a_plot_of_pandas_has_no_trend(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="that pandas draws has no trend"):
        food(1.0, 2.0).plot(trend=2, **arguments)


def test_other_kinds_are_plots_of_pandas() -> None:
    ax = food(3.0, 2.0).plot(kind="bar", x="period", y="spent")
    assert [patch.get_height() for patch in ax.patches] == [3.0, 2.0, 0.0, 0.0]
    assert len(food(3.0, 2.0).plot(kind="line", x="period", y="spent").lines) == 1
    assert len(food(3.0, 2.0)[["spent"]].plot(kind="line").lines) == 1
