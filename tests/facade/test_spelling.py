"""A service that knows only the paths under ``/plans``."""

import asyncio

import pytest

from budgetframe import BudgetFrame, RateLimiter, ServiceAPIError, ServiceClient
from budgetframe._client.spelling import ConnectionClient
from budgetframe.sandbox import Sandbox
from tests.sandbox.ask import http_client

from .service import Recorder


class PlansOnly:
    """A client of such a service, with its requests and its limiter."""

    def __init__(
        self, spellings: tuple[str, ...] = ("plans",), kind: type[ServiceClient] = ConnectionClient
    ) -> None:
        self.sandbox = Sandbox(budgets=1, years=1, spellings=spellings)
        self.recorder = Recorder(self.sandbox.transport())
        self.limiter = RateLimiter()
        self.client = kind(http_client(self.sandbox, self.recorder), self.limiter)

    @property
    def roots(self) -> list[str]:
        return [path.split("/")[2] for path in self.recorder.paths]


def test_the_other_spelling_costs_one_request_once_and_counts() -> None:
    service = PlansOnly()
    with BudgetFrame(service.client, budget="Household") as bf:
        assert bf.budgets()["budget_name"].tolist() == ["Household"]
        assert "Checking" in bf.accounts()["account_name"].tolist()
        bf.payees()
    assert service.roots == ["budgets", "plans", "plans", "plans"]
    assert service.limiter.check()[1] == 4


def test_a_client_that_a_person_built_sends_one_request_for_each_call() -> None:
    service = PlansOnly(kind=ServiceClient)
    with BudgetFrame(service.client, budget="Household") as bf:
        for read in (bf.budgets, bf.accounts):
            with pytest.raises(ServiceAPIError, match="URI does not exist"):
                read()
    assert service.roots == ["budgets", "budgets"]
    assert service.limiter.check()[1] == 2
    with BudgetFrame.sandbox(service.sandbox, budget="Household") as bf:
        assert "Checking" in bf.accounts()["account_name"].tolist()


def test_the_keys_of_the_answers_are_those_of_the_path_that_was_asked_for() -> None:
    service = PlansOnly()
    budget_id = service.sandbox.budgets[0].budget.id

    async def keys(*paths: str) -> list[list[str]]:
        return [sorted(await service.client.get(path)) for path in paths]

    assert asyncio.run(keys("/budgets", f"/budgets/{budget_id}", "/plans")) == [
        ["budgets", "default_budget"], ["budget"], ["default_plan", "plans"],
    ]  # fmt: skip


def test_the_last_used_budget_is_found_although_the_list_is_not_read() -> None:
    service = PlansOnly()
    with BudgetFrame(service.client, budget="last-used") as bf:
        assert "Checking" in bf.accounts()["account_name"].tolist()
    assert service.roots == ["budgets", "plans", "plans"]


def test_writes_and_their_undoing_use_the_other_spelling() -> None:
    service = PlansOnly()
    with BudgetFrame(service.client, budget="Household") as bf:
        applied = bf.changes(bf.transactions().tail(1).assign(memo="changed here")).apply()
        assert bf.transactions().tail(1)["memo"].tolist() == ["changed here"]
        applied.undo().apply()
        assert bf.transactions().tail(1)["memo"].tolist() != ["changed here"]
    assert service.roots.count("budgets") == 1


@pytest.mark.parametrize(("spellings", "roots"), [
    (("plans",), ["budgets", "plans", "plans", "plans"]),
    (("budgets", "plans"), ["budgets", "budgets", "budgets"]),
])  # fmt: skip
def test_a_missing_object_costs_no_more(spellings: tuple[str, ...], roots: list[str]) -> None:
    service = PlansOnly(spellings)
    with BudgetFrame(service.client, budget="Household") as bf:
        for _ in range(2):
            with pytest.raises(ServiceAPIError, match="is not a key in this budget"):
                bf.transaction("00000000-0000-4000-8000-00000000dead")
    assert service.roots == roots


def test_a_first_request_for_an_unknown_object_finds_the_spelling_too() -> None:
    service = PlansOnly()
    budget_id = service.sandbox.budgets[0].budget.id

    async def ask() -> None:
        for _ in range(2):
            with pytest.raises(ServiceAPIError, match="Resource not found"):
                await service.client.get(f"/budgets/{budget_id}/transactions/none")

    asyncio.run(ask())
    assert service.roots == ["budgets", "plans", "plans"]


def test_a_service_that_knows_neither_spelling_is_an_error_that_names_both() -> None:
    service = PlansOnly(())
    with pytest.raises(ServiceAPIError, match="URI does not exist") as caught:
        asyncio.run(service.client.get("/budgets"))
    assert caught.value.__notes__ == [
        "Check base_url: the address of the service usually ends with /v1",
        "The service knows neither /budgets nor /plans below this address",
    ]


def test_a_token_that_may_only_read_is_named() -> None:
    service = PlansOnly(("budgets",))
    service.sandbox.faults = ["403.3:POST"]
    with (
        BudgetFrame(service.client, budget="Household") as bf,
        pytest.raises(ServiceAPIError, match="Unauthorized scope") as caught,
    ):
        bf.create_payee("Bakery")
    assert caught.value.__notes__[0].startswith("This token may only read, and nothing was written")
