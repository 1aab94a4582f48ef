"""Assigned money: the names of categories, and moves between two of them."""

import asyncio
import re

import httpx
import pytest

from budgetframe import ServiceAPIError
from tests.facade.service import AnsweredWrites, ServiceWithFacade, data
from tests.sandbox.audit import check_books

# Moves


def month_of(facade: ServiceWithFacade) -> dict[str, float]:
    """The assigned amounts in the current month, and the money that is left to assign."""
    rows = facade.bf.month().set_index("category_name")["budgeted"]
    months = facade.bf.months().set_index("month")["to_be_budgeted"]
    names = ["Groceries", "Clothing"]
    return {name: float(rows[name]) for name in names} | {"left": float(months.iloc[-1])}


def test_a_move_changes_both_amounts(facade: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    for from_, to, change in [
        ("Groceries", "Clothing", {"Groceries": -7_250, "Clothing": 7_250, "left": 0}),
        ("Everyday: Groceries", None, {"Groceries": -7_250, "Clothing": 0, "left": 7_250}),
        ("Ready to Assign", "Clothing", {"Groceries": 0, "Clothing": 7_250, "left": -7_250}),
        ("Inflow: Ready to Assign", "Clothing",
            {"Groceries": 0, "Clothing": 7_250, "left": -7_250}),
    ]:  # fmt: skip
        with subtests.test(from_=from_, to=to):
            before, sent = month_of(facade), len(facade.wire.writes)
            frame, after = facade.bf.move("current", from_, to, 7.25), month_of(facade)
            assert {name: round(1000 * (after[name] - before[name])) for name in after} == change
            changed = sorted(name for name in ("Groceries", "Clothing") if change[name])
            assert sorted(frame["category_name"]) == changed
            assert frame["month"].dt.strftime("%Y-%m-%d").unique().tolist() == ["2026-06-01"]
            assert len(facade.wire.writes) == sent + len(changed)
            check_books(facade.service)


def test_a_category_of_the_user_may_be_named_ready_to_assign(facade: ServiceWithFacade) -> None:
    device = facade.service.device
    key = device.add_category("Inflow: Ready to Assign", device.add_group("Mine"))
    frame = facade.bf.move("current", "Groceries", key, 20.0)
    assert frame.set_index("category_id")["budgeted"][key] == 20.0


def test_a_move_reads_the_amounts_that_another_device_changed(facade: ServiceWithFacade) -> None:
    bf, device = facade.bf, facade.service.device
    bf.month("2026-05")
    key = str(bf.categories().set_index("category_name")["category_id"]["Clothing"])
    with device.edit() as editor:
        editor.categories.assign(editor.budget.categories[key], 2026 * 12 + 4, 90_000)
    bf.move("2026-05", None, "Clothing", 0.005)
    assert bf.category(key, "2026-05").budgeted == 90.005


REFUSED = httpx.Response(400, json={"error": {"id": "400", "name": "bad", "detail": "no"}})
FIRST = "2026-06, Groceries: budgeted from 358,51 € to 338,51 €"
SECOND = "2026-06, Clothing: budgeted from 50,00 € to 70,00 €"
CONTINUE = " To continue, call bf.journal().resume(), also in a new process, or "
ONE_MADE = (
    "Of 2 changes, 1 was made, 1 may have been made, and 0 were not made."
    f" Made: {FIRST}. Perhaps made: {SECOND}.{CONTINUE}"
)
HALF_MADE = (
    f"1 was not made (first: category_id '{{}}' ({SECOND}): the service refused it: no. Only the"
    " other half of the move was made: the money is in Ready to Assign, and .undo().apply()"
    " restores it)."
    " bf.journal().undo().apply() takes back what was made."
)
MOVES: list[tuple[httpx.Response | Exception, int, str]] = [
    # the answer, to which write, and what the note contains
    (REFUSED, 1, f"2 were not made (first: category_id '{{}}' ({FIRST}): the service refused it: "),
    (httpx.ReadError("reset"), 1,
        f"1 may have been made, and 1 was not made. Perhaps made: {FIRST}. Not made: {SECOND}."),
    (REFUSED, 2, HALF_MADE),
    (httpx.ReadError("reset"), 2, ONE_MADE),
    (data({"x": 1}), 2, ONE_MADE),
]  # fmt: skip


def answer_write(
    facade: ServiceWithFacade, answer: httpx.Response | BaseException, position: int
) -> None:
    """Let a write get an answer, which the service does not know."""

    def answered(number: int, _: httpx.Request) -> httpx.Response | None:
        if number != position:
            return None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    facade.wire.inner = AnsweredWrites(facade.wire.inner, answered)


@pytest.mark.parametrize(("answer", "position", "note"), MOVES)
def test_a_move_that_fails_says_what_was_changed_in_the_format_of_the_budget(
    facade: ServiceWithFacade, answer: httpx.Response | Exception, position: int, note: str
) -> None:
    answer_write(facade, answer, position)
    with pytest.raises((ServiceAPIError, httpx.ReadError)) as caught:
        facade.bf.move("current", "Groceries", "Clothing", 20.0)
    written = [path.rpartition("/")[2] for path in facade.wire.writes]
    assert len(written) == position
    assert note.format(written[-1]) in caught.value.__notes__[-1]


def test_an_interrupted_move_warns_what_was_changed(facade: ServiceWithFacade) -> None:
    answer_write(facade, asyncio.CancelledError(), 2)
    write = facade.bf.aio.move("current", "Groceries", "Clothing", 20.0)
    note = re.escape(ONE_MADE)
    with pytest.raises(asyncio.CancelledError), pytest.warns(RuntimeWarning, match=note):
        asyncio.run(write)
