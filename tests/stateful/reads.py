"""Reads of all kinds, through the client and through the facade.

All choices are derived from the numbers `one` and `two`, which Hypothesis draws.
"""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.frames.reconciliation import Reconciliation

from .calls import Call, compare
from .counts import COUNTS
from .expected import Json, ServiceAnswer, Tolerance, currency_units, rows_by_key
from .expected_frames import (
    EXPECTED_FRAMES,
    EXPORT_FRAMES,
    MONTH_CATEGORIES,
    SOURCE_LISTS,
    expected_frame,
    lists_of_export,
)
from .notebook import DELTA_LISTS, Notebook
from .service import EARLIEST, MIDDLE
from .transport import CallTrace

T = TypeVar("T")


def pick(rows: list[T], number: int) -> T:
    return rows[number % len(rows)]


# -- the client ------------------------------------------------------------------------------------


def _expected_data(answer: ServiceAnswer) -> Json:
    return answer.expected_data


def _reduce(actual: Any, tolerance: Tolerance) -> Any:
    return tolerance.reduce(actual)


def client_read(
    notebook: Notebook, url: str, *, resource: str = "", by_request: bool = False
) -> Call:
    """A read with `ServiceClient.get`, or with `ServiceClient.request`, which does not cache."""
    path, _, query = url.partition("?")
    params = dict([query.split("=")]) if query else None
    is_cached = path.count("/") == 3 and resource in DELTA_LISTS and not by_request
    if is_cached:
        notebook.prefixes.add(path.split("/")[1])

    def check(call: Call, result: Json) -> str | None:
        knowledge = result.pop("server_knowledge", None)
        problem, matched = compare(call, rows_by_key(result), _expected_data, _reduce)
        if problem is not None:
            return problem
        if by_request:
            is_right = any(knowledge == answer.knowledge for answer in matched)
            return None if is_right else f"wrong server_knowledge {knowledge}"
        if knowledge is not None:
            return "get() returned server_knowledge"
        if call.is_alone:
            notebook.record_full_read(call.trace)
        notebook.record_read_by_client(call.trace, matched)
        return None

    trace = CallTrace(f"{'request' if by_request else 'get'} {url}", url=url, key=f":raw {url}")
    if is_cached:
        trace.key = f"{path.split('/')[2]}:{resource}"

    def run_async() -> Coroutine[Any, Any, Json]:
        if by_request:
            return notebook.process.client.request("get", path, params=params)
        return notebook.process.client.get(path, params=params)

    return Call(notebook, trace, run_async, check)


def list_read(notebook: Notebook, one: int, two: int, prefix: str) -> Call:
    """A read of a list, sometimes with a parameter."""
    resource = pick([*DELTA_LISTS, "transactions", "payee_locations", "settings"], one)
    root, query = f"/{prefix}/{pick(notebook.service.ids, two)}/{resource}", ""
    if resource == "transactions":
        days = ("", EARLIEST, MIDDLE, EARLIEST)
        query = (*(f"since_date={day}" * bool(day) for day in days), "type=unapproved")[two % 5]
        if two % 17 == 0:
            query = f"until_date={MIDDLE}"
    elif two % 11 == 0:
        query = f"since_date={MIDDLE}"
    if two % 13 == 0 and resource in DELTA_LISTS[:6]:
        query = f"last_knowledge_of_server={1 + two % 400}"
        return client_read(notebook, f"{root}?{query}")
    url = f"{root}?{query}" if query else root
    return client_read(notebook, url, resource=resource, by_request=two % 7 == 0)


def item_read(notebook: Notebook, one: int, two: int, prefix: str) -> Call:
    """A read of one row, or of a list below one row or month."""
    budget = pick(notebook.service.budgets, two)
    root = f"/{prefix}/{budget.id}"

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
        lambda: f"/{prefix}",
        lambda: "/user",
        lambda: f"/{prefix}/{budget.id}",
    ]
    return client_read(notebook, pick(urls, one)())


# -- the facade ------------------------------------------------------------------------------------

FRAMES = (*EXPECTED_FRAMES, "transactions", "export", "account", "category", "transaction")


