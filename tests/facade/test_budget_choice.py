"""The choice of the budget."""

import httpx
import pytest

from budgetframe import ServiceAPIError, ToolError
from tests.facade.service import ServiceWithFacade, data, one_budget, scripted

Json = dict[str, object]

HOME: Json = {"id": "11111111-1111-4111-8111-111111111111", "name": "Home"}
SHOP: Json = {"id": "22222222-2222-4222-8222-222222222222", "name": "Shop"}
OTHER_HOME: Json = {"id": "33333333-3333-4333-8333-333333333333", "name": "Home"}
LOUD_HOME: Json = {"id": "44444444-4444-4444-8444-444444444444", "name": "HOME"}


class Budgets:
    """A service with these budgets, which have no rows."""

    def __init__(self, *budgets: Json, default: Json | None = None) -> None:
        self.budgets = list(budgets)
        self.default = default
        self.paths: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/v1").rstrip("/")
        self.paths.append(path)
        if path == "/budgets":
            return data({"budgets": self.budgets, "default_budget": self.default})
        if path == "/budgets/last-used":
            return data({"budget": {**self.budgets[-1], "accounts": []}, "server_knowledge": 1})
        return data({"accounts": [], "server_knowledge": 1})


STRASSE: Json = {"id": "55555555-5555-4555-8555-555555555555", "name": "Straße"}
NAMED_LIKE_HOME: Json = {"id": "66666666-6666-4666-8666-666666666666", "name": HOME["id"]}


@pytest.mark.parametrize(
    ("budgets", "wanted", "chosen"),
    [([HOME, SHOP], "Shop", SHOP), ([HOME, SHOP], SHOP["id"], SHOP), ([HOME, SHOP], "SHOP", SHOP),
     ([HOME, SHOP], " Shop ", SHOP), ([HOME, STRASSE], "STRASSE", STRASSE),
     ([LOUD_HOME, HOME], "Home", HOME), ([NAMED_LIKE_HOME, HOME], HOME["id"], HOME),
     ([HOME, OTHER_HOME], OTHER_HOME["id"], OTHER_HOME), ([SHOP], None, SHOP)],
    ids=["name", "id", "upper case", "blanks", "letters outside ASCII", "exact name first",
         "id before name", "id of an ambiguous name", "the only one"],
)  # fmt: skip
def test_a_budget_is_chosen_once_by_its_id_or_by_its_name(
    budgets: list[Json], wanted: str | None, chosen: Json
) -> None:
    service = Budgets(*budgets)
    bf = scripted(service, budget=wanted, ttl=0)
    bf.accounts()
    bf.accounts()
    path = f"/budgets/{chosen['id']}/accounts"
    assert service.paths == ["/budgets", path, path]


def test_the_default_budget_is_chosen_among_several() -> None:
    service = Budgets(HOME, SHOP, default=SHOP)
    scripted(service, budget=None).accounts()
    assert service.paths[-1] == f"/budgets/{SHOP['id']}/accounts"


@pytest.mark.parametrize(("budgets", "wanted", "named"), [
    ([HOME, SHOP], "Hous", ["'Hous'", "'Home'", "'Shop'"]),
    ([HOME, SHOP, OTHER_HOME], "Home", [HOME["id"], OTHER_HOME["id"]]),
    ([HOME, LOUD_HOME], "home", [HOME["id"], LOUD_HOME["id"]]),
    ([HOME, SHOP], None, ["'Home'", "'Shop'"]),
    ([], None, ["the token works, but it gives access to no budget: create a budget in the"]),
    *(([HOME, SHOP], each, []) for each in ("", "..", "../user", "?x=1", "#", "Home/accounts")),
])  # fmt: skip
def test_a_budget_that_is_unknown_or_not_the_only_one_is_refused_and_not_read(
    budgets: list[Json], wanted: str | None, named: list[str]
) -> None:
    service = Budgets(*budgets)
    with pytest.raises(ToolError) as caught:
        scripted(service, budget=wanted).accounts()
    assert [text for text in named if text not in str(caught.value)] == []
    assert wanted != "Home" or str(SHOP["id"]) not in str(caught.value)
    assert service.paths == ["/budgets"]


@pytest.mark.parametrize("budget", [None, "Home", "last-used"])
def test_a_user_without_a_budget_and_without_a_list_is_told_so(budget: str | None) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        error = {"id": "404.2", "name": "resource_not_found", "detail": "Resource not found"}
        return httpx.Response(404, json={"error": error})

    text = "^the token works, but it gives access to no budget: create a budget in the app"
    with pytest.raises(ServiceAPIError, match=text) as caught:
        scripted(answer, budget=budget).accounts()
    assert (caught.value.status_code, caught.value.error_id) == (404, "404.2")


def test_last_used_is_resolved_to_an_id_once() -> None:
    service = Budgets(HOME, SHOP)
    bf = scripted(service, budget="last-used", ttl=0)
    bf.accounts()
    bf.accounts()
    assert service.paths == [
        "/budgets/last-used", f"/budgets/{SHOP['id']}/accounts", f"/budgets/{SHOP['id']}/accounts",
    ]  # fmt: skip


@pytest.mark.parametrize(("service", "budget"), [
    (Budgets(HOME, SHOP, default={"name": "Shop"}), None), (Budgets({"name": "Shop"}), "last-used"),
], ids=["default", "last-used"])  # fmt: skip
def test_a_budget_without_an_id_is_asked_for_again(service: Budgets, budget: str | None) -> None:
    bf = scripted(service, budget=budget)
    for _ in range(2):
        with pytest.raises(ServiceAPIError, match="has no budget with an id"):
            bf.accounts()
    assert len(service.paths) == 2


def test_the_name_of_the_last_used_budget_is_shown_once_known() -> None:
    bf = scripted(Budgets(HOME, SHOP), budget="last-used")
    bf.accounts()
    assert "'Shop'" in repr(bf)


def test_an_id_sent_by_the_service_changes_no_endpoint() -> None:
    service = Budgets({"id": "../user?x#y", "name": "Odd"})
    requested: list[bytes] = []

    def handler(request: httpx.Request) -> httpx.Response:
        requested.append(request.url.raw_path)
        return service(request)

    scripted(handler, budget="Odd").accounts()
    assert requested[-1] == b"/v1/budgets/..%2Fuser%3Fx%23y/accounts"


# with_budget


def test_with_budget_reads_another_budget_over_the_same_connection(home: ServiceWithFacade) -> None:
    other = home.bf.with_budget("東京の家計")
    assert home.served == 0
    here, there = home.bf.accounts(), other.accounts()
    assert home.served == 3  # the list of the budgets was read once
    assert home.bf.requests == other.requests
    assert (here.attrs["budget"], there.attrs["budget"]) == ("Household", "東京の家計")
    assert set(here["account_id"]).isdisjoint(there["account_id"])


def test_a_budget_by_the_name_none_is_not_the_only_one() -> None:
    bf = scripted(one_budget(lambda _: data({"accounts": [], "server_knowledge": 1})), budget=None)
    bf.accounts()
    with pytest.raises(ToolError, match="no budget 'None'"):
        bf.with_budget("None").accounts()
