"""Responses to GET requests, for both path spellings."""

from __future__ import annotations

from datetime import date
from typing import Any

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import get

BUDGETS, PLANS = "/budgets/last-used", "/plans/last-used"


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


def first_with(rows: list[Any], key: str) -> Any:
    return next(row for row in rows if row[key])


def test_the_user_has_an_id(shared: Sandbox) -> None:
    assert get(shared, "/user") == {"user": {"id": shared.user_id}}


def test_the_list_of_budgets(shared: Sandbox) -> None:
    for spelling, default in (("budgets", "default_budget"), ("plans", "default_plan")):
        data = get(shared, f"/{spelling}")
        assert set(data) == {spelling, default}
        assert data[default] is None, spelling
        assert "accounts" not in data[spelling][0], spelling
        with_accounts = get(shared, f"/{spelling}", include_accounts="true")[spelling]
        assert [len(row["accounts"]) for row in with_accounts] == [7, 7], spelling


def test_rows_under_budgets_are_those_under_plans_without_display_fields(shared: Sandbox) -> None:
    """The tests of the official client compare the names of the fields under ``/plans``."""
    for path in (
        "accounts",
        "categories",
        "transactions",
        "scheduled_transactions",
        "months",
        "months/2026-05-01",
    ):
        below, plans = get(shared, f"{BUDGETS}/{path}"), get(shared, f"{PLANS}/{path}")
        assert below.keys() == plans.keys(), path
        assert "_formatted" not in str(below), path
        assert without_display_fields(below) == without_display_fields(plans), path


def test_display_fields_use_the_currency_format_of_the_budget(shared: Sandbox) -> None:
    plans = get(shared, "/plans")["plans"]
    found = []
    for plan in plans:
        rows = get(shared, f"/plans/{plan['id']}/accounts")["accounts"]
        loan = next(row for row in rows if row["type"] == "autoLoan")
        found.append((loan["balance"], loan["balance_formatted"], loan["balance_currency"]))
    assert found[0] == (-1_468_000, "-1.468,00€", -1468.0)
    assert found[1][1].startswith("-¥")
    assert "." not in found[1][1]


def test_the_export_has_flat_rows_without_names_and_display_fields(shared: Sandbox) -> None:
    for path, key in ((BUDGETS, "budget"), (PLANS, "plan")):
        data = get(shared, path)
        assert set(data) == {key, "server_knowledge"}
        whole = data[key]
        names = {"account_name", "payee_name", "category_name", "subtransactions"}
        assert not names & set(whole["transactions"][0])
        assert "_formatted" not in str(whole)
        assert len(whole["months"]) == 42
        assert not any(row["deleted"] for row in whole["categories"] + whole["transactions"])
        assert whole["transactions"][0]["date"] == "2023-01-01"


def test_full_lists_contain_no_deleted_rows(shared: Sandbox) -> None:
    for path, key in (
        ("accounts", "accounts"),
        ("payees", "payees"),
        ("categories", "category_groups"),
        ("transactions", "transactions"),
        ("scheduled_transactions", "scheduled_transactions"),
    ):
        rows = get(shared, f"{BUDGETS}/{path}")[key]
        assert rows, path
        assert not any(row["deleted"] for row in rows), path


def test_without_since_date_transactions_cover_one_year(shared: Sandbox) -> None:
    rows = get(shared, f"{BUDGETS}/transactions")["transactions"]
    assert min(row["date"] for row in rows) >= "2025-06-17"
    rows = get(shared, f"{BUDGETS}/transactions", since_date="2000-01-01")["transactions"]
    assert rows[0]["date"] == "2023-01-01"
    assert [row["date"] for row in rows] == sorted(row["date"] for row in rows)


