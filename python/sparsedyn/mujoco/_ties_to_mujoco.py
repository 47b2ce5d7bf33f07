"""Constraints of a file as MuJoCo's equalities, limits, dry friction and pairs of geoms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._frames import IDENTITY, Array, Pose, axis_frame, times
from ._compiled import mujoco_module

_SOFT = ("solref", "solimp")


def quaternion(R: Any) -> Any:
    """w first, by MuJoCo's own function."""
    out = np.zeros(4)
    mujoco_module().mju_mat2Quat(out, np.ascontiguousarray(R).ravel())
    return out


def box_of(points: Array) -> tuple[Array, Pose] | None:
    """Half the edges and the pose of a box whose corners the points are, x slowest, z fastest; None of others."""
    if points.shape != (8, 3):
        return None
    edges = points[[4, 2, 1]] - points[0]
    lengths = np.linalg.norm(edges, axis=1)
    if not lengths.all():
        return None
    R, half = (edges / lengths[:, None]).T, 0.5 * lengths
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    centre = points.mean(axis=0)
    fits = np.abs((signs * half) @ R.T + centre - points).max() < 1e-9 * lengths.max() and np.abs(R.T @ R - np.eye(3)).max() < 1e-9
    return (half, (R, centre)) if fits and np.linalg.det(R) > 0 else None


