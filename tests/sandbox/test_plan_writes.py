"""Requests that write categories, goals and assigned amounts."""

from __future__ import annotations

from typing import Any

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import Ids, get, refused, write

BASE = "/budgets/last-used"
PATH = f"{BASE}/categories"

MONTHLY = {
    "goal_type": "NEED",
    "goal_target": 60_000,
    "goal_needs_whole_amount": True,
    "goal_cadence": 1,
    "goal_cadence_frequency": 1,
    "goal_creation_month": "2026-06-01",
    "goal_target_date": None,
    "goal_under_funded": 60_000,
    "goal_overall_left": 60_000,
    "goal_overall_funded": 0,
    "goal_percentage_complete": 0,
    "goal_months_to_budget": 1,
}


def create(sandbox: Sandbox, ids: Ids, **more: Any) -> dict[str, Any]:
    fields = {"name": "Garten 🌱", "category_group_id": ids.group("Everyday")}
    made: dict[str, Any] = write(sandbox, "POST", PATH, {"category": fields | more}, 201)
    return made


def change(sandbox: Sandbox, key: str, **fields: Any) -> dict[str, Any]:
    data = write(sandbox, "PATCH", f"{PATH}/{key}", {"category": fields})
    category: dict[str, Any] = data["category"]
    return category


def goal_of(category: dict[str, Any]) -> dict[str, Any]:
    return {name: category[name] for name in MONTHLY}


def test_a_new_category_is_empty(sandbox: Sandbox, ids: Ids) -> None:
    fields = {"name": "Garten", "category_group_id": ids.group("Everyday"), "note": "since May"}
    expected = {
        "name": "Garten",
        "category_group_name": "Everyday",
        "note": "since May",
        "budgeted": 0,
        "activity": 0,
        "balance": 0,
        "goal_type": None,
    }
    for spelling in ("budgets", "plans"):
        path = f"/{spelling}/last-used/categories"
        data = write(sandbox, "POST", path, {"category": fields}, 201)
        assert set(data) == {"category", "server_knowledge"}
        made = data["category"]
        assert {name: made[name] for name in expected} == expected, spelling
        oldest = get(sandbox, f"{BASE}/months/2025-01-01/categories/{made['id']}")["category"]
        assert oldest["balance"] == 0, spelling


def test_the_delta_lists_a_new_category_in_its_group(sandbox: Sandbox, ids: Ids) -> None:
    before = get(sandbox, PATH)["server_knowledge"]
    made = create(sandbox, ids)["category"]
    (group,) = get(sandbox, PATH, last_knowledge_of_server=before)["category_groups"]
    assert (group["name"], [row["id"] for row in group["categories"]]) == ("Everyday", [made["id"]])


def test_a_target_adds_a_monthly_goal(sandbox: Sandbox, ids: Ids) -> None:
    assert goal_of(create(sandbox, ids, goal_target=60_000)["category"]) == MONTHLY


def test_a_goal_with_a_date_is_divided_by_the_months_left(sandbox: Sandbox, ids: Ids) -> None:
    made = create(sandbox, ids, goal_target=60_000, goal_target_date="2026-08-15")["category"]
    assert goal_of(made) == MONTHLY | {
        "goal_target_date": "2026-08-15",
        "goal_cadence": 0,
        "goal_cadence_frequency": None,
        "goal_months_to_budget": 3,
        "goal_under_funded": 20_000,
    }


def test_a_frequency_replaces_the_goal(sandbox: Sandbox, ids: Ids) -> None:
    for name, frequency, cadence in (
        ("New Laptop", "monthly", 1),
        ("Emergency Fund", "weekly", 2),
        ("Investing", "yearly", 13),
    ):
        key = ids.category("Savings", name)
        category = change(sandbox, key, goal_target=7_000, goal_frequency=frequency)
        assert (category["goal_type"], category["goal_target"]) == ("NEED", 7_000), name
        assert (category["goal_cadence"], category["goal_cadence_frequency"]) == (cadence, 1), name
        assert category["goal_target_date"] is None, name


