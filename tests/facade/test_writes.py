"""Writes and edits by other devices: which answers are current afterwards."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from tests.facade.service import ACCOUNT_ID, ServiceWithFacade, data, one_budget, scripted

Json = dict[str, Any]


@pytest.fixture
def service_with_facade() -> ServiceWithFacade:
    """A new service that the test may change."""
    return ServiceWithFacade(limit=200)


def checking(service_with_facade: ServiceWithFacade) -> str:
    accounts = service_with_facade.bf.accounts()
    return str(accounts.set_index("account_name").loc["Checking", "account_id"])


def bread(service_with_facade: ServiceWithFacade, **more: Any) -> Json:
    return {
        "account_id": checking(service_with_facade),
        "date": "2026-06-16",
        "amount": -4.5,
        **more,
    }


def on_its_loop(service_with_facade: ServiceWithFacade, write: Coroutine[Any, Any, Json]) -> Json:
    """Await a coroutine on the background loop, as the facade does."""
    return service_with_facade.bf._wait_for(write)


def balance(service_with_facade: ServiceWithFacade, account_id: str) -> float:
    return float(service_with_facade.bf.accounts().set_index("account_id")["balance"][account_id])


# A client that is used besides the facade


def test_a_write_through_the_client_makes_the_frames_fresh(
    service_with_facade: ServiceWithFacade,
) -> None:
    account_id = checking(service_with_facade)
    before = balance(service_with_facade, account_id)
    service_with_facade.bf.transactions()
    body = {"transaction": {"account_id": account_id, "date": "2026-06-16", "amount": -4_500}}
    path = f"{service_with_facade.path.removeprefix('/v1')}/transactions"
    written = on_its_loop(service_with_facade, service_with_facade.client.post(path, json=body))
    frame = service_with_facade.bf.transactions()
    assert written["transaction"]["id"] in frame["transaction_id"].tolist()
    assert round((balance(service_with_facade, account_id) - before) * 1000) == -4_500


def test_a_write_of_a_transaction_drops_the_lists_that_depend_on_it(
    service_with_facade: ServiceWithFacade,
    subtests: pytest.Subtests,
) -> None:
    for name in ["accounts", "categories", "months", "payees", "export", "month"]:
        with subtests.test(name=name):
            row = bread(service_with_facade)
            getattr(service_with_facade.bf, name)()
            service_with_facade.bf.create_transactions([row])
            served = service_with_facade.served
            getattr(service_with_facade.bf, name)()
            assert service_with_facade.served == served + 1


def test_a_write_of_a_transaction_keeps_the_lists_that_do_not_depend_on_it(
    service_with_facade: ServiceWithFacade,
    subtests: pytest.Subtests,
) -> None:
    for name in ["settings", "user", "payee_locations"]:
        with subtests.test(name=name):
            row = bread(service_with_facade)
            getattr(service_with_facade.bf, name)()
            service_with_facade.bf.create_transactions([row])
            served = service_with_facade.served
            getattr(service_with_facade.bf, name)()
            assert service_with_facade.served == served


def test_a_write_of_one_budget_leaves_the_other_alone(
    service_with_facade: ServiceWithFacade,
) -> None:
    other = service_with_facade.bf.with_budget("東京の家計")
    other.accounts()
    service_with_facade.bf.create_transactions([bread(service_with_facade)])
    served = service_with_facade.served
    other.accounts()
    assert service_with_facade.served == served


def test_a_refused_write_drops_the_cached_lists_too(
    service_with_facade: ServiceWithFacade,
) -> None:
    service_with_facade.bf.transactions()
    with pytest.raises(ServiceAPIError):
        service_with_facade.bf.create_transactions(
            [bread(service_with_facade, account_id=ACCOUNT_ID)]
        )
    served = service_with_facade.served
    service_with_facade.bf.transactions()
    assert service_with_facade.served == served + 1


# Writes of many rows


def loaves(service_with_facade: ServiceWithFacade, count: int) -> list[Json]:
    """Rows that can be distinguished by their memos."""
    one = bread(service_with_facade)
    return [one | {"memo": str(number), "import_id": f"loaf {number}"} for number in range(count)]


def sent_rows(service_with_facade: ServiceWithFacade) -> list[int]:
    """The number of rows in each request that was sent to write transactions."""
    requests = service_with_facade.wire.requests
    bodies = [json.loads(each.content) for each in requests if each.method != "GET"]
    return [len(body["transactions"]) for body in bodies]


def test_many_rows_are_written_in_requests_of_fifty(service_with_facade: ServiceWithFacade) -> None:
    bf, rows = service_with_facade.bf, loaves(service_with_facade, 120)
    rows[119]["import_id"] = "loaf 7"  # of a row in an earlier request
    created = bf.create_transactions(rows)
    assert sent_rows(service_with_facade) == [50, 50, 20]
    assert sorted(created["memo"], key=int) == [str(number) for number in range(119)]
    assert created.attrs["duplicate_import_ids"] == ["loaf 7"]
    changed = bf.update_transactions(created[["transaction_id"]].assign(memo="sold"))
    assert sent_rows(service_with_facade) == [50, 50, 20, 50, 50, 19]
    assert changed["memo"].tolist() == ["sold"] * 119
    assert changed["transaction_id"].tolist() == created["transaction_id"].tolist()


def test_a_refused_request_says_which_rows_were_written(
    service_with_facade: ServiceWithFacade,
) -> None:
    rows = loaves(service_with_facade, 120)
    rows[70]["account_id"] = ACCOUNT_ID  # of another budget
    before = len(service_with_facade.bf.transactions())
    with pytest.raises(ServiceAPIError) as caught:
        service_with_facade.bf.create_transactions(rows)
    assert caught.value.__notes__[-1] == (
        "Of 120 rows: rows 0 to 49 were written; rows 50 to 99 were refused (an index in the"
        " message is one of them, counted from row 50); rows 100 to 119 were not sent."
    )
    assert len(service_with_facade.bf.transactions()) == before + 50


ROW = {"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -4.5}
OUTCOME = "Of 51 rows: rows 0 to 49 were written; row 50 was sent, and may have been written: read"


def second_answer(answer: Callable[[httpx.Request], httpx.Response]) -> BudgetFrame:
    """A service that carries out the first write, and answers the second one like this."""
    writes: list[httpx.Request] = []

    def service(request: httpx.Request) -> httpx.Response:
        writes.append(request)
        return answer(request) if len(writes) > 1 else data({"transactions": []})

    return scripted(one_budget(service))


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("reset", request=request)


def refused_by_a_hook(request: httpx.Request) -> httpx.Response:
    raise httpx.HTTPStatusError("refused", request=request, response=httpx.Response(500))


def test_a_lost_answer_says_which_rows_may_have_been_written(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Callable[[httpx.Request], httpx.Response], type[Exception]]] = [
        (lost, httpx.ReadError),
        (refused_by_a_hook, httpx.HTTPStatusError),
        (lambda _: data({"x": 1}), ServiceAPIError),
        (lambda _: data({"transactions": {"a": 1}}), ServiceAPIError),
    ]
    for number, (answer, error) in enumerate(cases):
        with subtests.test(number=number, name=error.__name__):
            with pytest.raises(error) as caught:
                second_answer(answer).create_transactions([ROW] * 51)
            rest = " the transactions before you write these rows again."
            assert caught.value.__notes__[-1] == OUTCOME + rest


def test_an_interrupted_write_warns_which_rows_may_have_been_written() -> None:
    def interrupted(_: httpx.Request) -> httpx.Response:
        raise asyncio.CancelledError

    write = second_answer(interrupted).aio.create_transactions([ROW] * 51)
    with pytest.raises(asyncio.CancelledError), pytest.warns(RuntimeWarning, match=OUTCOME):
        asyncio.run(write)


def test_rows_that_need_more_requests_than_the_limit_leaves_are_not_sent() -> None:
    service_with_facade = ServiceWithFacade(limit=200, threshold=4)
    rows = loaves(service_with_facade, 101)  # two requests: budgets and accounts
    with pytest.raises(
        ToolError,
        match=r"101 rows need 3 requests of 50 rows, but the limit leaves 2 of 4 requests: write at"
        r" most 100 rows now, or wait for up to one hour. Nothing was sent",
    ):
        service_with_facade.bf.create_transactions(rows)
    assert sent_rows(service_with_facade) == []
    service_with_facade.bf.create_transactions(rows[:100])
    assert sent_rows(service_with_facade) == [50, 50]


# The facade's own writes


def test_amounts_are_given_in_currency_units(service_with_facade: ServiceWithFacade) -> None:
    service_with_facade.bf.create_transactions([bread(service_with_facade, amount=-4.505)])
    rows = service_with_facade.service.device.state().transactions.live()
    assert -4_505 in [row.amount for row in rows]


def test_an_amount_becomes_exactly_its_milliunits(
    service_with_facade: ServiceWithFacade, subtests: pytest.Subtests
) -> None:
    for amount, milliunits in [
        (-4.5, -4_500),
        (0.001, 1),
        (0.1, 100),
        (0.1 + 0.2, 300),
        (-1_234_567.891, -1_234_567_891),
        (3, 3_000),
        (Decimal("-12.34"), -12_340),
    ]:
        with subtests.test(amount=amount, milliunits=milliunits):
            created = service_with_facade.bf.create_transactions(
                [bread(service_with_facade, amount=amount)]
            )
            state = service_with_facade.service.device.state()
            assert state.transactions[created["transaction_id"].iloc[0]].amount == milliunits


def test_an_amount_that_is_no_number_of_milliunits_is_refused(
    service_with_facade: ServiceWithFacade,
    subtests: pytest.Subtests,
) -> None:
    for amount in [1.23456, float("nan"), float("inf"), "lots", "", True, [1]]:
        with subtests.test(amount=amount):
            row = bread(service_with_facade, amount=amount)
            served = service_with_facade.served
            with pytest.raises(ToolError, match="row 0"):
                service_with_facade.bf.create_transactions([row])
            assert service_with_facade.served == served


def test_created_rows_come_back_as_a_frame_of_transactions(
    service_with_facade: ServiceWithFacade,
) -> None:
    created = service_with_facade.bf.create_transactions(
        [bread(service_with_facade, memo="rye", payee_name="Baker's")]
    )
    assert created[["amount", "memo", "payee_name"]].to_dict("records") == [
        {"amount": -4.5, "memo": "rye", "payee_name": "Baker's"}
    ]
    pd.testing.assert_series_equal(created.dtypes, service_with_facade.bf.transactions().dtypes)


def test_rows_may_come_in_a_frame(service_with_facade: ServiceWithFacade) -> None:
    frame = pd.DataFrame(
        {
            "account_id": [checking(service_with_facade)] * 2,
            "date": pd.to_datetime(["2026-06-15", "2026-06-16"]),
            "amount": [-1.0, -2.25],
            "memo": [None, "second"],
        }
    )
    created = service_with_facade.bf.create_transactions(frame)
    assert created["date"].dt.day.tolist() == [15, 16]
    assert created["amount"].tolist() == [-1.0, -2.25]
    assert created["memo"].fillna("none").tolist() == ["none", "second"]


def test_the_rows_given_are_not_modified(service_with_facade: ServiceWithFacade) -> None:
    row = bread(service_with_facade)
    given = dict(row)
    service_with_facade.bf.create_transactions([row])
    assert row == given


def test_a_used_import_id_is_skipped_and_listed_in_the_attrs(
    service_with_facade: ServiceWithFacade,
) -> None:
    row = bread(service_with_facade, import_id="BF:-4500:2026-06-16:1")
    service_with_facade.bf.create_transactions([row])
    again = service_with_facade.bf.create_transactions([row])
    assert len(again) == 0
    assert again.attrs["duplicate_import_ids"] == ["BF:-4500:2026-06-16:1"]


def test_a_written_frame_states_its_time_and_its_budget(
    service_with_facade: ServiceWithFacade,
) -> None:
    attrs = service_with_facade.bf.create_transactions([bread(service_with_facade)]).attrs
    assert (attrs["budget"], attrs["source"]) == ("Household", "POST transactions")
    assert attrs["as_of"].endswith("+00:00")


def test_a_split_is_written_with_its_parts(service_with_facade: ServiceWithFacade) -> None:
    parts = [{"amount": -3.5, "memo": "rye"}, {"amount": -1.0, "memo": "rolls"}]
    created = service_with_facade.bf.create_transactions(
        [bread(service_with_facade, subtransactions=parts)]
    )
    whole = created["transaction_id"].iloc[0]
    frame = service_with_facade.bf.subtransactions(since="2026-06-16")
    own = frame[frame["transaction_id"] == whole]
    assert sorted(own["amount"]) == [-3.5, -1.0]


def test_invalid_rows_are_refused_before_any_request(
    service_with_facade: ServiceWithFacade,
    subtests: pytest.Subtests,
) -> None:
    rows: Any
    for rows in [
        [],
        [{}],
        [{"account_id": ACCOUNT_ID, "date": "2026-06-16"}],
        [{"account_id": ACCOUNT_ID, "date": "16.06.2026", "amount": -1.0}],
        [{"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -1.0, "balance": 3}],
        [{"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -1.0, "approved": "no"}],
        [{"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -1.0, "subtransactions": "x"}],
        {"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -1.0},
        ACCOUNT_ID,
        [None],
        [[ACCOUNT_ID, "2026-06-16", -1.0]],
        None,
        pd.DataFrame(),
        pd.DataFrame({"account_id": [ACCOUNT_ID], "date": ["2026-06-16"], "amount": [None]}),
    ]:
        with subtests.test(rows=rows):
            with pytest.raises(ToolError):
                service_with_facade.bf.create_transactions(rows)
            assert service_with_facade.served == 0


def test_a_refusal_names_the_row_and_the_field(service_with_facade: ServiceWithFacade) -> None:
    good = {"account_id": ACCOUNT_ID, "date": "2026-06-16", "amount": -1.0}
    with pytest.raises(ToolError, match=r"row 1.*date"):
        service_with_facade.bf.create_transactions([good, {**good, "date": "yesterday"}])


def test_a_category_group_is_created_and_renamed(service_with_facade: ServiceWithFacade) -> None:
    group = service_with_facade.bf.create_category_group("Garden")
    assert service_with_facade.bf.rename_category_group(group.id, "Allotment").name == "Allotment"


def test_a_hostile_id_of_a_category_group_is_refused(
    service_with_facade: ServiceWithFacade,
    subtests: pytest.Subtests,
) -> None:
    for group_id in ["", "..", "."]:
        with subtests.test(group_id=group_id):
            with pytest.raises(ToolError):
                service_with_facade.bf.rename_category_group(group_id, "Allotment")
            assert not any(path.startswith("PATCH") for path in service_with_facade.wire.paths)


# Edits on another device


def edited(service_with_facade: ServiceWithFacade) -> BudgetFrame:
    """The facade, after the time to live has passed."""
    service_with_facade.clock.advance(300.0)
    return service_with_facade.bf


def test_within_the_time_to_live_edits_of_others_are_not_seen(
    service_with_facade: ServiceWithFacade,
) -> None:
    key = checking(service_with_facade)
    service_with_facade.service.device.rename_account(key, "Giro")
    assert "Giro" not in service_with_facade.bf.accounts()["account_name"].tolist()


def test_after_the_time_to_live_edits_of_others_appear(
    service_with_facade: ServiceWithFacade,
) -> None:
    key = checking(service_with_facade)
    service_with_facade.service.device.rename_account(key, "Giro")
    assert "Giro" in edited(service_with_facade).accounts()["account_name"].tolist()


def test_new_rows_of_others_appear(service_with_facade: ServiceWithFacade) -> None:
    key = checking(service_with_facade)
    service_with_facade.bf.transactions()
    new = service_with_facade.service.device.add_transaction(
        account_id=key, date=date(2023, 5, 5), amount=-1_000, payee_name="Kiosk"
    )
    frame = edited(service_with_facade).transactions()
    assert new in frame["transaction_id"].tolist()
    assert frame["date"].is_monotonic_increasing


def test_an_old_row_edited_by_others_changes(service_with_facade: ServiceWithFacade) -> None:
    oldest = service_with_facade.bf.transactions()["transaction_id"].iloc[0]
    service_with_facade.service.device.edit_transaction(oldest, memo="found the receipt")
    frame = edited(service_with_facade).transactions()
    row = frame.set_index("transaction_id").loc[oldest]
    assert row["memo"] == "found the receipt"


def test_rows_deleted_on_another_device_disappear(service_with_facade: ServiceWithFacade) -> None:
    last = service_with_facade.bf.transactions()["transaction_id"].iloc[-1]
    service_with_facade.service.device.delete_transaction(last)
    assert last not in edited(service_with_facade).transactions()["transaction_id"].tolist()


def test_the_parts_of_a_deleted_split_disappear(service_with_facade: ServiceWithFacade) -> None:
    whole = service_with_facade.bf.subtransactions()["transaction_id"].iloc[0]
    service_with_facade.service.device.delete_transaction(whole)
    assert whole not in edited(service_with_facade).subtransactions()["transaction_id"].tolist()


def test_a_category_moved_on_another_device_appears_once(
    service_with_facade: ServiceWithFacade,
) -> None:
    before = service_with_facade.bf.categories().set_index("category_name")
    groceries = str(before["category_id"]["Groceries"])
    car = before.loc[before["category_group_name"] == "Car", "category_group_id"].iloc[0]
    service_with_facade.service.device.move_category(groceries, car)
    after = edited(service_with_facade).categories()
    moved = after[after["category_id"] == groceries]
    assert moved["category_group_name"].tolist() == ["Car"]


def test_a_list_brought_up_to_date_equals_one_read_in_full(
    service_with_facade: ServiceWithFacade,
    subtests: pytest.Subtests,
) -> None:
    for name in ["accounts", "categories", "months", "payees", "transactions"]:
        with subtests.test(name=name):
            key = checking(service_with_facade)
            getattr(service_with_facade.bf, name)()
            device = service_with_facade.service.device
            device.add_transaction(
                account_id=key, date=date(2026, 6, 3), amount=-12_340, payee_name="A new payee"
            )
            device.delete_transaction(
                service_with_facade.bf.transactions()["transaction_id"].iloc[-1]
            )
            merged = getattr(edited(service_with_facade), name)()
            assert "last_knowledge_of_server" in service_with_facade.wire.queries[-1]
            whole = getattr(BudgetFrame.sandbox(service_with_facade.service), name)()
            pd.testing.assert_frame_equal(merged, whole)


def test_a_client_awaited_elsewhere_makes_the_frames_fresh_as_well(
    service_with_facade: ServiceWithFacade,
) -> None:
    service_with_facade.bf.accounts()
    body = {"category_group": {"name": "Garden"}}
    path = f"{service_with_facade.path.removeprefix('/v1')}/category_groups"
    service_with_facade.bf.categories()
    asyncio.run(service_with_facade.client.post(path, json=body))
    served = service_with_facade.served
    service_with_facade.bf.categories()
    assert service_with_facade.served == served + 1
