"""A floating base's coordinates, velocity and acceleration as other packages count them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._frames import Array, rotation, seen, turned


class BaseMotion(NamedTuple):
    """Coordinates (..., 7), velocity and acceleration (..., 6) of a base, or None where none was given."""

    q: Array
    dq: Array | None
    ddq: Array | None


class _Convention(NamedTuple):
    coordinates: tuple[int, ...]  # theirs, as places in ours: x y z qx qy qz qw
    angular_first: bool
    linear_in_world: bool
    angular_in_world: bool


_KNOWN = {
    "drake": _Convention((6, 3, 4, 5, 0, 1, 2), True, True, True),
    "idyntree": _Convention((0, 1, 2, 6, 3, 4, 5), False, True, True),
    "mujoco": _Convention((0, 1, 2, 6, 3, 4, 5), False, True, False),
    "pinocchio": _Convention((0, 1, 2, 3, 4, 5, 6), False, False, False),
}


def _known(convention: str) -> _Convention:
    if convention not in _KNOWN:
        raise ValueError(f"convention: {convention!r}; expected one of {', '.join(_KNOWN)}")
    return _KNOWN[convention]


def _base(name: str, values: ArrayLike, least: int) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] < least:
        raise ValueError(f"{name}: shape {array.shape}; expected {least} numbers of the base first")
    return array[..., :least]


def _rates(how: _Convention, dq: ArrayLike | None, ddq: ArrayLike | None) -> tuple[Array | None, Array | None]:
    """The base's, where given."""
    if ddq is not None and dq is None and how.linear_in_world:
        raise ValueError("ddq: without dq; expected both, as the rate of a velocity in the world takes the velocity")
    return None if dq is None else _base("dq", dq, 6), None if ddq is None else _base("ddq", ddq, 6)


def _with_turn(a: Array, v: Array, sign: float) -> Array:
    """Angular, then linear: dv/dt ± omega x v."""
    return np.concatenate([a[..., :3], a[..., 3:] + sign * np.cross(v[..., :3], v[..., 3:])], axis=-1)


def base_to(convention: str, q: ArrayLike, dq: ArrayLike | None = None, ddq: ArrayLike | None = None) -> BaseMotion:
    """The base of a floating robot's q, dq, ddq (..., nq or nv) as the package "drake", "idyntree", "mujoco" or "pinocchio" counts it.

    With R the base's orientation, omega and v its velocity in its own axes: the linear velocity in the world is R v, its rate
    R (dv/dt + omega x v). Accelerations are the derivatives of the numbers that velocities are, without gravity.

        drake      q: qw qx qy qz x y z    angular, linear, in the world's axes
        idyntree   q: x y z qw qx qy qz    linear, angular, in the world's axes (mixed representation)
        mujoco     q: x y z qw qx qy qz    linear in the world's axes, angular in the base's
        pinocchio  q: x y z qx qy qz qw    linear, angular, in the base's axes
    """
    how, ours = _known(convention), _base("q", q, 7)
    R = rotation(ours[..., [6, 3, 4, 5]])

    def rate(angular: Array, linear: Array) -> Array:
        angular = turned(R, angular) if how.angular_in_world else angular
        linear = turned(R, linear) if how.linear_in_world else linear
        return np.concatenate([angular, linear] if how.angular_first else [linear, angular], axis=-1)

    v, a = _rates(how, dq, ddq)
    if a is not None and v is not None and how.linear_in_world:
        a = _with_turn(a, v, 1.0)
    return BaseMotion(
        ours[..., list(how.coordinates)],
        None if v is None else rate(v[..., :3], v[..., 3:]),
        None if a is None else rate(a[..., :3], a[..., 3:]),
    )


def base_from(convention: str, q: ArrayLike, dq: ArrayLike | None = None, ddq: ArrayLike | None = None) -> BaseMotion:
    """The inverse of base_to: what a package counts first of a floating robot, as the first numbers of our q, dq, ddq."""
    how, theirs = _known(convention), _base("q", q, 7)
    ours = np.empty_like(theirs)
    ours[..., list(how.coordinates)] = theirs
    R = rotation(ours[..., [6, 3, 4, 5]])

    def rate(x: Array) -> Array:
        angular, linear = (x[..., :3], x[..., 3:]) if how.angular_first else (x[..., 3:], x[..., :3])
        angular = seen(R, angular) if how.angular_in_world else angular
        linear = seen(R, linear) if how.linear_in_world else linear
        return np.concatenate([angular, linear], axis=-1)

    given = _rates(how, dq, ddq)
    v, a = (None if each is None else rate(each) for each in given)
    if a is not None and v is not None and how.linear_in_world:
        a = _with_turn(a, v, -1.0)
    return BaseMotion(ours, v, a)
