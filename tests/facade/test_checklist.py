"""What is to do before a month can be trusted: every step on small budgets, by hand."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Checklist, Review, ToolError
from tests.changes.budget import connect, connected, requests, small_sandbox
from tests.changes.test_display import lines_of
from tests.facade.service import EMPTY_EXPORT, one_budget, scripted
from tests.facade.test_app_export import opened

Json = dict[str, Any]

TODAY = {"Date": "Wed, 17 Jun 2026 12:00:00 GMT"}
CARD = "creditCard"
ACCOUNTS = {"Checking": "checking", "Savings": "savings", "Visa": CARD, "Amex": CARD}
BALANCES = ("balance", "cleared_balance", "uncleared_balance")
CARDS, INTERNAL = "Credit Card Payments", "Internal Master Category"
CATEGORIES = {
    "Food": "Daily", "Fun": "Daily", "Visa": CARDS, "Amex": CARDS, "Uncategorized": INTERNAL,
    "Inflow: Ready to Assign": INTERNAL,
}  # fmt: skip
AMOUNTS = dict.fromkeys(("budgeted", "activity", "balance", "income", "to_be_budgeted"), 0)


def row(
    day: str, amount: int, account: str = "Checking", category: str | None = "Food", **more: Any
) -> Json:
    """A transaction with nothing to do, on a day of 2026, except for what is given."""
    return {
        "id": f"{day} {amount} {account}", "date": f"2026-{day}", "amount": amount,
        "account_id": account, "account_name": account, "category_id": category, "approved": True,
        "payee_id": "Market", "cleared": "reconciled", "transfer_account_id": None, **more,
    }  # fmt: skip


def transfer(day: str, amount: int, one: str, two: str) -> list[Json]:
    """The two sides of a transfer: the amount in one account, and its opposite in another one."""
    return [
        row(day, each, name, None, payee_id=None, transfer_account_id=other,
            transfer_transaction_id=f"{day} {-each} {other}")
        for each, name, other in ((amount, one, two), (-amount, two, one))
    ]  # fmt: skip


def budget(
    *rows: Json, plan: Mapping[str, Json] = {}, to_assign: Mapping[str, int] = {},
    account: Mapping[str, Json] = {}, schedules: tuple[Json, ...] = (),
    parts: tuple[Json, ...] = (),
) -> BudgetFrame:  # fmt: skip
    """A budget whose figures agree with the rows, except fields of "2026-05 Food" or accounts."""
    splits = {each["transaction_id"] for each in parts}
    months = {each["id"]: each["date"][:7] for each in rows}
    figures = Counter[str]()
    for each in rows:
        state = "uncleared" if each["cleared"] == "uncleared" else "cleared"
        for figure in ("balance", f"{state}_balance"):
            figures[f"{each['account_id']} {figure}"] += each["amount"]
    for each in (*rows, *parts):
        if each["id"] not in splits and not each.get("transfer_account_id"):
            month = months[each.get("transaction_id", each["id"])]
            figures[f"{month} {each['category_id'] or 'Uncategorized'}"] += each["amount"]
    categories = [
        {"id": name, "name": name, "category_group_id": group, "hidden": False, **AMOUNTS}
        for name, group in CATEGORIES.items()
    ]
    export = {
        **EMPTY_EXPORT, "id": "b1", "name": "Home", "categories": categories, "transactions": rows,
        "subtransactions": parts, "scheduled_transactions": schedules,
        "payees": [{"id": "Market", "name": "Market"}],
        "category_groups": [
            {"id": name, "name": name, "hidden": False} for name in ("Daily", CARDS, INTERNAL)],
        "accounts": [
            {"id": key, "name": key, "type": kind, "on_budget": True, "closed": False,
             **{name: figures[f"{key} {name}"] for name in BALANCES}, **account.get(key, {})}
            for key, kind in ACCOUNTS.items()],
        "months": [
            {"month": f"{month}-01", **AMOUNTS, "to_be_budgeted": to_assign.get(month, 0),
             "categories": [{**each, "activity": figures[key], **plan.get(key, {})}
                            for each in categories for key in [f"{month} {each['id']}"]]}
            for month in sorted({"2026-04", "2026-05", "2026-06", *to_assign,
                                 *(key[:7] for key in plan)})],
    }  # fmt: skip
    lists = {**export, "transactions": [
        {**each, "subtransactions": [sub for sub in parts if sub["transaction_id"] == each["id"]]}
        for each in rows]}  # fmt: skip

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.method == "GET"
        name = request.url.path.rpartition("/")[2]
        data = {name: lists[name]} if name in lists else {"budget": export}
        return httpx.Response(200, json={"data": {**data, "server_knowledge": 1}}, headers=TODAY)

    return scripted(one_budget(answer))


def steps(bf: BudgetFrame, *given: Any, **more: Any) -> list[tuple[Any, ...]]:
    """Step, count, amount and reason of each row."""
    frame = bf.checklist(*given, **more).frame
    return list(frame[["step", "count", "amount", "why"]].itertuples(index=False, name=None))


BAKER = {"payee_id": "Baker", "import_id": "YNAB:-4500:2026-05-10:1"}
SPLIT = row("05-20", -9000, category=None, id="split", approved=False)
PARTS = tuple(
    {"id": f"part {amount}", "transaction_id": "split", "amount": amount, "category_id": category}
    for amount, category in ((-6000, "Food"), (-3000, None))
)
TO_SAVINGS, FROM_CHECKING = transfer("05-11", -5000, "Checking", "Savings")
APPROVED = {**SPLIT, "approved": True}
SIDE_OF_PART = {**FROM_CHECKING, "id": "side", "transfer_transaction_id": "split"}
PART = {
    "id": "part", "transaction_id": "split", "amount": -5000, "category_id": None,
    "transfer_account_id": "Savings", "transfer_transaction_id": "side",
}  # fmt: skip
ADVICE = "; bf.statement(account, balance, day) compares the bank's balance"
RENT = {
    "id": "rent", "date_first": "2026-01-16", "date_next": "2026-06-16", "frequency": "monthly",
    "amount": -700_000, "account_id": "Checking", "payee_id": "Market", "category_id": "Food",
}  # fmt: skip
new, bare = partial(row, approved=False), partial(row, category=None)
seen, pending = partial(row, cleared="cleared"), partial(row, cleared="uncleared")
PAID = row("05-20", -1000, category="Fun")
VISA = [
    row("04-10", -50_000, "Visa"), row("05-06", -30_000, "Visa"), row("05-12", -15_000, "Visa"),
    row("05-20", -5000, "Visa"), *transfer("05-07", -20_000, "Checking", "Visa"),
]  # fmt: skip


def available(*amounts: int) -> dict[str, Json]:
    """What the payment category of the Visa card has at the end of each month."""
    return {f"2026-0{month} Visa": {"balance": each} for month, each in enumerate(amounts, 4)}


KEYS = {"not reconciled": "account_name", "scheduled payments overdue": "scheduled_transaction_id"}
REVIEWED = ("not approved", "without a category", "probably twice")
given, DIFFERENCE = partial(partial, budget), "reconciliation difference"
SNOOZED = {"goal_under_funded": 1, "goal_snoozed_at": "2026-05-02T10:00:00Z"}
APRIL, NO_PAYEE, QUOTED = "2026-04-10", "no payee -9.00", """Mom's "old" account"""
ASSIGNS = "bf.plan(rules=...) assigns what no target needs"
CASES: dict[str, tuple[Any, ...]] = {
    "not approved, in two accounts": (given(new("05-10", -9000), new("04-11", -6000, "Savings")),
        ("not approved", 2, -15.0, "Savings 1, Checking 1")),
    "not approved, a split counts once": (given(SPLIT, parts=({**PARTS[0], "amount": -9000},)),
        ("not approved", 1, -9.0, "Checking 1")),
    "without a category": (given(bare("05-10", -10_000), bare("06-01", -1000)),
        ("without a category", 1, -10.0, "Checking 1")),
    "a row in Uncategorized": (given(row("04-10", 7000, "Savings", "Uncategorized")),
        ("without a category", 1, 7.0, "Savings 1")),
    "without a category, a part of a split": (given(APPROVED, parts=PARTS),
        ("without a category", 1, -3.0, "Checking 1")),
    "probably twice, imported and entered": (
        given(row("05-10", -4500, **BAKER), pending("05-09", -4500), row("05-28", -1000)),
        ("probably twice", 1, -4.5, "Checking 1"),
        ("uncleared", 1, -4.5, "Checking 1")),
    "probably twice, entered twice": (given(row("05-10", -4500), seen("05-10", -4500, id="again")),
        ("probably twice", 1, -4.5, "Checking 1"),
        ("not reconciled", 1, -4.5, f"Checking since 2026-05-10{ADVICE}")),
    "probably twice, not if both are reconciled, and not after the month": (
        given(row("05-10", -4500), row("05-10", -4500, id="again"), row("06-10", -700),
              seen("06-10", -700, id="later")),),
    "transfer without the other side": (given({**TO_SAVINGS, "transfer_transaction_id": None}),
        ("transfers without the other side", 1, -5.0, "Checking 1")),
    "transfer, no such side": (given(TO_SAVINGS, *transfer("05-12", 3000, "Savings", "Checking")),
        ("transfers without the other side", 1, -5.0, "Checking 1")),
    "transfer, with a part of a split as the other side": (
        given({**APPROVED, "amount": -5000}, SIDE_OF_PART, parts=(PART,)),),
    "transfer, with the key of that part": (
        given({**APPROVED, "amount": -5000}, {**SIDE_OF_PART, "transfer_transaction_id": "part"},
              parts=(PART,)),),
    "uncleared, for more than 14 days": (given(pending("05-16", -10_000), pending("05-17", -1000)),
        ("uncleared", 1, -10.0, "Checking 1")),
    "uncleared, by account": (given(pending("04-16", -10_000), pending("05-01", -1000, "Visa"),
                                    pending("05-02", -500), plan=available(0, 1000, 1000)),
        ("uncleared", 3, -11.5, "Checking 2, Visa 1")),
    "uncleared, also refunds": (given(pending("05-02", -500), pending("05-03", 500)),
        ("uncleared", 2, 0.0, "Checking 2")),
    "not reconciled since a day": (
        given(row("04-30", -10), row("04-02", -20), seen("05-02", -3000), seen("05-31", 1000)),
        ("not reconciled", 1, -2.0, f"Checking since 2026-04-30{ADVICE}")),
    "never reconciled": (given(seen("05-02", 3000, "Savings"), PAID, seen("06-01", 5000)),
        ("not reconciled", 1, 3.0, f"Savings never{ADVICE}")),
    "not reconciled, two accounts, one of them with quotes in its name": (
        given(seen("05-02", -3000), seen("05-02", -10, "Savings", account_name=QUOTED),
              seen("06-01", 5, "Visa"), account={"Savings": {"name": QUOTED}}),
        ("not reconciled", 2, -3.01, f"Checking never, {QUOTED} never{ADVICE}")),
    "not reconciled, closed and tracking accounts do not count": (
        given(seen("05-02", -3000), seen("05-02", 9000, "Savings", None),
              account={"Checking": {"closed": True}, "Savings": {"on_budget": False}},
              plan={"2026-05 Uncategorized": {"activity": 0}}),),
    "a balance differs": (given(PAID, account={"Checking": {"balance": 0, "cleared_balance": 0}}),
        (DIFFERENCE, 1, 1.0, "1 of 16 rows differs: Checking by -1.00")),
    "an activity and a balance differ": (
        given(PAID, plan={"2026-05 Fun": {"activity": -1001}}, account={"Visa": {"balance": -5}}),
        (DIFFERENCE, 2, 0.006, "2 of 16 rows differ: Visa by 0.005, Fun 2026-05 by 0.001")),
    "a later activity differs": (given(PAID, plan={"2026-06 Fun": {"activity": -1001}}),),
    "overspent, also hidden and of a card, not of the service or later": (
        given(plan={"2026-05 Fun": {"balance": -1500, "hidden": True},
                    "2026-05 Visa": {"balance": -2250}, "2026-06 Food": {"balance": -1},
                    "2026-05 Inflow: Ready to Assign": {"balance": -9000}}),
        ("overspent categories", 2, -3.75, "Visa -2.25, Fun -1.50")),
    "a card, uncovered since a row": (given(*VISA, plan=available(50_000, 62_000, 62_000)),
        ("cards not covered", 1, 18.0, "Visa 18.00 since 2026-05-12, Market -15.00")),
    "two cards, one of them since the month before": (
        given(row("04-05", -20_000, "Visa"), *VISA, row("05-08", 60_000, "Visa"),
              row("05-31", -9000, "Amex", payee_id=None), plan=available(49_999, 0, 0)),
        ("cards not covered", 2, 49.0,
         f"Visa 40.00 since {APRIL}, Market -50.00; Amex 9.00 since 2026-05-31, {NO_PAYEE}")),
    "a card whose money was taken away": (
        given(VISA[0], row("05-08", -1000, "Visa"), plan=available(50_000, 20_000, 51_000)),
        ("cards not covered", 1, 31.0,
         "Visa 31.00 since 2026-05-01, when less was available than was owed before")),
    "schedules overdue, one of them for today, and one completed": (
        given(schedules=(RENT, {**RENT, "id": "2", "date_next": "2026-06-17"},
                         {**RENT, "id": "3", "date_next": "2025-01-01", "amount": 500},
                         {**RENT, "id": "4", "date_next": None})),
        ("scheduled payments overdue", 2, -699.5, "Checking 2")),
    "money that no later month uses": (
        given(to_assign={"2026-05": 1, "2026-06": 900, "2026-07": 700, "2026-08": 800}),
        ("money not assigned", 1, 0.7, ASSIGNS)),
    "assigned more than is there": (given(to_assign={"2026-05": 5, "2026-06": 7000, "2026-07": -1}),
        ("assigned more than is there", 1, -0.001, "categories must give this money back")),
    "nothing to assign": (given(to_assign={"2026-05": -7, "2026-06": 9, "2026-07": 0}),),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_step_has_what_is_to_do_and_nothing_else(case: str) -> None:
    make, *expected = CASES[case]
    assert steps(make()) == expected


@pytest.mark.filterwarnings("ignore:.*service's figures:RuntimeWarning")
@pytest.mark.parametrize("case", [case for case, (_, *expected) in CASES.items() if expected])
def test_each_call_runs_and_shows_what_was_counted_and_writes_nothing(case: str) -> None:
    bf = CASES[case][0]()
    frame = bf.checklist().frame
    for step, count, call in zip(frame["step"], frame["count"], frame["next"], strict=True):
        found = eval(call, {"bf": bf})  # noqa: S307 - it is the call to run
        if step in REVIEWED:  # a review shows all parts of a split
            assert isinstance(found, Review)
            found = found.frame
        if ".query(" in call and not step.startswith("assigned"):
            assert found[KEYS.get(step, "transaction_id")].nunique() == count


# Months and days


@pytest.mark.parametrize(("month", "planned", "money", "short"), [
    ("2026-05", "2026-06", 5.0, []),
    ("2026-06", "2026-06", 5.0, [("targets short", 2, 2.001, "Visa 2.00, Fun 0.001")]),
    ("2026-07", "2026-07", 7.0, [("targets short", 1, 12.34, "Fun 12.34")]),
])  # fmt: skip
def test_targets_and_money_are_those_of_months_that_have_not_ended(
    month: str, planned: str, money: float, short: list[Any]
) -> None:
    needed = {"05 Fun": 900, "06 Visa": 2000, "06 Food": 500, "07 Fun": 12_340, "07 Food": 0}
    plan: Json = {f"2026-{key}": {"goal_under_funded": each} for key, each in needed.items()}
    plan["2026-06 Food"]["hidden"], plan["2026-06 Fun"] = True, SNOOZED
    bf = budget(plan=plan, to_assign={"2026-05": 1, "2026-06": 5000, "2026-07": 7000})
    assert steps(bf, month) == [*short, ("money not assigned", 1, money, ASSIGNS)]
    assert set(bf.checklist(month).frame["next"]) == {f"bf.plan('{planned}')"}


def test_rows_up_to_the_end_of_the_month_count() -> None:
    bf = budget(*(new(*day) for day in (("04-30", -1000), ("05-31", -2000), ("06-30", -4000))))
    sums = {month: steps(bf, month)[0][2] for month in ("2026-04", "last", "current", "2026-06-01")}
    assert sums == {"2026-04": -1.0, "last": -3.0, "current": -7.0, "2026-06-01": -7.0}


def test_days_are_those_before_today_in_a_month_that_has_not_ended() -> None:
    rows = [pending(day, -1000) for day in ("06-02", "06-03", "06-16", "06-17")]
    counts = [[step[1] for step in steps(budget(*rows), "current", days=n)] for n in (14, 13, 0)]
    assert counts == [[1], [2], [3]]


@pytest.mark.parametrize(("month", "days", "message"), [
    ("next", 14, "the budget has no month 2026-07: it has 2026-04 to 2026-06"),
    ("soon", 14,
     "month='soon' is not a month: write it as '2026-05', or 'current', 'last' or 'next'"),
    ("last", -1, "days=-1: pass a number of days from 0 to 3,650"),
])  # fmt: skip
def test_impossible_months_and_days_are_errors(month: str, days: int, message: str) -> None:
    with pytest.raises(ToolError) as caught:
        budget().checklist(month, days=days)
    assert str(caught.value) == message


# Cost, display and changes


def test_a_checklist_costs_one_request_and_then_none() -> None:
    sandbox, bf = connected()
    bf.budgets()
    assert [requests(sandbox, bf.checklist) for _ in range(2)] == [1, 0]


def test_a_checklist_shows_a_line_and_a_call_for_each_step() -> None:
    plan = {f"2026-06 {name}": {"goal_under_funded": 5, "balance": -20} for name in ("Food", "Fun")}
    more: Json = {"to_assign": {"2026-06": 1}, "account": {"Amex": {"balance": 2}}}
    bf = budget(new("05-10", -1_234_560), plan=plan, schedules=(RENT,), **more)
    shown = bf.checklist("current")
    assert lines_of(shown) == [
        "Checklist: 2026-06, 6 of 12 checks found something to do",
        "not approved: 1 row, -1,234.56: Checking 1",
        "next: bf.review(bf.transactions().query(\"date <= '2026-06-30' and approved == False\"))",
        "reconciliation difference: 1 difference, 0.002: 1 of 22 rows differs: Amex by -0.002",
        "next: bf.reconcile()",
        "overspent categories: 2 categories, -0.04: Food -0.02, Fun -0.02",
        "next: bf.cover('2026-06')",
        "targets short: 2 targets, 0.01: Food 0.005, Fun 0.005",
        "next: bf.plan('2026-06')",
        "scheduled payments overdue: 1 schedule, -700.00: Checking 1",
        "next: bf.scheduled_transactions().query(\"date_next < '2026-06-17'\")",
        "money not assigned: 1 amount, 0.001: bf.plan(rules=...) assigns what no target needs",
        "next: bf.plan('2026-06')",
    ]
    assert "<th style='text-align:left'>not approved</th>" in shown._repr_html_()
    assert len(shown) == 6


def test_nothing_to_do_is_one_line_and_an_empty_frame_with_the_same_columns() -> None:
    shown, other = budget().checklist("2026-04"), budget(to_assign={"2026-06": 1}).checklist()
    assert repr(shown) == "Checklist: 2026-04, nothing to do after 12 checks"
    assert len(shown) == 0
    assert shown.frame.dtypes.to_dict() == other.frame.dtypes.to_dict()


def test_the_rows_that_were_counted_are_approved_and_no_later_ones() -> None:
    _, bf = connected()
    bf.changes(bf.transactions(until="2026-05").tail(2).assign(approved=False)).apply()
    assert bf.checklist().changes("not approved").apply().counts["done"] == 2
    assert "not approved" not in set(bf.checklist().frame["step"])
    assert "not approved" in set(bf.checklist("current").frame["step"])


def test_a_row_that_was_changed_since_the_checklist_is_not_approved() -> None:
    sandbox, bf = connected()
    checklist = bf.checklist("current")
    key = bf.transactions().query("approved == False")["transaction_id"].iloc[0]
    sandbox.device.edit_transaction(key, amount=-1, approved=False)
    changes = checklist.changes("not approved")
    assert (changes.counts["left"], changes.counts["conflicts"]) == (2, 1)


@pytest.mark.parametrize(("step", "month", "call", "expected"), [
    ("overspent categories", "2026-05", ("cover", "2026-05"), ("Fun", "overspent", 1.5)),
    ("targets short", "2026-06", ("plan", "2026-06"), ("Fun", "target", 5.0)),
    ("targets short", "2026-07", ("plan", "2026-07"), ("Fun", "target", 3.0)),
    ("money not assigned", "2026-05", ("plan", "2026-06"), ("Fun", "target", 5.0)),
    ("money not assigned", "2026-07", ("plan", "2026-07"), ("Fun", "target", 3.0)),
])  # fmt: skip
def test_the_changes_of_a_step_are_those_of_cover_or_plan(
    step: str, month: str, call: tuple[str, str], expected: tuple[Any, ...]
) -> None:
    target = {"goal_type": "NEED", "goal_target": 5000, "goal_under_funded": 5000}
    plan: Json = {"2026-05 Fun": {"balance": -1500}, "2026-06 Fun": {"balance": -2000, **target}}
    plan["2026-07 Fun"] = {**target, "goal_under_funded": 3000}
    bf = budget(plan=plan, to_assign={f"2026-0{number}": 7000 for number in (5, 6, 7)})
    frame = bf.checklist(month).changes(step).frame
    found = frame[["date", "category_name", "rule", "got"]].itertuples(index=False, name=None)
    assert list(found) == [(pd.Timestamp(call[1]), *expected)]
    pd.testing.assert_frame_equal(frame, getattr(bf, call[0])(call[1]).frame)


@pytest.mark.parametrize(("case", "step", "message"), [
    ("probably twice, imported and entered", "not approved",
     "step='not approved' is not to do in 2026-05; to do: probably twice, uncleared"),
    ("never reconciled", "not reconciled",
     ("no change is prepared for the step 'not reconciled': bf.transactions().query(\"date <="
      " '2026-05-31' and cleared == 'cleared' and account_name in ['Savings']\")")),
    ("two cards, one of them since the month before", "cards not covered",
     ("no change is prepared for the step 'cards not covered':"
      " bf.reports.cards(since='2026-04', until='2026-05')")),
])  # fmt: skip
def test_a_step_without_changes_is_an_error(case: str, step: str, message: str) -> None:
    with pytest.raises(ToolError) as caught:
        CASES[case][0]().checklist().changes(step)
    assert str(caught.value) == message


def test_a_split_that_was_deleted_elsewhere_is_no_difference() -> None:
    sandbox = small_sandbox()
    bf = connect(sandbox, ttl=0)
    split = bf.transactions().query("is_split")["transaction_id"].iloc[0]
    for _ in range(2):
        assert "reconciliation difference" not in set(bf.checklist("current").frame["step"])
        sandbox.device.delete_transaction(split)
        split = bf.transactions().query("is_split")["transaction_id"].iloc[0]


def test_a_file_of_the_app_says_what_it_does_not_state(tmp_path: Path) -> None:
    bf, _ = opened(tmp_path)
    with pytest.warns(RuntimeWarning, match="checklist: the file does not state approvals, types"):
        found = bf.checklist("2026-01").frame["step"].tolist()
    assert found == ["without a category", "not reconciled", "overspent categories"]


def test_the_async_checklist_has_the_same_steps() -> None:
    _, bf = connected()

    async def approve() -> int:
        checklist = await bf.aio.checklist("current")
        assert repr(checklist).startswith("AsyncChecklist: 2026-06, ")
        assert len(checklist) == len(checklist.frame)
        return (await (await checklist.changes("not approved")).apply()).counts["done"]

    assert asyncio.run(approve()) == 3
    assert isinstance(bf.checklist(), Checklist)
