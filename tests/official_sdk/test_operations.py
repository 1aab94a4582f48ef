"""Every operation of the official client has a test."""

from __future__ import annotations

from . import test_reads, test_writes
from .sdk import operations


def test_every_operation_has_a_test_with_its_name() -> None:
    tested = {
        name.removeprefix("test_")
        for module in (test_reads, test_writes)
        for name in vars(module)
        if name.startswith("test_")
    }
    assert tested == operations()
    assert len(tested) == 44
