"""An answer with amounts of the old month is not cached for the new month."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import httpx
import pytest

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe.sandbox import Sandbox
from tests.facade.service import CATEGORY_ID, EMPTY_EXPORT
from tests.models.shapes import full

from .wire import ClientUnderTest, Json, answer

LAST_SECOND_OF_JUNE_2026 = 1_782_863_999.0  # 2026-06-30T23:59:59Z

Read = Callable[[BudgetFrame], Coroutine[Any, Any, Any]]
Case = tuple[Read, str, Json]

READS_OF_THE_CURRENT_MONTH: dict[str, Case] = {
    "categories": (lambda bf: bf.aio.categories(), "GET /budgets/b1/categories",
        {"category_groups": []}),
    "category": (lambda bf: bf.aio.category(CATEGORY_ID),
        f"GET /budgets/b1/categories/{CATEGORY_ID}", {"category": full("Category")}),
    "month": (lambda bf: bf.aio.month(), "GET /budgets/b1/months/current",
        {"month": full("MonthDetail")}),
    "export": (lambda bf: bf.aio.export(), "GET /budgets/b1",
        {"budget": {**EMPTY_EXPORT, "id": "b1", "name": "Home"}}),
}  # fmt: skip
READS_OF_NO_CURRENT_MONTH: dict[str, Case] = {
    "payees": (lambda bf: bf.aio.payees(), "GET /budgets/b1/payees", {"payees": []}),
    "month by name": (lambda bf: bf.aio.month("2026-06"), "GET /budgets/b1/months/2026-06-01",
        {"month": full("MonthDetail")}),
}  # fmt: skip


class ClientAtMonthEnd(ClientUnderTest):
    """A client with the one budget "Home", one second before the month ends."""

    def __init__(self) -> None:
        budgets = {"budgets": [{**full("BudgetSummary"), "id": "b1", "name": "Home"}]}
        super().__init__(answer(budgets))
        self.wall.now = LAST_SECOND_OF_JUNE_2026
        self.bf = BudgetFrame(self.client, budget="Home")
        self.run(self.bf.aio.budgets())

    def answers(self, data: Json, *, after: float) -> None:
        """Add an answer that arrives some seconds after its request."""

        def later(_request: httpx.Request) -> httpx.Response:
            self.wall.advance(after)
            return answer(data)

        self.wire.script.append(later)


def calls_of_two_reads(read: Read, data: Json, *, after: float) -> list[str]:
    """The requests of two reads; the first answer arrives some seconds after its request."""
    under_test = ClientAtMonthEnd()
    under_test.answers(data, after=after)
    under_test.answers(data, after=0.0)
    under_test.run(read(under_test.bf))
    under_test.run(read(under_test.bf))
    return under_test.wire.calls[1:]  # the first one is of the list of budgets


@pytest.mark.parametrize(("name", "after", "count"), [
    *((name, 2.0, 2) for name in READS_OF_THE_CURRENT_MONTH),
    *((name, 0.5, 1) for name in READS_OF_THE_CURRENT_MONTH),
    *((name, 2.0, 1) for name in READS_OF_NO_CURRENT_MONTH),
])  # fmt: skip
def test_answers_after_their_month_are_not_cached(name: str, after: float, count: int) -> None:
    read, call, data = (READS_OF_THE_CURRENT_MONTH | READS_OF_NO_CURRENT_MONTH)[name]
    assert calls_of_two_reads(read, data, after=after) == [call] * count


def test_second_answer_after_the_month_end_is_cached() -> None:
    under_test = ClientAtMonthEnd()
    under_test.answers({"category_groups": []}, after=2.0)
    under_test.answers({"category_groups": []}, after=0.0)
    under_test.run(under_test.bf.aio.categories())
    under_test.run(under_test.bf.aio.categories())
    under_test.run(under_test.bf.aio.categories())
    assert under_test.wire.calls[1:] == ["GET /budgets/b1/categories"] * 2


def test_a_list_answered_after_the_month_end_leaves_no_cursor() -> None:
    under_test = ClientAtMonthEnd()
    under_test.answers({"category_groups": [], "server_knowledge": 5}, after=2.0)
    under_test.answers({"category_groups": [], "server_knowledge": 6}, after=0.0)
    under_test.get("/budgets/b1/categories")
    under_test.get("/budgets/b1/categories")
    assert under_test.wire.cursors == [None, None, None]


def test_a_delta_answered_after_the_month_end_is_replaced_by_the_list_in_full() -> None:
    under_test = ClientAtMonthEnd()
    group: Json = {"id": "g1", "name": "July", "categories": [], "deleted": False}
    under_test.answers({"category_groups": [], "server_knowledge": 5}, after=0.0)
    under_test.answers({"category_groups": [], "server_knowledge": 6}, after=2.0)
    under_test.answers({"category_groups": [group], "server_knowledge": 7}, after=0.0)
    under_test.get("/budgets/b1/categories")
    assert under_test.get("/budgets/b1/categories") == {"category_groups": [group]}
    assert under_test.wire.cursors == [None, None, "5", None]


@pytest.mark.parametrize("days", [1, -31])
def test_the_month_is_that_of_the_service_and_not_of_the_clock(days: int) -> None:
    service = Sandbox(years=0, today="2026-06-30")
    wall = (service.now() + timedelta(days=days)).timestamp()
    found, path = [], f"/budgets/{service.budgets[0].budget.id}/categories"

    async def read() -> None:
        headers = {"Authorization": f"Bearer {service.token}"}
        options: dict[str, Any] = {"base_url": service.base_url, "headers": headers}
        async with httpx.AsyncClient(transport=service.transport(), **options) as http:
            client = ServiceClient(http, RateLimiter(), DeltaCache(wall_clock=lambda: wall))
            for advance in (0, 0, 1, 0):
                service.advance(advance)
                groups = (await client.get(path))["category_groups"]
                rows = {
                    row["name"]: row["activity"] for each in groups for row in each["categories"]
                }
                found.append((service.requests_served, rows["Groceries"]))

    asyncio.run(read())
    # The first answer is not stored; in July, the changes are followed by the whole list.
    assert found == [(1, -507.53), (2, -507.53), (4, 0.0), (5, 0.0)]
