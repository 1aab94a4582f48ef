"""The table of `review()` in JupyterLab and Chromium, used as a person uses it."""

import json
from collections.abc import Iterator
from time import perf_counter

import pytest
from playwright.sync_api import expect

from tests.review.lab import Lab, Notebook, lab_in_browser

pytestmark = pytest.mark.slow  # JupyterLab, a browser, and a kernel for each test

BUDGET = """
from budgetframe import BudgetFrame
from budgetframe.sandbox import FaultPlan, Sandbox

service = Sandbox()
bf = BudgetFrame.sandbox(service)
june = bf.ledger(since="2026-06-01").query("is_spending and not is_transfer and not is_split_part")
keys = june["transaction_id"].tolist()
for key in keys:
    service.device.edit_transaction(key, category_id=None)
bf.refresh()

def categories(count):
    state = service.device.state()
    found = [state.transactions[key].category_id for key in keys[:count]]
    return [key and state.categories[key].name for key in found]
"""
REVIEW = f"{BUDGET}\nreview = bf.review(bf.ledger().query('transaction_id in @keys'))\nreview"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab, whose page the tests share: each opens its own notebook."""
    folders = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    with lab_in_browser(*folders) as lab:
        yield lab


@pytest.fixture
def lab(page: Lab) -> Iterator[Lab]:
    """JupyterLab without an open notebook."""
    yield page
    page.close()


@pytest.fixture
def notebook(lab: Lab, request: pytest.FixtureRequest) -> Notebook:
    """A notebook whose table shows 18 rows without a category."""
    notebook = lab.open(request.node.name, REVIEW)
    notebook.run_cell()
    return notebook


def tick(notebook: Notebook, *rows: int) -> None:
    for row in rows:
        notebook.cell(row, "tick").click()
    expect(notebook.changes).to_contain_text(f"{len(rows)} change")


def test_three_ticked_rows_of_18_are_applied_and_undone(notebook: Notebook) -> None:
    expect(notebook.rows).to_have_count(18)
    tick(notebook, 0, 1, 2)
    assert notebook.run("print(categories(4))") == "[None, None, None, None]"

    notebook.button("Apply").click()
    expect(notebook.message).to_have_text("3 rows were updated")
    assert notebook.run("print(categories(4))") == "['Café & Kuchen', 'Sport', 'Rent', None]"
    assert notebook.texts("category")[:4] == [
        "Café & Kuchen", "Sport", "Rent", "Household Goods?",
    ]  # fmt: skip
    assert [text.split(",")[0] for text in notebook.texts("state")[:3]] == ["applied"] * 3

    notebook.button("Undo").click()
    expect(notebook.message).to_have_text("undo: 3 rows were updated")
    assert notebook.run("print(categories(4))") == "[None, None, None, None]"


def test_a_double_click_on_apply_sends_each_change_once(notebook: Notebook) -> None:
    notebook.run("service.faults = FaultPlan(['latency=0.3:PATCH'])")
    tick(notebook, 0, 1, 2)
    notebook.button("Apply").dblclick()
    expect(notebook.message).to_have_text("3 rows were updated")
    assert notebook.run("print(len(service.faults.injected), len(bf.journal()))") == "1 1"


def test_a_stop_ends_an_apply_before_the_next_request(notebook: Notebook) -> None:
    notebook.run("service.faults = FaultPlan(['latency=0.5:DELETE'])")
    notebook.cell(0, "state").click()
    notebook.press(*["d", "e", "l", "Enter"] * 3)
    expect(notebook.changes).to_contain_text("3 changes")
    notebook.button("Apply").click()
    notebook.button("Stop").click()
    expect(notebook.message).to_have_text("stopped after 1 of 3 changes: Apply sends the rest")
    expect(notebook.cell(1, "state")).to_contain_text("not sent yet")
    expect(notebook.changes).to_contain_text("2 changes left: 2 write requests")
    notebook.button("Apply").click()
    expect(notebook.message).to_have_text("3 rows were deleted")
    assert notebook.run("print(len(service.faults.injected), len(bf.journal()))") == "3 1"


def test_a_click_during_which_an_answer_arrives_is_not_lost(notebook: Notebook) -> None:
    tick(notebook, 0)
    notebook.cell(1, "tick").click()
    notebook.cell(2, "tick").hover()
    notebook.page.mouse.down()
    expect(notebook.changes).to_contain_text("2 changes")
    notebook.page.mouse.up()
    expect(notebook.changes).to_contain_text("3 changes")


def test_a_change_of_another_device_is_a_conflict_in_its_row(notebook: Notebook) -> None:
    tick(notebook, 0, 1)
    rent = "june['category_id'].iloc[2]"
    notebook.run(f"service.device.edit_transaction(keys[0], category_id={rent})")
    notebook.button("Preview").click()
    conflict = "⚠ changed since the frame was read: category_id"
    expect(notebook.cell(0, "state")).to_contain_text(conflict)
    left_out = "1 row was changed elsewhere (⚠): tick or edit it again to send it"
    message = f"compared with the service: 1 row will be updated. {left_out}"
    expect(notebook.message).to_have_text(message)

    notebook.button("Apply").click()
    expect(notebook.message).to_have_text(f"1 row was updated. {left_out}")
    expect(notebook.button("Apply")).to_have_attribute("aria-disabled", "true")
    expect(notebook.cell(0, "state")).to_contain_text(conflict)
    assert notebook.run("print(categories(2))") == "['Rent', 'Sport']"


def test_after_a_lost_connection_the_rows_say_what_was_applied(notebook: Notebook) -> None:
    notebook.cell(0, "tick").click()
    notebook.cell(1, "state").click()
    notebook.press(*["d", "e", "l", "Enter"] * 3)  # Enter goes on with the next row
    expect(notebook.changes).to_contain_text("4 changes")
    notebook.run("service.faults = FaultPlan(['reset-before:DELETE:*@2'])")
    notebook.button("Apply").click()
    expect(notebook.message).to_contain_text("ReadError: the connection broke. Apply finds out")
    # A note on the payee's other rows follows in rows with a suggestion.
    for row, outcome in enumerate(
        ["applied, cleared", "applied", "sent, without an answer", "not sent yet"]
    ):
        expect(notebook.cell(row, "state")).to_contain_text(outcome)

    notebook.button("Apply").click()
    expect(notebook.message).to_have_text("1 row was updated, 3 rows were deleted")
    assert notebook.texts("state")[:4] == ["applied, cleared", *["applied, deleted, cleared"] * 3]
    assert notebook.run("print(bf.ledger()['transaction_id'].isin(keys).sum())") == "15"


def test_the_keyboard_is_enough_and_no_shortcut_of_the_notebook_acts(notebook: Notebook) -> None:
    cells = notebook.cells
    notebook.press("Tab", "Tab")
    expect(notebook.table.get_by_label("Filter")).to_be_focused()
    # In the command mode of the notebook, these letters add, delete, move and convert cells.
    notebook.press(*"abcdd", "Control+a", "Delete", "Tab")
    notebook.press(*"rent", "Enter")
    expect(notebook.status).to_have_text("Category of 1 row: Rent")
    notebook.press(*"axbddymzzjk00", "Escape", "Shift+Enter", "Escape")
    expect(notebook.status).to_have_text("Not changed.")
    notebook.press("Control+Enter", "Alt+Enter")
    notebook.press("ArrowDown", " ", "Home", *"abxddymz")
    expect(notebook.changes).to_contain_text("2 changes")

    notebook.press("Control+End", "ArrowDown")
    expect(notebook.button("Preview")).to_be_focused()
    assert '"outputs": []' in notebook.path.read_text("utf-8")
    notebook.press("Control+s")  # it saves the notebook, and sends nothing
    expect(notebook.page.locator(".jp-mod-current.jp-mod-dirty")).to_have_count(0)
    assert '"outputs": []' not in notebook.path.read_text("utf-8")
    notebook.press("ArrowRight", "Enter")
    expect(notebook.message).to_have_text("2 rows were updated")
    assert notebook.run("print(categories(4))") == "['Rent', None, 'Rent', None]"
    notebook.press(*"abxdd", "Control+Enter", "ArrowRight", " ")
    expect(notebook.message).to_have_text("undo: 2 rows were updated")
    assert notebook.cells == cells


MANY = """
from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox

