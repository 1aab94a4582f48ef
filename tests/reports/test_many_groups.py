"""The groups of reports, and the rows behind them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from budgetframe.reports import spending
from budgetframe.reports._shared.group_numbers import group_numbers
from budgetframe.reports._shared.row_source import CountedRows
from tests.reports.rows import ledger_frame, row


def test_the_rows_behind_a_label_are_those_with_its_number() -> None:
    labels = np.arange(20) % 5
    rows = pd.DataFrame({"date": np.full(20, "2026-05-01", "datetime64[us]")})
    positions = CountedRows(rows, labels).behind(range(5))
    assert positions(4).tolist() == [4, 9, 14, 19]


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
