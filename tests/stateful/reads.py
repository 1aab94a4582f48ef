"""Reads of everything there is, through the client and through the frames."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.reports.reconciliation import Reconciliation

from .calls import Call, compare
from .expected import Json, Leeway, Truth, dollars, keyed
from .faults import Flow
from .figures import FIGURES
from .frames import EXPORTED, LISTS as MADE_OF, SHAPES, exported
from .notebook import LISTS, Kernel
from .service import EARLIEST, MIDDLE

T = TypeVar("T")


def pick(rows: list[T], number: int) -> T:
    return rows[number % len(rows)]


def _shown(truth: Truth) -> Json:
    return truth.shown


def _soften(found: Any, leeway: Leeway) -> Any:
    return leeway.applied(found)


def raw_read(kernel: Kernel, url: str, *, resource: str = "", whole: bool = False) -> Call:
    """GET through the client; `whole` by way of `request`, server knowledge and all."""
    path, _, query = url.partition("?")
    params = dict([query.split("=")]) if query else None
    is_list = path.count("/") == 3 and resource in LISTS
    if is_list and not whole:
        kernel.spellings.add(path.split("/")[1])

    def judge(call: Call, result: Json) -> str | None:
        knowledge = result.pop("server_knowledge", None)
        complaint, matched = compare(call, keyed(result), _shown, _soften)
        if complaint is not None:
            return complaint
        if whole:
            is_right = any(knowledge == truth.knowledge for truth in matched)
            return None if is_right else f"server knowledge {knowledge}"
        if knowledge is not None:
            return "the server knowledge was left in"
        if call.is_quiet:
            kernel.read_whole(call.flow)
        kernel.went_on(call.flow, matched)
        return None

    flow = Flow(f"{'request' if whole else 'get'} {url}", url=url, key=f":raw {url}")
    if is_list and not whole:
        flow.key = f"{path.split('/')[2]}:{resource}"

    def start() -> Coroutine[Any, Any, Json]:
        if whole:
            return kernel.process.client.request("get", path, params=params)
        return kernel.process.client.get(path, params=params)

    return Call(kernel, flow, start, judge)


def list_read(kernel: Kernel, one: int, two: int, spelling: str) -> Call:
    """A list, with parameters at times."""
    resource = pick([*LISTS, "transactions", "payee_locations", "settings"], one)
    root = f"/{spelling}/{pick(kernel.world.ids, two)}/{resource}"
    query = ""
    if resource == "transactions":
        days = ("", EARLIEST, MIDDLE, EARLIEST)
        query = (*(f"since_date={day}" * bool(day) for day in days), "type=unapproved")[two % 5]
        if two % 17 == 0:
            query = f"until_date={MIDDLE}"
    elif two % 11 == 0:
        query = f"since_date={MIDDLE}"
    if two % 13 == 0 and resource in LISTS[:6]:
        query = f"last_knowledge_of_server={1 + two % 400}"
        return raw_read(kernel, f"{root}?{query}")
    whole = two % 7 == 0
    url = f"{root}?{query}" if query else root
    return raw_read(kernel, url, resource=resource, whole=whole)


def item_read(kernel: Kernel, one: int, two: int, spelling: str) -> Call:
    """One row, or a list below one."""
    budget = pick(kernel.world.budgets, two)
    root = f"/{spelling}/{budget.id}"

    def some(table: Any) -> str:
        rows = list(table.live())
        return str(pick(rows, two // 7).id) if rows else "none"

    number = budget.current_month - two % 14
    month = f"{number // 12}-{number % 12 + 1:02d}-01"
    urls: list[Callable[[], str]] = [
        lambda: f"{root}/accounts/{some(budget.accounts)}",
        lambda: f"{root}/payees/{some(budget.payees)}",
        lambda: f"{root}/categories/{some(budget.categories)}",
        lambda: f"{root}/transactions/{some(budget.transactions)}",
        lambda: f"{root}/scheduled_transactions/{some(budget.scheduled)}",
        lambda: f"{root}/months/{month}",
        lambda: f"{root}/months/current",
        lambda: f"{root}/months/{month}/categories/{some(budget.categories)}",
        lambda: f"{root}/months/{month}/transactions",
        lambda: f"{root}/months/{month}/money_movements",
        lambda: f"{root}/months/{month}/money_movement_groups",
        lambda: f"{root}/accounts/{some(budget.accounts)}/transactions",
        lambda: f"{root}/categories/{some(budget.categories)}/transactions",
        lambda: f"{root}/payees/{some(budget.payees)}/transactions",
        lambda: f"/{spelling}",
        lambda: "/user",
        lambda: f"/{spelling}/{budget.id}",
    ]
    return raw_read(kernel, pick(urls, one)())


# -- frames ----------------------------------------------------------------------------------------


FRAMES = (*SHAPES, "transactions", "export", "account", "category", "transaction")


def frame_read(kernel: Kernel, one: int, two: int) -> Call:
    """A frame, or a single row as a model."""
    name = pick(list(FRAMES), one)
    index = two % len(kernel.world.budgets)
    if name == "export" and two % 4 == 0:  # it is slow to make
        return export_read(kernel, index)
    if name in {"account", "category", "transaction"}:
        return _model(kernel, index, name, two)
    return list_frame(kernel, index, "months" if name == "export" else name, two // 2)


def _place(budget: Any, name: str, two: int) -> tuple[str, str, str]:
    """What a frame is made of: the list or the month, the path, and the key it is kept under."""
    listed = MADE_OF.get(name, name)
    url, key = f"/budgets/{budget.id}/{listed}", f"{budget.id}:{listed}"
    number = budget.current_month - two % 5
    month = f"{number // 12}-{number % 12 + 1:02d}-01"
    if name == "budgets":
        return "", "/budgets", ":budgets"
    if listed == "transactions":
        return "", f"{url}?since_date={EARLIEST}", key
    if name == "month":
        argument = month if two % 3 else "current"
        return (
            argument,
            f"/budgets/{budget.id}/months/{argument}",
            f"{budget.id}:months:{argument}",
        )
    if listed.startswith("money_") and two % 3 == 0:
        return month, f"/budgets/{budget.id}/months/{month}/{listed}", f"{key}:{month}"
    return "", url, key


def list_frame(kernel: Kernel, index: int, name: str, two: int = 0) -> Call:
    """A frame that is made of one list."""
    argument, url, key = _place(kernel.world.budgets[index], name, two)
    listed = MADE_OF.get(name, name)
    kernel.spellings |= {"budgets"} if listed in LISTS and not argument else set()
    shape = SHAPES[name]

    def wanted(truth: Truth) -> Any:
        if name not in truth.frames:
            truth.frames[name] = shape.wanted(truth.raw)
        return truth.frames[name]

    def soften(rows: Any, leeway: Leeway) -> Any:
        return shape.without(rows, names=leeway.names, goal_month=leeway.spelling)

    def judge(call: Call, frame: pd.DataFrame) -> str | None:
        exports = call.flow.exports if name in EXPORTED and not argument else []
        absent = [truth for truth in _could_be(call) if truth.error is not None]
        if listed == "scheduled_transactions" and frame.empty and absent:
            return _remembered(call, absent)  # it said that there is no such list
        if call.is_stale is not ("stale" in frame.attrs):
            return f"a warning, or none: {call.flow.notices}, and {frame.attrs}"
        found = shape.found(frame)
        complaint, matched = compare(call, found, wanted, soften)
        if complaint is None:
            return _remembered(call, matched)
        if call.is_stale and name in EXPORTED and not argument:
            exports = [*exports, *call.kernel.older_exports(call.flow)]
        FIGURES["from an export"] += 1
        return None if any(found == _of_export(each)[name] for each in exports) else complaint

    def act(bf: BudgetFrame, *, blocking: bool) -> Any:
        method = getattr(bf if blocking else bf.aio, name)
        return method(argument) if argument else method()

    return _framed(
        kernel, index, f"frame {name} {argument}", where=(url, key), act=act, judge=judge
    )


def _of_export(truth: Truth) -> dict[str, Any]:
    """The frames of an export, by name."""
    if not truth.frames:
        lists = exported(truth.raw)
        truth.frames.update({name: SHAPES[name].wanted(lists) for name in EXPORTED})
    return truth.frames


def _could_be(call: Call) -> list[Truth]:
    kernel, flow = call.kernel, call.flow
    return kernel.older(flow) if call.is_stale else kernel.could_be(flow)


def _framed(
    kernel: Kernel,
    index: int,
    name: str,
    *,
    where: tuple[str, str],
    act: Callable[..., Any],
    judge: Callable[[Call, Any], str | None],
) -> Call:
    url, key = where
    return Call(
        kernel,
        Flow(name, url=url, key=key, is_frame=True),
        lambda: act(kernel.process.frames[index], blocking=False),
        judge,
        lambda: act(kernel.process.blocking[index], blocking=True),
    )


def _remembered(call: Call, matched: list[Truth]) -> str | None:
    """Note what is remembered of a read, and hold it to what was remembered before."""
    kernel, flow = call.kernel, call.flow
    FIGURES["frames"] += 1
    if call.is_stale:
        FIGURES["stale"] += 1
        return None
    if not kernel.has_asked(flow) and not flow.is_joined:
        FIGURES["remembered"] += 1
        return None
    known = kernel.recalled(flow.key)
    if call.is_quiet and known is not None and known.is_sure:
        return "asked again within the time to live"
    kernel.remember(flow, matched, is_sure=call.is_quiet)
    if call.is_quiet:
        kernel.read_whole(flow)
    return None


def export_read(kernel: Kernel, index: int) -> Call:
    """The frames of the whole export."""
    budget_id = kernel.world.ids[index]

    def judge(call: Call, frames: dict[str, pd.DataFrame]) -> str | None:
        found = {name: SHAPES[name].found(frames[name]) for name in EXPORTED}
        complaint, matched = compare(call, found, _of_export, lambda rows, _: rows)
        return complaint or _remembered(call, matched)

    def act(bf: BudgetFrame, *, blocking: bool) -> Any:
        return bf.export() if blocking else bf.aio.export()

    where = (f"/budgets/{budget_id}", f"{budget_id}:export")
    return _framed(kernel, index, "frames of the export", where=where, act=act, judge=judge)


def reconcile_read(kernel: Kernel, index: int) -> Call:
    """Both sides of the ledger; what they are made of may be remembered afterwards."""
    budget_id = kernel.world.ids[index]
    kernel.spellings.add("budgets")

    def judge(_: Call, found: Reconciliation) -> str | None:
        FIGURES["reconciled"] += len(found)
        if "reread" in found.attrs:
            return f"the transactions were read anew: {found.attrs}"
        return None if found.ok else found.summary

    call = _framed(
        kernel,
        index,
        "reconcile",
        where=("", ""),
        act=lambda bf, *, blocking: bf.reconcile() if blocking else bf.aio.reconcile(),
        judge=judge,
    )

    def leave() -> None:
        for name in ("transactions", "export"):
            url = f"/budgets/{budget_id}" + f"/transactions?since_date={EARLIEST}" * (
                name == "transactions"
            )
            if any(asked == url for _, asked, _ in call.flow.asked):
                kernel.perhaps(f"{budget_id}:{name}", url)

    call.leave = leave
    return call


_TABLES = {"account": "accounts", "category": "categories", "transaction": "transactions"}


def _model(kernel: Kernel, index: int, name: str, two: int) -> Call:
    budget = kernel.world.budgets[index]
    table = _TABLES[name]
    row_id = pick([row.id for row in getattr(budget, table).live()], two // 3)

    def wanted(truth: Truth) -> Any:
        shown = dict(truth.shown[name])
        funded = shown.get("goal_overall_funded")
        if type(funded) is int:
            shown["goal_overall_funded"] = dollars(funded)
        return shown

    def judge(call: Call, model: Any) -> str | None:
        fields = keyed(model.model_dump(mode="json"))

        def of_model(truth: Truth) -> Any:
            return {field: value for field, value in wanted(truth).items() if field in fields}

        found = {field: fields[field] for field in fields if field != "subtransactions"}
        complaint, matched = compare(
            call,
            found,
            lambda truth: {k: v for k, v in of_model(truth).items() if k != "subtransactions"},
            lambda rows, _: rows,
        )
        return complaint or _remembered(call, matched)

    def act(bf: BudgetFrame, *, blocking: bool) -> Any:
        return getattr(bf if blocking else bf.aio, name)(row_id)

    where = (f"/budgets/{budget.id}/{table}/{row_id}", f"{budget.id}:{table}:{row_id}")
    return _framed(kernel, index, f"model {name} {row_id}", where=where, act=act, judge=judge)
