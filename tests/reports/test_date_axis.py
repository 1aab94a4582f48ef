"""The axis of days: places of bars, labels, and what a user draws on top."""

from datetime import date
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from budgetframe.reports import (
    Report,
    budget_vs_actual,
    income_expense,
    net_worth,
    same_period,
    spending,
)
from tests.reports.plans import cell, household, in_month, plan, report_of
from tests.reports.rows import began, ledger_frame, row
from tests.reports.test_pictures import labels, rendered

# Days of matplotlib are counted from 1970-01-01.
MARCH, MAY, JUNE = 20513.0, 20574.0, 20605.0


def bars(ax: Axes) -> list[tuple[float, float]]:
    """Where each vertical bar begins, and its width, in days."""
    found = [(patch.get_x(), patch.get_width()) for patch in ax.patches]  # type: ignore[attr-defined]
    return [(round(float(start), 6), round(float(width), 6)) for start, width in found]


def spring() -> pd.DataFrame:
    """Income and spending in March, April and the first 17 days of June."""
    return ledger_frame(
        began("2026-03-01", "checking", 50.0), row("2026-03-02", 9.0, "ready"),
        row("2026-04-02", -4.0, "food"), row("2026-06-02", -5.0, "food"),
    )  # fmt: skip


def test_a_bar_covers_the_middle_of_its_period(subtests: pytest.Subtests) -> None:
    monthly = spending(spring(), freq="month", since="2026-05-01")
    cases: list[tuple[Report, list[tuple[float, float]]]] = [
        # 80 % of 31 and of 30 days.
        (monthly, [(MAY + 3.1, 24.8), (JUNE + 3.0, 24.0)]),
        (spending(spring(), freq="quarter"), [(20454 + 9.0, 72.0), (20544 + 9.1, 72.8)]),
        (income_expense(spring(), since="2026-06-01"), [(JUNE + 3.0, 12.0), (JUNE + 15.0, 12.0)]),
        # 1 May to 17 June: 48 days.
        (income_expense(spring(), since="2026-05-01", freq="all"),
            [(MAY + 4.8, 19.2), (MAY + 24.0, 19.2)]),
        (net_worth(spring(), since="2026-06-01"), [(JUNE + 3.0, 24.0)] * 2),
        (same_period(spring(), count=1), [(MAY + 3.3, 24.4), (JUNE + 2.8, 24.4)]),
    ]  # fmt: skip
    for found, expected in cases:
        with subtests.test(report=found.attrs["report"], freq=found.attrs["freq"]):
            assert bars(rendered(found.plot())) == expected


def test_a_month_of_every_year_has_a_bar_as_wide_as_a_year() -> None:
    ledger = ledger_frame(row("2025-06-02", -4.0, "food"), row("2026-06-02", -5.0, "food"))
    ax = rendered(same_period(ledger, every="year").plot())
    assert bars(ax) == [(20255.0 - 146.0, 292.0), (20620.0 - 146.0, 292.0)]
    assert labels(ax, "x") == ["Jun\n2025", "Jun\n2026"]


def test_a_label_is_under_the_middle_of_its_period() -> None:
    ax = rendered(spending(spring(), freq="month", since="2026-05-01").plot())
    assert list(ax.get_xticks()) == [MAY + 15.5, JUNE + 15.0]


def test_removed_periods_leave_room() -> None:
    found = income_expense(spring())
    ax = rendered(found[found["period"] != "2026-05-01"].plot())
    assert bars(ax)[2] == (JUNE + 3.0, 12.0)
    assert labels(ax, "x") == ["Mar\n2026", "Apr\n2026", "Jun\n2026\nso far"]


def test_what_a_user_draws_on_top_is_at_its_day(subtests: pytest.Subtests) -> None:
    last, timestamp = pd.Timestamp("2027-06-01"), pd.Timestamp("2026-03-15")
    cases: list[tuple[str, Any, Any]] = [
        ("income_expense", None, timestamp), ("income_expense", None, np.datetime64("2026-03-15")),
        ("income_expense", None, date(2026, 3, 15)), ("income_expense", "line", timestamp),
        ("net_worth", None, timestamp), ("balances", None, timestamp),
        ("same_period", None, timestamp), ("age_of_money", None, timestamp),
    ]  # fmt: skip
    for name, kind, day in cases:
        with subtests.test(name=name, kind=kind, value=type(day)):
            ax = report_of(name).plot(kind=kind)
            ax.axvline(day)
            ax.plot([day, last], [0.0, 100.0])
            rendered(ax)
            assert ax.lines[-1].convert_xunits(day) == MARCH + 14
            left, right = ax.get_xlim()
            assert left < MARCH < 20970.0 < right  # 2027-06-01
            plt.close("all")


