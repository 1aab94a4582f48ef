"""The HTML of the request count and of a reconciliation."""

import re

from budgetframe import BudgetFrame
from budgetframe._client.usage import RequestUsage
from tests.frames.household import household


def test_requests_are_shown_as_a_table_by_resource_and_cell() -> None:
    shown = RequestUsage(3, 200, 0.0, {"budgets": 1, "accounts": 2}, {4: 3})._repr_html_()
    cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", shown)
    assert cells == [
        *("requests", "3 of 200 requests used in the last hour, 197 left"),
        *("for budgets", "1", "for accounts", "2", "in cell 4", "3"),
    ]


def test_names_in_the_table_of_requests_are_escaped() -> None:
    assert "<img" not in RequestUsage(1, 200, 0.0, {"<img src=x>": 1})._repr_html_()


def test_table_of_requests_is_small() -> None:
    bf = BudgetFrame.sandbox()
    bf.reports.net_worth()
    assert len(bf.requests._repr_html_()) < 1_000


def test_a_reconciliation_that_agrees_says_so_above_its_table() -> None:
    shown = household().reconciled()._repr_html_()
    assert shown is not None
    assert re.match(
        r"<p><strong>agrees</strong>: \d+ accounts and \d+ category months agree", shown
    )
    assert "<table" in shown


def test_a_reconciliation_that_does_not_agree_says_by_how_much() -> None:
    shown = household().off("accounts", 0, "balance", 1.0).reconciled()._repr_html_()
    assert shown is not None
    assert shown.startswith("<p><strong>does not agree</strong>: 1 of ")


def test_a_reconciliation_is_escaped() -> None:
    sides = household().off("accounts", 0, "balance", 1.0)
    sides.accounts["account_name"] = "<script>alert(1)</script>"
    shown = sides.reconciled()._repr_html_()
    assert shown is not None
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
