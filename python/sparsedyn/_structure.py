"""Joints and links of a robot by name, robots with something changed, and robots as URDFs: all from what a robot file holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import Model, load_urdf
from ._frames import IDENTITY, Array, Pose, inertial, inverse, matrix, pose_json, pose_of, rotation, rpy, times


@dataclass(frozen=True)
class Joint:
    """A joint that moves.

    type       'revolute', 'continuous', 'prismatic', 'helical', 'universal', 'spherical', 'planar', 'floating' or 'composite'
    parent     the link that it stands on, '' for a floating base; child: the link that it carries
    placement  (4, 4): the child's frame in the parent's at position zero
    axis       (3,), in the child's frame; None for joints of several freedoms
    q, v       its entries in q and in v
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Array
    axis: Array | None
    q: slice
    v: slice
    lower: float  #: rad or m; -inf without a limit, and for joints of several freedoms
    upper: float
    velocity: float  #: rad/s or m/s
    effort: float  #: N m or N
    armature: float  #: kg m² or kg
    damping: float  #: N m s/rad or N s/m
    friction: float  #: N m or N

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.type}, {self.parent!r} -> {self.child!r})"


@dataclass(frozen=True)
class Visual:
    """A shape of a URDF's <visual>: what a viewer shows.

    shape      'mesh', 'box', 'sphere', 'cylinder' or 'capsule'
    file       of a mesh, as the URDF has it: 'package://robot/meshes/arm.stl'
    size       of a mesh its scale along the axes, of a box its edges (m), of others radius and length (m)
    placement  (4, 4): in the link's frame
    """

    name: str  #: '' where it has none
    shape: str
    file: str
    size: tuple[float, ...]
    placement: Array


@dataclass(frozen=True)
class Link:
    """A link, on a joint that moves or fixed to its parent.

    joint      the joint that carries it, fixed ones included; 'world' or 'base' for the root
    placement  (4, 4): its frame in the parent's at position zero
    com        (3,), m, in its frame; inertia: (3, 3), kg m², about com, in its frame's axes
    visuals    what it looks like
    """

    name: str
    parent: str  #: '' for the root
    joint: str
    is_fixed: bool
    children: tuple[str, ...]
    placement: Array
    mass: float
    com: Array
    inertia: Array
    visuals: tuple[Visual, ...] = ()

    def __repr__(self) -> str:
        return f"Link({self.name!r}, {self.mass:g} kg, {'fixed to' if self.is_fixed else 'on'} {self.joint!r})"


def told(robot: Model) -> dict[str, Any]:
    """What the robot's file holds."""
    found: dict[str, Any] = json.loads(robot._robot_text())
    return found


def same(robot: Model, other: object) -> bool:
    """Whether both hold the same numbers under the same names; how they look does not count."""
    return isinstance(other, Model) and (robot is other or unseen(robot) == unseen(other))


def unseen(robot: Model) -> dict[str, Any]:
    """What the robot's file holds but for the looks."""
    file = told(robot)
    return {**file, "links": [{key: value for key, value in link.items() if key != "visuals"} for link in file["links"]]}


def hashed(robot: Model) -> int:
    """Equal for equal robots."""
    return hash((robot.name, robot.coordinate_names, robot.link_names))


def place(names: Sequence[str], joint: str) -> slice:
    """A joint's entries among names of coordinates or velocities."""
    own = [k for k, name in enumerate(names) if name == joint or name.startswith(joint + ".")]
    return slice(own[0], own[-1] + 1) if own else slice(0, 0)


def placements(links: list[Mapping[str, Any]]) -> dict[str, Pose]:
    """Of each link its frame in its parent's (of the root: in the world) at position zero."""
    in_body, found = dict[str, Pose](), dict[str, Pose]()
    for link in links:
        in_body[link["name"]] = pose_of(link.get("pose"))
        way = IDENTITY
        for body in link["joint"].get("bodies", []):
            way = times(way, pose_of(body["placement"]))
        parent = in_body[link["parent"]] if "parent" in link else IDENTITY
        found[link["name"]] = times(inverse(parent), times(way, in_body[link["name"]]))
    return found


