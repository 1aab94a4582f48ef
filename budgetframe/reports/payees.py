"""Payees with the number and the sum of their rows, and names that are probably one merchant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from budgetframe._milliunits import MILLIUNITS
from budgetframe._resources import OWN_PAYEES
from budgetframe._runtime.text import number_of
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.builder import NOT_LISTED
from budgetframe.frames.dates import Day
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column

from ._shared.arguments import report_function
from ._shared.ledger_rows import LEDGER_COLUMNS, payee_numbers, transfer_mask
from ._shared.merchants import first_alike
from ._shared.periods import span_of
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import register
from ._shared.row_filters import RowFilters, check_known, row_filter
from ._shared.row_source import CountedRows, RowSource, budget_rows, numbered, rows_at
from ._shared.sums import required_frame

_MAX_BARS = 15
_CATEGORY = ("category_name", "category_group_name", "category_id")


@report_function
def payees(
    ledger: pd.DataFrame | ArrowTable,
    *,
    transfers: Literal["none", "all"] = "none",
    since: Day | None = None,
    until: Day | None = None,
    **filters: Unpack[RowFilters],
) -> Report:
    """Each payee with its rows, its usual category, and the name of probably the same merchant.

    The function takes ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.payees`.

    The ledger can start on any day.

    Names are compared word by word, without capitals, accents, punctuation and words with digits,
    and without the words of payment providers, legal forms, and codes of countries at the end. They
    are alike if

    - the same letters are left: ``SumUp *Blue Door`` and ``The Blue Door``;
    - a word is the beginning of the other one, or an abbreviation without vowels, and the first
      words are equal or abbreviated: ``AMZN MKTP DE*2K4`` and ``Amazon Marketplace``;
    - one name is the beginning of the other one, has four letters, is no kind of business such as
      ``Café``, and the longer one is in capitals or goes on with a word such as ``Market``. Words
      such as ``Eats`` or ``Prime`` make it another business.

    Of alike names, the one with the most rows is shown; of equal numbers, one with small letters
    and without digits.
    """
    ledger = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    span = span_of(ledger, "date", since, until)
    kept = row_filter([ledger], filters)
    label, groups = _numbered_payees(ledger)
    in_span = kept.mask(ledger) & (label >= 0)
    in_span &= False if span is None else span.holds(ledger["date"])
    is_shown = transfer_mask(ledger, transfers)
    counts = in_span & is_shown
    columns = ["date", "amount", "is_spending", "is_income", *_CATEGORY]
    rows = pd.DataFrame(numbered(ledger)[columns])
    rows = rows[counts].assign(label=label[counts])
    rows = rows.assign(milliunits=exact(rows)).sort_values("date", kind="stable")
    table = rows.groupby("label").agg(
        row_count=("date", "size"), first_date=("date", "first"), last_date=("date", "last"),
        total=("milliunits", "sum"),
    )  # fmt: skip
    table = table.join(groups).join(_usual(rows))
    table["looks_like"] = table["payee_name"].map(_looks_like(ledger))
    table = table.sort_values(["row_count", "payee_name"], ascending=[False, True], kind="stable")
    behind = CountedRows(rows, rows["label"]).behind(table.index.to_numpy())
    values: dict[str, Any] = {str(name): table[name] for name in table}
    values["total"] = currency(table["total"].to_numpy("int64"))
    return make_report(
        _PAYEES, values, of=[ledger], span=None if span is None else span.days,
        filters=kept.given or None,
        left_out={"transfers='all'": (int((in_span & ~is_shown).sum()), "transfer", "transfers")},
        rows=RowSource(ledger, ("payee_id", "payee_name"), {"total": behind, "row_count": behind}),
        rules=[
            *_RULES,
            "Transfers are left out." if transfers == "none" else _TRANSFERS_RULE,
            *kept.rules,
            "" if span is None else span.rule,
        ],
    )  # fmt: skip


_RULES = (
    "Rows of all accounts count, and parts of splits as rows of their own.",
    "Rows without a payee have no row here.",
    "The usual category is that of most of the rows that count; of equal counts, the latest one.",
    ("The name in looks_like is the most frequent one that is probably the same merchant; that"
     " one itself has none."),
    "All rows of the ledger except transfers count for looks_like, whatever the filters.",
)  # fmt: skip
_TRANSFERS_RULE = "A transfer has the other account as its payee."


def _numbered_payees(ledger: pd.DataFrame) -> tuple[Any, pd.DataFrame]:
    """The number of the payee of each row, or -1, and the name and the key of each payee."""
    label = payee_numbers(ledger)
    last = pd.Series(np.arange(len(ledger))).groupby(label).last()
    known = ledger[["payee_name", "transfer_account_name", "payee_id"]].take(last.to_numpy())
    names = known["payee_name"].fillna(known["transfer_account_name"])
    groups = pd.DataFrame({"payee_name": names, "payee_id": known["payee_id"]})
    return label, groups.set_axis(last.index, axis=0)


def _usual(rows: pd.DataFrame) -> pd.DataFrame:
    """The most frequent category of the rows of each label, of rows that are sorted by day."""
    number, _ = rows["category_id"].factorize()
    is_named = (rows["is_spending"] | rows["is_income"]).to_numpy(bool) & (number >= 0)
    is_named &= (rows["category_name"] != NOT_LISTED).to_numpy(bool)
    label, at = rows["label"].to_numpy(), np.arange(len(rows))
    known = pd.DataFrame({"label": label, "number": number, "at": at})
    counts = known[is_named].groupby(["label", "number"])["at"].agg(["size", "max"]).reset_index()
    last = counts.sort_values(["size", "max"], kind="stable").drop_duplicates("label", keep="last")
    usual = rows[[*_CATEGORY]].iloc[last["max"].to_numpy("int64")]
    return usual.set_axis(last["label"].to_numpy(), axis=0)


def _looks_like(ledger: pd.DataFrame) -> dict[str, str]:
    """The most frequent name that is alike, for each name that has one."""
    names = ledger["payee_name"][~ledger["is_transfer"].to_numpy(bool)]
    counts = names.value_counts().drop([*OWN_PAYEES, NOT_LISTED], errors="ignore")

    def order(name: str) -> tuple[Any, ...]:
        is_raw = name.isupper() or any(letter.isdigit() for letter in name)
        return -counts[name], is_raw, name

    return first_alike(sorted(counts.index, key=order))


def _renamed(report: Report, chosen: Any) -> Mapping[str, Any]:
    """The transactions of some payees, with the names that these get."""
    names = chosen if isinstance(chosen, Mapping) else _suggested(report, chosen)
    for name, other in names.items():
        if not isinstance(name, str):
            raise ToolError(f"changes: {name!r} must be the name or key of a payee of the report")
        if not isinstance(other, str) or not other.strip():
            raise ToolError(f"changes: {name!r} gets {other!r}: it must be the name of a payee")
    rows = report.rows()
    known = rows[~rows["is_transfer"].to_numpy(bool)]
    new = sorted(names.keys() - {*known["payee_id"]})
    listed = known["payee_name"].dropna().unique().tolist()
    check_known("changes", new, listed, "the report payees has no rows of {names}", ["payees"])
    edited = rows.assign(new=_new_names(rows, names)).dropna(subset="new")
    ledger = report._source.frame if report._source else rows  # noqa: SLF001 - of this package
    are_keys = {other in {*ledger["payee_id"].dropna()} for other in names.values()}
    if len(are_keys) > 1:
        raise ToolError("changes: give the new payees by their names, or all of them by their keys")
    column = "payee_id" if True in are_keys else "payee_name"
    # The ledger does not say whether a part of a split has the payee of the whole, or its own.
    columns = {"transaction_id": edited["transaction_id"], "former_payee_id": edited["payee_id"]}
    found = budget_rows({**columns, column: edited["new"]}, report)
    return {"edited": found.drop_duplicates([*columns])}


def _suggested(report: Report, chosen: Any) -> dict[str, str]:
    """The names that look like others, of the chosen rows or of all."""
    has_other = report["looks_like"].notna()
    rows = report[has_other] if chosen is None else rows_at(report, "payees", "changes", chosen)
    for name in rows.loc[rows["looks_like"].isna(), "payee_name"]:
        advice = f'pass the name that it gets, as in changes({{{name!r}: "..."}})'
        raise ToolError(f"changes: {name!r} looks like no other payee: {advice}")
    ledger = report._source.frame if report._source else report.iloc[:0]  # noqa: SLF001 - of this package
    known = ledger[ledger["payee_name"].isin(rows["looks_like"]) & ledger["payee_id"].notna()]
    keys_of = known.groupby("payee_name")["payee_id"]
    others = rows["looks_like"]
    if keys_of.nunique().gt(1).any():  # of two payees with one name, the one with most rows
        others = others.map(keys_of.agg(lambda keys: keys.mode().iloc[0]))
    keys = rows["payee_id"].where(rows["payee_id"].notna(), rows["payee_name"])
    return dict(zip(keys, others, strict=True))


def _new_names(rows: pd.DataFrame, names: Mapping[str, str]) -> pd.Series[Any]:
    """The new name of the payee of each row; missing: it keeps its payee."""
    by_key, by_name = (
        rows[name].astype(object).map(names).where(~rows["is_transfer"].to_numpy(bool))
        for name in ("payee_id", "payee_name")
    )
    return by_key.where(by_key.notna(), by_name)


def _draw_payees(frame: pd.DataFrame, canvas: Canvas) -> Any:
    totals = pd.Series(exact(frame, "total") / MILLIUNITS)
    totals = totals.set_axis(frame["payee_name"].astype(object))
    canvas.horizontal_bars(totals, max_bars=_MAX_BARS)
    alike = int(frame["looks_like"].notna().sum())
    end = f", {alike:,} like another one" if alike else ""
    title = canvas.heading("Sums by payee", frame)
    return canvas.title(f"{title}: {number_of(len(frame), 'payee')}{end}", legend=False)


_COLUMNS = (
    Column("payee_name", "str", "", "name of the payee"),
    Column("row_count", "int64", "rows", "number of rows of the ledger"),
    Column("first_date", "datetime64[us]", "", "day of the first row"),
    Column("last_date", "datetime64[us]", "", "day of the last row"),
    Column("total", "float64", CURRENCY, "sum of the rows; outflow negative"),
    Column("category_name", "str", "", "name of the usual category; missing: none"),
    Column("looks_like", "str", "", "name of probably the same merchant", display="always"),
    Column("category_group_name", "str", "", "name of the group of that category"),
    Column("payee_id", "str", "", "key of the payee"),
    Column("category_id", "str", "", "key of the usual category; missing: none"),
)
_PAYEES = register(payees, _COLUMNS, on_canvas(_draw_payees), edits=_renamed)
