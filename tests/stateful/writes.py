"""Writes of all kinds, through the client and through the facade."""

import random
from collections.abc import Callable, Coroutine
from datetime import date, timedelta
from typing import Any, NamedTuple

import pandas as pd

from budgetframe import BudgetFrame

from .calls import Call
from .expected import Json, currency_units, differences, rows_by_key
from .expected_frames import EXPECTED_FRAMES
from .notebook import KEPT_AFTER, Notebook
from .reads import pick
from .service import EARLIEST
from .transport import CallTrace

_TYPES = ("checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability")
FREQUENCIES = ("never", "daily", "weekly", "monthly", "yearly")
_CLEARED = ("cleared", "uncleared", "reconciled")


class RandomChoices:
    """Ids, rows and request bodies for one budget of the service, derived from three numbers."""

    def __init__(self, budget: Any, one: int, two: int, amount: int) -> None:
        self.budget, self.one, self.two, self.amount = budget, one, two, amount

    def id_of(self, table: str, number: int) -> str:
        rows = [row.id for row in getattr(self.budget, table).live()]
        return str(pick(rows, number)) if rows else "no-such-row"

    def some(self, table: str, number: int) -> str | None:
        return None if number % 4 == 0 else self.id_of(table, number)

    def ordinary(self, number: int) -> str:
        """The id of a category that is neither internal nor of a credit card."""
        rows = self.budget.categories.live()
        ids = [row.id for row in rows if not row.internal and row.payment_account_id is None]
        return str(pick(ids, number))

    def group(self, number: int) -> str:
        rows, fixed = self.budget.groups.live(), self.budget.cards_group_id
        return str(pick([r.id for r in rows if not r.internal and r.id != fixed], number))

    def month(self) -> str:
        number = self.budget.current_month - 3 + self.one % 6
        return f"{number // 12}-{number % 12 + 1:02d}-01"

    def day(self, number: int) -> date:
        """A day of the last 420 days, in two of three cases one of the last 20."""
        today: date = self.budget.today
        return today - timedelta(days=number % 20 if number % 3 else number % 420)

    def row(self) -> Json:
        return {
            "account_id": self.id_of("accounts", self.two), "date": self.day(self.one).isoformat(),
            "amount": self.amount, "payee_id": self.some("payees", self.one),
            "category_id": self.some("categories", self.two),
            "cleared": pick([*_CLEARED], self.one), "approved": self.one % 2 == 0,
            "memo": pick([None, "", "Brot"], self.two),
        }  # fmt: skip

    def parts(self) -> list[Json]:
        return [
            {"amount": self.amount - 1_000, "category_id": self.some("categories", self.one)},
            {"amount": 1_000, "payee_id": self.some("payees", self.two), "memo": "Teil"},
        ]

    def schedule(self) -> Json:
        row = self.row()
        del row["cleared"], row["approved"]
        day = self.budget.today + timedelta(days=1 + self.two % 40)
        return row | {
            "category_id": self.ordinary(self.one), "date": day.isoformat(),
            "frequency": pick([*FREQUENCIES], self.one),
        }  # fmt: skip

    def name(self) -> str:
        return f"Name {self.one % 50}"


class Write(NamedTuple):
    """A write; `path` is below the budget.

    `key` is that of the row in the response, and `read_path` the path at which the row can be read
    afterwards, with ``{}`` for its id.
    """

    resource: str
    method: str
    path: str
    body: Json | None = None
    key: str = ""
    read_path: str = ""


def _post_transaction(chosen: RandomChoices) -> Write:
    row = chosen.row() | ({"payee_name": chosen.name()} if chosen.one % 3 == 0 else {})
    return Write("transactions", "POST", "transactions", {"transaction": row}, "transaction", "{}")


def _post_split(chosen: RandomChoices) -> Write:
    row = chosen.row() | {"subtransactions": chosen.parts()}
    return Write("transactions", "POST", "transactions", {"transaction": row}, "transaction", "{}")


