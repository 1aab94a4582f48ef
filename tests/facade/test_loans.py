"""Loans through a connection: their terms, the reports, and the comparison with the service."""

from datetime import date
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame
from budgetframe.frames import ledger, milliunits
from budgetframe.frames.reconciliation import LOAN_COSTS
from budgetframe.reports import balances
from budgetframe.reports.reconciliation import reconcile
from budgetframe.sandbox import Sandbox
from budgetframe.sandbox.state.editor import BudgetEditor
from tests.facade.service import data, one_budget, read_only, scripted
from tests.frames.columns import Json
from tests.sandbox.audit import check_books

YEN = "東京の家計"
KINDS = (
    "payment", "refund", "fee", "interest", "escrow", "balanceAdjustment", "credit", "charge", None
)  # fmt: skip


def with_mortgage(**settings: Any) -> tuple[Sandbox, BudgetFrame, str]:
    """A budget with 30,000 owed at 3 % and three payments of 539; and the key of the loan."""
    service = Sandbox(years=1, budgets=1)
    with service.device.edit() as editor:
        loan = editor.accounts.add("Mortgage", "mortgage", debt_interest_rates={"2025-01-01": 3000})
        checking = next(row for row in editor.budget.accounts.live() if row.name == "Checking")
        start = editor.payees.get_or_add("Starting Balance").id
        editor.transactions.add(
            account_id=loan.id, date=date(2025, 9, 1), amount=-30_000_000, payee_id=start
        )
        for month in (10, 11, 12):
            editor.transactions.add(
                account_id=checking.id, date=date(2025, month, 15), amount=-539_000,
                payee_id=loan.transfer_payee_id, cleared="cleared",
            )  # fmt: skip
    check_books(service)
    return service, BudgetFrame.sandbox(service, progress=False, **settings), loan.id


def add_to_balance(service: Sandbox, loan_id: str, amount: int) -> None:
    """Change the balance of a loan without a row and against the rule."""
    with service.device.edit() as editor:
        loan = editor.budget.accounts[loan_id]
        loan.loan_costs -= amount
        editor.budget.accounts.put(loan, editor.budget.knowledge)


# The terms


def test_a_ledger_has_the_terms_of_its_loans() -> None:
    assert [{**each, "account_id": ""} for each in read_only(YEN).ledger().attrs["loans"]] == [
        {"account_id": "", "account_name": "自動車ローン", "balance": -1_278_386_000,
         "interest_rates": {"2025-01-01": 4500, "2026-01-01": 3900},
         "escrow_amounts": {"2025-01-01": 1_920_000, "2025-07-01": 2_400_000},
         "minimum_payments": {"2025-01-01": 44_800_000}, "rows_total": -1_132_210_000},
    ]  # fmt: skip


def test_accounts_have_the_terms_of_the_loans_among_them() -> None:
    bf = read_only(YEN)
    of_ledger = bf.ledger().attrs["loans"][0]
    del of_ledger["rows_total"]
    assert bf.accounts().attrs["loans"] == [of_ledger]
    assert bf.export()["accounts"].attrs["loans"] == [of_ledger]
    assert "loans" not in bf.categories().attrs


def _answered(*accounts: Json) -> BudgetFrame:
    """A connection to a budget with these accounts and one row of the loan."""
    row = {
        "id": "t1", "date": "2025-10-01", "amount": -5_000, "account_id": "a1",
        "account_name": "Loan", "cleared": "cleared", "approved": True, "deleted": False,
        "subtransactions": [],
    }  # fmt: skip
    lists: dict[str, list[Json]] = {"accounts": [*accounts], "transactions": [row]}

    def rest(request: httpx.Request) -> httpx.Response:
        key = request.url.path.rpartition("/")[2].replace("categories", "category_groups")
        return data({key: lists.get(key, []), "server_knowledge": 1})

    return scripted(one_budget(rest))


def _loan(**fields: Any) -> Json:
    return {
        "id": "a1", "name": "Loan", "type": "otherDebt", "on_budget": False, "closed": False,
        "balance": -5_000, "cleared_balance": -5_000, "uncleared_balance": 0, "deleted": False,
        **fields,
    }  # fmt: skip


def test_a_budget_without_loans_has_no_such_entry() -> None:
    bf = _answered(_loan(type="checking"))
    assert "loans" not in bf.ledger().attrs
    assert "loans" not in bf.accounts().attrs


