"""The ledger: classification and names of every row."""

import re
import warnings
from typing import Any

import pandas as pd
import pytest

from budgetframe import ToolError
from budgetframe.frames import LEDGER, TABLES, leaves, ledger
from tests.frames.columns import ACCOUNT_TYPES, CLEARED, DEBT_TYPES, FLAG_COLORS, TEXT, Json
from tests.frames.household import account, category, part, transaction

ACCOUNTS = [
    account("checking", "Checking", "checking", 0.0),
    account("savings", "Savings", "savings", 0.0, closed=True),
    account("visa", "Visa", "creditCard", 0.0),
    account("fund", "Fund", "otherAsset", 0.0, on_budget=False),
    account("loan", "Car Loan", "autoLoan", 0.0, on_budget=False),
]
CATEGORIES = [
    ("Internal Master Category", "ready", "Inflow: Ready to Assign"),
    ("Internal Master Category", "none", "Uncategorized"), ("Daily", "food", "Food"),
    ("Daily", "own ready", "Inflow: Ready to Assign"), ("Daily", "own none", "Uncategorized"),
    ("Later", "invest", "Investing"),
]  # fmt: skip
PAYEES = [("market", "Market"), ("start", "Starting Balance"), ("to savings", "Transfer : Savings")]
SPENT = {"is_spending"}
EARNED = {"is_income"}
OPEN = {"is_uncategorized"}
BEGUN = {"is_starting_balance"}
MOVED = {"is_transfer"}


def frames(
    rows: list[Json], accounts: list[Json] = ACCOUNTS,
    categories: list[tuple[str, str, str]] = CATEGORIES, payees: list[tuple[str, str]] = PAYEES,
) -> list[pd.DataFrame]:  # fmt: skip
    """The five frames that a ledger is built from."""
    groups = [
        {"id": group, "name": group, "hidden": False, "categories": [category(key, group, name, 0)]}
        for group, key, name in categories
    ]
    people = [{"id": key, "name": name} for key, name in payees]
    return [
        TABLES["transactions"].frame({"transactions": rows}),
        TABLES["subtransactions"].frame({"transactions": rows}),
        TABLES["accounts"].frame({"accounts": accounts}),
        TABLES["categories"].frame({"category_groups": groups}),
        TABLES["payees"].frame({"payees": people}),
    ]


def booked(*rows: Json, **lists: Any) -> pd.DataFrame:
    """The ledger of some transactions."""
    return ledger(*frames(list(rows), **lists))


def row(account_id: str, amount: float, category_id: str | None = None, **more: Any) -> Json:
    more["category_id"] = category_id
    return transaction("t1", "2026-05-17", account_id, amount, **more)


def moved(account_id: str, to: str, amount: float, *category_id: str, **more: Any) -> Json:
    return row(account_id, amount, *category_id, transfer_account_id=to, **more)


def counts_as(frame: pd.DataFrame) -> list[set[str]]:
    """The flags that are set in each row, except the flags of its form."""
    form = {"is_split_part", "is_scheduled", "is_remainder"}
    names = [name for name in map(str, frame) if name.startswith("is_") and name not in form]
    return [{name for name in names if line[name]} for line in frame.to_dict("records")]


# Classification

