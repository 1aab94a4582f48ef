"""The ledger of a service: its cost and its attrs."""

import asyncio
from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ServiceAPIError, StaleDataWarning, ToolError
from budgetframe.sandbox import Sandbox
from tests.clock import Clock
from tests.facade.service import ServiceWithFacade

# What it costs


def test_the_first_ledger_costs_four_lists() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.ledger()
    assert service_with_facade.wire.lists == [
        "budgets",
        "transactions",
        "accounts",
        "categories",
        "payees",
    ]
    assert service_with_facade.bf.requests.used == service_with_facade.served == 5


def test_within_the_time_to_live_a_ledger_costs_nothing() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.ledger()
    service_with_facade.clock.advance(299.9)
    service_with_facade.bf.ledger(since="2026-01-01", money="milliunits")
    assert service_with_facade.served == 5


def test_after_the_time_to_live_a_ledger_costs_four_deltas() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.ledger()
    service_with_facade.clock.advance(300.0)
    service_with_facade.bf.ledger()
    assert service_with_facade.wire.lists[5:] == [
        "transactions",
        "accounts",
        "categories",
        "payees",
    ]
    assert [
        "last_knowledge_of_server" in query for query in service_with_facade.wire.queries[5:]
    ] == [True] * 4


def test_a_ledger_states_the_first_day_of_all_years() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.ledger()
    assert service_with_facade.wire.queries[1] == {"since_date": "1900-01-01"}


def test_lists_that_were_read_already_cost_nothing_more() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.transactions()
    service_with_facade.bf.accounts()
    served = service_with_facade.served
    service_with_facade.bf.ledger()
    assert service_with_facade.wire.lists[served:] == ["categories", "payees"]


def test_a_ledger_costs_nothing_while_an_export_is_fresh() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.export()
    served = service_with_facade.served
    from_export = service_with_facade.bf.ledger()
    assert service_with_facade.served == served
    assert_frame_equal(from_export, ServiceWithFacade().bf.ledger())


def test_a_ledger_reads_the_parts_in_the_same_answer_as_their_wholes() -> None:
    service_with_facade = ServiceWithFacade(ttl=0)
    service_with_facade.bf.ledger()
    service_with_facade.bf.ledger()
    lists = ["transactions", "accounts", "categories", "payees"]
    assert service_with_facade.wire.lists == ["budgets", *lists, *lists]


def test_a_ledger_without_changes_is_the_same_after_the_time_to_live() -> None:
    service_with_facade = ServiceWithFacade()
    before = service_with_facade.bf.ledger()
    service_with_facade.clock.advance(300.0)
    assert_frame_equal(service_with_facade.bf.ledger(), before)


# The service does not answer


class Home:
    """A connection to a new service, whose time and faults a test can set."""

    def __init__(self, **more: Any) -> None:
        self.clock = Clock()
        self.service = Sandbox(clock=self.clock, limit=1_000_000, years=1)
        self.bf = BudgetFrame.sandbox(self.service, **more)

    def use_up(self) -> None:
        for _ in range(self.bf.requests.left):
            self.bf.user()


def test_at_the_limit_the_last_ledger_is_returned_with_a_warning_for_each_list() -> None:
    home = Home(ttl=0)
    before = home.bf.ledger()
    home.use_up()
    with pytest.warns(StaleDataWarning, match="rate limit reached") as caught:
        after = home.bf.ledger()
    assert_frame_equal(after, before)
    lists = ["transactions", "accounts", "categories", "payees"]
    assert [str(each.message).partition(":")[0] for each in caught] == lists
    assert after.attrs["stale"] == "; ".join(str(each.message) for each in caught)
    assert home.service.requests_served == 200


def test_a_ledger_with_one_stale_list_warns_and_has_the_time_of_that_list() -> None:
    home = Home(ttl=0)
    home.bf.ledger()
    home.service.advance(1)
    home.service.faults = ["500:GET:*/payees"]
    with pytest.warns(StaleDataWarning, match="^payees: shown as of 2026-06-17") as caught:
        found = home.bf.ledger()
    assert len(caught) == 1
    assert found.attrs["as_of"] == "2026-06-17T12:00:00+00:00"
    assert found.attrs["stale"].startswith("payees: shown as of 2026-06-17")


def test_without_an_older_ledger_the_error_is_raised() -> None:
    home = Home()
    home.bf.transactions()
    home.service.faults = ["500:GET:*/categories"]
    with pytest.raises(ServiceAPIError):
        home.bf.ledger()


# Periods and money


def test_a_period_includes_both_end_days() -> None:
    bf = ServiceWithFacade(years=None).bf
    every, found = bf.ledger(), bf.ledger(since="2026-05-04", until="2026-05-29")
    is_in = every["date"].between("2026-05-04", "2026-05-29")
    assert_frame_equal(found, every[is_in].reset_index(drop=True))
    assert {"2026-05-04", "2026-05-29"} <= set(found["date"].dt.strftime("%Y-%m-%d"))


def test_a_period_may_be_one_day() -> None:
    found = ServiceWithFacade(years=None).bf.ledger(since="2023-01-01", until=date(2023, 1, 1))
    assert found["date"].unique().tolist() == [pd.Timestamp("2023-01-01")]


