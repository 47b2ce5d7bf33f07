"""Logs as the arrays that a sensor set reads, and what they lack made from their positions."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core, _tables
from ._core import Model
from ._errors import InputError, SparsedynWarning

Array = NDArray[np.float64]


def state_columns(robot: Model) -> tuple[list[str], list[str]]:
    return [f"q.{name}" for name in robot.coordinate_names], [f"dq.{name}" for name in robot.velocity_names]


def whole_motion_missing(robot: Model, names: Collection[str]) -> list[str]:
    """Columns of a free base's position and linear velocity, which no robot knows, that a log lacks."""
    return [name for name in _core._whole_motion(robot) if name not in names]


Inputs = Sequence[tuple[list[str], bool, float, int, bool]]


def stand_ins(inputs: Inputs, read_from: Sequence[str]) -> dict[str, str]:
    """Of noisy readings that a log lacks the columns that stand in for them: {"y.motors.elbow": "tau.elbow"}."""
    used = zip(inputs, read_from)
    return {columns[0]: column for (columns, *_, noisy), column in used if noisy and column not in ("", columns[0])}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def read(robot: Model, inputs: Inputs, log: Any, stand_in: bool = True) -> tuple[Array, Array, Array, list[str]]:
    """q, dq, y of each row, and the column that each input was read from (or ""). inputs: each with the columns that would do,
    best first, whether one must be there, the number that stands in, its measurement, and whether that is noisy. Columns that
    stand in for readings are named in a warning; without `stand_in` they are refused. Raises InputError."""
    names = _tables.column_names(log)
    q, dq, y, missing, zeros, others = _core._mapped_columns(robot, inputs, names)
    if missing:
        raise InputError(f"log: columns: {', '.join(missing)} missing{others}; expected every column that the set reads", "log")
    for part in zeros:
        warnings.warn(f"log: {', '.join(part)} missing, taken as 0", SparsedynWarning, stacklevel=4)
    if standing := stand_ins(inputs, y):
        said = f"{_listed(list(standing.values()))} in the place of {_listed(list(standing))}"
        if not stand_in:
            raise InputError(f"log: columns: {said}; expected the readings themselves (stand_in=False)", "log")
        warnings.warn(f"log: {said}, which it lacks", SparsedynWarning, stacklevel=4)
    first = next((name for name in (*q, *dq) if name), None)
    rows = len(_tables.column(log, first)) if first is not None else 0

    def gathered(columns: Sequence[str], otherwise: Sequence[float]) -> Array:
        numbers = np.empty((rows, len(columns)))
        for k, column in enumerate(columns):
            numbers[:, k] = _tables.column(log, column) if column else otherwise[k]
        return numbers

    zero = [0.0] * max(len(q), len(dq))
    return gathered(q, zero), gathered(dq, zero), gathered(y, [fallback for _, _, fallback, *_ in inputs]), y


class Differentiated(NamedTuple):
    """What differentiate makes."""

    table: Any  #: the log with dq.* that it lacked, and ddq.*
    deviation: dict[str, float]  #: standard deviation of each made column's error; NaN where it holds no number
    window: dict[str, float]  #: s, over which a polynomial was fitted
    cutoff: dict[str, float]  #: Hz, where half of the positions' power is left


MAX_GAP = 100_000_000  #: ns, over which nothing is made up


