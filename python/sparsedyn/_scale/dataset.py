"""A data set solved, converted or summed, by whichever engine."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Model, SensorSet
from .._errors import DatasetError, InputError, SparsedynWarning, encodable
from .._identification import Identification, Information, asked, empty_information, fitted, sprung
from .._plan import Plan
from .._progress import Reporter
from .._solver import Solver
from .._words import counted
from . import gathering, manifest, mcap, memory, parts, sums
from .engine import Alone, Engine
from .fold import _text, each, total
from .mapping import Mapping_
from .pieces import ROWS_A_PIECE, Piece, Surveyed, check_mapping, pieces_of, read_mapping
from .results import Folder, judge_page
from .recordings.survey import Survey, TimeFault
from .work import Planned, Work, chi_square_of, gather_offsets, key_of

Progress = bool | Callable[[float, str], None] | None
Sensors = SensorSet | str | os.PathLike[str] | Mapping[str, Any]


class Solution(NamedTuple):
    """What solve wrote."""

    folder: str
    parts: list[dict[str, Any]]  #: by piece, in the data set's order: input, file, rows, failed, messages
    rows: int
    failed: int  #: rows without an answer (on_error='nan')
    made: int  #: parts that this call made; the others were there
    offsets: dict[str, Any]  #: of a set with "bias": true, as Solver.offsets
    time_faults: Sequence[Any] = ()  #: of MCAP with runs='split': where a run ends and another begins

    def __repr__(self) -> str:
        learnt = self.offsets.get("columns", [])
        return (f"Solution({self.folder!r}: {counted(self.rows, 'row')} in {counted(len(self.parts), 'part')}, {self.made} made by "
                f"this call; {self.failed} without an answer{f'; offsets of {_listed(learnt)}' if learnt else ''})")


class Fit(NamedTuple):
    """How well a data set's readings agree: chi_square is near expected, and innovations have mean 0 and rms 1, where the noise is
    what the sensor set says."""

    chi_square: float
    expected: int
    rows: int
    failed: int
    columns: dict[str, dict[str, float]]  #: by reading: count, mean, rms, worst
    groups: dict[tuple[str, str], dict[str, dict[str, float]]]  #: the same by robot and day

    def __repr__(self) -> str:
        return (f"Fit(chi_square {self.chi_square:.6g}, expected {self.expected}, {counted(self.rows, 'row')}, {self.failed} without "
                f"an answer; columns: {_listed(list(self.columns))}; {counted(len(self.groups), 'group')} by robot and day)")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Data:
    """A data set's pieces and what is shared by all that is done with them. MCAP files are looked through by the engine's workers."""

    def __init__(self, dataset: str | os.PathLike[str], rows: int, content: bool, mapping: Mapping_ | None = None,
                 engine: Engine | None = None) -> None:
        self.path = os.fspath(dataset)
        self.time_faults: list[TimeFault] = []

        def look(paths: list[str], mapping: Mapping_ | None) -> Surveyed:
            jobs: list[tuple[Any, tuple[Any, ...]]] = [(path, (mcap.BYTES_A_PIECE,)) for path in paths]
            workers = engine or Alone()
            done = each(workers, workers.share(mapping), _surveyed, jobs, None)[0] if jobs else {}
            found = {paths[k]: each_of for k, each_of in sorted(done.items())}
            self.time_faults += [fault for each_of in found.values() for fault in each_of.faults]
            return found

        self.pieces = pieces_of(self.path, rows, content, mapping, look)
        check_mapping(self.path, self.pieces, mapping)


def _surveyed(mapping: Mapping_ | None, path: str, size: int) -> Survey:
    return mcap.look(path, mapping, size)


def make_work(robot: Model, sensors: Sensors, plan: Plan | None, outputs: Sequence[str] | str | None, sd: bool, innovations: bool,
              on_error: str, keep: Sequence[str], mapping: Any, runs: str | None = None, salvage: bool = False
              ) -> Work:
    """Judged here, once: Solver says what is wrong with robot, set, plan and outputs."""
    if on_error not in ("raise", "nan"):
        raise ValueError(f"on_error: {on_error!r}; expected 'raise' or 'nan'")
    if isinstance(sd, str):
        raise ValueError(f"sd: {sd!r}; expected True or False: 'scaled' is of one log (solve_log), whose chi-square it multiplies by")
    given = sensors if isinstance(sensors, SensorSet) else SensorSet(sensors)
    listed = () if outputs is None else (outputs,) if isinstance(outputs, str) else tuple(outputs)
    Solver(robot, given, plan, listed, sd)
    return Work(robot, given, "" if plan is None else plan.json, listed, sd, innovations, on_error, tuple(keep), (),
                read_mapping(mapping, runs, salvage))


def _read(work: Work, data: Data, mapping: Any) -> list[str]:
    """Files that a call reads."""
    robot = work.robot.__getstate__()[2:]
    others = [robot[1], robot[10], *(work.sensors.__getstate__()[-1:] if work.sensors else ())]
    given = [os.fspath(mapping)] if isinstance(mapping, (str, os.PathLike)) else []
    return [*(piece.path for piece in data.pieces), *others, *given]


def has_offsets(work: Work) -> bool:
    return Planned.of(work, []).solver().learning


def with_offsets(engine: Engine, work: Work, data: Data, report: Any) -> Work:
    """The work with what all pieces say of the sensors' offsets."""
    if not has_offsets(work):
        return work
    gathered = total(engine, work, gather_offsets, sums.merge_offsets, data.pieces, report)
    return replace(work, offsets=tuple(float(x) for x in gathered))


