"""`plan` and `cover`: the amounts of a month, with budgets and expected values by hand."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, RateLimiter, ServiceClient, ToolError
from tests.changes.budget import connected, interrupted, let_it_grow_old, requests, small_sandbox
from tests.programs import programs
from tests.sandbox.ask import get

Amounts = dict[str, float]
GROUPS = {
    "Daily": ("Food", "Fun", "Travel"), "Old": ("Gym", "Misc:"), "Credit Card Payments": ("Visa",),
    "Internal Master Category": ("Inflow: Ready to Assign", "Uncategorized"),
}  # fmt: skip
CARD, CASH = "Visa", "Wallet"


def category(name: str, **fields: Any) -> dict[str, Any]:
    """A category of a month without money; `fields` are amounts in milliunits, and a target."""
    group = next(group for group, names in GROUPS.items() if name in names)
    return {
        "id": name, "name": name, "category_group_id": group, "hidden": name == "Gym",
        "budgeted": 0, "activity": 0, "balance": 0, **fields,
    }  # fmt: skip


def goal(kind: str, target: int, needed: int | None = 0, **fields: Any) -> dict[str, Any]:
    """A target, and what the service says is still needed; fields are named without ``goal_``."""
    stated = {"type": kind, "target": target, "under_funded": needed}
    stated |= {"cadence": 1, "overall_funded": 0, **fields}
    return {f"goal_{name}": value for name, value in stated.items()}


def row(day: str, account: str, name: str | None, amount: int) -> dict[str, Any]:
    """A transaction with a key of its own."""
    return {
        "id": f"{day} {name} {amount}", "date": day, "amount": amount, "account_id": account,
        "category_id": name, "cleared": "cleared", "approved": True,
    }  # fmt: skip


class Budget:
    """A budget on 2026-06-15, whose last month is June unless `months` has later ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.currency = {
            "iso_code": "USD", "decimal_digits": 2, "currency_symbol": "$", "symbol_first": True,
            "display_symbol": True, "decimal_separator": ".", "group_separator": ",",
        }  # fmt: skip

    def __call__(
        self, categories: Mapping[str, Mapping[str, Any]] = {}, ready: int | None = 1_000_000, *,
        others: Mapping[str, tuple[int, int, Mapping[str, Mapping[str, Any]]]] = {},
        income: int = 0, transactions: list[dict[str, Any]] | None = None,
        scheduled: list[dict[str, Any]] | None = None,
    ) -> BudgetFrame:  # fmt: skip
        """The budget; `others` has what is ready, the income and categories of other months."""
        months = {"2026-06-01": (ready, income, categories), **others}
        names = [name for group in GROUPS.values() for name in group]
        accounts = [
            {"id": name, "name": name, "type": kind, "on_budget": True, "closed": False}
            | dict.fromkeys(("balance", "cleared_balance", "uncleared_balance"), 0)
            for name, kind in ((CASH, "cash"), (CARD, "creditCard"))
        ]
        document = {
            "id": "b", "name": "By hand", "currency_format": self.currency,
            "accounts": accounts,
            "payees": [], "transactions": transactions or [], "subtransactions": [],
            "scheduled_transactions": scheduled or [], "scheduled_subtransactions": [],
            "category_groups": [{"id": each, "name": each, "hidden": False} for each in GROUPS],
            "categories": [category(name, **categories.get(name, {})) for name in names],
            "months": [
                {"month": month, "to_be_budgeted": left, "income": earned, "budgeted": 0,
                    "activity": 0,
                    "categories": [category(name, **rows.get(name, {})) for name in names]}
                for month, (left, earned, rows) in sorted(months.items(), reverse=True)
            ],
        }  # fmt: skip
        path = self.folder / "budget.json"
        path.write_text(json.dumps(document), "utf-8")
        return BudgetFrame.from_export(path, as_of="2026-06-15")


@pytest.fixture
def budget(tmp_path: Path) -> Budget:
    """Makes budgets by hand."""
    return Budget(tmp_path)


def rules(*rows: tuple[Any, ...]) -> pd.DataFrame:
    """Rules as a frame."""
    columns = ["category", "kind", "value", "up_to"]
    return pd.DataFrame([row + (None,) * (4 - len(row)) for row in rows], columns=columns)


def got(changes: Changes) -> Amounts:
    """What each category gets in addition."""
    rows = changes.frame
    change = (rows["after"] - rows["before"]).astype(float).round(3)
    return dict(zip(rows["category_name"], change, strict=True))


