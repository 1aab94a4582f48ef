"""Requests to the embedded service without a socket; the books are checked after each write."""

import asyncio
import hashlib
import os
import ssl
import subprocess
import sys
from typing import Any

import httpx

import budgetframe
from budgetframe.sandbox import Sandbox
from tests.sandbox.audit import check_books

Json = dict[str, Any]

BASE = "/budgets/last-used"

TLS = ssl.create_default_context()
"""One for all clients over a socket: a client without it loads the certificates again."""


WITHOUT_THE_REST = f"""
import sys, types
package = types.ModuleType("budgetframe")
package.__path__ = {budgetframe.__path__!r}
sys.modules["budgetframe"] = package
"""
"""The beginning of a program that imports the sandbox without the rest of the package.

The rest takes most of the start of an interpreter.
"""


def start_python(program: str, **environment: str) -> subprocess.Popen[str]:
    """Start a program in another interpreter."""
    return subprocess.Popen(  # noqa: S603 - this interpreter, a constant program
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | {"PYTHONPATH": os.getcwd()} | environment,  # noqa: PTH109
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="locale",
    )


def digest(sandbox: Sandbox) -> str:
    """Return a digest of all rows of all budgets."""
    found = hashlib.sha256()
    for editor in sandbox.budgets:
        found.update(send(sandbox, "GET", f"/budgets/{editor.budget.id}").content)
    return found.hexdigest()


def knowledge(sandbox: Sandbox) -> list[int]:
    """Return the knowledge of all budgets."""
    return [editor.budget.knowledge for editor in sandbox.budgets]


def http_client(
    sandbox: Sandbox, transport: httpx.AsyncBaseTransport | None = None, token: str | None = None,
    **more: Any,
) -> httpx.AsyncClient:  # fmt: skip
    """A client of the service without a socket, by default with its token."""
    return httpx.AsyncClient(
        transport=transport or sandbox.transport(), base_url=sandbox.base_url,
        headers={"Authorization": f"Bearer {sandbox.token if token is None else token}"}, **more,
    )  # fmt: skip


def send(
    sandbox: Sandbox, method: str, path: str, *, token: str | None = None, **more: Any
) -> httpx.Response:
    """Send one request and return the response, of any status."""

    async def once() -> httpx.Response:
        async with http_client(sandbox, token=token) as http:
            return await http.request(method, path, **more)

    before, response = knowledge(sandbox), asyncio.run(once())
    if knowledge(sandbox) != before:
        check_books(sandbox)
    return response


def get(sandbox: Sandbox, path: str, **params: Any) -> Json:
    """Return the `data` of a GET, which must succeed."""
    response = send(sandbox, "GET", path, params=params)
    assert response.status_code == 200, response.text
    data: Json = response.json()["data"]
    return data


def write(sandbox: Sandbox, method: str, path: str, body: Any, status: int = 200) -> Json:
    """Return the `data` of a write, which must succeed."""
    response = send(sandbox, method, path, json=body)
    assert response.status_code == status, response.text
    data: Json = response.json()["data"]
    return data


def read(sandbox: Sandbox, path: str, **params: Any) -> Any:
    """Return the rows or the object of a GET below `BASE`, without the knowledge."""
    data = get(sandbox, f"{BASE}/{path}".rstrip("/"), **params)
    data.pop("server_knowledge", None)
    (content,) = data.values()
    return content


def cursor(sandbox: Sandbox) -> int:
    """Return the knowledge of the first budget."""
    return sandbox.device.state().knowledge


def delta(sandbox: Sandbox, path: str, since: int) -> Any:
    """Return the rows of a list that changed after `since`."""
    return read(sandbox, path, last_knowledge_of_server=since)


def add(sandbox: Sandbox, fields: Json) -> Json:
    """Add a transaction by a request, and return it."""
    return _changed(sandbox, "POST", "", fields, 201)


def change(sandbox: Sandbox, key: str, **fields: Any) -> Json:
    """Change a transaction by a request, and return it."""
    return _changed(sandbox, "PUT", f"/{key}", fields)


def _changed(sandbox: Sandbox, method: str, path: str, fields: Json, status: int = 200) -> Json:
    body = {"transaction": fields}
    row: Json = write(sandbox, method, f"{BASE}/transactions{path}", body, status)["transaction"]
    return row


def refused(sandbox: Sandbox, method: str, path: str, **more: Any) -> tuple[int, Json]:
    """Return status and error of a request, which must fail."""
    response = send(sandbox, method, path, **more)
    assert response.status_code >= 400, f"{method} {path} {more}: {response.status_code}"
    error: Json = response.json()["error"]
    return response.status_code, error


class Ids:
    """Ids of the rows of the first budget, by name."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._budget = sandbox.device.state()

    def account(self, name: str) -> str:
        return next(row.id for row in self._budget.accounts.live() if row.name == name)

    def payee(self, name: str) -> str:
        return next(row.id for row in self._budget.payees.live() if row.name == name)

    def transfer_to(self, account: str) -> str:
        return self._budget.accounts[self.account(account)].transfer_payee_id

    def group(self, name: str) -> str:
        return next(row.id for row in self._budget.groups.live() if row.name == name)

    def category(self, group: str, name: str) -> str:
        group_id = self.group(group)
        return next(
            row.id
            for row in self._budget.categories.live()
            if row.name == name and row.group_id == group_id
        )
