"""The choice of the budget."""

from collections.abc import Callable

import httpx
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox
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


def read(service: Budgets, budget: str | None) -> str:
    """The path of the request for the accounts."""
    scripted(service, budget=budget).accounts()
    return service.paths[-1]


def refused(service: Budgets, budget: str | None) -> str:
    """The message of the error."""
    with pytest.raises(ToolError) as caught:
        scripted(service, budget=budget).accounts()
    return str(caught.value)


def test_a_budget_is_chosen_by_its_name() -> None:
    assert read(Budgets(HOME, SHOP), "Shop") == f"/budgets/{SHOP['id']}/accounts"


def test_a_budget_is_chosen_by_its_id() -> None:
    assert read(Budgets(HOME, SHOP), str(SHOP["id"])) == f"/budgets/{SHOP['id']}/accounts"


@pytest.mark.parametrize("wanted", ["shop", "SHOP", " Shop "])
def test_a_name_may_differ_in_case_and_blanks_around_it(wanted: str) -> None:
    assert read(Budgets(HOME, SHOP), wanted) == f"/budgets/{SHOP['id']}/accounts"


def test_a_name_outside_ascii_may_differ_in_case() -> None:
    strasse: Json = {"id": "55555555-5555-4555-8555-555555555555", "name": "Straße"}
    assert read(Budgets(HOME, strasse), "STRASSE") == f"/budgets/{strasse['id']}/accounts"


def test_the_exact_name_wins_over_one_in_another_case() -> None:
    assert read(Budgets(LOUD_HOME, HOME), "Home") == f"/budgets/{HOME['id']}/accounts"


def test_an_id_wins_over_a_name_that_looks_like_it() -> None:
    tricky: Json = {"id": "66666666-6666-4666-8666-666666666666", "name": HOME["id"]}
    assert read(Budgets(tricky, HOME), str(HOME["id"])) == f"/budgets/{HOME['id']}/accounts"


def test_an_unknown_name_is_refused_with_the_known_names() -> None:
    message = refused(Budgets(HOME, SHOP), "Hous")
    assert "'Hous'" in message
    assert "'Home'" in message
    assert "'Shop'" in message


def test_an_unknown_name_sends_only_the_request_for_the_budgets() -> None:
    service = Budgets(HOME, SHOP)
    refused(service, "Hous")
    assert service.paths == ["/budgets"]


def test_an_ambiguous_name_is_refused_with_the_matching_ids() -> None:
    message = refused(Budgets(HOME, SHOP, OTHER_HOME), "Home")
    assert str(HOME["id"]) in message
    assert str(OTHER_HOME["id"]) in message
    assert str(SHOP["id"]) not in message


def test_a_name_that_is_ambiguous_only_by_case_is_refused_when_neither_is_exact() -> None:
    message = refused(Budgets(HOME, LOUD_HOME), "home")
    assert str(HOME["id"]) in message
    assert str(LOUD_HOME["id"]) in message


def test_an_ambiguous_name_can_still_be_chosen_by_id() -> None:
    service = Budgets(HOME, OTHER_HOME)
    assert read(service, str(OTHER_HOME["id"])) == f"/budgets/{OTHER_HOME['id']}/accounts"


def test_a_single_budget_is_chosen_automatically() -> None:
    assert read(Budgets(SHOP), None) == f"/budgets/{SHOP['id']}/accounts"


def test_the_default_budget_is_chosen_among_several() -> None:
    service = Budgets(HOME, SHOP, default=SHOP)
    assert read(service, None) == f"/budgets/{SHOP['id']}/accounts"


def test_several_budgets_without_a_choice_are_refused_with_their_names() -> None:
    message = refused(Budgets(HOME, SHOP), None)
    assert "'Home'" in message
    assert "'Shop'" in message


def test_a_user_without_budgets_gets_an_error_that_says_so() -> None:
    assert "gives access to no budget" in refused(Budgets(), None)


def test_last_used_is_resolved_to_an_id_once() -> None:
    service = Budgets(HOME, SHOP)
    bf = scripted(service, budget="last-used", ttl=0)
    bf.accounts()
    bf.accounts()
    assert service.paths == [
        "/budgets/last-used",
        f"/budgets/{SHOP['id']}/accounts",
        f"/budgets/{SHOP['id']}/accounts",
    ]


def test_the_name_of_the_last_used_budget_is_shown_once_known() -> None:
    bf = scripted(Budgets(HOME, SHOP), budget="last-used")
    bf.accounts()
    assert "'Shop'" in repr(bf)


def test_the_budget_is_chosen_once() -> None:
    service = Budgets(HOME, SHOP)
    bf = scripted(service, budget="Shop", ttl=0)
    bf.accounts()
    bf.accounts()
    assert service.paths.count("/budgets") == 1


@pytest.mark.parametrize("hostile", ["", "..", "../user", "?x=1", "#", "Home/accounts"])
def test_a_hostile_budget_name_is_unknown_and_is_not_sent(hostile: str) -> None:
    service = Budgets(HOME, SHOP)
    refused(service, hostile)
    assert service.paths == ["/budgets"]


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
    here = home.bf.accounts()
    there = home.bf.with_budget("東京の家計").accounts()
    assert set(here["account_id"]).isdisjoint(there["account_id"])


def test_with_budget_counts_requests_together(home: ServiceWithFacade) -> None:
    other = home.bf.with_budget("東京の家計")
    other.accounts()
    assert home.bf.requests == other.requests
    assert home.bf.requests.used == home.served


def test_with_budget_leaves_the_first_one_as_it_was(home: ServiceWithFacade) -> None:
    home.bf.with_budget("東京の家計").accounts()
    assert home.bf.accounts().attrs["budget"] == "Household"


def test_with_budget_sends_nothing(home: ServiceWithFacade) -> None:
    home.bf.with_budget("東京の家計")
    assert home.served == 0


def test_with_budget_shares_the_list_of_budgets(home: ServiceWithFacade) -> None:
    home.bf.accounts()
    served = home.served
    home.bf.with_budget("東京の家計").accounts()
    assert home.served == served + 1


def test_an_unknown_budget_is_refused_for_every_way_to_choose_it(subtests: pytest.Subtests) -> None:
    choices: list[Callable[[], BudgetFrame]] = [
        lambda: BudgetFrame.sandbox(budget="nowhere"),
        lambda: BudgetFrame.sandbox().with_budget("nowhere"),
        lambda: ServiceWithFacade(budget="nowhere").bf,
    ]
    for number, choose in enumerate(choices):
        with subtests.test(number=number), pytest.raises(ToolError, match="Household"):
            choose().accounts()


def test_both_budgets_of_the_embedded_service_can_be_read_side_by_side() -> None:
    service = Sandbox()
    euro = BudgetFrame.sandbox(service).settings()
    yen = BudgetFrame.sandbox(service, budget="東京の家計").settings()
    codes = [each.currency_format and each.currency_format.iso_code for each in (euro, yen)]
    assert codes == ["EUR", "JPY"]


def test_a_budget_by_the_name_none_is_not_the_only_one() -> None:
    bf = scripted(one_budget(lambda _: data({"accounts": [], "server_knowledge": 1})), budget=None)
    bf.accounts()
    with pytest.raises(ToolError, match="no budget 'None'"):
        bf.with_budget("None").accounts()
