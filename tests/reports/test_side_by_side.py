"""Reports of several budgets in one frame, and their conversion with exchange rates."""

import json
import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from openpyxl import load_workbook

from budgetframe import ToolError, to_excel, to_page
from budgetframe.reports import (
    Report,
    balances,
    income_expense,
    net_worth,
    recurring,
    same_period,
    side_by_side,
    spending,
)
from tests.reports.plans import EURO, TOKYO, YEN, household
from tests.reports.rows import began, ledger_frame, lines, row, values


def home(*amounts: float, made: Any = net_worth, **how: Any) -> Report:
    """A report in euros, of one row a month on the 10th from April 2026 on."""
    ledger = ledger_frame(
        began("2026-04-01", "checking", 0.0),
        *(row(f"2026-{4 + at:02}-10", each, "ready") for at, each in enumerate(amounts)),
    )
    ledger.attrs["currency_format"] = EURO
    report = made(ledger, **how)
    assert isinstance(report, Report)
    return report


def japan(*amounts: float, made: Any = net_worth, **how: Any) -> Report:
    """The same in yen."""
    report = home(*amounts, made=made, **how)
    report.attrs |= {"currency_format": YEN, "budget": "Japan"}
    return report


def rates(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["currency", "rate", "date"][: len(rows[0])])


# Without rates


def test_the_rows_of_both_budgets_have_their_name_and_currency() -> None:
    found = side_by_side({"Home": home(1.0, 2.0), "Japan": japan(500.0)})
    assert lines(found, "budget", "currency", "date", "net") == [
        ("Home", "EUR", "2026-04-30", 1.0), ("Home", "EUR", "2026-05-31", 3.0),
        ("Home", "EUR", "2026-06-17", 3.0), ("Japan", "JPY", "2026-04-30", 500.0),
        ("Japan", "JPY", "2026-05-31", 500.0), ("Japan", "JPY", "2026-06-17", 500.0),
    ]  # fmt: skip
    assert found.attrs["rules"][0] == (
        "Amounts are in the currency of each budget; do not add them up."
    )
    assert "currency_format" not in found.attrs


def test_amounts_are_shown_with_the_decimals_of_their_currency() -> None:
    both = {"Home": home(1.5), "Japan": japan(-500.0)}
    shown = repr(side_by_side(both))
    assert " 1,50 € " in shown
    assert " -¥500 " in shown
    assert "500.0" not in shown
    assert " ¥240 " in repr(side_by_side(both, rates=rates(("EUR", "160"), ("JPY", "1")), to="JPY"))


