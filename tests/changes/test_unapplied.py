"""Writes that the service accepts with 200, and does not apply, or not all of."""

import json
import math
import warnings
from collections.abc import Callable
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import (
    BudgetFrame,
    Changes,
    DeltaCache,
    RateLimiter,
    ServiceAPIError,
    ServiceClient,
    ToolError,
)
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connect, connected, interrupted, rows_with, small_sandbox
from tests.sandbox.ask import http_client

NO_CATEGORY = (
    "the service accepted it, and did not apply all of it: category_name: 'Household Goods' was"
    " sent, and the service has 'Groceries'"
)
NO_IMPORT_ID = (
    "the service accepted it, and did not apply all of it: import_id: 'c' was sent, and the service"
    " has nothing"
)
GROCERIES = ("category_name", "Groceries")
TWICE = "the service accepted it twice, and did not apply it"


def groceries(bf: BudgetFrame) -> pd.DataFrame:
    rows: pd.DataFrame = bf.transactions().query("category_name == 'Groceries'").tail(5)
    return rows


def edited(bf: BudgetFrame) -> pd.DataFrame:
    return groceries(bf).assign(category_name="Household Goods", approved=True, memo="seen")


def apply_with(changes: Changes, sandbox: Sandbox, fault: str) -> None:
    sandbox.faults = [fault]
    changes.apply()
    sandbox.faults = []


def outcome(changes: Changes) -> tuple[int, set[str]]:
    """The number of changes that are done, and the problems of the others."""
    return changes.counts["done"], set(changes.conflicts["problem"])


def new_rows() -> pd.DataFrame:
    row = {"date": "2026-06-10", "account_name": "Wallet", "category_name": "Household Goods"}
    return pd.DataFrame([{**row, "amount": -1.25 - number} for number in range(3)])


@pytest.mark.parametrize(("fault", "done", "problem", "applied"), [
    ("drop-field:category_id:PATCH@1", 5, None, 5), ("drop-row:PATCH@1", 5, None, 5),
    ("drop-row-after:PATCH", 5, None, 5), ("drop-field:category_id:PATCH", 5, NO_CATEGORY, 4),
    ("drop-row:PATCH", 4, TWICE, 4),
])  # fmt: skip
def test_what_an_update_did_not_apply_is_sent_once_more_and_is_a_conflict_after_that(
    fault: str, done: int, problem: str | None, applied: int
) -> None:
    sandbox, bf = connected()
    before, changes = bf.transactions(), bf.changes(edited(bf))
    apply_with(changes, sandbox, fault)
    assert outcome(changes) == (done, {*filter(None, [problem])})
    after = bf.transactions().query("memo == 'seen'")
    assert len(after) == done
    assert (after["category_name"] == "Household Goods").sum() == applied
    assert bf.journal().frame["updated"].tolist() == [done]
    assert changes.undo().apply().counts["conflicts"] == 0
    pd.testing.assert_frame_equal(bf.transactions(), before)


@pytest.mark.parametrize(("fault", "done", "problem", "created"), [
    ("drop-field:category_id:POST", 4, None, 3),  # the field is sent once more as an update
    ("drop-row:POST@1", 3, None, 3),
    ("drop-row-after:POST", 3, None, 3),
    ("drop-field:category_id", 3, NO_CATEGORY.replace("'Groceries'", "nothing"), 3),
    ("drop-field:import_id:POST", 3, NO_IMPORT_ID, 3),  # it cannot be sent once more
    ("drop-row:POST", 2, TWICE, 2),
])  # fmt: skip
def test_what_a_creation_did_not_keep_is_sent_once_more_and_is_a_conflict_after_that(
    fault: str, done: int, problem: str | None, created: int
) -> None:
    sandbox, bf = connected()
    before = bf.transactions()
    rows = new_rows().assign(import_id=["a", "b", "c"]) if "import_id" in fault else new_rows()
    changes = bf.changes(rows)
    apply_with(changes, sandbox, fault)
    assert outcome(changes) == (done, {*filter(None, [problem])})
    assert len(bf.transactions()) == len(before) + created
    assert changes.undo().apply().counts["conflicts"] == 0
    pd.testing.assert_frame_equal(bf.transactions(), before)


def test_an_ordinary_application_needs_no_additional_request() -> None:
    bf = connect(small_sandbox())
    changes, used = bf.changes(edited(bf)), bf.requests.used
    changes.apply()
    assert bf.requests.used == used + 1


