"""The display of a frame: each row on one line; and when a frame has this display."""

import copy
import io
import json
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from inspect import getmembers, isfunction, signature
from textwrap import dedent
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame
from budgetframe.frames import TABLES
from budgetframe.frames.display import layout_of, one_line_html, one_line_text
from tests.facade.scripts import run_script


@pytest.fixture(scope="module")
def bf() -> BudgetFrame:
    return BudgetFrame.sandbox()


@pytest.fixture
def display() -> Iterator[Callable[..., None]]:
    """A function that sets an option of pandas; the old values come back after the test."""
    names = ("width", "max_rows", "min_rows", "max_columns", "notebook_repr_html")
    before = [part for name in names for part in (name, pd.get_option(f"display.{name}"))]
    yield lambda name, value: pd.set_option(f"display.{name}", value)
    for name, value in zip(before[::2], before[1::2], strict=True):
        pd.set_option(f"display.{name}", value)


def moves(count: int = 3, **columns: Any) -> pd.DataFrame:
    """Subtransactions, with other values in some columns."""
    values: dict[str, Any] = {
        "date": pd.to_datetime("2026-05-01"),
        "account_name": "Checking", "payee_name": "Market", "category_name": "Food", "memo": None,
        "amount": -1234.5, "subtransaction_id": "s1", "transaction_id": "t1",
    }  # fmt: skip
    frame = pd.DataFrame({**values, **columns}, index=range(count))
    frame.attrs |= {"budget": "Household", "currency_format": {"decimal_digits": 2}}
    return frame


def text_of(frame: pd.DataFrame) -> str:
    """The text that IPython shows; empty if pandas writes it."""
    layout = layout_of(frame)
    return (layout and one_line_text(frame, layout)) or ""


def html_of(frame: pd.DataFrame) -> str:
    """The HTML that a notebook shows; empty if pandas writes it."""
    layout = layout_of(frame)
    return (layout and one_line_html(frame, layout)) or ""


# What is shown


def test_a_frame_shows_the_columns_that_people_read_on_one_line() -> None:
    long = "Inflow: a category with a name that does not end so soon"
    frame = moves(
        memo=[None, "a\nb\t\x1b[31m", "x" * 60], category_name=["Food", long, "旅行"],
        amount=[-1234.5, None, 0.005],
    )  # fmt: skip
    *lines, last = text_of(frame).splitlines()
    expected = [
        ("date", "2026-05-01", "2026-05-01", "2026-05-01"),
        ("account_name", "Checking", "Checking", "Checking"),
        ("payee_name", "Market", "Market", "Market"),
        ("category_name", "Food", "Inflow: a category with a name th…", "旅行"),
        ("memo", "", r"a\nb\t\x1b[31m", "x" * 33 + "…"),
        ("amount", "-1,234.50", "", "0.01"),
    ]
    widths = [12, 13, 11, 36, 36, 11]  # with two spaces, or one if the name is the widest text
    for number, line in enumerate(lines):
        texts = [each[number].rjust(width) for each, width in zip(expected, widths, strict=True)]
        wide = "".join(texts).replace("  旅行", "旅行")  # a letter as wide as two others
        assert line == ("" if number else " ") + (str(number - 1) if number else "") + wide
    assert last == "3 rows × 8 columns; not shown: subtransaction_id, transaction_id"


