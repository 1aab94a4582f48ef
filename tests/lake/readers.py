"""The ways to read a lake: the views, the files that `lake.sql` names, Delta, and `Lake`."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import duckdb

from budgetframe.frames import milliunits
from budgetframe.lake import Lake

Sums = dict[str, int]


def by_views(lake: Lake) -> Sums:
    """Milliunits by currency, as DuckDB reads them with the script."""
    script = (Path(lake._address.uri) / "lake.sql").read_text("utf-8")
    with duckdb.connect() as database:
        database.execute(script)
        rows = database.sql(
            "select currency, cast(sum(amount) * 1000 as bigint) from ledger group by 1"
        )
        return dict(rows.fetchall())


def files_of(lake: Lake, name: str) -> list[str]:
    """The files that the first line of the script names."""
    root = Path(lake._address.uri)
    state = json.loads((root / "lake.sql").read_text("utf-8").partition("\n")[0].removeprefix("--"))
    return [str(root / path) for path in state["tables"][name]["files"]]


def by_polars(lake: Lake) -> Sums:
    """The same as polars reads these files."""
    import polars as pl  # noqa: PLC0415 - it may be missing

    frame = pl.read_parquet(files_of(lake, "ledger"), hive_partitioning=False)
    sums = frame.group_by("currency").agg(pl.col("amount").sum()).rows()
    return {currency: int(amount.scaleb(3)) for currency, amount in sums}


def by_arrow(lake: Lake) -> Sums:
    """The same as Arrow reads the Delta table at the published version."""
    table = lake.delta("ledger").to_pyarrow_dataset().to_table(columns=["currency", "amount"])
    sums = table.group_by("currency").aggregate([("amount", "sum")]).to_pylist()
    return {row["currency"]: int(row["amount_sum"].scaleb(3)) for row in sums}


def by_dask(lake: Lake) -> Sums:
    """The same as Dask reads it."""
    frame = lake.ledger(["currency", "amount"]).compute()
    return {key: int(milliunits(rows["amount"]).sum()) for key, rows in frame.groupby("currency")}


READERS: dict[str, Callable[[Lake], Sums]] = {
    "DuckDB": by_views, "Arrow": by_arrow, "Dask": by_dask,
    **({"polars": by_polars} if find_spec("polars") else {}),
}  # fmt: skip


def sums_by_reader(lake: Lake) -> dict[str, Sums]:
    """The milliunits by currency that each way reads."""
    return {name: read(lake) for name, read in READERS.items()}
