"""Robots from and to Pinocchio, and what its vectors and matrices are here.

Pinocchio's URDF parser visits the joints that leave a link by name, this library in the order of the file, so that vectors of the
same length mean other joints. A floating base's and a free joint's velocity is linear first there and angular first here, and a
continuous joint's position is a cosine and a sine there and an angle here.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import Model, load_urdf
from ._frames import Array, axis_frame, inertial, pose_json, pose_of
from ._structure import place
FREE = ("floating", "spherical")


def _pinocchio() -> Any:
    try:
        return importlib.import_module("pinocchio")
    except ImportError:
        raise ImportError("Pinocchio's package is not installed: pip install pin") from None


class PinocchioMaps:
    """What a Pinocchio model's vectors are here, and the other way round; batches of any shape.

    model                          Pinocchio's
    q(q), v(v), matrix(M)          of ours, Pinocchio's; v of velocities, accelerations, and forces, matrix of M and its like
    from_q(Q), from_v(V), from_matrix(M)    of Pinocchio's, ours
    """

    def __init__(self, model: Any, blocks: list[tuple[str, int, int, int, int, int]]) -> None:
        self.model = model
        self._angles = [(q, Q) for kind, q, Q, *_ in blocks if kind == "continuous"]
        self._planar = [(q, Q) for kind, q, Q, *_ in blocks if kind == "planar"]
        order_q, order_v = np.full(model.nq, -1), np.full(model.nv, -1)  # of each entry of Pinocchio's, the entry of ours
        self._nq = 0
        for kind, q, Q, v, V, n in blocks:
            length = {"floating": 7, "spherical": 4, "continuous": 1, "planar": 3}.get(kind, n)
            self._nq += length
            order_q[Q : Q + length] = np.arange(q, q + length)
            halves = [3, 4, 5, 0, 1, 2] if kind == "floating" else range(n)
            order_v[V : V + n] = [v + k for k in halves]
        self._q, self._v = order_q, order_v
        self._own_q = np.argsort(np.where(order_q < 0, model.nq + 1, order_q), kind="stable")[: self._nq]
        self._own_v = np.argsort(order_v)

    def q(self, q: ArrayLike) -> Array:
        """(..., nq) of Pinocchio's, of q (..., nq) of the robot's."""
        own = _checked("q", q, self._nq)
        found = own[..., np.maximum(self._q, 0)]
        for at, to in self._angles:
            found[..., to], found[..., to + 1] = np.cos(own[..., at]), np.sin(own[..., at])
        for at, to in self._planar:
            found[..., to + 2], found[..., to + 3] = np.cos(own[..., at + 2]), np.sin(own[..., at + 2])
        return found

    def from_q(self, Q: ArrayLike) -> Array:
        """The inverse of q: angles of continuous and planar joints within ±π."""
        theirs = _checked("Q", Q, self.model.nq)
        found = theirs[..., self._own_q]
        for at, to in self._angles:
            found[..., at] = np.arctan2(theirs[..., to + 1], theirs[..., to])
        for at, to in self._planar:
            found[..., at + 2] = np.arctan2(theirs[..., to + 3], theirs[..., to + 2])
        return found

    def v(self, v: ArrayLike) -> Array:
        """(..., nv) of Pinocchio's, of velocities, accelerations or forces (..., nv) of the robot's."""
        return _checked("v", v, self.model.nv)[..., self._v]

    def from_v(self, V: ArrayLike) -> Array:
        """The inverse of v."""
        return _checked("V", V, self.model.nv)[..., self._own_v]

    def matrix(self, M: ArrayLike) -> Array:
        """(..., nv, nv) of Pinocchio's, rows and columns as v, of a matrix of the robot's."""
        return _checked("M", M, self.model.nv)[..., self._v, :][..., :, self._v]

    def from_matrix(self, M: ArrayLike) -> Array:
        """The inverse of matrix."""
        return _checked("M", M, self.model.nv)[..., self._own_v, :][..., :, self._own_v]

    def __repr__(self) -> str:
        moved = int(np.sum(self._v != np.arange(len(self._v))))
        return f"PinocchioMaps({self.model.name!r}, {moved} of {len(self._v)} entries of v stand elsewhere)"


def _checked(name: str, array: ArrayLike, size: int) -> Array:
    found = np.asarray(array, dtype=np.float64)
    if found.ndim == 0 or found.shape[-1] != size:
        raise ValueError(f"{name}: {found.shape}; expected (..., {size})")
    return found


FREEDOMS = {"revolute": 1, "continuous": 1, "prismatic": 1, "helical": 1, "spherical": 3, "planar": 3, "floating": 6}


def _freedoms(joint: Mapping[str, Any]) -> int:
    return sum(FREEDOMS[body["type"]] for body in joint["bodies"])


# To Pinocchio


def _se3(pin: Any, pose: Mapping[str, Any]) -> Any:
    return pin.SE3(*pose_of(pose))


def _simple(pin: Any, kind: str, body: Mapping[str, Any]) -> Any:
    if kind == "helical":
        return pin.JointModelHZ(body["pitch"])
    return {"revolute": pin.JointModelRZ, "continuous": pin.JointModelRUBZ, "prismatic": pin.JointModelPZ,
            "spherical": pin.JointModelSpherical, "planar": pin.JointModelPlanar, "floating": pin.JointModelFreeFlyer}[kind]()


def _joint_model(pin: Any, joint: Mapping[str, Any]) -> Any:
    bodies = joint["bodies"]
    if len(bodies) == 1:
        return _simple(pin, "continuous" if joint["kind"] == "continuous" else bodies[0]["type"], bodies[0])
    model = pin.JointModelComposite()
    for k, body in enumerate(bodies):
        if body["type"] not in ("revolute", "prismatic", "helical"):
            raise ValueError(f"{joint['name']}: a composite joint with a {body['type']} one; expected joints of one freedom in it")
        model.addJoint(_simple(pin, body["type"], body), pin.SE3.Identity() if k == 0 else _se3(pin, body["placement"]))
    return model


def _inertia(pin: Any, link: Mapping[str, Any]) -> Any:
    if not link.get("mass") and np.any(link.get("first_moments", 0)):
        raise ValueError(f"{link['name']}: first moments without a mass; expected none, in Pinocchio")
    inertia = pin.Inertia.Zero()  # its constructor refuses inertias that rounding makes a little negative
    inertia.mass, inertia.lever, inertia.inertia = inertial(link)
    return inertia


def _depth_first(links: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """As Pinocchio's parser goes: what hangs on a link by the names of its joints."""
    below: dict[str, list[Mapping[str, Any]]] = {}
    for link in links[1:]:
        below.setdefault(link["parent"], []).append(link)
    waiting = [links[0]]
    while waiting:
        link = waiting.pop()
        yield link
        waiting += sorted(below.get(link["name"], []), key=lambda each: str(each["joint"]["name"]), reverse=True)


