"""Writes of transactions: many rows, lost answers, and the frames that are returned."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from tests.changes.doors import ROW
from tests.facade.service import ACCOUNT_ID, AnsweredWrites, ServiceWithFacade, data

Json = dict[str, Any]


def checking(facade: ServiceWithFacade) -> str:
    return str(facade.bf.accounts().set_index("account_name").loc["Checking", "account_id"])


def bread(facade: ServiceWithFacade, **more: Any) -> Json:
    return {"account_id": checking(facade), "date": "2026-06-16", "amount": -4.5, **more}


# Writes of many rows


def loaves(facade: ServiceWithFacade, count: int) -> list[Json]:
    """Rows that can be distinguished by their memos."""
    one = bread(facade)
    return [one | {"memo": str(number), "import_id": f"loaf {number}"} for number in range(count)]


def sent_rows(facade: ServiceWithFacade) -> list[int]:
    """The number of rows in each request that was sent to write transactions."""
    bodies = [json.loads(each.content) for each in facade.wire.requests if each.method != "GET"]
    return [len(body["transactions"]) for body in bodies]


def test_many_rows_are_written_in_requests_of_fifty(facade: ServiceWithFacade) -> None:
    bf, rows = facade.bf, loaves(facade, 120)
    rows[119]["import_id"] = "loaf 7"  # of a row in an earlier request
    created = bf.create_transactions(rows)
    assert sent_rows(facade) == [50, 50, 20]
    assert sorted(created["memo"], key=int) == [str(number) for number in range(119)]
    assert created.attrs["duplicate_import_ids"] == ["loaf 7"]
    changed = bf.update_transactions(created[["transaction_id"]].assign(memo="sold"))
    assert sent_rows(facade) == [50, 50, 20, 50, 50, 19]
    assert changed["memo"].tolist() == ["sold"] * 119
    assert changed["transaction_id"].tolist() == created["transaction_id"].tolist()


CONTINUE = (
    " To continue, call bf.journal().resume(), also in a new process, or apply() or the same call"
    " again: it finds out what was made, and repeats nothing"
)
OUTCOME = (
    "Of 51 changes, 50 were made, 1 may have been made, and 0 were not made. Made: rows 0 to 49."
    " Perhaps made: row 50."
)


def test_a_refused_request_says_which_rows_were_written(facade: ServiceWithFacade) -> None:
    rows, before = loaves(facade, 120), len(facade.bf.transactions())
    facade.service.faults = ["400:POST:*@2"]
    with pytest.raises(ServiceAPIError) as caught:
        facade.bf.create_transactions(rows)
    assert caught.value.__notes__ == [
        "Of 120 changes, 50 were made, and 70 were not made. The service refused 50 of them"
        " together, because of one of them. If it always does, reverse what was made with"
        " undo().apply(), and compare the others again. Made: rows 0 to 49. Refused (an index in"
        " the message counts from the first one): rows 50 to 99. Not made: rows 100 to 119."
        + CONTINUE
    ]
    assert len(facade.bf.transactions()) == before + 50


def second_answer(answer: Callable[[httpx.Request], httpx.Response]) -> BudgetFrame:
    """A service that carries out the first write, and answers the second one like this."""
    facade = ServiceWithFacade(limit=200)
    facade.wire.inner = AnsweredWrites(
        facade.wire.inner, lambda number, request: answer(request) if number == 2 else None
    )
    return facade.bf


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("reset", request=request)


def refused_by_a_hook(request: httpx.Request) -> httpx.Response:
    raise httpx.HTTPStatusError("refused", request=request, response=httpx.Response(500))


def test_a_lost_answer_says_which_rows_may_have_been_written(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Callable[[httpx.Request], httpx.Response], type[Exception]]] = [
        (lost, httpx.ReadError), (refused_by_a_hook, httpx.HTTPStatusError),
        (lambda _: data({"x": 1}), ServiceAPIError),
        (lambda _: data({"transactions": {"a": 1}}), ServiceAPIError),
    ]  # fmt: skip
    for number, (answer, error) in enumerate(cases):
        with subtests.test(number=number, name=error.__name__):
            with pytest.raises(error) as caught:
                second_answer(answer).create_transactions([ROW] * 51)
            assert caught.value.__notes__[-1] == OUTCOME + CONTINUE


def test_an_interrupted_write_warns_which_rows_may_have_been_written() -> None:
    def interrupted(_: httpx.Request) -> httpx.Response:
        raise asyncio.CancelledError

    write = second_answer(interrupted).aio.create_transactions([ROW] * 51)
    with pytest.raises(asyncio.CancelledError), pytest.warns(RuntimeWarning, match=OUTCOME):
        asyncio.run(write)


def test_rows_that_need_more_requests_than_the_limit_leaves_are_not_sent() -> None:
    facade = ServiceWithFacade(limit=200, threshold=5)
    rows = loaves(facade, 101)  # two requests: budgets and accounts; the write reads transactions
    with pytest.raises(
        ToolError,
        match=r"the changes need 3 requests, but the limit leaves 2 of 5: wait for up to one hour,"
        r" or write fewer rows. Nothing was sent",
    ):
        facade.bf.create_transactions(rows)
    assert sent_rows(facade) == []
    facade.bf.create_transactions(rows[:100])
    assert sent_rows(facade) == [50, 50]


# The facade's own writes


def test_created_rows_come_back_as_a_frame_of_transactions(facade: ServiceWithFacade) -> None:
    created = facade.bf.create_transactions([bread(facade, memo="rye", payee_name="Baker's")])
    assert created[["amount", "memo", "payee_name"]].to_dict("records") == [
        {"amount": -4.5, "memo": "rye", "payee_name": "Baker's"}
    ]
    source = created.attrs["budget"], created.attrs["source"], created.attrs["as_of"][-6:]
    assert source == ("Household", "POST transactions", "+00:00")
    pd.testing.assert_series_equal(created.dtypes, facade.bf.transactions().dtypes)


def test_the_rows_given_are_not_modified(facade: ServiceWithFacade) -> None:
    row = bread(facade)
    given = dict(row)
    facade.bf.create_transactions([row])
    assert row == given


def test_invalid_rows_send_no_request(facade: ServiceWithFacade, subtests: pytest.Subtests) -> None:
    rows: Any
    for rows in [
        [], [{}], [{"account_name": "Wallet", "date": "2026-06-16"}],
        [ROW | {"date": "16.06.2026"}], [ROW | {"balance": 3}], [ROW | {"approved": "no"}],
        [ROW | {"subtransactions": "x"}], ROW, ACCOUNT_ID, [None], [["Wallet", "2026-06-16", -1.0]],
        None, pd.DataFrame(),
        pd.DataFrame({"account_id": [ACCOUNT_ID], "date": ["2026-06-16"], "amount": [None]}),
    ]:  # fmt: skip
        with subtests.test(rows=rows):
            with pytest.raises(ToolError):
                facade.bf.create_transactions(rows)
            assert facade.wire.lists == []
