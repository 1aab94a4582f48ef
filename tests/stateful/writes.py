"""Writes of every kind, through the client and through the frames."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import date, timedelta
from typing import Any

import pandas as pd

from budgetframe import BudgetFrame

from .calls import Call
from .expected import Json, differences, dollars, in_dollars, keyed
from .faults import Flow
from .frames import SHAPES
from .notebook import Kernel
from .reads import pick
from .service import EARLIEST

_TYPES = ("checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability")
FREQUENCIES = ("never", "daily", "weekly", "twiceAMonth", "monthly", "yearly")
_CLEARED = ("cleared", "uncleared", "reconciled")


class Draft:
    """Bodies of writes to one budget, from a few numbers.

    Parameters
    ----------
    budget
        Its state.
    one, two, amount
        What everything is chosen by.
    """

    def __init__(self, budget: Any, one: int, two: int, amount: int) -> None:
        self.budget, self.one, self.two, self.amount = budget, one, two, amount

    def id_of(self, table: str, number: int) -> str:
        rows = [row.id for row in getattr(self.budget, table).live()]
        return str(pick(rows, number)) if rows else "no-such-row"

    def some(self, table: str, number: int) -> str | None:
        return None if number % 4 == 0 else self.id_of(table, number)

    def ordinary(self, number: int) -> str:
        """A category that can be written to."""
        rows = self.budget.categories.live()
        ids = [row.id for row in rows if not row.internal and row.payment_account_id is None]
        return str(pick(ids, number))

    def group(self, number: int) -> str:
        rows = self.budget.groups.live()
        fixed = self.budget.cards_group_id
        return str(pick([r.id for r in rows if not r.internal and r.id != fixed], number))

    def month(self) -> str:
        number = self.budget.current_month - 3 + self.one % 6
        return f"{number // 12}-{number % 12 + 1:02d}-01"

    def day(self, number: int) -> date:
        """A day of the last fourteen months, mostly of this one."""
        today: date = self.budget.today
        return today - timedelta(days=number % 20 if number % 3 else number % 420)

    def row(self) -> Json:
        return {
            "account_id": self.id_of("accounts", self.two),
            "date": self.day(self.one).isoformat(),
            "amount": self.amount,
            "payee_id": self.some("payees", self.one),
            "category_id": self.some("categories", self.two),
            "cleared": pick([*_CLEARED], self.one),
            "approved": self.one % 2 == 0,
            "memo": pick([None, "", "Brot"], self.two),
        }

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
            "category_id": self.ordinary(self.one),
            "date": day.isoformat(),
            "frequency": pick([*FREQUENCIES], self.one),
        }

    def name(self) -> str:
        return f"Name {self.one % 50}"


Write = tuple[str, str, str, Json | None, str, str]
"""Resource, method, path below the budget, body, key of the answer, path to read it at."""


def _post(d: Draft) -> Write:
    row = d.row() | ({"payee_name": d.name()} if d.one % 3 == 0 else {})
    return "transactions", "POST", "transactions", {"transaction": row}, "transaction", "{}"


def _post_split(d: Draft) -> Write:
    row = d.row() | {"subtransactions": d.parts()}
    return "transactions", "POST", "transactions", {"transaction": row}, "transaction", "{}"


def _post_many(d: Draft) -> Write:
    first = d.row()
    second = Draft(d.budget, d.two, d.one, -d.amount).row()
    rows = [first, second | {"import_id": f"id {d.one % 9}"}, first | {"import_id": "same"}]
    return "transactions", "POST", "transactions", {"transactions": rows}, "transactions", ""


def _import(_: Draft) -> Write:
    return "transactions", "POST", "transactions/import", None, "", ""


def _put(d: Draft) -> Write:
    fields = list(d.row().items())
    change: Json = dict(fields[d.two % 5 :: 1 + d.one % 3])
    if d.one % 6 == 0:
        change = {"amount": d.amount, "subtransactions": d.parts()}
    path = f"transactions/{d.id_of('transactions', d.one)}"
    return "transactions", "PUT", path, {"transaction": change}, "transaction", path


def _patch_many(d: Draft) -> Write:
    key = d.id_of("transactions", d.one)
    rows: list[Json] = [
        {"id": key, "amount": d.amount, "payee_id": d.some("payees", d.two)},
        {"id": key, "category_id": d.some("categories", d.one)},
        {"import_id": "same", "account_id": d.id_of("accounts", d.two)},
    ]
    rows = rows[: 1 + d.one % 3]
    return "transactions", "PATCH", "transactions", {"transactions": rows}, "transactions", ""


def _delete(d: Draft) -> Write:
    return "transactions", "DELETE", f"transactions/{d.id_of('transactions', d.one)}", None, "", ""


def _post_account(d: Draft) -> Write:
    account = {"name": d.name(), "type": pick([*_TYPES], d.one), "balance": d.amount}
    return "accounts", "POST", "accounts", {"account": account}, "account", "accounts/{}"


def _post_payee(d: Draft) -> Write:
    return "payees", "POST", "payees", {"payee": {"name": d.name()}}, "payee", "payees/{}"


def _patch_payee(d: Draft) -> Write:
    path = f"payees/{d.id_of('payees', d.two)}"
    return "payees", "PATCH", path, {"payee": {"name": d.name()}}, "payee", path


def _category(d: Draft) -> Json:
    category: Json = {"name": d.name(), "category_group_id": d.group(d.one)}
    if d.two % 2:
        category["goal_target"] = abs(d.amount)
    return {"category": category}


def _post_category(d: Draft) -> Write:
    return "categories", "POST", "categories", _category(d), "category", "categories/{}"


def _patch_category(d: Draft) -> Write:
    path = f"categories/{d.ordinary(d.two)}"
    return "categories", "PATCH", path, _category(d), "category", path


def _post_group(d: Draft) -> Write:
    body = {"category_group": {"name": d.name()}}
    return "category_groups", "POST", "category_groups", body, "", ""


def _patch_group(d: Draft) -> Write:
    body = {"category_group": {"name": d.name()}}
    return "category_groups", "PATCH", f"category_groups/{d.group(d.two)}", body, "", ""


def _assign(d: Draft) -> Write:
    path = f"months/{d.month()}/categories/{d.ordinary(d.two)}"
    return "months", "PATCH", path, {"category": {"budgeted": d.amount}}, "category", path


_PLANNED = "scheduled_transactions"


def _post_schedule(d: Draft) -> Write:
    body = {"scheduled_transaction": d.schedule()}
    return _PLANNED, "POST", _PLANNED, body, "scheduled_transaction", _PLANNED + "/{}"


def _put_schedule(d: Draft) -> Write:
    path = f"{_PLANNED}/{d.id_of('scheduled', d.one)}"
    change = dict(list(d.schedule().items())[d.two % 4 :: 2])
    return _PLANNED, "PUT", path, {"scheduled_transaction": change}, "scheduled_transaction", path


def _delete_schedule(d: Draft) -> Write:
    return _PLANNED, "DELETE", f"{_PLANNED}/{d.id_of('scheduled', d.one)}", None, "", ""


def _unknown(d: Draft) -> Write:
    path = f"payees/{d.budget.id}"
    return "payees", "PATCH", path, {"payee": {"name": d.name()}}, "", ""


WRITES: tuple[Callable[[Draft], Write], ...] = (
    *(_post, _post_split, _post_many, _import, _put, _put, _patch_many, _delete),
    *(_post_account, _post_payee, _patch_payee, _post_category, _patch_category),
    *(_post_group, _patch_group, _assign, _assign, _post_schedule, _put_schedule),
    *(_delete_schedule, _unknown),
)


def raw_write(kernel: Kernel, numbers: tuple[int, int, int], what: int, spelling: str) -> Call:
    """A write through one of the client's methods."""
    one, two, amount = numbers
    budget = pick(kernel.world.budgets, two)
    make = pick(list(WRITES), what)
    resource, method, below, body, key, seen_at = make(Draft(budget, one, two, amount))
    # What an alias stands for is known to the service alone.
    is_alias = one % 16 == 0 and budget is kernel.world.budgets[0]
    path = f"/{spelling}/{'last-used' if is_alias else budget.id}/{below}"

    def start() -> Coroutine[Any, Any, Json]:
        act = getattr(kernel.process.client, method.lower())
        started: Coroutine[Any, Any, Json] = act(path, json=body) if body else act(path)
        return started

    def after() -> None:
        if is_alias:
            for each in (*kernel.world.ids, ""):
                kernel.drop_budget(each)
        else:
            kernel.wrote(budget.id, resource)

    def judge(call: Call, result: Json) -> str | None:
        if len(call.flow.asked) != 1:
            return f"sent {len(call.flow.asked)} times"
        if not call.is_quiet or not key:
            return None
        root = f"/{spelling}/{budget.id}"
        if seen_at in {"", "{}"}:
            return _rows_are_there(kernel, f"{root}/transactions?since_date={EARLIEST}", result)
        truth = kernel.world.truth(f"{root}/{seen_at.format(result[key]['id'])}")
        found, wanted = keyed(result[key]), truth.shown[key]
        return None if found == wanted else "\n  ".join(differences(found, wanted))

    return Call(kernel, Flow(f"{method} {path} {body}"), start, judge, after=after)


