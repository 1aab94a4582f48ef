"""Groups, categories and goals, and the movements of money between them."""

from __future__ import annotations

from typing import Any

import pytest

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


def make(sandbox: Sandbox, ids: Ids, **more: Any) -> dict[str, Any]:
    fields = {"name": "Garten 🌱", "category_group_id": ids.group("Everyday")}
    made: dict[str, Any] = write(sandbox, "POST", PATH, {"category": fields | more}, 201)
    return made


def change(sandbox: Sandbox, key: str, **fields: Any) -> dict[str, Any]:
    shown: dict[str, Any] = write(sandbox, "PATCH", f"{PATH}/{key}", {"category": fields})[
        "category"
    ]
    return shown


def goal_of(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: shown[name] for name in MONTHLY}


@pytest.mark.parametrize("spelling", ["budgets", "plans"])
def test_a_category_is_made_empty(sandbox: Sandbox, ids: Ids, spelling: str) -> None:
    fields = {"name": "Garten", "category_group_id": ids.group("Everyday"), "note": "since May"}
    path = f"/{spelling}/last-used/categories"
    data = write(sandbox, "POST", path, {"category": fields}, 201)
    assert set(data) == {"category", "server_knowledge"}
    made = data["category"]
    assert (made["name"], made["category_group_name"], made["note"]) == (
        "Garten",
        "Everyday",
        "since May",
    )
    assert (made["budgeted"], made["activity"], made["balance"]) == (0, 0, 0)
    assert made["goal_type"] is None
    oldest = get(sandbox, f"{BASE}/months/2023-01-01/categories/{made['id']}")["category"]
    assert oldest["balance"] == 0


def test_a_new_category_is_in_its_group_in_the_delta(sandbox: Sandbox, ids: Ids) -> None:
    before = get(sandbox, PATH)["server_knowledge"]
    made = make(sandbox, ids)["category"]
    (group,) = get(sandbox, PATH, last_knowledge_of_server=before)["category_groups"]
    assert (group["name"], [row["id"] for row in group["categories"]]) == ("Everyday", [made["id"]])


def test_a_target_makes_a_monthly_goal(sandbox: Sandbox, ids: Ids) -> None:
    assert goal_of(make(sandbox, ids, goal_target=60_000)["category"]) == MONTHLY


def test_a_goal_by_date_asks_for_a_share_each_month(sandbox: Sandbox, ids: Ids) -> None:
    made = make(sandbox, ids, goal_target=60_000, goal_target_date="2026-08-15")["category"]
    assert goal_of(made) == MONTHLY | {
        "goal_target_date": "2026-08-15",
        "goal_cadence": 0,
        "goal_cadence_frequency": None,
        "goal_months_to_budget": 3,
        "goal_under_funded": 20_000,
    }


@pytest.mark.parametrize(("frequency", "cadence"), [("monthly", 1), ("weekly", 2), ("yearly", 13)])
def test_a_frequency_replaces_any_goal(
    sandbox: Sandbox, ids: Ids, frequency: str, cadence: int
) -> None:
    key = ids.category("Savings", "New Laptop")
    shown = change(sandbox, key, goal_target=7_000, goal_frequency=frequency)
    assert (shown["goal_type"], shown["goal_target"]) == ("NEED", 7_000)
    assert (shown["goal_cadence"], shown["goal_cadence_frequency"]) == (cadence, 1)
    assert shown["goal_target_date"] is None