RULES: dict[str, tuple[Json, set[str]]] = {
    "a purchase": (row("checking", -4.5, "food"), SPENT),
    "a purchase with a card": (row("visa", -4.5, "food"), SPENT),
    "a purchase from a closed account": (row("savings", -4.5, "food"), SPENT),
    "a refund": (row("checking", 4.5, "food"), SPENT),
    "a purchase not approved": (row("checking", -4.5, "food", approved=False, cleared="uncleared"),
        SPENT),
    "nothing spent": (row("checking", 0.0, "food"), SPENT),
    "pay": (row("checking", 3000.0, "ready"), EARNED),
    "a correction of income": (row("checking", -3.2, "ready"), EARNED),
    "income into a category of one's own": (row("checking", 3000.0, "own ready"), SPENT),
    "pay on a tracking account": (row("fund", 3000.0, "ready"), set()),
    "no category": (row("checking", -7.77), OPEN),
    "no category on a card": (row("visa", -7.77), OPEN),
    "the service's own Uncategorized": (row("checking", -7.77, "none"), OPEN),
    "an own category Uncategorized": (row("checking", -7.77, "own none"), SPENT),
    "no category on a tracking account": (row("fund", 3.33), set()),
    "Uncategorized on a tracking account": (row("fund", 3.33, "none"), set()),
    "a category on a tracking account": (row("fund", -3.33, "food"), set()),
    "from budget to budget": (moved("checking", "savings", -200.0), MOVED),
    "its other side": (moved("savings", "checking", 200.0), MOVED),
    "a card paid": (moved("checking", "visa", -25.0), MOVED),
    "from budget to budget under Uncategorized": (moved("checking", "savings", -200.0, "none"),
        MOVED),
    "from budget to budget with a category": (moved("checking", "savings", -200.0, "food"), MOVED),
    "from budget to tracking": (moved("checking", "fund", -100.0, "invest"), MOVED | SPENT),
    "from budget to tracking without a category": (moved("checking", "fund", -100.0), MOVED | OPEN),
    "its tracking side": (moved("fund", "checking", 100.0), MOVED),
    "from tracking to budget": (moved("checking", "fund", 50.0, "ready"), MOVED | EARNED),
    "from tracking to budget, netted": (moved("checking", "fund", 50.0, "invest"), MOVED | SPENT),
    "from tracking to tracking": (moved("fund", "loan", -280.0), MOVED),
    "a transfer to an account not listed": (moved("checking", "gone", -9.0), MOVED),
    "the same with a category": (moved("checking", "gone", -9.0, "food"), MOVED | SPENT),
    "the same under Uncategorized": (moved("checking", "gone", -9.0, "none"), MOVED | OPEN),
    "a purchase on an account not listed": (row("gone", -9.0, "food"), SPENT),
    "no category on an account not listed": (row("gone", -9.0), OPEN),
    "from an account not listed to budget": (moved("gone", "checking", -9.0), MOVED),
    "a category not listed": (row("checking", -9.0, "gone"), SPENT),
    "what an account on budget began with": (row("checking", 2430.17, "ready", payee_id="start"),
        BEGUN),
    "what was owed on a card": (row("visa", -300.0, payee_id="start"), BEGUN),
    "what was owed on a card, categorised": (row("visa", -300.0, "food", payee_id="start"), BEGUN),
    "what a tracking account began with": (row("fund", 8250.0, payee_id="start"), BEGUN),
    "the same by a payee not listed": (
        row("checking", 9.0, "ready", payee_id="?", payee_name="Starting Balance"), BEGUN),
    "the payee in another spelling": (row("checking", 9.0, "ready", payee_name="starting balance"),
        EARNED),
    "a transfer of that payee": (moved("checking", "savings", -9.0, payee_name="Starting Balance"),
        MOVED),
}  # fmt: skip


def test_each_row_has_the_flags_of_its_rule(subtests: pytest.Subtests) -> None:
    rows = [{**leaf, "id": f"t{place:02}"} for place, (leaf, _) in enumerate(RULES.values())]
    with pytest.warns(RuntimeWarning, match="^3 of .* account_id 'gone'"):
        ledger_rows = booked(*rows)
    for (label, (_, flags)), found in zip(RULES.items(), counts_as(ledger_rows), strict=True):
        with subtests.test(label=label):
            assert found == flags


def test_the_income_category_with_its_old_name_is_income() -> None:
    former = [("Internal Master Category", "ready", "Inflow: To be Budgeted")]
    pay = row("checking", 3000.0, "ready")
    assert counts_as(booked(pay, categories=former)) == [EARNED]


