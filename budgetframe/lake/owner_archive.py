"""A zip file with everything that a lake contains about one budget, for its owner."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from budgetframe._milliunits import is_money, to_milliunits
from budgetframe._runtime.output_file import output_file, replace_file
from budgetframe._runtime.text import LIKE_FORMULA

from .columns import OTHERS, SYNC, frame_from
from .conversion import OWN_KEYS, answer_in
from .storage import Snapshot


def write_archive(
    snapshot: Snapshot,
    budget_id: str,
    frames: Mapping[str, pd.DataFrame],
    path: str | os.PathLike[str],
) -> Path:
    """Write the frames of a budget, its row of ``_sync`` and its answer; return the path."""
    target = output_file(path)
    rows = snapshot.read(SYNC)
    rows = rows.filter(pc.equal(rows["budget_id"], budget_id))
    # The names of the sources can be those of other people.
    attempts = frame_from(SYNC, rows, [each for each in OTHERS[SYNC] if each.name != "source"])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, frame in {**frames, "status": attempts}.items():
            cells = frame.map(_without_formula, na_action="ignore")
            archive.writestr(f"{name}.csv", cells.to_csv(index=False))
        stored = answer_in(snapshot, budget_id)
        sent = {key: value for key, value in stored.items() if key not in OWN_KEYS}
        answer = json.dumps(_in_milliunits(sent), ensure_ascii=False)
        archive.writestr("budget.json", answer)
    replace_file(target, content.getvalue())
    return target


def _without_formula(value: Any) -> Any:
    """The value of a cell of a CSV file; an apostrophe makes a spreadsheet show a text as it is."""
    return f"'{value}" if isinstance(value, str) and value.startswith(LIKE_FORMULA) else value


def _in_milliunits(value: Any) -> Any:
    """The answer as the service sent it, whose amounts the lake has in units of the currency."""
    if isinstance(value, list):
        return [_in_milliunits(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: to_milliunits(each)
        if is_money(key) and isinstance(each, float)
        else _in_milliunits(each)
        for key, each in value.items()
    }
