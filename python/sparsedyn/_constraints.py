"""What hard constraints take from a robot, and robots that are let go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _core
from ._core import Constraints, Model


class HardRows(NamedTuple):
    """Of connect, weld and joint constraints that are held exactly."""

    rows: int  #: all of them
    rank: int  #: the best over the states that were tried
    freedoms: int  #: nv − rank
    redundant: list[str]  #: rows that always follow from those before them: 'rod.y'


def hard_rows(robot: Model, constraints: Constraints | str | os.PathLike[str] | Mapping[str, Any]) -> HardRows:
    """Rank and redundant rows of the hard constraints, as `sparsedyn check --constraints` prints them.

    Tries the zero posture and 20 random ones, the same in every run; Ctrl-C stops it. Raises InputError where the constraints do
    not suit the robot.
    """
    return HardRows(*_core.Constraints(constraints)._hard_rows(robot))
