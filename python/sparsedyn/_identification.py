"""Parameters of bodies and joints from logs with torques."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _logs, _pickles, _tables
from ._arrays import columns_of, wrench_columns
from ._core import Model, SensorSet
from ._errors import AnswerIsNo, InputError, SparsedynWarning
from ._progress import Reporter
from ._sensors import Sensors

Array = NDArray[np.float64]
KINDS = ("inertia", "armature", "damping", "friction", "offset", "stiffness")
SHAPES = ("smoothing", "stribeck")  # what friction depends on speed by
FITTED = (*KINDS, *SHAPES)

PICKLED = 1  #: the format's number of what is pickled


class _Gathered:
    """What motion and measurements say of a robot's parameters, compressed to a triangle a measurement."""

    robot: Model
    sensors: SensorSet | None = None
    _core: _core._Information

    @property
    def _set(self) -> str | None:
        return None if self.sensors is None else self.sensors.json

    def merge(self, other: Any) -> None:
        """The rows of another too, of the same robot and sensors. Raises ValueError for one of others."""
        if self._set != other._set:
            raise ValueError("merge: of other sensors")
        self._core.merge(other._core)

    @property
    def columns(self) -> set[str]:
        """Names of all that add_log reads of a log, where it is there."""
        raise NotImplementedError

    def add_log(self, log: Any) -> None:
        raise NotImplementedError

    @property
    def rows(self) -> dict[str, int]:
        """How many rows each measurement has."""
        return dict(zip(self._core.names(), self._core.rows()))

    def __getstate__(self) -> tuple[Any, ...]:
        return _pickles.state(PICKLED, self.robot, self.sensors, self._core.state())

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        kind = type(self).__name__
        robot, sensors, numbers = _pickles.fields(kind, PICKLED, state, 3)
        self.robot = _pickles.typed(kind, "robot", robot, Model, "a Model")
        none = isinstance(self, TorqueInformation)
        self.sensors = _pickles.typed(kind, "sensors", sensors, type(None) if none else SensorSet, "None" if none else "a SensorSet")
        self._core = _core._Information(self.robot, self.sensors)
        try:
            self._core.restore(_pickles.numbers(kind, "numbers", numbers))
        except InputError:
            raise
        except ValueError as error:
            raise InputError(f"<pickle>: {kind}.numbers: {error}; expected those of this robot's parameters", "<pickle>") from None


class TorqueInformation(_Gathered):
    """What motion and torques say of a robot's parameters, compressed to a triangle a torque: memory does not grow with the logs.

    Parts add up: of a log, of several processes (it can be pickled), of several machines (`merge`).
    """

    def __init__(self, robot: Model) -> None:
        self.robot = robot
        self._core = _core._Information(robot)

    def add(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, tau: ArrayLike, fx: Mapping[str, ArrayLike] | None = None) -> None:
        """q (..., nq), dq, ddq and tau (..., nv), fx as in rnea. A NaN in tau leaves that torque out of its row.

        Other numbers that are not finite raise SolveError, and nothing is added. Cost: n² of the parameters that a torque
        depends on, for each torque and row.
        """
        self._core.add(self.robot, q, dq, ddq, tau, fx)

    @property
    def columns(self) -> set[str]:
        wrenches = {name for link in self.robot.link_names for name in wrench_columns(link)}
        return {name for part in columns_of(self.robot).values() for name in part} | wrenches

    def add_log(self, log: Any) -> None:
        """Rows of a table of pandas, pyarrow or polars, or of a dict of arrays, with the columns of `sparsedyn identify`."""
        robot, names, columns = self.robot, set(_tables.column_names(log)), columns_of(self.robot)
        missing = [name for part in columns.values() for name in part if name not in names]
        if missing and not all(name.startswith("tau.base.") for name in missing):
            raise InputError(f"log: columns: {', '.join(missing)} missing; expected q, dq, ddq, tau", "log")
        read = {part: np.stack([self._column(log, name, names) for name in of], -1) for part, of in columns.items()}
        fx = {}
        for link in robot.link_names:
            wrench = wrench_columns(link)
            if any(name in names for name in wrench):
                fx[link] = np.stack([self._column(log, name, names, len(read["q"])) for name in wrench], -1)
        self.add(**read, fx=fx)

    @staticmethod
    def _column(log: Any, name: str, names: set[str], rows: int | None = None) -> Array:
        if name in names:
            return _tables.column(log, name)
        return np.zeros(len(_tables.column(log, next(iter(names)))) if rows is None else rows)

    def __repr__(self) -> str:
        return f"TorqueInformation({self.robot.name!r}, {sum(self._core.rows())} torques)"