def test_a_renamed_payee_is_no_longer_a_starting_balance() -> None:
    pay = row("checking", 9.0, "ready", payee_id="start", payee_name="Starting Balance")
    assert counts_as(booked(pay, payees=[("start", "Opening")])) == [EARNED]


@pytest.mark.parametrize(("key", "scheduled"), [
    ("75f2297a-cb50-4a85-9f0f-535170becdf1_2026-06-01", True),
    ("75f2297a-cb50-4a85-9f0f-535170becdf1", False),
    ("75f2297a-cb50-4a85-9f0f-535170becdf1_2026-06", False),
    ("2026-06-01_75f2297a-cb50-4a85-9f0f-535170becdf1", False),
])  # fmt: skip
def test_a_key_with_a_day_at_its_end_means_scheduled(key: str, *, scheduled: bool) -> None:
    parts = [part("p1", -1.0, category_id="food"), part("p2", -2.0)]
    found = booked(transaction(key, "2026-06-01", "checking", -3.0, subtransactions=parts))
    assert found["is_scheduled"].tolist() == [scheduled, scheduled]


# Splits


def split(**more: Any) -> Json:
    """A purchase, cash back, and a part without a category."""
    parts = [
        part("p1", -30.0, category_id="food"),
        part("p2", -50.0, transfer_account_id="savings", payee_id="to savings", memo="cash"),
        part("p3", -0.01),
    ]
    return row("checking", -80.01, subtransactions=parts, **more)


def test_split_parts_replace_the_transaction_and_are_classified_separately() -> None:
    found = booked(split())
    assert found["transaction_id"].tolist() == ["t1", "t1", "t1"]
    assert found["subtransaction_id"].tolist() == ["p1", "p2", "p3"]
    assert found["amount"].tolist() == [-30.0, -50.0, -0.01]
    assert counts_as(found) == [SPENT, MOVED, OPEN]


def test_a_split_part_is_distinguished_from_a_transaction() -> None:
    found = booked(transaction("t0", "2026-05-16", "checking", -1.0), split())
    assert found["is_split_part"].tolist() == [False, True, True, True]
    assert found["subtransaction_id"].isna().tolist() == [True, False, False, False]


def test_a_part_without_payee_and_memo_has_those_of_the_transaction() -> None:
    found = booked(split(payee_id="market", payee_name="Market", memo="weekly"))
    assert found["payee_id"].tolist() == ["market", "to savings", "market"]
    assert found["payee_name"].tolist() == ["Market", "Transfer : Savings", "Market"]
    assert found["memo"].tolist() == ["weekly", "cash", "weekly"]


def test_parts_of_a_transaction_without_payee_and_memo_keep_their_own() -> None:
    found = booked(split())
    assert found["payee_name"].isna().tolist() == [True, False, True]
    assert found["memo"].isna().tolist() == [True, False, True]


def test_a_part_has_day_account_state_and_flag_of_the_transaction() -> None:
    state = {"cleared": "reconciled", "approved": False, "flag_color": "blue", "flag_name": "tax"}
    found = booked(
        transaction("t0", "2026-05-16", "visa", -1.0), split(**state, debt_transaction_type="fee")
    )
    shown = ["account_id", "cleared", "approved", "flag_color", "flag_name"]
    assert found[shown].iloc[1:].drop_duplicates().to_numpy().tolist() == [
        ["checking", "reconciled", False, "blue", "tax"]
    ]
    assert found["debt_transaction_type"].tolist()[1:] == ["fee", "fee", "fee"]
    assert found["date"].tolist()[1:] == [pd.Timestamp("2026-05-17")] * 3


def test_the_parts_of_a_starting_balance_are_starting_balances() -> None:
    parts = [part("p1", 1.0, category_id="ready"), part("p2", 2.0, category_id="food")]
    begun = row("checking", 3.0, payee_id="start", subtransactions=parts)
    assert counts_as(booked(begun)) == [BEGUN, BEGUN]


