"""The report payees: rows, sums, usual categories, and names that are probably one merchant."""

from collections import Counter
from typing import Any

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import milliunits
from budgetframe.reports import payees
from budgetframe.reports._shared.merchants import are_alike, words_of
from budgetframe.sandbox import NewPart, Sandbox
from tests.benchmarks.payees import MERCHANTS, result
from tests.frames.columns import Json
from tests.frames.household import part
from tests.questions.books import Books
from tests.reports.rows import began, ledger_frame, lines, moved, row, split
from tests.reports.test_rows import keys

LOOKS = ("payee_name", "looks_like")


def at(name: str | None, day: int, amount: float = -1.0, **more: Any) -> Json:
    """A row of a payee in May."""
    return row(f"2026-05-{day:02}", amount, payee_name=name, **more)


def alike(*names: str) -> list[tuple[Any, ...]]:
    """The names that look like others, in a ledger with one row for each name."""
    ledger = ledger_frame(*(at(name, 1 + number) for number, name in enumerate(names)))
    return [each for each in lines(payees(ledger), *LOOKS) if each[1] is not None]


# Rows and sums


def test_a_payee_has_its_rows_and_their_sum_with_refunds_and_parts_of_splits() -> None:
    ledger = ledger_frame(
        row("2026-05-02", -8.5, "food", payee_id="market"),
        row("2026-05-09", 2.25, "food", payee_id="market"),
        row("2026-05-01", -4.0, "fun", payee_id="cafe"),
        split("2026-05-20", -3.0, part("p1", -1.0, category_id="food"),
              part("p2", -2.0, category_id="fun", payee_id="cafe"), payee_id="market"),
        at(None, 5),
    )  # fmt: skip
    found = payees(ledger)
    columns = ("payee_name", "row_count", "first_date", "last_date", "total", "payee_id")
    assert lines(found, *columns) == [
        ("Market", 3, "2026-05-02", "2026-05-20", -7.25, "market"),
        ("Café", 2, "2026-05-01", "2026-05-20", -6.0, "cafe"),
    ]


def test_the_usual_category_is_that_of_most_rows_and_then_the_latest() -> None:
    def usual(*categories: str | None) -> list[tuple[Any, ...]]:
        rows = [at("Market", 1 + n, category_id=each) for n, each in enumerate(categories)]
        names = ("category_name", "category_group_name", "category_id")
        return lines(payees(ledger_frame(*rows)), *names)

    assert usual("fun", "food", "food", "fun", "food") == [("Food", "Daily", "food")]
    assert usual("food", "fun", "fun", "food") == [("Food", "Daily", "food")]
    assert usual("fun", "office food", None, None) == [("Food", "Office", "office food")]
    assert usual(None) == usual("gone") == [(None, None, None)]


def test_transfers_count_only_if_they_are_asked_for() -> None:
    ledger = ledger_frame(*moved("2026-05-01", 5.0, "checking", "savings"), at("Market", 2))
    assert lines(payees(ledger), "payee_name", "row_count") == [("Market", 1)]
    assert lines(payees(ledger, transfers="all"), "payee_name", "row_count", "total") == [
        ("Checking", 1, 5.0), ("Market", 1, -1.0), ("Savings", 1, -5.0),
    ]  # fmt: skip


def test_a_period_and_filters_choose_the_rows_but_not_the_names_that_look_alike() -> None:
    ledger = ledger_frame(
        at("Grocer", 1), at("Grocer", 2), at("GROCER 0042", 3, -4.0), at("GROCER 0042", 9, -8.0)
    )
    every = [("GROCER 0042", "Grocer", 2), ("Grocer", None, 2)]
    assert lines(payees(ledger), *LOOKS, "row_count") == every
    late = payees(ledger, since="2026-05-09")
    assert lines(late, *LOOKS, "row_count", "total") == [("GROCER 0042", "Grocer", 1, -8.0)]
    assert late.attrs["rules"][-1] == "From 2026-05-09 to 2026-06-17."
    assert lines(payees(ledger, exclude_payees="Grocer"), *LOOKS, "row_count") == every[:1]


def test_rows_of_a_payee_add_up_to_its_sum() -> None:
    found = payees(ledger_frame(at("Grocer", 1, -2.0), at("Bar", 2), at("Grocer", 3, -4.0)))
    assert keys(found.rows(payee_name="Grocer")) == ["t000", "t002"]
    assert keys(found.rows(1, column="row_count")) == ["t001"]


