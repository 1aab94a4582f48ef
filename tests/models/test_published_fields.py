"""Every field of the published description is a column and a field of a model, or has a reason.

The names are those of `VERSION`. The fields ``*_formatted`` and ``*_currency``, which repeat
an amount in another form, are left out of this list, of the columns and of the models.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from budgetframe import models
from budgetframe.frames import TABLES

VERSION = "1.86.0"
SHA_256 = "da7a78345b34b0fa6e50c39709cf860cb869c70d137d506c925d8b1886f3a98b"
"""Of the text with the fields below: the description can change without another version."""


def is_described(path: Path) -> bool:
    """Whether a file is the text of the published description that these fields were taken from."""
    return hashlib.sha256(path.read_bytes()).hexdigest() == SHA_256


DELETED = "rows that are deleted are left out; include_deleted=True adds the column"
BANK = "state of the connection to the bank, which does not belong to the budget"
LOAN = "terms of a loan: a map of months, which is not a column; extra=True keeps it"
STATE = "internal state of the service's own applications; extra=True keeps it"
PARTS = "a table of its own"
NESTED = "the column has the id of the transaction that the part is nested in"
FORMAT = "in frame.attrs and in settings()"


class Published(NamedTuple):
    """The fields of a record, and those without a column or without a field of the model."""

    fields: str
    tables: str
    not_columns: dict[str, str] = {}  # noqa: RUF012 - never changed
    not_in_model: dict[str, str] = {}  # noqa: RUF012 - never changed


_DEBT = ("debt_original_balance", "debt_interest_rates", "debt_minimum_payments")
LOANS = dict.fromkeys((*_DEBT, "debt_escrow_amounts"), LOAN)
BANKING = dict.fromkeys(
    ("direct_import_linked", "direct_import_in_error", "last_reconciled_at"), BANK
)
GOALS = dict.fromkeys(("internal", "original_category_group_id"), STATE)
GONE = {"deleted": DELETED}
FORMATS = dict.fromkeys(("date_format", "currency_format"), FORMAT)
OLDER = {"goal_target_month": "deprecated: its value is in goal_target_date if that has none"}

MODELS: dict[str, type[BaseModel]] = {
    "PlanSummary": models.BudgetSummary, "MoneyMovement": models.MoneyMovementRecord,
    "MoneyMovementGroup": models.MoneyMovementGroupRecord,
}  # fmt: skip
"""The models of the records with another name."""
PUBLISHED = {
    "PlanSummary": Published(
        "id name last_modified_on first_month last_month date_format currency_format accounts",
        "budgets",
        FORMATS | {"accounts": PARTS},
        FORMATS | {"accounts": PARTS},
    ),
    "Account": Published(
        "id name type on_budget closed note balance cleared_balance uncleared_balance"
        " transfer_payee_id direct_import_linked direct_import_in_error last_reconciled_at"
        " debt_original_balance debt_interest_rates debt_minimum_payments debt_escrow_amounts"
        " deleted",
        "accounts",
        LOANS | BANKING | GONE,
        LOANS | BANKING,
    ),
    "CategoryGroupWithCategories": Published(
        "id name hidden internal deleted categories", "category_groups",
        {"internal": STATE, "categories": PARTS} | GONE, {"internal": STATE},
    ),
    "Category": Published(
        "id category_group_id category_group_name name hidden internal original_category_group_id"
        " note budgeted activity balance goal_type goal_needs_whole_amount goal_day goal_cadence"
        " goal_cadence_frequency goal_creation_month goal_target goal_target_month"
        " goal_target_date goal_percentage_complete goal_months_to_budget goal_under_funded"
        " goal_overall_funded goal_overall_left goal_snoozed_at deleted",
        "month month_categories",
        GOALS | GONE | OLDER,
        GOALS,
    ),
    "Payee": Published("id name transfer_account_id deleted", "payees", GONE),
    "PayeeLocation": Published("id payee_id latitude longitude deleted", "payee_locations", GONE),
    "TransactionDetail": Published(
        "id date amount memo cleared approved flag_color flag_name account_id payee_id category_id"
        " transfer_account_id transfer_transaction_id matched_transaction_id import_id"
        " import_payee_name import_payee_name_original debt_transaction_type deleted account_name"
        " payee_name category_name subtransactions",
        "transactions",
        GONE,
    ),
    "SubTransaction": Published(
        "id transaction_id amount memo payee_id payee_name category_id category_name"
        " transfer_account_id transfer_transaction_id deleted",
        "subtransactions",
        GONE | {"transaction_id": NESTED},
    ),
    "ScheduledTransactionDetail": Published(
        "id date_first date_next frequency amount memo flag_color flag_name account_id payee_id"
        " category_id transfer_account_id deleted account_name payee_name category_name"
        " subtransactions",
        "scheduled_transactions",
        GONE,
    ),
    "ScheduledSubTransaction": Published(
        "id scheduled_transaction_id amount memo payee_id payee_name category_id category_name"
        " transfer_account_id deleted",
        "scheduled_subtransactions",
        GONE | {"scheduled_transaction_id": NESTED},
    ),
    "MonthSummary": Published(
        "month note income budgeted activity to_be_budgeted age_of_money deleted", "months", GONE
    ),
    "MonthDetail": Published(
        "month note income budgeted activity to_be_budgeted age_of_money deleted categories",
        "months",
        GONE | {"categories": PARTS},
        {"deleted": "the specification of this package defines the record without it"},
    ),
    "MoneyMovement": Published(
        "id month moved_at note money_movement_group_id performed_by_user_id from_category_id"
        " to_category_id amount",
        "money_movement_records",
    ),
    "MoneyMovementGroup": Published(
        "id group_created_at month note performed_by_user_id", "money_movement_group_records"
    ),
}  # fmt: skip


def test_every_published_field_is_a_column_or_has_a_reason() -> None:
    for name, published in PUBLISHED.items():
        for table in published.tables.split():
            sources = {column.source for column in TABLES[table].columns}
            missing = set(published.fields.split()) - sources
            assert missing == set(published.not_columns), (name, table)


def test_every_published_field_is_in_the_model_or_has_a_reason() -> None:
    for name, published in PUBLISHED.items():
        model = MODELS.get(name) or getattr(models, name)
        missing = set(published.fields.split()) - set(model.model_fields)
        assert missing == set(published.not_in_model), name


def test_the_lists_of_an_export_are_the_published_ones() -> None:
    lists = (
        "accounts payees payee_locations category_groups categories months transactions"
        " subtransactions scheduled_transactions scheduled_subtransactions"
    )
    own = set(models.BudgetDetail.model_fields) - set(models.BudgetSummary.model_fields)
    assert own == set(lists.split())


def test_another_text_of_the_description_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "description.yaml"
    path.write_text(f"openapi: 3.1.0\ninfo:\n  version: {VERSION}\n", "utf-8")
    assert not is_described(path)
