"""The class of all reports: a frame with a name, the rules of its calculation, and a plot."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import pandas as pd

from budgetframe._runtime.arguments import check_choice
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe._runtime.text import number_of, visible
from budgetframe.errors import ToolError
from budgetframe.frames.display import LAYOUTS, Layout
from budgetframe.frames.schema import CURRENCY, LEVEL, Column, keys_last, with_attrs
from budgetframe.frames.tables import LEDGER
from budgetframe.reports.plotting.options import TIME_COLUMNS, PlotOptions
from budgetframe.reports.plotting.period_names import is_short

from .grouping import groups_overlap
from .picture import Picture
from .report_types import (
    Drawing,
    ReportType,
    registered_types,
    type_named,
    type_of,
    typed_values,
    types_of,
)
from .row_source import RowSource, selected_rows
from .wide import WIDE, period_columns, wide_frame, wide_layout

if TYPE_CHECKING:
    from budgetframe.reports.plotting import canvas as _matplotlib

Canvas: TypeAlias = "_matplotlib.Canvas"
"""What a report is drawn on; its module needs matplotlib, which is an extra."""

# The keys in `attrs` that a report takes over from its frames, and how to join different texts.
_ORIGIN = ("as_of", "source", "budget", "currency_format", "stale")
_SEPARATORS = {"source": " and ", "stale": "; "}
_MAX_BARS = 62  # days or weeks; more of them are drawn as a line
_NAMES = tuple(column.name for column in LEDGER)  # among them the names of groups


class Report(pd.DataFrame):
    """A DataFrame with the rules of its calculation, a plot, and the rows behind its figures.

    ``attrs["report"]`` is the name of the report, and ``attrs["rules"]`` is a list of rules, each
    a sentence. If it leaves something out that an option shows, ``attrs["left_out"]`` and the last
    line of the display say so: "3 ended series: include_ended=True". A selection of rows is still a
    report and can be drawn, and so is ``pandas.concat`` of parts of one report.

    An operation whose result lacks columns of the report, or has texts instead of its numbers or
    days, returns an ordinary DataFrame, or a report that behaves like one. The same holds for
    ``merge`` and ``join``, and for ``concat`` with another frame. ``pd.DataFrame(report)`` is an
    ordinary one.

    Parameters
    ----------
    data, *args, **kwargs
        As for a DataFrame. A frame that was a report becomes a report again if it still has its
        ``attrs``, for example after it was read from a Parquet file; it has no `rows` then.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> worth = bf.reports.net_worth()
    >>> worth.attrs["report"]
    'net_worth'
    >>> worth.attrs["rules"][0]
    'Every account of the ledger counts, including tracking accounts and closed accounts.'

    The rows of the ledger behind a figure:

    >>> spent = bf.reports.spending(freq="month", since="2026-05-01")
    >>> groceries = spent.rows(category_name="Groceries", period="2026-05")
    >>> from budgetframe.frames import totals
    >>> totals(groceries, [])["amount"].tolist()
    [-481.72]
    >>> is_shown = (spent["category_name"] == "Groceries") & (spent["period"] == "2026-05-01")
    >>> spent.loc[is_shown, "spent"].tolist()
    [481.72]
    """

    # pandas passes the attributes with these names on to the results of operations.
    _metadata: ClassVar[list[str]] = ["_source", "_prepare"]
    _source: RowSource | None = None
    _prepare: Callable[..., Any] | None = None  # `BudgetFrame.changes` of its connection

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(data, *args, **kwargs)  # type: ignore[call-arg]  # not in pandas-stubs
        if isinstance(data, pd.DataFrame) and data.attrs:  # pandas does not copy them
            self.attrs = deepcopy(data.attrs)
        if isinstance(data, Report):
            self._source, self._prepare = data._source, data._prepare  # noqa: SLF001 - of the same class

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return self._derived

    def _derived(self, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """The result of an operation."""
        frame = pd.DataFrame(*args, **kwargs)
        if type_of(frame, self.attrs) is None:
            return frame
        report = Report(frame)
        report.attrs = deepcopy(self.attrs)  # some operations of pandas do not copy them
        report._source, report._prepare = self._source, self._prepare
        return report

    def __finalize__(self, other: Any, method: str | None = None, **kwargs: Any) -> Any:
        """What pandas calls with a new frame, to copy the attributes of the frames it is made of.

        The result of ``merge`` is an ordinary frame, and also the result of ``concat``, unless all
        its frames are parts of one report.
        """
        # Only concat and merge pass another object than a frame. Its frames have another name in
        # pandas 2 than in pandas 3; a merge of pandas 2 does not name them.
        super().__finalize__(other, method=method, **kwargs)  # type: ignore[misc]
        parts: Any = ()
        if not isinstance(other, pd.DataFrame | pd.Series):
            parts = getattr(other, "input_objs", getattr(other, "objs", (None,)))
        if self.report_type is not None and all(map(self._is_of_same_report, parts)):
            return self
        plain = pd.DataFrame(self)
        return plain.__finalize__(other, method=method, **kwargs)  # type: ignore[operator]

    def _is_of_same_report(self, part: object) -> bool:
        if not isinstance(part, Report) or part.attrs != self.attrs:
            return False
        return part._source is self._source  # noqa: SLF001 - of the same class

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle, without ledger and connection: a pickle has only the data."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._metadata}

    @property
    def plot(self) -> Picture:
        """Plots: ``report.plot()`` draws the report, ``report.plot.bar()`` a plot of pandas."""
        return Picture(self)

    @property
    def report_type(self) -> ReportType | None:
        """The type of the report; None if columns of this type are missing."""
        return type_of(self, self.attrs)

    @shown_without_frames
    def rows(
        self, at: int | None = None, /, *, column: str | None = None, **values: Any
    ) -> pd.DataFrame:
        """The rows of the ledger behind rows of this report.

        The sum of ``amount`` is the value in the report; for ``spent``, ``uncategorized``,
        ``whole``, ``last_amount``, ``owed``, ``interest``, ``escrow``, and ``other`` of `loans`
        with the opposite sign, as for the spending of `income_statement`, and for `income_sankey`
        without a sign. The columns, the main one first:

        ================  ========================================================================
        report            columns
        ================  ========================================================================
        spending          ``spent``
        income_expense    ``net``, ``income``, ``spent``, ``uncategorized``, ``starting_balances``
        income_statement  ``total``, and each period: ``period="2026-05"``, or its name as `column`
        same_period       ``spent``, ``whole``
        income_sankey     ``amount``
        net_worth         ``net`` and ``assets``, ``debts``: all rows up to the day; ``change``:
                          the rows of the period
        balances          ``balance``: all rows of the account up to the day
        cards             ``spent``, ``refunded``, ``paid``, ``other``: the rows of the month;
                          ``balance``: all rows of the card up to its end
        runway            ``spent``: the rows of the window; ``balance``: all rows up to the day
        recurring         ``payments``: all rows of the series; ``last_amount``: the last payment
        loans             ``owed``: all rows of the loan up to the end of the month; ``payment``,
                          ``interest``, ``escrow``, ``other``: the rows of the month
        investments       ``value``, ``contributed``, ``gain``: all rows up to the day;
                          ``period_contributed``, ``period_gain``: the rows of the period
        independence      ``value``: all rows of the accounts up to today; ``spending``: the rows of
                          the last complete months; in the first row only
        suggestions       ``row_count``: the rows of the payee with the suggested category
        payees            ``total`` and ``row_count``: the rows of the payee
        unusual           ``amount``: the row; ``usual``: the rows that it was compared with
        duplicates        ``days``: both rows of the pair, of ``bf.transactions()``
        budget_vs_actual  ``assigned``, ``spent``: rows of ``bf.month_categories()``, whose columns
                          are ``budgeted`` and ``activity``
        ================  ========================================================================

        Interest and escrow of loans that no transaction records are part of balances, but have no
        rows, and neither do projected months. The rows of an account in another currency are not
        converted. Other reports have no rows of the ledger behind them.

        Parameters
        ----------
        at : int, optional
            Position of a row in this report as it is now, for example after it was sorted or
            filtered. Negative positions count from the end.
        column : str, optional
            The column of sums whose rows are returned; by default the main column of the report.
        **values
            Values of columns of this report, as in ``rows(category_name="Groceries",
            period="2026-05")``. A day is ``"2026-05-17"`` or an object with a date; ``"2026-05"``
            and ``"2026"`` are all days of the month or year. The period of a quarter is its first
            day. None is a missing value. If several rows have these values, the rows behind them
            are joined; a row of the ledger counts once.

        Returns
        -------
        DataFrame
            Rows of the ledger as it was when the report was calculated, with all its columns, its
            index, its order and its ``attrs``. Without a position and values, the rows behind all
            rows of the report.

        Raises
        ------
        ToolError
            When no row of the report has this position or these values, the column is not a sum of
            rows, or the report has no rows behind it; also after the report was read from a file
            or a pickle, which do not contain the ledger.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> months = bf.reports.income_expense()
        >>> months.rows(-1, column="income")["category_name"].unique().tolist()
        ['Inflow: Ready to Assign']
        """
        kind = self.report_type
        if kind is None:
            advice = "use the report as it was calculated"
            raise ToolError(f"rows: this frame lacks columns of the report that it was; {advice}")
        if kind.no_rows:
            raise ToolError(f"{kind.name} has no rows of the ledger behind it: {kind.no_rows}")
        if self._source is None:
            reason = "because files and pickles do not contain it: calculate the report again"
            raise ToolError(f"the report {kind.name} does not know its ledger any more, {reason}")
        if WIDE in self.attrs and column is None:
            column = values.pop("period", None)
        chosen = selected_rows(pd.DataFrame(self), kind.name, at, values)
        return self._source.rows(chosen, column)

    @shown_without_frames
    def changes(
        self, chosen: Any = None, *, splits: Literal["error", "skip", "replace"] = "error"
    ) -> Any:
        """What chosen rows of a report change in the budget; nothing is written.

        ============  ==========================================================================
        report        changes
        ============  ==========================================================================
        suggestions   rows get the suggested category; by default all that have one
        duplicates    of the chosen pairs, one row is deleted, with the other side of a transfer;
                      it is a conflict if the other row has another payment or is deleted by then
        payees        rows get the payee in ``looks_like``, or that of a mapping: ``{"AMZN MKTP
                      DE*2K4": "Amazon Marketplace"}``. A split gets it as a whole. Parts with a
                      payee of their own are in ``skipped``
        ============  ==========================================================================

        Parameters
        ----------
        chosen : int, sequence of int, or mapping, optional
            Positions of rows in this report as it is now, for example after it was filtered;
            negative ones count from the end. For `payees` also the new name by name or key of a
            payee. By default all rows for which the report knows a change; of `duplicates`, pairs
            must be chosen.
        splits : {"error", "skip", "replace"}
            As for `BudgetFrame.changes`: what happens to rows that are parts of splits.

        Returns
        -------
        Changes
            As `BudgetFrame.changes` returns them; of a report of ``bf.aio``, to be awaited.

        Raises
        ------
        ToolError
            When the report leads to no change, the report was not calculated by ``bf.reports``, or
            a chosen row or payee does not exist; the message names the closest payees.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bought = {"account_name": "Checking", "date": "2026-06-16", "amount": -18.4}
        >>> row = bf.create_transactions([bought | {"payee_name": "Haus & Hof"}])
        >>> changes = bf.reports.suggestions().changes(-1)
        >>> changes.frame[["payee_name", "field", "after"]]
           payee_name          field            after
        0  Haus & Hof  category_name  Household Goods
        """
        kind = self.report_type
        if kind is None or kind.edits is None:
            able = [each.name for each in registered_types() if each.edits]
            name = "this frame" if kind is None else kind.name
            names = ", ".join(able)
            raise ToolError(f"changes: {name} leads to no change; the reports that do: {names}")
        if self._prepare is None:
            raise ToolError(
                f"changes: this report has no connection to a budget, because it was calculated"
                f" from frames or read from a file; calculate it with bf.reports.{kind.name}()"
            )
        return self._prepare(**kind.edits(self, chosen), splits=splits)

    @shown_without_frames
    def compare(self, other: Any = None, *args: Any, **options: Any) -> pd.DataFrame:  # type: ignore[override]
        """A `forecast` or `loans` beside what it would be without; with `other`, as in pandas.

        Parameters
        ----------
        other, *args, **options
            As for a DataFrame, to compare the cells of two frames; by default none.

        Returns
        -------
        DataFrame
            Of a `forecast` with events or ends, one row for each account with a difference:
            ``account_name``, ``account_id``, the ``lowest`` balance, its day ``lowest_date``, the
            first day ``below_zero_on`` (missing: none) and the ``balance`` of the last day, these
            four also of the ``baseline``, and the ``difference`` on the last day. Of `loans` with
            ``extra`` or ``order``, one row for each loan with a debt, and ``Total``:
            ``account_name``, ``account_id``, the months ``paid_off_on`` and
            ``paid_off_on_without`` (each loan alone; missing: never), ``months_saved`` (Int64),
            ``interest`` that is left, and ``interest_saved``. Names are str, amounts float64 in
            currency units, days datetime64[us], also without rows.

        Raises
        ------
        ToolError
            When the report is another one, or a forecast or loans without anything to compare.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> car = {"date": "2026-07-01", "account_name": "Checking", "amount": -9000}
        >>> found = bf.reports.forecast(typical=6, events=[car]).compare()
        >>> found[["account_name", "lowest", "baseline_lowest", "below_zero_on"]]
          account_name  lowest  baseline_lowest below_zero_on
        0     Checking -2779.0           6221.0    2026-07-01
        """
        if other is not None:
            return super().compare(other, *args, **options)
        kind = self.report_type
        if kind is None or kind.compared is None:
            raise ToolError("compare: only forecast and loans compare; pass another frame")
        compared, units = kind.compared
        return with_attrs(compared(pd.DataFrame(self))[[*units]], {**self.attrs, "report": None})

    @shown_without_frames
    def wide(
        self,
        values: str | None = None,
        *,
        columns: Literal["period", "group"] = "period",
        total: bool = False,
        index: bool = False,
    ) -> pd.DataFrame:
        """One row for each group, with the periods as columns: `spending`, `balances`, and others.

        The names of the periods are ``2026-05-17``, ``2026-05``, ``2026-Q2`` or ``2026``, as the
        report's ``freq`` is; with ``freq="all"``, the only column has the name of `values`. With
        ``columns="group"``, there is one row for each period, with the groups as columns.

        Parameters
        ----------
        values : str, optional
            The column with the amounts: by default ``spent`` of `spending`, ``balance`` of
            `balances`, and ``spent`` of `budget_vs_actual`, which also has ``assigned``,
            ``available``, ``difference``, ``target``, ``under_funded`` and ``activity``.
        columns : {"period", "group"}
            What the columns are. A group has its name; if two groups have the same one, all have
            their full names, as in ``Home: Insurance``. A group named ``period``, ``date``,
            ``month`` or ``Total`` has a number, as in ``Total (2)``.
        total : bool
            Whether to add the sum of all groups: a last row whose first name is ``Total``, or with
            ``columns="group"`` a last column ``Total``.
        index : bool
            Whether the period is the index instead of a column, with ``columns="group"``. Then
            ``.rolling(12).mean()`` works, which raises an error for a column of days.

        Returns
        -------
        DataFrame
            The names of the group, a float64 column in currency units for each period, and the keys
            of the group, in the order of the report. A group that a period does not have is missing
            in it. With ``columns="group"``, the day of the report (``period`` or ``date``), and a
            column for each group.

        Raises
        ------
        ToolError
            When the report has no groups, `values` is no column of amounts, the report has
            repeated rows, `total` would count rows with two hashtags twice, or `index` is used
            without ``columns="group"``.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> spent = bf.reports.spending("group", freq="month", since="2026-04", until="2026-05")
        >>> spent.wide(total=True)[["category_group_name", "2026-04", "2026-05"]].tail(1)
          category_group_name     2026-04     2026-05
        6               Total  3.045,20 €  2.836,27 €
        1 row × 3 columns

        The balances at the ends of months, with the accounts as columns:

        >>> ends = bf.reports.balances(since="2026-04", until="2026-05").wide(columns="group")
        >>> ends[["Checking", "Savings"]].values.tolist()
        [[6809.1, 18500.0], [6898.58, 18800.0]]

        The mean of the last twelve months:

        >>> months = bf.reports.spending("group", freq="month")
        >>> means = months.wide(columns="group", index=True).rolling(12).mean().round(2)
        >>> means["Home"].tail(2).tolist()
        [1399.05, 1403.38]
        """
        kind = self.report_type
        able = [each.name for each in registered_types() if each.has_wide]
        if kind is None or not kind.has_wide:
            name = "this frame" if kind is None else kind.name
            raise ToolError(f"wide: {name} has no groups; the reports that do: {', '.join(able)}")
        check_choice(columns, "columns", ("period", "group"))
        if index and columns != "group":
            raise ToolError('index=True needs columns="group": then each row is a period')
        values = kind.main if values is None else values
        frame = pd.DataFrame(self)
        frame.attrs = self.attrs
        if values == "activity" and kind.name == "budget_vs_actual":
            frame = frame.assign(activity=-frame["spent"])
        columns_in = kind.columns_in(self.attrs)
        amounts = {column.name for column in columns_in if column.unit == CURRENCY}
        amounts |= {"activity"}.intersection(frame.columns)
        if values not in amounts:
            known_values = sorted(amounts | ({"activity"} if "assigned" in amounts else set()))
            raise ToolError(f"values={values!r}: it must be one of {', '.join(known_values)}")
        if total and groups_overlap(self.attrs.get("by")):
            raise ToolError("total=True: a row with two hashtags would count for both of them")
        time = next(name for name in TIME_COLUMNS if name in frame)
        known = {column.name for column in columns_in}
        groups = kind.groups or [name for name in frame if name not in known]
        if not groups:
            raise ToolError(f"wide: this {kind.name} has no groups; calculate it with by=")
        names = [*map(str, groups)]
        return wide_frame(frame, time, values, names, columns=columns, total=total, index=index)

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self._left_out()])

    def _repr_html_(self) -> str | None:
        table: str | None = super()._repr_html_()  # type: ignore[misc]  # not in pandas-stubs
        if table is None or self.report_type is None:
            return table
        texts = map(str, self.attrs.get("rules", ()))
        rules = "".join(f"<li>{escape(visible(text))}</li>" for text in texts)
        style = "style='font-size:smaller;opacity:0.8'"
        more = "".join(f"<p {style}>{escape(visible(line))}</p>" for line in self._left_out())
        return (
            f"{table}{more}<details {style}>"
            f"<summary>{escape(self.report_type.name)}: how it is counted</summary>"
            f"<ul style='margin:0.3em 0'>{rules}</ul></details>"
        )

    def _left_out(self) -> list[str]:
        """The line with what the report leaves out, and the options that show it."""
        texts = self.attrs.get("left_out", ()) if self.report_type is not None else ()
        return [f"left out {'; '.join(map(str, texts))}"] if texts else []

    def _layout(self) -> Layout | None:
        """How the columns are shown; pandas shows a frame that lacks columns of the report."""
        known = self.report_type is not None
        return _report_layout(self, columns_of(self).values()) if known else None


def on_canvas(draw: Callable[[pd.DataFrame, Canvas], Any]) -> Drawing:
    """The `picture` of a `ReportType`, from a function that draws on a matplotlib canvas."""

    def picture(frame: pd.DataFrame, attrs: Mapping[Any, Any], options: PlotOptions) -> Any:
        from budgetframe.reports.plotting.canvas import canvas  # noqa: PLC0415 - matplotlib is an extra, and slow to import

        time = next((name for name in TIME_COLUMNS if name in frame), None)
        if time is not None:  # the user can have sorted the rows in another order
            frame = frame.sort_values(time, kind="stable")
            has_days = is_short(attrs.get("freq"))
            if options.kind is None and has_days and frame[time].nunique() > _MAX_BARS:
                options = options._replace(kind="line")
        with collected_warnings() as collected, canvas(attrs, options) as prepared:
            drawn = draw(frame, prepared)
        for warning in collected:
            warnings.warn(warning, stacklevel=4)  # the line that calls `plot`
        return drawn

    return picture


def columns_of(frame: pd.DataFrame) -> Mapping[str, Column]:
    """The columns of the report that a frame is, or of all reports if it is none, by name."""
    kind = type_named(frame.attrs.get("report"))
    amount = Column("", "float64", CURRENCY, "amount of the period", display="own name")
    periods = {name: replace(amount, name=name) for name in period_columns(frame)}
    kinds = registered_types() if kind is None else types_of(kind, frame.attrs)
    known = {each.name: each for kind in kinds for each in kind.columns_in(frame.attrs)}
    if periods and LEVEL not in known:
        return periods
    mains = [known[each.main] for each in kinds if each.main]  # they are always shown
    always = {column.name: replace(column, display="always") for column in mains}
    return known | always | periods


def _report_layout(frame: pd.DataFrame, columns: Iterable[Column]) -> Layout:
    """How a report is shown; where a line is too short, a category is named without its group."""
    if WIDE in frame.attrs:
        return wide_layout(frame, columns)
    layout = Layout.of(columns)
    named = [str(name) for name in frame if str(name).endswith("category_name")]
    groups = (name.replace("category_name", "category_group_name") for name in named)
    whole = [column.name for column in columns if column.display == "whole"]
    return layout._replace(optional=("memo", "note", *groups), whole=whole)


def _layout_of_columns(frame: pd.DataFrame) -> Layout | None:
    """How a wide form of a report, or some of its columns, are shown: as those of the report."""
    if WIDE not in frame.attrs and type_named(frame.attrs.get("report")) is None:
        return None
    known = columns_of(frame)
    is_known = WIDE in frame.attrs or {*frame.columns} <= {*known, *_NAMES}
    return _report_layout(frame, known.values()) if is_known else None


def _layout_of_comparison(frame: pd.DataFrame) -> Layout | None:
    """How the result of `Report.compare` is shown."""
    tables = (each.compared[1] for each in registered_types() if each.compared is not None)
    units = next((each for each in tables if [*each] == [*frame.columns]), None)
    columns = [Column(name, "", unit, "") for name, unit in (units or {}).items()]
    return Layout.of(columns) if columns else None


LAYOUTS += [_layout_of_columns, _layout_of_comparison]


def make_report(
    kind: ReportType,
    values: Mapping[str, Any],
    *,
    of: Sequence[pd.DataFrame],
    rules: Iterable[str],
    keys: Sequence[Column] = (),
    rows: RowSource | None = None,
    left_out: Mapping[str, tuple[int, str, str]] | None = None,
    **attrs: Any,
) -> Report:
    """Build a report from the values of its columns, of which missing ones are empty."""
    # `keys` are columns before those of the type, `of` the frames whose origin is stated, and
    # `rows` the rows behind each row. `left_out` has what the report leaves out, as a number and a
    # noun in the singular and the plural, by the option that shows it. Empty rules and entries of
    # ``attrs`` that are None are ignored.
    every = keys_last((*keys, *kind.columns_in(attrs)))
    typed = {column.name: typed_values(column, values.get(column.name)) for column in every}
    report = Report(typed)
    stated = [*rules, *map(_filtered_rule, of), _missing_amounts_rule(of)]
    report.attrs = {"report": kind.name, "rules": [rule for rule in stated if rule]}
    report.attrs |= _origin(of)
    more = (left_out or {}).items()
    texts = [f"{number_of(*what)}: {option}" for option, what in more if what[0]]
    report.attrs |= {"left_out": texts} if texts else {}
    if kind.edits is not None and "version" in of[0].attrs:
        # `BudgetFrame.changes` finds out what was changed elsewhere since then.
        report.attrs["version"] = of[0].attrs["version"]
    report.attrs |= {name: value for name, value in attrs.items() if value is not None}
    report._source = None if rows is None else rows.of(typed)  # noqa: SLF001 - only set here
    return report


def connected(report: Report, prepare: Callable[..., Any]) -> Report:
    """A report whose `changes` are prepared by a connection, whose method ``changes`` is given."""
    report._prepare = prepare  # noqa: SLF001 - only set here
    return report


def _filtered_rule(frame: pd.DataFrame) -> str:
    """The rule about a ledger that the user filtered; empty if the frame has all of its rows."""
    count = frame.attrs.get("rows")
    if not isinstance(count, int) or len(frame) >= count:
        return ""
    return f"The ledger was filtered before: it has {len(frame):,} of its {count:,} rows."


def _missing_amounts_rule(frames: Sequence[pd.DataFrame]) -> str:
    """The rule about rows without an amount; empty if there are none."""
    count = sum(int(frame["amount"].isna().sum()) for frame in frames if "amount" in frame)
    if not count:
        return ""
    rows = number_of(count, "row has no amount and counts", "rows have no amount and count")
    return f"Missing amounts: {rows} as 0."


def _origin(frames: Sequence[pd.DataFrame]) -> dict[Any, Any]:
    """What the frames say about their origin; with different times, the oldest."""
    origin: dict[Any, Any] = {}
    for name in _ORIGIN:
        known = [frame.attrs[name] for frame in frames if frame.attrs.get(name)]
        if not known:
            continue
        if name == "as_of":
            origin[name] = min(known)
        elif name in _SEPARATORS:
            separator = _SEPARATORS[name]
            each = [part for text in known for part in str(text).split(separator)]
            origin[name] = separator.join(dict.fromkeys(each))
        else:
            origin[name] = known[0]
    return deepcopy(origin)
