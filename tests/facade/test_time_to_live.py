"""How long answers are cached, and what an update costs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from budgetframe import BudgetFrame, DeltaCache, RateLimiter, ServiceClient, ToolError
from budgetframe._cache.storage import MemoryStorage
from budgetframe.sandbox import Sandbox
from tests.facade.service import LISTS, WITH_DELTAS, ServiceWithFacade

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


def of_list(name: str) -> Read:
    return lambda bf: getattr(bf, name)()


READS = {**{name: of_list(name) for name in LISTS}, **SINGLE}
every_read = pytest.mark.parametrize("read", READS.values(), ids=READS.keys())


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_within_the_time_to_live_a_read_costs_no_request(
    home: ServiceWithFacade, read: Any
) -> None:
    read(home.bf)
    used, served = home.bf.requests.used, home.served
    home.clock.advance(299.9)
    read(home.bf)
    assert (home.bf.requests.used, home.served) == (used, served)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_requests_used_says_what_the_service_saw(home: ServiceWithFacade, read: Any) -> None:
    read(home.bf)
    assert home.bf.requests.used == home.served


def test_after_the_time_to_live_a_list_costs_exactly_one_delta_request(
    subtests: pytest.Subtests,
) -> None:
    for name in WITH_DELTAS:
        with subtests.test(name=name):
            home = ServiceWithFacade()
            getattr(home.bf, name)()
            sent = len(home.wire.requests)
            home.clock.advance(300.0)
            getattr(home.bf, name)()
            assert ["last_knowledge_of_server" in query for query in home.wire.queries[sent:]] == [
                True
            ]


@pytest.mark.parametrize("name", ["transactions", "subtransactions"])
def test_a_delta_of_transactions_states_the_same_first_day_as_the_full_read(
    home: ServiceWithFacade, name: str
) -> None:
    getattr(home.bf, name)()
    home.clock.advance(300.0)
    getattr(home.bf, name)()
    first, again = home.wire.queries[-2:]
    assert first["since_date"] <= "1970-01-01"
    assert again["since_date"] == first["since_date"]


def test_a_delta_asks_from_the_knowledge_of_the_list(home: ServiceWithFacade) -> None:
    home.bf.accounts()
    knowledge = home.service.device.state().knowledge
    home.clock.advance(300.0)
    home.bf.accounts()
    assert home.wire.queries[-1] == {"last_knowledge_of_server": str(knowledge)}


@pytest.mark.parametrize("name", ["money_movements", "money_movement_groups", "payee_locations"])
def test_after_the_time_to_live_a_list_without_keys_or_deltas_is_read_in_full(
    home: ServiceWithFacade, name: str
) -> None:
    getattr(home.bf, name)()
    sent = len(home.wire.requests)
    home.clock.advance(300.0)
    getattr(home.bf, name)()
    assert home.wire.queries[sent:] == [{}]


@pytest.mark.parametrize("name", ["settings", "user", "month", "budgets"])
def test_after_the_time_to_live_anything_else_costs_one_full_request(
    home: ServiceWithFacade, name: str
) -> None:
    READS[name](home.bf)
    sent = len(home.wire.requests)
    home.clock.advance(300.0)
    READS[name](home.bf)
    assert home.wire.queries[sent:] == [{}]


def test_transactions_and_their_parts_share_one_request(home: ServiceWithFacade) -> None:
    home.bf.transactions()
    served = home.served
    home.bf.subtransactions()
    assert home.served == served


def test_two_schedules_frames_share_one_request(home: ServiceWithFacade) -> None:
    home.bf.scheduled_transactions()
    served = home.served
    home.bf.scheduled_subtransactions()
    assert home.served == served


def test_a_time_to_live_of_zero_asks_every_time() -> None:
    home = ServiceWithFacade(ttl=0)
    home.bf.accounts()
    served = home.served
    home.bf.accounts()
    assert home.served == served + 1


def test_a_time_to_live_of_zero_still_asks_for_deltas() -> None:
    home = ServiceWithFacade(ttl=0)
    home.bf.accounts()
    home.bf.accounts()
    assert "last_knowledge_of_server" in home.wire.queries[-1]


def test_the_time_to_live_is_a_parameter() -> None:
    home = ServiceWithFacade(ttl=10.0)
    home.bf.accounts()
    served = home.served
    home.clock.advance(10.0)
    home.bf.accounts()
    assert home.served == served + 1


def test_a_client_without_a_cache_is_given_one() -> None:
    home = ServiceWithFacade(cached=False)
    home.bf.accounts()
    served = home.served
    home.bf.accounts()
    assert home.served == served


@pytest.mark.parametrize("ttl", [-1.0, float("nan")])
def test_an_invalid_time_to_live_is_refused(ttl: float) -> None:
    with pytest.raises(ToolError, match="ttl"):
        ServiceWithFacade(ttl=ttl)


def test_the_default_time_to_live_is_five_minutes(home: ServiceWithFacade) -> None:
    bf = BudgetFrame(home.client, budget="Household")
    bf.accounts()
    home.clock.advance(299.0)
    bf.accounts()
    served = home.served
    home.clock.advance(1.0)
    bf.accounts()
    assert home.served == served + 1


# refresh


def test_after_a_refresh_the_next_call_reads_in_full(home: ServiceWithFacade) -> None:
    home.bf.accounts()
    home.bf.refresh()
    sent = len(home.wire.requests)
    home.bf.accounts()
    assert "last_knowledge_of_server" not in home.wire.queries[-1]
    assert home.wire.paths[sent:][-1] == f"GET {home.path}/accounts"


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_refresh_forgets_every_kind_of_answer(home: ServiceWithFacade, read: Any) -> None:
    read(home.bf)
    read(home.bf)
    served = home.served
    home.bf.refresh()
    read(home.bf)
    assert home.served > served


def test_a_refresh_sends_nothing(home: ServiceWithFacade) -> None:
    home.bf.accounts()
    served = home.served
    home.bf.refresh()
    assert home.served == served


def test_a_refresh_before_the_first_read_does_nothing(home: ServiceWithFacade) -> None:
    home.bf.refresh()
    assert len(home.bf.accounts()) > 0


# The month of an answer


def test_the_categories_are_reloaded_when_the_month_changes() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=10_000_000.0)
    bf.categories()
    served = service.requests_served
    service.advance(days=14)
    bf.categories()
    assert service.requests_served == served + 1


def test_the_current_month_is_reloaded_when_the_month_changes() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=10_000_000.0)
    june = bf.month()
    service.advance(days=14)
    july = bf.month()
    assert [june["month"].iloc[0].month, july["month"].iloc[0].month] == [6, 7]


def test_the_current_month_and_the_same_month_by_name_have_the_same_rows(
    home: ServiceWithFacade,
) -> None:
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
