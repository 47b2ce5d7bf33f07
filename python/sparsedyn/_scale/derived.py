"""Velocities and accelerations that a log lacks, from its positions on an even clock."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._logs import differentiate

Array = NDArray[np.float64]


def with_derivatives(columns: dict[str, Array], window: float) -> dict[str, Any]:
    """The columns with dq.* that are missing and ddq.*, by polynomials over `window` seconds (sd.differentiate).

    Too few rows for the window: gaps.
    """
    if len(columns["time"]) < 7:  # fewer than the smallest window has, whatever their step
        names = [name for name in columns if name.startswith("q.")]
        values = [np.ascontiguousarray(columns[name], dtype=float) for name in names]
        made = {name: np.asarray(gaps) for name, gaps in zip(*_core._differentiate(names, values, 1.0, 0.0, 0.0)[:2])}
    else:
        table = differentiate(columns, window=window).table
        made = {name: np.asarray(values) for name, values in table.items()}
    return {**columns, **{name: made[name] for name in sorted(made) if name not in columns}}
