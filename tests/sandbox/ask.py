"""How the tests ask the embedded service: one request, no socket, books checked after writes."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from budgetframe.sandbox import Sandbox, check_books

Json = dict[str, Any]


def send(
    sandbox: Sandbox, method: str, path: str, *, token: str | None = None, **more: Any
) -> httpx.Response:
    """Send one request and give the response, whatever it is."""

    async def once() -> httpx.Response:
        headers = {"Authorization": f"Bearer {sandbox.token if token is None else token}"}
        async with httpx.AsyncClient(
            transport=sandbox.transport(), base_url=sandbox.base_url, headers=headers
        ) as http:
            return await http.request(method, path, **more)

    response = asyncio.run(once())
    if method != "GET":
        check_books(sandbox)
    return response


def get(sandbox: Sandbox, path: str, **params: Any) -> Json:
    """Give the `data` of a GET that works."""
    response = send(sandbox, "GET", path, params=params)
    assert response.status_code == 200, response.text
    data: Json = response.json()["data"]
    return data


def write(sandbox: Sandbox, method: str, path: str, body: Any, status: int = 200) -> Json:
    """Give the `data` of a write that works."""
    response = send(sandbox, method, path, json=body)
    assert response.status_code == status, response.text
    data: Json = response.json()["data"]
    return data


def refused(sandbox: Sandbox, method: str, path: str, **more: Any) -> tuple[int, Json]:
    """Give status and error of a request that is refused."""
    response = send(sandbox, method, path, **more)
    error: Json = response.json()["error"]
    return response.status_code, error


class Ids:
    """Ids of the first budget's rows by name."""

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
