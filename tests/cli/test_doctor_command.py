"""The command ``budgetframe doctor`` against the embedded service, as it is and with deviations."""

import asyncio
import copy
import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from hypothesis import given, settings, strategies as st

from budgetframe import BudgetFrame, RateLimiter, ServiceClient
from budgetframe._cli.doctor.answers import Answer, Run, window_begin
from budgetframe._cli.doctor.diagnosis import ResponseBody, check_answers, diagnose
from budgetframe._milliunits import convert_in_place
from budgetframe.sandbox import NewPart, Sandbox, serve
from tests.cli import main
from tests.facade.service import EMPTY_EXPORT
from tests.limits import forget_limits
from tests.sandbox.ask import Ids

from .deviations import MARK, Change, DeviatingSandbox, Json, each, on, splits

TOKEN = "sandbox-token"


@dataclass
class Doctor:
    """Runs the command against one service."""

    service: DeviatingSandbox
    url: str
    capsys: pytest.CaptureFixture[str]

    def run(self, *flags: str, budget: str = "Household") -> tuple[int, str]:
        """Return exit status and standard output; nothing may be on standard error."""
        forget_limits()  # a process has one limiter for a token; the tests need more requests
        status = main(["doctor", "--base-url", self.url, "--budget", budget, *flags])
        output = self.capsys.readouterr()
        assert output.err == ""
        return status, output.out


def section(output: str, title: str) -> list[str]:
    return output.partition(f"\n{title}\n")[2].partition("\n\n")[0].splitlines()


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[DeviatingSandbox, str]]:
    """One service for all tests of the file: a test only changes its answers."""
    service = DeviatingSandbox(token=TOKEN, years=1, limit=100_000)
    with serve(service) as url:
        yield service, url


