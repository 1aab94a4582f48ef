"""Measure the embedded service, relative to `json.dumps` of the same answer.

Run it with ``python -m tests.benchmarks.sandbox [ROWS]``; it is not a test.
"""

import asyncio
import json
import sys
import time
from typing import Any

import httpx

from budgetframe.sandbox import Sandbox, serve
from tests.sandbox.audit import check_books

EVERYTHING = {"since_date": "2000-01-01"}
TRANSACTIONS = "/budgets/last-used/transactions"
PLANS = "/plans/last-used/transactions"
EXPORT = "/budgets/last-used"


class RequestTimer:
    """Measures requests to one sandbox; `rows` has the name, seconds, and bytes of each answer."""

    def __init__(self, sandbox: Sandbox, http: httpx.AsyncClient) -> None:
        self.sandbox = sandbox
        self.http = http
        self.rows: list[tuple[str, float, int]] = []

    async def get(self, name: str, path: str, **params: Any) -> bytes:
        """Measure one GET request and return the answer."""
        start = time.perf_counter()
        response = await self.http.get(path, params=params)
        self.rows.append((name, time.perf_counter() - start, len(response.content)))
        response.raise_for_status()
        return response.content

    async def write(self, name: str) -> None:
        """Measure a request that edits one row."""
        row = next(iter(self.sandbox.device.state().transactions.live()))
        body = {"transaction": {"memo": name}}
        start = time.perf_counter()
        response = await self.http.put(f"{TRANSACTIONS}/{row.id}", json=body)
        self.rows.append((name, time.perf_counter() - start, len(response.content)))
        response.raise_for_status()


def build(rows: int) -> tuple[Sandbox, float]:
    """Build a sandbox; return it with the seconds that this took."""
    start = time.perf_counter()
    sandbox = Sandbox(years=5, transactions=rows, budgets=1, limit=1_000)
    return sandbox, time.perf_counter() - start


async def measure(sandbox: Sandbox) -> tuple[list[tuple[str, float, int]], float]:
    """Measure reads: first, second, and after an edit.

    Return the rows of the table and the seconds of one `json.dumps`.
    """
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    async with httpx.AsyncClient(
        transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers, timeout=600
    ) as http:
        timer = RequestTimer(sandbox, http)
        content = await timer.get("full list, first", TRANSACTIONS, **EVERYTHING)
        await timer.get("full list, second", TRANSACTIONS, **EVERYTHING)
        await timer.write("one write")
        await timer.get("full list after an edit", TRANSACTIONS, **EVERYTHING)
        before = sandbox.device.state().knowledge
        keys = [row.id for row in sandbox.device.state().transactions.live()][:10]
        for key in keys:
            sandbox.device.edit_transaction(key, memo="changed elsewhere")
        cursor = {"last_knowledge_of_server": before, **EVERYTHING}
        await timer.get("delta of 10 rows", TRANSACTIONS, **cursor)
        payee = next(
            row for row in sandbox.device.state().payees.live() if not row.transfer_account_id
        )
        sandbox.device.rename_payee(payee.id, "Renamed")
        await timer.get("full list after a payee was renamed", TRANSACTIONS, **EVERYTHING)
        await timer.get("last year, without since_date", TRANSACTIONS)
        await timer.get("/plans instead of /budgets, first", PLANS, **EVERYTHING)
        await timer.get("/plans instead of /budgets, second", PLANS, **EVERYTHING)
        await timer.get("whole export, first", EXPORT)
        await timer.get("whole export, second", EXPORT)
    payload = json.loads(content)
    start = time.perf_counter()
    json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return timer.rows, time.perf_counter() - start


def measure_over_loopback(sandbox: Sandbox) -> tuple[str, float, int]:
    """Measure a full list over loopback."""
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    with serve(sandbox) as url, httpx.Client(headers=headers, timeout=600) as http:
        start = time.perf_counter()
        response = http.get(f"{url}{TRANSACTIONS}", params=EVERYTHING)
        return "full list over loopback", time.perf_counter() - start, len(response.content)


def main() -> None:
    """Print the table."""
    transactions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    sandbox, seconds = build(transactions)
    table, dumps = asyncio.run(measure(sandbox))
    table.append(measure_over_loopback(sandbox))
    check_books(sandbox)
    lines = [
        f"{transactions:,} transactions; json.dumps of the full list: {dumps * 1000:,.0f} ms",
        f"{'':36} {'ms':>9} {'MB':>7} {'of json.dumps':>14}",
        f"{'generation':36} {seconds * 1000:9,.1f} {'':7} {seconds / dumps:14.3f}",
    ]
    lines += [
        f"{name:36} {took * 1000:9,.1f} {size / 1e6:7.2f} {took / dumps:14.3f}"
        for name, took, size in table
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
