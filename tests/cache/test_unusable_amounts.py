"""An answer with a row that cannot be used is kept for its time, and no later one builds on it."""

import asyncio
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError
from budgetframe._resources import AMOUNTS, RECORD_AMOUNTS
from budgetframe.frames.schema import CURRENCY
from budgetframe.frames.tables import TABLES
from tests.client.wire import BASE_URL
from tests.facade.service import EMPTY_EXPORT

from .computer import Json, Machine

STATE = {"cleared": "cleared", "approved": True, "date": "2026-05-17", "account_name": "Checking"}
KIND = {"name": "Checking", "type": "checking", "on_budget": True, "closed": False}
CATEGORY = {"id": "c1", "category_group_id": "g1", "name": "Food", "hidden": False}
GROUP = {"id": "g1", "name": "Daily", "hidden": False}
SCHEDULE = {"date_first": "2026-06-01", "date_next": "2026-06-01", "frequency": "monthly"}
MOVE = {"id": "m1", "month": "2026-05-01", "moved_at": "2026-05-02T10:00:00Z"}
IN_MONTH = {"budgeted": 5000, "activity": -3000, "balance": 2000}
BALANCES = {"balance": -12_500, "cleared_balance": -12_500, "uncleared_balance": 0}
OF_MONTH = {"income": 9000, "budgeted": 5000, "activity": -3000, "to_be_budgeted": 4000}


def transaction(**more: Any) -> Json:
    return {"id": "t1", "account_id": "a1", "amount": -3000, **STATE, "subtransactions": [], **more}


def schedule(**more: Any) -> Json:
    row = {"id": "d1", "account_id": "a1", "account_name": "Checking", "amount": -3000, **SCHEDULE}
    return {**row, "subtransactions": [], **more}


LISTS: dict[str, tuple[str, Json]] = {
    # frame: field, and the data object of its list with one row, which is complete
    "accounts": ("cleared_balance", {"accounts": [{"id": "a1", **KIND, **BALANCES}]}),
    "categories": ("activity",
        {"category_groups": [{**GROUP, "categories": [{**CATEGORY, **IN_MONTH}]}]}),
    "months": ("to_be_budgeted", {"months": [{"month": "2026-05-01", **OF_MONTH}]}),
    "transactions": ("amount", {"transactions": [transaction()]}),
    "subtransactions": ("amount",
        {"transactions": [transaction(subtransactions=[{"id": "s1", "amount": -3000}])]}),
    "scheduled_transactions": ("amount", {"scheduled_transactions": [schedule()]}),
    "scheduled_subtransactions": ("amount",
        {"scheduled_transactions": [schedule(subtransactions=[{"id": "e1", "amount": -3000}])]}),
    "money_movements": ("amount", {"money_movements": [{**MOVE, "amount": 1000}]}),
}  # fmt: skip
PATHS = {"subtransactions": "transactions", "scheduled_subtransactions": "scheduled_transactions"}
"""The lists of frames with another name."""

UNUSABLE: dict[str, Any] = {"missing": None, "null": None, "a text": "-3000", "a float": -3000.5}
OTHER: dict[str, Json] = {
    "a day": {"date": "2026-02-31"}, "a flag": {"approved": "yes"}, "a memo": {"memo": 7},
    "a colour": {"flag_color": 3},
}  # fmt: skip
"""Values of other fields that cannot be used."""
CASES = [
    *((frame, "null") for frame in LISTS),
    *(("transactions", kind) for kind in (*UNUSABLE, *OTHER) if kind != "null"),
]


def row_of(frame: str, data: Json) -> Json:
    """The row that the frame shows."""
    (row,) = next(iter(data.values()))
    if frame == "categories":
        (row,) = row["categories"]
    elif frame in PATHS:
        (row,) = row["subtransactions"]
    found: Json = row
    return found


def damaged(frame: str, kind: str) -> Json:
    """The data of a list whose row has no usable amount, or another value that cannot be used."""
    field, data = LISTS[frame]
    data = deepcopy(data)
    if kind in OTHER:
        row_of(frame, data).update(OTHER[kind])
    elif kind == "missing":
        del row_of(frame, data)[field]
    else:
        row_of(frame, data)[field] = UNUSABLE[kind]
    return data


class Service:
    """One budget; the answers to its lists come from a script, with knowledge 1, 2, 3, ..."""

    def __init__(self, *script: Json) -> None:
        self.script = [*script]
        self.cursors: list[str | None] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            data: Json = {"budgets": [{"id": "b1", "name": "Home"}]}
        else:
            self.cursors.append(request.url.params.get("last_knowledge_of_server"))
            data = self.script.pop(0) | {"server_knowledge": len(self.cursors)}
        return httpx.Response(200, json={"data": data})