def _listed(value: Any, n: int) -> list[Mapping[str, Any]]:
    return value if isinstance(value, list) else [value] * n


def _set_joint(model: Any, joint: Mapping[str, Any], V: int, Q: int, n: int) -> None:
    """Rotor inertia, damping, dry friction and limits."""
    swapped = [3, 4, 5, 0, 1, 2] if joint["kind"] == "floating" else range(n)
    for k, physics in zip(swapped, _listed(joint.get("physics", {}), n)):
        for key in ("offset", "stiffness"):
            if physics.get(key):
                raise ValueError(f"{joint['name']}: {key}; Pinocchio has none")
        model.armature[V + k] = physics.get("armature", 0.0)
        model.damping[V + k] = physics.get("damping", 0.0)
        model.upperDryFrictionLimit[V + k] = physics.get("friction", 0.0)
        model.lowerDryFrictionLimit[V + k] = -physics.get("friction", 0.0)
    if joint["kind"] not in ("revolute", "prismatic", "helical"):
        return
    limits = joint.get("limits", {})
    model.lowerPositionLimit[Q], model.upperPositionLimit[Q] = limits.get("lower", -np.inf), limits.get("upper", np.inf)
    model.velocityLimit[V], model.effortLimit[V] = limits.get("velocity", np.inf), limits.get("effort", np.inf)


def to_pinocchio(robot: Model, model: Any = None) -> PinocchioMaps:
    """The robot as a Pinocchio model, `.model`, and maps of q, v and matrices both ways.

    model  a Pinocchio model of the same robot, of which the maps are wanted; joints are matched by name. None: a new one, with the
           joints in the order of Pinocchio's URDF parser (what hangs on a link by name), links as frames, and rotor inertias,
           limits and gravity; damping and dry friction too, which Pinocchio's algorithms do not read.

    Raises ImportError without Pinocchio (pip install pin), ValueError naming the joint for what Pinocchio lacks (joints that follow
    others, springs, composite joints of several freedoms), and where `model` has other joints.
    """
    pin = _pinocchio()
    told = json.loads(robot._robot_text())
    if told.get("couplings"):
        raise ValueError(f"{told['couplings'][0]['joint']}: follows another joint; expected a robot without mimic")
    links = told["links"]
    joints = {link["joint"]["name"]: link["joint"] for link in links if link["joint"]["kind"] != "fixed"}
    if model is None:
        model = _built(pin, told)
    elif model.name and sorted(model.names[1:]) != sorted(_renamed(model, joints)):
        theirs, ours = set(model.names[1:]), set(_renamed(model, joints))
        raise ValueError(f"model: its joints are not the robot's: {', '.join(sorted(theirs ^ ours))} in one of them")
    blocks = []
    for name, joint in joints.items():
        their = model.joints[model.getJointId(_their_name(model, name))]
        q, v = place(robot.coordinate_names, name).start, place(robot.velocity_names, name).start
        kind, n = joint["kind"], _freedoms(joint)
        if their.nv != n:
            raise ValueError(f"{name}: {their.nv} freedoms in the model; expected {n}")
        if kind == "continuous" and their.nq == 1:
            kind = "revolute"
        blocks.append((kind, q, their.idx_q, v, their.idx_v, n))
    return PinocchioMaps(model, blocks)


