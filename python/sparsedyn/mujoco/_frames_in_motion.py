"""Frames on a MuJoCo model's bodies, with their motion in the world, from the robot's kinematics.

Of a link with pose (R, p), spatial velocity (ω, v) and spatial proper acceleration (α, a), all in the link's frame, a point r has
  ẋ = R (v + ω × r),   ẍ − g = R (a + ω × v + α × r + ω × (ω × r)).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core import Model, accelerations, poses, velocities
from .._frames import Array, Pose, cross, rotation, times, turned
from ._bodies import Bodies


class Frame(NamedTuple):
    """In the world's axes; batches on leading axes. None: the velocities, or accelerations, were not given."""

    R: Array  #: (..., 3, 3)
    p: Array  #: (..., 3): the origin
    w: Array | None  #: the angular velocity
    v: Array | None  #: the origin's velocity
    al: Array | None  #: the angular acceleration
    a: Array | None  #: the origin's acceleration, less gravity


class Motion:
    """At q (..., nq), dq and ddq (..., nv)."""

    def __init__(self, robot: Model, bodies: Bodies, q: Array, dq: Array | None, ddq: Array | None) -> None:
        self._bodies = bodies
        self._index = {name: k for k, name in enumerate(robot.link_names)}
        self._poses = np.asarray(poses(robot, q))
        self._velocities = None if dq is None else np.asarray(velocities(robot, q, dq))
        self._accelerations = None if dq is None or ddq is None else np.asarray(accelerations(robot, q, dq, ddq))
        self._field = bodies.field
        self._other_gravity = bodies.gravity - bodies.field  # the robot's proper accelerations are less its own gravity
        self.shape = self._poses.shape[:-2]

    def on_body(self, body: int, inner: Pose) -> Frame:
        """A frame at `inner` in a body's frame."""
        link, base = self._bodies.pose_on(body, np.zeros(3), [1, 0, 0, 0])
        turn, r = times(base, inner)
        if link == "world":
            return self._still(turn, r)
        k = self._index[link]
        at = self._poses[..., k, :]
        R = rotation(at[..., [6, 3, 4, 5]])
        own = np.broadcast_to(r, (*self.shape, 3))
        w = v = al = a = None
        if self._velocities is not None:
            wl, vl = self._velocities[..., k, :3], self._velocities[..., k, 3:]
            w, v = turned(R, wl), turned(R, vl + cross(wl, own))
            if self._accelerations is not None:
                spin, shift = self._accelerations[..., k, :3], self._accelerations[..., k, 3:]
                point = shift + cross(wl, vl) + cross(spin, own) + cross(wl, cross(wl, own))
                al, a = turned(R, spin), turned(R, point) + self._other_gravity
        return Frame(R @ turn, at[..., :3] + turned(R, own), w, v, al, a)

    def _still(self, turn: Array, r: Array) -> Frame:
        zero = np.zeros((*self.shape, 3))
        moves, falls = self._velocities is not None, self._accelerations is not None
        return Frame(
            np.broadcast_to(turn, (*self.shape, 3, 3)), zero + r, zero if moves else None, zero if moves else None,
            zero if falls else None, zero - self._field if falls else None,
        )


def unit_quaternion(R: Array) -> Array:
    """w first, w ≥ 0, by the largest of the four (Shepperd 1978)."""
    m = R
    trace = np.trace(m, axis1=-2, axis2=-1)
    w, x, y, z = (m[..., 2, 1] - m[..., 1, 2]), (m[..., 0, 2] - m[..., 2, 0]), (m[..., 1, 0] - m[..., 0, 1]), 1 + trace
    sums = {(i, k): m[..., i, k] + m[..., k, i] for i, k in ((0, 1), (0, 2), (1, 2))}
    squares = [1 - trace + 2 * m[..., i, i] for i in range(3)]
    choices = [
        np.stack([z, w, x, y], -1),
        np.stack([w, squares[0], sums[0, 1], sums[0, 2]], -1),
        np.stack([x, sums[0, 1], squares[1], sums[1, 2]], -1),
        np.stack([y, sums[0, 2], sums[1, 2], squares[2]], -1),
    ]
    largest = np.argmax(np.stack([z, *squares], -1), axis=-1)
    found: Array = np.choose(largest[..., None], choices)
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., :1] < 0, -found, found)