def _settled(work: Work) -> _core._Solver:
    solver = Planned.of(work, []).solver()
    solver.settle(list(work.offsets))
    solver.go_in_order()
    return solver


def offsets_of(work: Work) -> dict[str, Any]:
    """As Solver.offsets."""
    found: dict[str, Any] = {"offsets": {}, "columns": [], "covariance": []}
    return json.loads(_settled(work).offsets(1.0)) if work.offsets else found


def tell(said: Iterable[str]) -> None:
    """Warnings of the pieces, each once."""
    for text in dict.fromkeys(said):
        warnings.warn(text, SparsedynWarning, stacklevel=5)


def run_parts(engine: Engine, work: Work, data: Data, function: Callable[..., Any], out: str, report: Any, beside: str | None = None,
              overwrite: bool = False) -> tuple[list[Any], int]:
    """A part for each piece; the manifest when all are there. beside: a page that the call writes, too, perhaps into `out`.

    Raises ValueError for a folder that holds anything else (results.Folder), DatasetError naming the pieces that failed.
    """
    if not encodable(out):
        raise InputError(f"{out}: out: bytes that are no text; expected a folder whose name is UTF-8", out)
    source = os.path.abspath(data.path)
    within = os.path.relpath(os.path.realpath(out), os.path.realpath(data.path)).split(os.sep)
    if within == ["."]:
        raise ValueError(f"out: {out} is the data set itself; expected a folder of its own")
    if within[0] != ".." and not any(part.startswith((".", "_")) for part in within):
        raise ValueError(f"out: {out} lies within the data set, which would read it next time; expected a folder beside it")
    digest = work.digest()
    keys = [key_of(digest, piece) for piece in data.pieces]
    folder = Folder(out, source, keys, {piece.name for piece in data.pieces}, beside, overwrite)
    memory.check(engine.memory, data.pieces, work)
    os.makedirs(out, exist_ok=True)
    known = folder.known()
    notes = {k: known[parts.file_of(key)] for k, key in enumerate(keys) if parts.file_of(key) in known}
    before = {k for k, key in enumerate(keys) if parts.file_of(key) in folder.there}
    missing = [k for k in range(len(keys)) if k not in notes]
    jobs = [(data.pieces[k], (keys[k], out)) for k in missing]
    done, wrong = each(engine, engine.share(work), function, jobs, report) if jobs else ({}, {})
    notes.update({missing[k]: note for k, note in done.items()})
    folder.remove_begun()
    if wrong:
        failed = sorted(wrong)
        raise DatasetError([str(data.pieces[missing[k]]) for k in failed], [_text(wrong[k]) for k in failed], len(data.pieces))
    made = {"version": _core.version, "dataset": source, "work": digest, "parts": [notes[k] for k in range(len(keys))],
            "rows": sum(note["rows"] for note in notes.values()), "failed": sum(note["failed"] for note in notes.values())}
    if folder.manifest != made:
        manifest.write(out, made)
    folder.remove_old()
    return made["parts"], len([k for k in missing if k not in before])


