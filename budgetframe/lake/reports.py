"""Reports on every budget of a lake, computed with Dask."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import pandas as pd

from budgetframe import reports
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe.errors import ToolError
from budgetframe.reports._shared.inputs import INPUTS, inputs_of

from .columns import FRAMES, OWNER, SCHEMAS, STATE, frame_from
from .partitions import budget_frames
from .storage import Snapshot

_TASKS = 64  # at most; more buckets are shared out among them


class _OfBucket(NamedTuple):
    """The reports of the budgets in some buckets."""

    reports: list[tuple[str, str, pd.DataFrame]]
    refused: dict[str, str]  # why a budget has no report, by the id of the budget
    warned: list[str]


def frames_for(
    function: Callable[..., pd.DataFrame], options: Mapping[str, object]
) -> list[str | None]:
    """The frames that a report takes, None where it takes none; a ledger for any other function."""
    if not callable(function):
        raise ToolError(
            f"function={function!r}: it must be a function, such as budgetframe.reports.net_worth"
        )
    name = getattr(function, "__name__", "")
    if getattr(reports, name, None) is not function:
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
    snapshot: Snapshot, report: Callable[..., pd.DataFrame], names: Sequence[str | None]
) -> pd.DataFrame:
    """The rows of a report of each budget; it takes the frames `names`, and a None as it is."""
    from dask.base import compute  # noqa: PLC0415 - slow to import, and a sync does not need it
    from dask.delayed import delayed  # noqa: PLC0415

    failure, shape = _shape_of(report, names)
    if shape is not None:
        _check_columns(shape)
    known = [name for name in names if name is not None]
    part = snapshot.of({*known, STATE})
    of_buckets = delayed(partial(_of_buckets, part, report, names), pure=False)
    shares = min(snapshot.buckets, _TASKS)
    tasks = [of_buckets(range(start, snapshot.buckets, shares)) for start in range(shares)]
    computed = list[_OfBucket](compute(*tasks))
    refused = {key: reason for each in computed for key, reason in each.refused.items()}
    of_budgets = sorted((each for part in computed for each in part.reports), key=lambda x: x[0])
    if failure is not None and not of_budgets:  # then it is not because of the missing rows
        raise failure
    if shape is None:
        shape = of_budgets[0][2]
        _check_columns(shape)
    if refused:
        budget_id, reason = min(refused.items())
        warnings.warn(
            f"{len(refused):,} of {len(refused) + len(of_budgets):,} budgets have no report (first:"
            f" {budget_id}: {reason}); attrs['refused'] has all reasons",
            RuntimeWarning,
            stacklevel=3,
        )
    for text in dict.fromkeys(text for each in computed for text in each.warned):
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    frame = _joined(pd.DataFrame(shape), of_budgets)
    frame.attrs = {"refused": refused} if refused else {}
    return frame


def _shape_of(
    report: Callable[..., pd.DataFrame], names: Sequence[str | None]
) -> tuple[Exception | None, pd.DataFrame | None]:
    """The result for frames without rows, which shows the columns; or why there is none."""
    # An invalid argument is refused here, before any read. A function of the user need not accept a
    # ledger without rows.
    empty = (None if name is None else _frame_without_rows(name) for name in names)
    try:
        return None, report(*empty)
    except (ToolError, TypeError):
        raise
    except Exception as error:  # noqa: BLE001 - functions of the user can raise anything
        error.add_note("It was raised for a ledger without rows, and no budget has a report.")
        return error, None


def _check_columns(shape: pd.DataFrame) -> None:
    """Refuse a result that cannot be joined with those of other budgets."""
    if not isinstance(shape, pd.DataFrame):
        raise ToolError(f"the function must return a DataFrame, not {type(shape).__name__}")
    if any(name is not None for name in shape.index.names):
        raise ToolError(
            f"the result of the function has the index {', '.join(map(repr, shape.index.names))},"
            " which would be lost: return it as columns, with reset_index()"
        )
    taken = {"budget_id", "currency"}.intersection(shape.columns)
    if taken:
        raise ToolError(
            f"the result of the function has a column {', '.join(map(repr, sorted(taken)))}, which"
            " lake.report adds: choose another name"
        )


def _frame_without_rows(name: str) -> pd.DataFrame:
    """A frame of a budget without rows, which was read before any `until`."""
    frame = frame_from(name, SCHEMAS[name].empty_table())
    frame.attrs["as_of"] = "1900-01-01"
    return frame


def _of_buckets(
    snapshot: Snapshot,
    report: Callable[..., pd.DataFrame],
    names: Sequence[str | None],
    buckets: Sequence[int],
) -> _OfBucket:
    known = [name for name in names if name is not None]
    found = _OfBucket([], {}, [])
    with collected_warnings() as collected:
        # One bucket after the other: together, they need not fit into memory.
        of_each = (budget_frames(snapshot, known, bucket) for bucket in buckets)
        for budget_id, currency, frames in chain.from_iterable(of_each):
            try:
                result = report(*(None if name is None else frames[name] for name in names))
            except ToolError as error:  # for example, it has no account of a name that is given
                found.refused[budget_id] = str(error)
            except Exception as error:  # noqa: BLE001 - one budget must not stop the others
                found.refused[budget_id] = f"unexpected {type(error).__name__}: {error}"
            else:
                found.reports.append((budget_id, currency, pd.DataFrame(result)))
    found.warned.extend(map(str, collected))
    return found


def _joined(shape: pd.DataFrame, reports: Sequence[tuple[str, str, pd.DataFrame]]) -> pd.DataFrame:
    """All rows below each other, after the key and the currency of their budget."""
    text = OWNER["currency"].array([]).dtype
    parts = []
    for budget_id, currency, frame in [("", "", shape.iloc[:0]), *reports]:
        part = pd.DataFrame(frame).reset_index(drop=True)
        part.attrs = {}
        part.insert(0, "currency", pd.Series(currency, part.index, dtype=text))
        part.insert(0, "budget_id", pd.Series(budget_id, part.index, dtype=text))
        parts.append(part)
    for column in shape.columns:
        if all(isinstance(part[column].dtype, pd.CategoricalDtype) for part in parts):
            every = {category for part in parts for category in part[column].cat.categories}
            first = [*shape[column].cat.categories]
            for part in parts:
                both = [*first, *sorted(every - {*first})]
                part[column] = part[column].cat.set_categories(both)
    joined = pd.concat(parts, ignore_index=True)
    names = [*parts[0]]
    own = {name for part in parts for name in part} - {*names}
    if own:  # the periods of a statement, which not all budgets have
        at = min(place for part in parts for place, name in enumerate(part) if name in own)
        names[at:at] = sorted(own, key=str)
    return joined[names]