class SensorInformation(_Gathered):
    """As TorqueInformation, of what a sensor set reads: joint torques, combinations of them, wrenches that joints pass.

    External wrenches that the set knows exactly are taken into account; those that it does not know, or knows with a deviation, are
    eliminated from each sample. Raises InputError if a reading is not a function of body parameters.
    """

    def __init__(self, robot: Model, sensors: Sensors) -> None:
        self.robot = robot
        self.sensors = sensors if isinstance(sensors, SensorSet) else SensorSet(sensors)
        self._core = _core._Information(robot, self.sensors)

    @property
    def inputs(self) -> list[str]:
        """Of y's last axis, in order: the best column of a log for each entry."""
        return [columns[0] for columns, *_ in self._core.inputs()]

    @property
    def silent(self) -> list[str]:
        """Sensors that read the motion, which is given, and do not depend on parameters."""
        return self._core.silent()

    @property
    def columns(self) -> set[str]:
        motion = {f"ddq.{name}" for name in self.robot.velocity_names}.union(*_logs.state_columns(self.robot))
        return motion | {name for columns, *_ in self._core.inputs() for name in columns}

    def add(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, y: ArrayLike) -> None:
        """q (..., nq), dq and ddq (..., nv), y (..., len(inputs)). A number that is not finite raises SolveError, and nothing is added."""
        self._core.add(self.robot, q, dq, ddq, y)

    def add_log(self, log: Any, stand_in: bool = True) -> None:
        """Rows of a table of pandas, pyarrow or polars, or of a dict of arrays, with q, dq, ddq and what the set reads. Columns that
        stand in for readings which it lacks (tau.J for y.SENSOR.J) are named in a warning; stand_in=False refuses them."""
        names = set(_tables.column_names(log))
        motion = [f"{part}.{name}" for part in ("dq", "ddq") for name in self.robot.velocity_names]
        if missing := [name for name in motion if name not in names]:
            raise InputError(f"log: columns: {', '.join(missing)} missing; expected the whole motion", "log")
        q, dq, y, _ = _logs.read(self.robot, self._core.inputs(), log, stand_in)
        ddq = np.stack([_tables.column(log, f"ddq.{name}") for name in self.robot.velocity_names], -1)
        self.add(q, dq, ddq, y)

    def __repr__(self) -> str:
        return f"SensorInformation({self.robot.name!r}, {sum(self._core.rows())} readings)"


