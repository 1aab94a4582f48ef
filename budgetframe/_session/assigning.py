"""Assign money to a category, and move it between categories."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from budgetframe import models
from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import CATEGORY_IN_MONTH, is_income
from budgetframe._runtime.arguments import nothing_sent
from budgetframe.errors import ToolError
from budgetframe.frames.number_text import Currency, in_currency
from budgetframe.frames.request_bodies import milliunits_of
from budgetframe.frames.tables import TABLES

from .batches import check_limit, report_outcome, unusable_answer
from .names import KeysOfNames, check_text, key_of
from .reads import Answer
from .writes import WriteRequest, Writes, was_refused
from .written import warn_of_unapplied

if TYPE_CHECKING:
    from .session import Session

_READY_NAMES = frozenset({"Ready to Assign", "Inflow: Ready to Assign"})


async def assign(session: Session, month: str, category: str, milliunits: int) -> models.Category:
    """Set the amount that is assigned to a category in a month.

    Parameters
    ----------
    session : Session
        Reads the list of categories if the category is not a key.
    month : str
        First day of the month, or ``"current"``.
    category : str
        Key, name, or group and name of the category.
    milliunits : int
        The new assigned amount.

    Returns
    -------
    Category
        The category with the amounts of the month.
    """
    key = await key_of(session, "categories", category, "category", is_write=True)
    request = await _prepare(session.writes, month, key, milliunits)
    return (await session.write(models.CategoryResponseData, request)).category


async def move(
    session: Session, month: str, from_: str | None, to: str | None, milliunits: int
) -> dict[str, Any]:
    """Move milliunits from one category to another in a month, which is always read again.

    A category is a key, a name, or a group and a name; None and the names of Ready to Assign mean
    Ready to Assign. The result is the month with the changed categories, as the service sends it.
    """
    reads = session.reads
    month, _, moves = await read_moves(session, month, from_, to, milliunits)
    requests = [await _prepare(session.writes, month, each.key, each.after) for each in moves]
    check_limit(reads, len(requests), f"the move needs {len(requests)} more requests")
    changed = []
    for position, request in enumerate(requests):
        try:
            changed.append(await _send(session.writes, request))
        except (Exception, asyncio.CancelledError) as error:
            if len(moves) > 1:
                report_outcome(
                    error, _outcome(error, moves, position, month, reads.currency_format)
                )
            raise
    return {"month": {"month": month, "categories": changed}}


class Move(NamedTuple):
    """The change of the amount that is assigned to one category, in milliunits."""

    name: str
    key: str
    before: int
    after: int

    def text(self, currency: Currency) -> str:
        """Both amounts in the format of the budget."""
        amounts = (self.before, self.after)
        return " to ".join(in_currency(each / MILLIUNITS, currency, exact=True) for each in amounts)


class Moves(NamedTuple):
    """The changes that move money, with the month that they were calculated from."""

    month: str
    """The first day."""
    answer: Answer
    moves: list[Move]


async def read_moves(
    session: Session, month: str, from_: str | None, to: str | None, milliunits: int
) -> Moves:
    """Read a month, and find the assigned amounts that a move changes; parameters as of `move`."""
    with nothing_sent():
        from_ = None if from_ is None else check_text(from_, "from_")
        to = None if to is None else check_text(to, "to")
    reads = session.reads
    answer = await reads.read_item("months", month, is_new=True)
    with reads.building_from(answer):
        rows = TABLES["month"].frame(answer.data).dropna(subset="category_id")
    month = str(answer.data["month"].get("month"))  # the current month may end between two requests
    names, rows = KeysOfNames.of_frame("category", rows), rows.set_index("category_id")
    moves = []
    for argument, end, change in (("from_", from_, -milliunits), ("to", to, milliunits)):
        if end is None or end in _READY_NAMES:
            continue
        with nothing_sent():
            key = names.key_of(end, argument)
        row: dict[Any, Any] = rows.loc[key].to_dict()
        group, category = row["category_group_name"], row["category_name"]
        if not is_income(group, category):
            name = f"{group}: {category}"
            before = milliunits_of(float(row["budgeted"]), f"{name}: budgeted")
            moves.append(Move(name, key, before, before + change))
    keys = [each.key for each in moves]
    if len(set(keys)) < max(len(keys), 1):
        raise ToolError(f"from_={from_!r} and to={to!r} are the same. Nothing was sent")
    return Moves(month, answer, moves)


def _outcome(
    error: BaseException, moves: list[Move], position: int, month: str, currency: Currency
) -> str:
    """What happened to both categories, if the write of one of them failed."""
    first, second = moves
    texts = [each.text(currency) for each in moves]
    result = "was not" if was_refused(error) else "may have been"
    failed = f"{moves[position].name} {result} changed from {texts[position]}"
    if position == 0:
        return f"In {month[:7]}: {failed}; {second.name} was not changed."
    return (
        f"In {month[:7]}: {first.name} was changed from {texts[0]}; {failed}. Until both are"
        " changed, the money is in Ready to Assign. To complete the move:"
        f" assign({month[:7]!r}, {second.key!r}, {second.after / MILLIUNITS})"
    )


async def _prepare(writes: Writes, month: str, category_id: str, milliunits: int) -> WriteRequest:
    body = {"category": {"budgeted": milliunits}}
    return await writes.prepare_write("PATCH", CATEGORY_IN_MONTH, body, month=month, id=category_id)


async def _send(writes: Writes, request: WriteRequest) -> dict[str, Any]:
    data = await writes.write(request)
    category = data.get("category")
    if not isinstance(category, dict):
        raise unusable_answer("has no category")
    warn_of_unapplied(request.body, data, writes.reads.currency_format)
    return category
