from collections.abc import Iterator

import pytest

from budgetframe.sandbox import Sandbox, serve

from .sdk import Sdk, ynab


@pytest.fixture(scope="module")
def sdk() -> Iterator[Sdk]:
    """The official client and one service for all tests of a file.

    Each test reads, or changes rows that no other test uses.
    """
    sandbox = Sandbox(years=1, limit=100_000)
    with serve(sandbox) as url:
        configuration = ynab.Configuration(host=url, access_token=sandbox.token)
        with ynab.ApiClient(configuration) as client:
            yield Sdk(sandbox, client)
            client.rest_client.pool_manager.clear()