def test_the_most_important_columns_are_shown(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    for name, columns in {
        "ledger": "date account_name payee_name category_name amount cleared approved",
        "accounts": "account_name account_type balance on_budget closed",
    }.items():
        with subtests.test(name=name):
            frame = getattr(bf, name)()
            text, html = text_of(frame).splitlines()[0].split(), html_of(frame)
            assert set(columns.split()) <= set(text)
            assert all(f"<th>{column}</th>" in html for column in columns.split())


@pytest.mark.parametrize(("digits", "expected"), [
    (0, "-1,235"), (2, "-1,234.50"), (3, "-1,234.500"), (None, "-1,234.50"),
])  # fmt: skip
def test_amounts_have_the_decimals_of_the_currency(digits: int | None, expected: str) -> None:
    frame = moves()
    frame.attrs["currency_format"] = {"decimal_digits": digits}
    assert f" {expected}\n" in text_of(frame)
    assert f"<td>{expected}</td>" in html_of(frame)


def test_amounts_are_written_in_the_format_of_the_budget(bf: BudgetFrame) -> None:
    rent = bf.ledger()
    rent = rent[rent["payee_name"] == "Linden Housing"].tail(1)
    assert " -1.294,90 € " in text_of(rent)
    assert "<td>-1.294,90 €</td>" in html_of(rent)
    assert rent["amount"].tolist() == [-1294.9]
    assert "¥" in text_of(BudgetFrame.sandbox(budget="東京の家計").accounts())


def test_shares_are_shown_as_per_cent_and_stay_fractions(bf: BudgetFrame) -> None:
    months = bf.reports.income_expense().head(1)
    assert " 10,7% " in repr(months)
    assert "<td>10,7%</td>" in str(months._repr_html_())
    assert round(months["savings_rate"].tolist()[0], 4) == 0.1068


def test_columns_that_are_zero_in_every_row_are_named_and_not_shown(bf: BudgetFrame) -> None:
    worth = bf.reports.net_worth().head(2)
    header, *_, last = repr(worth).splitlines()
    assert header.split() == ["date", "assets", "debts", "net", "change"]
    assert last == "2 rows × 8 columns; zero in every row: interest, escrow, unexplained"
    assert worth["interest"].tolist() == [0.0, 0.0]
    worth.loc[1, "escrow"] = -0.5
    header, *_, last = repr(worth).splitlines()
    assert header.split() == ["date", "assets", "debts", "net", "change", "escrow"]
    assert last == "2 rows × 8 columns; zero in every row: interest, unexplained"
    assert "escrow" in repr(bf.reports.net_worth().head(0))


def test_a_notebook_shows_what_recurring_payments_cost_in_a_year(bf: BudgetFrame) -> None:
    shown = re.findall(r"<th>([a-z_]+)</th>", bf.reports.recurring()._repr_html_() or "")
    assert shown[4:] == ["yearly_cost", "next_date", "kind", "change_rate"]


@pytest.mark.parametrize("width", [80, 100, 200])
def test_columns_that_are_always_shown_are_in_a_line_of_any_width(
    bf: BudgetFrame, display: Callable[..., None], width: int
) -> None:
    display("width", width)
    assert "kind" in repr(bf.reports.recurring()).splitlines()[0].split()
    suggested = bf.reports.suggestions()
    assert suggested["category_name"].isna().all()
    assert "category_name" in repr(suggested).splitlines()[0].split()


def test_the_column_after_the_first_eight_is_shown_if_there_is_room(bf: BudgetFrame) -> None:
    assert "owed" in repr(bf.reports.loans()).splitlines()[0].split()


def test_columns_without_any_value_are_not_shown_but_named() -> None:
    frame = moves(payee_name=None)
    assert text_of(frame).endswith(
        "\n3 rows × 8 columns; not shown: payee_name, memo, subtransaction_id, transaction_id"
    )
    # A column whose only value is in a row that is not shown stays.
    late = moves(200, memo=[None] * 100 + ["late"] + [None] * 99)
    assert "memo" in text_of(late).splitlines()[0]


def test_an_empty_frame_shows_the_names_of_its_columns(bf: BudgetFrame) -> None:
    empty = bf.payees().head(0)
    header, *_, last = text_of(empty).splitlines()
    assert "payee_name" in header
    assert last == "0 rows × 3 columns; not shown: payee_id, transfer_account_id"
    html = html_of(empty)
    assert "<th>payee_name</th>" in html
    assert last in html
    assert "date  account_name" in text_of(bf.transactions().head(0)).splitlines()[0]


def test_columns_that_are_no_keys_are_named_as_far_as_they_fit(
    display: Callable[..., None], subtests: pytest.Subtests
) -> None:
    frame = moves(payee_name=None, category_name=None)
    for width, expected in [
        (119, "payee_name, category_name, memo, subtransaction_id, transaction_id"),
        (73, "payee_name, category_name, memo and 2 keys"),
        (72, "payee_name, 2 more and 2 keys"),
        (59, "3 more and 2 keys"),
    ]:
        with subtests.test(width=width):
            display("width", width)
            last = text_of(frame).splitlines()[-1]
            assert last == f"3 rows × 8 columns; not shown: {expected}"
    every = "payee_name, category_name, memo, subtransaction_id, transaction_id"
    assert f"title='3 rows × 8 columns; not shown: {every}'" in html_of(frame)


def test_combining_letters_have_no_width() -> None:
    accents = "e\u0301" * 40
    assert f" {accents} " in text_of(moves(memo=accents))


def test_text_from_the_service_is_escaped() -> None:
    frame = moves(payee_name="<script>\x07\u202e&", memo="$1 and $2")
    html = html_of(frame)
    assert "&lt;script&gt;\\x07\\u202e&amp;" in html
    assert "<script>" not in html
    assert "tex2jax_ignore" in html  # two dollar signs are not a formula
    assert "<script>\\x07\\u202e&" in text_of(frame)


def test_only_the_rows_that_are_shown_are_formatted() -> None:
    written = []

    class Memo:
        def __str__(self) -> str:
            written.append(self)
            return "memo"

    frame = moves(100_000, memo=[Memo()] * 100_000)
    text_of(frame)
    html_of(frame)
    assert 0 < len(written) <= 2 * 2 * 10


# Options


def test_the_width_is_that_of_the_option_or_of_the_terminal(
    display: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    frame = moves(memo="m" * 40, payee_name="p" * 40)
    assert max(map(len, text_of(frame).splitlines())) == 120
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    assert max(map(len, text_of(frame).splitlines())) == 80
    display("width", 75)
    lines = text_of(frame).splitlines()
    assert max(map(len, lines)) <= 75
    assert lines[0].split() == ["date", "account_name", "payee_name", "category_name", "amount"]


def test_the_numbers_of_rows_are_those_of_the_options(display: Callable[..., None]) -> None:
    frame = moves(100)
    assert len(text_of(frame).splitlines()) == 13
    display("min_rows", 4)
    assert len(text_of(frame).splitlines()) == 7
    assert html_of(frame).count("<tr") == 6
    display("max_rows", None)
    assert len(text_of(frame).splitlines()) == 102


def test_pandas_displays_all_columns_if_the_user_wants_them(display: Callable[..., None]) -> None:
    frame = moves()
    for value in (None, 50):
        display("max_columns", value)
        assert text_of(frame) == ""
        assert html_of(frame) == ""
    display("max_columns", 0)
    display("notebook_repr_html", value=False)
    assert html_of(frame) == ""


# The same frame as before


def test_a_frame_is_an_ordinary_one(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    frame = bf.transactions()
    plain = pd.DataFrame(frame)
    pd.testing.assert_frame_equal(frame, plain)
    pd.testing.assert_frame_equal(plain, frame)
    assert frame.compare(plain).empty
    assert plain.compare(frame).empty
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        with subtests.test(protocol=protocol):
            pickled = pickle.dumps(frame, protocol)
            assert b"budgetframe" not in pickled  # it can be read without this package
            assert pickle.loads(pickled).attrs == frame.attrs  # noqa: S301


def test_python_prints_frames_of_a_budget_alike_and_others_as_before(bf: BudgetFrame) -> None:
    rows = bf.payees().head(1)
    shown = "       payee_name\n0  Adler Pharmacy\n1 row × 3 columns; not shown: "
    assert str(rows) == repr(rows) == f"{shown}payee_id, transfer_account_id"
    assert str(pd.DataFrame(rows)[["payee_name"]]) == "       payee_name\n0  Adler Pharmacy"


# IPython


def in_ipython(program: str, before: str = "") -> Any:
    """What a program prints in IPython as JSON; `before` runs before IPython is imported."""
    shell = """
        import json
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        html = shell.display_formatter.formatters["text/html"]
        text = shell.display_formatter.formatters["text/plain"]
        import pandas as pd
    """
    return json.loads(run_script(dedent(before) + dedent(shell) + dedent(program)).out)


class Foreign(pd.DataFrame):
    """A class of another package, with a name that this one uses too."""

    _layout = "grid"


@pytest.mark.parametrize("frame", [
    Foreign({"amount": [1.5]}),
    pd.DataFrame({"date": [1], "amount": [2j]}).assign(account_name="a", payee_name="b"),
    pd.DataFrame({"date": [1]}).assign(extra=2),
], ids=["subclass", "complex", "extra"])  # fmt: skip
def test_every_frame_is_shown(frame: pd.DataFrame) -> None:
    expected = frame.to_string(show_dimensions=False)
    frame.attrs |= {"as_of": "2026-06-17T00:00:00+00:00", "extra": 5}
    assert repr(frame) == expected
    assert "<td>" in frame._repr_html_()  # type: ignore[operator]  # not in pandas-stubs


@pytest.mark.usefixtures("hasty_threads")
def test_frames_that_threads_show_leave_the_options_of_pandas_alone(bf: BudgetFrame) -> None:
    frames = [bf.accounts() for _ in range(3)]
    names = ("display.unicode.east_asian_width", "display.html.use_mathjax")
    before = [pd.get_option(name) for name in names]

    def show(frame: pd.DataFrame) -> None:
        for _ in range(20):
            repr(frame), frame._repr_html_()  # type: ignore[operator]  # not in pandas-stubs

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(show, frames))
    assert [pd.get_option(name) for name in names] == before


@pytest.mark.slow  # it starts IPython
def test_ipython_shows_frames_of_a_budget_on_one_line_and_others_as_before() -> None:
    program = """
        class Own(pd.DataFrame):
            def _repr_html_(self): return "own html"
            def _repr_pretty_(self, printer, cycle): printer.text("own text")
        rows, other = bf.payees().head(2), pd.DataFrame({"a": [1, 2]})
        shell.run_line_magic("reset", "-f")
        print(json.dumps({
            "text": text(rows), "html": html(rows),
            "list": text([other, rows]),
            "other text": text(other), "other html": html(other) == other._repr_html_(),
            "subclass": [text(Own(rows)), html(Own(rows))],
            "report": html(bf.reports.net_worth()).count("how it is counted"),
        }))
    """
    connected = "from budgetframe import BudgetFrame; bf = BudgetFrame.sandbox()"
    shown = in_ipython(program, connected)
    lines = [
        "       payee_name", "0  Adler Pharmacy", "1   Anchor Mutual",
        "2 rows × 3 columns; not shown: payee_id, transfer_account_id",
    ]  # fmt: skip
    assert shown["text"].splitlines() == lines
    assert shown["html"].startswith("<style>table.budgetframe td")
    assert shown["list"].splitlines() == [
        *("[   a", " 0  1", " 1  2,"), *(f" {line}" for line in lines[:-1]), f" {lines[-1]}]",
    ]  # fmt: skip
    assert shown["other text"] == "   a\n0  1\n1  2"
    assert shown["other html"] is True
    assert shown["subclass"] == ["own text", "own html"]
    assert shown["report"] == 1


@pytest.mark.slow  # it starts IPython
def test_a_formatter_of_the_user_stays() -> None:
    program = """
        html.for_type(pd.DataFrame, lambda frame: "own html")
        from budgetframe import BudgetFrame
        rows = BudgetFrame.sandbox().payees()
        text.for_type(pd.DataFrame, lambda frame, printer, cycle: printer.text("own text"))
        print(json.dumps([html(rows), text(rows)]))
    """
    assert in_ipython(program) == ["own html", "own text"]


# Which frames are shown like this


def test_rows_of_a_frame_are_shown_like_it(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    rows = bf.transactions()
    for name, found in {
        "head": rows.head(3), "mask": rows[rows["approved"]], "sorted": rows.sort_values("amount"),
        "copy": rows.copy(), "copy.copy": copy.copy(rows), "copy.deepcopy": copy.deepcopy(rows),
        "without a key": rows.drop(columns="import_id"),
        "without the memo": rows.drop(columns="memo"),
        "with a key as index": rows.set_index("transaction_id"),
        "first of a group": rows.groupby("payee_name").head(1), "concat": pd.concat([rows, rows]),
        "milliunits": bf.transactions(money="milliunits"),
        "decimal": bf.transactions(money="decimal"),
        "with deleted rows": bf.transactions(include_deleted=True),
        "with extra fields": bf.transactions(extra=True),
        "rows with extra fields": bf.transactions(extra=True).head(3),
        "export": bf.export()["transactions"],
    }.items():  # fmt: skip
        with subtests.test(name=name):
            assert type(found) is pd.DataFrame
            assert found.attrs["budget"] == "Household"
            assert "rows × " in text_of(found)


def test_every_row_of_every_frame_is_one_line_of_at_most_120_characters(
    bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    rows, month = bf.transactions(), "2026-05"
    account, category, payee = rows[["account_id", "category_id", "payee_id"]].dropna().iloc[0]
    new = BudgetFrame.sandbox()  # for the writes
    row = {"account_id": account, "amount": -1.0}
    schedule = row | {"date_next": "2026-12-01", "frequency": "monthly"}
    created = new.create_transactions([row | {"date": "2026-06-01"}])
    planned = new.create_scheduled_transactions([schedule])
    written = {
        "create_transactions": created,
        "create_scheduled_transactions": planned,
        "update_transactions": new.update_transactions(created[["transaction_id", "memo"]]),
        "update_scheduled_transactions": new.update_scheduled_transactions(
            planned[["scheduled_transaction_id", "memo"]]
        ),
        "delete_transactions": new.delete_transactions(created),
        "delete_scheduled_transactions": new.delete_scheduled_transactions(planned),
        "import_linked": new.import_linked(),
        "move": new.move(month, from_=new.categories()["category_id"][0], to=category, amount=0.01),
    }
    keys = {
        "transactions_of_account": account, "transactions_of_category": category,
        "transactions_of_payee": payee, "transactions_of_month": month, "month": month,
    }  # fmt: skip
    names = [
        name
        for name, method in getmembers(BudgetFrame, isfunction)
        if method.__annotations__.get("return") == "pd.DataFrame"
    ]
    assert {"accounts", "ledger"} <= {*names}
    for name in sorted(names):
        method = getattr(bf, name)
        can_have_extra = "extra" in signature(method).parameters
        for extra in (False, True)[: 1 + can_have_extra]:
            with subtests.test(name=name, extra=extra):
                given = {"extra": True} if extra else {}
                of = [keys[name]] if name in keys else []
                found = written[name] if name in written else method(*of, **given)
                assert type(found) is pd.DataFrame
                lines = text_of(found).splitlines()
                shown = len(found) if len(found) <= 60 else 11  # with the row of dots
                assert len(lines) == shown + 2  # with the names and the last line
                assert max(map(len, lines)) <= 120
                assert lines[-1].startswith(f"{len(found):,} row")
                assert "_id" not in lines[0]
    assert all(map(text_of, bf.export().values()))


def test_fields_without_a_column_are_kept_and_named_below_it(subtests: pytest.Subtests) -> None:
    movement = {"id": "p1", "name": "Market", "deleted": False, "lists": [1, {"a": 2}]}
    for frame, extra in [
        (TABLES["payees"].frame({"payees": [movement]}, extra=True), "lists"),
        (TABLES["payees"].frame({"payees": []}, extra=True), ""),
    ]:
        with subtests.test(extra=extra):
            frame.attrs["as_of"] = "2026-06-17T12:00:00+00:00"
            assert ("lists" in frame) == bool(extra)
            assert extra in text_of(frame).splitlines()[-1]
            assert text_of(frame.assign(mine=1)) == ""
            assert "{'a': 2}" not in text_of(frame)


def test_pandas_shows_frames_with_other_columns(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    rows, accounts = bf.transactions(), bf.accounts()
    for name, found in {
        "grouped": rows.groupby("payee_name")[["amount"]].sum(),
        "pivot": rows.pivot_table(index="date", columns="account_name", values="amount"),
        "merge": rows.merge(accounts, on="account_id"), "concat": pd.concat([rows, accounts]),
        "concat of columns": pd.concat([rows, accounts], axis="columns"),
        "some columns": rows[["date", "amount"]], "assign": rows.assign(year=rows["date"].dt.year),
        "rename": rows.rename(columns={"amount": "cost"}), "set_index": rows.set_index("date"),
        "transposed": rows.T, "described": rows.describe(),
        "set_axis": rows.set_axis(range(rows.shape[1]), axis="columns"),
        "DataFrame": pd.DataFrame(rows),
    }.items():  # fmt: skip
        with subtests.test(name=name):
            assert isinstance(found, pd.DataFrame)
            assert layout_of(found) is None


# Reports


def test_a_report_and_a_reconciliation_have_the_same_display(bf: BudgetFrame) -> None:
    spent = bf.reports.spending(since="2026-05-01", until="2026-05-31").head(1)
    assert repr(spent).splitlines() == [
        ("  category_group_name category_name      period       spent  share months     average"
         " is_complete"),
        ("0                Home          Rent  2026-05-01  1.294,90 €  45,7%      1  1.294,90 €"
         "        True"),
        "1 row × 9 columns; not shown: category_id",
    ]  # fmt: skip
    html = str(spent._repr_html_())
    assert "<td>1.294,90 €</td>" in html
    assert "1 row × 9 columns; not shown: category_id" in html
    assert "spending: how it is counted" in html
    checked = bf.reconcile()
    assert "account_id" not in repr(checked).splitlines()[0]
    assert max(map(len, repr(checked).splitlines())) <= 120
    assert "<strong>agrees</strong>" in str(checked._repr_html_())


def test_the_last_line_of_a_report_names_the_options_that_show_more(bf: BudgetFrame) -> None:
    plan = bf.reports.budget_vs_actual().head(2)
    plan.attrs["left_out"] = [
        "1 <b>: include_cards=True", "2 hidden categories: include_hidden=True",
    ]  # fmt: skip
    line = "left out 1 <b>: include_cards=True; 2 hidden categories: include_hidden=True"
    assert repr(plan).splitlines()[-1] == line
    assert ">left out 1 &lt;b&gt;: include_cards=True; 2 hidden" in str(plan._repr_html_())
    assert "left out" not in repr(bf.reports.net_worth()) + str(
        bf.reports.net_worth()._repr_html_()
    )


def test_some_columns_of_a_report_are_shown_as_in_the_report(bf: BudgetFrame) -> None:
    report = bf.reports.recurring()
    some = report[["payee_name", "last_amount", "change_rate"]].head(1)
    layout = layout_of(some)
    assert layout is not None
    assert "  1.294,90 €        3,9%" in str(one_line_text(some, layout))
    assert layout_of(some.assign(mine=1.5)) is None  # a column of the user is never hidden
