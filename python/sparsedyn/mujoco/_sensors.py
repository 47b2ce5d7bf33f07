"""MuJoCo's sensors as a sensor set, and sensordata as the set's readings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._actuators import Actuators
from ._bodies import BALL, FREE, Bodies
from ._compiled import any_of, disabled, mujoco_module
from ._contacts import Contacts
from .._frames import Array, Pose, pose, rpy, seen, times
from ._predictions import Predictions, State, frame_of
from ._report import Report

_POINTS, _QUATERNION = ["x", "y", "z"], ["qx", "qy", "qz", "qw"]


class Reading(NamedTuple):
    """Where a sensor's numbers stand in sensordata, and what becomes of them."""

    sensor: int
    columns: tuple[str, ...]  # of the set: y.SENSOR.COMPONENT
    at: slice  # of sensordata
    convert: Callable[[Array], Array]
    frame: tuple[int, Pose] | None  # into whose axes the world's are turned


class Sensors:
    """`items` as a sensor set has them, `readings` in the same order; `predicted`: those that predict() gives."""

    def __init__(self, bodies: Bodies, actuators: Actuators, contacts: Contacts, relieved: bool, report: Report) -> None:
        self.bodies, self.model, self.actuators, self.contacts, self.report = bodies, bodies.model, actuators, contacts, report
        self.relieved = relieved
        self.items: list[dict[str, Any]] = []
        self.readings: list[Reading] = []
        self.predictions = Predictions(bodies)
        self.predicted: list[int] = []
        names = bodies.names
        self.labels = [names.unique("sensor", names.raw("sensor", k) or f"sensor{k}") for k in range(self.model.nsensor)]
        if disabled(self.model, "sensor"):
            return
        types = mujoco_module().mjtSensor
        known = {
            "ACCELEROMETER": self._accelerometer, "GYRO": self._gyro, "FORCE": self._force, "TORQUE": self._torque,
            "JOINTPOS": self._joint_position, "JOINTVEL": self._joint_velocity, "BALLQUAT": self._ball_quaternion,
            "BALLANGVEL": self._joint_velocity, "JOINTACTFRC": self._joint_torque, "ACTUATORFRC": self._actuator_force,
            "FRAMEPOS": self._frame_position, "FRAMEQUAT": self._frame_quaternion, "FRAMELINACC": self._frame_acceleration,
            "FRAMEANGACC": self._frame_angular_acceleration, "FRAMEANGVEL": self._frame_angular_velocity,
            "FRAMELINVEL": self._frame_velocity, "VELOCIMETER": self._velocimeter, "TOUCH": self._touch,
        }
        for k in range(self.model.nsensor):
            name = types(int(self.model.sensor_type[k])).name[7:]
            self._take(k, known[name] if name in known else None, name)

    def _take(self, k: int, known: Callable[[int], str | None] | None, name: str) -> None:
        """Into the set, or among the predicted, or neither."""
        element = self.bodies.names.of("sensor", k)
        if late := self._late(k):
            self.report.leaves_out(element, late)
            return
        predicted = self.predictions.knows(k)
        if predicted:
            self.predicted.append(k)
        why = known(k) if known else _reason(name)
        if not why:
            self.report.enters(element, f"sensor {self.items[-1]['name']}, {self.items[-1]['type']}")
        elif predicted:
            self.report.enters(element, f"a reading of sensordata(), no sensor of the set: {why}")
        else:
            self.report.leaves_out(element, why)

    def _late(self, k: int) -> str | None:
        """Readings that are of another time than the state."""
        for field, what in (("sensor_delay", "delayed"), ("sensor_interval", "held between samples")):
            value = any_of(self.model, field)
            if value.size and np.any(value[k] > 0):
                return f"a reading that is {what}"
        return None

    def set(self, name: str) -> dict[str, Any]:
        return {"name": name, "sensors": self.items}

    def of(self, sensordata: Any, turn: Callable[[int, Pose], Array] | None) -> dict[str, Array]:
        """Columns of the set, of sensordata (..., nsensordata). turn: rotations (..., 3, 3) of frames on bodies, if qpos is known."""
        data = np.asarray(sensordata, dtype=np.float64)
        if data.ndim == 0 or data.shape[-1] != self.model.nsensordata:
            raise ValueError(f"sensordata: shape {data.shape}; expected (..., {self.model.nsensordata})")
        columns: dict[str, Array] = {}
        for reading in self.readings:
            numbers = self._within(reading.sensor, data[..., reading.at])
            if reading.frame is not None:
                if turn is None:
                    label = self.labels[reading.sensor]
                    raise ValueError(f"sensor {label}: it reads in the world's axes, the set's in its own; expected qpos beside sensordata")
                numbers = seen(turn(*reading.frame), numbers)
            numbers = reading.convert(numbers)
            for i, column in enumerate(reading.columns):
                columns[column] = numbers[..., i]
        return columns

    def predict(self, state: State) -> dict[str, Array]:
        """What MuJoCo's sensors read, by name."""
        found = {self.labels[k]: self.predictions.of(k, state) for k in self.predicted}
        return {name: x for name, x in found.items() if x is not None}

    def _within(self, k: int, numbers: Array) -> Array:
        """A number at its cutoff says no more than that it is beyond: a gap, NaN."""
        cutoff, types = float(self.model.sensor_cutoff[k]), mujoco_module().mjtDataType
        cut = int(self.model.sensor_datatype[k]) in (int(types.mjDATATYPE_REAL), int(types.mjDATATYPE_POSITIVE))
        return np.where(np.abs(numbers) >= cutoff, np.nan, numbers) if cut and cutoff > 0 else numbers

    def _add(
        self, k: int, entry: dict[str, Any], components: list[str], convert: Callable[[Array], Array] = lambda x: x,
        frame: tuple[int, Pose] | None = None,
    ) -> None:  # fmt: skip
        model, name = self.model, self.labels[k]
        made = {"name": name, **entry}
        if components and entry["type"] in ("force_torque", "link_pose", "link_velocity"):
            made["components"] = components
        noise = any_of(model, "sensor_noise")
        if noise.size and noise[k] > 0:
            made["sigma"] = float(noise[k])
        self.items.append(made)
        columns = tuple(f"y.{name}.{c}" for c in components) or (f"y.{name}",)
        at = int(model.sensor_adr[k])
        self.readings.append(Reading(k, columns, slice(at, at + int(model.sensor_dim[k])), convert, frame))

    def _on_link(
        self, k: int, kind: str, components: list[str], convert: Callable[[Array], Array] = lambda x: x, in_world: bool = False
    ) -> str | None:
        """in_world: it reads in the world's axes, and the set's sensor in its own."""
        found = frame_of(self.model, int(self.model.sensor_objtype[k]), int(self.model.sensor_objid[k]))
        if found is None:
            return "on an object that is no body, geom or site"
        if not self.bodies.moves(found[0]):
            return "on a body that stands still"
        if int(self.model.sensor_refid[k]) >= 0 and int(self.model.sensor_reftype[k]) != 0:
            return "against another frame than the world's"
        link, base = self.bodies.pose_on(found[0], np.zeros(3), [1, 0, 0, 0])
        inner = times(base, found[1])
        entry = {"type": kind, "link": link, "xyz": [float(x) for x in inner[1]], "rpy": rpy(inner[0])}
        self._add(k, entry, components, convert, found if in_world else None)
        return None

    def _accelerometer(self, k: int, in_world: bool = False) -> str | None:
        if self.relieved:
            return "it feels gravity, of which the robot has another share (gravcomp)"
        return self._on_link(k, "accelerometer", _POINTS, in_world=in_world)

    def _frame_acceleration(self, k: int) -> str | None:
        return self._accelerometer(k, in_world=True)

    def _frame_angular_acceleration(self, k: int) -> str | None:
        return self._on_link(k, "angular_accelerometer", _POINTS, in_world=True)

    def _frame_angular_velocity(self, k: int) -> str | None:
        return self._on_link(k, "gyroscope", _POINTS, in_world=True)

    def _velocimeter(self, k: int, in_world: bool = False) -> str | None:
        return self._on_link(k, "link_velocity", ["vx", "vy", "vz"], in_world=in_world)

    def _frame_velocity(self, k: int) -> str | None:
        return self._velocimeter(k, in_world=True)

    def _touch(self, k: int) -> str | None:
        """The force on the site's body along a plane's normal: where nothing else can touch that body, and the site sees all of it."""
        site = int(self.model.sensor_objid[k])
        body = int(self.model.site_bodyid[site])
        sources = [source for source in self.contacts.sources if source.body == body]
        if not self.bodies.moves(body):
            return "touch: on a body that stands still"
        if body in self.contacts.others:
            return "touch: its body can touch more than a still plane"
        if not sources:
            return "touch: nothing can touch its body"
        if any(np.abs(source.normal - sources[0].normal).max() > 1e-12 for source in sources):
            return "touch: its body can touch planes of several normals"
        if not all(source.radius > 0 and self._holds(site, centre, source.reach) for source in sources for centre in source.centres):
            return "touch: its site does not hold the spheres by which its body can touch"
        link, _ = self.bodies.pose_on(body, np.zeros(3), [1, 0, 0, 0])
        self._add(k, {"type": "normal_force", "link": link, "normal": [float(x) for x in sources[0].normal]}, [])
        return None

    def _holds(self, site: int, centre: Array, radius: float) -> bool:
        """Whether a ball on the body lies in a site, so that MuJoCo, which looks for it from the contact outwards, meets it."""
        model = self.model
        inner = seen(pose(model.site_pos[site], model.site_quat[site])[0], centre - np.array(model.site_pos[site]))
        types, kind, size = mujoco_module().mjtGeom, int(model.site_type[site]), np.array(model.site_size[site])
        x, y, z = np.abs(inner)
        radius *= 1 - 1e-12  # sites as large as the shape, but for rounding
        if kind in (int(types.mjGEOM_SPHERE), int(types.mjGEOM_ELLIPSOID)):  # an ellipsoid holds more than the ball in it
            return bool(np.linalg.norm(inner) + radius <= (size[0] if kind == int(types.mjGEOM_SPHERE) else size.min()))
        if kind == int(types.mjGEOM_CAPSULE):
            return bool(np.hypot(np.hypot(x, y), max(z - size[1], 0.0)) + radius <= size[0])
        if kind == int(types.mjGEOM_CYLINDER):
            return bool(np.hypot(x, y) + radius <= size[0] and z + radius <= size[1])
        return kind == int(types.mjGEOM_BOX) and bool(np.all(np.abs(inner) + radius <= size))

    def _gyro(self, k: int) -> str | None:
        return self._on_link(k, "gyroscope", _POINTS)

    def _wrench(self, k: int, components: list[str]) -> str | None:
        """MuJoCo's acts from the body that carries the site on its parent: with the opposite sign the parent's on it."""
        site = int(self.model.sensor_objid[k])
        body = int(self.model.site_bodyid[site])
        if body == 0:
            return "of the world, whose trees' moments MuJoCo adds about a point of each"
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


def _reason(name: str) -> str:
    """Why a sensor set has no such type."""
    kind = name.lower()
    if name.startswith(("JOINTLIMIT", "TENDONLIMIT")):
        return f"{kind}: it reads a row of the solver"
    if name in ("RANGEFINDER", "CAMPROJECTION", "INSIDESITE", "CONTACT", "TACTILE") or name.startswith("GEOM"):
        return f"{kind}: it reads shapes, which a robot here has not"
    if name in ("CLOCK", "PLUGIN", "USER"):
        return f"{kind}: it does not follow from a robot's state"
    return f"{kind}: a set has no such type"
