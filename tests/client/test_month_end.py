"""A month that ends while the service is asked: what is of the old one is not kept as the new's."""

from collections.abc import Callable, Coroutine
from typing import Any

import httpx

from budgetframe import BudgetFrame
from tests.models.shapes import full

from .case import case
from .wire import ClientUnderTest, Json, answer

LAST_SECOND_OF_JUNE_2026 = 1_782_863_999.0  # 2026-06-30T23:59:59Z

Read = Callable[[BudgetFrame], Coroutine[Any, Any, Any]]
Of = tuple[Read, str, Json]

OF_THE_CURRENT_MONTH: dict[str, Of] = {
    "categories": (
        lambda bf: bf.aio.categories(),
        "GET /budgets/b1/categories",
        {"category_groups": []},
    ),
    "category": (
        lambda bf: bf.aio.category("c1"),
        "GET /budgets/b1/categories/c1",
        {"category": full("Category")},
    ),
    "month": (
        lambda bf: bf.aio.month(),
        "GET /budgets/b1/months/current",
        {"month": full("MonthDetail")},
    ),
    "export": (
        lambda bf: bf.aio.export(),
        "GET /budgets/b1",
        {"budget": {"id": "b1", "name": "Home"}},
    ),
}
OF_ANY_MONTH: dict[str, Of] = {
    "payees": (lambda bf: bf.aio.payees(), "GET /budgets/b1/payees", {"payees": []}),
    "month by name": (
        lambda bf: bf.aio.month("2026-06"),
        "GET /budgets/b1/months/2026-06-01",
        {"month": full("MonthDetail")},
    ),
}


class Office(ClientUnderTest):
    """A desk with the one budget "Home", a second before the month ends."""

    def __init__(self) -> None:
        budgets = {"budgets": [{**full("BudgetSummary"), "id": "b1", "name": "Home"}]}
        super().__init__(answer(budgets))
        self.wall.now = LAST_SECOND_OF_JUNE_2026
        self.bf = BudgetFrame(self.client, budget="Home")
        self.run(self.bf.aio.budgets())

    def answers(self, data: Json, *, after: float) -> None:
        """Script the next answer, so many seconds after it was asked for."""

        def later(_request: httpx.Request) -> httpx.Response:
            self.wall.advance(after)
            return answer(data)

        self.wire.script.append(later)


def test_what_was_answered_after_the_month_it_was_asked_in_is_asked_for_again() -> None:
    for name, (read, call, data) in OF_THE_CURRENT_MONTH.items():
        with case(name):
            office = Office()
            office.answers(data, after=2.0)
            office.answers(data, after=0.0)
            office.run(read(office.bf))
            office.run(read(office.bf))
            assert office.wire.calls == ["GET /budgets", call, call]


def test_what_was_answered_within_the_month_is_remembered() -> None:
    for name, (read, call, data) in OF_THE_CURRENT_MONTH.items():
        with case(name):
            office = Office()
            office.answers(data, after=0.5)
            office.run(read(office.bf))
            office.run(read(office.bf))
            assert office.wire.calls == ["GET /budgets", call]


def test_what_is_of_no_current_month_is_remembered_over_its_end() -> None:
    for name, (read, call, data) in OF_ANY_MONTH.items():
        with case(name):
            office = Office()
            office.answers(data, after=2.0)
            office.run(read(office.bf))
            office.run(read(office.bf))
            assert office.wire.calls == ["GET /budgets", call]


def test_what_was_answered_after_the_month_end_is_remembered_from_the_next_read_on() -> None:
    office = Office()
    office.answers({"category_groups": []}, after=2.0)
    office.answers({"category_groups": []}, after=0.0)
    office.run(office.bf.aio.categories())
    office.run(office.bf.aio.categories())
    office.run(office.bf.aio.categories())
    assert office.wire.calls[1:] == ["GET /budgets/b1/categories"] * 2


def test_a_list_answered_after_the_month_end_leaves_no_cursor() -> None:
    office = Office()
    office.answers({"category_groups": [], "server_knowledge": 5}, after=2.0)
    office.answers({"category_groups": [], "server_knowledge": 6}, after=0.0)
    office.get("/budgets/b1/categories")
    office.get("/budgets/b1/categories")
    assert office.wire.cursors == [None, None, None]


def test_a_delta_answered_after_the_month_end_is_replaced_by_the_list_in_full() -> None:
    office = Office()
    group: Json = {"id": "g1", "name": "July", "categories": [], "deleted": False}
    office.answers({"category_groups": [], "server_knowledge": 5}, after=0.0)
    office.answers({"category_groups": [], "server_knowledge": 6}, after=2.0)
    office.answers({"category_groups": [group], "server_knowledge": 7}, after=0.0)
    office.get("/budgets/b1/categories")
    assert office.get("/budgets/b1/categories") == {"category_groups": [group]}
    assert office.wire.cursors == [None, None, "5", None]
