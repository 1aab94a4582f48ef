"""How many random programs a test runs, and which ones.

``BUDGETFRAME_PROGRAMS`` sets the number of programs of each test, and ``BUDGETFRAME_FIRST_PROGRAM``
the first one.
"""

import os


def programs(number: int) -> range:
    """The seeds of the programs of a test, which runs this number of them without the variables."""
    first = int(os.environ.get("BUDGETFRAME_FIRST_PROGRAM", "0"))
    return range(first, first + int(os.environ.get("BUDGETFRAME_PROGRAMS", number)))