def test_the_amounts_of_a_workbook_have_the_decimals_of_their_currencies(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    yen_only = {"Japan": japan(500.0), "Tokyo": japan(700.0)}
    cases = [
        (side_by_side({"Home": home(1.5), "Japan": japan(500.0)}), '#,##0.00;-#,##0.00;"-"'),
        (side_by_side(yen_only), '"¥"#,##0;-"¥"#,##0;"-"'),
    ]
    for report, expected in cases:
        with subtests.test(expected=expected):
            to_excel(tmp_path / "both.xlsx", report)
            sheet = load_workbook(tmp_path / "both.xlsx").worksheets[0]
            formats = {top.value: cell.number_format for top, cell in zip(*sheet[1:2], strict=True)}
            assert (formats["Net"], formats["Debts"]) == (expected, expected)


def test_rows_belong_to_the_report_of_one_budget() -> None:
    found = side_by_side({"Home": home(1.0), "Japan": japan(500.0)})
    with pytest.raises(
        ToolError,
        match=r"^side_by_side has no rows of the ledger behind it: it has the rows of several"
        r" budgets; use rows\(\) of the report of one budget$",
    ):
        found.rows(0)


@pytest.mark.parametrize(
    "made", [net_worth, balances, income_expense, spending, same_period, recurring]
)
def test_the_columns_of_the_reports_keep_their_dtypes(made: Any) -> None:
    one = home(1.0, made=made)
    found = side_by_side({"Home": one, "Japan": japan(500.0, made=made)})
    assert [*found.columns[:2]] == ["budget", "currency"]
    assert dict(found.dtypes.iloc[2:].astype(str)) == dict(one.dtypes.astype(str))


def test_reports_without_rows_give_the_same_columns() -> None:
    none = ledger_frame().iloc[:0]
    none.attrs = {"currency_format": EURO}
    found = side_by_side({"Home": balances(none), "Japan": japan(1.0, made=balances)[:0]})
    whole = side_by_side({"Home": home(1.0, made=balances)})
    assert len(found) == 0
    assert dict(found.dtypes) == dict(whole.dtypes)


def test_categories_that_only_one_budget_has_are_kept() -> None:
    one, other = (home(1.0, made=balances) for _ in range(2))
    kinds = other["account_type"].cat.add_categories(["barter"])
    other["account_type"] = kinds.where(kinds != "checking", "barter")
    found = side_by_side({"Home": one, "Other": other})
    assert values(found, "account_type")[::3] == ["checking", "barter"]


def test_budgets_of_one_currency_have_its_format() -> None:
    found = side_by_side({"Home": home(1.0), "Cottage": home(2.0)})
    assert found.attrs["currency_format"] == EURO
    assert found.attrs["rules"][0] == "All amounts are in EUR."


def test_a_rule_of_one_budget_has_its_name() -> None:
    found = side_by_side({"Home": home(1.0), "Japan": japan(1.0, since="2026-05-01")})
    stated = found.attrs["rules"]
    assert "Home: From 2026-04-01 to 2026-06-17." in stated
    assert "Japan: From 2026-05-01 to 2026-06-17." in stated
    assert stated.count("Debts are negative: net = assets + debts.") == 1


def test_attrs_can_be_written_as_json_and_have_the_oldest_time() -> None:
    late = japan(1.0)
    late.attrs["as_of"] = "2026-06-16T12:00:00+00:00"
    found = side_by_side({"Home": home(1.0), "Japan": late}).attrs
    assert json.loads(json.dumps(found)) == found
    assert found["as_of"] == "2026-06-16T12:00:00+00:00"
    assert (found["report"], found["of"], found["freq"]) == ("side_by_side", "net_worth", "month")


# With rates


def test_amounts_are_converted_with_the_last_rate_on_or_before_the_day() -> None:
    known = rates(
        ("JPY", "0.006", "2026-06-18"),  # after the last day
        ("JPY", "0.005", "2026-05-31"),
        ("JPY", "0.004", "2026-04-29"),
    )
    found = side_by_side({"Home": home(1.0), "Japan": japan(1000.0, 1000.0)}, rates=known, to="EUR")
    assert lines(found, "currency", "date", "net", "change")[3:] == [
        ("EUR", "2026-04-30", 4.0, 4.0), ("EUR", "2026-05-31", 10.0, 5.0),
        ("EUR", "2026-06-17", 10.0, 0.0),
    ]  # fmt: skip
    assert values(found, "net")[:3] == [1.0, 1.0, 1.0]
    assert found.attrs["currency_format"] == EURO
    assert found.attrs["rules"][:2] == [
        (
            "Each amount is converted to EUR with your rate for its row, and rounded to a"
            " thousandth; the rules of the reports hold for the amounts before."
        ),
        "Rates of JPY: from 0.004 EUR of 2026-04-29 to 0.005 EUR of 2026-05-31.",
    ]


@pytest.mark.parametrize(("amount", "rate", "expected"), [
    (1.0, "0.0005", 0.001), (-1.0, "0.0005", -0.001),
    (1.0, "0.00049999999999999999999999", 0.0),
    (1.0, "0.00050000000000000000000001", 0.001),
    (3.0, 0.1, 0.3),  # the float 0.1 is one tenth
    (1_000_000.0, "0.00612345678901234567", 6123.457),
    (1000.0, Decimal("0.0061235"), 6.124),
    (1000.0, np.float64(0.0061245), 6.125),
    (700.0, 2, 1400.0),
    (1_000_000_000.0, "1.000000000001", 1_000_000_000.001),
])  # fmt: skip
def test_halves_of_converted_amounts_are_rounded(amount: float, rate: Any, expected: float) -> None:
    found = side_by_side({"Japan": japan(amount)}, rates=rates(("JPY", rate)), to="EUR")
    assert values(found, "net") == [expected] * 3


def test_yen_without_decimals_can_be_the_target() -> None:
    both = {"Home": home(10.01), "Japan": japan(500.0)}
    found = side_by_side(both, rates=rates(("EUR", "170.55")), to="JPY")
    assert lines(found, "budget", "currency", "net")[::3] == [
        ("Home", "JPY", 1707.206),  # 1707.2055
        ("Japan", "JPY", 500.0),
    ]
    assert found.attrs["currency_format"] == YEN


def test_a_currency_of_none_of_the_budgets_can_be_the_target() -> None:
    found = side_by_side(
        {"Home": home(1.0), "Japan": japan(100.0)}, rates=rates(("EUR", "1.1"), ("JPY", "0.0065")),
        to="USD",
    )  # fmt: skip
    assert values(found, "net")[::3] == [1.1, 0.65]
    assert found.attrs["currency_format"] == {"iso_code": "USD"}


def test_only_amounts_are_converted_and_missing_amounts_stay_missing() -> None:
    japanese = japan(1000.0, 3000.0, made=income_expense)
    found = side_by_side({"Japan": japanese}, rates=rates(("JPY", "0.005")), to="EUR")
    assert lines(found, "income", "savings_rate") == [(5.0, 1.0), (15.0, 1.0), (0.0, None)]
    japanese = japan(1000.0, made=same_period)
    found = side_by_side({"Japan": japanese}, rates=rates(("JPY", "0.005")), to="EUR")
    assert found["change"].isna().tolist() == japanese["change"].isna().tolist()


def test_the_day_of_a_period_is_its_end_or_the_day_of_reading(subtests: pytest.Subtests) -> None:
    known = rates(
        ("JPY", "0.001", "2026-04-30"), ("JPY", "0.002", "2026-06-17"), ("JPY", "9", "2026-06-18")
    )
    cases: list[tuple[str, list[float]]] = [
        ("month", [1.0, 1.0, 2.0]),
        ("quarter", [6.0]),  # until 17 June
    ]
    for freq, expected in cases:
        report = japan(1000.0, 1000.0, 1000.0, made=income_expense, freq=freq)
        with subtests.test(freq=freq):
            found = side_by_side({"Japan": report}, rates=known, to="EUR")
            assert values(found, "income") == expected


def test_a_report_without_days_uses_the_day_of_reading() -> None:
    known = rates(("JPY", "0.001", "2026-06-16"), ("JPY", "0.002", "2026-06-18"))
    months = pd.period_range("2025-01", "2026-06", freq="M").astype(str)
    ledger = ledger_frame(*(row(f"{each}-03", -1000.0, "fun", payee_id="cafe") for each in months))
    ledger.attrs["currency_format"] = YEN
    found = side_by_side({"Japan": recurring(ledger)}, rates=known, to="EUR")
    assert lines(found, "last_amount", "yearly_cost") == [(1.0, 12.0)]


def test_equal_rates_of_one_day_are_accepted_and_the_given_report_does_not_change() -> None:
    known, one = rates(("JPY", "0.005"), ("JPY", 0.005), ("EUR", 1)), japan(1000.0)
    assert values(side_by_side({"J": one}, rates=known, to="EUR"), "net")[0] == 5.0
    pd.testing.assert_frame_equal(one, japan(1000.0))
    assert one.attrs == japan(1000.0).attrs


@pytest.mark.parametrize("day", ["2026-04-01", date(2026, 4, 1), pd.Timestamp("2026-04-01 15:00")])
def test_the_days_of_rates_can_be_texts_dates_or_timestamps(day: str | date) -> None:
    known = rates(("JPY", "0.005", day))
    assert values(side_by_side({"Japan": japan(1000.0)}, rates=known, to="EUR"), "net")[0] == 5.0


# Rejected arguments


def test_a_day_or_currency_without_a_rate_is_named(subtests: pytest.Subtests) -> None:
    both = {"Home": home(1.0), "Japan": japan(1000.0)}
    cases: list[tuple[pd.DataFrame, str]] = [
        (rates(("JPY", "0.005", "2026-05-01")),
            "no rate of JPY on or before 2026-04-30; the first one is of 2026-05-01"),
        (rates(("USD", "0.9", "2026-01-01")), "no rate of JPY to EUR; the frame has USD"),
        (rates(("JPY", "0.005"))[:0], "no rate of JPY to EUR; the frame has no rows"),
    ]  # fmt: skip
    for known, message in cases:
        with subtests.test(message=message), pytest.raises(ToolError, match=message):
            side_by_side(both, rates=known, to="EUR")


def test_invalid_rates_are_rejected(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Any, str]] = [
        *((rates(("JPY", rate)), r"the rate of JPY is .*; it must be a positive number")
          for rate in (0, -1.0, float("nan"), float("inf"), None, "many", True, Fraction(0))),
        (rates(("JPY", "1"), ("JPY", "2")), "JPY has several rates; pass one"),
        (rates(("JPY", "1", "2026-01-01"), ("JPY", "2", "2026-01-01")),
         "JPY has several rates on 2026-01-01"),
        (rates(("EUR", "1.1")), "EUR is the currency of to=, but its rate is 1.1"),
        (rates((None, "1.1")), "currency=None is not an ISO code"),
        (rates(("JPY", "1", None)), "date=None is not a day"),
        (rates(("JPY", "1")).drop(columns="rate"), "the frame has no column rate"),
        ({"JPY": 0.005}, "pass a DataFrame, not dict"),
    ]  # fmt: skip
    for known, message in cases:
        with subtests.test(known=known, message=message), pytest.raises(ToolError, match=message):
            side_by_side({"Japan": japan(1.0)}, rates=known, to="EUR")


