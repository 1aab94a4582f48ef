"""Typed DataFrames from the answers of the service; tables of data define their columns."""

from __future__ import annotations

from .builder import Built, Table
from .export import EXPORTED, as_lists
from .ledger import LEDGER, counted, leaves, ledger
from .money import MONEY, in_money, milliunits, totals
from .schema import Column, column_table
from .tables import RECORD_TABLES, TABLES, table_for

__all__ = [
    "EXPORTED",
    "LEDGER",
    "MONEY",
    "RECORD_TABLES",
    "TABLES",
    "Built",
    "Column",
    "Table",
    "as_lists",
    "column_table",
    "counted",
    "in_money",
    "leaves",
    "ledger",
    "milliunits",
    "table_for",
    "totals",
]
