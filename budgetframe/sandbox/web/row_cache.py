"""Transactions as JSON bytes, cached until they change.

A list of a hundred thousand rows is joined from cached pieces: after an edit, only the rows that
changed are serialized again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import astuple
from typing import TypeVar

from pydantic_core import to_json

from budgetframe.sandbox.state.rows import Budget, Part, Transaction

from .responses import Json, Rendered
from .serializers import Serializer

T = TypeVar("T")


class RowCache:
    """The transactions of one budget as JSON bytes, in every requested form."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._cached: dict[tuple[str, bool], dict[str, tuple[int, bytes]]] = {}
        self._names: dict[str, tuple[str, bool]] = {}
        self._formats: tuple[object, ...] = ()

    def transactions(self, serializer: Serializer, rows: Iterable[Transaction]) -> Rendered:
        """Return transactions with names and parts."""
        items = ((row.id, row.stamp, row) for row in rows)
        return self._render("full", items, serializer.transaction, published=serializer.published)

    def plain(self, serializer: Serializer, rows: Iterable[Transaction]) -> Rendered:
        """Return transactions without names and parts, for the export of both spellings."""
        items = ((row.id, row.stamp, row) for row in rows)
        return self._render("plain", items, serializer.plain_transaction, published=False)

    def parts(self, serializer: Serializer, rows: Iterable[Transaction]) -> Rendered:
        """Return the parts of splits, for the export of both spellings."""
        items = ((part.id, row.stamp, (row, part)) for row in rows for part in row.parts)
        return self._render("part", items, lambda item: serializer.part(*item), published=False)

    def hybrids(
        self, serializer: Serializer, legs: Iterable[tuple[Transaction, Part | None]]
    ) -> Rendered:
        """Return transactions and parts as flat rows."""
        items = (((part or row).id, row.stamp, (row, part)) for row, part in legs)
        return self._render(
            "hybrid", items, lambda item: serializer.hybrid(*item), published=serializer.published
        )

    def _render(
        self,
        form: str,
        items: Iterable[tuple[str, int, T]],
        serialize: Callable[[T], Json],
        *,
        published: bool,
    ) -> Rendered:
        self._drop_renamed()
        cached = self._cached.setdefault((form, published), {})
        pieces = []
        for key, stamp, item in items:
            found = cached.get(key)
            if found is None or found[0] != stamp:
                found = cached[key] = (stamp, to_json(serialize(item)))
            pieces.append(found[1])
        return Rendered(pieces)

    def _drop_renamed(self) -> None:
        """Drop the rows that contain a name which has changed."""
        # Renaming an account, payee or category does not change the stamp of its transactions.
        budget = self._budget
        formats = (astuple(budget.currency), dict(budget.flag_names))
        if formats != self._formats:
            self._cached.clear()
            self._formats = formats
        names = {row.id: (row.name, row.deleted) for row in budget.accounts.every()}
        names |= {row.id: (row.name, row.deleted) for row in budget.payees.every()}
        names |= {row.id: (row.name, row.deleted) for row in budget.categories.every()}
        if names == self._names:
            return
        old, self._names = self._names, names
        renamed = {key for key, name in old.items() if names.get(key) != name}
        if not renamed:
            return
        for row in budget.transactions.every():
            used = {row.account_id}.union(*((leg.payee_id, leg.category_id) for leg in row.legs))
            if used & renamed:
                for cached in self._cached.values():
                    for leg in row.legs:
                        cached.pop(leg.id, None)
