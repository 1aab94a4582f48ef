"""The count of requests: used, left, time until the next one, by resource and by cell."""

import re

import httpx
import pytest

from budgetframe import BudgetFrame, RequestUsage, ToolError
from tests.facade.scripts import run_script
from tests.facade.service import Connect, ServiceWithFacade


def test_requests_are_counted_by_resource_and_within_the_last_hour(home: ServiceWithFacade) -> None:
    bf = home.bf
    assert bf.requests == RequestUsage(0, 200, 0.0, {}, {})
    for _ in range(2):  # a cached answer is not counted
        bf.accounts(), bf.month("2026-05"), bf.month("2026-04"), bf.settings(), bf.user()
    sent = {"budgets": 1, "accounts": 1, "months": 2, "settings": 1, "user": 1}
    cached = {"accounts": 1, "months": 2, "settings": 1, "user": 1}
    assert bf.requests == RequestUsage(6, 200, 0.0, sent, {}, cached)
    home.clock.advance(7_200.0)
    assert bf.requests == RequestUsage(0, 200, 0.0, sent, {}, cached)


def test_the_time_of_the_next_request_is_shown_if_none_are_left() -> None:
    home = ServiceWithFacade(threshold=2)
    home.bf.accounts()
    home.clock.advance(600.0)
    with pytest.raises(ToolError):
        home.bf.payees()
    assert (home.bf.requests.used, home.bf.requests.left) == (2, 0)
    assert home.bf.requests.by_resource == {"budgets": 1, "accounts": 1}
    assert repr(home.bf.requests) == (
        "2 of 2 requests used in the last hour, 0 left, the next one in 3000 s"
    )


def test_deltas_and_writes_count_too() -> None:
    home = ServiceWithFacade(limit=1_000)
    account_id = home.bf.accounts()["account_id"].iloc[0]
    home.clock.advance(300.0)
    home.bf.accounts()
    # The write reads the present rows first.
    home.bf.create_transactions([{"account_id": account_id, "date": "2026-06-01", "amount": -1.0}])
    assert home.bf.requests.by_resource == {"budgets": 1, "accounts": 2, "transactions": 2}


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


def test_requests_are_shown_as_a_table_by_resource_and_cell() -> None:
    shown = RequestUsage(3, 200, 0.0, {"budgets": 1, "accounts": 2}, {4: 3})._repr_html_()
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", shown) == [
        *("requests", "3 of 200 requests used in the last hour, 197 left"),
        *("for budgets", "1", "for accounts", "2", "in cell 4", "3"),
    ]


def test_names_in_the_table_of_requests_are_escaped() -> None:
    assert "<img" not in RequestUsage(1, 200, 0.0, {"<img src=x>": 1})._repr_html_()


def test_table_of_requests_is_small() -> None:
    bf = BudgetFrame.sandbox()
    bf.reports.net_worth()
    assert len(bf.requests._repr_html_()) < 1_000
