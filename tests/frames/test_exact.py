"""Sums are exact to the milliunit for every order, grouping and size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from budgetframe import ToolError
from budgetframe.frames import in_money, milliunits, totals

MOST = 2**51  # milliunits
KEYS: tuple[str | None, ...] = ("Food", "Fun", "Rent", "", None)

small = st.integers(-1_000_000, 1_000_000)
large = st.integers(-MOST, MOST)
edges = st.sampled_from([-MOST, -MOST + 1, -1, 0, 1, 5, 499, MOST - 1, MOST])
any_amount = st.one_of(small, large, edges)


def amounts(thousandths: Sequence[int | None]) -> pd.Series[float]:
    """Amounts as in frames: the floats nearest to the exact quotients."""
    exact = [None if n is None else float(Decimal(n) / 1000) for n in thousandths]
    return pd.Series(exact, dtype="float64")


def adds_up(frame: pd.DataFrame, by: list[str], exact: dict[tuple[Any, ...], int]) -> bool:
    """Check that the sums of the last column have these values, or are rejected as too large."""
    if any(abs(total) > MOST for total in exact.values()):
        with pytest.raises(ToolError, match="too large to be exact"):
            totals(frame, by)
        return True
    sums = totals(frame, by)[frame.columns[-1]]
    keys = [key if isinstance(key, tuple) else (key,) for key in sums.index]
    named = [tuple(None if pd.isna(part) else part for part in key) for key in keys]
    floats = {key: float(Decimal(total) / 1000) for key, total in exact.items()}
    return dict(zip(named, sums.tolist(), strict=True)) == floats


# Sums


@settings(deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(KEYS), st.booleans(), st.integers(1, 3), any_amount), max_size=40
    ),
    by=st.permutations(["category_name", "approved", "day"]).flatmap(
        lambda names: st.integers(1, 3).map(lambda count: names[:count])
    ),
)
def test_every_group_is_exact(rows: list[tuple[str | None, bool, int, int]], by: list[str]) -> None:
    columns = ["category_name", "approved", "day"]
    exact: dict[tuple[Any, ...], int] = defaultdict(int)
    for *keys, amount in rows:
        named = dict(zip(columns, keys, strict=True))
        exact[tuple(named[name] for name in by)] += amount
    frame = pd.DataFrame([row[:3] for row in rows], columns=columns)
    frame["amount"] = amounts([row[3] for row in rows])
    assert adds_up(frame, by, exact)


@pytest.mark.parametrize(("given_amounts", "expected"), [
    ([0.1] * 10, 1.0), ([1.001, 1.001], 2.002),  # 1.001 * 1000 is 1000.9999999999999
    ([2_000_000_000_000.001, 0.001, -2_000_000_000_000.0], 0.002),
    ([MOST / 1000] * 5_000 + [-MOST / 1000] * 5_000 + [0.1, 0.2], 0.3),
])  # fmt: skip
def test_a_sum_is_the_nearest_float(given_amounts: list[float], expected: float) -> None:
    frame = pd.DataFrame({"payee_name": "a", "amount": given_amounts})
    found = totals(frame, "payee_name")["amount"]
    assert found.tolist() == [expected]
    assert found.dtype == np.dtype("float64")


def test_totals_add_up_every_amount_column_and_no_other_column() -> None:
    frame = pd.DataFrame({
        "month": ["05", "05", "06"], "hidden": [True, False, True], "activity": [-0.1, -0.2, 0.0],
        "goal_percentage_complete": [1, 2, 3], "goal_target": [None, 0.3, None],
    })  # fmt: skip
    found = totals(frame, "month")
    assert list(found.columns) == ["activity", "goal_target"]
    assert found.to_numpy().tolist() == [[-0.3, 0.3], [0.0, 0.0]]
    assert found.index.tolist() == ["05", "06"]


def test_unused_categories_have_no_sum() -> None:
    kinds = pd.Categorical(["cash", "cash"], categories=["cash", "savings"])
    frame = pd.DataFrame({"account_type": kinds, "balance": [0.1, 0.2]})
    assert totals(frame, "account_type")["balance"].to_dict() == {"cash": 0.3}


def test_an_empty_frame_has_empty_sums_with_the_same_columns() -> None:
    frame = pd.DataFrame({"payee_name": [], "amount": []}).astype({"amount": "float64"})
    found = totals(frame, "payee_name")
    assert len(found) == 0
    assert found.dtypes.astype(str).to_dict() == {"amount": "float64"}


def test_a_sum_too_large_to_be_exact_raises_an_error(subtests: pytest.Subtests) -> None:
    for rows, sign in product((2, 1024, 4096, 4097, 8192), (1, -1)):
        with subtests.test(rows=rows, sign=sign):
            frame = pd.DataFrame({"payee_name": "a", "amount": [sign * MOST / 1000] * rows})
            with pytest.raises(ToolError, match="too large to be exact"):
                totals(frame, "payee_name")


def test_totals_of_milliunits_are_milliunits() -> None:
    frame = pd.DataFrame({"payee_name": ["a", "b", "a"], "amount_milliunits": [100, 5, 200]})
    sums = totals(frame, "payee_name")["amount_milliunits"]
    assert (sums.tolist(), sums.dtype.name) == ([300, 5], "int64")


def test_missing_decimals_count_as_zero() -> None:
    frame = pd.DataFrame({"payee_name": ["a", "b", "a"], "goal_target": [0.1, None, 0.2]})
    sums = totals(in_money(frame, "decimal"), "payee_name")["goal_target"]
    assert sums.tolist() == [0.3, 0.0]


def test_totals_without_group_columns_are_the_sums_of_all_rows() -> None:
    frame = pd.DataFrame({"payee_name": ["a", "b"], "amount": [0.1, 0.2]})
    assert totals(frame, [])["amount"].tolist() == [0.3]
    none = totals(frame.head(0).assign(amount_milliunits=1), ())
    assert none.to_dict("list") == {"amount": [0.0], "amount_milliunits": [0]}
    assert none.dtypes.astype(str).tolist() == ["float64", "int64"]


@pytest.mark.parametrize(("by", "message"), [
    ("categroy_name", "no column 'categroy_name'; the closest: 'category_name', 'payee_name'"),
    (["payee_name", "day"], "no column 'day'; its columns are payee_name, category_name, amount"),
    ([["amount"]], "no column ['amount']; the closest: 'amount'"),
    (5, "no column 5; its columns are payee_name, category_name, amount"),
])  # fmt: skip
def test_a_name_that_is_no_column_raises_an_error_with_the_closest(by: Any, message: str) -> None:
    frame = pd.DataFrame({"payee_name": ["a"], "category_name": ["b"], "amount": [0.1]})
    with pytest.raises(ToolError) as caught:
        totals(frame, by)
    assert str(caught.value) == f"by: the frame has {message}"


def test_a_column_twice_and_what_is_no_frame_are_refused() -> None:
    frame = pd.DataFrame({"payee_name": ["a"], "amount": [0.1]})
    with pytest.raises(ToolError, match=r"by=\['payee_name', 'payee_name'\] names a column twice"):
        totals(frame, ["payee_name", "payee_name"])
    nothing: Any = None
    with pytest.raises(ToolError, match="frame is NoneType: pass a DataFrame"):
        totals(nothing, [])


def test_a_frame_without_amounts_raises_an_error_with_its_columns() -> None:
    frame = pd.DataFrame({"payee_name": ["a"], "price": [1.0]})
    with pytest.raises(ToolError, match="with amounts: its columns are payee_name, price"):
        totals(frame, "payee_name")


# Milliunits


@settings(deadline=None)
@given(st.lists(st.none() | any_amount, min_size=1, max_size=50))
def test_milliunits_of_missing_amounts_are_missing(thousandths: list[int | None]) -> None:
    found = milliunits(amounts(thousandths))
    assert found.dtype.name == ("Int64" if None in thousandths else "int64")
    assert [None if pd.isna(n) else n for n in found.tolist()] == thousandths


@settings(deadline=None)
@given(st.integers(MOST + 1, 2**80), st.sampled_from([1, -1]), st.lists(any_amount, max_size=5))
def test_too_large_milliunits_raise_an_error(beyond: int, sign: int, others: list[int]) -> None:
    with pytest.raises(ToolError, match="too large to be exact"):
        milliunits(amounts([*others, sign * beyond]))


@pytest.mark.parametrize("endless", [float("inf"), float("-inf")])
def test_an_infinite_amount_raises_an_error(endless: float) -> None:
    with pytest.raises(ToolError, match="too large to be exact"):
        milliunits(pd.Series([0.1, endless]))


def test_the_error_states_the_amount_and_the_maximum() -> None:
    with pytest.raises(ToolError) as caught:
        milliunits(pd.Series([3_000_000_000_000.0]))
    assert "3,000,000,000,000" in str(caught.value)
    assert "2,251,799,813,685" in str(caught.value)


def test_milliunits_keep_the_index() -> None:
    assert milliunits(pd.Series([0.1, 0.2], index=["x", "y"])).to_dict() == {"x": 100, "y": 200}


# Decimals


@settings(deadline=None)
@given(st.lists(st.none() | any_amount, min_size=1, max_size=50))
def test_decimals_are_the_exact_amounts(thousandths: list[int | None]) -> None:
    frame = pd.DataFrame({"goal_target": amounts(thousandths)})
    found = in_money(frame, "decimal")["goal_target"]
    assert found.dtype == pd.ArrowDtype(pa.decimal128(18, 3))
    exact = [None if n is None else Decimal(n) / 1000 for n in thousandths]
    assert [None if pd.isna(value) else value for value in found] == exact


def test_decimals_are_valid_arrow_data() -> None:
    frame = pd.DataFrame({"goal_target": amounts([-1, None, MOST, -MOST, 0, None, None, 5, None])})
    table = pa.Table.from_pandas(in_money(frame, "decimal"))
    table.validate(full=True)
    assert [str(value) for value in table["goal_target"].to_pylist() if value is not None] == [
        "-0.001", "2251799813685.248", "-2251799813685.248", "0.000", "0.005",
    ]  # fmt: skip


def test_nullable_milliunits_are_nullable_without_missing_values() -> None:
    found = in_money(pd.DataFrame({"goal_target": [0.1], "amount": [0.2]}), "milliunits")
    kinds = {"goal_target_milliunits": "Int64", "amount_milliunits": "int64"}
    assert found.dtypes.astype(str).to_dict() == kinds


@pytest.mark.parametrize("call", [
    lambda frame: in_money(frame, "milliunits"),
    lambda frame: in_money(frame, "decimal"),
    lambda frame: totals(frame, "memo"),
])  # fmt: skip
def test_the_given_frame_does_not_change(call: Callable[[pd.DataFrame], object]) -> None:
    frame = pd.DataFrame({"goal_target": [0.1, None], "memo": ["a", None]})
    untouched = frame.copy(deep=True)
    call(frame)
    pd.testing.assert_frame_equal(frame, untouched)


def test_conversion_to_decimals_keeps_the_index_of_selected_rows() -> None:
    frame = pd.DataFrame({"amount": [0.1, 0.2, 0.3]})
    found = in_money(frame[frame["amount"] > 0.15], "decimal")
    assert found["amount"].to_dict() == {1: Decimal("0.200"), 2: Decimal("0.300")}