def test_rates_and_the_target_belong_together(subtests: pytest.Subtests) -> None:
    for how in ({"to": "EUR"}, {"rates": rates(("JPY", 1))}):
        with subtests.test(how=how), pytest.raises(ToolError, match="rates= and to= belong toge"):
            side_by_side({"Japan": japan(1.0)}, **how)
    with pytest.raises(ToolError, match="to='' is not an ISO code"):
        side_by_side({"Japan": japan(1.0)}, rates=rates(("JPY", 1)), to="")


def test_rates_with_days_need_rows_with_days() -> None:
    known = rates(("JPY", "0.005", "2026-01-01"))
    whole = japan(1.0, made=spending, freq="all")
    with pytest.raises(ToolError, match="the rows of 'Japan' have no day, but the rates have"):
        side_by_side({"Japan": whole}, rates=known, to="EUR")
    found = side_by_side({"Japan": whole}, rates=known.drop(columns="date"), to="EUR")
    assert len(found) == len(whole)


def test_reports_that_do_not_fit_are_rejected(subtests: pytest.Subtests) -> None:
    one = home(1.0)
    cases: list[tuple[Any, str]] = [
        ({}, "pass a mapping with at least one report"),
        ([one], "pass a mapping with at least one report"),
        ({"Home": one, " Home ": one}, "the name 'Home' occurs twice"),
        ({" ": one}, "the name ' ' is not a text"),
        ({1: one}, "the name 1 is not a text"),
        ({"Home": one.drop(columns="net")}, "'Home' is not the report of a budget"),
        ({"Home": pd.DataFrame({"net": [1.0]})}, "'Home' is not the report of a budget"),
        ({"Home": "net_worth"}, "'Home' is not the report of a budget"),
        ({"Both": side_by_side({"Home": one})}, "'Both' is not the report of a budget"),
        ({"Home": one, "Japan": japan(1.0, made=balances)},
         "report of 'Japan' is 'balances', and that of 'Home' is 'net_worth'"),
        ({"Home": one, "Japan": japan(1.0, freq="year")},
         "freq of 'Japan' is 'year', and that of 'Home' is 'month'"),
        ({"a": home(1.0, made=spending), "b": home(1.0, made=spending, by="payee")},
         "columns of 'b' is"),
    ]  # fmt: skip
    for given, message in cases:
        with subtests.test(message=message), pytest.raises(ToolError, match=message):
            side_by_side(given)


