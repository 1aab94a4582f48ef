"""Examples of the frames of budgets, accounts, payees, categories and months."""

from typing import Any

import pandas as pd

from tests.frames.columns import (
    ACCOUNT_TYPES,
    GOAL_TYPES,
    Example,
    Json,
    choices,
    counts,
    days,
    flags,
    moments,
    money,
    text,
)

BUDGETS = Example(
    payload={"budgets": [{"id": "b2", "name": "Shop", "last_modified_on": "2026-06-17T12:00:05Z"}
                  | {"first_month": "2025-01-01", "last_month": "2026-06-01"}
                  | {"date_format": {"format": "DD.MM.YYYY"}},
                 {"id": "b1", "name": "Home", "last_modified_on": "2026-06-17T14:30:00.250+02:00"}
                  | {"first_month": "2023-01-01", "last_month": "2026-07-01"}],
             "default_budget": None},
    columns={"budget_name": text("Home", "Shop"), "first_month": days("2023-01-01", "2025-01-01"),
             "last_month": days("2026-07-01", "2026-06-01"),
             "last_modified_on": moments("2026-06-17 12:30:00.250", "2026-06-17 12:00:05"),
             "budget_id": text("b1", "b2")},
    path=("budgets",), required=("id", "name"),
)  # fmt: skip


def _account(account_id: str, name: str, kind: str, cleared: float, **more: Any) -> Json:
    return (
        {"id": account_id, "name": name, "type": kind, "on_budget": True, "closed": False}
        | {"balance": cleared, "cleared_balance": cleared, "uncleared_balance": 0.0}
        | {"note": None, "transfer_payee_id": None, "deleted": False}
        | more
    )


_CHECKING = {"balance": 1234.56, "uncleared_balance": -65.44, "note": "Salary"}
_CHECKING |= {"transfer_payee_id": "p9", "debt_interest_rates": {}}
_CARD = {"balance": -0.01, "uncleared_balance": -0.01, "note": "", "transfer_payee_id": "p8"}

ACCOUNTS = Example(
    payload={"accounts": [_account("a3", "Attic", "savings", 0.0, on_budget=False, closed=True),
                 _account("a1", "Checking", "checking", 1300.0, **_CHECKING),
                 _account("a2", "Card", "creditCard", 0.0, **_CARD),
                 _account("a0", "Gone", "cash", 7.0, deleted=True)]},
    columns={"account_name": text("Card", "Checking", "Attic"),
             "account_type": choices(ACCOUNT_TYPES, "creditCard", "checking", "savings"),
             "balance": money(-0.01, 1234.56, 0.0), "cleared_balance": money(0.0, 1300.0, 0.0),
             "uncleared_balance": money(-0.01, -65.44, 0.0), "on_budget": flags("TTF"),
             "closed": flags("FFT"), "note": text("", "Salary", None),
             "account_id": text("a2", "a1", "a3"), "transfer_payee_id": text("p8", "p9", None)},
    path=("accounts",),
    required=("id", "name", "type", "on_budget", "closed", "balance", "cleared_balance",
        "uncleared_balance"),
    nullable=("note", "transfer_payee_id"),
)  # fmt: skip

PAYEES = Example(
    payload={
        "payees": [{"id": "p2", "name": "Baker", "transfer_account_id": None, "deleted": False},
            {"id": "p3", "name": "Transfer : Card", "transfer_account_id": "a2", "deleted": False},
            {"id": "p1", "name": "Baker", "transfer_account_id": None, "deleted": False, "x": 1},
            {"id": "p0", "name": "Gone", "transfer_account_id": None, "deleted": True}]},
    columns={"payee_name": text("Baker", "Baker", "Transfer : Card"),
             "payee_id": text("p1", "p2", "p3"), "transfer_account_id": text(None, None, "a2")},
    path=("payees",), required=("id", "name"), nullable=("transfer_account_id",),
)  # fmt: skip

