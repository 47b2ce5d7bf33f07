"""What a log is, and what is probably wrong with it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _core, _tables
from ._core import Model, SensorSet
from ._datasets import Log, MappingLike, open_log

_KNOWN = ("q.", "dq.", "ddq.", "tau.", "fx.", "y.")


class Finding(NamedTuple):
    """One fault, of one column or of several that share it."""

    kind: str  #: time_unit, angle_unit, torque_sign, … (docs/inspect.md)
    columns: list[str]
    severity: str  #: harm: numbers made from the log are wrong; doubt: they may be; note: worth knowing
    evidence: str
    likely: str
    remedy: str
    from_line: int  #: of the file, or counted from 1 for tables
    to_line: int


class Inspection(NamedTuple):
    """What inspect found."""

    rows: int
    rate: float | None  #: Hz; None without times
    duration: float | None  #: s
    findings: list[Finding]  #: worst first
    unjudged: list[tuple[list[str], str]]  #: columns of the log that could not be judged, and why
    lacking: list[str]  #: columns of joints that the log lacks, while it has others of their kind

    @property
    def harm(self) -> bool:
        """Whether a finding is harm."""
        return any(finding.severity == "harm" for finding in self.findings)


def inspect(
    robot: Model,
    log: Any,
    sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    mapping: MappingLike = None,
) -> Inspection:
    """What a log is, and what is probably wrong with it, as `sparsedyn inspect` tells it.

    log      a path of any format that open_log reads, a Log, a table of pandas, pyarrow or polars, or a dict of arrays
    sensors  a set, whose sensors' readings are compared with the motion
    mapping  of open_log, for paths

    Raises InputError as open_log and SensorSet do.
    """
    lines: list[int] = []
    name = "log"
    if isinstance(log, (str, os.PathLike)):
        name = os.fspath(log)
        if name.endswith(".csv") and mapping is None:
            columns, values, lines, others = _core._recorded_columns(name)
            return _told(_core._inspect(robot, sensors, name, columns, values, lines, others))
        log = open_log(name, mapping)
    if isinstance(log, Log):
        name = log.path
        log = log.read()
    names = list(_tables.column_names(log))
    columns = [column for column in names if column == "time" or column.startswith(_KNOWN)]
    others = [column for column in names if column not in columns]
    arrays = [np.ascontiguousarray(_tables.column(log, column)) for column in columns]
    if others and not columns:
        rows = np.size(next(iter(log.values()))) if isinstance(log, Mapping) else len(log)
        lines = list(range(1, rows + 1))  # no column of numbers says how many there are
    return _told(_core._inspect(robot, sensors, name, columns, arrays, lines, others))


def _told(found: Any) -> Inspection:
    rows, rate, duration, findings, unjudged, lacking = found
    timed = rate > 0
    return Inspection(
        rows,
        rate if timed else None,
        duration if timed else None,
        [Finding(*one) for one in findings],
        [(a, b) for a, b in unjudged],
        list(lacking),
    )
