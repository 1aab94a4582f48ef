"""The command ``budgetframe lake``: look after a lake."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.text import number_of, printable

from .options import add_keep_hours, add_number, json_lines, positive

if TYPE_CHECKING:
    import pandas as pd

    from budgetframe.lake.lake import Lake

_SHOWN = "source budget_name status row_count as_of tried_at checked_at"


def add_lake(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their arguments."""
    parser.description = (
        "Look after a lake that 'budgetframe sync' has written. Nothing is read from the service."
    )
    parser.epilog = (
        "Exit status: 0 for success, 1 for an error, 2 for a mistake in the arguments, 4 if 'status"
        " --max-age' finds a budget that is too old, or no budget, or no sync that ended, 75 if"
        " another process is changing the lake."
    )
    parser.set_defaults(exit_status=0, fail=parser.error)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (text, _) in _ACTIONS.items():
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        action.add_argument("lake", metavar="LAKE", help="folder, or address of an object store")
        if name in {"forget", "export"}:
            action.add_argument("budget", metavar="BUDGET", help="name or id of the budget")
        if name in {"forget", "vacuum"}:
            kept = "delete the results of reports in this cache_dir, too"
            action.add_argument("--cache-dir", metavar="FOLDER", help=kept)
    actions.choices["export"].add_argument("file", metavar="FILE.zip", help="file to write")
    of_allow = "id of the budget, or the hash that a sync shows"
    actions.choices["allow"].add_argument("budget", metavar="BUDGET", help=of_allow)
    actions.choices["status"].add_argument(
        "--json", action="store_true", help="one JSON object for each budget, and one for each run"
    )
    age = "show only the budgets that were not found up to date in the last HOURS"
    actions.choices["status"].add_argument("--max-age", type=positive, metavar="HOURS", help=age)
    actions.choices["forget"].add_argument(
        "--block", action="store_true", help="no sync reads it again until 'allow' permits it"
    )
    add_keep_hours(actions.choices["vacuum"], default=0)
    buckets = "new number of partitions, about one for 10 budgets (default: the present one)"
    add_number(actions.choices["rebuild"], "--buckets", buckets, kind=positive)
    mount = "address of the lake for readers elsewhere; then lake.sql stays as it is"
    actions.choices["views"].add_argument("--mount", metavar="ADDRESS", help=mount)
    out = "file to write for these readers, instead of lake.sql"
    actions.choices["views"].add_argument("--out", metavar="FILE", help=out)


def run_lake(options: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    from budgetframe.lake.lake import Lake  # noqa: PLC0415 - an extra

    lake = Lake(options.lake, cache_dir=getattr(options, "cache_dir", None))
    print(_ACTIONS[options.action][1](lake, options))
    status: int = options.exit_status  # an action can change it
    return status


def _status(lake: Lake, options: argparse.Namespace) -> str:
    budgets, runs = lake.status(), lake.runs()
    columns, lines = [*_SHOWN.split(), "budget_id"], []
    if options.max_age is not None:
        due = budgets[~budgets["status"].isin(["left", "blocked"])]
        budgets = _older(due, options.max_age, datetime.now(UTC))
        counts = f"{len(budgets):,} of {number_of(len(due), 'budget')}"
        lines.append(f"{counts} not found up to date within {number_of(options.max_age, 'hour')}")
        columns = [*columns[:2], "hours", *columns[2:], "reason"]
        # Without a budget or a sync, nothing shows that the lake is up to date.
        options.exit_status = 0 if len(due) and len(runs) and budgets.empty else 4
    if options.json:
        return "\n".join(filter(None, (json_lines(budgets), json_lines(runs, "run"))))
    if len(budgets):
        lines.append(budgets[columns].map(_cell).to_string(index=False))
    if runs.empty:
        return "\n".join([*lines, "No sync has ended."])
    last = runs.iloc[-1]
    last_one = f"{last['ended_at']:%Y-%m-%d %H:%M} UTC on {last['host']}: {last['status']}"
    end = f"{number_of(len(runs), 'sync', 'syncs')}; the last one ended at {last_one}"
    return "\n".join([*lines, end])


def _older(due: pd.DataFrame, most: int, now: datetime) -> pd.DataFrame:
    """The budgets that were not found up to date in the last hours, with the hours since then."""
    key = due["budget_id"].where(due["budget_id"] != "", due["source"])
    checked = due.groupby(key)["checked_at"].transform("max")  # two sources can have had it
    hours = ((now - checked).dt.total_seconds() / 3600).round(1)
    older: pd.DataFrame = due.assign(hours=hours)[~hours.abs().le(most)]  # also times ahead of now
    return older


def _cell(value: Any) -> str:
    import pandas as pd  # noqa: PLC0415 - slow, and help does not need it

    if pd.isna(value):
        return ""
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, pd.Timestamp) else printable(str(value))


def _views(lake: Lake, options: argparse.Namespace) -> str:
    if (options.out is None) != (options.mount is None):
        options.fail("views: give both --mount and --out, or neither")
    return f"{lake.views(options.out, mount=options.mount)}: run it in DuckDB"


def _compact(lake: Lake, _: argparse.Namespace) -> str:
    lake.compact()
    return "The small files of each bucket are joined."


def _forget(lake: Lake, options: argparse.Namespace) -> str:
    budget_id, deleted, searched, found = lake.forget(options.budget, block=options.block)
    text = f"{budget_id or options.budget}: {number_of(deleted, 'file')} deleted"
    if not budget_id:  # a source: nothing was searched
        return f"{text}."
    return f"{text}; {found} of {number_of(searched, 'file')} that are left contain it."


def _allow(lake: Lake, options: argparse.Namespace) -> str:
    lake.allow(options.budget)
    return "The next sync reads the budget."


def _export(lake: Lake, options: argparse.Namespace) -> str:
    path = lake.export(options.budget, options.file)
    return f"{path}: {path.stat().st_size / 1e6:.1f} MB."


_ACTIONS: Mapping[str, tuple[str, Callable[[Lake, argparse.Namespace], str]]] = {
    "status": (
        "show the result and the time of the last attempt for each budget, times in UTC",
        _status,
    ),
    "views": ("write lake.sql, the views for DuckDB, for example after a move", _views),
    "compact": ("join the small files of each bucket", _compact),
    "vacuum": (
        "delete the files of earlier states",
        lambda lake, options: f"{number_of(lake.vacuum(options.keep_hours), 'file')} deleted.",
    ),
    "forget": ("remove a budget from all files, and search them for its id", _forget),
    "allow": ("permit that a sync reads a blocked budget", _allow),
    "rebuild": (
        "write all tables again from the stored answers",
        lambda lake, options: (
            f"{number_of(lake.rebuild(options.buckets), 'budget')} written again."
        ),
    ),
    "export": ("write everything about one budget to a zip file, for its owner", _export),
}
