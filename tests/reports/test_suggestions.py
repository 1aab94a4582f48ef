"""The report suggestions."""

from typing import Any

import pytest

from budgetframe import ToolError
from budgetframe.reports import suggestions
from tests.frames.columns import Json
from tests.frames.household import part
from tests.reports.plans import report_of
from tests.reports.rows import began, ledger_frame, lines, moved, row, split, values
from tests.reports.test_rows import keys

SHOWN = ("category_name", "row_count", "share")


def suggested(*rows: Json) -> list[tuple[Any, ...]]:
    """The suggestions for a ledger: category, count and share of each row."""
    return lines(suggestions(ledger_frame(*rows)), *SHOWN)


def market(day: int, amount: float, category_id: str | None = None, **more: Any) -> Json:
    """A transaction at the market in May."""
    return row(f"2026-05-{day:02}", amount, category_id, payee_id="market", **more)


# The category


def test_the_suggestion_is_the_category_of_most_rows_of_the_payee() -> None:
    found = suggested(
        market(1, -1.0, "food"), market(2, -2.0, "food"), market(3, -4.0, "fun"),
        row("2026-05-04", -64.0, "rent", payee_id="cafe"), market(5, -64.0),
    )  # fmt: skip
    assert found == [("Food", 2, 2 / 3)]


def test_of_equal_counts_the_category_of_the_latest_row_is_suggested() -> None:
    first, second = market(1, -1.0, "food"), market(2, -2.0, "fun")
    assert suggested(first, second, market(3, -64.0)) == [("Fun", 1, 0.5)]
    assert suggested(second, first, market(3, -64.0)) == [("Fun", 1, 0.5)]


def test_the_order_of_the_ledger_does_not_matter() -> None:
    ledger = ledger_frame(
        market(1, -1.0, "food"), market(2, -2.0, "fun"), market(3, -64.0), market(4, -99.0)
    )
    found = suggestions(ledger.iloc[::-1])
    assert lines(found, "amount", *SHOWN) == [(-64.0, "Fun", 1, 0.5), (-99.0, "Fun", 1, 0.5)]


def test_rows_of_a_similar_amount_decide_if_they_agree(subtests: pytest.Subtests) -> None:
    usual = [market(day, -10.0, "food") for day in (1, 2, 3)]
    fun = market(4, -75.0, "fun"), market(5, -125.0, "fun")
    cases: dict[str, tuple[list[Json], float, tuple[Any, ...]]] = {
        "two rows, both at most a quarter away": ([*usual, *fun], -100.0, ("Fun", 2, 0.4)),
        "one of them is further away": ([*usual, *fun], -100.01, ("Food", 3, 0.6)),
        "a single row": ([*usual, fun[0]], -75.0, ("Food", 3, 0.75)),
        "an inflow": ([*usual, *fun], 100.0, ("Food", 3, 0.6)),
        "they disagree": ([*usual, *fun, market(6, -100.0, "rent")], -100.0, ("Food", 3, 0.5)),
    }
    for name, (known, amount, expected) in cases.items():
        with subtests.test(name=name):
            assert suggested(*known, market(9, amount)) == [expected]


def test_a_category_of_income_is_suggested_only_for_an_inflow() -> None:
    known = market(1, 8.0, "ready"), market(2, 8.0, "ready"), market(3, -1.0, "food")
    assert suggested(*known, market(9, 2.0)) == [("Inflow: Ready to Assign", 2, 2 / 3)]
    assert suggested(*known, market(9, -2.0)) == [("Food", 1, 1.0)]


def test_later_rows_and_rows_of_other_accounts_count() -> None:
    assert suggested(
        market(1, -64.0), market(2, -1.0, "food"), market(3, -1.0, "food", at="visa")
    ) == [("Food", 2, 1.0)]


def test_parts_of_splits_count_and_get_a_suggestion() -> None:
    parts = [part("p1", -1.0, category_id="food"), part("p2", -2.0)]
    ledger = ledger_frame(split("2026-05-01", -3.0, *parts, payee_id="market"))
    assert lines(suggestions(ledger), "subtransaction_id", *SHOWN) == [("p2", "Food", 1, 1.0)]


def test_a_row_without_a_suggestion_is_kept(subtests: pytest.Subtests) -> None:
    known = market(1, -1.0, "food")
    cases = {
        "no payee": row("2026-05-09", -1.0),
        "a payee without categories": row("2026-05-09", -1.0, payee_id="cafe"),
    }
    for name, open_row in cases.items():
        with subtests.test(name=name):
            found = suggestions(ledger_frame(known, open_row))
            assert lines(found, "transaction_id", "category_id", *SHOWN) == [
                ("t001", None, None, 0, None)
            ]


def test_payees_without_a_key_are_known_by_their_name() -> None:
    def kiosk(day: str, category_id: str | None) -> Json:
        return row(day, -1.0, category_id, payee_name="Kiosk")

    assert suggested(kiosk("2026-05-01", "fun"), kiosk("2026-05-02", None)) == [("Fun", 1, 1.0)]


