"""The class Report: it keeps its name, its rules and its plot."""

import copy
import json
import pickle
import pickletools
import re
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.axes import Axes

from budgetframe import ToolError
from budgetframe.reports import Report, age_of_money, budget_vs_actual, money_flow
from tests.docs.docstrings import REPORTS
from tests.reports.plans import categories, cell, household, in_month, plan, report_of

NAMES = tuple(REPORTS)


def small() -> Report:
    """Two months of a category with a name that could be markup; a new copy for each caller."""
    return Report(_small(), copy=True)


@cache
def _small() -> Report:
    return budget_vs_actual(plan(
        in_month("2026-05", cell("<script>alert(1)</script>", 10.0, -4.0)),
        in_month("2026-06", cell("<script>alert(1)</script>", 20.0, -5.0)),
    ))  # fmt: skip


# attrs and rules


@pytest.mark.parametrize("name", NAMES)
def test_attrs_of_a_report_are_short_json_with_its_name_its_origin_and_its_rules(name: str) -> None:
    report = report_of(name)
    said = report.attrs
    assert json.loads(json.dumps(said)) == said
    assert len(json.dumps(said)) < 2_500
    assert said["report"] == name
    assert said["budget"] == "Household"
    assert said["as_of"] == "2026-06-17T12:00:00+00:00"
    assert said["currency_format"]["currency_symbol"] == "€"
    assert said["source"].startswith("GET /budgets/")
    assert len(said["rules"]) >= 2
    assert [rule for rule in said["rules"] if not re.fullmatch(r"[A-Z].{10,}\.", rule)] == []
    assert report.index.tolist() == list(range(len(report)))


def test_a_report_of_two_frames_has_the_older_time_and_each_source_once() -> None:
    rows = {"category_name": ["Food"], "category_group_name": ["Daily"], "allocation": [1.0]}
    listed, moves = categories("food"), pd.DataFrame(rows)
    moves.attrs = {"as_of": "2026-06-16T12:00:00+00:00", "source": "GET /a and GET /b"}
    moves.attrs["stale"] = "a"
    listed.attrs |= {"source": "GET /b", "stale": "b"}
    said = money_flow(moves, listed).attrs
    assert (said["as_of"], said["source"], said["stale"]) == (
        "2026-06-16T12:00:00+00:00", "GET /a and GET /b", "a; b",
    )  # fmt: skip


def test_attrs_do_not_state_an_unknown_origin() -> None:
    report = budget_vs_actual(plan(as_of=None))
    assert "as_of" not in report.attrs
    assert "budget" not in report.attrs


def test_changing_the_attrs_of_a_report_changes_no_frame() -> None:
    frame = household().months()
    age_of_money(frame).attrs["currency_format"]["currency_symbol"] = "?"
    assert frame.attrs["currency_format"]["currency_symbol"] == "€"


def test_changing_a_report_changes_no_frame() -> None:
    frame = plan(in_month("2026-06", cell("food", 1.0, -1.0, 7.0)))
    report = budget_vs_actual(frame)
    report["available"] = 0.0
    assert frame["balance"].tolist() == [7.0]


# Operations that keep the type

KEPT: dict[str, Any] = {
    "a copy": lambda report: report.copy(),
    "a deep copy": copy.deepcopy,
    "a pickle": lambda report: pickle.loads(pickle.dumps(report)),  # noqa: S301
    "some rows": lambda report: report[report["assigned"] > 10],
    "the first rows": lambda report: report.head(1),
    "sorting": lambda report: report.sort_values("spent"),
    "another index": lambda report: report.reset_index(drop=True),
    "one more column": lambda report: report.assign(twice=report["spent"] * 2),
    "a constructor that copies no attrs": lambda report: report._constructor(pd.DataFrame(report)),
    "taking it apart and together": lambda report: pd.concat([report.head(1), report.tail(1)]),
    "making one of it": Report,
}
CHANGED: dict[str, Any] = {
    "a column less": lambda report: report.drop(columns="spent"),
    "other names": lambda report: report.rename(columns={"spent": "out"}),
    "other names by position": lambda report: report.set_axis([*"abcdefghijkl"], axis=1),
    "names with a prefix": lambda report: report.add_prefix("a_"),
    "groups": lambda report: report.groupby("period")[["assigned", "spent"]].sum(),
    "aggregated groups": lambda report: report.groupby("period", as_index=False).agg("count"),
    "an index of a column": lambda report: report.set_index("period"),
    "statistics": lambda report: report.describe(include="all"),
    "texts": lambda report: report.astype(str),
    "missing values": lambda report: report.isna(),
    "a pivot": lambda report: report.pivot(index="period", columns="category_id"),
    "a melt": lambda report: report.melt(),
    "a merge": lambda report: report.merge(pd.DataFrame({"category_id": ["x"]}), how="left"),
    "a merge with itself": lambda report: report.merge(report),
    "a merge into a frame": lambda report: pd.DataFrame({"a": [1]}).merge(report, how="cross"),
    "a join": lambda report: report.join(pd.DataFrame({"more": [1, 2]})),
    "with an ordinary frame": lambda report: pd.concat([report, pd.DataFrame(report)]),
    "with another report": lambda report: pd.concat([report, report_of("budget_vs_actual")]),
    "side by side": lambda report: pd.concat([report, report], axis=1),
}


