"""The warning about letters that no installed font has."""

import warnings
from collections.abc import Sequence
from typing import Any

import pytest

from budgetframe.reports.plotting import fonts
from tests.reports.plans import EURO, cell
from tests.reports.test_pictures import drawn_names, labels, rendered, spent

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
