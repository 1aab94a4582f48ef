"""Typed DataFrames from the answers of the service; tables of data define their columns.

Columns and dtypes of a frame are fixed, also if it has no rows. Days are ``datetime64``, keys are
texts, and values that the service does not send are missing.

Money
-----
The service counts in milliunits, which are thousandths of the currency unit in every currency.
Frames show currency units as floats, each the nearest float to the exact amount. A sum of floats
can be ``0.30000000000000004``: `totals` adds integers and divides once, and every sum in this
package is calculated like this. Methods with the parameter ``money`` return integers in columns
with the suffix ``_milliunits`` for ``"milliunits"``, and Arrow decimals for ``"decimal"``.

Display
-------
A frame is an ordinary DataFrame. In Jupyter and IPython, each of its rows is one line with the
columns that people read: keys, fields added by ``extra=True``, columns without any value, and
columns that do not fit are left out, and the last line names them. A missing value is blank, long
texts end in ``…``, and amounts have the decimals of the budget's currency. The data do not change,
and ``print``, ``to_string()``, ``to_html()`` and ``style`` write all columns as in pandas.

A frame is recognised by its ``attrs`` and columns. Rows of it are shown in the same way, for
example after ``head``, ``query`` or ``sort_values``. pandas shows a frame with other columns, or
without the columns up to the first amount (the memo may be missing), for example after
``groupby``, ``pivot``, ``assign`` of a new column, or ``merge``.

The width of a line is ``display.width`` of pandas if it was changed, else that of the terminal,
else 120 characters. ``display.max_rows`` and ``display.min_rows`` apply as in pandas. After
``pd.set_option("display.max_columns", None)`` pandas shows all columns.

Further fields and rows
-----------------------
``extra=True`` adds the fields of the service that have no column; ``attrs["extra"]`` lists them.
``include_closed``,
``include_hidden`` and ``include_deleted`` choose the rows. Frames with ``extra`` or
``include_deleted`` are built again for each call.

Irregular rows
--------------
One irregular row leaves all others available. If the parts of a split do not add up, the ledger has
one more row with the difference and ``is_remainder``. In the ledger, a row of an account that the
service does not list counts as a row of a budget account. A row that occurs twice counts once. A
text or a number of another type is missing, and so is an amount that the service does not state. In
an export, a category whose group is not listed is in the group ``Not listed``. Each of these cases
is one warning that names the first row. A key, a date, an amount or a flag of another type is an
error that names the row, and an export that lacks a list is an error that names the list.

If the service does not list an account, a payee or a category of a transaction, its name is the one
in the transaction. It is ``Not listed`` if the transaction has no name, as in an export. The
category is then in the group ``Not listed`` of the ledger.
"""

from __future__ import annotations

from .ledger import LEDGER, counted, leaves, ledger
from .money import in_money, milliunits, totals
from .schema import Column, column_table
from .tables import TABLES

__all__ = [
    "LEDGER",
    "TABLES",
    "Column",
    "column_table",
    "counted",
    "in_money",
    "leaves",
    "ledger",
    "milliunits",
    "totals",
]
