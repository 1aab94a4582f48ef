"""Reports on every budget of a lake, computed with Dask."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from budgetframe import reports
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe.errors import ToolError
from budgetframe.reports._shared.inputs import INPUTS, inputs_of

from .columns import FRAMES, OWNER, SCHEMAS, frame_from
from .kept_reports import Result, kept_path, read_kept, write_kept
from .partitions import budget_frames, state_key, states_of
from .storage import Snapshot

_TASKS = 64  # at most; more buckets are shared out among them


def frames_for(
    function: Callable[..., pd.DataFrame], options: Mapping[str, object]
) -> list[str | None]:
    """The frames that a report takes, None where it takes none; a ledger for any other function."""
    if not callable(function):
        raise ToolError(
            f"function={function!r}: it must be a function, such as budgetframe.reports.net_worth"
        )
    name = getattr(function, "__name__", "")
    if not _is_report(function):
        return ["ledger"]
    if name not in INPUTS:
        raise ToolError(f"{name} is not a report on one budget: a lake cannot compute it")
    frames = [None if each is None else each.frame for each in inputs_of(name, options)]
    missing = [each for each in frames if each is not None and each not in FRAMES]
    if missing:
        reason = "which the export of a budget does not contain"
        raise ToolError(f"{name} needs {missing[0]}, {reason}: a lake cannot compute it")
    return frames


def compute_report(
    snapshot: Snapshot,
    function: Callable[..., pd.DataFrame],
    options: Mapping[str, object],
    names: Sequence[str | None],
    cache_dir: Path | None,
) -> pd.DataFrame:
    """The rows of a report of each budget; it takes the frames `names`, and a None as it is."""
    report = partial(function, **options)
    problem, shape = _shape_of(report, names)
    states = {state["budget_id"]: state for state in states_of(snapshot)}
    path = None
    if _is_report(function):  # the code of another function is not known
        path = kept_path(cache_dir, snapshot.address.uri, function.__name__, options)
    kept = read_kept(path) if path else {}
    keys = {budget_id: state_key(state) for budget_id, state in states.items()}
    found = {budget_id: kept[key] for budget_id, key in keys.items() if key in kept}
    found |= _computed(
        snapshot, report, names, [states[each] for each in keys if each not in found]
    )
    results = [(budget_id, found[budget_id]) for budget_id in keys]
    new = {keys[each]: result for each, result in results if keys[each] and not result.reason}
    if path and new.keys() != kept.keys() and snapshot.is_last():
        write_kept(path, new)
        if not snapshot.is_last():  # a budget that was forgotten meanwhile must not be kept
            path.unlink(missing_ok=True)
    refused = {budget_id: result.reason for budget_id, result in results if result.reason}
    first = next((f"{budget_id}: {reason}" for budget_id, reason in refused.items()), "")
    if len(refused) == len(results) and (problem or refused):
        raise problem or ToolError(
            f"none of {len(refused):,} budgets has a report (first: {first})"
        )
    if refused:
        warnings.warn(
            f"{len(refused):,} of {len(results):,} budgets have no report (first: {first});"
            " attrs['refused'] has all reasons",
            RuntimeWarning,
            stacklevel=3,
        )
    for text in dict.fromkeys(chain.from_iterable(result.warned for _, result in results)):
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    frames = [(each, states[each]["currency"], result.frame) for each, result in results]
    frame = _joined(shape, frames)
    frame.attrs = {"refused": refused} if refused else {}
    return frame


def _is_report(function: Callable[..., pd.DataFrame]) -> bool:
    return getattr(reports, getattr(function, "__name__", ""), None) is function


def _shape_of(
    report: partial[pd.DataFrame], names: Sequence[str | None]
) -> tuple[Exception | None, pd.DataFrame | None]:
    """The result for frames without rows, which shows the columns; or why there is none."""
    # An invalid argument is refused here, before any report is computed. A function of the user
    # need not accept a ledger without rows.
    empty = (None if name is None else _frame_without_rows(name) for name in names)
    try:
        shape = report(*empty)
    except Exception as error:
        if _is_report(report.func):
            raise
        error.add_note("It was raised for a ledger without rows, and no budget has a report.")
        return error, None
    reason = _reason_against(shape)
    return (ToolError(reason), None) if reason else (None, shape)


def _reason_against(result: object) -> str:
    """Why a result cannot be joined with those of other budgets; empty if it can."""
    if not isinstance(result, pd.DataFrame):
        return f"the function must return a DataFrame, not {type(result).__name__}"
    columns, index = result.columns, result.index.names
    if any(name is not None for name in index):
        text = f"the index {', '.join(map(repr, index))}, which would be lost"
        return f"the result of the function has {text}: return it as columns, with reset_index()"
    if columns.nlevels > 1 or not columns.is_unique or columns.hasnans:
        return "the columns of the result of the function must each have one name of their own"
    taken = {"budget_id", "currency"}.intersection(columns)
    if taken:
        text = f"a column {', '.join(map(repr, sorted(taken)))}, which lake.report adds"
        return f"the result of the function has {text}: choose another name"
    return ""


def _frame_without_rows(name: str) -> pd.DataFrame:
    """A frame of a budget without rows, which was read before any `until`."""
    frame = frame_from(name, SCHEMAS[name].empty_table())
    frame.attrs["as_of"] = "1900-01-01"
    return frame


def _computed(
    snapshot: Snapshot,
    report: Callable[..., pd.DataFrame],
    names: Sequence[str | None],
    states: Sequence[dict[str, Any]],
) -> dict[str, Result]:
    """The reports of the budgets with these rows of ``_state``."""
    if not states:
        return {}
    from dask.base import compute, get_scheduler  # noqa: PLC0415 - slow to import, and a sync does not need it
    from dask.delayed import delayed  # noqa: PLC0415

    of_buckets = groupby(sorted(states, key=itemgetter("bucket")), itemgetter("bucket"))
    buckets = [[*of_bucket] for _, of_bucket in of_buckets]
    part = snapshot.of({name for name in names if name is not None})
    tasks = [
        delayed(partial(_of_buckets, part, report, names, buckets[start::_TASKS]), pure=False)()
        for start in range(min(len(buckets), _TASKS))
    ]
    # Not in threads, which take longer, and share the filters of warnings: pandas changes and
    # restores them, so that two threads can leave an "ignore" behind.
    results = compute(*tasks, scheduler=get_scheduler() or "sync")
    return dict(chain.from_iterable(results))


def _of_buckets(
    snapshot: Snapshot,
    report: Callable[..., pd.DataFrame],
    names: Sequence[str | None],
    buckets: Sequence[Sequence[dict[str, Any]]],
) -> list[tuple[str, Result]]:
    known, found = [name for name in names if name is not None], []
    for states in buckets:  # one after the other: together, they need not fit into memory
        for state, frames in zip(states, budget_frames(snapshot, known, states), strict=True):
            result = _result(report, [None if name is None else frames[name] for name in names])
            found.append((state["budget_id"], result))
    return found


def _result(report: Callable[..., pd.DataFrame], frames: Sequence[pd.DataFrame | None]) -> Result:
    with collected_warnings() as collected:
        try:
            result = report(*frames)
            reason = _reason_against(result)
        except ToolError as error:  # for example, it has no account of a name that is given
            reason = str(error) or "ToolError"
        except Exception as error:  # noqa: BLE001 - one budget must not stop the others
            reason = f"unexpected {type(error).__name__}: {error}"
    warned = [*map(str, collected)]
    if reason:
        return Result(None, warned, reason)
    frame = pd.DataFrame(result).reset_index(drop=True)
    frame.attrs = {}
    return Result(frame, warned)


def _joined(
    shape: pd.DataFrame | None, reports: Sequence[tuple[str, str, pd.DataFrame | None]]
) -> pd.DataFrame:
    """All rows below each other, after the key and the currency of their budget."""
    text = OWNER["currency"].array([]).dtype
    known = [
        (budget_id, currency, frame) for budget_id, currency, frame in reports if frame is not None
    ]
    first = known[0][2] if shape is None else pd.DataFrame(shape)
    parts = []
    for budget_id, currency, frame in [("", "", first.iloc[:0]), *known]:
        part = frame.reset_index(drop=True)
        part.attrs = {}
        part.insert(0, "currency", pd.Series(currency, part.index, dtype=text))
        part.insert(0, "budget_id", pd.Series(budget_id, part.index, dtype=text))
        parts.append(part)
    for column in first.columns:
        having = [part for part in parts if column in part]
        if all(isinstance(part[column].dtype, pd.CategoricalDtype) for part in having):
            every = {category for part in having for category in part[column].cat.categories}
            of_first = [*first[column].cat.categories]
            both = [*of_first, *sorted(every - {*of_first}, key=str)]
            for part in having:
                part[column] = part[column].cat.set_categories(both)
    joined = pd.concat(parts, ignore_index=True)
    names = [*parts[0]]
    own = {name for part in parts for name in part} - {*names}
    if own:  # the periods of a statement, which not all budgets have
        at = min(place for part in parts for place, name in enumerate(part) if name in own)
        names[at:at] = sorted(own, key=str)
    return joined[names]
