"""The embedded service with a small budget, and its answers at each moment.

The answers are read from the service directly, without the client under test.
"""

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

from .expected import Json, ServiceAnswer

START = date(2026, 1, 29)
MIDDLE = "2025-10-01"
"""A first day between the transactions: some of them are earlier, some later."""
EARLIEST = "1900-01-01"
WINDOW = 3600.0
_TRANSACTIONS = 24
_MOVEMENTS = 12
_CATEGORIES = 9
"""Rows that `_shrink` keeps, splits and transfers not counted."""


@cache
def _sandbox() -> Sandbox:
    """The one sandbox of this process: most of the work to build it is done once."""
    clock = Clock()
    return Sandbox(budgets=1, years=1, limit=10**9, today=START, clock=clock, movement_totals=True)


@cache
def _template(seed: int, budgets: int) -> bytes:
    big = Sandbox(
        seed=seed, budgets=budgets, years=1, today=START, clock=Clock(), movement_totals=True
    )
    for editor in big.budgets:
        _shrink(editor)
    return pickle.dumps(big.budgets)


def _shrink(editor: BudgetEditor) -> None:
    """Delete most rows, so that comparisons are fast, and keep some of every kind."""
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
    kept = {row.id for row in (*rows[:: len(rows) // _TRANSACTIONS], *splits, *transfers)}
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


class Service:
    """The service with this number of generated budgets, its clock, and its answers."""

    def __init__(self, seed: int, budgets: int) -> None:
        self.sandbox = sandbox = _sandbox()
        self.clock = Clock()
        editors: tuple[BudgetEditor, ...] = pickle.loads(_template(seed, budgets))  # noqa: S301 - pickled above
        sandbox.faults = []
        sandbox.budgets = editors
        sandbox._row_caches = {editor.budget.id: RowCache(editor.budget) for editor in editors}
        sandbox.clock = self.clock
        sandbox.today = START
        sandbox._arrivals.clear()
        sandbox.device = Device(editors, sandbox.lock)
        self.budgets = [editor.budget for editor in editors]
        self.version = 0
        """A number that increases with each change of the service's data."""
        self.renamed_at = dict.fromkeys(self.ids, 0)
        """By budget: the version at which an account, payee, category or group was last renamed."""
        self.on_change: list[Callable[[], None]] = []
        """Functions that are called after each change."""
        self.past_budget_lists: list[ServiceAnswer] = []
        """Answers to ``/budgets`` that are no longer current."""
        self._date_changes: list[tuple[int, str, tuple[str, str], str]] = []
        """Version, transaction, dates before and after, and `default_since_date` at that time."""
        self._answers: dict[str, ServiceAnswer] = {}
        self._last_state = self._state_key()
        self._names = [self._names_of(index) for index in range(budgets)]
        self._dates = self._transaction_dates()
        self.answer("/budgets")

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
    def default_since_date(self) -> str:
        """The first day of a list of transactions that is read without ``since_date``."""
        year, leap_day = self.today.year - 1, (self.today.month, self.today.day) == (2, 29)
        return self.today.replace(year=year, day=28 if leap_day else self.today.day).isoformat()

    def wall(self) -> float:
        """The time of the service in Unix seconds."""
        return self.sandbox.now().timestamp()

    # -- changes ---------------------------------------------------------------------------------

    def record_changes(self) -> None:
        """Compare the service's data with those of the last call, and record the changes."""
        state = self._state_key()
        if state == self._last_state:
            return
        self._last_state = state
        self.version += 1
        for index, budget in enumerate(self.budgets):
            names = self._names_of(index)
            if names != self._names[index]:
                self._names[index] = names
                self.renamed_at[budget.id] = self.version
        old, self._dates = self._dates, self._transaction_dates()
        for key, day in self._dates.items():
            days = old.get(key, day).isoformat(), day.isoformat()
            if days[0] != days[1]:
                self._date_changes.append((self.version, key, days, self.default_since_date))
        known = self._answers.get("/budgets")
        if known is not None and self.answer("/budgets").raw != known.raw:
            self.past_budget_lists.append(known)
        for notify in self.on_change:
            notify()

    def _state_key(self) -> tuple[object, ...]:
        return (self.today, *(budget.knowledge for budget in self.budgets))

    def _names_of(self, index: int) -> list[str]:
        budget = self.budgets[index]
        tables = (budget.accounts, budget.payees, budget.categories, budget.groups)
        return [row.name for table in tables for row in table.every()]

    def _transaction_dates(self) -> dict[str, date]:
        return {row.id: row.date for budget in self.budgets for row in budget.transactions.every()}

    def crossed_start_since(self, version: int) -> frozenset[str]:
        """Transactions whose date moved across the first day of a filtered list after a version.

        The first day is `MIDDLE`, or `default_since_date` at the time of the change or now: a row
        that moved inside the last year may be older than a year when the next delta is read.
        """
        return frozenset(
            key
            for at, key, (before, after), start_then in self._date_changes
            if at > version
            and any(
                (before >= start) != (after >= start)
                for start in (MIDDLE, start_then, self.default_since_date)
            )
        )

    # -- answers ---------------------------------------------------------------------------------

    def answer(self, url: str) -> ServiceAnswer:
        """The current answer to a GET request; the request does not count against the limit."""
        known = self._answers.get(url)
        if known is None or known.version != self.version:
            known = self._answers[url] = self._fetch(url)
        return known

    def _fetch(self, url: str) -> ServiceAnswer:
        status, body = self._get(url)
        data: Json = body.get("data", {})
        knowledge = data.pop("server_knowledge", None)
        return ServiceAnswer(status, body.get("error"), data, knowledge, self.version)

    def _get(self, url: str) -> tuple[int, Json]:
        path, _, query = url.partition("?")
        messages: list[Json] = []

        async def receive() -> Json:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
            "scheme": "http", "path": f"/v1{path}", "raw_path": f"/v1{path}".encode(),
            "query_string": query.encode(), "root_path": "",
            "headers": [(b"authorization", f"Bearer {self.sandbox.token}".encode())],
            "server": ("sandbox.invalid", 80), "client": None,
        }  # fmt: skip
        app: Any = self.sandbox.app
        faults, self.sandbox.faults = self.sandbox.faults, ()
        try:
            app(scope, receive, send).send(None)  # the application never waits
        except StopIteration:
            pass
        finally:
            self.sandbox.faults = faults
        return messages[0]["status"], json.loads(b"".join(m.get("body", b"") for m in messages[1:]))
