"""The export of a budget has the same frames as the single lists, column for column."""

from copy import deepcopy

import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ServiceAPIError
from budgetframe.frames import TABLES
from budgetframe.frames.export import EXPORTED, as_lists
from tests.facade.service import EMPTY_EXPORT
from tests.frames.columns import Json

LISTS = (
    *("accounts", "payees", "payee_locations", "category_groups", "categories", "months"),
    *("transactions", "subtransactions", "scheduled_transactions", "scheduled_subtransactions"),
)

EXPORT: Json = {
    "id": "b1", "name": "Home",
    "accounts": [{"id": "a1", "name": "Checking"}, {"id": "a2", "name": "Savings"}],
    "payees": [{"id": "p1", "name": "Baker"}, {"id": "p2", "name": "Transfer : Savings"}],
    "category_groups": [{"id": "g1", "name": "Everyday", "hidden": False, "deleted": False},
        {"id": "g2", "name": "Empty", "hidden": False, "deleted": False}],
    "categories": [{"id": "c1", "name": "Food", "category_group_id": "g1"}],
    "months": [{"month": "2026-06-01", "categories": [{"id": "c1", "category_group_id": "g1"}]},
        {"month": "2026-05-01", "categories": []}],
    "transactions": [{"id": "t1", "account_id": "a1", "payee_id": "p1", "category_id": "c1"},
        {"id": "t2", "account_id": "a2", "payee_id": None, "category_id": None}],
    "subtransactions": [{"id": "s1", "transaction_id": "t2", "payee_id": "p2", "category_id": None},
        {"id": "s2", "transaction_id": "t2", "payee_id": None, "category_id": "c1"}],
    "scheduled_transactions": [{"id": "d1", "account_id": "a2", "date_next": None}],
    "scheduled_subtransactions": [],
}  # fmt: skip


def test_rows_of_an_export_get_names_and_are_put_where_they_belong() -> None:
    lists = as_lists(EXPORT)
    rows = lists["transactions"]
    names = [(row["account_name"], row["payee_name"], row["category_name"]) for row in rows]
    assert names == [("Checking", "Baker", "Food"), ("Savings", None, "Split")]
    parts = rows[1]["subtransactions"]
    names = [(part["id"], part["payee_name"], part["category_name"]) for part in parts]
    assert names == [("s1", "Transfer : Savings", None), ("s2", None, "Food")]
    groups = lists["category_groups"]
    assert [[row["id"] for row in group["categories"]] for group in groups] == [["c1"], []]
    assert lists["months"][0]["categories"][0]["category_group_name"] == "Everyday"


def test_what_an_export_does_not_list_is_kept_as_not_listed() -> None:
    amounts = {"budgeted": 0.0, "activity": 0.0, "balance": 0.0, "hidden": False}
    rent = {"id": "c1", "category_group_id": "gone", "name": "Rent", **amounts}
    row = {"amount": -5.0, "date": "2026-05-17", "cleared": "cleared", "approved": True}
    keys = {"account_id": "gone", "payee_id": "gone", "category_id": "gone"}
    lists = as_lists({
        **EMPTY_EXPORT,
        "categories": [rent],
        "months": [{"month": "2026-05-01", "categories": [rent]}],
        "transactions": [{"id": "t1", **row, **keys}],
    })  # fmt: skip
    with pytest.warns(RuntimeWarning, match="categories: 1 rows belong to a group .* 'gone'"):
        frames = {name: TABLES[name].frame(lists) for name in EXPORTED if name != "months"}
    for name in ("categories", "month_categories", "category_groups"):
        assert frames[name]["category_group_name"].tolist() == ["Not listed"], name
    assert frames["categories"]["category_name"].tolist() == ["Rent"]
    names = frames["transactions"][["account_name", "payee_name", "category_name"]]
    assert names.to_numpy().tolist() == [["Not listed", "Not listed", "Not listed"]]


def test_a_part_of_an_unlisted_transaction_is_left_out_with_a_warning() -> None:
    parts = [{"id": "s1", "transaction_id": "gone", "amount": -1.0}]
    lists = as_lists({**EMPTY_EXPORT, "subtransactions": parts})
    with pytest.warns(RuntimeWarning, match="subtransactions: 1 rows are left out.*first: 'gone'"):
        frame = TABLES["subtransactions"].frame(lists)
    assert len(frame) == 0


@pytest.mark.parametrize(("name", "value", "message"), [
    ("transactions", {"a": 1}, "the export has transactions={'a': 1}, which is not a list"),
    ("subtransactions", None, "the export has subtransactions=None, which is not a list"),
    ("accounts", [7], "accounts: element 0 of the list is 7, which is not an object"),
    ("months", [{"month": "2026-05-01", "categories": None}], "2026-05-01' has categories=None"),
])  # fmt: skip
def test_something_else_than_a_list_in_an_export_is_an_error_that_names_it(
    name: str, value: list[dict[str, str | None]] | list[int] | dict[str, int] | None, message: str
) -> None:
    table = "month_categories" if name == "months" else "transactions"
    with pytest.raises(ServiceAPIError, match=message):
        TABLES[table].frame(as_lists({**EMPTY_EXPORT, name: value}))


def test_the_export_is_not_modified() -> None:
    before = deepcopy(EXPORT)
    as_lists(EXPORT)
    assert before == EXPORT


@pytest.mark.parametrize(
    "name", [name for name in LISTS if name not in ("payee_locations", "scheduled_subtransactions")]
)
def test_an_export_without_one_of_its_lists_is_an_error_that_names_the_list(name: str) -> None:
    lists = as_lists({key: rows for key, rows in EXPORT.items() if key != name})
    with pytest.raises(ServiceAPIError) as caught:
        TABLES[name].frame(lists)
    assert caught.value.name == "invalid_response"
    assert caught.value.detail == (
        f"{name}: the export has no '{name}'. The service's answer is not what this version"
        " expects: try again, and if the error stays, update budgetframe"
    )


def test_an_export_of_earlier_years_may_lack_two_lists() -> None:
    lists = as_lists({**EMPTY_EXPORT, "id": "b1", "name": "Home"})
    assert "payee_locations" not in EMPTY_EXPORT
    assert "scheduled_subtransactions" not in EMPTY_EXPORT
    assert [len(TABLES[name].frame(lists)) for name in EXPORTED] == [0] * 11


def test_a_month_of_an_export_without_categories_is_an_error_that_names_the_month() -> None:
    amounts = {"income": 0.0, "budgeted": 0.0, "activity": 0.0, "to_be_budgeted": 0.0}
    lists = as_lists({**EMPTY_EXPORT, "months": [{"month": "2026-05-01", **amounts}]})
    with pytest.raises(ServiceAPIError, match="'2026-05-01' has categories=None, which is not a l"):
        TABLES["month_categories"].frame(lists)
    assert len(TABLES["months"].frame(lists)) == 1


@pytest.fixture(scope="module", params=["Household", "東京の家計"])
def budget(request: pytest.FixtureRequest) -> BudgetFrame:
    return BudgetFrame.sandbox(budget=request.param)


def test_the_export_has_the_frames_of_lists(budget: BudgetFrame, subtests: pytest.Subtests) -> None:
    export = budget.export()
    assert {*export} == {*LISTS, "month_categories"}
    assert all(len(export[name]) > 5 for name in ("transactions", "accounts", "months"))
    for name in LISTS:
        with subtests.test(name=name):
            assert_frame_equal(export[name], getattr(budget, name)())
