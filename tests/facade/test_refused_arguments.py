"""Every argument of every frame and report is checked before a request is sent."""

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ToolError, reports
from budgetframe._facade.aio.frames import Frames
from budgetframe.reports._shared.arguments import check_report
from tests.docs.docstrings import OBJECTS, REPORTS
from tests.facade.service import ServiceWithFacade, read_only

NOT_A_FLAG = ("no", 1, None)
NOT_A_NUMBER = ("12", 1.5, None, True)
WRONG: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("accounts", "categories", "flags", "hashtags", "payees"), (5, [], [1])),
    "average": ("mean", None),
    "by": ("catgory", 5, ["category"], ("payee", "x"), {"Food": 1}, {("a", "b"): "c"}),
    **dict.fromkeys(("contributions", "exclude_accounts", "exclude_categories"), (5, [1])),
    **dict.fromkeys(("count", "most"), (0, 10_001, *NOT_A_NUMBER)),
    "contribution": (float("-inf"), "5", True, 3e12),
    "currencies": ("USD", {"Fund": 3}),
    "days": (-1, 36_526, 10**18, *NOT_A_NUMBER),
    "debts": ("kind", None), "every": ("month", None), "exclude_payees": (5, [1]),
    "events": (5, "2027-03", [5], [{"date": "2027-03-01"}], [{"amount": "x"}]),
    **dict.fromkeys(("extra", "include_cards", "include_closed", "include_deleted"), NOT_A_FLAG),
    "freq": ("weekly", None, 1),
    **dict.fromkeys(("include_ended", "include_hidden", "income", "interest"), NOT_A_FLAG),
    "uncategorized": NOT_A_FLAG,
    "kinds": ("rent", {"Food": "meal"}, {5: "rent"}),
    "memo": (5, "", " ", ["a"]), "money": ("cents", None), "month": ("May", "2026", 5),
    "order": ("largest", 5), "payee_id": (5, True, ["p1"]),
    "payment": (0, "5", True, float("nan"), 3e12, 10**400),
    "rates": (5, "USD"), "reports.loans.extra": (-1, "5", None, True, float("nan"), 3e12),
    "reports.spending.window": (0, 36_526, "3", 1.5, True, (3, 0), [None]),
    **dict.fromkeys(("factor", "least"), (0, 10_001, *NOT_A_NUMBER)),
    **dict.fromkeys(("inflation", "return_"), (-1, 1.5, float("nan"), "0.02", True)),
    "since": ("yesterday", "2026-13", "2026-02-30", 5),
    "spending": (0, -5, "5", True, float("nan"), 3e12),
    "today": ("yesterday", "2026-05", 5, "1699-12-31", "2200-01-01"),
    "transfers": ("no", None, False),
    "typical": (0, 61, 10**18, "6", 1.5, True),
    "until": ("tomorrow", "2026-13", "2026-02-30", 5),
    "week_starts": ("mon", None, 0),
    "window": (0, 36_526, 10**9, *NOT_A_NUMBER),
    "withdrawal": (0, 4, "0.04"), "without": (5, [5], {"Rent": "soon"}),
}  # fmt: skip
"""Values that each option refuses."""

VALID: dict[str, tuple[Any, ...]] = {
    "accounts": ("Checking", ["Checking", "Visa"]),
    "by": ("category", "group", ("group", "payee"), {"Food": "daily"}),
    "categories": ("Rent",),
    "contributions": ((), "Employer", ["Employer"]),
    "contribution": (None, -500), "spending": (None, 0.001), "withdrawal": (0.001, 1),
    **dict.fromkeys(("inflation", "return_"), (-0.99, 0, 1)),
    **dict.fromkeys(("currencies", "rates"), (None,)),
    "count": (1, 10_000), "days": (0, 36_525), "exclude_accounts": ((), "Visa"),
    "exclude_categories": ((), ["Rent"]),
    "exclude_payees": ((), "Market"), "flags": ("red", ["My flag"]),
    "hashtags": ("#trip", ["trip"]),
    "kinds": (None, {"Landlord": "rent"}),
    "memo": ("a",),
    "month": (None, "2026-05", "current"),
    "extra": (0, 200), "factor": (1, 10_000), "least": (3, 10_000),
    "order": (None, "avalanche", "snowball"),
    "most": (1, 10_000), "payee_id": (None,), "payees": ("Market",),
    "payment": (None, 500, 0.01, 2e12),
    "since": (None, "1700", "2026", "2026-05", "2026-05-17", pd.Timestamp("2026-05-17")),
    "today": (None, "1700-01-01", "2026-05-17", "2199-12-31"),
    "typical": (None, 1, 60),
    "until": (None, "2026", "2026-05", "2026-05-17", "2199"),
    "window": (1, 36_525),
    "events": ([], ({"date": "2027-03-01", "account_name": "Checking", "amount": -9},)),
    "without": ((), "Rent", ["Rent"], {"Rent": "2027-05-01"}),
}  # fmt: skip
"""Values that options accept without any row; an option of words or flags is tested with all."""


def options_of(method: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(method).parameters if name != "self"]


