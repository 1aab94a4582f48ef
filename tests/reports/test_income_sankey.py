"""The report income_sankey and its diagram."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.figure import Figure

from budgetframe import ToolError
from budgetframe.frames import milliunits
from budgetframe.reports import Report, income_sankey
from budgetframe.reports.plotting.options import PlotOptions
from tests.frames.columns import Json
from tests.reports.plans import EURO
from tests.reports.rows import began, ledger_frame, lines, moved, row


def pay(amount: float, name: str | None = "Market", day: str = "2026-05-01", **more: Any) -> Json:
    return row(day, amount, "ready", payee_id=name, payee_name=name, **more)


def links(*rows: Json, **how: Any) -> list[tuple[Any, ...]]:
    return lines(income_sankey(ledger_frame(*rows), **how), "level", "source", "target", "amount")


# Links


def test_income_flows_from_payers_to_groups_to_categories() -> None:
    rows = (
        pay(1000.0), row("2026-05-02", -100.1, "food"), row("2026-05-03", -50.0, "fun"),
        row("2026-05-04", -400.0, "rent"),
    )  # fmt: skip
    found = income_sankey(ledger_frame(*rows))
    assert lines(found, "level", "source", "target", "category_group_name", "amount") == [
        (0, "Market", "Income", None, 1000.0), (1, "Income", "Left over", None, 449.9),
        (1, "Income", "Home", "Home", 400.0), (1, "Income", "Daily", "Daily", 150.1),
        (2, "Home", "Rent", "Home", 400.0), (2, "Daily", "Food", "Daily", 100.1),
        (2, "Daily", "Fun", "Daily", 50.0),
    ]  # fmt: skip


LINKS: dict[str, tuple[tuple[Json, ...], list[tuple[int, str, str, float]]]] = {
    "spending above the income flows from the node From before": (
        (pay(10.0), row("2026-05-02", -30.0, "food")),
        [(0, "From before", "Income", 20.0), (0, "Market", "Income", 10.0),
         (1, "Income", "Daily", 30.0), (2, "Daily", "Food", 30.0)]),
    "a category with net refunds flows into the income": (
        (pay(10.0), row("2026-05-02", -5.0, "food"), row("2026-05-03", 12.5, "food")),
        [(0, "Market", "Income", 10.0), (0, "Food", "Income", 7.5),
         (1, "Income", "Left over", 17.5)]),
    "what cancels out has no link": (
        (pay(10.0), pay(-4.0), row("2026-05-02", -5.0, "food"), row("2026-05-03", 5.0, "food")),
        [(0, "Market", "Income", 6.0), (1, "Income", "Left over", 6.0)]),
    "nothing is left over": (
        (pay(30.0), row("2026-05-02", -30.0, "food")),
        [(0, "Market", "Income", 30.0), (1, "Income", "Daily", 30.0),
         (2, "Daily", "Food", 30.0)]),
    "starting balances and transfers within the budget have no link": (
        (began("2026-05-01", "checking", 500.0), *moved("2026-05-02", 5.0, "checking", "savings")),
        []),
    "a payer with a negative sum is a target of the income": (
        (pay(10.0), pay(-4.0, "Tax Office")),
        [(0, "Market", "Income", 10.0), (1, "Income", "Left over", 6.0),
         (1, "Income", "Tax Office", 4.0)]),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), LINKS.values(), ids=LINKS)
def test_the_links_of_some_rows(rows: tuple[Json, ...], expected: list[Any]) -> None:
    assert links(*rows) == expected


def test_payers_above_the_limit_are_added_up_as_others() -> None:
    rows = [pay(amount, name) for name, amount in (("A", 1.0), ("B", 4.0), ("C", 2.0), ("D", 3.0))]
    many = links(*(pay(float(place), f"P{place}") for place in range(1, 11)))
    assert [source for level, source, *_ in many if level == 0].index("Others") == 8
    left_out = income_sankey(ledger_frame(*rows), most=2).attrs["left_out"]
    assert left_out == ["2 payers in Others: most=4"]
    assert links(*rows, most=2) == [
        (0, "B", "Income", 4.0), (0, "D", "Income", 3.0),
        (0, "Others", "Income", 3.0), (1, "Income", "Left over", 10.0),
    ]  # fmt: skip


def test_two_categories_with_the_same_name_are_two_links() -> None:
    rows = (row("2026-05-02", -5.0, "food"), row("2026-05-02", -3.0, "office food"))
    assert [link for link in links(pay(8.0), *rows) if link[0] == 2] == [
        (2, "Daily", "Food", 5.0), (2, "Office", "Food", 3.0),
    ]  # fmt: skip


def test_uncategorized_transactions_are_spending() -> None:
    found = links(pay(8.0), row("2026-05-02", -5.0))
    assert (1, "Income", "Uncategorized", 5.0) in found
    assert [link for link in found if link[0] == 2] == []


def test_transfers_to_tracking_accounts_can_be_left_out() -> None:
    rows = moved("2026-05-02", 5.0, "checking", "fund", "invest")
    assert (2, "Later", "Investing", 5.0) in links(pay(8.0), *rows)
    assert links(pay(8.0), *rows, transfers="none") == [
        (0, "Market", "Income", 8.0), (1, "Income", "Left over", 8.0),
    ]  # fmt: skip


def test_rows_on_the_days_of_since_and_until_count() -> None:
    rows = [pay(float(2**place), day=f"2026-05-0{place + 1}") for place in range(4)]
    assert links(*rows, since="2026-05-02", until="2026-05-03")[0] == (0, "Market", "Income", 6.0)


# Properties for random rows

ledgers = st.lists(
    st.builds(
        lambda amount, key, at, payee: row(
            "2026-05-01", amount / 1000, key, at, payee_id=payee, payee_name=payee
        ),
        st.integers(-(10**6), 10**6),
        st.sampled_from(["ready", "food", "fun", "office food", "rent", "none", None]),
        st.sampled_from(["checking", "visa", "fund"]),
        st.sampled_from(["Market", "Daily", "Income", "Left over", "Others", None]),
    ),
    max_size=12,
)


@settings(max_examples=settings().max_examples // 6, deadline=None)
@given(ledgers)
def test_inflow_equals_outflow_at_every_node_of_the_diagram(rows: list[Json]) -> None:
    report = income_sankey(ledger_frame(*rows, pay(1.0, "Somebody")))
    if len(report):
        assert_picture_balanced(report)


# The diagram


def assert_picture_balanced(report: Report) -> None:
    shown = report.plot().figure.data[0]
    into: Counter[int] = Counter()
    out: Counter[int] = Counter()
    for source, target, amount in zip(
        shown.link.source, shown.link.target, milliunits(report["amount"]), strict=True
    ):
        out[source] += amount
        into[target] += amount
    inner = into.keys() & out.keys()
    assert {node: into[node] for node in inner} == {node: out[node] for node in inner}


def named(report: Report) -> list[str]:
    return list(report.plot().figure.data[0].node.label)


CLASH = (
    ("Internal Master Category", "ready", "Inflow: Ready to Assign"), ("Market", "a", "Market"),
    ("Left over", "b", "Income"), ("Income", "c", "Left over"),
)  # fmt: skip


def clashing() -> Report:
    """Payers, groups and categories with the same names."""
    rows = (pay(100.0), pay(-1.0, "Left over"), pay(9.0, "Income"))
    spent = [row("2026-05-02", -5.0, key) for key in "abc"]
    return income_sankey(ledger_frame(*rows, *spent, categories=CLASH))


def test_equal_names_are_separate_nodes() -> None:
    # Two payers, the income, three groups, what is left over or taken, three categories.
    assert Counter(named(clashing())) == {"Market": 3, "Income": 4, "Left over": 3}


def test_each_link_states_its_amount_in_the_format_of_the_budget() -> None:
    frame = ledger_frame(pay(1234.5))
    frame.attrs["currency_format"] = EURO
    shown = income_sankey(frame).plot().figure.data[0]
    assert list(shown.link.customdata) == ["1.234,50 €", "1.234,50 €"]


def test_names_are_escaped_in_the_diagram() -> None:
    assert named(income_sankey(ledger_frame(pay(1.0, None))))[0] == "(none)"
    assert named(income_sankey(ledger_frame(pay(1.0, "<b>&amp;<script>alert(1)</script>"))))[0] == (
        "&lt;b&gt;&amp;amp;&lt;script&gt;alert(1)&lt;/script&gt;"
    )


@pytest.mark.parametrize(("theme", "paper"), [("light", "#ffffff"), ("dark", "#16181c")])
def test_the_diagram_has_the_background_of_its_theme(theme: str, paper: str) -> None:
    diagram = income_sankey(ledger_frame(pay(1.0))).plot(theme=theme)
    assert diagram.figure.layout.paper_bgcolor == paper


def test_without_a_theme_the_diagram_has_the_colours_of_the_page() -> None:
    text = income_sankey(ledger_frame(pay(1.0))).plot()._repr_html_()
    styles = "".join(re.findall(r"<style>(.*?)</style>", text))
    assert (
        ".budgetframe-plot .node-label,.budgetframe-plot .gtitle{fill:currentColor!important;"
        in styles
    )
    assert (
        '.budgetframe-plot [style*="fill: rgb(0, 114, 178)"]'
        "{fill:var(--bf-0072b2,#0072b2)!important}" in styles
    )
    assert "--bf-0072b2:rgb(from currentColor calc(0 + 86*var(--bf-dark)) " in styles
    assert '<div class="budgetframe-plot"><div' in text
    assert '"paper_bgcolor":"rgba(0,0,0,0)"' in text


@pytest.mark.parametrize(("theme", "count"), [(None, 1), ("light", 0), ("dark", 0)])
def test_the_page_of_a_diagram_has_a_theme(theme: str | None, count: int, tmp_path: Path) -> None:
    page = tmp_path / "flow.html"
    income_sankey(ledger_frame(pay(1.0))).plot(theme=theme).write_html(page)
    start = page.read_text(encoding="utf-8")[:400]
    assert start.count('<meta name="color-scheme" content="light dark">') == count
    assert ("--bf-dark" in start) is bool(count)


def test_without_trust_a_notebook_shows_a_hint_instead_of_the_diagram() -> None:
    text = income_sankey(ledger_frame(pay(1.0))).plot()._repr_html_()
    assert text.startswith(
        "<style>.budgetframe-plot-hint{display:none}</style>"
        '<p class="budgetframe-plot-hint">Run this cell, or trust the notebook, to see the diagram.'
    )


def test_drawing_the_diagram_on_axes_raises_an_error() -> None:
    report, ax = income_sankey(ledger_frame(pay(1.0))), Figure().subplots()
    with pytest.raises(ToolError, match="ax: plotly cannot draw on axes of matplotlib"):
        report.plot(ax=ax)


class Loaded(HTMLParser):
    """The addresses from which a page would load files."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {value}" for name, value in attrs if name in {"src", "href", "data"}]