class Ties:
    """Adds constraints of a file to a spec."""

    def __init__(self, spec: Any, bodies: dict[str, tuple[Any, Pose]], joints: dict[str, Any]) -> None:
        """bodies: by link the MjsBody, and the link's frame in it; joints: the MjsJoints by name."""
        self.spec, self.bodies, self.joints, self.mujoco = spec, bodies, joints, mujoco_module()

    def add(self, of: dict[str, Any]) -> None:
        parameters, option = of.get("parameters", {}), self.spec.option
        cones = self.mujoco.mjtCone
        option.cone = cones.mjCONE_PYRAMIDAL if parameters.get("cone") == "pyramidal" else cones.mjCONE_ELLIPTIC
        option.impratio = parameters.get("impratio", 1.0)
        if "timestep" in parameters:
            option.timestep = parameters["timestep"]
        for c in of["constraints"]:
            known = {"connect": self._pair, "weld": self._pair, "joint": self._joint, "limit": self._limit, "dry_friction": self._friction,
                     "contact": self._contact}
            if c["type"] not in known or c.get("hard"):
                raise ValueError(f"constraint {c['name']}: {'hard' if c.get('hard') else c['type']}; expected a soft one of {', '.join(known)}")
            numbers = {key: c.get(key, parameters.get(key)) for key in _SOFT}
            known[c["type"]](c, {key: value for key, value in numbers.items() if value is not None})

    def _owner(self, link: str) -> tuple[Any, Pose]:
        """The body with the link, and the link's frame in it; the ground, unless a link has its name."""
        return (self.spec.worldbody, IDENTITY) if link == "world" and link not in self.bodies else self.bodies[link]

    def _body_and_frame(self, link: str, xyz: Any, rpy: Any) -> tuple[str, Pose]:
        body, at = self._owner(link)
        return body.name, times(at, (_turn(rpy), np.array(xyz, dtype=np.float64)))

    def _pair(self, c: dict[str, Any], soft: dict[str, Any]) -> None:
        zero = [0.0, 0.0, 0.0]
        sides = [self._body_and_frame(c["links"][k], c.get("xyz", [zero, zero])[k], c.get("rpy", [zero, zero])[k]) for k in range(2)]
        weld = c["type"] == "weld"
        kinds = self.mujoco.mjtEq
        made = self.spec.add_equality(name=c["name"], type=kinds.mjEQ_WELD if weld else kinds.mjEQ_CONNECT, objtype=self.mujoco.mjtObj.mjOBJ_SITE, **soft)
        for k, (body, at) in enumerate(sides):
            owner = self.spec.worldbody if body == "world" else self.spec.body(body)
            site = owner.add_site(name=f"{c['name']}.{k}", pos=at[1], quat=quaternion(at[0]))
            setattr(made, f"name{k + 1}", site.name)
        if weld:
            made.data = [*made.data[:10], 1.0, *made.data[11:]]

    def _joint(self, c: dict[str, Any], soft: dict[str, Any]) -> None:
        if c.get("linear"):
            return self._tendons(c, soft)
        data = np.zeros(11)
        data[: len(c["polynomial"])] = c["polynomial"]
        made = self.spec.add_equality(name=c["name"], type=self.mujoco.mjtEq.mjEQ_JOINT, objtype=self.mujoco.mjtObj.mjOBJ_JOINT, **soft)
        made.name1, made.name2 = c["joint"], c.get("of", "")
        made.data = [*data, *made.data[11:]]

    def _tendons(self, c: dict[str, Any], soft: dict[str, Any]) -> None:
        """q − Σ c q_k as the length of a fixed tendon, the joint that its polynomial is of as that of another."""
        kinds = self.mujoco
        own = self.spec.add_tendon(name=c["name"])
        for joint, factor in {c["joint"]: -1.0, **c["linear"]}.items():
            own.wrap_joint(joint, -factor)
        made = self.spec.add_equality(name=c["name"], type=kinds.mjtEq.mjEQ_TENDON, objtype=kinds.mjtObj.mjOBJ_TENDON, **soft)
        made.name1 = own.name
        if "of" in c:
            other = self.spec.add_tendon(name=f"{c['name']}.of")
            other.wrap_joint(c["of"], 1.0)
            made.name2 = other.name
        data = np.zeros(11)
        data[: len(c["polynomial"])] = c["polynomial"]
        made.data = [*data, *made.data[11:]]

    def _contact(self, c: dict[str, Any], soft: dict[str, Any]) -> None:
        geoms, plane, friction = self.mujoco.mjtGeom, c.get("plane", {}), c.get("friction", 0)
        sizes = [float(x) for x in np.atleast_1d(friction)] if np.any(friction) else []
        sliding, turning, rolling = [*sizes, 0.0, 0.0, 0.0][:3]
        ground = f"{c['name']}.plane"
        facing = axis_frame(plane.get("normal", [0, 0, 1]))
        self._geom(self.spec.worldbody, ground, geoms.mjGEOM_PLANE, [0, 0, 1], (facing, np.array(plane.get("xyz", [0, 0, 0]), dtype=np.float64)))
        body, at = self._owner(c["link"])
        for k, (kind, size, inner) in enumerate(self._shapes(c)):
            name = f"{c['name']}.{k}"
            self._geom(body, name, kind, size, times(at, inner))
            self.spec.add_pair(
                name=name, geomname1=ground, geomname2=name, condim=(1, 3, 4, 6)[len(sizes)], margin=c.get("margin", 0.0),
                friction=[sliding, sliding, turning, rolling, rolling], **soft,
            )  # fmt: skip

    def _geom(self, body: Any, name: str, kind: Any, size: Any, at: Pose) -> None:
        """One that touches where a pair says so."""
        body.add_geom(name=name, type=kind, size=size, pos=at[1], quat=quaternion(at[0]), contype=0, conaffinity=0, mass=0)

    def _shapes(self, c: dict[str, Any]) -> list[tuple[Any, Any, Pose]]:
        geoms, radius, points = self.mujoco.mjtGeom, c.get("radius", 0.0), np.array(c["points"], dtype=np.float64)
        if radius > 0:
            return [(geoms.mjGEOM_SPHERE, [radius, 0, 0], (np.eye(3), point)) for point in points]
        box = box_of(points)
        if box is None:
            raise ValueError(f"constraint {c['name']}: points without a radius that are no box's corners; MuJoCo's spheres have one")
        return [(geoms.mjGEOM_BOX, box[0], box[1])]

    def _joints(self, c: dict[str, Any]) -> list[Any]:
        names = c["joint"] if isinstance(c["joint"], list) else [c["joint"]]
        kinds = (self.mujoco.mjtJoint.mjJNT_HINGE, self.mujoco.mjtJoint.mjJNT_SLIDE)
        if names == ["*"]:
            names = [name for name, joint in self.joints.items() if joint.type in kinds]
            if c["type"] == "limit":
                names = [name for name in names if self.joints[name].range[0] < self.joints[name].range[1]]
        return [self.joints[name] for name in names]

    def _limit(self, c: dict[str, Any], soft: dict[str, Any]) -> None:
        for joint in self._joints(c):
            joint.limited = self.mujoco.mjtLimited.mjLIMITED_TRUE
            joint.margin = c.get("margin", 0.0)
            for key, value in soft.items():
                setattr(joint, f"{key}_limit", value)

    def _friction(self, c: dict[str, Any], soft: dict[str, Any]) -> None:
        for joint in self._joints(c):
            joint.frictionloss = c["loss"]
            for key, value in soft.items():
                setattr(joint, f"{key}_friction", value)


def _turn(rpy: Any) -> Any:
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x
