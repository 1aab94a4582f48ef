"""How long answers are cached, and what an update costs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import methodcaller
from typing import Any

import pytest

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient
from budgetframe._cache.storage import MemoryStorage
from budgetframe.sandbox import Sandbox
from tests.facade.service import LISTS, WITH_DELTAS, ServiceWithFacade

CURSOR = "last_knowledge_of_server"

Read = Callable[[BudgetFrame], Any]

SINGLE: dict[str, Read] = {
    "user": lambda bf: bf.user(),
    "budgets": lambda bf: bf.budgets(),
    "settings": lambda bf: bf.settings(),
    "account": lambda bf: bf.account(bf.accounts()["account_id"].iloc[0]),
    "category": lambda bf: bf.category(bf.categories()["category_id"].iloc[0]),
    "payee": lambda bf: bf.payee(bf.payees()["payee_id"].iloc[0]),
    "payee_location": lambda bf: bf.payee_location(
        bf.payee_locations()["payee_location_id"].iloc[0]
    ),
    "transaction": lambda bf: bf.transaction(bf.transactions()["transaction_id"].iloc[0]),
    "scheduled_transaction": lambda bf: bf.scheduled_transaction(
        bf.scheduled_transactions()["scheduled_transaction_id"].iloc[0]
    ),
    "month": lambda bf: bf.month(),
    "month of its own": lambda bf: bf.month("2026-05"),
    "movements of a month": lambda bf: bf.money_movements("2026-05"),
    "movement groups of a month": lambda bf: bf.money_movement_groups("2026-05"),
    "export": lambda bf: bf.export(),
}


READS: dict[str, Read] = {**{name: methodcaller(name) for name in LISTS}, **SINGLE}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_is_free_until_the_time_or_a_refresh(home: ServiceWithFacade, read: Read) -> None:
    read(home.bf)
    served = home.served
    home.clock.advance(299.9)
    read(home.bf)
    assert home.bf.requests.used == home.served == served
    home.bf.refresh()
    assert home.served == served
    read(home.bf)
    assert home.served > served
    assert CURSOR not in home.wire.queries[-1]


def queries_of_a_second_read(home: ServiceWithFacade, name: str) -> list[dict[str, str]]:
    """The queries of the requests that a read sends after the time to live."""
    READS[name](home.bf)
    sent = len(home.wire.requests)
    home.clock.advance(300.0)
    READS[name](home.bf)
    return home.wire.queries[sent:]


@pytest.mark.parametrize("name", WITH_DELTAS)
def test_after_the_ttl_a_list_costs_one_delta(home: ServiceWithFacade, name: str) -> None:
    since = {"since_date": "1900-01-01"} if name in ("transactions", "subtransactions") else {}
    knowledge = str(home.service.device.state().knowledge)
    assert queries_of_a_second_read(home, name) == [{**since, CURSOR: knowledge}]


@pytest.mark.parametrize(
    "name", [*sorted({*LISTS} - {*WITH_DELTAS}), "settings", "user", "month", "budgets"]
)
def test_after_the_time_to_live_one_request_is_sent(home: ServiceWithFacade, name: str) -> None:
    assert queries_of_a_second_read(home, name) == [{}]


@pytest.mark.parametrize(("whole", "parts"), [
    ("transactions", "subtransactions"), ("scheduled_transactions", "scheduled_subtransactions"),
])  # fmt: skip
def test_rows_and_parts_share_one_request(home: ServiceWithFacade, whole: str, parts: str) -> None:
    READS[whole](home.bf)
    served = home.served
    READS[parts](home.bf)
    assert home.served == served


@pytest.mark.parametrize("ttl", [0.0, 10.0])
def test_the_time_to_live_is_a_parameter(ttl: float) -> None:
    home = ServiceWithFacade(ttl=ttl)
    home.bf.accounts()
    home.clock.advance(ttl)
    home.bf.accounts()
    assert home.served == 3
    assert CURSOR in home.wire.queries[-1]


def test_a_client_without_a_cache_is_given_one() -> None:
    home = ServiceWithFacade(cached=False)
    home.bf.accounts()
    served = home.served
    home.bf.accounts()
    assert home.served == served


def test_the_default_time_to_live_is_five_minutes(home: ServiceWithFacade) -> None:
    bf = BudgetFrame(home.client, budget="Household")
    bf.accounts()
    home.clock.advance(299.0)
    bf.accounts()
    served = home.served
    home.clock.advance(1.0)
    bf.accounts()
    assert home.served == served + 1


# The month of an answer


def test_the_categories_and_the_current_month_are_reloaded_when_the_month_changes() -> None:
    service = Sandbox(years=1, budgets=1)
    bf = BudgetFrame.sandbox(service, ttl=10_000_000.0)
    bf.categories()
    assert bf.month()["month"].iloc[0].month == 6
    served = service.requests_served
    service.advance(days=14)
    bf.categories()
    assert bf.month()["month"].iloc[0].month == 7
    assert service.requests_served == served + 2


def test_the_current_month_and_the_same_by_name_have_the_same_rows(home: ServiceWithFacade) -> None:
    assert home.bf.month("current").equals(home.bf.month("2026-06"))


class CountingStorage(MemoryStorage):
    """Counts the transactions; those inside another one do not count."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self._depth = 0

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        del write
        self.count += not self._depth
        self._depth += 1
        yield
        self._depth -= 1


def test_a_read_asks_the_cache_before_and_after_its_request() -> None:
    home, storage = ServiceWithFacade(), CountingStorage()
    cache = DeltaCache(clock=home.clock, storage=storage)
    bf = BudgetFrame(ServiceClient(home.http, RateLimiter(), cache), budget="Household")

    def transactions_of_a_read() -> int:
        before = storage.count
        bf.transactions()
        return storage.count - before

    assert transactions_of_a_read() == 6  # also for the choice, and the list of budgets
    assert transactions_of_a_read() == 1
    home.clock.advance(300.0)
    assert transactions_of_a_read() == 2  # a delta
    bf.refresh()
    assert transactions_of_a_read() == 2
