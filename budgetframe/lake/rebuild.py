"""Writing all tables of a lake again from the stored answers."""

from __future__ import annotations

import pyarrow as pa

from .conversion import answer_from, tables_of
from .writer import Writer

__all__ = ["rebuild"]


def rebuild(writer: Writer) -> int:
    """Write all tables again, and return the number of budgets."""

    def converted(states: pa.Table) -> list[dict[str, pa.Table]]:
        return [
            tables_of(answer_from(row.pop("content")), row, verify=False)
            for row in states.to_pylist()
        ]

    return writer.rebuild(converted)
