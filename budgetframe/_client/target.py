"""What a request is about, read from its path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import httpx

from budgetframe._cache.storage import Params
from budgetframe._resources import BUDGET_ALIASES, EXPORT, RESOURCES

__all__ = ["Target"]

_ROOTS = frozenset({"budgets", "plans"})  # two spellings of the same paths
_WITH_CURSOR = frozenset({"since_date"})  # a row that leaves any other filter shows in no delta
_LIST = 3  # segments of a list's path: budgets / {budget_id} / {resource}


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is about: its path in pieces, and all of its parameters.

    Examples
    --------
    >>> target = Target.of("/budgets/b1/payees/?since_date=2020-01-01", None)
    >>> target.path, target.key, target.is_delta_capable
    ('/budgets/b1/payees', 'b1:payees', True)
    """

    path: str
    segments: tuple[str, ...]
    params: httpx.QueryParams

    @classmethod
    def of(cls, path: str, params: Any) -> Target:
        """Take a path apart; a query in it counts as parameters.

        Raises
        ------
        ValueError
            For a path that could lead anywhere but below the base address.
        """
        bare, _, query = path.partition("?")
        segments = tuple(bare.removeprefix("/").removesuffix("/").split("/"))
        if (
            "#" in path
            or not path.isprintable()
            or any(unquote(part).strip(".") == "" for part in segments)
        ):
            message = (
                f"path {path!r}: give a plain path like '/budgets/<id>/accounts', relative to the"
                " base address, without empty or dot segments, control characters or a fragment"
            )
            raise ValueError(message)
        return cls("/" + "/".join(segments), segments, httpx.QueryParams(query).merge(params))

    @property
    def budget_id(self) -> str:
        """The second segment of a path under a budget."""
        return self.segments[1]

    @property
    def resource(self) -> str | None:
        """The third segment of a path under a budget."""
        under_budget = len(self.segments) >= _LIST and self.segments[0] in _ROOTS
        return self.segments[2] if under_budget else None

    @property
    def data_key(self) -> str:
        """Where the list is in the answer."""
        resource = RESOURCES.get(self.resource or "")
        return (resource.data_key if resource else None) or ""

    @property
    def key(self) -> str:
        """What the answer is called in the cache."""
        if self.resource is not None:
            return f"{self.budget_id}:{self.resource}"
        if self.segments[0] in _ROOTS and len(self.segments) > 1:
            return f"{self.budget_id}:{EXPORT}"
        return f":{self.segments[0]}"

    @property
    def normal_params(self) -> Params:
        """The parameters in an order of their own, so that equal ones compare equal."""
        return tuple(sorted(self.params.multi_items()))

    @property
    def is_delta_capable(self) -> bool:
        """Whether the answer can be kept and asked for as a delta."""
        resource = RESOURCES.get(self.resource or "")
        return (
            resource is not None
            and resource.delta
            and len(self.segments) == _LIST
            and self.budget_id not in BUDGET_ALIASES
            and self.params.keys() <= _WITH_CURSOR
        )
