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
    Model,
    SensorSet,
    aba,
    aba_derivatives,
    aba_second_derivatives,
    acceleration,
    bias,
    centre_of_mass,
    coriolis,
    crba,
    energy,
    gravity,
    jacobian,
    load_urdf,
    minverse,
    momentum,
    pose,
    rnea,
    rnea_derivatives,
    rnea_second_derivatives,
    velocity,
)
from ._core import version as __version__
from ._errors import AnswerIsNo, CompilerFailure, InputError, SolveError, SparsedynWarning
from ._plan import Plan, optimise
from ._program import Program, generate
from ._results import (
    AbaDerivatives,
    AbaSecondDerivatives,
    Answer,
    Energy,
    RneaDerivatives,
    RneaSecondDerivatives,
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
    "Determinacy",
    "Energy",
    "InputError",
    "Model",
    "Plan",
    "Program",
    "RneaDerivatives",
    "RneaSecondDerivatives",
    "SensorSet",
    "SolveError",
    "Solver",
    "SparsedynWarning",
    "Status",
    "__version__",
    "aba",
    "aba_derivatives",
    "aba_second_derivatives",
    "acceleration",
    "bias",
    "centre_of_mass",
    "check",
    "coriolis",
    "crba",
    "energy",
    "generate",
    "gravity",
    "jacobian",
    "load_urdf",
    "minverse",
    "momentum",
    "optimise",
    "plot",
    "pose",
    "rnea",
    "rnea_derivatives",
    "rnea_second_derivatives",
    "simulate",
    "velocity",
]
