"""A lake in an object store."""

import pytest
from deltalake.exceptions import CommitFailedError
from pandas.testing import assert_frame_equal

from budgetframe.lake import Lake
from budgetframe.lake.writer import Writer

from .object_store import BUCKET, object_store
from .service import EURO, YEN, Service, plain


@pytest.mark.slow  # it starts a process
def test_a_lake_in_an_object_store(service: Service) -> None:
    with object_store() as options:
        lake = Lake(f"{BUCKET}/lake", options)
        lake.sync([service.source()], buckets=1)
        assert_frame_equal(
            plain(lake.frame("ledger", budget=EURO)), plain(service.facade(EURO).ledger())
        )
        first, second = Writer(lake._address), Writer(lake._address)
        first._publish()
        with pytest.raises(CommitFailedError):  # two processes cannot both publish
            second._publish()
        assert lake.vacuum() > 0  # the earlier rows of the table `_sync`
        assert sorted(lake.budgets()["budget_name"].compute()) == [EURO, YEN]
        assert "secret" not in repr(lake)
