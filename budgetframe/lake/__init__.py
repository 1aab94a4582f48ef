"""The budgets of many people in Delta Lake, read and computed with Dask.

`Lake.sync` reads the budgets of many tokens, or of a folder with exports, into Delta tables, which
DuckDB, polars, Spark and Dask read too. `Lake.frame` returns one budget as the facade does,
`Lake.ledger` and the other methods return all budgets as Dask DataFrames, `Lake.report` computes a
report, or a function of your own, for each budget, and `Lake.summary` compares them. The commands
``budgetframe sync`` and ``budgetframe lake`` do the same as the methods. The extra
``budgetframe[lake]`` installs the libraries; nothing else of the package imports them.

What is stored
--------------
Each table is a Delta table in a folder with the name of the frame, partitioned by a hash bucket of
the budget. ``position`` is the number of a row in the frame: Delta does not keep an order. Amounts
are decimals with three decimals, whose sums are exact in every program; days are dates; choices are
texts. The methods of `Lake` return the dtypes of the frames. A budget is read from its export,
which has no money movements.

``as_of`` is the time that the service stated in its answer with the rows of a budget. A later sync
that finds no change writes none of its rows, so that ``as_of`` stays; for a report, its day is
today. In the first sync of a month each budget is read in full. ``checked_at`` in ``_sync`` is the
last time that the rows were found to be up to date, and ``_runs`` has one row for each sync.

``_state`` has the answer of the service for each budget, compressed, and its server knowledge: any
process, on any machine, can continue, and `Lake.rebuild` writes all tables from it.

The file ``lake.sql`` states the versions of all tables that belong together, and the files of these
versions. It is replaced as a whole after each commit. The methods of `Lake` begin with it; for
DuckDB, it is a script with a view for each table. A program that opens the folders of the
Delta tables itself sees each table at its last commit, which can be newer than that of another
table during a sync, or after one was killed. One process writes at a time: of two, one stops with
an error, also the one that began first, and the lake stays consistent. Start it again.

The bucket of a budget is ``crc32(budget_id) % buckets``. The number of buckets never changes; about
one bucket for 10 budgets is a good choice. A changed budget rewrites its bucket: with more budgets
in a bucket, each commit takes more time; with fewer, there are more files, which take more space.

Privacy
-------
The lake contains budgets as plain text, and never a token. The logs of the tables contain no names,
keys or statistics of columns. `Lake.forget` and then `Lake.vacuum` without `keep_hours` remove a
budget from all files; copies and backups are yours to delete. With a Dask client, the scheduler
holds the message with a task, its token and the `storage_options` until a worker has finished it;
use a cluster with TLS, and only one that is yours.

More than one machine
---------------------
These are the needs of one sync each night, if each budget has a token of its own and three budgets
in ten have changed. They follow from times of one core that were measured with 2,000 transactions
in a budget: 0.25 s for a budget that is read in full or has changed, 6 ms for an unchanged one, and
0.04 s for one whose bucket is rewritten. The first night of a month needs as much as the first
sync, because each budget is read in full. The CPU time of the request for the list of the budgets
of each token is not included. The figures above 100,000 budgets assume several lakes of 100,000
budgets each. The command ``python -m tests.benchmarks.lake plan`` computes the table.

===============================  =========  =========  =========  ===========
budgets                              1,000     10,000    100,000    1,000,000
===============================  =========  =========  =========  ===========
requests of a night                  2,000     20,000    200,000    2,000,000
CPU hours of the first sync            0.1        0.7        6.9           69
CPU hours of the reads, a night       0.02        0.2        2.3           23
CPU hours of commits, a night         0.02        0.2        1.7           17
commits a minute, in 8 hours           1.2         12        120        1,200
logs of a night, MB                      2         22        760        7,600
size, GB                               0.5          5         50          500
PUT requests, a night                2,100     21,000    210,000    2,100,000
LIST requests, a night               1,100     11,000    110,000    1,100,000
GET requests, a night                4,600     46,000    460,000    4,600,000
these three, USD a month               0.5          5         54          540
===============================  =========  =========  =========  ===========

Which limit comes first depends on the tokens:

* **Many budgets of one token**: the service answers 200 requests an hour for a token, and a sync
  sends one for each budget. A sync reads 199 budgets and does not wait; the others have the status
  ``limit``, and the next sync, an hour later, begins with those that have waited longest. More
  tokens raise this limit, for example one of each person (OAuth).
* **A token for each person**: two requests a night are far from the limit. The first limit is the
  CPU time of the reads: one process reads about 115,000 budgets in the first night of a month, and
  350,000 in another one. More workers raise it: nine, or three, read 1,000,000.
* Next comes the process that commits, with about 480,000 budgets in a night, and about 4 kB of its
  memory for each. Several lakes, each with its own process, raise this limit. In an object store, a
  commit also waits for the store: fewer buckets need fewer commits.
* `concurrency` times the number of workers is the number of connections. With a latency of 200 ms,
  16 reads at once allow 80 reads a second, which is more than a core can convert.
* Each read and each commit of a bucket also looks at the list of the files of its table: 1 us and
  2.8 us for each bucket of the lake. With 10,000 buckets, which are 100,000 budgets, this is a
  quarter of the time of the commits, and with 100,000 buckets more than all the rest.
* Each commit also replaces ``lake.sql`` and the one file of ``_sync``: 4 kB for each bucket and
  0.05 kB for each budget of the lake, which are 45 MB with 100,000 budgets.
* The logs grow by 3 kB for each commit to a table. After 100 of them, Delta writes a checkpoint,
  which lists all files of the table: in a large lake, these take the most space. Call `Lake.vacuum`
  with `keep_hours` after each sync: otherwise the logs and files of earlier states stay, one size
  of the lake for each night in which all buckets change. `Lake.at` knows the states that are left.
* Storage costs less than 0.03 USD for a GB and month in an object store, which is 12 USD a month
  for 1,000,000 budgets without earlier states. Its requests cost more: at 0.005 USD for 1,000 PUT
  or LIST requests and 0.0004 USD for 1,000 GET requests, 540 USD a month. A commit to one of the 14
  tables is one PUT and two LIST requests, and each bucket that it rewrites one PUT and three GET
  requests. If three budgets in ten have changed, nearly all buckets of 10 are rewritten. Fewer
  buckets need fewer requests: 30 budgets in a bucket 0.4 of the cost and as much CPU time, 100
  budgets 0.3 of the cost and 1.6 of the CPU time of the commits. A sync every second night
  costs 0.6.
"""

from __future__ import annotations

import logging as _logging
from importlib.util import find_spec

from budgetframe.errors import ToolError as _ToolError

for _name in ("dask", "deltalake", "distributed", "pyarrow"):
    if find_spec(_name) is None:
        raise _ToolError(f"a lake needs {_name}: pip install 'budgetframe[lake]'")

from .lake import Lake  # noqa: E402 - after the check
from .sources import Source, read_sources  # noqa: E402

__all__ = ["Lake", "Source", "read_sources"]

_logging.getLogger("budgetframe").addHandler(_logging.NullHandler())  # a log is asked for
Lake.__module__ = __name__  # pickles contain the public name
del _name
