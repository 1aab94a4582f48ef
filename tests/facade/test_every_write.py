"""Writes of schedules, accounts, payees and categories, deletions and the import."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import (
    BudgetFrame,
    DeltaCache,
    RateLimiter,
    ServiceAPIError,
    ServiceClient,
    ToolError,
)
from budgetframe.sandbox import Sandbox
from tests.changes.doors import CALLS, IDS, KEYS, MARKET, RENT, WALLET, Home, call as door
from tests.sandbox.ask import http_client
from tests.sandbox.audit import check_books

from .service import LISTS, AnsweredWrites, ServiceWithFacade, data, one_budget, scripted

Json = dict[str, Any]
Call = Callable[[BudgetFrame], Any]

KEY = "11111111-2222-3333-4444-555555555555"
ITEMS = ("account", "category", "category_group", "payee", "scheduled_transaction", "transactions")
GROUP = IDS.group("Home")
FUND = IDS.category("Savings", "Emergency Fund")


# Requests


def schedule(**cells: Any) -> Json:
    """A new schedule."""
    row = {"account_id": WALLET, "date_next": "2026-07-01", "amount": -4.5, "frequency": "monthly"}
    return row | cells


def transaction(**cells: Any) -> Json:
    """A new transaction."""
    return {"account_id": WALLET, "date": "2026-06-16", "amount": -5, **cells}


AS_CELLS = {"date_next": pd.Timestamp(2026, 7, 1), "memo": None}
WRITES: list[tuple[Call, str, str, Any]] = [
    # the call, what it reads, the write, and its body
    (lambda bf: bf.create_account("Travel", "cash", 50.0), "accounts", "POST accounts",
     {"account": {"name": "Travel", "type": "cash", "balance": 50_000}}),
    (lambda bf: bf.create_payee("Baker"), "payees", "POST payees", {"payee": {"name": "Baker"}}),
    (lambda bf: bf.rename_payee(MARKET, "Al"), "payees", f"PATCH payees/{MARKET}",
     {"payee": {"name": "Al"}}),
    (lambda bf: bf.create_category_group("Yard"), "categories", "POST category_groups",
     {"category_group": {"name": "Yard"}}),
    (lambda bf: bf.create_category("Tools", GROUP, note="n", goal_target=0.1 + 0.2,
         goal_target_date=pd.Timestamp(2027, 1, 2), goal_needs_whole_amount=False),
     "categories", "POST categories",
     {"category": {"name": "Tools", "category_group_id": GROUP, "note": "n"}
       | {"goal_target": 300, "goal_target_date": "2027-01-02"}
       | {"goal_needs_whole_amount": False}}),
    (lambda bf: bf.create_category("Tools", GROUP, goal_target=5, goal_frequency="weekly"),
     "categories", "POST categories", {"category": {"name": "Tools", "category_group_id": GROUP}
                                        | {"goal_target": 5_000, "goal_frequency": "weekly"}}),
    (lambda bf: bf.update_category(FUND, note=float("nan"), goal_target=None), "categories",
     f"PATCH categories/{FUND}", {"category": {"note": None, "goal_target": None}}),
    (lambda bf: bf.assign("2026-05", RENT, -12.345), "months/2026-05-01",
     f"PATCH months/2026-05-01/categories/{RENT}", {"category": {"budgeted": -12_345}}),
    (lambda bf: bf.assign("current", RENT, 0), "months/current",
     f"PATCH months/2026-06-01/categories/{RENT}", {"category": {"budgeted": 0}}),
    (lambda bf: bf.create_scheduled_transactions(pd.DataFrame([schedule(**AS_CELLS)])), "export",
     "POST scheduled_transactions",
     {"scheduled_transaction": {"account_id": WALLET, "date": "2026-07-01"}
       | {"amount": -4_500, "frequency": "monthly"}}),
    (lambda bf: bf.update_transaction(KEYS[0], amount=-1.5, category_id=None), "export",
     "PATCH transactions",
     {"transactions": [{"id": KEYS[0], "amount": -1_500, "category_id": None}]}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "read", "request_line", "body"), WRITES)
def test_a_write_sends_one_request_with_this_body_after_one_read(
    call: Call, read: str, request_line: str, body: Any
) -> None:
    home = Home()
    call(home.bf)
    path = f"/v1/budgets/{home.sandbox.device.state().id}"
    sent = [each.replace(f"{path}/", "").replace(path, "export") for each in home.wire.paths]
    assert sent == ["GET /v1/budgets", f"GET {read}", request_line]
    assert json.loads(home.wire.requests[-1].content) == body


def test_the_import_of_linked_accounts_reads_nothing_before() -> None:
    home = Home()
    home.bf.import_linked()
    assert home.wire.lists == ["budgets", "import", "transactions"]
    assert home.wire.requests[1].content == b""


# Arguments that are refused


LONG = "x" * 501
BAD: list[tuple[Call, str]] = [
    (lambda bf: bf.create_account("", "cash", 1), "name='' is empty"),
    (lambda bf: bf.create_account(None, "cash", 1), "create_account has no name"),  # type: ignore[call-overload]
    (lambda bf: bf.create_account("x", "mortgage", 1), "account_type='mortgage': it must be one"),  # type: ignore[call-overload]
    (lambda bf: bf.create_account("x", "cash", 0.0001), "balance=0.0001 is not an amount"),
    (lambda bf: bf.create_account("x", "cash", float("nan")), "create_account has no balance"),
    (lambda bf: bf.create_payee(LONG), "name has 501 characters; at most 500 are allowed"),
    (lambda bf: bf.create_payee(5), "name=5 is not a text"),  # type: ignore[call-overload]
    (lambda bf: bf.create_payee("\ud800"), "create_payee: name has .* is half a character"),
    (lambda bf: bf.rename_payee(" ", "x"), "payee_id=' ' is empty: give a key or a name"),
    (lambda bf: bf.rename_payee("p1", " "), "name=' ' is empty"),
    (lambda bf: bf.create_category_group("x" * 51), "51 characters; at most 50 are allowed"),
    (lambda bf: bf.rename_category_group("g1", ""), "name='' is empty"),
    (lambda bf: bf.create_category("", "g1"), "name='' is empty"),
    (lambda bf: bf.create_category("x", "g1", goal_target="a lot"), "goal_target='a lot'"),  # type: ignore[call-overload]
    (lambda bf: bf.create_category("x", "g1", goal_target_date="2026"), "goal_target_date='2026'"),
    (lambda bf: bf.create_category("x", "g1", goal_frequency="daily"), "goal_frequency='daily'"),  # type: ignore[call-overload]
    (lambda bf: bf.update_category("c1"), "there is nothing to write; give one of name, category"),
    (lambda bf: bf.update_category("c1", name=float("nan")), "name cannot be empty"),
    (lambda bf: bf.update_category("c1", balance=1), "balance cannot be written; these can: name"),
    (lambda bf: bf.update_category("", note="x"), "category_id='' is empty: give a key or a name"),
    (lambda bf: bf.assign("2026-13", KEY, 1), "month='2026-13' is not a month"),
    (lambda bf: bf.assign("2026-07", KEY, float("inf")), "amount=inf is not an amount"),
    (lambda bf: bf.move("July", KEY, None, 1), "month='July' is not a month"),
    (lambda bf: bf.move("2026-07", KEY, None, 0), "amount=0 is not greater than zero"),
    (lambda bf: bf.move("2026-07", KEY, None, -5), "exchange from_ and to"),
    (lambda bf: bf.move("2026-07", KEY, None, 0.12345), "amount=0.12345 is not an amount"),
    (lambda bf: bf.update_transaction("t1"), "there is nothing to write"),
    (lambda bf: bf.update_transaction("t1", memo=LONG), "memo has 501 characters"),
    (lambda bf: bf.update_transaction("t1", cleared="yes"), "cleared='yes': it must be one of 'un"),
    (lambda bf: bf.update_transaction("t1", flag_color="pink"), "flag_color='pink'"),
    (lambda bf: bf.delete_transactions([]), "there are no rows: no transaction_id was given"),
    (lambda bf: bf.delete_transactions(["t1", ""]), "row 1: transaction_id='' is not a key"),
    (lambda bf: bf.delete_transactions(["t1", None]), "row 1: transaction_id=None"),  # type: ignore[list-item]
    (lambda bf: bf.delete_transactions(["t1", "."]), r"row 1: transaction_id='\.' is not a key"),
    (lambda bf: bf.delete_transactions(5), "pass a DataFrame or a list of keys, not 5"),  # type: ignore[call-overload]
    (lambda bf: bf.delete_transactions({"t1": 1}), "pass a DataFrame or a list of keys"),
    (lambda bf: bf.delete_transactions(pd.DataFrame({"id": ["t1"]})), "no column transaction_id"),
    (lambda bf: bf.delete_scheduled_transactions([]), "no scheduled_transaction_id was given"),
    (lambda bf: bf.create_scheduled_transactions([]), "there are no rows to write"),
    (lambda bf: bf.create_scheduled_transactions([{"account_id": KEY}]), "row 0 has no date_next"),
    (
        lambda bf: bf.create_scheduled_transactions([schedule(frequency="hourly")]),
        "row 0: frequency='hourly': it must be one of 'never', 'daily'",
    ),
    (
        lambda bf: bf.create_scheduled_transactions([schedule(subtransactions=[])]),
        "subtransactions cannot be written",
    ),
    (lambda bf: bf.update_scheduled_transactions([{"memo": "x"}]), "0 has no scheduled_trans"),
    (
        lambda bf: bf.create_transactions([transaction(payee_name="x" * 201)]),
        "row 0: payee_name has 201 characters; at most 200 are allowed",
    ),
]


def test_a_bad_argument_is_refused_before_anything_is_read(subtests: pytest.Subtests) -> None:
    home = Home()
    for number, (call, message) in enumerate(BAD):
        home.wire.requests.clear()
        with subtests.test(number=number, message=message):
            with pytest.raises(ToolError, match=message) as caught:
                call(home.bf)
            assert str(caught.value).endswith("Nothing was sent")
            assert set(home.wire.lists) <= {"budgets"}


def test_a_text_that_cannot_be_sent_keeps_all_batches_from_being_sent() -> None:
    home = Home()
    with pytest.raises(ToolError, match=r"row 60: memo has .* cannot be sent") as caught:
        home.bf.create_transactions([transaction()] * 60 + [transaction(memo="\ud800")])
    assert home.writes == 0
    assert not hasattr(caught.value, "__notes__")


# After a write


def account_of(bf: BudgetFrame, name: str) -> str:
    return str(bf.accounts().set_index("account_name")["account_id"][name])


def schedule_row(bf: BudgetFrame) -> Json:
    return {
        "account_id": account_of(bf, "Checking"), "date_next": "2026-07-01", "amount": -4.5,
        "payee_name": "A new payee of a schedule",
    }  # fmt: skip


def ordinary(bf: BudgetFrame) -> pd.DataFrame:
    """Rows of one account that are neither transfers nor splits."""
    wanted = "account_name == 'Checking' and transfer_account_id.isna() and not is_split"
    return bf.transactions().query(wanted)


READS: dict[str, Call] = {
    **{name: lambda bf, name=name: getattr(bf, name)() for name in LISTS},  # type: ignore[misc]
    "month": lambda bf: bf.month(),
    "month_categories": lambda bf: bf.month_categories(),
    "ledger": lambda bf: bf.ledger(),
    "account": lambda bf: bf.account(account_of(bf, "Checking")),
    "category": lambda bf: bf.category(RENT),
    "category in May": lambda bf: bf.category(RENT, "2026-05"),
    "of account": lambda bf: bf.transactions_of_account(account_of(bf, "Checking")),
    "of month": lambda bf: bf.transactions_of_month(),
}


def is_same(one: Any, other: Any) -> bool:
    if isinstance(one, pd.DataFrame):
        return one.equals(other)
    return repr(one) == repr(other)  # NaN in a model is not equal to itself


def without_limit(service: Sandbox) -> BudgetFrame:
    """A connection with a count of requests of its own."""
    client = ServiceClient(http_client(service), RateLimiter(10**6), DeltaCache())
    return BudgetFrame(client, budget="Household")


@pytest.mark.slow  # 17 writes, each followed by reads
def test_the_next_read_after_a_write_shows_it(subtests: pytest.Subtests) -> None:
    """All lists and objects are those of a connection that has read nothing before."""
    home = Home()
    for read in READS.values():
        read(home.bf)
    for name in (*CALLS, "import_linked"):
        (door(name) if name in CALLS else BudgetFrame.import_linked)(home.bf)
        other = without_limit(home.sandbox)
        for each, read in READS.items():
            with subtests.test(name=name, each=each):
                assert is_same(read(home.bf), read(other))
    check_books(home.sandbox)


# Deletions


def writes_of(facade: ServiceWithFacade) -> list[str]:
    """Method and last part of the path of each write."""
    return [f"{path.partition(' ')[0]} {path.rpartition('/')[2]}" for path in facade.wire.writes]


def test_rows_are_deleted_in_the_given_order_and_returned(facade: ServiceWithFacade) -> None:
    bf = facade.bf
    before = ordinary(bf).tail(3).reset_index(drop=True)
    keys = before["transaction_id"].tolist()[::-1]
    deleted = bf.delete_transactions(keys)
    pd.testing.assert_frame_equal(deleted, before)
    source = deleted.attrs["budget"], deleted.attrs["source"]
    assert source == ("Household", "DELETE transactions")
    assert writes_of(facade) == [f"DELETE {key}" for key in keys]
    assert not set(keys) & set(bf.transactions()["transaction_id"])


def test_a_split_is_deleted_once_although_its_parts_are_given(facade: ServiceWithFacade) -> None:
    bf = facade.bf
    parts = bf.subtransactions()
    split = parts["transaction_id"].iloc[-1]
    deleted = bf.delete_transactions(parts[parts["transaction_id"] == split])
    assert deleted["is_split"].tolist() == [True]
    assert writes_of(facade) == [f"DELETE {split}"]
    assert split not in set(bf.subtransactions()["transaction_id"])


# Schedules


def test_created_schedules_come_back_as_a_frame_of_schedules() -> None:
    bf = BudgetFrame.sandbox(Sandbox(years=1, budgets=1))
    created = bf.create_scheduled_transactions(
        [schedule_row(bf) | {"memo": memo, "frequency": "monthly"} for memo in ("a", "b")]
    )
    assert sorted(created["memo"]) == ["a", "b"]
    assert created["date_next"].dt.strftime("%Y-%m-%d").tolist() == ["2026-07-01"] * 2
    pd.testing.assert_series_equal(created.dtypes, bf.scheduled_transactions().dtypes)


def test_an_update_of_a_schedule_keeps_the_day_of_another_device(facade: ServiceWithFacade) -> None:
    bf = facade.bf
    created = bf.create_scheduled_transactions([schedule_row(bf)])
    bf.scheduled_transactions()
    with facade.service.device.edit() as editor:
        row = editor.budget.scheduled[created["scheduled_transaction_id"].iloc[0]]
        editor.schedules.edit(row, date=date(2026, 9, 9))
    changed = bf.update_scheduled_transactions(
        created[["scheduled_transaction_id"]].assign(memo="checked")
    )
    assert changed["date_next"].dt.strftime("%Y-%m-%d").tolist() == ["2026-09-09"]


# Answers that do not arrive or cannot be used


def answered(answer: httpx.Response | Exception) -> Home:
    """A service that answers each write like this, and does not receive it."""
    home = Home()

    def answer_it(_number: int, _request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    home.wire.inner = AnsweredWrites(home.wire.inner, answer_it)
    return home


UNUSABLE: list[httpx.Response | Exception] = [
    httpx.ReadTimeout("slow"), httpx.Response(503, text="<html>"), httpx.Response(204),
    data({"x": 1}),
]  # fmt: skip
CALLED: dict[str, Call] = {line: call for call, _, line, _ in WRITES}
CALLED["POST transactions/import"] = lambda bf: bf.import_linked()


@pytest.mark.parametrize("answer", UNUSABLE, ids=["timeout", "503", "204", "no row"])
def test_a_write_without_a_usable_answer_says_that_it_may_have_been_carried_out(
    answer: httpx.Response | Exception, subtests: pytest.Subtests
) -> None:
    for line, call in CALLED.items():
        with subtests.test(line=line):
            home = answered(answer)
            with pytest.raises((ServiceAPIError, httpx.ReadTimeout)) as caught:
                call(home.bf)
            assert home.writes == 1
            assert "The change may have been carried out" in " ".join(caught.value.__notes__)


def test_another_row_in_the_answer_does_not_say_that_it_was_made(subtests: pytest.Subtests) -> None:
    """An update is sent once more, because the present rows show that it was not made."""
    for line, call in CALLED.items():
        with subtests.test(line=line):
            is_row = line.startswith("PATCH") and line != "PATCH transactions"
            home = answered(data({key: {"id": "5" if is_row else 5} for key in ITEMS}))
            with pytest.raises((ServiceAPIError, ToolError)) as caught:
                call(home.bf)
            assert home.writes == 1 + is_row
            text = " ".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
            assert ("twice, and did not apply it" if is_row else "may have been carried") in text


def test_a_refused_write_does_not_say_that_it_may_be_done(subtests: pytest.Subtests) -> None:
    refusal = {"error": {"id": "400", "name": "bad_request", "detail": "no"}}
    for line, call in CALLED.items():
        with subtests.test(line=line):
            home = answered(httpx.Response(400, json=refusal))
            with pytest.raises(ServiceAPIError, match="no") as caught:
                call(home.bf)
            assert home.writes == 1
            assert "may have been" not in " ".join(getattr(caught.value, "__notes__", []))


# The import of linked accounts


def test_the_rows_of_linked_accounts_are_imported(facade: ServiceWithFacade) -> None:
    bf = facade.bf
    before, imported = len(bf.transactions()), bf.import_linked()
    assert imported["payee_name"].tolist() == ["Kiosk am Ring", "Tonspur"]
    assert imported["amount"].tolist() == [-17.8, -23.9]
    assert sorted(imported.attrs["transaction_ids"]) == sorted(imported["transaction_id"])
    served = facade.served
    assert len(bf.transactions()) == before + 1  # the other one matched a row entered by hand
    assert facade.served == served  # the import has read them
    again = bf.import_linked()
    assert len(again) == 0
    assert facade.served == served + 1
    pd.testing.assert_series_equal(again.dtypes, imported.dtypes)


def test_an_import_whose_rows_cannot_be_read_lists_their_keys() -> None:
    def service(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return data({"transaction_ids": ["t1", "t2"]})
        raise httpx.ReadError("reset", request=request)

    with pytest.raises(httpx.ReadError) as caught:
        scripted(one_budget(service)).import_linked()
    assert caught.value.__notes__[-1] == (
        "The import was carried out: 2 transactions have the keys t1, t2. Only reading their rows"
        " failed: do not import again"
    )


# Progress


def test_a_slow_write_shows_how_many_rows_are_done() -> None:
    home, counts = Home(), list[str]()
    progress = home.bf._session.reads.policy.progress

    def note(_number: int, _request: httpx.Request) -> None:
        counts.extend("".join(each) for each in progress._counts)

    home.wire.inner = AnsweredWrites(home.wire.inner, note)
    home.bf.create_scheduled_transactions([schedule()] * 3)
    assert counts == [", 0 of 3 rows", ", 1 of 3 rows", ", 2 of 3 rows"]
    assert progress._counts == []