def test_a_split_with_only_deleted_parts_is_one_row() -> None:
    gone = [part("p1", -1.0, deleted=True), part("p2", -2.0, deleted=True)]
    assert booked(row("checking", -3.0, subtransactions=gone))["amount"].tolist() == [-3.0]


# Names


def test_the_ledger_has_the_current_names() -> None:
    old = {"account_name": "Giro", "payee_name": "Old Market", "category_name": "Groceries"}
    found = booked(row("checking", -1.0, "food", payee_id="market", **old))
    shown = ["account_name", "payee_name", "category_name", "category_group_name"]
    assert found[shown].to_numpy().tolist() == [["Checking", "Market", "Food", "Daily"]]


def test_unlisted_keys_keep_the_names_of_the_row() -> None:
    old = {"account_name": "Giro", "payee_name": "Old Market", "category_name": "Groceries"}
    with pytest.warns(RuntimeWarning) as caught:
        found = booked(row("no", -1.0, "no", payee_id="no", **old))
    (warning,) = caught
    assert str(warning.message) == (
        "1 of 1 rows of the ledger belong to an account that the service does not list (first:"
        " account_id 'no'). They have the account's name as in the transaction, or 'Not listed',"
        " and count as rows of a budget account"
    )
    assert found[list(old)].to_numpy().tolist() == [["Giro", "Old Market", "Groceries"]]
    assert found[["account_type", "category_group_id"]].isna().to_numpy().tolist() == [[True, True]]
    assert found["category_group_name"].tolist() == ["Not listed"]  # for grouping to keep it
    assert found["on_budget"].tolist() == [True]


def test_income_of_a_payee_without_a_name_is_a_warning() -> None:
    payees = [{"payee_id": "no", "payee_name": "Not listed"}, {"payee_id": "no"}, {}]
    rows = (row("checking", 5.0, "ready", **each) for each in payees)
    with pytest.warns(RuntimeWarning, match="^2 rows of income .* no name .first: payee_id 'no'"):
        found = booked(*({**each, "id": str(n)} for n, each in enumerate(rows)))
    assert found["is_income"].tolist() == [True, True, True]


def test_keys_without_any_name_are_not_listed() -> None:
    nameless = dict.fromkeys(["account_name", "payee_name", "category_name"])
    rows = row("no", -1.0, "no", payee_id="no", **nameless)
    with pytest.warns(RuntimeWarning) as caught:
        found = booked(rows)
    assert [str(each.message).partition(" (")[0] for each in caught] == [
        "transactions: 1 of 1 rows have no usable account_name",
        "1 of 1 rows of the ledger belong to an account that the service does not list",
    ]
    shown = [*nameless, "category_group_name"]
    assert found[shown].to_numpy().tolist() == [["Not listed"] * 4]


def test_two_categories_with_the_same_name_keep_their_groups() -> None:
    rows = [row("checking", -1.0, key) for key in ("ready", "own ready")]
    found = booked(*({**each, "id": str(n)} for n, each in enumerate(rows)))
    assert found["category_name"].tolist() == ["Inflow: Ready to Assign"] * 2
    assert found["category_group_name"].tolist() == ["Internal Master Category", "Daily"]


@pytest.mark.parametrize("key", [None, "none"])
def test_rows_without_a_needed_category_are_named_uncategorized(key: str | None) -> None:
    found = booked(row("checking", -7.77, key))
    assert found["category_name"].tolist() == ["Uncategorized"]
    assert found["category_group_name"].tolist() == ["Internal Master Category"]


def test_a_transfer_inside_the_budget_has_no_category_in_every_case() -> None:
    found = booked(
        row("checking", -1.0, transfer_account_id="savings", category_name="Uncategorized")
    )
    names = ["category_id", "category_name", "category_group_id", "category_group_name"]
    assert found[names].isna().to_numpy().tolist() == [[True, True, True, True]]


