"""The future balance of each account, from scheduled transactions and typical amounts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd

from budgetframe._runtime.deferred_warnings import defer_warning
from budgetframe._runtime.text import printable
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable
from budgetframe.frames.dates import Day, period
from budgetframe.frames.loan_terms import CARD_TYPES, DEBT_TYPES, LOAN_TYPES, TERMS
from budgetframe.frames.money import currency, exact
from budgetframe.frames.schema import CURRENCY, Column
from budgetframe.frames.tables import TABLES

from ._shared import what_if
from ._shared.arguments import report_function
from ._shared.ledger_rows import LEDGER_COLUMNS
from ._shared.loan_rule import (
    ESCROW,
    INTEREST,
    LoanRow,
    loan_costs,
    smallest_unit,
    warn_of_missing_terms,
)
from ._shared.periods import Span, today_of
from ._shared.recurring_rows import income_to_come
from ._shared.report import Canvas, Report, make_report, on_canvas
from ._shared.report_types import InCurrency, register
from ._shared.row_filters import AccountFilters, row_filter
from ._shared.schedules import FREQUENCIES, scheduled_dates
from ._shared.sentences import name_text
from ._shared.sums import grid, required_frame
from ._shared.typical import TypicalAmounts, no_typical_amounts, schedule_keys, typical_amounts
from .plotting.period_names import periods_name

_PART = ("scheduled_transaction_id", "amount", "transfer_account_id", "category_id")
_SCHEDULE = (
    *_PART, "date_first", "date_next", "frequency", "account_id", "is_split", "payee_id",
    "payee_name",
)  # fmt: skip
_ACCOUNT = ("account_id", "account_name", "account_type", "on_budget", "closed", "balance")
_ACCOUNTS = {column.name: column for column in TABLES["accounts"].columns}
_DEFAULT_DAYS = 90
_MAX_BANDS = 4  # more bands would hide each other
_NO_TERMS: Mapping[str, Any] = {name: {} for name in TERMS}
_LOAN_RULE = (
    "Loans: the first scheduled payment of a month increases the debt by interest on the amount"
    " owed, at one twelfth of the yearly rate, and by the escrow amount of the month. This month"
    " has them already if the loan had an earlier payment in it."
)
_AMOUNTS = ("typical", "change", "interest", "escrow", "balance")


@report_function
def forecast(
    scheduled_transactions: pd.DataFrame | ArrowTable,
    scheduled_subtransactions: pd.DataFrame | ArrowTable,
    listed_accounts: pd.DataFrame | ArrowTable,
    ledger: pd.DataFrame | ArrowTable | None = None,
    *,
    typical: int | None = None,
    events: what_if.Events = (),
    without: what_if.Ends = (),
    days: int = _DEFAULT_DAYS,
    until: Day | None = None,
    income: bool = True,
    interest: bool = True,
    today: Day | None = None,
    **filters: Unpack[AccountFilters],
) -> Report:
    """Balance of each account on each future day, from scheduled transactions.

    The function takes ``bf.scheduled_transactions()``, ``bf.scheduled_subtransactions()``,
    ``bf.accounts()`` and ``bf.ledger()``; the other parameters and the columns are those of
    `bf.reports.forecast`.

    `typical`, recurring income and groups in `without` need the ledger. It must end today, and can
    start on any day; the band needs 12 more months than `typical`, and those of the forecast. It is
    missing for loans, for young accounts, and where the ledger is too short.

    An account that is not shown limits its payments too. Only transfers are payments of a card: a
    refund can exceed the debt.

    A schedule with an unknown frequency is left out, and a warning names it. There is an error if
    today is unknown, or if the ledger has fewer complete months than `typical`.
    """
    given = required_frame(scheduled_transactions, _SCHEDULE, "scheduled_transactions")
    parts = required_frame(scheduled_subtransactions, _PART, "scheduled_subtransactions")
    # Nothing is known to change an account without a key.
    listed = required_frame(listed_accounts, _ACCOUNT, "accounts").dropna(subset="account_id")
    rows = None
    if ledger is not None and (income or typical is not None or without):
        rows = required_frame(ledger, LEDGER_COLUMNS, "ledger")
    start = today_of(listed, today)
    if start is None:
        raise ToolError("today is unknown: the frame of accounts does not state it; pass today=")
    span = Span(start, _last_day(start, days, until))
    kept = row_filter([listed], filters, missing="there is no account {names}")
    is_closed = listed["closed"].to_numpy(bool)
    is_left_out = kept.mask(listed) & is_closed & ("accounts" not in kept.selected)
    is_shown = kept.mask(listed) & ~is_left_out
    names = listed["account_name"].fillna(listed["account_id"])
    closed = names[is_left_out].tolist()
    # A debt that is not shown limits the payments of other accounts.
    shown = listed.assign(hidden=~is_shown)[is_shown | (_debts(listed) & ~is_closed)]
    shown = shown.sort_values(["hidden", "account_name", "account_id"], ignore_index=True)
    count, dates = int(is_shown.sum()), span.starts("day")
    schedules, irregular = _with_known_frequency(given)
    coming, counted = income_to_come(rows if income and typical is None else None, schedules, span)
    schedules, parts = _with_further(schedules, coming), _with_further(parts)
    terms = _terms_by_position(listed, shown) if interest else {}
    usual = no_typical_amounts((len(shown), len(dates)))
    if typical is not None:
        if rows is None:
            raise ToolError(f"typical={typical!r} needs ledger=, the frame of bf.ledger()")
        keyed = schedule_keys(_single_rows(schedules, parts), listed)
        planned = _occurrences(schedules, keyed, span.whole_months)
        usual = typical_amounts(rows, listed, shown, planned, span=span, months=typical)
    amounts, paying, limits = _future((schedules, parts, usual), shown, terms, span, rows)
    baseline = amounts["balance"][:count]
    added, ends = what_if.events_of(events), what_if.ends_of(without, start)
    further, assumed = what_if.event_schedules(added, listed[~is_closed | is_shown], span)
    if ends:
        tables = [schedules, parts, _with_further(usual.streams)]
        label = dict(zip(listed["account_id"], names, strict=True))
        (schedules, parts, streams), ended = what_if.with_ends(tables, ends, rows, label)
        usual, assumed = usual.until(streams["until"].to_numpy(), shown, dates), assumed + ended
    if assumed:
        every = _with_further(schedules, further)
        amounts, paying, limits = _future((every, parts, usual), shown, terms, span, rows)
    unknown = _no_terms_rule(shown[:count], paying - {*terms}) if interest else ""
    if unknown:
        warn_of_missing_terms(unknown)
    shown, balance = shown[:count], amounts["balance"][:count]
    is_lowest = np.arange(len(dates)) == balance.argmin(axis=1)[:, np.newaxis]
    at = np.tile(np.arange(len(shown)), len(dates))
    option = f"accounts={closed[0] if len(closed) == 1 else closed!r}"
    return make_report(
        _FORECAST,
        {
            **{name: shown[name].take(at) for name in ("account_id", "account_name", "on_budget")},
            "date": np.repeat(dates, len(shown)),
            **{name: currency(each[:count].T.reshape(-1)) for name, each in amounts.items()},
            "baseline": _known(baseline, bool(assumed)),
            "low": _known(balance + usual.low[:count], usual.has_band[:count]),
            "high": _known(balance + usual.high[:count], usual.has_band[:count]),
            "is_lowest": is_lowest.T.reshape(-1),
        },
        of=[listed, given, parts] if rows is None else [listed, given, parts, rows],
        filters=kept.given or None,
        income=True if len(coming) else None,
        left_out={option: (len(closed), "closed account", "closed accounts")},
        rules=[
            *(counted if typical is None else ["Scheduled and typical amounts count."]),
            f"From the service's balances of {span.first:%Y-%m-%d}, until {span.last:%Y-%m-%d}.",
            "Overdue transactions count today.",
            "A schedule for the 31st uses the last day of a shorter month.",
            "A transfer changes both of its accounts.",
            irregular,
            *kept.rules,
            *usual.rules,
            *([_LOAN_RULE] if any(label < count for label in terms) else []),
            unknown,
            *limits,
            *what_if.what_if_rules(assumed, is_changed=(balance != baseline).any()),
        ],
    )


def _future(
    plan: tuple[pd.DataFrame, pd.DataFrame, TypicalAmounts],
    shown: pd.DataFrame,
    terms: Any,
    span: Span,
    ledger: pd.DataFrame | None,
) -> tuple[dict[str, Any], set[int], list[str]]:
    """`_AMOUNTS` in milliunits, the positions of accounts with payments, the rules about limits."""
    schedules, parts, usual = plan
    dates = span.starts("day")
    changes = _account_changes(_single_rows(schedules, parts))
    rows = _occurrences(schedules, changes, span)
    rows = rows.assign(label=pd.Index(shown["account_id"]).get_indexer(rows["account_id"]))
    rows = rows[rows["label"] >= 0]
    to_loans = changes[changes["account_id"].isin(shown["account_id"].iloc[[*terms]])]
    paid = _paid_this_month(schedules, to_loans, span.first, ledger)
    payments = _payments(rows, usual, shown, dates)
    tables = np.stack([usual.changes, grid(rows, len(shown), dates)])
    interests, escrows, limits = _pay_debts(
        payments, tables, shown, terms=terms, paid=paid, dates=dates
    )
    daily = tables.sum(axis=0) - interests - escrows
    balances = exact(shown, "balance")[:, np.newaxis] + np.cumsum(daily, axis=1)
    amounts = zip(_AMOUNTS, (*tables, interests, escrows, balances), strict=True)
    return dict(amounts), {*payments["label"]}, limits


def _last_day(start: pd.Timestamp, days: int, until: Day | None) -> pd.Timestamp:
    last = period(None, until)[1] or start + pd.Timedelta(days=days)
    if last < start:
        raise ToolError(f"until={last:%Y-%m-%d} is before today, {start:%Y-%m-%d}")
    return last


def _with_known_frequency(schedules: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The schedules whose days are known, and the rule about the others, of which it warns."""
    places = pd.Series(map(str, range(len(schedules))), schedules.index)  # keys of those without
    keys = schedules["scheduled_transaction_id"].fillna(places)
    schedules = schedules.assign(scheduled_transaction_id=keys)
    is_unknown = schedules["date_next"].notna() & ~schedules["frequency"].isin(FREQUENCIES)
    unknown = schedules[is_unknown.to_numpy(bool)].astype({"frequency": object})
    if unknown.empty:
        return schedules, ""
    frequencies = unknown["frequency"].where(unknown["frequency"].notna(), None)
    named = zip(unknown["scheduled_transaction_id"], frequencies, strict=True)
    listed = ", ".join(f"{key} (frequency={frequency!r})" for key, frequency in named)
    rule = f"Schedules with an unknown frequency are left out: {listed}."
    defer_warning(printable(rule))
    return schedules[~is_unknown.to_numpy(bool)], rule