def facade_read(notebook: Notebook, one: int, two: int) -> Call:
    """A read of a frame, of all frames of the export, or of one row as a model."""
    name, index = pick(list(FRAMES), one), two % len(notebook.service.budgets)
    if name == "export" and two % 4 == 0:  # rarely, because the export is slow
        return export_read(notebook, index)
    if name in {"account", "category", "transaction"}:
        return _model_read(notebook, index, name, two)
    return frame_read(notebook, index, "months" if name == "export" else name, two // 2)


def _request_of_frame(budget: Any, name: str, two: int) -> tuple[str, str, str]:
    """The argument of the facade's method, the URL that it reads, and the key in the cache."""
    source = SOURCE_LISTS.get(name, name)
    url, key = f"/budgets/{budget.id}/{source}", f"{budget.id}:{source}"
    number = budget.current_month - two % 5
    month = f"{number // 12}-{number % 12 + 1:02d}-01"
    if name == "budgets":
        return "", "/budgets", ":budgets"
    if source == "transactions":
        return "", f"{url}?since_date={EARLIEST}", key
    if name == "month":
        argument = month if two % 3 else "current"
        url, key = f"/budgets/{budget.id}/months/{argument}", f"{budget.id}:months:{argument}"
        return argument, url, key
    if source.startswith("money_") and two % 3 == 0:
        return month, f"/budgets/{budget.id}/months/{month}/{source}", f"{key}:{month}"
    return "", url, key


def frame_read(notebook: Notebook, index: int, name: str, two: int = 0) -> Call:
    """A read of one frame."""
    argument, url, key = _request_of_frame(notebook.service.budgets[index], name, two)
    source = SOURCE_LISTS.get(name, name)
    if source in DELTA_LISTS and not argument:
        notebook.prefixes.add("budgets")

    def expected_rows(answer: ServiceAnswer) -> Any:
        if name not in answer.frames:
            fields = {field for row in answer.raw.get(source, ()) for field in row}
            answer.frames[name] = expected_frame(name, fields).expected_rows(answer.raw)
        return answer.frames[name]

    def reduce(rows: Any, tolerance: Tolerance) -> Any:
        return EXPECTED_FRAMES[name].reduce(rows, names=tolerance.names)

    def check(call: Call, frame: pd.DataFrame) -> str | None:
        errors = [answer for answer in _possible_answers(call) if answer.error is not None]
        if source == "scheduled_transactions" and frame.empty and errors:
            return _record(call, errors)  # a budget without schedules: the service answers 404
        if call.is_stale is not ("stale" in frame.attrs):
            return f"warnings {call.trace.warnings} do not agree with attrs {frame.attrs}"
        actual = expected_frame(name, frame.columns).actual_rows(frame)
        problem, matched = compare(call, actual, expected_rows, reduce)
        if problem is None:
            return _record(call, matched)
        exports = _possible_exports(call) if name in EXPORT_FRAMES and not argument else []
        COUNTS["frames from an export"] += 1
        return None if any(actual == _frames_of_export(each)[name] for each in exports) else problem

    def run(bf: BudgetFrame, *, blocking: bool) -> Any:
        method = getattr(bf if blocking else bf.aio, name)
        return method(argument) if argument else method()

    return _facade_call(
        notebook, index, f"frame {name} {argument}", request=(url, key), run=run, check=check
    )


def _frames_of_export(answer: ServiceAnswer) -> dict[str, Any]:
    """The expected rows of all frames of an export, by name of the frame."""
    if not answer.frames:
        lists = lists_of_export(answer.raw)
        answer.frames.update(
            {name: EXPECTED_FRAMES[name].expected_rows(lists) for name in EXPORT_FRAMES}
        )
        answer.frames["month_categories"] = MONTH_CATEGORIES.expected_rows(lists)
    return answer.frames


def _possible_answers(call: Call) -> list[ServiceAnswer]:
    notebook, trace = call.notebook, call.trace
    return notebook.stale_answers(trace) if call.is_stale else notebook.possible_answers(trace)


def _possible_exports(call: Call) -> list[ServiceAnswer]:
    stale = call.notebook.stale_exports(call.trace) if call.is_stale else []
    return [*call.trace.cached_exports, *stale]


def _facade_call(
    notebook: Notebook, index: int, name: str, *, request: tuple[str, str], run: Callable[..., Any],
    check: Callable[[Call, Any], str | None],
) -> Call:  # fmt: skip
    """A call of the facade for the budget with this index; `request` is a URL and a key."""
    url, key = request
    return Call(
        notebook, CallTrace(name, url=url, key=key, is_frame=True),
        lambda: run(notebook.process.async_facades[index], blocking=False), check,
        lambda: run(notebook.process.blocking_facades[index], blocking=True),
    )  # fmt: skip


def _record(call: Call, matched: list[ServiceAnswer]) -> str | None:
    """Record what the cache contains after a read; return a problem if it should have been used."""
    notebook, trace = call.notebook, call.trace
    COUNTS["frames compared"] += 1
    if call.is_stale:
        COUNTS["stale"] += 1
        return None
    if not notebook.has_requested(trace) and not trace.may_share_request:
        COUNTS["frames from the cache"] += 1
        return None
    fresh = notebook.fresh_list(trace.key)
    if call.is_alone and fresh is not None and fresh.is_certain:
        return "sent a request within the time to live"
    notebook.record_stored(trace, matched, is_certain=call.is_alone)
    if call.is_alone:
        notebook.record_full_read(trace)
    return None


def export_read(notebook: Notebook, index: int) -> Call:
    """A read of all frames of the whole export."""
    budget_id = notebook.service.ids[index]

    def check(call: Call, frames: dict[str, pd.DataFrame]) -> str | None:
        actual = {name: EXPECTED_FRAMES[name].actual_rows(frames[name]) for name in EXPORT_FRAMES}
        actual["month_categories"] = MONTH_CATEGORIES.actual_rows(frames["month_categories"])
        problem, matched = compare(call, actual, _frames_of_export, lambda rows, _: rows)
        return problem or _record(call, matched)

    def run(bf: BudgetFrame, *, blocking: bool) -> Any:
        return bf.export() if blocking else bf.aio.export()

    request = (f"/budgets/{budget_id}", f"{budget_id}:export")
    return _facade_call(
        notebook, index, "frames of the export", request=request, run=run, check=check
    )


def reconcile_read(notebook: Notebook, index: int) -> Call:
    """A reconciliation: sums of the transactions compared with the service's own figures."""
    budget_id = notebook.service.ids[index]
    notebook.prefixes.add("budgets")

    def check(_: Call, reconciliation: Reconciliation) -> str | None:
        COUNTS["rows reconciled"] += len(reconciliation)
        if "reread" in reconciliation.attrs:
            return f"the facade reloaded the transactions: {reconciliation.attrs}"
        return None if reconciliation.ok else reconciliation.summary

    call = _facade_call(
        notebook, index, "reconcile", request=("", ""),
        run=lambda bf, *, blocking: bf.reconcile() if blocking else bf.aio.reconcile(), check=check,
    )  # fmt: skip

    def on_end() -> None:
        export_url = f"/budgets/{budget_id}"
        for name, url in (
            ("transactions", f"{export_url}/transactions?since_date={EARLIEST}"),
            ("export", export_url),
        ):
            if any(requested == url for _, requested, _ in call.trace.requests):
                notebook.record_possibly_stored(f"{budget_id}:{name}", url)

    call.on_end = on_end
    return call


_TABLES = {"account": "accounts", "category": "categories", "transaction": "transactions"}


def _model_read(notebook: Notebook, index: int, name: str, two: int) -> Call:
    budget, table = notebook.service.budgets[index], _TABLES[name]
    row_id = pick([row.id for row in getattr(budget, table).live()], two // 3)

    def check(call: Call, model: Any) -> str | None:
        fields = rows_by_key(model.model_dump(mode="json"))
        compared = {field: fields[field] for field in fields if field != "subtransactions"}

        def expected(answer: ServiceAnswer) -> Any:
            row = answer.expected_data[name]
            values = {field: value for field, value in row.items() if field in compared}
            if type(values.get("goal_overall_funded")) is int:
                values["goal_overall_funded"] = currency_units(values["goal_overall_funded"])
            return values

        problem, matched = compare(call, compared, expected, lambda rows, _: rows)
        return problem or _record(call, matched)

    def run(bf: BudgetFrame, *, blocking: bool) -> Any:
        return getattr(bf if blocking else bf.aio, name)(row_id)

    request = (f"/budgets/{budget.id}/{table}/{row_id}", f"{budget.id}:{table}:{row_id}")
    return _facade_call(
        notebook, index, f"model {name} {row_id}", request=request, run=run, check=check
    )
