"""Inverse kinematics of targets in any form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import Model
from ._results import Answer, InverseKinematics

Array = NDArray[np.float64]
Target = ArrayLike | Mapping[str, Any]
KEYS = ("pose", "position", "orientation", "weight", "position_weight", "orientation_weight")


def _shape(given: Any) -> tuple[int, ...]:
    shape = getattr(given, "shape", None)
    return tuple(shape) if shape is not None else np.shape(given)


def _form(link: str, given: Any) -> str:
    """How a pose is written, by its last axes. Raises ValueError."""
    shape = _shape(given)
    if shape[-2:] == (4, 4):
        return "matrix"
    if shape[-1:] in ((7,), (3,)):
        return "pose" if shape[-1] == 7 else "position"
    raise ValueError(f"targets[{link}]: {shape}; expected (..., 7), (..., 4, 4), or (..., 3) for a position alone")


def _target(link: str, given: Target) -> tuple[str, str, Any, float, float]:
    """Link, form, numbers, what position and orientation count. Raises ValueError."""
    if not isinstance(given, Mapping):
        form = _form(link, given)
        return link, form, given, 1.0, float(form != "position")
    if unknown := [key for key in given if key not in KEYS]:
        raise ValueError(f"targets[{link}]: {unknown[0]!r}; expected {', '.join(KEYS)}")
    kinds = [key for key in ("pose", "position", "orientation") if key in given]
    if len(kinds) != 1:
        raise ValueError(f"targets[{link}]: {', '.join(kinds) or 'no target'}; expected one of pose, position and orientation")
    (kind,), weight = kinds, float(given.get("weight", 1.0))
    form = kind if kind == "orientation" else _form(link, given[kind])
    if kind == "position" and form != "position":
        raise ValueError(f"targets[{link}]: position: {_shape(given[kind])}; expected (..., 3)")
    position = weight * float(given.get("position_weight", 1.0)) * (kind != "orientation")
    orientation = weight * float(given.get("orientation_weight", 1.0)) * (form != "position")
    return link, form, given[kind], position, orientation


@overload
def ik(
    robot: Model, targets: Mapping[str, Target], near: ArrayLike | None = None, *, path: bool = False, best: bool = False,
    tolerance: float = 1e-8, restarts: int = 100, iterations: int = 100, seed: int = 1, out: tuple[Array, ...] | None = None,
    threads: int = 1, on_error: Literal["raise"] = "raise",
) -> InverseKinematics: ...
@overload
def ik(
    robot: Model, targets: Mapping[str, Target], near: ArrayLike | None = None, *, path: bool = False, best: bool = False,
    tolerance: float = 1e-8, restarts: int = 100, iterations: int = 100, seed: int = 1, out: tuple[Array, ...] | None = None,
    threads: int = 1, on_error: Literal["nan"],
) -> Answer[InverseKinematics]: ...
def ik(
    robot: Model,
    targets: Mapping[str, Target],
    near: ArrayLike | None = None,
    *,
    path: bool = False,
    best: bool = False,
    tolerance: float = 1e-8,
    restarts: int = 100,
    iterations: int = 100,
    seed: int = 1,
    out: tuple[Array, ...] | None = None,
    threads: int = 1,
    on_error: Literal["raise", "nan"] = "raise",
) -> InverseKinematics | Answer[InverseKinematics]:
    """Inverse kinematics: the named tuple (q, residual), positions within the limits at which links have given poses.

    targets  {link: pose}: (..., 7), x y z and quaternion x y z w in the world, as `pose` gives; or homogeneous matrices (..., 4, 4);
             or (..., 3), a position alone; or a dict: one of "pose", "position" and "orientation" (a quaternion (..., 4)), and
             "weight", "position_weight", "orientation_weight" (1), factors of its errors in the residual
    near     (..., nq): the first start; of the postures that reach the poses the nearest one around it is given. Without it the
             search begins in the middle of the limits
    path     True: samples follow each other, each starts where the one before it ended
    best     True: the best posture found is the answer, and `residual` says how far off it is; else a pose that is not reached
             within `tolerance` is a failed sample
    restarts, seed  random postures tried after the first start, the same for each seed; iterations: steps from each

    q (..., nq); residual (...,): the root of the sum of |Δp|² + angle² over the targets, m and rad, weighted. Raises ValueError for
    links that cannot move or stand twice. out is a tuple of two arrays; threads and on_error as in rnea. Cost: an arm's pose about
    40 µs, a humanoid's hands and feet under a millisecond; what cannot be reached, restarts times that.
    """
    if not isinstance(targets, Mapping):
        raise TypeError(f"targets: {type(targets).__name__}; expected a dict {{link: pose}}")
    asked = [_target(link, given) for link, given in targets.items()]
    found: InverseKinematics | Answer[InverseKinematics] = _core._ik(
        robot, asked, near, path, best, tolerance, restarts, iterations, seed, out, threads, on_error
    )
    return found
