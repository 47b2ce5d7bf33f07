"""sd.Solver."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _logs, _pickles, _tables
from ._core import BoundSolver, Model, SensorSet
from ._errors import InputError, SolveError
from ._plan import Plan
from ._progress import Reporter
from ._results import Answer, Sensitivities
from ._sigma import Offsets, Sigma, Status

Array = NDArray[np.float64]
Readings = ArrayLike | Mapping[str, Any]  # or a table
Table = TypeVar("Table")  # of pandas, pyarrow or polars, or a dict of arrays
Progress = bool | Callable[[float, str], None] | None
ROWS_AT_ONCE = 20_000  # of a log, between looks at progress


def _check_sd(sd: Any) -> None:
    if isinstance(sd, str) and sd != "scaled":
        raise ValueError(f"sd: {sd!r}; expected True, False or 'scaled'")


class Solver:
    """What a robot's sensors say: outputs by name from q, dq and the readings y. For sets that determine the dynamics and for
    those that know more or less (weighted least squares).

    plan     of optimise or Plan.load, or its file; without one: a plan that ships, the recursive order, or a searched one
    outputs  kinds ('tau'), kinds and names ('f.elbow'), or columns; None: the tau and ddq that the set does not hold exactly
    sd       also 'sd.OUTPUT', posterior standard deviations, and 'cov.A|B' for each pair of "cov" in the set; 'scaled': of logs
             multiplied by what they show (solve_log)

    In y a NaN is a gap in that sensor (columns y.* of estimated sets). Raises AnswerIsNo where an output is not determined or the
    plan does not fit, ValueError for unknown names. A solver may be used from several threads, one call at a time each.
    """

    def __init__(
        self,
        robot: Model,
        sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any],
        plan: Plan | str | os.PathLike[str] | None = None,
        outputs: Sequence[str] | str | None = ("tau",),
        sd: bool | Literal["scaled"] = False,
    ) -> None:
        _check_sd(sd)
        self._sensors = sensors if isinstance(sensors, SensorSet) else SensorSet(sensors)
        self._plan = plan if plan is None or isinstance(plan, Plan) else Plan.load(plan)
        self._robot = robot if self._plan is None else robot._snapped(self._plan.snap)
        self._outputs = () if outputs is None else outputs
        self._sd = sd
        self._core = self._made(bool(sd), False)
        self._all = [self._core]
        self._sensitivities: _core._Sensitivities | None = None  # once asked for
        #: Planned for (sd, innovations, huber, absent): logs are solved by what is made anew from these.
        self._planned: dict[tuple[Any, ...], _core._Solver] = {(bool(sd), False, 0.0, ()): self._core}
        #: Of y's last axis, in order: the best column of a log for each entry.
        self.inputs: list[str] = self._core.inputs
        #: Of the result's last axis, in order.
        self.outputs: list[str] = self._core.outputs
        #: Standard deviations by sensor, to be read and assigned.
        self.sigma = Sigma(self._all)
        #: After solve_log: strategy, remedies, chi_square, biases, outliers and what else `solve --json` says of all rows. Where
        #: it says `line`, that is the row's index. Of rows that several threads shared: the strategy alone.
        self.report: dict[str, Any] = {}
        #: After solve_log of a set with "bias": true: value and sd by column, columns and covariance, as `solve --offsets` writes
        #: them and "offsets" in a set reads them (json.dump); offsets.covariance is an array.
        self.offsets = Offsets(offsets={}, columns=[], covariance=[])

    def _made(self, sd: bool, innovations: bool, huber: float = 0.0, absent: Sequence[str] = ()) -> _core._Solver:
        text = "" if self._plan is None else self._plan.json
        return _core._make_solver(self._robot, self._sensors, text, self._outputs, sd, innovations, huber, absent)

    @property
    def status(self) -> Status:
        """growth, backward_error and componentwise_error of the last sample that was solved alone or by bind."""
        return Status(*self._core.status)

    @property
    def columns(self) -> list[str]:
        """Of y's last axis, in order: as a log calls each entry, `ddq.J`, `tau.J`, `fx.L.nx` where these may stand in for
        readings, else `y.SENSOR…` (`inputs` says that of all)."""
        return [names[-1] for names, *_ in self._core.columns]

    def _array_of(self, y: Readings) -> ArrayLike:
        """Readings by name as an array (..., len(inputs)). Raises ValueError for what is missing and, of a dict, for other names."""
        if isinstance(y, np.ndarray) or not _tables.is_table(y):
            return cast(ArrayLike, y)
        names = _tables.column_names(y)
        wanted = self._core.columns
        known = {name for each, *_ in wanted for name in each}
        if not isinstance(y, Mapping) and known.isdisjoint(names):
            return y  # a frame of numbers in the order of inputs
        chosen = [next((name for name in each if name in names), None) for each, *_ in wanted]
        missing = [each[0] for (each, required, *_), name in zip(wanted, chosen) if name is None and required]
        if missing:
            raise ValueError(f"y: {', '.join(missing[:8])} missing; expected {', '.join(self.inputs[:8])}{', …' * (len(self.inputs) > 8)}")
        others = [name for name in names if name not in known and not name.startswith(("q.", "dq.", "ddq.", "tau.", "time"))]
        if isinstance(y, Mapping) and others:
            raise ValueError(f"y: {others[0]!r}; expected {', '.join(self.inputs[:8])}{', …' * (len(self.inputs) > 8)}")
        parts = [fallback if name is None else _tables.readings(y, name) for (_, _, fallback, *_), name in zip(wanted, chosen)]
        return np.stack(np.broadcast_arrays(*parts), -1) if parts else np.zeros(0)

    @overload
    def __call__(self, q: ArrayLike, dq: ArrayLike, y: Readings, *, out: Array | None = None, threads: int = 1,
                 on_error: Literal["raise"] = "raise") -> Array: ...
    @overload
    def __call__(self, q: ArrayLike, dq: ArrayLike, y: Readings, *, out: Array | None = None, threads: int = 1,
                 on_error: Literal["nan"]) -> Answer[Array]: ...
    def __call__(
        self, q: ArrayLike, dq: ArrayLike, y: Readings, *, out: Array | None = None, threads: int = 1,
        on_error: Literal["raise", "nan"] = "raise",
    ) -> Array | Answer[Array]:
        """q (..., nq), dq (..., nv), y (..., len(inputs)) -> (..., len(outputs)). out, threads and on_error as in rnea; with
        on_error='nan' a sample keeps what it does determine.

        y may be a dict of arrays (...,), or a table of pandas, pyarrow or polars, by the names of `inputs` or of `columns`; what a
        log may leave out it may leave out."""
        found: Array | Answer[Array] = self._core.solve(q, dq, self._array_of(y), out, threads, on_error)
        return found

    def covariance(self, outputs: Sequence[str] | Sequence[tuple[str, str]]) -> Array:
        """Posterior covariances in the sample that the last call solved alone, with all that enters deviations: of names (columns
        such as 'tau.knee', whether or not they are among `outputs`) the matrix (n, n), of pairs of names an array (n,).

        A solver with sd=True. NaN where the sample leaves an output undetermined. Cost: a solve for each name. Raises ValueError
        for unknown names, and where the last call was none of one sample.
        """
        asked = list(outputs)
        if all(isinstance(name, str) for name in asked):
            names = cast("list[str]", asked)
            pairs = [(one, other) for k, one in enumerate(names) for other in names[k:]]
            matrix = np.zeros((len(names), len(names)))
            upper = np.triu_indices(len(names))
            matrix[upper] = matrix.T[upper] = self._core.covariance(pairs)
            return matrix
        return np.array(self._core.covariance([(str(one), str(other)) for one, other in asked]), dtype=float)

    def bind(self, q: Array, dq: Array, y: Array, out: Array | None = None) -> BoundSolver:
        """Arrays fixed once, for control loops: `f = solver.bind(q, dq, y, out)`, then `f()` reads and writes them in place.

        C-contiguous float64 only; ValueError for what would have to be copied. Without `out` a new one is made.
        """
        return self._core.bind(q, dq, y, out)

    def derivatives(
        self, q: ArrayLike, dq: ArrayLike, y: Readings, *, by: Sequence[str] = ("q", "dq", "y"), threads: int = 1,
        on_error: Literal["raise", "nan"] = "raise",
    ) -> Any:
        """How the outputs move with the state, the readings and the robot's parameters, by the factors of one solve a sample.

        q (..., nq), dq (..., nv), y (..., len(inputs)) -> the named tuple (q, dq, y, parameters) of arrays (..., outputs, n). by:
        which of them; the others are None. q is along the tangent, q ⊕ δ; parameters are robot.parameter_names. Outputs are
        quantities, without their deviations; of an estimate the weights are constants. A NaN in y is a gap, as in a call.
        threads: 0 for all cores; the numbers are the same for any number. Cost: a solve, and for eight directions or outputs about
        two more in vectors.
        """
        return self._differentiated(q, dq, y, None, by, threads, on_error)

    def gradient(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        y: Readings,
        weight: ArrayLike,
        *,
        by: Sequence[str] = ("q", "dq", "y"),
        threads: int = 1,
        on_error: Literal["raise", "nan"] = "raise",
    ) -> Any:
        """Gradients of the sum of weight (..., outputs) times the outputs: arrays (..., n) as in derivatives. One transposed solve
        serves all of them."""
        return self._differentiated(q, dq, y, weight, by, threads, on_error)

    def _differentiated(
        self, q: ArrayLike, dq: ArrayLike, y: Readings, weight: ArrayLike | None, by: Sequence[str], threads: int,
        on_error: Literal["raise", "nan"],
    ) -> Any:
        asked = [by] if isinstance(by, str) else list(dict.fromkeys(by))
        if self._sensitivities is None:
            quantities = [name for name in self.outputs if not name.startswith(("sd.", "cov."))]
            text = "" if self._plan is None else self._plan.json
            self._sensitivities = _core._make_sensitivities(self._robot, self._sensors, text, quantities)

        def named(*parts: Array) -> Sensitivities:
            found = dict(zip(asked, parts))
            return Sensitivities(found.get("q"), found.get("dq"), found.get("y"), found.get("parameters"))

        return self._sensitivities.call(self._core, q, dq, self._array_of(y), weight, asked, named, threads, on_error)

    @overload
    def solve_log(
        self, log: Table, sd: bool | Literal["scaled"] = False, innovations: bool = False, *,
        robust: Literal["huber", "none"] = "none", robust_threshold: float = 3.0, threads: int = 1,
        on_error: Literal["raise"] = "raise", progress: Progress = None, stand_in: bool = True,
    ) -> Table: ...
    @overload
    def solve_log(
        self, log: Table, sd: bool | Literal["scaled"] = False, innovations: bool = False, *,
        robust: Literal["huber", "none"] = "none", robust_threshold: float = 3.0, threads: int = 1, on_error: Literal["nan"],
        progress: Progress = None, stand_in: bool = True,
    ) -> Answer[Table]: ...
    def solve_log(
        self,
        log: Table,
        sd: bool | Literal["scaled"] = False,
        innovations: bool = False,
        *,
        robust: Literal["huber", "none"] = "none",
        robust_threshold: float = 3.0,
        threads: int = 1,
        on_error: Literal["raise", "nan"] = "raise",
        progress: Progress = None,
        stand_in: bool = True,
    ) -> Table | Answer[Table]:
        """Every row of a log: a table of pandas, pyarrow or polars (or a dict of arrays) in, the same kind out.

        Columns are the command line's: q.*, dq.*, y.*, and tau.*, ddq.*, fx.* that stand in for readings which the log lacks: a
        SparsedynWarning and report["stand_ins"] name them, stand_in=False refuses them (InputError). What a log may leave out for
        the command line it may leave out here. `time` is kept. sd adds sd.OUTPUT; 'scaled' multiplies all deviations by max(1, √(chi-square /
        expected)) of the log (report["sd_scale"]). report["trusted"] says whether chi-square agrees with the stated noise (None:
        nothing is redundant). innovations adds chi2 and innovation.COLUMN. A row that has no
        answer raises SolveError; with on_error='nan' it is missing in the table, and (table, failed) is returned. Ctrl-C stops.

        Offsets of sensors with "bias": true are learnt from the whole log first, and taken off: see `offsets`. robust='huber'
        bounds readings that others predict beyond robust_threshold standard deviations, and leaves sensors out from where they
        are found stuck or saturated. Outliers and faulty sensors are named in report["outliers"]. Both judge rows in their
        order, so threads must then be 1.
        """
        if on_error not in ("raise", "nan"):
            raise ValueError(f"on_error: {on_error!r}; expected 'raise' or 'nan'")
        if robust not in ("huber", "none"):
            raise ValueError(f"robust: {robust!r}; expected 'huber' or 'none'")
        if not 0 < robust_threshold < float("inf"):
            raise ValueError(f"robust_threshold: {robust_threshold!r}; expected a number > 0")
        _check_sd(sd)
        sd = sd or self._sd
        names = _tables.column_names(log)
        absent = _logs.whole_motion_missing(self._robot, names)
        solver = self._log_solver(bool(sd), innovations, robust_threshold if robust == "huber" else 0.0, absent)
        q, dq, y, read_from = _logs.read(self._robot, solver.columns, log, stand_in)
        solver.name_columns(read_from)
        count = len(q)
        if solver.learning or robust == "huber":
            if threads != 1:
                raise ValueError(f"threads: {threads}; expected 1 where rows are judged in their order")
            solver.learn(q, dq, y)
        if threads == 1:
            solver.go_in_order()
        parts, failed, messages = [], [], []
        with Reporter(progress, "solve_log") as report:
            for first in range(0, max(count, 1), ROWS_AT_ONCE):
                chunk = slice(first, first + ROWS_AT_ONCE)
                found, rows, why = solver.solve_rows(q[chunk], dq[chunk], y[chunk], threads, first)
                parts.append(found)
                failed += [first + row for row in rows]
                messages += why
                if report.callback:
                    report.callback(min(1.0, (first + ROWS_AT_ONCE) / max(count, 1)), f"{min(count, chunk.stop)} rows")
        if failed and on_error == "raise":
            raise SolveError(failed, messages, count)
        scaled = sd == "scaled"
        self.report = json.loads(solver.details(scaled)) | {"stand_ins": _logs.stand_ins(solver.columns, read_from)}
        scale = self.report.get("sd_scale", 1.0)
        self.offsets = Offsets(json.loads(solver.offsets(scale)))
        numbers = np.concatenate(parts)
        if scaled:
            numbers[:, [k for k, name in enumerate(solver.outputs) if name.startswith("sd.")]] *= scale
            numbers[:, [k for k, name in enumerate(solver.outputs) if name.startswith("cov.")]] *= scale**2
        columns: dict[str, Any] = {"time": cast(Any, log)["time"]} if "time" in names else {}
        columns.update(zip(solver.outputs, np.ascontiguousarray(numbers.T)))
        table: Table = _tables.like(log, columns)
        if on_error == "raise":
            return table
        flags = np.zeros(count, dtype=np.bool_)
        flags[failed] = True
        return Answer(table, flags)

    def _log_solver(self, sd: bool, innovations: bool, huber: float, absent: Sequence[str]) -> _core._Solver:
        """A solver of its own for logs: what is estimated over all rows begins anew."""
        key = (sd, innovations, huber, tuple(absent))
        if key not in self._planned:
            self._planned[key] = self._made(sd, innovations, huber, absent)
        solver = self._planned[key].anew() or self._made(sd, innovations, huber, absent)
        for sensor in self.sigma:
            values = self._core.sigma(sensor)
            if values != solver.sigma(sensor):
                solver.set_sigma(sensor, values)
        return solver

    def __reduce__(self) -> tuple[Any, ...]:
        """For worker processes and copies: planned anew, with the standard deviations that were assigned. What logs taught stays behind."""
        return _remade, _pickles.state(PICKLED, self._robot, self._sensors, self._plan, self._outputs, self._sd, dict(self.sigma))

    def __repr__(self) -> str:
        return f"Solver({self._robot.name!r}, {self._sensors.name!r}, {len(self.inputs)} inputs -> {len(self.outputs)} outputs)"

    def _repr_html_(self) -> str:
        from html import escape

        def names(items: list[str]) -> str:
            return ", ".join(escape(item) for item in items[:12]) + (f" and {len(items) - 12} more" if len(items) > 12 else "")

        return (f"<b>{escape(self._robot.name)}</b>, {escape(self._sensors.name)}<br>inputs: {names(self.inputs)}<br>"
                f"outputs: {names(self.outputs)}")


PICKLED = 1  #: the format's number


def _remade(*state: Any) -> Solver:
    """Raises InputError for what is no solver's state, and what Solver raises of sensors, plan and outputs."""
    robot, sensors, plan, outputs, sd, sigma = _pickles.fields("Solver", PICKLED, state, 6)
    _pickles.typed("Solver", "robot", robot, Model, "a Model")
    _pickles.typed("Solver", "sensors", sensors, SensorSet, "a SensorSet")
    _pickles.typed("Solver", "plan", plan, (Plan, type(None)), "a Plan, or None")
    names = [outputs] if isinstance(outputs, str) else _pickles.typed("Solver", "outputs", outputs, (list, tuple), "texts")
    for name in names:
        _pickles.typed("Solver", "outputs", name, str, "texts")
    _pickles.typed("Solver", "sd", sd, bool, "True or False")
    _pickles.typed("Solver", "sigma", sigma, dict, "numbers by sensor")
    try:
        solver = Solver(robot, sensors, plan, outputs, sd)
        for sensor, value in sigma.items():
            if solver.sigma[sensor] != value:
                solver.sigma[sensor] = value
    except InputError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        if type(error) not in (ValueError, TypeError, KeyError, UnicodeEncodeError):
            raise
        raise InputError(f"<pickle>: Solver: {error}; expected what a solver was made of", "<pickle>") from None
    return solver
