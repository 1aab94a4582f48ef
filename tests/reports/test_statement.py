"""The balance of a bank beside rows by hand: sets that explain the difference, typing errors."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.frames import TABLES, milliunits
from budgetframe.reports.statement import ComparedBalance
from tests.frames.columns import Json
from tests.frames.household import transaction

ON = "2026-05-31"


def row(day: int | str, amount: float, cleared: str = "uncleared", **more: Any) -> Json:
    """A row of May 2026, or of another day."""
    date = f"2026-05-{day:02}" if isinstance(day, int) else day
    return transaction("", date, "checking", amount, cleared=cleared, **more)


def compared(balance: float, *rows: Json, on: str = ON, decimals: int = 2) -> ComparedBalance:
    """A balance beside rows, whose keys are t00, t01 and so on."""
    keyed = [each | {"id": f"t{number:02}"} for number, each in enumerate(rows)]
    frame = TABLES["transactions"].frame({"transactions": keyed})
    frame.attrs = {"as_of": "2026-06-17T12:00:00", "currency_format": {"decimal_digits": decimals}}
    thousandths = int(milliunits(pd.Series([balance])).iloc[0])
    return ComparedBalance(frame, "Checking", thousandths, pd.Timestamp(on))


def sets(statement: ComparedBalance) -> list[list[tuple[str, str]]]:
    """The keys of each set, with the first letter of the state that a row gets."""
    return [
        list(zip(group["transaction_id"], group["becomes"].str[0], strict=True))
        for _, group in statement.explanations.groupby("set")
    ]


def errors(statement: ComparedBalance) -> list[tuple[str, str, float]]:
    found = statement.typing_errors
    return list(zip(found["transaction_id"], found["kind"], found["corrected_amount"], strict=True))


# The difference


def test_the_cleared_and_reconciled_rows_up_to_the_day_count() -> None:
    statement = compared(
        1234.56, row("2026-04-01", 1000.10, "reconciled"), row(31, 200.20, "cleared"),
        row(31, -7.77), row("2026-06-01", 50.0, "cleared"), row("2026-06-02", 60.0, "reconciled"),
    )  # fmt: skip
    assert (statement.cleared, statement.difference) == (1_200_300, 34_260)
    assert statement.frame["transaction_id"].tolist() == ["t01", "t02", "t03"]
    assert statement.frame["is_later"].tolist() == [False, False, True]
    assert statement.frame["amount"].tolist() == [200.2, -7.77, 50.0]


def test_a_sum_of_many_rows_is_exact() -> None:
    statement = compared(3.0, *[row(1 + number % 28, 0.1, "cleared") for number in range(30)])
    assert statement.difference == 0
    assert len(statement.explanations) == 0
    assert statement.explanations["set"].dtype == "int64"


def test_a_sum_that_is_too_large_to_be_exact_is_refused_like_that_of_a_report() -> None:
    one = compared(0.0, row(1, -2.2e12, "cleared"))
    many = replace(one, rows=one.rows.take([0] * 5_000))
    with pytest.raises(ToolError, match=r"^an amount of 11,000,000,000,000,000 is too large to be"):
        _ = many.cleared


# Sets


def test_the_sets_clear_and_unclear_rows_the_fewest_and_nearest_first() -> None:
    statement = compared(
        80.0, row(1, 100.0, "reconciled"), row(2, -20.0),  # 29 days before the day
        row(30, -20.0), row(20, 20.0, "cleared"),  # unclearing it takes 20 away
        row(25, -12.5), row(26, 20.0), row("2026-06-01", -40.0),  # later
    )  # fmt: skip
    # The cleared balance is 120: 40 must go.
    assert statement.difference == -40_000
    assert sets(statement) == [
        [("t03", "u"), ("t02", "c")],  # 11 + 1 days
        [("t01", "c"), ("t02", "c")],  # 29 + 1
        [("t01", "c"), ("t03", "u")],  # 29 + 11
    ]  # clearing t05 as well, which is no set alone, explains no more
    assert statement.explanations["cleared"].tolist()[:2] == ["cleared", "uncleared"]


def test_rows_without_an_amount_and_reconciled_rows_are_in_no_set() -> None:
    statement = compared(-10.0, row(1, 10.0, "reconciled"), row(2, 0.0), row(3, -20.0))
    assert sets(statement) == [[("t02", "c")]]
    statement = compared(0.0, row(1, 10.0, "reconciled"))
    assert sets(statement) == []


def test_thirty_five_open_rows_have_three_explanations() -> None:
    large = [row(1 + number % 28, -100.0 * 2**number) for number in range(30)]
    statement = compared(
        987.66,
        row(1, 1000.0, "reconciled"),
        *large,  # t01 to t30: no sum of them is below 100
        row(10, -12.34),  # t31
        row(20, -10.0),  # t32
        row(21, -2.34),  # t33
        row(29, -7.66),  # t34
        row(30, -4.68),  # t35
    )
    assert (statement.difference, len(statement.frame)) == (-12_340, 35)
    assert sets(statement) == [
        [("t31", "c")],
        [("t34", "c"), ("t35", "c")],  # 2 + 1 days
        [("t32", "c"), ("t33", "c")],  # 11 + 10 days
    ]
    assert list(statement.warnings()) == []


def test_ten_sets_are_shown_and_a_warning_says_that_there_are_more() -> None:
    ten = compared(-5.0, *[row(day, -5.0) for day in range(1, 11)])
    assert (ten.explanations["set"].max(), list(ten.warnings())) == (9, [])
    eleven = compared(-5.0, *[row(day, -5.0) for day in range(1, 12)])
    assert eleven.explanations["transaction_id"].tolist() == [
        "t10", "t09", "t08", "t07", "t06", "t05", "t04", "t03", "t02", "t01",
    ]  # fmt: skip
    assert [*eleven.warnings()] == ["there are more than 10 sets: .explanations has the first ones"]


def test_of_more_than_forty_rows_the_newest_forty_are_searched() -> None:
    rows = [row(f"2026-04-{1 + number % 28:02}", -1000.0 * 2**number) for number in range(29)]
    newer = [row(1 + number, -1_000.0) for number in range(11)]
    assert sets(compared(-1.0, row("2026-03-31", -1.0), *rows[:28], *newer)) == [[("t00", "c")]]
    more = compared(-1.0, row("2026-03-31", -1.0), *rows, *newer)
    assert sets(more) == []
    assert list(more.warnings()) == [
        "only the newest 40 of 41 rows up to the day that are not reconciled are searched for sets"
    ]


# Typing errors


@pytest.mark.parametrize(("amount", "difference", "decimals", "expected"), [
    (-21.50, 9.0, 2, ("two digits swapped", -12.50)),
    (-12.34, -0.90, 2, ("two digits swapped", -13.24)),  # across the decimal point
    (-12.34, -0.09, 2, ("two digits swapped", -12.43)),
    (-12.34, 20.70 - 41.40, 2, None),  # -33.04
    (-10.50, 9.0, 2, None),  # 01.50 is not how 1.50 is written
    (-0.12, -0.09, 2, ("two digits swapped", -0.21)),
    (-0.12, -0.90, 2, ("two digits swapped", -1.02)),
    (-321.0, 198.0, 2, None),  # 123: the first and the last digit
    (-12.0, -9.0, 0, ("two digits swapped", -21.0)),
    (-12.345, -0.009, 2, ("two digits swapped", -12.354)),  # more decimals than the currency
    (50.0, -100.0, 2, ("wrong sign", -50.0)),
    (-33.0, 66.0, 2, ("wrong sign", 33.0)),
    (-12.34, -111.06, 2, ("shifted decimal point", -123.40)),
    (-1234.0, 1221.66, 2, ("shifted decimal point", -12.34)),
    (-5.0, -495.0, 2, ("shifted decimal point", -500.0)),
    (-5.0, -4995.0, 2, None),  # three places
    (-0.50, -4.50, 2, ("shifted decimal point", -5.0)),  # also two swapped digits
    (-18.0, 99.0, 2, None),  # 81 with the other sign
])  # fmt: skip
def test_the_kinds_of_typing_errors(
    amount: float, difference: float, decimals: int, expected: tuple[str, float] | None
) -> None:
    balance = round(amount + difference, 3)
    statement = compared(balance, row(5, amount, "cleared"), decimals=decimals)
    assert errors(statement) == ([] if expected is None else [("t00", *expected)])


def test_a_row_that_is_not_cleared_is_corrected_and_cleared() -> None:
    statement = compared(
        87.5, row(1, 100.0, "reconciled"), row(2, -21.5), row(3, -125.0),
        row(4, -12.5),  # right as it is: a set, not an error
        row("2026-06-01", -21.5), row(5, -21.5, "reconciled"),
    )  # fmt: skip
    # 87.50 - (100 - 21.50) = 9
    assert errors(statement) == []
    statement = compared(
        87.5, row(1, 100.0, "reconciled"), row(2, -21.5), row(3, -125.0), row(4, -12.5),
        row("2026-06-01", -21.5),
    )  # fmt: skip
    assert errors(statement) == [
        ("t01", "two digits swapped", -12.5), ("t02", "shifted decimal point", -12.5),
    ]  # fmt: skip


def test_a_statement_that_agrees_has_no_typing_errors() -> None:
    rows = row(1, 10.0, "cleared"), row(2, -10.0, "cleared"), row(3, 5.0), row(4, 0.0)
    statement = compared(0.0, *rows)
    assert (len(statement.typing_errors), len(statement.explanations)) == (0, 0)


# What is accepted


def states(frame: pd.DataFrame) -> dict[str, str]:
    return dict(zip(frame["transaction_id"], frame["cleared"], strict=True))


def test_a_set_gets_its_states_and_what_is_cleared_is_reconciled() -> None:
    statement = compared(
        80.0,
        row(1, 100.0, "reconciled"),
        row(2, 10.0, "cleared"),
        row(3, 20.0, "cleared"),  # the bank does not have it
        row(4, -30.0),  # the bank has it
        row(5, -77.0),
        row("2026-06-01", 9.0, "cleared"),
    )
    assert sets(statement) == [[("t02", "u"), ("t03", "c")]]
    assert states(statement.reconciled(0)) == {
        "t01": "reconciled", "t02": "uncleared", "t03": "reconciled",
    }  # fmt: skip


def test_without_a_set_the_difference_must_be_zero() -> None:
    statement = compared(10.0, row(1, 10.0, "cleared"), row(2, 3.0))
    assert states(statement.reconciled(None)) == {"t00": "reconciled"}
    with pytest.raises(ToolError, match=r"^changes\(0\): the statement agrees, so that there are"):
        statement.reconciled(0)
    other = compared(13.0, row(1, 10.0, "cleared"), row(2, 3.0), row(3, 3.0))
    message = r"^3\.00 is missing: the bank has 13\.00, and 10\.00 is cleared; \.explanations has 2"
    with pytest.raises(ToolError, match=message):
        other.reconciled(None)
    for number in (2, -1):
        with pytest.raises(ToolError, match=rf"^changes\({number}\): there is no such set\. 3\.00"):
            other.reconciled(number)
    nothing = compared(13.0, row(1, 10.0, "cleared"))
    with pytest.raises(ToolError, match=r"no set of rows explains it: enter or correct a row"):
        nothing.reconciled(None)


# Warnings


def test_a_balance_with_the_other_sign_is_named() -> None:
    assert list(compared(512.3, row(1, -512.3, "cleared")).warnings()) == [
        "with the balance -512.30 the statement agrees: a balance that you owe is negative"
    ]


def test_a_day_after_today_counts_the_rows_up_to_it_and_says_so() -> None:
    rows = (row("2026-06-17", 3.0, "cleared"), row("2026-06-30", 4.0, "cleared"))
    statement = compared(7.0, *rows, row("2026-07-01", 5.0, "cleared"), on="2026-06-30")
    assert (statement.difference, list(statement.warnings())) == (
        0, ["2026-06-30 is after today (2026-06-17): rows that are dated up to that day count"],
    )  # fmt: skip
