"""Edits of the budgets on another device, which the client under test does not see."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

from budgetframe.sandbox import NewPart
from budgetframe.sandbox.state.rows import month_number

from .reads import pick
from .service import Service
from .writes import FREQUENCIES, RandomChoices

_ACCOUNT_TYPES = ("checking", "savings", "cash", "creditCard", "otherAsset", "mortgage")


def edit(service: Service, kind: int, one: int, two: int, amount: int) -> None:
    """Apply one edit, chosen by `kind`, to one budget."""
    pick(list(EDITS), kind)(service, RandomChoices(pick(service.budgets, two), one, two, amount))
    service.record_changes()


def edit_no_name(service: Service, rng: Random) -> None:
    """Apply one random edit after which all names are as before: deltas do not contain them."""
    kinds = [at for at, edit in enumerate(EDITS) if "rename" not in edit.__name__]
    one, two = rng.randrange(2**16), rng.randrange(2**16)
    edit(service, rng.choice(kinds), one, two, one - 2**15)


def edit_row(service: Service, rng: Random, key: str) -> None:
    """Change or delete one transaction."""
    if rng.random() < 0.2:
        service.device.delete_transaction(key)
    else:
        choices: list[dict[str, Any]] = [
            {"memo": "theirs"}, {"flag_color": "purple"}, {"approved": True},
            {"cleared": "reconciled"}, {"date": service.today},
        ]  # fmt: skip
        service.device.edit_transaction(key, **rng.choice(choices))
    service.record_changes()


def _new_row(chosen: RandomChoices, **more: Any) -> dict[str, Any]:
    """What a new transaction or schedule of the budget has."""
    return {
        "account_id": chosen.id_of("accounts", chosen.one), "date": chosen.day(chosen.two),
        "amount": chosen.amount, "budget": chosen.budget.id, **more,
    }  # fmt: skip


def _add(service: Service, chosen: RandomChoices) -> None:
    row = chosen.row()
    row["date"] = chosen.day(chosen.one)
    service.device.add_transaction(**row, budget=chosen.budget.id)


def _add_split(service: Service, chosen: RandomChoices) -> None:
    parts = [NewPart(**part) for part in chosen.parts()]
    service.device.add_transaction(**_new_row(chosen, parts=parts))


def _transfer(service: Service, chosen: RandomChoices) -> None:
    payees = [row.id for row in chosen.budget.payees.live() if row.transfer_account_id is not None]
    service.device.add_transaction(**_new_row(chosen, payee_id=pick(payees, chosen.two)))


def _change(service: Service, chosen: RandomChoices) -> None:
    changes: dict[str, Any] = dict(list(chosen.row().items())[chosen.two % 7 :: 1 + chosen.one % 3])
    changes.pop("date", None)
    row = chosen.budget.transactions[chosen.id_of("transactions", chosen.one)]
    if row.parts:
        changes.pop("amount", None)
    service.device.edit_transaction(row.id, budget=chosen.budget.id, **changes)


def _change_day(service: Service, chosen: RandomChoices) -> None:
    key = chosen.id_of("transactions", chosen.one)
    service.device.edit_transaction(key, budget=chosen.budget.id, date=chosen.day(chosen.two))


def _delete(service: Service, chosen: RandomChoices) -> None:
    if len(list(chosen.budget.transactions.live())) > 20:
        service.device.delete_transaction(
            chosen.id_of("transactions", chosen.one), budget=chosen.budget.id
        )


def _assign(service: Service, chosen: RandomChoices) -> None:
    service.device.assign(
        chosen.ordinary(chosen.two), chosen.day(chosen.one), chosen.amount, budget=chosen.budget.id
    )


def _move(service: Service, chosen: RandomChoices) -> None:
    month = month_number(chosen.day(chosen.one))
    with service.device.edit(chosen.budget.id) as editor:
        categories = editor.budget.categories
        source, target = (categories[chosen.ordinary(each)] for each in (chosen.one, chosen.two))
        editor.categories.move_money(source, target, month, chosen.amount)


def _regroup(service: Service, chosen: RandomChoices) -> None:
    service.device.move_category(
        chosen.ordinary(chosen.one), chosen.group(chosen.two), budget=chosen.budget.id
    )


def _rename(service: Service, chosen: RandomChoices) -> None:
    device = service.device
    payees = [row.id for row in chosen.budget.payees.live() if row.transfer_account_id is None]
    kind: tuple[tuple[Callable[..., None], str], ...] = (
        (device.rename_account, chosen.id_of("accounts", chosen.one)),
        (device.rename_payee, pick(payees, chosen.one)),
        (device.rename_group, chosen.group(chosen.one)),
        (device.rename_category, chosen.ordinary(chosen.one)),
    )
    method, key = pick(list(kind), chosen.two)
    method(key, chosen.name(), budget=chosen.budget.id)


def _new_group(service: Service, chosen: RandomChoices) -> None:
    group = service.device.add_group(chosen.name(), budget=chosen.budget.id)
    if chosen.two % 2:
        service.device.add_category(chosen.name(), group, budget=chosen.budget.id)


def _new_category(service: Service, chosen: RandomChoices) -> None:
    service.device.add_category(chosen.name(), chosen.group(chosen.one), budget=chosen.budget.id)


def _delete_category(service: Service, chosen: RandomChoices) -> None:
    source, target = chosen.ordinary(chosen.one), chosen.ordinary(chosen.two)
    if source != target and len(list(chosen.budget.categories.live())) > 12:
        service.device.delete_category(source, target, budget=chosen.budget.id)


def _new_payee(service: Service, chosen: RandomChoices) -> None:
    service.device.add_payee(chosen.name(), budget=chosen.budget.id)


def _open_account(service: Service, chosen: RandomChoices) -> None:
    service.device.open_account(
        chosen.name(), pick([*_ACCOUNT_TYPES], chosen.one), chosen.amount, budget=chosen.budget.id
    )


def _close_account(service: Service, chosen: RandomChoices) -> None:
    service.device.close_account(chosen.id_of("accounts", chosen.one), budget=chosen.budget.id)


def _bank_row(service: Service, chosen: RandomChoices) -> None:
    service.device.add_bank_row(**_new_row(chosen, payee_name=chosen.name()))


def _schedule(service: Service, chosen: RandomChoices) -> None:
    parts = [NewPart(**part) for part in chosen.parts()] if chosen.two % 3 == 0 else []
    row = _new_row(chosen, date=chosen.budget.today + timedelta(days=1 + chosen.one % 40))
    frequency, payee_id = pick([*FREQUENCIES], chosen.two), chosen.some("payees", chosen.two)
    service.device.schedule(**row, frequency=frequency, parts=parts, payee_id=payee_id)


def _reschedule(service: Service, chosen: RandomChoices) -> None:
    key = chosen.id_of("scheduled", chosen.one)
    if chosen.budget.scheduled.find(key) is None:
        return
    if chosen.two % 3 == 0:
        service.device.delete_scheduled(key, budget=chosen.budget.id)
        return
    changes: dict[str, Any] = {"date": chosen.budget.today + timedelta(days=1 + chosen.two % 40)}
    if chosen.two % 3 == 1 and not chosen.budget.scheduled[key].parts:
        changes = {"amount": chosen.amount, "payee_id": chosen.some("payees", chosen.one)}
    service.device.edit_scheduled(key, budget=chosen.budget.id, **changes)


EDITS = (
    *(_add, _add_split, _transfer, _change, _change, _change_day, _change_day, _delete, _delete),
    *(_assign, _move, _regroup, _rename, _rename, _new_group, _new_category, _delete_category),
    *(_new_payee, _open_account, _close_account, _bank_row, _schedule, _reschedule, _reschedule),
)
