"""Pictures of squares: calendars of days, and heatmaps of plan and outcome."""

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from budgetframe import ToolError, reports
from budgetframe.reports import Report
from budgetframe.reports.plotting.options import PlotOptions
from budgetframe.reports.plotting.themes import THEMES
from tests.reports.plans import cell, household, in_month, plan
from tests.reports.rows import ledger_frame, row
from tests.reports.test_pictures import labels, legend, rendered

AMOUNTS = {"2024-05-01": 5, "2026-02-28": 12, "2026-03-01": 30.5, "2026-03-02": 80}


def days(**options: Any) -> Report:
    spent = [
        row(day, -size, "food", memo="#a") for day, size in (AMOUNTS | {"2026-03-04": 400}).items()
    ]
    ledger = ledger_frame(*spent, row("2026-03-03", 20.0, "fun", memo="#b"), as_of="2026-03-04")
    return reports.spending(ledger, **{"freq": "day"} | options)


def squares(ax: Any) -> dict[str, int]:
    return {str(each.get_label()): len(each.get_path().vertices) // 5 for each in ax.patches}


def for_phone(report: Report, kind: str) -> Any:
    assert report.report_type is not None
    options = PlotOptions(theme="dark", kind=kind, for_phone=True)
    return rendered(report.report_type.picture(report, report.attrs, options))


def test_a_calendar_has_a_square_for_each_day_of_three_years() -> None:
    ax = rendered(days().plot(kind="calendar", theme="light"))
    # Quartiles of 5, 12, 20, 30.5, 80 and 400: 14, 25.25 and 67.6, with two digits.
    assert squares(ax) == {
        "zero": 667, "up to 14": 2, "up to 68": 1, "more than 68": 2, "below zero": 1,
    }  # fmt: skip
    assert legend(ax) == [*squares(ax)]
    assert ax.get_title(loc="left") == "Spending by day, 1 May 2024 – 4 Mar 2026: 507.50"
    assert labels(ax, "y")[::4] == ["2024", "2025", "2026"]
    (mark,) = ax.lines  # 3 March 2026 is a Tuesday in the tenth week; its year is the third row
    assert np.asarray(mark.get_xydata()).tolist() == [[9.0, 2 * 9.2 + 1]]


def test_on_a_phone_a_calendar_has_rows_of_half_years_and_equal_squares() -> None:
    ax = for_phone(days(), "calendar")
    assert sum(squares(ax).values()) == 184 + 181 + 184 + 63  # since July 2024
    assert labels(ax, "y")[::4] == ["2024", "2025", "2025", "2026"]
    assert "(1 half year not shown)" in " ".join(ax.get_title(loc="left").split())
    box = ax.get_window_extent()
    assert box.width / np.ptp(ax.get_xlim()) == pytest.approx(box.height / np.ptp(ax.get_ylim()))


def test_a_calendar_of_one_group_and_of_income_less_spending() -> None:
    one = days(categories="Fun", since="2026-03-01").plot(kind="calendar")
    assert one.get_title(loc="left") == "Spending on Fun by day, 1 – 4 Mar 2026: -20.00"
    assert squares(one) == {"zero": 3, "below zero": 1}
    flows = household().reports.income_expense(freq="day", since="2026-05", until="2026-05")
    ax = flows.plot(kind="calendar")
    assert sum(len(each.get_path().vertices) for each in ax.patches) == 31 * 5
    assert len(ax.lines[0].get_xydata()) == (flows["net"] < 0).sum() > 0


@pytest.mark.parametrize(("options", "arguments", "text"), [
    ({"by": "hashtag"}, {"kind": "calendar"}, "a row with two"),
    ({}, {"kind": "calendar", "trend": 3}, "a calendar has no trend; leave out trend="),
    ({}, {"kind": "heatmap"}, "cannot show it; the reports that can are budget_vs_actual$"),
    ({"freq": "month"}, {"kind": "calendar"}, "a row for each day: calculate it with freq='d"),
    ({}, {"kind": "pie chart"}, "'calendar', 'heatmap', 'bar'"),
])  # fmt: skip
def test_kinds_that_do_not_fit_are_errors(options: Any, arguments: Any, text: str) -> None:
    report = days(**options)
    with pytest.raises(ToolError, match=text):
        report.plot(**arguments)


def budget(count: int = 2) -> Report:
    office = cell("none", 30.0, -29.6)
    first = in_month("2026-05", cell("food", 100.0, -1350.0), cell("gym", 0.0, 0.0), office)
    others = [in_month(f"2026-0{n}", cell("food", 10.0, 0.0), office) for n in range(1, count)]
    return reports.budget_vs_actual(plan(*others, first))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_heatmap_has_the_difference_of_each_group_and_month(theme: str) -> None:
    ax = rendered(budget().plot(kind="heatmap", theme=theme))
    assert labels(ax, "y") == ["Uncategorized", "Daily"]
    assert [text.get_text() for text in ax.texts] == ["0", "0", "10", "-1.250"]
    assert legend(ax) == ["more assigned than spent", "more spent than assigned (–)"]
    more, less = ax.containers
    colours = [to_hex(bars[0].get_facecolor()) for bars in (more, less)]
    assert colours == [THEMES[theme].plus, THEMES[theme].minus]
    assert (len(more), len(less), less[0].get_alpha()) == (3, 1, 0.55)


def test_a_heatmap_without_differences_has_zeros() -> None:
    equal = in_month("2026-05", cell("food", 10.0, -10.0), cell("gym", 0.0, 0.0))
    ax = rendered(reports.budget_vs_actual(plan(equal)).plot(kind="heatmap"))
    assert [text.get_text() for text in ax.texts] == ["0"]


def test_where_amounts_do_not_fit_a_minus_marks_what_is_overspent() -> None:
    ax = for_phone(budget(5), "heatmap")
    assert sorted(text.get_text() for text in ax.texts) == [*[""] * 9, "–"]