def joints_of(robot: Model) -> dict[str, Joint]:
    """By name, in the order of q."""
    links = told(robot)["links"]
    where = placements(links)
    found = []
    for link in links:
        joint = link["joint"]
        if joint["kind"] == "fixed":
            continue
        bodies, name = joint["bodies"], joint["name"]
        single = len(bodies) == 1 and bodies[0]["type"] in ("revolute", "prismatic", "helical")
        limits = joint.get("limits", {}) if single else {}
        physics = joint.get("physics", {}) if single else {}
        axis = pose_of(link.get("pose"))[0][2].copy() if single else None
        found.append(Joint(
            name, joint["kind"], link.get("parent", ""), link["name"], matrix(where[link["name"]]), axis,
            place(robot.coordinate_names, name), place(robot.velocity_names, name),
            limits.get("lower", -np.inf), limits.get("upper", np.inf), limits.get("velocity", np.inf), limits.get("effort", np.inf),
            physics.get("armature", 0.0), physics.get("damping", 0.0), physics.get("friction", 0.0)))
    return {joint.name: joint for joint in sorted(found, key=lambda each: each.q.start)}


def links_of(robot: Model) -> dict[str, Link]:
    """By name, parents first."""
    links = told(robot)["links"]
    where = placements(links)
    children: dict[str, list[str]] = {}
    for link in links[1:]:
        children.setdefault(link["parent"], []).append(link["name"])
    found = {}
    for link in links:
        name, joint = link["name"], link["joint"]
        found[name] = Link(name, link.get("parent", ""), joint["name"], joint["kind"] == "fixed", tuple(children.get(name, ())),
                           matrix(where[name]), *inertial(link), tuple(visual_of(each) for each in link.get("visuals", ())))
    return found


_SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def visual_of(of: Mapping[str, Any]) -> Visual:
    if of["shape"] == "mesh":
        size = tuple(of.get("scale", (1.0, 1.0, 1.0)))
    else:
        size = tuple(float(x) for key in _SIZES[of["shape"]] for x in np.ravel(of[key]))
    return Visual(of.get("name", ""), of["shape"], of.get("file", ""), size, matrix(pose_of(of.get("pose"))))


def locked(robot: Model, joints: Mapping[str, float] | str) -> Model:
    """The robot with these joints fixed, each at its position (rad or m); of a name alone at 0. Raises ValueError for unknown ones."""
    return load_urdf(robot._robot_text(), lock={joints: 0.0} if isinstance(joints, str) else dict(joints))


def cut(robot: Model, *links: str) -> Model:
    """The robot without these links and all that hangs on them. Raises ValueError for unknown ones."""
    return load_urdf(robot._robot_text(), cut=list(links))


def pose_from(given: ArrayLike) -> Pose:
    """Of a matrix (4, 4), of x y z and a quaternion x y z w, or of x y z. Raises ValueError."""
    of = np.asarray(given, dtype=np.float64)
    if of.shape == (4, 4):
        if not np.allclose(of[:3, :3] @ of[:3, :3].T, np.eye(3), atol=1e-9) or np.linalg.det(of[:3, :3]) < 0:
            raise ValueError("pose: its rotation is none; expected an orthogonal matrix of determinant 1")
        return of[:3, :3], of[:3, 3]
    if of.shape not in ((7,), (3,)):
        raise ValueError(f"pose: {of.shape}; expected (4, 4), (7,) or (3,)")
    if of.shape == (7,) and not np.linalg.norm(of[3:]) > 0:
        raise ValueError("pose: its quaternion is zero")
    return rotation(of[[6, 3, 4, 5]]) if of.shape == (7,) else np.eye(3), of[:3]


def with_frame(robot: Model, name: str, link: str, pose: ArrayLike = (0, 0, 0)) -> Model:
    """The robot with a link more, without mass, fixed to another.

    pose  of the new frame in the link's: (4, 4), (7,) x y z and a quaternion x y z w, or (3,)

    Raises ValueError for an unknown link, a name that is taken, and what is no pose.
    """
    file = told(robot)
    links = {each["name"]: each for each in file["links"]}
    if link not in links:
        raise ValueError(f"link: {link!r}; expected one of {', '.join(list(links)[:12])}")
    if name in links:
        raise ValueError(f"name: {name!r} is a link already")
    in_body = times(pose_of(links[link].get("pose")), pose_from(pose))
    file["links"].append({"name": name, "parent": link, "pose": pose_json(in_body), "joint": {"name": name + "_fixed", "kind": "fixed"}})
    return load_urdf(json.dumps(file))


URDF_KINDS = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed")


#: Of xml.sax.saxutils the import alone takes longer than all of this package's modules: it brings urllib and ssl.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _quoted(text: str) -> str:
    """The text as the value of an attribute of XML."""
    return f'"{text.translate(_ESCAPES)}"'


