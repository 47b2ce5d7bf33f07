"""MuJoCo's soft constraints as a file of constraints: equalities, limits, dry friction. Contacts are in _contacts.py.

Parameters (solref, solimp, impratio, cone) mean the same on both sides; what MuJoCo clips when it computes is clipped here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._bodies import BALL, FREE, Bodies
from ._compiled import disabled, mujoco_module
from .._frames import IDENTITY, Pose, rotation, rpy, times
from ._report import Report

_LEAST, _MOST = 1e-4, 0.9999  # mjMINIMP, mjMAXIMP
_NO_WIDTH = 1e-15  # mjMINVAL: from here down the impedance is the mean of the two


def solver_numbers(solref: Any, solimp: Any) -> dict[str, list[float]]:
    """solref and solimp within the bounds that MuJoCo takes them to. Raises ValueError where solref has two signs."""
    reference = [float(x) for x in solref]
    if not (min(reference) > 0 or max(reference) < 0):
        raise ValueError(f"solref {reference[0]:g} {reference[1]:g}; expected both positive or both negative")
    low, high, width, middle, power = map(float, solimp)
    low, high = (min(max(x, _LEAST), _MOST) for x in (low, high))
    width = max(width, _NO_WIDTH)
    return {"solref": reference, "solimp": [low, high, width, min(max(middle, _LEAST), _MOST), max(power, 1.0)]}


def diagonal_of_inverse(model: Any) -> Any:
    """Of M⁻¹ at the model's own posture, in the order of MuJoCo's freedoms."""
    mujoco = mujoco_module()
    data, inverse = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_solveM(model, data, inverse, np.eye(model.nv))
    return np.diag(inverse)


def parameters(model: Any, report: Report) -> dict[str, Any]:
    """Numbers that are not above 0 are refused."""
    mujoco = mujoco_module()
    elliptic = int(model.opt.cone) == int(mujoco.mjtCone.mjCONE_ELLIPTIC)
    made: dict[str, Any] = {"cone": "elliptic" if elliptic else "pyramidal"}
    for name, counts in (("impratio", True), ("timestep", not disabled(model, "refsafe"))):
        value = float(getattr(model.opt, name))
        if counts and value > 0:
            made[name] = value
        elif counts:
            report.refuses(f"option {name}", f"{value:g}")
    return made


class Constraints:
    """Collects the constraints of a model; `items` as a file has them."""

    def __init__(self, bodies: Bodies, report: Report) -> None:
        self.bodies, self.model, self.report = bodies, bodies.model, report
        self.items: list[dict[str, Any]] = []
        self._inverse: Any = None
        if disabled(self.model, "constraint"):
            return
        if not disabled(self.model, "equality"):
            for k in range(self.model.neq):
                self._equality(k)
        if not disabled(self.model, "limit"):
            for j in range(self.model.njnt):
                self._limit(j)
        if not disabled(self.model, "frictionloss"):
            for j in range(self.model.njnt):
                self._friction_loss(j)

    def add(self, element: str, name: str, entry: dict[str, Any], solref: Any, solimp: Any) -> str | None:
        """Adds it, or reports what cannot be held; its name."""
        if not np.all(np.isfinite(entry.get("inverse_weight", 1.0))):
            self.report.refuses(element, "a row on which MuJoCo finds no inertia")
            return None
        try:
            numbers = solver_numbers(solref, solimp)
        except ValueError as error:
            self.report.refuses(element, str(error))
            return None
        name = self.bodies.names.unique("constraint", name)
        self.items.append({"name": name, **entry, **numbers})
        self.report.enters(element, f"constraint {name}, {entry['type']}")
        return name

    def weight(self, bodies: Any) -> list[float]:
        """The inverse inertia that a row between bodies sees, linear and angular: MuJoCo's, which counts welded bodies one by one."""
        total = sum(np.array(self.model.body_invweight0[int(body)], dtype=np.float64) for body in bodies)
        return [max(float(x), 1e-15) for x in np.asarray(total)]

    def joint_weight(self, joints: Any) -> dict[str, float]:
        """MuJoCo's inverse inertia of a row over joints, where it is not the one of M that is taken where none is stated: of a body
        that slides on the world alone MuJoCo leaves the armature out.
        """
        dofs = [int(self.model.jnt_dofadr[j]) for j in joints]
        if self._inverse is None:
            self._inverse = diagonal_of_inverse(self.model)
        stated, of_inertia = float(np.sum(self.model.dof_invweight0[dofs])), float(np.sum(self._inverse[dofs]))
        return {} if abs(stated - of_inertia) <= 1e-10 * of_inertia else {"inverse_weight": max(stated, 1e-15)}

    def _equality(self, k: int) -> None:
        model, names, mujoco = self.model, self.bodies.names, mujoco_module()
        element = names.of("equality", k)
        if not model.eq_active0[k]:
            self.report.has_no_meaning(element, "not active")
            return
        kinds = {int(mujoco.mjtEq.mjEQ_CONNECT): self._connect, int(mujoco.mjtEq.mjEQ_WELD): self._weld, int(mujoco.mjtEq.mjEQ_JOINT): self._joint,
                 int(mujoco.mjtEq.mjEQ_TENDON): self._tendon}
        kind = int(model.eq_type[k])
        if kind not in kinds:
            self.report.refuses(element, f"an equality of the type {mujoco.mjtEq(kind).name[5:].lower()}")
            return
        entry = kinds[kind](k, element)
        if entry is not None:
            name = names.raw("equality", k) or f"{entry['type']}{k}"
            solimp = np.array(model.eq_solimp[k])
            solimp[2] *= entry.pop("scale", 1.0)
            self.add(element, name, entry, model.eq_solref[k], solimp)

    def _sides(self, k: int, inner: tuple[Pose, Pose], element: str) -> tuple[list[str], list[Pose]] | None:
        """Links and frames of the two bodies, or sites, at `inner` in them."""
        model, mujoco = self.model, mujoco_module()
        links, frames = [], []
        for obj, at in zip((model.eq_obj1id[k], model.eq_obj2id[k]), inner, strict=True):
            body, outer = int(obj), IDENTITY
            if int(model.eq_objtype[k]) == int(mujoco.mjtObj.mjOBJ_SITE):
                body, outer, at = int(model.site_bodyid[obj]), (rotation(model.site_quat[obj]), np.array(model.site_pos[obj])), IDENTITY
            link, base = self.bodies.pose_on(body, np.zeros(3), [1, 0, 0, 0])
            links.append(link)
            frames.append(times(base, times(outer, at)))
        if links[0] == links[1] or not any(self.bodies.moves(int(b)) for b in self._bodies_of(k)):
            self.report.has_no_meaning(element, "both sides move as one")
            return None
        return links, frames

    def _bodies_of(self, k: int) -> list[int]:
        model = self.model
        sites = int(model.eq_objtype[k]) == int(mujoco_module().mjtObj.mjOBJ_SITE)
        return [int(model.site_bodyid[x]) if sites else int(x) for x in (model.eq_obj1id[k], model.eq_obj2id[k])]

    def _connect(self, k: int, element: str) -> dict[str, Any] | None:
        data = np.array(self.model.eq_data[k])
        sides = self._sides(k, ((np.eye(3), data[0:3]), (np.eye(3), data[3:6])), element)
        if sides is None:
            return None
        links, frames = sides
        return {"type": "connect", "links": links, "xyz": [[float(x) for x in frame[1]] for frame in frames],
                "inverse_weight": self.weight(self._bodies_of(k))}

    def _weld(self, k: int, element: str) -> dict[str, Any] | None:
        data = np.array(self.model.eq_data[k])
        if data[10] != 1:
            self.report.refuses(element, f"torquescale {data[10]:g} of a weld; expected 1")
            return None
        turned = rotation(data[6:10]) if np.any(data[6:10]) else np.eye(3)  # nothing where sites are welded
        sides = self._sides(k, ((turned, data[3:6]), (np.eye(3), data[0:3])), element)
        if sides is None:
            return None
        links, frames = sides
        return {"type": "weld", "links": links, "xyz": [[float(x) for x in frame[1]] for frame in frames],
                "rpy": [rpy(frame[0]) for frame in frames], "inverse_weight": self.weight(self._bodies_of(k))}

    def _joint(self, k: int, element: str) -> dict[str, Any] | None:
        model = self.model
        joints = [int(x) for x in (model.eq_obj1id[k], model.eq_obj2id[k])]
        polynomial = [float(x) for x in model.eq_data[k][:5]]
        entry = {"type": "joint", "joint": self.bodies.joint[joints[0]], **self.joint_weight(j for j in joints if j >= 0)}
        if joints[1] < 0:
            return {**entry, "polynomial": polynomial[:1]}
        return {**entry, "of": self.bodies.joint[joints[1]], "polynomial": polynomial}

    def _tendon(self, k: int, element: str) -> dict[str, Any] | None:
        """Of fixed tendons: c x + Σ d y = p(L) is x = p(L) / c − Σ d/c y, softer by c² and as wide as 1/c. L, of the second tendon, is
        a multiple of one joint, or of any number where p is a straight line.
        """
        model = self.model
        first, second = (self._fixed_tendon(int(x)) for x in (model.eq_obj1id[k], model.eq_obj2id[k]))
        polynomial = [float(x) for x in model.eq_data[k][:5]]
        if second == []:
            polynomial = polynomial[:1]
        if not first or second is None or (len(second) > 1 and any(polynomial[2:])):
            self.report.refuses(element, "an equality of tendons that are not fixed ones over hinges and slides")
            return None
        (x, c), *others = first
        linear = {y: -d / c for y, d in others}
        of = -1
        if len(second) == 1 and second[0][0] not in {joint for joint, _ in first}:
            of, d = second[0]
            polynomial = [p * d**n for n, p in enumerate(polynomial)]
        elif not any(polynomial[2:]):
            for y, d in second:
                linear[y] = linear.get(y, 0.0) + polynomial[1] * d / c
            polynomial = polynomial[:1]
        if x in linear or (second and of < 0 and len(polynomial) > 1):
            self.report.refuses(element, "an equality of tendons that share joints")
            return None
        weight = float(model.tendon_invweight0[model.eq_obj1id[k]])
        if second:
            weight += float(model.tendon_invweight0[model.eq_obj2id[k]])
        entry = {"type": "joint", "joint": self.bodies.joint[x], "polynomial": [p / c for p in polynomial], "scale": 1 / abs(c),
                 "inverse_weight": max(weight / c**2, 1e-15)}
        if linear:
            entry["linear"] = {self.bodies.joint[y]: factor for y, factor in linear.items()}
        return entry if of < 0 else {**entry, "of": self.bodies.joint[of]}

    def _fixed_tendon(self, tendon: int) -> list[tuple[int, float]] | None:
        """Its joints with their coefficients; none for no tendon, None for one that is not over hinges and slides."""
        model = self.model
        if tendon < 0:
            return []
        found = []
        for wrap in range(int(model.tendon_adr[tendon]), int(model.tendon_adr[tendon] + model.tendon_num[tendon])):
            joint = int(model.wrap_objid[wrap])
            if model.wrap_type[wrap] != int(mujoco_module().mjtWrap.mjWRAP_JOINT) or model.jnt_type[joint] in (BALL, FREE):
                return None
            found.append((joint, float(model.wrap_prm[wrap])))
        return found if all(c for _, c in found) and len({joint for joint, _ in found}) == len(found) else None

    def _limit(self, j: int) -> None:
        model, element = self.model, self.bodies.names.of("joint", j)
        if not model.jnt_limited[j]:
            return
        if model.jnt_type[j] in (BALL, FREE):
            self.report.refuses(element, "a limit of a joint with several freedoms")
            return
        margin = float(model.jnt_margin[j])
        if margin < 0:
            self.report.refuses(element, f"a limit with a margin below 0, {margin:g}")
            return
        entry = {"type": "limit", "joint": self.bodies.joint[j], **({"margin": margin} if margin else {}), **self.joint_weight([j])}
        self.add(element, f"limit.{self.bodies.joint[j]}", entry, model.jnt_solref[j], model.jnt_solimp[j])

    def _friction_loss(self, j: int) -> None:
        model, element = self.model, self.bodies.names.of("joint", j)
        dof = int(model.jnt_dofadr[j])
        loss = np.array(model.dof_frictionloss[dof : dof + {FREE: 6, BALL: 3}.get(int(model.jnt_type[j]), 1)])
        if not loss.any():
            return
        if np.any(loss < 0):
            self.report.refuses(element, "dry friction below 0")
            return
        if len(loss) > 1:
            self.report.refuses(element, "dry friction of a joint with several freedoms")
            return
        entry = {"type": "dry_friction", "joint": self.bodies.joint[j], "loss": float(loss[0]), **self.joint_weight([j])}
        self.add(element, f"friction.{self.bodies.joint[j]}", entry, model.dof_solref[dof], model.dof_solimp[dof])
