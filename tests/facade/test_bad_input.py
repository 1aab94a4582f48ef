"""Invalid arguments raise an error before a request is sent."""

from typing import Any

import pandas as pd
import pytest

from budgetframe import ServiceAPIError, ToolError
from tests.facade.service import ServiceWithFacade

MONTHS = (
    "2026-13", "2026-00", "2026-5", "2026/05", "May 2026", "2026-05-17", "2026-05-32", "", "..",
    "../accounts", "2026-05-01/../../accounts", "2026-05?x=1", "2026-05#", "CURRENT ", 202_605,
    None, pd.NaT,
)  # fmt: skip
BY_MONTH = ("month", "money_movements", "money_movement_groups")
BY_NAME = ("account", "category", "payee")
BY_KEY = ("payee_location", "transaction", "scheduled_transaction")


def test_a_malformed_month_is_refused(home: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    for month in MONTHS:
        with subtests.test(month=month):
            with pytest.raises(ToolError) as caught:
                home.bf.month(month)  # type: ignore[arg-type]
            assert repr(month) in str(caught.value)
            assert "'2026-05'" in str(caught.value)
            assert home.served == 0


@pytest.mark.parametrize("month", ["2026-05", "2026-05-01", pd.Timestamp("2026-05-17")], ids=str)
def test_a_month_is_written_as_itself_or_a_day_in_it(home: ServiceWithFacade, month: Any) -> None:
    for method in BY_MONTH:
        getattr(home.bf, method)(month)
        ending = "" if method == "month" else f"/{method}"
        assert home.wire.paths[-1] == f"GET {home.path}/months/2026-05-01{ending}"


# Ids never change which endpoint is called


def listing(method: str) -> str:
    return f"{method}s"


def test_an_unsafe_id_is_refused(home: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    for method in BY_KEY:
        for item_id in ("", ".", "..", " ", ". .", None, 7, b"x", ["x"]):
            with subtests.test(method=method, item_id=item_id):
                with pytest.raises(ToolError):
                    getattr(home.bf, method)(item_id)
                assert not any(listing(method) in path for path in home.wire.paths)


def test_a_hostile_id_stays_one_segment(home: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    for method in BY_KEY:
        for item_id, quoted in [
            ("../../../user", "..%2F..%2F..%2Fuser"),
            ("x?since_date=2026-01-01", "x%3Fsince_date%3D2026-01-01"), ("x#y", "x%23y"),
            ("x/transactions", "x%2Ftransactions"), ("%2e%2e", "%252e%252e"),
            ("a\r\nHost: evil", "a%0D%0AHost%3A%20evil"), ("\\..\\", "%5C..%5C"), (";x", "%3Bx"),
            ("é", "%C3%A9"),
        ]:  # fmt: skip
            with subtests.test(method=method, item_id=item_id):
                with pytest.raises(ServiceAPIError) as caught:
                    getattr(home.bf, method)(item_id)
                assert caught.value.error_id == "404.2"
                assert home.wire.paths[-1] == f"GET {home.path}/{listing(method)}/{quoted}"
                assert home.wire.queries[-1] == {}


def test_a_hostile_name_is_looked_up(home: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    for method in BY_NAME:
        for name in ("..", "../../../user", "x?since_date=2026-01-01", "#"):
            message = f"the budget has no {method} "
            with subtests.test(method=method, name=name), pytest.raises(ToolError, match=message):
                getattr(home.bf, method)(name)
    assert home.wire.lists == ["budgets", "accounts", "categories", "payees"]


def test_an_item_of_one_id_is_never_served_for_another(home: ServiceWithFacade) -> None:
    first, second = home.bf.accounts()["account_id"].iloc[:2]
    assert home.bf.account(first).id == first
    assert home.bf.account(second).id == second
