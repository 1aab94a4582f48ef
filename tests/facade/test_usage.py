"""The count of requests: used, left, time until the next one, by resource and by cell."""

import httpx
import pytest

from budgetframe import ToolError
from budgetframe._client.usage import RequestUsage
from tests.facade.scripts import run_script
from tests.facade.service import Connect, ServiceWithFacade


def test_a_new_connection_has_sent_nothing() -> None:
    assert ServiceWithFacade().bf.requests == RequestUsage(0, 200, 0.0, {}, {})


def test_requests_are_counted_by_resource() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    service_with_facade.bf.payees()
    service_with_facade.bf.month("2026-05")
    service_with_facade.bf.month("2026-04")
    service_with_facade.bf.settings()
    service_with_facade.bf.user()
    assert service_with_facade.bf.requests.by_resource == {
        "budgets": 1,
        "accounts": 1,
        "payees": 1,
        "months": 2,
        "settings": 1,
        "user": 1,
    }


def test_deltas_and_writes_count_too() -> None:
    service_with_facade = ServiceWithFacade(limit=1_000)
    account_id = service_with_facade.bf.accounts()["account_id"].iloc[0]
    service_with_facade.clock.advance(300.0)
    service_with_facade.bf.accounts()
    service_with_facade.bf.create_transactions(
        [{"account_id": account_id, "date": "2026-06-01", "amount": -1.0}]
    )
    assert service_with_facade.bf.requests.by_resource == {
        "budgets": 1,
        "accounts": 2,
        "transactions": 1,
    }


def test_a_cached_answer_is_not_counted() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    before = service_with_facade.bf.requests
    service_with_facade.bf.accounts()
    assert service_with_facade.bf.requests == before


def test_the_next_request_is_free_now_if_some_are_left() -> None:
    service_with_facade = ServiceWithFacade(threshold=3)
    service_with_facade.bf.accounts()
    assert (service_with_facade.bf.requests.left, service_with_facade.bf.requests.next_free) == (
        1,
        0.0,
    )


def test_the_time_of_the_next_request_is_shown_if_none_are_left() -> None:
    service_with_facade = ServiceWithFacade(threshold=2)
    service_with_facade.bf.accounts()
    service_with_facade.clock.advance(600.0)
    assert (service_with_facade.bf.requests.left, service_with_facade.bf.requests.next_free) == (
        0,
        3000.0,
    )
    assert repr(service_with_facade.bf.requests) == (
        "2 of 2 requests used in the last hour, 0 left, the next one in 3000 s"
    )


def test_a_request_that_is_refused_here_is_not_counted() -> None:
    service_with_facade = ServiceWithFacade(threshold=2)
    service_with_facade.bf.accounts()
    with pytest.raises(ToolError):
        service_with_facade.bf.payees()
    assert service_with_facade.bf.requests.by_resource == {"budgets": 1, "accounts": 1}


def test_counts_by_resource_include_requests_older_than_an_hour() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    service_with_facade.clock.advance(7_200.0)
    assert service_with_facade.bf.requests == RequestUsage(
        0, 200, 0.0, {"budgets": 1, "accounts": 1}, {}
    )


def test_two_connections_share_the_limit_and_count_what_each_has_sent(connect: Connect) -> None:
    one = connect("http://127.0.0.1:9/v1", "a-token-for-two-connections")
    other = connect("http://127.0.0.1:9/v1", "a-token-for-two-connections")
    with pytest.raises(httpx.ConnectError):
        one.user()
    assert one.requests.used == other.requests.used == 3  # a read is sent three times
    assert other.requests.by_resource == {}


@pytest.mark.slow  # starts IPython
def test_requests_are_counted_by_cell() -> None:
    ended = run_script("""
        from IPython.testing.globalipapp import start_ipython
        shell = start_ipython()
        shell.run_cell(
            "from budgetframe import BudgetFrame; bf = BudgetFrame.sandbox()", store_history=True
        )
        first = len(shell.user_ns["In"])  # the number of the next input
        shell.run_cell("bf.accounts(); bf.payees();", store_history=True)
        shell.run_cell("bf.accounts();", store_history=True)
        shell.run_cell("bf.months();", store_history=True)
        by_cell = shell.user_ns["bf"].requests.by_cell
        print({number - first: count for number, count in by_cell.items()})
    """)
    assert ended.out.splitlines()[-1] == "{0: 3, 2: 1}"
