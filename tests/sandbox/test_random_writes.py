"""Random writes by a client and a second device; the books must balance after each one."""

import asyncio
from datetime import timedelta
from typing import Any, TypeVar

import httpx
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from budgetframe.sandbox import NewPart, Sandbox
from tests.sandbox.audit import check_books

T = TypeVar("T")
Json = dict[str, Any]

amounts = st.integers(-300_000, 300_000)
days = st.integers(0, 700)
picks = st.integers(0, 10_000)
spellings = st.sampled_from(["budgets", "plans"])
texts = st.sampled_from([None, "", "Laden", "花屋", "x" * 200])
KINDS = ("checking", "savings", "cash", "creditCard", "otherAsset", "otherLiability")
FREQUENCIES = ("never", "daily", "weekly", "monthly", "yearly")


def pick(rows: list[T], number: int) -> T:
    return rows[number % len(rows)]


class Writers(RuleBasedStateMachine):
    """A client and a second device write to the same budget."""

    @initialize(seed=st.integers(0, 3))
    def start(self, seed: int) -> None:
        self.sandbox = Sandbox(seed=seed, years=1, budgets=1, limit=10**9)
        self.device = self.sandbox.device
        self.runner = asyncio.Runner()
        self.http = httpx.AsyncClient(
            transport=self.sandbox.transport(),
            base_url=self.sandbox.base_url,
            headers={"Authorization": f"Bearer {self.sandbox.token}"},
        )

    def teardown(self) -> None:
        self.runner.run(self.http.aclose())
        self.runner.close()

    @invariant()
    def books_balance(self) -> None:
        check_books(self.sandbox)

    # -- rows of the budget --------------------------------------------------------------------

    @property
    def budget(self) -> Any:
        return self.device.state()

    def ids(self, table: str) -> list[str]:
        return [row.id for row in getattr(self.budget, table).live()]

    def payee_of(self, one: int) -> str | None:
        return pick([None, *self.ids("payees")], one)

    def category_of(self, one: int) -> str | None:
        return pick([None, *self.ids("categories")], one)

    def ordinary_categories(self) -> list[Any]:
        return [
            row
            for row in self.budget.categories.live()
            if not row.internal and row.payment_account_id is None
        ]

    def send(self, method: str, path: str, body: Json | None, spelling: str = "budgets") -> Json:
        """Send one request: it is one write, or it is refused and changes nothing."""
        before = self.budget.knowledge
        url = f"/{spelling}/last-used/{path}"
        response = self.runner.run(self.http.request(method, url, json=body))
        content: Json = response.json()
        if response.status_code in {200, 201}:
            assert self.budget.knowledge - before in {0, 1}
        else:
            assert response.status_code in {400, 404, 409}, response.text
            assert self.budget.knowledge == before
        return content

    def row(self, amount: int, age: int, one: int, two: int) -> Json:
        return {
            "account_id": pick(self.ids("accounts"), two),
            "date": (self.sandbox.today - timedelta(days=age)).isoformat(),
            "amount": amount,
            "payee_id": self.payee_of(one),
            "category_id": self.category_of(two),
            "cleared": ("cleared", "uncleared", "reconciled")[one % 3],
            "approved": one % 2 == 0,
        }

    def parts(self, amount: int, one: int, two: int) -> list[Json]:
        return [
            {"amount": amount - 1_000, "category_id": self.category_of(one)},
            {"amount": 1_000, "payee_id": self.payee_of(two), "category_id": self.category_of(two)},
        ]

    # -- transactions over HTTP ----------------------------------------------------------------

    @rule(amount=amounts, age=days, one=picks, two=picks, name=texts)
    def post(self, amount: int, age: int, one: int, two: int, name: str | None) -> None:
        row = self.row(amount, age, one, two) | {"payee_name": name}
        spelling = ("budgets", "plans")[one % 2]
        self.send("POST", "transactions", {"transaction": row}, spelling)

    @rule(amount=amounts, age=days, one=picks, two=picks, off=st.sampled_from([0, 0, 0, 1]))
    def post_split(self, amount: int, age: int, one: int, two: int, off: int) -> None:
        row = self.row(amount + off, age, one, two)
        row["subtransactions"] = self.parts(amount, one, two)
        self.send("POST", "transactions", {"transaction": row})

    @rule(amount=amounts, age=days, one=picks, two=picks)
    def post_many(self, amount: int, age: int, one: int, two: int) -> None:
        first, second = self.row(amount, age, one, two), self.row(amount, age, two, one)
        rows = [first, second | {"import_id": f"id {one % 9}"}, first | {"import_id": "same"}]
        self.send("POST", "transactions", {"transactions": rows})

    @rule(amount=amounts, age=days, one=picks, two=picks, some=st.sets(st.integers(0, 6)))
    def put(self, amount: int, age: int, one: int, two: int, some: set[int]) -> None:
        every = list(self.row(amount, age, one, two).items())
        change: Json = dict(item for index, item in enumerate(every) if index in some)
        if 6 in some and "amount" in change:
            change["subtransactions"] = self.parts(amount, one, two)
        path = f"transactions/{pick(self.ids('transactions'), one * two)}"
        self.send("PUT", path, {"transaction": change})

    @rule(amount=amounts, one=picks, two=picks)
    def patch(self, amount: int, one: int, two: int) -> None:
        key = pick(self.ids("transactions"), one)
        rows = [
            {"id": key, "amount": amount, "payee_id": self.payee_of(two)},
            {"id": key, "category_id": self.category_of(one)},
            {"import_id": "same", "account_id": pick(self.ids("accounts"), two)},
        ]
        self.send("PATCH", "transactions", {"transactions": rows[: 1 + one % 3]})

    @rule(one=picks)
    def delete(self, one: int) -> None:
        self.send("DELETE", f"transactions/{pick(self.ids('transactions'), one)}", None)

    @rule(amount=amounts, one=picks, two=picks)
    def import_bank_rows(self, amount: int, one: int, two: int) -> None:
        account_id = pick(self.ids("accounts"), one)
        day = self.sandbox.today - timedelta(days=two % 20)
        self.device.add_bank_row(account_id=account_id, date=day, amount=amount, payee_name="Laden")
        self.send("POST", "transactions/import", None)

    # -- other rows over HTTP ------------------------------------------------------------------

    @rule(amount=amounts, kind=st.sampled_from(KINDS), spelling=spellings)
    def post_account(self, amount: int, kind: str, spelling: str) -> None:
        account = {"name": f"Neu {kind}", "type": kind, "balance": amount}
        self.send("POST", "accounts", {"account": account}, spelling)

    @rule(one=picks, name=texts)
    def patch_payee(self, one: int, name: str | None) -> None:
        self.send("POST", "payees", {"payee": {"name": name}})
        self.send("PATCH", f"payees/{pick(self.ids('payees'), one)}", {"payee": {"name": name}})

    @rule(one=picks, two=picks, amount=amounts, name=texts)
    def write_category(self, one: int, two: int, amount: int, name: str | None) -> None:
        group_id = pick(self.ids("groups"), one)
        category = {"name": name, "category_group_id": group_id, "goal_target": amount}
        self.send("POST", "categories", {"category": category})
        self.send(
            "PATCH", f"categories/{pick(self.ids('categories'), two)}", {"category": category}
        )

    @rule(one=picks, two=picks, amount=amounts, spelling=spellings)
    def assign(self, one: int, two: int, amount: int, spelling: str) -> None:
        number = self.budget.current_month - 14 + two % 20
        path = f"months/{number // 12}-{number % 12 + 1:02d}-01/categories/"
        path += pick(self.ids("categories"), one)
        self.send("PATCH", path, {"category": {"budgeted": amount}}, spelling)

    @rule(amount=amounts, one=picks, two=picks, frequency=st.sampled_from(FREQUENCIES))
    def post_schedule(self, amount: int, one: int, two: int, frequency: str) -> None:
        row = self.row(amount, -1 - two % 40, one, two) | {"frequency": frequency}
        self.send("POST", "scheduled_transactions", {"scheduled_transaction": row})

    @rule(amount=amounts, one=picks, two=picks)
    def change_schedule(self, amount: int, one: int, two: int) -> None:
        for key in self.ids("scheduled")[one % 5 : one % 5 + 1]:
            path = f"scheduled_transactions/{key}"
            change = {"amount": amount, "payee_id": self.payee_of(two)}
            self.send("PUT", path, {"scheduled_transaction": change})
            if two % 3 == 0:
                self.send("DELETE", path, None)

    # -- second device and time ----------------------------------------------------------------

    @rule(amount=amounts, age=days, one=picks, two=picks)
    def split_on_the_device(self, amount: int, age: int, one: int, two: int) -> None:
        parts = [
            NewPart(amount=amount - 1_000, payee_id=self.payee_of(one)),
            NewPart(amount=1_000, payee_id=self.payee_of(two)),
        ]
        account_id = pick(self.ids("accounts"), one)
        day = self.sandbox.today - timedelta(days=age)
        self.device.add_transaction(account_id=account_id, date=day, amount=amount, parts=parts)

    @rule(one=picks, two=picks)
    def edit_on_the_device(self, one: int, two: int) -> None:
        self.device.edit_transaction(
            pick(self.ids("transactions"), one * two),
            payee_id=self.payee_of(two),
            account_id=pick(self.ids("accounts"), one),
            category_id=self.category_of(one),
        )

    @rule(amount=amounts, one=picks, two=picks)
    def move_on_the_device(self, amount: int, one: int, two: int) -> None:
        categories = self.ordinary_categories()
        source, target = pick(categories, one), pick(categories, two)
        with self.device.edit() as editor:
            editor.categories.move_money(source, target, editor.budget.current_month, amount)
            editor.categories.edit(source, group_id=pick(self.ids("groups"), two))

    @rule(one=picks, two=picks)
    def delete_category_on_the_device(self, one: int, two: int) -> None:
        categories = self.ordinary_categories()
        source, target = pick(categories, one), pick(categories, two)
        if source != target:
            self.device.delete_category(source.id, target.id)

    @rule(one=picks)
    def wait(self, one: int) -> None:
        self.sandbox.advance(one % 40)


# A run has many steps and checks the books after each: fewer runs than other random tests need.
Writers.TestCase.settings = settings(
    max_examples=settings().max_examples // 6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
test_the_books_balance_after_any_write = Writers.TestCase
