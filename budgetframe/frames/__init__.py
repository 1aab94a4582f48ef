"""From the service's answers to typed frames: columns as data, one table each."""

from __future__ import annotations

from .export import EXPORTED, as_lists
from .schema import Column, Table, column_table
from .tables import RECORD_TABLES, TABLES, table_for

__all__ = [
    "EXPORTED",
    "RECORD_TABLES",
    "TABLES",
    "Column",
    "Table",
    "as_lists",
    "column_table",
    "table_for",
]
