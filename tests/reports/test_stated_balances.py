"""Accounts whose balance, as the service states it, is not the sum of their rows."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.frames import milliunits
from budgetframe.reports import Report, balances, net_worth, runway
from budgetframe.sandbox import Sandbox
from tests.clock import Clock
from tests.frames.household import account
from tests.reports.rows import ledger_frame, lines, row

RULE = (
    "Checking: the service's balance differs by 1,000.00 from the sum of its rows. The balance of"
    " the last day contains the difference."
)
WARNING = r"^Checking: the service's balance differs by 1,000\.00 from the sum of its rows"
ACCOUNTS = (
    account("checking", "Checking", "checking", 1069.5),
    account("savings", "Savings", "savings", 40.0),
)
ROWS = (
    row("2026-05-04", 100.0, "ready"), row("2026-06-01", -30.5, "food"),
    row("2026-06-02", 40.0, "ready", "savings"),
)  # fmt: skip


def home(*accounts: Any, rows: tuple[Any, ...] = ROWS) -> pd.DataFrame:
    """Checking with rows of 69.50 and a balance of 1,069.50, and Savings, which agrees."""
    return ledger_frame(*rows, accounts=accounts or ACCOUNTS, differences=True)


def test_balances_end_at_the_service_s_balance_with_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match=WARNING):
        found = balances(home())
    assert lines(found, "date", "account_name", "balance", "unexplained") == [
        ("2026-05-31", "Checking", 100.0, 0.0), ("2026-05-31", "Savings", 0.0, 0.0),
        ("2026-06-17", "Checking", 1069.5, 1000.0), ("2026-06-17", "Savings", 40.0, 0.0),
    ]  # fmt: skip
    assert RULE in found.attrs["rules"]


def test_net_worth_ends_at_the_sum_of_the_service_s_balances() -> None:
    with pytest.warns(RuntimeWarning, match=WARNING):
        found = net_worth(home())
    assert lines(found, "date", "net", "change", "unexplained") == [
        ("2026-05-31", 100.0, 100.0, 0.0), ("2026-06-17", 1109.5, 1009.5, 1000.0),
    ]  # fmt: skip
    assert RULE in found.attrs["rules"]


def test_the_runway_starts_from_the_service_s_balances() -> None:
    with pytest.warns(RuntimeWarning, match=WARNING):
        found = runway(home(), window=30)
    assert lines(found, "balance") == [(100.0,), (1109.5,)]
    assert RULE in found.attrs["rules"]


def test_an_account_without_rows_has_the_service_s_balance() -> None:
    empty = account("empty", "Empty", "cash", 5.0)
    with pytest.warns(RuntimeWarning, match=r"^Empty: .* by 5\.00 "):
        some = balances(home(account("checking", "Checking", "checking", 69.5), ACCOUNTS[1], empty))
    assert lines(some, "date", "account_name", "account_type", "balance", "unexplained") == [
        ("2026-05-31", "Checking", "checking", 100.0, 0.0),
        ("2026-05-31", "Empty", "cash", 0.0, 0.0), ("2026-05-31", "Savings", "savings", 0.0, 0.0),
        ("2026-06-17", "Checking", "checking", 69.5, 0.0),
        ("2026-06-17", "Empty", "cash", 5.0, 5.0), ("2026-06-17", "Savings", "savings", 40.0, 0.0),
    ]  # fmt: skip


def test_a_loan_without_rows_has_the_service_s_balance_unless_rows_alone_count() -> None:
    loan = account("loan", "Car Loan", "autoLoan", -500.0, on_budget=False)
    ledger = home(account("checking", "Checking", "checking", 69.5), ACCOUNTS[1], loan)
    with pytest.warns(RuntimeWarning, match=r"^Car Loan: .* by -500\.00 "):
        found = net_worth(ledger)
    assert lines(found, "debts", "net")[-1] == (-500.0, -390.5)
    assert lines(net_worth(ledger, interest=False), "debts", "net")[-1] == (0.0, 109.5)


def test_a_filter_selects_the_accounts_whose_difference_counts() -> None:
    ledger = home(*ACCOUNTS, account("empty", "Empty", "cash", 5.0))
    with pytest.warns(RuntimeWarning, match=r"^Empty: .* by 5\.00 "):
        found = balances(ledger, accounts=["Empty", "Savings"])
    assert lines(found, "account_name", "balance")[-2:] == [("Empty", 5.0), ("Savings", 40.0)]
    assert lines(net_worth(ledger, accounts="Savings"), "net")[-1] == (40.0,)


def test_a_report_that_ends_earlier_has_no_difference_and_no_warning() -> None:
    found = net_worth(home(), until="2026-06-16")
    assert lines(found, "net", "unexplained") == [(100.0, 0.0), (109.5, 0.0)]
    assert RULE not in found.attrs["rules"]


def test_a_ledger_that_lacks_rows_of_an_account_is_not_compared() -> None:
    ledger = home()
    ledger.attrs["rows"] = 3
    part = ledger[ledger["amount"] != -30.5]
    assert lines(balances(part), "balance", "unexplained")[-2:] == [(100.0, 0.0), (40.0, 0.0)]
    complete = ledger[ledger["account_name"] == "Checking"]
    with pytest.warns(RuntimeWarning, match=WARNING):
        assert lines(balances(complete), "balance")[-1] == (1069.5,)


def test_a_part_of_a_ledger_has_no_accounts_without_rows() -> None:
    ledger = home(*ACCOUNTS, account("empty", "Empty", "cash", 5.0))
    ledger.attrs["rows"] = 3
    savings = ledger[ledger["account_name"] == "Savings"]
    assert lines(balances(savings), "account_name", "balance") == [("Savings", 40.0)]


def test_a_warning_names_five_accounts() -> None:
    many = [account(f"a{n}", f"Account {n}", "cash", 1.0) for n in range(7)]
    with pytest.warns(RuntimeWarning, match=r"Account 4.* The same holds for 2 more accounts\. bf"):
        found = net_worth(
            home(account("checking", "Checking", "checking", 69.5), ACCOUNTS[1], *many)
        )
    assert lines(found, "net", "unexplained")[-1] == (116.5, 7.0)


def test_the_differences_survive_a_parquet_file(tmp_path: Path) -> None:
    home().to_parquet(tmp_path / "ledger.parquet")
    with pytest.warns(RuntimeWarning, match=WARNING):
        found = net_worth(pd.read_parquet(tmp_path / "ledger.parquet"))
    assert lines(found, "net")[-1] == (1109.5,)


@pytest.mark.filterwarnings("ignore:accounts.*no usable balance:RuntimeWarning")
def test_an_account_without_a_balance_or_with_an_equal_one_has_no_difference() -> None:
    ledger = home(account("checking", "Checking", "checking", 0.0) | {"balance": None}, ACCOUNTS[1])
    assert "differences" not in ledger.attrs
    assert lines(balances(ledger), "balance", "unexplained")[-2:] == [(69.5, 0.0), (40.0, 0.0)]


def test_an_unknown_account_is_still_an_error() -> None:
    with pytest.raises(ToolError, match=r"the ledger has no rows of 'Chekcing'.* 'Checking'"):
        net_worth(home(), accounts="Chekcing")


def add_to_checking(service: Sandbox, amount: int) -> None:
    """Change the balance that the service states for Checking, without a row."""
    with service.device.edit() as editor:
        accounts = editor.budget.accounts
        checking = next(each for each in accounts.live() if each.name == "Checking")
        checking.cleared_balance += amount
        accounts.put(checking, editor.budget.knowledge)


def of_facade(bf: BudgetFrame) -> list[Report]:
    with pytest.warns(RuntimeWarning, match=r"^Checking: .* by 1\.000,00 € from the sum of its"):
        return [bf.reports.net_worth(), bf.reports.balances()]


def test_the_reports_of_the_facade_end_at_the_service_s_balances() -> None:
    service = Sandbox(years=1)
    add_to_checking(service, 1_000_000)
    with BudgetFrame.sandbox(service, progress=False) as bf:
        worth, found = of_facade(bf)
        accounts = bf.accounts()
    assert milliunits(worth["net"]).iloc[-1] == milliunits(accounts["balance"]).sum()
    assert worth["unexplained"].iloc[-1] == 1000.0
    last = found[found["date"] == found["date"].max()].set_index("account_id")
    assert last.loc[last["unexplained"] != 0, "account_name"].tolist() == ["Checking"]
    assert last["balance"].to_dict() == accounts.set_index("account_id")["balance"].to_dict()


def test_a_restart_and_a_delta_have_the_present_difference(tmp_path: Path) -> None:
    service = Sandbox(years=1, budgets=1)
    settings: dict[str, Any] = {"cache_dir": tmp_path, "ttl": 0, "progress": False}
    with BudgetFrame.sandbox(service, **settings) as bf:
        assert bf.reports.net_worth()["unexplained"].iloc[-1] == 0.0
        add_to_checking(service, 1_000_000)
        assert of_facade(bf)[0]["unexplained"].iloc[-1] == 1000.0
    with BudgetFrame.sandbox(service, **settings) as bf:
        assert of_facade(bf)[0]["unexplained"].iloc[-1] == 1000.0
        add_to_checking(service, -1_000_000)
        assert bf.reports.net_worth()["unexplained"].iloc[-1] == 0.0


@pytest.mark.parametrize(("first", "second", "net"), [
    ("accounts", "transactions", 18_428.21), ("transactions", "accounts", 18_478.21),
])  # fmt: skip
def test_accounts_of_another_state_are_not_compared(first: str, second: str, net: float) -> None:
    clock = Clock()
    service = Sandbox(years=1, budgets=1, clock=clock)
    checking = next(each for each in service.device.state().accounts.live())
    with BudgetFrame.sandbox(service, progress=False) as bf:
        getattr(bf, first)()
        service.device.add_transaction(account_id=checking.id, date=service.today, amount=-50_000)
        getattr(bf, second)()
        found = bf.reports.net_worth().iloc[-1]
        assert (found["net"], found["unexplained"]) == (net, 0.0)
        clock.advance(300.0)
        found = bf.reports.net_worth().iloc[-1]
        assert (found["net"], found["unexplained"]) == (18_428.21, 0.0)
