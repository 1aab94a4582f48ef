"""How long the embedded service takes, beside `json.dumps` of the same answer.

Run it with ``python -m tests.benchmarks.sandbox [ROWS]``; it is no test.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import httpx

from budgetframe.sandbox import Sandbox, check_books, serve

EVERYTHING = {"since_date": "2000-01-01"}
TRANSACTIONS = "/budgets/last-used/transactions"
PLANS = "/plans/last-used/transactions"
EXPORT = "/budgets/last-used"


class Bench:
    """Times requests to one sandbox, and keeps the table."""

    def __init__(self, sandbox: Sandbox, http: httpx.AsyncClient) -> None:
        self.sandbox = sandbox
        self.http = http
        self.rows: list[tuple[str, float, int]] = []

    async def timed(self, name: str, path: str, **params: Any) -> bytes:
        start = time.perf_counter()
        response = await self.http.get(path, params=params)
        self.rows.append((name, time.perf_counter() - start, len(response.content)))
        response.raise_for_status()
        return response.content

    async def write(self, name: str) -> None:
        """Edit one row by a request."""
        row = next(iter(self.sandbox.device.state().transactions.live()))
        body = {"transaction": {"memo": name}}
        start = time.perf_counter()
        response = await self.http.put(f"{TRANSACTIONS}/{row.id}", json=body)
        self.rows.append((name, time.perf_counter() - start, len(response.content)))
        response.raise_for_status()


def make(rows: int) -> tuple[Sandbox, float]:
    """Give a sandbox and the seconds that making it took."""
    start = time.perf_counter()
    sandbox = Sandbox(years=5, transactions=rows, budgets=1, limit=1_000)
    return sandbox, time.perf_counter() - start


async def measure(sandbox: Sandbox) -> tuple[list[tuple[str, float, int]], float]:
    """Ask for everything, twice, and after an edit; give the table and one `json.dumps`."""
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    async with httpx.AsyncClient(
        transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers, timeout=600
    ) as http:
        bench = Bench(sandbox, http)
        content = await bench.timed("full list, first", TRANSACTIONS, **EVERYTHING)
        await bench.timed("full list, second", TRANSACTIONS, **EVERYTHING)
        await bench.write("one write")
        await bench.timed("full list after an edit", TRANSACTIONS, **EVERYTHING)
        before = sandbox.device.state().knowledge
        keys = [row.id for row in sandbox.device.state().transactions.live()][:10]
        for key in keys:
            sandbox.device.edit_transaction(key, memo="changed elsewhere")
        cursor = {"last_knowledge_of_server": before, **EVERYTHING}
        await bench.timed("delta of 10 rows", TRANSACTIONS, **cursor)
        payee = next(
            row for row in sandbox.device.state().payees.live() if not row.transfer_account_id
        )
        sandbox.device.rename_payee(payee.id, "Renamed")
        await bench.timed("full list after a payee was renamed", TRANSACTIONS, **EVERYTHING)
        await bench.timed("last year, nothing stated", TRANSACTIONS)
        await bench.timed("other spelling, first", PLANS, **EVERYTHING)
        await bench.timed("other spelling, second", PLANS, **EVERYTHING)
        await bench.timed("whole export, first", EXPORT)
        await bench.timed("whole export, second", EXPORT)
    payload = json.loads(content)
    start = time.perf_counter()
    json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return bench.rows, time.perf_counter() - start


def over_a_socket(sandbox: Sandbox) -> tuple[str, float, int]:
    """Time a full list over loopback."""
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    with serve(sandbox) as url, httpx.Client(headers=headers, timeout=600) as http:
        start = time.perf_counter()
        response = http.get(f"{url}{TRANSACTIONS}", params=EVERYTHING)
        return "full list over loopback", time.perf_counter() - start, len(response.content)


def main() -> None:
    """Print the table."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    sandbox, seconds = make(wanted)
    table, dumps = asyncio.run(measure(sandbox))
    table.append(over_a_socket(sandbox))
    check_books(sandbox)
    lines = [
        f"{wanted:,} transactions; json.dumps of the full list: {dumps * 1000:,.0f} ms",
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
