"""What every POST, PATCH, PUT and DELETE does and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from budgetframe.sandbox import _fields
from budgetframe.sandbox._entries import NewPart
from budgetframe.sandbox._refusals import Refusal, bad_request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from budgetframe.sandbox._call import Call
    from budgetframe.sandbox._entries import Entries
    from budgetframe.sandbox._state import Transaction

Json = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """A transaction as a request states it: checked, nothing done yet."""

    fields: Json
    parts: list[Json] | None
    target: Transaction | None = None

    def resolve(self, entries: Entries) -> tuple[Json, list[NewPart] | None]:
        """Make the payees that are only named."""
        fields = _with_payee(entries, self.fields)
        if self.parts is None:
            return fields, None
        return fields, [NewPart(**_with_payee(entries, part)) for part in self.parts]


def _with_payee(entries: Entries, fields: Json) -> Json:
    fields = dict(fields)
    name = fields.pop("payee_name", None)
    if name and fields.get("payee_id") is None:
        fields["payee_id"] = entries.payee_named(name).id
    return fields


def _draft(call: Call, raw: Any, target: Transaction | None) -> Draft:
    budget = call.budget
    required = ("account_id", "date", "amount") if target is None else ()
    fields = _fields.read(budget, raw, _fields.TRANSACTION, required)
    if target is not None:
        # An import id is given once; afterwards it only serves to find the row.
        fields.pop("import_id", None)
        if target.parts:
            for name in ("date", "amount", "category_id", "account_id"):
                fields.pop(name, None)
            return Draft(fields, None, target)
    given = raw.get("subtransactions")
    if given is None or given == []:
        return Draft(fields, None, target)
    if not isinstance(given, list):
        raise bad_request("subtransactions must be an array")
    parts = [_fields.read(budget, part, _fields.PART, ("amount",)) for part in given]
    amount = fields.get("amount", 0 if target is None else target.amount)
    if sum(part["amount"] for part in parts) != amount:
        raise bad_request("amount must equal the sum of subtransaction amounts")
    return Draft(fields, parts, target)


def _saved(call: Call, rows: list[Transaction]) -> Json:
    return {
        "transaction_ids": [row.id for row in rows],
        "server_knowledge": call.budget.knowledge,
    }


def _enter(call: Call, draft: Draft) -> Transaction:
    fields, parts = draft.resolve(call.entries)
    if fields.get("import_id") is not None:
        payee_id = fields.get("payee_id")
        name = None if payee_id is None else call.budget.payees[payee_id].name
        fields |= {"import_payee_name": name, "import_payee_name_original": name}
    return call.entries.add_transaction(parts=parts or (), **fields)


def _rows(body: Json) -> list[Any]:
    rows = body.get("transactions")
    if not isinstance(rows, list) or not rows:
        raise bad_request("transactions is missing or not an array of objects")
    return rows


def create_transactions(call: Call) -> Json:
    """Create one transaction, or many of which used import ids are skipped."""
    body = call.body()
    if isinstance(body.get("transaction"), dict):
        return _create_one(call, body["transaction"])
    drafts = []
    for index, raw in enumerate(_rows(body)):
        try:
            drafts.append(_draft(call, raw, None))
        except Refusal as refusal:
            raise _fields.at(index, refusal) from None
    rows, duplicates = [], []
    with call.entries.one_write():
        for draft in drafts:
            if _taken(call, draft):
                duplicates.append(draft.fields["import_id"])
            else:
                rows.append(_enter(call, draft))
    return _saved(call, rows) | {
        "transactions": [call.wire.transaction(row) for row in rows],
        "duplicate_import_ids": duplicates,
    }


def _create_one(call: Call, raw: Json) -> Json:
    try:
        draft = _draft(call, raw, None)
    except Refusal as refusal:
        raise _fields.at(0, refusal) from None
    if _taken(call, draft):
        raise Refusal("409", "A transaction with this import_id already exists on the same account")
    with call.entries.one_write():
        row = _enter(call, draft)
    return _saved(call, [row]) | {"transaction": call.wire.transaction(row)}


def _taken(call: Call, draft: Draft) -> bool:
    key = (draft.fields["account_id"], draft.fields.get("import_id"))
    return key in call.budget.import_ids


def update_transactions(call: Call) -> Json:
    """Update many transactions, found by id or import id."""
    drafts = []
    for index, raw in enumerate(_rows(call.body())):
        try:
            drafts.append(_draft(call, raw, _target(call, raw)))
        except Refusal as refusal:
            raise _fields.at(index, refusal) from None
    with call.entries.one_write():
        rows = [row for draft in drafts for row in _edit(call, draft)]
    return _saved(call, rows) | {
        "transactions": [call.wire.transaction(row) for row in rows],
        "duplicate_import_ids": [],
    }


def _target(call: Call, raw: Any) -> Transaction:
    if not isinstance(raw, dict):
        raise bad_request("must be an object")
    keys = {name: raw.get(name) for name in ("id", "import_id") if raw.get(name) is not None}
    if len(keys) != 1:
        raise bad_request("exactly one of id and import_id must be given")
    ((name, value),) = keys.items()
    rows: Iterable[Transaction] = call.budget.transactions.live()
    if name == "id":
        row = call.budget.transactions.find(value)
    else:
        row = next((row for row in rows if row.import_id == value), None)
    if row is None:
        raise bad_request(f"no transaction has this {name}")
    return row


def _edit(call: Call, draft: Draft) -> Iterable[Transaction]:
    row = draft.target
    if row is not None and not row.deleted:
        fields, parts = draft.resolve(call.entries)
        call.entries.edit_transaction(row, fields, parts)
        yield row


def update_transaction(call: Call) -> Json:
    """Update one transaction; what is not stated stays."""
    row = call.find(call.budget.transactions, "transaction_id")
    draft = _draft(call, call.wrapped("transaction"), row)
    with call.entries.one_write():
        for _ in _edit(call, draft):
            pass
    return _one(call, row)


def delete_transaction(call: Call) -> Json:
    """Delete one transaction."""
    row = call.find(call.budget.transactions, "transaction_id")
    call.entries.delete_transaction(row)
    return _one(call, row)


def _one(call: Call, row: Transaction) -> Json:
    return {
        "transaction": call.wire.transaction(row),
        "server_knowledge": call.budget.knowledge,
    }


def create_group(call: Call) -> Json:
    """Create a category group."""
    raw = call.wrapped("category_group")
    fields = _fields.read(call.budget, raw, _fields.GROUP, ("name",))
    row = call.entries.add_group(fields["name"])
    return {"category_group": call.wire.group(row), "server_knowledge": call.budget.knowledge}


def update_group(call: Call) -> Json:
    """Rename a category group."""
    row = call.find(call.budget.groups, "category_group_id")
    if row.internal:
        raise bad_request("an internal category group cannot be changed")
    raw = call.wrapped("category_group")
    fields = _fields.read(call.budget, raw, _fields.GROUP, ("name",))
    call.entries.edit_group(row, **fields)
    return {"category_group": call.wire.group(row), "server_knowledge": call.budget.knowledge}


_MONTHS_AHEAD = 120


def assign(call: Call) -> Json:
    """Assign to a category in a month; a month to come is made."""
    number = call.month_number
    if number > call.budget.current_month + _MONTHS_AHEAD or number < call.budget.first_month:
        raise Refusal("404.2")
    row = call.find(call.budget.categories, "category_id")
    if row.internal:
        raise bad_request("nothing can be assigned to an internal category")
    raw = call.wrapped("category")
    fields = _fields.read(call.budget, raw, _fields.MONTH_CATEGORY, ("budgeted",))
    call.entries.assign(row, number, fields["budgeted"])
    return {
        "category": call.wire.category(row, number),
        "server_knowledge": call.budget.knowledge,
    }
