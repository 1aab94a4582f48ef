"""The names of the service's own categories, which have changed over the years."""

import re
import warnings
from datetime import date

import pytest

from budgetframe.sandbox import NewPart
from tests.facade.service import Changing

INCOME = [
    "Inflow: Ready to Assign", "inflow: ready to assign", "Inflow: To be Budgeted",
    "To be Budgeted", "Immediate Income SubCategory", "Deferred Income SubCategory", "Inflows",
]  # fmt: skip


@pytest.fixture(scope="module")
def home() -> Changing:
    return Changing()


def inflow_is(home: Changing, name: str) -> None:
    home.device.rename_category(home.device.state().inflow_id, name)
    home.bf.refresh()


@pytest.mark.parametrize("name", INCOME)
def test_rows_of_every_known_name_are_income(home: Changing, name: str) -> None:
    inflow_is(home, name)
    bf = home.bf
    total = bf.reports.income_expense(freq="all", since="2025-02", until="2025-04")
    assert total[["income", "spent"]].to_numpy().tolist() == [[8_610.0, 7_755.38]]
    assert name not in bf.reports.spending(freq="all")["category_name"].tolist()
    assert name not in bf.reports.budget_vs_actual()["category_name"].tolist()
    assert name not in bf.reports.income_sankey(since="2025-02", until="2025-04")["target"].tolist()
    groceries = home.ids.category("Everyday", "Groceries")
    moved = bf.move("2026-06", from_=name, to=groceries, amount=1.0)
    assert moved["category_id"].tolist() == [groceries]


def test_the_older_name_of_rows_without_a_category(home: Changing) -> None:
    home.device.rename_category(home.device.state().uncategorized_id, "None")
    home.bf.refresh()
    ledger = home.bf.ledger()
    rows = ledger[ledger["is_uncategorized"]]
    assert rows["category_name"].unique().tolist() == ["Uncategorized"]
    assert rows["amount"].sum() == pytest.approx(-27.3)
    assert home.bf.reconcile().ok


def test_an_unknown_name_is_income_with_one_warning() -> None:
    home = Changing()
    inflow_is(home, "Geld vom Himmel")
    with pytest.warns(RuntimeWarning, match=re.escape("has a category 'Geld vom Himmel'")) as found:
        assert home.bf.ledger()["is_income"].sum() > 0
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        home.add(5_000, category_id=home.device.state().inflow_id)
        home.bf.refresh()
        assert home.bf.ledger()["is_income"].sum() > 0
        Changing().bf.ledger()


def test_a_group_that_is_marked_as_internal_has_ordinary_categories() -> None:
    home = Changing()
    before = home.bf.reports.spending(freq="all")["spent"].sum()
    with home.device.edit() as editor:
        for group in editor.budget.groups.live():
            group.internal = True  # as groups of the plan template and the payments of cards
        bills = editor.categories.add_group("Bills", internal=True)
        names = ("Inflows", "None")
        keys = [editor.categories.add(name, bills.id, internal=True).id for name in names]
    parts = [
        NewPart(amount=-2_000, category_id=keys[0]), NewPart(amount=-1_000, category_id=keys[1]),
    ]  # fmt: skip
    home.add(-3_000, date=date(2026, 6, 1), parts=parts)
    home.bf.refresh()
    ledger = home.bf.ledger()
    rows = ledger[ledger["category_group_name"] == "Bills"]
    assert rows["is_spending"].tolist() == [True, True]
    assert rows["is_income"].tolist() == rows["is_uncategorized"].tolist() == [False, False]
    assert home.bf.reports.spending(freq="all")["spent"].sum() - before == pytest.approx(3.0)
