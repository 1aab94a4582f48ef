"""The embedded service, small, made anew in no time, and read past the client under test."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

from budgetframe.sandbox import Sandbox
from budgetframe.sandbox.device import Device
from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.web.row_cache import RowCache
from tests.clock import Clock

from .expected import Json, Truth

START = date(2026, 1, 29)
MIDDLE = "2025-10-01"
"""A first day that cuts the transactions in two."""
EARLIEST = "1900-01-01"
WINDOW = 3600.0
_KEPT = 24
_MOVEMENTS = 12
_CATEGORIES = 9


@cache
def _sandbox() -> Sandbox:
    """One for all: what is costly about it is made once."""
    return Sandbox(budgets=1, years=1, limit=10**9, today=START, clock=Clock())


@cache
def _template(seed: int, budgets: int) -> bytes:
    clock = Clock()
    big = Sandbox(seed=seed, budgets=budgets, years=1, limit=10**9, today=START, clock=clock)
    for editor in big.budgets:
        _shrink(editor)
    return pickle.dumps(big.budgets)


def _shrink(editor: BudgetEditor) -> None:
    """Leave few rows of every kind: comparing thousands after each step finds no more."""
    budget = editor.budget
    ordinary = [
        row for row in budget.categories.live() if not row.internal and not row.payment_account_id
    ]
    for category in ordinary[_CATEGORIES:]:
        editor.categories.delete(category, ordinary[0])
        del budget.categories._rows[category.id], budget.categories._recent[category.id]
        del budget.category_months[category.id]
    rows = list(budget.transactions.live())
    splits = [row for row in rows if row.parts][-6:]
    transfers = [row for row in rows if row.transfer_account_id is not None][-10:]
    kept = {row.id for row in (*rows[:: len(rows) // _KEPT], *splits, *transfers)}
    for row in rows:
        other_sides = {leg.transfer_transaction_id for leg in row.legs}
        if row.id not in kept and not other_sides & kept and not row.deleted:
            editor.transactions.delete(row)
    for table, keep in (
        (budget.transactions, {row.id for row in budget.transactions.live()}),
        (
            budget.movements,
            {
                row.id
                for row in list(budget.movements.every())[-_MOVEMENTS:]
                if {row.from_category_id, row.to_category_id} <= {None, *budget.category_months}
            },
        ),
    ):
        table._rows = {key: row for key, row in table._rows.items() if key in keep}  # type: ignore[assignment]
        table._recent = {key: None for key in table._recent if key in keep}


class World:
    """A service and the time it lives in, and what is true there at every moment.

    Parameters
    ----------
    seed
        Of the made-up budgets.
    budgets
        How many there are.
    """

    def __init__(self, seed: int, budgets: int) -> None:
        self.sandbox = sandbox = _sandbox()
        self.clock = Clock()
        every: tuple[BudgetEditor, ...] = pickle.loads(_template(seed, budgets))  # noqa: S301 - its own
        sandbox.faults = []
        sandbox._budgets = every
        sandbox._row_caches = {each.budget.id: RowCache(each.budget) for each in every}
        sandbox._clock = self.clock
        sandbox._today = START
        sandbox._arrivals.clear()
        sandbox.device = Device(every, sandbox.lock)
        self.budgets = [each.budget for each in every]
        self.served_before = sandbox.requests_served
        self.version = 0
        self.renamed_at = dict.fromkeys(self.ids, 0)
        self.crossed_at: dict[str, int] = {}
        self.on_change: list[Callable[[], None]] = []
        self.summaries: list[Truth] = []
        """Lists of budgets of the past."""
        self._truths: dict[str, Truth] = {}
        self._state = self._stamp()
        self._names = [self._names_of(index) for index in range(budgets)]
        self._dates = self._days()
        self.truth("/budgets")

    @property
    def device(self) -> Device:
        return self.sandbox.device

    @property
    def ids(self) -> list[str]:
        return [budget.id for budget in self.budgets]

    @property
    def today(self) -> date:
        return self.sandbox.today

    @property
    def window_start(self) -> str:
        """First day of a list of transactions that was asked for without one."""
        year, leap_day = self.today.year - 1, (self.today.month, self.today.day) == (2, 29)
        return self.today.replace(year=year, day=28 if leap_day else self.today.day).isoformat()

    def wall(self) -> float:
        """Unix seconds at which the service lives."""
        return self.sandbox.now().timestamp()

    # -- what changed ----------------------------------------------------------------------------

    def note(self) -> bool:
        """Take notice of what may have changed; tell whether something did."""
        stamp = self._stamp()
        if stamp == self._state:
            return False
        self._state = stamp
        self.version += 1
        for index, budget in enumerate(self.budgets):
            names = self._names_of(index)
            if names != self._names[index]:
                self._names[index] = names
                self.renamed_at[budget.id] = self.version
        old, self._dates = self._dates, self._days()
        for key, day in self._dates.items():
            before = old.get(key, day)
            if before != day and self._sides(before) != self._sides(day):
                self.crossed_at[key] = self.version
        known = self._truths.get("/budgets")
        if known is not None and self.truth("/budgets").raw != known.raw:
            self.summaries.append(known)
        for tell in self.on_change:
            tell()
        return True

    def _stamp(self) -> tuple[object, ...]:
        return (self.today, *(budget.knowledge for budget in self.budgets))

    def _names_of(self, index: int) -> list[str]:
        budget = self.budgets[index]
        tables = (budget.accounts, budget.payees, budget.categories, budget.groups)
        return [row.name for table in tables for row in table.every()]

    def _days(self) -> dict[str, date]:
        return {row.id: row.date for budget in self.budgets for row in budget.transactions.every()}

    def _sides(self, day: date) -> tuple[bool, bool]:
        text = day.isoformat()
        return text >= MIDDLE, text >= self.window_start

    # -- what is true ----------------------------------------------------------------------------

    def truth(self, url: str) -> Truth:
        """What the service answers to a GET now, asked directly: nobody counts it."""
        known = self._truths.get(url)
        if known is None or known.version != self.version:
            known = self._truths[url] = self._asked(url)
        return known

    def _asked(self, url: str) -> Truth:
        status, body = self._get_with_retries(url)
        data: Json = body.get("data", {})
        knowledge = data.pop("server_knowledge", None)
        return Truth(status, body.get("error"), data, knowledge, self.version)

    def _get_with_retries(self, url: str) -> tuple[int, Json]:
        path, _, query = url.partition("?")
        messages: list[Json] = []

        async def receive() -> Json:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": f"/v1{path}",
            "raw_path": f"/v1{path}".encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(b"authorization", f"Bearer {self.sandbox.token}".encode())],
            "server": ("sandbox.invalid", 80),
            "client": None,
        }
        app: Any = self.sandbox.app
        faults, self.sandbox.faults = self.sandbox.faults, ()
        try:
            app(scope, receive, send).send(None)  # nothing in it ever waits
        except StopIteration:
            pass
        finally:
            self.sandbox.faults = faults
        return messages[0]["status"], json.loads(b"".join(m.get("body", b"") for m in messages[1:]))
