"""Rules of a CSV file: what the file may contain, which rows match, and what is set."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from budgetframe import Rules, ToolError, rules
from budgetframe.frames.money import Money, in_money
from tests.reports.rows import lines


def read(*rows: str) -> Rules:
    """The rules of a file with these rows."""
    return rules(BytesIO("\n".join(rows).encode()))


def rows_of(*payees: Any, **cells: Any) -> pd.DataFrame:
    """One row for each payee, with 10 currency units spent."""
    return pd.DataFrame({"payee_name": payees, "amount": -10.0, **cells})


def matched(condition: str, frame: pd.DataFrame, column: str = "payee") -> list[int]:
    """The positions of the rows that meet one condition; no row has the memo that is set."""
    quoted = condition.replace('"', '""')
    return list(read(f"{column},set_memo", f'"{quoted}",x').apply(frame).index)


# The file


@pytest.mark.parametrize(
    "content",
    [
        b"payee,set_payee,set_memo\nshop,Shop,bread\n",
        b"payee;set_payee;set_memo\r\nshop;Shop;bread\r\n",
        b"\xef\xbb\xbfpayee,set_payee,set_memo\nshop,Shop,bread",
        b"\n\npayee;set_payee;set_memo;;\n;;;;\n shop ; Shop;bread;;\n\n",
        b'"payee","set_payee","set_memo"\n"shop","Shop","bread"\n',
        b"set_memo,set_payee,name,payee\nbread,Shop,,shop\n",
    ],
    ids=["comma", "semicolon", "byte order mark", "empty lines and cells", "quotes", "order"],
)
def test_the_form_of_the_file_does_not_change_the_rules(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rules.csv"
    path.write_bytes(content)
    found = rules(path).apply(rows_of("my shop"))
    assert lines(found, "payee_name", "memo") == [("Shop", "bread")]


def test_a_rule_without_a_name_has_the_number_of_its_row_in_the_spreadsheet() -> None:
    text = ("name,payee,set_memo", ",a,x", "", '"two\nlines",b,x', ",c,x")
    found = read(*text).apply(rows_of("c", "b", "a"))
    assert lines(found, "payee_name", "rule") == [
        ("c", "row 5"), ("b", "two\nlines"), ("a", "row 2"),
    ]  # fmt: skip


def test_quotes_protect_separators_and_quotes() -> None:
    found = read("payee,set_memo", '"Müller, ""Bäcker""","bread, ""rye"""').apply(
        rows_of('müller, "bäcker"', "Müller")
    )
    assert lines(found, "payee_name", "memo") == [('müller, "bäcker"', 'bread, "rye"')]


@pytest.mark.parametrize(("rows", "problem"), [
    (
        ["payee,set_categry", "a,b"],
        (
            "the file, row 1: 'set_categry' is no column of rules; the closest name is"
            " 'set_category'"
        ),
    ),
    (["payee,payee,set_memo", "a,b,c"], "the file, row 1: the column 'payee' is there twice"),
    (
        ["name,payee,set_memo", ",shop,bread", "rye,,bread", ",shop,"],
        (
            "the file, row 3: it has no condition: fill in payee or memo or account or amount;"
            " row 4: it sets nothing: fill in set_payee or set_category or set_memo or set_flag"
        ),
    ),
    (
        ["payee,set_memo", "a,b,c"],
        (
            "the file, row 2: it has 3 cells, but the first row has 2: put a cell that contains"
            " the separator in double quotes"
        ),
    ),
    (
        ["payee,set_flag", "a,rad"],
        (
            "the file, row 2: set_flag='rad': it must be one of 'red', 'orange', 'yellow',"
            " 'green', 'blue', 'purple'"
        ),
    ),
    (
        ["payee,set_memo", "", "/shop(/,b"],
        (
            "the file, row 3: '/shop(/' is not a regular expression: missing ), unterminated"
            " subpattern (character 5 after the first slash)"
        ),
    ),
    (
        ["payee,set_memo"],
        (
            "the file has no rules: its first row has names of name, payee, memo, account,"
            " amount, set_payee, set_category, set_memo, set_flag"
        ),
    ),
    (["payee,set_memo", '"a,b'], "the file, line 2: unexpected end of data"),
    (
        ["payee,set_memo", *[",b"] * 7],
        "the file, "
        + "; ".join(
            f"row {row}: it has no condition: fill in payee or memo or account or amount"
            for row in (2, 3, 4, 5, 6)
        )
        + "; and 2 more",
    ),
])  # fmt: skip
def test_a_wrong_file_is_one_error_that_names_the_rows(rows: list[str], problem: str) -> None:
    with pytest.raises(ToolError) as error:
        read(*rows)
    assert str(error.value) == problem


