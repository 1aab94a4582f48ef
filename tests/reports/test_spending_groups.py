"""The report spending by payee, account, flag, hashtag and own labels."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any
from uuid import UUID

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.reports import same_period, spending
from budgetframe.reports._shared.group_numbers import group_numbers
from budgetframe.reports._shared.row_source import CountedRows
from tests.reports.rows import ledger_frame, lines, moved, row, values


def test_spending_by_account_contains_only_budget_accounts() -> None:
    found = spending(
        ledger_frame(row("2026-06-01", -5.0, "food"), row("2026-06-01", -6.0, "food", "visa"),
            row("2026-06-01", -7.0, "food", "fund"), row("2026-06-01", -2.0, "food", "old")),
        "account",
    )  # fmt: skip
    assert lines(found, "account_id", "account_name", "spent") == [
        ("visa", "Visa", 6.0), ("checking", "Checking", 5.0), ("old", "Old", 2.0),
    ]  # fmt: skip


def test_spending_by_flag_distinguishes_names_of_the_same_colour() -> None:
    found = spending(
        ledger_frame(
            row("2026-06-01", -5.0, "food", flag_color="red", flag_name="tax"),
            row("2026-06-01", -6.0, "food", flag_color="red"),
            row("2026-06-02", -4.0, "rent", flag_color="red", flag_name="tax"),
            row("2026-06-02", -3.0, "rent", flag_color="blue"),
            row("2026-06-02", -1.0, "rent"),
        ),
        "flag",
    )
    assert lines(found, "flag_color", "flag_name", "spent") == [
        ("red", "tax", 9.0), ("red", None, 6.0), ("blue", None, 3.0), (None, None, 1.0),
    ]  # fmt: skip


def test_groups_with_equal_spending_keep_the_order_of_the_ledger() -> None:
    found = spending(ledger_frame(row("2026-06-01", -5.0, "rent"), row("2026-06-02", -5.0, "food")))
    assert values(found, "category_id") == ["rent", "food"]


def test_spending_by_payee_marks_payments_to_own_accounts() -> None:
    found = spending(
        ledger_frame(
            row("2026-06-01", -5.0, "food", payee_id="cafe"),
            *moved("2026-06-02", 9.0, "checking", "fund", "invest"),
            *moved("2026-06-03", 7.0, "checking", "savings"),
        ),
        "payee",
    )
    assert lines(found, "spent", "is_transfer") == [(9.0, True), (5.0, False)]


def of_two() -> pd.DataFrame:
    return ledger_frame(
        row("2026-06-01", -5.0, "food", memo="#a #b"),
        row("2026-06-02", -4.0, "food", "visa"),
        row("2026-06-03", -6.0, "rent"),
        row("2026-06-04", -2.0, "fun", "visa"),
        row("2026-06-05", -1.0),
    )


def test_two_properties_make_a_group_for_each_pair_the_first_one_first() -> None:
    found = spending(of_two(), ("group", "category"))
    names = "category_group_name", "category_name", "spent", "category_group_id"
    assert [line[:3] for line in lines(found, *names)] == [
        ("Daily", "Food", 9.0), ("Daily", "Fun", 2.0),
        ("Home", "Rent", 6.0), ("Uncategorized", "Uncategorized", 1.0),
    ]  # fmt: skip
    assert found.attrs["by"] == ["group", "category"]
    assert values(found.rows(category_name="Fun"), "amount") == [-2.0]
    by_list = spending(of_two(), ["account", "category"])
    assert lines(by_list, "account_name", "category_name", "spent") == [
        ("Checking", "Rent", 6.0), ("Checking", "Food", 5.0), ("Checking", "Uncategorized", 1.0),
        ("Visa", "Food", 4.0), ("Visa", "Fun", 2.0),
    ]  # fmt: skip


def test_a_hashtag_and_another_property() -> None:
    found = spending(of_two(), ("hashtag", "account"))
    assert lines(found, "hashtag", "account_name", "spent") == [
        (None, "Checking", 7.0), (None, "Visa", 6.0),
        ("a", "Checking", 5.0), ("b", "Checking", 5.0),
    ]  # fmt: skip


def test_the_plot_of_two_properties_names_both() -> None:
    ax = spending(of_two(), ("account", "hashtag")).plot()
    assert ax.get_title(loc="left") == "Spending by account and hashtag, Jun 2026 so far"
    assert "Visa: no hashtag" in [label.get_text() for label in ax.get_yticklabels()]


@pytest.mark.parametrize("by", [("group",), ["group", "group"], ("group", "payee", "flag")])
def test_other_numbers_of_properties_are_refused(by: Any) -> None:
    with pytest.raises(ToolError, match="pass one name, or two different ones"):
        spending(of_two(), by)


# Hashtags


def tagged(*memos: str | None) -> list[str | None]:
    """The hashtags of some memos, in order of appearance."""
    rows = (row("2026-06-01", -1.0, "food", memo=memo) for memo in memos)
    return values(spending(ledger_frame(*rows), "hashtag"), "hashtag")


@pytest.mark.parametrize(("memo", "words"), [
    ("#rome", ["rome"]), ("two nights in #rome, paid", ["rome"]), ("#Rome", ["rome"]),
    ("#ROME and #rome", ["rome"]), ("#rome#work", ["rome", "work"]), ("#Zürich", ["zürich"]),
    ("#旅行", ["旅行"]), ("#q3_2026", ["q3_2026"]), ("order #42", [None]), ("#42nd", [None]),
    ("# rome", [None]), ("rome", [None]), ("", [None]), (None, [None]),
])  # fmt: skip
def test_a_hashtag_is_a_word_after_its_sign(memo: str | None, words: list[str | None]) -> None:
    assert tagged(memo) == words


@cache
def trip() -> pd.DataFrame:
    """Rows with two hashtags, with one and with none."""
    return ledger_frame(
        row("2026-06-01", -30.0, "food", memo="#rome with #anna"),
        row("2026-06-02", -20.0, "fun", memo="#Rome #rome"),
        row("2026-06-03", -50.0, "rent"),
    )


def test_a_row_with_two_hashtags_counts_for_both_and_once_for_each() -> None:
    """The share is that of all spending, and the sum of the shares is more than 1."""
    assert lines(spending(trip(), "hashtag"), "hashtag", "spent", "share") == [
        ("rome", 50.0, 0.5), (None, 50.0, 0.5), ("anna", 30.0, 0.3),
    ]  # fmt: skip


# Own labels


@cache
def daily() -> pd.DataFrame:
    """Two categories with the same name, another category of the first group, and no category."""
    return ledger_frame(
        row("2026-06-01", -1.0, "food"), row("2026-06-01", -2.0, "office food"),
        row("2026-06-01", -4.0, "fun"), row("2026-06-01", -8.0, "rent"), row("2026-06-01", -16.0),
    )  # fmt: skip


@pytest.mark.parametrize(("mapping", "expected"), [
    pytest.param({"Food": "eat"}, [(None, 28.0), ("eat", 3.0)], id="name"),
    pytest.param({"food": "eat"}, [(None, 30.0), ("eat", 1.0)], id="key"),
    pytest.param({"Daily": "day"}, [(None, 26.0), ("day", 5.0)], id="group"),
    pytest.param({"Uncategorized": "open"}, [("open", 16.0), (None, 15.0)],
        id="without a category"),
    pytest.param({"Food": "eat", "Home": "eat", "Fun": "play"},
        [(None, 16.0), ("eat", 11.0), ("play", 4.0)], id="several"),
    pytest.param({"Office: Food": "eat"}, [(None, 29.0), ("eat", 2.0)], id="full name"),
    pytest.param({}, [(None, 31.0)], id="empty"),
])  # fmt: skip
def test_own_labels_match_categories_or_groups(
    mapping: Mapping[str, str], expected: list[tuple[str | None, float]]
) -> None:
    assert lines(spending(daily(), mapping), "label", "spent") == expected


def test_a_key_overrides_a_name_and_a_name_overrides_a_group(subtests: pytest.Subtests) -> None:
    mappings: list[tuple[dict[str, str], list[tuple[str | None, float]]]] = [
        ({"Daily": "group", "Fun": "name"}, [(None, 26.0), ("name", 4.0), ("group", 1.0)]),
        ({"fun": "key", "Fun": "name", "Food": "name"},
         [(None, 24.0), ("key", 4.0), ("name", 3.0)]),
        ({"Daily": "group", "food": "key"}, [(None, 26.0), ("group", 4.0), ("key", 1.0)]),
        ({"Daily: Food": "full", "Food": "name", "food": "key"},
         [(None, 28.0), ("name", 2.0), ("key", 1.0)]),
        ({"Daily: Food": "full", "Food": "name"}, [(None, 28.0), ("name", 2.0), ("full", 1.0)]),
    ]  # fmt: skip
    turneds: dict[str, bool] = {"as written": False, "turned round": True}
    for (mapping, expected), (label, turned) in product(mappings, turneds.items()):
        with subtests.test(mapping=mapping, expected=expected, label=label):
            given = dict(reversed(mapping.items())) if turned else mapping
            assert lines(spending(daily(), given), "label", "spent") == expected


@pytest.mark.parametrize(("names", "closest"), [
    (("Rentt", "Fun"), "'Rentt' in budget accounts; the closest name is 'Rent'"),
    (("green", "Fun"), "'green' in budget accounts; "),
    (("Office: Fun",), "'Office: Fun' in budget accounts; the closest names are 'Office: Food',"),
    (("#trap", "gren"), "'#trap', 'gren' in budget accounts; the closest names are '#trip', "),
    (("Checking",), "'Checking' in budget accounts; bf.categories() lists"),
    (("Fund only",), "'Fund only' in budget accounts; bf.categories() lists"),
])  # fmt: skip
def test_an_unknown_name_in_a_mapping_is_an_error_too(names: Sequence[str], closest: str) -> None:
    tagged = row("2026-06-01", -1.0, "fun", memo="#trip")
    outside = row("2026-06-01", -1.0, at="fund", flag_color="red", flag_name="Fund only")
    ledger = pd.concat([daily(), ledger_frame(tagged, outside)], ignore_index=True)
    for report in (spending, same_period):
        with pytest.raises(ToolError) as caught:
            report(ledger, dict.fromkeys(names, "label"))
        assert str(caught.value).startswith(f"by: the ledger has no rows of {closest}")


def test_a_name_without_rows_in_the_period_is_known() -> None:
    ledger = ledger_frame(row("2026-05-01", -1.0, "food"), row("2026-06-01", -2.0, "fun"))
    found = spending(ledger, {"Food": "eat", "Fun": "play"}, since="2026-06")
    assert lines(found, "label", "spent") == [("play", 2.0)]


def test_a_mapping_of_keys_accepts_them_as_a_uuid_and_in_capitals() -> None:
    key = "0b5f3ae6-2c11-4d0e-9b7a-6f1f0d6a9e01"
    ledger = daily().replace({"category_id": {"fun": key}, "category_group_id": {"Daily": key}})
    given: list[Any] = [{key.upper(): "day"}, {UUID(key): "day"}]
    for mapping in given:
        assert lines(spending(ledger, mapping), "label", "spent") == [(None, 26.0), ("day", 5.0)]


def test_own_labels_for_an_empty_ledger_raise_no_error() -> None:
    assert len(spending(ledger_frame(), {"Fuel": "car"})) == 0


# Numbers of groups, and the rows behind them


def test_the_rows_behind_a_label_are_those_with_its_number() -> None:
    labels = np.arange(20) % 5
    rows = pd.DataFrame({"date": np.full(20, "2026-05-01", "datetime64[us]")})
    assert CountedRows(rows, labels).behind(range(5))(4).tolist() == [4, 9, 14, 19]


def test_groups_are_numbered_in_the_order_of_their_first_rows() -> None:
    frame = pd.DataFrame({"a": ["x", None, "x", "", "y"], "b": [1, 1, 2, 1, 1]})
    assert group_numbers(frame, ["a", "b"]).tolist() == [0, 1, 2, 1, 3]
    assert group_numbers(frame, []).tolist() == [0, 0, 0, 0, 0]


def test_groups_without_ids_are_told_apart_by_their_names() -> None:
    report = spending(ledger_frame(row("2026-05-01", -4.0, "food"), row("2026-05-02", -2.0, "fun")))
    report["category_id"] = None
    assert [bar.get_width() for bar in report.plot().patches] == [2.0, 4.0]
    plt.close("all")
