"""What a facade shows of itself: its budget, its service, its requests, what it has read."""

from __future__ import annotations

from budgetframe._client.usage import RequestUsage
from budgetframe._runtime.html_table import html_table
from budgetframe._session.on_limit import age_of
from budgetframe._session.session import Session

__all__ = ["as_html", "as_text"]

_SHOWN = 15  # newest answers that are listed


def as_text(name: str, session: Session, where: str, requests: RequestUsage) -> str:
    """A few lines of text."""
    budget, loaded = _shown(session)
    lines = [
        f"{name}(budget={budget!r}, service={where!r})",
        repr(requests),
        *(f"{what}: {age}" for what, age in loaded),
    ]
    return "\n  ".join(lines if loaded else [*lines, "nothing loaded yet"])


def as_html(session: Session, where: str, requests: RequestUsage) -> str:
    """The same as a table."""
    budget, loaded = _shown(session)
    rows = [("budget", budget or "chosen at the first read"), ("service", where)]
    rows += [("requests", repr(requests)), *loaded]
    return html_table(rows)


def _shown(session: Session) -> tuple[str | None, list[tuple[str, str]]]:
    now = session.reads.now()
    budget = session.reads.chosen.name if session.reads.chosen else session.reads.requested_budget
    loaded = [
        (
            key.partition(":")[2].replace(":", " "),
            f"{age_of((now - answer.as_of).total_seconds())} ago",
        )
        for key, answer in list(session.reads.loaded.items())[-_SHOWN:]
    ]
    if len(session.reads.loaded) > _SHOWN:
        loaded.insert(0, ("earlier", f"{len(session.reads.loaded) - _SHOWN} more"))
    return budget, loaded
