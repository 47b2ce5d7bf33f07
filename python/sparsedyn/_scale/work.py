"""What is done with each piece of a data set: solving, and what is summed."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import queue
import threading
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core, _logs
from .._core import SensorSet
from .._errors import InputError, SolveError, SparsedynWarning
from .._identification import WRENCH, TorqueInformation
from .arrow import Batch, arrow_array, numbers, pyarrow
from .mapping import Mapping_
from .pieces import Piece, batches_of, schema_of

Array = NDArray[np.float64]
T = TypeVar("T")
ROWS = 4_096  #: in memory at once, a few times over
AT_ONCE = 4  #: batches
TIMELESS = "log: time: rows without a finite number; expected one in each row (the manifest's warnings say in which file)"
ALWAYS_KEPT = ("time", "episode_index", "frame_index")

PLAIN: tuple[Any, ...] = ((), (), (), (), 0.0)  #: rows for identification as one pass makes them


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
    how: tuple[Any, ...] = PLAIN  #: rows for identification are made

    def digest(self) -> str:
        """Of all that decides a result, but the input."""
        asked = (self.plan, self.outputs, self.sd, self.innovations, self.on_error, self.keep, self.offsets,
                 self.mapping.text if self.mapping else "")
        sensors = _whole_text(self.sensors) if self.sensors else ""
        robot = self.robot and [each for k, each in enumerate(self.robot.__getstate__()) if k not in (1, 10)]  # not where its files lie
        return hashlib.sha256(repr((_core.version, robot, sensors, asked)).encode()).hexdigest()


def _whole_text(sensors: SensorSet) -> str:
    """A set's text with those of all files that it names, and that they name."""
    text, file = sensors.__getstate__()
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
    said = (work_digest, piece.kind, piece.name, piece.first, piece.last, piece.stamp, piece.keys)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:32]


def ahead(source: Iterable[T], depth: int = 1) -> Iterator[T]:
    """The same, read by another thread while the caller works. The first few are read at once: where that is all, a thread would
    cost more than it hides."""
    rest = iter(source)
    begun = list(itertools.islice(rest, AT_ONCE))
    if len(begun) < AT_ONCE:
        yield from begun
    else:
        yield from _threaded(itertools.chain(begun, rest), depth)