class Process:
    """A connection of one process, whose cache is in a file that others share."""

    def __init__(self, machine: Machine, service: Service, *, ttl: float = 0.0) -> None:
        self.kernel = machine.kernel()
        http = httpx.AsyncClient(transport=httpx.MockTransport(service), base_url=BASE_URL)
        self.client = self.kernel.client(http)
        self.bf = BudgetFrame(self.client, budget="Home", ttl=ttl)

    def values(self, frame: str) -> list[float | None]:
        """The amounts that a frame shows; None where it shows a missing value."""
        column: pd.Series[float] = getattr(self.bf, frame)()[LISTS[frame][0]]
        return [None if pd.isna(value) else value for value in column]


@contextmanager
def shown_with_its_warning(kind: str) -> Iterator[None]:
    """Expect what a frame does with a value of this kind: a float is shown, others are missing."""
    if kind == "a float":
        yield
    else:
        with pytest.warns(RuntimeWarning, match="1 of 1 rows have no usable"):
            yield


RIGHT = {"accounts": -12.5, "categories": -3.0, "months": 4.0, "money_movements": 1.0}
"""What the frames show of complete rows, if it is not -3.0."""


@pytest.mark.parametrize("is_delta", [False, True])
@pytest.mark.parametrize(("frame", "kind"), CASES)
def test_it_is_shown_for_its_time_and_then_every_process_asks_in_full(
    frame: str, kind: str, *, is_delta: bool, machine: Machine
) -> None:
    right, shown = LISTS[frame][1], [RIGHT.get(frame, -3.0)]
    earlier = [right] if is_delta else []
    service = Service(*earlier, damaged(frame, kind), right, {next(iter(right)): []})
    first, second = (Process(machine, service, ttl=300.0) for _ in range(2))
    if is_delta:
        assert first.values(frame) == shown
        machine.pass_time(300.0)
    for process in (first, first, second):
        with shown_with_its_warning(kind):
            process.values(frame)
    for process in (second, first):
        machine.pass_time(300.0)
        assert process.values(frame) == shown
    assert service.cursors == ([None, "1", None, "3"] if is_delta else [None, None, "2"])


def test_a_delta_shows_the_other_rows_too(machine: Machine) -> None:
    others = {"transactions": [transaction(id="t0", amount=-7000), transaction()]}
    process = Process(machine, Service(others, damaged("transactions", "null")))
    assert process.values("transactions") == [-7.0, -3.0]
    with pytest.warns(RuntimeWarning, match="1 of 2 rows have no usable amount"):
        assert process.values("transactions") == [-7.0, None]


EXPORTED = {
    # list of the export: row, and the field that is damaged
    "accounts": ({"id": "a1", **KIND, **BALANCES}, "balance"),
    "categories": ({**CATEGORY, **IN_MONTH}, "balance"),
    "months": ({"month": "2026-05-01", **OF_MONTH, "categories": []}, "income"),
    "transactions": ({"id": "t1", "account_id": "a1", "amount": -3000, **STATE}, "amount"),
    "subtransactions": ({"id": "s1", "transaction_id": "t1", "amount": -3000}, "amount"),
    "scheduled_transactions": ({"id": "d1", "account_id": "a1", "amount": -3000, **SCHEDULE},
        "amount"),
    "scheduled_subtransactions": ({"id": "e1", "scheduled_transaction_id": "d1", "amount": -3000},
        "amount"),
}  # fmt: skip


def exported(name: str = "", *, is_delta: bool = False) -> Json:
    """An export with a row in each list, or a delta of one row; the row of `name` is damaged."""
    lists: dict[str, list[Json]] = {**EMPTY_EXPORT, "category_groups": [GROUP]}
    for each, (row, field) in EXPORTED.items():
        lists[each] = [row | {field: None} if each == name else row]
        if is_delta and each != name:
            lists[each] = []
    return {"budget": {"id": "b1", "name": "Home", **lists}}


@pytest.mark.parametrize("is_delta", [False, True])
@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_is_read_again_in_full(name: str, *, is_delta: bool, machine: Machine) -> None:
    script = [exported(name, is_delta=is_delta), exported()]
    service = Service(*([exported()] if is_delta else []), *script)
    first, second = Process(machine, service), Process(machine, service, ttl=300.0)
    if is_delta:
        first.bf.export()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first.bf.export()
    assert any("have no usable" in str(each.message) for each in caught)
    machine.pass_time(300.0)
    assert not second.bf.export()[name][EXPORTED[name][1]].isna().any()
    assert service.cursors == ([None, "1", None] if is_delta else [None, None])