class Altering(httpx.AsyncBaseTransport):
    """A service that changes the rows of its answers to creations, or to reads of a list."""

    def __init__(
        self, sandbox: Sandbox, alter: Callable[[list[Any]], object], read: str = ""
    ) -> None:
        self.inner = sandbox.transport()
        self.alter = alter
        self.read = read

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.inner.handle_async_request(request)
        is_read = self.read and request.url.path.endswith(f"/{self.read}")
        if not is_read and (self.read or request.method != "POST"):
            return response
        answer = json.loads(await response.aread())
        self.alter(answer["data"][self.read or "transactions"])
        return httpx.Response(response.status_code, json=answer)


def foreign_row(rows: list[Any]) -> None:
    rows[0] = {**rows[0], "id": OLD, "date": "2026-06-01"}


def twin_from_before(rows: list[Any]) -> None:
    rows.insert(0, {**rows[0], "id": OLD})


OLD = "an old row"


@pytest.mark.parametrize(
    ("alter", "requests"),
    [(foreign_row, 1 + 1), (twin_from_before, 1), (lambda rows: rows.pop(1), 1 + 1),
     (lambda rows: rows.reverse(), 1), (lambda rows: rows.append(rows[0]), 1)],
    ids=["foreign row", "twin from before", "without a row", "reversed", "a row twice"],
)  # fmt: skip
def test_a_created_row_is_always_found(alter: Callable[[list[Any]], object], requests: int) -> None:
    sandbox = small_sandbox()
    row = {"date": "2026-06-10", "account_name": "Wallet", "amount": -1.25}
    bf = connect(sandbox)
    (old,) = bf.create_transactions([{**row, "memo": "old"}])["transaction_id"]

    def alter_with_key(rows: list[Any]) -> None:
        alter(rows)
        for each in rows:
            each["id"] = each["id"].replace(OLD, old)

    bf = of_transport(sandbox, Altering(sandbox, alter_with_key))
    before = bf.transactions()
    changes = bf.changes(pd.DataFrame([{**row, "memo": f"memo {number}"} for number in range(3)]))
    used = bf.requests.used
    changes.apply()
    assert bf.requests.used - used == requests
    assert outcome(changes) == (3, set())
    after = bf.transactions().query("amount == -1.25")
    assert sorted(after["memo"]) == ["memo 0", "memo 1", "memo 2", "old"]
    assert changes.undo().apply().counts["conflicts"] == 0
    pd.testing.assert_frame_equal(bf.transactions(), before)


@pytest.mark.parametrize("fault", [
    *("drop-first-row", "drop-row", "drop-half", "drop-first-row-after", "drop-row-after"),
    *("drop-half-after", "repeat-rows"),
])  # fmt: skip
def test_a_row_of_an_answer_is_that_of_the_creation_with_all_its_fields(fault: str) -> None:
    """A row without a payee is not the same as one with a payee, although all its fields are."""
    sandbox, bf = connected()
    before = bf.transactions()
    row = {"date": "2026-06-10", "account_name": "Wallet", "amount": -1.25}
    rows = [row, {**row, "payee_name": "Bakery"}, {**row, "memo": "x"}, {**row, "approved": True}]
    changes = bf.changes(pd.DataFrame(rows))
    apply_with(changes, sandbox, f"{fault}:POST:*@1")
    made = rows_with(bf.transactions(), amount=-1.25)[["payee_name", "memo", "approved"]]
    made = made.astype(object).where(made.notna(), None)
    assert sorted(map(repr, made.to_numpy().tolist())) == [
        "['Bakery', None, False]", "[None, 'x', False]",
        "[None, None, False]", "[None, None, True]",
    ]  # fmt: skip
    assert outcome(changes) == (4, set())
    assert changes.undo().apply().counts["conflicts"] == 0
    pd.testing.assert_frame_equal(bf.transactions(), before)


def test_55_rows_of_which_the_answer_has_a_half_are_made_and_undone() -> None:
    sandbox, bf = connected()
    before = bf.transactions()
    row = {"date": "2026-06-10", "account_name": "Wallet", "amount": -1.25}
    names = [None, "Bakery", None, "Kiosk", "Café"]
    changes = bf.changes(pd.DataFrame([{**row, "payee_name": name} for name in names * 11]))
    apply_with(changes, sandbox, "drop-half-after:POST")
    assert outcome(changes) == (55, set())
    assert rows_with(bf.transactions(), amount=-1.25)["payee_name"].isna().sum() == 22
    assert changes.undo().apply().counts == {"left": 0, "done": 55, "unknown": 0, "conflicts": 0}
    pd.testing.assert_frame_equal(bf.transactions(), before)


