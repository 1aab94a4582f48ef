"""What writes of transactions do and answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox.errors import ApiError, bad_request
from budgetframe.sandbox.state.editor import NewPart

from . import validation as _fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from budgetframe.sandbox.state.editor import BudgetEditor
    from budgetframe.sandbox.state.rows import Transaction

    from .request import BudgetRequest

Json = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """A transaction as a request states it: checked, nothing done yet."""

    fields: Json
    parts: list[Json] | None
    target: Transaction | None = None

    def resolve(self, entries: BudgetEditor) -> tuple[Json, list[NewPart] | None]:
        """Make the payees that are only named."""
        fields = with_payee(entries, self.fields)
        if self.parts is None:
            return fields, None
        return fields, [NewPart(**with_payee(entries, part)) for part in self.parts]


def with_payee(entries: BudgetEditor, fields: Json) -> Json:
    """Replace the name of a payee by its id, making it on demand."""
    fields = dict(fields)
    name = fields.pop("payee_name", None)
    if name and fields.get("payee_id") is None:
        fields["payee_id"] = entries.payee_named(name).id
    return fields


def _ignore_payment_category(call: BudgetRequest, fields: Json) -> None:
    key = fields.get("category_id")
    if key is not None and call.budget.categories[key].payment_account_id is not None:
        del fields["category_id"]


def _draft(call: BudgetRequest, raw: Any, target: Transaction | None) -> Draft:
    budget = call.budget
    if target is not None and target.parts:
        fields = _fields.read(budget, raw, _fields.SPLIT)
        fields.pop("import_id", None)
        return Draft(fields, None, target)
    required = ("account_id", "date", "amount") if target is None else ()
    fields = _fields.read(budget, raw, _fields.TRANSACTION, required)
    _ignore_payment_category(call, fields)
    if target is not None:
        # An import id is given once; afterwards it only serves to find the row.
        fields.pop("import_id", None)
    return Draft(fields, _parts(call, raw, fields, target), target)


def _parts(
    call: BudgetRequest, raw: Json, fields: Json, target: Transaction | None
) -> list[Json] | None:
    given = raw.get("subtransactions")
    if given is None or given == []:
        return None
    if not isinstance(given, list):
        raise bad_request("subtransactions must be an array")
    parts = [_fields.read(call.budget, part, _fields.PART, ("amount",)) for part in given]
    for part in parts:
        _ignore_payment_category(call, part)
    amount = fields.get("amount", 0 if target is None else target.amount)
    if sum(part["amount"] for part in parts) != amount:
        raise bad_request("amount must equal the sum of subtransaction amounts")
    return parts


def _each(rows: list[Any], draft: Callable[[Any], Draft]) -> list[Draft]:
    """Check every row before anything is done, and tell which one is refused."""
    drafts = []
    for index, raw in enumerate(rows):
        try:
            drafts.append(draft(raw))
        except ApiError as refusal:
            raise _fields.at(index, refusal) from None
    return drafts


def _rows(body: Json) -> list[Any]:
    rows = body.get("transactions")
    if not isinstance(rows, list) or not rows:
        raise bad_request("transactions is missing or not an array of objects")
    return rows


def _saved(call: BudgetRequest, rows: list[Transaction]) -> Json:
    return {
        "transaction_ids": [row.id for row in rows],
        "server_knowledge": call.budget.knowledge,
    }


# -- creating ----------------------------------------------------------------------------------


def create(call: BudgetRequest) -> Json:
    """Create one transaction, or many of which used import ids are skipped."""
    body = call.body()
    if isinstance(body.get("transaction"), dict):
        return _create_one(call, body["transaction"])
    drafts = _each(_rows(body), lambda raw: _draft(call, raw, None))
    rows, duplicates = [], []
    with call.entries.one_write():
        for draft in drafts:
            if _taken(call, draft):
                duplicates.append(draft.fields["import_id"])
            else:
                rows.append(_enter(call, draft))
    return _saved(call, rows) | {
        "transactions": [call.serializer.transaction(row) for row in rows],
        "duplicate_import_ids": duplicates,
    }


def _create_one(call: BudgetRequest, raw: Json) -> Json:
    (draft,) = _each([raw], lambda raw: _draft(call, raw, None))
    if _taken(call, draft):
        raise ApiError(
            "409", "A transaction with this import_id already exists on the same account"
        )
    with call.entries.one_write():
        row = _enter(call, draft)
    return _saved(call, [row]) | {"transaction": call.serializer.transaction(row)}


def _taken(call: BudgetRequest, draft: Draft) -> bool:
    key = (draft.fields["account_id"], draft.fields.get("import_id"))
    return key in call.budget.import_ids


def _enter(call: BudgetRequest, draft: Draft) -> Transaction:
    fields, parts = draft.resolve(call.entries)
    if fields.get("import_id") is None:
        return call.entries.add_transaction(parts=parts or (), **fields)
    payee_id = fields.get("payee_id")
    name = None if payee_id is None else call.budget.payees[payee_id].name
    fields |= {"import_payee_name": name, "import_payee_name_original": name}
    return call.entries.import_transaction(parts=parts or (), **fields)


def import_linked(call: BudgetRequest) -> Json:
    """Import what the banks of linked accounts have ready."""
    return {"transaction_ids": [row.id for row in call.entries.import_from_banks()]}


def status_of_import(data: Json) -> int:
    """Tell whether an import made anything."""
    return 201 if data["transaction_ids"] else 200


# -- changing ----------------------------------------------------------------------------------


def update_many(call: BudgetRequest) -> Json:
    """Update many transactions, found by id or import id."""
    drafts = _each(_rows(call.body()), lambda raw: _draft(call, raw, _target(call, raw)))
    with call.entries.one_write():
        rows = [row for draft in drafts for row in _edit(call, draft)]
    return _saved(call, rows) | {
        "transactions": [call.serializer.transaction(row) for row in rows],
        "duplicate_import_ids": [],
    }


def _target(call: BudgetRequest, raw: Any) -> Transaction:
    """Find the row that is meant; an id is looked at before an import id."""
    if not isinstance(raw, dict):
        raise bad_request("must be an object")
    if raw.get("id") is not None:
        row = call.budget.transactions.find(raw["id"])
        if row is None:
            raise bad_request("no transaction has this id")
        return row
    if raw.get("import_id") is None:
        raise bad_request("one of id and import_id must be given")
    for row in _imported(call, raw["import_id"]):
        return row
    raise bad_request("no transaction has this import_id")


def _imported(call: BudgetRequest, import_id: Any) -> Iterator[Transaction]:
    budget = call.budget
    if not isinstance(import_id, str):
        return
    for account in budget.accounts.live():
        row = budget.transactions.find(budget.import_ids.get((account.id, import_id)))
        if row is not None:
            yield row


def _edit(call: BudgetRequest, draft: Draft) -> Iterator[Transaction]:
    row = draft.target
    if row is not None and not row.deleted:
        fields, parts = draft.resolve(call.entries)
        call.entries.edit_transaction(row, fields, parts)
        yield row


def update(call: BudgetRequest) -> Json:
    """Update one transaction; what is not stated stays."""
    row = call.find(call.budget.transactions, "transaction_id")
    draft = _draft(call, call.wrapped("transaction"), row)
    with call.entries.one_write():
        for _ in _edit(call, draft):
            pass
    return _one(call, row)


def delete(call: BudgetRequest) -> Json:
    """Delete one transaction."""
    row = call.find(call.budget.transactions, "transaction_id")
    call.entries.delete_transaction(row)
    return _one(call, row)


def _one(call: BudgetRequest, row: Transaction) -> Json:
    return {
        "transaction": call.serializer.transaction(row),
        "server_knowledge": call.budget.knowledge,
    }