# Names that look alike


def test_names_are_compared_by_their_words() -> None:
    cases = {
        "AMZN MKTP DE*2K4": ("amzn", "mktp"),
        "SumUp *BÄCKEREI Müller 0042 DE": ("backerei", "muller"),
        "The Blue Door GmbH & Co. KG": ("blu", "door"), "Kiosk 12": ("kiosk", "12"),
        "みどりスーパー": ("みどりスーパー",), "***": ("***",),
    }  # fmt: skip
    assert {name: words_of(name) for name in cases} == cases


@pytest.mark.parametrize(("one", "other", "expected"), [
    ("AMZN MKTP DE*2K4", "Amazon Marketplace", True), ("PAYPAL *SPOTIFY", "Spotify AB", True),
    ("CAFE ZUR MUEHLE 0042", "Café Zur Mühle", True), ("TRADER JOE S #552", "Trader Joe's", True),
    ("STARBUCKS STORE 04412", "Starbucks", True), ("Northlight Pwr", "Northlight Power", True),
    ("Bar", "Barber", False), ("Shell", "Shelly's", False), ("Uber", "UBER EATS", False),
    ("Deutsche Bahn", "Deutsche Bank", False), ("Hotel", "HOTEL ADLER", False),
    ("H&M", "H&M BERLIN", True), ("Bar", "BAR CENTRALE", False),
    ("Trattoria Al Porto", "Trattoria Roma", False), ("Linden Bakery", "Linden Housing", False),
    ("Kiosk 12", "Kiosk 99", False), ("がく", "かく", False),
])  # fmt: skip
def test_names_are_alike_or_not(one: str, other: str, *, expected: bool) -> None:
    assert are_alike(one, other) is are_alike(other, one) is expected


def test_the_most_frequent_name_is_shown_and_has_none_itself() -> None:
    ledger = ledger_frame(
        *(at("AMZN MKTP DE*2K4", day) for day in (1, 2, 3)), at("Amazon Marketplace", 4),
        at("Bar", 5),
    )  # fmt: skip
    assert lines(payees(ledger), *LOOKS) == [
        ("AMZN MKTP DE*2K4", None), ("Amazon Marketplace", "AMZN MKTP DE*2K4"), ("Bar", None),
    ]  # fmt: skip


def test_of_equal_counts_the_name_with_small_letters_and_without_digits_is_shown() -> None:
    assert alike("GROCER GMBH", "Grocer") == [("GROCER GMBH", "Grocer")]
    assert alike("Grocer 0042", "Grocer", "Bakery") == [("Grocer 0042", "Grocer")]


def test_a_name_gets_the_end_of_a_chain() -> None:
    assert alike("Whole Foods Market", "WHOLE FOODS", "WHOLE FOODS LONDON") == [
        ("WHOLE FOODS", "Whole Foods Market"), ("WHOLE FOODS LONDON", "Whole Foods Market"),
    ]  # fmt: skip


def test_payees_of_the_service_and_of_transfers_look_like_no_other() -> None:
    starts = [began(f"2026-05-0{n}", "checking", 1.0) for n in (1, 2)]
    ledger = ledger_frame(*starts, at("STARTING BALANCE 3", 3), at("Starting Balance GmbH", 4))
    assert lines(payees(ledger), *LOOKS) == [
        ("Starting Balance", None), ("STARTING BALANCE 3", "Starting Balance GmbH"),
        ("Starting Balance GmbH", None),
    ]  # fmt: skip


def test_names_by_hand_are_rarely_wrong() -> None:
    found = result()
    assert sum(map(len, MERCHANTS)) == 96
    assert [*map(len, found)] == [58, 0, 15]


# What follows


def test_the_plot_has_a_bar_for_each_payee() -> None:
    ax = payees(ledger_frame(at("Grocer", 1), at("Grocer", 2), at("GROCER 0042", 3, -4.0))).plot()
    assert ax.get_title(loc="left") == "Sums by payee: 2 payees, 1 like another one"
    assert [text.get_text() for text in ax.get_yticklabels()][::-1] == ["Grocer", "GROCER 0042"]
    assert [patch.get_width() for patch in ax.patches][::-1] == [-2.0, -4.0]