class Repeating(httpx.AsyncBaseTransport):
    """A service that answers a creation with its answer to the write before."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.inner = sandbox.transport()
        self.content: bytes | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.inner.handle_async_request(request)
        if request.method == "GET":
            return response
        earlier, self.content = self.content, await response.aread()
        shown = (earlier or b'{"data": {}}') if request.method == "POST" else self.content
        return httpx.Response(response.status_code, content=shown)


@pytest.mark.parametrize("amounts", [[-1.0, -1.0, -1.0], [-1.0, -2.0, -3.0]])
def test_an_answer_to_another_creation_shows_the_row_of_that_one(amounts: list[float]) -> None:
    sandbox = small_sandbox()
    bf = of_transport(sandbox, Repeating(sandbox))
    before = bf.scheduled_transactions()
    row = {"date_next": "2026-07-10", "account_name": "Wallet", "frequency": "monthly"}
    rows = [{**row, "amount": n, "memo": memo} for n, memo in zip(amounts, "abc", strict=True)]
    changes = bf.changes(pd.DataFrame(rows))
    with pytest.raises(ServiceAPIError, match="has no list of the written rows"):
        changes.apply()  # there was no answer before
    changes.apply()
    assert outcome(changes) == (3, set())
    made = bf.scheduled_transactions().query("memo in ['a', 'b', 'c']")
    assert sorted(made["memo"]) == ["a", "b", "c"]
    assert changes.undo().apply().counts["conflicts"] == 0
    pd.testing.assert_frame_equal(bf.scheduled_transactions(), before)


def test_an_answer_to_a_deletion_shows_no_creation() -> None:
    sandbox = small_sandbox()
    bf = of_transport(sandbox, Repeating(sandbox))
    rows = bf.scheduled_transactions()
    bf.changes(delete=rows.head(1)).apply()
    new = {"date_next": "2026-07-10", "account_name": "Wallet", "frequency": "monthly"}
    changes = bf.changes(pd.DataFrame([{**new, "amount": -1.0}])).apply()
    assert outcome(changes) == (1, set())
    assert len(bf.scheduled_transactions()) == len(rows)
    changes.undo().apply()
    assert len(bf.scheduled_transactions()) == len(rows) - 1


class Ignoring(httpx.AsyncBaseTransport):
    """A service that answers 200 to its first writes, and leaves their rows as they are."""

    def __init__(self, sandbox: Sandbox, writes: float = math.inf) -> None:
        self.inner = sandbox.transport()
        self.writes = writes

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        is_write = request.method in ("PATCH", "PUT", "DELETE")
        if is_write and self.writes > 0 and not request.url.path.endswith("ions"):
            self.writes -= 1
            headers = {"Authorization": request.headers["Authorization"]}
            request = httpx.Request("GET", request.url, headers=headers)
        return await self.inner.handle_async_request(request)


def of_transport(sandbox: Sandbox, transport: httpx.AsyncBaseTransport) -> BudgetFrame:
    http = http_client(sandbox, transport)
    return BudgetFrame(ServiceClient(http, RateLimiter(), DeltaCache()), budget="Household")


@pytest.mark.parametrize(("frame", "wanted", "edit", "problem"), [
    ("categories", GROCERIES, {"note": "new"}, "note: 'new' was sent, and the service has"),
    ("month_categories", GROCERIES, {"budgeted": 7.5}, "budgeted: 7,50 € was sent, and the"),
    ("scheduled_transactions", ("frequency", "monthly"), {"memo": "new"}, "memo: 'new' was"),
    ("transactions", GROCERIES, None, TWICE),
])  # fmt: skip
def test_each_kind_of_write_that_is_ignored_is_a_conflict(
    frame: str, wanted: tuple[str, str], edit: dict[str, Any] | None, problem: str
) -> None:
    sandbox = small_sandbox()
    bf = of_transport(sandbox, Ignoring(sandbox))
    rows = getattr(bf, frame)()
    column, value = wanted
    row = rows[rows[column] == value].tail(1)
    changes = bf.changes(delete=row) if edit is None else bf.changes(row.assign(**edit))
    assert changes.apply().counts == {"left": 0, "done": 0, "unknown": 0, "conflicts": 1}
    assert problem in changes.conflicts["problem"].iloc[0]
    assert changes.undo().frame.empty


@pytest.mark.parametrize("writes", [1, 2])
def test_the_second_half_of_a_move_waits_for_the_first_one(writes: int) -> None:
    sandbox = small_sandbox(years=1)
    bf = of_transport(sandbox, Ignoring(sandbox, writes))
    names = ["Groceries", "Eating Out"]
    before = bf.month().set_index("category_name")["budgeted"][names]
    changes = bf.move("current", "Groceries", "Eating Out", 20.0, preview=True).apply()
    after = bf.month().set_index("category_name")["budgeted"][names]
    problems = changes.conflicts["problem"].tolist()
    if writes == 1:  # the first half is sent once more, and then the second one
        assert problems == []
        assert (after - before).round(2).tolist() == [-20.0, 20.0]
    else:
        assert ["budgeted: 338,51 € was sent" in problems[0], *problems[1:]] == [
            True, "the other half of the move is a conflict",
        ]  # fmt: skip
        assert (after - before).tolist() == [0.0, 0.0]


NEW_ROW = {"date": "2026-06-10", "account_name": "Wallet", "amount": -1.0, "memo": "new"}
NEW_SCHEDULE = {"date_next": "2026-07-01", "account_name": "Wallet", "amount": -1.0, "memo": "new"}
NO_MEMO = "memo: 'new' was sent, and the service has nothing"
UNAPPLIED: dict[str, tuple[list[Any], dict[str, Any], str, str]] = {
    "create_transactions": ([[NEW_ROW]], {}, "memo", NO_MEMO),
    "update_transactions": ([[{"transaction_id": "KEY", "memo": "new"}]], {}, "memo", NO_MEMO),
    "update_transaction": (["KEY"], {"memo": "new", "approved": True}, "memo", NO_MEMO),
    "create_scheduled_transactions": ([[NEW_SCHEDULE]], {}, "memo", NO_MEMO),
    "update_scheduled_transactions": (
        [[{"scheduled_transaction_id": "SCHEDULE", "memo": "new"}]], {}, "memo", NO_MEMO,
    ),
    "create_account": (["New", "cash", 1.0], {}, "balance", "balance is missing"),
    "create_payee": (["New"], {}, "name", "name is missing"),
    "rename_payee": (["Corner Market", "New"], {}, "name", "name: 'New' was sent, and the service"),
    "create_category_group": (["New"], {}, "name", "name is missing"),
    "rename_category_group": (["Everyday", "New"], {}, "name", "name is missing"),
    "create_category": (
        ["New", "Everyday"], {"note": "x"}, "note", "note: 'x' was sent, and the service has"
    ),
    "update_category": (
        ["Groceries"], {"goal_target": 1.5}, "goal_target", "goal_target: 1,50 € was sent, and the"
    ),
    "assign": (["2026-06", "Groceries", 1.5], {}, "budgeted", "budgeted is missing"),
    "move": (["2026-06", "Groceries", None, 1.5], {}, "budgeted", "budgeted is missing"),
}  # fmt: skip
"""By method: arguments, the field that the service ignores or misses, and what the user is told."""


def told(call: Callable[[], object]) -> str:
    """The text of the error or of the only warning of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except (ToolError, ServiceAPIError) as error:
            return str(error)
    (warning,) = caught
    return str(warning.message)