def _their_name(model: Any, name: str) -> str:
    """A floating base is called root_joint by Pinocchio."""
    return "root_joint" if name == "base" and not model.existJointName("base") else name


def _renamed(model: Any, names: Mapping[str, Any]) -> list[str]:
    return [_their_name(model, name) for name in names]


def _built(pin: Any, told: Mapping[str, Any]) -> Any:
    model = pin.Model()
    model.name = told["name"]
    model.gravity.linear = np.asarray(told.get("gravity", [0, 0, -9.81]), dtype=float)
    carries = dict[str, int]()  # of each link the joint that carries it
    set_later = []
    for link in _depth_first(told["links"]):
        joint = link["joint"]
        parent = carries[link["parent"]] if "parent" in link else 0
        if joint["kind"] == "fixed":
            at = parent
        else:
            name = "root_joint" if joint["name"] == "base" else joint["name"]
            at = model.addJoint(parent, _joint_model(pin, joint), _se3(pin, joint["bodies"][0]["placement"]), name)
            model.addJointFrame(at)
            set_later.append((joint, at))
        carries[link["name"]] = at
        pose = _se3(pin, link.get("pose", {}))
        inertia = _inertia(pin, link)
        model.appendBodyToJoint(at, inertia, pose)
        model.addBodyFrame(link["name"], at, pose, -1)
    for joint, at in set_later:
        their = model.joints[at]
        _set_joint(model, joint, their.idx_v, their.idx_q, their.nv)
    return model


# From Pinocchio

