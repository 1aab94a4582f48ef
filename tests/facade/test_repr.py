"""The repr and the HTML of a connection."""

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from budgetframe import BudgetFrame
from tests.facade.service import ServiceWithFacade, data, scripted

SHOWN: list[Callable[[BudgetFrame], str]] = [repr, str, lambda bf: bf._repr_html_()]
every_form = pytest.mark.parametrize("shown", SHOWN, ids=["repr", "str", "html"])


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_send_nothing(shown: Callable[[BudgetFrame], str]) -> None:
    service_with_facade = ServiceWithFacade()
    shown(service_with_facade.bf)
    assert service_with_facade.served == 0


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_the_budget(shown: Callable[[BudgetFrame], str]) -> None:
    assert "Household" in shown(ServiceWithFacade().bf)


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_the_address(shown: Callable[[BudgetFrame], str]) -> None:
    assert "http://sandbox.invalid/v1" in shown(ServiceWithFacade().bf)


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_the_used_requests(shown: Callable[[BudgetFrame], str]) -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    assert "2 of 200 requests used in the last hour, 198 left" in shown(service_with_facade.bf)


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_the_loaded_lists(shown: Callable[[BudgetFrame], str]) -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    service_with_facade.bf.month("2026-05")
    text = shown(service_with_facade.bf)
    assert "accounts" in text
    assert "months 2026-05" in text
    assert "payees" not in text


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_the_age_of_a_list(shown: Callable[[BudgetFrame], str]) -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    assert re.search(r"accounts.*\d+ s ago", shown(service_with_facade.bf))


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_rows_and_dates_of_what_is_loaded(
    shown: Callable[[BudgetFrame], str],
) -> None:
    service_with_facade = ServiceWithFacade()
    bf = service_with_facade.bf
    bf.transactions()
    bf.months()
    bf.models.payees()
    served = service_with_facade.served
    text = shown(bf)
    assert service_with_facade.served == served
    assert "s ago, 719 rows, 2025-01-01 to 2026-06-16" in text
    assert "s ago, 18 rows, 2025-01-01 to 2026-06-01" in text
    assert re.search(r"payees.*\d+ s ago$|payees.*\d+ s ago<", text, re.MULTILINE)


def test_repr_shows_an_empty_list_and_a_list_of_one_row() -> None:
    row = {"id": "p1", "name": "Shop", "transfer_account_id": None, "deleted": False}

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            return data({"budgets": [{"id": "b1", "name": "Home"}]})
        name = request.url.path.rpartition("/")[2]
        return data({name: [row] if name == "payees" else [], "server_knowledge": 1})

    bf = scripted(handler)
    bf.payees()
    bf.transactions()
    assert repr(bf).splitlines()[-2:] == [
        "  payees: 0 s ago, 1 row",
        "  transactions: 0 s ago, 0 rows",
    ]


def test_repr_says_when_nothing_is_loaded() -> None:
    assert "nothing loaded yet" in repr(ServiceWithFacade().bf)


def test_after_a_refresh_nothing_is_loaded() -> None:
    service_with_facade = ServiceWithFacade()
    service_with_facade.bf.accounts()
    service_with_facade.bf.refresh()
    assert "nothing loaded yet" in repr(service_with_facade.bf)


def test_the_age_grows_with_the_clock_of_the_service() -> None:
    service_with_facade = ServiceWithFacade(limit=200)
    bf = BudgetFrame.sandbox(service_with_facade.service)
    bf.accounts()
    service_with_facade.service.advance(days=1)
    assert "accounts: 24 h ago" in repr(bf)


def test_the_budget_is_shown_before_its_first_read() -> None:
    assert "budget='Shop'" in repr(ServiceWithFacade(budget="Shop").bf)


def test_repr_says_when_no_budget_is_chosen_yet() -> None:
    assert "budget=None" in repr(ServiceWithFacade(budget=None).bf)


def test_repr_shows_the_exact_name_of_the_budget_after_the_first_read() -> None:
    service_with_facade = ServiceWithFacade(budget="household")
    service_with_facade.bf.accounts()
    assert "budget='Household'" in repr(service_with_facade.bf)


def test_names_are_escaped_in_html() -> None:
    name = "<script>alert('x')</script>&\""

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            return data({"budgets": [{"id": "b1", "name": name}]})
        return data({"accounts": [], "server_knowledge": 1})

    bf = scripted(handler, budget=name)
    before = bf._repr_html_()
    bf.accounts()
    for text in (before, bf._repr_html_()):
        assert "<script" not in text
        assert "&lt;script&gt;" in text


def test_ids_are_escaped_in_html() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/budgets":
            return data({"budgets": [{"id": "b1", "name": "Home"}]})
        return data({"transaction": {}})

    bf = scripted(handler)
    with pytest.raises(Exception, match="transaction"):
        bf.transaction("<img src=x onerror=alert(1)>")
    assert "<img" not in bf._repr_html_()


def test_the_html_is_one_table() -> None:
    text = ServiceWithFacade().bf._repr_html_()
    assert text.startswith("<table")
    assert text.endswith("</table>")


def test_requests_left_is_never_negative() -> None:
    service_with_facade = ServiceWithFacade(threshold=0)
    assert service_with_facade.bf.requests.left == 0


def test_requests_has_the_used_the_limit_and_the_left_count() -> None:
    service_with_facade = ServiceWithFacade(threshold=10)
    service_with_facade.bf.accounts()
    requests = service_with_facade.bf.requests
    assert (requests.used, requests.limit, requests.left) == (2, 10, 8)


def test_the_error_for_a_report_that_is_called_like_a_frame_names_its_place() -> None:
    bf: Any = BudgetFrame.sandbox()
    with pytest.raises(
        AttributeError, match=r"^net_worth is a report: write bf\.reports\.net_worth\(\)$"
    ):
        bf.net_worth()
    with pytest.raises(
        AttributeError, match=r"^net_worth is a report: write bf\.aio\.reports\.net_worth\(\)$"
    ):
        bf.aio.net_worth()
    for instance in (bf, bf.aio):
        with pytest.raises(AttributeError, match="BudgetFrame' object has no attribute 'acounts'"):
            instance.acounts  # noqa: B018 - the access is the test


def test_models_and_reports_list_their_methods_with_one_line_each() -> None:
    bf = ServiceWithFacade().bf
    lines = repr(bf.models).splitlines()
    assert lines[0] == "Models"
    assert lines[2] == "  budgets()                 The budgets of the user."
    assert len(lines) == 9
    lines = repr(bf.reports).splitlines()
    assert lines[0] == "Reports"
    assert [line.split()[0] for line in lines[1:]] == [
        "age_of_money()",
        "balances()",
        "budget_vs_actual()",
        "forecast()",
        "income_expense()",
        "income_sankey()",
        "loans()",
        "money_flow()",
        "net_worth()",
        "recurring()",
        "runway()",
        "same_period()",
        "spending()",
        "suggestions()",
    ]
    async_lines = repr(bf.aio.reports).splitlines()
    assert async_lines[1] == "  age_of_money()      As `BudgetFrame.reports.age_of_money`, awaited."
    assert len(async_lines) == len(lines)
    assert bf.models._repr_html_().count("<tr>") == 8
    assert "As `BudgetFrame.models.budgets`, awaited." in bf.aio.models._repr_html_()
