"""The content of plots, for all kinds of names and amounts."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from budgetframe import ToolError, reports
from budgetframe.reports.plotting.themes import THEMES
from tests.docs.docstrings import REPORTS
from tests.frames.columns import Json
from tests.frames.household import account
from tests.reports.rows import began, ledger_frame

from .plans import EURO, TOKYO, categories, cell, household, in_month, plan, report_of, told

DRAWN = tuple(name for name in REPORTS if name != "income_sankey")
TITLES = {
    "balances": "Balance by account, Jan 2023 – 17 Jun 2026",
    "runway": "Runway, Jan 2023 – 17 Jun 2026: 266 days",
}


def rendered(ax: Axes) -> Axes:
    """The axes after a complete layout of their figure, which can cause warnings.

    The layout includes every letter; only the pixels are left out, because they take long.
    """
    figure = ax.get_figure()
    assert figure is not None
    figure.draw_without_rendering()  # type: ignore[union-attr]
    return ax


def picture(name: str, budget: str = "Household", theme: str = "light") -> Axes:
    """The plot of a report with its layout, drawn once for all tests that only read it."""
    return _picture(name, budget, theme)


@cache
def _picture(name: str, budget: str, theme: str) -> Axes:
    ax = rendered(report_of(name, budget).plot(theme=theme))
    plt.close()
    return ax


def labels(ax: Axes, axis: str) -> list[str]:
    found = ax.get_xticklabels() if axis == "x" else ax.get_yticklabels()
    return [text.get_text() for text in found]


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def spent(*cells: Json, month: str = "2026-06") -> reports.Report:
    return reports.budget_vs_actual(plan(in_month(month, *cells)))


def aged(*ages: int | None) -> reports.Report:
    days = pd.date_range("2026-01-01", periods=len(ages), freq="MS")
    frame = pd.DataFrame({"month": days, "age_of_money": pd.array(ages, dtype="Int64")})
    return reports.age_of_money(told(frame, "2036-01-01"))


def moved(*names: str) -> reports.Report:
    rows = pd.DataFrame({"category_name": names, "category_group_name": None, "allocation": 5.0})
    return reports.money_flow(told(rows), categories())


# All plots


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize(("budget", "theme"), [("Household", "light"), (TOKYO, "dark")])
def test_every_plot_is_drawn_in_its_theme_and_with_the_width_of_a_notebook(
    name: str, budget: str, theme: str
) -> None:
    ax = picture(name, budget, theme)
    assert ax.has_data()
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    assert to_hex(figure.get_facecolor()) == to_hex(ax.get_facecolor()) == THEMES[theme].paper
    assert to_hex(ax.title.get_color()) != THEMES[theme].paper
    width, height = figure.get_size_inches()
    assert width == 9.0
    assert 2.0 <= height <= 6.5


@pytest.mark.parametrize("name", DRAWN)
def test_every_plot_is_drawn_on_the_given_axes(name: str) -> None:
    figure, (_, given) = plt.subplots(1, 2)
    assert rendered(report_of(name).plot(ax=given)) is given
    assert plt.get_fignums() == [figure.number]
    plt.close(figure)


@pytest.mark.parametrize(("name", "title"), TITLES.items())
def test_a_title_states_what_the_plot_shows(name: str, title: str) -> None:
    assert picture(name).get_title(loc="left") == title


def test_drawing_changes_no_settings() -> None:
    before = dict(plt.rcParams)
    report_of("forecast").plot(theme="dark")
    assert dict(plt.rcParams) == before


def test_an_unknown_theme_raises_an_error() -> None:
    report = aged(1)
    with pytest.raises(ToolError, match="theme='sepia': it must be one of 'light', 'dark'"):
        report.plot(theme="sepia")


def test_a_plot_that_fails_is_closed_but_given_axes_stay_open() -> None:
    report = report_of("forecast")
    report.attrs["currency_format"] = {"decimal_digits": "two"}
    with pytest.raises(ValueError, match="two"):
        report.plot()
    assert plt.get_fignums() == []
    figure, given = plt.subplots()
    with pytest.raises(ValueError, match="two"):
        report.plot(ax=given)
    assert plt.get_fignums() == [figure.number]


# Amounts


@pytest.mark.parametrize(("name", "axis", "budget", "text"), [
    ("budget_vs_actual", "y", "Household", "2.000 €"), ("forecast", "y", "Household", "2.500 €"),
    ("money_flow", "x", "Household", "5.000 €"), ("budget_vs_actual", "y", TOKYO, "¥1,000,000"),
])  # fmt: skip
def test_amounts_on_an_axis_are_in_the_format_of_the_budget(
    name: str, axis: str, budget: str, text: str
) -> None:
    assert text in labels(picture(name, budget), axis)


def test_a_dollar_sign_is_drawn_as_text() -> None:
    report = spent(cell("food", 10.0, -4.0))
    report.attrs["currency_format"] = EURO | {"currency_symbol": "$", "symbol_first": True}
    assert r"\$10" in labels(rendered(report.plot()), "x")


@pytest.mark.parametrize(
    ("value", "text"), [(1500.0, "1.500 €"), (2.5, "2,50 €"), (-0.5, "-0,50 €"), (0.0, "0 €")]
)
def test_a_tick_label_has_decimals_only_if_needed(value: float, text: str) -> None:
    _, ax = plt.subplots()
    reports.money_axis(ax.xaxis, EURO)
    assert ax.xaxis.get_major_formatter()(value) == text


# Assigned and spent


def test_spending_above_the_assigned_amount_has_its_own_colour() -> None:
    ax = spent(cell("food", 10.0, -4.0), cell("tea", 3.0, -5.0), cell("rent", 6.0, -6.0)).plot()
    found = {bars.get_label(): [bar.get_width() for bar in bars] for bars in ax.containers}
    assert found == {
        "assigned": [3.0, 6.0, 10.0], "spent": [6.0, 4.0], "spent, more than assigned": [5.0],
    }  # fmt: skip
    assert legend(ax) == [*found]
    shown = spent(cell("tea", 0.0, -5.0), cell("gym", 0.0, 0.0), cell("food", 0.0, -9.0)).plot()
    assert labels(rendered(shown), "y") == ["tea", "Food"]  # the largest is on top


def test_twelve_categories_are_drawn_and_the_others_are_one_bar() -> None:
    ax = spent(*(cell(f"c{place}", 1.0, -float(place)) for place in range(20))).plot()
    assert labels(ax, "y") == ["8 more", *(f"c{place}" for place in range(8, 20))]
    widths = {patch.get_width() for patch in ax.patches if patch.get_y() < 0.5}
    assert widths == {8.0, 28.0}  # of 8 assigned, 0 to 7 spent


def test_the_bar_of_a_refund_goes_to_the_left() -> None:
    ax = spent(cell("food", 0.0, 4.0)).plot()
    assert [patch.get_width() for patch in ax.patches] == [0.0, -4.0]


def test_the_bar_of_a_month_of_refunds_goes_down() -> None:
    months = [
        in_month("2026-05", cell("food", 1.0, 4.0)), in_month("2026-06", cell("food", 2.0, -3.0)),
    ]  # fmt: skip
    ax = reports.budget_vs_actual(plan(*months)).plot()
    assert [patch.get_height() for patch in ax.patches] == [1.0, 2.0, -4.0, 3.0]
    assert legend(ax) == ["assigned", "spent"]


def test_a_plot_without_amounts_has_no_bars() -> None:
    ax = rendered(spent(cell("food", 0.0, 0.0)).plot())
    assert len(ax.patches) == 0
    assert ax.get_title(loc="left") == "Assigned and spent on Food, Jun 2026 so far"


@pytest.mark.parametrize(
    ("freq", "last"), [("month", "Dec\n2025"), ("quarter", "Q4\n2025"), ("year", "2025")]
)
def test_a_plot_of_ten_years_has_at_most_13_labels_of_its_periods(freq: Any, last: str) -> None:
    numbers = range(24192, 24312)  # of months
    months = [in_month(f"{n // 12}-{n % 12 + 1:02}", cell("food", 1.0, -1.0)) for n in numbers]
    found = labels(rendered(reports.budget_vs_actual(plan(*months), freq=freq).plot()), "x")
    assert 8 <= len(found) <= 13
    assert found[-1] == last


# Age of money, forecast, moves


@pytest.mark.parametrize(("ages", "marker", "title"), [
    ((10, 20, 15), "None", "Jan – Mar 2026: 15 days"),
    ((None, 10, 12), "None", "Jan – Mar 2026: 12 days"),
    ((10, 20, None), "None", "Jan – Mar 2026: 20 days"),
    ((10,), "o", "Jan 2026: 10 days"),
    ((10, 12, None, 9, None), "o", "Jan – May 2026: 9 days"),
    ((None, None), "None", "Jan – Feb 2026: unknown"),
])  # fmt: skip
def test_age_of_money_is_a_line_with_points_if_an_age_has_no_neighbours(
    ages: tuple[int | None, ...], marker: str, title: str
) -> None:
    ax = rendered(aged(*ages).plot())
    (line,) = ax.lines
    heights = np.asarray(line.get_ydata(), dtype=float)
    assert [None if np.isnan(each) else each for each in heights] == [*ages]
    assert line.get_marker() == marker
    assert ax.get_title(loc="left") == f"Age of money, {title}"


def test_a_forecast_has_a_line_and_its_lowest_point_for_each_account_with_changes() -> None:
    ax = picture("forecast")
    assert legend(ax) == ["Checking", "Savings"]
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert [np.asarray(line.get_ydata()).tolist() for line in points] == [[7582.99], [18800.0]]
    assert [text.get_text() for text in ax.texts] == ["7.582,99 €", "18.800,00 €"]
    days = [pd.Timestamp(np.asarray(line.get_xdata())[0], unit="D") for line in points]
    assert [f"{day:%Y-%m-%d}" for day in days] == ["2026-06-29", "2026-06-17"]


def test_a_forecast_without_typical_amounts_shades_nothing() -> None:
    assert not picture("forecast").collections


def test_a_forecast_without_changes_has_a_line_for_each_account() -> None:
    report = report_of("forecast")
    assert legend(rendered(report[report["account_name"] == "Wallet"].plot())) == ["Wallet"]


def test_a_forecast_of_today_alone_shows_points() -> None:
    report = household().reports.forecast(days=0, accounts=["Checking"])
    markers = [line.get_marker() for line in rendered(report.plot()).lines]
    assert markers.count("o") == 2  # the line of the account, and its lowest day


def test_a_forecast_draws_as_many_accounts_as_there_are_colours() -> None:
    accounts = household().accounts().iloc[[1] * 9].reset_index(drop=True)
    keys = [f"a{place}" for place in range(9)]
    accounts, bf = accounts.assign(account_id=keys, account_name=keys), household()
    report = reports.forecast(
        bf.scheduled_transactions().iloc[:0], bf.scheduled_subtransactions().iloc[:0],
        told(accounts), days=3,
    )  # fmt: skip
    assert legend(rendered(report.plot())) == keys[:7]


def test_balances_of_more_accounts_than_colours_are_added_up_in_one_line() -> None:
    accounts = tuple(account(f"a{n}", f"Account {n}", "cash", 0.0) for n in range(9))
    rows = (began("2026-06-01", f"a{n}", 9.0 - n) for n in range(9))
    ax = rendered(reports.balances(ledger_frame(*rows, accounts=accounts)).plot())
    assert legend(ax) == [*(f"Account {n}" for n in range(6)), "others"]
    assert np.asarray(ax.lines[6].get_ydata()).tolist() == [6.0]  # 3 + 2 + 1


def test_a_forecast_with_typical_amounts_shades_the_band_of_at_most_four_accounts() -> None:
    report = household().reports.forecast(typical=6)
    ax = rendered(report.plot())
    assert ax.get_title("left").endswith("with typical amounts, 17 Jun – 15 Sep 2026 (2 not shown)")
    assert legend(ax) == [
        "Credit Card", "Car Loan", "Wallet", "Checking", "range of earlier errors",
    ]  # fmt: skip
    checking = report[report["account_name"] == "Checking"]
    heights = np.asarray(ax.collections[2].get_paths()[0].vertices)[:, 1]
    assert heights.min() == checking["low"].min()
    assert heights.max() == checking["high"].max()


def test_the_largest_moves_have_bars_labelled_with_both_categories() -> None:
    ax = picture("money_flow")
    assert len(ax.patches) == 16
    assert labels(ax, "y")[0] == "8 more"
    assert labels(ax, "y")[-1] == "Ready to Assign → Rent"


# Unusual names

ODD = {
    "": "(no letters to draw)", "\U000f1234": "(no letters to draw)", "Gifts \U000f1234": "Gifts",
    "  two   words ": "two words", "line\nbreak": "line break", "$5 and $6": r"\$5 and \$6",
    "x" * 28: "x" * 28, "x" * 29: "x" * 27 + "…", "$" * 40: r"\$" * 27 + "…",
}  # fmt: skip


def drawn_names(*names: str) -> list[str]:
    """The labels of categories with these names, in the same order."""
    cells = [cell(name, 1.0, -1.0 - place) for place, name in enumerate(names)]
    return labels(rendered(spent(*cells).plot()), "y")


def test_a_name_is_drawn_with_its_drawable_letters() -> None:
    assert dict(zip(ODD, drawn_names(*ODD), strict=True)) == ODD


def test_letters_that_no_font_has_are_not_drawn() -> None:
    for name, drawn in zip(("食費", "🎁"), drawn_names("食費", "🎁"), strict=True):
        assert drawn in {name, "(no letters to draw)"}, name


def test_a_name_is_not_drawn_as_a_formula() -> None:
    names = ["$5", "$a$", "50 $", "100%", r"a\b", "_x^2", "<b>", "&amp;"]
    drawn = [text.replace(r"\$", "$") for text in labels(rendered(moved(*names).plot()), "y")]
    assert sorted(drawn) == sorted(f"Ready to Assign → {name}" for name in names)


def test_equal_names_have_separate_bars() -> None:
    ax = rendered(spent(cell("food", 1.0, -2.0), cell("office", 1.0, -3.0)).plot())
    assert labels(ax, "y") == ["Food (Daily)", "Food (Office)"]


def test_a_missing_name_is_drawn_as_none() -> None:
    report = spent(cell("food", 1.0, -2.0)).assign(category_name=None)
    assert labels(rendered(report.plot()), "y") == ["(none)"]


def test_long_names_leave_room_for_the_lines_of_the_balances() -> None:
    report = report_of("balances")
    names = report["account_name"].unique()
    odd = {names[0]: "x" * 10_000, names[1]: "y" * 10_000, names[2]: "Checking\u202e"}
    ax = rendered(report.assign(account_name=report["account_name"].replace(odd)).plot())
    assert {"Checking", "x" * 39 + "…", "y" * 39 + "…"} <= set(legend(ax))
    assert ax.get_position().width > 0.8
    assert ax.get_position().height > 0.5
    plt.close()
