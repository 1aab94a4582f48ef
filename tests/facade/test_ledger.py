"""The ledger of a service: its cost and its attrs."""

from typing import Any

import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, StaleDataWarning
from tests.facade.service import Home, ServiceWithFacade, read_only

PARTS = ["transactions", "accounts", "categories", "payees"]

# What it costs


def test_a_ledger_costs_four_lists_then_nothing_then_four_deltas(home: ServiceWithFacade) -> None:
    before, path = home.bf.ledger(), home.path.removeprefix("/v1")
    assert before.attrs["source"] == " and ".join(f"GET {path}/{name}" for name in PARTS)
    assert home.wire.lists == ["budgets", *PARTS]
    assert home.wire.queries[1] == {"since_date": "1900-01-01"}
    home.clock.advance(299.9)
    home.bf.ledger(since="2026-01-01", money="milliunits")
    assert home.bf.requests.used == home.served == 5
    home.clock.advance(0.1)
    assert_frame_equal(home.bf.ledger(), before)
    assert home.wire.lists[5:] == PARTS
    assert ["last_knowledge_of_server" in query for query in home.wire.queries[5:]] == [True] * 4
    home.bf.refresh()
    home.bf.ledger()
    assert home.wire.lists[-4:] == PARTS


def test_a_ledger_costs_nothing_while_an_export_is_fresh(home: ServiceWithFacade) -> None:
    home.bf.export()
    served, found = home.served, home.bf.ledger()
    assert home.served == served
    assert found.attrs["source"] == f"GET {home.path.removeprefix('/v1')}"
    assert_frame_equal(found, read_only().ledger())


def test_a_ledger_reads_the_parts_in_the_same_answer_as_their_wholes() -> None:
    home = ServiceWithFacade(ttl=0)
    home.bf.ledger()
    assert home.wire.lists == ["budgets", *PARTS]


# The service does not answer


def test_at_the_limit_the_last_ledger_is_returned_with_a_warning_for_each_list() -> None:
    home = Home(ttl=0)
    before = home.bf.ledger()
    home.use_up()
    with pytest.warns(StaleDataWarning, match="rate limit reached") as caught:
        after = home.bf.ledger()
    assert_frame_equal(after, before)
    assert [str(each.message).partition(":")[0] for each in caught] == PARTS
    assert after.attrs["stale"] == "; ".join(str(each.message) for each in caught)


def test_a_ledger_with_one_stale_list_warns_and_has_the_time_of_that_list() -> None:
    home = Home(ttl=0)
    home.bf.ledger()
    home.service.advance(1)
    home.fail("500:GET:*/payees")
    with pytest.warns(StaleDataWarning, match="^payees: shown as of 2026-06-17") as caught:
        found = home.bf.ledger()
    assert len(caught) == 1
    assert found.attrs["as_of"] == "2026-06-17T12:00:00+00:00"
    assert found.attrs["stale"].startswith("payees: shown as of 2026-06-17")


# Periods


def test_a_period_includes_both_end_days() -> None:
    bf = read_only(years=None)
    every, found = bf.ledger(), bf.ledger(since="2026-05-04", until="2026-05-29")
    is_in = every["date"].between("2026-05-04", "2026-05-29")
    assert_frame_equal(found, every[is_in].reset_index(drop=True))
    assert {"2026-05-04", "2026-05-29"} <= set(found["date"].dt.strftime("%Y-%m-%d"))


# The attrs of a ledger


@pytest.mark.parametrize("first", ["transactions", "accounts", "categories", "payees"])
def test_a_ledger_has_the_time_of_its_oldest_list(first: str) -> None:
    home = Home(ttl=1_000_000.0)
    getattr(home.bf, first)()
    home.service.advance(1)
    found = home.bf.ledger()
    assert found.attrs["as_of"] == "2026-06-17T12:00:00+00:00"
    assert found.attrs["budget"] == "Household"


def test_every_form_of_a_ledger_says_where_it_is_from(subtests: pytest.Subtests) -> None:
    arguments: Any
    for arguments in [{}, {"since": "2026-06-01"}, {"money": "decimal"}]:
        with subtests.test(arguments=arguments):
            attrs = Home().bf.ledger(**arguments).attrs
            known = {"as_of", "budget", "currency_format", "source", "loans", "rows", "version"}
            assert set(attrs) == known | ({"since"} & set(arguments))


def test_changing_a_ledger_does_not_change_the_lists_and_vice_versa(bf: BudgetFrame) -> None:
    transactions = bf.transactions()
    bf.ledger()["amount"].array[:] = 0.0
    assert_frame_equal(bf.transactions(), transactions)
    untouched = bf.ledger()
    bf.transactions()["amount"].array[:] = 0.0
    bf.accounts()["on_budget"].array[:] = False
    assert_frame_equal(bf.ledger(), untouched)
