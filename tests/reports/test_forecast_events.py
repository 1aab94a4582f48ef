"""What if: events and ends of the report forecast, and `compare`."""

from calendar import monthrange
from datetime import date, timedelta
from random import Random
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.frames import milliunits
from tests.programs import programs
from tests.reports.rows import ledger_frame, lines, row
from tests.reports.test_forecast import CARD, CHECKING, SAVINGS, TODAY, coming, of, schedule
from tests.reports.test_forecast_typical import coming as typical_of, typical_days


def event(day: str, amount: Any, **more: Any) -> dict[str, Any]:
    return {"date": day, "account_name": "Checking", "amount": amount, **more}


@pytest.mark.parametrize(("events", "days"), [
    ([event("2026-07-01", -9.5)], ["2026-07-01"]),
    ([event("2026-08-31", -1, frequency="monthly", until="2026-10-31")],
     ["2026-08-31", "2026-09-30", "2026-10-31"]),
    ([event("2026-06-18", -1, frequency="weekly", until="2026-06-24")], ["2026-06-18"]),
    ([event("2026-07-01", -1), event("2026-07-01", 2)], ["2026-07-01"]),
])  # fmt: skip
def test_an_event_counts_on_its_days(events: list[Any], days: list[str]) -> None:
    for given in (events, pd.DataFrame(events)):
        found = coming(schedule(-5.0), events=given, until="2026-12-31")
        changed = (found["balance"] - found["baseline"]).round(3).diff() != 0
        assert lines(found[changed], "date")[1:] == [(day,) for day in days]
        assert of(found, "checking", "baseline")[-1] == (95.0,)


def test_an_event_on_a_card_is_limited_by_the_debt_as_a_schedule() -> None:
    paid = event("2026-06-18", -130, transfer_account_name="Card", note="all of it")
    found = coming(accounts=(CHECKING, CARD), events=[paid])
    assert lines(found, "balance")[-2:] == [(0.0,), (0.0,)]  # 100 of the 130 are paid
    rule = "Event of 2026-06-18: -130,00 € in Checking, with Card (all of it)."
    assert rule in found.attrs["rules"]
    many = coming(events=[event("2026-06-18", 0.5, frequency="daily")] * 12).attrs["rules"]
    assert many[-3] == "Event of 2026-06-18, daily to 2026-06-21: 0,50 € in Checking."
    assert many[-2] == "2 further events and ends."


RENT = schedule(-60.0, "2026-07-01", frequency="monthly", payee_name="Landlord",
                category_id="rent", category_name="Rent")  # fmt: skip
SAVED = schedule(-80.0, "2026-07-05", parts=[(-30.0, None), (-50.0, "savings")])


@pytest.mark.parametrize(("without", "final"), [
    ("Landlord", (20.0, 100.0)),  # 100 - 80
    ({"rent": "2026-09-01"}, (-100.0, 100.0)),  # July and August are paid
    (["Savings", "Rent"], (70.0, 50.0)),  # one part of the split
    ("Home: Rent", (20.0, 100.0)), ("Home", (20.0, 100.0)),
])  # fmt: skip
def test_a_series_ends(without: Any, final: tuple[float, float]) -> None:
    rows = ledger_frame(row("2026-06-10", -1.0, "rent"), row("2026-06-10", -1.0, "food"))
    how: dict[str, Any] = {"without": without, "until": "2026-11-30", "ledger": rows}
    found = coming(RENT, SAVED, accounts=(CHECKING, SAVINGS), **how)
    assert lines(found, "balance")[-2:] == [(each,) for each in final]


def test_typical_amounts_end_by_category_and_replaced_ones_do_not_come_back() -> None:
    rows = [row(f"2026-0{month}-10", -30.0, "food") for month in (3, 4, 5)]
    rows += [row(f"2026-0{month}-12", -8.0, "fun") for month in (3, 4, 5)]
    assert typical_days(typical_of(*rows, without={"Food": "2026-07-10"})) == {"2026-07-12": -8.0}
    both = {"2026-07-10": -30.0, "2026-07-12": -8.0}
    assert typical_days(typical_of(*rows, without={"Food": "2026-07-11"})) == both
    bought = {"id": "s", "payee_name": "Market", "category_id": "food"}
    scheduled = schedule(-30.0, "2026-07-10", **bought)
    found = typical_of(*rows, scheduled=[scheduled], without=["Market"])
    assert typical_days(found) == {"2026-07-12": -8.0}
    assert not found["change"].any()
    with pytest.raises(ToolError, match="typical amounts have categories and no payees"):
        typical_of(*rows, without="Market")
    two = [row(f"2026-0{month}-14", -5.0, "office food") for month in (3, 4, 5)]
    found = typical_of(*rows, *two, without="Food")
    assert typical_days(found) == {"2026-07-12": -8.0}
    assert "Without Food (of Daily and Office) from 2026-06-17 on." in found.attrs["rules"]


