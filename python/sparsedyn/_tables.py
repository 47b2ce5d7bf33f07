"""Logs as tables of pandas, pyarrow or polars: columns in, the same kind out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError

Array = NDArray[np.float64]


def _module(table: Any) -> str:
    return type(table).__module__.split(".")[0]


def is_table(log: Any) -> bool:
    """Whether columns are asked for by name: a table, or a dict."""
    return isinstance(log, Mapping) or (_module(log) in ("pyarrow", "pandas", "polars") and hasattr(log, "columns"))


def readings(log: Any, name: str) -> Array:
    """Of a table a column, of a dict an array of any shape. Raises ValueError where it holds no numbers."""
    if not isinstance(log, Mapping):
        return column(log, name)
    try:
        return np.asarray(log[name], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y: {name}: {error}; expected numbers") from None


def column_names(log: Any) -> list[str]:
    """Of a table, or the keys of a dict of arrays. Raises InputError where one stands twice, as a file's header does."""
    kind = _module(log)
    if kind in ("pyarrow", "pandas", "polars"):
        names = [str(name) for name in (log.column_names if kind == "pyarrow" else log.columns)]
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise InputError(f"log: columns: {', '.join(twice)} more than once; expected names given once", "log")
        return names
    if isinstance(log, Mapping):
        return [str(name) for name in log]
    raise TypeError(f"log: {type(log).__name__}; expected a table of pandas, pyarrow or polars, or a dict of arrays")


def column(log: Any, name: str) -> Array:
    """One column as float64; what is missing in it is NaN. Raises ValueError where it holds no numbers."""
    values = log[name]
    kind = _module(log)
    try:
        if kind == "pyarrow":
            values = arrow_numbers(values)
        elif kind == "pandas":
            values = values.to_numpy(dtype=np.float64, na_value=np.nan)
        elif kind == "polars":
            import polars

            values = values.cast(polars.Float64).to_numpy()
        return np.asarray(values, dtype=np.float64)
    except Exception as error:
        raise ValueError(f"log: column {name}: {error}; expected numbers") from None


def arrow_numbers(values: Any) -> Array:
    """An Array or ChunkedArray of pyarrow as float64: read in place where it is of float64 without nulls, and null is NaN.

    By its buffers: pyarrow's to_numpy and array import pandas where that is installed, 40 MB and .4 s of each worker."""
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

    if values.type != pyarrow.float64():
        values = values.cast(pyarrow.float64())
    if isinstance(values, pyarrow.ChunkedArray):
        chunks = [arrow_numbers(chunk) for chunk in values.chunks]
        return chunks[0] if len(chunks) == 1 else np.concatenate([np.empty(0), *chunks])
    if len(values) == 0:
        return np.empty(0)
    valid, data = values.buffers()
    numbers = np.frombuffer(data, np.float64, len(values), 8 * values.offset)
    if values.null_count:
        bits = np.unpackbits(np.frombuffer(valid, np.uint8), count=values.offset + len(values), bitorder="little")
        numbers = np.where(bits[values.offset:], numbers, np.nan)
    return numbers


def arrow_array(values: Any, gaps: bool = True) -> Any:
    """Numbers as a pyarrow Array; gaps: NaN is null in it. Contiguous float64 is not copied."""
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

    if not isinstance(values, np.ndarray) or values.dtype not in (np.float64, np.int64) or values.ndim != 1:
        return pyarrow.array(values, from_pandas=gaps)
    valid, missing = None, 0
    if gaps and values.dtype == np.float64:
        isnan = np.isnan(values)
        missing = int(np.count_nonzero(isnan))
        valid = pyarrow.py_buffer(np.packbits(~isnan, bitorder="little")) if missing else None
    kind = pyarrow.float64() if values.dtype == np.float64 else pyarrow.int64()
    return pyarrow.Array.from_buffers(kind, len(values), [valid, pyarrow.py_buffer(np.ascontiguousarray(values))], missing)


def like(log: Any, columns: dict[str, Any]) -> Any:
    """A table of these columns, of the kind that `log` is."""
    kind = _module(log)
    if kind == "pandas":
        import pandas  # type: ignore[import-untyped, unused-ignore]

        rows = len(next(iter(columns.values()), ()))
        return pandas.DataFrame(columns, index=log.index if rows == len(log) else None)
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    if kind == "pyarrow":
        return table_of(columns)
    return dict(columns)


def table_of(columns: Mapping[str, Any]) -> Any:
    """A pyarrow table; NaN is null in it."""
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise ImportError("tables need pyarrow: pip install 'sparsedyn[tables]'") from None
    return pyarrow.table({name: values if _module(values) == "pyarrow" else arrow_array(values) for name, values in columns.items()})
