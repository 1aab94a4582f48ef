"""A lake with programs that the extra `dev` installs: a keyring, an object store and polars."""

from decimal import Decimal
from pathlib import Path

import duckdb
import keyring
import polars as pl
import pytest
from deltalake.exceptions import CommitFailedError
from pandas.testing import assert_frame_equal

from budgetframe.lake import Lake, read_sources
from budgetframe.lake.writer import Writer
from tests.cli.test_login_command import KeyringInMemory

from .object_store import BUCKET, object_store
from .service import EURO, YEN, Service, plain

TOKEN = "token-that-nobody-must-see"


def test_a_file_only_names_its_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, replacement = keyring.get_keyring(), KeyringInMemory()
    replacement.set_password("budgetframe", "anna", TOKEN)
    keyring.set_keyring(replacement)
    monkeypatch.setenv("BENS_TOKEN", "bens-token")
    path = tmp_path / "sources.toml"
    path.write_text(
        """
        [[source]]
        name = "Anna"
        token_keyring = "anna"
        budgets = ["Home", "Shop"]

        [[source]]
        name = "Ben"
        token_env = "BENS_TOKEN"
        base_url = "http://127.0.0.1:9000/v1"
        verify = false
        """,
        "utf-8",
    )
    try:
        anna, ben = read_sources(path)
    finally:
        keyring.set_keyring(before)
    assert (anna.token, ben.token) == (TOKEN, "bens-token")
    assert repr([anna, ben]) == (
        "[Source(name='Anna', budgets=('Home', 'Shop'), base_url='https://api.ynab.com/v1',"
        " verify=True),"
        " Source(name='Ben', budgets='all', base_url='http://127.0.0.1:9000/v1', verify=False)]"
    )


def test_duckdb_and_polars_read_exact_sums(service: Service, lake: Lake) -> None:
    expected = {}
    for budget, code in ((EURO, "EUR"), (YEN, "JPY")):
        rows = service.facade(budget).ledger(money="milliunits")
        expected[code] = Decimal(int(rows["amount_milliunits"].sum())).scaleb(-3)
    data = lake.delta("ledger").to_pyarrow_dataset()
    database = duckdb.connect().register("rows", data)
    found = database.sql("select currency, sum(amount) from rows group by 1").fetchall()
    assert dict(found) == expected
    files = pl.read_delta(str(Path(lake._address.uri) / "ledger"))
    sums = files.group_by("currency").agg(pl.col("amount").sum()).rows()
    assert dict(sums) == expected


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
        before = lake._address.paths()
        assert lake.forget(YEN).files_searched == len(lake._address.paths())
        assert {path for path in before if "bucket=0" in path}.isdisjoint(lake._address.paths())
        assert [*lake.budgets()["budget_name"].compute()] == [EURO]
        assert "secret" not in repr(lake)
