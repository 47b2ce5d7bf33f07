"""What the pieces of a data set say of a robot's parameters, by its torques or by a sensor set."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import SensorSet
from .._errors import InputError, SolveError
from .._identification import Information, empty_information
from .ahead import ROWS, ahead
from .noted import noted
from .pieces import Piece, batches_of

if TYPE_CHECKING:
    from .work import Work

Array = NDArray[np.float64]
How = tuple[Any, ...]
PLAIN: How = ((), (), (), (), 0.0)  #: as one pass makes rows


class Gathering:
    """An information without rows, for a while. What it needs to know of the robot is found once in a process."""

    _kept: list[Information] = []
    _lock = threading.Lock()

    def __init__(self, robot: Any, sensors: SensorSet | None, how: How) -> None:
        self.robot, self.sensors, self.how = robot, sensors, how

    def __enter__(self) -> Information:
        with Gathering._lock:
            found = next((each for each in Gathering._kept if each.robot is self.robot and each.sensors is self.sensors), None)
            if found is not None:
                Gathering._kept.remove(found)
        self.information = empty_information(self.robot, self.sensors) if found is None else found
        self.information._core.restart(self.how)
        return self.information

    def __exit__(self, *_: object) -> None:
        with Gathering._lock:
            Gathering._kept[:] = [self.information, *Gathering._kept][:3]


class Gathered(NamedTuple):
    """Of some pieces."""

    state: Array  #: of an information
    warnings: list[str]  #: each once


def _gathering(work: Work) -> Gathering:
    assert work.how is not None
    return Gathering(work.robot, work.sensors, work.how)


def gather(work: Work, piece: Piece) -> Gathered:
    """Of one piece."""
    said: list[str] = []
    with _gathering(work) as information:
        for batch in ahead(batches_of(piece, ROWS, work.mapping, information.columns)):
            try:
                with noted(said):
                    information.add_log(batch)
            except (InputError, SolveError) as error:
                raise InputError(f"{piece}: {error}", piece.name) from None
        return Gathered(np.asarray(information._core.state()), said)


def merge(work: Work, *parts: Gathered) -> Gathered:
    """Of pieces, in their order."""
    with _gathering(work) as total, _gathering(work) as other:
        total._core.restore(list(parts[0].state))
        for part in parts[1:]:
            other._core.restore(list(part.state))
            total._core.merge(other._core)
        return Gathered(np.asarray(total._core.state()), list(dict.fromkeys(text for part in parts for text in part.warnings)))
