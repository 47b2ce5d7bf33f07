"""What is done with each piece of a data set: solving, and what is summed."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, _logs
from .._core import SensorSet
from .._errors import InputError, SolveError, SparsedynWarning
from .ahead import ROWS, ahead
from .arrow import Batch, arrow_array, numbers, pyarrow
from .gathering import Gathering, How
from .mapping import Mapping_
from .noted import noted
from .pieces import Piece, batches_of, schema_of

Array = NDArray[np.float64]
TIMELESS = "log: time: rows without a finite number; expected one in each row (the manifest's warnings say in which file)"
ALWAYS_KEPT = ("time", "run", "episode_index", "frame_index")


@dataclass(frozen=True)
class Work:
    """One robot, one sensor set and what is asked of each row. Pickled once for all pieces."""

    robot: Any  #: a Model; None where rows are only converted
    sensors: SensorSet | None = None
    plan: str = ""  #: JSON, or none
    outputs: tuple[str, ...] = ()
    sd: bool = False
    innovations: bool = False
    on_error: str = "raise"
    keep: tuple[str, ...] = ()
    offsets: tuple[float, ...] = ()  #: what all pieces together say of them (gather_offsets)
    mapping: Mapping_ | None = None
    how: How | None = None  #: rows for identification are made, as _Information.how says; None: rows are solved
    sums: bool = False  #: innovations are summed for a page, whether or not they are columns of the result
    stand_in: bool = True  #: columns may stand in for readings that the input lacks

    def digest(self) -> str:
        """Of all that decides a result, but the input."""
        asked = (self.plan, self.outputs, self.sd, self.innovations, self.on_error, self.keep, self.offsets,
                 *(self.mapping.decides if self.mapping else ("",)), *(() if self.stand_in else ("no stand-in",)))
        sensors = _whole_text(self.sensors) if self.sensors else ""
        robot = self.robot and [each for k, each in enumerate(self.robot.__getstate__()[2:]) if k not in (1, 10)]  # not where its files lie
        return hashlib.sha256(repr((_core.version, robot, sensors, asked)).encode()).hexdigest()


def _whole_text(sensors: SensorSet) -> str:
    """A set's text with those of all files that it names, and that they name."""
    *_, text, file = sensors.__getstate__()
    return "\n".join(_texts(text, file, set()))


def _texts(text: str, file: str, read: set[str]) -> Iterator[str]:
    yield text
    try:
        root = json.loads(text)
    except ValueError:
        return
    included = root.get("include")
    for name in [root.get("offsets"), *(included if isinstance(included, list) else [included])]:
        path = os.path.join(os.path.dirname(file), name) if isinstance(name, str) else ""
        if path and os.path.exists(path) and os.path.realpath(path) not in read:
            read.add(os.path.realpath(path))
            with open(path, encoding="utf-8") as other:
                yield from _texts(other.read(), path, read)


def key_of(work_digest: str, piece: Piece) -> str:
    """Names the result of a piece: another input or other work has another."""
    said = (work_digest, piece.kind, piece.name, piece.first, piece.last, piece.stamp, piece.keys, *((piece.cut.run,) if piece.cut else ()))
    return hashlib.sha256(repr(said).encode()).hexdigest()[:32]


