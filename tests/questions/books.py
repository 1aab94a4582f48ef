"""The rows of the embedded service, read without the package: plain Python and integers."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import Json, get


class Leaf(NamedTuple):
    """A transaction that is not split, or one part of a split; the amount is in milliunits."""

    id: str
    date: str
    amount: int
    account: str
    on_budget: bool
    payee: str | None
    category: str | None
    group: str | None
    memo: str | None
    is_transfer: bool
    is_within_budget: bool
    is_part: bool
    is_approved: bool


class Books:
    """All lists of one budget of a service, as its answers state them."""

    def __init__(self, service: Sandbox, budget: str = "Household") -> None:
        self.service = service
        self.path = path = f"/budgets/{service.device.state(budget).id}"
        lists = {
            name: get(service, f"{path}/{name}", since_date="1900-01-01")
            for name in ("accounts", "categories", "months", "transactions")
        }
        self.accounts: list[Json] = lists["accounts"]["accounts"]
        self.months: list[Json] = lists["months"]["months"]
        self.transactions: list[Json] = lists["transactions"]["transactions"]
        self.scheduled: list[Json] = get(service, f"{path}/scheduled_transactions")[
            "scheduled_transactions"
        ]
        self.categories: list[Json] = [
            category | {"group": group["name"]}
            for group in lists["categories"]["category_groups"]
            for category in group["categories"]
        ]
        self.leaves = list(self._leaves())

    def spending(self, first: str, last: str, category: str | None = None) -> list[Leaf]:
        """The spending of a period: rows on budget that have a category, except income."""
        return [
            leaf
            for leaf in self.leaves
            if first <= leaf.date <= last
            and leaf.on_budget
            and leaf.category is not None
            and category in (None, leaf.category)
            and leaf.group != "Internal Master Category"
            and not leaf.is_within_budget
        ]

    def income(self, first: str, last: str) -> list[Leaf]:
        """The income of a period, without starting balances."""
        return [
            leaf
            for leaf in self.leaves
            if first <= leaf.date <= last
            and leaf.on_budget
            and leaf.category == "Inflow: Ready to Assign"
            and leaf.payee != "Starting Balance"
        ]

    def uncategorized(self, first: str, last: str) -> list[Leaf]:
        """The rows on budget that need a category but have none."""
        return [
            leaf
            for leaf in self.leaves
            if first <= leaf.date <= last
            and leaf.on_budget
            and leaf.category in (None, "Uncategorized")
            and not leaf.is_within_budget
            and leaf.payee != "Starting Balance"
        ]

    def plan(self, month: str) -> list[Json]:
        """The categories of a month, each with its group, as the service states them."""
        groups = {category["id"]: category["group"] for category in self.categories}
        found = get(self.service, f"{self.path}/months/{month}")["month"]["categories"]
        return [category | {"group": groups[category["id"]]} for category in found]

    def assigned(self, first: str, last: str) -> dict[str, float]:
        """The assigned amounts of the months, by group and category."""
        totals: Counter[str] = Counter()
        for month in (each["month"] for each in self.months):
            for category in self.plan(month) if first <= month[:7] <= last else ():
                if category["group"] not in ("Internal Master Category", "Credit Card Payments"):
                    totals[f"{category['group']}: {category['name']}"] += category["budgeted"]
        return {name: total / 1000 for name, total in totals.items()}

    def _leaves(self) -> Iterable[Leaf]:
        accounts = {account["id"]: account for account in self.accounts}
        categories = {category["id"]: category for category in self.categories}
        for whole in self.transactions:
            account = accounts[whole["account_id"]]
            for row in whole["subtransactions"] or [whole]:
                target = accounts.get(row["transfer_account_id"])
                category = categories.get(row["category_id"], {})
                yield Leaf(
                    id=row["id"], date=whole["date"], amount=row["amount"], account=account["name"],
                    on_budget=account["on_budget"], payee=row["payee_name"] or whole["payee_name"],
                    category=category.get("name"), group=category.get("group"),
                    memo=row["memo"] or whole["memo"], is_transfer=target is not None,
                    is_within_budget=target is not None and target["on_budget"],
                    is_part=row is not whole, is_approved=whole["approved"],
                )  # fmt: skip


def sums(leaves: Iterable[Leaf], key: Callable[[Leaf], str | None]) -> dict[str | None, float]:
    """The amounts in currency units by a key of the leaves, outflow positive."""
    totals: Counter[str | None] = Counter()
    for leaf in leaves:
        totals[key(leaf)] -= leaf.amount
    return {name: total / 1000 for name, total in totals.items()}