@pytest.mark.parametrize("method", UNAPPLIED)
def test_each_method_says_which_field_was_not_applied(method: str) -> None:
    sandbox, bf = connected()
    keys = {
        "KEY": groceries(bf)["transaction_id"].iloc[0],
        "SCHEDULE": bf.scheduled_transactions()
        .query("frequency == 'monthly'")["scheduled_transaction_id"]
        .iloc[0],
    }
    content = json.dumps(UNAPPLIED[method][:2])
    for name, key in keys.items():
        content = content.replace(f'"{name}"', f'"{key}"')
    arguments, more = json.loads(content)
    field, text = UNAPPLIED[method][2:]
    sandbox.faults = [f"drop-field:{field}:{each}" for each in ("POST", "PUT", "PATCH")]
    assert text in told(lambda: getattr(bf, method)(*arguments, **more))


@pytest.mark.parametrize("fault", ["drop-row", "drop-row-after"])
def test_updated_rows_are_returned_as_they_are_although_an_answer_lacks_one(fault: str) -> None:
    sandbox, bf = connected()
    keys = groceries(bf)["transaction_id"].tail(2).tolist()
    sandbox.faults = [f"{fault}:PATCH@1"]
    found = bf.update_transactions([{"transaction_id": key, "memo": "new"} for key in keys])
    assert found["memo"].tolist() == ["new", "new"]


def test_a_new_row_that_the_service_leaves_out_twice_is_an_error() -> None:
    sandbox, bf = connected()
    bf.accounts()
    sandbox.faults = ["drop-row:POST"]
    with pytest.raises(ToolError, match=r"of 2 changes, 1 was not made .* and did not apply it"):
        bf.create_transactions([NEW_ROW, {**NEW_ROW, "amount": -2.0}])


