"""New rows with keys instead of names, and the rows of frames that cannot be copied as they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from budgetframe._milliunits import MILLIUNITS
from budgetframe._runtime.arguments import refused
from budgetframe._runtime.text import number_of, printable
from budgetframe.errors import ToolError
from budgetframe.frames.number_text import in_currency

from .names import names_in, with_keys

if TYPE_CHECKING:
    from .session import Session

Row = Mapping[str, Any]

NAME_OF_SPLIT = "Split"
"""What rows of splits have instead of the name of a category."""
_SHOWN = 10  # rows that a message names
_WAYS: Mapping[str, str] = {
    "transactions": (
        "Give its parts too, for example from its rows of bf.ledger(): row.assign(subtransactions="
        '[parts[["amount", "category_name", "payee_name", "memo"]].to_dict("records")])'
    ),
    "scheduled_transactions": "The service cannot create a scheduled split",
}


async def new_rows(session: Session, name: str, bodies: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the bodies of new transactions or schedules with keys instead of names.

    A copied split without its parts is an error. So are both sides of a transfer, because the
    service creates the other side of each: the transfer would be made twice.
    """
    found = await with_keys(session, await _without_name_of_split(session, name, bodies))
    if name == "transactions":
        await _check_sides(session, found)
    return found


async def _without_name_of_split(
    session: Session, name: str, bodies: Sequence[Row]
) -> Sequence[Row]:
    """The bodies; those of splits without the name that the service shows as their category."""
    if all(
        body.get("category_name") != NAME_OF_SPLIT or body.get("category_id") for body in bodies
    ):
        return bodies
    if NAME_OF_SPLIT in await names_in(session, "categories"):
        return bodies
    found = []
    for position, body in enumerate(bodies):
        left = dict(body)
        if body.get("category_name") == NAME_OF_SPLIT and not body.get("category_id"):
            if not body.get("subtransactions"):
                amount = _amount(session, body["amount"]) if "amount" in body else None
                cells = (body.get("date"), body.get("payee_name"), amount)
                raise split_without_parts(name, f"row {position}", cells)
            del left["category_name"]
        found.append(left)
    return found


def split_without_parts(name: str, where: str, cells: Iterable[str | None]) -> ToolError:
    """The error for a new row that is a split without parts; cells identify it for a person."""
    shown = printable(", ".join(cell for cell in cells if cell))
    return refused(f"{where} ({shown}) is a split without parts. {_WAYS[name]}")


class _Side(NamedTuple):
    """A row, or a part of a split, that may be one side of a transfer."""

    position: int
    """The position of its row."""
    day: str
    account_id: str
    amount: int
    leg: Row
    is_part: bool

    @property
    def loss(self) -> tuple[bool, bool, int]:
        """What is lost without this row: the other parts, or a category; else, the first row."""
        return self.is_part, "category_id" in self.leg, -self.position


async def _check_sides(session: Session, bodies: Sequence[Row]) -> None:
    """Check that no two rows are the sides of one transfer."""
    sides = [
        _Side(position, body["date"], body["account_id"], leg["amount"], leg, leg is not body)
        for position, body in enumerate(bodies)
        for leg in body.get("subtransactions") or [body]
        if leg.get("payee_id") is not None
    ]
    amounts = {(side.day, side.amount) for side in sides}
    if not any((day, -amount) in amounts for day, amount in amounts):
        return  # without the list of accounts, which costs a request if it is not fresh
    answer = await session.answer_of("accounts", tables=("accounts",))
    (built,) = session.frames_of({"accounts": answer})
    accounts = built.frame
    targets = dict(zip(accounts["transfer_payee_id"], accounts["account_id"], strict=True))
    pairs, single = [], defaultdict[Any, list[_Side]](list)
    for side in sides:
        target = targets.get(side.leg["payee_id"])
        others = single[side.day, target, side.account_id, -side.amount]
        if target is not None and others:
            pairs.append((others.pop(0), side))
        else:
            single[side.day, side.account_id, target, side.amount].append(side)
    if pairs:
        names = dict(zip(accounts["account_id"], accounts["account_name"], strict=True))
        raise _both_sides(session, pairs, names)


def _both_sides(
    session: Session, pairs: Sequence[tuple[_Side, _Side]], accounts: Mapping[Any, Any]
) -> ToolError:
    """The error for rows that are both sides of transfers."""
    first, second = pairs[0]
    shown = (f"{accounts[each.account_id]} {_amount(session, each.amount)}" for each in pairs[0])
    more = f", and {number_of(len(pairs) - 1, 'more pair')}" if len(pairs) > 1 else ""
    left_out = sorted({min(pair, key=lambda each: each.loss).position for pair in pairs})
    numbers = ", ".join(map(str, left_out[:_SHOWN])) + (", ..." if len(left_out) > _SHOWN else "")
    rows = "row" if len(left_out) == 1 else "rows"
    return refused(
        f"rows {first.position} and {second.position} are the two sides of one transfer"
        f" ({printable(', '.join((first.day, *shown)))}){more}: the service creates the other side"
        f" itself, and the transfer would be made twice. Give one side only: leave out {rows}"
        f" {numbers}"
    )


def _amount(session: Session, milliunits: int) -> str:
    return in_currency(milliunits / MILLIUNITS, session.reads.currency_format, exact=True)
