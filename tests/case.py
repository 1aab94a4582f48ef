"""Loops over cases whose failure names the case."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*values: object) -> Iterator[None]:
    """Add the values of a case to an error or failure in this block."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {', '.join(map(repr, values))}")
        raise