def test_an_account_without_the_fields_of_a_loan_has_empty_terms() -> None:
    assert _answered(_loan()).accounts().attrs["loans"] == [
        {"account_id": "a1", "account_name": "Loan", "balance": -5_000, "interest_rates": {},
         "escrow_amounts": {}, "minimum_payments": {}},
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:accounts.*no usable name:RuntimeWarning")
def test_a_loan_account_without_a_name_has_terms() -> None:
    unnamed = _loan()
    del unnamed["name"]
    bf = _answered(unnamed)
    accounts = bf.accounts()
    assert accounts["account_name"].isna().tolist() == [True]
    assert accounts.attrs["loans"][0]["account_name"] is None
    assert bf.accounts(extra=True).attrs["loans"] == accounts.attrs["loans"]
    rows = bf.ledger()
    assert rows["account_name"].tolist() == ["Not listed"]
    assert rows.attrs["loans"][0]["account_name"] == "Not listed"
    assert bf.reports.loans()["account_name"].unique().tolist() == ["Not listed"]


@pytest.mark.filterwarnings("ignore:accounts.*occur twice:RuntimeWarning")
def test_the_last_row_of_a_loan_account_that_is_listed_twice_counts() -> None:
    last = _loan(name="New", balance=-6_000, debt_interest_rates={"2025-01-01": 3000})
    bf = _answered(_loan(debt_interest_rates={"2025-01-01": 2000}), last)
    assert bf.accounts()["account_name"].tolist() == ["New"]
    assert bf.ledger().attrs["loans"] == [
        {"account_id": "a1", "account_name": "New", "balance": -6_000,
         "interest_rates": {"2025-01-01": 3000}, "escrow_amounts": {}, "minimum_payments": {},
         "rows_total": -5_000},
    ]  # fmt: skip


def test_a_ledger_built_from_an_export_has_the_terms_of_its_loans() -> None:
    bf = read_only(YEN)
    names = ("transactions", "subtransactions", "accounts", "categories", "payees")
    exported = bf.export()
    built = ledger(*(exported[name] for name in names))
    assert built.attrs["loans"] == bf.ledger().attrs["loans"]
    built.attrs["loans"][0]["interest_rates"].clear()
    assert exported["accounts"].attrs["loans"][0]["interest_rates"] == {
        "2025-01-01": 4500, "2026-01-01": 3900
    }  # fmt: skip
    assert balances(built)["balance"].iloc[-1] == bf.reports.balances()["balance"].iloc[-1]


def test_changed_attrs_do_not_change_the_next_ledger(bf: BudgetFrame) -> None:
    bf.ledger().attrs["loans"][0]["interest_rates"].clear()
    assert bf.ledger().attrs["loans"][0]["interest_rates"] == {"2025-01-01": 4500}


def test_the_terms_survive_a_selection_and_a_parquet_file(tmp_path: Path) -> None:
    rows = read_only(YEN).ledger()
    rows.to_parquet(tmp_path / "ledger.parquet")
    again = pd.read_parquet(tmp_path / "ledger.parquet")
    pd.testing.assert_frame_equal(balances(again), balances(rows))
    assert again.attrs["loans"] == rows.attrs["loans"]
    assert balances(rows[rows["account_type"] == "autoLoan"])["balance"].iloc[-1] == -1_278_386.0


def test_loans_cost_no_more_requests_than_a_budget_without_them() -> None:
    _, bf, _ = with_mortgage()
    bf.reports.net_worth()
    bf.reports.loans()
    assert bf.requests.by_resource == {
        "budgets": 1, "transactions": 1, "accounts": 1, "categories": 1, "payees": 1
    }  # fmt: skip


# The comparison with the service


def test_interest_and_escrow_are_stated_separately() -> None:
    found = read_only(YEN).reconcile()
    loan = found[found["reason"] == LOAN_COSTS].iloc[0]
    assert (loan["interest_milliunits"], loan["escrow_milliunits"]) == (105_856_000, 40_320_000)


def test_a_difference_that_interest_explains_counts_as_agreement() -> None:
    _, bf, loan_id = with_mortgage()
    bf.budgets()
    found = bf.reconcile()
    assert found.ok
    assert found.summary.endswith("; 1 loan row differs as expected")
    loan = found[found["account_id"] == loan_id].iloc[0]
    assert (loan["difference_milliunits"], loan["interest_milliunits"]) == (221_520, 221_520)
    assert (loan["escrow_milliunits"], loan["unexplained_milliunits"]) == (0, 0)
    assert loan["reason"] == LOAN_COSTS
    assert bf.requests.by_resource == {"budgets": 1, "transactions": 1, "export": 1}
    # A service that does not count the costs as cleared agrees too; one milliunit more differs.
    export = bf.export()
    frames = [export["month_categories"], bf.transactions(), bf.subtransactions()]
    accounts = export["accounts"]
    for more, expected in ((221.52, True), (0.001, False)):
        accounts.loc[accounts["account_id"] == loan_id, "cleared_balance"] += more
        assert reconcile(accounts, *frames).ok == expected


def test_what_interest_does_not_explain_is_a_difference() -> None:
    service, bf, loan_id = with_mortgage(verify=True, ttl=0)
    add_to_balance(service, loan_id, -340)
    with pytest.warns(RuntimeWarning, match="still do not agree"):
        found = bf.reconcile()
    assert not found.ok
    assert found.summary.endswith(
        " rows differs: Mortgage by 0,34 €, beyond 221,52 € of interest and escrow"
    )
    loan = found[found["account_id"] == loan_id].iloc[0]
    assert (loan["difference_milliunits"], loan["interest_milliunits"]) == (221_860, 221_520)
    assert (loan["unexplained_milliunits"], loan["cleared_milliunits"]) == (340, 340)
    assert pd.isna(loan["reason"])
    with pytest.warns(RuntimeWarning, match="figures still differ: .*Mortgage by 0.34"):
        bf.transactions()


def test_verify_reloads_nothing_because_of_interest() -> None:
    _, bf, _ = with_mortgage(verify=True, ttl=0)
    for _ in range(3):
        bf.transactions()
    assert bf.requests.by_resource == {"budgets": 1, "transactions": 3, "export": 3}


# Random loans


def _random_terms(rng: Random) -> dict[str, Any]:
    months = [f"{year}-{month:02}-01" for year in (2024, 2025, 2026) for month in range(1, 13)]
    rates = {month: rng.randrange(0, 9_000) for month in rng.sample(months, rng.randrange(4))}
    escrow = {month: rng.randrange(0, 90_000) for month in rng.sample(months, rng.randrange(3))}
    terms = {"debt_interest_rates": rates, "debt_escrow_amounts": escrow}
    return terms | {"interest_in_rows": rng.random() < 0.2}


def _random_rows(rng: Random, editor: Any, loan: Any, other_id: str) -> None:
    start = editor.payees.get_or_add("Starting Balance").id
    editor.transactions.add(
        account_id=loan.id, date=date(2024, 3, rng.randrange(1, 28)),
        amount=-rng.randrange(1_000, 400_000_000), payee_id=start,
    )  # fmt: skip
    for _ in range(rng.randrange(30)):
        day = date(rng.choice((2024, 2025, 2026)), rng.randrange(1, 7), rng.randrange(1, 17))
        amount = rng.choice((1, 1, 1, -1)) * rng.randrange(1, 9_000_000)
        if rng.random() < 0.5:
            editor.transactions.add(
                account_id=other_id, date=day, amount=-amount, payee_id=loan.transfer_payee_id
            )
        else:
            editor.transactions.add(
                account_id=loan.id, date=day, amount=amount, debt_transaction_type=rng.choice(KINDS)
            )


def _add_random_loans(rng: Random, editor: BudgetEditor) -> None:
    other_id = next(iter(editor.budget.accounts.live())).id
    kinds = ("mortgage", "autoLoan", "studentLoan", "personalLoan", "medicalDebt")
    for number in range(6):
        loan = editor.accounts.add(f"Loan {number}", rng.choice(kinds), **_random_terms(rng))
        _random_rows(rng, editor, loan, other_id)


def _edit_random_rows(rng: Random, editor: BudgetEditor) -> None:
    keys = {row.id for row in editor.budget.accounts.live() if row.name.startswith("Loan ")}
    rows = [row for row in editor.budget.transactions.live() if row.account_id in keys]
    for row in rng.sample(rows, 20):
        if row.deleted:  # with its other side
            continue
        if rng.random() < 0.5:
            editor.transactions.delete(row)
        elif row.transfer_account_id is None:
            editor.transactions.edit(
                row, {"amount": -row.amount, "date": date(2025, 5, rng.randrange(1, 30))}
            )


def test_random_loans_end_at_the_balance_of_the_service(subtests: pytest.Subtests) -> None:
    rng = Random(5)  # noqa: S311 - sample data, not a secret
    service = Sandbox(years=1, limit=10_000)
    for name, change in product(("Household", YEN), (_add_random_loans, _edit_random_rows)):
        with subtests.test(name=name, name2=change.__name__):
            with service.device.edit(name) as editor:
                change(rng, editor)
            check_books(service)
            with BudgetFrame.sandbox(service, budget=name, progress=False) as bf:
                assert bf.reconcile().ok
                found = bf.reports.balances()
                assert not found["unexplained"].any()
                last = found[found["date"] == found["date"].max()].set_index("account_id")
                accounts = bf.accounts().set_index("account_id")["balance"]
                assert set(last.index) == set(accounts.index)
                assert (milliunits(last["balance"]) == milliunits(accounts[last.index])).all()
                history = bf.reports.loans().query("not is_projected").groupby("account_id").last()
                assert (milliunits(history["owed"]) == -milliunits(accounts[history.index])).all()
                assert len(history) >= 6
