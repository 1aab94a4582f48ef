"""Errors that a user sees; an error loses no data."""

import contextlib
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import budgetframe
from budgetframe import BudgetFrame, ServiceAPIError, ToolError, reports
from budgetframe.sandbox import Sandbox, serve
from tests.facade.scripts import run_script

from .service import ACCOUNT_ID, TOKEN, Connect, ServiceWithFacade, data, one_budget, scripted


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections: it is bound, but no server listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def answering(response: httpx.Response) -> BudgetFrame:
    return scripted(one_budget(lambda _: response))


# Invalid answers


@pytest.mark.parametrize(
    "budgets", [None, [{"name": "no id"}], [{"id": 7, "name": "Home"}], ["Home"], {"id": "b1"}]
)
def test_an_invalid_list_of_budgets_is_an_error_of_the_service(budgets: Any) -> None:
    response = data({"budgets": budgets})
    bf = scripted(lambda _, response=response: response)
    with pytest.raises(ServiceAPIError):
        bf.accounts()


def test_a_budget_without_a_name_leaves_the_others() -> None:
    budgets = [{"id": "b0"}, {"id": "b1", "name": "Home"}, {"id": "b1", "name": "Home"}]

    def handler(request: httpx.Request) -> httpx.Response:
        is_list = request.url.path == "/v1/budgets"
        return data({"budgets": budgets} if is_list else {"payees": []})

    for chosen, path in [("Home", "b1"), ("b0", "b0")]:
        bf = scripted(handler, budget=chosen)
        with pytest.warns(RuntimeWarning) as caught:
            assert path in bf.payees().attrs["source"]
        assert [str(each.message).partition(" (")[0] for each in caught] == [
            "budgets: 1 of 3 rows occur twice in one answer of the service",
            "budgets: 1 of 2 rows have no usable name",
        ]


def test_an_answer_without_content_is_an_error_of_the_service(subtests: pytest.Subtests) -> None:
    bf = answering(data({"something_else": []}))
    for method in (
        *("accounts", "transactions", "categories", "months", "month"),
        *("user", "settings", "export"),
    ):
        with subtests.test(method=method), pytest.raises(ServiceAPIError):
            getattr(bf, method)()


# No network

TO_TRY = (
    "Look whether other pages open in a browser: the network may be down, or may want a login"
    " first. If they open, check base_url and, behind a proxy, the environment variable"
    " HTTPS_PROXY; then try again"
)


def test_no_network_is_an_error_that_says_what_to_do(closed_port: int, connect: Connect) -> None:
    with pytest.raises(httpx.TransportError) as caught:
        connect(f"http://127.0.0.1:{closed_port}/v1").accounts()
    error = caught.value
    assert len(traceback.extract_tb(error.__traceback__)) <= 5
    assert (error.__cause__, error.__context__) == (None, None)
    address = f"http://127.0.0.1:{closed_port}/v1/budgets"
    assert error.__notes__[-1] == f"GET {address} got no complete answer. {TO_TRY}"


@pytest.mark.parametrize(
    ("status", "is_network"), [(200, True), (302, True), (511, True), (404, False), (503, False)]
)
def test_the_login_page_of_a_network_says_what_to_do(status: int, *, is_network: bool) -> None:
    with pytest.raises(ServiceAPIError) as caught:
        answering(httpx.Response(status, html="<title>Hotel</title>")).accounts()
    assert (TO_TRY in getattr(caught.value, "__notes__", ())) is is_network


