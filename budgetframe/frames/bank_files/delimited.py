"""CSV and TSV files of a bank."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice

from budgetframe.errors import ToolError

from .rows import BankFile, Options, text_of
from .table import HEAD, Cells, known_tables, read_table

_DELIMITERS = ";,\t|"


def read(name: str, content: bytes, options: Options) -> BankFile:
    """The statements of a CSV file: the delimiter is the one with which its header is known."""
    text, encoding, reading = text_of(name, content, options.encoding)
    heads = {each: [*islice(_rows(name, text, each), HEAD)] for each in _DELIMITERS}
    (best, header), *_ = known_tables(name, heads, options)
    rows = [*_rows(name, text, best)]
    for number, row in enumerate(rows, start=1):
        lines = [line for cell in row for line in cell.splitlines()[1:]]
        if any(line.count(best) >= len(header.names) - 1 for line in lines):
            raise ToolError(f"{name}, row {number}: a quote is not closed. Correct the file")
    reading.append(f"the delimiter is {best!r}")
    return read_table(name, rows, header, options, BankFile("CSV", encoding, reading=reading))


def _rows(name: str, text: str, delimiter: str) -> Iterator[Cells]:
    try:
        for row in csv.reader(StringIO(text, ""), delimiter=delimiter, skipinitialspace=True):
            yield [cell.strip() for cell in row]
    except csv.Error as error:
        raise ToolError(f"{name} is no CSV file of a bank: {error}") from None
