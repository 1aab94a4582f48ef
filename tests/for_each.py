"""A decorator for tests that loop over an enumeration of cases."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

__all__ = ["for_each"]

_MAX_LETTERS = 300  # of a value in a message


def for_each(
    names: str | tuple[str, ...], cases: Iterable[Any], *, ids: Iterable[str] | None = None
) -> Callable[[Any], Any]:
    """Run a test for all cases, in one loop; the message of a failure names the case.

    This is one test in the output of pytest, where ``pytest.mark.parametrize`` would be one test
    for each case. The cases share the fixtures of the test.

    Parameters
    ----------
    names : str or tuple of str
        Parameters of the test that the cases provide.
    cases : iterable
        A value for each case; with several names, a tuple of values.
    ids : iterable of str, optional
        A name for each case, for values without a readable ``repr``.
    """
    known = (names,) if isinstance(names, str) else names
    rows = [(case,) if isinstance(names, str) else tuple(case) for case in cases]
    labels = list(ids or (", ".join(repr(value)[:_MAX_LETTERS] for value in row) for row in rows))
    assert rows, "there are no cases"

    def decorate(test: Any) -> Any:
        @wraps(test)
        def loop(*args: Any, **fixtures: Any) -> None:
            for label, row in zip(labels, rows, strict=True):
                try:
                    test(*args, **fixtures, **dict(zip(known, row, strict=True)))
                except BaseException as error:
                    error.add_note(f"case {', '.join(known)}: {label}")
                    raise

        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in known]
        loop.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return loop

    return decorate
