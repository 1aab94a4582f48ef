"""The command ``budgetframe sync``: bring a lake up to date."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from budgetframe._runtime.output_file import output_file
from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError

__all__ = ["add_sync", "run_sync"]

_SANDBOX_BUDGETS = 50  # the largest number of budgets of one embedded service
_FINE = ("ok", "duplicate")
_FILE_HELP = """\
The file has one table for each token or folder, and never a token:

  [[source]]
  name = "Anna"
  token_env = "ANNAS_TOKEN"    # or token_keyring = "anna", see 'keyring set budgetframe anna'
  budgets = ["Household"]      # names or ids (default: all budgets of the token)
  base_url = "https://..."     # (default: the published service)
  verify = false               # as the option --no-verify (default: true)

  [[source]]
  name = "archive"
  exports = "FOLDER"           # of *.json and *.json.gz files that bf.save_export() has written
"""


def add_sync(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Read what changed in the budgets of many tokens, and commit it to the Delta tables of a\n"
        "lake (budgetframe.lake), which is created if it does not exist.\n\n" + _FILE_HELP
    )
    parser.epilog = (
        "Exit status: 0 if all budgets are up to date, 1 if one of them failed or is missing.\n"
        "A sync does not wait for the limit of a token: run it again after an hour, and\n"
        "it begins with the budgets that have waited longest. The printed number of requests\n"
        "does not include those for the lists of budgets."
    )
    parser.add_argument("sources", nargs="?", type=Path, metavar="FILE", help="see above")
    parser.add_argument(
        "lake",
        metavar="LAKE",
        help="folder, or address of an object store; environment variables, such as"
        " AWS_ENDPOINT_URL, are the options of the store",
    )
    parser.add_argument(
        "--workers",
        type=_number,
        default=0,
        metavar="N",
        help="read in N processes of a local Dask cluster (default: in this process)",
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="read on this Dask cluster")
    parser.add_argument(
        "--concurrency",
        type=_number,
        default=16,
        metavar="N",
        help="reads that a process has under way (default: %(default)s)",
    )
    parser.add_argument(
        "--buckets",
        type=_number,
        default=16,
        metavar="N",
        help="partitions of a new lake, about one for 10 budgets (default: %(default)s)",
    )
    parser.add_argument(
        "--no-verify",
        dest="verify",
        action="store_false",
        help="commit budgets even if their sums do not agree with the service's own figures",
    )
    parser.add_argument(
        "--summary",
        type=Path,
        metavar="PNG",
        help="then draw the distribution of net worth, savings rate and runway of all budgets",
    )
    parser.add_argument(
        "--sandbox",
        type=_number,
        metavar="N",
        help="read N invented budgets of embedded services instead of a FILE",
    )


def _number(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def run_sync(options: argparse.Namespace, sandbox: ModuleType | None) -> int:
    """Run the command; return its exit status. With ``--sandbox``, `sandbox` is that module."""
    from budgetframe.lake import Lake, Source, read_sources  # noqa: PLC0415 - an extra

    if (options.sources is None) == (options.sandbox is None):
        raise ToolError("give a FILE with sources, or the option --sandbox")
    if options.summary is not None:
        output_file(options.summary)  # before the sync
    with ExitStack() as stack:
        if sandbox is None:
            sources = read_sources(options.sources)
        else:
            sources, today = [], datetime.now(UTC).date()
            for start in range(0, options.sandbox, _SANDBOX_BUDGETS):
                count = min(_SANDBOX_BUDGETS, options.sandbox - start)
                service = sandbox.Sandbox(seed=start + 1, budgets=count, today=today)
                url = stack.enter_context(sandbox.serve(service))
                sources.append(
                    Source(f"sandbox {start // _SANDBOX_BUDGETS + 1}", service.token, base_url=url)
                )
        client = stack.enter_context(_client(options))
        lake = Lake(options.lake)
        result = lake.sync(
            sources,
            client,
            concurrency=options.concurrency,
            verify=options.verify,
            buckets=options.buckets,
        )
        failed = _print_result(result)
        if options.summary is not None:
            axes = lake.summary().plot()
            axes[0][0].get_figure().savefig(options.summary)
    return 1 if failed else 0


@contextmanager
def _client(options: argparse.Namespace) -> Iterator[Any]:
    if not options.workers and not options.scheduler:
        yield None
        return
    from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra, and slow to import

    if options.scheduler:
        with Client(options.scheduler) as client:
            yield client
        return
    with (
        LocalCluster(
            n_workers=options.workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _print_result(result: pd.DataFrame) -> int:
    """Print the figures of a sync and each failure; return the number of failures."""
    counts = result["status"].value_counts()
    statuses = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    print(
        f"{len(result):,} budget{'' if len(result) == 1 else 's'}: {statuses or 'none'};"
        f" {int(result['changed'].sum()):,} changed, {int(result['rows'].sum()):,} rows,"
        f" {int(result['requests'].sum()):,} requests"
    )
    failed = result[~result["status"].isin(_FINE)]
    for row in failed.itertuples():
        name = printable(str(row.budget_name or "all budgets"))
        print(f"{printable(str(row.source))}, {name}: {row.status}: {row.reason}")
    return len(failed)