@pytest.fixture
def doctor(
    served: tuple[DeviatingSandbox, str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Doctor:  # fmt: skip
    monkeypatch.setenv("BUDGETFRAME_TOKEN", TOKEN)
    service, url = served
    service.changes = ()
    return Doctor(service, url, capsys)


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    """The answers of one run; tests change copies of them."""
    return answers_of(Sandbox(years=1, budgets=1))


def answers_of(service: Sandbox) -> dict[str, Answer]:
    body = ResponseBody()

    async def run() -> Run:
        async with httpx.AsyncClient(
            transport=service.transport(),
            base_url=service.base_url,
            headers={"Authorization": f"Bearer {service.token}"},
            event_hooks={"response": [body]},
        ) as http:
            return (await diagnose(ServiceClient(http, RateLimiter()), body, None)).run

    return dict(asyncio.run(run()).answers)


NAMES_OF_ANSWERS = {
    "transactions since the beginning": "transactions since 1",
    "transactions of the last year": "transactions", "payees": "payees since 1",
}  # fmt: skip
"""The answers that the changes know by the request."""


def checked(answers: dict[str, Answer], *changes: Change) -> str:
    """The output for these answers after some changes."""
    changed = {}
    for name, answer in answers.items():
        data = copy.deepcopy(dict(answer.data))
        for change in changes:
            change(NAMES_OF_ANSWERS.get(name, name), data)
        changed[name] = answer
        if data != answer.data:
            converted = copy.deepcopy(data)
            convert_in_place(converted)
            changed[name] = replace(answer, data=data, converted=converted)
    return check_answers(Run(changed)).report()


# -- everything agrees -----------------------------------------------------------------------------


class PlainRun(NamedTuple):
    """A run against the service as it is."""

    status: int
    output: str
    requests: list[str]


@pytest.fixture(scope="module")
def plain_run(served: tuple[DeviatingSandbox, str]) -> PlainRun:
    service, url = served
    output = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        patch.setenv("BUDGETFRAME_TOKEN", TOKEN)
        service.changes = ()
        service.requests.clear()
        status = main(["doctor", "--base-url", url, "--budget", "Household"])
    return PlainRun(status, output.getvalue(), [*service.requests])


def test_the_embedded_service_agrees(plain_run: PlainRun) -> None:
    output = plain_run.output
    assert (plain_run.status, section(output, "Differences")) == (0, [])
    assert section(output, "answer                            records  result") == [
        "--------------------------------  -------  ------",
        "user                              1        agrees",
        "budgets                           6        agrees",
        "export                            1,344    agrees",
        "months                            0        agrees",
        "transactions since the beginning  730      agrees",
        "transactions of the last year     501      agrees",
        "payees                            40       agrees",
        "accounts                          7        agrees",
        "categories                        36       agrees",
        "month                             29       agrees",
        "scheduled_transactions            8        agrees",
        "payee_locations                   3        agrees",
        "money_movements                   382      agrees",
        "money_movement_groups             21       agrees",
        "settings                          3        agrees",
    ]


def test_a_deleted_split_is_a_remark_with_a_reason() -> None:
    service = Sandbox(years=1, budgets=1)
    ids, day = Ids(service), date(2026, 5, 20)
    parts = [
        NewPart(amount=-1_000, category_id=ids.category("Car", "Fuel")), NewPart(amount=-2_000),
    ]  # fmt: skip
    account = ids.account("Checking")
    key = service.device.add_transaction(account_id=account, date=day, amount=-3_000, parts=parts)
    before = checked(answers_of(service))
    service.device.delete_transaction(key)
    after = checked(answers_of(service))
    assert "without a reason" not in before + after
    explained = r"(\d+) of \d+ category months differ from the transactions with a reason"
    counts = [int(count) for text in (before, after) for count in re.findall(explained, text)]
    assert counts[1] - counts[0] == 2


def test_the_other_budgets_and_a_budget_without_scheduled_transactions_agree(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "other")
    service = Sandbox(token="other", years=1)
    service.device.forget_schedules()
    with serve(service) as url:
        for budget in ("Household", "東京の家計"):
            assert main(["doctor", "--base-url", url, "--budget", budget]) == 0, budget
    output = capsys.readouterr().out
    assert "Is an empty list of scheduled transactions the error 404.2? yes" in output


def test_the_open_questions_and_what_this_run_answered(plain_run: PlainRun) -> None:
    output = plain_run.output
    assert section(output, "Open questions that this run answered") == [
        "Does one counter serve all lists? yes: 10 answers have the same server_knowledge",
        "Does the cursor 1 mean: since the beginning? yes, for payees and transactions",
        "Does a delta since the beginning have deleted rows? yes: 2 payees and 3 transactions",
        "Do transactions in a delta have the present names of payees? yes, all rows",
        ("Does the list of transactions cover one year without since_date?"
         " yes: it has 493 of 719 rows"),
        "What is default_budget? null",
        "Which shape do money movements have? one record for each move",
        "Does a month detail have the field deleted? yes",
        "Are there splits whose parts do not add up? no",
        "Is goal_percentage_complete ever a fraction? no",
        ("Which field has the date of a goal?"
         " goal_target_date in 2 rows and goal_target_month in 2 rows"),
        "What type do latitude and longitude have? text",
        "Do ids of transactions from a schedule end with a day? yes: 1 of 719 rows",
        "Do amounts have display fields? no",
        ("Is the balance of a loan the sum of its transactions?"
         " for 1 of 1 loan; loans with interest rates: 1"),
    ]  # fmt: skip
    assert section(output, "Open questions that this run did not answer") == [
        "Is an empty list of scheduled transactions the error 404.2?",
        "Does a delta send the transactions of a renamed payee again?",
        "Does the window of one year apply to deltas?",
    ]


def test_fields_that_had_no_value_and_the_names_of_headers_are_listed(
    plain_run: PlainRun, answers: dict[str, Answer]
) -> None:
    title = "Fields that had no value in any row, so that this run says nothing of them"
    assert section(plain_run.output, title) == [
        "budgets: default_budget", "accounts: debt_original_balance",
        "categories: original_category_group_id, goal_snoozed_at", "months: note",
        "scheduled_subtransactions: memo, payee_id, transfer_account_id", "month: note",
        "money_movements: note",
    ]  # fmt: skip
    headers = section(plain_run.output, "Names of the response headers")
    assert headers == ["content-length, content-type, date"]
    change = on("settings", lambda data: data["settings"].update(date_format=None))
    assert "settings: date_format" in section(checked(answers, change), title)


def test_every_resource_is_read_once_and_transactions_twice(
    plain_run: PlainRun, served: tuple[DeviatingSandbox, str]
) -> None:
    state = served[0].device.state()
    expected = """
        GET /v1/user
        GET /v1/budgets
        GET /v1/budgets/{id}
        GET /v1/budgets/{id}/months?last_knowledge_of_server={knowledge}
        GET /v1/budgets/{id}/transactions?since_date=1900-01-01&last_knowledge_of_server=1
        GET /v1/budgets/{id}/transactions
        GET /v1/budgets/{id}/payees?last_knowledge_of_server=1
        GET /v1/budgets/{id}/accounts
        GET /v1/budgets/{id}/categories
        GET /v1/budgets/{id}/months/current
        GET /v1/budgets/{id}/scheduled_transactions
        GET /v1/budgets/{id}/payee_locations
        GET /v1/budgets/{id}/money_movements
        GET /v1/budgets/{id}/money_movement_groups
        GET /v1/budgets/{id}/settings
    """
    lines = [line.strip() for line in expected.format(**vars(state)).strip().splitlines()]
    assert plain_run.requests == lines
    assert len(lines) == 15


# -- deviations ------------------------------------------------------------------------------------


def _old_rows_dropped(data: Json) -> None:
    data["transactions"] = [row for row in data["transactions"] if row["date"] >= "2025-06-17"]


def _months_resent(data: Json) -> None:
    amounts = dict.fromkeys(("income", "budgeted", "activity", "to_be_budgeted"), 0)
    data["months"] = [
        {"month": month, "note": None, "age_of_money": None, "deleted": False, **amounts}
        for month in [f"{year}-{month:02}-01" for year in (2025, 2026) for month in range(1, 13)]
    ]


def _an_old_row(data: Json) -> None:
    old = next(row for row in data["transactions"] if row["memo"] is None)
    data["transactions"].append({**old, "id": "an-old-row", "date": "2025-01-02"})


def _pop(name: str) -> Callable[[Json], object]:
    return lambda row: row.pop(name)


def _put(**fields: Any) -> Callable[[Json], object]:
    return lambda row: row.update(fields)


def _repeated(rows: list[Json]) -> None:
    rows.append(rows[0])


_GONE, _ONE = _put(deleted=True), _put(amount=1)

DEVIATIONS: dict[str, tuple[Change, list[str]]] = {
    "a field is missing": (on("accounts", each("accounts", _pop("cleared_balance"))),
        ["accounts: accounts[]: the field cleared_balance is missing in 7 of 7 rows"]),
    "an amount is text": (
        on("transactions", each("transactions", lambda row: row.update(amount=f"{row['amount']}"))),
        ["transactions: transactions[]: the field amount is text, not integer in 493 of 493 rows"]),
    "a boolean is a number": (
        on("month", lambda data: each("categories", _put(hidden=0))(data["month"])),
        ["month: month.categories[]: the field hidden is integer, not boolean in 28 of 28 rows",
         ("month: the categories of the current month and the export differ in hidden"
          " in 2 of 28 rows")]),
    "a list is missing": (on("payee_locations", _pop("payee_locations")),
        ["payee_locations: data: the field payee_locations is missing in 1 of 1 row",
         "payee_locations: the list payee_locations lacks 3 of 3 rows that the export has"]),
    "a delta has a lower knowledge": (on("months", _put(server_knowledge=5)),
        ["months: the delta without changes has a lower knowledge than the cursor"]),
    "a delta sends everything again": (on("months", _months_resent),
        ["months: the delta without changes has 24 of 18 rows, not 0"]),
    "a delta lacks a row": (on("payees since 1", lambda data: data["payees"].pop(0)),
        ["payees: the delta since the beginning lacks 1 of 38 rows that the export has"]),
    "a full answer has a deleted row": (
        on("categories", lambda data: _GONE(data["category_groups"][3]["categories"][0])),
        ["categories: category_groups[].categories: the full answer has 1 deleted row",
         "categories: the list categories lacks 1 of 28 rows that the export has"]),
    "a split does not add up": (
        on("transactions since 1", lambda data: _ONE(splits(data)[0]["subtransactions"][0])),
        ["transactions: 1 split with parts that do not add up to the amount"]),
    "a row occurs twice": (
        on("scheduled_transactions", lambda data: _repeated(data["scheduled_transactions"])),
        ["scheduled_transactions: scheduled_transactions: 1 repeated row"]),
    "a balance differs from the rows": (
        on("export", lambda data: data["budget"]["accounts"][0].update(balance=5)),
        ["accounts: the list accounts and the export differ in balance in 1 of 7 rows",
         "export: balance is not the sum of its two parts in 1 of 7 rows",
         "accounts: reconcile(): 1 of 7 accounts differ from the transactions without a reason"]),
    "an early since_date is ignored": (on("transactions since 1", _old_rows_dropped),
        ["transactions: the delta since the beginning lacks 226 of 719 rows that the export has",
         ("transactions: an early since_date has no effect: the answer has none of the 202"
          " rows that are older than one year")]),
    "a missing since_date means more than a year": (on("transactions", _an_old_row),
        ["transactions: without since_date, 1 of 494 rows are older than one year"]),
    "a month is not its first day": (
        on("month", lambda data: data["month"].update(month="2026-06-17")),
        ["month: month: the field month is text, not the first day of a month in 1 of 1 row",
         "month: the export does not have the current month"]),
    "an answer has no knowledge": (on("money_movements", _pop("server_knowledge")),
        ["money_movements: data: the field server_knowledge is missing in 1 of 1 row"]),
}  # fmt: skip


@pytest.mark.parametrize(("change", "lines"), DEVIATIONS.values(), ids=[*DEVIATIONS])
def test_a_deviation_is_found(answers: dict[str, Answer], change: Change, lines: list[str]) -> None:
    assert section(checked(answers, change), "Differences") == lines


# -- what is no difference -------------------------------------------------------------------------


_FORMATS = _put(date_format=None, currency_format=None)
_NEW_TYPE = each("accounts", _put(type="cryptoWallet"))
_UNLISTED = each("transactions", _put(payee_id="nowhere"))
NO_DIFFERENCES: dict[str, tuple[tuple[Change, ...], list[str]]] = {
    # changes, and remarks of the output
    "unknown fields and values": (
        (on("accounts", each("accounts", _put(credit_score=7, is_shared=None))),
         on("accounts", _NEW_TYPE), on("export", lambda data: _NEW_TYPE(data["budget"]))),
        ["accounts: accounts[]: unknown field credit_score (integer)",
         "accounts: accounts[]: unknown field is_shared (null)",
         "accounts: accounts[]: unknown value of type in 7 of 7 rows: cryptoWallet",
         "export: budget.accounts[]: unknown value of type in 7 of 7 rows: cryptoWallet"]),
    "formats that are null": ((on("settings", lambda data: _FORMATS(data["settings"])),
                               on("export", lambda data: _FORMATS(data["budget"])),
                               on("budgets", each("budgets", _FORMATS))),
        []),
    "fields that older answers lack": (
        (on("accounts", each("accounts", _pop("debt_interest_rates"))),
         on("accounts", each("accounts", _pop("note")))),
        ["accounts: accounts[]: fields that are not sent: note, debt_interest_rates"]),
    "ids of rows that are not listed": ((on("export", lambda data: _UNLISTED(data["budget"])),
                                         on("transactions since 1", _UNLISTED)),
        ["export: transactions: payee_id is not in the list payees in 719 of 719 rows"]),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "remarks"), NO_DIFFERENCES.values(), ids=[*NO_DIFFERENCES])
def test_what_is_no_difference_is_at_most_a_remark(
    answers: dict[str, Answer], changes: tuple[Change, ...], remarks: list[str]
) -> None:
    output = checked(answers, *changes)
    assert section(output, "Differences") == []
    assert [each for each in remarks if each not in section(output, "Remarks")] == []


def test_a_change_of_the_budget_during_the_run_is_a_remark(answers: dict[str, Answer]) -> None:
    month = {"month": "2026-06-01", "note": None, "age_of_money": None, "deleted": False}
    amounts = dict.fromkeys(("income", "budgeted", "activity", "to_be_budgeted"), 0)
    output = checked(answers, on("months", _put(months=[month | amounts], server_knowledge=10_000)))
    assert section(output, "Differences") == []
    assert (
        "months: the delta after the export has 1 row: the budget was changed during the run,"
        " or the export and the months have different counters" in section(output, "Remarks")
    )
    assert (
        "Does one counter serve all lists? no, or the budget was changed during the run:"
        " 2 different values; if it was changed, run the command again"
        in section(output, "Open questions that this run answered")
    )


# -- the service cannot be asked -------------------------------------------------------------------


def failed(capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    """Run the command, which must fail, and return its only line."""
    assert main(["doctor", *flags]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err.removesuffix("\n")


def test_a_service_that_cannot_be_asked_is_status_2(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = failed(capsys, "--base-url", "http://127.0.0.1:1/v1")
    assert message.startswith("budgetframe doctor: no connection to the service: ")
    message = failed(capsys, "--base-url", doctor.url, "--budget", "Holiday")
    assert message.startswith("budgetframe doctor: no budget 'Holiday': ")
    monkeypatch.setenv("BUDGETFRAME_TOKEN", "a-wrong-one")
    assert failed(capsys, "--base-url", doctor.url) == (
        "budgetframe doctor: the service answered 401: Unauthorized. The service does not accept"
        " the token: create a new token in its settings and connect with it"
    )
    monkeypatch.delenv("BUDGETFRAME_TOKEN")
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # a plugin of pytest imports it
    assert failed(capsys).startswith("budgetframe doctor: no token: ")


def test_answers_without_a_list_of_budgets_and_pages_are_status_2(
    doctor: Doctor, capsys: pytest.CaptureFixture[str]
) -> None:
    doctor.service.changes = (on("budgets", lambda data: data.update(budgets=None)),)
    expected = "budgetframe doctor: The service answered 200, but the answer has no list of budgets"
    assert failed(capsys, "--base-url", doctor.url) == expected
    doctor.service.faults = ["html:/user"]
    message = failed(capsys, "--base-url", doctor.url)
    doctor.service.faults = []
    assert message.startswith("budgetframe doctor: the service answered 502: ")


def test_a_failure_halfway_in_a_run(doctor: Doctor, capsys: pytest.CaptureFixture[str]) -> None:
    """The limit and a broken connection end the run; another error is one of the differences."""
    flags = ("--base-url", doctor.url, "--budget", "Household")
    for fault, message in (
        ("429", "the service answered 429: Too many requests. The service"),
        ("reset-before", "no connection to the service: "),
    ):
        doctor.service.faults = [f"{fault}:GET:*/payees"]
        assert failed(capsys, *flags).startswith(f"budgetframe doctor: {message}")
    doctor.service.faults = ["500:GET:*/payees"]
    status, output = doctor.run()
    doctor.service.faults = []
    assert (status, section(output, "Differences")) == (
        1, ["payees: the service answered with the error 500"],
    )  # fmt: skip


# -- the file --------------------------------------------------------------------------------------


@pytest.mark.posix
def test_the_file_has_the_output_and_all_shapes(doctor: Doctor, tmp_path: Path) -> None:
    file = tmp_path / "doctor.txt"
    status, output = doctor.run("--out", str(file))
    assert status == 0
    report, _, shapes = file.read_text("utf-8").partition("\nShapes: ")
    last = f"{file} has no name, memo, amount, id or token: it can be attached to a report."
    assert output == f"{report}\n{last}\n"
    assert "\n  accounts[]: 7\n    id: text 7\n    name: text 7\n    type: text 7\n" in shapes
    assert "\n    note: null 3, text 4\n" in shapes
    assert file.stat().st_mode & 0o777 == 0o600


FACTOR = 1_000_003
_FIXED_NAMES = {"Internal Master Category", "Credit Card Payments", "Uncategorized"}
_MARKED = re.compile(r"(.*_)?(id|name|note|memo|import_payee_name_original)")
_AMOUNT = re.compile(
    r"(.*_)?(amount|balance|budgeted|activity|income|allocation|spent|target|left|funded)"
)


def _marked(value: Any, name: str = "") -> Any:
    """A document with a mark in every name, memo and id, and with amounts that are conspicuous.

    Sums and references stay correct.
    """
    if isinstance(value, dict):
        return {key: _marked(child, key) for key, child in value.items()}
    if isinstance(value, list):
        return [_marked(child) for child in value]
    if isinstance(value, str) and _MARKED.fullmatch(name) and value not in _FIXED_NAMES:
        return f"{MARK}{value}"
    if type(value) is int and _AMOUNT.fullmatch(name):
        return value * FACTOR
    return value


def _texts_of(value: Any, name: str = "") -> Iterator[str]:
    """All names, memos, ids and amounts of a document, as they could be printed."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _texts_of(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from _texts_of(child)
    elif isinstance(value, str) and _MARKED.fullmatch(name):
        yield value.removeprefix(MARK)
    elif type(value) is int and _AMOUNT.fullmatch(name) and abs(value) > FACTOR:
        units = abs(value) / 1000
        yield from (f"{abs(value)}", f"{abs(value):,}", f"{units}", f"{units:,.2f}")


def test_neither_the_file_nor_the_output_has_data(doctor: Doctor, tmp_path: Path) -> None:
    """Every name, memo, id and amount has a mark, also as keys of objects and in new fields."""
    texts: set[str] = set()

    def mark(_name: str, data: Json) -> None:
        content = _marked(data)
        data.clear()
        data.update(content)
        texts.update(_texts_of(content))

    def data_as_keys(name: str, data: Json) -> None:
        if name == "accounts":
            for row in data["accounts"]:
                row["debt_interest_rates"] = {row["id"]: 3250, "2026-06-01": 3250}
                names = (row["id"], row["name"], "2026-06-01", "gasworks", "groceries")
                row.update(dict.fromkeys(names, 1))
                row |= {"0f3c-77": 6, "new_object": {row["name"]: row["note"]}}
                row["new_text"] = row["name"]
            data["accounts"][2]["sunflower"] = 1
        if name == "payees since 1":
            data["payees"][0]["name"] = "gasworks"
            data[MARK] = {"accounts": [{"id": "twice"}, {"id": "twice"}]}
        if name == "transactions":
            for row in data["transactions"]:
                row["cleared"], row["flag_color"] = row["id"], "Groceries"
                row["debt_transaction_type"] = "gasworks"

    wrong = tuple(change for change, _ in DEVIATIONS.values())
    for changes, expected in (
        ((mark,), (0, False)), ((mark, data_as_keys), (1, True)),
        ((*wrong, mark, data_as_keys), (1, True)),
    ):  # fmt: skip
        doctor.service.changes = changes
        file = tmp_path / "doctor.txt"
        status, output = doctor.run("--out", str(file), budget=f"{MARK}Household")
        assert (status, bool(section(output, "Differences"))) == expected, output
        content = file.read_text("utf-8") + output.replace(str(file), "")
        assert MARK not in content
        assert TOKEN not in content
        words = set(re.findall(r"[\w.,-]+", content))
        assert words & {text for text in texts if len(text) > 4} == set()
        withheld = {"2026-06-01", "0f3c-77", "sunflower", "gasworks", "groceries", "Groceries"}
        assert words & withheld == set()


def _trimmed(value: Any) -> Any:
    """A document with at most five elements in each list."""
    if isinstance(value, dict):
        return {key: _trimmed(child) for key, child in value.items()}
    return [_trimmed(child) for child in value[:5]] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def few_rows(answers: dict[str, Answer]) -> dict[str, Answer]:
    """The answers with at most five elements in each list."""
    return {name: replace(each, data=_trimmed(each.data)) for name, each in answers.items()}


def _places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """All objects and lists of a document, each with all its keys."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places_in(value[key])


MALFORMED: tuple[Any, ...] = (
    None, True, 0, -5, 10**30, 1.5, "", MARK, "2026-13-45", [], {}, [None], [MARK], [{}],
)  # fmt: skip


def test_the_window_of_one_year_is_unknown_for_a_month_at_the_limits_of_dates() -> None:
    for month, expected in [
        ("0001-01-01", None), ("0002-01-01", None), ("9999-12-01", None),
        ("2026-05-01", (date(2025, 4, 29), date(2025, 6, 3))), ("nonsense", None),
    ]:  # fmt: skip
        content = {"month": {"month": month}}
        assert window_begin(Run({"month": Answer("month", content, content)})) == expected, month


@pytest.mark.slow  # each example carries out all checks
@settings(max_examples=settings().max_examples // 2)
@given(numbers=st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_no_malformed_answer_stops_the_command_or_is_printed(
    few_rows: dict[str, Answer], numbers: list[int]
) -> None:
    data: dict[str, Any] = {name: copy.deepcopy(each.data) for name, each in few_rows.items()}
    for number in numbers:
        places = list(_places_in(data[sorted(data)[number % len(data)]]))
        if places:
            parent, key = places[number % len(places)]
            new = MALFORMED[number % len(MALFORMED)]
            parent[key] = {MARK: new} if number % 3 == 0 else new
    converted = copy.deepcopy(data)
    try:
        convert_in_place(converted)
    except OverflowError:
        return  # the client refuses such an answer
    changed = {
        name: replace(each, data=data[name], converted=converted[name])
        for name, each in few_rows.items()
    }
    diagnosis = check_answers(Run(changed))
    assert MARK not in diagnosis.report() + diagnosis.shapes()


def test_a_file_costs_no_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bf = BudgetFrame.sandbox(Sandbox(years=1, budgets=1), progress=False)
    path = bf.save_export(tmp_path / "budget.json.gz")
    assert main(["doctor", "--export", str(path)]) == 0
    output = capsys.readouterr().out
    assert "12 answers" in output.splitlines()[0]
    assert "Differences" not in output
    document = json.loads(gzip.decompress(path.read_bytes()))
    document["data"]["budget"]["accounts"][0]["balance"] += 10
    damaged = tmp_path / "damaged.json"
    damaged.write_text(json.dumps(document), "utf-8")
    assert main(["doctor", "--export", str(damaged)]) == 1
    assert "the balances of accounts add up" in capsys.readouterr().out
    damaged.write_text("{}", "utf-8")
    assert main(["doctor", "--export", str(damaged)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_half_a_character_is_a_difference_without_its_text(
    doctor: Doctor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = each("accounts", lambda row: row.update(note=MARK + "\ud83d"))
    doctor.service.changes = (on("accounts", half),)
    status, output = doctor.run()
    text = "the answer is not strict JSON: a text or a number in it is damaged"
    assert status == 1
    assert f"accounts: {text}" in section(output, "Differences")
    assert MARK not in output
    file = tmp_path / "budget.json"
    file.write_text(json.dumps({**EMPTY_EXPORT, "name": MARK + "\ud83d", "id": "b1"}), "utf-8")
    assert main(["doctor", "--export", str(file)]) == 1
    shown = capsys.readouterr()
    assert f"export: {text}" in shown.out
    assert MARK not in shown.out + shown.err
