"""Transactions of all years, and of a period."""

from datetime import UTC, date, datetime
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox
from tests.facade.service import ServiceWithFacade, data, one_budget, scripted, untouched


def row(key: str, day: str) -> dict[str, object]:
    state = {"account_id": "a1", "account_name": "Checking", "cleared": "cleared", "approved": True}
    parts = [{"id": f"{key}-1", "transaction_id": key, "amount": -1000}]
    return {"id": key, "date": day, "amount": -1000, **state, "subtransactions": parts}


@pytest.fixture
def five_days() -> BudgetFrame:
    days = ("2019-12-31", "2020-01-01", "2026-05-31", "2026-06-01", "2026-06-30")
    rows = [row(f"t{number}", day) for number, day in enumerate(days, 1)]
    content = {"transactions": rows, "server_knowledge": 5}
    return scripted(one_budget(lambda _: data(content)))


@pytest.mark.parametrize(("since", "until", "expected"), [
    ("2020-01-01", "2026-06-01", ["t2", "t3", "t4"]), ("2026-06-01", "2026-06-01", ["t4"]),
    (None, "2020-01-01", ["t1", "t2"]), ("2026-06-01", None, ["t4", "t5"]),
    (date(2026, 6, 1), None, ["t4", "t5"]),
    (datetime(2026, 6, 1, 23, 59, tzinfo=UTC), None, ["t4", "t5"]),
    (pd.Timestamp("2026-06-01 12:00"), None, ["t4", "t5"]), ("2021-01-01", "2021-12-31", []),
])  # fmt: skip
def test_a_period_has_the_rows_of_both_end_days_and_all_days_between(
    five_days: BudgetFrame, since: Any, until: str | None, expected: list[str]
) -> None:
    found = five_days.transactions(since=since, until=until)
    assert found["transaction_id"].tolist() == expected
    assert found.index.tolist() == [*range(len(expected))]
    pd.testing.assert_series_equal(found.dtypes, five_days.transactions().dtypes)
    parts = five_days.subtransactions(since=since, until=until)
    assert parts["subtransaction_id"].tolist() == [f"{key}-1" for key in expected]


def test_a_first_read_of_a_period_loads_the_whole_list_for_every_other_period() -> None:
    home = ServiceWithFacade(years=None)
    home.bf.transactions(since="2026-05-01", until="2026-05-31")
    assert home.wire.queries[-1] == {"since_date": "1900-01-01"}
    served = home.served
    assert home.bf.transactions()["date"].min() < pd.Timestamp("2024-01-01")
    home.bf.subtransactions(since="2024-01-01", until="2024-12-31")
    assert home.served == served


def test_the_frame_of_a_period_has_the_attrs_of_its_answer(home: ServiceWithFacade) -> None:
    assert set(home.bf.transactions(since="2026-05-01").attrs) == {
        "as_of", "source", "budget", "currency_format", "since", "version",
    }  # fmt: skip


# The service keeps money movements for a limited time


@pytest.mark.parametrize("method", ["money_movements", "money_movement_groups"])
def test_a_month_before_movements_were_recorded_has_no_rows_rather_than_zeros(method: str) -> None:
    bf = BudgetFrame.sandbox(untouched(None))
    before, on_record = getattr(bf, method)("2023-01"), getattr(bf, method)("2026-05")
    assert len(before) == 0
    assert len(on_record) > 0
    pd.testing.assert_series_equal(before.dtypes, on_record.dtypes)


def test_the_movements_of_a_month_are_those_of_that_month_alone() -> None:
    bf = BudgetFrame.sandbox(Sandbox(years=1, budgets=1, movement_totals=True))
    rent = bf.money_movements("2026-05").set_index("category_name").loc["Rent"]
    month = bf.month("2026-05").set_index("category_name").loc["Rent"]
    assert (rent["allocation"], -rent["spent"]) == (month["budgeted"], month["activity"])