def solve(engine: Engine, dataset: str | os.PathLike[str], robot: Model, sensors: Sensors, out: str | os.PathLike[str],
          plan: Plan | None, outputs: Sequence[str] | str | None, sd: bool, innovations: bool, on_error: str, keep: Sequence[str],
          mapping: Any, rows: int, content: bool, report: str | os.PathLike[str] | None, progress: Progress, overwrite: bool = False,
          runs: str | None = None, salvage: bool = False, stand_in: bool = True) -> Solution:
    work = make_work(robot, sensors, plan, outputs, sd, innovations, on_error, keep, mapping, runs, salvage)
    work = replace(work, sums=report is not None, stand_in=stand_in)
    data = Data(dataset, rows, content, work.mapping, engine)
    judge_page(report, _read(work, data, mapping), os.fspath(out))
    with Reporter(progress, "solve") as said:
        work = with_offsets(engine, work, data, said.callback)
        found, made = run_parts(engine, work, data, parts.solve_piece, os.fspath(out), said.callback,
                                None if report is None else os.fspath(report), overwrite)
        bare = [piece for piece, part in zip(data.pieces, found) if "sums" not in part] if report is not None else []
        # parts that were written without a page in mind stay as they are: what it needs is summed by reading
        beside = total(engine, work, sums.chi_square_piece, sums.merge_chi_square, bare, said.callback) if bare else None
    tell(text for part in found for text in part["warnings"])
    if report is not None:
        from .page import write_page

        gathered = sums.Sums()
        for state in [*(part["sums"] for part in found if "sums" in part), *([beside] if beside else [])]:
            gathered.merge(sums.Sums.from_state(state))
        write_page(report, fit_of(gathered, work), robot, os.fspath(dataset))
    return Solution(os.fspath(out), found, sum(part["rows"] for part in found), sum(part["failed"] for part in found), made,
                    offsets_of(work), data.time_faults)


def offsets(engine: Engine, dataset: str | os.PathLike[str], robot: Model, sensors: Sensors, plan: Plan | None, mapping: Any,
            rows: int, content: bool, progress: Progress, runs: str | None = None, salvage: bool = False) -> dict[str, Any]:
    work = make_work(robot, sensors, plan, None, False, False, "raise", (), mapping, runs, salvage)
    with Reporter(progress, "offsets") as said:
        return offsets_of(with_offsets(engine, work, Data(dataset, rows, content, work.mapping, engine), said.callback))


def chi_square(engine: Engine, dataset: str | os.PathLike[str], robot: Model, sensors: Sensors, plan: Plan | None, mapping: Any,
               rows: int, content: bool, on_error: str, report: str | os.PathLike[str] | None, progress: Progress,
               runs: str | None = None, salvage: bool = False) -> Fit:
    work = make_work(robot, sensors, plan, None, False, True, on_error, (), mapping, runs, salvage)
    data = Data(dataset, rows, content, work.mapping, engine)
    judge_page(report, _read(work, data, mapping), None)
    with Reporter(progress, "chi_square") as said:
        work = with_offsets(engine, work, data, said.callback)
        state = total(engine, work, sums.chi_square_piece, sums.merge_chi_square, data.pieces, said.callback)
    tell(state["warnings"])
    fit = fit_of(sums.Sums.from_state(state), work)
    if report is not None:
        from .page import write_page

        write_page(report, fit, robot, os.fspath(dataset))
    return fit