class Identification:
    """The answer of identify. Prints as the command line does."""

    report: dict[str, Any]  #: all of `identify --json`
    value: Array  #: of each parameter, as robot.parameter_names
    sd: Array  #: their standard deviations; 0 where not fitted
    joints: dict[str, Any]  #: armature, damping, friction, offset: load_urdf(…, joints=…) takes it
    #: The robot's file with the fitted inertias, damping and friction (those of `joints`, to the bit), all else as it was. What a
    #: URDF has no place for is in `joints` alone.
    urdf: str
    #: load_urdf(urdf, **load_options) is `robot`: joints, and what else it was loaded with (lock, floating, …)
    load_options: dict[str, Any]
    rank: int  #: of the fitted parameters, in the data
    condition: float  #: of the base regressor; inf where rank is lost
    rows: int  #: torques, over all rows
    chi_square: float  #: weighted squares over rows − rank
    torque_rms: dict[str, dict[str, float]]  #: before, after, holdout_before, holdout_after by torque
    #: With cross_validate=True: "rms" by torque over all logs, "logs" one by one, each left out of the fit to the others
    cross_validation: dict[str, Any] | None

    robot: Model  #: the fitted robot, loaded as the one that was fitted

    def __init__(
        self, report: str, text: str, joints: str, urdf: str, value: Sequence[float], sd: Sequence[float], like: Model
    ) -> None:
        self._parts = report, text, joints, urdf, value, sd, like
        self.robot = like._read_again(urdf, joints)
        self._text, self.urdf = text, urdf
        self.report = json.loads(report)
        self.joints = json.loads(joints)["joints"]
        self.load_options = {**like._load_options(), "joints": self.joints}
        self.value, self.sd = np.asarray(value, dtype=np.float64), np.asarray(sd, dtype=np.float64)
        for key in ("rank", "rows", "chi_square", "torque_rms"):
            setattr(self, key, self.report[key])
        self.cross_validation = self.report.get("cross_validation")
        self.condition = float("inf") if self.report["condition"] is None else self.report["condition"]

    @property
    def parameters(self) -> Any:
        """A pyarrow table: name, urdf, value, sd, determined."""
        rows = self.report["parameters"]
        return _tables.table_of({key: [row[key] for row in rows] for key in ("name", "urdf", "value", "sd", "determined")})

    @property
    def base_parameters(self) -> Any:
        """A pyarrow table of the base parameters: expression, value, sd."""
        rows = self.report["base_parameters"]
        return _tables.table_of({key: [row[key] for row in rows] for key in ("expression", "value", "sd")})

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        determined = sum(row["determined"] for row in self.report["parameters"])
        return f"Identification({determined} of {len(self.value)} parameters determined, rank {self.rank})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _identification, _pickles.state(PICKLED, *self._parts)

    def _with(self, validation: dict[str, Any], words: str) -> Identification:
        """The same, cross-validated."""
        report, text, joints, urdf, value, sd, like = self._parts
        told = json.dumps(json.loads(report) | {"cross_validation": validation})
        return Identification(told, text + words, joints, urdf, value, sd, like)


def _identification(*state: Any) -> Identification:
    """Of a pickle. Raises InputError."""
    kind = "Identification"
    report, text, joints, urdf, value, sd, like = _pickles.fields(kind, PICKLED, state, 7)
    told = _pickles.read_json(kind, "report", report, dict)
    for key in ("rank", "rows", "chi_square", "torque_rms", "condition", "parameters", "base_parameters"):
        if key not in told:
            raise _pickles.refuse(kind, f"report without {key}", report, "what identify says")
    for row in _pickles.typed(kind, "report.parameters", told["parameters"], list, "a list"):
        if not isinstance(row, dict) or not isinstance(row.get("determined"), bool):
            raise _pickles.refuse(kind, "report.parameters", row, "what identify says")
    if "joints" not in _pickles.read_json(kind, "joints", joints, dict):
        raise _pickles.refuse(kind, "joints", joints, "joints' physics")
    for field, each in (("text", text), ("urdf", urdf)):
        _pickles.typed(kind, field, each, str, "a text")
    _pickles.typed(kind, "robot", like, Model, "a Model")
    return Identification(report, text, joints, urdf, _pickles.numbers(kind, "value", value, False),
                          _pickles.numbers(kind, "sd", sd, False), like)


Information = TorqueInformation | SensorInformation


def _listed(logs: Any) -> Sequence[Any]:
    return logs if isinstance(logs, (list, tuple)) else [logs]


def empty_information(robot: Model, sensors: SensorSet | None) -> Information:
    """Of the torques, or of what a set reads."""
    return TorqueInformation(robot) if sensors is None else SensorInformation(robot, sensors)


def _add_log(information: Information, log: Any, stand_in: bool) -> None:
    if isinstance(information, SensorInformation):
        information.add_log(log, stand_in)
    else:
        information.add_log(log)


Told = Callable[[float, str], None]


def _information(robot: Model, logs: Any, sensors: SensorSet | None, stand_in: bool, told: Told | None = None) -> Information:
    """Of one log, several, or what was gathered before."""
    if isinstance(logs, (TorqueInformation, SensorInformation)):
        if logs.robot is not robot:
            raise ValueError("identify: information of another robot")
        return logs
    information = empty_information(robot, sensors)
    for k, log in enumerate(_listed(logs)):
        if told:
            told(0.5 * k / len(_listed(logs)), f"log {k + 1} of {len(_listed(logs))}")
        _add_log(information, log, stand_in)
    return information


