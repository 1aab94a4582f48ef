"""All budgets at once, as Dask DataFrames."""

from typing import Any

import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError
from budgetframe.frames import totals
from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES

from .service import EURO, YEN, Service, plain


@pytest.mark.slow  # it syncs several times and reads many tables
def test_they_have_known_divisions_and_exact_dtypes(
    service: Service, lake: Lake, subtests: pytest.Subtests
) -> None:
    for name in FRAMES:
        with subtests.test(name=name):
            frames = getattr(lake, name)()
            assert frames.divisions == (0, 1, 2, 3, 3)
            rows = frames.compute()
            assert frames.dtypes.to_dict() == rows.dtypes.to_dict()
            for budget in (EURO, YEN):
                own = rows[rows["budget_id"] == service.id_of(budget)].reset_index(drop=True)
                expected = plain(lake.frame(name, budget=budget))
                assert_frame_equal(plain(own[expected.columns]), expected)


def test_some_columns_are_those_of_the_whole_frame_in_the_given_order(lake: Lake) -> None:
    for name in ("ledger", "budgets", "months"):
        whole = getattr(lake, name)().compute()
        for columns in (["budget_id"], [*whole.columns[::-2]]):
            chosen = getattr(lake, name)(columns=columns)
            assert [*chosen.columns] == columns
            assert_frame_equal(chosen.compute(), whole[columns])


def test_unknown_columns_are_refused_before_anything_is_read(lake: Lake) -> None:
    with pytest.raises(ToolError, match="ledger has no column 'amuont'; the closest: amount"):
        lake.ledger(columns=["amuont"])
    wrong: Any
    for wrong in ("amount", 7):
        with pytest.raises(ToolError, match=f"columns={wrong!r}: it must be a list of names"):
            lake.ledger(columns=wrong)


def test_a_bucket_is_the_index(service: Service, lake: Lake) -> None:
    ledger = lake.ledger()
    rows = ledger.compute()
    assert rows.index.name == "bucket"
    by_bucket = rows.groupby("bucket")["budget_id"].unique()
    for bucket in by_bucket.index:
        found = ledger.loc[bucket].compute()
        assert [*found["budget_id"].unique()] == [*by_bucket[bucket]]
    assert totals(rows, "currency")["amount"].to_dict() == {
        "EUR": totals(service.facade(EURO).ledger(), [])["amount"].item(),
        "JPY": totals(service.facade(YEN).ledger(), [])["amount"].item(),
    }
