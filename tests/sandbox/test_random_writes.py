"""Random writes by a client and a second device; the books must balance after each one."""

import asyncio
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import http_client
from tests.sandbox.audit import check_books
from tests.stateful.other_device import EDITS
from tests.stateful.writes import WRITES, RandomChoices, Write

amounts = st.integers(-300_000, 300_000)
numbers = st.integers(0, 2**16 - 1)
spellings = st.sampled_from(["budgets", "plans"])
texts = st.sampled_from([None, "", "Laden", "花屋", "x" * 200])


def several(kinds: Iterable[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from([*kinds]), min_size=1, max_size=8)


class Writers(RuleBasedStateMachine):
    """A client and a second device write to the same budget."""

    @initialize(seed=st.integers(0, 3))
    def start(self, seed: int) -> None:
        self.sandbox = Sandbox(seed=seed, years=1, budgets=1, limit=10**9)
        self.budget = self.sandbox.device.state()
        self.runner = asyncio.Runner()
        self.http = http_client(self.sandbox)

    def teardown(self) -> None:
        self.runner.run(self.http.aclose())
        self.runner.close()

    def send(self, write: Write, spelling: str = "budgets") -> None:
        """Send one request: it is one write, or it is refused and changes nothing."""
        before, url = self.budget.knowledge, f"/{spelling}/last-used/{write.path}"
        response = self.runner.run(self.http.request(write.method, url, json=write.body))
        if response.status_code in {200, 201}:
            assert self.budget.knowledge - before in {0, 1}
        else:
            assert response.status_code in {400, 404, 409}, response.text
            assert self.budget.knowledge == before
        check_books(self.sandbox)

    @rule(one=numbers, two=numbers, amount=amounts, spelling=spellings, makes=several(WRITES))
    def write(self, one: int, two: int, amount: int, spelling: str, makes: list[Any]) -> None:
        for number, make in enumerate(makes):
            self.send(make(RandomChoices(self.budget, one + 7 * number, two, amount)), spelling)

    @rule(one=numbers, two=numbers, amount=amounts, days=st.integers(0, 700), name=texts)
    def write_names(self, one: int, two: int, amount: int, days: int, name: str | None) -> None:
        """Write a name that may be missing, empty or too long, on a day that may be too early."""
        chosen = RandomChoices(self.budget, one, two, amount)
        day = (self.sandbox.today - timedelta(days)).isoformat()
        row = chosen.row() | {"payee_name": name, "date": day}
        self.send(Write("", "POST", "transactions", {"transaction": row}))
        self.send(Write("", "POST", "payees", {"payee": {"name": name}}))
        path = f"payees/{chosen.id_of('payees', one)}"
        self.send(Write("", "PATCH", path, {"payee": {"name": name}}))
        group = chosen.id_of("groups", one)
        category = {"name": name, "category_group_id": group, "goal_target": amount}
        self.send(Write("", "POST", "categories", {"category": category}))
        path = f"categories/{chosen.id_of('categories', two)}"
        self.send(Write("", "PATCH", path, {"category": category}))

    @rule(one=numbers, two=numbers, amount=amounts)
    def write_what_is_refused(self, one: int, two: int, amount: int) -> None:
        """Write parts that do not add up, and to months and categories that may not exist."""
        chosen = RandomChoices(self.budget, one, two, amount)
        row = chosen.row() | {"amount": amount + 1, "subtransactions": chosen.parts()}
        self.send(Write("", "POST", "transactions", {"transaction": row}))
        number = self.budget.current_month - 14 + two % 20
        path = f"months/{number // 12}-{number % 12 + 1:02d}-01/categories/"
        path += chosen.id_of("categories", one)
        self.send(Write("", "PATCH", path, {"category": {"budgeted": amount}}))

    @rule(one=numbers, two=numbers, amount=amounts, edits=several(EDITS))
    def edit_on_the_device(self, one: int, two: int, amount: int, edits: list[Any]) -> None:
        for number, edit in enumerate(edits):
            edit(self.sandbox, RandomChoices(self.budget, one + 7 * number, two, amount))
            check_books(self.sandbox)

    @rule(one=numbers)
    def wait(self, one: int) -> None:
        self.sandbox.advance(one % 40)
        check_books(self.sandbox)


# A run has many steps and checks the books after each: it is slow, and fewer runs are enough.
Writers.TestCase.settings = settings(
    max_examples=settings().max_examples // 6, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
test_the_books_balance_after_any_write = pytest.mark.slow(Writers.TestCase)
