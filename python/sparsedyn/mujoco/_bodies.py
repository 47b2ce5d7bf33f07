"""The tree of a compiled model as a robot file: bodies as links, several joints on a body by links without mass between them.

Coordinates of hinges and slides count from MuJoCo's reference posture, q = qpos − qpos0: at q = 0 the robot stands as the model was
compiled, which is where MuJoCo weighs its soft constraints. Everything else of a joint (limits, springs) is shifted with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._actuators import added_by_actuators
from ._compiled import Names, any_of, disabled, without_passive_forces
from .._frames import IDENTITY, Array, Pose, axis_frame, pose, pose_json, times
from ._looks import looks_of
from ._report import Report

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
KINDS = {FREE: "floating", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}


class Bodies:
    """The robot file, and which link is which body, which joint is which."""

    def __init__(self, model: Any, names: Names, report: Report) -> None:
        self.model, self.names, self.report = model, names, report
        self.link: dict[int, str] = {}  # by body; the world's too, "world"
        self.joint: list[str] = [""] * model.njnt  # by joint
        self.bearing: dict[int, tuple[str, Pose]] = {}  #: by body: the joint that bears it, and its frame in the link which that carries
        self.pose_in_link: dict[int, Pose] = {}  # by body: of bodies that have no link, in the world
        self._in_body: dict[str, Pose] = {}  # by link: its pose in the robot's body that carries it
        self._links: list[dict[str, Any]] = []
        self.floats = floats(model)
        self.field = np.zeros(3) if disabled(model, "gravity") else np.array(model.opt.gravity, dtype=np.float64)
        self.gravity = gravity(model, self.field, report)  # the robot's: what gravcomp leaves of the field
        self._add_world()
        for body in range(1, model.nbody):
            self._add(body)

    def json(self, name: str) -> dict[str, Any]:
        return {"format": "sparsedyn-robot", "version": 1, "name": name, "gravity": [float(x) for x in self.gravity], "links": self._links}

    def moves(self, body: int) -> bool:
        return bool(self.model.body_weldid[body] != 0)

    def pose_on(self, body: int, position: Any, quaternion: Any) -> tuple[str, Pose]:
        """A frame on a body: the link, and its pose there."""
        inner = pose(position, quaternion)
        if body in self.pose_in_link:
            return "world", times(self.pose_in_link[body], inner)
        return self.link[body], inner

    def _add_world(self) -> None:
        self.link[0] = "world"
        self.names.unique("link", "world")
        self.names.unique("joint", "base" if self.floats else "world")
        if self.floats:
            self.pose_in_link[0] = IDENTITY
            return
        self._in_body["world"] = IDENTITY
        self._links.append({"name": "world", "joint": {"name": "world", "kind": "fixed"}, **looks_of(self.model, self.names, 0)})

    def _add(self, body: int) -> None:
        model, names = self.model, self.names
        element = names.of("body", body)
        parent = int(model.body_parentid[body])
        at = pose(model.body_pos[body], model.body_quat[body])
        if model.body_mocapid[body] >= 0:
            self.report.leaves_out(element, "a mocap body stands still at its pose of the model")
        if self.floats and not self.moves(body):
            self.pose_in_link[body] = times(self.pose_in_link[parent], at)
            self.report.has_no_meaning(element, "part of the world, on which nothing acts")
            return
        self.link[body] = names.unique("link", names.raw("body", body) or f"body{body}")
        joints = range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
        if len(joints) == 0:
            self._add_fixed(body, self.link[parent], at)
            self.report.enters(element, "a link on a fixed joint")
            return
        above, massless = self.link[parent], 0
        for count, joint in enumerate(joints, 1):
            anchor = self._anchor(joint)
            last = count == len(joints) and not anchor.any()
            link = self.link[body] if last else names.unique("link", f"{self.link[body]}.{count}")
            self._add_moving(body, joint, link, above, at, last)
            massless += not last
            above, at = link, (np.eye(3), -anchor)
        self.bearing[body] = (self.joint[joints[-1]], at)
        if above != self.link[body]:
            self._add_fixed(body, above, at)
        self.report.enters(element, f"a link behind {massless} without mass" if massless else "a link")

    def _anchor(self, joint: int) -> Array:
        """Where the joint turns, in the body's frame: a link that a joint carries has its origin there. A slide has no such point."""
        turns = self.model.jnt_type[joint] in (HINGE, BALL)
        return np.array(self.model.jnt_pos[joint], dtype=np.float64) if turns else np.zeros(3)

    def _add_fixed(self, body: int, above: str, at: Pose) -> None:
        link = self.link[body]
        self._in_body[link] = times(self._in_body[above], at)
        joint = self.names.unique("joint", f"{link}_fixed")
        self.bearing.setdefault(body, (joint, IDENTITY))
        self._links.append(
            {"name": link, "parent": above, "pose": pose_json(self._in_body[link]), **inertia_json(self.model, body),
             "joint": {"name": joint, "kind": "fixed"}, **looks_of(self.model, self.names, body)}
        )

    def _add_moving(self, body: int, joint: int, link: str, above: str, at: Pose, last: bool) -> None:
        kind = int(self.model.jnt_type[joint])
        root = kind == FREE and self.floats
        wish = self.names.raw("joint", joint) or f"{link}_joint"
        name = "base" if root else self.names.unique("joint", wish)
        self.joint[joint] = name
        turned = np.eye(3) if kind in (BALL, FREE) else axis_frame(self.model.jnt_axis[joint])
        frame = (turned, self._anchor(joint))
        # a free joint's coordinates are the body's pose in the world
        placement = IDENTITY if kind == FREE else times(times(self._in_body[above], at), frame)
        self._in_body[link] = (turned.T, np.zeros(3))
        made: dict[str, Any] = {"name": name, "kind": KINDS[kind], "bodies": [{"type": KINDS[kind], "placement": pose_json(placement)}]}
        made.update(joint_numbers(self.model, joint, self.names, self.report))
        entry: dict[str, Any] = {"name": link}
        if not root:
            entry["parent"] = above
        entry["pose"] = pose_json(self._in_body[link])
        if last:
            entry.update({**inertia_json(self.model, body), **looks_of(self.model, self.names, body)})
        self._links.append({**entry, "joint": made})
        self.report.enters(self.names.of("joint", joint), f"{KINDS[kind]} joint {name}")


