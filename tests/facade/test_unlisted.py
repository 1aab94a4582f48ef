"""Rows whose payee, account, category or group the service does not list any more.

Figures and names do not depend on the path of the data: single lists, the export, deltas of both,
and a restart with the cache file. ``BUDGETFRAME_PROGRAMS=500 pytest tests/facade/test_unlisted.py``
runs more random programs.
"""

import random
import warnings
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ServiceClient
from budgetframe.reports._shared.inputs import INPUTS
from budgetframe.sandbox import Sandbox
from tests.cache.computer import Machine
from tests.facade.service import BASE_URL, data
from tests.programs import programs

TTL = 300.0
CURSOR = "last_knowledge_of_server"

Json = dict[str, Any]
Frames = dict[str, pd.DataFrame]

FRAMES = (
    "accounts", "payees", "category_groups", "categories", "months", "transactions",
    "subtransactions", "scheduled_transactions", "scheduled_subtransactions", "ledger",
)  # fmt: skip
REPORTS: dict[str, Json] = {
    **{name: {} for name, taken in INPUTS.items() if {each.frame for each in taken} <= {*FRAMES}},
    "balances": {"freq": "year"}, "spending": {"by": "group", "freq": "month"},
    "forecast": {"days": 9},
}  # fmt: skip
ACCOUNTS = {
    "checking": ("checking", True), "savings": ("savings", True), "fund": ("otherAsset", False),
    "loan": ("autoLoan", False),
}  # fmt: skip
GROUPS = {
    "internal": ("Internal Master Category", {"ready": "Inflow: Ready to Assign"}),
    "daily": ("Daily", {"food": "Food", "fun": "Fun"}), "home": ("Home", {"rent": "Rent"}),
}  # fmt: skip
PAYEES = {
    "start": "Starting Balance", "market": "Market", "employer": "Employer",
    **{f"to {key}": f"Transfer : {key.title()}" for key in ACCOUNTS},
}  # fmt: skip
CATEGORIES = {key: name for _, names in GROUPS.values() for key, name in names.items()}
AMOUNTS = {"budgeted": 0, "activity": 0, "balance": 0}


