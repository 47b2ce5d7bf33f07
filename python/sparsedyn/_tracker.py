"""The state of a robot over time: sd.Tracker, sample by sample, and sd.smooth, a whole log at once (docs/state-over-time.md)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _tables
from ._core import Model
from ._errors import InputError, SolveError, SparsedynWarning

Array = NDArray[np.float64]

#: A floating base's coordinates and velocities in a log.
BASE_COLUMNS = (
    tuple(f"q.base.{n}" for n in ("x", "y", "z", "qx", "qy", "qz", "qw")),
    tuple(f"dq.base.{n}" for n in ("wx", "wy", "wz", "vx", "vy", "vz")),
)


class Tracker:
    """The state of a robot from readings alone, sample by sample: where a floating base is and how it moves, joints' velocities, the
    offsets of the IMU, where the feet stand; of an arm whose torques are read also accelerations, torques and wrenches, as means
    over the interval that ends at the sample.

        t = sd.Tracker(robot, sensors, rate=250, sd=True)
        x = t.step(y)                        # an array, one number for each of t.columns

    rate     Hz, of steps that do not say their dt
    lag      samples that `delayed` can look back
    outputs  kinds ("q"), kinds and names ("q.base", "foot.left") or columns; default: q and dq
    sd       add sd.COLUMN for each; of an orientation sd.q.base.rx, .ry, .rz
    slip     a standing foot that slips is released by as much
    rows     "kinematic": without torques; "whole-body": with the dynamics; default: what the set reads

    Raises AnswerIsNo where the sensors leave open what is tracked, ValueError for unknown outputs.
    """

    def __init__(
        self,
        robot: Model,
        sensors: Any,
        rate: float | None = None,
        lag: int = 0,
        *,
        outputs: Sequence[str] | None = None,
        sd: bool = False,
        slip: bool = True,
        rows: str | None = None,
    ) -> None:
        if rate is not None and not 0 < rate < float("inf"):
            raise ValueError(f"rate: {rate!r}; expected a number > 0")
        if lag < 0:
            raise ValueError(f"lag: {lag}; expected 0 or more")
        self._dt = None if rate is None else 1 / rate
        if rows not in (None, "kinematic", "whole-body"):
            raise ValueError(f"rows: {rows!r}; expected 'kinematic' or 'whole-body'")
        self._core = _core._Tracker(robot, sensors, list(outputs or ()), sd, lag, slip, rows or "")
        for note in self._core.notes:
            warnings.warn(note, SparsedynWarning, stacklevel=2)
        self._samples = 0

    @property
    def inputs(self) -> list[str]:
        """The entries of y: as a log calls them, best names."""
        return [names[0] for names, *_ in self._core.inputs]

    @property
    def columns(self) -> list[str]:
        """What `step` gives."""
        return self._core.columns

    @property
    def rows(self) -> str:
        """Which rows are taken: "kinematic" or "whole-body"."""
        return self._core.rows

    @property
    def states(self) -> int:
        """Errors of the state: 9 of the base, 3 an offset, 3 a foothold, 2 a joint; of the whole body 2 a joint, 1 an offset, and
        those of the interval."""
        return self._core.states

    @property
    def unobservable(self) -> list[str]:
        """What no row sees, whatever the motion: place and yaw of a base, offsets, wrenches, forces of closed loops."""
        return self._core.unobservable

    @property
    def at_prior(self) -> list[str]:
        """Offsets, wrenches, accelerations and forces of closed loops of which no sample so far told anything: their values and
        deviations are what was taken for likely before (0.99 of the deviation; of a loop's force a tenth of it)."""
        return self._core.at_prior

    def start(self, q0: ArrayLike | None = None, dq0: ArrayLike | None = None) -> None:
        """The next sample starts anew, with the base at q0 and moving by dq0; default: at the origin, tilt from the accelerometer."""
        self._core.start(q0, dq0)
        self._samples = 0

    def step(self, y: ArrayLike | Mapping[str, float], dt: float | None = None) -> Array:
        """The estimates after a sample. y: an array like `inputs`, NaN where there is no reading, or a dict by their names. dt (s):
        since the sample before. Raises SolveError where the sample cannot be used; the estimate is then as it was."""
        dt = self._dt if dt is None else dt
        if dt is None:
            raise ValueError("dt: expected the seconds since the sample before, or Tracker(…, rate=…)")
        if isinstance(y, Mapping):
            y = self._row(y)
        x, why, *_ = self._core.step(y, dt)
        self._samples += 1
        if x is None:
            raise SolveError([self._samples - 1], [why], self._samples)
        return x

    def _row(self, y: Mapping[str, float]) -> Array:
        row = np.array([np.nan if needed else fallback for _, needed, fallback in self._core.inputs])
        names = {name: k for k, (columns, *_) in enumerate(self._core.inputs) for name in columns}
        for name, value in y.items():
            if name not in names:
                raise ValueError(f"y: {name!r}; expected one of {', '.join(self.inputs)}")
            row[names[name]] = value
        return row

    def delayed(self, back: int) -> Array:
        """The estimate `back` samples ago (0 to the lag), given all readings so far."""
        x = self._core.delayed(back)
        if x is None:
            raise IndexError(f"delayed({back}): no such sample is kept")
        return x

    def run(self, log: Any) -> Any:
        """All rows of a log, from a start of its own: a table of `time` and `columns`, NaN in rows that cannot be used."""
        return self._through(log, 0)

    def _through(self, log: Any, iterations: int) -> Any:
        time, y = self._read(log)
        rows = self._core.run(time, y, *self._base_of(log), iterations)
        self._samples = len(time)
        untold = [c for c in self.columns if c in self.at_prior]
        if untold:
            what = "their deviations are as wide as before the log, and their values mean nothing"
            warnings.warn(f"no reading tells {', '.join(untold)}: {what}", SparsedynWarning, stacklevel=3)
        return _tables.table_of({"time": time, **dict(zip(self.columns, np.ascontiguousarray(rows.T)))})

    def _read(self, log: Any) -> tuple[Array, Array]:
        names = set(_tables.column_names(log))
        inputs = self._core.inputs
        chosen = [next((c for c in columns if c in names), None) for columns, *_ in inputs]
        missing = [columns[0] for (columns, needed, _), c in zip(inputs, chosen) if c is None and needed]
        if "time" not in names:
            missing.insert(0, "time")
        if missing:
            raise InputError(f"log: columns: {', '.join(missing)} missing; expected every column that is read", "log")
        time = np.asarray(_tables.column(log, "time"), float)
        y = np.tile([fallback for *_, fallback in inputs], (len(time), 1))
        for k, column in enumerate(chosen):
            if column is not None:
                y[:, k] = _tables.column(log, column)
        return time, y

    @staticmethod
    def _base_of(log: Any) -> tuple[Array | None, Array | None]:
        """Position and velocity of the base in each row, where the log has them: the estimate starts there."""
        names = set(_tables.column_names(log))
        found: list[Array | None] = []
        for columns in BASE_COLUMNS:
            there = all(c in names for c in columns)
            found.append(np.stack([_tables.column(log, c) for c in columns], -1) if there else None)
        return found[0], found[1]


def smooth(
    robot: Model,
    sensors: Any,
    log: Any,
    *,
    outputs: Sequence[str] | None = None,
    sd: bool = False,
    slip: bool = True,
    iterations: int = 3,
    rows: str | None = None,
) -> Any:
    """The state of each row of a log given all its readings: a table of `time` and the outputs of a Tracker, NaN in rows that cannot
    be used. iterations: forward and backward over the log, linearised anew. Memory grows with the log."""
    if iterations < 1:
        raise ValueError(f"iterations: {iterations}; expected 1 or more")
    tracker = Tracker(robot, sensors, outputs=outputs, sd=sd, slip=slip, rows=rows)
    return tracker._through(log, iterations)