def test_a_still_picture_has_the_amounts_of_all_nodes_and_links() -> None:
    rows = pay(100.0), row("2026-05-02", -60.0, "rent"), row("2026-05-03", -30.0, "food")
    report = income_sankey(ledger_frame(*rows, row("2026-05-04", -40.0, "fun")))
    still = report.report_type.still  # type: ignore[union-attr]
    assert still is not None
    ax = still(pd.DataFrame(report), report.attrs, PlotOptions())
    assert sorted(text.get_text() for text in ax.texts) == [
        "Daily  70.00", "Food  30.00", "From before  30.00", "Fun  40.00", "Home  60.00",
        "Income  130.00", "Market  100.00", "Rent  60.00",
    ]  # fmt: skip
    nodes, links_of = ax.collections[:8], ax.collections[8:]
    spans = [each.get_paths()[0].get_extents() for each in nodes]
    assert [round(50 * each.height) for each in spans] == [100, 30, 130, 70, 60, 40, 30, 60]
    leaving = [each.get_paths()[0].vertices for each in links_of[2:4]]  # of the income
    at_start = [y for points in leaving for x, y in points if x == points[:, 0].min()]
    assert max(at_start) == pytest.approx(spans[2].ymax)
    assert min(at_start) == pytest.approx(spans[2].ymin)


def test_a_still_picture_for_a_phone_has_bars_of_what_the_money_was_used_for() -> None:
    report = income_sankey(ledger_frame(pay(100.0), row("2026-05-02", -60.0, "rent")))
    still: Any = report.report_type.still  # type: ignore[union-attr]
    ax = still(pd.DataFrame(report), report.attrs, PlotOptions(for_phone=True))
    assert [text.get_text() for text in ax.texts] == ["Left over", "40.00", "Home", "60.00"]
    assert len(ax.patches) == 2


def test_the_page_contains_the_library_and_loads_nothing(tmp_path: Path) -> None:
    page = tmp_path / "flow.html"
    income_sankey(ledger_frame(pay(1.0, "München"))).plot().write_html(page)
    text, loaded = page.read_text(encoding="utf-8"), Loaded()
    loaded.feed(text)
    assert loaded.found == []
    assert 3_000_000 < len(text) < 7_000_000
    assert "Plotly.newPlot(" in text
    assert "<html>" in text[:100]
    shown = income_sankey(ledger_frame(pay(1.0))).plot()._repr_html_()
    assert len(shown) > 3_000_000
    assert "<html" not in shown[:1000]
