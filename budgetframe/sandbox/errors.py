"""The documented errors of the service, and one of the socket server (421)."""

from __future__ import annotations

from typing import Any

_ERRORS = {
    "400": (400, "bad_request", "Bad request"),
    "401": (401, "not_authorized", "Unauthorized"),
    "403.1": (403, "subscription_lapsed", "Subscription for account has lapsed."),
    "403.2": (403, "trial_expired", "Trial for account has expired."),
    "403.3": (403, "unauthorized_scope", "Unauthorized scope"),
    "403.4": (403, "data_limit_reached", "Data limit reached"),
    "404.1": (404, "not_found", "URI does not exist"),
    "404.2": (404, "resource_not_found", "Resource not found"),
    "409": (409, "conflict", "Conflict"),
    "421": (421, "misdirected_request", "The sandbox only answers to loopback host names"),
    "429": (429, "too_many_requests", "Too many requests"),
    "500": (500, "internal_server_error", "Internal server error"),
    "503": (503, "service_unavailable", "Service unavailable"),
}

DOCUMENTED_ERRORS = tuple(error_id for error_id in _ERRORS if error_id != "421")


class ApiError(Exception):
    """An error that the service answers to a request."""

    def __init__(self, error_id: str, detail: str | None = None) -> None:
        super().__init__(error_id, detail)
        self.error_id = error_id
        self.detail = detail

    @property
    def status(self) -> int:
        """HTTP status."""
        return _ERRORS[self.error_id][0]

    def body(self) -> dict[str, Any]:
        """Return the documented error object."""
        _, name, detail = _ERRORS[self.error_id]
        return {"error": {"id": self.error_id, "name": name, "detail": self.detail or detail}}


def bad_request(detail: str) -> ApiError:
    """Return the error for a request with invalid content."""
    return ApiError("400", detail)