def _threaded(source: Iterable[T], depth: int) -> Iterator[T]:
    waiting: queue.Queue[tuple[str, Any]] = queue.Queue(depth)
    stop = threading.Event()

    def put(item: tuple[str, Any]) -> bool:
        while not stop.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def read() -> None:
        try:
            for item in source:
                if not put(("item", item)):
                    return
            put(("end", None))
        except BaseException as error:
            put(("error", error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        while True:
            what, value = waiting.get()
            if what == "item":
                yield value
            elif what == "error":
                raise value
            else:
                return
    finally:
        stop.set()
        thread.join()


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
        asked = (work.plan, work.outputs, work.sd, work.innovations, tuple(absent))
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
        return _core._make_solver(work.robot, work.sensors, work.plan, list(work.outputs), work.sd, work.innovations, 0.0, self._absent,
                                  False)

    def solver(self) -> _core._Solver:
        with Planned._lock:
            return self._core.anew() or self._made()


def wanted_columns(work: Work) -> set[str] | None:
    """Names of all that is read of a file, where it is there; None: all columns."""
    if work.robot is None:
        return None
    if work.sensors is None:
        parts = {"q": work.robot.coordinate_names, "dq": work.robot.velocity_names, "ddq": work.robot.velocity_names,
                 "tau": work.robot.force_names}
        read = {f"{part}.{name}" for part, names in parts.items() for name in names}
        return read | {f"fx.{link}.{c}" for link in work.robot.link_names for c in WRENCH}
    read = {name for columns, *_ in Planned.of(work, []).columns for name in columns}
    return read | {name for part in _logs.state_columns(work.robot) for name in part} | set(ALWAYS_KEPT) | set(work.keep)


class RowReader:
    """A piece's rows as q, dq, y, batch by batch, and the solver for them."""

    def __init__(self, work: Work, piece: Piece, rows: int = ROWS) -> None:
        self.work, self.piece = work, piece
        self.warnings: list[str] = []  #: each once; the caller is told
        with self._noted():
            planned = Planned.of(work, [])
            self.source = batches_of(piece, rows, work.mapping, wanted_columns(work))
            self.first = next(self.source, None)
            absent = _logs.whole_motion_missing(work.robot, self.first.schema.names) if self.first is not None else []
            if absent:
                planned = Planned.of(work, absent)
            self.columns, self.solver = planned.columns, planned.solver()

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", SparsedynWarning)
            yield
        for each in said:
            if issubclass(each.category, SparsedynWarning) and str(each.message) not in self.warnings:
                self.warnings.append(str(each.message))

    def __iter__(self) -> Iterator[tuple[Batch, Array, Array, Array]]:
        """Reads the next batch while the caller works on one."""

        def all_of() -> Iterator[Batch]:
            if self.first is not None:
                yield self.first
            yield from self.source

        for batch in ahead(all_of()):
            with self._noted():
                try:
                    q, dq, y, read_from = _logs.read(self.work.robot, self.columns, batch)
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
        if twice := [name for name in kept if name in self.columns]:
            raise InputError(f"{self.piece}: columns: {', '.join(twice)} of the input beside results of that name; expected other names "
                             "of folders and in keep", self.piece.name)
        return list(dict.fromkeys(kept))

    def table(self, batch: Batch, found: Array) -> Batch:
        """Columns that are kept, and the results; what is missing in them is null."""
        names = batch.schema.names
        kept = self._kept(names)
        columns = [_settled(name, batch.column(names.index(name))) for name in kept]
        columns += [arrow_array(values) for values in np.ascontiguousarray(found.T)]
        return pyarrow.RecordBatch.from_arrays(columns, names=[*kept, *self.columns])

    def schema(self) -> Any:
        """Of the table of a piece without rows: that of the others."""
        of = schema_of(self.piece, self.work.mapping)
        kept = self._kept(of.names)
        empty = [_settled(name, pyarrow.nulls(0, of.field(name).type)) for name in kept]
        return pyarrow.schema([*zip(kept, (column.type for column in empty)), *((name, pyarrow.float64()) for name in self.columns)])

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
    said = json.loads(solver.details()).get("chi_square")
    return None if said is None else (float(said["sum"]), int(said["expected"]))


class Torques:
    """A TorqueInformation without rows, for a while. What it needs to know of the robot is found once in a process."""

    _kept: list[tuple[Any, TorqueInformation]] = []
    _lock = threading.Lock()

    def __init__(self, work: Work) -> None:
        self.robot, self.how = work.robot, work.how

    def __enter__(self) -> TorqueInformation:
        with Torques._lock:
            found = next((each for each in Torques._kept if each[0] is self.robot), None)
            if found is not None:
                Torques._kept.remove(found)
        self.information = TorqueInformation(self.robot) if found is None else found[1]
        self.information._core.restart(self.how)
        return self.information

    def __exit__(self, *_: object) -> None:
        with Torques._lock:
            Torques._kept[:] = [(self.robot, self.information), *Torques._kept][:3]


def identify_rows(work: Work, piece: Piece) -> Array:
    """What a piece's torques say of the robot's parameters."""
    with Torques(work) as information:
        for batch in ahead(batches_of(piece, ROWS, work.mapping, wanted_columns(work))):
            try:
                information.add_log(batch)
            except (InputError, SolveError) as error:
                raise InputError(f"{piece}: {error}", piece.name) from None
        return np.asarray(information._core.state())


def merge_identification(work: Work, *states: Array) -> Array:
    """Of pieces, in their order."""
    with Torques(work) as total, Torques(work) as other:
        total._core.restore(list(states[0]))
        for state in states[1:]:
            other._core.restore(list(state))
            total._core.merge(other._core)
        return np.asarray(total._core.state())
