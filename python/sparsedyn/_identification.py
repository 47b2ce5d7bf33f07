"""Parameters of bodies and joints from logs with torques."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _tables
from ._core import Model
from ._errors import AnswerIsNo, InputError
from ._progress import Reporter

Array = NDArray[np.float64]
KINDS = ("inertia", "armature", "damping", "friction", "offset")
FITTED = (*KINDS, "smoothing")
WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")


class TorqueInformation:
    """What motion and torques say of a robot's parameters, compressed to a triangle a torque: memory does not grow with the logs.

    Parts add up: of a log, of several processes (it can be pickled), of several machines (`merge`).
    """

    def __init__(self, robot: Model) -> None:
        self.robot = robot
        self._core = _core._Torques(robot)

    def add(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, tau: ArrayLike, fx: Mapping[str, ArrayLike] | None = None) -> None:
        """q (..., nq), dq, ddq and tau (..., nv), fx as in rnea. A NaN in tau leaves that torque out of its row.

        Other numbers that are not finite raise SolveError, and nothing is added. Cost: n² of the parameters that a torque
        depends on, for each torque and row.
        """
        self._core.add(self.robot, q, dq, ddq, tau, fx)

    def add_log(self, log: Any) -> None:
        """Rows of a table of pandas, pyarrow or polars, or of a dict of arrays, with the columns of `sparsedyn identify`."""
        robot, names = self.robot, set(_tables.column_names(log))
        parts = {"q": robot.coordinate_names, "dq": robot.velocity_names, "ddq": robot.velocity_names, "tau": robot.force_names}
        columns = {part: [f"{part}.{name}" for name in of] for part, of in parts.items()}
        missing = [name for part in columns.values() for name in part if name not in names]
        if missing and not all(name.startswith("tau.base.") for name in missing):
            raise InputError(f"log: columns: {', '.join(missing)} missing; expected q, dq, ddq, tau", "log")
        read = {part: np.stack([self._column(log, name, names) for name in of], -1) for part, of in columns.items()}
        fx = {}
        for link in robot.link_names:
            wrench = [f"fx.{link}.{c}" for c in WRENCH]
            if any(name in names for name in wrench):
                fx[link] = np.stack([self._column(log, name, names, len(read["q"])) for name in wrench], -1)
        self.add(**read, fx=fx)

    @staticmethod
    def _column(log: Any, name: str, names: set[str], rows: int | None = None) -> Array:
        if name in names:
            return _tables.column(log, name)
        return np.zeros(len(_tables.column(log, next(iter(names)))) if rows is None else rows)

    def merge(self, other: TorqueInformation) -> None:
        """The rows of another too, of the same robot. Raises ValueError for one of another."""
        self._core.merge(other._core)

    @property
    def rows(self) -> dict[str, int]:
        """How many rows each torque has."""
        return dict(zip(self.robot.force_names, self._core.rows()))

    def __repr__(self) -> str:
        return f"TorqueInformation({self.robot.name!r}, {sum(self._core.rows())} torques)"

    def __getstate__(self) -> tuple[Model, list[float]]:
        return self.robot, self._core.state()

    def __setstate__(self, state: tuple[Model, list[float]]) -> None:
        self.robot = state[0]
        self._core = _core._Torques(self.robot)
        self._core.restore(state[1])


class Identification:
    """The answer of identify. Prints as the command line does."""

    report: dict[str, Any]  #: all of `identify --json`
    value: Array  #: of each parameter, as robot.parameter_names
    sd: Array  #: their standard deviations; 0 where not fitted
    joints: dict[str, Any]  #: armature, damping, friction, offset: load_urdf(…, joints=…) takes it
    urdf: str  #: the robot's file with the fitted inertias, all else as it was
    rank: int  #: of the fitted parameters, in the data
    condition: float  #: of the base regressor; inf where rank is lost
    rows: int  #: torques, over all rows
    chi_square: float  #: weighted squares over rows − rank
    torque_rms: dict[str, dict[str, float]]  #: before, after, holdout_before, holdout_after by torque

    def __init__(self, report: str, text: str, joints: str, urdf: str, value: Sequence[float], sd: Sequence[float]) -> None:
        self._parts = report, text, joints, urdf, value, sd
        self._text, self.urdf = text, urdf
        self.report = json.loads(report)
        self.joints = json.loads(joints)["joints"]
        self.value, self.sd = np.asarray(value, dtype=np.float64), np.asarray(sd, dtype=np.float64)
        for key in ("rank", "rows", "chi_square", "torque_rms"):
            setattr(self, key, self.report[key])
        self.condition = float("inf") if self.report["condition"] is None else self.report["condition"]

    @property
    def parameters(self) -> Any:
        """A pyarrow table: name, urdf, value, sd, determined."""
        rows = self.report["parameters"]
        return _tables.table_of({key: [row[key] for row in rows] for key in ("name", "urdf", "value", "sd", "determined")})

    @property
    def base_parameters(self) -> Any:
        """A pyarrow table of what the torques can tell apart: expression, value, sd."""
        rows = self.report["base_parameters"]
        return _tables.table_of({key: [row[key] for row in rows] for key in ("expression", "value", "sd")})

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        determined = sum(row["determined"] for row in self.report["parameters"])
        return f"Identification({determined} of {len(self.value)} parameters determined, rank {self.rank})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Identification, self._parts


def _information(robot: Model, logs: Any) -> TorqueInformation:
    """Of one log, several, or what was gathered before."""
    if isinstance(logs, TorqueInformation):
        if logs.robot is not robot:
            raise ValueError("identify: information of another robot")
        return logs
    information = TorqueInformation(robot)
    for log in logs if isinstance(logs, (list, tuple)) else [logs]:
        information.add_log(log)
    return information


def _adder(robot: Model, logs: Any) -> Callable[[Any], None]:
    """Adds all rows of these logs to a core object again."""

    def add(core: Any) -> None:
        information = TorqueInformation.__new__(TorqueInformation)
        information.robot, information._core = robot, core
        for log in logs if isinstance(logs, (list, tuple)) else [logs]:
            information.add_log(log)

    return add


def identify(
    robot: Model,
    logs: Any,
    holdout: Any = None,
    fit: Sequence[str] | str = (),
    prior: float = 0.3,
    robust: str | None = None,
) -> Identification:
    """Masses, centres of mass, inertias, armature, damping, friction and offsets that explain logged torques; bodies can exist.

    logs     a table of pandas, pyarrow or polars (or dict of arrays) with q, dq, ddq, tau; a list of them; or TorqueInformation
    holdout  the same, that is not fitted to: its torques' errors are in the answer
    fit      of 'inertia', 'armature', 'damping', 'friction', 'offset'; all unless given. The rest keeps the robot's numbers.
             'smoothing' too: friction's smoothing velocity by joint (alone: with all the others)
    prior    deviation of a body's parameters from the robot's, relative to its own size
    robust   'huber': rows far off weigh less

    'smoothing' and `robust` read the logs several times, so they take tables and not TorqueInformation. Ctrl-C stops it. Raises
    AnswerIsNo where a torque has fewer rows than parameters. Cost: one pass over the rows (ten or so), then a convex problem in the
    number of parameters: under a second for an arm.
    """
    kinds = [fit] if isinstance(fit, str) else list(fit)
    for kind in kinds:
        if kind not in FITTED:
            raise ValueError(f"fit: {kind!r}; expected {', '.join(FITTED)}")
    if robust not in (None, "huber"):
        raise ValueError(f"robust: {robust!r}; expected None or 'huber'")
    again = robust is not None or "smoothing" in kinds
    for name, given in (("logs", logs), ("holdout", holdout)):
        if again and isinstance(given, TorqueInformation):
            raise ValueError(f"{name}: TorqueInformation; expected tables, which are read several times")
    information = _information(robot, logs)
    for name, rows, order in zip(robot.force_names, information._core.rows(), information._core.orders()):
        if 0 < rows <= order or not any(information._core.rows()):
            raise AnswerIsNo(f"identify: {rows} rows of tau.{name}; expected more than the {order} parameters that it depends on")
    held = None if holdout is None else _information(robot, holdout)._core
    if not again:
        return Identification(*information._core.fit(robot, kinds, prior, held))
    read, read_held = _adder(robot, logs), _adder(robot, () if holdout is None else holdout)
    return Identification(*information._core.fit_by_passes(robot, kinds, prior, robust == "huber", read, held, read_held))


@dataclass(frozen=True)
class Excitation:
    """The answer of excite."""

    table: Any  #: a pyarrow table: time, q.*, dq.*, ddq.*, tau.* of inverse dynamics, as `sparsedyn excite` writes
    period: float  #: s, after which the motion repeats itself
    condition: float  #: of the base parameters' regressor, columns of unit length, torques in shares of their limits
    random_condition: float  #: the same of the first motion that keeps the limits, a random one
    base_parameters: int  #: how many there are
    motions: int  #: that were tried


def excite(
    robot: Model,
    seconds: float = 20,
    rate: float = 100,
    *,
    fit: Sequence[str] | str = (),
    harmonics: int = 5,
    criterion: str = "determinant",
    budget: int = 1000,
    seed: int = 1,
    progress: bool | Callable[[float, str], None] | None = None,
) -> Excitation:
    """A periodic motion within the limits of position, velocity and effort from whose torques `identify` tells parameters well.

    seconds, rate  of the table: whole periods of 10 s at most; rows a second
    fit            of 'inertia', 'armature', 'damping', 'friction', 'offset': what is to be told; all unless given
    harmonics      of each joint's Fourier series, 3 to 100
    criterion      'determinant': -log det of the information; or 'condition'
    budget         motions that are tried; seed: of the search

    For robots with joints of one freedom on a fixed base: ValueError for others. Raises AnswerIsNo where no motion that was tried
    keeps the limits of effort. Ctrl-C stops it. Cost: about 3 ms a motion for seven joints.
    """
    kinds = [fit] if isinstance(fit, str) else list(fit)
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"fit: {kind!r}; expected {', '.join(KINDS)}")
    with Reporter(progress, "excite") as report:
        states, period, condition, random_condition, count, motions = _core._excite(
            robot, seconds, rate, kinds, harmonics, criterion, budget, seed, report.callback
        )
    if states is None:
        raise AnswerIsNo(f"excite: none of {motions} motions keeps the limits of effort, not even small ones")
    n = robot.nv
    parts = {"q": states[:, :n], "dq": states[:, n : 2 * n], "ddq": states[:, 2 * n :]}
    parts["tau"] = _core.rnea(robot, parts["q"], parts["dq"], parts["ddq"])
    names = {"q": robot.coordinate_names, "dq": robot.velocity_names, "ddq": robot.velocity_names, "tau": robot.force_names}
    columns = {"time": np.arange(len(states)) / rate}
    for part, values in parts.items():
        columns.update({f"{part}.{name}": np.ascontiguousarray(column) for name, column in zip(names[part], values.T)})
    return Excitation(_tables.table_of(columns), period, condition, random_condition, count, motions)
