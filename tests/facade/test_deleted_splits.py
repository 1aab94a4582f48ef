"""After a split was deleted, the service still counts its parts; the reconciliation knows why."""

from datetime import date
from pathlib import Path

import pytest

from budgetframe import BudgetFrame
from budgetframe.sandbox import NewPart, Sandbox
from tests.facade.service import Changing

REASON = (
    "deleted split: the service leaves its amounts in the activity until another transaction of the"
    " category is written"
)


class Home(Changing):
    """A connection, and a device that deletes splits."""

    def split(self, amount: int = -10_000) -> str:
        """Add a split in May, a third of which is Groceries; return its key."""
        groceries, fuel = self.groceries, self.ids.category("Car", "Fuel")
        parts = [
            NewPart(amount=amount, category_id=groceries),
            NewPart(amount=2 * amount, category_id=fuel),
        ]
        return self.add(3 * amount, date=date(2026, 5, 20), parts=parts)

    @property
    def groceries(self) -> str:
        return self.ids.category("Everyday", "Groceries")


@pytest.fixture
def home() -> Home:
    return Home()


def test_the_difference_of_a_deleted_split_is_explained(home: Home) -> None:
    split = home.split()
    home.bf.transactions()
    home.device.delete_transaction(split)
    before, found = home.served, home.bf.reconcile()
    assert home.served == before + 2
    assert found.ok
    rows = found[found["difference_milliunits"] != 0]
    rows = rows[rows["reason"] == REASON]
    assert [*zip(rows["category_name"], rows["month"].dt.strftime("%Y-%m"), strict=True)] == [
        ("Fuel", "2026-05"), ("Groceries", "2026-05"),
    ]  # fmt: skip
    assert rows["difference_milliunits"].tolist() == [20_000, 10_000]
    assert rows["unexplained_milliunits"].tolist() == [0, 0]
    assert "; 2 deleted split rows differ as expected" in found.summary


def test_verified_reads_do_not_warn_of_a_deleted_split(home: Home) -> None:
    split, bf = home.split(), BudgetFrame.sandbox(home.service, verify=True, ttl=0)
    bf.transactions()
    home.device.delete_transaction(split)
    for _ in range(2):
        before = home.service.requests_served
        assert split not in bf.transactions()["transaction_id"].tolist()
        assert home.service.requests_served == before + 2


def test_a_deletion_by_this_connection_is_explained(home: Home) -> None:
    split = home.split()
    home.bf.transactions()
    home.bf.delete_transactions([split])
    assert home.bf.reconcile().summary.endswith("2 deleted split rows differ as expected")


def test_a_split_that_was_made_and_deleted_between_two_reads_is_explained(home: Home) -> None:
    home.bf.transactions()
    home.device.delete_transaction(home.split())
    assert home.bf.reconcile().ok


def test_a_write_removes_earlier_splits_and_a_later_one_stays(home: Home) -> None:
    home.bf.transactions()
    home.device.delete_transaction(home.split(-10_000))
    assert home.bf.reconcile().ok
    home.add(-1_000, category_id=home.groceries)  # removes what the first split has left
    assert home.bf.reconcile().ok
    home.device.delete_transaction(home.split(-4_000))
    found = home.bf.reconcile()
    assert found.ok
    left = found[(found["reason"] == REASON) & (found["category_name"] == "Groceries")]
    assert left["difference_milliunits"].tolist() == [4_000]


def test_the_order_of_the_deletions_of_a_delta_does_not_matter(home: Home) -> None:
    splits = [home.split(-10_000), home.split(-4_000)]
    for first in (0, 1):
        home.bf.transactions()
        home.device.delete_transaction(splits[first])
        home.add(-1_000, category_id=home.groceries)  # removes what this split has left there
        home.device.delete_transaction(splits[1 - first])
        assert home.bf.reconcile().ok
        splits = [home.split(-20_000), home.split(-7_000)]


