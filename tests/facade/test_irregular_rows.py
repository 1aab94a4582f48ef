"""One irregular row: all other rows stay available in frames, ledger, reports and models."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from tests.docs.docstrings import REPORTS
from tests.facade.service import data, one_budget, scripted

Json = dict[str, Any]

AMOUNTS = {"budgeted": 0, "activity": -3000, "balance": 0}
FOOD = {"id": "c1", "category_group_id": "g1", "name": "Food", "hidden": False, **AMOUNTS}
STATE = {"cleared": "cleared", "approved": True, "date": "2026-05-17"}


def account(key: str, name: str, balance: int) -> Json:
    balances = {"balance": balance, "cleared_balance": balance, "uncleared_balance": 0}
    kind = {"type": "checking", "on_budget": True, "closed": False}
    return {"id": key, "name": name, **kind, **balances}


def transaction(key: str, amount: int, **more: Any) -> Json:
    row = {"account_id": "a1", "account_name": "Checking", "category_id": "c1"}
    return {"id": key, "amount": amount, **STATE, **row, "subtransactions": [], **more}


def part(key: str, of: str, amount: int) -> Json:
    return {"id": key, "transaction_id": of, "amount": amount, "category_id": "c1"}


class Budget:
    """A service with one small budget, whose lists and export a test may change."""

    def __init__(self, *transactions: Json) -> None:
        self.accounts = [account("a1", "Checking", -10_000)]
        self.groups: list[Json] = [
            {"id": "g1", "name": "Daily", "hidden": False, "categories": [FOOD]}
        ]
        self.transactions = list(transactions)
        self.payees: list[Json] = [{"id": "p1", "name": "Market"}]
        self.scheduled: list[Json] = []
        self.deltas: dict[str, list[Json]] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        if name == "budgets":
            return data({"budgets": [{"id": "b1", "name": "Home"}]})
        if "last_knowledge_of_server" in request.url.params:
            return data({name: self.deltas.get(name, []), "server_knowledge": 2})
        if name == "b1":
            return data({"budget": self.export(), "server_knowledge": 1})
        month = {"month": "2026-05-01", **AMOUNTS, "income": 0, "to_be_budgeted": 0}
        lists: dict[str, tuple[str, list[Json]]] = {
            "accounts": ("accounts", self.accounts), "categories": ("category_groups", self.groups),
            "payees": ("payees", self.payees), "months": ("months", [month]),
            "transactions": ("transactions", self.transactions),
            "scheduled_transactions": ("scheduled_transactions", self.scheduled),
            "money_movements": ("money_movements", []),
        }  # fmt: skip
        key, rows = lists[name]
        return data({key: rows, "server_knowledge": 1})

    def export(self) -> Json:
        categories = [each for group in self.groups for each in group["categories"]]
        groups = [{key: group[key] for key in ("id", "name", "hidden")} for group in self.groups]
        month = {"month": "2026-05-01", **AMOUNTS, "income": 0, "to_be_budgeted": 0}
        return {
            "id": "b1", "name": "Home", "accounts": self.accounts, "payees": self.payees,
            "category_groups": groups, "categories": categories,
            "months": [{**month, "categories": categories}],
            "transactions": [
                {key: row[key] for key in row if key not in ("account_name", "subtransactions")}
                for row in self.transactions],
            "subtransactions": [
                part for row in self.transactions for part in row["subtransactions"]],
            "scheduled_transactions": self.scheduled, "scheduled_subtransactions": [],
        }  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of each irregular row
@pytest.mark.parametrize("first", ["ledger", "export"])
def test_irregular_rows_together_leave_every_report(first: str, subtests: pytest.Subtests) -> None:
    parts = [part("s1", "t1", -1000), part("s2", "t9", -2000)]
    unnamed = transaction("t5", -10_000)
    del unnamed["account_name"]
    service = Budget(
        transaction("t1", -10_000, category_id=None, subtransactions=parts),
        transaction("t2", -10_000, account_id="gone", account_name="Old"), transaction("t3", -5000),
        transaction("t3", -10_000, memo="second"), transaction("t4", 0) | {"amount": None}, unnamed,
        transaction("t6", 0) | {"amount": "a lot", "payee_id": 7},
        transaction("t7", 0) | {"date": "2026-02-31", "approved": "yes"},
        transaction("t8", 0, subtransactions=[part("s3", "t8", 0)]) | {"id": 8, "memo": 9},
    )  # fmt: skip
    days = {"date_first": "soon", "date_next": "2026-06-01", "frequency": "monthly"}
    service.scheduled = [{"id": "d1", **days, "amount": -3000, "account_id": "a1"}]
    bf = scripted(service)
    getattr(bf, first)()
    for name in REPORTS:
        with subtests.test(name=name):
            assert getattr(bf.reports, name)().attrs["report"] == name
    # t1, the last t3 and t5 are 10.00 each in Checking, t2 is 10.00 in Old, and t4 has no amount.
    by_account = bf.reports.spending("account").set_index("account_name")["spent"]
    assert by_account.to_dict() == {"Checking": 30.0, "Old": 10.0}
    assert bf.reports.spending("payee")["spent"].tolist() == [40.0]
    months = bf.reports.income_expense()  # the rest of t1 that no part has is uncategorized
    assert months[["spent", "uncategorized"]].sum().tolist() == [33.0, 7.0]
    assert bf.reports.net_worth()["net"].iloc[-1] == -40.0
    assert not bf.reconcile().ok  # the service states -10.00 for Checking


def test_a_split_that_does_not_add_up_leaves_everything_else() -> None:
    parts = [part("s1", "t1", -1000), part("s2", "t1", -2000)]
    wrong = transaction("t1", -10_000, category_id=None, subtransactions=parts)
    euro = {"decimal_separator": ",", "currency_symbol": "€", "display_symbol": True}
    bf = scripted(one_budget(Budget(wrong), currency_format=euro | {"symbol_first": False}))
    with pytest.warns(
        RuntimeWarning, match=r"1 of 1 splits .*amount -10,00 €, remainder -7,00 €"
    ) as caught:
        ledger = bf.ledger()
    assert len(caught) == 1
    assert ledger["amount"].tolist() == [-1.0, -2.0, -7.0]
    assert ledger["is_remainder"].tolist() == [False, False, True]
    assert bf.transactions()["amount"].tolist() == [-10.0]
    assert bf.subtransactions()["amount"].tolist() == [-1.0, -2.0]
    assert bf.reconcile().ok
    assert bf.reports.net_worth()["net"].tolist()[-1] == -10.0


def test_rows_of_an_unlisted_account_and_group_are_kept_as_not_listed() -> None:
    service = Budget(transaction("t1", -10_000, account_id="gone", account_name="Old"))
    bf = scripted(service)
    with pytest.warns(RuntimeWarning, match=r"1 of 1 rows .* account_id 'gone'\)") as caught:
        assert bf.ledger()["account_name"].tolist() == ["Old"]
    assert len(caught) == 1
    assert bf.ledger()["account_name"].tolist() == ["Old"]
    assert bf.transactions()["account_name"].tolist() == ["Old"]
    exported = scripted(service)
    frames = exported.export()  # the list of the transactions has the name, the export has not
    assert frames["transactions"]["account_name"].tolist() == ["Old"]
    with pytest.warns(RuntimeWarning, match=r"1 of 1 rows .* account_id 'gone'\)"):
        assert exported.ledger()["account_name"].tolist() == ["Old"]

    service.groups.append({"id": "g2", "name": "Gone", "hidden": False, "categories": []})
    service.groups[1]["categories"] = [{**FOOD, "id": "c2", "category_group_id": "gone"}]
    frames = scripted(service).export()
    for name, group in {"categories": "Gone", "month_categories": "Not listed"}.items():
        names = frames[name].set_index("category_id")["category_group_name"]
        assert names.to_dict() == {"c1": "Daily", "c2": group}, name


def test_a_row_that_occurs_twice_counts_once_with_one_warning(subtests: pytest.Subtests) -> None:
    reads: dict[str, Callable[[BudgetFrame], object]] = {
        "transactions": lambda bf: bf.transactions()["amount"].tolist(),
        "ledger": lambda bf: bf.ledger()["amount"].tolist(),
        "models": lambda bf: [each.amount for each in bf.models.transactions()],
        "export": lambda bf: bf.export()["transactions"]["amount"].tolist(),
    }
    rows = transaction("t1", -5000), transaction("t1", -10_000, memo="second")
    warning = "transactions: 1 of 2 rows occur twice.*'t1'"
    for name, read in reads.items():
        bf = scripted(Budget(*rows))
        with subtests.test(name=name):
            with pytest.warns(RuntimeWarning, match=warning) as caught:
                assert read(bf) == [-10.0]
            assert len(caught) == 1


DAMAGED = {"date": "2026-02-31", "amount": "a lot", "approved": "yes", "account_id": 7, "memo": 1}
DAMAGED |= {"flag_color": 3, "cleared": 5}


@pytest.mark.parametrize(("field", "value"), DAMAGED.items())
def test_a_damaged_row_is_kept_and_not_built_on(tmp_path: Path, field: str, value: object) -> None:
    rows = [transaction("t1", -10_000), transaction("t2", -1000)]
    service = Budget(*rows)
    service.transactions[1] = rows[1] | {field: value}
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return service(request)

    message = f"transactions: 1 of 2 rows have no usable {field}.*'t2' has {field}={value!r}"
    bf = scripted(answer)
    for extra in (False, False, True):
        with pytest.warns(RuntimeWarning, match=message) as caught:
            assert bf.transactions(extra=extra)["transaction_id"].tolist() == ["t1", "t2"]
        assert len(caught) == 1
    assert len(requests) == 2  # the list of budgets, and the transactions
    bf.refresh()
    service.transactions = rows
    assert bf.transactions()["amount"].tolist() == [-10.0, -1.0]

    service.transactions = [rows[0], rows[1] | {field: value}]
    file = tmp_path / "budget.json"
    file.write_text(json.dumps({"data": {"budget": service.export()}}), "utf-8")
    with pytest.warns(RuntimeWarning, match=message):
        assert len(BudgetFrame.from_export(file).transactions()) == 2


NEW = pd.DataFrame({"date": ["2026-05-01"], "amount": [-4.0], "account_name": ["Checking"]})
DAYS = ["2026-05-17", "2026-05-02"]
BANK = pd.DataFrame({"date": DAYS, "amount": [-1.0, -7.0], "payee_name": "Cafe"})


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the damaged row
@pytest.mark.parametrize("is_read_before", [True, False])
@pytest.mark.parametrize(
    ("field", "value"), [*DAMAGED.items(), ("payee_id", ["p1"]), ("transfer_transaction_id", [])]
)
def test_only_damaged_rows_are_refused(field: str, value: object, *, is_read_before: bool) -> None:
    service = Budget(*(transaction(key, -1000) for key in ("t1", "t2", "t3")))
    bf = scripted(service)
    rows = bf.transactions() if is_read_before else NEW
    service.deltas["transactions"] = [transaction("t2", -1000) | {field: value}]
    service.transactions[1] = service.deltas["transactions"][0]
    rows = rows if is_read_before else bf.transactions()
    changes = bf.changes(rows.assign(memo=rows["memo"].mask(rows["transaction_id"] != "t2", "new")))
    assert sorted(changes.frame["transaction_id"].unique()) == ["t1", "t3"]
    assert changes.effects is not None
    assert bf.changes(NEW).counts["left"] == 1
    assert bf.changes(delete=["t1"]).counts["left"] == 1
    damage = re.escape(f"the row 't2' has {field}={value!r}, which cannot be used: correct the row")
    for refused in ({"delete": ["t2"]}, {"edited": rows.assign(memo="new")}):
        with pytest.raises(ToolError, match=f"transactions: {damage}"):
            bf.changes(**refused)
    if field in ("date", "amount", "account_id"):
        with pytest.raises(ToolError, match=damage):
            bf.import_rows(BANK, account="Checking")
    else:
        skipped = bf.import_rows(BANK.iloc[[0, 0, 0, 1]], account="Checking").skipped
        assert sorted(skipped["existing_transaction_id"]) == ["t1", "t2", "t3"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the damaged row
@pytest.mark.parametrize(("kind", "damage", "refused"), [
    ("payees", {"id": 5}, None), ("payees", {"transfer_account_id": 5}, {"payee_name": "Market"}),
    ("accounts", {"id": ["a2"]}, None), ("accounts", {"closed": "x"}, {"account_name": "Savings"}),
    ("accounts", {"on_budget": "x"}, {"account_name": "Savings", "category_name": "Food"}),
])  # fmt: skip
def test_only_rows_of_a_damaged_account_or_payee_are_refused(
    kind: str, damage: Json, refused: Json | None
) -> None:
    service = Budget(transaction("t1", -1000))
    service.accounts.append(account("a2", "Savings", 0))
    (service.payees if kind == "payees" else service.accounts)[-1].update(damage)
    bf = scripted(service)
    assert bf.changes(bf.transactions().assign(memo="new")).counts["left"] == 1
    assert bf.changes(NEW).counts["left"] == 1
    assert len(bf.import_rows(BANK, account="Checking").frame) == 1
    if refused is not None:
        (field,) = damage
        with pytest.raises(ToolError, match=f"{kind}: the row '[ap].' has {field}="):
            bf.changes(NEW.assign(**refused))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the damaged row
@pytest.mark.parametrize(("key", "damage", "problem"), [
    ("t2", {"amount": "a lot"}, "it may exist already"),
    ("t2", {"id": None}, "it may exist already"),
    ("t1", {"memo": 5}, "the row 't1' has memo=5, which cannot be used"),
])  # fmt: skip
def test_a_row_returned_damaged_is_not_sent_again(key: str, damage: Json, problem: str) -> None:
    service = Budget(transaction("t1", -10_000))
    sent = []

    def lose_answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return service(request)
        sent.append(request)
        new = transaction(key, -4000, date="2026-05-01", category_id=None, memo="cut")
        service.deltas["transactions"] = [new | damage]
        service.transactions[int(key == "t2") :] = [new | damage]
        raise httpx.ReadTimeout("lost")

    bf = scripted(lose_answer)
    with pytest.raises(httpx.ReadTimeout):
        bf.changes(NEW if key == "t2" else bf.transactions().assign(memo="new")).apply()
    changes = bf.journal().resume()
    assert len(sent) == 1
    assert changes.conflicts["problem"].str.contains(problem).tolist() == [True]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the damaged row
def test_rows_that_were_read_without_a_key_are_neither_changed_nor_created_again() -> None:
    bf = scripted(Budget(transaction("t1", -10_000), transaction("t2", -1000) | {"id": None}))
    rows = bf.transactions()
    changes = bf.changes(rows.assign(memo=rows["memo"].mask(~rows["transaction_id"].isna(), "new")))
    assert changes.frame["transaction_id"].tolist() == ["t1"]
    assert bf.changes(NEW).counts["left"] == 1
    assert len(bf.import_rows(BANK, account="Checking").frame) == 1
    with pytest.raises(ToolError, match="1 of 2 rows of the frame were read without a key"):
        bf.changes(rows.assign(memo="new"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of rows that belong to no account
@pytest.mark.parametrize("key", [5, True, {"a": 1}, [1], None])
def test_a_row_without_a_usable_key_leaves_lists_and_reports(key: object, tmp_path: Path) -> None:
    service = Budget(transaction("t1", -9000), transaction("t2", -1000) | {"id": key})
    loan = account("a2", "Loan", -5000) | {"type": "autoLoan", "debt_interest_rates": {}}
    service.accounts += [loan | {"id": key}, account("a3", "Purse", 7000) | {"id": key}]
    service.payees.append({"id": key, "name": "Cafe"})
    plan = {"date_first": "2026-06-01", "date_next": "2026-06-01", "frequency": "never"}
    plan |= {"account_id": "a1", "account_name": "Checking"}
    keys: list[object] = ["d1", key, key]
    service.scheduled = [{**plan, "id": each, "amount": -3000} for each in keys]
    file = tmp_path / "budget.json"
    file.write_text(json.dumps({"data": {"budget": service.export()}}), "utf-8")
    gone = account("a4", "Purse", 0) | {"id": key, "deleted": True}
    service.deltas = {"accounts": [*service.accounts, gone]}
    bf = scripted(service)
    found = bf.accounts(include_deleted=True)
    assert (found["account_name"] + found["deleted"].astype(str)).sort_values().tolist() == [
        *("CheckingFalse", "LoanFalse", "PurseFalse", "PurseTrue")
    ]
    for source in (bf, BudgetFrame.from_export(file)):
        accounts = source.accounts()
        assert accounts["balance"].tolist() == [-10.0, -5.0, 7.0]
        assert accounts["account_id"].isna().tolist() == [False, True, True]
        assert "loans" not in accounts.attrs
        assert source.payees()["payee_id"].isna().sum() == 1
        for name in REPORTS:
            if source is bf or name != "money_flow":  # no file has money movements
                assert getattr(source.reports, name)().attrs["report"] == name
        assert source.reports.forecast(today="2026-05-17")["balance"].iloc[-1] == -19.0
        # No row is known to belong to an account without a key: only Checking is compared.
        assert source.reports.net_worth()["net"].iloc[-1] == -10.0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("key", [None, 5, [1]])
def test_rows_without_a_usable_key_are_never_the_same_row(key: object) -> None:
    parts = [part("", "t1", -4000) | {"id": key}, part("", "t1", -6000) | {"id": key}]
    split = transaction("t1", -10_000, category_id=None, subtransactions=parts)
    twice = transaction("t2", -1000)
    bf = scripted(Budget(split, twice, twice, twice | {"id": key}))
    assert bf.subtransactions()["amount"].tolist() == [-4.0, -6.0]
    assert bf.transactions()["amount"].tolist() == [-10.0, -1.0, -1.0]
    assert bf.ledger()["amount"].tolist() == [-4.0, -6.0, -1.0, -1.0]


def test_a_key_of_an_export_that_is_a_list_leaves_the_other_rows() -> None:
    service = Budget(transaction("t1", -10_000))
    service.payees.append({"id": ["p2"], "name": "Cafe"})
    with (
        pytest.warns(RuntimeWarning, match="payees: 1 of 2 rows have no usable id"),
        pytest.warns(RuntimeWarning, match=r"1 key in the export .*\(first: id=\['p2'\]\)"),
    ):
        assert scripted(service).export()["transactions"]["amount"].tolist() == [-10.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_several_months_without_a_day_leave_the_others(tmp_path: Path) -> None:
    document = Budget().export()
    month = document["months"][0] | {"age_of_money": 9}
    document["months"] = [month, month | {"month": 5}, month | {"month": "2026-02-31"}]
    file = tmp_path / "budget.json"
    file.write_text(json.dumps(document), "utf-8")
    bf = BudgetFrame.from_export(file, as_of="2026-05-17")
    assert bf.months()["month"].isna().tolist() == [False, True, True]
    assert bf.reports.age_of_money()["age_of_money"].tolist() == [9]


def test_half_a_character_in_a_file_is_replaced_with_one_warning(tmp_path: Path) -> None:
    service = Budget(transaction("t1", -10_000, memo="x\ud83d"))
    file = tmp_path / "budget.json"
    file.write_text(json.dumps({"data": {"budget": service.export()}}), "utf-8")
    with pytest.warns(RuntimeWarning, match="budget.json is not strict JSON: 1 value .*'t1'"):
        bf = BudgetFrame.from_export(file)
    assert bf.transactions()["memo"].tolist() == ["x\ufffd"]


def test_a_part_that_names_another_row_belongs_to_the_row_it_is_nested_in() -> None:
    parts = [part("s1", "t9", -4000), part("s2", "", -6000)]
    del parts[1]["transaction_id"]
    row = {"id": "d1", "date_first": "2026-06-01", "date_next": "2026-06-01", "amount": -3000}
    names = {"frequency": "monthly", "account_id": "a1", "account_name": "Checking"}
    later = [
        {"id": "e1", "scheduled_transaction_id": "d9", "amount": -1000},
        {"id": "e2", "amount": -2000},
    ]
    service = Budget(transaction("t1", -10_000, category_id=None, subtransactions=parts))
    service.scheduled = [{**row, **names, "subtransactions": later}]
    bf = scripted(service)
    for rows in (bf.subtransactions(), bf.subtransactions(extra=True), bf.ledger()):
        assert rows["transaction_id"].tolist() == ["t1", "t1"]
    assert bf.scheduled_subtransactions()["scheduled_transaction_id"].tolist() == ["d1", "d1"]


@pytest.mark.parametrize(("wrong", "problem"), [
    ([1], "the row 't1' has subtransactions[0]=1, which is not an object"),
    ([part("s1", "t1", -1), "x"], "t1' has subtransactions[1]='x', which is not an object"),
])  # fmt: skip
def test_an_error_names_parts_that_are_no_objects(wrong: list[object], problem: str) -> None:
    bf = scripted(Budget(transaction("t1", -10_000, subtransactions=wrong)))
    for read in (bf.transactions, bf.subtransactions, bf.ledger):
        with pytest.raises(ServiceAPIError, match=re.escape(problem)):
            read()


def test_categories_that_are_no_objects_are_an_error_that_names_the_group() -> None:
    service = Budget()
    service.groups[0]["categories"] = [FOOD, 7]
    problem = re.escape("the row 'g1' has categories[1]=7, which is not an object")
    with pytest.raises(ServiceAPIError, match=problem):
        scripted(service).categories()


def test_an_answer_of_earlier_years_is_readable() -> None:
    old = transaction("t1", -10_000)
    del old["account_name"]
    bf = scripted(Budget(old))
    with pytest.warns(
        RuntimeWarning, match="transactions: 1 of 1 rows have no usable account_name"
    ):
        assert bf.transactions()["account_name"].isna().tolist() == [True]
    assert bf.ledger()["account_name"].tolist() == ["Checking"]
    assert bf.models.transactions()[0].account_name is None


def test_the_ledger_shows_control_characters_of_a_key_as_escapes() -> None:
    parts = [part("s1", "t1", -1000)]
    split = transaction("t\x1b[2J1", -10_000, category_id=None, subtransactions=parts)
    with pytest.warns(RuntimeWarning, match=re.escape(r"transaction_id 't\x1b[2J1'")):
        scripted(Budget(split)).ledger()


def test_models_keep_the_rows_that_the_frames_keep() -> None:
    rows = [
        transaction("t1", -10_000, subtransactions=[{"id": "s1", "amount": -10_000}]),
        transaction("t2", -1000, subtransactions=None), transaction("t3", 0) | {"amount": None},
    ]  # fmt: skip
    service = Budget(*rows)
    del service.accounts[0]["cleared_balance"]
    bf = scripted(service)
    found = bf.models.transactions()
    assert [str(each.amount) for each in found] == ["-10.0", "-1.0", "nan"]
    assert [[part.transaction_id for part in each.subtransactions] for each in found] == [
        ["t1"], [], [],
    ]  # fmt: skip
    assert str(bf.models.accounts()[0].cleared_balance) == "nan"
    with pytest.warns(RuntimeWarning, match="1 of 1 rows have no usable cleared_balance"):
        assert bf.accounts()["cleared_balance"].isna().tolist() == [True]
    with pytest.warns(RuntimeWarning, match="1 of 3 rows have no usable amount"):
        assert bf.transactions()["is_split"].tolist() == [True, False, False]


def test_a_model_of_a_damaged_row_lacks_the_values_that_cannot_be_used() -> None:
    parts = [part("s1", "t1", 0) | {"amount": "a lot", "deleted": 1}]
    damaged = {"amount": True, "account_id": 7, "approved": "yes", "memo": 8, "cleared": None}
    service = Budget(transaction("t1", 0, subtransactions=parts) | damaged, transaction("t2", -1))
    bf = scripted(service, ttl=0.0)
    with pytest.warns(
        RuntimeWarning, match="7 values .*transactions: 't1' has amount=True"
    ) as all_:
        first, second = bf.models.transactions()
    assert len(all_) == 1
    assert (first.account_id, first.approved, first.memo, first.cleared) == ("", False, None, "")
    assert str((first.amount, first.subtransactions[0].amount)) == "(nan, nan)"
    assert (first.subtransactions[0].deleted, second.amount) == (False, -0.001)
    service.transactions = [transaction("t1", -5)]
    assert bf.models.transactions()[0].amount == -0.005
    service.transactions = [transaction("t1", -5) | {"subtransactions": "x"}]
    with pytest.raises(ServiceAPIError, match="subtransactions: Input should be a valid list"):
        scripted(service).models.transactions()


def test_include_deleted_reads_transactions_without_a_list_of_parts() -> None:
    service = Budget(transaction("t1", -10_000, subtransactions=None))
    service.deltas["transactions"] = [
        transaction("t1", -10_000, subtransactions=None),
        transaction("t2", -1000, subtransactions=None, deleted=True),
    ]
    bf = scripted(service)
    assert bf.transactions(include_deleted=True)["deleted"].tolist() == [False, True]
    assert len(bf.subtransactions(include_deleted=True)) == 0
    service.deltas["transactions"] = [transaction("t1", -10_000, subtransactions=[1])]
    problem = re.escape("the row 't1' has subtransactions[0]=1, which is not an object")
    with pytest.raises(ServiceAPIError, match=problem):
        scripted(service).subtransactions(include_deleted=True)