PAYEE_LOCATIONS = Example(
    payload={
        "payee_locations": [{"id": "l2", "payee_id": "p1", "deleted": False}
             | {"latitude": "52.520008", "longitude": "-13.404954"},
            {"id": "l1", "payee_id": "p1", "latitude": None, "longitude": 9.5, "deleted": False},
            {"id": "l0", "payee_id": "p0", "latitude": "1", "longitude": "2", "deleted": True}]},
    columns={"latitude": money(None, 52.520008), "longitude": money(9.5, -13.404954),
             "payee_location_id": text("l1", "l2"), "payee_id": text("p1", "p1")},
    path=("payee_locations",), required=("id", "payee_id"),
    nullable=("latitude", "longitude"),
)  # fmt: skip


_CATEGORY_REQUIRED = ("id", "name", "hidden", "budgeted", "activity", "balance")
_CATEGORY_NULLABLE = (
    *("note", "goal_type", "goal_target", "goal_target_date", "goal_percentage_complete"),
    *("goal_months_to_budget", "goal_under_funded", "goal_overall_funded", "goal_overall_left"),
    *("goal_cadence", "goal_cadence_frequency", "goal_day", "goal_needs_whole_amount"),
    *("goal_creation_month", "goal_snoozed_at"),
)


def _category(category_id: str, name: str, group: str, **more: Any) -> Json:
    return (
        {"id": category_id, "name": name, "hidden": False, "deleted": False}
        | {"category_group_id": f"g-{group}", "category_group_name": group}
        | {"budgeted": 10.0, "activity": -2.5, "balance": 7.5}
        | dict.fromkeys(_CATEGORY_NULLABLE)
        | more
    )


_RENT = _category("c1", "Rent", "Home", hidden=True, budgeted=1150.0, activity=-1150.0, balance=0.0)
_GOAL = (
    {"goal_type": "TBD", "goal_target": 9000.0, "goal_percentage_complete": 25}
    | {"goal_target_date": "2027-12-24", "goal_target_month": "2027-12-01"}
    | {"goal_months_to_budget": 18, "goal_under_funded": 75.125, "goal_overall_left": 6750.0}
    | {"goal_overall_funded": 2_250_000}  # in milliunits: the client leaves this one field alone
    | {"goal_cadence": 13, "goal_cadence_frequency": 2, "goal_day": 24}
    | {"goal_needs_whole_amount": False, "goal_creation_month": "2025-12-01"}
    | {"goal_snoozed_at": "2026-06-02T08:30:00Z"}
)
_CAR = _category("c2", "Car", "Savings", note="Next one", **_GOAL)
_REPAIRS = _category("c3", "Repairs", "Home")
_DELETED = _category("c0", "Gone", "Home", deleted=True)


def _columns(*order: int) -> dict[str, Any]:
    """The expected columns of Rent (0), Repairs (1) and Car (2)."""

    def pick(*values: Any) -> list[Any]:
        return [values[position] for position in order]

    return {
        "category_group_name": text(*pick("Home", "Home", "Savings")),
        "category_name": text(*pick("Rent", "Repairs", "Car")),
        "budgeted": money(*pick(1150.0, 10.0, 10.0)),
        "activity": money(*pick(-1150.0, -2.5, -2.5)),
        "balance": money(*pick(0.0, 7.5, 7.5)),
        "hidden": flags("".join(pick("T", "F", "F"))),
        "goal_type": choices(GOAL_TYPES, *pick(None, None, "TBD")),
        "goal_target": money(*pick(None, None, 9000.0)),
        "goal_target_date": days(*pick(None, None, "2027-12-24")),
        "goal_percentage_complete": counts(*pick(None, None, 25)),
        "goal_months_to_budget": counts(*pick(None, None, 18)),
        "goal_under_funded": money(*pick(None, None, 75.125)),
        "goal_overall_funded": money(*pick(None, None, 2250.0)),
        "goal_overall_left": money(*pick(None, None, 6750.0)),
        "note": text(*pick(None, None, "Next one")),
        "goal_cadence": counts(*pick(None, None, 13)),
        "goal_cadence_frequency": counts(*pick(None, None, 2)),
        "goal_day": counts(*pick(None, None, 24)),
        "goal_needs_whole_amount": pd.Series(pick(None, None, 0), dtype="boolean"),
        "goal_creation_month": days(*pick(None, None, "2025-12-01")),
        "goal_snoozed_at": moments(*pick(None, None, "2026-06-02T08:30:00Z")),
        "category_id": text(*pick("c1", "c3", "c2")),
        "category_group_id": text(*pick("g-Home", "g-Home", "g-Savings")),
    }