@pytest.mark.parametrize("change", KEPT.values(), ids=KEPT)
def test_a_changed_report_is_still_a_report_with_rules_and_a_plot(change: Any) -> None:
    changed = change(small())
    assert type(changed) is Report
    assert changed.attrs == _small().attrs
    title = changed.plot().get_title(loc="left")
    assert title.startswith("Assigned and spent on <script>alert(1)</scr…, ")


def test_a_pickled_report_names_the_public_module() -> None:
    # Protocol 2 writes the name of a class as one opcode with module and name.
    operations = pickletools.genops(pickle.dumps(report_of("age_of_money"), protocol=2))
    named = {argument for operation, argument, _ in operations if operation.name == "GLOBAL"}
    assert {name for name in named if "budgetframe" in str(name)} == {"budgetframe.reports Report"}


def test_a_report_is_equal_to_an_ordinary_frame_but_an_ordinary_frame_is_no_report() -> None:
    report = small()
    plain = pd.DataFrame(report)
    pd.testing.assert_frame_equal(report, plain)
    assert pd.DataFrame(report).compare(plain).empty
    assert not isinstance(plain, Report)


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_frame_with_other_columns_or_rows_is_no_report(change: Any) -> None:
    changed = change(small())
    assert type(changed) is pd.DataFrame or changed.report_type is None


def test_concatenated_reports_of_two_calculations_are_an_ordinary_frame() -> None:
    worth, age = household().reports.net_worth(), report_of("age_of_money")
    assert type(pd.concat([worth, household().reports.net_worth()])) is pd.DataFrame
    assert type(pd.concat([worth, pickle.loads(pickle.dumps(worth))])) is pd.DataFrame  # noqa: S301
    other = age.copy()
    other.attrs["rules"] = ["Another rule."]
    assert type(pd.concat([age, other])) is pd.DataFrame


def test_a_frame_of_flags_is_no_report() -> None:
    report = report_of("income_sankey")
    assert type(report.isna()) is pd.DataFrame
    assert type(report == report) is pd.DataFrame  # noqa: PLR0124 - compares the values


def test_a_report_whose_columns_were_removed_in_place_is_drawn_by_pandas() -> None:
    report = small()
    del report["spent"]
    assert report.report_type is None
    assert report.plot().get_title(loc="left") == ""
    assert type(report.head(1)) is pd.DataFrame


def test_a_report_without_the_names_of_its_groups_is_an_ordinary_frame() -> None:
    report, both = report_of("spending"), household().reports.spending(("group", "payee"))
    assert isinstance(report.drop(columns="category_id"), Report)
    for table, name in product((report, both), ("category_group_name", "payee_name")):
        assert isinstance(table.drop(columns=name, errors="ignore"), Report) is (name not in table)


def test_a_column_of_a_report_is_a_series_that_pandas_draws() -> None:
    assert isinstance(small()["spent"].plot(), Axes)


def test_a_report_read_from_parquet_is_a_report_again(tmp_path: Path) -> None:
    small().to_parquet(tmp_path / "report.parquet")
    again = Report(pd.read_parquet(tmp_path / "report.parquet"))
    assert again.attrs == _small().attrs
    assert (
        again.plot()
        .get_title(loc="left")
        .endswith("spent on <script>alert(1)</scr…, May – Jun 2026")
    )


def test_a_report_built_from_a_report_is_independent() -> None:
    first = small()
    Report(first).attrs["rules"].append("Another.")
    assert first.attrs["rules"] == _small().attrs["rules"]


# Plots of pandas


def test_arguments_of_pandas_are_drawn_on_the_axes_given() -> None:
    given = small().plot.bar(x="period", y="spent")
    assert small().plot(x="period", y="spent", kind="bar", ax=given) is given


@pytest.mark.parametrize("name", NAMES)
def test_drawing_a_report_without_rows_raises_an_error(name: str) -> None:
    empty = report_of(name).head(0)
    with pytest.raises(ToolError, match=f"nothing to draw: the report {name} has no rows"):
        empty.plot()


def test_drawing_a_report_with_repeated_or_missing_rows_fails(subtests: pytest.Subtests) -> None:
    shown = {
        "a row twice": lambda report: pd.concat([report, report.head(1)]),
        "all rows twice": lambda report: pd.concat([report, report]),
        "a row selected twice": lambda report: report.iloc[[0, 0]],
        "later rows": lambda report: report.shift(1),
        "masked rows": lambda report: report.where(pd.Series(report.index > 0)),
        "more rows": lambda report: report.reindex(range(len(report) + 2)),
    }
    for name, (label, change) in product(NAMES, shown.items()):
        with subtests.test(name=name, label=label):
            changed = change(report_of(name))
            assert isinstance(changed, Report)
            with pytest.raises(ToolError, match=f"^the report {name} cannot be drawn: "):
                changed.plot()