def test_a_file_in_another_encoding_is_an_error() -> None:
    with pytest.raises(ToolError, match=r"^the file is not UTF-8 \(line 2\): save it"):
        rules(BytesIO("payee,set_memo\nBäcker,bread".encode("latin-1")))


# Conditions


@pytest.mark.parametrize(("condition", "payees", "expected"), [
    ("straße", ["HAUPTSTRASSE 5", "Hauptstr. 5", "Straße"], [0, 2]),
    ("ÖL", ["Heizo\u0308l", "Heizöl", "Heizol"], [0, 1]),
    ("/^a.b$/", ["A+B", "xa+b", "a.b"], [0, 2]),
    ("/a/b|ä/", ["x A/B", "a b", "A\u0308"], [0, 2]),
    ("a.b", ["a.b", "a+b"], [0]), ("/", ["a/b", "ab"], [0]), ("//", ["http://x", "a/b"], [0]),
    ("a", ["a", None, np.nan, pd.NA, ""], [0]),
    ("/.*/", ["a", None, np.nan, pd.NA], [0]),
    ("12", [123, "012", 13], [0, 1]),
])  # fmt: skip
def test_a_text_condition(condition: str, payees: list[Any], expected: list[int]) -> None:
    assert matched(condition, rows_of(*payees)) == expected


@pytest.mark.parametrize(("condition", "expected"), [
    ("-20..-5", [1, 2, 3, 4]), ("-20 .. -5", [1, 2, 3, 4]), ("..-20", [0, 1]), ("50..", [7]),
    ("-5..-5", [4]), ("-5", [4]), ("-0.005", [5]), ("-0,01..0", [5, 6]), ("+50", [7]),
    ("-19,99", [2]), ("-19.990", [2]), ("-5.001..-5.0", [3, 4]),
])  # fmt: skip
def test_an_amount_condition(condition: str, expected: list[int]) -> None:
    amounts = [-20.001, -20.0, -19.99, -5.001, -5.0, -0.005, 0.0, 50.0, np.nan]
    assert matched(condition, rows_of(*"abcdefghi").assign(amount=amounts), "amount") == expected


@pytest.mark.parametrize(("amount", "problem"), [
    ("-1,234", "amount='-1,234': the comma has two meanings; write -1.234 or -1234"),
    ("-5..-20", "amount='-5..-20' has the larger amount first: write -20..-5. Outflows are"),
    ("..", "amount='..' is no range: write -20..-5, ..-100 or 50.."),
    ("-1.234,50", "amount='-1.234,50': '-1.234,50' is not an amount with at most three"),
    ("0.0005", "amount='0.0005': '0.0005' is not an amount with at most three decimals"),
    ("-20-5", "amount='-20-5': '-20-5' is not an amount"),
    ("1...5", "amount='1...5': '.5' is not an amount"),
    ("9999999999999", "an amount of 9,999,999,999,999 is too large to be exact"),
])  # fmt: skip
def test_an_amount_that_is_not_certain_is_an_error(amount: str, problem: str) -> None:
    with pytest.raises(ToolError) as error:
        read("amount;set_memo", f"{amount};x")
    assert str(error.value).startswith(f"the file, row 2: {problem}")


@pytest.mark.parametrize("money", ["float", "milliunits", "decimal"])
def test_amounts_are_exact_in_every_type_of_money(money: Money) -> None:
    frame = in_money(rows_of(*"abc").assign(amount=[-0.3, -0.301, -0.299]), money)
    assert lines(read("amount,set_memo", "-0.3,x").apply(frame), "payee_name") == [("a",)]


def test_all_conditions_of_a_rule_must_hold() -> None:
    frame = pd.DataFrame(
        {
            "payee_name": ["Shop", "Shop", "Shop", "Other", "Shop"],
            "memo": ["rye bread", "milk", "rye bread", "rye bread", "rye bread"],
            "account_name": ["Wallet", "Wallet", "Checking", "Wallet", "Wallet"],
            "amount": [-5.0, -5.0, -5.0, -5.0, -50.0],
        },
        index=[9, 8, 7, 6, 5],
    )
    found = read("payee,memo,account,amount,set_memo", "shop,bread,WALL,-10..,x").apply(frame)
    assert list(found.index) == [9]


def test_a_bank_file_may_lack_memo_and_account() -> None:
    found = read("payee,memo,account,set_memo", ",bread,,x", ",,wallet,x", "shop,,,x")
    assert list(found.apply(rows_of("Shop"))["rule"]) == ["row 4"]


@pytest.mark.parametrize("column", ["payee", "amount"])
def test_a_frame_without_a_needed_column_is_an_error(column: str) -> None:
    with pytest.raises(ToolError, match=f"the frame has no column {column}.*which the rules need"):
        read(f"{column},set_memo", "5,x").apply(pd.DataFrame({"memo": ["a"]}))


# What is set