def test_a_split_that_was_moved_and_then_deleted_is_explained(home: Home) -> None:
    split = home.split()
    home.bf.transactions()
    home.device.edit_transaction(split, date=date(2026, 4, 20))
    home.device.delete_transaction(split)
    found = home.bf.reconcile()
    months = found[found["reason"] == REASON]["month"].dt.strftime("%Y-%m").unique().tolist()
    assert (found.ok, months) == (True, ["2026-04"])


def test_two_splits_explain_their_sum(home: Home) -> None:
    splits = [home.split(-10_000), home.split(-4_000)]
    home.bf.transactions()
    for split in splits:
        home.device.delete_transaction(split)
    found = home.bf.reconcile()
    assert found.ok
    left = found[(found["reason"] == REASON) & (found["category_name"] == "Groceries")]
    assert left["difference_milliunits"].tolist() == [14_000]


def test_another_difference_of_the_category_is_not_explained(home: Home) -> None:
    split = home.split()
    home.bf.transactions()
    home.device.delete_transaction(split)
    home.device.state().category_months[home.groceries][2026 * 12 + 4].activity += 1
    with pytest.warns(RuntimeWarning, match="Groceries 2026-05 by .* they still do not agree"):
        found = home.bf.reconcile()
    assert not found.ok
    assert found[found["reason"] == REASON]["category_name"].tolist() == ["Fuel"]


def test_the_rows_of_tracking_accounts_explain_nothing(home: Home) -> None:
    account = home.ids.account("Car Loan")
    parts = [NewPart(amount=-1_000), NewPart(amount=-2_000)]
    split = home.add(-3_000, account_id=account, parts=parts)
    home.bf.transactions()
    home.device.delete_transaction(split)
    assert REASON not in home.bf.reconcile()["reason"].tolist()


def test_without_the_deletion_the_transactions_are_reloaded_once(home: Home) -> None:
    home.device.delete_transaction(home.split())
    with pytest.warns(RuntimeWarning, match="and they still do not agree"):
        found = home.bf.reconcile()
    assert found.summary.startswith("2 of ")
    assert found.summary.endswith(
        "rows differ: Fuel 2026-05 by 20,00 €, Groceries 2026-05 by 10,00 €"
    )
    before = home.served
    home.device.assign(home.groceries, date(2030, 1, 1), 1_000)  # more rows that agree
    with pytest.warns(RuntimeWarning, match="figures still differ"):
        home.bf.reconcile()
    assert home.served == before + 2
    home.add(-1_000, category_id=home.groceries)  # one of the differences ends
    with pytest.warns(RuntimeWarning, match="figures still differ"):
        home.bf.reconcile()
    assert home.served == before + 4


def test_a_cache_file_remembers_the_deletion(tmp_path: Path) -> None:
    service, home = Sandbox(limit=1_000, years=1, budgets=1), Home()
    home.service, home.device = service, service.device
    split = home.split()
    with BudgetFrame.sandbox(service, cache_dir=tmp_path) as bf:
        bf.transactions()
    service.device.delete_transaction(split)
    with BudgetFrame.sandbox(service, cache_dir=tmp_path) as bf:
        assert bf.reconcile().ok
    with BudgetFrame.sandbox(service, cache_dir=tmp_path) as bf:
        assert bf.reconcile().summary.endswith("2 deleted split rows differ as expected")


def test_the_list_of_deleted_splits_is_in_no_answer_for_the_user(home: Home) -> None:
    split = home.split()
    home.bf.transactions()
    home.device.delete_transaction(split)
    home.bf.transactions()
    home.bf.reconcile()
    cache, key = home.client.cache, f"{home.device.state().id}:transactions"
    assert cache is not None
    params = {"since_date": "1900-01-01"}
    stored = cache.answers.find_list(key, (("since_date", "1900-01-01"),))
    assert stored is not None
    assert [row["id"] for row in stored.data["deleted_splits"]] == [split]
    held = cache.get_data(key, params=params)
    assert held is not None
    assert [*held] == ["transactions"]
