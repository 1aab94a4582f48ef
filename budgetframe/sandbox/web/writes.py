"""The operations that change a budget: POST, PATCH, PUT and DELETE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from budgetframe.sandbox.errors import ApiError, bad_request
from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.goals import updated_goal
from budgetframe.sandbox.state.rows import Category, ScheduledTransaction, Transaction
from budgetframe.sandbox.state.transactions import NewPart

from . import validation
from .request import BudgetRequest
from .responses import Json

_MONTHS_AHEAD = 120
_TRANSFER_PREFIX = "Transfer : "


def create_account(call: BudgetRequest) -> Json:
    """Create an account with a transfer payee and a starting balance."""
    fields = call.fields("account", validation.ACCOUNT, "name", "type", "balance")
    row = call.editor.accounts.open(fields["name"], fields["type"], fields["balance"])
    return {"account": call.serializer.account(row)}


def create_payee(call: BudgetRequest) -> Json:
    """Create a payee, even if another one has the same name."""
    row = call.editor.payees.add(call.fields("payee", validation.PAYEE, "name")["name"])
    return call.with_knowledge(payee=call.serializer.payee(row))


def update_payee(call: BudgetRequest) -> Json:
    """Rename a payee."""
    row = call.find(call.budget.payees, "payee_id")
    if row.transfer_account_id is not None:
        raise bad_request("the name of a transfer payee follows from its account")
    fields = call.fields("payee", validation.PAYEE)
    if fields:
        call.editor.payees.rename(row, fields["name"])
    return call.with_knowledge(payee=call.serializer.payee(row))


def create_group(call: BudgetRequest) -> Json:
    """Create a category group."""
    fields = call.fields("category_group", validation.GROUP, "name")
    row = call.editor.categories.add_group(fields["name"])
    return call.with_knowledge(category_group=call.serializer.group(row))


def update_group(call: BudgetRequest) -> Json:
    """Rename a category group."""
    row = call.find(call.budget.groups, "category_group_id")
    if row.internal:
        raise bad_request("an internal category group cannot be changed")
    fields = call.fields("category_group", validation.GROUP, "name")
    call.editor.categories.edit_group(row, **fields)
    return call.with_knowledge(category_group=call.serializer.group(row))


def create_category(call: BudgetRequest) -> Json:
    """Create a category, with a goal if the body contains a target."""
    fields = call.fields("category", validation.CATEGORY, "name", "category_group_id")
    goal = updated_goal(fields, None, is_payment=False, month=call.budget.current_month)
    group_id, note = fields["category_group_id"], fields.get("note")
    row = call.editor.categories.add(fields["name"], group_id, note=note, goal=goal)
    return _category(call, row, call.budget.current_month)


def update_category(call: BudgetRequest) -> Json:
    """Update the fields of a category that the body contains."""
    row = call.find(call.budget.categories, "category_id")
    if row.internal:
        raise bad_request("an internal category cannot be changed")
    fields = call.fields("category", validation.CATEGORY)
    is_payment = row.payment_account_id is not None
    if is_payment and fields.keys() & {"name", "category_group_id"}:
        raise bad_request(
            "the name and group of a Credit Card Payment category follow from its account"
        )
    changes: Json = {name: fields[name] for name in ("name", "note") if name in fields}
    if "category_group_id" in fields:
        changes["group_id"] = fields["category_group_id"]
    month = call.budget.current_month
    changes["goal"] = updated_goal(fields, row.goal, is_payment=is_payment, month=month)
    if any(getattr(row, name) != value for name, value in changes.items()):
        call.editor.categories.edit(row, **changes)
    return _category(call, row, call.budget.current_month)


def assign(call: BudgetRequest) -> Json:
    """Assign an amount to a category in a month; a future month is created."""
    number = call.month_number
    if number > call.budget.current_month + _MONTHS_AHEAD or number < call.budget.first_month:
        raise ApiError("404.2")
    row = call.find(call.budget.categories, "category_id")
    if row.internal:
        raise bad_request("nothing can be assigned to an internal category")
    fields = call.fields("category", validation.MONTH_CATEGORY, "budgeted")
    call.editor.categories.assign(row, number, fields["budgeted"])
    return _category(call, row, number)


def _category(call: BudgetRequest, row: Category, month: int) -> Json:
    return call.with_knowledge(category=call.serializer.category(row, month))


@dataclass(slots=True)
class Draft:
    """The valid content of a request for one transaction; nothing is changed yet."""

    fields: Json
    parts: list[Json] | None
    target: Transaction | None = None

    def resolve(self, editor: BudgetEditor) -> tuple[Json, list[NewPart] | None]:
        """Return the fields and parts with payee ids; unknown payee names are added."""
        fields = with_payee(editor, self.fields)
        if self.parts is None:
            return fields, None
        return fields, [NewPart(**with_payee(editor, part)) for part in self.parts]


def with_payee(editor: BudgetEditor, fields: Json) -> Json:
    """Replace the name of a payee with its id; add the payee if it is unknown."""
    # A rule can rename the payee of a row with an import id.
    fields = dict(fields)
    name = fields.pop("payee_name", None)
    if fields.get("import_id") is not None:
        name = editor.budget.payee_rules.get(name, name)
    if name and fields.get("payee_id") is None:
        fields["payee_id"] = editor.payees.get_or_add(name).id
    return fields


def _ignore_payment_category(call: BudgetRequest, fields: Json) -> None:
    key = fields.get("category_id")
    if key is not None and call.budget.categories[key].payment_account_id is not None:
        del fields["category_id"]


def _draft(call: BudgetRequest, raw: Any, target: Transaction | None) -> Draft:
    budget = call.budget
    if target is not None and target.parts:
        fields = validation.read(budget, raw, validation.SPLIT)
        fields.pop("import_id", None)
        _check_split(call, fields, None)
        return Draft(fields, None, target)
    required = ("account_id", "date", "amount") if target is None else ()
    fields = validation.read(budget, raw, validation.TRANSACTION, required)
    _ignore_payment_category(call, fields)
    if target is not None:
        # An import id never changes; in an update it only selects the transaction.
        fields.pop("import_id", None)
    parts = _parts(call, raw, fields, target)
    if target is None:
        for row in (fields, *(parts or ())):
            _check_new_payee(row)
    return Draft(fields, parts, target)


def _check_new_payee(fields: Json) -> None:
    """Refuse the name of a transfer payee: a new transfer needs the id of its payee."""
    name = fields.get("payee_name")
    if name and fields.get("payee_id") is None and name.startswith(_TRANSFER_PREFIX):
        raise bad_request("payee_name must not be that of a transfer, use payee_id")


def _check_split(call: BudgetRequest, fields: Json, target: Transaction | None) -> None:
    """Refuse a split in a tracking account, and a split of a transfer."""
    given: Json = {}
    if target is not None:
        given = {"account_id": target.account_id, "payee_id": target.payee_id}
    given |= fields
    if "account_id" in given and not call.budget.accounts[given["account_id"]].on_budget:
        raise bad_request("a transaction in a tracking account cannot have subtransactions")
    payee_id = given.get("payee_id")
    if payee_id is not None and call.budget.payees[payee_id].transfer_account_id is not None:
        raise bad_request("a transfer cannot have subtransactions")


def _parts(
    call: BudgetRequest, raw: Json, fields: Json, target: Transaction | None
) -> list[Json] | None:
    given = raw.get("subtransactions")
    if given is None or given == []:
        return None
    if not isinstance(given, list):
        raise bad_request("subtransactions must be an array")
    parts = [validation.read(call.budget, part, validation.PART, ("amount",)) for part in given]
    for part in parts:
        _ignore_payment_category(call, part)
    amount = fields.get("amount", 0 if target is None else target.amount)
    if sum(part["amount"] for part in parts) != amount:
        raise bad_request("amount must equal the sum of subtransaction amounts")
    _check_split(call, fields, target)
    return parts


def _drafts(rows: list[Any], draft: Callable[[Any], Draft]) -> list[Draft]:
    """Check all rows before the first change; an error names the index of its row."""
    drafts = []
    for index, raw in enumerate(rows):
        try:
            drafts.append(draft(raw))
        except ApiError as error:
            detail = f"{error.detail} (index: {index})"
            raise ApiError(error.error_id, detail) from None
    return drafts


def _rows(body: Json) -> list[Any]:
    rows = body.get("transactions")
    if not isinstance(rows, list) or not rows:
        raise bad_request("transactions is missing or not an array of objects")
    return rows


def _saved(call: BudgetRequest, rows: list[Transaction]) -> Json:
    return call.with_knowledge(transaction_ids=[row.id for row in rows])


def create_transactions(call: BudgetRequest) -> Json:
    """Create one transaction or several; of several, those with a used import id are skipped."""
    body = call.body()
    if isinstance(body.get("transaction"), dict):
        return _create_transaction(call, body["transaction"])
    drafts = _drafts(_rows(body), lambda raw: _draft(call, raw, None))
    rows, duplicates = [], []
    with call.editor.write():
        for draft in drafts:
            if _is_duplicate(call, draft):
                duplicates.append(draft.fields["import_id"])
            else:
                rows.append(_add(call, draft))
    return _saved(call, rows) | {
        "transactions": [call.serializer.transaction(row) for row in rows],
        "duplicate_import_ids": duplicates,
    }


def _create_transaction(call: BudgetRequest, raw: Json) -> Json:
    (draft,) = _drafts([raw], lambda raw: _draft(call, raw, None))
    if _is_duplicate(call, draft):
        raise ApiError(
            "409", "A transaction with this import_id already exists on the same account"
        )
    with call.editor.write():
        row = _add(call, draft)
    return _saved(call, [row]) | {"transaction": call.serializer.transaction(row)}


def _is_duplicate(call: BudgetRequest, draft: Draft) -> bool:
    key = (draft.fields["account_id"], draft.fields.get("import_id"))
    return key in call.budget.import_ids


def _add(call: BudgetRequest, draft: Draft) -> Transaction:
    fields, parts = draft.resolve(call.editor)
    if fields.get("import_id") is None:
        return call.editor.transactions.add(parts=parts or (), **fields)
    payee_id = fields.get("payee_id")
    name = None if payee_id is None else call.budget.payees[payee_id].name
    name = draft.fields.get("payee_name") or name
    fields |= {"import_payee_name": name, "import_payee_name_original": name}
    return call.editor.imports.add(parts=parts or (), **fields)


def import_transactions(call: BudgetRequest) -> Json:
    """Import the rows that the banks of linked accounts offer."""
    return {"transaction_ids": [row.id for row in call.editor.imports.import_bank_rows()]}


def status_of_import(data: Json) -> int:
    """Return 201 if the import added a transaction, otherwise 200."""
    return 201 if data["transaction_ids"] else 200


def update_transactions(call: BudgetRequest) -> Json:
    """Update several transactions, selected by id or import id."""
    drafts = _drafts(_rows(call.body()), lambda raw: _draft(call, raw, _target(call, raw)))
    rows = _edit(call, drafts)
    return _saved(call, rows) | {
        "transactions": [call.serializer.transaction(row) for row in rows],
        "duplicate_import_ids": [],
    }


def _target(call: BudgetRequest, raw: Any) -> Transaction:
    """Return the transaction with the id of the body, or with its import id if it has no id."""
    if not isinstance(raw, dict):
        raise bad_request("must be an object")
    if raw.get("id") is not None:
        row = call.budget.transactions.find(raw["id"])
        if row is None:
            raise bad_request("no transaction has this id")
        return row
    if raw.get("import_id") is None:
        raise bad_request("one of id and import_id must be given")
    import_id = validation.text()(call.budget, "import_id", raw["import_id"])
    for account in call.budget.accounts.live():
        key = call.budget.import_ids.get((account.id, import_id))
        row = call.budget.transactions.find(key)
        if row is not None:
            return row
    raise bad_request("no transaction has this import_id")


def _edit(call: BudgetRequest, drafts: list[Draft]) -> list[Transaction]:
    """Change transactions; one that an earlier change of the batch deleted is left out."""
    rows = []
    with call.editor.write():
        for draft in drafts:
            row = draft.target
            if row is not None and not row.deleted:
                fields, parts = draft.resolve(call.editor)
                call.editor.transactions.edit(row, fields, parts)
                rows.append(row)
    return rows


def update_transaction(call: BudgetRequest) -> Json:
    """Update the fields of a transaction that the body contains."""
    row = call.find(call.budget.transactions, "transaction_id")
    _edit(call, [_draft(call, call.wrapped("transaction"), row)])
    return call.with_knowledge(transaction=call.serializer.transaction(row))


def delete_transaction(call: BudgetRequest) -> Json:
    """Delete one transaction."""
    row = call.find(call.budget.transactions, "transaction_id")
    call.editor.transactions.delete(row)
    return call.with_knowledge(transaction=call.serializer.transaction(row))


def create_scheduled(call: BudgetRequest) -> Json:
    """Create a scheduled transaction."""
    fields = call.fields("scheduled_transaction", validation.SCHEDULED, "account_id", "date")
    _check_new_payee(fields)
    with call.editor.write():
        row = call.editor.schedules.add(**with_payee(call.editor, fields))
    return _scheduled(call, row)


def update_scheduled(call: BudgetRequest) -> Json:
    """Update the fields of a scheduled transaction that the body contains."""
    row = call.find(call.budget.scheduled, "scheduled_transaction_id")
    validation.frequency(call.budget, "frequency", row.frequency)
    known = validation.SCHEDULED_SPLIT if row.parts else validation.SCHEDULED
    fields = call.fields("scheduled_transaction", known)
    with call.editor.write():
        call.editor.schedules.edit(row, **with_payee(call.editor, fields))
    return _scheduled(call, row)


def delete_scheduled(call: BudgetRequest) -> Json:
    """Delete a scheduled transaction."""
    row = call.find(call.budget.scheduled, "scheduled_transaction_id")
    call.editor.schedules.delete(row)
    return _scheduled(call, row)


def _scheduled(call: BudgetRequest, row: ScheduledTransaction) -> Json:
    return {"scheduled_transaction": call.serializer.scheduled_transaction(row)}
