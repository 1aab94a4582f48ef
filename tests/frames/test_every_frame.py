"""Properties of every frame, checked on its hand-written example."""

from itertools import product
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from budgetframe import ServiceAPIError
from budgetframe.frames import TABLES
from tests.frames.columns import Json
from tests.frames.examples import EXAMPLES

REQUIRED = [(name, field) for name, example in EXAMPLES.items() for field in example.required]
AMOUNTS = [
    (name, field)
    for name, field in REQUIRED
    if field.endswith(("amount", "balance"))
    or field in ["activity", "allocation", "budgeted", "income", "spent", "to_be_budgeted"]
]
TEXTS = [(name, field) for name, field in REQUIRED if field.endswith(("name", "type", "y", "red"))]
KEPT = [*AMOUNTS, *(each for each in TEXTS if each not in AMOUNTS)]
NESTED = [  # a part belongs to the row that it is nested in
    ("subtransactions", "transaction_id"),
    ("scheduled_subtransactions", "scheduled_transaction_id"),
]
STRICT = [each for each in REQUIRED if each not in (*KEPT, *NESTED)]
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


def test_a_table_builds_the_frame_written_by_hand_and_leaves_the_answer_as_it_was(
    subtests: pytest.Subtests,
) -> None:
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


def test_a_missing_nullable_field_is_the_same_as_null_and_keeps_its_dtype(
    subtests: pytest.Subtests,
) -> None:
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


def test_a_nullable_field_missing_from_one_row_only_leaves_the_others(
    subtests: pytest.Subtests,
) -> None:
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


def test_a_missing_amount_or_name_is_missing_in_one_row_with_a_warning(
    subtests: pytest.Subtests,
) -> None:
    for (name, field), is_absent in product(KEPT, (False, True)):
        with subtests.test(name=name, field=field, is_absent=is_absent):
            example = EXAMPLES[name]
            payload = example.fresh()
            row = example.rows(payload)[0]
            shown = row[known_by(row)] if field != known_by(row) else "None"
            row[field] = None
            if is_absent:
                del row[field]
            message = rf"1 of \d rows have no usable .*{shown}"
            with pytest.warns(RuntimeWarning, match=message) as caught:
                frame = TABLES[name].frame(payload)
            assert len(caught) == 1
            assert f" {field}=None, which is not " in str(caught[0].message)
            assert len(frame) == len(example.frame)
            assert int(frame.isna().sum().sum()) == int(example.frame.isna().sum().sum()) + 1


def test_a_missing_key_date_or_flag_is_an_error_naming_row_and_field(
    subtests: pytest.Subtests,
) -> None:
    for (name, field), is_absent in product(STRICT, (False, True)):
        with subtests.test(name=name, field=field, is_absent=is_absent):
            example = EXAMPLES[name]
            payload = example.fresh()
            row = example.rows(payload)[0]
            shown = field if field == known_by(row) else row[known_by(row)]
            row[field] = None
            if is_absent:
                del row[field]
            with pytest.raises(ServiceAPIError) as caught:
                TABLES[name].frame(payload)
            assert field in caught.value.detail
            assert shown in caught.value.detail


def test_a_required_field_of_another_type_is_an_error_naming_the_field(
    subtests: pytest.Subtests,
) -> None:
    for name, field in STRICT + AMOUNTS:
        with subtests.test(name=name, field=field):
            example = EXAMPLES[name]
            payload = example.fresh()
            example.rows(payload)[0][field] = {"an": "object"}
            with pytest.raises(ServiceAPIError) as caught:
                TABLES[name].frame(payload)
            assert field in caught.value.detail
            assert caught.value.name == "invalid_response"