def _resampled(log: Any, rate: float) -> dict[str, Any]:
    """The log's columns of numbers at whole multiples of 1/rate, on lines between samples that are at most 0.1 s apart, as
    recordings of many topics are resampled; an orientation by the shorter way."""
    from ._scale import clock

    if not 0 < rate < float("inf"):
        raise ValueError(f"rate: {rate!r}; expected a number > 0")
    names = _tables.column_names(log)
    numbers = {name: np.ascontiguousarray(_tables.column(log, name)) for name in names}
    time = numbers.pop("time")
    if len(time) == 0 or not np.isfinite(time).all():
        raise ValueError("log: time: no number; expected times, in s")
    stamps = np.rint(time * 1e9).astype(np.int64)
    even = clock.even(rate, int(stamps.min()), int(stamps.max()) + 1)
    table: dict[str, Any] = {"time": even * 1e-9}
    for name in numbers:
        stem = name[:-1]
        group = [stem + part for part in "xyzw"] if name.endswith(".qx") else [name]
        if name in table:
            continue
        whole = len(group) == 4 and all(each in numbers for each in group)
        columns = group if whole else [name]
        values = np.stack([numbers[each] for each in columns], -1)
        in_order, ordered = clock.in_order(stamps, values)
        turns = np.zeros(len(ordered))
        if name.startswith("q.") and not whole:  # nearly a turn from one sample to the next is none
            step = np.diff(ordered[:, 0])
            jumps = np.where((np.abs(step) > 1.8 * np.pi) & (np.abs(step) < 2.2 * np.pi), np.sign(step), 0.0)
            turns[1:] = 2 * np.pi * np.cumsum(jumps)
        found = clock.onto(even, in_order, ordered - turns[:, None], "linear", MAX_GAP, whole)
        found += turns[np.searchsorted(in_order, even, side="right") - 1][:, None]
        table.update(zip(columns, found.T.copy()))
    return {name: table[name] for name in names}


def differentiate(
    log: Any, cutoff: float | None = None, window: float | None = None, *, rate: float | None = None
) -> Differentiated:
    """Velocities and accelerations from a log's positions, without phase lag, as `sparsedyn differentiate` makes them.

    log      a table of pandas, pyarrow or polars, or a dict of arrays, with `time` and q.*; what is missing in it is a gap
    cutoff   Hz, where half of the positions' power is left; or
    window   s, over which polynomials of degree 4 are fitted; without either, one is chosen for each derivative
    rate     Hz: a log with jittering times is resampled to an even clock first, by linear interpolation between samples that are at
             most 0.1 s apart

    Raises ValueError where times are not even to a hundredth (without rate), or no column q.* is there.
    """
    if cutoff is not None and window is not None:
        raise ValueError("cutoff and window: expected one of the two")
    for name, value in (("cutoff", cutoff), ("window", window)):
        if value is not None and not 0 < value < float("inf"):
            raise ValueError(f"{name}: {value!r}; expected a number > 0")
    names = _tables.column_names(log)
    if "time" not in names:
        raise ValueError("log: no column time; expected evenly spaced times")
    kind = log
    if rate is not None:
        log = _resampled(log, rate)
    time = _tables.column(log, "time")
    step = (time[-1] - time[0]) / (len(time) - 1) if len(time) > 1 else 0.0
    uneven = ~(np.abs(np.diff(time) - step) <= 0.01 * step)
    if not step > 0 or uneven.any():
        row = int(np.argmax(uneven)) + 1
        raise ValueError(f"log: time: an uneven step before row {row}; expected even steps, of {step:g} s on average, or rate=")
    columns = [name for name in names if name.startswith("q.")]
    values = [np.ascontiguousarray(_tables.column(log, name)) for name in columns]
    made, numbers, deviation, windows, cutoffs, jumps, bounded = _core._differentiate(
        columns, values, step, cutoff or 0.0, window or 0.0
    )
    if jumps:
        warnings.warn(f"log: jumps by nearly 2π, taken as none: {', '.join(jumps)}", SparsedynWarning, stacklevel=2)
    empty = [name for name, sd in zip(made, deviation) if np.isnan(sd)]
    if empty:
        text = f"log: NaN throughout, for no stretch without a gap is as long as a window: {', '.join(empty)}"
        warnings.warn(text, SparsedynWarning, stacklevel=2)
    if bounded:
        text = f"log: turned by more than a quarter within half of the window, which is shorter there: {', '.join(bounded)}"
        warnings.warn(text, SparsedynWarning, stacklevel=2)
    table = {name: log[name] for name in names}
    table.update({name: column for name, column in zip(made, numbers) if name.startswith("ddq.") or name not in names})
    return Differentiated(_tables.like(kind, table), dict(zip(made, deviation)), dict(zip(made, windows)), dict(zip(made, cutoffs)))