def test_the_payee_of_a_transfer_is_the_other_account() -> None:
    assert suggested(
        *moved("2026-05-01", 16.0, "checking", "fund", "invest"),
        *moved("2026-05-02", 99.0, "checking", "fund"),
    ) == [("Investing", 1, 1.0)]


def test_a_deleted_category_is_not_suggested() -> None:
    deleted = market(1, -1.0, "gone"), market(2, -1.0, "gone")
    assert suggested(*deleted, market(3, -1.0, "food"), market(4, -1.0)) == [("Food", 1, 1.0)]


def test_rows_that_need_no_category_have_no_row() -> None:
    found = suggestions(
        ledger_frame(began("2026-05-01", "checking", 1.0), market(2, -1.0, "food"),
            *moved("2026-05-03", 4.0, "checking", "savings"), market(4, -8.0, at="fund")),
    )  # fmt: skip
    assert len(found) == 0


def test_what_the_parts_of_a_split_lack_has_no_row() -> None:
    parts = [part("p1", -1.0, category_id="food"), part("p2", -2.0, category_id="fun")]
    with pytest.warns(RuntimeWarning, match="do not add up"):
        ledger = ledger_frame(split("2026-05-01", -4.0, *parts, payee_id="market"))
    assert ledger["is_uncategorized"].tolist() == [False, False, True]
    assert len(suggestions(ledger)) == 0


# The frame


def test_the_columns_are_those_of_the_row_and_of_the_category() -> None:
    ledger = ledger_frame(
        market(1, -1.0, "office food"), market(3, -2.5, memo="for all"), market(2, -3.0)
    )
    found = suggestions(ledger)
    assert lines(found, *found.columns) == [
        ("2026-05-02", "Checking", "Market", None, -3.0, "Food", 1, 1.0, "Office", "t002", None,
         "office food"),
        ("2026-05-03", "Checking", "Market", "for all", -2.5, "Food", 1, 1.0, "Office", "t001",
         None, "office food"),
    ]  # fmt: skip


def test_filters_choose_the_rows_that_get_a_suggestion(subtests: pytest.Subtests) -> None:
    ledger = ledger_frame(
        market(1, -1.0, "food"), market(2, -2.0), market(3, -4.0, at="visa", flag_color="red")
    )
    cases: list[tuple[dict[str, Any], list[float]]] = [
        ({}, [-2.0, -4.0]), ({"accounts": "Visa"}, [-4.0]),
        ({"exclude_accounts": ["visa"]}, [-2.0]), ({"flags": "red"}, [-4.0]),
    ]  # fmt: skip
    for options, amounts in cases:
        with subtests.test(options=options):
            found = suggestions(ledger, **options)
            assert values(found, "amount") == amounts
            assert values(found, "category_name") == ["Food"] * len(amounts)
    assert suggestions(ledger, accounts="Visa").attrs["rules"][-2:] == [
        "Only the account Visa counts.",
        "The filters choose the rows that get a suggestion; the rows of all accounts count for it.",
    ]
    with pytest.raises(ToolError, match="accounts: the ledger has no rows of 'Vsa'"):
        suggestions(ledger, accounts="Vsa")


def test_a_ledger_with_a_first_day_has_a_rule_about_it() -> None:
    ledger = ledger_frame(market(1, -1.0))
    ledger.attrs["since"] = "2026-05-01"
    rule = "The ledger starts on 2026-05-01; earlier rows do not count."
    assert suggestions(ledger).attrs["rules"][-1] == rule


# What follows


def test_rows_of_a_suggestion_are_those_of_the_payee_with_the_category() -> None:
    ledger = ledger_frame(
        market(1, -1.0, "food"),  # t000
        market(2, -2.0, "fun"),  # t001
        row("2026-05-03", -1.0, "food", payee_id="cafe"),  # t002
        market(4, -4.0, "food"),  # t003
        market(5, -64.0),  # t004
        row("2026-05-06", -1.0),  # t005
    )
    found = suggestions(ledger)
    assert keys(found.rows(0)) == ["t000", "t003"]
    assert keys(found.rows(1)) == []
    assert keys(found.rows(payee_name="Market", column="row_count")) == ["t000", "t003"]


def test_the_plot_has_a_bar_for_each_suggested_category() -> None:
    ledger = ledger_frame(
        market(1, -1.0, "food"), market(2, -8.0), row("2026-05-03", -4.0),
        row("2026-05-04", -2.0, "office food", payee_id="cafe"),
        row("2026-05-05", -1.0, payee_id="cafe"), row("2026-05-06", -1.0, payee_id="cafe"),
    )  # fmt: skip
    ax = suggestions(ledger).plot()
    assert ax.get_title(loc="left") == "Without a category: 4 rows, 3 with a suggestion"
    bars = [text.get_text() for text in ax.get_yticklabels()][::-1]
    assert bars == ["Food (Daily)", "no suggestion", "Food (Office)"]
    assert [patch.get_width() for patch in ax.patches][::-1] == [8.0, 4.0, 2.0]
    one = report_of("suggestions").head(1)
    assert one.plot().get_title(loc="left") == "Without a category: 1 row, 0 with a suggestion"
