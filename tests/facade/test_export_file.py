"""A budget from a file: the file, what is read from it, and what is refused."""

import gzip
import json
import os
import pickle
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ServiceAPIError, ToolError
from budgetframe._session.export_file import write_export
from budgetframe.frames.export import EXPORTED
from budgetframe.sandbox import Sandbox
from tests.docs.docstrings import REPORTS
from tests.sandbox.ask import get

ROWS: dict[str, list[dict[str, Any]]] = {
    "accounts": [
        {"id": "a1", "name": "Wallet", "type": "cash", "on_budget": True, "closed": False,
            "balance": 7_000, "cleared_balance": 7_000, "uncleared_balance": 0}
    ],
    "payees": [{"id": "p1", "name": "Shop"}],
    "category_groups": [{"id": "g1", "name": "Bills", "hidden": False}],
    "categories": [
        {"id": "c1", "category_group_id": "g1", "name": "Rent", "hidden": False, "goal_target": 0,
            "budgeted": 0, "activity": -12_340, "balance": -12_340}
    ],
    "months": [],
    "transactions": [
        {"id": "t1", "date": "2023-05-02", "amount": -12_340, "account_id": "a1", "payee_id": "p1",
            "category_id": "c1", "cleared": "cleared", "approved": True}
    ],
    "subtransactions": [],
    "scheduled_transactions": [],
}  # fmt: skip
"""An old budget without the fields ``deleted`` and without names in its transactions."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[BudgetFrame, Path]:
    """A connection to a service, and the file that it has saved."""
    bf = BudgetFrame.sandbox(Sandbox(limit=10_000), progress=False)
    return bf, bf.save_export(tmp_path_factory.mktemp("files") / "household.json.gz")


def written(folder: Path, document: Any, name: str = "old.json") -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return path


# The file


@pytest.mark.posix
def test_the_file_is_the_answer_of_the_service_for_its_owner_alone(tmp_path: Path) -> None:
    service = Sandbox(years=1, budgets=1)
    bf, path = BudgetFrame.sandbox(service, progress=False), tmp_path / "budget.json"
    path.write_text("an older file", "utf-8")
    assert bf.save_export(path) == path
    budget_id = bf.budgets()["budget_id"].item()
    assert (
        json.loads(path.read_bytes())["data"]["budget"]
        == get(service, f"/budgets/{budget_id}")["budget"]
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_bytes())["as_of"] == "2026-06-17T12:00:00+00:00"
    packed = bf.save_export(tmp_path / "budget.json.gz")
    assert gzip.decompress(packed.read_bytes()) == path.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["budget.json", "budget.json.gz"]


def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    service = Sandbox(years=1, budgets=1)
    bf = BudgetFrame.sandbox(service, progress=False, on_limit="raise")
    path = bf.save_export(tmp_path / "budget.json")
    before = path.read_bytes()
    service.faults = ["html"] * 9
    with pytest.raises(ServiceAPIError):
        bf.save_export(path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]
    served = service.requests_served
    with pytest.raises(ToolError, match=r"the folder .* does not exist"):
        bf.save_export(tmp_path / "missing" / "budget.json")
    assert service.requests_served == served


# What is read


@pytest.mark.parametrize("name", ["ledger", *EXPORTED])
def test_frames_are_those_of_the_connection(name: str, saved: tuple[BudgetFrame, Path]) -> None:
    bf, path = saved
    pd.testing.assert_frame_equal(
        getattr(bf, name)(), getattr(BudgetFrame.from_export(path), name)()
    )


@pytest.mark.parametrize("name", [name for name in REPORTS if name != "money_flow"])
def test_reports_are_those_of_the_connection(name: str, saved: tuple[BudgetFrame, Path]) -> None:
    bf, path = saved
    file = BudgetFrame.from_export(path)
    pd.testing.assert_frame_equal(getattr(bf.reports, name)(), getattr(file.reports, name)())


def test_single_objects_are_those_of_the_connection(saved: tuple[BudgetFrame, Path]) -> None:
    bf, path = saved
    file = BudgetFrame.from_export(path)
    calls: list[Callable[[BudgetFrame], Any]] = [
        lambda each: each.account("Checking"), lambda each: each.category("Groceries", "2026-05"),
        lambda each: each.transaction(bf.transactions()["transaction_id"].iloc[-1]),
        lambda each: each.settings(), lambda each: each.ready_to_assign(),
        lambda each: each.models.transactions()[-1], lambda each: each.reconcile().ok,
    ]  # fmt: skip
    for call in calls:
        assert call(bf) == call(file)
    of: dict[str, list[Any]] = {
        "transactions_of_account": ["Checking"],
        "transactions_of_category": ["Groceries", "Clothing"],
        "transactions_of_payee": ["Grüner Markt",
            bf.subtransactions()["payee_name"].dropna().iloc[0]],
        "month": ["2026-05", "current"],
        "payee_locations": [bf.payee_locations()["payee_id"].iloc[0], "Grüner Markt"],
        "transactions_of_month": ["2026-05", "current"],
    }  # fmt: skip
    for name, keys in of.items():
        for key in keys:
            pd.testing.assert_frame_equal(getattr(bf, name)(key), getattr(file, name)(key))


def test_a_file_costs_no_request_and_is_not_written(saved: tuple[BudgetFrame, Path]) -> None:
    _, path = saved
    bf = BudgetFrame.from_export(path)
    changes = bf.changes(bf.transactions().tail(1).assign(memo="checked"))
    assert {*changes.frame["after"]} == {"checked"}
    refused = r"^this budget comes from the file household\.json\.gz, which is only read"
    with pytest.raises(ToolError, match=refused):
        changes.apply()
    with pytest.raises(ToolError, match=refused):
        bf.create_payee("Anybody")
    with pytest.raises(ServiceAPIError, match="contains no money movements: only the service"):
        bf.money_movements()
    with pytest.raises(ServiceAPIError, match=r"^Resource not found: the budget has no month 2019"):
        bf.month("2019-01")
    bf.refresh()
    assert len(bf.accounts()) == 7
    assert bf.requests.used == 0
    assert (
        repr(bf).splitlines()[0] == f"BudgetFrame(budget='Household', service='{path}', read-only)"
    )
    assert len(pickle.loads(pickle.dumps(bf)).accounts()) == 7  # noqa: S301 - it was made here


SHAPES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "data and budget": lambda budget: {"data": {"budget": budget, "server_knowledge": 7}},
    "data and plan": lambda budget: {"data": {"plan": budget}},
    "budget": lambda budget: {"budget": budget},
    "plan": lambda budget: {"plan": budget, "server_knowledge": "7"},
    "bare": lambda budget: budget,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_exports_of_all_shapes_are_read(shape: str, tmp_path: Path) -> None:
    bf = BudgetFrame.from_export(written(tmp_path, SHAPES[shape](ROWS)), as_of="2023-05-20")
    ledger = bf.ledger()
    columns = ["date", "account_name", "payee_name", "category_name", "category_group_name"]
    assert ledger[columns].astype(str).to_numpy().tolist() == [
        ["2023-05-02", "Wallet", "Shop", "Rent", "Bills"]
    ]
    assert ledger["amount"].tolist() == [-12.34]
    assert bf.accounts()["balance"].tolist() == [7.0]
    assert bf.budgets()["budget_name"].tolist() == ["old"]
    assert bf.reports.spending("category", freq="month")["spent"].tolist() == [12.34]
    assert bf.reports.spending().attrs["as_of"] == "2023-05-20T00:00:00+00:00"


def test_odd_exports_are_read_with_warnings(tmp_path: Path) -> None:
    """A group twice, a hidden group with another name, and a row that refers to nothing."""
    groups = [
        *ROWS["category_groups"], ROWS["category_groups"][0],
        {**ROWS["category_groups"][0], "id": "g2", "name": "Hid"},
    ]  # fmt: skip
    hidden = {**ROWS["categories"][0], "id": "c2", "category_group_id": "g2", "hidden": True}
    row = {**ROWS["transactions"][0], "id": "t2", "payee_id": "p9", "category_id": "c2"}
    odd = {
        **ROWS, "category_groups": groups, "categories": [*ROWS["categories"], hidden],
        "transactions": [*ROWS["transactions"], row],
    }  # fmt: skip
    bf = BudgetFrame.from_export(written(tmp_path, odd))
    with pytest.warns(RuntimeWarning, match="g1"):
        found = bf.category_groups()
    assert found["category_group_name"].tolist() == ["Bills", "Hid"]
    assert bf.ledger()["payee_name"].tolist() == ["Shop", "Not listed"]


def test_lists_inside_of_others_are_found(tmp_path: Path) -> None:
    """Some programs store the single lists, of which two contain the rows of others."""
    parts = [{"id": f"s{n}", "transaction_id": "t1", "amount": -6_170} for n in (1, 2)]
    nested = {
        **ROWS,
        "category_groups": [{**ROWS["category_groups"][0], "categories": ROWS["categories"]}],
        "transactions": [{**ROWS["transactions"][0], "subtransactions": parts}],
    }
    del nested["categories"], nested["subtransactions"]
    path = written(tmp_path, "\ufeff" + json.dumps(nested))  # some begin with a mark of UTF-8
    bf = BudgetFrame.from_export(path)
    assert bf.categories()["category_name"].tolist() == ["Rent"]
    assert bf.ledger()["amount"].tolist() == [-6.17, -6.17]


def test_a_row_without_a_day_does_not_disappear(tmp_path: Path) -> None:
    real = {**ROWS["transactions"][0], "id": "t2", "date": "1899-12-31"}  # before any request
    for day in (None, "?", "", "17.06.2026", " 2026-06-17", "1020-02-31", 1.5, -5, 10**30):
        rows = [{**ROWS["transactions"][0], "date": day}, real]
        bf = BudgetFrame.from_export(written(tmp_path, {**ROWS, "transactions": rows}))
        with pytest.warns(RuntimeWarning, match="1 of 1 rows have no usable date"):
            assert bf.ledger()["date"].isna().tolist() == [True]


# The time


def test_today_is_the_day_of_the_file(tmp_path: Path) -> None:
    def as_of(changed: str | None, file: str) -> str:
        path = written(tmp_path, ROWS | ({"last_modified_on": changed} if changed else {}))
        seconds = pd.Timestamp(file).timestamp()
        os.utime(path, (seconds, seconds))
        return str(BudgetFrame.from_export(path).accounts().attrs["as_of"])

    assert as_of(None, "2024-02-03T10:00Z") == "2024-02-03T10:00:00+00:00"
    assert as_of("2024-01-10T08:00:00+00:00", "2024-02-03T10:00Z") == "2024-02-03T10:00:00+00:00"
    # 32 days later, or a day before: the file is a copy.
    assert as_of("2024-02-04T09:00:00+00:00", "2024-02-03T10:00Z") == "2024-02-04T09:00:00+00:00"
    assert as_of("2024-01-02T09:00:00+00:00", "2024-02-03T10:00Z") == "2024-01-02T09:00:00+00:00"
    for wrong in ("soon", "0001-05-01", "9999-12-31T23:00:00-05:00"):
        with pytest.raises(ToolError, match=f"as_of='{wrong}' is no time"):
            BudgetFrame.from_export(written(tmp_path, ROWS), as_of=wrong)


@pytest.mark.parametrize("changed", ["2024-01-02T09:00:00+00:00", "2027-05-01T00:00:00+00:00"])
def test_a_saved_file_states_its_time_itself(changed: str, tmp_path: Path) -> None:
    """The budget did not change for long, or the clock of the machine that copied it is wrong."""
    answer = {"data": {"budget": {**ROWS, "last_modified_on": changed}}}
    out = tmp_path / "saved.json.gz"
    write_export(
        out, b"\xef\xbb\xbf\n" + json.dumps(answer).encode(), datetime(2024, 2, 11, 9, tzinfo=UTC)
    )
    os.utime(out, (0, 0))
    assert json.loads(gzip.decompress(out.read_bytes())) == {
        "as_of": "2024-02-11T09:00:00+00:00", **answer,
    }  # fmt: skip
    assert BudgetFrame.from_export(out).accounts().attrs["as_of"] == "2024-02-11T09:00:00+00:00"
    # Another program wrote this: what is no time changes nothing.
    copy = written(tmp_path, {"as_of": "today", **answer})
    os.utime(copy, (1_704_200_000, 1_704_200_000))
    expected = "2024-01-02T12:53:20+00:00" if changed < "2025" else changed
    assert BudgetFrame.from_export(copy).accounts().attrs["as_of"] == expected


# What is refused


def test_a_damaged_list_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    damaged = {**ROWS, "accounts": {"a1": "Wallet"}, "payees": None}
    del damaged["months"]
    bf = BudgetFrame.from_export(written(tmp_path, damaged))
    for name, problem in {
        "accounts": "accounts: the export has accounts=.*, which is not a list",
        "payees": "payees: the export has payees=None, which is not a list",
        "months": "months: the export has no 'months'",
    }.items():
        with pytest.raises(ServiceAPIError, match=f"{problem}. What does not need this list"):
            getattr(bf, name)()
    assert bf.categories()["category_name"].tolist() == ["Rent"]


HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "nothing": (b"", "is no JSON document"),
    "no JSON": (b"<html>", "is no JSON document"),
    "half of it": (b'{"data": {"budget": {"accounts": [', "is no JSON document"),
    "a deep list": (b"[" * 100_000 + b"]" * 100_000, "is no JSON document"),
    "another document": (b'{"kind": "invoice"}', "it has the keys 'kind', and none of accounts"),
    "a list": (b"[1, 2]", "it has no object"),
    "no gzip": (b"\x1f\x8b\x08 and then something else", "cannot be read"),
    "half a gzip": (lambda: gzip.compress(b"{}" * 1000)[:20], "cannot be read"),
    "288 MB of blanks": (lambda: gzip.compress(b" " * (1 << 24)) * 18, "has more than 256 MB"),
    "16 million lists": (lambda: gzip.compress(b"[]," * (1 << 24)), "more than 8,000,000 values"),
    "a format": (b'{"accounts": [], "currency_format": 5}',
        "currency_format=5, which is no format"),
    "decimals": (b'{"accounts": [], "currency_format": {"decimal_digits": -5}}', "is no format"),
    "a long id": (b'{"accounts": [], "id": "' + b"a" * 201 + b'"}', "not a text of at most 200"),
    "a control character": (b'{"\\u001b[31m": 1}', r"it has the keys '\\x1b\[31m'"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    content, problem = HOSTILE[name]
    path = tmp_path / "file.json"
    path.write_bytes(content() if callable(content) else content)
    with pytest.raises(ToolError, match=problem) as caught:
        BudgetFrame.from_export(path)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).startswith(str(path))


@pytest.mark.posix
def test_links_folders_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(written(tmp_path, ROWS))
    os.mkfifo(tmp_path / "pipe.json")
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(1 << 30)
    for name, problem in {
        "link.json": "is a link: name the file itself", "pipe.json": "is no file",
        ".": "contains no register of the app", "missing.json": "cannot be read: No such file",
        "\0.json": "cannot be read: ", "large.json": "has more than 256 MB",
    }.items():  # fmt: skip
        with pytest.raises(ToolError, match=problem):
            BudgetFrame.from_export(tmp_path / name)
    nothing: Any = None
    with pytest.raises(ToolError, match="path=None: give the path of a file"):
        BudgetFrame.from_export(nothing)