def _with_further(schedules: pd.DataFrame, *further: pd.DataFrame) -> pd.DataFrame:
    """Schedules and further ones, all with an ``until``: the last day on which they count."""
    until: Any = schedules.get("until", pd.NaT)
    schedules = schedules.assign(until=until).astype({"until": "datetime64[us]"})
    every = [schedules, *(each.assign(is_split=False) for each in further if len(each))]
    # As objects, because a column that is missing or empty in one of the frames has no dtype there.
    objects = [each.reindex(columns=[*schedules]).astype(object) for each in every]
    return pd.concat(objects, ignore_index=True).astype(dict(schedules.dtypes))


def _single_rows(schedules: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Schedules and, instead of a split one, its parts; with account, and until when they count."""
    unsplit = schedules[~schedules["is_split"].to_numpy(bool)]
    rows = pd.concat([each[[*_PART, "until"]] for each in (unsplit, parts)], ignore_index=True)
    of_schedule = schedules.set_index("scheduled_transaction_id")
    of_schedule = of_schedule[["account_id", "until"]].reindex(rows["scheduled_transaction_id"])
    rows["account_id"] = of_schedule["account_id"].array
    rows["until"] = np.fmin(rows["until"].to_numpy(), of_schedule["until"].to_numpy())
    return rows


def _account_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """What schedules add to their own accounts and to those of transfers, and until when."""
    own = rows.rename(columns={"transfer_account_id": "other"})
    others = own[own["other"].notna().to_numpy(bool)]
    others = others.rename(columns={"account_id": "other", "other": "account_id"})
    return pd.concat([own, others.assign(amount=-others["amount"])[[*own]]], ignore_index=True)


def _occurrences(schedules: pd.DataFrame, changes: pd.DataFrame, span: Span) -> pd.DataFrame:
    """One row for each future change of an account: account, amount and day."""
    until, today = span.last.date(), span.first.date()
    found = [
        (key, max(day, today))
        for key, frequency, first, upcoming in _due(schedules)
        for day in scheduled_dates(frequency, first, upcoming, until)
    ]
    days = pd.DataFrame(found, columns=["scheduled_transaction_id", "period"])
    days = days.astype({"scheduled_transaction_id": changes.dtypes.iloc[0], "period": "M8[us]"})
    rows = days.merge(changes, on="scheduled_transaction_id")
    return rows[~(rows["period"] > rows["until"]).to_numpy(bool)]


def _due(schedules: pd.DataFrame) -> Iterator[tuple[str, str, pd.Timestamp, pd.Timestamp]]:
    """Key, frequency, first and next day of each schedule that is not completed."""
    names = ("scheduled_transaction_id", "frequency", "date_first", "date_next")
    due = schedules[schedules["date_next"].notna().to_numpy(bool)]
    due = due.assign(date_first=due["date_first"].fillna(due["date_next"]))  # it can be damaged
    return zip(*(due[name] for name in names), strict=True)


def _known(amounts: Any, is_known: Any) -> Any:
    """Amounts in currency units by day and account; missing if they are not known."""
    return np.where(is_known, currency(amounts), np.nan).T.reshape(-1)


def _terms_by_position(accounts: pd.DataFrame, shown: pd.DataFrame) -> dict[int, Any]:
    position = {key: at for at, key in enumerate(shown["account_id"])}
    known = accounts.attrs.get("loans", ())
    return {position[each["account_id"]]: each for each in known if each["account_id"] in position}


def _no_terms_rule(shown: pd.DataFrame, paid: set[int]) -> str:
    """The rule about loans with payments but without terms; empty if there are none."""
    is_unknown = _has_type(shown, LOAN_TYPES) & shown.index.isin(paid)
    names = ", ".join(shown.loc[is_unknown, "account_name"].astype(str))
    effect = "payments add no interest and no escrow to the debt"
    return f"Loans: the frame has no terms of {names}, so {effect}." if names else ""


def _paid_this_month(
    schedules: pd.DataFrame, changes: pd.DataFrame, today: pd.Timestamp, ledger: pd.DataFrame | None
) -> set[str]:
    """The accounts with a payment in the current month, by a schedule or in the ledger."""
    paid = changes[(changes["amount"] > 0).to_numpy(bool)]
    is_paid = schedules["scheduled_transaction_id"].isin(paid["scheduled_transaction_id"])
    month_start = today.replace(day=1)
    found: set[str] = set()
    if ledger is not None:
        is_inflow = (ledger["amount"] > 0) & Span(month_start, today).holds(ledger["date"])
        found = {*ledger.loc[is_inflow.to_numpy(bool), "account_id"]}
    for key, frequency, first, upcoming in _due(schedules[is_paid.to_numpy(bool)]):
        last = min(upcoming, today) - pd.Timedelta(days=1)
        past = scheduled_dates(frequency, first, first, last)
        if any(day >= month_start.date() for day in past):
            found |= {*paid.loc[paid["scheduled_transaction_id"] == key, "account_id"]}
    return found


def _has_type(accounts: pd.DataFrame, types: Collection[str]) -> Any:
    return accounts["account_type"].isin(types).to_numpy(bool)


def _debts(accounts: pd.DataFrame) -> Any:
    """Which accounts are debts of a known amount."""
    return _has_type(accounts, DEBT_TYPES) & accounts["balance"].notna().to_numpy(bool)


def _payments(
    rows: pd.DataFrame, usual: TypicalAmounts, shown: pd.DataFrame, dates: Any
) -> pd.DataFrame:
    """The payments into accounts by day, with the positions of both; typical ones have table 0."""
    position = pd.Index(shown["account_id"]).get_indexer
    is_card = _has_type(shown, CARD_TYPES)[rows["label"]]
    paid = rows[rows["other"].notna().to_numpy(bool) | ~is_card]
    found = [
        (0, position([key])[0], position([payer])[0], np.arange(len(dates)), amounts)
        for payer, key, amounts in usual.transfers
    ]
    at = np.searchsorted(dates, paid["period"].to_numpy())
    found.append((1, paid["label"], position(paid["other"]), at, exact(paid)))
    names = ("table", "label", "payer", "at", "amount")
    tables = [pd.DataFrame(dict(zip(names, each, strict=True)), dtype="int64") for each in found]
    payments = pd.concat(tables, ignore_index=True).sort_values(["at", "table"], kind="stable")
    return payments[((payments["amount"] > 0) & (payments["label"] >= 0)).to_numpy(bool)]


def _pay_debts(
    payments: pd.DataFrame,
    tables: Any,
    shown: pd.DataFrame,
    *,
    terms: Mapping[int, Any],
    paid: Collection[str],
    dates: Any,
) -> tuple[Any, Any, list[str]]:
    """Interest and escrow by account and day, and the rules about payments that debts limit."""
    # What exceeds a debt is taken out of the changes in `tables`, for both accounts. The balances
    # of the debts in `paid` already contain the costs of the current month.
    days = dates.astype("datetime64[D]").astype(str).tolist()
    positions = {day: at for at, day in enumerate(days)}
    balances, keys = exact(shown, "balance").tolist(), shown["account_id"].tolist()
    table, of, payer, at, given = payments.to_numpy().T
    amount, costs = given.copy(), np.zeros((3, *tables.shape[1:]), dtype="int64")
    debts = np.intersect1d(of, np.flatnonzero(_debts(shown))).tolist()
    # A debt can pay another one, whose limit then changes it. No chain is longer than all of them.
    for label in debts * len(debts):
        own = np.flatnonzero((of == label) & (amount > 0))
        due = np.zeros(len(days), dtype="int64")
        np.add.at(due, at[own], amount[own])
        rest = tables[:, label].sum(axis=0) - due
        rows = [
            LoanRow(days[each], int(amounts[each]), kind)
            for amounts, kind in ((rest, "credit"), (due, None))
            for each in np.flatnonzero(amounts).tolist()
        ]
        costs[:, label] = 0
        for day, *of_day in loan_costs(
            rows,
            terms.get(label, _NO_TERMS),
            unit=smallest_unit(shown),
            opening=balances[label],
            known_months=[days[0][:7]] if keys[label] in paid else [],
            ends=True,
        ):
            costs[:, label, positions[day]] = of_day
        before = np.cumsum(amount[own]) - amount[own]
        before -= before[np.searchsorted(at[own], at[own])]  # only the payments of the same day
        cut = np.clip(costs[2, label, at[own]] - before, 0, amount[own])
        amount[own] -= cut
        np.subtract.at(tables, (table[own], label, at[own]), cut)
        cut, own = cut[payer[own] >= 0], own[payer[own] >= 0]
        np.add.at(tables, (table[own], payer[own], at[own]), cut)
    rules = []
    for label, name in shown["account_name"].iloc[debts].items():
        cut, made = at[(of == label) & (amount < given)], at[(of == label) & (amount > 0)]
        if len(cut):
            rules.append(f"{name}: {_limit_rule(cut, made, days)}")
    return costs[0], costs[1], rules


def _limit_rule(cut: Any, made: Any, days: Sequence[str]) -> str:
    """What is said about payments that a debt limits, by the positions of their days."""
    if not len(made):
        return "no payment is made, because nothing is owed on the days of the payments."
    if made[-1] > cut[0]:
        return f"a payment is at most what is owed on its day, from {days[cut[0]]} on."
    return f"payments end with the debt, on {days[made[-1]]}; the last one is at most the rest."


def _draw_forecast(frame: pd.DataFrame, canvas: Canvas) -> Any:
    table, baseline, low, high = (
        frame.pivot(index="date", columns="account_id", values=name)
        for name in ("balance", "baseline", "low", "high")
    )
    names = frame.drop_duplicates("account_id").set_index("account_id")["account_name"]
    is_typical = bool((frame["typical"] != 0).any() or low.notna().any(axis=None))
    changing = {*frame.loc[(frame["change"] != 0) | (frame["typical"] != 0), "account_id"]}
    differing = {*frame.loc[(frame["baseline"] - frame["balance"]).fillna(0) != 0, "account_id"]}
    keys = [key for key in names.index if key in (differing or changing)] or list(names.index)
    most = _MAX_BANDS if is_typical else canvas.max_series
    shown = sorted(keys, key=lambda key: table[key].min())[:most]
    lines = table[shown].rename(columns=dict(names))
    canvas.lines(lines, canvas.theme.series, drawstyle="steps-post")
    if differing:
        thin = baseline[shown].rename(columns=lambda _key: "baseline")
        style: Any = {"drawstyle": "steps-post", "linewidth": 1, "zorder": 1.9}  # below the others
        canvas.lines_without_axis(thin, [canvas.theme.faint] * len(shown), **style)
        for line in canvas.ax.lines[len(canvas.ax.lines) - len(shown) + 1 :]:
            line.set_label("_baseline")  # one entry in the legend is enough
    for key, colour in zip(shown, canvas.theme.series, strict=False):
        low_day = table[key].idxmin()
        canvas.mark(low_day, table[key].min(), canvas.amount(table[key].min()), colour)
        for line in (table[key], baseline[key]) if differing else ():
            day = (line < 0).idxmax()
            if day > line.index[0]:  # a debt is below zero from the first day on
                canvas.mark(day, 0, f"below zero from {day.day} {day:%b %Y}", colour)
        if low[key].notna().any():
            canvas.fill(low[key], high[key], colour)
    if low[shown].notna().any(axis=None):
        canvas.shading("range of earlier errors")
    more = len(keys) - len(shown)
    rest = f" ({more} not shown)" if more else ""
    whose = "by account" if len(names) > 1 else f"of {canvas.name(names.iloc[0])}"
    scheduled = "schedules and income" if canvas.has_income else "only what is scheduled"
    counted = " with typical amounts" if is_typical else f": {scheduled}"
    what = f"{'What if: forecast' if differing else 'Forecast'} {whose}{counted}"
    days = periods_name(frame["date"].min(), frame["date"].max(), "day")
    return canvas.title(f"{canvas.heading(what, frame, time=days, end=rest)}{rest}")


def _compare(frame: pd.DataFrame) -> pd.DataFrame:
    """What a forecast and its baseline have in each account in which they differ."""
    if frame["baseline"].isna().all():
        raise ToolError("compare: nothing changes in this forecast; pass it events= or without=")
    differing = frame.loc[frame["baseline"] != frame["balance"], "account_id"]
    rows = frame[frame["account_id"].isin(differing)]
    rows = rows.sort_values(["date", "account_name", "account_id"]).set_index("account_id")
    found = rows.groupby("account_id", sort=False)[["account_name", "balance", "baseline"]].last()
    for name, start in (("balance", ""), ("baseline", "baseline_")):
        lowest = rows.sort_values(name, kind="stable").groupby("account_id").first()
        found[f"{start}lowest"], found[f"{start}lowest_date"] = lowest[name], lowest["date"]
        found[f"{start}below_zero_on"] = rows["date"][rows[name] < 0].groupby("account_id").first()
    found["difference"] = currency(exact(found, "balance") - exact(found, "baseline"))
    return found.reset_index()


def _sentence(frame: pd.DataFrame, money: InCurrency) -> str:
    is_changing = (frame["change"] != 0) | (frame["typical"] != 0)
    changing = frame.loc[is_changing, "account_id"].unique()
    rows = frame[frame["account_id"].isin(changing)] if len(changing) else frame
    lowest = rows.nsmallest(1, "balance").iloc[0]
    if lowest["balance"] >= 0:  # then the largest fall is the one to know
        balances = rows.groupby("account_id")["balance"]
        falling = (balances.first() - balances.min()).idxmax()
        lowest = rows[rows["account_id"] == falling].nsmallest(1, "balance").iloc[0]
    name, amount = name_text(lowest["account_name"]), money(lowest["balance"])
    expected = f"the lowest expected balance of {name} is {amount}"
    return f"Until {frame['date'].max():%Y-%m-%d}, {expected}, on {lowest['date']:%Y-%m-%d}."


_COMPARED = {
    "account_name": "", "lowest": CURRENCY, "baseline_lowest": CURRENCY, "lowest_date": "",
    "baseline_lowest_date": "", "below_zero_on": "", "baseline_below_zero_on": "",
    "balance": CURRENCY, "baseline": CURRENCY, "difference": CURRENCY, "account_id": "",
}  # fmt: skip
_REPORT_COLUMNS = (
    Column("date", "datetime64[us]", "", "day"),
    _ACCOUNTS["account_id"],
    _ACCOUNTS["account_name"],
    Column("change", "float64", CURRENCY, "scheduled transactions and recurring income"),
    Column("typical", "float64", CURRENCY, "typical amounts", display="unless zero"),
    INTEREST,
    ESCROW,
    Column("balance", "float64", CURRENCY, "at the end of the day"),
    Column("baseline", "float64", CURRENCY, "balance without events and ends; missing: none"),
    Column("low", "float64", CURRENCY, "lower end of the band; missing: no band"),
    Column("high", "float64", CURRENCY, "upper end of the band; missing: no band"),
    Column("is_lowest", "bool", "", "first day of the lowest balance of the account"),
    _ACCOUNTS["on_budget"],
)
_FORECAST = register(
    forecast, _REPORT_COLUMNS, on_canvas(_draw_forecast), main="balance", sentence=_sentence,
    needed_with=("typical", "income", "without"), kinds=("line",), compared=(_compare, _COMPARED),
    no_rows="it adds up future transactions; bf.scheduled_transactions() has their schedules",
)  # fmt: skip
