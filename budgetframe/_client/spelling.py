"""The two spellings of the paths under a budget: a service can know only one of them."""

from __future__ import annotations

from http import HTTPStatus
from weakref import WeakKeyDictionary

import httpx

from budgetframe._resources import BUDGET_ALIASES
from budgetframe.errors import ServiceAPIError

from .client import SendTo, ServiceClient
from .responses import Received, is_no_such_resource
from .target import Target

_FIRST = "budgets"
_SECOND = "plans"
_NEITHER = "The service knows neither /budgets nor /plans below this address"

_known: WeakKeyDictionary[httpx.AsyncClient, str] = WeakKeyDictionary()
"""The spelling that the service of an HTTP client knows: such a client has one address."""


class ConnectionClient(ServiceClient):
    """The client of a connection or a lake, which uses the spelling that the service knows."""

    async def _send_to(self, target: Target, send: SendTo) -> Received:
        """Send a request in the spelling of the paths that the service knows."""
        # As long as no answer shows which one that is, a request for an unknown path is sent once
        # more in the other spelling. A path that was not found was not carried out.
        if not target.has_spellings:
            return await send(target.path)
        first, second = target.path, target.path.replace(_FIRST, _SECOND, 1)
        known = _known.get(self._http)
        if known is not None:
            return await send(first if known == _FIRST else second)
        try:
            answer = await send(first)
        except ServiceAPIError as error:
            if not _may_be_unknown(error, target):
                raise
            first_error = error
        else:
            _known[self._http] = _FIRST
            return answer
        try:
            answer = await send(second)
        except ServiceAPIError as error:
            if error.status_code != HTTPStatus.NOT_FOUND:
                raise
            if not _may_be_unknown(error, target):
                _known[self._http] = _SECOND  # the service knows the path and not the object
                raise
            if is_no_such_resource(first_error):
                _known[self._http] = _FIRST
            else:
                first_error.add_note(_NEITHER)
            raise first_error from None
        _known[self._http] = _SECOND
        return answer


def _may_be_unknown(error: ServiceAPIError, target: Target) -> bool:
    """Whether an error can mean that the service does not know the first spelling."""
    # The id 404.2 means that the service knows the path and not the object. Only the list of
    # budgets always exists, and the budget that an alias stands for nearly always.
    return error.status_code == HTTPStatus.NOT_FOUND and (
        not is_no_such_resource(error)
        or target.budget_id is None
        or target.budget_id in BUDGET_ALIASES
    )
