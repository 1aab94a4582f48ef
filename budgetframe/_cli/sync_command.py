"""The command ``budgetframe sync``: bring a lake up to date."""

from __future__ import annotations

import argparse
import logging
import math
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError

from .options import add_keep_hours, add_number, json_lines, positive

if TYPE_CHECKING:
    import pandas as pd

_SANDBOX_BUDGETS = 50  # the largest number of budgets of one embedded service
_EXIT_STATUS = {"ok": 0, "failed": 3, "limit": 75}  # 75: try again later, as in sysexits.h
_FILE_HELP = """\
The file has one table for each token or folder, and never a token:

  [[source]]
  name = "Anna"
  token_env = "ANNAS_TOKEN"    # or token_keyring = "anna", see 'keyring set budgetframe anna', or
                               # token_command = ["pass", "show", "anna"], which prints it
  budgets = ["Household"]      # names or ids (default: all budgets of the token)
  base_url = "https://..."     # (default: the published service)
  verify = false               # as the option --no-verify (default: true)

  [[source]]
  name = "archive"
  exports = "FOLDER"           # of files of bf.save_export() and exports of the app (*.zip)
"""


def add_sync(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Read what changed in the budgets of many tokens, and commit it to the Delta tables of a\n"
        "lake (budgetframe.lake), which is created if it does not exist.\n\n" + _FILE_HELP
    )
    parser.epilog = (
        "Exit status: 0 if all budgets are up to date, 3 if some failed, are missing or have\n"
        "left since the last sync, 75 if only the limit of requests stopped some, or another\n"
        "process is changing the lake (then this one has sent no request), 1 if the lake itself\n"
        "failed, 2 for a mistake in the arguments or in the FILE. A sync does not wait for the\n"
        "limit of a token: run it again after the printed time, and it begins with the budgets\n"
        "that have waited longest. A program for a token has 20 s, no shell and no terminal, and\n"
        "runs in the folder of FILE. The number of requests does not include those for the lists\n"
        "of budgets."
    )
    parser.set_defaults(fail=parser.error)
    parser.add_argument("sources", nargs="?", type=Path, metavar="FILE", help="see above")
    lake = (
        "folder, or address of an object store; environment variables, such as AWS_ENDPOINT_URL,"
        " are the options of the store"
    )
    parser.add_argument("lake", metavar="LAKE", help=lake)
    processes = "read in N processes of a local Dask cluster (default: in this process)"
    parser.add_argument("--workers", type=positive, default=0, metavar="N", help=processes)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="read on this Dask cluster")
    reads = "reads that a process has under way"
    add_number(parser, "--concurrency", reads, kind=positive, default=16)
    buckets = "partitions of a lake without rows (default: one for 10 budgets, at least 16)"
    add_number(parser, "--buckets", buckets, kind=positive)
    unverified = "commit budgets even if their sums do not agree with the service's own figures"
    parser.add_argument("--no-verify", dest="verify", action="store_false", help=unverified)
    read = "name or id of a budget to read in full; can be repeated"
    parser.add_argument("--full", action="append", default=[], metavar="BUDGET", help=read)
    counts = "count requests with the connections that have this cache_dir"
    parser.add_argument("--cache-dir", metavar="FOLDER", help=counts)
    others = "other syncs read other sources: no budget of a source that FILE lacks has left"
    parser.add_argument("--partial", action="store_true", help=others)
    add_keep_hours(parser, default=None)
    objects = "one JSON object for each budget, and one for the run"
    parser.add_argument("--json", action="store_true", help=objects)
    steps = "log each step on standard error, without names"
    parser.add_argument("--verbose", action="store_true", help=steps)
    invented = "read N invented budgets of embedded services instead of a FILE"
    add_number(parser, "--sandbox", invented, kind=positive)


def run_sync(options: argparse.Namespace, sandbox: ModuleType | None) -> int:
    """Run the command; return its exit status. With ``--sandbox``, `sandbox` is that module."""
    import pandas as pd  # noqa: PLC0415 - slow, and help does not need it

    from budgetframe.lake.lake import Lake  # noqa: PLC0415 - an extra
    from budgetframe.lake.sources import Source, read_sources  # noqa: PLC0415

    if (options.sources is None) == (options.sandbox is None):
        options.fail("give a FILE with sources, or the option --sandbox")
    if options.verbose:
        logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s")
        logging.getLogger("budgetframe").setLevel(logging.INFO)
    with ExitStack() as stack:
        if sandbox is None:
            try:
                sources = read_sources(options.sources)
            except (ToolError, OSError) as error:
                options.fail(str(error))
        else:
            sources, today = [], datetime.now(UTC).date()
            for start in range(0, options.sandbox, _SANDBOX_BUDGETS):
                count = min(_SANDBOX_BUDGETS, options.sandbox - start)
                service = sandbox.Sandbox(seed=start + 1, budgets=count, today=today)
                url = stack.enter_context(sandbox.serve(service))
                name = f"sandbox {start // _SANDBOX_BUDGETS + 1}"
                sources.append(Source(name, service.token, base_url=url))
        client = stack.enter_context(_client(options))
        lake = Lake(options.lake, cache_dir=options.cache_dir)
        names = ("concurrency", "verify", "buckets", "full", "partial")
        with warnings.catch_warnings():
            warnings.simplefilter("default", RuntimeWarning)
            warnings.showwarning = lambda text, *_, **__: print(
                f"budgetframe sync: {printable(str(text))}", file=sys.stderr
            )
            result = lake.sync(sources, client, **{name: getattr(options, name) for name in names})
        run = result.attrs["run"]
        if options.json:
            lines = json_lines(result), json_lines(pd.DataFrame([run]), "run")
            print("\n".join(filter(None, lines)))
        else:
            _print_result(result, run)
        if options.keep_hours is not None:
            try:
                lake.vacuum(options.keep_hours)
            except ToolError as error:
                if error.retry_after is None:
                    raise
                text = "another process is changing the lake: the files of earlier states stay"
                print(f"budgetframe sync: {text} until the next vacuum", file=sys.stderr)
    status: int = _EXIT_STATUS[run["status"]]
    return status


@contextmanager
def _client(options: argparse.Namespace) -> Iterator[Any]:
    if not options.workers and not options.scheduler:
        yield None
        return
    from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra, and slow to import

    local = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with ExitStack() as stack:
        scheduler = options.scheduler or stack.enter_context(LocalCluster(**local))
        yield stack.enter_context(Client(scheduler))


def _print_result(result: pd.DataFrame, run: Mapping[str, Any]) -> None:
    """Print the figures of a sync, each failure, and when to run it again."""
    counts = result["status"].value_counts()
    statuses = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    print(
        f"{len(result):,} budget{'' if len(result) == 1 else 's'}: {statuses or 'none'};"
        f" {int(result['changed'].sum()):,} changed, {run['row_count']:,} rows,"
        f" {int(result['requests'].sum()):,} requests"
    )
    for row in result.attrs["failures"]:
        name = printable(row["budget_name"] or "all budgets")
        print(f"{printable(row['source'])}, {name}: {row['status']}: {row['reason']}")
    if run["next_attempt"] is not None:
        seconds = max(0, math.ceil((run["next_attempt"] - run["ended_at"]).total_seconds()))
        print(f"The limit of requests stopped {run['limited']}: run it again in {seconds:,} s")
