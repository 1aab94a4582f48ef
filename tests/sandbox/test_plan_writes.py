"""Requests that write categories, goals and assigned amounts."""

from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import BASE, Ids, Json, cursor, delta, get, read, refused, write

PATH = f"{BASE}/categories"
MOVEMENTS = "/plans/last-used/money_movements"

MONTHLY = (
    {"goal_type": "NEED", "goal_target": 60_000, "goal_needs_whole_amount": True}
    | {"goal_cadence": 1, "goal_cadence_frequency": 1, "goal_creation_month": "2026-06-01"}
    | {"goal_target_date": None, "goal_under_funded": 60_000, "goal_overall_left": 60_000}
    | {"goal_overall_funded": 0, "goal_percentage_complete": 0, "goal_months_to_budget": 1}
)


def create(sandbox: Sandbox, ids: Ids, **more: Any) -> Json:
    fields = {"name": "Garten 🌱", "category_group_id": ids.group("Everyday")}
    made: Json = write(sandbox, "POST", PATH, {"category": fields | more}, 201)["category"]
    return made


def change(sandbox: Sandbox, key: str, **fields: Any) -> Json:
    category: Json = write(sandbox, "PATCH", f"{PATH}/{key}", {"category": fields})["category"]
    return category


def goal_of(category: Json) -> Json:
    return {name: category[name] for name in MONTHLY}


def test_a_new_category_is_empty(sandbox: Sandbox, ids: Ids) -> None:
    texts = {"name": "Garten", "note": "since May"}
    body = {"category": texts | {"category_group_id": ids.group("Everyday")}}
    amounts = {"budgeted": 0, "activity": 0, "balance": 0, "goal_type": None}
    expected = texts | amounts | {"category_group_name": "Everyday"}
    for spelling in ("budgets", "plans"):
        data = write(sandbox, "POST", f"/{spelling}/last-used/categories", body, 201)
        assert set(data) == {"category", "server_knowledge"}
        made = data["category"]
        assert {name: made[name] for name in expected} == expected, spelling
        assert read(sandbox, f"months/2025-01-01/categories/{made['id']}")["balance"] == 0, spelling


def test_the_delta_lists_a_new_category_in_its_group(sandbox: Sandbox, ids: Ids) -> None:
    before, made = cursor(sandbox), create(sandbox, ids)
    (group,) = delta(sandbox, "categories", before)
    assert (group["name"], [row["id"] for row in group["categories"]]) == ("Everyday", [made["id"]])


def test_a_target_adds_a_monthly_goal(sandbox: Sandbox, ids: Ids) -> None:
    assert goal_of(create(sandbox, ids, goal_target=60_000)) == MONTHLY


def test_a_goal_with_a_date_is_divided_by_the_months_left(sandbox: Sandbox, ids: Ids) -> None:
    made = create(sandbox, ids, goal_target=60_000, goal_target_date="2026-08-15")
    assert goal_of(made) == MONTHLY | {
        "goal_target_date": "2026-08-15", "goal_cadence": 0, "goal_cadence_frequency": None,
        "goal_months_to_budget": 3, "goal_under_funded": 20_000,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "frequency", "cadence"), [
    ("New Laptop", "monthly", 1), ("Emergency Fund", "weekly", 2), ("Investing", "yearly", 13),
])  # fmt: skip
def test_a_frequency_replaces_the_goal(
    sandbox: Sandbox, ids: Ids, name: str, frequency: str, cadence: int
) -> None:
    key = ids.category("Savings", name)
    category = change(sandbox, key, goal_target=7_000, goal_frequency=frequency)
    assert (category["goal_type"], category["goal_target"]) == ("NEED", 7_000)
    assert (category["goal_cadence"], category["goal_cadence_frequency"]) == (cadence, 1)
    assert category["goal_target_date"] is None


