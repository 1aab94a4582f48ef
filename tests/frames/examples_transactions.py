"""Examples of the frames of transactions and schedules."""

from typing import Any

from tests.frames.columns import (
    CLEARED,
    DEBT_TYPES,
    FLAG_COLORS,
    FREQUENCIES,
    Example,
    Json,
    choices,
    days,
    flags,
    money,
    text,
)

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

TRANSACTIONS = Example(
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

SUBTRANSACTIONS = Example(
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

SCHEDULED_TRANSACTIONS = Example(
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

SCHEDULED_SUBTRANSACTIONS = Example(
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
