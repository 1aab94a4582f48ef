"""What the read after an own write costs, and which lists are read in full."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from datetime import date

import httpx
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from budgetframe.sandbox import FaultPlan
from tests.facade.service import ServiceWithFacade

CURSOR = "last_knowledge_of_server"
LISTS = ("accounts", "categories", "payees", "months", "transactions", "scheduled_transactions")
"""The lists with a frame and with deltas."""


@pytest.fixture
def home() -> ServiceWithFacade:
    """A connection whose service a test may change."""
    return ServiceWithFacade(limit=10_000)


def key_of(home: ServiceWithFacade, table: str, name: str) -> str:
    rows = getattr(home.service.device.state(), table).live()
    return next(str(row.id) for row in rows if row.name == name)


def read_all(bf: BudgetFrame) -> dict[str, pd.DataFrame]:
    return {name: getattr(bf, name)() for name in LISTS}


def full_reads(home: ServiceWithFacade, start: int) -> list[str]:
    """The lists that were read in full since a request, and none of which was read twice."""
    both = list(zip(home.wire.lists, home.wire.queries, strict=True))[start:]
    read = [(name, query) for name, query in both if name in LISTS]
    assert len({name for name, _ in read}) == len(read)
    return [name for name, query in read if CURSOR not in query]


def assert_right(home: ServiceWithFacade, found: dict[str, pd.DataFrame]) -> None:
    """Compare frames with those of a connection that has just been opened."""
    with closing(BudgetFrame.sandbox(home.service)) as new:
        for name, frame in found.items():
            assert_frame_equal(frame, getattr(new, name)(), obj=name)


Write = Callable[[ServiceWithFacade], object]


def create(home: ServiceWithFacade) -> object:
    row = {"account_id": key_of(home, "accounts", "Checking"), "date": "2026-06-03"}
    return home.bf.create_transactions([{**row, "amount": -12.34, "payee_name": "New Market"}])


def create_a_transfer(home: ServiceWithFacade) -> object:
    payee = next(p.id for p in home.service.device.state().payees.live() if p.transfer_account_id)
    accounts = home.service.device.state().accounts
    account = next(row.id for row in accounts.live() if row.transfer_payee_id != payee)
    row = {"account_id": account, "date": "2026-06-03", "amount": -50.0, "payee_id": payee}
    return home.bf.create_transactions([row])


def last_transaction(home: ServiceWithFacade) -> str:
    rows = home.service.device.state().transactions.live()
    return next(str(row.id) for row in reversed([*rows]) if not row.parts)


def update(home: ServiceWithFacade) -> object:
    row = {"transaction_id": last_transaction(home), "amount": -77.0, "date": "2026-01-05"}
    return home.bf.update_transactions([row])


def delete(home: ServiceWithFacade) -> object:
    return home.bf.delete_transactions([last_transaction(home)])


def assign(home: ServiceWithFacade) -> object:
    return home.bf.assign("2026-04", "Groceries", 333.0)


def schedule(home: ServiceWithFacade) -> object:
    row = {"account_id": key_of(home, "accounts", "Checking"), "date_next": "2026-06-28"}
    more = {"amount": -20.0, "frequency": "monthly", "payee_name": "New Club"}
    return home.bf.create_scheduled_transactions([{**row, **more}])


def import_row(home: ServiceWithFacade) -> object:
    device, account = home.service.device, key_of(home, "accounts", "Checking")
    device.add_bank_row(account_id=account, date=date(2026, 6, 3), amount=-900, payee_name="Bank")
    return home.bf.import_linked()


WRITES: dict[str, Write] = {
    "create": create, "create a transfer": create_a_transfer, "update": update,
    "delete": delete, "import": import_row, "assign": assign, "schedule": schedule,
}  # fmt: skip


def test_reads_after_a_write_are_deltas(home: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    read_all(home.bf)
    for name, write in WRITES.items():
        with subtests.test(name=name):
            write(home)
            start = len(home.wire.requests)
            assert_right(home, read_all(home.bf))
            assert full_reads(home, start) == []


def test_after_an_export_the_write_costs_one_delta_of_it(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    home.bf.export()
    for name in ("create a transfer", "delete", "assign"):
        with subtests.test(name=name):
            WRITES[name](home)
            start, found = len(home.wire.requests), home.bf.export()
            assert full_reads(home, start) == []
            assert CURSOR in home.wire.queries[-1]
            with closing(BudgetFrame.sandbox(home.service)) as new:
                expected = new.export()
            for table, frame in found.items():
                assert_frame_equal(frame, expected[table], obj=table)
    assert_right(home, read_all(home.bf))


def rename_payee(home: ServiceWithFacade) -> object:
    payees = home.service.device.state().payees.live()
    return home.bf.rename_payee(next(row.id for row in payees if not row.transfer_account_id), "N")


RENAMES: dict[str, tuple[Write, set[str]]] = {
    # write: what it does, and the lists that are read in full
    "payee": (rename_payee, {"payees", "transactions", "scheduled_transactions"}),
    "category": (
        lambda home: home.bf.update_category(key_of(home, "categories", "Groceries"), name="New"),
        {"categories", "months", "transactions", "scheduled_transactions"}),
    "group": (lambda home: home.bf.rename_category_group(key_of(home, "groups", "Car"), "New"),
        {"categories", "months", "transactions", "scheduled_transactions"}),
    "account": (lambda home: home.bf.create_account("New Account", "cash", 10.0),
        {"accounts", "payees", "transactions", "categories", "months"}),
}  # fmt: skip


@pytest.mark.parametrize("has_written", [False, True])
@pytest.mark.parametrize("name", RENAMES)
def test_lists_whose_rows_carry_a_name_are_read_in_full_after_a_new_name(
    name: str, *, has_written: bool, home: ServiceWithFacade
) -> None:
    rename, lists = RENAMES[name]
    read_all(home.bf)
    if has_written:
        create(home)
    rename(home)
    start, found = len(home.wire.requests), read_all(home.bf)
    assert set(full_reads(home, start)) == lists
    if has_written:
        assert_right(home, found)


def test_a_list_that_an_own_write_kept_is_dropped_by_refresh(home: ServiceWithFacade) -> None:
    home.bf.payees(), home.bf.transactions()
    create(home)
    home.bf.refresh()
    start = len(home.wire.requests)
    home.bf.transactions()
    assert full_reads(home, start) == ["transactions"]


def test_a_write_with_the_client_drops_what_an_own_write_kept(home: ServiceWithFacade) -> None:
    home.bf.transactions()
    create(home)
    path = home.path.removeprefix("/v1")
    row = {"account_id": key_of(home, "accounts", "Checking"), "date": "2026-06-04", "amount": -5}

    async def post() -> None:
        await home.client.post(f"{path}/transactions", json={"transaction": row})

    asyncio.run(post())
    start = len(home.wire.requests)
    assert_right(home, {"transactions": home.bf.transactions()})
    assert full_reads(home, start) == ["transactions"]


@pytest.mark.parametrize("fault", ["reset-after", "503-after", "html-after", "reset-before"])
def test_after_an_unknown_outcome_the_reads_are_deltas(fault: str, home: ServiceWithFacade) -> None:
    read_all(home.bf)
    home.service.faults = FaultPlan([f"{fault}:POST:/budgets/*@1"])
    with pytest.raises((ServiceAPIError, httpx.RequestError)):
        create(home)
    home.service.faults = FaultPlan([])
    start = len(home.wire.requests)
    assert_right(home, read_all(home.bf))
    assert full_reads(home, start) == []


def test_a_list_from_before_a_write_is_never_shown_as_stale_data() -> None:
    home = ServiceWithFacade(limit=10_000, threshold=4)  # the write reads the accounts first
    home.bf.transactions()
    create(home)
    with pytest.raises(ToolError, match="rate limit reached"):
        home.bf.transactions()
    home.clock.advance(3601.0)
    assert_right(home, {"transactions": home.bf.transactions()})
    assert CURSOR in home.wire.queries[-1]


def test_the_delta_after_a_write_contains_edits_elsewhere(home: ServiceWithFacade) -> None:
    read_all(home.bf)
    device, account = home.service.device, key_of(home, "accounts", "Checking")
    for day in (4, 5):
        device.add_transaction(
            account_id=account, date=date(2026, 6, day), amount=-100, payee_name=f"Day {day}"
        )
        create(home)
    home.clock.advance(86_400.0)
    start = len(home.wire.requests)
    assert_right(home, read_all(home.bf))
    assert full_reads(home, start) == []


def test_after_a_write_and_a_month_end_categories_are_read_in_full(home: ServiceWithFacade) -> None:
    read_all(home.bf)
    create(home)
    home.service.advance(31)
    start = len(home.wire.requests)
    assert_right(home, read_all(home.bf))
    assert full_reads(home, start) == ["categories"]


def test_a_service_that_was_set_back_after_a_write_is_read_in_full(home: ServiceWithFacade) -> None:
    home.bf.transactions()
    create(home)
    home.service.device.state().knowledge -= 100
    home.bf.transactions()
    assert [CURSOR in query for query in home.wire.queries[-2:]] == [True, False]


def test_a_read_that_began_before_a_write_leaves_its_list_stale(home: ServiceWithFacade) -> None:
    aio, arrived, released = home.bf.aio, asyncio.Event(), asyncio.Event()
    send = home.wire.inner.handle_async_request

    async def hold(request: httpx.Request) -> httpx.Response:
        response = await send(request)
        if CURSOR in request.url.params and not released.is_set():
            arrived.set()
            await released.wait()
        return response

    async def read_and_write() -> pd.DataFrame:
        await aio.transactions()
        home.clock.advance(300.0)
        home.wire.inner.handle_async_request = hold  # type: ignore[method-assign]
        under_way = asyncio.ensure_future(aio.transactions())
        await arrived.wait()
        row = {"account_id": key_of(home, "accounts", "Checking"), "date": "2026-06-03"}
        await aio.create_transactions([{**row, "amount": -12.34}])
        released.set()
        await under_way
        return await aio.transactions()

    assert_right(home, {"transactions": asyncio.run(read_and_write())})
