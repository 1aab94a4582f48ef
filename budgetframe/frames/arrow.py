"""Frames as Arrow in bytes, so that a later process need not build them."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec

import pandas as pd

from .schema import TEXT, Column, column_table

_SIGNATURE, _DTYPES, _ATTRS = b"signature", b"dtypes", b"attrs"


def to_arrow(frame: pd.DataFrame, columns: tuple[Column, ...]) -> bytes | None:
    """Convert a frame; None without pyarrow, or if Arrow or JSON cannot represent it."""
    attrs, signature = json.dumps(frame.attrs), _signature_of(columns)
    if signature is None or json.loads(attrs) != frame.attrs:
        return None
    import pyarrow as pa  # noqa: PLC0415 - an extra

    plain = pd.DataFrame(frame)
    plain.attrs = {}  # some versions of pyarrow would write them
    try:
        # One batch, also without rows: the categories would be lost otherwise. A column of texts
        # can have several chunks, which a batch cannot have. At exit, Python starts no threads.
        whole = pa.Table.from_pandas(plain, preserve_index=False, nthreads=1)
        arrays = [column.combine_chunks() for column in whole.columns]
        batch = pa.RecordBatch.from_arrays(arrays, schema=whole.schema)
    except (pa.ArrowException, UnicodeError):  # a lone surrogate in a text of pandas 2
        return None
    values = {_SIGNATURE: signature, _DTYPES: _dtypes(frame), _ATTRS: attrs}
    batch = batch.replace_schema_metadata({**batch.schema.metadata, **values})
    codec = "zstd" if pa.Codec.is_available("zstd") else None
    sink, options = pa.BufferOutputStream(), pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_arrow(content: bytes, columns: tuple[Column, ...]) -> pd.DataFrame | None:
    """Convert back to an equal frame; None if this process would build or read another frame."""
    # It may have other versions of the libraries than the process that has written the frame.
    signature = _signature_of(columns)
    if signature is None:
        return None
    import pyarrow as pa  # noqa: PLC0415 - an extra

    try:
        with pa.ipc.open_stream(content) as reader:
            values = reader.schema.metadata or {}
            if values.get(_SIGNATURE) != signature.encode():
                return None
            table = reader.read_all()
    except (pa.ArrowException, OSError):
        return None
    frame: pd.DataFrame = table.to_pandas()
    if _dtypes(frame).encode() != values[_DTYPES]:
        return None
    frame.attrs = json.loads(values[_ATTRS])
    return frame


def _signature_of(columns: tuple[Column, ...]) -> str | None:
    return None if find_spec("pyarrow") is None else _signature(columns)


@lru_cache(maxsize=64)
def _signature(columns: tuple[Column, ...]) -> str | None:
    """A text of all that decides how frames are built and read; None without a known version."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow and rare

    try:
        versions = [version(name) for name in ("budgetframe", "pandas", "pyarrow")]
    except PackageNotFoundError:
        return None
    parts = [*versions, repr(TEXT), column_table(columns)]
    return sha256("\0".join(parts).encode()).hexdigest()


def _dtypes(frame: pd.DataFrame) -> str:
    """The dtypes of a frame, and those of the categories."""
    dtypes = [frame[name].dtype for name in frame.columns]
    categories = [kind.categories.dtype for kind in dtypes if isinstance(kind, pd.CategoricalDtype)]
    # The repr of a dtype of texts names its storage; that of a category would contain its values.
    return " ".join(
        "category" if isinstance(kind, pd.CategoricalDtype) else repr(kind)
        for kind in (*dtypes, *categories)
    )