def test_the_goal_of_a_payment_category_is_monthly_funding(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Credit Card Payments", "Credit Card")
    category = change(sandbox, key, goal_target=50_000)
    assert (category["goal_type"], category["goal_needs_whole_amount"]) == ("MF", None)


def test_an_update_changes_only_the_fields_of_its_body(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    before = get(sandbox, f"{PATH}/{key}")["category"]
    assert change(sandbox, key, note="Markt am Samstag") == before | {"note": "Markt am Samstag"}
    assert change(sandbox, key, note=None, name=None) == before
    known = sandbox.device.state().knowledge
    assert change(sandbox, key) == before
    assert sandbox.device.state().knowledge == known


def test_a_goal_is_changed_and_removed(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    before = get(sandbox, f"{PATH}/{key}")["category"]
    assert (before["goal_target"], before["goal_needs_whole_amount"]) == (480_000, False)
    changed = change(sandbox, key, goal_target=500_000)
    assert (changed["goal_target"], changed["goal_needs_whole_amount"]) == (500_000, False)
    assert change(sandbox, key, goal_needs_whole_amount=True)["goal_needs_whole_amount"] is True
    removed = change(sandbox, key, goal_target=None)
    assert {value for name, value in removed.items() if name.startswith("goal_")} == {None}


def test_a_category_moves_to_another_group(sandbox: Sandbox, ids: Ids) -> None:
    key, savings = ids.category("Everyday", "Clothing"), ids.group("Savings")
    before = get(sandbox, PATH)["server_knowledge"]
    assert change(sandbox, key, category_group_id=savings)["category_group_name"] == "Savings"
    (group,) = get(sandbox, PATH, last_knowledge_of_server=before)["category_groups"]
    assert (group["id"], group["categories"][0]["id"]) == (savings, key)


def test_an_invalid_field_of_a_category_is_a_bad_request(shared: Sandbox) -> None:
    ids = Ids(shared)
    known = shared.device.state().knowledge
    key = ids.category("Everyday", "Clothing")
    cases: tuple[dict[str, Any], ...] = (
        {"name": "  "},
        {"name": 7},
        {"category_group_id": "00000000-0000-4000-8000-000000000000"},
        {"note": 5},
        {"goal_target": -1},
        {"goal_target": "much"},
        {"goal_target": 5, "goal_target_date": "soon"},
        {"goal_target_date": "2027-01-01"},
        {"goal_needs_whole_amount": True},
        {"goal_target": 5, "goal_needs_whole_amount": "yes"},
        {"goal_frequency": "monthly"},
        {"goal_target": 5, "goal_frequency": "hourly"},
        {"goal_target": 5, "goal_frequency": "weekly", "goal_target_date": "2027-01-01"},
    )
    for fields in cases:
        body = {"name": "New", "category_group_id": ids.group("Everyday")} | fields
        assert refused(shared, "POST", PATH, json={"category": body})[0] == 400, fields
        status, _ = refused(shared, "PATCH", f"{PATH}/{key}", json={"category": fields})
        assert status == 400, fields
        assert shared.device.state().knowledge == known, fields


def test_a_new_category_needs_a_name_and_a_group(shared: Sandbox) -> None:
    fields = {"name": "New", "category_group_id": Ids(shared).group("Everyday")}
    for missing in fields:
        body = {"category": fields | {missing: None}}
        status, error = refused(shared, "POST", PATH, json=body)
        assert (status, error["detail"]) == (400, f"{missing} is missing"), missing


def test_internal_groups_accept_no_new_categories(shared: Sandbox) -> None:
    for group in ("Internal Master Category", "Credit Card Payments"):
        fields = {"name": "New", "category_group_id": Ids(shared).group(group)}
        assert refused(shared, "POST", PATH, json={"category": fields})[0] == 400, group


def test_fields_that_a_category_does_not_allow(shared: Sandbox) -> None:
    cases: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("Internal Master Category", "Uncategorized", {"note": "mine"}),
        ("Credit Card Payments", "Credit Card", {"name": "mine"}),
        ("Credit Card Payments", "Credit Card", {"goal_target": 5, "goal_frequency": "weekly"}),
        (
            "Credit Card Payments",
            "Credit Card",
            {"goal_target": 5, "goal_needs_whole_amount": True},
        ),
        ("Savings", "New Laptop", {"goal_needs_whole_amount": True}),
    )
    for group, name, fields in cases:
        path = f"{PATH}/{Ids(shared).category(group, name)}"
        status, _ = refused(shared, "PATCH", path, json={"category": fields})
        assert status == 400, (name, fields)


def test_an_unknown_category_is_not_found(shared: Sandbox) -> None:
    path = f"{PATH}/00000000-0000-4000-8000-000000000000"
    status, error = refused(shared, "PATCH", path, json={"category": {"name": "x"}})
    assert (status, error["id"]) == (404, "404.2")


def test_a_smaller_assigned_amount_is_a_movement_to_ready_to_assign(
    sandbox: Sandbox, ids: Ids
) -> None:
    key = ids.category("Everyday", "Groceries")
    path = f"{BASE}/months/current/categories/{key}"
    before = get(sandbox, path)["category"]
    moves = get(sandbox, "/plans/last-used/money_movements")
    write(sandbox, "PATCH", path, {"category": {"budgeted": before["budgeted"] - 4_000}})
    (move,) = get(
        sandbox,
        "/plans/last-used/money_movements",
        last_knowledge_of_server=moves["server_knowledge"],
    )["money_movements"]
    assert (move["from_category_id"], move["to_category_id"]) == (key, None)
    assert (move["amount"], move["amount_currency"], move["month"]) == (4_000, 4.0, "2026-06-01")
    assert move["performed_by_user_id"] == sandbox.user_id


def test_assigning_the_same_amount_adds_no_movement(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    path = f"{BASE}/months/current/categories/{key}"
    before = get(sandbox, path)["category"]["budgeted"]
    moves = get(sandbox, "/plans/last-used/money_movements")["money_movements"]
    write(sandbox, "PATCH", path, {"category": {"budgeted": before}})
    assert get(sandbox, "/plans/last-used/money_movements")["money_movements"] == moves


def test_deleting_a_category_moves_its_activity_and_assigned_amounts(
    sandbox: Sandbox, ids: Ids
) -> None:
    sport, clothing = ids.category("Health & Fun", "Sport"), ids.category("Everyday", "Clothing")
    month = "2026-03-01"

    def in_month(key: str) -> dict[str, Any]:
        row: dict[str, Any] = get(sandbox, f"{BASE}/months/{month}/categories/{key}")["category"]
        return row

    knowledge = get(sandbox, PATH)["server_knowledge"]
    one, other = in_month(sport), in_month(clothing)
    with sandbox.device.edit() as editor:
        categories = editor.budget.categories
        editor.categories.delete(categories[sport], into=categories[clothing])
    both = in_month(clothing)
    assert both["activity"] == one["activity"] + other["activity"]
    assert both["budgeted"] == one["budgeted"] + other["budgeted"]
    assert refused(sandbox, "GET", f"{PATH}/{sport}")[0] == 404
    groups = get(sandbox, PATH, last_knowledge_of_server=knowledge)["category_groups"]
    deleted = [row["id"] for group in groups for row in group["categories"] if row["deleted"]]
    assert deleted == [sport]