@pytest.fixture
def bf() -> BudgetFrame:
    connection = BudgetFrame.sandbox(Sandbox(years=1, budgets=1, limit=10_000), progress=False)
    bought = {"account_name": "Checking", "date": "2026-06-11", "amount": -6.0}
    parts = [{"amount": -4.0}, {"amount": -2.0}]
    connection.create_transactions([
        bought | {"payee_name": "CORNER MARKET 0042 DE", "memo": "alone"},
        bought | {"payee_name": "CORNER MARKET 0042 DE", "subtransactions": parts},
        bought | {"payee_name": "Cornelia", "amount": -7.0},
    ])  # fmt: skip
    return connection


def test_changes_give_all_rows_of_a_payee_the_other_one_in_splits_too(bf: BudgetFrame) -> None:
    raw, found = "CORNER MARKET 0042 DE", bf.reports.payees()
    before = found.set_index("payee_name")["row_count"]
    assert before[raw] == 3
    changes = found.changes({raw: "Corner Market"})
    assert (
        changes.frame[["field", "before", "after"]].values.tolist()
        == [["payee_name", raw, "Corner Market"]] * 2
    )
    changes.apply()
    after = bf.reports.payees().set_index("payee_name")["row_count"]
    assert raw not in after
    assert after["Corner Market"] == before["Corner Market"] + 3


def test_changes_without_names_take_those_that_look_alike(bf: BudgetFrame) -> None:
    found = bf.reports.payees()
    chosen = found["payee_name"].tolist().index("CORNER MARKET 0042 DE")
    assert len(found.changes()) == len(found.changes([chosen])) == 2
    with pytest.raises(ToolError, match="'Corner Market' looks like no other payee: pass the name"):
        found.changes(found["payee_name"].tolist().index("Corner Market"))


def test_a_payee_can_be_named_by_its_key_and_get_a_new_name(bf: BudgetFrame) -> None:
    found = bf.reports.payees()
    changes = found.changes({found.set_index("payee_name")["payee_id"]["Cornelia"]: "The Corner"})
    assert changes.frame["after"].tolist() == ["The Corner"]
    assert (
        "creates the payee 'The Corner'; .undo().apply() does not remove payees" in changes.warnings
    )


def test_the_other_payee_can_be_given_by_its_key(bf: BudgetFrame) -> None:
    found = bf.reports.payees()
    key = found.set_index("payee_name")["payee_id"]["Corner Market"]
    changes = found.changes({"Cornelia": key})
    assert changes.frame["after"].unique().tolist() == ["Corner Market"]
    assert changes.warnings == []
    with pytest.raises(ToolError, match="by their names, or all of them by their keys"):
        found.changes({"Cornelia": key, "Corner Market": "Cornelia"})


def test_unknown_payees_are_refused_with_the_closest_ones(bf: BudgetFrame) -> None:
    found = bf.reports.payees()
    with pytest.raises(ToolError, match="no rows of 'Corneli'; the closest name is 'Cornelia'"):
        found.changes({"Corneli": "Corner Market"})
    with pytest.raises(ToolError, match="'Cornelia' gets None: it must be the name of a payee"):
        found.changes({"Cornelia": None})
    with pytest.raises(ToolError, match="0 must be the name or key of a payee"):
        found.changes({0: "Cornelia"})
    with pytest.raises(ToolError, match="no rows of 'Transfer : Savings'"):
        bf.reports.payees(transfers="all").changes({"Transfer : Savings": "Cornelia"})


SPLITS = {-6: ("", "Bar"), -8: ("Bar", "Bar"), -10: ("Shop", "")}
"""The payees of both parts of splits of the payee Shop, by amount; empty: none of their own."""


def with_splits() -> tuple[Sandbox, BudgetFrame]:
    """A budget with these splits, in which each second part has -2.00."""
    service = Sandbox(years=1, budgets=1, limit=10_000)
    with service.device.edit() as editor:
        checking = next(each for each in editor.budget.accounts.live() if each.name == "Checking")
        keys = {name: editor.payees.get_or_add(name).id for name in ("Shop", "Bar")} | {"": None}
        for amount, (first, second) in SPLITS.items():
            parts = [
                NewPart(amount=1000 * (amount + 2), payee_id=keys[first]),
                NewPart(amount=-2000, payee_id=keys[second]),
            ]
            editor.transactions.add(
                account_id=checking.id, date=editor.budget.today, amount=1000 * amount,
                payee_id=keys["Shop"], parts=parts,
            )  # fmt: skip
    return service, BudgetFrame.sandbox(service, progress=False)