def _adder(information: Information, logs: Any, told: Told | None = None) -> Callable[[Any], None]:
    """Adds all rows of these logs to a core object again."""
    passes = 1

    def add(core: Any) -> None:
        nonlocal passes
        passes += 1
        if told:
            told(1 - 0.5 ** passes, f"pass {passes} over the logs")
        again = object.__new__(type(information))
        again.robot, again.sensors, again._core = information.robot, information.sensors, core
        for log in _listed(logs):
            with warnings.catch_warnings():  # said when it was read first
                warnings.simplefilter("ignore", SparsedynWarning)
                again.add_log(log)

    return add


def asked(fit: Sequence[str] | str, robust: str | None) -> tuple[list[str], bool]:
    """The kinds that are fitted, and whether logs are read several times. Raises ValueError."""
    kinds = [fit] if isinstance(fit, str) else list(fit)
    for kind in kinds:
        if kind not in FITTED:
            raise ValueError(f"fit: {kind!r}; expected {', '.join(FITTED)}")
    if robust not in (None, "huber"):
        raise ValueError(f"robust: {robust!r}; expected None or 'huber'")
    return kinds, robust is not None or any(kind in SHAPES for kind in kinds)


def sprung(robot: Model, fit: Sequence[str] | str) -> Model:
    """The robot with springs, if their stiffness is to be fitted."""
    return robot.with_springs() if "stiffness" in ([fit] if isinstance(fit, str) else fit) else robot


def fitted(
    information: Information,
    held: Information | None,
    fit: Sequence[str] | str,
    prior: float,
    robust: str | None,
    read: Callable[[Any], None],
    read_held: Callable[[Any], None],
) -> Identification:
    """A fit to what was gathered; `read` adds all rows again to a core object, as that asks for them (`how`), and so `read_held`."""
    kinds, again = asked(fit, robust)
    core = information._core
    for name, rows, order in zip(core.names(), core.rows(), core.orders()):
        if 0 < rows <= order or not any(core.rows()):
            row = f"tau.{name}" if information.sensors is None else name
            raise AnswerIsNo(f"identify: {rows} rows of {row}; expected more than the {order} parameters that it depends on")
    held_core = None if held is None else held._core
    if not again:
        return Identification(*core.fit(information.robot, kinds, prior, held_core), information.robot)
    parts = core.fit_by_passes(information.robot, kinds, prior, robust == "huber", read, held_core, read_held)
    return Identification(*parts, information.robot)


def _cross_validation(
    robot: Model, logs: Sequence[Any], sensors: SensorSet | None, fit: Any, prior: float, robust: str | None
) -> tuple[dict[str, Any], str]:
    """What the fit to all other logs leaves of each log, as numbers and in words."""
    kinds, _ = asked(fit, robust)
    empty = empty_information(robot, sensors)
    try:
        told, words = empty._core.cross_validated(kinds, prior, robust == "huber", [_adder(empty, log) for log in logs])
    except InputError as few:
        raise AnswerIsNo(f"identify: {few}") from few
    found = json.loads(told)
    found["logs"] = [{"log": k, "rms": each["rms"]} for k, each in enumerate(found["logs"])]
    return found, words


