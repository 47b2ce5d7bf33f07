"""Rotations, quaternions (MuJoCo's: w first) and poses as NumPy arrays; batches on leading axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pose = tuple[Array, Array]  # rotation 3×3, origin


def rotation(quaternion: Any) -> Array:
    """The matrices (..., 3, 3) of quaternions (..., 4), w first, of any length but 0."""
    u = np.asarray(quaternion, dtype=np.float64)
    w, x, y, z = np.moveaxis(u / np.linalg.norm(u, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


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
    """Roll, pitch and yaw with R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pitch = float(np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-9:
        return [float(np.arctan2(-R[1, 2], R[1, 1])), pitch, 0.0]
    return [float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))]


def pose_json(of: Pose) -> dict[str, Any]:
    """As robot files have it."""
    return {"rotation": [float(x) for x in of[0].ravel()], "xyz": [float(x) for x in of[1]]}