class Budget:
    """A service with one budget of random rows; some of the names of the rows are not listed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.gone: set[str] = set()
        """Keys that no list has."""
        self.marked: set[str] = set()
        """Keys that the lists have as deleted."""
        self.knowledge = 1
        self.rows = []
        for key, (_, on_budget) in ACCOUNTS.items():
            names = {"account_id": key, "category_id": "ready" if on_budget else None}
            self.rows.append(self.row(f"s{key}", "2026-01-02", 50_000, payee_id="start", **names))
        for number in range(rng.randrange(25)):
            self.rows += self.random_rows(number)
        self.scheduled = [
            {**self.rows[0], "id": "next", "date_first": "2026-01-02", "date_next": "2026-12-01"}
            | {"frequency": "monthly", "payee_id": rng.choice([*PAYEES])}
        ]

    def row(self, key: str, day: str, amount: int, **names: Any) -> Json:
        state = {"cleared": "cleared", "approved": True, "subtransactions": []}
        keys = dict.fromkeys(["payee_id", "category_id"])
        return {"id": key, "date": day, "amount": amount, **keys, **state, **names}

    def random_rows(self, number: int) -> list[Json]:
        rng, key = self.rng, f"t{number:03}"
        day = f"2026-{rng.randrange(1, 11):02}-{rng.randrange(1, 29):02}"
        amount, account = rng.randrange(-90_000, 90_000, 10), rng.choice([*ACCOUNTS])
        category, kind = rng.choice([None, *CATEGORIES]), rng.randrange(4)
        if kind == 0:
            other = rng.choice([each for each in ACCOUNTS if each != account])
            return [
                self.row(f"{key}-{at}", day, n, account_id=at, payee_id=f"to {to}")
                | {"transfer_account_id": to}
                for at, to, n in ((account, other, amount), (other, account, -amount))
            ]
        if kind == 1:
            parts = [
                {"id": f"{key}-{n}", "transaction_id": key, "amount": each, "category_id": label}
                | {"payee_id": rng.choice([None, *PAYEES])}
                for n, (each, label) in enumerate([(10, category), (amount - 10, "food")])
            ]
            return [self.row(key, day, amount, account_id=account, subtransactions=parts)]
        payee = rng.choice(["start", "market", "employer", None])
        names = {"account_id": account, "payee_id": payee, "category_id": category}
        return [self.row(key, day, amount, **names)]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        if name == "budgets":
            return data({"budgets": [{"id": "b1", "name": "Home"}]})
        is_delta = CURSOR in request.url.params
        answer = self.lists(is_delta=is_delta)
        if name == "b1":
            content: Json = {"budget": {"id": "b1", "name": "Home", **self.export(answer)}}
        else:
            key = name.replace("categories", "category_groups")
            content = {key: answer[key]}
        return data({**content, "server_knowledge": self.knowledge})

    def listed(self, rows: list[Json], *, is_delta: bool) -> list[Json]:
        """The rows; a delta has those that are gone as deleted."""
        gone = set() if is_delta else self.gone
        deleted = self.marked | self.gone
        return [{**row, "deleted": row["id"] in deleted} for row in rows if row["id"] not in gone]

    def lists(self, *, is_delta: bool) -> dict[str, list[Json]]:
        sums: dict[str, int] = dict.fromkeys(ACCOUNTS, 0)
        for row in self.rows:
            sums[row["account_id"]] += row["amount"]
        accounts = [
            {"id": key, "name": key.title(), "type": kind, "on_budget": on_budget, "closed": False}
            | {"balance": sums[key], "cleared_balance": sums[key], "uncleared_balance": 0}
            for key, (kind, on_budget) in ACCOUNTS.items()
        ]
        groups: list[Json] = [
            {
                "id": key, "name": name, "hidden": False,
                "categories": [
                    {"id": each, "name": label, "category_group_id": key, "hidden": False} | AMOUNTS
                    for each, label in categories.items()
                ],
            }
            for key, (name, categories) in GROUPS.items()
        ]  # fmt: skip
        groups = self.listed(groups, is_delta=is_delta)
        for group in groups:
            group["categories"] = self.listed(group["categories"], is_delta=is_delta)
            if group["deleted"]:
                group["categories"] = [{**each, "deleted": True} for each in group["categories"]]
        payees = [{"id": key, "name": name} for key, name in PAYEES.items()]
        month = {"month": "2026-05-01", **AMOUNTS, "income": 0, "to_be_budgeted": 0}
        return {
            "accounts": self.listed(accounts, is_delta=is_delta),
            "payees": self.listed(payees, is_delta=is_delta), "payee_locations": [],
            "category_groups": groups, "months": [month],
            "transactions": [self.named(row) for row in self.rows],
            "scheduled_transactions": [self.named(row) for row in self.scheduled],
        }  # fmt: skip

    def named(self, row: Json) -> Json:
        """A row of a single list, which has names."""
        names = {
            "payee_name": PAYEES.get(row["payee_id"]),
            "category_name": CATEGORIES.get(row["category_id"]),
        }
        if "account_id" in row:
            names["account_name"] = row["account_id"].title()
        parts = [self.named(each) for each in row.get("subtransactions", ())]
        if parts:
            names["category_name"] = "Split"
        return {**row, **names, "subtransactions": parts} if "account_id" in row else row | names

    def export(self, lists: dict[str, list[Json]]) -> Json:
        """The lists without names in the rows; a category stays if its group alone is gone."""
        every = self.all_categories(lists)
        flat = {name: deepcopy(rows) for name, rows in lists.items()}
        for group in flat["category_groups"]:
            del group["categories"]
        for name, parts in (
            ("transactions", "subtransactions"),
            ("scheduled_transactions", "scheduled_subtransactions"),
        ):
            flat[parts] = [part for row in flat[name] for part in row.pop("subtransactions")]
            for row in (*flat[name], *flat[parts]):
                for entity in ("account", "payee", "category"):
                    row.pop(f"{entity}_name", None)
        months = [{**month, "categories": every} for month in flat["months"]]
        return {**flat, "categories": every, "months": months}

    def all_categories(self, lists: dict[str, list[Json]]) -> list[Json]:
        listed = {group["id"]: group for group in lists["category_groups"]}
        found = []
        for key, (_, categories) in GROUPS.items():
            group = listed.get(key)
            if group is not None and key not in self.gone:
                found += group["categories"]
            else:
                rows = [{"id": each, "name": name} for each, name in categories.items()]
                found += [
                    {**row, "category_group_id": key, "hidden": False, "deleted": False} | AMOUNTS
                    for row in [row for row in rows if row["id"] not in self.gone]
                ]
        return deepcopy(found)


def connection(service: Any, machine: Machine) -> BudgetFrame:
    kernel = machine.kernel(threshold=10**6)
    http = httpx.AsyncClient(transport=httpx.MockTransport(service), base_url=BASE_URL)
    return BudgetFrame(ServiceClient(http, kernel.limiter, kernel.cache), ttl=TTL, progress=False)


def shown_by(bf: BudgetFrame, reports: list[str]) -> dict[str, pd.DataFrame]:
    """Every frame, and some reports."""
    found = {name: getattr(bf, name)() for name in FRAMES}
    return found | {  # `payees` is a frame and a report
        f"reports.{name}": getattr(bf.reports, name)(**REPORTS[name]) for name in reports
    }


def difference(found: pd.DataFrame, expected: pd.DataFrame) -> str:
    """What differs between two frames; empty if nothing does."""
    if found.equals(expected) and found.dtypes.equals(expected.dtypes):
        return ""
    try:  # it says what differs, and is slow
        assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected))
    except AssertionError as error:
        return str(error)
    return ""


def run_program(seed: int, folder: Path) -> Iterator[tuple[str, Frames, Frames]]:
    """The paths of the data, with the frames that each shows and those of single lists."""
    rng = random.Random(seed)  # noqa: S311 - for tests
    service, keys = Budget(rng), [*ACCOUNTS, *GROUPS, *CATEGORIES, *PAYEES]
    late = connection(service, machine := Machine(folder / "late"))
    before = rng.choice(["export", "ledger", "both"])
    if before != "ledger":
        late.export()
    if before != "export":
        late.ledger()
    service.gone = {each for each in keys if rng.random() < 0.15}
    service.marked = {each for each in keys if rng.random() < 0.1}
    service.knowledge = 2
    reports = rng.sample([*REPORTS], 2)
    expected = shown_by(connection(service, lists := Machine(folder / "lists")), reports)
    exported = connection(service, export := Machine(folder / "export"))
    frames = exported.export()
    yield "export", frames, {name: expected[name] for name in FRAMES if name in frames}
    yield "after an export", shown_by(exported, reports), expected
    machine.pass_time(TTL)
    yield f"deltas of {before}", shown_by(late, reports), expected
    path, known = rng.choice([("lists", lists), ("export", export)])
    yield f"restart after {path}", shown_by(connection(service, known), reports), expected


@pytest.mark.parametrize("seed", programs(2))
def test_frames_and_reports_do_not_depend_on_the_path_of_the_data(
    seed: int, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of accounts that are not listed
        for path, found, expected in run_program(seed, tmp_path):
            for name, frame in expected.items():
                with subtests.test(path=path, name=name):
                    assert difference(found[name], frame) == ""


def without_the_payee_of_starting_balances() -> Sandbox:
    service = Sandbox()
    with service.device.edit() as editor:
        payees = editor.budget.payees
        start = next(each for each in payees.live() if each.name == "Starting Balance")
        start.deleted = True
        payees.put(start, editor.budget.knowledge)
    return service


def test_starting_balances_of_an_unlisted_payee_are_no_income(subtests: pytest.Subtests) -> None:
    service = without_the_payee_of_starting_balances()
    for name in ("ledger", "export"):
        with subtests.test(name=name), BudgetFrame.sandbox(service, progress=False) as bf:
            getattr(bf, name)()
            found = bf.reports.income_expense(freq="all")
            assert found["income"].tolist() == [131_738.16]
            assert found["starting_balances"].tolist() == [9325.57]


def test_an_export_reads_the_lists_that_it_has_no_names_for() -> None:
    with BudgetFrame.sandbox(without_the_payee_of_starting_balances(), progress=False) as bf:
        bf.export()
        assert bf.requests.by_resource == {"budgets": 1, "export": 1, "transactions": 1}
        bf.export()
        bf.transactions()
        assert bf.requests.used == 3
