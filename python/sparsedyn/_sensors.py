"""What sensors determine, and logs of what they read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from typing import Any

from . import _core
from ._core import Model, SensorSet
from ._tables import table_of

Sensors = SensorSet | str | os.PathLike[str] | Mapping[str, Any]


class Determinacy:
    """The answer of check. Prints as the command line does."""

    verdict: str  #: 'determined', 'redundant' or 'insufficient'
    rank: int  #: numeric, the best over the states tried
    unknowns: int
    equations: int
    undetermined: list[str]  #: unknowns, named as output columns
    redundant_exact: list[str]  #: exact rows that depend on each other
    advice: list[dict[str, Any]]  #: sensors that would help: type, joint or link, removes (directions)
    report: dict[str, Any]  #: all of `check --json`

    def __init__(self, text: str, report: str) -> None:
        self._text = text
        self.report = json.loads(report)
        for key in ("verdict", "rank", "unknowns", "equations", "undetermined", "redundant_exact", "advice"):
            setattr(self, key, self.report[key])

    def __bool__(self) -> bool:
        """Whether every unknown is determined, and no exact rows are redundant: exit code 0 of the command line."""
        return self.verdict != "insufficient" and not self.redundant_exact

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Determinacy({self.verdict!r}, rank {self.rank} of {self.unknowns} unknowns, {self.equations} equations)"

    def _repr_html_(self) -> str:
        colour = {"determined": "#2a7", "redundant": "#27a", "insufficient": "#c33"}[self.verdict]
        return f"<b style='color:{colour}'>{self.verdict}</b><pre>{escape(str(self))}</pre>"


def check(robot: Model, sensors: Sensors) -> Determinacy:
    """Whether these sensors determine the dynamics: rank, what stays open by name, which sensors would help.

    Cost: dense factorisations at 24 states and at special ones; Ctrl-C stops it.
    """
    return Determinacy(*_core._check(robot, sensors))


def simulate(robot: Model, sensors: Sensors | None = None, seconds: float = 10, rate: float = 100, seed: int = 1) -> Any:
    """A consistent log of a smooth motion as a pyarrow table: time (s), q.*, dq.*, ddq.*, tau.*; round(seconds · rate) rows.

    With a sensor set the true external wrenches and what the sensors read, with their noise, too. The same seed gives the same
    numbers as the command line's `simulate`. Raises AnswerIsNo where constants of the set contradict the motion.
    """
    names, columns = _core._simulate(robot, sensors, seconds, rate, seed)
    return table_of(dict(zip(names, columns)))