def short(changes: Changes) -> Amounts:
    """What could not be funded."""
    return dict(zip(changes.short["category_name"], changes.short["missing"], strict=True))


# Targets


def test_targets_are_funded_in_the_order_of_their_days(budget: Budget) -> None:
    dated = {"cadence": 0, "target_date": "2026-06-10", "overall_funded": 12_000}
    bf = budget(
        {
            "Food": goal("NEED", 9_000, 9_000, cadence=13, target_date="2026-09-01"),
            "Fun": goal("NEED", 50_000, 50_000),
            "Travel": goal("TB", 30_000, 0, **dated),
            "Gym": goal("NEED", 70_000, 70_000),
            "Visa": goal("MF", 5_000, 5_000, snoozed_at="2026-06-01T00:00:00Z"),
        },
        ready=70_000,
    )
    changes = bf.plan()
    assert changes.frame["category_name"].tolist() == ["Travel", "Fun", "Visa"]
    assert got(changes) == {"Travel": 18.0, "Fun": 50.0, "Visa": 2.0}
    assert short(changes) == {"Visa": 3.0, "Food": 9.0}
    assert changes.warnings == ["$12.00 could not be funded: .short has the categories"]


@pytest.mark.parametrize(("stated", "available", "needed"), [
    (goal("NEED", 90_000, needs_whole_amount=True), 40_000, 90.0),
    (goal("NEED", 90_000, needs_whole_amount=False), 40_000, 50.0),
    (goal("MF", 90_000), 40_000, 90.0),
    (goal("TB", 90_000, cadence=None), 40_000, 50.0),
    (goal("TB", 90_000, cadence=0, target_date="2026-09-01"), 40_000, 16.67),
    (goal("TB", 90_000, cadence=0, target_date="2026-06-30"), 40_000, 50.0),
    (goal("NEED", 10_000, cadence=2, day=3), 40_000, 50.0),  # 5 Wednesdays in July
    (goal("TB", 90_000, cadence=None), -40_000, 90.0),
    (goal("XX", 90_000, cadence=99), 0, 0.0),
])  # fmt: skip
def test_a_month_that_the_budget_lacks_needs_what_the_service_would_state(
    budget: Budget, stated: dict[str, Any], available: int, needed: float
) -> None:
    changes = budget({"Food": {**stated, "balance": available}}).plan("next")
    assert got(changes) == ({"Food": needed} if needed else {})
    assert set(changes.frame["date"].astype(str)) <= {"2026-07-01"}


def test_overspending_is_not_carried_over_into_a_new_month(budget: Budget) -> None:
    changes = budget({"Food": {"balance": -20_000}}).plan("next", rules(("Food", "refill", 500)))
    assert got(changes) == {"Food": 500.0}


# The kinds of rules

HISTORY = {
    "2026-03-01": (0, 0, {"Food": {"activity": -1_000}}),
    "2026-04-01": (0, 0, {"Food": {"activity": -10_010}}),
    "2026-05-01": (0, 500_000, {"Food": {"activity": -20_000, "budgeted": 33_330}}),
}
MONTHLY = {
    "id": "s", "account_id": CASH, "category_id": "Food", "amount": -10_000,
    "frequency": "weekly", "date_first": "2026-06-17", "date_next": "2026-06-17",
}  # fmt: skip