class Planned:
    """What was planned once in a process, for a while: planning takes longer than solving a short log. Each piece has a solver of its
    own made from it, so that nothing that is learnt of gaps depends on the pieces before."""

    _kept: list[tuple[Any, Any, tuple[Any, ...], Planned]] = []
    _lock = threading.Lock()

    def __init__(self, work: Work, absent: list[str]) -> None:
        self._work, self._absent = work, absent
        self._core = self._made()
        self.columns = self._core.columns

    @classmethod
    def of(cls, work: Work, absent: list[str]) -> Planned:
        """absent: columns of a free base's whole motion that the log lacks."""
        asked = (work.plan, work.outputs, work.sd, work.innovations or work.sums, tuple(absent))
        with cls._lock:
            for k, (robot, sensors, of, planned) in enumerate(cls._kept):
                if robot is work.robot and sensors is work.sensors and of == asked:
                    cls._kept.insert(0, cls._kept.pop(k))
                    return planned
        with warnings.catch_warnings():  # each solver says it again, and to the piece that it is for
            warnings.simplefilter("ignore", SparsedynWarning)
            planned = cls(work, absent)
        with cls._lock:
            cls._kept[:] = [(work.robot, work.sensors, asked, planned), *cls._kept][:4]
        return planned

    def _made(self) -> _core._Solver:
        work = self._work
        assert work.sensors is not None
        return _core._make_solver(work.robot, work.sensors, work.plan, list(work.outputs), work.sd, work.innovations or work.sums, 0.0, self._absent,
                                  False)

    def solver(self) -> _core._Solver:
        with Planned._lock:
            return self._core.anew() or self._made()


def wanted_columns(work: Work) -> set[str] | None:
    """Names of all that is read of a file, where it is there; None: all columns."""
    if work.robot is None:
        return None
    if work.how is not None:
        with Gathering(work.robot, work.sensors, work.how) as information:
            return information.columns
    read = {name for columns, *_ in Planned.of(work, []).columns for name in columns}
    return read | {name for part in _logs.state_columns(work.robot) for name in part} | set(ALWAYS_KEPT) | set(work.keep)


class RowReader:
    """A piece's rows as q, dq, y, batch by batch, and the solver for them."""

    def __init__(self, work: Work, piece: Piece, rows: int = ROWS) -> None:
        self.work, self.piece = work, piece
        self.warnings: list[str] = []  #: each once; the caller is told
        with noted(self.warnings):
            planned = Planned.of(work, [])
            self.source = batches_of(piece, rows, work.mapping, wanted_columns(work))
            self.first = next(self.source, None)
            absent = _logs.whole_motion_missing(work.robot, self.first.schema.names) if self.first is not None else []
            if absent:
                planned = Planned.of(work, absent)
            self.columns, self.solver = planned.columns, planned.solver()

    def __iter__(self) -> Iterator[tuple[Batch, Array, Array, Array]]:
        """Reads the next batch while the caller works on one."""

        def all_of() -> Iterator[Batch]:
            if self.first is not None:
                yield self.first
            yield from self.source

        for batch in ahead(all_of()):
            with noted(self.warnings):
                try:
                    q, dq, y, read_from = _logs.read(self.work.robot, self.columns, batch, self.work.stand_in)
                except InputError as error:
                    raise InputError(f"{self.piece}: {error}", self.piece.name) from None
            self.solver.name_columns(read_from)
            yield batch, q, dq, y


def gather_offsets(work: Work, piece: Piece) -> Array:
    """What a piece says of the sensors' offsets: numbers that add up over pieces."""
    reader = RowReader(replace(work, sd=False, innovations=False), piece)
    for _, q, dq, y in reader:
        reader.solver.gather(q, dq, y)
    return np.asarray(reader.solver.gathered())


