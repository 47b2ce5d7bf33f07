"""Rotations, quaternions (w first), poses and inertias as NumPy arrays, and as robot files have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pose = tuple[Array, Array]  # rotation 3×3, origin


def rotation(quaternion: Any) -> Array:
    """The matrices (..., 3, 3) of quaternions (..., 4), w first, of any length but 0."""
    u = np.asarray(quaternion, dtype=np.float64)
    u = u / np.linalg.norm(u, axis=-1, keepdims=True)
    w, x, y, z = (u[..., k] for k in range(4))
    R = np.empty((*u.shape[:-1], 3, 3))  # np.stack takes longer than all else
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return R


def cross(a: Array, b: Array) -> Array:
    """a × b, of batches, to the bits of np.cross, which takes several times as long for single vectors."""
    found: Array = a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]
    return found


def turned(R: Array, x: Array) -> Array:
    """R x, of batches."""
    found: Array = np.einsum("...ij,...j->...i", R, x)
    return found


def seen(R: Array, x: Array) -> Array:
    """Rᵀ x, of batches: in the frame's axes."""
    found: Array = np.einsum("...ji,...j->...i", R, x)
    return found


def pose(position: Any, quaternion: Any) -> Pose:
    return rotation(quaternion), np.array(position, dtype=np.float64)


IDENTITY: Pose = (np.eye(3), np.zeros(3))


def times(a: Pose, b: Pose) -> Pose:
    """The pose of c in a's parent, where b is c's pose in a."""
    return a[0] @ b[0], a[0] @ b[1] + a[1]


def inverse(a: Pose) -> Pose:
    return a[0].T, -(a[0].T @ a[1])


def axis_frame(axis: Any) -> Array:
    """A rotation whose third column is the axis, exact where the axis is one of the coordinates'."""
    z = np.asarray(axis, dtype=np.float64)
    z = z / np.linalg.norm(z)
    x = np.zeros(3)
    x[int(np.argmin(np.abs(z)))] = 1.0
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def rpy(R: Array) -> list[float]:
    """Roll, pitch and yaw with R = Rz(yaw) Ry(pitch) Rx(roll): roll of what is left without yaw, exact at any pitch."""
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return [float(roll), float(pitch), float(yaw)]


def pose_json(of: Pose) -> dict[str, Any]:
    """As robot files have it."""
    return {"rotation": [float(x) for x in of[0].ravel()], "xyz": [float(x) for x in of[1]]}


def pose_of(file: Mapping[str, Any] | None) -> Pose:
    """Of a robot file; what it does not say is the identity."""
    told = file or {}
    rotated = np.reshape(np.array(told.get("rotation", np.eye(3)), dtype=np.float64), (3, 3))
    return rotated, np.array(told.get("xyz", np.zeros(3)), dtype=np.float64)


def matrix(of: Pose) -> Array:
    """(4, 4)."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = of
    return found


def inertial(link: Mapping[str, Any]) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it, of a robot file's moments about the link's origin; without mass at the origin."""
    m, h = float(link.get("mass", 0.0)), np.array(link.get("first_moments", np.zeros(3)), dtype=np.float64)
    xx, xy, xz, yy, yz, zz = link.get("second_moments", [0.0] * 6)
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=np.float64)
    centre = h / m if m else np.zeros(3)
    second -= np.outer(h, centre)
    return m, centre, np.trace(second) * np.eye(3) - second