def fit_of(total_sums: sums.Sums, work: Work) -> Fit:
    """Offsets that were learnt take from what is expected, once."""
    known = -(chi_square_of(_settled(work)) or (0.0, 0))[1] if work.offsets else 0
    groups = {tuple(group.split("\t")): {name: _judged(row) for name, row in columns.items()}
              for group, columns in sorted(total_sums.groups.items())}
    over_all: dict[str, list[float]] = {}
    for _, columns in sorted(total_sums.groups.items()):
        for name, row in columns.items():
            to = over_all.setdefault(name, [0.0, 0.0, 0.0, 0.0])
            to[:] = [to[0] + row[0], to[1] + row[1], to[2] + row[2], max(to[3], row[3])]
    return Fit(total_sums.chi_square, total_sums.expected - known, total_sums.rows, total_sums.failed,
               {name: _judged(row) for name, row in over_all.items()}, groups)  # type: ignore[arg-type]


def _judged(row: Sequence[float]) -> dict[str, float]:
    count, sum_, squares, worst = row
    n = max(count, 1.0)
    return {"count": count, "mean": sum_ / n, "rms": float(np.sqrt(squares / n)), "worst": worst}


def identify_dataset(engine: Engine, dataset: str | os.PathLike[str], robot: Model, fit: Sequence[str] | str, prior: float,
                     holdout: str | os.PathLike[str] | None, mapping: Any, rows: int, content: bool, progress: Progress,
                     robust: str | None = None, sensors: Sensors | None = None, runs: str | None = None, salvage: bool = False
                     ) -> Identification:
    asked(fit, robust)
    mapping = read_mapping(mapping, runs, salvage)
    robot = sprung(robot, fit)
    given = None if sensors is None else SensorSet(sensors)
    with Reporter(progress, "identify") as said:

        def again(each_of: str | os.PathLike[str] | None) -> Callable[[Any], None]:
            """One map over the pieces, and one sum, a pass."""

            def read(core: Any) -> None:
                assert each_of is not None
                core.restore(list(_sums(engine, each_of, robot, mapping, rows, content, said.callback, given, core.how()).state))

            return read

        found = [information(engine, each_of, robot, mapping, rows, content, said.callback, given)
                 for each_of in (dataset, holdout) if each_of is not None]
        return fitted(found[0], found[1] if len(found) > 1 else None, fit, prior, robust, again(dataset), again(holdout))


def information(engine: Engine, dataset: str | os.PathLike[str], robot: Model, mapping: Any, rows: int, content: bool, report: Any,
                sensors: SensorSet | None = None) -> Information:
    """What all pieces say of the robot's parameters."""
    gathered = empty_information(robot, sensors)
    sum_ = _sums(engine, dataset, robot, mapping, rows, content, report, sensors, gathering.PLAIN)
    tell(sum_.warnings)
    gathered._core.restore(list(sum_.state))
    return gathered


def _sums(engine: Engine, dataset: str | os.PathLike[str], robot: Model, mapping: Any, rows: int, content: bool, report: Any,
          sensors: SensorSet | None, how: gathering.How) -> gathering.Gathered:
    work = Work(robot, sensors, mapping=read_mapping(mapping), how=how)
    pieces = Data(dataset, rows, content, work.mapping, engine).pieces
    found: gathering.Gathered = total(engine, work, gathering.gather, gathering.merge, pieces, report)
    return found


def convert(engine: Engine, log: str | os.PathLike[str], out: str | os.PathLike[str], mapping: Any, rows: int, content: bool,
            progress: Progress, overwrite: bool = False, runs: str | None = None, salvage: bool = False) -> Solution:
    work = Work(None, mapping=read_mapping(mapping, runs, salvage))
    data = Data(log, rows, content, work.mapping, engine)
    with Reporter(progress, "convert") as said:
        found, made = run_parts(engine, work, data, parts.convert_piece, os.fspath(out), said.callback,
                                None, overwrite)
    return Solution(os.fspath(out), found, sum(part["rows"] for part in found), 0, made, {}, data.time_faults)


__all__ = ["Data", "Fit", "Piece", "ROWS_A_PIECE", "Solution"]
