"""The service's own categories in a frame: those of income, and that of rows without a category."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd

from budgetframe._resources import INTERNAL_GROUP, is_income, is_known_internal, is_uncategorized
from budgetframe._runtime.deferred_warnings import defer_warning

from .builder import shown


def income_rows(categories: pd.DataFrame) -> Any:
    """Which rows of a frame with categories are categories of income."""
    return _matching(categories, is_income)


def uncategorized_rows(categories: pd.DataFrame) -> Any:
    """Which rows of a frame with categories are the category of rows without a category."""
    return _matching(categories, is_uncategorized)


def _matching(categories: pd.DataFrame, matches: Callable[[object, object], bool]) -> Any:
    names = categories["category_name"].to_numpy(object)
    found = (categories["category_group_name"] == INTERNAL_GROUP).to_numpy(bool, copy=True)
    # Few of the rows are in the internal group.
    found[found] = [matches(INTERNAL_GROUP, name) for name in names[found]]
    return found


def warn_of_unknown_names(names: pd.Series[str]) -> None:
    """Warn of unknown names of used categories of income, once for each name in a process."""
    for name in names.unique():
        if not is_known_internal(name):
            _warn(shown(name))


@cache
def _warn(name: str) -> None:
    effect = "whose meaning is not known: its rows count as income"
    defer_warning(f"the group {INTERNAL_GROUP!r} has a category {name}, {effect}")