def _post_many(chosen: RandomChoices) -> Write:
    first = chosen.row()
    second = RandomChoices(chosen.budget, chosen.two, chosen.one, -chosen.amount).row()
    rows = [first, second | {"import_id": f"id {chosen.one % 9}"}, first | {"import_id": "same"}]
    return Write("transactions", "POST", "transactions", {"transactions": rows}, "transactions")


def _import(_: RandomChoices) -> Write:
    return Write("transactions", "POST", "transactions/import")


def _put_transaction(chosen: RandomChoices) -> Write:
    change: Json = dict(list(chosen.row().items())[chosen.two % 5 :: 1 + chosen.one % 3])
    if chosen.one % 6 == 0:
        change = {"amount": chosen.amount, "subtransactions": chosen.parts()}
    path = f"transactions/{chosen.id_of('transactions', chosen.one)}"
    return Write("transactions", "PUT", path, {"transaction": change}, "transaction", path)


def _patch_many(chosen: RandomChoices) -> Write:
    key = chosen.id_of("transactions", chosen.one)
    rows: list[Json] = [
        {"id": key, "amount": chosen.amount, "payee_id": chosen.some("payees", chosen.two)},
        {"id": key, "category_id": chosen.some("categories", chosen.one)},
        {"import_id": "same", "account_id": chosen.id_of("accounts", chosen.two)},
    ]
    rows = rows[: 1 + chosen.one % 3]
    return Write("transactions", "PATCH", "transactions", {"transactions": rows}, "transactions")


def _delete_transaction(chosen: RandomChoices) -> Write:
    path = f"transactions/{chosen.id_of('transactions', chosen.one)}"
    return Write("transactions", "DELETE", path)


def _post_account(chosen: RandomChoices) -> Write:
    account = {"name": chosen.name(), "type": pick([*_TYPES], chosen.one), "balance": chosen.amount}
    return Write("accounts", "POST", "accounts", {"account": account}, "account", "accounts/{}")


def _post_payee(chosen: RandomChoices) -> Write:
    body = {"payee": {"name": chosen.name()}}
    return Write("payees", "POST", "payees", body, "payee", "payees/{}")


def _patch_payee(chosen: RandomChoices) -> Write:
    path = f"payees/{chosen.id_of('payees', chosen.two)}"
    return Write("payees", "PATCH", path, {"payee": {"name": chosen.name()}}, "payee", path)


def _category(chosen: RandomChoices) -> Json:
    category: Json = {"name": chosen.name(), "category_group_id": chosen.group(chosen.one)}
    if chosen.two % 2:
        category["goal_target"] = abs(chosen.amount)
    return {"category": category}


def _post_category(chosen: RandomChoices) -> Write:
    return Write("categories", "POST", "categories", _category(chosen), "category", "categories/{}")


def _patch_category(chosen: RandomChoices) -> Write:
    path = f"categories/{chosen.ordinary(chosen.two)}"
    return Write("categories", "PATCH", path, _category(chosen), "category", path)


def _post_group(chosen: RandomChoices) -> Write:
    body = {"category_group": {"name": chosen.name()}}
    return Write("category_groups", "POST", "category_groups", body)


def _patch_group(chosen: RandomChoices) -> Write:
    body = {"category_group": {"name": chosen.name()}}
    return Write("category_groups", "PATCH", f"category_groups/{chosen.group(chosen.two)}", body)


def _assign(chosen: RandomChoices) -> Write:
    path = f"months/{chosen.month()}/categories/{chosen.ordinary(chosen.two)}"
    return Write(
        "months", "PATCH", path, {"category": {"budgeted": chosen.amount}}, "category", path
    )


_SCHEDULED = "scheduled_transactions"


def _post_schedule(chosen: RandomChoices) -> Write:
    body = {"scheduled_transaction": chosen.schedule()}
    return Write(_SCHEDULED, "POST", _SCHEDULED, body, "scheduled_transaction", _SCHEDULED + "/{}")


def _put_schedule(chosen: RandomChoices) -> Write:
    path = f"{_SCHEDULED}/{chosen.id_of('scheduled', chosen.one)}"
    change = dict(list(chosen.schedule().items())[chosen.two % 4 :: 2])
    return Write(
        _SCHEDULED, "PUT", path, {"scheduled_transaction": change}, "scheduled_transaction", path
    )