@pytest.mark.parametrize(("rule", "food", "expected"), [
    (("target",), goal("NEED", 9_000, 7_000), 7.0),
    (("target",), {}, 0.0),
    (("target",), goal("NEED", 9_000, None), 0.0),
    (("amount", 100), {"budgeted": 30_000}, 70.0),
    (("amount", "0,5"), {}, 0.5),
    (("amount", 0.1 + 0.2), {}, 0.3),
    (("amount", 20), {"budgeted": 30_000}, 0.0),
    (("refill", 500), {"budgeted": 90_000, "balance": 120_000}, 380.0),
    (("refill", 500), {"balance": -20_000}, 520.0),
    (("refill", 100), {"balance": 120_000}, 0.0),
    (("average", 2), {}, 15.01),  # 30.01 / 2, rounded up
    (("average", 3), {"budgeted": 10_000}, 0.34),  # 31.01 / 3 is 10.34
    (("average", 12), {}, 10.34),  # the budget has three of the months
    (("last_month",), {"budgeted": 3_330}, 30.0),
    (("last_month", "assigned"), {}, 33.33),
    (("last_month", "spent"), {}, 20.0),
    (("percent", 10), {}, 123.45),  # of 1,234.56
    (("percent", "12.5 last"), {"budgeted": 2_500}, 60.0),
    (("percent", 0), {}, 0.0),
    (("schedule",), {}, 20.0),  # 17 and 24 June
    (("schedule",), {"balance": 14_000}, 6.0),
    (("schedule",), {"balance": -14_000}, 34.0),
    (("rest",), {}, 1000.0),
    (("rest", None, 400), {"balance": 100_000}, 300.0),
    (("rest", 3, 50), {"balance": 100_000}, 0.0),
    (("amount", 100, 60), {"balance": 10_000}, 50.0),
    (("refill", 500, 300), {"balance": 120_000}, 180.0),
])  # fmt: skip
def test_each_kind_of_rule_names_a_total(
    budget: Budget, rule: tuple[Any, ...], food: dict[str, Any], expected: float
) -> None:
    bf = budget({"Food": food}, others=HISTORY, income=1_234_560, scheduled=[MONTHLY])
    changes = bf.plan(rules=rules(("Food", *rule)))
    assert got(changes) == ({"Food": expected} if expected else {})
    assert short(changes) == {}


def test_rules_are_followed_from_top_to_bottom_and_the_rest_is_shared(budget: Budget) -> None:
    given = rules(
        ("Fun", "rest", 2), ("Daily: Food", "refill", 500), ("Travel", "rest", None, 100),
        ("Food", "amount", 700), ("Old: Gym", "rest", 1),
    )  # fmt: skip
    changes = budget(ready=1_000_015).plan(rules=given)
    # Of 300.015 that Food leaves, two of four parts are for Fun; the last one has the rest.
    assert got(changes) == {"Food": 700.0, "Travel": 75.01, "Fun": 150.0, "Gym": 75.005}
    assert changes.frame.set_index("category_name")["rule"]["Food"] == "refill 500, amount 700"
    table = changes.frame.set_index("category_name")[["wanted", "got"]]
    assert list(table.loc["Food"]) == [700.0, 700.0]


def test_a_rule_counts_what_the_rules_above_it_have_given(budget: Budget) -> None:
    bf = budget({"Food": goal("NEED", 9_000, 7_000)}, ready=9_000)
    given = rules(("Fun", "rest"), ("Food", "amount", 5), ("Food", "target"), ("Food", "amount", 6))
    assert got(bf.plan(rules=given)) == {"Food": 7.0, "Fun": 2.0}
    scarce = bf.plan(rules=rules(("Fun", "rest"), ("Food", "amount", 12), ("Food", "amount", 12)))
    assert got(scarce) == {"Food": 9.0}
    assert short(scarce) == {"Food": 3.0}


def test_a_part_of_the_rest_that_is_full_leaves_its_money_to_the_others(budget: Budget) -> None:
    given = rules(("Food", "rest", 1, 10), ("Fun", "rest", 2), ("Travel", "rest", 1))
    assert got(budget(ready=100_000).plan(rules=given)) == {
        "Food": 10.0, "Fun": 60.0, "Travel": 30.0,
    }  # fmt: skip


def test_a_rule_for_a_group_is_one_for_each_category_that_is_not_hidden(budget: Budget) -> None:
    changes = budget().plan(rules=rules(("Daily:", "amount", 400)))
    assert got(changes) == {"Food": 400.0, "Fun": 400.0, "Travel": 200.0}
    assert short(changes) == {"Travel": 200.0}
    assert got(budget().plan(rules=rules(("Misc:", "amount", 4)))) == {"Misc:": 4.0}
    with pytest.raises(ToolError, match=r"row 0: category: .* the closest name is 'Daily'"):
        budget().plan(rules=rules(("Dayly:", "amount", 1)))


# Never more than is there


