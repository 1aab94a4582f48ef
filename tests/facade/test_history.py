"""Transactions of all years, and of a period."""

from datetime import UTC, date, datetime
from typing import Any

import httpx
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from tests.facade.service import ServiceWithFacade, data, one_budget, scripted


def row(transaction_id: str, day: str, parts: int = 0) -> dict[str, object]:
    return {
        "id": transaction_id,
        "date": day,
        "amount": -1000,
        "account_id": "a1",
        "account_name": "Checking",
        "approved": True,
        "cleared": "cleared",
        "deleted": False,
        "subtransactions": [
            {
                "id": f"{transaction_id}-{part}",
                "transaction_id": transaction_id,
                "amount": -500,
                "deleted": False,
            }
            for part in range(parts)
        ],
    }


ROWS = [
    row("t1", "2019-12-31"),
    row("t2", "2020-01-01", parts=2),
    row("t3", "2026-05-31"),
    row("t4", "2026-06-01", parts=2),
    row("t5", "2026-06-30"),
]


def budget() -> BudgetFrame:
    def handler(_request: httpx.Request) -> httpx.Response:
        return data({"transactions": ROWS, "server_knowledge": 5})

    return scripted(one_budget(handler))


def test_transactions_reach_back_to_the_first_one() -> None:
    home = ServiceWithFacade(years=None)
    oldest = min(each.date for each in home.service.device.state().transactions.live())
    assert home.bf.transactions()["date"].iloc[0] == pd.Timestamp(oldest)
    assert oldest < date(2025, 6, 17)


def test_the_frame_has_every_transaction_of_the_service(home: ServiceWithFacade) -> None:
    every = {each.id for each in home.service.device.state().transactions.live()}
    assert set(home.bf.transactions()["transaction_id"]) == every


def test_the_first_and_the_last_day_are_included() -> None:
    frame = budget().transactions(since="2020-01-01", until="2026-06-01")
    assert frame["transaction_id"].tolist() == ["t2", "t3", "t4"]


def test_since_alone_has_no_end() -> None:
    assert budget().transactions(since="2026-06-01")["transaction_id"].tolist() == ["t4", "t5"]


def test_until_alone_has_no_beginning() -> None:
    assert budget().transactions(until="2020-01-01")["transaction_id"].tolist() == ["t1", "t2"]


def test_a_single_day_can_be_asked_for() -> None:
    frame = budget().transactions(since="2026-06-01", until="2026-06-01")
    assert frame["transaction_id"].tolist() == ["t4"]


def test_the_parts_of_splits_are_filtered_by_the_day_of_the_whole() -> None:
    frame = budget().subtransactions(since="2026-01-01")
    assert frame["subtransaction_id"].tolist() == ["t4-0", "t4-1"]


def test_the_rows_of_a_period_are_numbered_from_zero() -> None:
    assert budget().transactions(since="2026-06-01").index.tolist() == [0, 1]


def test_a_period_without_transactions_has_the_same_columns_and_dtypes() -> None:
    bf = budget()
    nothing = bf.transactions(since="2021-01-01", until="2021-12-31")
    assert len(nothing) == 0
    pd.testing.assert_series_equal(nothing.dtypes, bf.transactions().dtypes)


def test_a_day_may_be_text_a_date_a_datetime_or_a_timestamp(subtests: pytest.Subtests) -> None:
    since: Any
    for since in [
        "2026-06-01",
        date(2026, 6, 1),
        datetime(2026, 6, 1, 23, 59, tzinfo=UTC),
        pd.Timestamp("2026-06-01 12:00"),
    ]:
        with subtests.test(since=since):
            assert budget().transactions(since=since)["transaction_id"].tolist() == ["t4", "t5"]


def test_every_period_is_served_by_one_request(home: ServiceWithFacade) -> None:
    home.bf.transactions()
    served = home.served
    home.bf.transactions(since="2026-05-01")
    home.bf.transactions(until="2023-12-31")
    home.bf.subtransactions(since="2024-01-01", until="2024-12-31")
    assert home.served == served


def test_a_first_read_of_a_period_loads_the_whole_list() -> None:
    home = ServiceWithFacade(years=None)
    home.bf.transactions(since="2026-06-01")
    served = home.served
    assert home.bf.transactions()["date"].min() < pd.Timestamp("2024-01-01")
    assert home.served == served


def test_the_service_does_not_filter_by_day(home: ServiceWithFacade) -> None:
    home.bf.transactions(since="2026-05-01", until="2026-05-31")
    assert set(home.wire.queries[-1]) == {"since_date"}
    assert home.wire.queries[-1]["since_date"] <= "1970-01-01"


def test_a_period_equals_the_same_rows_of_everything(home: ServiceWithFacade) -> None:
    everything = home.bf.transactions()
    may = everything[everything["date"].between("2026-05-01", "2026-05-31")]
    asked = home.bf.transactions(since="2026-05-01", until="2026-05-31")
    assert_frame_equal(asked, may.reset_index(drop=True))


def test_the_frame_of_a_period_has_the_attrs_of_its_answer(home: ServiceWithFacade) -> None:
    asked = home.bf.transactions(since="2026-05-01")
    assert set(asked.attrs) == {
        "as_of", "source", "budget", "currency_format", "since", "version",
    }  # fmt: skip


# The service keeps money movements for a limited time


@pytest.mark.parametrize("method", ["money_movements", "money_movement_groups"])
def test_a_month_before_movements_were_recorded_has_no_rows_rather_than_zeros(method: str) -> None:
    bf = ServiceWithFacade(years=None).bf
    before, on_record = getattr(bf, method)("2023-01"), getattr(bf, method)("2026-05")
    assert len(before) == 0
    assert len(on_record) > 0
    pd.testing.assert_series_equal(before.dtypes, on_record.dtypes)


def test_the_movements_of_a_month_are_those_of_that_month_alone(bf: BudgetFrame) -> None:
    rent = bf.money_movements("2026-05").set_index("category_name").loc["Rent"]
    month = bf.month("2026-05").set_index("category_name").loc["Rent"]
    assert (rent["allocation"], -rent["spent"]) == (month["budgeted"], month["activity"])
