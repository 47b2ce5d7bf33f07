"""Named tuples that functions of several results return."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Result = TypeVar("Result")


class Answer(NamedTuple, Generic[Result]):
    """Of on_error='nan'."""

    value: Result  #: the result; NaN in samples that failed
    failed: NDArray[np.bool_]  #: one flag a sample


class Limits(NamedTuple):
    """What a URDF allows, (nv,) each; inf where it says nothing."""

    lower: Array  #: rad or m; -inf where it says nothing
    upper: Array
    velocity: Array  #: rad/s or m/s, the largest
    effort: Array  #: N m or N, the largest


class RneaDerivatives(NamedTuple):
    """Inverse dynamics and its first derivatives."""

    tau: Array  #: (..., nv)
    dtau_dq: Array  #: (..., nv, nv)
    dtau_dv: Array  #: (..., nv, nv)
    M: Array  #: (..., nv, nv)


class AbaDerivatives(NamedTuple):
    """Forward dynamics and its first derivatives."""

    ddq: Array  #: (..., nv)
    dddq_dq: Array  #: (..., nv, nv)
    dddq_dv: Array  #: (..., nv, nv)
    dddq_dtau: Array  #: (..., nv, nv): M⁻¹


class RneaSecondDerivatives(NamedTuple):
    """(..., nv, nv, nv) each; contracted (..., nv, nv)."""

    d2tau_dqdq: Array
    d2tau_dqdv: Array
    d2tau_dvdv: Array
    dM_dq: Array


class AbaSecondDerivatives(NamedTuple):
    """(..., nv, nv, nv) each; contracted (..., nv, nv)."""

    d2ddq_dqdq: Array
    d2ddq_dqdv: Array
    d2ddq_dvdv: Array
    d2ddq_dqdtau: Array


class Energy(NamedTuple):
    """Kinetic and potential energy, (...,) each; J."""

    kinetic: Array
    potential: Array


class RneaWithDerivatives(NamedTuple):
    """Inverse dynamics with all derivatives up to the second; columns by q on the tangent space."""

    tau: Array  #: (..., nv)
    M: Array  #: (..., nv, nv): by dv/dt
    dtau_dq: Array  #: (..., nv, nv)
    dtau_dv: Array  #: (..., nv, nv)
    d2tau_dqdq: Array  #: (..., nv, nv, nv)
    d2tau_dqdv: Array  #: (..., nv, nv, nv)
    d2tau_dvdv: Array  #: (..., nv, nv, nv)
    dM_dq: Array  #: (..., nv, nv, nv)


class Hamilton(NamedTuple):
    """Hamilton's equations."""

    p: Array  #: (..., nv): momenta M dq
    dp: Array  #: (..., nv): their rates
    energy: Array  #: (...,): kinetic and potential, J


class ContactDynamics(NamedTuple):
    """Forward dynamics under constraints."""

    ddq: Array  #: (..., nv)
    force: Array  #: (..., forces), as constraints.force_names(robot)
    gap: Array  #: (..., contact points), as constraints.gap_names(robot); m
    iterations: Array  #: (...,): Newton steps


class ContactDerivatives(NamedTuple):
    """First derivatives of forward dynamics under constraints; columns by q on the tangent space."""

    ddq: Array  #: (..., nv)
    force: Array  #: (..., forces), as constraints.force_names(robot)
    gap: Array  #: (..., contact points), as constraints.gap_names(robot); m
    dddq_dq: Array  #: (..., nv, nv)
    dddq_dv: Array  #: (..., nv, nv)
    dddq_dtau: Array  #: (..., nv, nv)
    dforce_dq: Array  #: (..., forces, nv)
    dforce_dv: Array  #: (..., forces, nv)
    dforce_dtau: Array  #: (..., forces, nv)


class ContactSecondDerivatives(NamedTuple):
    """Blocks of the Hessian of λ·ddq by (q along its tangent, dq, tau), (..., nv, nv) each."""

    d2ddq_dqdq: Array
    d2ddq_dqdv: Array
    d2ddq_dqdtau: Array
    d2ddq_dvdv: Array
    d2ddq_dvdtau: Array
    d2ddq_dtaudtau: Array


class ContactInverseDynamics(NamedTuple):
    """Inverse dynamics under soft constraints."""

    tau: Array  #: (..., nv)
    force: Array  #: (..., forces), as constraints.force_names(robot)
    gap: Array  #: (..., contact points), as constraints.gap_names(robot); m


class InverseKinematics(NamedTuple):
    """What `ik` finds: postures, and how near they come."""

    q: Array  #: (..., nq), within the limits
    residual: Array  #: (...,): root of the sum of |Δp|² + angle² over the targets; m, rad


class Sensitivities(NamedTuple):
    """How outputs move; None for what was not asked for. Of `derivatives` (..., outputs, n), of `gradient` (..., n)."""

    q: Array | None  #: n = nv: along the tangent, q ⊕ δ
    dq: Array | None  #: n = nv
    y: Array | None  #: n = len(solver.inputs); 0 for readings that are missing
    parameters: Array | None  #: as robot.parameter_names
