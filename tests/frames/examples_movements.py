"""Examples of the frames of money movements, in both shapes."""

from typing import Any

from tests.frames.columns import Example, Json, days, moments, money, text

MONEY_MOVEMENTS = Example(
    payload={"money_movements": [{"category_name": "Rent", "category_group_name": "Home"}
                  | {"allocation": 1150.0, "spent": 1150.0, "income": 0.0},
                 {"category_name": "Food", "category_group_name": "Everyday"}
                  | {"allocation": 430.5, "spent": 401.27, "income": 12.99, "unknown": 1}]},
    columns={"category_group_name": text("Everyday", "Home"), "category_name": text("Food", "Rent"),
             "allocation": money(430.5, 1150.0), "spent": money(401.27, 1150.0),
             "income": money(12.99, 0.0)},
    path=("money_movements",),
    required=("category_name", "allocation", "spent", "income"),
    nullable=("category_group_name",),
)  # fmt: skip

MONEY_MOVEMENT_GROUPS = Example(
    payload={"money_movement_groups": [
                 {"category_group_name": "Home", "allocation": 1.25, "spent": 1.0, "income": 0.0},
                 {"category_group_name": "Car", "allocation": 0.0, "spent": 0.1, "income": 9.0}]},
    columns={"category_group_name": text("Car", "Home"), "allocation": money(0.0, 1.25),
             "spent": money(0.1, 1.0), "income": money(9.0, 0.0)},
    path=("money_movement_groups",),
    required=("category_group_name", "allocation", "spent", "income"),
)  # fmt: skip


def _move(move_id: str, moved_at: str | None, amount: float, **more: Any) -> Json:
    nullable = ("from_category_id", "to_category_id", "note", "money_movement_group_id")
    row = {"id": move_id, "month": "2026-06-01", "moved_at": moved_at, "amount": amount}
    return row | dict.fromkeys((*nullable, "performed_by_user_id")) | more


MONEY_MOVEMENT_RECORDS = Example(
    payload={"money_movements": [_move("m2", "2026-06-03T08:00:00Z", 25.0, from_category_id="c1",
                                       to_category_id="c2"),
                 _move("m1", "2026-06-01T07:59:59Z", 430.125, to_category_id="c1", note="plan",
                       money_movement_group_id="k1", performed_by_user_id="u1",
                       amount_currency=430.13)]},
    columns={"moved_at": moments("2026-06-01 07:59:59", "2026-06-03 08:00:00"),
             "month": days("2026-06-01", "2026-06-01"), "amount": money(430.125, 25.0),
             "note": text("plan", None), "money_movement_id": text("m1", "m2"),
             "from_category_id": text(None, "c1"), "to_category_id": text("c1", "c2"),
             "money_movement_group_id": text("k1", None), "performed_by_user_id": text("u1", None)},
    path=("money_movements",), required=("id", "amount"),
    nullable=("from_category_id", "to_category_id", "note", "money_movement_group_id",
        "performed_by_user_id", "moved_at", "month"),
)  # fmt: skip

MONEY_MOVEMENT_GROUP_RECORDS = Example(
    payload={"money_movement_groups": [{"id": "k2", "group_created_at": "2026-06-02T00:00:00Z"}
                  | {"month": "2026-06-01", "note": None, "performed_by_user_id": None},
                 {"id": "k1", "group_created_at": "2026-06-01T23:59:59Z"}
                  | {"month": "2026-05-01", "note": "Monthly plan", "performed_by_user_id": "u1"}]},
    columns={"group_created_at": moments("2026-06-01 23:59:59", "2026-06-02 00:00:00"),
             "month": days("2026-05-01", "2026-06-01"), "note": text("Monthly plan", None),
             "money_movement_group_id": text("k1", "k2"), "performed_by_user_id": text("u1", None)},
    path=("money_movement_groups",),
    required=("id", "group_created_at", "month"),
    nullable=("note", "performed_by_user_id"),
)  # fmt: skip