def _rows_are_there(kernel: Kernel, url: str, result: Json) -> str | None:
    there = kernel.world.truth(url).shown["transactions"]
    written = result.get("transactions") or [result["transaction"]]
    rows = {row["id"]: keyed(row) for row in written}  # one that was changed twice stands twice
    missing = [key for key, row in rows.items() if there.get(key) != row]
    return (
        "\n  ".join(
            line for key in missing for line in differences(rows[key], there.get(key), key)
        )[:2000]
        or None
    )


# -- through the frames ----------------------------------------------------------------------------


def frame_write(kernel: Kernel, numbers: tuple[int, int, int], what: int) -> Call:
    """A write through one of the methods of the frames."""
    one, two, amount = numbers
    index = two % len(kernel.world.budgets)
    budget = kernel.world.budgets[index]
    draft = Draft(budget, one, two, amount)
    resource = "transactions" if what % 4 < 2 else "category_groups"
    row = draft.row()
    row["amount"] = dollars(row["amount"])
    rows: Any = [{name: value for name, value in row.items() if value is not None}]
    change: Any = [{"transaction_id": draft.id_of("transactions", one), "memo": draft.name()}]
    if one % 2:
        rows, change = pd.DataFrame(rows), pd.DataFrame(change)
    methods: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("create_transactions", (rows,)),
        ("update_transactions", (change,)),
        ("create_category_group", (draft.name(),)),
        ("rename_category_group", (draft.group(two), draft.name())),
    )
    name, arguments = pick(list(methods), what)

    def judge(call: Call, result: Any) -> str | None:
        writes = [method for method, _, _ in call.flow.asked if method != "GET"]
        if len(writes) != 1:
            return f"sent {len(writes)} times"
        if not call.is_quiet or resource != "transactions":
            return None
        truth = kernel.world.truth(f"/budgets/{budget.id}/transactions?since_date={EARLIEST}")
        there = SHAPES["transactions"].wanted(truth.raw)
        found = SHAPES["transactions"].found(result)
        wrong = [key for key, shown in found.items() if there.get(key) != shown]
        return f"{found[wrong[0]]}, the service has {there.get(wrong[0])}" if wrong else None

    def act(bf: BudgetFrame, *, blocking: bool) -> Any:
        return getattr(bf if blocking else bf.aio, name)(*arguments)

    return Call(
        kernel,
        Flow(f"{name} {arguments}"),
        lambda: act(kernel.process.frames[index], blocking=False),
        judge,
        lambda: act(kernel.process.blocking[index], blocking=True),
        after=lambda: kernel.wrote(budget.id, resource),
    )


__all__ = ["FREQUENCIES", "WRITES", "Draft", "frame_write", "in_dollars", "raw_write"]