def identify(
    robot: Model,
    logs: Any,
    holdout: Any = None,
    fit: Sequence[str] | str = (),
    prior: float = 0.3,
    robust: str | None = None,
    sensors: Sensors | None = None,
    cross_validate: bool = False,
    stand_in: bool = True,
    progress: bool | Callable[[float, str], None] | None = None,
) -> Identification:
    """Masses, centres of mass, inertias, armature, damping, friction and offsets that explain logged torques; bodies can exist.

    logs     a table of pandas, pyarrow or polars (or dict of arrays) with q, dq, ddq, tau; a list of them; or TorqueInformation
    holdout  the same, that is not fitted to: its torques' errors are in the answer
    fit      of 'inertia', 'armature', 'damping', 'friction', 'offset'; all these unless given. The rest keeps the robot's numbers.
             'stiffness' too: a spring in each joint (of what was gathered: of Model.with_springs()); and 'smoothing', friction's
             smoothing velocity by joint, and 'stribeck', what sliding takes from friction (alone: with all the others)
    prior    deviation of a body's parameters from the robot's, relative to its own size
    robust   'huber': rows far off weigh less
    sensors  a set whose readings are fitted in the place of torques, weighted by its deviations; logs then have q, dq, ddq and what
             it reads, or are SensorInformation (and sensors is not given)
    stand_in  False: refuses logs of which columns (tau.J) would stand in for readings that they lack (y.SENSOR.J); else a warning
    progress  as in optimise: over the logs, then the fit
    cross_validate  each of several logs in its turn left out of the fit, and compared with what the others say: .cross_validation

    'smoothing', 'stribeck' and `robust` read the logs several times, so they take tables and not what was gathered. Ctrl-C stops it. Raises
    AnswerIsNo where a torque has fewer rows than parameters. Cost: one pass over the rows (ten or so), then a convex problem in the
    number of parameters: under a second for an arm.
    """
    _, again = asked(fit, robust)
    if not isinstance(logs, (TorqueInformation, SensorInformation)):
        robot = sprung(robot, fit)
    for name, given in (("logs", logs), ("holdout", holdout)):
        if isinstance(given, (TorqueInformation, SensorInformation)):
            if again:
                raise ValueError(f"{name}: {type(given).__name__}; expected tables, which are read several times")
            if sensors is not None:
                raise ValueError(f"{name}: {type(given).__name__}; expected tables beside sensors")
    with Reporter(progress, "identify") as report:
        told = report.callback
        information = _information(robot, logs, None if sensors is None else SensorSet(sensors), stand_in, told)
        held = None if holdout is None else _information(robot, holdout, information.sensors, stand_in)
        if held is not None and held._set != information._set:
            raise ValueError("holdout: of other sensors than logs")
        read, read_held = _adder(information, logs, told), _adder(information, () if holdout is None else holdout)
        several = not isinstance(logs, (TorqueInformation, SensorInformation)) and len(_listed(logs)) > 1
        if cross_validate and not several:
            raise ValueError("cross_validate: expected two logs or more, as tables")
        validated = _cross_validation(robot, _listed(logs), information.sensors, fit, prior, robust) if cross_validate else None
        if told:
            told(0.5, "fit")
        found = fitted(information, held, fit, prior, robust, read, read_held)
        if told:
            told(1.0, "done")
        return found if validated is None else found._with(*validated)


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
    allowed: Callable[[Array], bool] | None = None,
    progress: bool | Callable[[float, str], None] | None = None,
) -> Excitation:
    """A periodic motion within the limits of position, velocity and effort whose torques determine the parameters well.

    seconds, rate  of the table: whole periods of 10 s at most; rows a second
    fit            of 'inertia', 'armature', 'damping', 'friction', 'offset', 'stiffness': what is to be told; all unless given,
                   springs where the robot has them
    harmonics      of each joint's Fourier series, 3 to 100
    criterion      'determinant': -log det of the information; or 'condition'
    budget         motions that are tried; seed: of the search
    allowed        called with postures (nq,): whether the robot may stand so, clear of itself and of what is around it; at 72
                   instants a harmonic of each motion that is better than those before. What it raises, this raises

    For robots with joints of one freedom on a fixed base: ValueError for others. Raises AnswerIsNo where no motion that was tried
    keeps the limits of effort, and is allowed. Ctrl-C stops it. Cost: about 3 ms a motion for seven joints.
    """
    kinds = [fit] if isinstance(fit, str) else list(fit)
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"fit: {kind!r}; expected {', '.join(KINDS)}")
    robot = sprung(robot, kinds)
    with Reporter(progress, "excite") as report:
        states, period, condition, random_condition, count, motions = _core._excite(
            robot, seconds, rate, kinds, harmonics, criterion, budget, seed, allowed, report.callback
        )
    if states is None:
        judged = "" if allowed is None else " and is allowed"
        raise AnswerIsNo(f"excite: none of {motions} motions keeps the limits of effort{judged}, not even small ones")
    n = robot.nv
    parts = {"q": states[:, :n], "dq": states[:, n : 2 * n], "ddq": states[:, 2 * n :]}
    parts["tau"] = _core.rnea(robot, parts["q"], parts["dq"], parts["ddq"])
    names = {"q": robot.coordinate_names, "dq": robot.velocity_names, "ddq": robot.velocity_names, "tau": robot.force_names}
    columns = {"time": np.arange(len(states)) / rate}
    for part, values in parts.items():
        columns.update({f"{part}.{name}": np.ascontiguousarray(column) for name, column in zip(names[part], values.T)})
    return Excitation(_tables.table_of(columns), period, condition, random_condition, count, motions)
