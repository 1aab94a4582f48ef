"""All categories in all months: one request for any period."""

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from tests.facade.service import ServiceWithFacade, read_only


def test_all_months_cost_one_request_besides_the_list_of_budgets(home: ServiceWithFacade) -> None:
    frame = home.bf.month_categories()
    assert home.served == 2
    assert frame["month"].min() == home.bf.export()["months"]["month"].min()
    assert home.served == 2


def test_another_period_costs_no_request_and_includes_both_ends(home: ServiceWithFacade) -> None:
    home.bf.month_categories()
    frame = home.bf.month_categories(since="2026-03", until="2026-05-17")
    assert home.served == 2
    assert frame["month"].dt.strftime("%Y-%m-%d").unique().tolist() == [
        "2026-03-01", "2026-04-01", "2026-05-01",
    ]  # fmt: skip


def test_a_month_and_a_category_are_one_row() -> None:
    frame = read_only().month_categories()
    assert not frame.duplicated(["month", "category_id"]).any()
    # `pivot` raises an error on duplicate rows.
    table = frame.pivot(index="month", columns="category_id", values="activity")
    assert isinstance(table.index, pd.DatetimeIndex)


def test_a_month_of_month_categories_equals_that_of_month() -> None:
    bf = read_only()
    may = bf.month_categories(since="2026-05", until="2026-05")
    pd.testing.assert_frame_equal(may, bf.month("2026-05")[may.columns.tolist()])


def test_the_amount_that_can_be_assigned_is_that_of_the_month_and_costs_one_request() -> None:
    bf = BudgetFrame.sandbox()
    months, sent = bf.months(), bf.requests.used
    amounts = [bf.ready_to_assign(), bf.ready_to_assign("2026-05")]
    assert amounts == months["to_be_budgeted"].tolist()[:-3:-1] == [246.85, 280.43]
    assert bf.requests.used == sent
    with pytest.raises(ToolError, match="month='2030-05': the budget has no month 2030-05"):
        bf.ready_to_assign("2030-05")
