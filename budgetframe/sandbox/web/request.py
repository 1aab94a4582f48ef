"""One request for one budget: path, query and body, checked as strictly as the service does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from budgetframe.sandbox.errors import ApiError, bad_request
from budgetframe.sandbox.state.editor import BudgetEditor
from budgetframe.sandbox.state.rows import Budget, Month, R, Table, month_number

from .row_cache import RowCache
from .serializers import Serializer
from .validation import Fields, parse_date, read

_INTEGER = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class BudgetRequest:
    """The data that an operation needs."""

    editor: BudgetEditor
    published: bool
    path: Mapping[str, str]
    query: Mapping[str, str]
    content: bytes
    rows: RowCache

    @property
    def budget(self) -> Budget:
        """The budget of the path."""
        return self.editor.budget

    @property
    def serializer(self) -> Serializer:
        """The serializer for the spelling of the path."""
        return Serializer(self.budget, self.published)

    @property
    def cursor(self) -> int:
        """`last_knowledge_of_server`; 0 requests all rows."""
        text = self.query.get("last_knowledge_of_server", "0")
        if not _INTEGER.fullmatch(text):
            raise bad_request("last_knowledge_of_server is not a valid integer")
        return int(text)

    def date(self, name: str) -> date | None:
        """Return a date of the query, or None."""
        text = self.query.get(name)
        return None if text is None else parse_date(text, name)

    def find(self, table: Table[R], name: str) -> R:
        """Return the row with the id of the path."""
        row = table.find(self.path[name])
        if row is None:
            raise ApiError("404.2")
        return row

    @property
    def month_number(self) -> int:
        """The month of the path, even if the budget does not have it."""
        text = self.path["month"]
        if text == "current":
            return self.budget.current_month
        first = parse_date(text, "month")
        if first.day != 1:
            raise bad_request("month is not the first day of a month (YYYY-MM-01)")
        return month_number(first)

    def month(self) -> Month:
        """Return the month of the path."""
        row = self.budget.months.find(str(self.month_number))
        if row is None:
            raise ApiError("404.2")
        return row

    def body(self) -> dict[str, Any]:
        """Return the body, which must be a JSON object."""
        try:
            body = json.loads(self.content)
        except (ValueError, RecursionError):
            raise bad_request("The request body is not valid JSON") from None
        if not isinstance(body, dict):
            raise bad_request("The request body must be a JSON object")
        return body

    def wrapped(self, name: str) -> dict[str, Any]:
        """Return the object under a key of the body."""
        inner = self.body().get(name)
        if not isinstance(inner, dict):
            raise bad_request(f"{name} is missing or not an object")
        return inner

    def fields(self, name: str, known: Fields, *required: str) -> dict[str, Any]:
        """Return the checked fields of the object under a key of the body."""
        return read(self.budget, self.wrapped(name), known, required)

    def with_knowledge(self, **data: Any) -> dict[str, Any]:
        """Return data with the knowledge of the budget, the cursor of the next request."""
        return {**data, "server_knowledge": self.budget.knowledge}