class Solved:
    """A piece's results, batch by batch; what it says of all of them afterwards."""

    def __init__(self, work: Work, piece: Piece) -> None:
        self.work, self.piece = work, piece
        self.reader = RowReader(work, piece)
        self.rows, self.failed = 0, 0
        self.messages: list[str] = []
        self.time: list[float] = []  #: first and last that are known
        if work.offsets:
            self.reader.solver.settle(list(work.offsets))
        self.reader.solver.go_in_order()
        #: directions of the offsets that were learnt: each takes one from the expected chi-square of the whole data set, once
        self.known = -(chi_square_of(self.reader.solver) or (0.0, 0))[1]
        self.columns = list(self.reader.solver.outputs)
        hidden = ("chi2", "innovation.") if work.sums and not work.innovations else ()
        self.written = [k for k, name in enumerate(self.columns) if not name.startswith(hidden)] if hidden else list(range(len(self.columns)))

    def __iter__(self) -> Iterator[tuple[Batch, Array]]:
        """Each batch with its results, rows × columns. Raises SolveError unless on_error is 'nan'."""
        solver = self.reader.solver
        for batch, q, dq, y in self.reader:
            found, failed, why = solver.solve_rows(q, dq, y, 1, self.rows)
            if failed and self.work.on_error == "raise":
                raise SolveError([self.rows + row for row in failed], why, self.rows + batch.num_rows)
            self.messages += [f"row {self.rows + row}: {reason}" for row, reason in zip(failed, why)][:max(0, 3 - len(self.messages))]
            self.failed += len(failed)
            self.rows += batch.num_rows
            if "time" in batch.schema.names and batch.num_rows:
                self._see(batch.column(batch.schema.names.index("time")))
            yield batch, found

    def _see(self, time: Any) -> None:
        """A row without a time is solved like others; that it has none is said, for plots and joins go by it."""
        scale = 1.0
        if pyarrow.types.is_timestamp(time.type):
            time = time.cast(pyarrow.timestamp("us"), safe=False).cast(pyarrow.int64()).cast(pyarrow.float64())
            scale = 1e-6
        elif not pyarrow.types.is_integer(time.type) and not pyarrow.types.is_floating(time.type):
            raise InputError(f"{self.piece}: time: {time.type}; expected numbers or timestamps", self.piece.name)
        values = scale * numbers(time)
        known = np.flatnonzero(np.isfinite(values))
        if len(known):
            self.time = [self.time[0] if self.time else float(values[known[0]]), float(values[known[-1]])]
        if len(known) < len(values) and TIMELESS not in self.reader.warnings:
            self.reader.warnings.append(TIMELESS)

    def _kept(self, names: list[str]) -> list[str]:
        """Of a batch's columns, those that are written beside the results."""
        lacking = [name for name in self.work.keep if name not in names]
        if lacking:
            raise InputError(f"{self.piece}: columns: {', '.join(lacking)} missing; expected what keep names", self.piece.name)
        kept = [name for name in (*ALWAYS_KEPT, *(key for key, _ in self.piece.keys), *self.work.keep) if name in names]
        if twice := [name for name in kept if name in self._names()]:
            raise InputError(f"{self.piece}: columns: {', '.join(twice)} of the input beside results of that name; expected other names "
                             "of folders and in keep", self.piece.name)
        return list(dict.fromkeys(kept))

    def table(self, batch: Batch, found: Array) -> Batch:
        """Columns that are kept, and the results; what is missing in them is null."""
        names = batch.schema.names
        kept = self._kept(names)
        columns = [_settled(name, batch.column(names.index(name))) for name in kept]
        columns += [arrow_array(values) for values in np.ascontiguousarray(found.T[self.written])]
        return pyarrow.RecordBatch.from_arrays(columns, names=[*kept, *self._names()])

    def _names(self) -> list[str]:
        return [self.columns[k] for k in self.written]

    def schema(self) -> Any:
        """Of the table of a piece without rows: that of the others."""
        of = schema_of(self.piece, self.work.mapping)
        kept = self._kept(of.names)
        empty = [_settled(name, pyarrow.nulls(0, of.field(name).type)) for name in kept]
        return pyarrow.schema([*zip(kept, (column.type for column in empty)), *((name, pyarrow.float64()) for name in self._names())])

    def chi_square(self) -> tuple[float, int]:
        """Σ chi², and its expectation as if no offset had been learnt; 0, 0 where rows are not estimated."""
        said = chi_square_of(self.reader.solver)
        return (said[0], said[1] + self.known) if said else (0.0, 0)


def _settled(name: str, column: Any) -> Any:
    """Times as float64 whatever numbers a file holds, so that the parts of a data set go together."""
    number = pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)
    if name != "time" or not number or column.type == pyarrow.float64():
        return column
    return column.cast(pyarrow.float64())


def chi_square_of(solver: _core._Solver) -> tuple[float, int] | None:
    said = json.loads(solver.details(False)).get("chi_square")
    return None if said is None else (float(said["sum"]), int(said["expected"]))