bf = BudgetFrame.sandbox(Sandbox(transactions=4_850))
ledger = bf.ledger()
print(len(ledger))
"""


def test_a_table_of_5141_rows_is_drawn_and_filtered_without_a_delay(lab: Lab) -> None:
    notebook = lab.open("many", "review = bf.review(ledger)\nreview")
    assert notebook.run(MANY) == "5141"
    # The bounds in seconds are about ten times what two cores need.
    start = perf_counter()
    notebook.run_cell()
    assert perf_counter() - start < 10
    assert notebook.rows.count() == 24  # the visible ones, and some below

    notebook.table.get_by_label("Filter").focus()
    start = perf_counter()
    notebook.press("z")
    expect(notebook.table.locator(".bf-review-count")).to_have_text("433 of 5,141 rows, 0 ticked")
    assert perf_counter() - start < 0.5
    start = perf_counter()
    notebook.press("Tab", *"rent", "Enter")
    expect(notebook.changes).to_contain_text("1 change:")
    assert perf_counter() - start < 4


MARKUP = """
from budgetframe import BudgetFrame
from budgetframe.sandbox import Sandbox

service = Sandbox(years=1)
bf = BudgetFrame.sandbox(service)
row = bf.ledger(since="2026-06-01").query("is_spending and not is_split_part").iloc[0]
markup = "<img src=x onerror='document.title = 1'><b>bold</b>"
service.device.edit_transaction(row["transaction_id"], memo=markup)
service.device.rename_payee(row["payee_id"], markup)
service.device.rename_category(row["category_id"], markup)
bf.refresh()
review = bf.review(bf.ledger(since="2026-06-01").query("memo == @markup"))
review
"""


def test_a_name_with_markup_is_a_text(lab: Lab) -> None:
    notebook = lab.open("markup", MARKUP)
    notebook.run_cell()
    markup = "<img src=x onerror='document.title = 1'><b>bold</b>"
    for column in ("payee", "memo", "category"):
        assert notebook.texts(column) == [markup]
    notebook.press("Tab", "Tab", "Tab", *"bold")
    expect(notebook.table.get_by_role("option")).to_have_text(f"{markup}Health & Fun-8,50 €")
    notebook.press("Enter")
    expect(notebook.status).to_have_text(f"Category of 1 row: {markup}")
    expect(notebook.table.locator("img, b")).to_have_count(0)


TEXTS = """
import json

