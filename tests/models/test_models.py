"""Every record of the service, field by field."""

from itertools import chain

import pytest
from pydantic import ValidationError

from budgetframe import models
from budgetframe._resources import AMOUNTS as AMOUNTS_OF_ROWS, RECORD_AMOUNTS

from .shapes import DATA, ID, SHAPES, dumped, full, model, resembles

AMOUNTS = sorted({*chain(*AMOUNTS_OF_ROWS.values(), *RECORD_AMOUNTS.values())})
WITH_DEFAULT = ("deleted", "account_name", "subtransactions", *AMOUNTS)
REQUIRED = [
    (name, field) for name, shape in SHAPES.items() for field in shape.required
    if field not in WITH_DEFAULT
]  # fmt: skip
NULLABLE = [
    (name, field) for name, shape in SHAPES.items() for field in shape.nullable
    if field != "goal_target_date"
]  # fmt: skip


def test_every_model_of_a_record_or_of_a_data_object_has_an_example() -> None:
    elsewhere = {"BudgetDetail", "CurrencyFormat", "DateFormat", "Settings", "TransactionSummary"}
    elsewhere |= {"ScheduledTransactionSummary", "BatchTransactionResponseData"}
    names = {name for name in models.__all__ if not name.endswith("Response")} | {"UserResponse"}
    assert names == {*SHAPES, *DATA} | elsewhere


def test_fields_that_old_answers_lack_may_be_missing() -> None:
    for name, field, expected in [
        ("TransactionDetail", "account_name", "None"),
        ("ScheduledTransactionDetail", "account_name", "None"),
        ("TransactionDetail", "deleted", "False"),
        ("Payee", "deleted", "False"),
        ("TransactionDetail", "subtransactions", "[]"),
        ("ScheduledTransactionDetail", "subtransactions", "[]"),
    ]:
        record = {key: value for key, value in full(name).items() if key != field}
        found = getattr(model(name).model_validate(record), field)
        assert str(found) == expected, (name, field)


def test_a_missing_amount_is_nan() -> None:
    cases = [
        (name, field) for name, shape in SHAPES.items() for field in AMOUNTS if field in shape.full
    ]
    assert {field for _, field in cases} == {*AMOUNTS}
    for name, field in cases:
        absent = {key: value for key, value in full(name).items() if key != field}
        for record in (absent, {**full(name), field: None}):
            assert str(getattr(model(name).model_validate(record), field)) == "nan", (name, field)


def test_null_in_place_of_the_parts_is_an_empty_list() -> None:
    for name in ("TransactionDetail", "ScheduledTransactionDetail"):
        record = model(name).model_validate({**full(name), "subtransactions": None})
        assert record.model_dump()["subtransactions"] == []


def test_a_part_has_the_key_of_the_transaction_that_it_is_nested_in() -> None:
    for name, key in [
        ("TransactionDetail", "transaction_id"),
        ("ScheduledTransactionDetail", "scheduled_transaction_id"),
    ]:
        row = full(name)
        row["subtransactions"] = [{"id": "s1", key: "another"}, {"id": "s2"}]
        parts = model(name).model_validate(row).model_dump()["subtransactions"]
        assert [part[key] for part in parts] == [ID, ID]
        assert row["subtransactions"] == [{"id": "s1", key: "another"}, {"id": "s2"}]


def test_the_day_of_a_goal_is_its_month_in_answers_of_earlier_years() -> None:
    for day, month, expected in [
        (None, "2026-12-01", "2026-12-01"), ("2026-12-24", "2026-12-01", "2026-12-24"),
        (None, None, None),
    ]:  # fmt: skip
        row = {**full("Category"), "goal_target_date": day, "goal_target_month": month}
        assert models.Category.model_validate(row).goal_target_date == expected
    row = {**full("Category"), "goal_target_month": "2026-12-01"}
    del row["goal_target_date"]
    assert models.Category.model_validate(row).goal_target_date == "2026-12-01"


def test_a_fraction_of_a_per_cent_is_rounded_down() -> None:
    record = {**full("Category"), "goal_percentage_complete": 99.9}
    assert models.Category.model_validate(record).goal_percentage_complete == 99


def test_field_keeps_its_value_and_type(subtests: pytest.Subtests) -> None:
    for name, field in REQUIRED + NULLABLE:
        with subtests.test(name=name, field=field):
            record = model(name).model_validate(full(name))
            assert resembles(dumped(getattr(record, field)), full(name)[field])


def test_record_survives_a_round_trip(subtests: pytest.Subtests) -> None:
    for name in SHAPES:
        with subtests.test(name=name):
            record = model(name).model_validate(full(name))
            assert model(name).model_validate(record.model_dump()) == record
            assert model(name).model_validate_json(record.model_dump_json()) == record


