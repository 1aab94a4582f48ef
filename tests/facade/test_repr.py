"""The repr and the HTML of a connection."""

import copy
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from budgetframe import BudgetFrame
from tests.docs.docstrings import REPORTS
from tests.facade.service import Home, ServiceWithFacade, data, one_budget, read_only, scripted

SHOWN: list[Callable[[BudgetFrame], str]] = [repr, str, lambda bf: bf._repr_html_()]


@pytest.mark.parametrize("shown", SHOWN)
def test_repr_and_html_show_the_connection_and_what_it_has_loaded_and_send_nothing(
    home: ServiceWithFacade, shown: Callable[[BudgetFrame], str]
) -> None:
    bf = home.bf
    shown(bf)
    assert home.served == 0
    bf.transactions()
    bf.months()
    bf.models.payees()
    bf.month("2026-05")
    text = shown(bf)
    assert home.served == 5
    assert "Household" in text
    assert "http://sandbox.invalid/v1" in text
    assert "5 of 200 requests used in the last hour, 195 left" in text
    assert re.search(r"transactions.*\d s ago, 719 rows, 2025-01-01 to 2026-06-16", text)
    assert re.search(r"months.*\d s ago, 18 rows, 2025-01-01 to 2026-06-01", text)
    assert re.search(r"payees.*\d+ s ago$|payees.*\d+ s ago<", text, re.MULTILINE)
    assert "months 2026-05" in text
    assert "accounts" not in text


def test_repr_shows_an_empty_list_and_a_list_of_one_row() -> None:
    row = {"id": "p1", "name": "Shop", "transfer_account_id": None, "deleted": False}

    def handler(request: httpx.Request) -> httpx.Response:
        name = request.url.path.rpartition("/")[2]
        return data({name: [row] if name == "payees" else [], "server_knowledge": 1})

    bf = scripted(one_budget(handler))
    bf.payees()
    bf.transactions()
    assert repr(bf).splitlines()[3:5] == [
        "  payees: 0 s ago, 1 row", "  transactions: 0 s ago, 0 rows",
    ]  # fmt: skip


def test_repr_shows_the_given_budget_until_its_exact_name_is_known() -> None:
    assert "budget=None" in repr(ServiceWithFacade(budget=None).bf)
    bf = ServiceWithFacade(budget="household").bf
    assert "budget='household'" in repr(bf)
    assert "nothing loaded yet\n  bf.transactions()  " in repr(bf)
    bf.accounts()
    assert "budget='Household'" in repr(bf)
    bf.refresh()
    assert "nothing loaded yet" in repr(bf)


def test_the_age_grows_with_the_clock_of_the_service() -> None:
    home = Home()
    home.bf.accounts()
    home.service.advance(days=1)
    assert "accounts: 24 h ago" in repr(home.bf)


def test_names_are_escaped_in_html() -> None:
    name = "<script>alert('x')</script>&\""

    bf = scripted(one_budget(lambda _: data({"accounts": []}), name=name), budget=name)
    before = bf._repr_html_()
    bf.accounts()
    for text in (before, bf._repr_html_()):
        assert text.startswith("<table")
        assert text.endswith("</table>")
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


def test_the_error_for_a_report_that_is_called_like_a_frame_names_its_place() -> None:
    bf: Any = read_only()
    with pytest.raises(
        AttributeError, match=r"^net_worth is a report: write bf\.reports\.net_worth\(\)$"
    ):
        bf.net_worth()
    with pytest.raises(
        AttributeError, match=r"^net_worth is a report: write bf\.aio\.reports\.net_worth\(\)$"
    ):
        bf.aio.net_worth()
    for instance in (bf, bf.aio):
        with pytest.raises(AttributeError, match=r"BudgetFrame' object has no attribute 'qqq'$"):
            instance.qqq  # noqa: B018 - the access is the test


@pytest.mark.parametrize(("wrong", "meant"), [
    ("transction", "transaction or transactions"), ("net_wort", "reports.net_worth"),
    ("aio.acounts", "accounts or account"), ("reports.spendng", "spending"),
    ("aio.reports.spendng", "spending"), ("models.acounts", "accounts"),
])  # fmt: skip
def test_the_error_for_a_misspelt_name_says_which_one_is_meant(wrong: str, meant: str) -> None:
    instance: Any = read_only()
    *path, name = wrong.split(".")
    for each in path:
        instance = getattr(instance, each)
    assert not hasattr(instance, name)
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; did you mean {meant}\?$"):
        getattr(instance, name)
    assert copy.copy(instance) is not None
    assert name not in dir(instance)


def test_models_and_reports_list_their_methods_with_one_line_each() -> None:
    bf = read_only()
    lines = repr(bf.models).splitlines()
    assert lines[0] == "Models"
    assert lines[2] == "  budgets()                 The budgets of the user."
    names = [name for name in dir(bf.models) if not name.startswith("_")]
    assert [line.split()[0] for line in lines[1:]] == [f"{name}()" for name in names]
    lines = repr(bf.reports).splitlines()
    assert lines[0] == "Reports"
    assert [line.split()[0] for line in lines[1:]] == [f"{name}()" for name in sorted(REPORTS)]
    async_lines = repr(bf.aio.reports).splitlines()
    assert async_lines[1] == "  age_of_money()      As `BudgetFrame.reports.age_of_money`, awaited."
    assert len(async_lines) == len(lines)
    assert bf.models._repr_html_().count("<tr>") == len(names)
    assert "As `BudgetFrame.models.budgets`, awaited." in bf.aio.models._repr_html_()
