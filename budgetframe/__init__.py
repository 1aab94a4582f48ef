"""A budget in a notebook: typed pandas DataFrames from a budgeting web service."""

from __future__ import annotations

from budgetframe._cache.delta_cache import DeltaCache
from budgetframe._client.client import ServiceClient
from budgetframe._client.limiter import RateLimiter
from budgetframe._facade.sync import BudgetFrame
from budgetframe.frames.workbook import to_excel

from .errors import BudgetFrameError, ServiceAPIError, StaleDataWarning, ToolError

__all__ = [
    "BudgetFrame",
    "BudgetFrameError",
    "DeltaCache",
    "RateLimiter",
    "ServiceAPIError",
    "ServiceClient",
    "StaleDataWarning",
    "ToolError",
    "__version__",
    "to_excel",
]

# Tracebacks and pickles contain the public names, so that the source files can move.
for _class in (
    BudgetFrame,
    BudgetFrameError,
    DeltaCache,
    RateLimiter,
    ServiceAPIError,
    ServiceClient,
    StaleDataWarning,
    ToolError,
    to_excel,
):
    _class.__module__ = __name__
del _class


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow and rarely used

        return version("budgetframe")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
