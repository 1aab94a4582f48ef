"""Properties of every frame, checked on its hand-written example."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from budgetframe import BudgetFrame
from budgetframe.frames import LEDGER, TABLES
from budgetframe.reports import Report
from tests.facade.service import untouched
from tests.frames.columns import Json
from tests.frames.examples import EXAMPLES

REQUIRED = [(name, field) for name, example in EXAMPLES.items() for field in example.required]
NESTED = [  # a part belongs to the row that it is nested in
    ("subtransactions", "transaction_id"),
    ("scheduled_subtransactions", "scheduled_transaction_id"),
]
NULLABLE = [name for name, example in EXAMPLES.items() if example.nullable]


def reversed_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reversed_lists(child) for key, child in value.items()}
    if isinstance(value, list):
        return [reversed_lists(child) for child in reversed(value)]
    return value


def known_by(row: Json) -> str:
    """The field that identifies a row for a person: its id, or a field that replaces it."""
    named = ("id", "month", "category_name", "category_group_name")
    return next(field for field in named if field in row)


def test_every_table_has_an_example() -> None:
    assert {*EXAMPLES} == {*TABLES}


def test_a_table_builds_the_frame_by_hand_and_leaves_the_answer(subtests: pytest.Subtests) -> None:
    for name, example in EXAMPLES.items():
        with subtests.test(name=name):
            payload = example.fresh()
            frame = TABLES[name].frame(payload)
            assert_frame_equal(frame, example.frame)
            assert frame.index.equals(pd.RangeIndex(len(frame)))
            assert payload == example.payload


def test_the_frame_does_not_depend_on_the_order_of_the_answer(subtests: pytest.Subtests) -> None:
    for name, example in EXAMPLES.items():
        with subtests.test(name=name):
            assert_frame_equal(TABLES[name].frame(reversed_lists(example.payload)), example.frame)


def test_an_empty_answer_gives_the_same_columns_and_dtypes(subtests: pytest.Subtests) -> None:
    for name, example in EXAMPLES.items():
        with subtests.test(name=name):
            frame = TABLES[name].frame(example.empty)
            assert len(frame) == 0
            assert_series_equal(frame.dtypes, example.frame.dtypes)


def test_a_missing_nullable_field_is_null_and_keeps_its_dtype(subtests: pytest.Subtests) -> None:
    for name in NULLABLE:
        with subtests.test(name=name):
            example = EXAMPLES[name]
            null, missing = example.fresh(), example.fresh()
            for row in example.rows(null):
                row.update(dict.fromkeys(example.nullable))
            for row in example.rows(missing):
                for field in example.nullable:
                    row.pop(field, None)
            found = TABLES[name].frame(null)
            assert_frame_equal(TABLES[name].frame(missing), found)
            assert_series_equal(found.dtypes, example.frame.dtypes)


def test_a_nullable_field_missing_from_one_row_leaves_the_others(subtests: pytest.Subtests) -> None:
    for name in NULLABLE:
        with subtests.test(name=name):
            example = EXAMPLES[name]
            payload = example.fresh()
            for row in example.rows(payload):
                for field in example.nullable:
                    if row.get(field) is None:
                        row.pop(field, None)
            assert_frame_equal(TABLES[name].frame(payload), example.frame)


def test_unknown_fields_are_ignored(subtests: pytest.Subtests) -> None:
    for name, example in EXAMPLES.items():
        with subtests.test(name=name):
            payload = example.fresh()
            payload["brand_new"] = {"nested": [1]}
            for row in example.rows(payload):
                row["brand_new"] = [{"nested": None}]
            assert_frame_equal(TABLES[name].frame(payload), example.frame)


@pytest.mark.parametrize(("change", "shown"), [
    (lambda row, field: row.pop(field), "None"),
    (lambda row, field: row.update({field: None}), "None"),
    (lambda row, field: row.update({field: {"an": "object"}}), "{'an': 'object'}"),
], ids=["absent", "null", "an object"])  # fmt: skip
def test_an_unusable_value_is_missing_or_false_in_its_row_with_one_warning(
    subtests: pytest.Subtests, change: Callable[[Json, str], object], shown: str
) -> None:
    for name, field in (each for each in REQUIRED if each not in NESTED):
        with subtests.test(name=name, field=field):
            example = EXAMPLES[name]
            payload = example.fresh()
            row = example.rows(payload)[0]
            label = "" if field == known_by(row) else repr(row[known_by(row)])
            change(row, field)
            message = rf"1 of \d rows have no usable .*{label}"
            with pytest.warns(RuntimeWarning, match=message) as caught:
                frame = TABLES[name].frame(payload)
            assert len(caught) == 1
            text = str(caught[0].message)
            assert f" {field}={shown}, which is not " in text
            assert_series_equal(frame.dtypes, example.frame.dtypes)
            assert len(frame) == len(example.frame)
            lacking = int(frame.isna().sum().sum()) - int(example.frame.isna().sum().sum())
            assert lacking == (0 if "has False there" in text else 1)


# Columns: first what people read, then the rest, then the keys


def is_key(column: str) -> bool:
    return column.endswith("_id")


def test_a_table_ends_with_its_keys(subtests: pytest.Subtests) -> None:
    columns_of = {name: table.columns for name, table in TABLES.items()} | {"ledger": LEDGER}
    for name, columns in columns_of.items():
        with subtests.test(name=name):
            names = [column.name for column in columns]
            assert names == sorted(names, key=is_key)  # a stable sort


def test_a_report_ends_with_its_keys(subtests: pytest.Subtests) -> None:
    bf = BudgetFrame.sandbox(untouched(1))
    reports: dict[str, Report] = {
        name: getattr(bf.reports, name)() for name in dir(bf.reports) if not name.startswith("_")
    }
    reports |= {
        f"spending by {by}": bf.reports.spending(by)
        for by in ("group", "payee", "account", "flag", "hashtag")
    }
    reports["same_period by category"] = bf.reports.same_period("category")
    for name, report in {**reports, "reconcile": bf.reconcile()}.items():
        with subtests.test(name=name):
            columns = list(report.columns)
            assert columns == sorted(columns, key=is_key)
            assert not is_key(columns[0])