def _delete_schedule(chosen: RandomChoices) -> Write:
    return Write(_SCHEDULED, "DELETE", f"{_SCHEDULED}/{chosen.id_of('scheduled', chosen.one)}")


def _patch_unknown_payee(chosen: RandomChoices) -> Write:
    path = f"payees/{chosen.budget.id}"
    return Write("payees", "PATCH", path, {"payee": {"name": chosen.name()}})


WRITES: tuple[Callable[[RandomChoices], Write], ...] = (
    *(_post_transaction, _post_split, _post_many, _import, _put_transaction, _put_transaction),
    *(_patch_many, _delete_transaction),
    *(_post_account, _post_payee, _patch_payee, _post_category, _patch_category),
    *(_post_group, _patch_group, _assign, _assign, _post_schedule, _put_schedule),
    *(_delete_schedule, _patch_unknown_payee),
)


def random_numbers(rng: random.Random) -> tuple[int, int, int]:
    """The numbers of a write: two that choose its rows, and an amount."""
    return rng.randrange(2**16), rng.randrange(2**16), rng.randrange(-9, 9) * 1000


def client_write(notebook: Notebook, numbers: tuple[int, int, int], kind: int, prefix: str) -> Call:
    """A write with a method of the client."""
    one, two, amount = numbers
    budget, build = pick(notebook.service.budgets, two), pick(list(WRITES), kind)
    resource, method, below, body, key, read_path = build(RandomChoices(budget, one, two, amount))
    # Only the service knows the budget of the alias.
    is_alias = one % 16 == 0 and budget is notebook.service.budgets[0]
    path = f"/{prefix}/{'last-used' if is_alias else budget.id}/{below}"

    def run_async() -> Coroutine[Any, Any, Json]:
        send = getattr(notebook.process.client, method.lower())
        sent: Coroutine[Any, Any, Json] = send(path, json=body) if body else send(path)
        return sent

    def on_write_end() -> None:
        if is_alias:
            for each in (*notebook.service.ids, ""):
                notebook.invalidate_budget(each)
        else:
            notebook.invalidate_after_write(trace, budget.id, resource)

    def check(call: Call, result: Json) -> str | None:
        if len(call.trace.requests) != 1:
            return f"the client sent {len(call.trace.requests)} requests instead of one"
        if not call.is_alone or not key:
            return None
        root = f"/{prefix}/{budget.id}"
        if read_path in {"", "{}"}:
            return _check_rows(notebook, f"{root}/transactions?since_date={EARLIEST}", result)
        answer = notebook.service.answer(f"{root}/{read_path.format(result[key]['id'])}")
        actual, expected = rows_by_key(result[key]), answer.expected_data[key]
        return None if actual == expected else "\n  ".join(differences(actual, expected))

    trace = CallTrace(f"{method} {path} {body}")
    return Call(notebook, trace, run_async, check, on_write_end=on_write_end)


def _check_rows(notebook: Notebook, url: str, result: Json) -> str | None:
    expected = notebook.service.answer(url).expected_data["transactions"]
    written = result.get("transactions") or [result["transaction"]]
    # A row that the request changes twice occurs twice in the response.
    rows = {row["id"]: rows_by_key(row) for row in written}
    missing = [key for key, row in rows.items() if expected.get(key) != row]
    return (
        "\n  ".join(
            line for key in missing for line in differences(rows[key], expected.get(key), key)
        )[:2000]
        or None
    )


# -- the facade ------------------------------------------------------------------------------------


_UPDATES = ("update_transactions", "assign", "rename_payee", "rename_category_group")
"""The writes that send nothing if the row has the values already."""
_COMPARED = ("update_transactions", "delete_transactions")
"""The writes that read the present transactions first."""


