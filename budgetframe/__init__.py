"""A budget in a notebook: typed pandas DataFrames from a budgeting web service."""

from __future__ import annotations

from ._cache import DeltaCache
from ._client import ServiceClient
from ._limiter import RateLimiter
from .errors import BudgetFrameError, ServiceAPIError, ToolError

__all__ = [
    "BudgetFrameError",
    "DeltaCache",
    "RateLimiter",
    "ServiceAPIError",
    "ServiceClient",
    "ToolError",
]
