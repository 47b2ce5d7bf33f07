"""What sensors determine, and logs of what they read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from typing import Any

from numpy.typing import ArrayLike

from . import _core
from ._core import Constraints, Model, SensorSet
from ._files import files_of, refuse_clash
from ._motion import Integrator, simulate_forward
from ._tables import table_of

Sensors = SensorSet | str | os.PathLike[str] | Mapping[str, Any]


class Determinacy:
    """The answer of check. Prints as the command line does."""

    verdict: str  #: 'determined', 'redundant' or 'insufficient'
    rank: int  #: numeric, the best over the states tried
    unknowns: int
    equations: int
    undetermined: list[str]  #: unknowns, named as output columns
    redundant_exact: list[str]  #: exact rows that depend on each other
    assumptions: list[dict[str, Any]]  #: what would help without a sensor, as in a set, and removes (directions)
    advice: list[dict[str, Any]]  #: sensors that would help: type, joint or link, removes (directions)
    report: dict[str, Any]  #: all of `check --json`

    def __init__(self, text: str, report: str) -> None:
        self._text = text
        self.report = json.loads(report)
        for key in ("verdict", "rank", "unknowns", "equations", "undetermined", "redundant_exact", "assumptions", "advice"):
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
    integrator: Integrator = "semi-implicit",
    project: bool = False,
    effort_limits: bool | ArrayLike = False,
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
    integrator            'semi-implicit', 'implicit-velocity' (damping at the velocity after the step), 'runge-kutta' (4th order)
    project               hard loops are closed again at the start and after each step
    effort_limits         True (the URDF's, where they are above 0) or nv numbers: tau stays within them
    report                path of an HTML page on which the robot moves; `watch` shows it in a notebook

    Ctrl-C stops it. A motion that ends early raises SolveError with the row.
    """
    if forward or constraints is not None:
        if report is not None:
            refuse_clash([report], files_of(robot, constraints))
        if sensors is not None:
            raise ValueError("sensors: a robot that is let go is not measured; expected one of sensors and constraints")
        motion = simulate_forward(robot, constraints, start, hold, targets, repeat, integrator, project, seconds, rate, report is not None, effort_limits)
        if report is not None and motion.html:
            motion.save(report)
        return motion.table_or_error(round(seconds * rate))
    if not (start is None and hold is None and targets is None and report is None and integrator == "semi-implicit") or project or effort_limits is not False:
        raise ValueError("start, hold, targets, integrator, project, effort_limits, report: expected forward or constraints beside them")
    names, columns = _core._simulate(robot, sensors, seconds, rate, seed)
    return table_of(dict(zip(names, columns)))