def facade_write(notebook: Notebook, numbers: tuple[int, int, int], kind: int) -> Call:
    """A write with a method of the facade."""
    one, two, amount = numbers
    index = two % len(notebook.service.budgets)
    budget = notebook.service.budgets[index]
    chosen = RandomChoices(budget, one, two, amount)
    row = chosen.row()
    row["amount"] = currency_units(row["amount"])
    rows: Any = [{name: value for name, value in row.items() if value is not None}]
    memo = pick([None, pd.NA, chosen.name(), chosen.name()], one // 2)  # an empty memo is cleared
    change: Any = [{"transaction_id": chosen.id_of("transactions", one), "memo": memo}]
    schedule = chosen.schedule()
    schedule |= {"amount": currency_units(schedule["amount"]), "date_next": schedule.pop("date")}
    schedules: Any = [{name: value for name, value in schedule.items() if value is not None}]
    if one % 2:
        rows, change, schedules = map(pd.DataFrame, (rows, change, schedules))
    amount_of_month = (chosen.month()[:7], chosen.ordinary(two), currency_units(amount))
    methods: tuple[tuple[str, tuple[Any, ...], str], ...] = (
        ("create_transactions", (rows,), "transactions"),
        ("update_transactions", (change,), "transactions"),
        ("delete_transactions", ([chosen.id_of("transactions", one)],), "transactions"),
        ("create_scheduled_transactions", (schedules,), "scheduled_transactions"),
        ("assign", amount_of_month, "months"),
        ("assign", amount_of_month, "months"),
        ("rename_payee", (chosen.id_of("payees", two), chosen.name()), "payees"),
        ("create_category_group", (chosen.name(),), "category_groups"),
        ("rename_category_group", (chosen.group(two), chosen.name()), "category_groups"),
    )
    name, arguments, resource = pick(list(methods), kind)

    def check(call: Call, result: Any) -> str | None:
        writes = [method for method, _, _ in call.trace.requests if method != "GET"]
        is_unchanged = name in _UPDATES and not writes
        if len(writes) != 1 and not is_unchanged:
            return f"the client sent {len(writes)} writes instead of one"
        if not call.is_alone or resource != "transactions" or name == "delete_transactions":
            return None
        answer = notebook.service.answer(f"/budgets/{budget.id}/transactions?since_date={EARLIEST}")
        expected = EXPECTED_FRAMES["transactions"].expected_rows(answer.raw)
        actual = EXPECTED_FRAMES["transactions"].actual_rows(result)
        wrong = [key for key, values in actual.items() if expected.get(key) != values]
        return f"{actual[wrong[0]]}, the service has {expected.get(wrong[0])}" if wrong else None

    def run(bf: BudgetFrame, *, blocking: bool) -> Any:
        return getattr(bf if blocking else bf.aio, name)(*arguments)

    trace = CallTrace(f"{name} {arguments}")
    if name in _COMPARED:
        trace.url = f"/budgets/{budget.id}/transactions?since_date={EARLIEST}"
        trace.key = f"{budget.id}:transactions"
        trace.is_frame = True  # a comparison may read the export instead of several lists

    return Call(
        notebook, trace, lambda: run(notebook.process.async_facades[index], blocking=False), check,
        lambda: run(notebook.process.blocking_facades[index], blocking=True),
        on_write_end=lambda: notebook.invalidate_after_write(
            trace, budget.id, resource, keeps_lists=resource in KEPT_AFTER
        ),
        on_end=lambda: _record_reads(notebook, trace, budget.id),
    )  # fmt: skip


def _record_reads(notebook: Notebook, trace: CallTrace, budget_id: str) -> None:
    """Record what the cache may contain after the reads that come before a write."""
    # The request of another call that reads the list already is shared, and its answer is stored.
    if trace.url and (notebook.has_requested(trace) or trace.may_share_request):
        notebook.record_stored(trace, [answer for _, answer in trace.allowed], is_certain=False)
    read = {url for method, url, _ in trace.requests if method == "GET"}
    notebook.prefixes.update(url.split("/")[1] for url in read)
    for url in read - {trace.url}:
        if url.startswith(f"/budgets/{budget_id}/"):
            notebook.record_possibly_stored(f"{budget_id}:{url.rpartition('/')[2]}", url)
