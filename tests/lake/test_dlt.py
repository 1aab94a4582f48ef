"""The program of the page about dlt, which loads a budget."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from .service import EURO, Service

PAGE = Path(__file__).parents[2] / ".github" / "site" / "dlt.md"
PROGRAM = re.compile(r"^```python\n(import dlt\n.*?)^```", re.MULTILINE | re.DOTALL)
TABLES = ("accounts", "transactions", "subtransactions")


def rows_of(service: Service) -> dict[str, Any]:
    """The rows of the service, with amounts in milliunits."""
    headers = {"Authorization": f"Bearer {service.sandbox.token}"}
    answer = httpx.get(f"{service.url}/budgets/{service.id_of(EURO)}", headers=headers)
    budget = answer.raise_for_status().json()["data"]["budget"]
    return {name: {row["id"]: row for row in budget[name]} for name in TABLES}


def run(service: Service, folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Run the program in a process; return the rows that it has loaded, and the run of each."""
    (program,) = PROGRAM.findall(PAGE.read_text("utf-8"))
    (folder / "program.py").write_text(program, "utf-8")
    environment = {
        **os.environ,
        "DLT_DATA_DIR": str(folder / "dlt"),
        "RUNTIME__DLTHUB_TELEMETRY": "false",
        "SOURCES__TOKEN": service.sandbox.token,
        "SOURCES__URL": f"{service.url}/budgets/{service.id_of(EURO)}",
    }
    command = [sys.executable, "program.py"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)  # noqa: S603 - this interpreter, our program
    loaded, runs = dict[str, Any](), dict[str, str]()
    with duckdb.connect(str(folder / "budgets.duckdb")) as database:
        for name in TABLES:
            rows = database.execute(f"SELECT * FROM budget.{name}")  # noqa: S608 - a constant
            columns = [column[0] for column in rows.description or ()]
            found = [dict(zip(columns, row, strict=True)) for row in rows.fetchall()]
            loaded[name] = {row["id"]: row for row in found}
            runs |= {row["id"]: row["_dlt_load_id"] for row in found}
    return loaded, runs


def differences(loaded: dict[str, Any], stated: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The table, the key and the field of each value that differs, except in JSON columns."""
    return [
        (name, key, field)
        for name in TABLES
        for key in loaded[name].keys() | stated[name].keys()
        for field, value in stated[name].get(key, {"id": None}).items()
        # dlt has no column for a field without any value.
        if not isinstance(value, dict) and loaded[name].get(key, {}).get(field) != value
    ]


@pytest.mark.slow  # it starts two processes
def test_each_run_loads_the_changes_since_the_one_before(service: Service, tmp_path: Path) -> None:
    stated = rows_of(service)
    loaded, first = run(service, tmp_path)
    assert len(loaded["transactions"]) == 719
    assert differences(loaded, stated) == []

    splits = [row["transaction_id"] for row in stated["subtransactions"].values()]
    others = [key for key in stated["transactions"] if key not in splits]
    bf = service.facade()
    bf.delete_transactions([splits[0]])
    memo = "2026-06-15T10:00:00Z"  # a text, also if it looks like a time
    bf.update_transactions([{"transaction_id": others[0], "amount": -12.34, "memo": memo}])

    loaded, second = run(service, tmp_path)
    assert differences(loaded, rows_of(service)) == []
    assert loaded["transactions"][others[0]]["amount"] == -12340
    parts = stated["subtransactions"].items()
    deleted = {key for key, row in parts if row["transaction_id"] == splits[0]} | {splits[0]}
    assert first.keys() - second.keys() == deleted
    changed = {key for key in second if second[key] != first.get(key)}
    accounts = {stated["transactions"][key]["account_id"] for key in (splits[0], others[0])}
    assert changed == {others[0], *accounts}
