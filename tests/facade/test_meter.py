"""The count of requests: used, left, when the next is free, by resource and by cell."""

import httpx
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe._client.usage import Requests
from tests.facade.scripts import run_script
from tests.facade.service import House


def test_nothing_was_sent_at_first() -> None:
    assert House().bf.requests == Requests(0, 200, 0.0, {}, {})


def test_requests_are_counted_by_what_they_asked_for() -> None:
    house = House()
    house.bf.accounts()
    house.bf.payees()
    house.bf.month("2026-05")
    house.bf.month("2026-04")
    house.bf.settings()
    house.bf.user()
    assert house.bf.requests.by_resource == {
        "budgets": 1,
        "accounts": 1,
        "payees": 1,
        "months": 2,
        "settings": 1,
        "user": 1,
    }


def test_deltas_and_writes_count_too() -> None:
    house = House(limit=1_000)
    account_id = house.bf.accounts()["account_id"].iloc[0]
    house.clock.advance(300.0)
    house.bf.accounts()
    house.bf.create_transactions([{"account_id": account_id, "date": "2026-06-01", "amount": -1.0}])
    assert house.bf.requests.by_resource == {"budgets": 1, "accounts": 2, "transactions": 1}


def test_what_is_remembered_counts_nothing() -> None:
    house = House()
    house.bf.accounts()
    before = house.bf.requests
    house.bf.accounts()
    assert house.bf.requests == before


def test_with_some_left_the_next_one_is_free_now() -> None:
    house = House(threshold=3)
    house.bf.accounts()
    assert (house.bf.requests.left, house.bf.requests.next_free) == (1, 0.0)


def test_with_none_left_it_says_when_the_next_one_is_free() -> None:
    house = House(threshold=2)
    house.bf.accounts()
    house.clock.advance(600.0)
    assert (house.bf.requests.left, house.bf.requests.next_free) == (0, 3000.0)
    assert repr(house.bf.requests) == (
        "2 of 2 requests used in the last hour, 0 left, the next one in 3000 s"
    )


def test_a_request_that_is_refused_here_is_not_counted() -> None:
    house = House(threshold=2)
    house.bf.accounts()
    with pytest.raises(ToolError):
        house.bf.payees()
    assert house.bf.requests.by_resource == {"budgets": 1, "accounts": 1}


def test_what_was_sent_is_counted_beyond_the_hour() -> None:
    house = House()
    house.bf.accounts()
    house.clock.advance(7_200.0)
    assert house.bf.requests == Requests(0, 200, 0.0, {"budgets": 1, "accounts": 1}, {})


def test_two_connections_share_the_limit_and_count_what_each_has_sent() -> None:
    one = BudgetFrame.connect("a-token-for-two-connections", base_url="http://127.0.0.1:9/v1")
    other = BudgetFrame.connect("a-token-for-two-connections", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(httpx.ConnectError):
        one.user()
    assert one.requests.used == other.requests.used > 0
    assert other.requests.by_resource == {}


def test_requests_are_counted_by_cell() -> None:
    ended = run_script("""
        from IPython.testing.globalipapp import start_ipython
        shell = start_ipython()
        shell.run_cell(
            "from budgetframe import BudgetFrame; bf = BudgetFrame.sandbox()", store_history=True
        )
        first = len(shell.user_ns["In"])  # of the next input
        shell.run_cell("bf.accounts(); bf.payees();", store_history=True)
        shell.run_cell("bf.accounts();", store_history=True)
        shell.run_cell("bf.months();", store_history=True)
        by_cell = shell.user_ns["bf"].requests.by_cell
        print({number - first: count for number, count in by_cell.items()})
    """)
    assert ended.out.splitlines()[-1] == "{0: 3, 2: 1}"