def test_a_report_without_a_currency_needs_one() -> None:
    unknown = home(1.0)
    del unknown.attrs["currency_format"]
    with pytest.raises(ToolError, match="'Old' does not state its currency; pass currencies="):
        side_by_side({"Old": unknown})
    found = side_by_side({"Old": unknown}, currencies={"Old": "CHF"})
    assert set(values(found, "currency")) == {"CHF"}
    with pytest.raises(ToolError, match="'Home' is in EUR, not in CHF"):
        side_by_side({"Home": home(1.0)}, currencies={"Home": "CHF"})
    with pytest.raises(ToolError, match="there is no report 'House'; the reports are 'Home'"):
        side_by_side({"Home": home(1.0)}, currencies={"House": "CHF"})


# Plots


def sandbox(name: str = "net_worth", **how: Any) -> Report:
    both = {"Home": household().reports, "Tokyo": household(1, TOKYO).reports}
    return side_by_side({key: getattr(known, name)() for key, known in both.items()}, **how)


def test_a_plot_has_a_panel_for_each_budget_with_its_currency() -> None:
    found = sandbox("balances")
    with pytest.raises(ToolError, match="2 budgets need 2 axes"):
        found.plot(ax=plt.figure().subplots())
    axes = found.plot(theme="dark")
    assert [ax.get_title("left") for ax in axes] == ["Home (EUR)", "Tokyo (JPY)"]
    assert [ax.yaxis.get_major_formatter()(20_000.0) for ax in axes] == ["20.000 €", "¥20,000"]
    assert axes[0].get_xlim() == axes[1].get_xlim()
    first = pd.Timestamp(axes[1].get_xlim()[0], unit="D")
    assert first <= pd.Timestamp("2023-02-01")  # Home begins two years before Tokyo
    assert axes[0].get_ylim() != axes[1].get_ylim()


