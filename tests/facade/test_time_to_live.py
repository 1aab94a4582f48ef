"""What is remembered, for how long, and what it costs to be up to date again."""

from collections.abc import Callable
from typing import Any

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox
from tests.facade.service import LISTS, WITH_DELTAS, House

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


@every_read
def test_within_the_time_to_live_a_read_costs_no_request(read: Read) -> None:
    house = House()
    read(house.bf)
    used, served = house.bf.requests.used, house.served
    house.clock.advance(299.9)
    read(house.bf)
    assert (house.bf.requests.used, house.served) == (used, served)


@every_read
def test_requests_used_says_what_the_service_saw(read: Read) -> None:
    house = House()
    read(house.bf)
    assert house.bf.requests.used == house.served


@pytest.mark.parametrize("name", WITH_DELTAS)
def test_after_the_time_to_live_a_list_costs_exactly_one_delta_request(name: str) -> None:
    house = House()
    getattr(house.bf, name)()
    sent = len(house.wire.requests)
    house.clock.advance(300.0)
    getattr(house.bf, name)()
    assert ["last_knowledge_of_server" in query for query in house.wire.queries[sent:]] == [True]


@pytest.mark.parametrize("name", ["transactions", "subtransactions"])
def test_a_delta_of_transactions_states_the_same_first_day_as_the_full_read(name: str) -> None:
    house = House()
    getattr(house.bf, name)()
    house.clock.advance(300.0)
    getattr(house.bf, name)()
    first, again = house.wire.queries[-2:]
    assert first["since_date"] <= "1970-01-01"
    assert again["since_date"] == first["since_date"]


def test_a_delta_asks_from_the_knowledge_of_the_list() -> None:
    house = House()
    house.bf.accounts()
    knowledge = house.service.device.state().knowledge
    house.clock.advance(300.0)
    house.bf.accounts()
    assert house.wire.queries[-1] == {"last_knowledge_of_server": str(knowledge)}


@pytest.mark.parametrize("name", ["money_movements", "money_movement_groups", "payee_locations"])
def test_after_the_time_to_live_a_list_without_keys_or_deltas_is_read_in_full(name: str) -> None:
    house = House()
    getattr(house.bf, name)()
    sent = len(house.wire.requests)
    house.clock.advance(300.0)
    getattr(house.bf, name)()
    assert house.wire.queries[sent:] == [{}]


@pytest.mark.parametrize("name", ["settings", "user", "export", "month", "budgets"])
def test_after_the_time_to_live_anything_else_costs_one_full_request(name: str) -> None:
    house = House()
    READS[name](house.bf)
    sent = len(house.wire.requests)
    house.clock.advance(300.0)
    READS[name](house.bf)
    assert house.wire.queries[sent:] == [{}]


def test_transactions_and_their_parts_share_one_request() -> None:
    house = House()
    house.bf.transactions()
    served = house.served
    house.bf.subtransactions()
    assert house.served == served


def test_two_schedules_frames_share_one_request() -> None:
    house = House()
    house.bf.scheduled_transactions()
    served = house.served
    house.bf.scheduled_subtransactions()
    assert house.served == served


def test_a_time_to_live_of_zero_asks_every_time() -> None:
    house = House(ttl=0)
    house.bf.accounts()
    served = house.served
    house.bf.accounts()
    assert house.served == served + 1


def test_a_time_to_live_of_zero_still_asks_for_deltas() -> None:
    house = House(ttl=0)
    house.bf.accounts()
    house.bf.accounts()
    assert "last_knowledge_of_server" in house.wire.queries[-1]


def test_the_time_to_live_is_a_parameter() -> None:
    house = House(ttl=10.0)
    house.bf.accounts()
    served = house.served
    house.clock.advance(10.0)
    house.bf.accounts()
    assert house.served == served + 1


def test_a_client_without_a_cache_is_given_one() -> None:
    house = House(cached=False)
    house.bf.accounts()
    served = house.served
    house.bf.accounts()
    assert house.served == served


@pytest.mark.parametrize("ttl", [-1.0, float("nan")])
def test_a_time_to_live_that_cannot_be_one_is_refused(ttl: float) -> None:
    with pytest.raises(ToolError, match="ttl"):
        House(ttl=ttl)


def test_the_default_time_to_live_is_five_minutes() -> None:
    house = House()
    bf = BudgetFrame(house.client, budget="Household")
    bf.accounts()
    house.clock.advance(299.0)
    bf.accounts()
    served = house.served
    house.clock.advance(1.0)
    bf.accounts()
    assert house.served == served + 1


# refresh


def test_after_a_refresh_the_next_call_reads_in_full() -> None:
    house = House()
    house.bf.accounts()
    house.bf.refresh()
    sent = len(house.wire.requests)
    house.bf.accounts()
    assert "last_knowledge_of_server" not in house.wire.queries[-1]
    assert house.wire.paths[sent:][-1] == f"GET {house.path}/accounts"


@every_read
def test_a_refresh_forgets_every_kind_of_answer(read: Read) -> None:
    house = House()
    read(house.bf)
    read(house.bf)
    served = house.served
    house.bf.refresh()
    read(house.bf)
    assert house.served > served


def test_a_refresh_sends_nothing() -> None:
    house = House()
    house.bf.accounts()
    served = house.served
    house.bf.refresh()
    assert house.served == served


def test_a_refresh_before_anything_was_read_does_no_harm() -> None:
    house = House()
    house.bf.refresh()
    assert len(house.bf.accounts()) > 0


# The month that an answer is of


def test_the_categories_of_the_current_month_are_read_anew_when_the_month_changes() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=10_000_000.0)
    bf.categories()
    served = service.requests_served
    service.advance(days=14)
    bf.categories()
    assert service.requests_served == served + 1


def test_the_current_month_is_read_anew_when_the_month_changes() -> None:
    service = Sandbox()
    bf = BudgetFrame.sandbox(service, ttl=10_000_000.0)
    june = bf.month()
    service.advance(days=14)
    july = bf.month()
    assert [june["month"].iloc[0].month, july["month"].iloc[0].month] == [6, 7]


def test_the_current_month_and_the_same_month_by_name_have_the_same_rows() -> None:
    house = House()
    assert house.bf.month("current").equals(house.bf.month("2026-06"))
