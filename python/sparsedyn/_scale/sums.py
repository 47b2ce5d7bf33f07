"""What adds up over pieces: chi-square by sensor, offsets' information, torques' triangles; and in which order it does.

The order is fixed by the data set alone: eight neighbours make one, eight of those make one, and so on. Sums of floating-point
numbers are then the same bits for any number of workers and any order in which they finish.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .pieces import Piece
    from .work import Solved, Work

Array = NDArray[np.float64]
FAN_IN = 8
EPOCH = 1e8  #: s; a log whose times begin later counts them from 1970


def levels(leaves: int) -> list[int]:
    """How many nodes each level of the tree has, leaves first, one last."""
    counts = [leaves]
    while counts[-1] > 1:
        counts.append(-(-counts[-1] // FAN_IN))
    return counts


class Sums:
    """Of estimated rows: chi-square, and by robot, day and column of a reading the innovations' number, sum, squares, largest."""

    def __init__(self) -> None:
        self.rows = self.failed = self.expected = 0
        self.chi_square = 0.0
        self.groups: dict[str, dict[str, list[float]]] = {}  #: by "robot\tday"
        self.warnings: list[str] = []
        self._solved: Solved | None = None
        self._columns: list[int] = []
        self._own: Array = np.zeros((0, 4))

    @staticmethod
    def of(solved: Solved) -> Sums:
        """Of a piece that is being solved."""
        sums = Sums()
        sums._solved = solved
        sums._columns = [k for k, name in enumerate(solved.columns) if name.startswith("innovation.")]
        sums._own = np.zeros((len(sums._columns), 4))
        return sums

    def add(self, found: Array) -> None:
        """Results of a batch. An innovation of 0 is a reading that nothing else predicts, or that is missing."""
        values = found[:, self._columns].T
        values = np.where(np.isfinite(values), values, 0.0)
        self._own[:, 0] += np.count_nonzero(values, axis=1)
        self._own[:, 1] += values.sum(axis=1)
        self._own[:, 2] += (values * values).sum(axis=1)
        if values.shape[1]:
            self._own[:, 3] = np.maximum(self._own[:, 3], np.abs(values).max(axis=1))

    def finished(self) -> Sums:
        """All rows of the piece are in."""
        solved = self._solved
        assert solved is not None
        self.rows, self.failed, self.warnings = solved.rows, solved.failed, solved.reader.warnings
        self.chi_square, self.expected = solved.chi_square()
        names = [solved.columns[k].removeprefix("innovation.") for k in self._columns]
        self.groups = {group_of(solved.piece, solved.time): {name: list(map(float, row)) for name, row in zip(names, self._own)}}
        return self

    def merge(self, other: Sums) -> None:
        self.rows, self.failed = self.rows + other.rows, self.failed + other.failed
        self.chi_square, self.expected = self.chi_square + other.chi_square, self.expected + other.expected
        self.warnings = list(dict.fromkeys([*self.warnings, *other.warnings]))
        for group, columns in other.groups.items():
            mine = self.groups.setdefault(group, {})
            for name, (count, total, squares, worst) in columns.items():
                to = mine.setdefault(name, [0.0, 0.0, 0.0, 0.0])
                to[:] = [to[0] + count, to[1] + total, to[2] + squares, max(to[3], worst)]

    def state(self) -> dict[str, Any]:
        return {"rows": self.rows, "failed": self.failed, "chi_square": self.chi_square, "expected": self.expected,
                "groups": self.groups, "warnings": self.warnings}

    @staticmethod
    def from_state(state: dict[str, Any]) -> Sums:
        sums = Sums()
        sums.rows, sums.failed, sums.expected = state["rows"], state["failed"], state["expected"]
        sums.chi_square, sums.warnings = state["chi_square"], list(state["warnings"])
        sums.groups = {group: {name: list(row) for name, row in columns.items()} for group, columns in state["groups"].items()}
        return sums


def group_of(piece: Piece, time: list[float]) -> str:
    """Robot and day. The robot: the folder robot=…, or the first of other folders KEY=VALUE, or the first folder."""
    keys = dict(piece.keys)
    others = [value for key, value in piece.keys if value and key not in ("date", "day")]
    folders = piece.name.split("/")[:-1]
    robot = keys.get("robot") or (others[0] if others else folders[0] if folders and "=" not in folders[0] else "all")
    day = keys.get("date") or keys.get("day") or ""
    if not day and time and time[0] > EPOCH:
        day = datetime.datetime.fromtimestamp(time[0], datetime.timezone.utc).strftime("%Y-%m-%d")
    return f"{robot}\t{day}"


def chi_square_piece(work: Work, piece: Piece) -> dict[str, Any]:
    """Of a piece, without writing its estimates."""
    from .work import Solved

    solved = Solved(work, piece)
    sums = Sums.of(solved)
    for _, found in solved:
        sums.add(found)
    return sums.finished().state()


def merge_chi_square(work: Work, *states: dict[str, Any]) -> dict[str, Any]:
    sums = Sums.from_state(states[0])
    for state in states[1:]:
        sums.merge(Sums.from_state(state))
    return sums.state()


def merge_offsets(work: Work, *states: Array) -> Array:
    total = np.array(states[0])
    for state in states[1:]:
        total = total + state
    return total
