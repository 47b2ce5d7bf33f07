"""A robot as an MjSpec: the way back, for tests and for those who go on in MuJoCo."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .._core import Model
from ._compiled import mujoco_module
from ._lumps import lumped
from ._ties_to_mujoco import Ties, quaternion
from .._frames import IDENTITY, Pose, inertial, inverse, pose_of, times


def to_mujoco(robot: Model, constraints: Any = None) -> Any:
    """The robot as an MjSpec; spec.compile() makes the MjModel, whose M, bias and accelerations are the robot's.

    constraints  a dict as constraint files have them. Limits of joints act in MuJoCo where a constraint says so, as here. Contacts
                 become spheres, or a box where the points are its corners, each in a <pair> with a plane of the world. The
                 inverse weights are MuJoCo's own.

    A link called `world` that is not the fixed root is called `world_`, since MuJoCo calls the ground so. A joint's effort of 0, which
    stands in URDFs for what nobody knew, limits no force. States are converted by load_mujoco(spec).state. Links on fixed joints are bodies; where MuJoCo would refuse one of those that move
    as one (a mass without inertia), another of them has its mass. A link without mass that a joint moves is joined to the one that hangs on it. Raises ValueError that names the joint or constraint that MuJoCo has not: helical and planar joints, smooth
    friction, offsets without a spring, followers, hard rows, contacts of points without a radius, and joints that move no mass.
    """
    mujoco = mujoco_module()
    of = json.loads(robot._robot_text())
    if of.get("couplings"):
        raise ValueError(f"joint {of['couplings'][0]['joint']}: it follows another exactly; MuJoCo's equalities are soft")
    spec = mujoco.MjSpec()
    spec.modelname = of["name"]
    spec.compiler.degree = False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.option.gravity = of.get("gravity", [0, 0, -9.81])
    maker = _Maker(spec, mujoco, {link["name"] for link in of["links"]})
    for link in lumped(of["links"]):
        maker.add(link)
    maker.finish()
    if constraints is not None:
        Ties(spec, maker.bodies, maker.joints).add(constraints)
    return spec


class _Waiting:
    """Joints between a body and a link that have no body yet: each with the frame in which it turns, seen from the first."""

    def __init__(self, above: Any, at: Pose) -> None:
        self.above = above  #: MjsBody
        self.at = at  #: where the chain has come to, in it, at q = 0
        self.joints: list[tuple[dict[str, Any], str, Pose]] = []  #: the joint, its type, its frame


class _Maker:
    """Adds bodies link by link."""

    def __init__(self, spec: Any, mujoco: Any, links: set[str]) -> None:
        self.spec, self.mujoco = spec, mujoco
        self.world = "world_"  #: what a link called `world` is called
        while self.world in links:
            self.world += "_"
        self.bodies: dict[str, tuple[Any, Pose]] = {}  #: by link: the body, and the link's frame in it
        self.in_body: dict[str, Pose] = {}  #: by link: its frame in the robot's body
        self.waiting: dict[str, _Waiting] = {}
        self.joints: dict[str, Any] = {}

    def _body(self, above: Any, link: str, at: Pose = IDENTITY) -> Any:
        """A body of the link's name; MuJoCo calls the ground `world`."""
        return above.add_body(name=self.world if link == "world" else link, pos=at[1], quat=quaternion(at[0]))

    def add(self, link: dict[str, Any]) -> None:
        name, joint = link["name"], link["joint"]
        self.in_body[name] = pose_of(link.get("pose"))
        if "parent" not in link and joint["kind"] == "fixed":
            self._add_root(link)
            return
        chain = self._chain(link)
        if link.get("mass", 0) == 0 and not np.any(link.get("second_moments", 0)):
            self._pass_over(link, chain)
            return
        self._make(link, chain)

    def _add_root(self, link: dict[str, Any]) -> None:
        """Part of the world, which has no mass and one name: a body of its own where the link has another."""
        self.bodies[link["name"]] = (self.spec.worldbody, IDENTITY)
        if link["name"] != "world":
            self.bodies[link["name"]] = (self._body(self.spec.worldbody, link["name"]), IDENTITY)
            if link.get("mass", 0) != 0:
                self._inertia(self.bodies[link["name"]][0], link)

    def _inertia(self, body: Any, link: dict[str, Any]) -> None:
        body.explicitinertial = True
        body.mass, body.ipos, inertia = inertial(link)
        body.fullinertia = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]

    def _chain(self, link: dict[str, Any]) -> _Waiting:
        """The joints above the link, its own last."""
        parent = link.get("parent")
        if parent is None:
            chain, up = _Waiting(self.spec.worldbody, IDENTITY), IDENTITY
        else:
            up = self.in_body[parent]
            before = self.waiting.pop(parent, None)
            if before is None:
                body, at = self.bodies[parent]
                before = _Waiting(body, at)
            chain = before
        joint = link["joint"]
        if joint["kind"] == "fixed":
            chain.at = times(chain.at, times(inverse(up), self.in_body[link["name"]]))
            return chain
        for k, body in enumerate(joint["bodies"]):
            chain.at = times(chain.at, times(inverse(up), pose_of(body["placement"])) if k == 0 else pose_of(body["placement"]))
            chain.joints.append((joint, body["type"], chain.at))
            if len(joint["bodies"]) > 1:
                chain.joints[-1] = ({**joint, "name": f"{joint['name']}.{k + 1}"}, body["type"], chain.at)
        chain.at = times(chain.at, self.in_body[link["name"]])
        return chain

    def _pass_over(self, link: dict[str, Any], chain: _Waiting) -> None:
        if not chain.joints:  # a frame: what touches it weighs on the body above
            self._body(chain.above, link["name"], chain.at)
            self.bodies[link["name"]] = (chain.above, chain.at)
            return
        if any(kind == "floating" for _, kind, _ in chain.joints):
            raise ValueError(f"joint {chain.joints[-1][0]['name']}: it moves a link without mass ({link['name']}); MuJoCo has no such bodies")
        self.waiting[link["name"]] = chain

    def finish(self) -> None:
        for name, chain in self.waiting.items():
            raise ValueError(f"joint {chain.joints[-1][0]['name']}: it moves no mass (link {name}); MuJoCo has no such bodies")

    def _make(self, link: dict[str, Any], chain: _Waiting) -> None:
        mujoco, name = self.mujoco, link["name"]
        if chain.joints and not link.get("mass", 0) > 1e-15:  # mjMINVAL
            raise ValueError(f"joint {chain.joints[-1][0]['name']}: it moves a link without mass ({name}); MuJoCo has no such bodies")
        body = self._body(chain.above, name, chain.at)
        self.bodies[name] = (body, IDENTITY)
        self._inertia(body, link)
        types = {"revolute": mujoco.mjtJoint.mjJNT_HINGE, "prismatic": mujoco.mjtJoint.mjJNT_SLIDE, "spherical": mujoco.mjtJoint.mjJNT_BALL,
                 "floating": mujoco.mjtJoint.mjJNT_FREE}
        for joint, kind, at in chain.joints:
            if kind not in types:
                raise ValueError(f"joint {joint['name']}: {kind}; MuJoCo has hinges, slides, balls and free joints")
            if kind == "floating" and (chain.above is not self.spec.worldbody or len(chain.joints) > 1 or not _is_identity(at)):
                raise ValueError(f"joint {joint['name']}: floating in another frame than the world's")
            seen = times(inverse(chain.at), at)
            made = body.add_joint(name=joint["name"], type=types[kind], axis=seen[0][:, 2], pos=seen[1] if kind != "floating" else np.zeros(3))
            made.limited = mujoco.mjtLimited.mjLIMITED_FALSE
            self.joints[joint["name"]] = made
            self._numbers(joint, made)

    def _numbers(self, joint: dict[str, Any], made: Any) -> None:
        physics, limits = joint.get("physics", {}), joint.get("limits", {})
        if isinstance(physics, list) or isinstance(limits, list):
            raise ValueError(f"joint {joint['name']}: numbers of single freedoms of a joint with several")
        if physics.get("friction"):
            raise ValueError(f"joint {joint['name']}: friction that grows smoothly from rest; MuJoCo's is dry: a dry_friction constraint")
        if physics.get("offset") and not physics.get("stiffness"):
            raise ValueError(f"joint {joint['name']}: an offset without a spring")
        made.armature = physics.get("armature", 0.0)
        if physics.get("damping"):
            made.damping = _first(made.damping, physics["damping"])
        if physics.get("stiffness"):
            made.stiffness = _first(made.stiffness, physics["stiffness"])
            made.springref = -physics.get("offset", 0.0) / physics["stiffness"]
        if "lower" in limits or "upper" in limits:
            made.range = [limits.get("lower", -1e10), limits.get("upper", 1e10)]
        if limits.get("effort", 0) > 0:  # 0 stands in URDFs for what nobody knew
            made.actfrcrange = [-limits["effort"], limits["effort"]]
            made.actfrclimited = self.mujoco.mjtLimited.mjLIMITED_TRUE


def _first(now: Any, value: float) -> Any:
    """Some versions have a number, others a polynomial's coefficients."""
    if np.ndim(now) == 0:
        return value
    out = np.zeros(np.shape(now))
    out[0] = value
    return out


def _is_identity(at: Pose) -> bool:
    return bool(np.array_equal(at[0], np.eye(3)) and not np.any(at[1]))
