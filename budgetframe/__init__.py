"""A budget in a notebook: typed pandas DataFrames from a budgeting web service."""

from __future__ import annotations

from ._cache import DeltaCache
from ._client import ServiceClient
from ._facade import BudgetFrame
from ._limiter import RateLimiter
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
]

# Tracebacks and pickles name what users import. So the files can move.
for _class in (
    BudgetFrame,
    BudgetFrameError,
    DeltaCache,
    RateLimiter,
    ServiceAPIError,
    ServiceClient,
    StaleDataWarning,
    ToolError,
):
    _class.__module__ = __name__
del _class


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow, and rarely asked for

        return version("budgetframe")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
