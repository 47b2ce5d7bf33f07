"""States and forces in MuJoCo's conventions and in ours.

MuJoCo: quaternions w first; a free joint's velocity is that of its origin in the world, then the angular velocity in the body.
Ours: x y z w; the spatial velocity in the body, angular first. With R the body's orientation, w its angular velocity:
  v = Rᵀ q̇,   v̇ = Rᵀ q̈ − w × v,   f = Rᵀ F.
Hinges and slides count from qpos0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._frames import Array, rotation

_W_LAST, _W_FIRST = [1, 2, 3, 0], [3, 0, 1, 2]


class State(NamedTuple):
    """Positions, velocities and accelerations; None where they were not given. Batches on leading axes."""

    q: Array
    dq: Array | None
    ddq: Array | None


class MujocoState(NamedTuple):
    """The same in MuJoCo's conventions."""

    qpos: Array
    qvel: Array | None
    qacc: Array | None


def _read(x: Any, size: int, name: str) -> Array:
    array = np.asarray(x, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(f"{name}: shape {array.shape}; expected (..., {size})")
    return array


class Conversion:
    """Between the two, of one model."""

    def __init__(self, model: Any) -> None:
        self.nq, self.nv = int(model.nq), int(model.nv)
        self.free = [(int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in range(model.njnt) if model.jnt_type[j] == 0]
        self.ball = [int(model.jnt_qposadr[j]) for j in range(model.njnt) if model.jnt_type[j] == 1]
        self.zero = np.zeros(self.nq)
        for j in range(model.njnt):
            if model.jnt_type[j] >= 2:
                self.zero[model.jnt_qposadr[j]] = model.qpos0[model.jnt_qposadr[j]]

    def _quaternions(self) -> list[int]:
        return [q + 3 for q, _ in self.free] + self.ball

    def q(self, qpos: Any) -> Array:
        out = _read(qpos, self.nq, "qpos") - self.zero
        for k in self._quaternions():
            u = out[..., k : k + 4]
            out[..., k : k + 4] = (u / np.linalg.norm(u, axis=-1, keepdims=True))[..., _W_LAST]
        return out

    def qpos(self, q: Any) -> Array:
        out = _read(q, self.nq, "q") + self.zero
        for k in self._quaternions():
            out[..., k : k + 4] = out[..., k : k + 4][..., _W_FIRST]
        return out

    def state(self, qpos: Any, qvel: Any = None, qacc: Any = None) -> State:
        if qvel is None and qacc is not None:
            raise ValueError("qacc without qvel: a free joint's acceleration here depends on its velocity")
        qpos = _read(qpos, self.nq, "qpos")
        dq = None if qvel is None else self._velocity(qpos, _read(qvel, self.nv, "qvel"))
        ddq = None
        if qacc is not None:
            assert dq is not None
            ddq = self._velocity(qpos, _read(qacc, self.nv, "qacc"))
            ddq, dq = (np.array(x) for x in np.broadcast_arrays(ddq, dq))
            for _, v in self.free:
                ddq[..., v + 3 : v + 6] -= np.cross(dq[..., v : v + 3], dq[..., v + 3 : v + 6])
        return State(self.q(qpos), dq, ddq)

    def mujoco_state(self, q: Any, dq: Any = None, ddq: Any = None) -> MujocoState:
        if dq is None and ddq is not None:
            raise ValueError("ddq without dq: a free joint's acceleration in MuJoCo depends on its velocity")
        qpos = self.qpos(q)
        qvel = None if dq is None else self._mujoco_velocity(qpos, _read(dq, self.nv, "dq"))
        qacc = None
        if ddq is not None:
            own, speed = (np.array(x) for x in np.broadcast_arrays(_read(ddq, self.nv, "ddq"), _read(dq, self.nv, "dq")))
            for _, v in self.free:
                own[..., v + 3 : v + 6] += np.cross(speed[..., v : v + 3], speed[..., v + 3 : v + 6])
            qacc = self._mujoco_velocity(qpos, own)
        return MujocoState(qpos, qvel, qacc)

    def tau(self, qpos: Any, force: Any) -> Array:
        """Generalised forces: of a free joint MuJoCo has the force in the world, then the moment in the body. Power is the same."""
        return self._velocity(_read(qpos, self.nq, "qpos"), _read(force, self.nv, "force"))

    def mujoco_force(self, q: Any, tau: Any) -> Array:
        return self._mujoco_velocity(self.qpos(q), _read(tau, self.nv, "tau"))

    def _velocity(self, qpos: Array, x: Array) -> Array:
        return self._exchanged(qpos, x, "...ji,...j->...i", 0)

    def _mujoco_velocity(self, qpos: Array, x: Array) -> Array:
        return self._exchanged(qpos, x, "...ij,...j->...i", 3)

    def _exchanged(self, qpos: Array, x: Array, turn: str, linear_at: int) -> Array:
        """The halves of each free joint exchanged, the linear one of x (from entry 0 or 3 on) turned by the body's rotation R or Rᵀ."""
        if not self.free:
            return x.copy()
        out = np.array(np.broadcast_to(x, np.broadcast_shapes(x.shape[:-1], qpos.shape[:-1]) + x.shape[-1:]))
        for q, v in self.free:
            linear, angular = v + linear_at, v + 3 - linear_at
            turned = np.einsum(turn, rotation(qpos[..., q + 3 : q + 7]), x[..., linear : linear + 3])
            out[..., angular : angular + 3], out[..., linear : linear + 3] = turned, x[..., angular : angular + 3]
        return out