def test_the_goal_of_a_payment_category_is_monthly_funding(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Credit Card Payments", "Credit Card")
    category = change(sandbox, key, goal_target=50_000)
    assert (category["goal_type"], category["goal_needs_whole_amount"]) == ("MF", None)


@pytest.mark.parametrize(("name", "value"), [
    ("goal_target_date", "2027-01-01"), ("goal_frequency", "monthly"),
    ("goal_needs_whole_amount", True),
])  # fmt: skip
def test_the_target_of_a_loan_takes_only_an_amount(
    sandbox: Sandbox, ids: Ids, name: str, value: object
) -> None:
    key = ids.category("Car", "Loan Payment")
    assert change(sandbox, key, goal_target=290_000)["goal_target"] == 290_000
    body = {"category": {"goal_target": 290_000, name: value}}
    status, error = refused(sandbox, "PATCH", f"{PATH}/{key}", json=body)
    assert status == 400
    assert error["detail"] == f"{name} is not allowed for a category of a loan account"


def test_an_update_changes_only_the_fields_of_its_body(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    before = read(sandbox, f"categories/{key}")
    assert change(sandbox, key, note="Markt am Samstag") == before | {"note": "Markt am Samstag"}
    assert change(sandbox, key, note=None, name=None) == before
    known = cursor(sandbox)
    assert change(sandbox, key) == before
    assert cursor(sandbox) == known


def test_a_goal_is_changed_and_removed(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    before = read(sandbox, f"categories/{key}")
    assert (before["goal_target"], before["goal_needs_whole_amount"]) == (480_000, False)
    changed = change(sandbox, key, goal_target=500_000)
    assert (changed["goal_target"], changed["goal_needs_whole_amount"]) == (500_000, False)
    assert change(sandbox, key, goal_needs_whole_amount=True)["goal_needs_whole_amount"] is True
    removed = change(sandbox, key, goal_target=None)
    goal = {name: value for name, value in removed.items() if name.startswith("goal_")}
    assert goal.pop("goal_target") == 0
    assert {*goal.values()} == {None}


def test_a_category_moves_to_another_group(sandbox: Sandbox, ids: Ids) -> None:
    key, savings = ids.category("Everyday", "Clothing"), ids.group("Savings")
    before = cursor(sandbox)
    assert change(sandbox, key, category_group_id=savings)["category_group_name"] == "Savings"
    (group,) = delta(sandbox, "categories", before)
    assert (group["id"], group["categories"][0]["id"]) == (savings, key)


def test_a_smaller_assigned_amount_moves_to_ready_to_assign(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    path = f"months/current/categories/{key}"
    assigned, before = read(sandbox, path)["budgeted"], cursor(sandbox)
    body = {"category": {"budgeted": assigned - 4_000}}
    write(sandbox, "PATCH", f"{BASE}/{path}", body)
    (move,) = get(sandbox, MOVEMENTS, last_knowledge_of_server=before)["money_movements"]
    assert (move["from_category_id"], move["to_category_id"]) == (key, None)
    assert (move["amount"], move["amount_currency"], move["month"]) == (4_000, 4.0, "2026-06-01")
    assert move["performed_by_user_id"] == sandbox.user_id
    known = cursor(sandbox)
    write(sandbox, "PATCH", f"{BASE}/{path}", body)
    assert get(sandbox, MOVEMENTS, last_knowledge_of_server=known)["money_movements"] == []


def test_a_deleted_category_moves_activity_and_assigned_money(sandbox: Sandbox, ids: Ids) -> None:
    sport, clothing = ids.category("Health & Fun", "Sport"), ids.category("Everyday", "Clothing")
    before = cursor(sandbox)
    one, other = (read(sandbox, f"months/2026-03-01/categories/{key}") for key in (sport, clothing))
    sandbox.device.delete_category(sport, clothing)
    both = read(sandbox, f"months/2026-03-01/categories/{clothing}")
    assert both["activity"] == one["activity"] + other["activity"]
    assert both["budgeted"] == one["budgeted"] + other["budgeted"]
    assert refused(sandbox, "GET", f"{PATH}/{sport}")[0] == 404
    groups = delta(sandbox, "categories", before)
    deleted = [row["id"] for group in groups for row in group["categories"] if row["deleted"]]
    assert deleted == [sport]
