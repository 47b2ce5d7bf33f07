"""What a Solver holds beside its answers: the last sample's status, offsets that were learnt, standard deviations."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[np.float64]


class Status(NamedTuple):
    """Of the last sample that was solved alone."""

    growth: float  #: largest pivot growth, max |u| / max |a|
    backward_error: float  #: ‖b − A x‖ / (‖A‖ ‖x‖ + ‖b‖)
    componentwise_error: float  #: the same equation by equation


class Offsets(dict[str, Any]):
    """What logs taught of sensors with "bias": true: a dict as `solve --offsets` writes it (json.dump); its covariance as an array."""

    @property
    def covariance(self) -> Array:
        """(n, n), of the offsets in self["columns"]; SI units."""
        n = len(self["columns"])
        return np.array(self["covariance"], dtype=np.float64).reshape(n, n)


class Sigma(MutableMapping[str, Any]):
    """Standard deviations by sensor: one number, or one a component. Assigning takes effect at the next call; no new plan."""

    def __init__(self, solvers: list[_core._Solver]) -> None:
        self._solvers = solvers

    def __getitem__(self, sensor: str) -> float | list[float]:
        values = self._solvers[0].sigma(sensor)
        return values[0] if all(value == values[0] for value in values) else values

    def __setitem__(self, sensor: str, value: float | Sequence[float]) -> None:
        values = [float(x) for x in np.atleast_1d(np.asarray(value, dtype=np.float64))]
        for solver in self._solvers:
            solver.set_sigma(sensor, values)

    def __delitem__(self, sensor: str) -> None:
        raise TypeError("sigma: a sensor cannot be taken away under a plan; a gap in y (NaN) says that it read nothing")

    def __iter__(self) -> Iterator[str]:
        return iter(self._solvers[0].noisy)

    def __len__(self) -> int:
        return len(self._solvers[0].noisy)

    def __repr__(self) -> str:
        return f"Sigma({dict(self)})"
