"""Comparing the transactions with the service's own figures."""

import httpx
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import ServiceAPIError
from tests.facade.service import EMPTY_EXPORT, Home, ServiceWithFacade, data, one_budget, scripted

EARLIEST = {"since_date": "1900-01-01"}


def spoil(home: ServiceWithFacade) -> None:
    """Remove a row from the cache; no delta of the service will restore it."""
    cache = home.client.cache
    assert cache is not None
    key = f"{home.service.device.state().id}:transactions"
    held = cache.get_data(key, params=EARLIEST)
    knowledge = cache.get_knowledge(key, params=EARLIEST)
    assert held is not None
    assert knowledge is not None
    del held["transactions"][3]
    cache.invalidate(key)
    cache.update(key, held, knowledge, params=EARLIEST)


def test_reconcile_compares_each_account_and_category_each_month(home: ServiceWithFacade) -> None:
    found, export = home.bf.reconcile(), home.bf.export()
    assert found.ok
    assert (found["subject"] == "account").sum() == len(export["accounts"])
    assert (found["subject"] == "category month").sum() >= len(export["month_categories"])


def test_reconcile_costs_two_requests_and_caches_its_lists(home: ServiceWithFacade) -> None:
    home.bf.budgets()
    attrs = home.bf.reconcile().attrs
    assert home.served == 3
    assert attrs["budget"] == "Household"
    assert attrs["as_of"] == home.bf.transactions().attrs["as_of"]
    assert attrs["source"].count("GET /budgets/") == 2
    home.bf.accounts()
    home.bf.export()
    assert home.served == 3
    home.bf.reconcile()
    assert home.served == 5
    assert "last_knowledge_of_server" in home.wire.queries[-2]  # of the transactions


def test_a_row_lost_by_the_cache_is_reloaded_with_a_warning() -> None:
    home = ServiceWithFacade(limit=1_000)
    right = home.bf.transactions()
    spoil(home)
    assert len(home.bf.transactions()) == len(right) - 1
    before = home.served
    with pytest.warns(RuntimeWarning, match="were reloaded in full, and they agree now") as caught:
        found = home.bf.reconcile()
    assert found.ok
    assert found.attrs["reread"] == str(caught[0].message)
    assert home.served == before + 6
    assert_frame_equal(home.bf.transactions(), right)


def test_an_edit_between_the_two_reads_is_no_difference() -> None:
    home = ServiceWithFacade(limit=1_000)
    home.bf.budgets()
    account_id = next(iter(home.service.device.state().accounts.live())).id
    handle, edits = home.wire.handle_async_request, [-12_340]

    async def edit_before_the_export(request: httpx.Request) -> httpx.Response:
        if edits and not request.url.path.endswith("/transactions"):
            home.service.device.add_transaction(
                account_id=account_id, date=home.service.today, amount=edits.pop(), category_id=None
            )
        return await handle(request)

    home.http._transport.handle_async_request = edit_before_the_export  # type: ignore[method-assign]
    before, found = home.served, home.bf.reconcile()
    assert found.ok
    assert "reread" not in found.attrs
    assert home.served == before + 4


ACCOUNT = {
    "id": "a1", "name": "Checking", "type": "checking", "on_budget": True, "closed": False,
    "balance": 12_340, "cleared_balance": 12_340, "uncleared_balance": 0, "deleted": False,
}  # fmt: skip
ROW = {
    "id": "t1", "date": "2026-06-01", "amount": 12_000, "cleared": "cleared", "approved": True,
    "account_id": "a1", "account_name": "Checking", "deleted": False, "subtransactions": [],
    "transfer_account_id": "a1",
}  # fmt: skip


def at_odds(request: httpx.Request) -> httpx.Response:
    """A service whose account has a balance of 12.34, and transactions of 12.00."""
    if request.url.path.endswith("/transactions"):
        return data({"transactions": [ROW], "server_knowledge": 5})
    return data({"budget": {**EMPTY_EXPORT, "id": "b1", "name": "Home", "accounts": [ACCOUNT]}})


def test_a_contradiction_within_the_service_is_reported_and_reloaded_once() -> None:
    asked = []

    def counted(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return at_odds(request)

    bf = scripted(one_budget(counted))
    with pytest.warns(RuntimeWarning, match="Checking by -0.34.*still do not agree"):
        found = bf.reconcile()
    assert not found.ok
    assert found.summary == "1 of 1 row differs: Checking by -0.34"
    assert found["difference_milliunits"].tolist() == [-340]
    assert len(asked) == 6
    with pytest.warns(RuntimeWarning, match="figures still differ: 1 of 1 row differs: Checking"):
        assert not bf.reconcile().ok
    assert len(asked) == 8


def test_reconcile_raises_an_error_answer_and_uses_no_older_data() -> None:
    home = Home()
    home.bf.reconcile()
    home.fail("500")
    with pytest.raises(ServiceAPIError):
        home.bf.reconcile()


# Verification at each read


def test_verify_compares_the_transactions_with_the_service_at_every_read() -> None:
    home = ServiceWithFacade(limit=1_000, verify=True)
    right = home.bf.transactions()
    spoil(home)
    with pytest.warns(RuntimeWarning, match="were reloaded in full, and they agree now"):
        assert_frame_equal(home.bf.transactions(), right)


def test_verify_costs_one_more_request_which_also_serves_other_lists() -> None:
    bf = ServiceWithFacade(verify=True).bf
    bf.transactions()
    bf.accounts()
    bf.categories()
    bf.subtransactions()
    assert bf.requests.by_resource == {"budgets": 1, "transactions": 1, "export": 1}


def test_verify_warns_if_the_comparison_failed() -> None:
    home = Home(verify=True)
    home.bf.budgets()
    home.fail("500:GET:/budgets/*@2-")
    with pytest.warns(RuntimeWarning, match="^the transactions could not be verified: "):
        assert len(home.bf.transactions()) > 0


def test_verify_warns_of_differences_at_each_read_and_reloads_once() -> None:
    asked = []

    def counted(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return at_odds(request)

    bf = scripted(one_budget(counted), verify=True, ttl=0)
    with pytest.warns(RuntimeWarning, match="Checking by -0.34.*still do not agree") as caught:
        assert bf.transactions()["amount"].tolist() == [12.0]
    assert (len(caught), len(asked)) == (1, 6)
    with pytest.warns(RuntimeWarning, match="figures still differ: 1 of 1 row differs: Checking"):
        bf.transactions()
    assert len(asked) == 8


def test_another_budget_is_verified_as_well() -> None:
    bf = ServiceWithFacade(verify=True).bf
    other = bf.with_budget(bf.budgets()["budget_name"].iloc[-1])
    other.transactions()
    assert other.requests.by_resource["export"] == 1