def test_a_split_gets_another_payee_as_a_whole_and_its_parts_keep_their_own() -> None:
    _, bf = with_splits()
    found = bf.reports.payees()
    changes = found.changes({"Shop": "Store"})  # of the split of 8.00, no part shows it
    assert changes.frame[["before", "after"]].values.tolist() == [["Shop", "Store"]] * 2
    assert changes.skipped[["amount", "reason"]].values.tolist() == [
        [-8.0, "part of a split: the service cannot change its payee"]
    ]
    pub = found.changes({"Bar": "Pub"})
    assert len(pub) == 0
    assert sorted(pub.skipped["amount"]) == [-6.0, -2.0, -2.0]
    assert pub.skipped["payee_name"].unique().tolist() == ["Pub"]
    changes.apply()
    bf.changes(pub.skipped, splits="replace").apply()
    parts = bf.ledger().tail(6)
    wholes = parts.groupby("transaction_id")["amount"].transform("sum")
    assert {*zip(wholes, parts["amount"], parts["payee_name"], strict=True)} == {
        (-6.0, -4.0, "Store"), (-6.0, -2.0, "Bar"),  # it was changed since `pub`
        (-8.0, -6.0, "Pub"), (-8.0, -2.0, "Pub"),
        (-10.0, -8.0, "Shop"), (-10.0, -2.0, "Store"),
    }  # fmt: skip


def test_a_split_whose_payee_was_changed_elsewhere_is_a_conflict() -> None:
    service, bf = with_splits()
    found, rows = bf.reports.payees(), bf.transactions().tail(3)
    with service.device.edit() as editor:
        other = editor.payees.get_or_add("Other").id
    key = rows.loc[rows["amount"] == -6.0, "transaction_id"].item()
    service.device.edit_transaction(key, payee_id=other)
    changes = found.changes({"Shop": "Store"})
    assert changes.conflicts["transaction_id"].tolist() == [key]
    assert changes.conflicts["problem"].tolist() == ["changed since the frame was read: payee_id"]
    assert len(changes) == 1


def test_two_payees_of_one_name_are_told_apart_by_their_keys(bf: BudgetFrame) -> None:
    """The rows get the payee that has most of the rows of the name."""
    names = bf.payees().set_index("payee_name")["payee_id"]
    twin = bf.create_payee("Corner Market")
    rows = bf.transactions().query("payee_name == 'Corner Market'").tail(2)
    bf.update_transactions(rows[["transaction_id"]].assign(payee_id=twin.id))
    assert bf.reports.payees().set_index("payee_id")["row_count"][twin.id] == 2
    changes = bf.reports.payees().changes()
    assert changes.frame["after"].tolist() == ["Corner Market"] * 2
    changes.apply()
    edited = bf.transactions(since="2026-06-11").query("amount == -6")
    assert edited["payee_id"].tolist() == [names["Corner Market"]] * 2


def test_a_payee_that_was_deleted_elsewhere_is_created_again() -> None:
    """Its rows keep its name, and the service refuses its key."""
    service = Sandbox(years=1, budgets=1, limit=10_000)
    with service.device.edit() as editor:
        editor.payees.delete(editor.payees.get_or_add("Corner Market"))
    bf = BudgetFrame.sandbox(service, progress=False)
    bought = {"account_name": "Checking", "date": "2026-06-11", "amount": -6.0}
    bf.create_transactions([bought | {"payee_name": "CORNER MARKET 0042 DE"}])
    assert bf.reports.payees().changes().frame["after"].tolist() == ["Corner Market"]


def test_the_books_of_the_service_have_the_same_rows_and_sums() -> None:
    service = Sandbox(limit=10_000)
    for name in ("Household", "東京の家計"):
        count, total = Counter[str | None](), Counter[str | None]()
        for leaf in Books(service, name).leaves:
            if not leaf.is_transfer:
                count[leaf.payee] += 1
                total[leaf.payee] += leaf.amount
        count.pop(None, None)
        found = BudgetFrame.sandbox(service, budget=name, progress=False).reports.payees()
        assert dict(zip(found["payee_name"], found["row_count"], strict=True)) == count
        sums = dict(zip(found["payee_name"], milliunits(found["total"]), strict=True))
        assert sums == {payee: total[payee] for payee in count}
        assert found["looks_like"].isna().all()