def test_bars_of_one_period_are_below_each_other_and_have_the_same_labels() -> None:
    """The values of Tokyo's six quarters would overlap on the axis of Home's fourteen."""
    budgets = {"Home": household(), "Tokyo": household(1, TOKYO)}
    reports = {name: bf.reports.spending(freq="quarter") for name, bf in budgets.items()}
    home, other = side_by_side(reports).plot(theme="light")
    assert home.get_xlim() == other.get_xlim()
    assert home.patches[13].get_x() == other.patches[5].get_x()  # the second quarter of 2026
    labels = [[text.get_text() for text in ax.get_xticklabels()] for ax in (home, other)]
    assert labels[0] == labels[1]
    assert labels[0][-1] == "Q2\n2026\nso far"
    assert len(other.texts) == 0


def test_panels_of_one_currency_have_the_same_scale() -> None:
    one = household().reports.balances()
    few = one.assign(balance=one["balance"] / 100)
    axes = side_by_side({"Home": one, "Cottage": few, "Tokyo": japan(1.0, made=balances)}).plot()
    assert axes[0].get_ylim() == axes[1].get_ylim() != axes[2].get_ylim()


def test_reports_on_accounts_in_one_currency_have_one_line_for_each_budget() -> None:
    found = household().reports.cards()
    ax = side_by_side({"Home": found, "Cottage": found}).plot()
    assert ax.get_title("left") == "Balance by budget, in EUR"


def test_a_converted_report_has_one_line_for_each_budget() -> None:
    found = sandbox(rates=rates(("JPY", "0.005")), to="EUR")
    ax = found.plot()
    assert ax.get_title("left") == "Net by budget, in EUR"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Home", "Tokyo"]
    tokyo = np.asarray(ax.lines[1].get_ydata(), dtype=float)
    assert tokyo.tolist() == found.loc[found["budget"] == "Tokyo", "net"].tolist()
    assert ax.yaxis.get_major_formatter()(20_000.0) == "20.000 €"


def test_repeated_rows_are_not_drawn() -> None:
    for found in (sandbox(), sandbox(rates=rates(("JPY", "0.005")), to="EUR")):
        with pytest.raises(ToolError, match="1 row of it repeats another row"):
            pd.concat([found, found.head(1)]).plot()


def test_accounts_of_one_budget_are_added_up_for_its_line() -> None:
    both = (sandbox(name, rates=rates(("JPY", 1)), to="EUR") for name in ("net_worth", "balances"))
    worth, balance = (np.asarray(found.plot().lines[0].get_ydata(), float) for found in both)
    assert worth.round(3).tolist() == balance.round(3).tolist()


def test_the_rows_of_one_budget_are_drawn_like_its_report() -> None:
    found = sandbox("spending")
    ax = found[found["budget"] == "Home"].plot()
    expected = household().reports.spending().plot()
    assert ax.get_title("left") == expected.get_title("left")
    assert len(ax.patches) == len(expected.patches)
    assert type(found.drop(columns="spent")) is pd.DataFrame  # as of the report
    flows = sandbox("income_sankey")
    assert type(flows[flows["budget"] == "Home"].plot()).__name__ == "Diagram"
    with pytest.raises(ToolError, match="income_sankey cannot be drawn side by side"):
        flows.plot()
    with pytest.raises(ToolError, match="this diagram needs a script: pass its own report"):
        to_page("page.html", {"Home": flows[flows["budget"] == "Home"]})


def test_a_page_has_a_picture_of_all_budgets_and_on_a_phone_one_of_each(tmp_path: Path) -> None:
    before = plt.get_fignums()
    to_page(tmp_path / "page.html", {"Both": sandbox("balances")})
    page = (tmp_path / "page.html").read_text("utf-8")
    pictures = re.findall('<svg [^>]*aria-label="([^"]*)"[^>]* width="([0-9]*)"', page)
    on_phone = ("Home (EUR)", "275"), ("Tokyo (JPY)", "275")
    assert pictures == [("Home (EUR), Tokyo (JPY)", "900"), *on_phone]
    assert plt.get_fignums() == before