def test_a_user_can_draw_a_series_of_pandas_on_top() -> None:
    ax = report_of("income_expense").plot()
    ax.axvline(pd.Timestamp("2026-03-15"))
    pd.Series([1.0, 2.0, 3.0], index=pd.date_range("2026-02-01", periods=3, freq="MS")).plot(ax=ax)
    rendered(ax)
    assert pd.Timestamp(ax.lines[-1].get_xdata(orig=True)[1]) == pd.Timestamp("2026-03-01")
    left, right = ax.get_xlim()
    assert left < MARCH < right < 30_000  # not numbers of months


def test_labels_do_not_overlap(subtests: pytest.Subtests) -> None:
    months = range(24192, 24318)
    ten_years = budget_vs_actual(
        plan(*(in_month(f"{n // 12}-{n % 12 + 1:02}", cell("food", 1.0, -1.0)) for n in months))
    )
    winters = ten_years[ten_years["period"].dt.month.isin([1, 11, 12])]
    cases: list[tuple[Any, dict[str, Any]]] = [
        (ten_years, {}), (ten_years, {"figsize": (4.5, 3.0)}),
        (ten_years, {"figsize": (12.0, 3.0)}), (ten_years, {"kind": "line"}), (winters, {}),
        (ten_years.tail(13), {}), (ten_years.tail(14), {}),
        (ten_years.tail(13), {"kind": "line", "figsize": (5.0, 3.0)}),
    ]  # fmt: skip
    for found, options in cases:
        with subtests.test(value=len(found), options=options):
            ax = rendered(found.plot(**options))
            extents = [text.get_window_extent() for text in ax.get_xticklabels()]
            assert len(extents) > 2
            assert not any(one.overlaps(other) for one, other in combinations(extents, 2))
            plt.close("all")


# Incomplete periods


def test_bars_of_an_incomplete_period_are_lighter_and_labelled(subtests: pytest.Subtests) -> None:
    future = plan(*(in_month(f"2026-0{n}", cell("food", 1.0, 0.0)) for n in (7, 8)))
    two_years = ledger_frame(row("2025-01-01", -1.0, "food"), row("2026-01-01", -1.0, "food"))
    cases: list[tuple[Report, list[float | None], str]] = [
        (income_expense(spring(), since="2026-05-01"), [None, 0.45], "Jun\n2026\nso far"),
        (income_expense(spring(), since="2026-06-02"), [0.45], "Jun\n2026\nso far"),
        (income_expense(spring(), until="2026-04-29"), [None, 0.45], "Apr\n2026\nin part"),
        (spending(two_years, freq="year"), [None, 0.45], "2026\nso far"),
        (budget_vs_actual(future, since="2026-07"), [0.45, 0.45], "Aug\n2026\nto come"),
    ]
    for found, expected, label in cases:
        with subtests.test(label=label):
            ax = rendered(found.plot())
            assert [bar.get_alpha() for bar in ax.containers[0]] == expected
            assert labels(ax, "x")[-1] == label


def test_the_legend_shows_the_colour_of_complete_periods() -> None:
    ax = rendered(income_expense(spring(), since="2026-04-02").plot())
    assert [bar.get_alpha() for bar in ax.containers[0]] == [0.45, None, 0.45]
    legend = ax.get_legend()
    assert legend is not None
    assert [each.get_alpha() for each in legend.get_patches()] == [None, None]


# Values of bars


def values(ax: Axes) -> list[str]:
    return [text.get_text().replace(r"\$", "$") for text in ax.texts]


def test_few_bars_show_their_values() -> None:
    found = spending(spring(), freq="month", since="2026-04-01")
    assert values(rendered(found.plot())) == ["4.00", "5.00"]  # no text for zero
    assert values(rendered(spending(spring()).plot())) == ["9.00"]
    assert values(rendered(income_expense(spring(), until="2026-04-30").plot())) == ["9.00", "4.00"]


def test_stacked_bars_show_their_sums_and_bars_of_net_worth_both_sides() -> None:
    ledger = ledger_frame(
        began("2026-06-01", "checking", 50.0), row("2026-05-02", -4.0, "food", "visa"),
        row("2026-06-02", -5.5, "food", "visa"), row("2026-06-02", -1.0, "rent", "visa"),
        row("2026-06-03", 2.0, "fun", "visa"),
    )  # fmt: skip
    assert values(spending(ledger, freq="month").plot()) == ["4.00", "4.50"]
    assert values(net_worth(ledger).plot()) == ["50.00", "-4.00", "-8.50"]