def calls() -> Iterator[tuple[str, str]]:
    """The path of each method that reads frames or makes a report, with each of its options."""
    for name, method in vars(Frames).items():
        if (
            inspect.iscoroutinefunction(method)
            and not name.startswith("_")
            and not name.endswith(("_account", "_category", "_payee"))  # a key is required
        ):
            yield from ((name, option) for option in options_of(method))
    for name in REPORTS:
        yield from (
            (f"reports.{name}", option)
            for option in options_of(getattr(OBJECTS["bf.reports"], name))
        )


def test_wrong_values_of_options_are_errors_without_a_request(subtests: pytest.Subtests) -> None:
    service, tried = ServiceWithFacade(), 0
    for path, option in calls():
        method: Any = service.bf
        for name in path.split("."):
            method = getattr(method, name)
        assert option in WRONG, f"{path}: add values that the option {option} refuses to WRONG"
        for value in WRONG.get(f"{path}.{option}", WRONG[option]):
            if (path, option, value) == ("reports.same_period", "by", None):
                continue
            with subtests.test(path=path, option=option, value=value):
                with pytest.raises(ToolError, match=rf"^(accounts|kinds|{option})\b"):
                    method(**{option: value})
                assert service.served == 0
                tried += 1
    assert tried > 300


def test_since_after_until_raises_an_error_without_a_request(subtests: pytest.Subtests) -> None:
    service = ServiceWithFacade()
    bf = service.bf
    methods = [bf.transactions, bf.subtransactions, bf.ledger]
    methods += [getattr(bf.reports, name) for name in REPORTS]
    for method in methods:
        if "since" in options_of(method):
            with (
                subtests.test(method=method),
                pytest.raises(ToolError, match=r"^since=2026-06-01 is after until=2"),
            ):
                method(since="2026-06", until="2026-05")
    assert service.served == 0


def test_a_report_of_the_first_or_the_last_year_that_is_permitted_is_calculated() -> None:
    reported = read_only().reports
    with pytest.raises(ToolError, match="since=1699-01-01: it must be a day of the years 1700 to"):
        reported.net_worth(since="1699")
    with pytest.raises(ToolError, match="until=9999-12-31: it must be a day of the years 1700 to"):
        reported.net_worth(until="9999-12-31")
    assert reported.same_period(today="1700-01-01").empty
    assert reported.runway(window=36_525, since="1700", freq="year")["days"].isna().all()
    assert len(reported.forecast(until="2199", accounts="Checking")) == 63_385
    assert reported.duplicates(days=36_525).empty


def test_the_messages_say_what_an_argument_must_be(subtests: pytest.Subtests) -> None:
    reported = read_only().reports
    cases: list[tuple[Callable[..., Any], str, Any, str]] = [
        (reported.spending, "uncategorized", "no", "it must be True or False"),
        (reported.runway, "window", "90", "it must be a whole number"),
        (
            *(reported.runway, "window", 10**9),
            "it is a number of days (runway) or periods (spending), from 1 to 36,525",
        ),
        (reported.recurring, "kinds", "rent", "it must be a mapping"),
        (reported.investments, "freq", "weekly", "it must be one of 'month', 'quarter', 'year'"),
    ]
    for report, option, value, message in cases:
        with subtests.test(option=option, value=value):
            with pytest.raises(ToolError) as caught:
                report(**{option: value})
            assert str(caught.value) == f"{option}={value!r}: {message}"


def test_the_check_accepts_every_valid_value(subtests: pytest.Subtests) -> None:
    tried = 0
    for name in REPORTS:
        function = getattr(reports, name)
        hints = get_type_hints(function)
        for option in options_of(getattr(OBJECTS["bf.reports"], name)):
            words = [word for word in get_args(hints[option]) if isinstance(word, str)]
            is_flag = hints[option] is bool
            assert is_flag or words or option in VALID, (
                f"add values of the option {option} to VALID"
            )
            for value in (True, False) if is_flag else words or VALID[option]:
                with subtests.test(name=name, option=option, value=value):
                    check_report(partial(function, **{option: value}))
                    tried += 1
    assert tried > 200


def test_a_month_or_a_year_is_its_first_or_last_day(subtests: pytest.Subtests) -> None:
    bf = read_only()
    methods = [bf.transactions, bf.subtransactions, bf.ledger, bf.month_categories]
    methods += [getattr(bf.reports, name) for name in REPORTS]
    for method in methods:
        if "since" in options_of(method):
            with subtests.test(method=method):
                found = method(since="2026", until="2026-05")
                assert_frame_equal(found, method(since="2026-01-01", until="2026-05-31"))
                assert len(found) or method.__name__ == "unusual"  # no row is
    forecast = bf.reports.forecast(until="2026-07", today="2026-06-17")
    assert forecast["date"].max() == pd.Timestamp("2026-07-31")


def test_a_ledger_states_its_number_of_rows(tmp_path: Path) -> None:
    bf = read_only()
    for rows in (
        bf.ledger(), bf.ledger(since="2026-03", until="2026-05"), bf.ledger(money="milliunits"),
    ):  # fmt: skip
        assert rows.attrs["rows"] == len(rows) > 100
        rows.to_parquet(tmp_path / "ledger.parquet")
        for other in (rows.copy(), rows[rows["on_budget"]], rows.head(5), rows.assign(own=1)):
            assert other.attrs["rows"] == len(rows)
        assert pd.read_parquet(tmp_path / "ledger.parquet").attrs["rows"] == len(rows)
