"""Reports with many groups: their pictures and rows cost little more than those of few groups."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from budgetframe.reports import Report, spending
from budgetframe.reports._shared.ledger_rows import group_numbers
from budgetframe.reports._shared.row_source import CountedRows
from tests.reports.rows import ledger_frame, row

CATEGORIES = tuple((f"Group {n // 50}", f"c{n}", f"Category {n}") for n in range(10_000))


def cpu_seconds(call: Callable[[], object]) -> float:
    """The least CPU time of three calls."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
        plt.close("all")
    return min(seconds)


@pytest.mark.slow  # it builds a report with 420,000 rows
def test_a_picture_of_many_groups_costs_little_more_than_one_of_few() -> None:
    rows = [row("2023-01-01", -1.0, key) for _, key, _ in CATEGORIES]
    ledger = ledger_frame(*rows, row("2026-06-01", -5.0, "c1"), categories=CATEGORIES)
    many = spending(ledger, freq="month")
    few = Report(many[many["category_name"].isin(["Category 1", "Category 2"])])
    assert (len(many), len(few)) == (420_000, 84)
    draw_few, draw_many = (cpu_seconds(partial(report.plot, kind="line")) for report in (few, many))
    # 4 times when this was written, 17 times when the texts were compared once for each period.
    assert draw_many < 8 * draw_few


@pytest.mark.slow  # it looks for the rows of 5,000 labels
def test_rows_behind_many_groups_are_found_without_a_scan_for_each() -> None:
    labels = np.arange(200_000) % 5_000
    rows = pd.DataFrame({"date": np.full(200_000, "2026-05-01", "datetime64[us]")})
    positions = CountedRows(rows, labels).behind(range(5_000))
    scan = cpu_seconds(lambda: np.isin(labels, 7).sum())
    every = cpu_seconds(lambda: [positions(number) for number in range(5_000)])
    assert every < 1_000 * scan
    assert positions(4_999).tolist() == [*range(4_999, 200_000, 5_000)]


def test_groups_are_numbered_in_the_order_of_their_first_rows() -> None:
    frame = pd.DataFrame({"a": ["x", None, "x", "", "y"], "b": [1, 1, 2, 1, 1]})
    assert group_numbers(frame, ["a", "b"]).tolist() == [0, 1, 2, 1, 3]
    assert group_numbers(frame, []).tolist() == [0, 0, 0, 0, 0]


def test_groups_without_ids_are_told_apart_by_their_names() -> None:
    ledger = ledger_frame(row("2026-05-01", -4.0, "food"), row("2026-05-02", -2.0, "fun"))
    report = spending(ledger)
    report["category_id"] = None
    assert [bar.get_width() for bar in report.plot().patches] == [2.0, 4.0]
    plt.close("all")
