"""Invalid arguments raise an error before a request is sent."""

from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from tests.facade.service import ServiceWithFacade

DAYS = (
    "2026-02-30",
    "2026-13-01",
    "26-05-17",
    "2026-5-17",
    "17.05.2026",
    "2026-13",
    "0000",
    "26-05",
    "",
    " ",
    "yesterday",
    "2026-05-17T00:00:00",
    "2026-05-17 ",
    "\u0662\u0660\u0662\u0666-\u0660\u0665-\u0661\u0667",
    "\u0662\u0660\u0662\u0666",
    20_260_517,
    2026.5,
    True,
    ["2026-05-17"],
    pd.NaT,
)
MONTHS = (
    "2026-13",
    "2026-00",
    "2026-5",
    "2026/05",
    "May 2026",
    "2026-05-17",
    "2026-05-32",
    "",
    "..",
    "../accounts",
    "2026-05-01/../../accounts",
    "2026-05?x=1",
    "2026-05#",
    "CURRENT ",
    202_605,
    None,
    pd.NaT,
)
BY_MONTH = ("month", "money_movements", "money_movement_groups")
BY_NAME = ("account", "category", "payee")
BY_KEY = ("payee_location", "transaction", "scheduled_transaction")


def refused(method: str, *arguments: Any, **options: Any) -> str:
    """The message of the error that a call raises; no request may have been sent."""
    service_with_facade = ServiceWithFacade()
    with pytest.raises(ToolError) as caught:
        getattr(service_with_facade.bf, method)(*arguments, **options)
    assert service_with_facade.served == 0
    return str(caught.value)


def test_a_malformed_day_is_refused_with_its_argument_and_value(subtests: pytest.Subtests) -> None:
    for method in ["transactions", "subtransactions"]:
        for argument in ["since", "until"]:
            for day in DAYS:
                with subtests.test(method=method, argument=argument, day=day):
                    message = refused(method, **{argument: day})
                    assert f"{argument}={day!r}" in message


def test_the_refusal_of_a_day_shows_how_to_write_one() -> None:
    message = refused("transactions", since="17.05.2026")
    assert message == (
        "since='17.05.2026' is not a day, a month or a year: write it as '2026-05-17', '2026-05' or"
        " '2026'"
    )


@pytest.mark.parametrize("method", ["transactions", "subtransactions"])
def test_since_after_until_is_refused_with_both(method: str) -> None:
    call = {"since": "2026-06-02", "until": "2026-06-01"}
    message = refused(method, **call)
    assert "2026-06-02" in message
    assert "2026-06-01" in message


@pytest.mark.parametrize("month", MONTHS)
def test_a_malformed_month_is_refused_with_its_value(month: Any) -> None:
    message = refused("month", month)
    assert repr(month) in message


def test_a_malformed_month_of_money_movements_is_refused_with_its_value(
    subtests: pytest.Subtests,
) -> None:
    for method in ["money_movements", "money_movement_groups"]:
        for month in [each for each in MONTHS if each is not None]:
            with subtests.test(method=method, month=month):
                message = refused(method, month)
                assert repr(month) in message


def test_the_refusal_of_a_month_shows_how_to_write_one() -> None:
    assert "'2026-05'" in refused("month", "May")


def test_a_month_may_be_written_as_itself_or_as_a_day_in_it(subtests: pytest.Subtests) -> None:
    for month in ["2026-05", "2026-05-01", pd.Timestamp("2026-05-17")]:
        for method in BY_MONTH:
            with subtests.test(month=month, method=method):
                service_with_facade = ServiceWithFacade()
                getattr(service_with_facade.bf, method)(month)
                ending = "" if method == "month" else f"/{method}"
                assert (
                    service_with_facade.wire.paths[-1]
                    == f"GET {service_with_facade.path}/months/2026-05-01{ending}"
                )


def test_a_month_outside_the_budget_is_the_service_s_own_error() -> None:
    service_with_facade = ServiceWithFacade()
    with pytest.raises(ServiceAPIError, match="Resource not found"):
        service_with_facade.bf.month("1999-01")


# Ids never change which endpoint is called


def listing(method: str) -> str:
    return f"{method}s"


def test_an_id_that_quoting_cannot_make_safe_is_refused(subtests: pytest.Subtests) -> None:
    for method in BY_KEY:
        for item_id in ["", ".", "..", " ", ". ."]:
            with subtests.test(method=method, item_id=item_id):
                service_with_facade = ServiceWithFacade()
                with pytest.raises(ToolError):
                    getattr(service_with_facade.bf, method)(item_id)
                assert not any(listing(method) in path for path in service_with_facade.wire.paths)


def test_an_id_of_another_type_is_refused(subtests: pytest.Subtests) -> None:
    item_id: Any
    for item_id in [None, 7, b"x", ["x"]]:
        for method in (*BY_NAME, *BY_KEY):
            with subtests.test(item_id=item_id, method=method), pytest.raises(ToolError):
                getattr(ServiceWithFacade().bf, method)(item_id)


def test_a_hostile_id_stays_one_segment_of_the_endpoint(subtests: pytest.Subtests) -> None:
    for method in BY_KEY:
        for item_id, quoted in [
            ("../", "..%2F"),
            ("../../../user", "..%2F..%2F..%2Fuser"),
            ("?", "%3F"),
            ("x?since_date=2026-01-01", "x%3Fsince_date%3D2026-01-01"),
            ("#", "%23"),
            ("x#y", "x%23y"),
            ("x/transactions", "x%2Ftransactions"),
            ("%2e%2e", "%252e%252e"),
            ("..%2f", "..%252f"),
            ("a b", "a%20b"),
            ("a\r\nHost: evil", "a%0D%0AHost%3A%20evil"),
            ("\\..\\", "%5C..%5C"),
            (";x", "%3Bx"),
            ("é", "%C3%A9"),
        ]:
            with subtests.test(method=method, item_id=item_id, quoted=quoted):
                service_with_facade = ServiceWithFacade()
                with pytest.raises(ServiceAPIError) as caught:
                    getattr(service_with_facade.bf, method)(item_id)
                assert caught.value.error_id == "404.2"
                assert (
                    service_with_facade.wire.paths[-1]
                    == f"GET {service_with_facade.path}/{listing(method)}/{quoted}"
                )
                assert service_with_facade.wire.queries[-1] == {}


def test_a_hostile_name_is_only_looked_up_in_the_list(subtests: pytest.Subtests) -> None:
    service_with_facade = ServiceWithFacade()
    for method in BY_NAME:
        for name in ["..", "../../../user", "x?since_date=2026-01-01", "#"]:
            message = f"the budget has no {method} "
            with subtests.test(method=method, name=name), pytest.raises(ToolError, match=message):
                getattr(service_with_facade.bf, method)(name)
    assert service_with_facade.wire.lists == ["budgets", "accounts", "categories", "payees"]


def test_an_item_of_one_id_is_never_served_for_another() -> None:
    service_with_facade = ServiceWithFacade()
    first, second = service_with_facade.bf.accounts()["account_id"].iloc[:2]
    assert service_with_facade.bf.account(first).id == first
    assert service_with_facade.bf.account(second).id == second


def test_a_loop_of_an_unknown_kind_is_refused() -> None:
    loop: Any = "theirs"
    with pytest.raises(ToolError, match="theirs"):
        BudgetFrame(ServiceWithFacade().client, loop=loop)
