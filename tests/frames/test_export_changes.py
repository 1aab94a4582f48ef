"""Frames that are updated from two exports equal newly built frames."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pandas.testing import assert_frame_equal

from budgetframe import ServiceAPIError
from budgetframe._cache.merge import merge_under
from budgetframe.frames import TABLES
from budgetframe.frames.export import as_lists, changed_rows
from tests.facade.service import EMPTY_EXPORT
from tests.frames.columns import Json

COUNT = 300
KEYS = ("k0", "k1", "k2")


def row(number: int, **more: Any) -> Json:
    made: Json = (
        {"id": f"t{number:03}", "date": f"2026-01-{number % 28 + 1:02}", "amount": -float(number)}
        | dict.fromkeys(("account_id", "payee_id", "category_id"), KEYS[number % 2])
        | {"cleared": "cleared", "approved": True, "deleted": False}
    )
    return made | more


def part(number: int, of: str, **more: Any) -> Json:
    made = {"id": f"{of}-{number}", "transaction_id": of, "amount": -1.0, "deleted": False}
    return made | {"payee_id": None, "category_id": KEYS[number % 2]} | more


def export() -> Json:
    """An export; only the transaction 5 has the last account, payee and category."""
    named = [{"id": key, "name": key.upper(), "deleted": False} for key in KEYS]
    rows = [row(number) for number in range(COUNT)]
    rows[5] |= {"account_id": "k2", "payee_id": "k2", "category_id": "k2"}
    return {
        **EMPTY_EXPORT, "accounts": named, "payees": named,
        "category_groups": [{"id": "g", "name": "G", "deleted": False}],
        "categories": [each | {"category_group_id": "g"} for each in named],
        "months": [{"month": month, "income": 1.0, "categories": [{"id": key} for key in KEYS]}
                   for month in ("2026-01-01", "2026-02-01")],
        "transactions": rows,
        "subtransactions": [part(n, f"t{number:03}") for number in (0, 40, 80) for n in range(2)],
    }  # fmt: skip


BEFORE = {"budget": export()}


def merged(**changes: Any) -> Json:
    """The export after a delta."""
    return merge_under("b:export", BEFORE, {"budget": changes}, {})


def patched(after: Json) -> dict[str, Any]:
    """The updated frames; a missing one was not updated."""
    frames = {}
    for name in ("transactions", "subtransactions"):
        older = TABLES[name].frame(as_lists(BEFORE["budget"]))
        changes = changed_rows(BEFORE["budget"], after["budget"])
        assert changes is not None
        found = TABLES[name].patch(older, *changes, count=COUNT)
        if found is not None:
            frames[name] = found
    return frames


def assert_equal_to_new(frames: dict[str, Any], after: Json) -> None:
    for name, frame in frames.items():
        assert_frame_equal(frame, TABLES[name].frame(as_lists(after["budget"])))


def updated(after: Json) -> dict[str, Any]:
    """The updated frames, which equal new ones."""
    frames = patched(after)
    assert_equal_to_new(frames, after)
    return frames


# Each kind of change


def test_a_changed_row_has_the_names_of_its_keys() -> None:
    frame = updated(merged(transactions=[row(7, memo="changed", payee_id="k2")]))["transactions"]
    changed = frame[frame["memo"] == "changed"]
    assert changed[["transaction_id", "payee_name"]].to_numpy().tolist() == [["t007", "K2"]]


def test_a_renamed_payee_account_and_category_has_its_new_name_in_all_rows() -> None:
    for listed, column in (
        ("payees", "payee_name"), ("accounts", "account_name"), ("categories", "category_name"),
    ):  # fmt: skip
        renamed = {"id": "k2", "name": "New", "category_group_id": "g", "deleted": False}
        frame = updated(merged(**{listed: [renamed]}))["transactions"]
        assert frame.loc[frame[column] == "New", "transaction_id"].tolist() == ["t005"], listed


def test_a_deleted_payee_is_not_listed_any_more() -> None:
    frame = updated(merged(payees=[{"id": "k2", "deleted": True}]))["transactions"]
    assert frame.loc[frame["payee_name"] == "Not listed", "transaction_id"].tolist() == ["t005"]


def test_a_part_that_changes_alone_is_replaced() -> None:
    frame = updated(merged(subtransactions=[part(1, "t040", amount=-7.0)]))["subtransactions"]
    assert frame.loc[frame["transaction_id"] == "t040", "amount"].tolist() == [-1.0, -7.0]


def test_the_parts_of_a_deleted_transaction_are_deleted_with_it() -> None:
    after = merged(transactions=[row(40, deleted=True)])
    assert [each["id"] for each in after["budget"]["subtransactions"]] == [
        "t000-0", "t000-1", "t080-0", "t080-1",
    ]  # fmt: skip
    assert len(updated(after)["subtransactions"]) == 4


def test_the_categories_of_a_deleted_group_are_deleted_unless_they_moved() -> None:
    moved = {"id": "k1", "name": "K1", "category_group_id": "h", "deleted": False}
    after = merged(
        category_groups=[{"id": "g", "deleted": True}, {"id": "h", "name": "H", "deleted": False}],
        categories=[moved],
    )["budget"]
    assert [each["id"] for each in after["category_groups"]] == ["h"]
    assert after["categories"] == [moved]
    assert [[each["id"] for each in month["categories"]] for month in after["months"]] == [
        ["k1"], ["k1"],
    ]  # fmt: skip


def test_a_month_keeps_the_categories_that_a_delta_does_not_contain() -> None:
    changed = {"month": "2026-02-01", "income": 2.0, "categories": [{"id": "k1", "budgeted": 5.0}]}
    january, february = merged(months=[changed])["budget"]["months"]
    assert january is BEFORE["budget"]["months"][0]
    assert february == {
        "month": "2026-02-01", "income": 2.0,
        "categories": [{"id": "k0"}, {"id": "k1", "budgeted": 5.0}, {"id": "k2"}],
    }  # fmt: skip


def test_a_delta_without_changes_returns_the_same_export() -> None:
    assert merged(transactions=[], months=[]) is BEFORE


def test_other_keys_are_merged_by_the_rule_of_lists() -> None:
    after = merge_under("b:payees", BEFORE, {"budget": {"name": "x"}}, {})
    assert after == {"budget": {"name": "x"}}


# Random changes


@st.composite
def deltas(draw: st.DrawFn) -> Json:
    """A delta with a few random changes."""
    changes: dict[str, list[Json]] = {name: [] for name in ("transactions", "subtransactions")}
    for _ in range(draw(st.integers(0, 4))):
        number = draw(st.sampled_from((0, 5, 7, 40, COUNT)))
        keys = {
            f"{of}_id": draw(st.sampled_from((*KEYS, "new", None))) for of in ("payee", "category")
        }
        match draw(st.sampled_from(["row", "delete", "part", "split", "rename", "new name"])):
            case "row":
                day = draw(st.sampled_from(("2025-12-31", "2026-01-07")))
                changes["transactions"].append(row(number, date=day, **keys))
            case "delete":
                changes["transactions"].append(row(number, deleted=True))
            case "part":
                changes["subtransactions"].append(part(1, "t040", **keys))
            case "split":
                changes["transactions"].append(row(7, category_id=None))
                changes["subtransactions"] += [part(n, "t007", **keys) for n in range(2)]
            case name:
                key = "k2" if name == "rename" else "new"
                listed = draw(st.sampled_from(("accounts", "payees", "categories")))
                is_deleted = draw(st.booleans())
                renamed = {"id": key, "name": "N", "category_group_id": "g", "deleted": is_deleted}
                changes.setdefault(listed, []).append(renamed)
    return {name: [*{each["id"]: each for each in rows}.values()] for name, rows in changes.items()}


@settings(max_examples=settings().max_examples // 3, deadline=None)
@given(deltas())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # parts without a transaction are left out
def test_an_updated_frame_of_an_export_equals_a_new_frame(changes: Json) -> None:
    after = merged(**changes)
    frames = patched(after)
    assert_equal_to_new(frames, after)
    assert frames.keys() in ({"transactions", "subtransactions"}, set())  # both or none


def test_irregular_keys_and_names_are_left_to_a_new_frame(subtests: pytest.Subtests) -> None:
    category = BEFORE["budget"]["categories"][0]
    for changes in (
        {"payees": [{"id": "k0", "name": ["K0"]}]},
        {"categories": [category | {"name": {"k": 0}}]},
        {"transactions": [row(5, payee_id=["k0"])]},
        {"transactions": [row(5, payee_id=["k0"])], "payees": [{"id": "k0", "name": "Z"}]},
        {"subtransactions": [part(0, "t000", transaction_id=["t000"])]},
    ):
        with subtests.test(changes=changes):
            assert changed_rows(BEFORE["budget"], merged(**changes)["budget"]) is None


def test_an_export_without_a_list_after_a_whole_one_is_an_error(subtests: pytest.Subtests) -> None:
    complete = BEFORE["budget"]
    for name in ("transactions", "subtransactions", "accounts", "payees", "categories"):
        for broken in (None, "text", ["text"]):
            with (
                subtests.test(value=(name, broken)),
                pytest.raises(ServiceAPIError, match=f"{name}: "),
            ):
                changed_rows(complete, complete | {name: broken})