CATEGORIES = Example(
    payload={
        "category_groups": [
            {"id": "g-Savings", "name": "Savings", "hidden": False, "deleted": False}
            | {"categories": [_CAR]},
            {"id": "g-Empty", "name": "A", "hidden": False, "deleted": False, "categories": []},
            {"id": "g-Home", "name": "Home", "hidden": False, "deleted": False}
            | {"categories": [_RENT, _DELETED, _REPAIRS]},
        ]
    },
    columns=_columns(0, 1, 2),
    path=("category_groups", "categories"),
    required=_CATEGORY_REQUIRED,
    nullable=_CATEGORY_NULLABLE,
)

CATEGORY_GROUPS = Example(
    payload={
        "category_groups": [
            {"id": "g2", "name": "Home", "hidden": False, "deleted": False, "internal": False},
            {"id": "g1", "name": "A", "hidden": True, "deleted": False, "categories": []},
            {"id": "g0", "name": "Gone", "hidden": False, "deleted": True, "categories": []},
            {"id": "g3", "name": None, "hidden": False, "deleted": False, "categories": [_CAR]}]},
    columns={"category_group_name": text("A", "Home", None), "hidden": flags("TFF"),
             "category_group_id": text("g1", "g2", "g3")},
    path=("category_groups",), required=("id", "hidden"), nullable=("name",),
)  # fmt: skip

MONTHS = Example(
    payload={
        "months": [{"month": "2026-06-01", "deleted": False, "age_of_money": None, "note": "short"}
             | {"income": 0.0, "budgeted": 80.0, "activity": -12.34, "to_be_budgeted": -80.0},
            {"month": "2026-05-01", "deleted": False, "age_of_money": 31, "note": None}
             | {"income": 2100.0, "budgeted": 2000.5, "activity": -1999.99, "to_be_budgeted": 99.5},
            {"month": "2026-04-01", "deleted": True, "age_of_money": 1}
             | dict.fromkeys(("income", "budgeted", "activity", "to_be_budgeted"), 1.0)]},
    columns={"month": days("2026-05-01", "2026-06-01"), "income": money(2100.0, 0.0),
             "budgeted": money(2000.5, 80.0), "activity": money(-1999.99, -12.34),
             "to_be_budgeted": money(99.5, -80.0), "age_of_money": counts(31, None),
             "note": text(None, "short")},
    path=("months",),
    required=("month", "income", "budgeted", "activity", "to_be_budgeted"),
    nullable=("age_of_money", "note"),
)  # fmt: skip

MONTH = Example(
    payload={"month": {"month": "2026-05-01", "income": 0.0,
                 "categories": [_CAR, _DELETED, _RENT, _REPAIRS]}},
    columns={"month": days("2026-05-01", "2026-05-01", "2026-05-01"), **_columns(0, 1, 2)},
    path=("month", "categories"),
    required=(*_CATEGORY_REQUIRED, "category_group_id"),
    nullable=(*_CATEGORY_NULLABLE, "category_group_name"),
)  # fmt: skip

MONTH_CATEGORIES = Example(
    payload={"months": [{"month": "2026-05-01", "deleted": False, "categories": [_CAR, _RENT]},
                 {"month": "2026-04-01", "deleted": False, "categories": [_REPAIRS, _DELETED]}]},
    columns={"month": days("2026-04-01", "2026-05-01", "2026-05-01"), **_columns(1, 0, 2)},
    path=("months", "categories"),
    required=(*_CATEGORY_REQUIRED, "category_group_id"),
    nullable=(*_CATEGORY_NULLABLE, "category_group_name"),
)  # fmt: skip