def test_a_transfer_has_the_name_of_the_other_account() -> None:
    targets = {"t1": "fund", "t2": "savings", "t3": "gone", "t4": None}
    found = booked(
        *(
            {**row("checking", -1.0, transfer_account_id=to), "id": key}
            for key, to in targets.items()
        )
    )
    assert found["transfer_account_name"].tolist()[:2] == ["Fund", "Savings"]
    assert found["transfer_account_name"].isna().tolist() == [False, False, True, True]
    assert found["transfer_on_budget"].tolist() == [False, True, pd.NA, pd.NA]
    assert found["account_type"].tolist() == ["checking"] * 4


# Form

TYPES = {
    "date": "datetime64[us]",
    **dict.fromkeys(["account_name", "payee_name", "category_name", "memo"], TEXT),
    "amount": "float64",
    "cleared": pd.CategoricalDtype(CLEARED.split()),
    "approved": "bool", "category_group_name": TEXT,
    "flag_color": pd.CategoricalDtype(FLAG_COLORS.split()),
    "flag_name": TEXT,
    **dict.fromkeys(["is_transfer", "is_income", "is_spending", "is_uncategorized"], "bool"),
    **dict.fromkeys(["is_starting_balance", "is_split_part", "is_scheduled", "is_remainder"],
        "bool"),
    "account_type": pd.CategoricalDtype(ACCOUNT_TYPES.split()),
    "on_budget": "bool", "transfer_account_name": TEXT, "transfer_on_budget": "boolean",
    "debt_transaction_type": pd.CategoricalDtype(DEBT_TYPES.split()),
    **dict.fromkeys(["transaction_id", "subtransaction_id", "account_id", "payee_id"], TEXT),
    **dict.fromkeys(["category_id", "category_group_id", "transfer_account_id"], TEXT),
    "transfer_transaction_id": TEXT,
}  # fmt: skip
NOTHING: dict[str, list[Any]] = {"accounts": [], "categories": [], "payees": []}


def test_columns_and_dtypes_are_always_the_same(subtests: pytest.Subtests) -> None:
    cases: dict[str, tuple[list[Json], Json]] = {
        "nothing": ([], NOTHING), "no rows": ([], {}),
        "no names": ([row("checking", -1.0)], NOTHING), "all null": ([row("checking", -1.0)], {}),
        "only parts": ([split()], NOTHING),
        "some": ([split(), transaction("t2", "2026-05-18", "fund", 1.0)], {}),
    }  # fmt: skip
    for label, (rows, lists) in cases.items():
        with subtests.test(label=label):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "1 of 1 rows of the ledger|3 of 3 rows of the l")
                found = booked(*rows, **lists)
            assert (
                found.dtypes.to_dict() == pd.Series(TYPES).map(pd.api.types.pandas_dtype).to_dict()
            )
            assert list(found.columns) == list(TYPES)
            assert [column.name for column in LEDGER] == list(TYPES)


def test_rows_are_sorted_by_day_key_and_part_and_are_numbered() -> None:
    def of(key: str, day: str, *parts: str) -> Json:
        each = [part(name, -1.0) for name in parts]
        return transaction(key, day, "checking", -float(len(parts) or 1), subtransactions=each)

    found = booked(
        of("b", "2026-05-02"), of("c", "2026-05-01", "y", "x"), of("a", "2026-05-02"),
        of("d", "2026-04-30", "z", "w"), of("a0", "2026-05-01"),
    )  # fmt: skip
    keys = found["transaction_id"] + found["subtransaction_id"].fillna("")
    assert keys.tolist() == ["dw", "dz", "a0", "cx", "cy", "a", "b"]
    assert found.index.equals(pd.RangeIndex(7))


def test_a_ledger_does_not_change_its_frames() -> None:
    given, untouched = frames([split()]), frames([split()])
    ledger(*given)
    for frame, before in zip(given, untouched, strict=True):
        pd.testing.assert_frame_equal(frame, before)


