"""Nothing that the vendor's client can do is left out."""

from __future__ import annotations

from . import test_reads, test_writes
from .sdk import operations


def test_every_operation_has_a_test_of_its_name() -> None:
    tested = {
        name.removeprefix("test_")
        for module in (test_reads, test_writes)
        for name in vars(module)
        if name.startswith("test_")
    }
    assert tested == operations()
    assert len(tested) == 44
