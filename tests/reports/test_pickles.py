"""Pickles name public modules, and pickles that name former modules can still be loaded."""

from __future__ import annotations

import pickle
import pickletools

import pandas as pd

from budgetframe.reports import Report
from tests.reports.plans import report_of


def test_a_pickled_report_names_the_public_module() -> None:
    # Protocol 2 writes the name of a class as one opcode with module and name.
    operations = pickletools.genops(pickle.dumps(report_of("age_of_money"), protocol=2))
    named = {argument for operation, argument, _ in operations if operation.name == "GLOBAL"}
    assert {name for name in named if "budgetframe" in str(name)} == {"budgetframe.reports Report"}


def test_a_report_survives_pickling() -> None:
    report = report_of("net_worth")
    loaded = pickle.loads(pickle.dumps(report))  # noqa: S301 - written by this test
    assert type(loaded) is Report
    assert type(loaded).__module__ == "budgetframe.reports"
    assert loaded.attrs == report.attrs
    pd.testing.assert_frame_equal(loaded, report)