def test_a_ledger_of_a_period_knows_its_first_day_if_no_split_is_older() -> None:
    rows, parts, *others = frames([split()])
    parts.attrs = {"as_of": "2026-06-17"}
    rows.attrs = parts.attrs | {"since": "2026-06-01"}
    assert ledger(rows, parts, *others).attrs["since"] == "2026-06-01"


def test_splits_without_parts_raise_an_error_that_shows_control_characters_as_escapes() -> None:
    split_row, *others = frames([split()])
    odd = split_row.assign(transaction_id="t\x1b[2J")
    message = re.escape(r"1 of 1 splits have no part (first: 't\x1b[2J'): pass transactions and")
    with pytest.raises(ToolError, match=message):
        ledger(odd, others[0].iloc[:0], *others[1:])


def test_parts_without_their_split_raise_an_error() -> None:
    transactions, parts, *_ = frames([split()])
    with pytest.raises(ToolError, match="the split transaction of 3 of 3 parts is missing"):
        leaves(transactions.iloc[:0], parts)


def test_the_remainder_of_a_split_is_one_more_row_with_one_warning() -> None:
    parts = [part("p1", -1.0, category_id="food"), part("p2", -2.5, category_id="invest")]
    wrong = row("checking", -10.0, payee_id="market", memo="both", subtransactions=parts)
    wrong["payee_name"] = "Market"
    message = (
        r"parts of 1 of 1 splits do not add up .*first: 2026-05-17, 'Market', amount -10\.00,"
        r" remainder -6\.50, transaction_id 't1'"
    )
    with pytest.warns(RuntimeWarning, match=message) as caught:
        found = booked(wrong)
    assert len(caught) == 1
    assert found["amount"].tolist() == [-1.0, -2.5, -6.5]
    assert found["is_remainder"].tolist() == [False, False, True]
    assert found["is_split_part"].tolist() == [True, True, True]
    assert found["subtransaction_id"].isna().tolist() == [False, False, True]
    assert counts_as(found) == [SPENT, SPENT, OPEN]
    rest = ["transaction_id", "payee_name", "memo", "category_name"]
    assert found[rest].iloc[2].tolist() == ["t1", "Market", "both", "Uncategorized"]
    assert found.dtypes.equals(booked(row("checking", -1.0)).dtypes)


def test_several_remainders_are_named_by_the_first_and_their_number() -> None:
    wrong = [
        transaction(
            f"t{n}", "2026-05-17", "checking", amount, subtransactions=[part(f"p{n}", -1.0)]
        )
        for n, amount in enumerate((-1.0, -0.999, 5.0))
    ]
    message = r"2 of 3 splits .*remainder 0\.001, transaction_id 't1'"
    with pytest.warns(RuntimeWarning, match=message):
        found = booked(*wrong)
    assert found["amount"].tolist() == [-1.0, -1.0, 0.001, -1.0, 6.0]


def test_a_missing_amount_leaves_the_other_rows() -> None:
    unknown = [part("p1", None), part("p2", -2.0)]  # type: ignore[arg-type]
    rows = [row("checking", -5.0, subtransactions=unknown), row("checking", None, id="t2")]  # type: ignore[arg-type]
    with pytest.warns(RuntimeWarning) as caught:
        found = booked(*rows)
    assert sorted(str(each.message).partition(" (")[0] for each in caught) == [
        "subtransactions: 1 of 2 rows have no usable amount",
        "the parts of 1 of 1 splits do not add up to the amount of the split",
        "transactions: 1 of 2 rows have no usable amount",
    ]
    assert found["amount"].fillna(0).tolist() == [0.0, -2.0, -3.0, 0.0]


def test_the_last_entry_of_an_account_listed_twice_counts() -> None:
    rows, parts, accounts, *names = frames([split()])
    again = pd.concat([accounts.assign(account_name="before"), accounts], ignore_index=True)
    found = ledger(rows, parts, again, *names)
    pd.testing.assert_frame_equal(found, ledger(rows, parts, accounts, *names))
