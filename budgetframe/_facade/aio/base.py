"""What all parts of the awaitable facade stand on."""

from __future__ import annotations

import pandas as pd

from budgetframe._runtime.event_loop import OnLoop
from budgetframe._session.session import Session
from budgetframe.frames import in_money
from budgetframe.frames.dates import Day, month_of
from budgetframe.frames.money import Money, check_money

__all__ = ["Base", "between", "left_out"]


class Base:
    """A session, and the way to where its HTTP client lives."""

    def __init__(self, session: Session, on_loop: OnLoop) -> None:
        self._session = session
        # Where the HTTP client lives on a loop of its own, every call goes there.
        self._on_loop = on_loop

    async def _list(
        self,
        table: str,
        *,
        month: Day | None = None,
        without: str | None = None,
        include_deleted: bool = False,
        money: Money = "float",
        extra: bool = False,
    ) -> pd.DataFrame:
        check_money(money)
        if include_deleted:
            frame = await self._on_loop(self._session.frame_with_deleted(table, extra=extra))
        else:
            of_month = None if month is None else month_of(month)
            frame = await self._on_loop(self._session.frame_of(table, month=of_month, extra=extra))
        return in_money(frame if without is None else left_out(frame, without), money)


def left_out(frame: pd.DataFrame, flag: str) -> pd.DataFrame:
    """The rows that the flag does not mark."""
    return frame[~frame[flag]].reset_index(drop=True)


def between(
    frame: pd.DataFrame, column: str, first: pd.Timestamp | None, last: pd.Timestamp | None
) -> pd.DataFrame:
    """The rows of a period, both ends included; it says so where others were cut off."""
    if first is last is None:
        return frame
    days = frame[column]
    is_in = (days >= (first or days.min())) & (days <= (last or days.max()))
    cut = frame[is_in].reset_index(drop=True)
    if first is not None and (days < first).any():
        cut.attrs["since"] = f"{first:%Y-%m-%d}"
    if last is not None and (days > last).any():
        cut.attrs["until"] = f"{last:%Y-%m-%d}"
    return cut
