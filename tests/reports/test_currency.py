"""Amounts as text, in the format of a budget."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from budgetframe.reports import in_currency
from tests.reports.plans import EURO, YEN

DINAR = {**YEN, "decimal_digits": 3, "currency_symbol": "KD ", "symbol_first": True}
FRANC = {**EURO, "group_separator": "’", "decimal_separator": ".", "currency_symbol": " Fr."}  # noqa: RUF001


@pytest.mark.parametrize(("amount", "how", "text"), [
    (1234.5, EURO, "1.234,50 €"), (-1234.5, EURO, "-1.234,50 €"),
    (1234567.89, EURO, "1.234.567,89 €"),
    (0.0, EURO, "0,00 €"), (0.05, EURO, "0,05 €"), (999.999, EURO, "1.000,00 €"),
    (1234.0, YEN, "¥1,234"), (-1234.0, YEN, "-¥1,234"), (1234.567, DINAR, "KD 1,234.567"),
    (-0.001, DINAR, "-KD 0.001"), (1234.5, FRANC, "1’234.50 Fr."),  # noqa: RUF001
])  # fmt: skip
def test_an_amount_has_the_budget_s_format(amount: float, how: dict[str, Any], text: str) -> None:
    assert in_currency(amount, how) == text


@pytest.mark.parametrize("how", [None, {}, dict.fromkeys(EURO)])
def test_without_a_format_there_is_no_symbol(how: dict[str, Any] | None) -> None:
    assert in_currency(-1234.5, how) == "-1,234.50"


@pytest.mark.parametrize(("changed", "text"), [
    ({"display_symbol": False}, "1.234,50"), ({"symbol_first": True}, "€1.234,50"),
    ({"symbol_first": None}, "€1.234,50"), ({"display_symbol": None}, "1.234,50"),
    ({"decimal_digits": None}, "1.234,50 €"), ({"decimal_separator": None}, "1.234.50 €"),
    ({"group_separator": ""}, "1234,50 €"), ({"decimal_digits": 1}, "1.234,5 €"),
    ({"decimal_digits": 5}, "1.234,500 €"),
])  # fmt: skip
def test_each_field_of_a_currency_format_changes_a_text(changed: dict[str, Any], text: str) -> None:
    assert in_currency(1234.5, EURO | changed) == text


@pytest.mark.parametrize(("amount", "how", "text"), [
    (0.005, EURO, "0,01 €"), (-0.005, EURO, "-0,01 €"), (1.005, EURO, "1,01 €"),
    (2.675, EURO, "2,68 €"), (2.674, EURO, "2,67 €"), (0.5, YEN, "¥1"), (1.5, YEN, "¥2"),
    (2.5, YEN, "¥3"), (-2.5, YEN, "-¥3"), (2.499, YEN, "¥2"),
    (-0.004, EURO, "0,00 €"),  # zero has no sign
    (-0.499, YEN, "¥0"),
    (np.float64(-0.0), EURO, "0,00 €"),
])  # fmt: skip
def test_halves_are_rounded_away_from_zero(amount: float, how: dict[str, Any], text: str) -> None:
    assert in_currency(amount, how) == text


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_a_missing_amount_is_an_empty_text(missing: Any) -> None:
    assert in_currency(missing, EURO) == ""


@pytest.mark.parametrize(
    ("amount", "text"), [(1234.0, "1.234 €"), (-1234.0, "-1.234 €"), (0.5, "1 €"), (-0.4, "0 €")]
)
def test_the_parameter_whole_leaves_out_the_decimals(amount: float, text: str) -> None:
    assert in_currency(amount, EURO, whole=True) == text


@given(st.integers(-(10**15), 10**15))
def test_no_milliunit_is_lost(milliunits: int) -> None:
    text = in_currency(milliunits / 1000, {"decimal_digits": 3})
    assert int(text.replace(",", "").replace(".", "")) == milliunits
