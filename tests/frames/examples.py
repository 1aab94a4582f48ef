"""One example for every frame, by the name of its table."""

from typing import Any

import pandas as pd

from tests.frames.columns import (
    ACCOUNT_TYPES,
    CLEARED,
    DEBT_TYPES,
    FLAG_COLORS,
    FREQUENCIES,
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

EXAMPLES: dict[str, Example] = {}

EXAMPLES["budgets"] = Example(
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

EXAMPLES["accounts"] = Example(
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

EXAMPLES["payees"] = Example(
    payload={
        "payees": [{"id": "p2", "name": "Baker", "transfer_account_id": None, "deleted": False},
            {"id": "p3", "name": "Transfer : Card", "transfer_account_id": "a2", "deleted": False},
            {"id": "p1", "name": "Baker", "transfer_account_id": None, "deleted": False, "x": 1},
            {"id": "p0", "name": "Gone", "transfer_account_id": None, "deleted": True}]},
    columns={"payee_name": text("Baker", "Baker", "Transfer : Card"),
             "payee_id": text("p1", "p2", "p3"), "transfer_account_id": text(None, None, "a2")},
    path=("payees",), required=("id", "name"), nullable=("transfer_account_id",),
)  # fmt: skip

EXAMPLES["payee_locations"] = Example(
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


EXAMPLES["categories"] = Example(
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

EXAMPLES["category_groups"] = Example(
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

EXAMPLES["months"] = Example(
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

EXAMPLES["month"] = Example(
    payload={"month": {"month": "2026-05-01", "income": 0.0,
                 "categories": [_CAR, _DELETED, _RENT, _REPAIRS]}},
    columns={"month": days("2026-05-01", "2026-05-01", "2026-05-01"), **_columns(0, 1, 2)},
    path=("month", "categories"),
    required=(*_CATEGORY_REQUIRED, "category_group_id"),
    nullable=(*_CATEGORY_NULLABLE, "category_group_name"),
)  # fmt: skip

EXAMPLES["month_categories"] = Example(
    payload={"months": [{"month": "2026-05-01", "deleted": False, "categories": [_CAR, _RENT]},
                 {"month": "2026-04-01", "deleted": False, "categories": [_REPAIRS, _DELETED]}]},
    columns={"month": days("2026-04-01", "2026-05-01", "2026-05-01"), **_columns(1, 0, 2)},
    path=("months", "categories"),
    required=(*_CATEGORY_REQUIRED, "category_group_id"),
    nullable=(*_CATEGORY_NULLABLE, "category_group_name"),
)  # fmt: skip

_SHARED = ("payee_id", "payee_name", "category_id", "category_name", "memo", "transfer_account_id")
_OF_TRANSACTIONS = (
    *_SHARED,
    *("transfer_transaction_id", "matched_transaction_id", "import_id", "import_payee_name"),
    *("import_payee_name_original", "flag_color", "flag_name", "debt_transaction_type"),
)


def _transaction(transaction_id: str, date: str, amount: float, **more: Any) -> Json:
    return (
        {"id": transaction_id, "date": date, "amount": amount, "deleted": False}
        | {"account_id": "a1", "account_name": "Checking", "approved": True, "cleared": "cleared"}
        | {**dict.fromkeys(_OF_TRANSACTIONS), "subtransactions": [], **more}
    )


def _part(part_id: str, parent_id: str, amount: float, **more: Any) -> Json:
    row = {"id": part_id, "transaction_id": parent_id, "amount": amount, "deleted": False}
    return row | dict.fromkeys((*_SHARED, "transfer_transaction_id")) | more


_ROWS = {
    "transactions": [_transaction("t3", "2026-05-17", -91.9, category_name="Split", payee_id="p1",
            payee_name="Haus & Hof", flag_color="blue", flag_name="Shared", cleared="uncleared",
            approved=False, subtransactions=[
                _part("s2", "t3", -27.57, memo="rest", category_id="c2", category_name="Goods"),
                _part("s0", "t3", -99.0, deleted=True),
                _part("s1", "t3", -64.33, payee_id="p4", payee_name="Transfer : Savings",
                      transfer_account_id="a2", transfer_transaction_id="t9")]),
        _transaction("t0", "2026-05-01", 1.0, deleted=True),
        _transaction("t2", "2026-05-17", 2100.0, payee_id="p2", payee_name="ACME", category_id="c9",
            category_name="Inflow: Ready to Assign", import_id="YNAB:2100000:2026-05-17:1",
            import_payee_name="Acme", import_payee_name_original="ACME GMBH 0815",
            matched_transaction_id="t8", memo="", cleared="reconciled",
            amount_formatted="2.100,00 €"),
        _transaction("t1", "2023-01-31", -0.001, account_id="a3", account_name="Car Loan",
            transfer_account_id="a1", transfer_transaction_id="t7",
            debt_transaction_type="payment")],
}  # fmt: skip

EXAMPLES["transactions"] = Example(
    payload=_ROWS,
    columns={"date": days("2023-01-31", "2026-05-17", "2026-05-17"),
             "account_name": text("Car Loan", "Checking", "Checking"),
             "payee_name": text(None, "ACME", "Haus & Hof"),
             "category_name": text(None, "Inflow: Ready to Assign", "Split"),
             "memo": text(None, "", None), "amount": money(-0.001, 2100.0, -91.9),
             "cleared": choices(CLEARED, "cleared", "reconciled", "uncleared"),
             "approved": flags("TTF"), "flag_color": choices(FLAG_COLORS, None, None, "blue"),
             "flag_name": text(None, None, "Shared"), "is_split": flags("FFT"),
             "debt_transaction_type": choices(DEBT_TYPES, "payment", None, None),
             "import_payee_name": text(None, "Acme", None),
             "import_payee_name_original": text(None, "ACME GMBH 0815", None),
             "transaction_id": text("t1", "t2", "t3"), "account_id": text("a3", "a1", "a1"),
             "payee_id": text(None, "p2", "p1"), "category_id": text(None, "c9", None),
             "transfer_account_id": text("a1", None, None),
             "transfer_transaction_id": text("t7", None, None),
             "matched_transaction_id": text(None, "t8", None),
             "import_id": text(None, "YNAB:2100000:2026-05-17:1", None)},
    path=("transactions",),
    required=("id", "date", "amount", "account_id", "account_name", "approved", "cleared"),
    nullable=_OF_TRANSACTIONS,
)  # fmt: skip

EXAMPLES["subtransactions"] = Example(
    payload=_ROWS,
    columns={"date": days("2026-05-17", "2026-05-17"), "account_name": text("Checking", "Checking"),
             "payee_name": text("Transfer : Savings", None), "category_name": text(None, "Goods"),
             "memo": text(None, "rest"), "amount": money(-64.33, -27.57),
             "subtransaction_id": text("s1", "s2"), "transaction_id": text("t3", "t3"),
             "account_id": text("a1", "a1"), "payee_id": text("p4", None),
             "category_id": text(None, "c2"), "transfer_account_id": text("a2", None),
             "transfer_transaction_id": text("t9", None)},
    path=("transactions", "subtransactions"),
    required=("id", "transaction_id", "amount"),
    nullable=(*_SHARED, "transfer_transaction_id"),
)  # fmt: skip


def _schedule(schedule_id: str, first: str, following: str | None, **more: Any) -> Json:
    return (
        {"id": schedule_id, "date_first": first, "date_next": following, "frequency": "monthly"}
        | {"amount": -35.0, "account_id": "a1", "account_name": "Checking", "deleted": False}
        | dict.fromkeys((*_SHARED, "flag_color", "flag_name"))
        | {"subtransactions": [], **more}
    )


def _scheduled_part(part_id: str, amount: float, **more: Any) -> Json:
    row = {"id": part_id, "scheduled_transaction_id": "d1", "amount": amount, "deleted": False}
    return row | dict.fromkeys(_SHARED) | more


_SCHEDULES = {
    "scheduled_transactions": [
        _schedule("d3", "2024-01-31", None, frequency="never", amount=-500.0),
        _schedule("d2", "2026-01-05", "2026-07-05", payee_id="p5", payee_name="Net", memo="DSL"),
        _schedule("d0", "2026-01-05", "2026-07-01", deleted=True),
        _schedule("d1", "2026-01-01", "2026-07-01", frequency="every4Weeks", amount=-60.0,
            category_name="Split", flag_color="red", flag_name="Check",
            subtransactions=[_scheduled_part("e2", -20.0, transfer_account_id="a2", payee_id="p4"),
                _scheduled_part("e1", -40.0, category_id="c1", category_name="Food", memo="m"),
                _scheduled_part("e0", -1.0, deleted=True)])],
}  # fmt: skip

EXAMPLES["scheduled_transactions"] = Example(
    payload=_SCHEDULES,
    columns={"date_next": days("2026-07-01", "2026-07-05", None),
             "account_name": text("Checking", "Checking", "Checking"),
             "payee_name": text(None, "Net", None), "category_name": text("Split", None, None),
             "memo": text(None, "DSL", None), "amount": money(-60.0, -35.0, -500.0),
             "frequency": choices(FREQUENCIES, "every4Weeks", "monthly", "never"),
             "date_first": days("2026-01-01", "2026-01-05", "2024-01-31"),
             "flag_color": choices(FLAG_COLORS, "red", None, None),
             "flag_name": text("Check", None, None), "is_split": flags("TFF"),
             "scheduled_transaction_id": text("d1", "d2", "d3"),
             "account_id": text("a1", "a1", "a1"), "payee_id": text(None, "p5", None),
             "category_id": text(None, None, None), "transfer_account_id": text(None, None, None)},
    path=("scheduled_transactions",),
    required=("id", "date_first", "frequency", "amount", "account_id", "account_name"),
    nullable=(*_SHARED, "flag_color", "flag_name", "date_next"),
)  # fmt: skip

EXAMPLES["scheduled_subtransactions"] = Example(
    payload=_SCHEDULES,
    columns={"date_next": days("2026-07-01", "2026-07-01"),
             "account_name": text("Checking", "Checking"), "payee_name": text(None, None),
             "category_name": text("Food", None), "memo": text("m", None),
             "amount": money(-40.0, -20.0), "scheduled_subtransaction_id": text("e1", "e2"),
             "scheduled_transaction_id": text("d1", "d1"), "account_id": text("a1", "a1"),
             "payee_id": text(None, "p4"), "category_id": text("c1", None),
             "transfer_account_id": text(None, "a2")},
    path=("scheduled_transactions", "subtransactions"),
    required=("id", "scheduled_transaction_id", "amount"),
    nullable=_SHARED,
)  # fmt: skip

EXAMPLES["money_movements"] = Example(
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

EXAMPLES["money_movement_groups"] = Example(
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


EXAMPLES["money_movement_records"] = Example(
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

EXAMPLES["money_movement_group_records"] = Example(
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
