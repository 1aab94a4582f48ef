"""CSV and TSV files of a bank."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice

from budgetframe.errors import ToolError

from .rows import BankFile, Options, text_of
from .table import Cells, header_of, no_header, read_table

_DELIMITERS = {";": "semicolon", ",": "comma", "\t": "tab", "|": "vertical bar"}
_HEAD = 200  # rows in which the header is searched


def read(name: str, content: bytes, options: Options) -> BankFile:
    """The statements of a CSV file: the delimiter is the one with which its header is known."""
    text, encoding, reading = text_of(name, content, options.encoding)
    heads = {each: [*islice(_rows(name, text, each), _HEAD)] for each in _DELIMITERS}
    found = {each: header for each in heads if (header := header_of(heads[each], options))}
    if not found:
        raise no_header(name, max(heads.values(), key=lambda rows: max(map(len, rows), default=0)))
    best = max(found, key=lambda each: found[each].known)
    rows = [*_rows(name, text, best)]
    for number, row in enumerate(rows, start=1):
        lines = [line for cell in row for line in cell.splitlines()[1:]]
        if any(line.count(best) >= len(found[best].names) - 1 for line in lines):
            raise ToolError(f"{name}, row {number}: a quote is not closed. Correct the file")
    file = BankFile("CSV", encoding, [], [*reading, f"the delimiter is a {_DELIMITERS[best]}"])
    return read_table(name, rows, found[best], options, file)


def _rows(name: str, text: str, delimiter: str) -> Iterator[Cells]:
    try:
        for row in csv.reader(StringIO(text, ""), delimiter=delimiter, skipinitialspace=True):
            yield [cell.strip() for cell in row]
    except csv.Error as error:
        raise ToolError(f"{name} is no CSV file of a bank: {error}") from None