def _numbers(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _origin(at: Pose) -> str:
    return f'<origin xyz="{_numbers(at[1])}" rpy="{_numbers(rpy(at[0]))}"/>'


def to_urdf(robot: Model) -> str:
    """A URDF of the robot as it is: links, inertias, joints, limits, damping, dry friction and looks.

    Numbers have all their digits, but angles of roll, pitch and yaw stand for rotations, to 1e-15. Raises ValueError naming the
    joint for what a URDF cannot hold: helical, universal, spherical and composite joints, planar ones inside the tree, rotor
    inertia, springs, offsets. Gravity and whether the root floats are options of load_urdf.
    """
    file = told(robot)
    where = placements(file["links"])
    lines = ['<?xml version="1.0"?>', f"<robot name={_quoted(file['name'])}>"]
    follows = {each["joint"]: each for each in file.get("couplings", [])}
    for link in file["links"]:
        mass, com, inertia = inertial(link)
        lines.append(f"  <link name={_quoted(link['name'])}>")
        if mass != 0 or np.any(inertia):
            entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
            numbers = " ".join(f'{key}="{float(inertia[at])!r}"' for key, at in entries.items())
            lines.append(f'    <inertial><origin xyz="{_numbers(com)}"/><mass value="{mass!r}"/><inertia {numbers}/></inertial>')
        lines += [_urdf_visual(each) for each in link.get("visuals", ())]
        lines.append("  </link>")
    for link in file["links"][1:]:
        joint = link["joint"]
        name, kind = joint["name"], joint["kind"]
        if kind not in URDF_KINDS:
            raise ValueError(f"{name}: {kind}; expected joints that a URDF has: {', '.join(URDF_KINDS)}")
        lines.append(f"  <joint name={_quoted(name)} type=\"{kind}\">")
        lines.append(f"    {_origin(where[link['name']])}")
        lines.append(f"    <parent link={_quoted(link['parent'])}/><child link={_quoted(link['name'])}/>")
        if kind in ("revolute", "continuous", "prismatic", "planar"):
            lines.append(f'    <axis xyz="{_numbers(pose_of(link.get("pose"))[0][2])}"/>')
        lines += _urdf_extras(name, kind, joint, follows.get(name))
        lines.append("  </joint>")
    return "\n".join([*lines, "</robot>"]) + "\n"


def _urdf_visual(of: Mapping[str, Any]) -> str:
    keys = {"mesh": {"file": "filename", "scale": "scale"}}.get(of["shape"], {key: key for key in _SIZES.get(of["shape"], ())})
    values = {to: of[key] if key == "file" else _numbers(np.ravel(of[key])) for key, to in keys.items() if key in of}
    name = f" name={_quoted(of['name'])}" if "name" in of else ""
    shape = " ".join([of["shape"], *(f"{key}={_quoted(value)}" for key, value in values.items())])
    return f"    <visual{name}>{_origin(pose_of(of.get('pose')))}<geometry><{shape}/></geometry></visual>"


def _urdf_extras(name: str, kind: str, joint: Mapping[str, Any], follows: Mapping[str, Any] | None) -> list[str]:
    lines = []
    physics, limits = joint.get("physics", {}), joint.get("limits", {})
    for each in physics if isinstance(physics, list) else [physics]:
        for key in ("armature", "offset", "stiffness", "stribeck"):
            if each.get(key):
                raise ValueError(f"{name}: {key}; a URDF has no place for it (save_robot does)")
    if isinstance(physics, list) and any(each.get("damping") or each.get("friction") for each in physics):
        raise ValueError(f"{name}: damping or friction of several freedoms; a URDF has one number a joint")
    if kind in ("revolute", "prismatic", "continuous") and (limits or kind != "continuous"):
        keys = ("lower", "upper", "effort", "velocity")
        given = {key: limits[key] for key in keys if key in limits}
        if kind != "continuous":
            for key, value in (("effort", 0.0), ("velocity", 0.0)):
                given.setdefault(key, value)
        lines.append("    <limit " + " ".join(f'{key}="{float(value)!r}"' for key, value in given.items()) + "/>")
    if isinstance(physics, Mapping) and (physics.get("damping") or physics.get("friction")):
        lines.append(f'    <dynamics damping="{float(physics.get("damping", 0))!r}" friction="{float(physics.get("friction", 0))!r}"/>')
    if follows:
        lines.append(f'    <mimic joint={_quoted(follows["of"])} multiplier="{float(follows.get("multiplier", 1))!r}" '
                     f'offset="{float(follows.get("offset", 0))!r}"/>')
    return lines
