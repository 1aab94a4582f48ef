"""Rows of transactions as bytes, kept until they change.

A list of a hundred thousand rows is joined from pieces that were written once: after an edit
only the rows that it touched are written anew.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, TypeVar

from .responses import Rendered, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from budgetframe.sandbox.state.rows import Budget, Part, Transaction

    from .serializers import Serializer
    from .serializers_base import Json

T = TypeVar("T")


class RowCache:
    """The transactions of one budget as bytes, in every form they were asked for."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._kept: dict[tuple[str, bool], dict[str, tuple[int, bytes]]] = {}
        self._names: dict[str, tuple[str, bool]] = {}
        self._formats: tuple[object, ...] = ()

    def transactions(self, serializer: Serializer, rows: Iterable[Transaction]) -> Rendered:
        """Write transactions with names and parts."""
        items = ((row.id, row.stamp, row) for row in rows)
        return self._write("full", items, serializer.transaction, published=serializer.published)

    def plain(self, serializer: Serializer, rows: Iterable[Transaction]) -> Rendered:
        """Write the own fields of transactions, as the export has them in both spellings."""
        items = ((row.id, row.stamp, row) for row in rows)
        return self._write("plain", items, serializer.plain_transaction, published=False)

    def parts(self, serializer: Serializer, rows: Iterable[Transaction]) -> Rendered:
        """Write the parts of splits, as the export has them in both spellings."""
        items = ((part.id, row.stamp, (row, part)) for row in rows for part in row.parts)
        return self._write("part", items, lambda item: serializer.part(*item), published=False)

    def hybrids(
        self, serializer: Serializer, sides: Iterable[tuple[Transaction, Part | None]]
    ) -> Rendered:
        """Write transactions and parts as flat rows."""
        items = (
            (row.id if part is None else part.id, row.stamp, (row, part)) for row, part in sides
        )
        return self._write(
            "hybrid", items, lambda item: serializer.hybrid(*item), published=serializer.published
        )

    def _write(
        self,
        form: str,
        items: Iterable[tuple[str, int, T]],
        write: Callable[[T], Json],
        *,
        published: bool,
    ) -> Rendered:
        self._forget_old_names()
        kept = self._kept.setdefault((form, published), {})
        pieces = []
        for key, stamp, item in items:
            found = kept.get(key)
            if found is None or found[0] != stamp:
                found = kept[key] = (stamp, encode(write(item)))
            pieces.append(found[1])
        return Rendered(pieces)

    def _forget_old_names(self) -> None:
        """Drop the rows that show a name which is another by now.

        Renaming an account, payee or category does not count as a change of its transactions.
        """
        budget = self._budget
        formats = (astuple(budget.currency), dict(budget.flag_names))
        if formats != self._formats:
            self._kept.clear()
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
            if _shows(row, renamed):
                for kept in self._kept.values():
                    for side in row.sides:
                        kept.pop(side.id, None)


def _shows(row: Transaction, ids: set[str]) -> bool:
    return row.account_id in ids or any(
        side.payee_id in ids or side.category_id in ids for side in row.sides
    )
