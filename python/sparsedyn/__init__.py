"""Robot dynamics as one sparse linear system, its elimination order chosen offline and replayed at runtime.

    import sparsedyn as sd
    robot = sd.load_urdf("robots/arm.urdf")
    tau = sd.rnea(robot, q, dq, ddq)          # one state, or a batch on leading axes

Arrays are float64. The last axis (of matrices the last two) is the robot's; leading axes are the batch, and they broadcast.
"""

import importlib as _importlib
import sys as _sys
import typing as _typing

from . import _signatures
from ._core import (
    BoundFunction,
    BoundSolver,
    CompiledFunction,
    Constraints,
    Model,
    SensorSet,
    aba,
    aba_derivatives,
    aba_second_derivatives,
    acceleration,
    accelerations,
    bias,
    centre_of_mass,
    centre_of_mass_jacobian,
    centroidal_momentum_matrix,
    christoffel,
    contact_derivatives,
    contact_dynamics,
    contact_inverse_dynamics,
    contact_second_derivatives,
    coriolis,
    crba,
    energy,
    gravity,
    hamilton,
    jacobian,
    jacobian_derivative,
    jacobian_rate,
    jacobian_rates,
    jacobians,
    load_urdf,
    minverse,
    momentum,
    momentum_rate,
    pose,
    poses,
    regressor,
    regressor_times,
    regressor_transposed_times,
    relative_jacobian,
    relative_pose,
    rnea,
    rnea_derivatives,
    rnea_second_derivatives,
    rnea_with_derivatives,
    velocities,
    velocity,
)
from ._core import version as __version__
from ._constraints import HardRows, hard_rows
from ._conventions import BaseMotion, base_from, base_to
from ._datasets import Log, convert, open_log, solve_dataset
from ._errors import AnswerIsNo, CompilerFailure, DatasetError, InputError, SolveError, SparsedynWarning
from ._kinematics import ik
from ._logs import Differentiated, differentiate
from ._motion import Motion, watch
from ._plan import Plan, optimise
from ._program import Program, generate
from ._results import (
    AbaDerivatives,
    AbaSecondDerivatives,
    Answer,
    ContactDerivatives,
    ContactDynamics,
    ContactInverseDynamics,
    ContactSecondDerivatives,
    Energy,
    Hamilton,
    InverseKinematics,
    Limits,
    RneaDerivatives,
    RneaSecondDerivatives,
    RneaWithDerivatives,
    Sensitivities,
)
from ._robots import load_robot, save_robot
from ._sensors import Determinacy, check, simulate
from ._sigma import Status
from ._solver import Solver
from ._structure import Joint, Link

if _typing.TYPE_CHECKING:
    from . import mujoco, plot
    from ._identification import Excitation, Identification, SensorInformation, TorqueInformation, excite, identify
    from ._inspection import Finding, Inspection, inspect
    from ._pinocchio import PinocchioMaps, from_pinocchio, to_pinocchio
    from ._tracker import Tracker, smooth
    from ._verify import Verification, VerifiedPair, verify
    from .mujoco import load_mujoco, to_mujoco

_signatures.teach()

#: Modules that are imported when one of their names is first asked for, which few sessions do.
_LATER = {
    "_identification": ("Excitation", "Identification", "SensorInformation", "TorqueInformation", "excite", "identify"),
    "_inspection": ("Finding", "Inspection", "inspect"),
    "_pinocchio": ("PinocchioMaps", "from_pinocchio", "to_pinocchio"),
    "_tracker": ("Tracker", "smooth"),
    "_verify": ("Verification", "VerifiedPair", "verify"),
    "mujoco": ("load_mujoco", "mujoco", "to_mujoco"),
    "plot": ("plot",),
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names}

if not _typing.TYPE_CHECKING:  # of a module with __getattr__ a type checker believes that it has every name

    def __getattr__(name: str) -> _typing.Any:
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=_sys.modules[__name__])
        module = _importlib.import_module(f".{_MODULE_OF[name]}", __name__)
        found = module if name == _MODULE_OF[name] else getattr(module, name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULE_OF})

#: Other spellings.
optimize = optimise
center_of_mass = centre_of_mass
center_of_mass_jacobian = centre_of_mass_jacobian

__all__ = [
    "AbaDerivatives",
    "AbaSecondDerivatives",
    "Answer",
    "AnswerIsNo",
    "BoundFunction",
    "BoundSolver",
    "CompiledFunction",
    "CompilerFailure",
    "Constraints",
    "ContactDerivatives",
    "ContactDynamics",
    "ContactInverseDynamics",
    "ContactSecondDerivatives",
    "DatasetError",
    "Determinacy",
    "Differentiated",
    "Energy",
    "Excitation",
    "Finding",
    "Hamilton",
    "HardRows",
    "Identification",
    "InputError",
    "Inspection",
    "InverseKinematics",
    "Joint",
    "Limits",
    "Link",
    "Log",
    "Model",
    "Motion",
    "PinocchioMaps",
    "Plan",
    "Program",
    "RneaDerivatives",
    "RneaSecondDerivatives",
    "RneaWithDerivatives",
    "Sensitivities",
    "SensorInformation",
    "SensorSet",
    "SolveError",
    "Solver",
    "SparsedynWarning",
    "Status",
    "TorqueInformation",
    "Tracker",
    "Verification",
    "VerifiedPair",
    "__version__",
    "aba",
    "aba_derivatives",
    "aba_second_derivatives",
    "acceleration",
    "accelerations",
    "base_from",
    "base_to",
    "bias",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centre_of_mass",
    "centre_of_mass_jacobian",
    "centroidal_momentum_matrix",
    "check",
    "christoffel",
    "contact_derivatives",
    "contact_dynamics",
    "contact_inverse_dynamics",
    "contact_second_derivatives",
    "convert",
    "coriolis",
    "crba",
    "differentiate",
    "energy",
    "excite",
    "from_pinocchio",
    "generate",
    "gravity",
    "hamilton",
    "hard_rows",
    "identify",
    "ik",
    "inspect",
    "jacobian",
    "jacobian_derivative",
    "jacobian_rate",
    "jacobian_rates",
    "jacobians",
    "load_mujoco",
    "load_robot",
    "load_urdf",
    "minverse",
    "momentum",
    "momentum_rate",
    "open_log",
    "optimise",
    "optimize",
    "plot",
    "pose",
    "poses",
    "regressor",
    "regressor_times",
    "regressor_transposed_times",
    "relative_jacobian",
    "relative_pose",
    "rnea",
    "rnea_derivatives",
    "rnea_second_derivatives",
    "rnea_with_derivatives",
    "save_robot",
    "simulate",
    "smooth",
    "solve_dataset",
    "to_mujoco",
    "to_pinocchio",
    "velocities",
    "velocity",
    "verify",
    "watch",
]
