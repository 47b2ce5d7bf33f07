"""What sensors determine, and logs of what they read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import Constraints, Model, SensorSet
from ._errors import SolveError
from ._tables import Array, column, column_names, table_of

Sensors = SensorSet | str | os.PathLike[str] | Mapping[str, Any]


class Determinacy:
    """The answer of check. Prints as the command line does."""

    verdict: str  #: 'determined', 'redundant' or 'insufficient'
    rank: int  #: numeric, the best over the states tried
    unknowns: int
    equations: int
    undetermined: list[str]  #: unknowns, named as output columns
    redundant_exact: list[str]  #: exact rows that depend on each other
    advice: list[dict[str, Any]]  #: sensors that would help: type, joint or link, removes (directions)
    report: dict[str, Any]  #: all of `check --json`

    def __init__(self, text: str, report: str) -> None:
        self._text = text
        self.report = json.loads(report)
        for key in ("verdict", "rank", "unknowns", "equations", "undetermined", "redundant_exact", "advice"):
            setattr(self, key, self.report[key])

    def __bool__(self) -> bool:
        """Whether every unknown is determined, and no exact rows are redundant: exit code 0 of the command line."""
        return self.verdict != "insufficient" and not self.redundant_exact

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Determinacy({self.verdict!r}, rank {self.rank} of {self.unknowns} unknowns, {self.equations} equations)"

    def _repr_html_(self) -> str:
        colour = {"determined": "#2a7", "redundant": "#27a", "insufficient": "#c33"}[self.verdict]
        return f"<b style='color:{colour}'>{self.verdict}</b><pre>{escape(str(self))}</pre>"


def check(robot: Model, sensors: Sensors) -> Determinacy:
    """Whether these sensors determine the dynamics: rank, what stays open by name, which sensors would help.

    Cost: dense factorisations at 24 states and at special ones; Ctrl-C stops it.
    """
    return Determinacy(*_core._check(robot, sensors))


def simulate(
    robot: Model,
    sensors: Sensors | None = None,
    seconds: float = 10,
    rate: float = 100,
    seed: int = 1,
    *,
    forward: bool = False,
    constraints: Constraints | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    start: tuple[ArrayLike, ArrayLike] | None = None,
    hold: tuple[float, float] | None = None,
    targets: Any = None,
    repeat: bool = False,
    integrator: str = "semi-implicit",
    project: bool = False,
    report: str | os.PathLike[str] | None = None,
) -> Any:
    """A log as a pyarrow table: time (s), q.*, dq.*, ddq.*, tau.*; round(seconds · rate) rows.

    By itself a smooth motion; with a sensor set the true external wrenches and what the sensors read, with their noise, too.
    The same seed gives the same numbers as the command line's `simulate`. Raises AnswerIsNo where constants of the set
    contradict the motion.

    forward, constraints  the robot let go instead, by semi-implicit Euler; with constraints also lambda.* and gap.*
    start                 (q, dq) at which it is let go; at rest in its neutral posture unless given
    hold                  (kp, kd): tau = kp (q0 − q) − kd dq, q0 the start's posture; none at a floating base
    targets, repeat       a table or dict with time and, of joints with one freedom, q.JOINT, dq.JOINT, tau.JOINT as far as they are
                          wanted: tau = kp (q* − q) + kd (dq* − dq) + tau*, linear between rows; over and over with repeat
    integrator            'semi-implicit', 'implicit-velocity' (damping at the velocity after the step), 'runge-kutta' (4th order,
                          joints of one freedom)
    project               hard loops are closed again at the start and after each step
    report                path of an HTML page on which the robot moves; `IPython.display.IFrame(path, 1000, 700)` shows it in a
                          notebook

    Ctrl-C stops it. A motion that ends early raises SolveError with the row.
    """
    if forward or constraints is not None:
        if sensors is not None:
            raise ValueError("sensors: a robot that is let go is not measured; expected one of sensors and constraints")
        q, dq = (robot.neutral(), np.zeros(robot.nv)) if start is None else start
        kp, kd = (0.0, 0.0) if hold is None else hold
        points = None if targets is None else _set_points(robot, targets, repeat, hold is not None)
        names, rows, failed, why, page = _core._let_go(robot, constraints, q, dq, kp, kd, seconds, rate, integrator, project, points, repeat, report is not None)
        if report is not None and page:
            with open(report, "w", encoding="utf-8") as file:
                file.write(page)
        if failed >= 0:
            raise SolveError([failed], [f"at {failed / rate:g} s: {why}"], round(seconds * rate))
        return table_of(dict(zip(names, np.ascontiguousarray(rows.T))))
    if not (start is None and hold is None and targets is None and report is None and integrator == "semi-implicit") or project:
        raise ValueError("start, hold, targets, integrator, project, report: expected forward or constraints beside them")
    names, columns = _core._simulate(robot, sensors, seconds, rate, seed)
    return table_of(dict(zip(names, columns)))


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