@pytest.mark.parametrize(("ready", "later", "limit", "funded"), [
    (80_000, None, None, 80.0),
    (80_000, 30_000, None, 30.0),  # the rest is assigned in July
    (80_000, 90_000, None, 80.0),
    (80_000, None, 10.555, 10.55),
    (80_000, None, 500, 80.0),
    (80_000, -5_000, None, 0.0),
    (-5_000, None, 20, 0.0),
    (80_000, None, 0, 0.0),
])  # fmt: skip
def test_a_plan_assigns_at_most_what_is_there(
    budget: Budget, ready: int, later: int | None, limit: float | None, funded: float
) -> None:
    others: dict[str, Any] = {} if later is None else {"2026-07-01": (later, 0, {})}
    bf = budget({"Food": goal("NEED", 100_000, 100_000)}, ready, others=others)
    changes = bf.plan(limit=limit)
    assert got(changes) == ({"Food": funded} if funded else {})
    assert short(changes) == {"Food": pytest.approx(100 - funded)}
    assert {"rule", "wanted", "got", "category_id"} <= {*changes.frame}
    is_negative = min(ready, ready if later is None else later) < 0
    text = "$5.00 more is assigned than there is: nothing is planned"
    assert (text in changes.warnings) == is_negative


def test_overspending_in_cash_is_no_money_of_a_new_month(budget: Budget) -> None:
    bf = budget(
        {
            "Food": {"balance": -70_000, "activity": -70_000},
            "Fun": {**goal("NEED", 500_000), "balance": 5_000},
        },
        ready=100_000,
        transactions=[
            row("2026-06-02", CASH, "Food", -50_000), row("2026-06-03", CARD, "Food", -20_000),
        ],
    )  # fmt: skip
    assert got(bf.plan("next")) == {"Fun": 50.0}


def test_money_that_is_not_known_cannot_be_assigned(budget: Budget) -> None:
    with pytest.raises(ToolError, match="1 amount of months and their categories are not known"):
        budget(ready=None).plan()


# Overspending

OVERSPENT = {
    "Food": {"balance": -30_000, "activity": -30_000},
    "Fun": {"balance": -25_000, "activity": -40_000, "budgeted": 15_000},
    "Travel": {"balance": 80_000, "budgeted": 80_000}, "Visa": {"balance": 90_000},
}  # fmt: skip
SPENT = [
    row("2026-06-02", CARD, "Food", -30_000), row("2026-06-03", CASH, "Fun", -30_000),
    row("2026-06-04", CARD, "Fun", -10_000),
]  # fmt: skip


@pytest.mark.parametrize(("options", "ready", "expected", "left"), [
    ({}, 100_000, {"Fun": 25.0, "Food": 30.0}, {}),
    ({}, 20_000, {"Fun": 15.0, "Food": 5.0}, {"Fun": 10.0, "Food": 25.0}),
    ({"sources": "Travel"}, 0, {"Fun": 25.0, "Food": 30.0, "Travel": -55.0}, {}),
    ({"sources": ["Ready to Assign", "Daily: Travel"]}, 40_000,
        {"Fun": 25.0, "Food": 30.0, "Travel": -15.0}, {}),
    ({"sources": ["Travel"], "keep": 79}, 9_000, {"Fun": 1.0, "Travel": -1.0},
        {"Fun": 24.0, "Food": 30.0}),
    ({"sources": []}, 100_000, {}, {"Fun": 25.0, "Food": 30.0}),
])  # fmt: skip
def test_overspending_in_cash_is_covered_before_that_on_cards(
    budget: Budget, options: dict[str, Any], ready: int, expected: Amounts, left: Amounts
) -> None:
    changes = budget(OVERSPENT, ready, transactions=SPENT).cover(**options)
    assert [*got(changes).items()] == [*expected.items()]
    assert [*short(changes).items()] == [*left.items()]


def spare(changes: Changes) -> Amounts:
    return dict(zip(changes.sources["category_name"], changes.sources["spare"], strict=True))


