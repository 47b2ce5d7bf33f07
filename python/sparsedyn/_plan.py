"""Orders of elimination, chosen offline."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core, _logs, _pickles
from ._core import Model, SensorSet
from ._errors import InputError
from ._files import files_of, write_files
from ._progress import Reporter
from ._tables import table_of

Sensors = SensorSet | str | os.PathLike[str] | Mapping[str, Any]

SNAP_OF_CODE = 1e-9  # load_urdf(snap=) where exact zeros make cheaper programs: generate, other formulations


class Plan:
    """An order of elimination for one structure of robot and sensor set. Made by optimise, or read by Plan.load.

    Numbers (masses, lengths, sigmas) may change under a plan; names, tree and rows may not.
    """

    def __init__(self, text: str, candidates: str = "[]", robot: Model | None = None, sensors: SensorSet | None = None) -> None:
        self._text = text
        self._data: dict[str, Any] = json.loads(text)
        self._candidates: list[dict[str, Any]] = json.loads(candidates)
        self._robot = robot
        self._sensors = sensors

    @property
    def candidates(self) -> Any:
        """All orders that were compared, cheapest first, as a pyarrow table; of a plan from a file the chosen one alone."""
        rows = self._candidates or [{"formulation": self.formulation, "strategy": self.strategy, **self.flops,
                                     "fill": self.fill, "cost": None, **self.health, "chosen": True}]
        keys = ("formulation", "strategy", "mul", "add", "div", "fill", "cost", "worst_backward_error", "worst_growth", "healthy",
                "chosen")
        return table_of({key: [row[key] for row in rows] for key in keys})

    @property
    def strategy(self) -> str:
        """Who proposed the order."""
        return str(self._data["strategy"])

    @property
    def formulation(self) -> str:
        """How the equations are written down."""
        return str(self._data.get("formulation", "newton-euler"))

    @property
    def flops(self) -> dict[str, int]:
        """Multiplications, additions and divisions of one factorisation and solve."""
        parts = self._data["flops"]
        return {kind: parts["factor"][kind] + parts["solve"][kind] for kind in ("mul", "add", "div")}

    @property
    def fill(self) -> int:
        """Entries that elimination adds to the matrix."""
        return int(self._data["fill"])

    @property
    def health(self) -> dict[str, Any]:
        """Over the states that were sampled: healthy, worst_backward_error, worst_growth."""
        health = self._data["health"]
        return {key: health[key] for key in ("worst_backward_error", "worst_growth", "healthy")}

    @property
    def snap(self) -> float:
        """The load_urdf(snap=) of the robot that it was made for: 1e-9 where its file records none."""
        return float(self._data.get("snap", SNAP_OF_CODE))

    @property
    def json(self) -> str:
        """As it is kept in files."""
        return self._text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan, for `sparsedyn solve --plan` too."""
        write_files({path: self._text}, files_of(self._robot, self._sensors))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Plan:
        """Reads a plan. Whether it fits is judged with robot and sensors. Raises InputError with the line."""
        return Plan(_core._read_plan(os.fspath(path)))

    def spy(self, robot: Model | None = None, sensors: Sensors | None = None) -> str:
        """The matrix in the order of elimination, its fill-in marked, as SVG. A plan from a file needs robot and sensors."""
        robot, sensors = robot or self._robot, sensors or self._sensors
        if robot is None or sensors is None:
            raise ValueError("spy: a plan from a file is drawn with its robot and sensors: plan.spy(robot, sensors)")
        return _core._spy(robot._snapped(self.snap), sensors, self._text)

    def __repr__(self) -> str:
        health = "healthy" if self.health["healthy"] else "not healthy"
        return f"Plan({self.strategy!r}, {self.formulation!r}, {sum(self.flops.values())} flops, fill {self.fill}, {health})"

    def _repr_html_(self) -> str:
        from html import escape

        drawing = self.spy() if self._robot is not None else ""
        return f"<p>{escape(repr(self))}</p>{drawing}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, _pickles.state(PICKLED, self._text, json.dumps(self._candidates), self._robot, self._sensors)


PICKLED = 1  #: the format's number
COUNTS = ("mul", "add", "div")


def _unpickled(*state: Any) -> Plan:
    """Raises InputError for what is no plan; whether it fits is judged with robot and sensors."""
    text, candidates, robot, sensors = _pickles.fields("Plan", PICKLED, state, 4)
    _pickles.read_json("Plan", "text", text, dict)
    for row in _pickles.read_json("Plan", "candidates", candidates, list):
        _pickles.typed("Plan", "candidates", row, dict, "objects")
    _pickles.typed("Plan", "robot", robot, (Model, type(None)), "a Model, or None")
    _pickles.typed("Plan", "sensors", sensors, (SensorSet, type(None)), "a SensorSet, or None")
    plan = Plan(text, candidates, robot, sensors)
    try:
        assert all(type(plan._data["flops"][part][kind]) is int for part in ("factor", "solve") for kind in COUNTS)
        assert type(plan._data["fill"]) is int and plan.health and str(plan._data["strategy"]) and plan.candidates is not None
    except (KeyError, TypeError, ValueError, ArithmeticError, AssertionError) as error:
        raise InputError(f"<pickle>: Plan.text: {type(error).__name__}: {error}; expected a plan as optimise makes it",
                         "<pickle>") from None
    return plan


def optimise(
    robot: Model,
    sensors: Sensors,
    formulation: str = "default",
    budget: float | None = None,
    seed: int = 1,
    *,
    gaps: Any = None,
    progress: bool | Callable[[float, str], None] | None = None,
) -> Plan:
    """Compares orders of elimination by exact operation counts and by their health at hundreds of states; offline.

    formulation  how the equations are written down: 'default' (newton-euler), another name, or 'best': whichever costs least
    budget       seconds of local search from the best order
    seed         of that search; as in `sparsedyn optimise`, 1 if not given
    gaps         a log: the plan gets an order for each pattern of gaps in it, and a Solver needs no search (for estimated sets)
    progress     True: a bar (tqdm if it is there); or a function of (fraction, what)

    Ctrl-C stops it. Raises AnswerIsNo for a set that does not determine the dynamics or contradicts itself. Cost: milliseconds
    for an arm, seconds for a humanoid's estimator. Estimated sets: orders that an earlier search kept in the user's cache are taken again
    for equal numbers, and for the same robot with deviations that are near, where they are as healthy at all states: the plan may
    then cost more than a search's. For other numbers of the same structure they are compared with what is found. So the plan
    may depend on earlier searches, which it does not say (with a budget it does not depend on them).
    """
    chosen = sensors if isinstance(sensors, SensorSet) else SensorSet(sensors)
    patterns: list[list[float]] = []
    if gaps is not None:
        missing = np.isnan(_logs.read(robot, _core._inputs(robot, chosen), gaps)[2])
        patterns = [np.where(row, np.nan, 0.0).tolist() for row in np.unique(missing, axis=0) if row.any()]
    with Reporter(progress, "optimise") as report:
        if formulation not in ("default", "newton-euler"):
            robot = robot._snapped(SNAP_OF_CODE)
        text, candidates = _core._optimise(robot, chosen, formulation, budget, seed, patterns, report.callback)
    return Plan(text, candidates, robot, chosen)