def test_many_bars_and_small_plots_show_no_values() -> None:
    assert values(report_of("income_expense").plot()) == []
    assert values(report_of("spending").plot(figsize=(3.0, 1.5))) == []
    assert values(report_of("income_expense").tail(4).plot(figsize=(3.0, 2.0))) == []


def test_values_are_in_whole_units_if_the_decimals_do_not_fit() -> None:
    year = report_of("same_period")
    assert values(year.plot())[-1] == "2.394"
    assert values(year.tail(3).plot())[-1] == "2.393,55 €"


def test_values_do_not_overlap(subtests: pytest.Subtests) -> None:
    cases = {
        "spending": report_of("spending"),
        "same_period": report_of("same_period"),
        "recurring": report_of("recurring"),
        "six months": report_of("income_expense").tail(6),
        "worth": report_of("net_worth").tail(6),
        "plan": household().reports.budget_vs_actual(since="2026-06"),
        "a part of zero on top": spending(
            ledger_frame(row("2026-05-01", -9.0, "food"), row("2026-06-01", -1.0, "rent")),
            freq="month",
        ),
        "yen": report_of("same_period", "東京の家計").tail(6),
    }
    for name, found in cases.items():
        with subtests.test(name=name):
            ax = rendered(found.plot())
            extents = [text.get_window_extent() for text in ax.texts]
            assert len(extents) > 1
            assert not any(one.overlaps(other) for one, other in combinations(extents, 2))
            edges = ax.get_window_extent()
            assert all(edges.x0 <= each.x0 and each.x1 <= edges.x1 + 1 for each in extents)
            assert all(edges.y0 <= each.y0 and each.y1 <= edges.y1 + 1 for each in extents)


@pytest.mark.parametrize(("theme", "ink"), [("light", "#24292f"), ("dark", "#e4e7eb")])
def test_values_have_the_colour_of_the_text(theme: str, ink: str) -> None:
    assert {text.get_color() for text in report_of("recurring").plot(theme=theme).texts} == {ink}


def test_the_bars_of_one_month_of_a_plan_state_both_amounts() -> None:
    ax = budget_vs_actual(
        plan(in_month("2026-06", cell("food", 10.0, -4.0), cell("tea", 0.0, -5.0)))
    ).plot()
    assert values(ax) == ["5,00 € of 0,00 €", "4,00 € of 10,00 €"]


# Groups of the same period


def test_groups_of_the_same_period_have_a_bar_for_now_and_for_the_period_before() -> None:
    ledger = ledger_frame(
        row("2026-04-02", -100.0, "food"),
        row("2026-04-02", -9.0, "fun"),  # no amount in May and June: no bars
        row("2026-05-02", -7.0, "food"),
        row("2026-05-03", -2.0, "rent"),
        row("2026-06-02", -4.0, "rent"),
        row("2026-06-02", -3.0, "food"),
    )
    ax = rendered(same_period(ledger, "category").plot())
    found = {each.get_label(): [bar.get_width() for bar in each] for each in ax.containers}
    assert found == {"1 – 17 Jun 2026": [4.0, 3.0], "1 – 17 May 2026": [2.0, 7.0]}
    assert labels(ax, "y") == ["Rent", "Food"]  # the largest is on top
    assert ax.get_yticks()[0] > ax.get_yticks()[1]
    assert values(ax) == ["4.00", "3.00"]


def test_groups_beyond_ten_are_one_pair_of_bars() -> None:
    names = [("Daily", f"c{n}", f"C{n}") for n in range(13)]
    rows = [row("2026-06-02", -20.0 + n, f"c{n}") for n in range(13)]
    ledger = ledger_frame(*rows, row("2026-05-02", -1.0, "c12"), categories=tuple(names))
    ax = rendered(same_period(ledger, "category").plot())
    assert labels(ax, "y")[-1] == "3 more"
    assert [bar.get_width() for bar in ax.containers[0]][-1] == 27.0  # 10 + 9 + 8
    assert [bar.get_width() for bar in ax.containers[1]][-1] == 1.0


def test_one_group_of_the_same_period_is_drawn_over_time() -> None:
    found = same_period(spring(), "category")
    ax = rendered(found[found["category_name"] == "Food"].plot())
    assert [bar.get_height() for bar in ax.containers[0]] == [0.0, 4.0, 0.0, 5.0]