@pytest.mark.parametrize(("travel", "keep", "expected"), [
    ({}, None, 70.0),  # a payment of 10 is due until the end of the month
    ({}, "target", 70.0),
    ({}, 0, 80.0),
    ({}, 79.5, 0.5),
    (goal("NEED", 60_000), None, 20.0),
    (goal("NEED", 90_000, 10_000), None, 0.0),
    (goal("NEED", 60_000, 10_000), None, 0.0),  # what the service states counts
    (goal("TB", 100_000, cadence=0, target_date="2026-07-31"), None, 30.0),
    (goal("NEED", 60_000), 0, 80.0),
    (goal("TB", 75_000, cadence=None), None, 5.0),
    ({**goal("TB", 50_000, cadence=None), "budgeted": 20_000}, None, 30.0),
    ({**goal("NEED", 50_000, needs_whole_amount=False), "budgeted": 20_000}, None, 30.0),
    ({**goal("NEED", 90_000, needs_whole_amount=False), "budgeted": 0}, None, 0.0),
])  # fmt: skip
def test_a_source_keeps_what_its_target_and_its_payments_need(
    budget: Budget, travel: dict[str, Any], keep: Any, expected: float
) -> None:
    payment = {**MONTHLY, "category_id": "Travel", "frequency": "never"}
    categories = {**OVERSPENT, "Travel": {**OVERSPENT["Travel"], **travel}}
    later = {"2026-07-01": (50_000, 0, {"Travel": {"balance": 80_000}})}
    changes = budget(categories, others=later, scheduled=[payment]).cover(keep=keep)
    assert spare(changes) == {"Ready to Assign": 55.0, "Travel": expected}  # what it gives


def test_a_source_gives_nothing_that_a_later_month_has_used(budget: Budget) -> None:
    later = {"2026-07-01": (50_000, 0, {"Travel": {"balance": 3_000}})}
    assert spare(budget(OVERSPENT, others=later).cover(sources=["Travel"]))["Travel"] == 3.0


def test_money_that_covers_cash_is_no_loss_of_a_later_month(budget: Budget) -> None:
    later: dict[str, Any] = {"2026-07-01": (20_000, 0, {})}
    bf = budget(OVERSPENT, 50_000, transactions=SPENT, others=later)
    # 15 of Fun are cash, which July lacks already; then 20 are left in July.
    assert got(bf.cover()) == {"Fun": 15.0, "Food": 20.0}
    given = rules(("Fun", "refill", 0), ("Travel", "rest"))
    assert got(bf.plan(rules=given)) == {"Fun": 25.0, "Travel": 10.0}
    given = rules(("Fun", "amount", 25), ("Fun", "amount", 40), ("Travel", "rest"))
    assert got(bf.plan(rules=given)) == {"Fun": 25.0, "Travel": 10.0}
    negative: dict[str, Any] = {"2026-07-01": (-5_000, 0, {})}
    bf = budget(OVERSPENT, 50_000, transactions=SPENT, others=negative)
    assert got(bf.plan(rules=given)) == got(bf.cover()) == {}


@pytest.mark.parametrize("later", [0, 10, 10_000])
def test_the_rest_covers_cash_also_if_later_months_have_nothing(budget: Budget, later: int) -> None:
    bf = budget(
        {"Food": {"balance": -50_000, "activity": -50_000}}, 100_000,
        transactions=[row("2026-06-02", CASH, "Food", -50_000)],
        others={"2026-07-01": (later, 0, {})},
    )  # fmt: skip
    assert got(bf.plan(rules=rules(("Food", "rest")))) == {"Food": 50 + later / 1000}


def test_what_covers_a_card_and_what_a_source_covers_is_no_later_loss(budget: Budget) -> None:
    july: dict[str, Any] = {"2026-07-01": (20_000, 0, {"Travel": {"balance": 10_000}})}
    food = {"balance": -30_000, "activity": -30_000}
    spent = [row("2026-06-02", CARD, "Food", -30_000), row("2026-06-03", CASH, "Fun", -10_000)]
    visa = {"Food": food, "Visa": {"balance": -10_000}}
    bf = budget(visa, 100_000, transactions=spent[:1], others=july)
    assert got(bf.plan(rules=rules(("Food", "refill", 0)))) == got(bf.cover()) == {"Food": 30.0}
    fun = {"Fun": {"balance": -10_000, "activity": -10_000}, "Travel": {"balance": 10_000}}
    bf = budget({"Food": food, **fun}, 100_000, transactions=spent, others=july)
    covered = got(bf.cover(sources=["Travel", "Ready to Assign"]))
    assert covered == {"Fun": 10.0, "Food": 30.0, "Travel": -10.0}


def test_money_that_a_card_gets_by_itself_is_not_given_twice(budget: Budget) -> None:
    paid = {**OVERSPENT, "Visa": {"balance": -45_000}}
    changes = budget(paid, transactions=SPENT).cover()
    # When they are covered, Food moves 30 to the card, and Fun 10.
    assert got(changes) == {"Fun": 25.0, "Food": 30.0, "Visa": 5.0}
    paid |= {"Fun": {"balance": -5_000, "activity": -40_000, "budgeted": 35_000}}
    changes = budget({**paid, "Visa": {"balance": -40_000}}, transactions=SPENT).cover()
    assert got(changes) == {"Food": 30.0, "Fun": 5.0, "Visa": 5.0}  # 5 of Fun were covered before


