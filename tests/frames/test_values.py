"""Single values: kept, converted or rejected."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from budgetframe import ServiceAPIError
from budgetframe.frames import TABLES
from budgetframe.frames.tables import table_for
from tests.frames.columns import Json
from tests.frames.examples import EXAMPLES


def only(name: str, position: int = 0) -> tuple[Json, Json]:
    """An answer, and one of its rows that a test may change."""
    example = EXAMPLES[name]
    payload = example.fresh()
    return payload, example.rows(payload)[position]


def cell(name: str, payload: Json, key: str, row: str, column: str) -> Any:
    frame = TABLES[name].frame(payload).set_index(key)
    return frame.loc[row, column]


# Vocabularies: a value this version does not know must not break a load


@pytest.mark.parametrize(("name", "field", "column"), [
    ("accounts", "type", "account_type"),
    ("categories", "goal_type", "goal_type"),
    ("transactions", "cleared", "cleared"),
    ("transactions", "flag_color", "flag_color"),
    ("transactions", "debt_transaction_type", "debt_transaction_type"),
    ("scheduled_transactions", "frequency", "frequency"),
    ("scheduled_transactions", "flag_color", "flag_color"),
])  # fmt: skip
def test_an_unknown_value_of_a_vocabulary_is_kept(name: str, field: str, column: str) -> None:
    payload, row = only(name)
    row[field] = "invented tomorrow"
    frame = TABLES[name].frame(payload)
    assert "invented tomorrow" in frame[column].tolist()


def test_an_empty_flag_color_is_missing() -> None:
    payload, row = only("transactions")
    row["flag_color"] = ""
    frame = TABLES["transactions"].frame(payload)
    assert frame["flag_color"].isna().tolist() == [True, True, True]


def test_known_values_stay_categories_if_one_value_is_unknown() -> None:
    payload, row = only("transactions")
    row["cleared"] = "disputed"
    categories = TABLES["transactions"].frame(payload)["cleared"].cat.categories.tolist()
    assert categories == ["uncleared", "cleared", "reconciled", "disputed"]


# Money


@pytest.mark.parametrize(("name", "stated", "expected"), [
    ("categories", 125_010, 125.01), ("categories", 125_010.0, 125_010.0),
    ("month", -1, -0.001), ("month_categories", -1, -0.001),
])  # fmt: skip
def test_goal_overall_funded_is_milliunits_as_integer_and_currency_units_as_float(
    name: str, stated: float, expected: float
) -> None:
    payload, row = only(name)
    row["goal_overall_funded"] = stated
    assert cell(name, payload, "category_id", "c2", "goal_overall_funded") == expected


# Dates


def test_days_far_in_the_past_or_future_are_kept() -> None:
    payload, row = only("transactions", 3)
    row["date"] = "0999-12-31"
    frame = TABLES["transactions"].frame(payload)
    assert frame["date"].iloc[0] == pd.Timestamp("0999-12-31")


@pytest.mark.parametrize(
    "written", ["2026-02-30", "17.05.2026", "2026-05", "", "2026-05-17T10:00:00Z", 20_260_517, True]
)
def test_an_invalid_date_is_missing_with_a_warning_naming_row_and_field(written: object) -> None:
    payload, row = only("transactions")
    row["date"] = written
    with pytest.warns(RuntimeWarning, match=r"'t3' has date=") as caught:
        frame = TABLES["transactions"].frame(payload)
    assert len(caught) == 1
    assert frame["transaction_id"].tolist()[-1] == "t3"  # missing days come last
    assert frame["date"].isna().tolist() == [False, False, True]


def test_the_deprecated_month_of_a_goal_is_its_date_if_there_is_no_other() -> None:
    cases: list[tuple[Json, str]] = [
        ({"goal_target_date": "2027-12-24", "goal_target_month": "2027-12-01"}, "2027-12-24"),
        ({"goal_target_date": "2027-12-24", "goal_target_month": None}, "2027-12-24"),
        ({"goal_target_date": None, "goal_target_month": "2027-12-01"}, "2027-12-01"),
        ({"goal_target_month": "2027-12-01"}, "2027-12-01"),
        ({}, "NaT"),
    ]
    for fields, expected in cases:
        payload, row = only("categories")
        del row["goal_target_date"]
        row.pop("goal_target_month")
        row.update(fields)
        found = cell("categories", payload, "category_id", "c2", "goal_target_date")
        assert str(found).partition(" ")[0] == expected, fields


# Wrong types that Python would accept


@pytest.mark.parametrize(("name", "field", "value"), [
    ("accounts", "closed", 1), ("accounts", "closed", "false"), ("transactions", "approved", "yes"),
])  # fmt: skip
def test_a_flag_of_another_type_is_false_and_warns(name: str, field: str, value: object) -> None:
    payload, row = only(name)
    row[field] = value
    with pytest.warns(RuntimeWarning, match=f"{field}={value!r}, which is not .* has False there"):
        frame = TABLES[name].frame(payload)
    assert not frame.set_index(frame.columns[frame.eq(row["id"]).any()][0]).loc[row["id"], field]


@pytest.mark.parametrize(("name", "field", "column", "value"), [
    ("accounts", "name", "account_name", 7),
    ("accounts", "balance", "balance", "12.50"),
    ("accounts", "balance", "balance", True),
    ("accounts", "balance", "balance", float("inf")),
    ("transactions", "amount", "amount", False),
    ("transactions", "payee_id", "payee_id", 7),
    ("categories", "goal_target", "goal_target", "12"),
    ("categories", "goal_day", "goal_day", 2**63),
    ("months", "age_of_money", "age_of_money", 2**64 - 1),
    ("categories", "goal_percentage_complete", "goal_percentage_complete", "12"),
    ("categories", "goal_percentage_complete", "goal_percentage_complete", 2**70),
    ("categories", "goal_months_to_budget", "goal_months_to_budget", 1.5),
    ("months", "age_of_money", "age_of_money", True),
    ("transactions", "memo", "memo", 12),
    ("transactions", "flag_color", "flag_color", 3),
    ("payee_locations", "latitude", "latitude", "north"),
])  # fmt: skip
def test_a_value_of_another_type_is_missing_with_a_warning(
    name: str, field: str, column: str, value: object
) -> None:
    payload, row = only(name)
    row[field] = value
    message = f"has {field}={value!r}, which is not"
    with pytest.warns(RuntimeWarning, match=message) as caught:
        frame = TABLES[name].frame(payload)
    key = next(each for each in TABLES[name].columns if each.source in ("id", "month"))
    is_odd = frame[key.name] == row[key.source]
    assert is_odd.sum() == 1
    assert frame.loc[is_odd, column].isna().all()
    assert len(frame) == len(EXAMPLES[name].frame)
    assert len(caught) == 1


def test_a_fraction_of_a_per_cent_is_rounded_down() -> None:
    for value, expected in [(33.3, 33), (99.9, 99), (100.0, 100)]:
        payload, row = only("categories")
        row["goal_percentage_complete"] = value
        assert (
            cell("categories", payload, "category_id", "c2", "goal_percentage_complete") == expected
        )


@pytest.mark.parametrize(("name", "answer", "message"), [
    ("category_groups", {"category_groups": {"a": 1}}, r"groups={'a': 1}, .* not a list"),
    ("categories", {"category_groups": {"a": 1}}, r"category_groups={'a': 1}, .* not a list"),
    ("subtransactions", {"transactions": {"a": 1}}, r"transactions={'a': 1}, .* not a list"),
    ("subtransactions", {"transactions": None}, r"transactions=None, .* not a list"),
    ("scheduled_subtransactions", {"scheduled_transactions": {"a": 1}},
     r"scheduled_transactions={'a': 1}, which is not a list"),
    ("accounts", {}, "the answer has no 'accounts'"),
    ("month", {"month": []}, r"month=\[\], which is not an object"),
    ("categories", {"category_groups": [{"id": "g1", "name": "Home", "categories": None}]},
     "row 'g1' has categories=None, which is not a list"),
    ("payees", {"payees": [{"id": "p1", "name": "A"}, 7]}, "element 1 of the list is 7"),
])  # fmt: skip
def test_an_answer_with_something_else_than_a_list_is_an_error_that_names_it(
    name: str, answer: Json, message: str
) -> None:
    with pytest.raises(ServiceAPIError, match=message) as caught:
        TABLES[name].frame(answer)
    assert caught.value.name == "invalid_response"


# Rows that occur twice


@pytest.mark.parametrize(("name", "key", "field", "column"), [
    ("payees", "payee_id", "name", "payee_name"),
    ("accounts", "account_id", "name", "account_name"),
    ("transactions", "transaction_id", "memo", "memo"),
])  # fmt: skip
def test_the_last_row_with_a_key_counts(name: str, key: str, field: str, column: str) -> None:
    payload, first = only(name)
    payload[name].append({**first, field: "second"})
    message = f"{name}: 1 of 4 rows occur twice .*first: '{first['id']}'"
    with pytest.warns(RuntimeWarning, match=message) as caught:
        frame = TABLES[name].frame(payload)
    assert len(caught) == 1
    assert len(frame) == 3
    assert frame.loc[frame[key] == first["id"], column].tolist() == ["second"]


def test_the_parts_of_an_outdated_version_of_a_split_do_not_count() -> None:
    payload, row = only("transactions")
    parts = [{**row["subtransactions"][0], "id": "new"}]
    payload["transactions"].append({**row, "subtransactions": parts})
    with pytest.warns(RuntimeWarning, match="transactions: 1 of 4 rows occur twice"):
        frame = TABLES["subtransactions"].frame(payload)
    assert frame["subtransaction_id"].tolist() == ["new"]


def test_a_category_counts_once_in_each_month() -> None:
    payload = EXAMPLES["month_categories"].fresh()
    june, may, *_ = payload["months"]
    (category, *_) = may["categories"]
    june["categories"].append(category)  # in another month it is another row
    may["categories"].append({**category, "balance": 7.25})
    with pytest.warns(RuntimeWarning, match="month_categories: 1 of 5 rows occur twice"):
        frame = TABLES["month_categories"].frame(payload)
    assert len(frame) == 4
    assert frame["balance"].tolist().count(7.25) == 1


# Deleted rows


@pytest.mark.parametrize(("name", "listed", "position", "left"), [
    ("subtransactions", "transactions", 0, []),
    ("scheduled_subtransactions", "scheduled_transactions", 3, []),
    ("categories", "category_groups", 0, ["Rent", "Repairs"]),
    ("month_categories", "months", 0, ["Repairs"]),
])  # fmt: skip
def test_what_is_nested_in_a_deleted_row_is_left_out(
    name: str, listed: str, position: int, left: list[str]
) -> None:
    payload = EXAMPLES[name].fresh()
    payload[listed][position]["deleted"] = True
    assert TABLES[name].frame(payload)["category_name"].tolist() == left


# Two shapes of money movements


@pytest.mark.parametrize(("example", "asked"), [
    ("money_movements", "money_movements"),
    ("money_movement_records", "money_movements"),
    ("money_movement_groups", "money_movement_groups"),
    ("money_movement_group_records", "money_movement_groups"),
])  # fmt: skip
def test_the_shape_of_money_movements_is_recognised_by_its_keys(example: str, asked: str) -> None:
    assert table_for(asked, EXAMPLES[example].fresh()).name == example


@pytest.mark.parametrize("name", ["money_movements", "money_movement_groups"])
def test_an_empty_list_of_money_movements_has_the_specified_columns(name: str) -> None:
    assert table_for(name, {name: []}).name == name


def test_rows_with_equal_names_have_a_fixed_order() -> None:
    def total(spent: float) -> Json:
        names = {"category_name": "Repairs", "category_group_name": "Home"}
        return {**names, "allocation": 5.0, "spent": spent, "income": 0.0}

    table = TABLES["money_movements"]
    one_way = table.frame({"money_movements": [total(1.0), total(2.0)]})
    other_way = table.frame({"money_movements": [total(2.0), total(1.0)]})
    assert one_way["spent"].tolist() == other_way["spent"].tolist()


# Deleted rows in a list of changes


def test_a_category_moved_to_another_group_is_not_deleted() -> None:
    payload, category = only("categories")
    old, new = payload["category_groups"][0], payload["category_groups"][2]
    moved = {
        "category_groups": [{**old, "categories": [{**category, "deleted": True}]},
            {**new, "categories": [category]}]
    }  # fmt: skip
    there = {"category_groups": [{**new, "categories": [category]}]}
    both = TABLES["categories"].add_deleted(there, moved)
    frame = TABLES["categories"].frame(both, include_deleted=True)
    assert frame["category_id"].tolist() == [category["id"]]
    assert frame["category_group_name"].tolist() == [new["name"]]
    assert frame["deleted"].tolist() == [False]


# Parts


@pytest.mark.parametrize("change", [
    lambda row: row.update(subtransactions=None),
    lambda row: row.pop("subtransactions"),
    lambda row: [part.update(deleted=True) for part in row["subtransactions"]],
], ids=["null", "absent", "only deleted parts"])  # fmt: skip
def test_a_missing_list_of_parts_equals_an_empty_list(change: Callable[[Json], object]) -> None:
    payload, row = only("transactions")
    change(row)
    without, same = only("transactions")
    same["subtransactions"] = []
    for name in ("transactions", "subtransactions"):
        assert TABLES[name].frame(payload).equals(TABLES[name].frame(without))
    assert not TABLES["transactions"].frame(payload)["is_split"].any()


def test_parts_of_another_type_are_an_error_naming_row_and_field() -> None:
    payload, row = only("transactions")
    row["subtransactions"] = 7
    for name in ("transactions", "subtransactions"):
        with pytest.raises(ServiceAPIError, match=r"'t\d' has subtransactions=7, .* not a list"):
            TABLES[name].frame(payload)


def test_an_amount_too_large_for_a_float_is_missing_with_a_warning() -> None:
    payload, row = only("categories")
    row["goal_overall_funded"] = 10**400
    with pytest.warns(RuntimeWarning, match="'c2' has goal_overall_funded=1000"):
        assert pd.isna(cell("categories", payload, "category_id", "c2", "goal_overall_funded"))
