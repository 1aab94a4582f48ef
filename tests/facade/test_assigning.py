"""Assigned money: the names of categories, and moves between two of them."""

import asyncio
import re
from typing import Any

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError
from tests.facade.service import ServiceWithFacade, data, one_budget, scripted
from tests.sandbox.audit import check_books

Json = dict[str, Any]


@pytest.fixture
def home() -> ServiceWithFacade:
    """A new service that the test may change."""
    return ServiceWithFacade(limit=1_000)


def writes_of(home: ServiceWithFacade) -> list[str]:
    return [path for path in home.wire.paths if not path.startswith("GET")]


# Moves


def category(key: str, name: str, budgeted: int) -> Json:
    return (
        {"id": key, "name": name, "category_group_id": "g1", "category_group_name": "Home"}
        | {"budgeted": budgeted, "activity": 0, "balance": budgeted}
        | {"hidden": False, "deleted": False}
    )


def month_of(home: ServiceWithFacade) -> dict[str, float]:
    """The assigned amounts in the current month, and the money that is left to assign."""
    rows = home.bf.month().set_index("category_name")["budgeted"]
    months = home.bf.months().set_index("month")["to_be_budgeted"]
    names = ["Groceries", "Clothing"]
    return {name: float(rows[name]) for name in names} | {"left": float(months.iloc[-1])}


def test_a_move_changes_both_assigned_amounts(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for from_, to, change in [
        ("Groceries", "Clothing", {"Groceries": -7_250, "Clothing": 7_250, "left": 0}),
        ("Everyday: Groceries", None, {"Groceries": -7_250, "Clothing": 0, "left": 7_250}),
        ("Ready to Assign", "Clothing", {"Groceries": 0, "Clothing": 7_250, "left": -7_250}),
        (
            "Inflow: Ready to Assign",
            "Clothing",
            {"Groceries": 0, "Clothing": 7_250, "left": -7_250},
        ),
    ]:
        with subtests.test(from_=from_, to=to):
            before, sent = month_of(home), len(writes_of(home))
            frame = home.bf.move("current", from_, to, 7.25)
            after = month_of(home)
            assert {name: round(1000 * (after[name] - before[name])) for name in after} == change
            changed = sorted(name for name in ("Groceries", "Clothing") if change[name])
            assert sorted(frame["category_name"]) == changed
            assert frame["month"].dt.strftime("%Y-%m-%d").unique().tolist() == ["2026-06-01"]
            assert len(writes_of(home)) == sent + len(changed)
            check_books(home.service)


def test_a_category_of_the_user_may_have_the_name_of_ready_to_assign(
    home: ServiceWithFacade,
) -> None:
    device = home.service.device
    key = device.add_category("Inflow: Ready to Assign", device.add_group("Mine"))
    frame = home.bf.move("current", "Groceries", key, 20.0)
    assert frame.set_index("category_id")["budgeted"][key] == 20.0


def test_a_move_reads_the_amounts_that_another_device_has_changed(home: ServiceWithFacade) -> None:
    bf, device = home.bf, home.service.device
    bf.month("2026-05")
    key = str(bf.categories().set_index("category_name")["category_id"]["Clothing"])
    with device.edit() as editor:
        row = editor.budget.categories[key]
        editor.categories.assign(row, 2026 * 12 + 4, 90_000)
    bf.move("2026-05", None, "Clothing", 0.005)
    assert bf.category(key, "2026-05").budgeted == 90.005


def test_a_move_between_equal_ends_is_refused(
    home: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    bf = home.bf
    for from_, to in [
        ("Groceries", "Everyday: Groceries"),
        (None, "Ready to Assign"),
        (None, None),
    ]:
        with subtests.test(from_=from_, to=to):
            with pytest.raises(ToolError, match="are the same"):
                bf.move("current", from_, to, 1.0)
            assert writes_of(home) == []


def test_a_move_that_the_limit_does_not_allow_changes_nothing() -> None:
    home = ServiceWithFacade(limit=200, threshold=3)
    message = (
        "the move needs 2 more requests, but the limit leaves 1 of 3 requests: wait for up to one"
        " hour. Nothing was sent"
    )
    with pytest.raises(ToolError, match=message):
        home.bf.move("current", "Groceries", "Clothing", 1.0)
    assert writes_of(home) == []


REFUSED = httpx.Response(400, json={"error": {"id": "400", "name": "bad", "detail": "no"}})
LOST = httpx.ReadError("reset")
FIRST = "In 2026-06: Home: Garden was changed from 1,234.50 to 1,214.50; "
REST = (
    " Until both are changed, the money is in Ready to Assign. To complete the move:"
    " assign('2026-06', 'c2', 30.0)"
)
NOT_SENT = "; Home: Tools was not changed."
MOVES: list[tuple[httpx.Response | Exception, int, str]] = [
    # the answer, of which write, and the note
    (REFUSED, 0, f"In 2026-06: Home: Garden was not changed from 1,234.50 to 1,214.50{NOT_SENT}"),
    (
        LOST,
        0,
        f"In 2026-06: Home: Garden may have been changed from 1,234.50 to 1,214.50{NOT_SENT}",
    ),
    (REFUSED, 1, f"{FIRST}Home: Tools was not changed from 10.00 to 30.00.{REST}"),
    (LOST, 1, f"{FIRST}Home: Tools may have been changed from 10.00 to 30.00.{REST}"),
    (data({"x": 1}), 1, f"{FIRST}Home: Tools may have been changed from 10.00 to 30.00.{REST}"),
]


ROWS = [category("c1", "Garden", 1_234_500), category("c2", "Tools", 10_000)]
MONTH = {"month": "2026-06-01", "income": 0, "budgeted": 0, "activity": 0, "to_be_budgeted": 0}


class Answering:
    """A service with two categories, whose write at a position gets this answer."""

    def __init__(self, answer: httpx.Response | BaseException, position: int) -> None:
        self.given = answer
        self.position = position
        self.writes: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return data({"month": MONTH | {"categories": ROWS}})
        self.writes.append(request.url.path.rpartition("/")[2])
        if len(self.writes) <= self.position:
            return data({"category": ROWS[0]})
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given


@pytest.mark.parametrize(("answer", "position", "note"), MOVES)
def test_a_move_that_fails_says_what_was_changed(
    answer: httpx.Response | Exception, position: int, note: str
) -> None:
    service = Answering(answer, position)
    with pytest.raises((ServiceAPIError, httpx.ReadError)) as caught:
        scripted(one_budget(service)).move("current", "Garden", "Tools", 20.0)
    assert caught.value.__notes__[-1] == note
    assert service.writes == ["c1", "c2"][: position + 1]


def test_the_amounts_of_a_move_are_written_in_the_format_of_the_budget() -> None:
    euro = {"decimal_separator": ",", "group_separator": ".", "currency_symbol": "€"}
    bf = scripted(one_budget(Answering(REFUSED, 0), currency_format=euro | {"symbol_first": False}))
    with pytest.raises(ServiceAPIError) as caught:
        bf.move("current", "Garden", "Tools", 20.0)
    assert "Home: Garden was not changed from 1.234,50 to 1.214,50;" in caught.value.__notes__[-1]


def test_an_interrupted_move_warns_what_was_changed() -> None:
    service = Answering(asyncio.CancelledError(), 1)
    write = scripted(one_budget(service)).aio.move("current", "Garden", "Tools", 20.0)
    note = re.escape(f"{FIRST}Home: Tools may have been changed")
    with pytest.raises(asyncio.CancelledError), pytest.warns(RuntimeWarning, match=note):
        asyncio.run(write)
