"""Names of days and periods for titles and labels."""

from __future__ import annotations

import pandas as pd


def is_short(freq: object) -> bool:
    """Whether a period is shorter than a month."""
    return str(freq).startswith(("day", "week"))


def period_name(day: pd.Timestamp, freq: object, separator: str = " ") -> str:
    """The name of the period that begins on a day: ``2026``, ``Q2 2026``, ``Jun 2026``."""
    # The name of a week is its first day.
    if freq == "year":
        return f"{day:%Y}"
    if is_short(freq):
        return f"{day.day} {day:%b}{separator}{day:%Y}"
    first = f"Q{day.quarter}" if freq == "quarter" else f"{day:%b}"
    return f"{first}{separator}{day:%Y}"


def periods_name(first: pd.Timestamp, last: pd.Timestamp, freq: object) -> str:
    """The name of the periods that begin on these days, for example ``Jan – Nov 2026``."""
    start, end = period_name(first, freq), period_name(last, freq)
    week = "week of " if str(freq).startswith("week") else ""
    if start == end:
        return f"{week}{end}"
    if first.year == last.year and freq != "year":
        start = start.removesuffix(f" {first:%Y}")
        if is_short(freq) and first.month == last.month:
            start = f"{first.day}"
    return f"{week.replace('week', 'weeks')}{start} – {end}"


def days_name(first: pd.Timestamp, last: pd.Timestamp, today: pd.Timestamp | None = None) -> str:
    """The name of these days: months, if they begin with one and end with one or with today."""
    is_running = last == today and not last.is_month_end
    if first.day != 1 or not (last.is_month_end or is_running):
        return periods_name(first, last, "day")
    months = periods_name(first, last, "month")
    return f"{months} so far" if is_running and first.month == last.month else months


def states_name(first: pd.Timestamp, last: pd.Timestamp, freq: object) -> str:
    """The name of the time between two states; a last state within a period is named by its day."""
    if is_short(freq) or first == last:
        return periods_name(first, last, "day")
    end = period_name(last, freq)
    is_end = {"year": last.is_year_end, "quarter": last.is_quarter_end}
    if not is_end.get(str(freq), last.is_month_end):
        end = period_name(last, "day")
    return f"{period_name(first, freq)} – {end}"
