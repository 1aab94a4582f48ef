"""Lists as models, without ``await``."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from ._aio import AsyncModels
from ._blocking import blocking

__all__ = ["Models"]


class Models:
    """The lists of a budget as models of `budgetframe.models`.

    They are made of the same answers as the frames, and cost the same requests. Each row is
    validated by itself, which takes several times as long as a frame.

    Parameters
    ----------
    aio : AsyncModels
        The same methods, to await.
    run : callable
        Runs their coroutines.
    """

    def __init__(self, aio: AsyncModels, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self.aio = aio
        self._run = run

    budgets = blocking(AsyncModels.budgets)
    accounts = blocking(AsyncModels.accounts)
    category_groups = blocking(AsyncModels.category_groups)
    payees = blocking(AsyncModels.payees)
    payee_locations = blocking(AsyncModels.payee_locations)
    months = blocking(AsyncModels.months)
    transactions = blocking(AsyncModels.transactions)
    scheduled_transactions = blocking(AsyncModels.scheduled_transactions)
