"""Writes: several transactions in one request, and category groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from budgetframe import models
from budgetframe._facade.docstrings import complete_docstring
from budgetframe._session.batches import write_transactions
from budgetframe._session.reads import Answer
from budgetframe._session.session import model_of
from budgetframe.frames.request_bodies import transaction_bodies
from budgetframe.frames.tables import TABLES

from .base import Base

__all__ = ["TransactionRows", "Writes"]

TransactionRows = pd.DataFrame | Iterable[Mapping[str, Any]]
"""Rows of transactions to write, as a frame or as mappings."""


class Writes(Base):
    """Async methods that change the budget. A write is sent once and never repeated."""

    @complete_docstring(
        "transactions", source="POST /budgets/{budget_id}/transactions", cost="batches"
    )
    async def create_transactions(self, rows: TransactionRows) -> pd.DataFrame:
        """Create transactions and return the created rows.

        The service skips transactions whose import id is already in use;
        ``frame.attrs["duplicate_import_ids"]`` lists these ids. A missing value of a frame is not
        sent. The service ignores a category on a split: give each part its own category.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``account_id``, ``date`` and ``amount`` (currency units, outflow negative), and
            any of ``payee_id, payee_name, category_id, memo, cleared, approved, flag_color,
            import_id, subtransactions``. Missing values of a frame are not sent.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> account_id = bf.accounts().query("on_budget")["account_id"].iloc[0]
        >>> bread = {"account_id": account_id, "date": "2026-06-16", "amount": -4.5}
        >>> bf.create_transactions([bread])["amount"].tolist()
        [-4.5]
        """
        bodies = transaction_bodies(rows, needed=(("account_id",), ("date",), ("amount",)))
        return await self._write("POST", bodies)

    @complete_docstring(
        "transactions", source="PATCH /budgets/{budget_id}/transactions", cost="batches"
    )
    async def update_transactions(self, rows: TransactionRows) -> pd.DataFrame:
        """Change the given fields of transactions and return the changed rows.

        A missing value of a frame means "leave unchanged": a frame cannot clear a field, and
        setting a memo to a missing value does nothing. Pass mappings with ``None`` to clear it.
        The service ignores a category on a split transaction: the parts of the split keep their
        categories.

        Parameters
        ----------
        rows : DataFrame or iterable of mappings
            With ``transaction_id`` (or ``import_id``) and the fields to change, as in
            `create_transactions`. Missing values of a frame do not change the field; ``None`` in a
            mapping clears it.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions()[["transaction_id"]].tail(1)
        >>> bf.update_transactions(last.assign(memo="checked"))["memo"].tolist()
        ['checked']
        """
        return await self._write(
            "PATCH", transaction_bodies(rows, needed=(("transaction_id", "import_id"),))
        )

    @complete_docstring(source="POST /budgets/{budget_id}/category_groups", cost="write")
    async def create_category_group(self, name: str) -> models.CategoryGroup:
        """Create a category group.

        Returns
        -------
        CategoryGroup
            Fields: id, name, hidden, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.create_category_group("Garden").name
        'Garden'
        """
        return await self._write_group("POST", None, name)

    @complete_docstring(
        source="PATCH /budgets/{budget_id}/category_groups/{category_group_id}", cost="write"
    )
    async def rename_category_group(
        self, category_group_id: str, name: str
    ) -> models.CategoryGroup:
        """Rename a category group.

        Parameters
        ----------
        category_group_id : str
            A key in ``categories()["category_group_id"]``.

        Returns
        -------
        CategoryGroup
            Fields: id, name, hidden, deleted.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> group = bf.create_category_group("Garden")
        >>> bf.rename_category_group(group.id, "Allotment").name
        'Allotment'
        """
        return await self._write_group("PATCH", category_group_id, name)

    async def _write(self, method: str, bodies: list[dict[str, Any]]) -> pd.DataFrame:
        reads, as_of = self._session.reads, self._session.reads.now()
        data = await self._on_loop(write_transactions(reads, method, bodies))
        frame = TABLES["transactions"].frame(data)
        source = f"{method} transactions"
        frame.attrs = self._session.attrs_of([Answer("", data, as_of, source)])
        frame.attrs["duplicate_import_ids"] = data["duplicate_import_ids"]
        return frame

    async def _write_group(
        self, method: str, category_group_id: str | None, name: str
    ) -> models.CategoryGroup:
        body = {"category_group": {"name": name}}
        data = await self._on_loop(
            self._session.reads.write(method, "category_groups", category_group_id, body)
        )
        return model_of(models.CategoryGroupResponseData, data).category_group