frame = bf.ledger()
names = {*frame["account_name"], *frame["payee_name"], *frame["memo"], *frame["category_name"]}
amounts = {f"{amount:.2f}".replace(".", ",") for amount in frame["amount"].abs()}
texts = {str(each) for each in (*names, *amounts, *keys, service.token)} - {"nan", "None", "?"}
print(json.dumps(sorted(texts), ensure_ascii=False))
"""


def test_a_saved_notebook_has_nothing_of_the_budget(lab: Lab) -> None:
    prepared = "bf.changes(bf.ledger().query('transaction_id in @keys').assign(memo='a test'))"
    notebook = lab.open("saved", f"{BUDGET}\nreview = bf.review({prepared})\nreview")
    notebook.run_cell()
    expect(notebook.changes).to_contain_text("18 changes")
    texts = json.loads(notebook.run(TEXTS))
    assert len(texts) == 1222
    outputs = json.loads(notebook.save())
    outputs["cells"][0]["source"] = ""
    saved = json.dumps(outputs, ensure_ascii=False)
    assert "Review: run the cell to see the rows" in saved
    assert "widget-state+json" in saved
    assert [text for text in texts if text in saved] == []


def test_with_keep_a_reader_without_the_kernel_sees_the_rows(lab: Lab) -> None:
    notebook = lab.open("kept", REVIEW.replace("@keys')", "@keys'), keep=True"))
    notebook.run_cell()
    tick(notebook, 0, 1)
    lab.close()
    notebook = lab.show(notebook.path)
    expect(notebook.status).to_contain_text("These rows were saved with the notebook.")
    assert notebook.texts("payee")[:3] == ["Café Zur Mühle", "Climbing Hall", "Linden Housing"]
    expect(notebook.button("Apply")).to_be_hidden()