def test_fields_of_a_lost_request_are_undone_although_others_were_changed_elsewhere_since() -> None:
    sandbox, bf = connected()
    row = groceries(bf).tail(1)
    key = row["transaction_id"].iloc[0]
    changes = bf.changes(row.assign(memo="seen", flag_color="red"))
    interrupted(sandbox, "reset-after:PATCH", changes.apply)
    sandbox.device.edit_transaction(key, flag_color="blue")
    assert changes.apply().counts == {"left": 0, "done": 1, "unknown": 0, "conflicts": 1}
    assert changes.conflicts["problem"].tolist() == ["changed since the comparison: flag_color"]
    changes.undo().apply()
    after = bf.transactions().set_index("transaction_id").loc[key]
    assert (pd.isna(after["memo"]), after["flag_color"]) == (True, "blue")


def test_the_other_side_follows_a_transfer_of_which_a_field_was_not_applied() -> None:
    sandbox, bf = connected()
    before = bf.transactions()
    side = rows_with(before, account_name="Index Fund").tail(1)
    key = side["transfer_transaction_id"].iloc[0]
    edited_row = before[before["transaction_id"] == key].assign(date="2026-06-02", memo="seen")
    changes = bf.changes(edited_row)
    apply_with(changes, sandbox, "drop-field:date:PATCH")
    is_of_side = changes.frame["transaction_id"].isin(side["transaction_id"])
    assert changes.frame[is_of_side]["field"].tolist() == ["memo"]
    changes.undo().apply()
    pd.testing.assert_frame_equal(bf.transactions(), before)


def test_the_end_of_a_transfer_that_is_still_to_be_sent_stays_announced_after_an_error() -> None:
    sandbox, bf = connected()
    before = bf.transactions()
    side = rows_with(before, account_name="Savings").query("transfer_account_id.notna()").tail(1)
    changes = bf.changes(pd.concat([side.assign(payee_name="Corner Market"), new_rows()]))
    sandbox.faults = ["drop-field:payee_id:PATCH@1", "reset-before:POST"]
    with pytest.raises(httpx.TransportError):
        changes.apply()
    is_gone = changes.frame["action"] == "delete"
    assert changes.frame[is_gone]["transaction_id"].tolist() == [*side["transfer_transaction_id"]]


def test_resumed_changes_of_the_state_of_a_transfer_that_are_sent_twice_do_not_end_it() -> None:
    sandbox, bf = connected()
    side = rows_with(bf.transactions(), account_name="Index Fund").tail(1)
    changes = bf.changes(side.assign(approved=False, flag_color="green"))
    interrupted(sandbox, "reset-before:PATCH", changes.apply)
    sandbox.faults = ["drop-field:approved:PATCH@1"]
    assert bf.journal().resume().frame["field"].tolist() == ["approved", "flag_color"]


def test_a_schedule_that_the_service_would_not_restore_is_announced_and_cannot_be_changed() -> None:
    bf = connect(small_sandbox())
    rows = bf.scheduled_transactions().query("frequency == 'everyOtherWeek'")
    with pytest.raises(ToolError, match="everyOtherWeek: the service changes no schedule with"):
        bf.changes(rows.assign(memo="x"))
    changes = bf.changes(delete=rows)
    (warning,) = changes.warnings
    assert warning == (
        ".undo().apply() cannot restore 1 deleted schedule with the frequency everyOtherWeek: the"
        " service creates only schedules with never, daily, weekly, monthly, yearly"
    )
    assert changes.apply().counts["done"] == 1
    assert "frequency is everyOtherWeek" in changes.undo().conflicts["problem"].iloc[0]


def test_a_schedule_whose_frequency_is_missing_can_be_deleted() -> None:
    sandbox = small_sandbox()
    altering = Altering(
        sandbox, lambda rows: [row.update(frequency=None) for row in rows], "scheduled_transactions"
    )
    bf = of_transport(sandbox, altering)
    with pytest.warns(RuntimeWarning, match="no usable frequency"):
        changes = bf.changes(delete=bf.scheduled_transactions().tail(1))
    assert "1 deleted schedule with the frequency None" in changes.warnings[0]


def test_effects_are_kept_unless_a_change_was_not_made() -> None:
    for fault, is_kept in (("500:GET:/user", True), ("drop-row:PATCH", False)):
        sandbox = small_sandbox()
        bf = connect(sandbox)
        changes = bf.changes(edited(bf))
        before = changes.effects
        apply_with(changes, sandbox, fault)
        if is_kept:
            pd.testing.assert_frame_equal(changes.effects, before)
        else:
            with pytest.raises(ToolError, match="the changes are sent already"):
                changes.effects  # noqa: B018 - it raises
