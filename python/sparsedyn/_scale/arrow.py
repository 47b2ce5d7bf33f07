"""pyarrow, which these modules need and the rest of the package does not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from .._errors import InputError
from .._tables import arrow_array
from .._tables import arrow_numbers as numbers

try:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.csv  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]
except ImportError:
    raise ImportError("logs at scale need pyarrow: pip install 'sparsedyn[scale]'") from None

__all__ = ["Batch", "Table", "arrow_array", "batch_of", "constant", "cut", "damaged", "needs", "numbers", "pyarrow"]

Batch = Any  #: pyarrow.RecordBatch
Table = Any  #: pyarrow.Table


def needs(extra: str, module: str) -> ModuleType:
    """An optional library, or what to install."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"this needs {module}: pip install 'sparsedyn[{extra}]'") from None


def batch_of(columns: dict[str, Any]) -> Batch:
    """A batch of these columns. NaN stays NaN: a gap."""
    return pyarrow.RecordBatch.from_arrays([arrow_array(values, gaps=False) for values in columns.values()], names=list(columns))


def constant(text: str | None, rows: int) -> Any:
    """A column that says the same in each row. (pyarrow.scalar would import pandas.)"""
    if text is None:
        return pyarrow.nulls(rows, pyarrow.string())
    said = text.encode()
    ends = np.arange(rows + 1, dtype=np.int32) * len(said)
    return pyarrow.StringArray.from_buffers(rows, pyarrow.py_buffer(ends), pyarrow.py_buffer(said * rows))


def cut(batch: Batch, rows: int) -> Any:
    """Its parts of at most so many rows, without copying."""
    for first in range(0, batch.num_rows, rows):
        yield batch.slice(first, rows)


def damaged(path: str, error: BaseException, element: str, expected: str) -> InputError:
    """What a reader says of a file, in the words of this package."""
    found = " ".join(str(error).split()) or type(error).__name__
    return InputError(f"{path}: {element}: {found}; expected {expected}", path)