def test_one_year_before_the_29th_of_february_is_the_28th() -> None:
    sandbox = Sandbox(budgets=1, years=2, today=date(2024, 2, 29))
    with sandbox.device.edit() as editor:
        account = next(iter(editor.budget.accounts.live())).id
        for day in (date(2023, 2, 27), date(2023, 2, 28)):
            editor.transactions.add(account_id=account, date=day, amount=-77_010)
    rows = get(sandbox, f"{BUDGETS}/transactions")["transactions"]
    assert [row["date"] for row in rows if row["amount"] == -77_010] == ["2023-02-28"]


def test_since_date_and_until_date_are_inclusive(shared: Sandbox) -> None:
    rows = get(shared, f"{BUDGETS}/transactions", since_date="2024-03-01", until_date="2024-03-03")[
        "transactions"
    ]
    assert {row["date"] for row in rows} >= {"2024-03-01", "2024-03-03"}
    assert {row["date"] for row in rows} <= {"2024-03-01", "2024-03-02", "2024-03-03"}


def test_type_selects_uncategorized_or_unapproved_transactions(shared: Sandbox) -> None:
    path = f"{BUDGETS}/transactions"
    uncategorized = get(shared, path, type="uncategorized")["transactions"]
    assert [(row["date"], row["payee_name"]) for row in uncategorized] == [
        ("2026-04-17", "Kiosk am Ring"),
        ("2026-06-14", "Kiosk am Ring"),
    ]
    unapproved = get(shared, path, type="unapproved")["transactions"]
    assert [row["date"] for row in unapproved] == ["2026-06-12", "2026-06-14", "2026-06-15"]


def test_the_transactions_of_a_month_can_be_older_than_a_year(shared: Sandbox) -> None:
    rows = get(shared, f"{BUDGETS}/months/2023-02-01/transactions")["transactions"]
    assert rows
    assert {row["date"][:7] for row in rows} == {"2023-02"}


def test_the_transactions_of_an_account(shared: Sandbox) -> None:
    wallet = next(
        row for row in get(shared, f"{BUDGETS}/accounts")["accounts"] if row["name"] == "Wallet"
    )
    rows = get(shared, f"{BUDGETS}/accounts/{wallet['id']}/transactions", since_date="2000-01-01")[
        "transactions"
    ]
    assert sum(row["amount"] for row in rows) == wallet["balance"]


def test_the_transactions_of_a_category_are_flat(shared: Sandbox) -> None:
    groups = get(shared, f"{BUDGETS}/categories")["category_groups"]
    goods = next(
        row for group in groups for row in group["categories"] if row["name"] == "Household Goods"
    )
    rows = get(shared, f"{BUDGETS}/categories/{goods['id']}/transactions")["transactions"]
    assert {row["type"] for row in rows} == {"transaction", "subtransaction"}
    assert {row["category_name"] for row in rows} == {"Household Goods"}
    part = first_with(rows, "parent_transaction_id")
    parent = get(shared, f"{BUDGETS}/transactions/{part['parent_transaction_id']}")["transaction"]
    assert part["id"] in {row["id"] for row in parent["subtransactions"]}
    assert part["payee_name"] == parent["payee_name"] == "Haus & Hof"


def test_coordinates_of_payee_locations_are_text(shared: Sandbox) -> None:
    rows = get(shared, f"{BUDGETS}/payee_locations")["payee_locations"]
    assert [(row["latitude"], row["longitude"]) for row in rows] == [
        ("52.5200066", "13.4049540"),
        ("48.1371079", "11.5753822"),
        ("-41.2864603", "174.7762360"),
    ]
    one = get(shared, f"{BUDGETS}/payee_locations/{rows[0]['id']}")["payee_location"]
    assert one == rows[0]
    of_payee = get(shared, f"{BUDGETS}/payees/{one['payee_id']}/payee_locations")
    assert of_payee == {"payee_locations": [one]}


