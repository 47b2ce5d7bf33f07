"""Velocities and accelerations that a log lacks, from its positions on an even clock."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._logs import differentiate

Array = NDArray[np.float64]


def with_derivatives(columns: dict[str, Array], window: float) -> dict[str, Any]:
    """The columns with dq.* that are missing and ddq.*, by polynomials over `window` seconds (sd.differentiate).

    Too few rows for the window: gaps.
    """
    if len(columns["time"]) < 6:
        names = [name[2:] for name in columns if name.startswith("q.")]
        made = {f"{kind}.{name}": np.full(len(columns["time"]), np.nan) for kind in ("dq", "ddq") for name in names}
    else:
        table = differentiate(columns, window=window).table
        made = {name: np.asarray(values) for name, values in table.items()}
    return {**columns, **{name: made[name] for name in sorted(made) if name not in columns}}