AXES = {"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}


def _bodies_of(pin: Any, joint: Any, placement: Any) -> tuple[str, list[dict[str, Any]], Array]:
    """Kind, bodies with z along their axes, and how Pinocchio's frame of the joint is turned in the last of them."""
    kind = joint.shortname()
    if kind == "JointModelComposite":
        raise ValueError(f"{kind}; expected joints of other kinds")
    plain = {"JointModelFreeFlyer": "floating", "JointModelSpherical": "spherical", "JointModelPlanar": "planar"}
    if kind in plain:
        return plain[kind], [_body(plain[kind], placement.rotation, placement.translation)], np.eye(3)
    if kind == "JointModelTranslation":
        turns = [axis_frame(AXES[letter]) for letter in "XYZ"]
        bodies = [_body("prismatic", placement.rotation @ turns[0], placement.translation)]
        bodies += [_body("prismatic", turns[k].T @ turns[k + 1], np.zeros(3)) for k in (0, 1)]
        return "composite", bodies, turns[2].T
    for start, ours in (("JointModelRUB", "continuous"), ("JointModelR", "revolute"), ("JointModelP", "prismatic"), ("JointModelH", "helical")):
        if kind.startswith(start):
            break
    else:
        raise ValueError(f"{kind}; expected joints of one freedom, spherical, planar, translational or floating ones")
    if kind.startswith("JointModelRevoluteUnbounded"):
        ours = "continuous"
    inner = joint.extract()
    axis = AXES[kind[-1]] if kind[-1] in AXES else inner.axis
    turn = axis_frame(axis)
    body = _body("revolute" if ours == "continuous" else ours, placement.rotation @ turn, placement.translation)
    if ours == "helical":
        body["pitch"] = float(inner.pitch)
    return ours, [body], turn.T


def _body(kind: str, rotation: Any, translation: Any) -> dict[str, Any]:
    return {"type": kind, "placement": pose_json((rotation, translation))}


def _moments(inertia: Any) -> dict[str, Any]:
    m, centre, about = float(inertia.mass), np.asarray(inertia.lever), np.asarray(inertia.inertia)
    second = 0.5 * np.trace(about) * np.eye(3) - about + m * np.outer(centre, centre)
    upper = [second[i, k] for i in range(3) for k in range(i, 3)]
    return {"mass": m, "first_moments": [float(m * x) for x in centre], "second_moments": [float(x) for x in upper]}


def _unique(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _added(model: Any, joint: Any, kind: str) -> dict[str, Any]:
    """Rotor inertia and limits, of joints of one freedom."""
    if kind not in ("revolute", "continuous", "prismatic", "helical"):
        return {}
    V, Q = joint.idx_v, joint.idx_q
    physics = {"armature": float(model.armature[V])} if model.armature[V] > 0 else {}
    limits = {"velocity": model.velocityLimit[V], "effort": model.effortLimit[V]}
    if kind != "continuous":
        limits |= {"lower": model.lowerPositionLimit[Q], "upper": model.upperPositionLimit[Q]}
    kept = {key: float(value) for key, value in limits.items() if np.isfinite(value) and abs(value) < 1e300}
    return ({"physics": physics} if physics else {}) | ({"limits": kept} if kept else {})


def from_pinocchio(model: Any) -> tuple[Model, PinocchioMaps]:
    """A Pinocchio model as a robot, and maps of q, v and matrices both ways.

    Bodies, joints of one freedom, spherical, planar, translational and floating ones, rotor inertias, limits, gravity, and body and
    operational frames as links. Damping and dry friction are left out, as Pinocchio's own algorithms leave them out. Raises ValueError naming the joint for others, and for a model whose joints
    follow each other.
    """
    pin = _pinocchio()
    if len(model.mimicking_joints):
        raise ValueError(f"{model.names[model.mimicking_joints[0]]}: follows another joint; expected a model without mimic")
    taken = {"world"}
    root_floats = model.njoints > 1 and model.joints[1].shortname() == "JointModelFreeFlyer" and model.parents[1] == 0
    root_floats = root_floats and list(model.parents[1:]).count(0) == 1 and model.jointPlacements[1].isIdentity(0)
    frames: dict[int, list[Any]] = {}
    for frame in model.frames:
        if frame.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME):
            frames.setdefault(int(frame.parentJoint), []).append(frame)
    links = list[dict[str, Any]]()
    leading = dict[int, str]()  # of each joint the link that leads its body
    in_body = dict[int, Array]()  # how Pinocchio's frame of each joint is turned in the body here
    if not root_floats:
        leading[0], in_body[0] = _unique(_leader(frames.get(0, []), "root"), taken), np.eye(3)
        links.append({"name": leading[0], "pose": pose_json((np.eye(3), np.zeros(3))), "joint": {"name": "world", "kind": "fixed"}} | _moments(model.inertias[0]))
    blocks = []
    for k in range(1, model.njoints):
        joint, name = model.joints[k], model.names[k]
        parent = int(model.parents[k])
        base = root_floats and k == 1
        try:
            placement = model.jointPlacements[k]
            kind, bodies, turn = _bodies_of(pin, joint, placement if base else pin.SE3(in_body[parent], np.zeros(3)) * placement)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        leading[k], in_body[k] = _unique(_leader(frames.get(k, []), name + "_link"), taken), turn
        link: dict[str, Any] = {"name": leading[k]} | ({} if base else {"parent": leading[parent]})
        link |= {"pose": pose_json((turn, np.zeros(3)))} | _moments(model.inertias[k])
        link["joint"] = {"name": "base" if base else name, "kind": kind, "bodies": bodies} | _added(model, joint, kind)
        links.append(link)
        blocks.append((kind, link["joint"]["name"], joint))
    for k, of_joint in frames.items():
        for frame in of_joint:
            if frame.name in taken or k not in leading:
                continue
            taken.add(frame.name)
            pose = pin.SE3(in_body[k], np.zeros(3)) * frame.placement
            links.append({"name": frame.name, "parent": leading[k], "pose": pose_json((pose.rotation, pose.translation)),
                          "joint": {"name": _unique(frame.name + "_fixed", taken), "kind": "fixed"}})
    told = {"format": "sparsedyn-robot", "version": 1, "name": model.name or "robot",
            "gravity": [float(x) for x in model.gravity.linear], "links": links}
    robot = load_urdf(json.dumps(told))
    places = [(kind, place(robot.coordinate_names, name).start, joint.idx_q, place(robot.velocity_names, name).start, joint.idx_v, joint.nv)
              for kind, name, joint in blocks]
    return robot, PinocchioMaps(model, places)


def _leader(frames: list[Any], otherwise: str) -> str:
    """The body that stands at the joint's frame."""
    return next((frame.name for frame in frames if frame.placement.isIdentity(0)), otherwise)
