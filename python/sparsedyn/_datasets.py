"""Logs of any format, and data sets of many logs, on one machine; sparsedyn.dask does the same on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._core import Model
from ._plan import Plan

if TYPE_CHECKING:
    from ._scale.dataset import Progress, Sensors, Solution

MappingLike = str | os.PathLike[str] | Mapping[str, Any] | None
ROWS_A_PIECE = 500_000


class Log:
    """A log of any format, read batch by batch: memory does not grow with it. Of open_log."""

    columns: list[str]  #: names, but for those that a mapping's "differentiate" makes

    time_faults: list[Any]  #: of MCAP: where a run ends and another begins (file, topic, run, before, after; s), where runs='split'

    def __init__(self, path: str, mapping: Any, rows: int, runs: str | None = None, salvage: bool = False) -> None:
        from ._scale import pieces

        self.path = path
        self._rows, self._mapping = rows, pieces.read_mapping(mapping, runs, salvage)
        self.time_faults = []

        def look(paths: list[str], mapping: Any) -> pieces.Surveyed:
            found = pieces.surveyed(paths, mapping)
            self.time_faults += [fault for each in found.values() for fault in each.faults]
            return found

        self._pieces = pieces.pieces_of(path, mapping=self._mapping, look=look)
        pieces.check_mapping(path, self._pieces, self._mapping)
        first = self._pieces[0]
        names = pieces.names_of(first, self._mapping)
        self.columns = list(dict.fromkeys([*names, *(key for key, _ in first.keys)]))
        self._open: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        """pyarrow.RecordBatch, each of at most `rows` rows; the next one is read meanwhile."""
        from ._scale import pieces
        from ._scale.ahead import ahead

        def all_of() -> Iterator[Any]:
            for piece in self._pieces:
                yield from pieces.batches_of(piece, self._rows, self._mapping)

        self.close()
        self._open = ahead(all_of())
        return self._open

    def read(self) -> Any:
        """All of it as a pyarrow table. Raises InputError where one file's columns are not those of the first."""
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        from ._scale import pieces

        batches = list(self)
        if not batches:
            return pieces.schema_of(self._pieces[0], self._mapping).empty_table()
        first = batches[0].schema
        for batch in batches:
            if not batch.schema.equals(first):
                raise pieces.unlike(self.path, first, batch.schema)
        return pyarrow.Table.from_batches(batches)

    def close(self) -> None:
        """Ends reading that was begun."""
        if self._open is not None and hasattr(self._open, "close"):
            self._open.close()
        self._open = None

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Log({self.path!r}, {len(self.columns)} columns, {len(self._pieces)} pieces)"


def open_log(path: str | os.PathLike[str], mapping: MappingLike = None, rows: int = 65_536, *, runs: str | None = None,
             salvage: bool = False) -> Log:
    """A log, whatever its format, as an iterator of pyarrow record batches with bounded memory.

    path     .parquet, .csv, .mcap; a folder of them, also partitioned (robot=r7/…: such folders become columns); a ROS 2 bag of
             storage mcap; a LeRobot v3 data set; or what solve_dataset and convert wrote
    mapping  a file or dict that says which topics (MCAP) or features (LeRobot) become which columns, and how topics get onto one
             clock (docs/scale.md). Without one a LeRobot feature's numbers are FEATURE.NAME
    rows     at most, of a batch
    runs     of MCAP: 'split' reads a log whose times go back, or leap ahead by more than an hour, as runs, one after the other,
             each by itself, numbered by the column `run`; else such a log is refused (Log.time_faults, docs/scale.md)
    salvage  of MCAP: what is whole of a damaged file is read, and a warning names what is lost; else it is refused

    Raises InputError; of a damaged file at the batch that cannot be read. Needs pyarrow: sparsedyn[scale]; MCAP: sparsedyn[mcap].
    """
    return Log(os.fspath(path), mapping, rows, runs, salvage)


def _engine(processes: int) -> Any:
    from ._scale.engine import Alone, Processes

    if processes < 1:
        raise ValueError(f"processes: {processes}; expected 1 or more")
    return Alone() if processes == 1 else Processes(processes)


def convert(
    log: str | os.PathLike[str],
    out: str | os.PathLike[str],
    mapping: MappingLike = None,
    *,
    processes: int = 1,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    progress: Progress = None,
    overwrite: bool = False,
    runs: str | None = None,
    salvage: bool = False,
) -> Solution:
    """A log or data set as Parquet in the folder `out`, for solving more than once: decoding CSV or MCAP costs more than solving.

    One file a piece of the input; a call that was interrupted goes on where it stopped. Arguments as in open_log and
    solve_dataset; the result is what open_log and solve_dataset take. Raises ValueError for a folder with anything else in it.
    """
    from ._scale import dataset

    engine = _engine(processes)
    try:
        return dataset.convert(engine, log, out, mapping, rows, content, progress, overwrite, runs, salvage)
    finally:
        engine.close()


def solve_dataset(
    data: str | os.PathLike[str],
    robot: Model,
    sensors: Sensors,
    out: str | os.PathLike[str],
    plan: Plan | None = None,
    outputs: Sequence[str] | str | None = ("tau",),
    sd: bool = False,
    innovations: bool = False,
    *,
    processes: int = 1,
    on_error: str = "raise",
    keep: Sequence[str] = (),
    mapping: MappingLike = None,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    overwrite: bool = False,
    runs: str | None = None,
    salvage: bool = False,
    stand_in: bool = True,
) -> Solution:
    """Solver.solve_log for every row of a data set (open_log's kinds), into Parquet files in the folder `out`.

    processes  that work, of the standard library (the calling script needs `if __name__ == "__main__"`). The files have the same
               bytes for any number of them, and on a cluster (sparsedyn.dask.solve)
    keep       columns of the input that are copied, beside time, episode_index, frame_index and those of folders KEY=VALUE
    rows       of a piece, at least, where the input's row groups are smaller; a piece is one file of the result
    content    look at all bytes of the input to tell whether it changed, not at size and time
    report     a page about the fleet: which robot's which sensor is off, and when
    overwrite  write into a folder with other files in it, which stay, or with results of another data set, which go; else ValueError
    runs, salvage  of MCAP, as in open_log; Solution.time_faults
    stand_in   False: refuses files whose columns (tau.J) would stand in for readings that they lack (y.SENSOR.J); else a warning
    on_error   'raise': a row without an answer makes its piece fail; 'nan': it is missing in the result, and counted
    sd         as in Solver, but not 'scaled': ValueError, since no chi-square is known before all pieces are written

    Files are part-HASH.parquet, HASH of the input, robot, set, plan, options and version, each there as a whole or not at all;
    _manifest.json, last, lists them in the data set's order. Called again, only what is missing or changed is done. Offsets of
    sensors with "bias": true are learnt from the whole data set first. Pieces that fail (a damaged file) are named by
    DatasetError after all others are done. Outlying readings are not bounded: rows are independent of their order.
    """
    from ._scale import dataset

    engine = _engine(processes)
    try:
        return dataset.solve(engine, data, robot, sensors, out, plan, outputs, sd, innovations, on_error, keep, mapping, rows,
                             content, report, progress, overwrite, runs, salvage, stand_in)
    finally:
        engine.close()
