"""Everything budgetframe raises on purpose.

::

    BudgetFrameError                 one ``except`` for a notebook
    +-- ServiceAPIError              the service answered with an error
    +-- ToolError                    this side refused: the limit, or an argument

    StaleDataWarning                 older data are shown, because the service could not be asked

Timeouts and failed connections stay what httpx calls them (``httpx.TransportError``), without the
authorization header they would otherwise carry along.
"""

from __future__ import annotations

__all__ = ["BudgetFrameError", "ServiceAPIError", "StaleDataWarning", "ToolError"]


class BudgetFrameError(Exception):
    """Base of all errors that budgetframe raises on purpose."""


class ServiceAPIError(BudgetFrameError):
    """The service answered, and the answer is an error.

    Parameters
    ----------
    status_code : int
        HTTP status code. A 2xx here means that the answer could not be used
        (``name`` is then ``"invalid_response"``).
    error_id : str
        The service's identifier, for example ``"404.2"``; the status as text where the answer
        does not carry the documented error object.
    name : str
        The service's name for it, for example ``"resource_not_found"``.
    detail : str
        What happened, in words; also the message of the exception.

    Examples
    --------
    >>> error = ServiceAPIError(404, "404.2", "resource_not_found", "Resource not found")
    >>> str(error)
    'Resource not found'
    >>> error.status_code, error.error_id
    (404, '404.2')
    """

    def __init__(self, status_code: int, error_id: str, name: str, detail: str) -> None:
        # All four in args: that is what pickle and copy call the class with again.
        super().__init__(status_code, error_id, name, detail)
        self.status_code = status_code
        self.error_id = error_id
        self.name = name
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


class ToolError(BudgetFrameError):
    """This side refused: the request limit is reached, or an argument cannot be right.

    Parameters
    ----------
    message : str
        What happened, the numbers, and what to do.
    retry_after : float, optional
        Seconds until the request would be allowed, where the limit is why it was not.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StaleDataWarning(UserWarning):
    """The service could not be asked; what it said last is shown instead.

    The message says how old that is, and why there is nothing newer.
    """
