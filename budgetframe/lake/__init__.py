"""The budgets of many people in Delta Lake, read and computed with Dask.

`Lake.sync` reads the budgets of many tokens into Delta tables; `Lake.frame`, `Lake.ledger` and the
other methods read them. The command ``budgetframe sync`` does the same as `Lake.sync`. The extra
``budgetframe[lake]`` installs the libraries; nothing else of the package imports them.
"""

from __future__ import annotations

from importlib.util import find_spec

from budgetframe.errors import ToolError

for _name in ("dask", "deltalake", "distributed", "pyarrow"):
    if find_spec(_name) is None:
        raise ToolError(f"a lake needs {_name}: pip install 'budgetframe[lake]'")

from .lake import Lake  # noqa: E402 - after the check
from .sources import Source, read_sources  # noqa: E402

__all__ = ["Lake", "Source", "read_sources"]

for _class in (Lake, Source):
    _class.__module__ = __name__
del _class, _name
