"""MuJoCo's sensors as a sensor set, and sensordata as the set's readings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._actuators import Actuators
from ._bodies import BALL, FREE, Bodies
from ._compiled import any_of, disabled, mujoco_module
from .._frames import Array, Pose, pose, rpy, times
from ._report import Report

_POINTS, _QUATERNION = ["x", "y", "z"], ["qx", "qy", "qz", "qw"]


class Reading(NamedTuple):
    """Where a sensor's numbers stand in sensordata, and what becomes of them."""

    columns: tuple[str, ...]  # of the set: y.SENSOR.COMPONENT
    at: slice  # of sensordata
    convert: Callable[[Array], Array]


class Sensors:
    """`items` as a sensor set has them, `readings` in the same order."""

    def __init__(self, bodies: Bodies, actuators: Actuators, relieved: bool, report: Report) -> None:
        self.bodies, self.model, self.actuators, self.report = bodies, bodies.model, actuators, report
        self.relieved = relieved
        self.items: list[dict[str, Any]] = []
        self.readings: list[Reading] = []
        if disabled(self.model, "sensor"):
            return
        types = mujoco_module().mjtSensor
        known = {
            "ACCELEROMETER": self._accelerometer, "GYRO": self._gyro, "FORCE": self._force, "TORQUE": self._torque,
            "JOINTPOS": self._joint_position, "JOINTVEL": self._joint_velocity, "BALLQUAT": self._ball_quaternion,
            "BALLANGVEL": self._joint_velocity, "JOINTACTFRC": self._joint_torque, "ACTUATORFRC": self._actuator_force,
            "FRAMEPOS": self._frame_position, "FRAMEQUAT": self._frame_quaternion,
        }
        for k in range(self.model.nsensor):
            name = types(int(self.model.sensor_type[k])).name[7:]
            element = self.bodies.names.of("sensor", k)
            why = self._altered(k) or (known[name](k) if name in known else f"a sensor of the type {name.lower()}")
            if why:
                report.leaves_out(element, why)
            else:
                report.enters(element, f"sensor {self.items[-1]['name']}, {self.items[-1]['type']}")

    def _altered(self, k: int) -> str | None:
        """What MuJoCo does to the reading beside noise."""
        for field, what in (("sensor_cutoff", "cut off"), ("sensor_delay", "delayed"), ("sensor_interval", "held between samples")):
            value = any_of(self.model, field)
            if value.size and np.any(value[k] > 0):
                return f"a reading that is {what}"
        return None

    def set(self, name: str) -> dict[str, Any]:
        return {"name": name, "sensors": self.items}

    def of(self, sensordata: Any) -> dict[str, Array]:
        """Columns of the set, of sensordata (..., nsensordata)."""
        data = np.asarray(sensordata, dtype=np.float64)
        if data.ndim == 0 or data.shape[-1] != self.model.nsensordata:
            raise ValueError(f"sensordata: shape {data.shape}; expected (..., {self.model.nsensordata})")
        columns: dict[str, Array] = {}
        for reading in self.readings:
            numbers = reading.convert(data[..., reading.at])
            for i, column in enumerate(reading.columns):
                columns[column] = numbers[..., i]
        return columns

    def _add(self, k: int, entry: dict[str, Any], components: list[str], convert: Callable[[Array], Array] = lambda x: x) -> None:
        model = self.model
        name = self.bodies.names.unique("sensor", self.bodies.names.raw("sensor", k) or f"sensor{k}")
        made = {"name": name, **entry}
        if components and entry["type"] in ("force_torque", "link_pose"):
            made["components"] = components
        noise = any_of(model, "sensor_noise")
        if noise.size and noise[k] > 0:
            made["sigma"] = float(noise[k])
        self.items.append(made)
        columns = tuple(f"y.{name}.{c}" for c in components) or (f"y.{name}",)
        at = int(model.sensor_adr[k])
        self.readings.append(Reading(columns, slice(at, at + int(model.sensor_dim[k])), convert))

    def _frame(self, k: int) -> tuple[int, Pose] | str:
        """The body and the frame in it."""
        model, objects = self.model, mujoco_module().mjtObj
        kind, at = int(model.sensor_objtype[k]), int(model.sensor_objid[k])
        if kind == int(objects.mjOBJ_SITE):
            return int(model.site_bodyid[at]), pose(model.site_pos[at], model.site_quat[at])
        if kind == int(objects.mjOBJ_GEOM):
            return int(model.geom_bodyid[at]), pose(model.geom_pos[at], model.geom_quat[at])
        if kind == int(objects.mjOBJ_XBODY):
            return at, pose(np.zeros(3), [1, 0, 0, 0])
        if kind == int(objects.mjOBJ_BODY):
            return at, pose(model.body_ipos[at], model.body_iquat[at])
        return "on an object that is no body, geom or site"

    def _on_link(self, k: int, kind: str, components: list[str], convert: Callable[[Array], Array] = lambda x: x) -> str | None:
        found = self._frame(k)
        if isinstance(found, str):
            return found
        body, inner = found
        if not self.bodies.moves(body):
            return "on a body that stands still"
        if int(self.model.sensor_refid[k]) >= 0 and int(self.model.sensor_reftype[k]) != 0:
            return "against another frame than the world's"
        self._add(k, {"type": kind, "link": self.bodies.link[body], "xyz": [float(x) for x in inner[1]], "rpy": rpy(inner[0])}, components, convert)
        return None

    def _accelerometer(self, k: int) -> str | None:
        if self.relieved:
            return "it feels gravity, of which the robot has another share (gravcomp)"
        return self._on_link(k, "accelerometer", _POINTS)

    def _gyro(self, k: int) -> str | None:
        return self._on_link(k, "gyroscope", _POINTS)

    def _wrench(self, k: int, components: list[str]) -> str | None:
        """MuJoCo's acts from the body that carries the site on its parent: with the opposite sign the parent's on it."""
        site = int(self.model.sensor_objid[k])
        body = int(self.model.site_bodyid[site])
        if not self.bodies.moves(body):
            return "on a body that stands still"
        if self.relieved:
            return "it bears gravity, of which the robot has another share (gravcomp)"
        inner = pose(self.model.site_pos[site], self.model.site_quat[site])
        joint, carried = self.bodies.bearing[body]
        inner = times(carried, inner)
        entry = {"type": "force_torque", "joint": joint, "xyz": [float(x) for x in inner[1]], "rpy": rpy(inner[0]),
                 "direction": "parent_to_child"}
        self._add(k, entry, components)
        return None

    def _force(self, k: int) -> str | None:
        return self._wrench(k, ["fx", "fy", "fz"])

    def _torque(self, k: int) -> str | None:
        return self._wrench(k, ["nx", "ny", "nz"])

    def _joint_position(self, k: int) -> str | None:
        joint = int(self.model.sensor_objid[k])
        zero = float(self.model.qpos0[self.model.jnt_qposadr[joint]])
        self._add(k, {"type": "joint_position", "joint": self.bodies.joint[joint]}, [], lambda x: x - zero)
        return None

    def _ball_quaternion(self, k: int) -> str | None:
        joint = int(self.model.sensor_objid[k])
        self._add(k, {"type": "joint_position", "joint": self.bodies.joint[joint]}, _QUATERNION, lambda x: x[..., [1, 2, 3, 0]])
        return None

    def _joint_velocity(self, k: int) -> str | None:
        joint = int(self.model.sensor_objid[k])
        components = ["wx", "wy", "wz"] if self.model.jnt_type[joint] == BALL else []
        self._add(k, {"type": "joint_velocity", "joint": self.bodies.joint[joint]}, components)
        return None

    def _joint_torque(self, k: int) -> str | None:
        joint = int(self.model.sensor_objid[k])
        if self.model.jnt_type[joint] in (BALL, FREE):
            return "a joint of several freedoms"
        self._add(k, {"type": "joint_torque", "joint": self.bodies.joint[joint]}, [])
        return None

    def _actuator_force(self, k: int) -> str | None:
        actuator = int(self.model.sensor_objid[k])
        if actuator not in self.actuators.ids:
            return "an actuator whose force acts by no constant ratio"
        matrix = self.actuators.matrix
        column = matrix[:, self.actuators.ids.index(actuator)]
        moved = np.flatnonzero(column)
        if len(moved) != 1 or np.count_nonzero(matrix[moved[0]]) != 1:
            return "an actuator that does not move one joint alone"
        joint = int(self.model.dof_jntid[moved[0]])
        coefficients = {self.bodies.joint[joint]: 1 / float(column[moved[0]])}
        self._add(k, {"type": "torque_combination", "coefficients": coefficients}, [])
        return None

    def _frame_position(self, k: int) -> str | None:
        return self._on_link(k, "link_pose", _POINTS)

    def _frame_quaternion(self, k: int) -> str | None:
        return self._on_link(k, "link_pose", _QUATERNION, lambda x: x[..., [1, 2, 3, 0]])