def test_the_goal_of_a_card_payment_is_monthly_funding(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Credit Card Payments", "Credit Card")
    shown = change(sandbox, key, goal_target=50_000)
    assert (shown["goal_type"], shown["goal_needs_whole_amount"]) == ("MF", None)


def test_an_update_changes_what_it_states_only(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    before = get(sandbox, f"{PATH}/{key}")["category"]
    assert change(sandbox, key, note="Markt am Samstag") == before | {"note": "Markt am Samstag"}
    assert change(sandbox, key, note=None, name=None) == before
    known = sandbox.device.state().knowledge
    assert change(sandbox, key) == before
    assert sandbox.device.state().knowledge == known


def test_a_goal_is_changed_and_taken_away(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    before = get(sandbox, f"{PATH}/{key}")["category"]
    assert (before["goal_target"], before["goal_needs_whole_amount"]) == (480_000, False)
    changed = change(sandbox, key, goal_target=500_000)
    assert (changed["goal_target"], changed["goal_needs_whole_amount"]) == (500_000, False)
    assert change(sandbox, key, goal_needs_whole_amount=True)["goal_needs_whole_amount"] is True
    gone = change(sandbox, key, goal_target=None)
    assert {value for name, value in gone.items() if name.startswith("goal_")} == {None}


def test_a_category_changes_its_group(sandbox: Sandbox, ids: Ids) -> None:
    key, savings = ids.category("Everyday", "Clothing"), ids.group("Savings")
    before = get(sandbox, PATH)["server_knowledge"]
    assert change(sandbox, key, category_group_id=savings)["category_group_name"] == "Savings"
    (group,) = get(sandbox, PATH, last_knowledge_of_server=before)["category_groups"]
    assert (group["id"], group["categories"][0]["id"]) == (savings, key)


@pytest.mark.parametrize(
    "fields",
    [
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
    ],
)
def test_what_does_not_fit_a_category_is_a_bad_request(
    shared: Sandbox, fields: dict[str, Any]
) -> None:
    ids = Ids(shared)
    known = shared.device.state().knowledge
    body = {"name": "New", "category_group_id": ids.group("Everyday")} | fields
    assert refused(shared, "POST", PATH, json={"category": body})[0] == 400
    key = ids.category("Everyday", "Clothing")
    assert refused(shared, "PATCH", f"{PATH}/{key}", json={"category": fields})[0] == 400
    assert shared.device.state().knowledge == known


@pytest.mark.parametrize("missing", ["name", "category_group_id"])
def test_a_new_category_needs_a_name_and_a_group(shared: Sandbox, missing: str) -> None:
    fields = {"name": "New", "category_group_id": Ids(shared).group("Everyday")} | {missing: None}
    status, error = refused(shared, "POST", PATH, json={"category": fields})
    assert (status, error["detail"]) == (400, f"{missing} is missing")


@pytest.mark.parametrize("group", ["Internal Master Category", "Credit Card Payments"])
def test_nothing_is_put_in_a_group_of_the_service(shared: Sandbox, group: str) -> None:
    fields = {"name": "New", "category_group_id": Ids(shared).group(group)}
    assert refused(shared, "POST", PATH, json={"category": fields})[0] == 400


@pytest.mark.parametrize(
    ("group", "name", "fields"),
    [
        ("Internal Master Category", "Uncategorized", {"note": "mine"}),
        ("Credit Card Payments", "Credit Card", {"name": "mine"}),
        ("Credit Card Payments", "Credit Card", {"goal_target": 5, "goal_frequency": "weekly"}),
        (
            "Credit Card Payments",
            "Credit Card",
            {"goal_target": 5, "goal_needs_whole_amount": True},
        ),
        ("Savings", "New Laptop", {"goal_needs_whole_amount": True}),
    ],
)
def test_what_a_category_does_not_allow_is_a_bad_request(
    shared: Sandbox, group: str, name: str, fields: dict[str, Any]
) -> None:
    key = Ids(shared).category(group, name)
    assert refused(shared, "PATCH", f"{PATH}/{key}", json={"category": fields})[0] == 400


def test_an_unknown_category_is_not_found(shared: Sandbox) -> None:
    path = f"{PATH}/00000000-0000-4000-8000-000000000000"
    status, error = refused(shared, "PATCH", path, json={"category": {"name": "x"}})
    assert (status, error["id"]) == (404, "404.2")


def test_taking_back_is_a_movement_to_ready_to_assign(sandbox: Sandbox, ids: Ids) -> None:
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


def test_assigning_the_same_again_moves_nothing(sandbox: Sandbox, ids: Ids) -> None:
    key = ids.category("Everyday", "Groceries")
    path = f"{BASE}/months/current/categories/{key}"
    before = get(sandbox, path)["category"]["budgeted"]
    moves = get(sandbox, "/plans/last-used/money_movements")["money_movements"]
    write(sandbox, "PATCH", path, {"category": {"budgeted": before}})
    assert get(sandbox, "/plans/last-used/money_movements")["money_movements"] == moves


def test_a_deleted_category_leaves_everything_to_another(sandbox: Sandbox, ids: Ids) -> None:
    sport, music = ids.category("Health & Fun", "Sport"), ids.category("Everyday", "Clothing")
    month = "2026-03-01"

    def shown(key: str) -> dict[str, Any]:
        row: dict[str, Any] = get(sandbox, f"{BASE}/months/{month}/categories/{key}")["category"]
        return row

    knowledge = get(sandbox, PATH)["server_knowledge"]
    one, other = shown(sport), shown(music)
    sandbox.device.delete_category(sport, music)
    both = shown(music)
    assert both["activity"] == one["activity"] + other["activity"]
    assert both["budgeted"] == one["budgeted"] + other["budgeted"]
    assert refused(sandbox, "GET", f"{PATH}/{sport}")[0] == 404
    groups = get(sandbox, PATH, last_knowledge_of_server=knowledge)["category_groups"]
    gone = [row["id"] for group in groups for row in group["categories"] if row["deleted"]]
    assert gone == [sport]
