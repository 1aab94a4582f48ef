"""The command ``budgetframe lake``: look after a lake."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.text import number_of, printable

from .options import add_keep_hours, json_lines

if TYPE_CHECKING:
    from budgetframe.lake.lake import Lake

_SHOWN = "source budget_name status row_count as_of tried_at checked_at"


def add_lake(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their arguments."""
    parser.description = (
        "Look after a lake that 'budgetframe sync' has written. Nothing is read from the service."
    )
    parser.epilog = (
        "Exit status: 0 for success, 1 for an error, 2 for a mistake in the arguments, 75 if"
        " another process is changing the lake."
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (text, _) in _ACTIONS.items():
        action = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        action.add_argument("lake", metavar="LAKE", help="folder, or address of an object store")
        if name in {"forget", "export"}:
            action.add_argument("budget", metavar="BUDGET", help="name or id of the budget")
    actions.choices["export"].add_argument("file", metavar="FILE.zip", help="file to write")
    actions.choices["allow"].add_argument("budget", metavar="BUDGET", help="id of the budget")
    actions.choices["status"].add_argument(
        "--json", action="store_true", help="one JSON object for each budget, and one for each run"
    )
    actions.choices["forget"].add_argument(
        "--block", action="store_true", help="no sync reads it again until 'allow' permits it"
    )
    add_keep_hours(actions.choices["vacuum"], default=0)


def run_lake(options: argparse.Namespace) -> int:
    """Run the command; return its exit status."""
    from budgetframe.lake.lake import Lake  # noqa: PLC0415 - an extra

    text = _ACTIONS[options.action][1](Lake(options.lake), options)
    print(text)
    return 0


def _status(lake: Lake, options: argparse.Namespace) -> str:
    budgets, runs = lake.status(), lake.runs()
    if options.json:
        return "\n".join(filter(None, (json_lines(budgets), json_lines(runs, "run"))))
    shown = budgets[[*_SHOWN.split(), "budget_id"]].map(_cell).to_string(index=False)
    if runs.empty:
        return f"{shown}\nNo sync has ended."
    last = runs.iloc[-1]
    last_one = f"{last['ended_at']:%Y-%m-%d %H:%M} UTC on {last['host']}: {last['status']}"
    return f"{shown}\n{number_of(len(runs), 'sync', 'syncs')}; the last one ended at {last_one}"


def _cell(value: Any) -> str:
    import pandas as pd  # noqa: PLC0415 - slow, and help does not need it

    if pd.isna(value):
        return ""
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, pd.Timestamp) else printable(str(value))


def _compact(lake: Lake, _: argparse.Namespace) -> str:
    lake.compact()
    return "The small files of each bucket are joined."


def _forget(lake: Lake, options: argparse.Namespace) -> str:
    budget_id = lake.forget(options.budget, block=options.block)
    advice = "'budgetframe lake vacuum' deletes the files of earlier states."
    return f"{budget_id or options.budget} is removed. {advice}"


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
    "views": (
        "write lake.sql, the views for DuckDB, for example after a move",
        lambda lake, _: f"{lake.views()}: run it in DuckDB",
    ),
    "compact": ("join the small files of each bucket", _compact),
    "vacuum": (
        "delete the files of earlier states",
        lambda lake, options: f"{number_of(lake.vacuum(options.keep_hours), 'file')} deleted.",
    ),
    "forget": ("remove all rows of a budget", _forget),
    "allow": ("permit that a sync reads a blocked budget", _allow),
    "rebuild": (
        "write all tables again from the stored answers",
        lambda lake, _: f"{number_of(lake.rebuild(), 'budget')} written again.",
    ),
    "export": ("write everything about one budget to a zip file, for its owner", _export),
}
