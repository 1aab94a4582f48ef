"""What the lists of a budget contained at each version of the service, and what reads may show."""

from collections import Counter
from typing import Any

from budgetframe.sandbox.state.rows import Budget

from .expected import ServiceAnswer, describe_mismatch
from .expected_frames import EXPECTED_FRAMES, EXPORT_FRAMES
from .notebook import INVALIDATED
from .service import EARLIEST, Service

LISTS = {
    "accounts": "accounts", "categories": "categories", "payees": "payees", "months": "months",
    "transactions": f"transactions?since_date={EARLIEST}",
    "subtransactions": f"transactions?since_date={EARLIEST}",
    "scheduled_transactions": "scheduled_transactions", "month": "months/current",
}  # fmt: skip
"""The frames, and the requests that read them."""
ARGUMENTS = {"month": ("current",)}
"""The arguments of the methods that read the frames."""
TABLES = [name for name in EXPORT_FRAMES if name in LISTS]
"""The frames of an export that are compared."""
DAMAGES = {
    "204": (204, b""), "empty": (200, b""), "no data": (200, b'{"data": {}}'), "cut": (200, None),
    "html": (502, b"<html></html>"),
    "500": (500, b'{"error": {"id": "500", "name": "internal", "detail": "failed"}}'),
}  # fmt: skip
"""Status and body of damaged answers; None stands for the first half of the body."""
_RESOURCES = {"subtransactions": "transactions", "month": "months"}
"""The resources of the frames with another name."""

Least = Counter[str]
"""By resource: the earliest version that a read may show."""


def damaged(damage: str, body: bytes) -> tuple[int, bytes]:
    """Status and body of an answer after a damage."""
    status, content = DAMAGES[damage]
    return status, body[: len(body) // 2] if content is None else content


class Versions:
    """The answers of a service to each of the lists, at each version of its first budget."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.least: Least = Counter()
        self._answers: dict[str, list[ServiceAnswer]] = {url: [] for url in LISTS.values()}
        self._record()
        service.on_change.append(self._record)

    @property
    def budget(self) -> Budget:
        """The budget."""
        return self.service.budgets[0]

    def _record(self) -> None:
        for url, answers in self._answers.items():
            answer = self.service.answer(f"/budgets/{self.budget.id}/{url}")
            if not answers or answers[-1].raw != answer.raw:
                answers.append(answer)

    def outdate(self, path: str, version: int) -> None:
        """Record the end of a write to a path, which the service carried out at a version."""
        budget_id, resource = path.split("/")[3:5]
        outdated: tuple[str, ...] = (resource, *INVALIDATED[resource].split())
        if budget_id != self.budget.id:  # an alias: everything is outdated
            outdated = tuple(LISTS)
        for name in outdated:
            self.least[name] = max(self.least[name], version)

    def check(self, table: str, shown: Any, least: Least, *, is_raw: bool = False) -> None:
        """Check that the rows of a frame, or a raw list, are those that a read may show."""
        answers, version = self._answers[LISTS[table]], least[_RESOURCES.get(table, table)]
        earlier = [answer for answer in answers if answer.version <= version]
        expected = [
            answer.expected_data if is_raw else EXPECTED_FRAMES[table].expected_rows(answer.raw)
            for answer in [*earlier[-1:], *answers[len(earlier) :]]
        ]
        if shown not in expected:
            raise AssertionError(f"{table}: {describe_mismatch(shown, expected)}")
