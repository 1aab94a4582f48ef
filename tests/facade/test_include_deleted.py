"""Deleted rows on request: each once, marked, and as current as the other rows."""

from datetime import date
from typing import Any

import httpx
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame
from budgetframe.sandbox import NewPart, Sandbox
from tests.facade.service import Changing, ServiceWithFacade, data, one_budget, read_only, scripted


def read(bf: BudgetFrame, name: str, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = getattr(bf, name)(**options)
    return frame


def deleted(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["deleted"]]


DELETED: dict[str, tuple[str, list[object]]] = {
    "accounts": ("account_name", ["Gift Card"]), "categories": ("category_name", ["Band"]),
    "category_groups": ("category_group_name", ["Wedding"]),
    "payees": ("payee_name", ["Fernlin", "Transfer : Gift Card"]),
    "transactions": ("amount", [-34.9, -25.0, 25.0]), "subtransactions": ("amount", []),
    "scheduled_transactions": ("amount", [-60.0]), "scheduled_subtransactions": ("amount", []),
}  # fmt: skip


def test_the_last_column_marks_deleted_rows_and_others_are_equal(subtests: pytest.Subtests) -> None:
    bf = read_only()
    for name, (column, values) in DELETED.items():
        with subtests.test(name=name):
            without, found = read(bf, name), read(bf, name, include_deleted=True)
            assert list(found.columns) == [*without.columns, "deleted"]
            assert found["deleted"].dtype == bool
            assert sorted(deleted(found)[column]) == values
            assert found.index.equals(pd.RangeIndex(len(without) + len(values)))
            rest = found[~found["deleted"]].drop(columns="deleted").reset_index(drop=True)
            assert_frame_equal(rest, without)


@pytest.mark.parametrize("name", DELETED)
def test_deleted_rows_cost_one_request_more_then_none(home: ServiceWithFacade, name: str) -> None:
    read(home.bf, name)
    served, first = home.served, read(home.bf, name, include_deleted=True)
    assert home.served == served + 1
    home.clock.advance(299.9)
    assert_frame_equal(read(home.bf, name, include_deleted=True), first)
    assert home.served == served + 1


def test_after_the_ttl_deleted_rows_cost_a_delta_and_all_changes(home: ServiceWithFacade) -> None:
    home.bf.transactions(include_deleted=True)
    knowledge = home.service.device.state().knowledge
    home.clock.advance(300.0)
    home.bf.transactions(include_deleted=True)
    since = {"since_date": "1900-01-01"}
    assert home.wire.queries[3:] == [
        {**since, "last_knowledge_of_server": str(knowledge)},
        {**since, "last_knowledge_of_server": "1"},
    ]


def test_deleted_transactions_and_parts_share_their_requests(home: ServiceWithFacade) -> None:
    home.bf.transactions(include_deleted=True)
    served = home.served
    home.bf.subtransactions(include_deleted=True)
    assert home.served == served


class Elsewhere(Changing):
    """A connection with rows that another device can delete."""

    def __init__(self) -> None:
        super().__init__()
        home = self.ids.group("Home")
        self.sport, self.music = (self.device.add_category(name, home) for name in "SM")
        parts = [NewPart(amount=-1_000, category_id=self.sport), NewPart(amount=-2_000)]
        self.split = self.add(parts=parts)
        self.transfer = self.add(-5_000, payee_id=self.ids.transfer_to("Savings"))
        self.schedule = self.device.schedule(
            account_id=self.ids.account("Checking"), date=date(2026, 7, 1), amount=-3_000,
            parts=parts,
        )  # fmt: skip

    def deletes(self, name: str) -> tuple[str, str, int]:
        """Delete an object; return its key column, its key and the number of its rows."""
        match name:
            case "transactions" | "subtransactions":
                self.device.delete_transaction(self.split)
                return "transaction_id", self.split, 1 if name == "transactions" else 2
            case "scheduled_transactions" | "scheduled_subtransactions":
                self.device.delete_scheduled(self.schedule)
                rows = 1 if name == "scheduled_transactions" else 2
                return "scheduled_transaction_id", self.schedule, rows
            case _:
                self.device.delete_category(self.sport, self.music)
                return "category_id", self.sport, 1


def test_a_row_deleted_on_another_device_appears_once(subtests: pytest.Subtests) -> None:
    for seconds in [0.0, 300.0]:
        for name in [
            "transactions", "subtransactions", "scheduled_transactions",
            "scheduled_subtransactions", "categories",
        ]:  # fmt: skip
            with subtests.test(seconds=seconds, name=name):
                other = Elsewhere()
                bf = other.bf
                read(bf, name)  # it may be cached already
                column, key, rows = other.deletes(name)
                other.clock.advance(seconds)
                found = read(bf, name, include_deleted=True)
                assert found.loc[found[column] == key, "deleted"].tolist() == [True] * rows


def test_a_row_deleted_after_the_read_of_the_changes_is_not_lost() -> None:
    other = Elsewhere()
    bf = other.bf
    bf.transactions()
    other.clock.advance(250.0)
    bf.transactions(include_deleted=True)
    column, key, _ = other.deletes("transactions")
    other.clock.advance(60.0)  # the list has expired, but its changes have not
    found = bf.transactions(include_deleted=True)
    assert found.loc[found[column] == key, "deleted"].tolist() == [True]


def test_both_sides_of_a_deleted_transfer_show() -> None:
    other = Elsewhere()
    other.device.delete_transaction(other.transfer)
    found = deleted(other.bf.transactions(include_deleted=True))
    sides = found[found["amount"].abs() == 5.0]
    assert sorted(sides["amount"]) == [-5.0, 5.0]
    assert set(sides["account_name"]) == {"Checking", "Savings"}


def test_categories_of_a_deleted_group_are_deleted_too() -> None:
    home = Changing()
    entries, bf = home.service.budgets[0], home.bf
    before, car = bf.categories(), home.ids.group("Car")
    entries.categories.edit_group(entries.budget.groups[car], deleted=True)
    home.clock.advance(300.0)
    groups, found = bf.category_groups(include_deleted=True), bf.categories(include_deleted=True)
    assert groups.loc[groups["category_group_id"] == car, "deleted"].tolist() == [True]
    names = before.loc[before["category_group_id"] == car, "category_name"]
    gone = found[found["category_group_id"] == car]
    assert sorted(gone["category_name"]) == sorted(names)
    assert gone["deleted"].all()


def test_a_frame_with_deleted_rows_has_the_time_of_its_older_answer() -> None:
    service = Sandbox(years=1, budgets=1)
    bf = BudgetFrame.sandbox(service, ttl=1_000_000.0)
    bf.transactions()
    service.advance(1)
    attrs = bf.transactions(include_deleted=True).attrs
    assert attrs["as_of"] == "2026-06-17T12:00:00+00:00"
    assert attrs["source"].endswith("/transactions")


def test_changes_that_lack_most_listed_rows_are_one_warning() -> None:
    rows = [{"id": key, "name": key, "deleted": False} for key in ("p1", "p2", "p3")]
    changed = rows[1:]  # the first row did not change since the first server knowledge

    def service(request: httpx.Request) -> httpx.Response:
        is_delta = "last_knowledge_of_server" in request.url.params
        deleted = {"id": "p0", "name": "p0", "deleted": True}
        return data({"payees": [*changed, deleted] if is_delta else rows, "server_knowledge": 9})

    assert len(scripted(one_budget(service)).payees(include_deleted=True)) == 4
    del changed[1]

    message = r"payees: .* lacks 2 of 3 listed rows \(first: 'p1'\).* do not rely on include"
    with pytest.warns(RuntimeWarning, match=message) as caught:
        found = scripted(one_budget(service)).payees(include_deleted=True)
    assert len(caught) == 1
    assert found["payee_id"].tolist() == ["p0", "p1", "p2", "p3"]
    assert found["deleted"].tolist() == [True, False, False, False]
