"""Every operation of the official client has a test."""

from . import test_reads, test_writes
from .sdk import operations


def test_every_operation_has_a_test_with_its_name() -> None:
    named = {name.removeprefix("test_") for name in (*vars(test_reads), *vars(test_writes))}
    assert operations() - test_reads.READS.keys() - named == set()
    assert test_reads.READS.keys() - operations() == set()
    assert len(operations()) == 44
