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
            import pyarrow  # type: ignore[import-untyped, unused-ignore]

            values = values.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
        elif kind == "pandas":
            values = values.to_numpy(dtype=np.float64, na_value=np.nan)
        elif kind == "polars":
            import polars

            values = values.cast(polars.Float64).to_numpy()
        return np.asarray(values, dtype=np.float64)
    except Exception as error:
        raise ValueError(f"log: column {name}: {error}; expected numbers") from None


def like(log: Any, columns: dict[str, Any]) -> Any:
    """A table of these columns, of the kind that `log` is."""
    kind = _module(log)
    if kind == "pandas":
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return pandas.DataFrame(columns, index=log.index)
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
    return pyarrow.table({name: _arrow_array(pyarrow, values) for name, values in columns.items()})


def _arrow_array(pyarrow: Any, values: Any) -> Any:
    """NaN is null. Columns that are pyarrow's, and floats without a NaN, are not copied."""
    if _module(values) == "pyarrow":
        return values
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        missing = np.isnan(values)
        return pyarrow.array(values, mask=missing if missing.any() else None)
    return pyarrow.array(values, from_pandas=True)
