"""A MuJoCo model as a robot with its constraints and sensors."""

from __future__ import annotations

import json
import warnings
from typing import Any, NamedTuple

import numpy as np


from .._core import Constraints, Model, SensorSet, load_urdf
from .._errors import SparsedynWarning
from ._actuators import Actuators, actuators_of
from ._bodies import Bodies
from ._compiled import Names, compiled, disabled
from ._constraints import Constraints as Collected
from ._constraints import parameters
from ._contacts import Contacts
from .._frames import Array
from ._pulls import note_corrections, note_flags, refuse_what_pulls
from ._report import Report
from ._frames_in_motion import Motion
from ._predictions import State as SensedState
from ._pushes import pushes_of
from ._sensors import Sensors
from ._state import Conversion, MujocoState, State


class Keyframe(NamedTuple):
    """A state of the model's, in our conventions."""

    name: str
    q: Array
    dq: Array


class MujocoRobot:
    """What load_mujoco makes of a model.

    robot        the Model: links, joints, armature, damping, springs, limits
    constraints  equalities, limits, dry friction and contacts with planes, for contact_dynamics and contact_inverse_dynamics
    sensors      a sensor set of what MuJoCo's sensors measure; readings() takes sensordata apart, sensordata() predicts it
    actuators    names, the matrix from their forces to tau, limits of their forces
    keyframes    states of the model, by name
    report       what entered, what did not, and why; print shows it as a table
    """

    robot: Model
    constraints: Constraints
    sensors: SensorSet
    actuators: Actuators
    keyframes: tuple[Keyframe, ...]
    report: Report

    def __init__(self, model: Any, partial: bool) -> None:
        self.report = report = Report(partial)
        self.mujoco = model  #: the compiled model
        names = Names(model)
        note_flags(model, report)
        refuse_what_pulls(model, names, report)
        self._bodies = Bodies(model, names, report)
        self.robot_json = self._bodies.json(_name_of(model))  #: what the robot file holds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SparsedynWarning)
            self.robot = load_urdf(json.dumps(self.robot_json))
        self.conversion = Conversion(model)
        self.actuators = actuators_of(model, names, report)
        name = _name_of(model)
        collected = Collected(self._bodies, report)
        contacts = Contacts(collected, report)
        self._contacts = contacts.sources
        note_corrections(model, collected.items, report)
        self.constraints_json = {"name": name, "parameters": parameters(model, report), "constraints": collected.items}
        self.constraints = Constraints(self.constraints_json)
        self._tied = any(item["type"] in ("connect", "weld") for item in collected.items)
        relieved = not disabled(model, "gravity") and not np.array_equal(self._bodies.gravity, model.opt.gravity)
        self._sensors = Sensors(self._bodies, self.actuators, contacts, relieved, report)
        self.sensors_json = self._sensors.set(name)
        self.sensors = SensorSet(self.sensors_json)
        if report.left_out:
            warnings.warn(SparsedynWarning(f"{name}: {len(report.left_out)} elements are left out; .report lists them"), stacklevel=3)
        self.keyframes = tuple(self._keyframe(names, k) for k in range(model.nkey))

    def state(self, qpos: Any, qvel: Any = None, qacc: Any = None) -> State:
        """q, dq, ddq of MuJoCo's qpos (..., nq), qvel and qacc (..., nv); None for what is not given. Batches broadcast."""
        return self.conversion.state(qpos, qvel, qacc)

    def mujoco_state(self, q: Any, dq: Any = None, ddq: Any = None) -> MujocoState:
        """The inverse of state: qpos, qvel, qacc."""
        return self.conversion.mujoco_state(q, dq, ddq)

    def tau(self, qpos: Any, force: Any) -> Array:
        """tau (..., nv) of generalised forces as MuJoCo has them (qfrc_applied, qfrc_actuator) at qpos."""
        return self.conversion.tau(qpos, force)

    def mujoco_force(self, q: Any, tau: Any) -> Array:
        """The inverse of tau."""
        return self.conversion.mujoco_force(q, tau)

    def readings(self, sensordata: Any, qpos: Any = None) -> dict[str, Array]:
        """sensordata (..., nsensordata) by the columns of the sensor set: y.SENSOR.COMPONENT, in our conventions.

        qpos (..., nq) is needed where a sensor reads in the world's axes and the set's in its own (framelinacc, frameangacc,
        frameangvel). Readings at their cutoff are NaN: gaps.
        """
        if qpos is None:
            return self._sensors.of(sensordata, None)
        motion = Motion(self.robot, self._bodies, self.state(qpos).q, None, None)
        return self._sensors.of(sensordata, lambda body, inner: motion.on_body(body, inner).R)

    def sensordata(self, q: Any, dq: Any = None, ddq: Any = None, force: Any = None) -> dict[str, Array]:
        """What MuJoCo's sensors read, by name, each (..., dim), in MuJoCo's conventions and axes; cut off as there, without noise.

        q (..., nq), dq and ddq (..., nv). force (..., forces): of contact_dynamics, for touch, and for force and torque of what
        is touched; without it nothing touches. Missing are readings that need what is not given, force and torque of robots
        with connect or weld once forces are given, and types that .report lists as left out. Quaternions have w ≥ 0, but those
        of balls are qpos's. Cost: proportional to batch, model and sensors.
        """
        if dq is None and ddq is not None:
            raise ValueError("ddq without dq: accelerations of points depend on velocities")
        given = [np.asarray(x, dtype=np.float64) for x in (q, dq, ddq, force) if x is not None]
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in given))

        def whole(x: Any) -> Array | None:
            return None if x is None else np.broadcast_to(np.asarray(x, dtype=np.float64), (*shape, np.shape(x)[-1])).copy()

        at, forces = whole(q), whole(force)
        assert at is not None
        motion = Motion(self.robot, self._bodies, at, whole(dq), whole(ddq))
        pushes = None if forces is None else pushes_of(self._contacts, self.constraints.force_names(self.robot), motion, forces)
        tied = pushes is not None and self._tied
        found = self.mujoco_state(at, whole(dq))
        return self._sensors.predict(SensedState(motion, found.qpos, found.qvel, pushes, tied))

    def _keyframe(self, names: Names, k: int) -> Keyframe:
        model = self.mujoco
        state = self.state(model.key_qpos[k], model.key_qvel[k])
        assert state.dq is not None
        name = names.unique("key", names.raw("key", k) or f"key{k}")
        return Keyframe(name, state.q, state.dq)

    def __repr__(self) -> str:
        return f"MujocoRobot({self.robot!r}, {len(self.report.left_out)} left out)"


def _name_of(model: Any) -> str:
    """The model's, which begins its names."""
    return bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace") or "mujoco"


def load_mujoco(source: Any, partial: bool = False) -> MujocoRobot:
    """A MuJoCo model as a robot: `.robot`, `.constraints`, `.sensors`, `.actuators`, `.keyframes`, `.report`.

    source   a path or text of MJCF, an MjSpec or an MjModel; what is read is the compiled model
    partial  what pulls and cannot be represented is left out and listed in `.report`; else it is refused

    Raises ImportError without MuJoCo's package (pip install 'sparsedyn[mujoco]'), ValueError that names the element otherwise.
    Cost: proportional to the model.
    """
    return MujocoRobot(compiled(source), partial)


