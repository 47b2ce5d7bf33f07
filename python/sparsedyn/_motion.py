"""Forward simulation, and pages that animate it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from html import escape
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import Constraints, Model
from ._errors import SolveError
from ._files import write_files
from ._tables import Array, column, column_names, table_of

Integrator = Literal["semi-implicit", "implicit-velocity", "runge-kutta"]
AnyConstraints = Constraints | str | os.PathLike[str] | Mapping[str, Any]


class Motion:
    """A robot's motion: `table` as `simulate` gives it, and a page that animates it, which notebooks show."""

    table: Any  #: time (s), q.*, dq.*, ddq.*, tau.*, lambda.*, gap.*: a pyarrow table
    html: str  #: the complete page; it loads nothing from elsewhere

    def __init__(self, names: list[str], rows: Array, html: str, failed: int, why: str, rate: float, robot: str) -> None:
        self.table = table_of(dict(zip(names, np.ascontiguousarray(rows.T))))
        self.html = html
        self._failed, self._why, self._rate, self._robot = failed, why, rate, robot

    def table_or_error(self, asked: int) -> Any:
        """The table; of a motion that ended before the `asked` rows were there, SolveError with its row."""
        if self._failed >= 0:
            raise SolveError([self._failed], [f"at {self._failed / self._rate:g} s: {self._why}"], asked)
        return self.table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        write_files({path: self.html})

    def __repr__(self) -> str:
        rows = self.table.num_rows
        ended = f", ended: {self._why}" if self._failed >= 0 else ""
        return f"Motion({self._robot!r}, {rows} rows, {rows / self._rate:g} s{ended})"

    def _repr_html_(self) -> str:
        """In a frame of its own, so that the page's style and script do not affect the notebook."""
        if not self.html:
            return f"<pre>{escape(repr(self))}</pre>"
        frame = f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" style="width:100%;height:700px;border:0"></iframe>'
        return frame if self._failed < 0 else f"<pre>{escape(repr(self))}</pre>{frame}"


def simulate_forward(
    robot: Model,
    constraints: AnyConstraints | None,
    start: tuple[ArrayLike, ArrayLike] | None,
    hold: tuple[float, float] | None,
    targets: Any,
    repeat: bool,
    integrator: Integrator,
    project: bool,
    seconds: float,
    rate: float,
    paged: bool,
    effort_limits: bool | ArrayLike = False,
) -> Motion:
    """As `simulate` and `watch` do; without a page unless `paged`."""
    q, dq = (robot.neutral(), np.zeros(robot.nv)) if start is None else start
    kp, kd = (0.0, 0.0) if hold is None else hold
    points = None if targets is None else _set_points(robot, targets, repeat, hold is not None)
    names, rows, failed, why, page = _core._simulate_forward(
        robot, constraints, q, dq, kp, kd, seconds, rate, integrator, project, points, repeat, paged, effort_limits
    )
    return Motion(names, rows, page, failed, why, rate, robot.name)


def watch(
    robot: Model,
    constraints: AnyConstraints | None = None,
    seconds: float = 5,
    rate: float = 500,
    *,
    start: tuple[ArrayLike, ArrayLike] | None = None,
    hold: tuple[float, float] | None = None,
    targets: Any = None,
    repeat: bool = False,
    integrator: Integrator = "semi-implicit",
    project: bool = False,
    effort_limits: bool | ArrayLike = False,
    forward: bool = True,
) -> Motion:
    """Forward simulation with an animation: as the last line of a notebook's cell it shows the robot moving.

    The arguments are those of `simulate`; `forward` is always meant. A motion that ends early is shown up to its end, with the
    reason. Ctrl-C stops it.
    """
    if not forward:
        raise ValueError("forward: False; expected True: what is watched is a robot that is let go")
    return simulate_forward(robot, constraints, start, hold, targets, repeat, integrator, project, seconds, rate, True, effort_limits)


def _set_points(robot: Model, targets: Any, repeat: bool, held: bool) -> Array:
    """Rows of time from the first one on, then q (NaN where the table says nothing), dq, tau by entry of v."""
    names = column_names(targets)
    if "time" not in names:
        raise ValueError("targets: no column time; expected time, and q., dq., tau. of joints")
    time = column(targets, "time")
    single = {name: k for k, name in enumerate(robot.velocity_names) if name in robot.coordinate_names}
    rows = np.zeros((len(time), 1 + 3 * robot.nv))
    rows[:, 0] = time - time[:1]
    rows[:, 1 : 1 + robot.nv] = np.nan
    found = {kind: [n for n in single if f"{kind}.{n}" in names] for kind in ("q", "dq", "tau")}
    for block, kind in enumerate(found):
        for name in found[kind]:
            values = column(targets, f"{kind}.{name}")
            if not np.isfinite(values).all():
                raise ValueError(f"targets: {kind}.{name} is not finite; expected numbers, or no such column")
            rows[:, 1 + block * robot.nv + single[name]] = values
    if not any(found.values()):
        raise ValueError("targets: no set point of a joint; expected q.JOINT, dq.JOINT or tau.JOINT of joints with one freedom")
    if (found["q"] or found["dq"]) and not held:
        raise ValueError("targets: expected hold beside positions or velocities")
    if len(time) < 1 + repeat or not np.all(np.diff(time) > 0):
        raise ValueError("targets: time; expected numbers that grow, " + ("two or more" if repeat else "one or more"))
    return rows