def test_the_error_of_a_report_without_a_picture_says_what_to_do(subtests: pytest.Subtests) -> None:
    report = report_of("age_of_money")
    cases = [
        ("report.drop_duplicates(), or select each row once", pd.concat([report, report.head(2)]),
         "2 rows of it repeat another row, the first at position 42; remove repeated rows"),
        ("report.dropna(subset='month'), or draw the report as it was calculated", report.shift(1),
         "1 row of it has no month, for example after reindex, shift or where; remove these"),
    ]  # fmt: skip
    for advice, changed, problem in cases:
        with subtests.test(problem=problem), pytest.raises(ToolError) as caught:
            changed.plot()
        assert f"the report age_of_money cannot be drawn: {problem}" in str(caught.value)
        assert str(caught.value).endswith(advice)
    assert pd.concat([report, report]).drop_duplicates().plot() is not None
    assert report.shift(1).dropna(subset="month").plot() is not None


@pytest.mark.parametrize("kind", ["lin", "LINE", ""])
def test_an_unknown_kind_of_plot_raises_an_error_with_the_kinds(kind: str) -> None:
    with pytest.raises(
        ToolError, match=f"^kind={kind!r}: it must be one of 'line', 'calendar', 'heatmap', 'bar',"
    ):
        small().plot(kind=kind)


# HTML


def test_names_and_rules_are_escaped_in_html() -> None:
    report = small()
    report.attrs["rules"] = ["Without <img src=x>."]
    html = report._repr_html_() or ""
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<li>Without &lt;img src=x&gt;.</li>" in html


@pytest.mark.parametrize("name", NAMES)
def test_html_of_a_report_is_short_and_sets_no_colours(name: str) -> None:
    html = report_of(name)._repr_html_() or ""
    assert len(html) < 50_000
    styles = re.findall(r"style=[\"'][^\"']*|<style.*?</style>", html, re.DOTALL)
    assert styles
    coloured = re.compile(r"#[0-9a-f]{3}|rgb|color|background")
    assert [style for style in styles if coloured.search(style)] == []


@pytest.mark.parametrize(("name", "points"), [
    ("recurring", "payee_name last_amount yearly_cost next_date"),
    ("loans", "payment interest principal owed"),
    ("targets", "category_name target monthly needed due on_track"),
    ("budget_vs_actual", "category_name assigned spent difference available"),
    ("duplicates", "date payee_name amount reason kept_date"),
])  # fmt: skip
def test_a_narrow_window_shows_the_point_of_a_report(name: str, points: str) -> None:
    with pd.option_context("display.width", 81):  # 80, the default of pandas, is not a choice
        header = repr(report_of(name)).splitlines()[0].split()
    assert [column for column in header if column in points.split()] == points.split()


def test_html_has_the_rules_below_the_table() -> None:
    _, _, below = (report_of("money_flow")._repr_html_() or "").partition("</table>")
    assert "<summary>money_flow: how it is counted</summary>" in below
    assert below.count("<li>") == 4
    assert "<li>A side without a category is Ready to Assign.</li>" in below


def test_a_report_with_other_columns_has_the_html_of_a_plain_frame() -> None:
    changed = small().rename(columns={"spent": "mine"})
    assert changed._repr_html_() == pd.DataFrame(changed)._repr_html_()  # type: ignore[operator]


def test_a_report_has_no_html_if_pandas_shows_no_html() -> None:
    with pd.option_context("display.notebook_repr_html", False):  # noqa: FBT003
        assert small()._repr_html_() is None


# Missing plotting libraries

WITHOUT_LIBRARIES = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"matplotlib", "plotly"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from budgetframe import BudgetFrame, ToolError
reports = BudgetFrame.sandbox().reports
for report in (reports.age_of_money(), reports.income_sankey()):
    for _ in range(2):
        try:
            report.plot()
        except ToolError as error:
            print(error)
"""


@pytest.mark.slow  # a new interpreter, because this one has imported the libraries
def test_without_the_plotting_libraries_the_errors_name_the_extra() -> None:
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", WITHOUT_LIBRARIES],
        capture_output=True,
        encoding="locale",
        check=True,
    )
    assert ran.stdout.splitlines() == [
        "a picture needs matplotlib: pip install 'budgetframe[plot]'",
        "a picture needs matplotlib: pip install 'budgetframe[plot]'",
        "a Sankey diagram needs plotly: pip install 'budgetframe[sankey]'",
        "a Sankey diagram needs plotly: pip install 'budgetframe[sankey]'",
    ]
