"""The Tab key inside quotes in IPython: names of the lists in memory, and never a request."""

import json
from textwrap import dedent

import pytest

from tests.facade.scripts import run_script

IPYTHON = """
import json
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
from budgetframe import BudgetFrame
bf = BudgetFrame.sandbox()
class Own:
    @property
    def bf(self):
        return bf
shell.user_ns |= {"bf": bf, "my": bf, "reports": bf.reports, "own": Own()}

def names(code, jedi):
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        found = shell.Completer.completions(code, len(code))
        return [code[: each.start] + each.text for each in found]
"""

OFFERED = {
    'bf.account("Sav': ['bf.account("Savings'],
    "my.account('check": ["my.account('Checking"],
    'bf.aio.set_balance("W': ['bf.aio.set_balance("Wallet'],
    'bf.category("Ins': ['bf.category("Car: Insurance', 'bf.category("Home: Insurance'],
    'bf.category("Home: I': ['bf.category("Home: Insurance'],
    'bf.move("2026-07", 5, "Rent", to="Gro': ['bf.move("2026-07", 5, "Rent", to="Groceries'],
    'bf.rename_category_group("Ev': ['bf.rename_category_group("Everyday'],
    'bf.with_budget("H': ['bf.with_budget("Household'],
    'x = [bf.payee("Joe': ['x = [bf.payee("Joe\'s \\"Bar\\"'],
    '%time bf.reports.spending(\n  categories=["Rent", "Ev': [
        '%time bf.reports.spending(\n  categories=["Rent", "Everyday'],
    'reports.cards(exclude_accounts=("Che': ['reports.cards(exclude_accounts=("Checking'],
    'reports.spending(flags="S': ['reports.spending(flags="Shared'],
    'bf.create_transactions([{"payee_name": "Ton': [
        'bf.create_transactions([{"payee_name": "Tonspur'],
    "rows.query(\"amount < 0 and category_name == 'Gro": [
        "rows.query(\"amount < 0 and category_name == 'Groceries"],
    "rows.query('account_name in [\"Sav": ["rows.query('account_name in [\"Savings"],
    'rows.query("category_name': [],
    # Calls of other objects, what a call returns, and texts that are not the argument itself:
    'nobody.account("Sav': [], 'own.bf.account("Sav': [],
    'other().reports.cards(accounts="Che': [],
    'bf.account(names["Sav': [], 'bf.create_account("Sav': [], 'bf.nothing("Sav': [],
    'print("bf.account(Sav': [],
}  # fmt: skip


@pytest.mark.slow  # it starts IPython
def test_names_of_loaded_lists_are_offered_as_they_are_written(subtests: pytest.Subtests) -> None:
    program = f"""
        bf.create_payee("Joe's \\"Bar\\"")
        bf.budgets(), bf.accounts(), bf.categories(), bf.payees(), bf.transactions()
        shell.user_ns["rows"] = bf.transactions()
        used = bf.requests.used
        codes = json.loads({json.dumps(json.dumps([*OFFERED]))})
        found = [[names(code, jedi) for jedi in (True, False)] for code in codes]
        print(json.dumps([found, bf.requests.used - used]))
    """
    found, requests = json.loads(run_script(IPYTHON + dedent(program)).out)
    for (code, expected), shown in zip(OFFERED.items(), found, strict=True):
        with subtests.test(code=code):
            assert shown == [expected, expected]
    assert requests == 0


@pytest.mark.slow  # it starts IPython
def test_without_a_loaded_list_nothing_is_offered_and_nothing_is_requested() -> None:
    program = """
        before = names('bf.account("Sav', False)
        BudgetFrame.sandbox()  # it adds nothing a second time
        rows = shell.Completer.custom_matchers
        bf.transactions()
        print(json.dumps([before, len(rows), bf.requests.used, names('bf.account("Sav', False)]))
    """
    assert json.loads(run_script(IPYTHON + dedent(program)).out) == [
        [], 1, 2, ['bf.account("Savings'],
    ]  # fmt: skip
