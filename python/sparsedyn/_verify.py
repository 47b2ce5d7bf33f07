"""A robot's algorithms beside each other, and beside those of the packages that are installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._frames import Array

_ALLOWED = 1e-10  #: of a peer: rounding of numbers that are added up in other orders
_LEAST_SHARE = 1e-4  #: of the largest entry: entries that are smaller have no size of their own


class VerifiedPair(NamedTuple):
    """One quantity computed in two ways."""

    quantity: str
    a: str  #: the two ways
    b: str
    worst: float | None  #: relative to the largest value of the entry over the states; None: nothing was compared
    at: str | None  #: the entry where that is
    sample: int | None  #: and the state; 0: neutral, at rest
    allowed: float  #: what rounding may leave, given the robot's conditioning
    states: int  #: compared
    refused: int  #: states at which M leaves accelerations fewer than three digits
    why: str  #: nothing was compared, for this reason

    @property
    def agrees(self) -> bool | None:
        """None where nothing was compared."""
        return None if self.worst is None else self.worst <= self.allowed


class Verification(NamedTuple):
    """What verify found; prints as a table."""

    pairs: list[VerifiedPair]
    conditioning: float  #: of M with a unit diagonal, the largest over the states

    @property
    def passed(self) -> bool:
        """Whether all that was compared agrees."""
        return all(pair.agrees is not False for pair in self.pairs)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        quantity = ""
        for pair in self.pairs:
            if pair.quantity != quantity:
                quantity = pair.quantity
                yield quantity
            verdict = {None: "not compared: " + pair.why, True: "agrees", False: f"OFF at {pair.at}, sample {pair.sample}"}
            size = "      -" if pair.worst is None else f"{pair.worst:7.1e}"
            yield f"  {pair.a + ' | ' + pair.b:63.63s} {size} {verdict[pair.agrees]}"
        yield f"conditioning of M {self.conditioning:.1e}; " + ("all that was compared agrees" if self.passed else "some are OFF")


def verify(robot: _core.Model, samples: int = 100, *, seed: int = 1, programs: bool = True, peers: bool = True) -> Verification:
    """Every number of the robot that is computed in two ways or more, at rest and at random states within its limits.

    samples   states: neutral at rest, neutral in motion, random ones
    programs  generated C as well, where there is a compiler (seconds)
    peers     beside Pinocchio and MuJoCo too, as far as they are installed: inverse and forward dynamics, and M, at states of
              their own: neutral at rest and random ones

    The recursions, the sparse system in five formulations, derivatives beside complex steps, laws of mechanics. A pair that is
    OFF belongs in a bug report, with the robot.
    """
    rows, conditioning = _core._verify(robot, samples, seed, programs)
    pairs = [VerifiedPair(*row) for row in rows]
    if peers:
        pairs += _beside_peers(robot, samples, seed, conditioning)
    return Verification(pairs, conditioning)


class _Peer(NamedTuple):
    """Another package's functions of the robot's own q, dq, ddq, tau: M, tau, ddq."""

    name: str
    inertia: Callable[[Array], Array]
    torques: Callable[[Array, Array, Array], Array]
    accelerations: Callable[[Array, Array, Array], Array]


def _beside_peers(robot: _core.Model, samples: int, seed: int, conditioning: float) -> list[VerifiedPair]:
    pairs: list[VerifiedPair] = []
    for name, module, made in (("Pinocchio", "pinocchio", _pinocchio), ("MuJoCo", "mujoco", _mujoco)):
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        try:
            peer = made(robot)
        except ValueError as refused:
            pairs.append(VerifiedPair("joint torques", "recursion (rnea)", name, None, None, None, _ALLOWED, 0, 0, str(refused)))
            continue
        pairs += _compared(robot, peer, samples, seed, conditioning)
    return pairs


def _compared(robot: _core.Model, peer: _Peer, samples: int, seed: int, conditioning: float) -> list[VerifiedPair]:
    rng = np.random.default_rng(seed)
    q = np.stack([robot.neutral(), *(robot.random(rng=rng) for _ in range(samples - 1))])
    dq, ddq, tau = (most * rng.uniform(-1, 1, (samples, robot.nv)) for most in (2.0, 5.0, 5.0))
    dq[0] = ddq[0] = tau[0] = 0
    own = [_core.crba(robot, q).reshape(samples, -1), _core.rnea(robot, q, dq, ddq)]
    theirs = [np.stack([peer.inertia(x).ravel() for x in q]), np.stack([peer.torques(*x) for x in zip(q, dq, ddq)])]
    rates = robot.velocity_names
    names = [[f"M.{i}.{k}" for i in rates for k in rates], [f"tau.{i}" for i in rates], [f"ddq.{i}" for i in rates]]
    what = [("M", "crba", _ALLOWED), ("joint torques", "recursion (rnea)", _ALLOWED)]
    pairs = [_pair(w, peer.name, x, r, each) for w, x, r, each in zip(what, own, theirs, names)]
    rounding, solved = 1000 * np.finfo(float).eps * conditioning, ("accelerations", "articulated bodies (aba)")
    if rounding > 1e-3:
        why = "M is singular at some state, or leaves accelerations fewer than three digits"
        return [*pairs, VerifiedPair(*solved, peer.name, None, None, None, _ALLOWED, 0, samples, why)]
    found = np.stack([peer.accelerations(*x) for x in zip(q, dq, tau)])
    return [*pairs, _pair((*solved, max(_ALLOWED, rounding)), peer.name, _core.aba(robot, q, dq, tau), found, names[2])]


def _pair(what: tuple[str, str, float], peer: str, x: Array, r: Array, names: list[str]) -> VerifiedPair:
    apart, size = np.abs(x - r), np.abs(r).max(axis=0)
    apart[~np.isfinite(apart)] = np.inf
    size = np.maximum(size, _LEAST_SHARE * size.max())
    relative = np.where(apart == 0, 0, apart / np.where(size > 0, size, 1e-300))
    sample, entry = np.unravel_index(int(np.argmax(relative)), relative.shape)
    worst = float(relative[sample, entry])
    return VerifiedPair(what[0], what[1], peer, worst, names[int(entry)], int(sample), what[2], len(x), 0, "")


def _pinocchio(robot: _core.Model) -> _Peer:
    from ._pinocchio import to_pinocchio

    pin: Any = importlib.import_module("pinocchio")
    maps = to_pinocchio(robot)
    if np.any(maps.model.damping) or np.any(maps.model.upperDryFrictionLimit):
        raise ValueError("friction or damping, which Pinocchio's dynamics leave out")
    data = maps.model.createData()

    def inertia(q: Array) -> Array:
        M = np.array(pin.crba(maps.model, data, maps.q(q)))
        M = np.triu(M) + np.triu(M, 1).T
        return maps.from_matrix(M)

    return _Peer(
        "Pinocchio",
        inertia,
        lambda q, dq, ddq: maps.from_v(pin.rnea(maps.model, data, maps.q(q), maps.v(dq), maps.v(ddq))),
        lambda q, dq, tau: maps.from_v(pin.aba(maps.model, data, maps.q(q), maps.v(dq), maps.v(tau))),
    )


def _mujoco(robot: _core.Model) -> _Peer:
    from .mujoco import load_mujoco, to_mujoco

    mujoco: Any = importlib.import_module("mujoco")
    model = to_mujoco(robot).compile()
    back = load_mujoco(model)
    if set(back.robot.velocity_names) != set(robot.velocity_names):
        raise ValueError("MuJoCo's joints are not the robot's, one for one")
    to_v = [list(robot.velocity_names).index(name) for name in back.robot.velocity_names]
    to_q = [list(robot.coordinate_names).index(name) for name in back.robot.coordinate_names]
    from_v = np.argsort(to_v)
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION)
    data = mujoco.MjData(model)

    def set_state(q: Array, dq: Array) -> Any:
        state = back.mujoco_state(q[to_q], dq[to_v])
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = state.qpos, state.qvel, 0
        return state

    def inertia(q: Array) -> Array:
        state = set_state(q, np.zeros(robot.nv))
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        for k in range(model.nv):  # M e_k: also where MuJoCo's storage of M changes between versions
            mujoco.mj_mulM(model, data, column := np.zeros(model.nv), np.eye(model.nv)[k])
            M[:, k] = column
        rates = np.stack([back.tau(state.qpos, row) for row in np.eye(model.nv)], axis=1)  # of ours by MuJoCo's
        return (rates @ M @ rates.T)[from_v][:, from_v]

    def torques(q: Array, dq: Array, ddq: Array) -> Array:
        state = set_state(q, dq)
        data.qacc[:] = back.mujoco_state(q[to_q], dq[to_v], ddq[to_v]).qacc
        mujoco.mj_inverse(model, data)
        return back.tau(state.qpos, data.qfrc_inverse)[from_v]

    def accelerations(q: Array, dq: Array, tau: Array) -> Array:
        state = set_state(q, dq)
        data.qfrc_applied[:] = back.mujoco_force(q[to_q], tau[to_v])
        mujoco.mj_forward(model, data)
        found = back.state(state.qpos, state.qvel, data.qacc).ddq
        assert found is not None
        return found[from_v]

    return _Peer("MuJoCo", inertia, torques, accelerations)
