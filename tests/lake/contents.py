"""The words that the files of a lake contain, also those of compressed rows and answers."""

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from budgetframe.lake import Lake


def unpacked(content: bytes) -> bytes:
    """The answer that a row of ``_state`` has."""
    answer: bytes = pa.CompressedInputStream(pa.BufferReader(content), "zstd").read()
    return answer


def found_in(lake: Lake, words: list[str], *, only_logs: bool = False) -> dict[str, str]:
    """The words that occur in a file of the lake, also if it is compressed, with the file."""
    found: dict[str, str] = {}
    for path in Path(lake._address.uri).rglob("*"):
        if not path.is_file() or (only_logs and "_delta_log" not in path.parts):
            continue
        texts = [path.read_bytes()]
        if path.suffix == ".parquet":
            for batch in pq.ParquetFile(path).iter_batches():
                for row in batch.to_pylist():
                    content = row.get("content")
                    texts.append(repr(row).encode())
                    texts.append(unpacked(content) if content else b"")
        every = b"\n".join(texts)
        for word in words:
            escaped = re.sub(rb"^\"|\"$", b"", repr(word).encode("ascii", "backslashreplace"))
            json_text = pd.Series([word]).to_json().encode()[6:-2]
            if any(form in every for form in (word.encode(), escaped.strip(b"'"), json_text)):
                found.setdefault(word, str(path))
    return {word: found[word] for word in words if word in found}
