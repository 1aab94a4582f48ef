"""Names of accounts, categories, groups and payees where a key is expected, and what they cost."""

import asyncio
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
SENT_JUNE = {"date": "2026-06-16", "amount": -4500}
JULY = {"date_next": "2026-07-01", "amount": -4.5}
SENT_JULY = {"date": "2026-07-01", "amount": -4500}
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
    body: Any = None
    """The body, with ``KEY`` where the key is."""
    needs: tuple[str, ...] = ()
    """The lists that a write needs, also with the key."""
    reads: str = ""
    """The request for these lists if none of them is fresh; several are read with the export."""


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

WRITES = [
    Case(
        *("rename_payee", "payees", "Corner Market", "PATCH payees/KEY"),
        arguments=("KEY", "Baker"),
        body={"payee": {"name": "Baker"}},
        needs=("payees",),
        reads="GET payees",
    ),
    Case(
        *("rename_category_group", "category_groups", "Home", "PATCH category_groups/KEY"),
        arguments=("KEY", "House"),
        body={"category_group": {"name": "House"}},
        needs=("categories",),
        reads="GET categories",
    ),
    Case(
        *("create_category", "category_groups", "Home", "POST categories"),
        arguments=("Tools", "KEY"),
        body={"category": {"name": "Tools", "category_group_id": "KEY"}},
        needs=("categories",),
        reads="GET categories",
    ),
    Case(
        *("assign", "categories", "Home: Insurance", "PATCH months/2026-06-01/categories/KEY"),
        arguments=("2026-06", "KEY", 1.0),
        body={"category": {"budgeted": 1000}},
        needs=("categories",),
        reads="GET months/2026-06-01",
    ),
    Case(
        *("create_transactions", "accounts", "Checking", "POST transactions"),
        arguments=([{**JUNE, "account_id": "KEY"}],),
        body={"transactions": [{**SENT_JUNE, "account_id": "KEY"}]},
        needs=("accounts", "transactions"),
        reads="GET ",
    ),
    Case(
        *("create_scheduled_transactions", "accounts", "Checking", "POST scheduled_transactions"),
        arguments=([{**JULY, "account_id": "KEY"}],),
        body={"scheduled_transaction": {**SENT_JULY, "account_id": "KEY"}},
        needs=("accounts", "scheduled_transactions"),
        reads="GET ",
    ),
]


def key_of(home: ServiceWithFacade, case: Case) -> str:
    """The key of the name, as the service knows it."""
    ids, name = Ids(home.service), case.name.rpartition(": ")[2]
    if case.entity == "categories":
        return ids.category(GROUPS[case.name], name)
    find = {"accounts": ids.account, "payees": ids.payee, "category_groups": ids.group}
    return find[case.entity](name)


def check_requests(case: Case, connect: Callable[[], ServiceWithFacade]) -> None:
    """A name costs the request of its list, and none if the list is fresh.

    A key costs no request, except that a write needs its lists.
    """
    for given, read_before, lists in (
        (case.name, False, [case.reads or f"GET {case.entity}"]),
        (case.name, True, []),
        ("KEY", False, [case.reads] if case.reads else []),
    ):
        home = connect()
        key = key_of(home, case)
        for name in (case.needs or (case.entity,)) if read_before else ("budgets",):
            getattr(home.bf, name)()
        sent = len(home.wire.paths)
        arguments = json.dumps(case.arguments).replace("KEY", given.replace("KEY", key))
        getattr(home.bf, case.method)(*json.loads(arguments))
        expected = [*lists, case.request.replace("KEY", key)]
        assert home.wire.paths[sent:] == [
            each.replace(" ", f" {home.path}/", 1).rstrip("/") for each in expected
        ]
        if case.body is not None:
            body = json.dumps(case.body).replace("KEY", key)
            assert json.loads(home.wire.requests[-1].content) == json.loads(body)


@pytest.mark.parametrize("case", READS, ids=lambda case: f"{case.request} {case.name}")
def test_a_read_takes_a_name_for_the_request_of_its_list(case: Case) -> None:
    check_requests(case, ServiceWithFacade)


@pytest.mark.parametrize("case", WRITES, ids=lambda case: case.request)
def test_a_write_takes_a_name_for_the_request_of_its_lists(case: Case) -> None:
    check_requests(case, lambda: ServiceWithFacade(limit=1_000))


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


def test_an_empty_name_of_a_payee_removes_the_payee(home: ServiceWithFacade) -> None:
    key = newest_key(home)
    assert home.bf.update_transaction(key, payee_name=None, memo="").payee_id is None
    assert home.bf.transaction(key).memo is None


def test_new_rows_and_their_parts_may_have_columns_of_names(home: ServiceWithFacade) -> None:
    ids = Ids(home.service)
    parts = [
        {"amount": -1.5, "category_name": "Insurance", "category_group_name": "Car"},
        {"amount": -3.0, "category_name": "Home: Insurance", "payee_id": "Corner Market"},
    ]
    home.bf.create_transactions(
        [
            {**JUNE, "account_name": "Checking", "category_name": "Groceries"},
            {**JUNE, "account_name": "Wallet", "payee_name": "Transfer : Checking"},
            {**JUNE, "account_name": "Wallet", "payee_name": "Baker", "subtransactions": parts},
        ]
    )
    budget_id = home.service.device.state().id
    assert home.wire.lists == ["budgets", budget_id, "transactions"]
    first = {"account_id": ids.account("Checking"), **SENT_JUNE}
    assert json.loads(home.wire.requests[-1].content)["transactions"] == [
        {**first, "category_id": ids.category("Everyday", "Groceries")},
        {
            "account_id": ids.account("Wallet"),
            **SENT_JUNE,
            "payee_id": ids.payee("Transfer : Checking"),
        },
        {
            "account_id": ids.account("Wallet"),
            **SENT_JUNE,
            "payee_name": "Baker",
            "subtransactions": [
                {"amount": -1500, "category_id": ids.category("Car", "Insurance")},
                {
                    "amount": -3000,
                    "category_id": ids.category("Home", "Insurance"),
                    "payee_id": ids.payee("Corner Market"),
                },
            ],
        },
    ]


