"""The report unusual: what is compared, and what is far from it."""

from typing import Any

import pytest

from budgetframe import ToolError
from budgetframe.reports import unusual
from tests.frames.columns import Json
from tests.frames.household import part
from tests.reports.rows import ledger_frame, lines, moved, row, split

USUAL = (-8.0, -9.0, -10.0, -10.0, -11.0, -12.0, -10.0, -9.0)
FOUND = ("date", "amount", "usual", "deviation", "times", "row_count")


def usual(category: str = "food") -> list[Json]:
    pairs = enumerate(USUAL, 1)
    return [row(f"2026-05-0{day}", size, category, payee_id="market") for day, size in pairs]


def far(amount: float, category: str | None = "food", payee: str | None = "market") -> Json:
    return row("2026-05-20", amount, category, payee_id=payee)


def found(*rows: Json, column: str = "reason", **options: Any) -> list[Any]:
    return unusual(ledger_frame(*usual(), *rows), **options)[column].tolist()


def test_an_amount_far_from_the_median_is_unusual_by_its_number_of_deviations() -> None:
    # Sorted sizes: 8 9 9 10 10 10 11 12 30; distances from 10: 0 0 0 1 1 1 2 2 20.
    ledger = ledger_frame(*usual(), far(-30.0))
    assert lines(unusual(ledger), *FOUND) == [("2026-05-20", -30.0, -10.0, 1.0, 20.0, 9)]
    assert unusual(ledger)["reason"].tolist() == ["usual is -10.00 in 9 rows"]
    assert "20.0  usual is -10.00 in 9 rows" in repr(unusual(ledger))
    options: list[dict[str, Any]] = [{"factor": 19}, {"factor": 20}, {"least": 9}, {"least": 10}]
    assert [len(unusual(ledger, **each)) for each in options] == [1, 0, 1, 0]  # more than factor


@pytest.mark.parametrize(
    ("amount", "expected"), [(-1900.0, [20.0]), (-1330.0, []), (-475.0, [10.0])]
)
def test_of_equal_amounts_a_deviation_is_five_per_cent(amount: float, expected: list[Any]) -> None:
    same = [row(f"2026-0{month}-01", -950.0, "rent", payee_id="cafe") for month in range(1, 6)]
    report = unusual(ledger_frame(*same, *same, far(amount, "rent", "cafe")))
    assert lines(report, "usual", "deviation", "times") == [
        (-950.0, 47.5, each) for each in expected
    ]


@pytest.mark.parametrize(("rows", "expected"), [
    ([far(-60.0, "fun")], ["usual is -10.00 in 9 rows of the payee"]),
    ([far(-60.0, "food", "cafe")], ["usual is -10.00 in 9 rows of the category"]),
    ([far(-60.0, None)], ["usual is -10.00 in 9 rows of the payee"]),
    ([far(-60.0, "food", None)], ["usual is -10.00 in 9 rows of the category"]),
    ([far(-60.0, "fun", "cafe")], []),  # nothing to compare with
    ([far(-60.0, "food", "cafe"), far(-61.0, "food", "cafe")], []),  # alike, as once a year
    ([*(far(size, "food", "cafe") for size in (-9.0, -9.0, -60.0))], ["usual is -10.00 in 11"]),
    ([far(500.0), far(0.0)], []),  # an inflow is not compared with outflows
    ([*(far(size, "ready", "cafe") for size in [100.0] * 8 + [150.0])], ["usual is 100.00"]),
    ([row("2026-05-20", -60.0, "food", "fund", payee_id="market")], []),  # not in the budget
    ([*moved("2026-05-20", 900.0, "checking", "savings")], []),
])  # fmt: skip
def test_too_few_rows_of_payee_and_category_are_compared_with_the_payee_or_the_category(
    rows: list[Json], expected: list[str]
) -> None:
    shown = found(*rows)
    assert len(shown) == len(expected)
    assert all(each.startswith(start) for each, start in zip(shown, expected, strict=True))


def test_filters_and_days_choose_the_judged_rows_and_the_most_unusual_is_first() -> None:
    rows = far(-30.0), row("2026-06-02", -40.0, "food", "visa", payee_id="market")
    assert found(*rows, column="amount") == [-40.0, -30.0]
    for options in ({"since": "2026-06"}, {"accounts": "Visa"}, {"exclude_accounts": "Checking"}):
        assert found(*rows, column="amount", **options) == [-40.0]
    assert found(*rows, until="2026-05-19") == []


def test_rows_are_the_unusual_one_and_those_that_it_is_compared_with() -> None:
    parts = part("p1", -30.0, payee_id="market", category_id="food"), part("p2", -1.0)
    report = unusual(ledger_frame(*usual("fun"), *usual(), split("2026-05-20", -31.0, *parts)))
    assert report.rows(0)["subtransaction_id"].tolist() == ["p1"]
    same = report.rows(0, column="usual")
    assert (sorted(same["amount"]), {*same["category_name"]}) == (sorted([*USUAL, -30.0]), {"Food"})


@pytest.mark.parametrize(
    ("name", "text"), [("least", "rows, from 3"), ("factor", "deviations, from 1")]
)
def test_too_small_numbers_are_errors(name: str, text: str) -> None:
    with pytest.raises(ToolError, match=f"{name}=0: it is a number of {text} to 10,000"):
        unusual(ledger_frame(), **{name: 0})  # type: ignore[arg-type]


def test_the_picture_has_the_most_unusual_amounts_by_their_deviations() -> None:
    rows = [row(f"2026-05-{day}", -30.0 - day, "food", payee_id="market") for day in range(10, 30)]
    ax = unusual(ledger_frame(*usual() * 9, *rows)).plot()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert (names[0], names[-1], len(names)) == ("2026-05-29 Market", "2026-05-15 Market", 15)
    assert ax.get_title(loc="left") == "Unusual amounts, 10 – 29 May 2026: 15 of 20"
    assert ax.patches[0].get_width() == 49.0  # a deviation is 1
    assert [text.get_text() for text in ax.texts][:1] == ["-59.00 / -10.00"]
