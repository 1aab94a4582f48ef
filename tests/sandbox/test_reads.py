"""Responses to GET requests, for both path spellings."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import Ids, get, read

BUDGETS, PLANS = "/budgets/last-used", "/plans/last-used"
SUMS = {"category_group_name", "allocation", "spent", "income"}


OTHER_FIELDS = {"goal_target_month", "goal_target_date"}
"""A test of their own compares these fields."""


def without_display_fields(node: Any) -> Any:
    """The same data without the fields that only rows under ``/plans`` have."""
    if isinstance(node, list):
        return [without_display_fields(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        name: without_display_fields(value)
        for name, value in node.items()
        if not name.endswith(("_formatted", "_currency")) and name not in OTHER_FIELDS
    }


def test_the_user_has_an_id(shared: Sandbox) -> None:
    assert get(shared, "/user") == {"user": {"id": shared.user_id}}


@pytest.mark.parametrize(
    ("spelling", "default"), [("budgets", "default_budget"), ("plans", "default_plan")]
)
def test_the_list_of_budgets(shared: Sandbox, spelling: str, default: str) -> None:
    data = get(shared, f"/{spelling}")
    assert set(data) == {spelling, default}
    assert data[default] is None
    assert "accounts" not in data[spelling][0]
    with_accounts = get(shared, f"/{spelling}", include_accounts="true")[spelling]
    assert [len(row["accounts"]) for row in with_accounts] == [7, 7]


@pytest.mark.parametrize("path", [
    *("accounts", "categories", "transactions"),
    *("scheduled_transactions", "months", "months/2026-05-01"),
])  # fmt: skip
def test_budgets_have_the_rows_of_plans_without_display_fields(shared: Sandbox, path: str) -> None:
    """The tests of the official client compare the names of the fields under ``/plans``."""
    below, plans = get(shared, f"{BUDGETS}/{path}"), get(shared, f"{PLANS}/{path}")
    assert below.keys() == plans.keys()
    assert "_formatted" not in str(below)
    assert without_display_fields(below) == without_display_fields(plans)


def test_display_fields_use_the_currency_format_of_the_budget(shared: Sandbox) -> None:
    found = []
    for plan in get(shared, "/plans")["plans"]:
        rows = get(shared, f"/plans/{plan['id']}/accounts")["accounts"]
        loan = next(row for row in rows if row["type"] == "autoLoan")
        found.append((loan["balance"], loan["balance_formatted"], loan["balance_currency"]))
    assert found == [
        (-1_468_000, "-1.468,00€", -1468.0), (-1_278_386_000, "-¥1,278,386", -1_278_386.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("path", "key"), [(BUDGETS, "budget"), (PLANS, "plan")])
def test_the_export_has_flat_rows_without_names_and_display_fields(
    shared: Sandbox, path: str, key: str
) -> None:
    data = get(shared, path)
    assert set(data) == {key, "server_knowledge"}
    whole = data[key]
    names = {"account_name", "payee_name", "category_name", "subtransactions"}
    assert not names & set(whole["transactions"][0])
    assert "_formatted" not in str(whole)
    assert len(whole["months"]) == 42
    assert not any(row["deleted"] for row in whole["categories"] + whole["transactions"])
    assert whole["transactions"][0]["date"] == "2023-01-01"


@pytest.mark.parametrize(
    "path", ["accounts", "payees", "categories", "transactions", "scheduled_transactions"]
)
def test_full_lists_contain_no_deleted_rows(shared: Sandbox, path: str) -> None:
    assert {row["deleted"] for row in read(shared, path)} == {False}


def test_without_since_date_transactions_cover_one_year(shared: Sandbox) -> None:
    assert min(row["date"] for row in read(shared, "transactions")) >= "2025-06-17"
    days = [row["date"] for row in read(shared, "transactions", since_date="2000-01-01")]
    assert days[0] == "2023-01-01"
    assert days == sorted(days)


def test_one_year_before_the_29th_of_february_is_the_28th() -> None:
    sandbox = Sandbox(budgets=1, years=2, today=date(2024, 2, 29))
    account = Ids(sandbox).account("Checking")
    for day in (date(2023, 2, 27), date(2023, 2, 28)):
        sandbox.device.add_transaction(account_id=account, date=day, amount=-77_010)
    rows = read(sandbox, "transactions")
    assert [row["date"] for row in rows if row["amount"] == -77_010] == ["2023-02-28"]


def test_since_date_and_until_date_are_inclusive(shared: Sandbox) -> None:
    rows = read(shared, "transactions", since_date="2024-03-01", until_date="2024-03-03")
    days = {row["date"] for row in rows}
    assert {"2024-03-01", "2024-03-03"} <= days <= {"2024-03-01", "2024-03-02", "2024-03-03"}


def test_type_selects_uncategorized_or_unapproved_transactions(shared: Sandbox) -> None:
    uncategorized = read(shared, "transactions", type="uncategorized")
    named = [(row["date"], row["payee_name"]) for row in uncategorized]
    assert [row for row in named if not row[1].startswith("Transfer : ")] == [
        ("2026-04-17", "Kiosk am Ring"),
        ("2026-04-26", "Corner Market"),  # a split with a transfer
        ("2026-06-14", "Kiosk am Ring"),
    ]
    unapproved = read(shared, "transactions", type="unapproved")
    assert [row["date"] for row in unapproved] == ["2026-06-12", "2026-06-14", "2026-06-15"]


def test_the_transactions_of_a_month_can_be_older_than_a_year(shared: Sandbox) -> None:
    rows = read(shared, "months/2023-02-01/transactions")
    assert {row["date"][:7] for row in rows} == {"2023-02"}


def test_the_transactions_of_an_account(shared: Sandbox) -> None:
    path = f"accounts/{Ids(shared).account('Wallet')}"
    rows = read(shared, f"{path}/transactions", since_date="2000-01-01")
    assert sum(row["amount"] for row in rows) == read(shared, path)["balance"]


def test_the_transactions_of_a_category_are_flat(shared: Sandbox) -> None:
    goods = Ids(shared).category("Everyday", "Household Goods")
    rows = read(shared, f"categories/{goods}/transactions")
    assert {row["type"] for row in rows} == {"transaction", "subtransaction"}
    assert {row["category_name"] for row in rows} == {"Household Goods"}
    part = next(row for row in rows if row["parent_transaction_id"])
    parent = read(shared, f"transactions/{part['parent_transaction_id']}")
    assert part["id"] in {row["id"] for row in parent["subtransactions"]}
    assert part["payee_name"] == parent["payee_name"] == "Haus & Hof"


def test_coordinates_of_payee_locations_are_text(shared: Sandbox) -> None:
    rows = read(shared, "payee_locations")
    assert [(row["latitude"], row["longitude"]) for row in rows] == [
        ("52.5200066", "13.4049540"), ("48.1371079", "11.5753822"), ("-41.2864603", "174.7762360"),
    ]  # fmt: skip
    assert read(shared, f"payee_locations/{rows[0]['id']}") == rows[0]
    assert read(shared, f"payees/{rows[0]['payee_id']}/payee_locations") == rows[:1]


def test_single_rows_equal_the_rows_of_the_lists(shared: Sandbox) -> None:
    for plural in ("accounts", "payees", "transactions", "scheduled_transactions"):
        row = get(shared, f"{PLANS}/{plural}")[plural][-1]
        assert get(shared, f"{PLANS}/{plural}/{row['id']}")[plural[:-1]] == row
    category = get(shared, f"{PLANS}/categories")["category_groups"][3]["categories"][0]
    for path in ("categories", "months/2026-06-01/categories"):
        assert get(shared, f"{PLANS}/{path}/{category['id']}") == {"category": category}


def test_today_can_be_a_text() -> None:
    assert Sandbox(budgets=1, years=1, today="2024-02-29").today == date(2024, 2, 29)
    for today in ("29.2.2024", "2024-02-30", 5):
        with pytest.raises(ValueError, match=f"^today={today!r}: it must be a day such as '2026-0"):
            Sandbox(today=today)  # type: ignore[arg-type]
    assert Sandbox(budgets=1, years=1, today=datetime(2024, 2, 29, 8, tzinfo=UTC)).today == date(
        2024, 2, 29
    )


def test_current_is_the_month_of_today(shared: Sandbox) -> None:
    assert read(shared, "months/current") == read(shared, "months/2026-06-01")


def test_settings_contain_the_formats(shared: Sandbox) -> None:
    settings = read(shared, "settings")
    assert settings["date_format"] == {"format": "DD.MM.YYYY"}
    assert settings["currency_format"]["decimal_separator"] == ","


def test_money_movements_under_budgets_can_be_sums_of_categories_and_groups() -> None:
    service = Sandbox(years=1, budgets=1, movement_totals=True)
    sums = read(service, "months/2026-05-01/money_movements")
    assert all(set(row) == SUMS | {"category_name"} for row in sums)
    assert all(set(row) == SUMS for row in read(service, "money_movement_groups"))
    assert "amount" in get(service, f"{PLANS}/money_movements")["money_movements"][0]
    month = read(service, "months/2026-05-01")
    assert sum(row["allocation"] for row in sums) == month["budgeted"]
    assert sum(row["income"] - row["spent"] for row in sums) == month["income"] + month["activity"]


@pytest.mark.parametrize("base", [BUDGETS, PLANS])
def test_the_movements_of_a_month_sum_to_its_assigned_amount(shared: Sandbox, base: str) -> None:
    moves = get(shared, f"{base}/months/2026-05-01/money_movements")["money_movements"]
    assert {row["month"] for row in moves} == {"2026-05-01"}
    assigned = sum(row["amount"] for row in moves if row["from_category_id"] is None)
    returned = sum(row["amount"] for row in moves if row["to_category_id"] is None)
    assert assigned - returned == read(shared, "months/2026-05-01")["budgeted"]


def test_money_movement_groups_have_the_moves_that_were_made_together(shared: Sandbox) -> None:
    groups = read(shared, "months/2026-05-01/money_movement_groups")
    assert [row["note"] for row in groups] == ["Monthly plan", "More guests"]


@pytest.mark.parametrize("base", [BUDGETS, PLANS])
def test_months_before_the_recorded_movements_have_none(shared: Sandbox, base: str) -> None:
    assert get(shared, f"{base}/months/2024-12-01/money_movements")["money_movements"] == []
    assert get(shared, f"{base}/months/2025-01-01/money_movements")["money_movements"]


def test_under_plans_the_goal_date_is_in_another_field(shared: Sandbox) -> None:
    path = f"categories/{Ids(shared).category('Savings', 'New Laptop')}"
    assert read(shared, path)["goal_target_month"] == "2027-06-01"
    plans = get(shared, f"{PLANS}/{path}")["category"]
    assert (plans["goal_target_month"], plans["goal_target_date"]) == (None, "2027-06-01")