# In the service


def test_a_plan_is_applied_changes_nothing_again_and_is_undone() -> None:
    _, bf = connected(years=1)
    before, plan = bf.month("current")["budgeted"].tolist(), bf.plan("current").apply()
    assert plan.counts["done"] > 0
    bf.refresh()
    assert len(bf.plan("current")) == 0
    plan.undo().apply()
    bf.refresh()
    assert bf.month("current")["budgeted"].tolist() == before


def test_a_plan_is_made_from_what_the_service_has_now() -> None:
    sandbox, bf = connected(years=1)
    given = rules(("Holiday", "rest"))
    assert len(bf.plan(rules=given)) == 1
    BudgetFrame.sandbox(sandbox).plan(rules=rules(("Groceries", "rest"))).apply()
    assert requests(sandbox, lambda: bf.plan(rules=given)) == 1
    assert len(bf.plan(rules=given)) == 0
    assert requests(sandbox, bf.cover) == 1


def test_the_next_month_is_that_of_the_service() -> None:
    sandbox = small_sandbox(years=1)
    http = httpx.AsyncClient(
        transport=sandbox.transport(), base_url=sandbox.base_url,
        headers={"Authorization": f"Bearer {sandbox.token}"},
    )  # fmt: skip
    bf = BudgetFrame(ServiceClient(http, RateLimiter()), budget="Household")
    assert set(bf.plan("next").frame["date"].astype(str)) == {"2026-07-01"}


def overspent() -> tuple[Any, BudgetFrame, str]:
    """A budget with an overspent category, and its name."""
    sandbox, bf = connected(years=1)
    bf.assign("current", "Eating Out", -500)
    bf.assign("current", "Home: Repairs", 2_000)
    bf.refresh()
    return sandbox, bf, "Home: Repairs"


@pytest.mark.parametrize("changed", ["Eating Out", "Home: Repairs"])
def test_all_amounts_of_a_cover_are_changed_or_none(changed: str) -> None:
    sandbox, bf, source = overspent()
    changes = bf.cover(sources=[source])
    assert len(changes) > 2
    BudgetFrame.sandbox(sandbox).assign("current", changed, 7.0)
    let_it_grow_old(changes)
    counts = changes.apply().counts
    assert counts["done"] == 0
    assert counts["conflicts"] == len(changes.conflicts) > 2


def test_an_interrupted_cover_is_continued_by_the_same_call() -> None:
    sandbox, bf, source = overspent()
    total = bf.month("current")["budgeted"].sum()
    interrupted(sandbox, "reset-after:PATCH:*/categories/*@2", bf.cover(sources=[source]).apply)
    assert len(bf.cover(sources=[])) == 0  # another call, which continues nothing
    assert bf.cover(sources=[source]).apply().counts["left"] == 0
    bf.refresh()
    assert len(bf.cover(sources=[source])) == 0
    assert bf.month("current")["budgeted"].sum() == pytest.approx(total, abs=1e-9)


# Wrong calls


