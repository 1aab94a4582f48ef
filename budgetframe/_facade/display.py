"""Text and HTML that the objects of the facade show of themselves, and of names they lack."""

from __future__ import annotations

from inspect import getdoc
from typing import TYPE_CHECKING, Any

from budgetframe._runtime.arguments import closest_names
from budgetframe._runtime.html_table import html_table
from budgetframe._session.on_limit import age_of

if TYPE_CHECKING:
    from budgetframe._session.session import Session

    from .preview import Preview

_MAX_LISTED = 15  # newest answers that are listed
_NEXT = (
    ("bf.transactions()", "one row for each transaction; bf.ledger() is the frame to add up"),
    ("bf.reports", "the reports, such as bf.reports.spending('group', freq='month')"),
    ("bf.ready_to_assign()", "the amount that you can still assign this month"),
)
"""What a person may want to write next."""


def budget_as_text(name: str, session: Session, base_url: str, requests: str) -> str:
    """The budget, its service, its requests, what is loaded and what to write next, as text."""
    budget, loaded = _state(session)
    is_read_only = bool(session.no_writes)
    lines = [
        f"{name}(budget={budget!r}, service={base_url!r}{', read-only' * is_read_only})",
        requests,
        *(f"{answer}: {age}" for answer, age in loaded),
    ]
    if not loaded:
        lines.append("nothing loaded yet")
    width = max(len(code) for code, _ in _NEXT)
    return "\n  ".join([*lines, *(f"{code:<{width}}  {meaning}" for code, meaning in _NEXT)])


def budget_as_html(session: Session, base_url: str, requests: str) -> str:
    """The same as an HTML table."""
    budget, loaded = _state(session)
    rows = [("budget", budget or "chosen at the first read"), ("service", base_url)]
    rows += [("access", "read-only")] if session.no_writes else []
    rows += [("requests", requests), *loaded, *_NEXT]
    return html_table(rows)


def missing_attribute(instance: object, name: str, place: str = "") -> Any:
    """Raise the error for an attribute that does not exist; it says which name is meant."""
    # `place` is what a user writes for the instance, if this has the reports as ``reports``.
    known = {each: each for each in dir(type(instance)) if not each.startswith("_")}
    if name.startswith("_") or name in known:  # a property can raise this error too
        return object.__getattribute__(instance, name)
    if place:
        from budgetframe.reports._shared.inputs import INPUTS  # noqa: PLC0415 - slow to import

        if name in INPUTS:
            raise AttributeError(
                f"{name} is a report: write {place}.reports.{name}()", name=name, obj=instance
            )
        known |= {each: f"reports.{each}" for each in INPUTS}
    close = [known[each] for each in closest_names(name, known, 2, cutoff=0.75)]
    advice = f"; did you mean {' or '.join(close)}?" if close else ""
    # Without `name` and `obj`, a traceback of Python adds no second advice.
    raise AttributeError(f"{type(instance).__name__!r} object has no attribute {name!r}{advice}")


class Shown:
    """An object that shows a preview of itself: what `preview` of it, or of its `_aio`, returns."""

    def _preview(self) -> Preview:
        shown: Any = getattr(self, "_aio", self)
        preview: Preview = shown.preview(type(self).__name__)
        return preview

    def __repr__(self) -> str:
        return self._preview().as_text()

    def _repr_html_(self) -> str:
        return self._preview().as_html()


class MethodList:
    """An object that shows the name of its class, and one line for each of its public methods."""

    def __repr__(self) -> str:
        methods = self._methods()
        width = max(len(name) for name, _ in methods)
        lines = [f"{name:<{width}}  {sentence}".rstrip() for name, sentence in methods]
        return "\n  ".join([type(self).__name__, *lines])

    def _repr_html_(self) -> str:
        return html_table(self._methods())

    if not TYPE_CHECKING:  # a type checker must not accept every name

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name)

    def _methods(self) -> list[tuple[str, str]]:
        """Names and first sentences of the public methods, sorted by name."""
        return [
            (f"{name}()", (getdoc(getattr(type(self), name)) or "").partition("\n")[0])
            for name in sorted(dir(type(self)))
            if not name.startswith("_")
        ]


def _state(session: Session) -> tuple[str | None, list[tuple[str, str]]]:
    """The name of the budget, and the loaded answers with their ages, rows and dates."""
    now = session.reads.now()
    budget = session.reads.chosen.name if session.reads.chosen else session.reads.requested_budget
    loaded = []
    for key, as_of in list(session.reads.loaded.items())[-_MAX_LISTED:]:
        state = [f"{age_of((now - as_of).total_seconds())} ago", session.extent_of(key)]
        loaded.append((key.partition(":")[2].replace(":", " "), ", ".join(filter(None, state))))
    if len(session.reads.loaded) > _MAX_LISTED:
        loaded.insert(0, ("earlier", f"{len(session.reads.loaded) - _MAX_LISTED} more"))
    return budget, loaded