def test_a_category_in_a_month_of_the_export_counts_too(machine: Machine) -> None:
    odd = deepcopy(exported())
    odd["budget"]["months"][0]["categories"] = [{**CATEGORY, **IN_MONTH, "budgeted": None}]
    service = Service(odd, exported())
    first, second = Process(machine, service), Process(machine, service)
    with pytest.warns(RuntimeWarning, match="1 of 1 rows have no usable budgeted"):
        first.bf.month_categories()
    second.bf.month_categories()
    assert service.cursors == [None, None]


def test_the_answer_of_one_month_is_kept_for_its_time(machine: Machine) -> None:
    month = {"month": "2026-05-01", **OF_MONTH}
    categories = {**CATEGORY, **IN_MONTH, "balance": None}, {**CATEGORY, **IN_MONTH}
    service = Service(*({"month": {**month, "categories": [each]}} for each in categories))
    first, second = (Process(machine, service, ttl=300.0) for _ in range(2))
    for process in (first, second):
        with pytest.warns(RuntimeWarning, match="1 of 1 rows have no usable balance"):
            process.bf.month("2026-05")
    machine.pass_time(300.0)
    assert second.bf.month("2026-05")["balance"].tolist() == [2.0]


def test_a_failure_after_such_an_answer_shows_no_stale_data(machine: Machine) -> None:
    service = Service(LISTS["accounts"][1], damaged("accounts", "null"))
    process = Process(machine, service)
    process.values("accounts")
    with shown_with_its_warning("null"):
        process.values("accounts")
    service.script = [{"accounts": None}]
    with pytest.raises(ServiceAPIError, match="not a list"):
        process.values("accounts")


def test_deleted_rows_need_no_amounts(machine: Machine) -> None:
    service = Service(
        LISTS["transactions"][1], {"transactions": [{"id": "t1", "deleted": True}]},
        {"transactions": [transaction(id="t2", amount=-1000)]},
    )  # fmt: skip
    process = Process(machine, service)
    assert process.values("transactions") == [-3.0]
    assert process.values("transactions") == []
    assert process.values("transactions") == [-1.0]
    assert service.cursors == [None, "1", "2"]


def test_the_amounts_that_every_row_needs_are_the_columns_that_cannot_be_missing() -> None:
    records = {"money_movement_records", "money_movement_group_records"}
    for name, table in TABLES.items():
        money = {one.source for one in table.columns if one.unit == CURRENCY and not one.nullable}
        amounts = RECORD_AMOUNTS if name in records else AMOUNTS
        assert set(amounts.get(table.path[-1], ())) == money, name


PATH = "/budgets/b1/accounts"


def test_a_list_that_get_has_stored_is_read_in_full_by_a_frame(machine: Machine) -> None:
    service = Service(damaged("accounts", "null"), LISTS["accounts"][1])
    process = Process(machine, service)
    asyncio.run(process.client.get(PATH))  # the client stores what it reads
    assert process.values("accounts") == [-12.5]
    assert service.cursors == [None, None]


def test_get_adds_such_a_row_to_the_list_of_a_frame_for_its_time(machine: Machine) -> None:
    service = Service(LISTS["accounts"][1], damaged("accounts", "null"), LISTS["accounts"][1])
    process = Process(machine, service, ttl=300.0)
    process.values("accounts")
    assert asyncio.run(process.client.get(PATH))["accounts"][0]["cleared_balance"] is None
    with shown_with_its_warning("null"):
        assert process.values("accounts") == [None]
    machine.pass_time(300.0)
    assert process.values("accounts") == [-12.5]
    assert service.cursors == [None, "1", None]


def test_a_frame_that_shares_the_request_of_get_keeps_it_for_its_time(machine: Machine) -> None:
    service = Service(damaged("accounts", "null"), LISTS["accounts"][1])
    process = Process(machine, service, ttl=300.0)

    async def read() -> pd.DataFrame:
        await process.bf.aio.budgets()
        with pytest.warns(RuntimeWarning, match="1 of 1 rows have no usable cleared_balance"):
            await asyncio.gather(process.client.get(PATH), process.bf.aio.accounts())
        with shown_with_its_warning("null"):
            await process.bf.aio.accounts()
        machine.pass_time(300.0)
        return await process.bf.aio.accounts()

    assert asyncio.run(read())["cleared_balance"].tolist() == [-12.5]
    assert service.cursors == [None, None]
