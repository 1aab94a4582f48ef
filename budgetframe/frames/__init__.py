"""Typed DataFrames from the answers of the service; tables of data define their columns.

Columns and dtypes of a frame are fixed, also if it has no rows. Days are ``datetime64``, keys are
texts, and values that the service does not send are missing.

`TABLES` and `LEDGER` have the columns, each a `Column`; `column_table` writes them as text. Others
take amounts (`totals`, `milliunits`, `in_money`) or transactions (`ledger`, `leaves`, `counted`).

Money
-----
The service counts in milliunits, which are thousandths of the currency unit in every currency.
Frames show currency units as floats, each the nearest float to the exact amount. A sum of floats
can be ``0.30000000000000004``: `totals` adds integers and divides once, and every sum in this
package is calculated like this. Methods with the parameter ``money`` return integers in columns
with the suffix ``_milliunits`` for ``"milliunits"``, and Arrow decimals with three places for
``"decimal"``, which needs ``budgetframe[arrow]``. pandas reads such decimals from Parquet as Python
objects; ``.astype(frame.dtypes)`` restores their dtype.

Display
-------
A frame is an ordinary DataFrame. ``print``, Python, IPython and Jupyter show each row on one line
with the columns that people read: keys, fields added by ``extra=True``, columns without any value,
and columns that do not fit are left out, and the last line names them. Interest, escrow and
unexplained amounts of loans are also left out if all are zero. A missing value is blank, and long
texts end in ``…``. Amounts have the format of the budget, such as ``1.294,90 €``; shares and rates,
whose unit in the table of columns is ``share``, are per cent. The data do not change, and
``to_string()``, ``to_html()`` and ``style`` write all columns as in pandas.

For this, the import of ``BudgetFrame`` extends ``__repr__`` and ``_repr_html_`` of pandas'
DataFrame. They recognise a frame of a budget by its ``attrs`` and columns, and show any other frame
as before. Rows of a frame are shown like it, for example after ``head``, ``query`` or
``sort_values``. The display of pandas shows a frame with other columns, or without the columns up
to the first amount (the memo may be missing), for example after ``groupby``, ``pivot``, ``assign``
of a new column, or ``merge``.

The width of a line is ``display.width`` of pandas if it was changed, else that of the terminal,
else 120 characters. ``display.max_rows`` and ``display.min_rows`` apply as in pandas. After
``pd.set_option("display.max_columns", None)`` pandas shows all columns.

What a frame states about itself
--------------------------------
``frame.attrs`` has ``as_of`` (the time that the service stated), ``source`` (the requests),
``budget`` (its name), ``currency_format`` (the format of amounts), ``since`` and ``until`` (if it
was read with them), ``version`` (the state of the service, for `BudgetFrame.changes`), and
``stale`` (why it is older, if the service could not be asked). A report has ``report`` (its name),
``rules``, and what its arguments chose: ``by``, ``freq``, ``span`` and ``filters``.

Other libraries
---------------
polars, pyarrow and DuckDB take a frame as it is: ``pl.DataFrame(frame)``, ``pa.table(frame)``,
``duckdb.sql("from frame")``. The ``attrs`` are lost, except in new versions of pyarrow, and amounts
are exact only with ``money="decimal"`` or ``"milliunits"``. What takes a frame also takes an
`ArrowTable` of these libraries, which needs ``budgetframe[arrow]``: `BudgetFrame.changes`,
`import_rows`, `statement`, ``create_transactions`` and the like, `to_excel`, `to_page` and the
functions of `budgetframe.reports`. Its days and times become ``datetime64[us]``, its categories
texts, and its decimals stay exact. Without ``attrs``, `changes` compares rows with the present
state, by their keys, and a report does not know the day on which its rows were read.

Further fields and rows
-----------------------
``extra=True`` adds the fields of the service that have no column; ``attrs["extra"]`` lists them.
They come after the other columns and are not converted. Fields that are objects, such as the terms
of loans, cannot be written to Parquet. ``include_closed``, ``include_hidden`` and
``include_deleted`` choose the rows. Frames with ``extra`` or ``include_deleted`` are built again
for each call.

``include_deleted=True`` costs one more request, for all changes since the list began: no other
answer of the service has deleted rows. The request asks for the changes since server knowledge 1,
on the assumption that the service then sends every row that ever changed; a `RuntimeWarning`
reports an answer that lacks most of the listed rows.

The ledger
----------
The amounts of an account add up to its balance, except for a loan (``mortgage``, ``autoLoan``,
``studentLoan``, ``personalLoan``, ``medicalDebt``, ``otherDebt``): its balance also contains
interest and escrow, which the service adds without a transaction. The reports calculate them from
the terms in ``attrs["loans"]``. If the service states another balance for any other account,
``attrs["differences"]`` has the account with its balance and the sum of its rows (``rows_total``),
both in milliunits. It is left out if accounts and transactions show different states of the
service. ``attrs["rows"]`` is the number of rows; a selection of rows keeps it, so that a report
states that the ledger was filtered.

Names are the current ones, joined by key, even if the service sent the row before a renaming. A
part of a split without a payee or memo shows those of the split. The ``category_id`` of an
uncategorized row is missing, or is that of the service's own category ``Uncategorized``; the names
are those of that category, so that grouping by name keeps the row. In requests of your own, the
service's ``type=uncategorized`` also keeps transfers between accounts on budget and starting
balances. Income is in the category ``Inflow: Ready to Assign``, which had other names in earlier
years, among them ``To be Budgeted`` and ``Immediate Income SubCategory``: each category of the
group ``Internal Master Category`` is income, except the one of uncategorized rows. Corrections of
the income below zero count as income, as they do in the service's own figure. The service counts
the starting balances of accounts on budget in the income of their month; here they have a flag of
their own. A transfer between two accounts on budget is not spending; a transfer to a tracking
account counts by its category. Tracking accounts and rows that are not approved are in the ledger
too.

Irregular rows
--------------
One irregular row leaves all others available. If the parts of a split do not add up, the ledger has
one more row with the difference and ``is_remainder``. In the ledger, a row of an account that the
service does not list counts as a row of a budget account, and a transfer to or from such an account
counts if it has a category. A row that occurs twice counts once. In an export, a category whose
group is not listed is in the group ``Not listed``.

A value is missing if it has another type than its column, is a day that does not exist, or is a
number that is too large; a flag is then False. Such an answer is kept for the time to live, and the
next read asks for the whole list again. Changes of such a row, rows in such an account or with such
a payee, and imports into an account of which a row has no usable day or amount are refused; other
changes are not. Half a character is U+FFFD. Each of these cases is one warning that names the first
row. Something other than a list of rows is an error that names the list or the row, and so is an
export that lacks a list.

If the service does not list an account, a payee or a category of a transaction, its name is the one
in the transaction. It is ``Not listed`` if the transaction has no name, as in an export. The
category is then in the group ``Not listed`` of the ledger.
"""

from __future__ import annotations

from budgetframe._runtime.text import names_for_dir as _names_for_dir

from .arrow_tables import ArrowTable
from .ledger import counted, leaves, ledger
from .money import in_money, milliunits, totals
from .schema import Column, column_table
from .tables import LEDGER, TABLES

__all__ = [
    "LEDGER", "TABLES", "ArrowTable", "Column", "column_table", "counted", "in_money", "leaves",
    "ledger", "milliunits", "totals",
]  # fmt: skip


def __dir__() -> list[str]:
    return _names_for_dir(__all__)