def test_required_field_may_be_neither_missing_nor_null(subtests: pytest.Subtests) -> None:
    for name, field in REQUIRED:
        with subtests.test(name=name, field=field):
            record = {key: value for key, value in full(name).items() if key != field}
            for given in (record, {**record, field: None}):
                with pytest.raises(ValidationError):
                    model(name).model_validate(given)


def test_nullable_field_may_be_null_or_missing(subtests: pytest.Subtests) -> None:
    for name, field in NULLABLE:
        with subtests.test(name=name, field=field):
            record = {key: value for key, value in full(name).items() if key != field}
            for given in (record, {**record, field: None}):
                assert getattr(model(name).model_validate(given), field) is None


def test_unknown_fields_are_ignored(subtests: pytest.Subtests) -> None:
    for name in SHAPES:
        with subtests.test(name=name):
            extra = {"balance_formatted": "$1.00", "brand_new": {"a": [1]}}
            record = model(name).model_validate({**full(name), **extra})
            assert not {"balance_formatted", "brand_new"} & set(record.model_dump())


@pytest.mark.parametrize(
    "name", ["CategoryGroupWithCategories", "TransactionDetail", "MonthDetail"]
)
def test_unknown_fields_of_nested_records_are_ignored(name: str) -> None:
    record = full(name)
    key = "subtransactions" if name == "TransactionDetail" else "categories"
    nested = {**record, key: [{**record[key][0], "brand_new": 1}]}
    assert "brand_new" not in model(name).model_validate(nested).model_dump()[key][0]


@pytest.mark.parametrize(("name", "field"), [
    ("TransactionDetail", "subtransactions"), ("CategoryGroupWithCategories", "categories"),
])  # fmt: skip
def test_invalid_nested_record_is_an_error(name: str, field: str) -> None:
    with pytest.raises(ValidationError):
        model(name).model_validate({**full(name), field: [{"amount": 1.0}]})


@pytest.mark.parametrize(
    ("text", "number"), [("52.379189", 52.379189), ("-4.899431", -4.899431), ("0.0", 0.0)]
)
def test_latitude_as_text_becomes_a_float(text: str, number: float) -> None:
    row = {**full("PayeeLocation"), "latitude": text, "longitude": text}
    place = models.PayeeLocation.model_validate(row)
    assert (place.latitude, place.longitude) == (number, number)


@pytest.mark.parametrize(("name", "field", "value"), [
    ("Account", "type", "spaceship"), ("Account", "type", "creditCard"),
    ("Category", "goal_type", "WISH"),
    ("TransactionDetail", "cleared", "pending"),
    ("TransactionDetail", "flag_color", ""),
    ("TransactionDetail", "flag_color", "mauve"),
    ("TransactionDetail", "debt_transaction_type", "gift"),
    ("ScheduledTransactionDetail", "frequency", "everyFullMoon"),
    ("ScheduledTransactionDetail", "flag_color", "mauve"),
])  # fmt: skip
def test_unknown_value_of_a_vocabulary_is_kept(name: str, field: str, value: str) -> None:
    record = model(name).model_validate({**full(name), field: value})
    assert getattr(record, field) == value


def test_id_that_is_not_a_plain_uuid_is_kept() -> None:
    row = {**full("TransactionDetail"), "id": f"{ID}_2026-06-01"}
    assert models.TransactionDetail.model_validate(row).id == f"{ID}_2026-06-01"


@pytest.mark.parametrize(("raw", "dollars"), [
    (250_000, 250.0), (1, 0.001), (-1_230, -1.23), (0, 0.0), (250.5, 250.5), (250_000.0, 250e3),
])  # fmt: skip
def test_overall_funding_of_integers_is_in_milliunits(raw: float, dollars: float) -> None:
    row = {**full("Category"), "goal_overall_funded": raw}
    assert models.Category.model_validate(row).goal_overall_funded == dollars


def test_overall_funding_is_converted_once_through_a_round_trip() -> None:
    first = models.Category.model_validate({**full("Category"), "goal_overall_funded": 250_000})
    again = models.Category.model_validate_json(first.model_dump_json())
    assert again.goal_overall_funded == 250.0


@pytest.mark.parametrize("holder", ["CategoryGroupWithCategories", "MonthDetail"])
def test_overall_funding_of_a_nested_category_is_in_currency_units(holder: str) -> None:
    row = {**full("Category"), "goal_overall_funded": 250_000}
    record = model(holder).model_validate({**full(holder), "categories": [row]})
    assert record.model_dump()["categories"][0]["goal_overall_funded"] == 250.0


def test_models_do_not_change_their_input() -> None:
    row = {**full("Category"), "goal_overall_funded": 250_000}
    models.Category.model_validate(row)
    assert row["goal_overall_funded"] == 250_000