def test_a_service_that_does_not_answer_in_time_is_a_transport_error(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bf = connect(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", timeout=0.01)
        with pytest.raises(httpx.ReadTimeout, match=r"^no answer within 0\.01 s\nGET http://"):
            bf.accounts()


def test_an_answer_that_arrives_byte_by_byte_ends_after_four_timeouts(connect: Connect) -> None:
    ended = threading.Event()

    def drip(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
            for _ in range(200):  # four seconds at most
                if ended.wait(0.02):
                    break
                connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        bf = connect(f"http://127.0.0.1:{server.getsockname()[1]}/v1", timeout=0.1)
        with pytest.raises(httpx.ReadTimeout, match=r"no complete answer within 0\.4 s") as caught:
            bf.accounts()
        ended.set()
        thread.join()
    assert "authorization" not in caught.value.request.headers
    assert bf.requests.used == 1


@pytest.mark.parametrize("call", ["accounts", "transactions", "user", "month", "export"])
def test_the_traceback_of_a_refusal_or_an_error_is_short(call: str) -> None:
    home = ServiceWithFacade(token="wrong", threshold=1)
    for expected in (ServiceAPIError, ToolError):
        with pytest.raises(expected) as caught:
            getattr(home.bf, call)()
        assert len(traceback.extract_tb(caught.value.__traceback__)) <= 5


IPYTHON = """
import sys
import httpx
from IPython.core.interactiveshell import InteractiveShell
from budgetframe import BudgetFrame, RateLimiter, ServiceClient
from budgetframe.reports import spending

http = httpx.AsyncClient(base_url="http://127.0.0.1:1/v1")
bf = BudgetFrame(ServiceClient(http, RateLimiter()))
full = BudgetFrame(ServiceClient(http, RateLimiter(threshold=0)))
shell = InteractiveShell.instance(colors="nocolor")
shell.push({"BudgetFrame": BudgetFrame, "bf": bf, "full": full})
for cell in ("BudgetFrame.connect('two words')", "bf.user()", "full.user()", "bf.months(extra=2)"):
    shell.run_cell(cell)

sys.modules["plotly"] = None  # as if it was not installed
box = BudgetFrame.sandbox(progress=False)
spent, diagram = box.reports.spending(), box.reports.income_sankey()
shell.push({"spent": spent, "diagram": diagram, "spending": spending})
for cell in (
    "spent.rows(category_name='Grocery')", "spent.rows(name='Fun')", "spent[:0].plot(kind='bar')",
    "spent.plot(kind='cake')", "spent.plot.scatter(x='spent', y='no')", "diagram.plot()",
    "spending(spent)",
):
    shell.run_cell(cell)
"""


def test_ipython_shows_the_message_and_no_frame_of_the_package(subtests: pytest.Subtests) -> None:
    shown = run_script(IPYTHON).out
    for cell, message in {
        "BudgetFrame.connect('two words')": "ToolError: the token is empty or has characters",
        "bf.user()": "ConnectError: All connection attempts failed",
        "full.user()": "ToolError: rate limit reached (0 requests this hour), try again in",
        "bf.months(extra=2)": "ToolError: extra=2: it must be True or False",
        "spent.rows(category_name='Grocery')": "ToolError: category_name='Grocery': no row of the",
        "spent.rows(name='Fun')": "ToolError: name='Fun': the report spending has no column name",
        "spent[:0].plot(kind='bar')": "ToolError: kind='bar': pandas cannot draw this plot:",
        "spent.plot(kind='cake')": "ToolError: kind='cake': it must be one of 'line', 'calendar',",
        "spent.plot.scatter(x='spent', y='no')": "ToolError: kind='scatter': pandas cannot",
        "diagram.plot()": "ToolError: a Sankey diagram needs plotly",
        "spending(spent)": "ToolError: the frame has no column",
    }.items():
        with subtests.test(cell=cell):
            assert f"----> 1 {cell}" in shown
            assert message in shown
    folder = str(Path(budgetframe.__file__).parent)  # a checkout may have the same name
    for written in (folder, folder.replace(str(Path.home()), "~")):  # IPython shortens paths
        assert f"{written}/" not in shown
    assert "_facade" not in shown


def test_a_wrong_keyword_names_the_public_class(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    wrong = {"sicne": "2026"}
    calls: dict[str, Callable[[], object]] = {
        "BudgetFrame": lambda: bf.ledger(**wrong),  # type: ignore[arg-type]
        "AsyncBudgetFrame": lambda: bf.aio.ledger(**wrong).send(None),  # type: ignore[arg-type]
        "Reports": lambda: bf.reports.loans(**wrong),  # type: ignore[arg-type]
        "AsyncReports": lambda: bf.aio.reports.loans(**wrong).send(None),  # type: ignore[arg-type]
    }
    for name, call in calls.items():
        with subtests.test(name=name):
            with pytest.raises(TypeError) as caught:
                call()
            method = "loans" if name.endswith("Reports") else "ledger"
            message = f"{name}.{method}() got an unexpected keyword argument 'sicne'"
            assert str(caught.value).startswith(message)


def test_a_misspelt_argument_of_a_report_names_the_one_that_is_meant(bf: BudgetFrame) -> None:
    method: Any = bf.reports.spending
    with pytest.raises(TypeError, match=r"argument 'category'; did you mean categories=\?$"):
        method(category="Rent")
    awaited: Any = bf.aio.reports.spending
    with pytest.raises(TypeError, match=r"^AsyncReports\.spending\(\) .* mean categories=\?$"):
        awaited(category="Rent").send(None)
    function: Any = reports.net_worth
    with pytest.raises(TypeError, match=r"^net_worth\(\) .* 'frq'; did you mean freq=\?$"):
        function(bf.ledger(), frq="year")


def test_a_method_that_gets_a_frame_names_the_function(bf: BudgetFrame) -> None:
    methods: list[Any] = [bf.reports.spending, bf.reports.net_worth]
    for method in methods:
        name = method.__name__
        said = rf"^bf\.reports\.{name}\(\) reads .* the function budgetframe\.reports\.{name}\(\)$"
        with pytest.raises(ToolError, match=said):
            method(bf.ledger())
        with pytest.raises(ToolError, match=said):
            method(ledger=bf.ledger())


@pytest.mark.parametrize("given", [(), (3,), ("Checking",)])
def test_a_function_without_its_frame_says_which_one_it_takes(given: Any) -> None:
    said = r"^ledger must be the frame of bf\.ledger\(\): write reports\.spending\(bf\.ledger\("
    with pytest.raises(ToolError, match=said):
        reports.spending(*given)


def test_a_function_with_too_few_or_other_frames_says_which_ones_it_takes(bf: BudgetFrame) -> None:
    function: Any = reports.forecast
    with pytest.raises(ToolError, match=r"^listed_accounts must be the frame of bf\.accounts\(\)"):
        function(bf.scheduled_transactions(), bf.scheduled_subtransactions())
    said = r"^the frame has no column date, payee_name, category_name and 25 more: this report"
    with pytest.raises(ToolError, match=said):
        reports.spending(bf.accounts())


def test_the_debug_variable_keeps_frames_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGETFRAME_DEBUG", "1")
    with pytest.raises(ServiceAPIError) as caught:
        ServiceWithFacade(token="wrong").bf.accounts()
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[:3] == [
        "test_the_debug_variable_keeps_frames_of_the_package", "accounts", "__call__",
    ]  # fmt: skip
    assert "frame_of" in names
    assert len(names) > 8


def test_after_the_network_is_back_the_same_object_works(connect: Connect) -> None:
    service = Sandbox(token=TOKEN, years=1)
    with serve(service) as url:
        bf = connect(url, budget="Household", ttl=0)
        bf.accounts()
    with pytest.raises(httpx.TransportError):
        bf.payees()
    with serve(service, port=httpx.URL(url).port or 0):
        assert len(bf.accounts()) > 0


# The token


def test_a_wrong_token_is_the_service_s_error_and_says_what_to_do() -> None:
    with pytest.raises(ServiceAPIError) as caught:
        ServiceWithFacade(token="some-other-token").bf.accounts()
    error = caught.value
    assert (error.status_code, error.name, str(error)) == (401, "not_authorized", "Unauthorized")
    assert "token" in "\n".join(error.__notes__)


# What to do


def test_an_unknown_key_is_an_error_that_says_where_the_keys_are() -> None:
    with pytest.raises(ServiceAPIError) as caught:
        ServiceWithFacade().bf.account(ACCOUNT_ID)
    assert (caught.value.status_code, caught.value.error_id) == (404, "404.2")
    assert str(caught.value) == (
        "Resource not found: '00000000-0000-4000-8000-0000000000a1' is not a key in this budget;"
        " bf.accounts() lists the keys"
    )


def test_a_month_without_a_budget_is_an_error_that_says_how_to_list_the_months() -> None:
    with pytest.raises(ServiceAPIError) as caught:
        ServiceWithFacade().bf.month("1999-01")
    assert str(caught.value) == (
        "Resource not found: the budget has no month 1999-01; the column month of bf.months()"
        " lists the months of the budget"
    )


def test_an_address_without_its_version_is_told_the_usual_end(subtests: pytest.Subtests) -> None:
    not_found = httpx.Response(404, html="<h1>Not here</h1>")
    for bf, name in ((scripted(lambda _: not_found), "accounts"), (answering(not_found), "month")):
        with subtests.test(name=name):
            with pytest.raises(ServiceAPIError) as caught:
                getattr(bf, name)()
            assert str(caught.value) == (
                "HTTP 404 Not Found, without the service's error object: <h1>Not here</h1>."
                " Check base_url: the address of the service usually ends with /v1"
            )
