"""Errors as the service words them."""

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
    "429": (429, "too_many_requests", "Too many requests"),
    "500": (500, "internal_server_error", "Internal server error"),
    "503": (503, "service_unavailable", "Service unavailable"),
}


class ApiError(Exception):
    """A request that is answered with an error."""

    def __init__(self, error_id: str, detail: str | None = None) -> None:
        super().__init__(error_id, detail)
        self.error_id = error_id
        self.detail = detail

    @property
    def status(self) -> int:
        """HTTP status."""
        return _ERRORS[self.error_id][0]

    def body(self) -> dict[str, Any]:
        """Give the documented error object."""
        _, name, detail = _ERRORS[self.error_id]
        return {"error": {"id": self.error_id, "name": name, "detail": self.detail or detail}}


def refusal_named(name: str) -> ApiError:
    """Give the refusal of that name or id, to be answered without a reason of its own.

    Names are those of the documented table, such as ``"subscription_lapsed"`` or
    ``"internal_server_error"``; an id such as ``"403.1"`` will do as well.
    """
    for error_id, (_, known, _) in _ERRORS.items():
        if name in {error_id, known}:
            return ApiError(error_id)
    names = ", ".join(known for _, known, _ in _ERRORS.values())
    raise LookupError(f"no documented error is named {name!r}; there are {names}")


def bad_request(detail: str) -> ApiError:
    """Refuse what cannot be understood."""
    return ApiError("400", detail)


def no_such_resource() -> ApiError:
    """Refuse an id that nothing has."""
    return ApiError("404.2")
