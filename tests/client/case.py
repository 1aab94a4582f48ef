"""The name of a case in the report of a test that loops over cases."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(name: object) -> Iterator[None]:
    """Add the name of the case to any failure inside."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {name!r}")
        raise
