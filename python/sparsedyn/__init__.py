"""Robot dynamics as one sparse linear system, its elimination order chosen offline and replayed at runtime.

    import sparsedyn as sd
    robot = sd.load_urdf("robots/arm.urdf")
    tau = sd.rnea(robot, q, dq, ddq)          # one state, or a batch on leading axes

Arrays are float64. The last axis (of matrices the last two) is the robot's; leading axes are the batch, and they broadcast.
"""

from . import plot
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
    bias,
    centre_of_mass,
    christoffel,
    contact_dynamics,
    contact_inverse_dynamics,
    coriolis,
    crba,
    energy,
    gravity,
    hamilton,
    ik,
    jacobian,
    load_urdf,
    minverse,
    momentum,
    pose,
    regressor,
    rnea,
    rnea_derivatives,
    rnea_second_derivatives,
    velocity,
)
from ._core import version as __version__
from ._constraints import HardRows, hard_rows
from ._datasets import Log, convert, open_log, solve_dataset
from ._errors import AnswerIsNo, CompilerFailure, DatasetError, InputError, SolveError, SparsedynWarning
from ._identification import Excitation, Identification, TorqueInformation, excite, identify
from ._logs import Differentiated, differentiate
from ._motion import Motion, watch
from ._plan import Plan, optimise
from ._program import Program, generate
from ._results import (
    AbaDerivatives,
    AbaSecondDerivatives,
    Answer,
    ContactDynamics,
    ContactInverseDynamics,
    Energy,
    Hamilton,
    InverseKinematics,
    RneaDerivatives,
    RneaSecondDerivatives,
    Sensitivities,
)
from ._sensors import Determinacy, check, simulate
from ._solver import Solver, Status

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
    "ContactDynamics",
    "ContactInverseDynamics",
    "DatasetError",
    "Determinacy",
    "Differentiated",
    "Energy",
    "Excitation",
    "Hamilton",
    "HardRows",
    "Identification",
    "InputError",
    "InverseKinematics",
    "Log",
    "Model",
    "Motion",
    "Plan",
    "Program",
    "RneaDerivatives",
    "RneaSecondDerivatives",
    "Sensitivities",
    "SensorSet",
    "SolveError",
    "Solver",
    "SparsedynWarning",
    "Status",
    "TorqueInformation",
    "__version__",
    "aba",
    "aba_derivatives",
    "aba_second_derivatives",
    "acceleration",
    "bias",
    "centre_of_mass",
    "check",
    "christoffel",
    "contact_dynamics",
    "contact_inverse_dynamics",
    "convert",
    "coriolis",
    "crba",
    "differentiate",
    "energy",
    "excite",
    "generate",
    "gravity",
    "hamilton",
    "hard_rows",
    "identify",
    "ik",
    "jacobian",
    "load_urdf",
    "minverse",
    "momentum",
    "open_log",
    "optimise",
    "plot",
    "pose",
    "regressor",
    "rnea",
    "rnea_derivatives",
    "rnea_second_derivatives",
    "simulate",
    "solve_dataset",
    "velocity",
    "watch",
]
