"""The size, title and style of plots; plots drawn twice or with rows in another order."""

import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from budgetframe import ToolError
from budgetframe.reports.plotting import fonts
from budgetframe.reports.plotting.themes import THEMES
from tests.reports.plans import EURO, cell, household, report_of
from tests.reports.test_pictures import drawn_names, labels, rendered, spent


def test_axes_with_bars_can_be_drawn_on_again() -> None:
    ax = report_of("same_period").plot()
    report_of("same_period").plot(ax=ax)
    assert len(ax.containers) == 2


def test_a_report_in_reverse_order_is_drawn_in_order() -> None:
    assert (
        rendered(report_of("net_worth").iloc[::-1].plot()).get_title("left")
        == "Net worth, Jan 2023 – 17 Jun 2026: 40.678,18 €"
    )


def test_the_title_of_spending_by_hashtag_has_no_sum() -> None:
    report = household().reports.spending("hashtag")
    assert rendered(report.plot()).get_title("left") == "Spending by hashtag, Jan 2023 – Jun 2026"


def test_a_plot_has_the_requested_size_and_title() -> None:
    ax = rendered(report_of("spending").plot(figsize=(6, 3), title="Mine, for $5"))
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    assert figure.get_size_inches().tolist() == [6.0, 3.0]
    assert ax.get_title("left") == r"Mine, for \$5"


@pytest.mark.parametrize(("style", "paper"), [
    ({"axes.facecolor": "black"}, THEMES["dark"].paper),
    ({"axes.facecolor": "white"}, THEMES["light"].paper),
    ({"axes.facecolor": "none", "figure.facecolor": "white"}, THEMES["light"].paper),
])  # fmt: skip
def test_the_theme_follows_the_style_of_matplotlib(style: Any, paper: str) -> None:
    with mpl.rc_context(style):
        ax = rendered(report_of("net_worth").plot())
    assert to_hex(ax.get_facecolor()) == paper


def test_the_theme_follows_the_given_axes() -> None:
    with mpl.rc_context({"axes.facecolor": "black"}):
        _, ax = plt.subplots()
    report_of("net_worth").plot(ax=ax)
    legend = ax.get_legend()
    assert legend is not None
    assert to_hex(legend.get_texts()[0].get_color()) == THEMES["dark"].ink


def test_a_theme_for_a_plot_of_pandas_raises_an_error() -> None:
    with pytest.raises(ToolError, match="a plot that pandas draws has no theme"):
        report_of("net_worth").plot(x="date", y="net", theme="dark")


def test_an_unknown_argument_of_a_plot_raises_an_error() -> None:
    with pytest.raises(
        ToolError, match="legend: the plot of a report takes ax, theme, figsize, title, kind"
    ):
        report_of("net_worth").plot(legend=False)


# Letters that no installed font has

SUMER = "Sumer \U00012000\U00012001"  # cuneiform letters, which are in no usual font


@pytest.fixture(autouse=True)
def _nothing_was_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_has_warned", False)


def warnings_of(*names: str) -> Sequence[Any]:
    """The warnings while categories with these names are drawn, including the layout."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drawn_names(*names)
    return caught


def test_names_with_missing_letters_cause_one_warning_in_several_plots() -> None:
    (warning,) = [*warnings_of(SUMER, "\U00012002", "Rent"), *warnings_of(SUMER)]
    assert warning.category is UserWarning
    assert str(warning.message).startswith(
        f"no installed font has all letters of '{SUMER}', so the plots leave letters out:"
        " install a font that has them, for example Noto Sans CJK, "
    )


def test_the_warning_points_at_the_line_that_plots() -> None:
    report = spent(cell(SUMER, 1.0, -1.0))
    with pytest.warns(UserWarning, match="no installed font") as caught:
        report.plot()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("name", "count"), [("Gifts \U000f1234", 0), ("Café", 0), ("Rent \u202e", 0), ("\U000f1234", 1)]
)
def test_a_missing_symbol_causes_a_warning_only_if_nothing_is_left(name: str, count: int) -> None:
    assert len(warnings_of(name)) == count


def test_a_currency_symbol_that_cannot_be_drawn_is_replaced_by_the_code() -> None:
    report = spent(cell("food", 10.0, -4.0))
    report.attrs["currency_format"] = EURO | {"currency_symbol": "\U00012000", "iso_code": "SUX"}
    assert "10 SUX" in labels(rendered(report.plot()), "x")