def test_single_rows_equal_the_rows_of_the_lists(shared: Sandbox) -> None:
    for plural, singular in (
        ("accounts", "account"),
        ("payees", "payee"),
        ("transactions", "transaction"),
        ("scheduled_transactions", "scheduled_transaction"),
    ):
        row = get(shared, f"{PLANS}/{plural}")[plural][-1]
        assert get(shared, f"{PLANS}/{plural}/{row['id']}")[singular] == row
    category = get(shared, f"{PLANS}/categories")["category_groups"][3]["categories"][0]
    assert get(shared, f"{PLANS}/categories/{category['id']}") == {"category": category}
    path = f"{PLANS}/months/2026-06-01/categories/{category['id']}"
    assert get(shared, path) == {"category": category}


def test_current_is_the_month_of_today(shared: Sandbox) -> None:
    current = get(shared, f"{BUDGETS}/months/current")
    assert current == get(shared, f"{BUDGETS}/months/2026-06-01")


def test_settings_contain_the_formats(shared: Sandbox) -> None:
    settings = get(shared, f"{BUDGETS}/settings")["settings"]
    assert settings["date_format"] == {"format": "DD.MM.YYYY"}
    assert settings["currency_format"]["decimal_separator"] == ","


def test_money_movements_have_other_fields_under_plans(shared: Sandbox) -> None:
    path = "months/2026-05-01/money_movements"
    sums = get(shared, f"{BUDGETS}/{path}")["money_movements"]
    names = {"category_name", "category_group_name", "allocation", "spent", "income"}
    assert all(set(row) == names for row in sums)
    month = get(shared, f"{BUDGETS}/months/2026-05-01")["month"]
    assert sum(row["allocation"] for row in sums) == month["budgeted"]
    net = sum(row["income"] - row["spent"] for row in sums)
    assert net == month["income"] + month["activity"]
    moves = get(shared, f"{PLANS}/{path}")["money_movements"]
    assert set(moves[0]) == {
        "id",
        "month",
        "moved_at",
        "note",
        "money_movement_group_id",
        "performed_by_user_id",
        "from_category_id",
        "to_category_id",
        "amount",
        "amount_formatted",
        "amount_currency",
    }
    assert {row["month"] for row in moves} == {"2026-05-01"}


def test_the_movements_of_a_month_sum_to_its_assigned_amount(shared: Sandbox) -> None:
    moves = get(shared, f"{PLANS}/months/2026-05-01/money_movements")["money_movements"]
    assigned = sum(row["amount"] for row in moves if row["from_category_id"] is None)
    returned = sum(row["amount"] for row in moves if row["to_category_id"] is None)
    month = get(shared, f"{PLANS}/months/2026-05-01")["month"]
    assert assigned - returned == month["budgeted"]


def test_money_movement_groups_have_other_fields_under_plans(shared: Sandbox) -> None:
    path = "months/2026-05-01/money_movement_groups"
    sums = get(shared, f"{BUDGETS}/{path}")["money_movement_groups"]
    assert all(set(row) == {"category_group_name", "allocation", "spent", "income"} for row in sums)
    groups = get(shared, f"{PLANS}/{path}")["money_movement_groups"]
    assert [row["note"] for row in groups] == ["Monthly plan", "More guests"]


def test_months_before_the_recorded_movements_have_none(shared: Sandbox) -> None:
    for base in (BUDGETS, PLANS):
        path = f"{base}/months/2024-12-01/money_movements"
        assert get(shared, path)["money_movements"] == []
        assert get(shared, path.replace("2024-12", "2025-01"))["money_movements"]


def test_under_plans_the_goal_date_is_in_another_field(shared: Sandbox) -> None:
    def laptop(base: str) -> Any:
        groups = get(shared, f"{base}/categories")["category_groups"]
        return next(
            row for group in groups for row in group["categories"] if row["name"] == "New Laptop"
        )

    assert laptop(BUDGETS)["goal_target_month"] == "2027-06-01"
    assert laptop(PLANS)["goal_target_month"] is None
    assert laptop(PLANS)["goal_target_date"] == "2027-06-01"
