"""Connections of a process with one address and token: what one has read, the others show."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, StaleDataWarning, ToolError
from budgetframe.sandbox import Sandbox, serve
from tests.facade.service import TOKEN, Connect, ServiceWithFacade

BUDGET = "Household"
OPTIONS: list[dict[str, Any]] = [
    {}, {"ttl": 60.0}, {"read_only": True}, {"verify": True}, {"on_limit": "raise"},
    {"timeout": 5.0},
]  # fmt: skip


def read(bf: BudgetFrame) -> list[object]:
    """A frame, a model, a report, a single object, an awaited frame and another budget."""
    return [
        len(bf.transactions()), len(bf.models.accounts()), len(bf.reports.net_worth()),
        bf.category("Groceries").name, len(asyncio.run(bf.aio.payees())),
        bf.with_budget("東京の家計").accounts()["account_name"].tolist(),
    ]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_cell_that_connects_again_sends_nothing(
    address: str, connect: Connect, options: dict[str, Any]
) -> None:
    first = connect(address, budget=BUDGET)
    expected, used = read(first), first.requests.used
    again = connect(address, budget=BUDGET, **options)
    assert read(again) == expected
    assert again.requests.used == used
    assert again.requests.by_resource == {}
    assert again.requests.from_cache["transactions"] > 0


def test_another_token_shares_nothing(connect: Connect) -> None:
    for token in ("a-first-token-0001", "a-second-token-0002"):
        with serve(Sandbox(token=token, years=1)) as url, connect(url, token) as bf:
            bf.user()
            assert bf.requests.by_resource == {"user": 1}


def test_a_write_and_a_refresh_count_for_all(address: str, connect: Connect) -> None:
    reader, writer = connect(address, budget=BUDGET), connect(address, budget=BUDGET)
    before = len(reader.transactions())
    row = {"account_name": "Checking", "date": "2026-06-03", "amount": -1.25}
    writer.create_transactions([row])
    assert len(reader.transactions()) == before + 1
    used = reader.requests.used
    assert len(writer.transactions()) == before + 1
    assert reader.requests.used == used
    writer.refresh()
    reader.transactions()
    assert reader.requests.used == used + 1


@pytest.mark.parametrize(("ttl", "is_open", "is_kept"), [
    (0.0, False, False), (0.0, True, True), (300.0, False, True),
])  # fmt: skip
def test_an_old_answer_leaves_memory_if_no_connection_is_open(
    connect: Connect, ttl: float, *, is_open: bool, is_kept: bool
) -> None:
    with serve(Sandbox(token=TOKEN, years=1)) as url:
        other = connect(url, ttl=0)
        with connect(url, budget=BUDGET, ttl=ttl) as bf:
            bf.accounts(), other.user()
            if not is_open:
                other.close()
        later = connect(url, budget=BUDGET, ttl=0)
    with pytest.warns(StaleDataWarning) if is_kept else pytest.raises(httpx.ConnectError):
        later.accounts()


def test_connections_with_a_function_as_token_share_nothing() -> None:
    service = Sandbox(token=TOKEN, years=1)
    tokens = iter([TOKEN, "the-token-of-somebody-else"])
    current = next(tokens)

    def present() -> str:
        return current

    with serve(service) as url:
        assert not BudgetFrame.connect(present, base_url=url, budget=BUDGET).accounts().empty
        current = next(tokens)
        with pytest.raises(ServiceAPIError, match="Unauthorized"):
            BudgetFrame.connect(present, base_url=url, budget=BUDGET).accounts()


@pytest.mark.parametrize("ttl", [0.0, 300.0])
def test_threads_that_read_and_write_agree_at_the_end(connect: Connect, ttl: float) -> None:
    service = Sandbox(token=TOKEN, years=1)

    def work(bf: BudgetFrame) -> None:
        for number in range(3):
            bf.transactions(), bf.accounts()
            row = {"account_name": "Savings", "date": "2026-06-04", "amount": -1.0 - number}
            bf.create_transactions([row])
            bf.ledger()

    with serve(service) as url, ThreadPoolExecutor(3) as pool:
        connections = [connect(url, budget=BUDGET, ttl=ttl) for _ in range(3)]
        list(pool.map(work, connections))
        expected = BudgetFrame.sandbox(service)
        for bf in connections:
            pd.testing.assert_frame_equal(bf.transactions(), expected.transactions())
            pd.testing.assert_frame_equal(bf.accounts(), expected.accounts())


def test_a_budget_that_was_not_there_is_looked_for_again(connect: Connect) -> None:
    service = Sandbox(token=TOKEN, years=1)
    with serve(service) as url:
        with pytest.raises(ToolError, match="no budget 'New'"):
            connect(url, budget="New").accounts()
        service.budgets[1].budget.name = "New"
        assert not connect(url, budget="New").accounts().empty


def test_a_read_without_a_request_is_counted_once(home: ServiceWithFacade) -> None:
    bf = home.bf
    bf.accounts(), bf.transactions(), bf.ledger()  # the ledger also needs other lists
    assert bf.requests.from_cache == {"accounts": 1, "transactions": 1}