def floats(model: Any) -> bool:
    """Whether the robot is one tree on a free joint: its root floats, and the world is no link."""
    moving = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0 and model.body_jntnum[b] > 0]
    below = [b for b in range(1, model.nbody) if model.body_weldid[b] != 0 and model.body_weldid[model.body_parentid[b]] == 0]
    return len(below) == 1 and moving == below and int(model.jnt_type[model.body_jntadr[moving[0]]]) == FREE


def gravity(model: Any, field: Array, report: Report) -> Array:
    """The field's, times what gravcomp leaves of it: a whole robot may be relieved alike, single bodies may not."""
    relieved = any_of(model, "body_gravcomp")
    heavy = [b for b in range(1, model.nbody) if model.body_weldid[b] != 0 and model.body_mass[b] > 0]
    if without_passive_forces(model) or relieved.size == 0 or not np.any(relieved[heavy]) or not np.any(field):
        return field
    if np.any(any_of(model, "jnt_actgravcomp")):
        report.refuses("actuatorgravcomp", "compensation of gravity that counts as the actuators' force")
        return field
    shares = {float(relieved[b]) for b in heavy}
    if len(shares) == 1:
        share = shares.pop()
        report.enters("gravcomp", f"gravity times {1 - share:g}, of all bodies alike")
        return field * (1 - share)
    for body in heavy:
        if relieved[body]:
            report.refuses(Names(model).of("body", body), "gravcomp of some bodies and not of others")
    return field


def inertia_json(model: Any, body: int) -> dict[str, Any]:
    """Mass, first and second moments about the body's frame, from the centre of mass and the principal inertia there."""
    mass = float(model.body_mass[body])
    R, centre = pose(model.body_ipos[body], model.body_iquat[body])
    principal = np.array(model.body_inertia[body], dtype=np.float64)
    second = (R * (0.5 * principal.sum() - principal)) @ R.T + mass * np.outer(centre, centre)
    upper = [second[i, k] for i in range(3) for k in range(i, 3)]
    return {"mass": mass, "first_moments": [float(mass * x) for x in centre], "second_moments": [float(x) for x in upper]}


