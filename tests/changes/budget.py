"""A small embedded budget for tests of changes, and its content without keys."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox, check_books

Content = Counter[tuple[Any, ...]]


def small_sandbox(**options: Any) -> Sandbox:
    """An embedded service with one year of transactions, and a high limit."""
    return Sandbox(years=1, **{"limit": 100_000, **options})


def connect(sandbox: Sandbox, **options: Any) -> BudgetFrame:
    """A connection whose own limit is that of the service."""
    bf = BudgetFrame.sandbox(sandbox, **options)
    bf._session.reads.client.guard.limiter.threshold = sandbox.limit  # type: ignore[attr-defined]
    return bf


def content(sandbox: Sandbox) -> Content:
    """The transactions without their keys, and how often each one occurs."""
    state = sandbox.device.state()
    check_books(sandbox)

    def payee(key: str | None) -> str | None:
        return None if key is None else state.payees[key].name

    return Counter(
        (
            row.date.isoformat(),
            row.amount,
            state.accounts[row.account_id].name,
            payee(row.payee_id),
            row.category_id,
            row.memo,
            row.cleared,
            row.approved,
            row.flag_color,
            tuple(
                sorted(
                    (part.amount, payee(part.payee_id) or "", part.category_id or "", part.memo)
                    for part in row.parts
                )
            ),
            row.transfer_account_id,
        )
        for row in state.transactions.live()
    )


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
