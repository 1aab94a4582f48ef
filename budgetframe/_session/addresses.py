"""The addresses of the answers of a budget: what requests an answer, and where it is stored."""

from __future__ import annotations

from typing import NamedTuple

from budgetframe._cache.storage import Params
from budgetframe._client.target import path_of
from budgetframe._resources import CATEGORY_IN_MONTH, RESOURCES

# Without this parameter, the service sends only the last year, also in deltas. The value is always
# the same, so that deltas work.
_EARLIEST: Params = (("since_date", "1900-01-01"),)
_ALL_CHANGES = ("last_knowledge_of_server", "1")  # with 0, the service sends the current list


class CacheAddress(NamedTuple):
    """The key that an answer is stored under, and the path and parameters that request it."""

    key: str
    path: str
    params: Params = ()
    empty_list: str | None = None
    """Key of the list that is empty if the service says that the resource does not exist."""


def list_addresses(budget_id: str) -> dict[str, CacheAddress]:
    """Return the addresses of the lists of a budget, and of its export, by resource."""
    addresses = {}
    for name, resource in RESOURCES.items():
        params = _EARLIEST if name == "transactions" else ()
        # A budget that never had a scheduled transaction has no list of them.
        empty_list = name if name == "scheduled_transactions" else None
        path = path_of(resource.path, budget_id=budget_id)
        addresses[name] = CacheAddress(f"{budget_id}:{name}", path, params, empty_list)
    return addresses


def changes_of(address: CacheAddress) -> CacheAddress:
    """Return the address of all changes of a list since its beginning."""
    return CacheAddress(f"{address.key}:changes", address.path, (_ALL_CHANGES, *address.params))


def part_of(address: CacheAddress, budget_id: str, resource: str, item_id: str) -> CacheAddress:
    """Return the address of the part of a list that belongs to one object of a resource."""
    item = path_of(RESOURCES[resource].item_path, budget_id=budget_id, id=item_id)
    path = f"{item}/{address.key.partition(':')[2]}"
    if resource == "months":  # the list of a month is complete without a first day
        return CacheAddress(f"{address.key}:{item_id}", path)
    return CacheAddress(f"{address.key}:{resource}:{item_id}", path, address.params)


def item_address(
    budget_id: str, name: str, item_id: str, *, month: str | None = None
) -> CacheAddress:
    """Return the address of one object of a resource, or of a category in one month."""
    key, path = f"{budget_id}:{name}:{item_id}", RESOURCES[name].item_path
    if month is not None:
        key, path = f"{budget_id}:months:{item_id}:{month}", CATEGORY_IN_MONTH
    path = path_of(path, budget_id=budget_id, id=item_id, month=month or "current")
    return CacheAddress(key, path)
