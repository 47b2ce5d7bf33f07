"""pyarrow, which these modules need and the rest of the package does not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError

try:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.compute  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.csv  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]
except ImportError:
    raise ImportError("logs at scale need pyarrow: pip install 'sparsedyn[scale]'") from None

__all__ = ["Batch", "Table", "batch_of", "constant", "cut", "damaged", "needs", "numbers", "pyarrow"]

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
    return pyarrow.RecordBatch.from_arrays([pyarrow.array(values) for values in columns.values()], names=list(columns))


def constant(text: str, rows: int) -> Any:
    """A column that says the same in each row."""
    return pyarrow.array([text] * rows, type=pyarrow.string()) if rows < 2 else pyarrow.repeat(pyarrow.scalar(text), rows)


def numbers(column: Any) -> NDArray[np.float64]:
    """A column as float64, in place where it is without nulls; null is NaN."""
    if column.type != pyarrow.float64():
        column = column.cast(pyarrow.float64())
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def cut(batch: Batch, rows: int) -> Any:
    """Its parts of at most so many rows, without copying."""
    for first in range(0, batch.num_rows, rows):
        yield batch.slice(first, rows)


def damaged(path: str, error: BaseException, element: str, expected: str) -> InputError:
    """What a reader says of a file, in the words of this package."""
    found = " ".join(str(error).split()) or type(error).__name__
    return InputError(f"{path}: {element}: {found}; expected {expected}", path)
