"""Paths of the service: parse the path of a request, and fill ids into a path."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import httpx

from budgetframe._cache.storage import Params
from budgetframe._resources import BUDGET_ALIASES, EXPORT, RESOURCES, key_text
from budgetframe.errors import ToolError

_ROOTS = frozenset({"budgets", "plans"})  # two spellings of the same paths
_DELTA_PARAMS = frozenset({"since_date"})  # with other filters, deltas lack the rows that leave
_LIST_SEGMENTS = 3  # budgets / {budget_id} / {resource}
_EXPORT_SEGMENTS = 2  # budgets / {budget_id}
_EXPORT_ROOT = "budgets"  # under the other spelling, the answer has another key


class Target(NamedTuple):
    """The resource, the budget and the parameters of a request."""

    path: str  # with a slash at its beginning and none at its end
    params: httpx.QueryParams  # all, including those that were written into the path
    key: str  # of the answer in the cache
    budget_id: str | None  # the second segment of a path under a budget
    resource: str | None  # the third segment
    data_key: str  # of the list in the answer; empty if the resource is unknown
    is_delta_capable: bool  # whether the answer can be stored and updated with deltas
    is_export: bool  # whether it is the whole budget, which a session can update with deltas
    has_spellings: bool  # whether the path has a second spelling

    @classmethod
    def of(cls, path: str, params: Any) -> Target:
        """Return the target of a path and query parameters; a query in the path counts too."""
        # A path that could lead to an address not below the base address is a ValueError.
        bare, _, query = path.partition("?")
        segments = tuple(bare.removeprefix("/").removesuffix("/").split("/"))
        has_dots = any(unquote(segment).strip(".") == "" for segment in segments)
        if "#" in path or not path.isprintable() or has_dots:
            raise ValueError(
                f"path {path!r}: give a plain path like '/budgets/<id>/accounts', relative to the"
                " base address, without empty or dot segments, control characters or a fragment"
            )
        merged = httpx.QueryParams(query).merge(params)
        budget_id = resource = None
        key = f":{segments[0]}"
        if segments[0] in _ROOTS and len(segments) > 1:
            budget_id = segments[1]
            resource = segments[2] if len(segments) >= _LIST_SEGMENTS else None
            key = f"{budget_id}:{resource or EXPORT}"
        known = RESOURCES.get(resource or "")
        is_one_budget = budget_id not in BUDGET_ALIASES
        is_list = len(segments) == _LIST_SEGMENTS and known is not None and known.delta
        is_delta_capable = is_list and is_one_budget and merged.keys() <= _DELTA_PARAMS
        is_export = len(segments) == _EXPORT_SEGMENTS and segments[0] == _EXPORT_ROOT
        is_export = is_export and is_one_budget and not merged
        shown = RESOURCES[EXPORT] if is_export else known
        data_key = (shown.data_key if shown else None) or ""
        return cls(
            path="/" + "/".join(segments), params=merged, key=key, budget_id=budget_id,
            resource=resource, data_key=data_key, is_delta_capable=is_delta_capable,
            is_export=is_export, has_spellings=segments[0] == _EXPORT_ROOT,
        )  # fmt: skip

    @property
    def normal_params(self) -> Params:
        """The parameters in sorted order, so that equal parameters compare equal."""
        return tuple(sorted(self.params.multi_items()))


def path_of(template: str, **ids: str) -> str:
    """Fill ids into a path template; no id can change which endpoint the path leads to."""
    # An id that is empty or a dot segment is an error, because quoting cannot make it harmless.
    quoted = {}
    for name, given in ids.items():
        value = key_text(given)
        try:
            quoted[name] = quote(value, safe="") if isinstance(value, str) else ""
        except UnicodeEncodeError:
            quoted[name] = ""
        if not quoted[name] or not str(value).strip(". "):
            raise ToolError(f"{name} is {given!r}: give an id from an answer of the service")
    return template.format(**quoted)
