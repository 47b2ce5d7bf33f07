"""What MuJoCo's sensors read at a state, from the robot: sensordata by sensor, in MuJoCo's conventions.

The types of positions, velocities, accelerations and energies; force and torque of what the bodies' motion needs less what
contacts give; touch, the normal forces of contacts whose line meets the site.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._frames import IDENTITY, Array, Pose, cross, pose, seen, turned
from ._actuators import added_by_actuators
from ._bodies import Bodies
from ._compiled import any_of, disabled, mujoco_module, without_passive_forces
from ._frames_in_motion import Frame, Motion, unit_quaternion
from ._pushes import Push


class State:
    """What a reading may depend on; None where it was not given."""

    def __init__(self, motion: Motion, qpos: Array, qvel: Array | None, pushes: list[Push] | None, tied: bool) -> None:
        self.motion, self.qpos, self.qvel, self.pushes = motion, qpos, qvel, pushes
        self.tied = tied  #: whether forces of loops act that `pushes` lack


Reading = Callable[[int, State], "Array | None"]


def frame_of(model: Any, kind: int, at: int) -> tuple[int, Pose] | None:
    """The body of an object and the frame in it; None of what is no body, geom, site or camera."""
    objects = mujoco_module().mjtObj
    if kind == int(objects.mjOBJ_SITE):
        return int(model.site_bodyid[at]), pose(model.site_pos[at], model.site_quat[at])
    if kind == int(objects.mjOBJ_GEOM):
        return int(model.geom_bodyid[at]), pose(model.geom_pos[at], model.geom_quat[at])
    if kind == int(objects.mjOBJ_XBODY):
        return at, IDENTITY
    if kind == int(objects.mjOBJ_BODY):
        return at, pose(model.body_ipos[at], model.body_iquat[at])
    return None


class Predictions:
    """By type: `types` has those that are known."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies, self.model = bodies, bodies.model
        self.types: dict[str, Reading] = {
            "JOINTPOS": self._joint_position, "JOINTVEL": self._joint_velocity, "BALLQUAT": self._ball, "BALLANGVEL": self._joint_velocity,
            "TENDONPOS": self._tendon_position, "TENDONVEL": self._tendon_velocity,
            "FRAMEPOS": self._position, "FRAMEQUAT": self._quaternion, "FRAMEXAXIS": self._axis(0), "FRAMEYAXIS": self._axis(1),
            "FRAMEZAXIS": self._axis(2), "FRAMELINVEL": self._linear_velocity, "FRAMEANGVEL": self._angular_velocity,
            "FRAMELINACC": lambda k, s: self._frame(k, s).a, "FRAMEANGACC": lambda k, s: self._frame(k, s).al,
            "VELOCIMETER": self._own(lambda frame: frame.v), "GYRO": self._own(lambda frame: frame.w),
            "ACCELEROMETER": self._own(lambda frame: frame.a), "MAGNETOMETER": self._magnetometer,
            "FORCE": self._force, "TORQUE": self._torque, "TOUCH": self._touch,
            "SUBTREECOM": self._centre, "SUBTREELINVEL": self._centre_velocity, "SUBTREEANGMOM": self._angular_momentum,
            "E_POTENTIAL": self._potential_energy, "E_KINETIC": self._kinetic_energy,
        }  # fmt: skip

    def knows(self, k: int) -> bool:
        model, name = self.model, self._type(k)
        if name not in self.types:
            return False
        if name in ("TENDONPOS", "TENDONVEL"):
            return self._fixed_tendon(int(model.sensor_objid[k])) is not None
        if name == "TORQUE" and int(model.site_bodyid[model.sensor_objid[k]]) == 0:
            return False  # MuJoCo adds the moments of several trees about a point of each
        if name == "E_POTENTIAL" and (np.any(self._stiffness()[np.array(model.jnt_type) < 2]) or np.any(any_of(model, "tendon_stiffness"))):
            return False
        places = [(int(model.sensor_objtype[k]), int(model.sensor_objid[k]))] if name.startswith("FRAME") else []
        if name.startswith("FRAME") and int(model.sensor_refid[k]) >= 0:
            places.append((int(model.sensor_reftype[k]), int(model.sensor_refid[k])))
        return all(frame_of(model, *place) is not None for place in places)

    def of(self, k: int, state: State) -> Array | None:
        """(..., dim), cut off as MuJoCo does; None where the state does not say enough."""
        found = self.types[self._type(k)](k, state)
        cutoff = float(self.model.sensor_cutoff[k])
        if found is None or cutoff <= 0:
            return found
        types, kind = mujoco_module().mjtDataType, int(self.model.sensor_datatype[k])
        if kind == int(types.mjDATATYPE_REAL):
            return np.clip(found, -cutoff, cutoff)
        return np.minimum(found, cutoff) if kind == int(types.mjDATATYPE_POSITIVE) else found

    def _type(self, k: int) -> str:
        return str(mujoco_module().mjtSensor(int(self.model.sensor_type[k])).name[7:])

    # joints and tendons

    def _joint_position(self, k: int, state: State) -> Array:
        at = int(self.model.jnt_qposadr[self.model.sensor_objid[k]])
        return state.qpos[..., at : at + 1]

    def _joint_velocity(self, k: int, state: State) -> Array | None:
        at, count = int(self.model.jnt_dofadr[self.model.sensor_objid[k]]), int(self.model.sensor_dim[k])
        return None if state.qvel is None else state.qvel[..., at : at + count]

    def _ball(self, k: int, state: State) -> Array:
        at = int(self.model.jnt_qposadr[self.model.sensor_objid[k]])
        return state.qpos[..., at : at + 4]

    def _fixed_tendon(self, tendon: int) -> list[tuple[int, float]] | None:
        """Joints with their coefficients."""
        model = self.model
        wraps = range(int(model.tendon_adr[tendon]), int(model.tendon_adr[tendon] + model.tendon_num[tendon]))
        if any(int(model.wrap_type[w]) != int(mujoco_module().mjtWrap.mjWRAP_JOINT) for w in wraps):
            return None
        return [(int(model.wrap_objid[w]), float(model.wrap_prm[w])) for w in wraps]

    def _tendon(self, k: int, x: Array, address: Any) -> Array:
        terms = self._fixed_tendon(int(self.model.sensor_objid[k]))
        assert terms is not None
        length: Array = np.sum([c * x[..., int(address[j])] for j, c in terms], axis=0)
        return length[..., None]

    def _tendon_position(self, k: int, state: State) -> Array:
        return self._tendon(k, state.qpos, self.model.jnt_qposadr)

    def _tendon_velocity(self, k: int, state: State) -> Array | None:
        return None if state.qvel is None else self._tendon(k, state.qvel, self.model.jnt_dofadr)

    # frames

    def _frame(self, k: int, state: State) -> Frame:
        found = frame_of(self.model, int(self.model.sensor_objtype[k]), int(self.model.sensor_objid[k]))
        assert found is not None
        return state.motion.on_body(*found)

    def _reference(self, k: int, state: State) -> Frame:
        """The world's where none is named."""
        if int(self.model.sensor_refid[k]) < 0:
            return state.motion.on_body(0, IDENTITY)
        found = frame_of(self.model, int(self.model.sensor_reftype[k]), int(self.model.sensor_refid[k]))
        assert found is not None
        return state.motion.on_body(*found)

    def _own(self, what: Callable[[Frame], Array | None]) -> Reading:
        """In the frame's own axes."""

        def read(k: int, state: State) -> Array | None:
            frame = self._frame(k, state)
            x = what(frame)
            return None if x is None else seen(frame.R, x)

        return read

    def _magnetometer(self, k: int, state: State) -> Array:
        frame = self._frame(k, state)
        return seen(frame.R, np.broadcast_to(np.array(self.model.opt.magnetic, dtype=np.float64), frame.p.shape))

    def _position(self, k: int, state: State) -> Array:
        of, to = self._frame(k, state), self._reference(k, state)
        return seen(to.R, of.p - to.p)

    def _quaternion(self, k: int, state: State) -> Array:
        return unit_quaternion(np.swapaxes(self._reference(k, state).R, -1, -2) @ self._frame(k, state).R)

    def _axis(self, i: int) -> Reading:
        return lambda k, state: seen(self._reference(k, state).R, self._frame(k, state).R[..., i])

    def _linear_velocity(self, k: int, state: State) -> Array | None:
        of, to = self._frame(k, state), self._reference(k, state)
        if of.v is None or to.v is None or to.w is None:
            return None
        return seen(to.R, of.v - to.v - cross(to.w, of.p - to.p))

    def _angular_velocity(self, k: int, state: State) -> Array | None:
        of, to = self._frame(k, state), self._reference(k, state)
        return None if of.w is None or to.w is None else seen(to.R, of.w - to.w)

    # bodies together

    def _below(self, body: int) -> list[int]:
        """The body and all that it carries."""
        found = {body}
        for b in range(body + 1, self.model.nbody):
            if int(self.model.body_parentid[b]) in found:
                found.add(b)
        return sorted(found)

    def _centres(self, body: int, state: State) -> list[tuple[float, Array, Frame]]:
        """Mass, principal inertia and central frame of each body from `body` on."""
        model = self.model
        return [
            (float(model.body_mass[b]), np.array(model.body_inertia[b], dtype=np.float64),
             state.motion.on_body(b, pose(model.body_ipos[b], model.body_iquat[b])))
            for b in self._below(body)
        ]  # fmt: skip

    def _centre(self, k: int, state: State) -> Array:
        return _mean(self._centres(int(self.model.sensor_objid[k]), state), lambda frame: frame.p)

    def _centre_velocity(self, k: int, state: State) -> Array | None:
        if state.qvel is None:
            return None
        return _mean(self._centres(int(self.model.sensor_objid[k]), state), lambda frame: _told(frame.v))

    def _angular_momentum(self, k: int, state: State) -> Array | None:
        """About the centre of mass."""
        if state.qvel is None:
            return None
        parts = self._centres(int(self.model.sensor_objid[k]), state)
        centre, velocity = _mean(parts, lambda frame: frame.p), _mean(parts, lambda frame: _told(frame.v))
        total = np.zeros_like(centre)
        for m, principal, frame in parts:
            total += turned(frame.R, principal * seen(frame.R, _told(frame.w))) + m * cross(frame.p - centre, _told(frame.v) - velocity)
        return total

    def _kinetic_energy(self, k: int, state: State) -> Array | None:
        """With the rotors'."""
        if state.qvel is None:
            return None
        rotors = np.array(self.model.dof_armature, dtype=np.float64)
        for j in range(self.model.njnt):
            rotors[int(self.model.jnt_dofadr[j])] += added_by_actuators(self.model, j).armature
        twice = np.sum(rotors * state.qvel**2, axis=-1)
        for m, principal, frame in self._centres(0, state):
            w = seen(frame.R, _told(frame.w))
            twice = twice + m * np.sum(_told(frame.v) ** 2, axis=-1) + np.sum(principal * w**2, axis=-1)
        energy: Array = 0.5 * twice[..., None]
        return energy

    def _potential_energy(self, k: int, state: State) -> Array:
        """Of weight and springs."""
        model = self.model
        total = np.zeros(state.motion.shape)
        for m, _, frame in self._centres(0, state):
            total = total - m * (frame.p @ self.bodies.field)
        for j in np.flatnonzero(self._stiffness()):
            at = int(model.jnt_qposadr[j])
            total = total + 0.5 * self._stiffness()[j] * (state.qpos[..., at] - float(model.qpos_spring[at])) ** 2
        return total[..., None]

    def _stiffness(self) -> Array:
        """By joint; 0 where springs are off."""
        model = self.model
        off = disabled(model, "spring") or without_passive_forces(model)
        return np.zeros(model.njnt) if off else np.reshape(np.array(model.jnt_stiffness, dtype=np.float64), (model.njnt, -1))[:, 0]

    # forces

    def _wrench(self, k: int, state: State) -> tuple[Array, Array, Frame] | None:
        """What the body that carries the site gets from its parent, about the site: of bodies' motion, less the pushes on them."""
        frame = self._frame(k, state)
        if frame.a is None or state.tied:
            return None
        body = int(self.model.site_bodyid[self.model.sensor_objid[k]])
        force, moment = np.zeros_like(frame.p), np.zeros_like(frame.p)
        for m, principal, each in self._centres(body, state):
            w, al = seen(each.R, _told(each.w)), seen(each.R, _told(each.al))
            push = m * _told(each.a)
            force = force + push
            moment = moment + turned(each.R, principal * al + cross(w, principal * w)) + cross(each.p - frame.p, push)
        below = set(self._below(body))
        for each_push in state.pushes or []:
            if each_push.body in below:
                force = force - each_push.force
                moment = moment - each_push.moment - cross(each_push.point - frame.p, each_push.force)
        return force, moment, frame

    def _force(self, k: int, state: State) -> Array | None:
        found = self._wrench(k, state)
        return None if found is None else seen(found[2].R, found[0])

    def _torque(self, k: int, state: State) -> Array | None:
        found = self._wrench(k, state)
        return None if found is None else seen(found[2].R, found[1])

    def _touch(self, k: int, state: State) -> Array | None:
        """Contacts of the site's body, whose ray from the point along the normal into the body meets the site."""
        if state.pushes is None:
            return None
        model, site = self.model, int(self.model.sensor_objid[k])
        frame, body = self._frame(k, state), int(model.site_bodyid[site])
        size, kind = np.array(model.site_size[site]), int(model.site_type[site])
        total = np.zeros(state.motion.shape)
        for push in state.pushes:
            sign = -1.0 if push.body == body else 1.0 if push.ground == body else 0.0
            if sign == 0:
                continue
            pressed = push.force @ push.normal
            for index in np.ndindex(total.shape):
                if pressed[index] > 0 and _meets(frame.p[index], frame.R[index], size, push.point[index], sign * push.normal, kind):
                    total[index] += pressed[index]
        return total[..., None]


def _meets(p: Array, R: Array, size: Array, point: Array, along: Array, kind: int) -> bool:
    """Whether a ray meets a volume."""
    arguments = (np.ascontiguousarray(R).ravel(), size, np.ascontiguousarray(point), np.ascontiguousarray(along), kind)
    return float(mujoco_module().mju_rayGeom(np.ascontiguousarray(p), *arguments)) >= 0


def _told(x: Array | None) -> Array:
    assert x is not None
    return x


def _mean(parts: list[tuple[float, Array, Frame]], of: Callable[[Frame], Array]) -> Array:
    """By mass; of a subtree without mass its first body's."""
    mass = sum(m for m, _, _ in parts)
    if mass < 1e-15:
        return of(parts[0][2])
    mean: Array = np.sum([m * of(frame) for m, _, frame in parts], axis=0) / mass
    return mean

