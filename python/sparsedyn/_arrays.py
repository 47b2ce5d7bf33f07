"""Arrays of a robot as the columns of a log, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _tables
from ._core import Model
from ._errors import InputError
from ._logs import state_columns

Array = NDArray[np.float64]


def columns_of(robot: Model) -> dict[str, list[str]]:
    """Of q, dq, ddq and tau the log's columns."""
    q, dq = state_columns(robot)
    return {"q": q, "dq": dq, "ddq": [f"d{name}" for name in dq], "tau": [f"tau.{name}" for name in robot.force_names]}


def wrench_columns(link: str) -> list[str]:
    """Of the external wrench on a link."""
    return [f"fx.{link}.{part}" for part in ("nx", "ny", "nz", "fx", "fy", "fz")]


def _rows(name: str, array: ArrayLike, width: int) -> Array:
    rows = np.asarray(array, dtype=np.float64)
    if rows.ndim == 0 or rows.shape[-1] != width:
        raise ValueError(f"{name}: {rows.shape}; expected (..., {width})")
    return rows.reshape(-1, width)


def table(
    robot: Model,
    *,
    time: ArrayLike | None = None,
    q: ArrayLike | None = None,
    dq: ArrayLike | None = None,
    ddq: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    fx: Mapping[str, ArrayLike] | None = None,
) -> Any:
    """A pyarrow table with the columns of a log: time, q.*, dq.*, ddq.*, tau.*, fx.LINK.*, of what is given.

    time (rows,); q (rows, nq), dq, ddq, tau (rows, nv); fx: of links (rows, 6), moment first. Leading axes are flattened, one row
    stands for all. Raises ValueError for other shapes and unknown links, ImportError without pyarrow.
    """
    columns = columns_of(robot)
    parts = list[tuple[list[str], Array]]()
    if time is not None:
        parts.append((["time"], _rows("time", np.asarray(time, dtype=np.float64)[..., None], 1)))
    for kind, array in (("q", q), ("dq", dq), ("ddq", ddq), ("tau", tau)):
        if array is not None:
            parts.append((columns[kind], _rows(kind, array, len(columns[kind]))))
    for link, wrench in (fx or {}).items():
        if link not in robot.link_names:
            raise ValueError(f"fx: {link!r}; expected a link of {robot.name}")
        parts.append((wrench_columns(link), _rows(f"fx[{link!r}]", wrench, 6)))
    count = max((len(rows) for _, rows in parts), default=0)
    for names, rows in parts:
        if len(rows) not in (1, count):
            raise ValueError(f"{names[0]}: {len(rows)} rows; expected {count}")
    return _tables.table_of({name: np.broadcast_to(rows[:, k], count).copy() for names, rows in parts for k, name in enumerate(names)})


def arrays(robot: Model, log: Any) -> dict[str, Any]:
    """What a log holds of the robot: time, q, dq, ddq, tau as arrays (rows, n), and fx by link; what it lacks is left out.

    log  a table of pandas, pyarrow or polars, or a dict of arrays. Raises InputError where it holds one of these in part.
    """
    names = set(_tables.column_names(log))
    found = dict[str, Any]()
    if "time" in names:
        found["time"] = _tables.column(log, "time")
    wanted: dict[tuple[str, ...], list[str]] = {(kind,): columns for kind, columns in columns_of(robot).items()}
    wanted |= {("fx", link): wrench_columns(link) for link in robot.link_names}
    for key, columns in wanted.items():
        missing = [name for name in columns if name not in names]
        if key == ("tau",) and all(name.startswith("tau.base.") for name in missing):
            zero = np.zeros(len(_tables.column(log, next(iter(names))))) if names else np.zeros(0)
            if len(missing) == len(columns):
                continue
            found["tau"] = np.stack([zero if name in missing else _tables.column(log, name) for name in columns], -1)
            continue
        if len(missing) == len(columns):
            continue
        if missing:
            raise InputError(f"log: columns: {', '.join(missing)} missing; expected all of {key[-1]}", "log")
        rows = np.stack([_tables.column(log, name) for name in columns], -1)
        if len(key) == 1:
            found[key[0]] = rows
        else:
            found.setdefault("fx", {})[key[1]] = rows
    return found
