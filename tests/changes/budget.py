"""A small embedded budget for tests of changes, and its content without keys."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ServiceAPIError
from budgetframe.sandbox import Sandbox
from tests.sandbox.audit import check_books

Content = Counter[tuple[Any, ...]]


def small_sandbox(**options: Any) -> Sandbox:
    """An embedded service with the transactions of half a year, and a high limit."""
    return Sandbox(**{"years": 0, "limit": 100_000, **options})


def connect(sandbox: Sandbox, **options: Any) -> BudgetFrame:
    """A connection whose own limit is that of the service."""
    bf = BudgetFrame.sandbox(sandbox, **options)
    bf._session.reads.client.guard.limiter.threshold = sandbox.limit  # type: ignore[attr-defined]
    return bf


def connected(cache_dir: Path | None = None, **options: Any) -> tuple[Sandbox, BudgetFrame]:
    """A new embedded service, and a connection to it."""
    sandbox = small_sandbox(**options)
    return sandbox, connect(sandbox, cache_dir=cache_dir)


def requests(sandbox: Sandbox, call: Callable[[], object]) -> int:
    """The number of requests of a call."""
    before = sandbox.requests_served
    call()
    return sandbox.requests_served - before


def interrupted(sandbox: Sandbox, fault: str, call: Callable[[], object]) -> Exception:
    """The error of a call that a fault of the service interrupts."""
    sandbox.faults = [fault]
    with pytest.raises((ServiceAPIError, httpx.TransportError)) as caught:
        call()
    sandbox.faults = []
    return caught.value


def let_it_grow_old(changes: Changes) -> None:
    """Let eleven seconds pass for some changes, which are then compared once more."""
    changes._aio.application._compared_at -= 11


def plain_rows(bf: BudgetFrame, count: int, **cells: Any) -> pd.DataFrame:
    """The last rows that are neither transfers nor splits, and whose cells have these values."""
    rows = rows_with(bf.transactions(), transfer_account_id=None, is_split=False, **cells)
    return rows.tail(count)


def content(sandbox: Sandbox) -> Content:
    """The transactions without their keys, and how often each one occurs."""
    state = sandbox.device.state()
    check_books(sandbox)

    def payee(key: str | None) -> str | None:
        return None if key is None else state.payees[key].name

    return Counter(
        (row.date.isoformat(), row.amount, state.accounts[row.account_id].name, payee(row.payee_id),
         row.category_id, row.memo, row.cleared, row.approved, row.flag_color,
         tuple(sorted((part.amount, payee(part.payee_id) or "", part.category_id or "", part.memo)
                      for part in row.parts)),
         row.transfer_account_id)
        for row in state.transactions.live()
    )  # fmt: skip


def rows_with(frame: pd.DataFrame, **cells: Any) -> pd.DataFrame:
    """The rows whose cells have these values; None for a missing cell."""
    for name, value in cells.items():
        is_equal = frame[name].isna() if value is None else frame[name] == value
        frame = frame[is_equal.to_numpy(bool)]
    return frame


def with_parts(frame: pd.DataFrame, *parts: Any) -> pd.DataFrame:
    """The frame with the parts of new splits; None for a row that is not split."""
    return frame.assign(subtransactions=pd.Series(list(parts), frame.index, dtype=object))


def shown(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Action, field, and the values before and after, of a frame of changes."""
    columns = (frame[name].astype(object) for name in ("action", "field", "before", "after"))
    return list(zip(*columns, strict=True))
