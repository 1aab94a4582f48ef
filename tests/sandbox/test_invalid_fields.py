"""A body with an invalid field is a bad request and changes nothing."""

import json
from typing import Any

import pytest

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import BASE, Ids, Json, refused

UNKNOWN = "00000000-0000-4000-8000-000000000000"
PAYMENT = ("Credit Card Payments", "Credit Card")


def each(name: str, *values: Any) -> list[Json]:
    """Return one body with each of the values."""
    return [{name: value} for value in values]


INVALID: dict[str, tuple[Json, ...]] = {
    "transaction": (*each("account_id", UNKNOWN, {}, None),
        *each("date", "2026-06-18", "2021-06-16", "16.06.2026", 20260616),
        *each("amount", 1.5, 2**63, None), {"amount": True}, *each("payee_id", UNKNOWN, ["x"]),
        *each("payee_name", "x" * 201, 5), *each("memo", "x" * 501, "\ud800"),
        *each("cleared", "maybe", ["cleared"]), {"category_id": UNKNOWN}, {"approved": "yes"},
        {"flag_color": "pink"}, {"import_id": "x" * 37},
        *each("subtransactions", {}, 5, [5], [{"amount": None}])),
    "scheduled_transaction": (*each("date", "2026-06-17", "2031-06-18", None), {"account_id": None},
        {"amount": "5"}, {"payee_id": "nobody"}, {"payee_name": "x" * 201}, {"memo": "x" * 501},
        {"flag_color": "pink"}, *each("frequency", "hourly", "")),
    "account": (*each("name", "", None), *each("type", "mortgage", "", None),
        *each("balance", 1.5, None, "10")),
    "payee": (*each("name", "", " ", None, 5, "x" * 501),),
    "category_group": (*each("name", "x" * 51, "  ", None),),
    "category": (*each("name", "  ", 7), {"category_group_id": UNKNOWN}, {"note": 5},
        *each("goal_target", -1, "much"), {"goal_target": 5, "goal_target_date": "soon"},
        {"goal_target_date": "2027-01-01"}, {"goal_needs_whole_amount": True},
        {"goal_target": 5, "goal_needs_whole_amount": "yes"}, {"goal_frequency": "monthly"},
        {"goal_target": 5, "goal_frequency": "hourly"},
        {"goal_target": 5, "goal_frequency": "weekly", "goal_target_date": "2027-01-01"}),
}  # fmt: skip
"""The invalid fields of each body, by its key."""

PATHS = {"category_group": "category_groups", "category": "categories"}


def valid(ids: Ids, key: str) -> Json:
    """Return the fields of a body that is accepted."""
    row = {"account_id": ids.account("Checking"), "amount": -1_000}
    bodies: dict[str, Json] = {
        "transaction": row | {"date": "2026-06-16"},
        "scheduled_transaction": row | {"date": "2026-06-20", "frequency": "monthly"},
        "account": {"name": "New", "type": "cash", "balance": 0},
        "category": {"name": "New", "category_group_id": ids.group("Everyday")},
    }
    return bodies.get(key, {"name": "New"})


@pytest.mark.parametrize(
    ("key", "fields"), [(key, fields) for key, cases in INVALID.items() for fields in cases],
    ids=lambda value: value if isinstance(value, str) else ascii(value)[:60],
)  # fmt: skip
def test_an_invalid_field_is_a_bad_request(shared: Sandbox, key: str, fields: Json) -> None:
    ids = Ids(shared)
    known, path = shared.device.state().knowledge, f"{BASE}/{PATHS.get(key, f'{key}s')}"
    content = json.dumps({key: valid(ids, key) | fields})
    status, error = refused(shared, "POST", path, content=content)
    assert (status, error["id"], error["name"]) == (400, "400", "bad_request")
    assert error["detail"].endswith("(index: 0)") is (key == "transaction")
    if key == "category":
        path += f"/{ids.category('Everyday', 'Clothing')}"
        assert refused(shared, "PATCH", path, json={key: fields})[0] == 400
    assert shared.device.state().knowledge == known


@pytest.mark.parametrize("body", [{}, {"account": None}, {"account": []}, {"name": "New"}])
def test_a_body_needs_an_object_under_its_key(shared: Sandbox, body: Json) -> None:
    status, error = refused(shared, "POST", f"{BASE}/accounts", json=body)
    assert (status, error["detail"]) == (400, "account is missing or not an object")


@pytest.mark.parametrize("missing", ["name", "category_group_id"])
def test_a_new_category_needs_a_name_and_a_group(shared: Sandbox, missing: str) -> None:
    body = {"category": valid(Ids(shared), "category") | {missing: None}}
    status, error = refused(shared, "POST", f"{BASE}/categories", json=body)
    assert (status, error["detail"]) == (400, f"{missing} is missing")


@pytest.mark.parametrize("group", ["Internal Master Category", "Credit Card Payments"])
def test_internal_groups_accept_no_new_categories(shared: Sandbox, group: str) -> None:
    body = {"category": {"name": "New", "category_group_id": Ids(shared).group(group)}}
    assert refused(shared, "POST", f"{BASE}/categories", json=body)[0] == 400


@pytest.mark.parametrize(("category", "fields"), [
    (("Internal Master Category", "Uncategorized"), {"note": "mine"}), (PAYMENT, {"name": "mine"}),
    (PAYMENT, {"goal_target": 5, "goal_frequency": "weekly"}),
    (PAYMENT, {"goal_target": 5, "goal_needs_whole_amount": True}),
    (("Savings", "New Laptop"), {"goal_needs_whole_amount": True}),
])  # fmt: skip
def test_fields_that_a_category_does_not_allow(
    shared: Sandbox, category: tuple[str, str], fields: Json
) -> None:
    path = f"{BASE}/categories/{Ids(shared).category(*category)}"
    assert refused(shared, "PATCH", path, json={"category": fields})[0] == 400


def test_what_belongs_to_the_service_cannot_be_changed(shared: Sandbox) -> None:
    ids = Ids(shared)
    inflow = ids.category("Internal Master Category", "Inflow: Ready to Assign")
    schedule = valid(ids, "scheduled_transaction") | {"category_id": ids.category(*PAYMENT)}
    for method, path, key, fields in (
        ("POST", "scheduled_transactions", "scheduled_transaction", schedule),
        ("PATCH", f"payees/{ids.transfer_to('Savings')}", "payee", {"name": "Mine"}),
        ("PATCH", f"months/current/categories/{inflow}", "category", {"budgeted": 1}),
        ("PATCH", f"category_groups/{ids.group('Internal Master Category')}", "category_group",
            {"name": "Mine"}),
    ):  # fmt: skip
        assert refused(shared, method, f"{BASE}/{path}", json={key: fields})[0] == 400, path


@pytest.mark.parametrize("value", [None, "5", 1.0, True])
def test_an_assigned_amount_must_be_an_integer(shared: Sandbox, value: Any) -> None:
    path = f"{BASE}/months/current/categories/{Ids(shared).category('Everyday', 'Groceries')}"
    assert refused(shared, "PATCH", path, json={"category": {"budgeted": value}})[0] == 400
