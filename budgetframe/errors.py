"""The errors and warnings of budgetframe.

::

    BudgetFrameError                 base class: one ``except`` catches both errors
    +-- ServiceAPIError              the service answered with an error
    +-- ToolError                    budgetframe refused the call: the limit, or an argument

    StaleDataWarning                 older data are shown, because the service did not answer

Timeouts and failed connections raise the errors of httpx (``httpx.TransportError``), from which
the authorization header is removed.
"""

from __future__ import annotations

__all__ = ["BudgetFrameError", "ServiceAPIError", "StaleDataWarning", "ToolError"]


class BudgetFrameError(Exception):
    """Base class of the errors that budgetframe raises."""


class ServiceAPIError(BudgetFrameError):
    """The service answered with an error, or with an unusable answer.

    Parameters
    ----------
    status_code : int
        HTTP status code. A 2xx status means that the answer could not be used
        (``name`` is then ``"invalid_response"``).
    error_id : str
        The service's identifier, for example ``"404.2"``; the status as text if the answer does
        not contain the documented error object.
    name : str
        The service's name of the error, for example ``"resource_not_found"``.
    detail : str
        Description of the error; also the message of the exception.

    Examples
    --------
    >>> error = ServiceAPIError(404, "404.2", "resource_not_found", "Resource not found")
    >>> str(error)
    'Resource not found'
    >>> error.status_code, error.error_id
    (404, '404.2')
    """

    def __init__(self, status_code: int, error_id: str, name: str, detail: str) -> None:
        # All four must be in args: pickle and copy call the class with them.
        super().__init__(status_code, error_id, name, detail)
        self.status_code = status_code
        self.error_id = error_id
        self.name = name
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


class ToolError(BudgetFrameError):
    """Budgetframe refused the call: the request limit is reached, or an argument is invalid.

    Parameters
    ----------
    message : str
        What happened, with numbers, and what to do.
    retry_after : float, optional
        Seconds until the request is allowed, if the limit is the reason and the time is known; or
        after which to try again, if another process is changing the lake.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StaleDataWarning(UserWarning):
    """The service did not answer; its last answer is shown instead.

    The message says how old the data are, and why there are no newer data.
    """
