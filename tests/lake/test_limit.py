"""The limit of a token is one: connections, lakes and their workers count together."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.lake import Lake
from budgetframe.lake.reads import ReadTask, read_in_process

from .service import EURO, Service


@pytest.fixture
def bf(service: Service) -> Iterator[BudgetFrame]:
    """A connection that has sent two requests: for the list of budgets and for the accounts."""
    with BudgetFrame.connect(
        service.sandbox.token, base_url=service.url, budget=EURO, on_limit="raise"
    ) as connection:
        connection.accounts()
        yield connection


class Cluster:
    """One worker, which gets a copy of each task as another process would.

    `on_task` is called before a task, with "list" or "read".
    """

    def __init__(self, on_task: Callable[[str], object] = str) -> None:
        self._on_task = on_task

    def nthreads(self) -> dict[str, int]:
        return {"worker": 1}

    def submit(self, _call: object, task: ReadTask, **_: Any) -> Future[Any]:
        def run() -> Any:
            self._on_task("read" if task.budgets[0].budget_id else "list")
            # Without the thread pool of a Dask worker, which the function would leave.
            return pickle.loads(pickle.dumps(read_in_process(copied)))  # noqa: S301 - our own bytes

        copied = pickle.loads(pickle.dumps(task))  # noqa: S301 - our own bytes
        with ThreadPoolExecutor() as pool:
            return pool.submit(run)


WORKERS = pytest.mark.parametrize("client", [None, Cluster()], ids=["here", "on a worker"])


def use_all_but(left: int, bf: BudgetFrame) -> None:
    """Count requests until the limit allows only so many more."""
    for _ in range(200 - left - bf.requests.used):
        bf._session.reads.client.guard.limiter.record()


@WORKERS
def test_a_connection_counts_the_requests_of_a_lake(
    service: Service, new_lake: Lake, bf: BudgetFrame, client: Any
) -> None:
    new_lake.sync([service.source()], client)  # the list and two budgets
    assert bf.requests.used == service.sandbox.requests_served == 5


@WORKERS
def test_a_lake_counts_the_requests_of_a_connection(
    service: Service, new_lake: Lake, bf: BudgetFrame, client: Any
) -> None:
    use_all_but(2, bf)
    result = new_lake.sync([service.source()], client)  # the list and one of the two budgets
    assert sorted(result["status"]) == ["limit", "ok"]
    assert "rate limit reached (200 requests this hour)" in " ".join(result["reason"])
    assert service.sandbox.requests_served == 4
    assert bf.requests.used == 200
    with pytest.raises(ToolError, match=r"rate limit reached \(200 requests this hour\)"):
        bf.payees()


def test_a_connection_after_a_sync_continues_its_count(service: Service, new_lake: Lake) -> None:
    new_lake.sync([service.source()])
    with BudgetFrame.connect(service.sandbox.token, base_url=service.url) as bf:
        assert bf.requests.used == 3


def test_the_requests_of_a_worker_are_reserved_until_it_answers(
    service: Service, new_lake: Lake, bf: BudgetFrame
) -> None:
    used: list[tuple[str, int]] = []
    cluster = Cluster(lambda name: used.append((name, bf.requests.used)))
    new_lake.sync([service.source()], cluster)  # type: ignore[arg-type]
    # At most three attempts for the changes of a budget, and three for all of it.
    assert used == [("list", 2 + 6), ("read", 3 + 2 * 6)]
    assert bf.requests.used == 5


def test_unanswered_requests_count(service: Service, new_lake: Lake, bf: BudgetFrame) -> None:
    service.sandbox.faults = [f"500:GET:*/budgets/{service.id_of(EURO)}", "cut:GET:*/budgets@1"]
    result = new_lake.sync([service.source()], Cluster())  # type: ignore[arg-type]
    assert sorted(result["status"]) == ["failed", "ok"]
    assert bf.requests.used == 6  # of the connection 2, of the list 2, and of each budget 1


def test_all_requests_that_a_failed_worker_may_have_sent_count(
    service: Service, new_lake: Lake, bf: BudgetFrame
) -> None:
    def fail(name: str) -> None:
        if name == "read":
            raise OSError("the connection to the worker is lost")

    result = new_lake.sync([service.source()], Cluster(fail))  # type: ignore[arg-type]
    assert result["status"].tolist() == ["failed"] * 2
    assert bf.requests.used == 3 + 2 * 6


class Interrupted(BaseException):
    """The user interrupts the sync."""


def test_no_request_stays_reserved(service: Service, new_lake: Lake, bf: BudgetFrame) -> None:
    def interrupt(name: str) -> None:
        if name == "read":
            raise Interrupted

    with pytest.raises(Interrupted):
        new_lake.sync([service.source()], Cluster(interrupt))  # type: ignore[arg-type]
    assert bf._session.reads.client.guard._pending.under_way == 0
    assert bf.requests.used == 3 + 2 * 6  # the worker may go on


def test_two_connections_to_one_embedded_service_count_together(service: Service) -> None:
    with service.facade() as first, service.facade() as second:
        first.accounts()
        second.accounts()
        assert first.requests.used == second.requests.used == service.sandbox.requests_served == 4