def test_updates_take_names_in_the_columns_of_keys(home: ServiceWithFacade) -> None:
    bf = home.bf
    key = bf.transactions()["transaction_id"].iloc[-1]
    bf.update_transaction(key, category_name="Groceries", account_id="Wallet")
    assert bf.transaction(key).category_name == "Groceries"
    assert bf.transaction(key).account_name == "Wallet"
    names = {"account_id": "Checking", "payee_id": "Corner Market", "category_id": "Car: Repairs"}
    row = bf.update_transactions([{"transaction_id": key, **names}]).iloc[0]
    assert row[["account_name", "payee_name"]].tolist() == ["Checking", "Corner Market"]
    assert row["category_id"] == Ids(home.service).category("Car", "Repairs")
    last = bf.transactions().query("transaction_id == @key")
    changes = bf.changes(last.assign(account_id="Wallet"))
    assert changes.frame[["field", "after"]].to_numpy().tolist() == [["account_name", "Wallet"]]
    bf.update_transaction(key, category_name=None)
    assert bf.transaction(key).category_id is None
    assert bf.update_category("Gym", category_group_id="Home").category_group_name == "Home"


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


def test_a_single_object_is_found_by_its_name(home: ServiceWithFacade) -> None:
    bf, ids = home.bf, Ids(home.service)

    async def found() -> list[str]:
        account = await bf.aio.account("Checking")
        category = await bf.aio.category("Home: Insurance")
        return [account.id, category.id, (await bf.aio.payee("Adler Pharmacy")).name]

    assert asyncio.run(found()) == [
        ids.account("Checking"),
        ids.category("Home", "Insurance"),
        "Adler Pharmacy",
    ]


def test_a_category_with_a_colon_in_its_name_can_be_the_full_name_of_another(
    home: ServiceWithFacade,
) -> None:
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
    (lambda bf: bf.assign("2026-07", "", 1.0), "category='' is empty: give a key or a name"),
    (lambda bf: bf.assign("2026-07", 5, 1.0), "category=5 is not a text: give a key or a name"),  # type: ignore[call-overload]
    (lambda bf: bf.move("2026-07", None, "", 1.0), "to='' is empty: give a key or a name"),
    (lambda bf: bf.move("2026-07", ["Rent"], None, 1.0), r"from_=\['Rent'\] is not a text"),  # type: ignore[call-overload]
    (lambda bf: bf.create_category("Tools", ""), "category_group_id='' is empty"),
    (lambda bf: bf.create_transactions([{**JUNE, "account_name": ""}]), "account_name='' is empty"),
    (lambda bf: bf.create_transactions([JUNE]), "row 0 has no account_id or account_name"),
    (lambda bf: bf.update_transaction("t", account_name=None), "the account cannot be empty"),
]


@pytest.mark.parametrize(("call", "message"), EMPTY)
def test_an_empty_name_or_no_text_is_refused_before_anything_is_sent(
    call: Callable[[BudgetFrame], Any], message: str
) -> None:
    home = ServiceWithFacade()
    with pytest.raises(ToolError, match=message):
        call(home.bf)
    assert home.wire.paths == []


CHECKING = {"account_name": "Checking"}
UNKNOWN: list[tuple[dict[str, Any], str]] = [
    ({**CHECKING, "category_name": "groceries"}, "the closest names are 'Groceries'"),
    (
        {**CHECKING, "category_name": "Rent", "category_group_name": "Car"},
        "in the group 'Car'; the",
    ),
    (
        {**CHECKING, "category_id": "Rent", "category_group_name": "Car"},
        "no category 'Rent' in the group 'Car'",
    ),
    (
        {**CHECKING, "payee_id": "Weekly Market", "payee_name": "Foo"},
        "payee_id is the key of 'Weekly Market', and payee_name is 'Foo': give only one of them",
    ),
    (
        {**CHECKING, "subtransactions": [{"amount": -4.5, "payee_id": "Nob"}]},
        "subtransactions[0]: the budget has no payee 'Nob'; bf.payees() lists the keys and names",
    ),
]


@pytest.mark.parametrize(("row", "message"), UNKNOWN)
def test_a_name_that_fits_no_row_is_refused_before_anything_is_written(
    row: dict[str, Any], message: str
) -> None:
    home = ServiceWithFacade()
    with pytest.raises(ToolError) as caught:
        home.bf.create_transactions([{**JUNE, **row}])
    assert str(caught.value).startswith("row 0: ")
    assert message in str(caught.value)
    assert str(caught.value).endswith(". Nothing was sent")
    assert [path for path in home.wire.paths if not path.startswith("GET ")] == []
