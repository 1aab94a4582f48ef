"""Check that the rows of a report are those of a report, before it is drawn."""

from __future__ import annotations

import pandas as pd

from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.schema import Column

from .options import TIME_COLUMNS

_NEVER_MISSING = ("bool", "int64")


def check_rows(frame: pd.DataFrame, name: str, columns: list[Column], labels: set[str]) -> None:
    """Check that each row has a time, and that no period, account or category occurs twice."""
    # Operations such as ``shift``, ``where``, ``reindex`` and ``concat`` can add rows that
    # a report never has. `labels` are further columns that name a group.
    known = [each for each in columns if each.name in frame]
    # Moves of money whose month the service does not state have no month in all rows.
    time = [each for each in TIME_COLUMNS if each in frame and frame[each].notna().any()]
    always = [*time, *(each.name for each in known if each.dtype in _NEVER_MISSING)]
    is_wrong = frame[[each.name for each in known]].isna().all(axis=1)
    is_wrong |= frame[always].isna().any(axis=1)
    count = int(is_wrong.sum())
    if count:
        rows = number_of(count, "row of it has", "rows of it have")
        what, advice = (always[0], f"subset={always[0]!r}") if always else ("values", "how='all'")
        raise ToolError(
            f"the report {name} cannot be drawn: {rows} no {what}, for example after reindex,"
            f" shift or where; remove these rows with report.dropna({advice}), or draw the report"
            " as it was calculated"
        )
    keys = [each.name for each in known if each.dtype not in ("float64", "Int64", "bool")]
    groups = {*labels}
    keys += [str(each) for each in frame if str(each).endswith("_id") or each in groups]
    if not time:  # two series of payments can have the same payee, category and days
        keys += [each.name for each in known]
    # Texts are slow, and rows with different times or ids need no comparison of their names.
    keys = [*dict.fromkeys(keys)]
    first = [each for each in keys if each in time or each.endswith("_id")]
    repeated = frame.duplicated(first or keys)
    if repeated.any():
        repeated = frame.duplicated(keys)
    count = int(repeated.sum())
    if count:
        rows = number_of(count, "row of it repeats", "rows of it repeat")
        raise ToolError(
            f"the report {name} cannot be drawn: {rows} another row, the first at position"
            f" {int(repeated.to_numpy().argmax())}; remove repeated rows with"
            " report.drop_duplicates(), or select each row once"
        )
