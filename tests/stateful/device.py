"""Edits on another device."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from budgetframe.sandbox import NewPart

from .reads import pick
from .service import World
from .writes import FREQUENCIES, Draft

_KINDS = ("checking", "savings", "cash", "creditCard", "otherAsset", "mortgage")


def edit(world: World, what: int, one: int, two: int, amount: int) -> None:
    """Edit one budget in one of all ways."""
    budget = pick(world.budgets, two)
    pick(list(EDITS), what)(world, Draft(budget, one, two, amount))
    world.note()


def _add(world: World, d: Draft) -> None:
    row = d.row()
    row["date"] = d.day(d.one)
    world.device.add_transaction(**row, budget=d.budget.id)


def _add_split(world: World, d: Draft) -> None:
    parts = [NewPart(**part) for part in d.parts()]
    world.device.add_transaction(
        account_id=d.id_of("accounts", d.one),
        date=d.day(d.two),
        amount=d.amount,
        parts=parts,
        budget=d.budget.id,
    )


def _transfer(world: World, d: Draft) -> None:
    payees = [row.id for row in d.budget.payees.live() if row.transfer_account_id is not None]
    world.device.add_transaction(
        account_id=d.id_of("accounts", d.one),
        date=d.day(d.two),
        amount=d.amount,
        payee_id=pick(payees, d.two),
        budget=d.budget.id,
    )


def _change(world: World, d: Draft) -> None:
    changes: dict[str, Any] = dict(list(d.row().items())[d.two % 7 :: 1 + d.one % 3])
    changes.pop("date", None)
    row = d.budget.transactions[d.id_of("transactions", d.one)]
    if row.parts:
        changes.pop("amount", None)
    world.device.edit_transaction(row.id, budget=d.budget.id, **changes)


def _change_day(world: World, d: Draft) -> None:
    key = d.id_of("transactions", d.one)
    world.device.edit_transaction(key, budget=d.budget.id, date=d.day(d.two))


def _delete(world: World, d: Draft) -> None:
    if len(list(d.budget.transactions.live())) > 20:
        world.device.delete_transaction(d.id_of("transactions", d.one), budget=d.budget.id)


def _assign(world: World, d: Draft) -> None:
    month = d.day(d.one)
    world.device.assign(d.ordinary(d.two), month, d.amount, budget=d.budget.id)


def _move(world: World, d: Draft) -> None:
    source, target = d.ordinary(d.one), d.ordinary(d.two)
    world.device.move_money(source, target, d.day(d.one), d.amount, budget=d.budget.id)


def _regroup(world: World, d: Draft) -> None:
    world.device.move_category(d.ordinary(d.one), d.group(d.two), budget=d.budget.id)


def _rename(world: World, d: Draft) -> None:
    device = world.device
    what: tuple[tuple[Callable[..., None], str], ...] = (
        (device.rename_account, d.id_of("accounts", d.one)),
        (device.rename_payee, d.id_of("payees", d.one)),
        (device.rename_group, d.group(d.one)),
        (device.rename_category, d.ordinary(d.one)),
    )
    method, key = pick(list(what), d.two)
    method(key, d.name(), budget=d.budget.id)


def _new_group(world: World, d: Draft) -> None:
    group = world.device.add_group(d.name(), budget=d.budget.id)
    if d.two % 2:
        world.device.add_category(d.name(), group, budget=d.budget.id)


def _new_category(world: World, d: Draft) -> None:
    world.device.add_category(d.name(), d.group(d.one), budget=d.budget.id)


def _delete_category(world: World, d: Draft) -> None:
    source, target = d.ordinary(d.one), d.ordinary(d.two)
    if source != target and len(list(d.budget.categories.live())) > 12:
        world.device.delete_category(source, target, budget=d.budget.id)


def _new_payee(world: World, d: Draft) -> None:
    world.device.add_payee(d.name(), budget=d.budget.id)


def _open_account(world: World, d: Draft) -> None:
    world.device.open_account(d.name(), pick([*_KINDS], d.one), d.amount, budget=d.budget.id)


def _close_account(world: World, d: Draft) -> None:
    world.device.close_account(d.id_of("accounts", d.one), budget=d.budget.id)


def _bank_row(world: World, d: Draft) -> None:
    world.device.add_bank_row(
        account_id=d.id_of("accounts", d.one),
        date=d.day(d.two),
        amount=d.amount,
        payee_name=d.name(),
        budget=d.budget.id,
    )


def _schedule(world: World, d: Draft) -> None:
    parts = [NewPart(**part) for part in d.parts()] if d.two % 3 == 0 else []
    world.device.schedule(
        account_id=d.id_of("accounts", d.one),
        date=d.budget.today + timedelta(days=1 + d.one % 40),
        amount=d.amount,
        frequency=pick([*FREQUENCIES], d.two),
        parts=parts,
        payee_id=d.some("payees", d.two),
        budget=d.budget.id,
    )


def _reschedule(world: World, d: Draft) -> None:
    key = d.id_of("scheduled", d.one)
    if d.budget.scheduled.find(key) is None:
        return
    if d.two % 3 == 0:
        world.device.delete_scheduled(key, budget=d.budget.id)
        return
    changes: dict[str, Any] = {"date": d.budget.today + timedelta(days=1 + d.two % 40)}
    if d.two % 3 == 1 and not d.budget.scheduled[key].parts:
        changes = {"amount": d.amount, "payee_id": d.some("payees", d.one)}
    world.device.edit_scheduled(key, budget=d.budget.id, **changes)


EDITS = (
    *(_add, _add_split, _transfer, _change, _change, _change_day, _change_day, _delete, _delete),
    *(_assign, _move, _regroup, _rename, _rename, _new_group, _new_category, _delete_category),
    *(_new_payee, _open_account, _close_account, _bank_row, _schedule, _reschedule, _reschedule),
)
