"""Reports on a budget: functions that turn its frames into tidy frames with a plot.

Each function takes frames of a `BudgetFrame`, also from files or as tables of polars, pyarrow or
DuckDB (``help(budgetframe.frames)``), and returns a `Report`: a DataFrame whose ``attrs["rules"]``
state how the figures are calculated, and whose ``.plot()`` draws it. ``bf.reports`` has the same
functions as methods, which read the frames themselves. The docstring of a method,
``bf.reports.net_worth?``, has the parameters, the columns and the cost of a report, and that of a
function has the frames that it takes and further rules. All sums are sums of integers.

>>> from budgetframe import reports
>>> bf = BudgetFrame.sandbox()
>>> reports.income_expense(bf.ledger(), freq="year")["net"].tolist()
[4247.2, 4910.4, 4386.88, 2759.7]

Money over time: `net_worth`, `balances`, `income_expense`, `income_statement`, `forecast`,
`runway`, `age_of_money`.
Spending: `spending`, `same_period`, `budget_vs_actual`, `targets`, `income_sankey`, `money_flow`.
Payees: `payees`, `recurring`, `suggestions`, `duplicates`, `unusual`. Accounts: `cards`, `loans`,
`investments`, `independence`. Several budgets: `side_by_side`. Tools: `in_currency`, `money_axis`,
`scheduled_dates`.

A function raises `ToolError` if a frame is not the one that it takes or lacks the first
transactions that a balance needs, or if an argument is invalid.

What counts
-----------
Parameters such as ``transfers=``, ``uncategorized=`` and ``average=`` choose the rules. Spending is
positive and net of refunds; it is negative if the refunds are larger. A period or label without any
rows has the value zero. Unknown values are missing and not zero. Today is the current day in UTC,
as for the service. ``bf.ledger`` documents how its rows are classified.

``accounts=``, ``categories=``, ``payees=``, ``flags=``, ``hashtags=``, ``memo=`` and the
``exclude_`` of the first three limit a report to some rows: a selection applies first, then an
exclusion. Each takes a name or key, or several: of accounts; of categories or groups, where a name
that two groups have means both, and ``"Home: Rent"`` one; of payees; colours or names of flags; and
hashtags with or without ``#``. ``memo=`` is a part of the memo. Hashtags and memos are compared
without regard to case.
Reports of balances, schedules and the service's own figures have only the filters of accounts or
categories: without some rows, a balance would no longer be that of the account. Income is in the
category ``Inflow: Ready to Assign``, so that a selection of categories without it has no income.
The rules name what counts. The days of the report stay the same. A name without any row in the
ledger raises an error with the closest known names, also a colour of flags, and also in a mapping
(``by=``, ``kinds=``). A part of a memo is not a name: it can be in no row.

The period
----------
``since=`` and ``until=`` are the first and the last day of a report; ``"2026-05"`` and ``"2026"``
mean the first or the last day of that month or year. By default a report begins with the first
transaction, and ends on the day (UTC) on which the ledger was read, or with its last transaction if
that is later. A day is one of the years 1700 to 2199.

``freq=`` is the length of the periods: ``"day"``, ``"week"``, ``"month"``, ``"quarter"``,
``"year"``, or ``"all"`` for one row. Each is labelled by its first day. A week begins on Monday, or
as ``week_starts=`` says. Reports that state balances have no ``"all"``; `budget_vs_actual`, whose
figures are those of months, has no days and weeks. ``is_complete`` marks the periods that are shown
in full.

A ledger that was read with ``since=`` or ``until=`` knows its period: no report goes beyond that
period or beyond today. If transactions before ``since=`` were left out, a report begins with that
day, and reports that need the first transactions refuse the ledger. A ledger that you filter or
concatenate yourself does not know its period; a report of a ledger with fewer rows than it was read
with states both numbers.

Balances and loans
------------------
The balance of an account is the sum of its rows in the ledger. The balance of a loan (account types
``mortgage``, ``autoLoan``, ``studentLoan``, ``personalLoan``, ``medicalDebt``, ``otherDebt``) also
contains interest and escrow, which the service adds when a payment occurs and which no row records.
`net_worth`, `balances`, `forecast`, `loans` and `BudgetFrame.reconcile` calculate them with the
service's rule, from the rates in ``ledger.attrs["loans"]``. If the service's balance of an account
still differs, `net_worth` and `balances` end at the service's balance: the last row has the
difference in the column ``unexplained``, the rules name the account, and there is a
`RuntimeWarning` if it is no loan. ``interest=False`` adds up the rows of loans alone. Selections,
Parquet files and pickles keep the terms and the differences; ``pd.concat`` of different ledgers,
CSV and DuckDB lose them. Then each balance is the sum of the rows of the account; if it is that of
a loan, the report warns and states it in its rules. To keep them, copy them:
``both.attrs = ledger.attrs``. `frames.ledger` takes the terms from ``attrs["loans"]`` of the
accounts.
"""

from __future__ import annotations

from budgetframe._runtime.text import names_for_dir as _names_for_dir
from budgetframe.frames.number_text import in_currency

from ._shared.currency import money_axis
from ._shared.report import Report
from ._shared.schedules import scheduled_dates
from .age_of_money import age_of_money
from .balances import balances
from .budget_vs_actual import budget_vs_actual
from .cards import cards
from .duplicates import duplicates
from .forecast import forecast
from .income_expense import income_expense
from .income_sankey import income_sankey
from .income_statement import income_statement
from .independence import independence
from .investments import investments
from .loans import loans
from .money_flow import money_flow
from .net_worth import net_worth
from .payees import payees
from .recurring import recurring
from .runway import runway
from .same_period import same_period
from .side_by_side import side_by_side
from .spending import spending
from .suggestions import suggestions
from .targets import targets
from .unusual import unusual

__all__ = [
    "Report", "age_of_money", "balances", "budget_vs_actual", "cards", "duplicates", "forecast",
    "in_currency", "income_expense", "income_sankey", "income_statement", "independence",
    "investments", "loans", "money_axis", "money_flow", "net_worth", "payees", "recurring",
    "runway", "same_period", "scheduled_dates", "side_by_side", "spending", "suggestions",
    "targets", "unusual",
]  # fmt: skip


def __dir__() -> list[str]:
    return _names_for_dir(__all__)


# Pickles name the public module, so that the file of the class can move.
Report.__module__ = __name__