@pytest.mark.parametrize(("options", "message"), [
    ({"events": [{"date": "2026-07-01", "acount_name": "A", "amount": 1}]}, "write account_name"),
    ({"events": [event("2026-07-01", amount=True)]}, "amount=True is not an amount"),
    ({"events": [event("2026-07-01", 0.0005)]}, "row 0: amount=0.0005 is not an amount"),
    ({"events": [event("2026-07-01", 1), event("2026-07", 1)]}, "row 1: date='2026-07' is not"),
    ({"events": [event("2026-07-01", 1, frequency="montly")]}, "'montly': it must be one"),
    ({"events": [event("2026-06-16", 1)]}, "date=2026-06-16 is before today; .* 2026-06-17 to"),
    ({"events": [event("2027-07-01", 1, until="2028-01-01")]}, "last day; .* to 2026-06-21: "),
    ({"events": [event("2026-06-20", 1, until="2026-06-19")]}, "is after its until"),
    ({"events": [event("2026-06-20", 1, payee_name="Shop")]}, "payee_name cannot be in an event"),
    ({"events": iter([event("2026-06-20", 1)])}, "must be a list of mappings, or a DataFrame"),
    ({"events": [event("2026-06-20", 1, transfer_account_id="checking")]}, "both accounts of the"),
    ({"events": [event("2026-06-20", 1)], "accounts": (CHECKING, {**CHECKING, "id": "other"})},
     "row 0: more than one open account is 'Checking': write account_id"),
    ({"events": [event("2026-06-20", 1) | {"account_name": "Cheking"}]},
     "there is no open account 'Cheking'; the closest name is 'checking'$"),
    ({"without": ["Lanlord"]}, "^without: nothing is scheduled .* 'Landlord'"),
    ({"without": {"Rent": 3}}, "without.'Rent'.=3 is not a day"),
])  # fmt: skip
def test_invalid_events_and_ends_raise_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        coming(RENT, **options)


def test_compare_shows_the_lowest_balance_of_both() -> None:
    found = coming(schedule(-90.0), events=[event("2026-06-19", -50)])
    assert lines(found.compare(), *[*found.compare()][:-1]) == [
        ("Checking", -40.0, 10.0, *["2026-06-20"] * 3, None, -40.0, 10.0, -50.0)
    ]
    assert found.compare(found.assign(change=1.0)).shape == (5, 2)
    later, nothing = {"Rent": "2040-01-01"}, [event("2026-06-20", 0)]
    for same in (coming(RENT, without=later), coming(RENT, events=nothing)):
        assert same.compare().dtypes.to_dict() == found.compare().dtypes.to_dict()
        assert same.compare().empty
        assert same.attrs["rules"][-1].startswith("Events and ends change no balance")
    with pytest.raises(ToolError, match="nothing changes in this forecast"):
        coming(events=[]).compare()


STEPS = {"daily": 1, "weekly": 7, "every4Weeks": 28, "monthly": -1, "every3Months": -3}


def is_due(day: date, first: date, step: int) -> bool:
    if step > 0 or day < first:
        return day >= first and (day - first).days % step == 0
    months = 12 * (day.year - first.year) + day.month - first.month
    return months % -step == 0 and day.day == min(first.day, monthrange(day.year, day.month)[1])


@pytest.mark.parametrize("seed", programs(3))
def test_random_events_add_up_day_by_day(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - no secret
    every = [(TODAY + timedelta(random.randrange(120)), random.randrange(-9999, 9999),
              random.choice([*STEPS]), TODAY + timedelta(random.randrange(119, 240)))
             for _ in range(8)]  # fmt: skip
    found = coming(
        *(schedule(amount / 1000, str(day), frequency=word, payee_name=f"P{number}")
          for number, (day, amount, word, _) in enumerate(every[:4])),
        events=[event(str(day), amount / 1000, frequency=word, until=str(until))
                for day, amount, word, until in every[4:]],
        without={f"P{number}": str(until + timedelta(1))
                 for number, (*_, until) in enumerate(every[:4])}, days=200,
    )  # fmt: skip
    changes = [sum(amount for first, amount, word, until in every
                   if today <= until and is_due(today, first, STEPS[word]))
               for today in (TODAY + timedelta(number) for number in range(201))]  # fmt: skip
    assert milliunits(found["balance"]).tolist() == (100_000 + pd.Series(changes).cumsum()).tolist()
