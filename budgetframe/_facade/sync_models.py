"""Lists as models, without ``await``."""

from __future__ import annotations

from .aio import AsyncModels
from .blocking import Twin, blocking

__all__ = ["Models"]


class Models(Twin[AsyncModels]):
    """The lists of a budget as models of `budgetframe.models`.

    They are made of the same answers as the frames, and cost the same requests. Each row is
    validated by itself, which takes several times as long as a frame.
    """

    budgets = blocking(AsyncModels.budgets)
    accounts = blocking(AsyncModels.accounts)
    category_groups = blocking(AsyncModels.category_groups)
    payees = blocking(AsyncModels.payees)
    payee_locations = blocking(AsyncModels.payee_locations)
    months = blocking(AsyncModels.months)
    transactions = blocking(AsyncModels.transactions)
    scheduled_transactions = blocking(AsyncModels.scheduled_transactions)
