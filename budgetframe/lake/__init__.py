"""The budgets of many people in Delta Lake, read and computed with Dask.

`Lake.sync` reads the budgets of many tokens, or of a folder with exports, into Delta tables, which
DuckDB, polars, Spark and Dask read too. Each of them is a `Source`, and `read_sources` reads a file
with several. `Lake.frame` returns one budget as the facade does, `Lake.ledger` and the other
methods return all budgets as Dask DataFrames, and `Lake.report` computes a report, or a function of
your own, for each budget. The commands ``budgetframe sync`` and ``budgetframe lake`` do the same as
the methods. The extra ``budgetframe[lake]`` installs the libraries; nothing else of the package
imports them.

What is stored
--------------
Each table is a Delta table in a folder with the name of the frame, partitioned by a hash bucket of
the budget. Amounts are decimals with three decimals, whose sums are exact in every program; days
are dates; choices are texts. The methods of `Lake` return the dtypes of the frames. A budget is
read from its export, which has no money movements.

``as_of`` is the time that the service stated in its answer with the rows of a budget. A later sync
that finds no change writes none of its rows, so that ``as_of`` stays; for a report, its day is
today. In the first sync of a month each budget is read in full. ``checked_at`` in ``_sync`` is the
last time that the rows were found to be up to date, and ``_runs`` has one row for each sync.

``_state`` has the answer of the service for each budget, compressed, and its server knowledge: any
process, on any machine, can continue, and `Lake.rebuild` writes all tables from it.

The file ``lake.sql`` states the versions of all tables that belong together, and the files of these
versions. It is replaced as a whole after each commit. The methods of `Lake` begin with it; for
DuckDB, it is a script with a view for each table. A program that opens the folders of the Delta
tables itself sees each table at its last commit, which can be newer than that of another table
during a sync, or after one was killed. The folder ``_lease`` has the lock of the one writer: in a
local folder a file, which the system unlocks if the process ends; in an object store a Delta table
with a lease of five minutes, which the writer renews.

The bucket of a budget is ``crc32(budget_id) % buckets``. A changed budget rewrites its bucket: with
more budgets in it, a commit takes more time; with fewer, there are more files and more space.

Privacy
-------
The lake contains budgets as plain text, and never a token. The logs of the tables contain no names,
keys or statistics of columns. `Lake.forget` removes a budget and searches all files for its id (see
`Erasure`); copies and backups are yours to delete, and the results of reports in any other
`cache_dir`. With a Dask client, the scheduler holds the message with a task, its token and the
`storage_options` until a worker has finished it; use a cluster with TLS that is yours alone.

More than one machine
---------------------
One process reads the first night of about 115,000 budgets with a token each, and 350,000 in another
night. The page "The tables of a lake" (``lake.md``) has the needs of 1,000 to 1,000,000 budgets.
"""

from __future__ import annotations

import logging as _logging
from importlib.util import find_spec

from budgetframe._runtime.text import names_for_dir as _names_for_dir
from budgetframe.errors import ToolError as _ToolError

for _name in ("dask", "deltalake", "distributed", "pyarrow"):
    if find_spec(_name) is None:
        raise _ToolError(f"a lake needs {_name}: pip install 'budgetframe[lake]'")

from .erasure import Erasure  # noqa: E402 - after the check
from .lake import Lake  # noqa: E402
from .sources import Source, read_sources  # noqa: E402

__all__ = ["Erasure", "Lake", "Source", "read_sources"]

_logging.getLogger("budgetframe").addHandler(_logging.NullHandler())  # a log is asked for
Lake.__module__ = __name__  # pickles contain the public name
del _name


def __dir__() -> list[str]:
    return _names_for_dir(__all__)