@pytest.mark.parametrize(("call", "message"), [
    (lambda bf: bf.plan("2026-05"), "2026-05 is over: plan the current month or a later one"),
    (lambda bf: bf.plan("nxt"), "month='nxt' is not a month"),
    (lambda bf: bf.plan(limit=-1), "limit=-1 is negative"),
    (lambda bf: bf.plan(rules=rules(("Foot", "amount", 1))), "row 0: category: .*'Food'"),
    (lambda bf: bf.plan(rules=rules(("Food", "fill", 1))), "row 0: kind='fill'"),
    (lambda bf: bf.plan(rules=rules(("Food", "refill"))), "for refill, it is an amount"),
    (lambda bf: bf.plan(rules=rules(("Food", "amount", -1))),
        "value='-1': for amount, it is an amount that is not negative"),
    (lambda bf: bf.plan(rules=rules(("Food", "rest", 0))), "for rest, it is a number above"),
    (lambda bf: bf.plan(rules=b"category;kid\nFood;rest"), "'kid' is no column of rules"),
    (lambda bf: bf.plan(rules=rules(("Uncategorized", "amount", 1))), "belongs to the service"),
    (lambda bf: bf.cover(sources=["Foot"]), "sources: the budget has no category 'Foot'"),
    (lambda bf: bf.cover(sources=["Visa"]), "sources: 'Visa' gives no money"),
    (lambda bf: bf.cover(keep="all"), "keep='all'"),
    (lambda bf: bf.cover(sources=5), "sources=5"),
    (lambda bf: bf.plan(rules=[5]), "file must be a path"),
    (lambda bf: bf.cover("2026-01"), "the budget has no month 2026-01"),
    (lambda bf: bf.cover(keep=-1), "keep=-1 is negative"),
    (lambda bf: bf.cover().plot(), "only a plan that wants money has a picture"),
])  # fmt: skip
def test_a_wrong_call_says_what_to_do(
    budget: Budget, call: Callable[[BudgetFrame], object], message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        call(budget())


# Random budgets


def ready(sandbox: Any) -> dict[str, int]:
    """What is left to assign in each month, as the service states it."""
    budget = sandbox.device.state().id
    months = get(sandbox, f"/budgets/{budget}/months")["months"]
    return {each["month"]: each["to_be_budgeted"] for each in months}


def has_less_than_nothing(sandbox: Any, before: dict[str, int]) -> bool:
    """Whether a month has less than nothing to assign, and less than before."""
    return any(left < min(before.get(month, 0), 0) for month, left in ready(sandbox).items())


def random_rules(random: Random, names: list[str]) -> pd.DataFrame:
    """Some rules of all kinds."""
    values: dict[str, Callable[[], Any]] = {
        "target": str, "schedule": str, "average": lambda: random.randint(1, 9),
        "amount": lambda: random.randint(0, 90_000) / 100,
        "refill": lambda: random.randint(0, 90_000) / 100,
        "last_month": lambda: random.choice(["", "spent"]),
        "percent": lambda: random.choice(["7.5", "12 last"]), "rest": lambda: random.randint(1, 4),
    }  # fmt: skip
    kinds = [random.choice([*values]) for _ in range(random.randint(1, 8))]
    return rules(*((random.choice(names), kind, values[kind]()) for kind in kinds))


@pytest.mark.parametrize("seed", programs(2))
def test_random_plans_and_covers_use_no_more_than_there_is(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - not for secrets
    sandbox, bf = connected(seed=seed)
    listed = bf.categories().query("category_group_name != 'Internal Master Category'")
    names = [f"{row.category_group_name}: {row.category_name}" for row in listed.itertuples()]
    for _ in range(6):
        amount = random.randint(-300, 400)
        bf.assign(random.choice(["2026-06", "2026-07"]), random.choice(names), amount)
    for month in ("current", "next"):
        given = random.choice([None, random_rules(random, names)])
        before, left = content_of_months(sandbox), ready(sandbox)
        plan = bf.plan(month, given)
        assert (plan.frame["got"] <= plan.frame["wanted"]).all()
        plan.apply()
        assert not has_less_than_nothing(sandbox, left)
        assert len(bf.plan(month, given)) == 0
        plan.undo().apply()
        assert content_of_months(sandbox) == before
    own = [name for name in names if not name.startswith("Credit Card Payments")]
    sources = [*random.sample(own, 3), "Ready to Assign"]
    cover = bf.cover(sources=sources, keep=random.choice([None, 0, 25]))
    kept = cover.sources.query("taken > 0").set_index("category_id")["kept"]
    left, assigned = ready(sandbox), bf.month("current")["budgeted"].sum()
    cover.apply()
    bf.refresh()
    now = bf.month("current").set_index("category_id")
    assert (now["balance"].reindex(kept.index.dropna()) >= kept[kept.index.notna()] - 1e-9).all()
    spent = round((now["budgeted"].sum() - assigned) * 1000)
    assert not has_less_than_nothing(sandbox, left)
    assert spent == round(cover.sources["taken"].iloc[0] * 1000)
    assert len(bf.cover(sources=sources, keep=0)) == 0 or cover.short["missing"].sum() > 0


def content_of_months(sandbox: Any) -> dict[tuple[str, str], int]:
    """The assigned amounts of all months, without those that are 0."""
    budget = get(sandbox, f"/budgets/{sandbox.device.state().id}")["budget"]
    return {
        (month["month"], each["id"]): each["budgeted"] for month in budget["months"]
        for each in month["categories"] if each["budgeted"]
    }  # fmt: skip
