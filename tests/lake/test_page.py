"""The page about the tables of a lake: keys, joins, and questions in SQL with their answers."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from budgetframe.lake import Lake
from budgetframe.lake.columns import FRAMES, OTHERS, OWNER

PAGE = (Path(__file__).parents[2] / ".github" / "lake.md").read_text("utf-8")


@pytest.fixture
def database(lake: Lake) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the views of the lake."""
    with duckdb.connect() as connection:
        connection.execute(Path(lake.views()).read_text(encoding="utf-8"))
        yield connection


def rows_below(heading: str) -> list[list[str]]:
    """The cells of the first table after a text of the page."""
    lines = PAGE.partition(heading)[2].strip().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    rows = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_answers_are_those_of_the_lake(
    database: duckdb.DuckDBPyConnection, subtests: pytest.Subtests
) -> None:
    questions = re.findall(r"^\*\*(.+)\*\*\n\n```sql\n([^`]+)\n```$", PAGE, re.MULTILINE)
    assert len(questions) == 6
    for question, sql in questions:
        with subtests.test(question=question):
            found = database.sql(sql)
            answer = PAGE.partition(f"{sql}\n```\n")[2].lstrip()
            expected = [] if answer.startswith("No row.") else rows_below(f"{sql}\n```\n")
            assert [[str(value) for value in row] for row in found.fetchall()] == expected


def test_keys_are_unique_and_joins_find_a_row_for_each_key(
    database: duckdb.DuckDBPyConnection, subtests: pytest.Subtests
) -> None:
    keys, joins = {}, {}
    for name, _, key, named in rows_below("## Tables, keys and joins"):
        table = name.strip("`")
        keys[table] = re.findall("`(.+?)`", key)
        joins[table] = re.findall("`(.+?)`", named)
    assert keys.keys() == FRAMES.keys()
    for table, names in keys.items():
        with subtests.test(table=table):
            columns = ", ".join(["budget_id", *names])
            missing = " or ".join(f"{column} is null" for column in ["budget_id", *names])
            (counts,) = database.sql(
                f"select count(*), count(distinct ({columns})),"  # noqa: S608 - names of the page
                f" count(*) filter (where {missing}) from {table}"
            ).fetchall()
            assert counts == (counts[0], counts[0], 0)
            for other in joins[table]:
                using = ", ".join(["budget_id", *keys[other]])
                present = " and ".join(f"{each} is not null" for each in keys[other])
                left = database.sql(
                    f"select count(*) from {table} anti join {other} using ({using})"  # noqa: S608
                    f" where {present}"
                ).fetchall()
                assert left == [(0,)], other


def test_every_table_and_common_column_is_on_the_page() -> None:
    assert [row[0].strip("`") for row in rows_below("All tables of budgets have")] == [
        "budget_id", "source", "currency", "as_of", "position", "bucket",
    ]  # fmt: skip
    assert {*OWNER} == {"budget_id", "source", "currency", "as_of", "bucket"}
    for name in OTHERS:
        assert f"`{name}` has" in PAGE
