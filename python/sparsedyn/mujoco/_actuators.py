"""Actuators: which generalised forces their forces make."""

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
        _refuse_what_acts(model, a, element, report)
        column = _column(model, a)
        if column is None:
            report.leaves_out(element, "its force acts on no hinge, slide or fixed tendon by a constant ratio")
            continue
        limited = any_of(model, "actuator_forcelimited").size and bool(model.actuator_forcelimited[a])
        low, high = map(float, model.actuator_forcerange[a]) if limited else (-np.inf, np.inf)
        found.append((names.unique("actuator", names.raw("actuator", a) or f"actuator{a}"), column, low, high, a))
        report.enters(element, "a column of actuators.matrix")
    return Actuators(
        tuple(f[0] for f in found),
        np.column_stack([f[1] for f in found]) if found else np.zeros((model.nv, 0)),
        np.array([f[2] for f in found]),
        np.array([f[3] for f in found]),
        tuple(f[4] for f in found),
    )


def _count(model: Any) -> int:
    return int(getattr(model, "nactuator", model.nu))


def _refuse_what_acts(model: Any, a: int, element: str, report: Report) -> None:
    mujoco = mujoco_module()
    kind = int(model.actuator_dyntype[a])
    if kind == int(mujoco.mjtDyn.mjDYN_MUSCLE):
        report.refuses(element, "a muscle")
    elif kind != int(mujoco.mjtDyn.mjDYN_NONE):
        report.refuses(element, "an actuator with an activation of its own")
    for field, what in (("actuator_armature", "armature"), ("actuator_damping", "damping"), ("actuator_dampingpoly", "damping")):
        value = any_of(model, field)
        if value.size and np.any(value[a]):
            report.refuses(element, f"{what} of an actuator")


def _column(model: Any, a: int) -> Array | None:
    mujoco = mujoco_module()
    transmission, target = int(model.actuator_trntype[a]), int(np.ravel(model.actuator_trnid[a])[0])
    gear = float(np.ravel(model.actuator_gear[a])[0])
    column = np.zeros(model.nv)
    if transmission in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)):
        if model.jnt_type[target] < 2:
            return None
        column[model.jnt_dofadr[target]] = gear
        return column
    if transmission != int(mujoco.mjtTrn.mjTRN_TENDON):
        return None
    first = int(model.tendon_adr[target])
    for wrap in range(first, first + int(model.tendon_num[target])):
        if model.wrap_type[wrap] != int(mujoco.mjtWrap.mjWRAP_JOINT):
            return None
        column[model.jnt_dofadr[model.wrap_objid[wrap]]] += gear * float(model.wrap_prm[wrap])
    return column