def test_the_first_rule_that_matches_decides() -> None:
    found = read(
        "name,payee,set_category,set_memo", "one,shop,Clothing,", "two,shop,Groceries,new",
        "three,o,Other,new",
    ).apply(rows_of("Shop", "Online", category_name=["Clothing", None], memo=None))  # fmt: skip
    assert lines(found, "payee_name", "category_name", "memo", "rule") == [
        ("Online", "Other", "new", "three")
    ]


def test_only_the_rows_that_change_are_returned_with_their_index_and_attrs() -> None:
    frame = rows_of(
        *"abc", memo=["old", "x", None], category_name=["Rent", "Rent", "Food"],
        flag_color=pd.Categorical(["blue", None, "red"]),
    ).set_axis([5, 5, 7])  # fmt: skip
    frame.attrs["version"] = "v1"
    before = frame.copy()
    found = read("payee,set_memo,set_flag", "/a|c/,x,red", "b,x,").apply(frame)
    assert found.to_dict("list") == {
        "payee_name": ["a", "c"], "amount": [-10.0, -10.0], "memo": ["x", "x"],
        "category_name": ["Rent", "Food"], "flag_color": ["red", "red"], "rule": ["row 2", "row 2"],
    }  # fmt: skip
    assert (list(found.index), found.attrs) == ([5, 7], {"version": "v1"})
    pd.testing.assert_frame_equal(frame, before)


def test_nothing_to_change_is_a_frame_without_rows() -> None:
    found = read("payee,set_memo", "z,x").apply(rows_of("a", memo="y"))
    assert (list(found), len(found)) == (["payee_name", "amount", "memo", "rule"], 0)


def test_a_new_payee_or_category_clears_the_keys_of_the_old_one() -> None:
    frame = rows_of(
        "a", "b", payee_id=["p1", "p2"], category_name="Rent", category_id=["c1", "c2"]
    ).assign(category_group_name="Home")
    found = read("payee,set_payee,set_category", "a,New,", "b,,Food").apply(frame)
    columns = ("payee_name", "payee_id", "category_name", "category_id", "category_group_name")
    assert lines(found, *columns) == [
        ("New", None, "Rent", "c1", "Home"), ("b", "p2", "Food", None, None),
    ]  # fmt: skip


def test_a_category_with_its_group_is_the_same_as_without() -> None:
    frame = rows_of(*"abc", category_name=["Insurance", "Insurance", "Home: Insurance"])
    frame["category_group_name"] = ["Home", "Car", "Old"]
    found = read("amount,set_category", "..0,Home: Insurance").apply(frame)
    assert lines(found, "payee_name", "category_name") == [("b", "Home: Insurance")]


SET_ALL = ("amount,set_payee,set_category,set_memo,set_flag", "..0,P,C,M,blue")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({}, ("P", "C", "M", "blue")),
        ({"subtransaction_id": "s"}, ("a", "C", "m", "red")),
        ({"is_split": True}, ("P", "c", "M", "blue")),
        ({"transfer_account_id": "k"}, ("a", "c", "M", "blue")),
        ({"transfer_account_id": "k", "on_budget": True, "transfer_on_budget": True},
            ("a", "c", "M", "blue")),
        ({"transfer_account_id": "k", "on_budget": True, "transfer_on_budget": False},
            ("a", "C", "M", "blue")),
        ({"transfer_account_id": "k", "on_budget": False, "transfer_on_budget": True},
            ("a", "c", "M", "blue")),
        ({"on_budget": False}, ("P", "c", "M", "blue")),
        ({"payee_name": "Transfer : Savings"}, ("Transfer : Savings", "c", "M", "blue")),
    ],
    ids=[
        "row", "part", "split", "transfer", "transfer on budget", "to a tracking account",
        "from a tracking account", "tracking account", "transfer of a bank's file",
    ],
)  # fmt: skip
def test_what_can_be_set_in_a_row(cells: dict[str, Any], expected: tuple[str, ...]) -> None:
    frame = rows_of("a", category_name="c", memo="m", flag_color="red").assign(**cells)
    found = read(*SET_ALL).apply(frame)
    assert lines(found, "payee_name", "category_name", "memo", "flag_color") == [expected]


def test_the_remainder_of_a_split_stays_as_it_is() -> None:
    assert len(read(*SET_ALL).apply(rows_of("a", is_remainder=True))) == 0


def test_rules_are_for_frames() -> None:
    with pytest.raises(ToolError, match="frame is list: pass a DataFrame"):
        read(*SET_ALL).apply([])  # type: ignore[arg-type]


def test_the_display_is_the_number_of_rules_and_the_file(tmp_path: Path) -> None:
    (tmp_path / "rules.csv").write_text("payee,set_memo\na,b\nc,d\n", encoding="utf-8")
    found = rules(tmp_path / "rules.csv")
    assert repr(found).startswith("Rules: 2 rules of '")
    assert len(found) == 2
