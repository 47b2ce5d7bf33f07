"""Actuators: which generalised forces their forces make, and what their rotors add to joints.

How a force arises from controls and activations is no part of a robot: tau and bias know the forces alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._compiled import Names, any_of, mujoco_module
from .._frames import Array
from ._report import Report


class Actuators(NamedTuple):
    """tau = matrix @ forces, of the actuators whose forces act on joints by constant ratios, on hinges and slides."""

    names: tuple[str, ...]
    matrix: Array  #: (nv, actuators): gear ratios
    lower: Array  #: of the forces; -inf without a limit
    upper: Array
    ids: tuple[int, ...]  #: in the MjModel


def actuators_of(model: Any, names: Names, report: Report) -> Actuators:
    found: list[tuple[str, Array, float, float, int]] = []
    for a in range(_count(model)):
        element = names.of("actuator", a)
        _refuse_what_pulls(model, a, element, report)
        column = _column(model, a)
        if column is None:
            report.leaves_out(element, "its force acts on no hinge, slide or fixed tendon by a constant ratio")
            continue
        limited = any_of(model, "actuator_forcelimited").size and bool(model.actuator_forcelimited[a])
        low, high = map(float, model.actuator_forcerange[a]) if limited else (-np.inf, np.inf)
        found.append((names.unique("actuator", names.raw("actuator", a) or f"actuator{a}"), column, low, high, a))
        own = _own_dynamics(model, a)
        report.enters(element, "a column of actuators.matrix" + (f"; its activation ({own}) is no part of the robot" if own else ""))
    return Actuators(
        tuple(f[0] for f in found),
        np.column_stack([f[1] for f in found]) if found else np.zeros((model.nv, 0)),
        np.array([f[2] for f in found]),
        np.array([f[3] for f in found]),
        tuple(f[4] for f in found),
    )


def _count(model: Any) -> int:
    return int(getattr(model, "nactuator", model.nu))


class Added(NamedTuple):
    """What the actuators of a hinge or slide add to it."""

    armature: float
    damping: float


def added_by_actuators(model: Any, joint: int) -> Added:
    """Rotors and bearings behind gears of ratio n count n² times."""
    armature = damping = 0.0
    for a in range(_count(model)):
        if _joint_of(model, a) == joint and model.jnt_type[joint] >= 2:
            square = float(np.ravel(model.actuator_gear[a])[0]) ** 2
            armature += square * _number(model, "actuator_armature", a)
            damping += square * _number(model, "actuator_damping", a)
    return Added(armature, damping)


def _number(model: Any, field: str, a: int) -> float:
    """0 in versions without the field."""
    value = any_of(model, field)
    return float(np.ravel(value[a])[0]) if value.size else 0.0


def _refuse_what_pulls(model: Any, a: int, element: str, report: Report) -> None:
    on_joint = (joint := _joint_of(model, a)) >= 0 and model.jnt_type[joint] >= 2
    for field, what in (("actuator_armature", "armature"), ("actuator_damping", "damping")):
        if _number(model, field, a) and not on_joint:
            report.refuses(element, f"{what} of an actuator that is on no hinge or slide")
    poly = any_of(model, "actuator_dampingpoly")
    if poly.size and np.any(poly[a]):
        report.refuses(element, "damping of an actuator that is not linear")


def _joint_of(model: Any, a: int) -> int:
    """On which it acts, or -1."""
    kinds = mujoco_module().mjtTrn
    on_joint = int(model.actuator_trntype[a]) in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
    return int(np.ravel(model.actuator_trnid[a])[0]) if on_joint else -1


def _own_dynamics(model: Any, a: int) -> str:
    """Of its force, by the type's name: empty where the force follows the control at once."""
    kinds = mujoco_module().mjtDyn
    kind = int(model.actuator_dyntype[a])
    return "" if kind == int(kinds.mjDYN_NONE) else kinds(kind).name[6:].lower()


def _column(model: Any, a: int) -> Array | None:
    mujoco = mujoco_module()
    transmission, target = int(model.actuator_trntype[a]), int(np.ravel(model.actuator_trnid[a])[0])
    gear = float(np.ravel(model.actuator_gear[a])[0])
    column = np.zeros(model.nv)
    if (joint := _joint_of(model, a)) >= 0:
        if model.jnt_type[joint] < 2:
            return None
        column[model.jnt_dofadr[joint]] = gear
        return column
    if transmission != int(mujoco.mjtTrn.mjTRN_TENDON):
        return None
    first = int(model.tendon_adr[target])
    for wrap in range(first, first + int(model.tendon_num[target])):
        if model.wrap_type[wrap] != int(mujoco.mjtWrap.mjWRAP_JOINT):
            return None
        column[model.jnt_dofadr[model.wrap_objid[wrap]]] += gear * float(model.wrap_prm[wrap])
    return column
