"""Loops over cases whose failure names the case."""

from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_VALUE = 300  # characters of one value in a message


@contextmanager
def case(*values: object) -> Iterator[None]:
    """Add the values of a case to an error or failure in this block."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {', '.join(repr(value)[:_LONGEST_VALUE] for value in values)}")
        raise