def joint_numbers(model: Any, joint: int, names: Names, report: Report) -> dict[str, Any]:
    """Physics and limits of a joint; of a ball or free joint a list, one a freedom, in our order: angular first."""
    kind, dof = int(model.jnt_type[joint]), int(model.jnt_dofadr[joint])
    element = names.of("joint", joint)
    entries = np.arange(dof, dof + {FREE: 6, BALL: 3}.get(kind, 1))
    driven = added_by_actuators(model, joint)
    armature = np.array(model.dof_armature[entries]) + driven.armature
    damping = np.array(model.dof_damping[entries]) + driven.damping
    damps = not (disabled(model, "damper") or without_passive_forces(model))
    if not damps:
        damping[:] = 0
    springs = not (disabled(model, "spring") or without_passive_forces(model))
    stiffness = float(np.atleast_1d(model.jnt_stiffness[joint])[0]) if springs else 0.0
    if springs and np.any(any_of(model, "jnt_stiffnesspoly")[joint : joint + 1]):
        report.refuses(element, "a spring that is not linear")
    if damps and any_of(model, "dof_dampingpoly").size and np.any(any_of(model, "dof_dampingpoly")[entries]):
        report.refuses(element, "damping that is not linear")
    if any_of(model, "jnt_plasticadr").size and model.jnt_plasticadr[joint] >= 0:
        report.refuses(element, "a spring that yields")
    for what, number in (("armature", armature), ("damping", damping), ("a spring", np.array([stiffness]))):
        if np.any(number < 0):
            report.refuses(element, f"{what} below 0")
    armature, damping, stiffness = np.maximum(armature, 0), np.maximum(damping, 0), max(stiffness, 0.0)
    if len(entries) > 1:
        if stiffness:
            report.refuses(element, "a spring of a joint with several freedoms")
        return several_numbers(kind, armature, damping, element, report)
    rest = float(model.qpos_spring[model.jnt_qposadr[joint]] - model.qpos0[model.jnt_qposadr[joint]])
    physics = {key: float(x[0]) for key, x in (("armature", armature), ("damping", damping)) if x[0]}
    if stiffness:
        physics["stiffness"] = stiffness
        if rest:
            physics["offset"] = -stiffness * rest
    made: dict[str, Any] = {"physics": physics} if physics else {}
    limits = joint_limits(model, joint, element, report)
    return {**made, "limits": limits} if limits else made


def several_numbers(kind: int, armature: Array, damping: Array, element: str, report: Report) -> dict[str, Any]:
    """A ball's armature and damping; a free joint's damping, which is the same in any axes only where x, y and z have one number.

    The armature of a free joint acts on ẍ = R (v̇ + ω × v), an armature here on v̇ alone.
    """
    if kind == FREE:
        damping = damping[[3, 4, 5, 0, 1, 2]]
        if armature.any():
            report.refuses(element, "armature of a free joint")
            armature = np.zeros(6)
        if not np.all(damping[3:] == damping[3]):
            report.refuses(element, "damping of a free joint that differs along x, y and z")
            return {}
    elif not np.all(armature == armature[0]):
        report.refuses(element, "armature of a ball that differs about x, y and z")
        armature = np.zeros(3)
    numbers = zip(armature, damping, strict=True)
    physics = [{key: float(x) for key, x in (("armature", a), ("damping", d)) if x} for a, d in numbers]
    return {"physics": physics} if any(physics) else {}


def joint_limits(model: Any, joint: int, element: str, report: Report) -> dict[str, float]:
    """Of positions, counted from qpos0, and of efforts."""
    limits: dict[str, float] = {}
    if model.jnt_limited[joint]:
        zero = float(model.qpos0[model.jnt_qposadr[joint]])
        limits = {"lower": float(model.jnt_range[joint, 0]) - zero, "upper": float(model.jnt_range[joint, 1]) - zero}
    if any_of(model, "jnt_actfrclimited").size and model.jnt_actfrclimited[joint]:
        low, high = map(float, model.jnt_actfrcrange[joint])
        if low == -high:
            limits["effort"] = high
        else:
            report.leaves_out(element, f"actuatorfrcrange {low:g} to {high:g}: an effort limit is the same either way")
    return limits
