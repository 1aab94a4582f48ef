"""Names of accounts, categories, groups and payees where a key is expected, and what they cost."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

import httpx
import pytest

from budgetframe import BudgetFrame, ToolError
from tests.facade.service import ACCOUNT_ID, ServiceWithFacade, data, one_budget, scripted
from tests.sandbox.ask import Ids

JUNE = {"date": "2026-06-16", "amount": -4.5}
GROUPS = {"Groceries": "Everyday", "Gym": "Old Plans", "Home: Insurance": "Home"}
"""The groups of the categories that the cases name; one is hidden."""


class Case(NamedTuple):
    """A call with a key or a name, and the request that it sends with the key."""

    method: str
    entity: str
    """The list that the names are in."""
    name: str
    request: str
    arguments: tuple[Any, ...] = ("KEY",)
    """The arguments, with ``KEY`` where the key or the name is."""


READS = [
    Case("account", "accounts", "Checking", "GET accounts/KEY"),
    Case("account", "accounts", "Old Savings", "GET accounts/KEY"),
    Case("payee", "payees", "Corner Market", "GET payees/KEY"),
    Case("category", "categories", "Groceries", "GET categories/KEY"),
    Case("category", "categories", "Gym", "GET categories/KEY"),
    Case(
        *("category", "categories", "Home: Insurance", "GET months/2026-05-01/categories/KEY"),
        arguments=("KEY", "2026-05"),
    ),
    Case("transactions_of_account", "accounts", "Checking", "GET accounts/KEY/transactions"),
    Case("transactions_of_category", "categories", "Groceries", "GET categories/KEY/transactions"),
    Case("transactions_of_payee", "payees", "Corner Market", "GET payees/KEY/transactions"),
    Case("payee_locations", "payees", "Corner Market", "GET payees/KEY/payee_locations"),
]


def key_of(home: ServiceWithFacade, case: Case) -> str:
    """The key of the name, as the service knows it."""
    ids, name = Ids(home.service), case.name.rpartition(": ")[2]
    if case.entity == "categories":
        return ids.category(GROUPS[case.name], name)
    find = {"accounts": ids.account, "payees": ids.payee, "category_groups": ids.group}
    return find[case.entity](name)


@pytest.mark.parametrize("case", READS, ids=lambda case: f"{case.request} {case.name}")
def test_a_read_takes_a_name_for_the_request_of_its_list(case: Case) -> None:
    """A name costs the request of its list, and none if the list is fresh; a key costs none."""
    for given, read_before, lists in (
        (case.name, "budgets", [f"GET {case.entity}"]), (case.name, case.entity, []),
        ("KEY", "budgets", []),
    ):  # fmt: skip
        home = ServiceWithFacade()
        key = key_of(home, case)
        getattr(home.bf, read_before)()
        sent = len(home.wire.paths)
        arguments = json.dumps(case.arguments).replace("KEY", given.replace("KEY", key))
        getattr(home.bf, case.method)(*json.loads(arguments))
        expected = [*lists, case.request.replace("KEY", key)]
        assert home.wire.paths[sent:] == [one.replace(" ", f" {home.path}/", 1) for one in expected]


@pytest.fixture
def home() -> ServiceWithFacade:
    """A new service that the test may change."""
    return ServiceWithFacade(limit=1_000)


def newest_key(home: ServiceWithFacade) -> str:
    market = home.bf.transactions().query("payee_name == 'Corner Market' and ~is_split")
    return str(market["transaction_id"].iloc[-1])


def test_a_key_may_be_a_uuid_or_in_capitals(home: ServiceWithFacade) -> None:
    key, account = newest_key(home), Ids(home.service).account("Wallet")
    given: Any
    for given in (key.upper(), UUID(key)):
        assert home.bf.transaction(given).id == key
        assert home.bf.update_transaction(given, memo="one").memo == "one"
        row = {"transaction_id": given, "memo": f"two {given}"}
        assert home.bf.update_transactions([row])["transaction_id"].tolist() == [key]
        assert len(home.bf.changes(delete=[given])) == 1
    for given in (account.upper(), UUID(account)):
        created = home.bf.create_transactions([{**JUNE, "account_id": given}])
        assert created["account_id"].tolist() == [account]
    budget_id = home.bf.budgets()["budget_id"].iloc[0]
    assert home.bf.with_budget(str(UUID(budget_id)).upper()).settings() == home.bf.settings()


def named(*rows: dict[str, Any]) -> BudgetFrame:
    """A budget whose lists of payees and accounts have these rows."""
    state = {"type": "cash", "on_budget": True, "closed": False, "deleted": False}
    amounts = {"balance": 0, "cleared_balance": 0, "uncleared_balance": 0}
    rows = tuple({**state, **amounts, "transfer_account_id": None, **row} for row in rows)

    def handler(request: httpx.Request) -> httpx.Response:
        return data({request.url.path.rpartition("/")[2]: rows})

    return scripted(one_budget(handler))


OTHER_ID = ACCOUNT_ID.replace("a1", "a2")


def test_a_name_that_two_rows_have_is_refused_with_their_keys(home: ServiceWithFacade) -> None:
    bf = named({"id": ACCOUNT_ID, "name": "Baker"}, {"id": OTHER_ID, "name": "Baker"})
    with pytest.raises(ToolError) as caught:
        bf.payee("Baker")
    assert str(caught.value) == (
        "payee_id: 2 payees are named 'Baker'; write one of"
        " '00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000a2'"
    )
    with pytest.raises(ToolError) as caught:
        home.bf.update_category("Repairs", note="x")
    assert str(caught.value) == (
        "category_id: 2 categories are named 'Repairs'; write one of 'Car: Repairs',"
        " 'Home: Repairs'. Nothing was sent"
    )


def test_deleted_rows_have_no_names() -> None:
    bf = named({"id": ACCOUNT_ID, "name": "Purse", "deleted": True})
    with pytest.raises(ToolError) as caught:
        bf.account("Purse")
    assert str(caught.value) == (
        "account_id: the budget has no account 'Purse'; bf.accounts() lists the keys and names"
    )


def test_a_name_that_has_the_form_of_a_key_is_a_key() -> None:
    home = ServiceWithFacade(limit=1_000)
    home.service.device.add_payee(ACCOUNT_ID)
    with pytest.raises(Exception, match="is not a key in this budget"):
        home.bf.payee(ACCOUNT_ID)
    assert home.wire.paths == ["GET /v1/budgets", f"GET {home.path}/payees/{ACCOUNT_ID}"]


def test_a_category_with_a_colon_can_be_the_full_name_of_another(home: ServiceWithFacade) -> None:
    ids, device = Ids(home.service), home.service.device
    key = device.add_category("Home: Rent", ids.group("Car"))
    with pytest.raises(ToolError) as caught:
        home.bf.category("Home: Rent")
    assert str(caught.value) == (
        "category_id: 2 categories are named 'Home: Rent'; write one of"
        f" '{ids.category('Home', 'Rent')}', 'Car: Home: Rent'"
    )
    assert home.bf.category("Car: Home: Rent").id == key
    assert home.bf.category("Rent").id == ids.category("Home", "Rent")


EMPTY: list[tuple[Callable[[BudgetFrame], Any], str]] = [
    (lambda bf: bf.account(""), "account_id='' is empty: give a key or a name"),
    (lambda bf: bf.payee_locations(" "), "payee_id=' ' is empty: give a key or a name"),
    (lambda bf: bf.assign("2026-07", 5, 1.0), "category=5 is not a text: give a key or a name"),  # type: ignore[call-overload]
    (lambda bf: bf.move("2026-07", None, "", 1.0), "to='' is empty: give a key or a name"),
    (lambda bf: bf.move("2026-07", ["Rent"], None, 1.0), r"from_=\['Rent'\] is not a text"),  # type: ignore[call-overload]
    (lambda bf: bf.create_category("Tools", ""), "category_group_id='' is empty"),
    (lambda bf: bf.create_transactions([{**JUNE, "account_name": ""}]), "account_name='' is empty"),
    (lambda bf: bf.create_transactions([JUNE]), "row 0 has no account_id or account_name"),
    (lambda bf: bf.update_transaction("t", account_name=None), "the account cannot be empty"),
]


@pytest.mark.parametrize(("call", "message"), EMPTY)
def test_a_name_without_text_is_refused(call: Callable[[BudgetFrame], Any], message: str) -> None:
    home = ServiceWithFacade()
    with pytest.raises(ToolError, match=message):
        call(home.bf)
    assert home.wire.paths == []
