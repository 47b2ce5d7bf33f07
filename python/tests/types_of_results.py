"""What a user's module knows of the package's types: read by mypy and pyright in test_types.py, never run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import sparsedyn as sd

Array = NDArray[np.float64]

robot = sd.load_urdf("arm.urdf", lock={"wrist": 0.3})
assert_type(robot, sd.Model)
q = robot.random(rng=1, shape=(3, 4))
assert_type(q, Array)
assert_type(robot.limits, sd.Limits)
assert_type(robot.limits.lower, Array)
assert_type(robot.joints["elbow"], sd.Joint)
assert_type(robot.joints["elbow"].axis, Array | None)
assert_type(robot.links["hand"].inertia, Array)
assert_type(robot.lock("elbow"), sd.Model)
assert_type(robot.to_urdf(), str)
assert_type(robot.mass, float)

assert_type(sd.rnea(robot, q, 0, 0), Array)
assert_type(sd.rnea(robot, q, q, q, on_error="nan"), sd.Answer[Array])
assert_type(sd.rnea(robot, q, q, q, on_error="nan").failed, NDArray[np.bool_])
assert_type(sd.crba(robot, q, on_error="raise"), Array)
assert_type(sd.rnea_derivatives(robot, q, q, q), sd.RneaDerivatives)
assert_type(sd.rnea_derivatives(robot, q, q, q).dtau_dq, Array)
assert_type(sd.aba_derivatives(robot, q, q, q, on_error="nan").value.dddq_dtau, Array)
assert_type(sd.rnea_second_derivatives(robot, q, q, q, contract=q), sd.RneaSecondDerivatives)
assert_type(sd.aba_second_derivatives(robot, q, q, q).d2ddq_dqdq, Array)
assert_type(sd.energy(robot, q, q).kinetic, Array)
assert_type(sd.hamilton(robot, q, q, q), sd.Hamilton)
assert_type(sd.pose(robot, q, "hand", as_matrix=True), Array)
assert_type(sd.poses(robot, q), Array)
assert_type(sd.jacobian(robot, q, "hand", "aligned", (0, 0, 0.1)), Array)
assert_type(sd.jacobian_rate(robot, q, q, "hand", frame="world", on_error="nan"), sd.Answer[Array])
assert_type(sd.relative_pose(robot, q, "hand", "elbow"), Array)
assert_type(sd.centre_of_mass(robot, q, whole=True), Array)
assert_type(sd.center_of_mass(robot, q), Array)
assert_type(sd.ik(robot, {"hand": q, "elbow": {"position": q, "weight": 2.0}}).residual, Array)
assert_type(sd.ik(robot, {"hand": q}, on_error="nan").value, sd.InverseKinematics)

ground = sd.Constraints("ground.json")
assert_type(sd.contact_dynamics(robot, ground, q, q, q).force, Array)
assert_type(sd.contact_inverse_dynamics(robot, ground, q, q, q, on_error="nan").value.tau, Array)
assert_type(sd.contact_derivatives(robot, ground, q, q, q).dforce_dtau, Array)
assert_type(sd.contact_second_derivatives(robot, ground, q, q, q, q).d2ddq_dqdtau, Array)

solver = sd.Solver(robot, "inverse-dynamics")
assert_type(solver(q, q, q), Array)
assert_type(solver(q, q, {"ddq.elbow": q}, on_error="nan"), sd.Answer[Array])
assert_type(solver.columns, list[str])
assert_type(solver.status.growth, float)
log = {"time": q}
assert_type(solver.solve_log(log), dict[str, Array])
assert_type(solver.solve_log(log, on_error="nan"), sd.Answer[dict[str, Array]])
assert_type(sd.optimise(robot, "inverse-dynamics"), sd.Plan)
found = sd.identify(robot, [log], fit="damping")
assert_type(found.robot, sd.Model)
assert_type(found.load_options, dict[str, Any])
program = sd.generate(robot, "rnea", dtype="float32")
assert_type(program.compile(), sd.CompiledFunction)
assert_type(program.jax(on_error="nan")(q=q), Any)