def test_a_period_without_rows_has_the_same_columns_and_dtypes() -> None:
    bf = ServiceWithFacade().bf
    found = bf.ledger(until="1999-12-31")
    assert len(found) == 0
    assert found.dtypes.equals(bf.ledger().dtypes)


def test_invalid_arguments_of_ledger_are_refused_before_any_request(
    subtests: pytest.Subtests,
) -> None:
    arguments: Any
    for arguments, said in [
        ({"since": "17.05.2026"}, "since='17.05.2026'"),
        ({"until": "2026-02-30"}, "until='2026-02-30'"),
        ({"since": "2026-05-02", "until": "2026-05-01"}, "since=2026-05-02 is after"),
        ({"money": "cents"}, "money='cents'"),
        ({"money": None}, "money=None"),
    ]:
        with subtests.test(arguments=arguments, said=said):
            service_with_facade = ServiceWithFacade()
            with pytest.raises(ToolError, match=said):
                service_with_facade.bf.ledger(**arguments)
            assert service_with_facade.served == 0


def test_milliunits_and_decimals_are_the_same_amounts() -> None:
    bf = ServiceWithFacade().bf
    units, thousandths = bf.ledger()["amount"], bf.ledger(money="milliunits")["amount_milliunits"]
    decimals = bf.ledger(money="decimal")["amount"]
    assert thousandths.dtype.name == "int64"
    assert (units * 1000).round().astype("int64").tolist() == thousandths.tolist()
    assert decimals.tolist() == [Decimal(n) / 1000 for n in thousandths]


def test_a_ledger_in_other_money_has_the_columns_in_the_same_places(
    subtests: pytest.Subtests,
) -> None:
    bf = ServiceWithFacade().bf
    money: Any
    for money in ["milliunits", "decimal"]:
        with subtests.test(money=money):
            names = [
                str(name).removesuffix("_milliunits")
                for name in bf.ledger(money=money, until="2023-01-31")
            ]
            assert names == list(bf.ledger().columns)


# The attrs of a ledger


def test_a_ledger_names_the_lists_it_is_made_of() -> None:
    service_with_facade = ServiceWithFacade()
    path = service_with_facade.path.removeprefix("/v1")
    assert service_with_facade.bf.ledger().attrs["source"] == (
        f"GET {path}/transactions and GET {path}/accounts"
        f" and GET {path}/categories and GET {path}/payees"
    )


def test_a_ledger_from_an_export_names_the_export() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.export()
    assert (
        service_with_facade.bf.ledger().attrs["source"]
        == f"GET {service_with_facade.path.removeprefix('/v1')}"
    )


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
            home = Home()
            attrs = home.bf.ledger(**arguments).attrs
            known = {"as_of", "budget", "currency_format", "source", "loans", "rows", "version"}
            assert set(attrs) == known | ({"since"} & set(arguments))


def test_changing_a_ledger_does_not_change_the_next_one() -> None:
    bf = ServiceWithFacade().bf
    untouched = bf.ledger().copy(deep=True)
    mine = bf.ledger()
    mine["amount"].array[:] = 0.0
    mine.loc[0, "memo"] = "changed"
    mine["cleared"] = mine["cleared"].cat.rename_categories(str.upper)
    mine.attrs.clear()
    del mine["payee_name"]
    again = bf.ledger()
    assert_frame_equal(again, untouched)
    assert again.attrs == untouched.attrs


def test_changing_a_ledger_does_not_change_the_lists_and_the_other_way_round() -> None:
    bf = ServiceWithFacade().bf
    transactions = bf.transactions()
    bf.ledger()["amount"].array[:] = 0.0
    assert_frame_equal(bf.transactions(), transactions)
    untouched = bf.ledger()
    bf.transactions()["amount"].array[:] = 0.0
    bf.accounts()["on_budget"].array[:] = False
    assert_frame_equal(bf.ledger(), untouched)


def test_a_refresh_forgets_the_ledger() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.ledger()
    service_with_facade.bf.refresh()
    served = service_with_facade.served
    service_with_facade.bf.ledger()
    assert service_with_facade.wire.lists[served:][-4:] == [
        "transactions",
        "accounts",
        "categories",
        "payees",
    ]


def test_an_awaited_ledger_equals_that_of_a_call() -> None:
    async def twice() -> tuple[pd.DataFrame, pd.DataFrame]:
        aio = ServiceWithFacade().bf.aio
        one, other = await asyncio.gather(aio.ledger(), aio.ledger(since="2026-05-01"))
        return one, other

    one, other = asyncio.run(twice())
    bf = ServiceWithFacade().bf
    assert_frame_equal(one, bf.ledger())
    assert_frame_equal(other, bf.ledger(since="2026-05-01"))


def test_ledgers_gathered_share_their_requests() -> None:
    service_with_facade = ServiceWithFacade()

    async def many() -> None:
        await asyncio.gather(*(service_with_facade.bf.aio.ledger() for _ in range(5)))

    asyncio.run(many())
    assert service_with_facade.served == 5
