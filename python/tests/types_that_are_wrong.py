"""What a user's module is told is wrong: each line that ends with `# wrong`. Read by mypy and pyright in test_types.py, never run."""

import sparsedyn as sd

robot = sd.load_urdf("arm.urdf")
q = robot.neutral()
sd.rnea(robot, q, q, q, on_error="NaN")  # wrong
sd.rnea(robot, q, q, q, treads=2)  # wrong
sd.rnea("arm.urdf", q, q, q)  # wrong
sd.rnea_derivatives(robot, q, q, q).dtau_dqq  # wrong
sd.jacobian(robot, q, "hand", frame="local")  # wrong
sd.energy(robot, q, q).total  # wrong
robot.limits.uper  # wrong
robot.joint_name  # wrong
sd.ik(robot, {"hand": q}, on_error="none")  # wrong
sd.ik(robot, {"hand": q}).residuals  # wrong
sd.simulate(robot, integrator="euler")  # wrong
sd.Solver(robot, "inverse-dynamics")(q, q, q, on_error="skip")  # wrong
sd.generate(robot, "rnea", dtype="float16")  # wrong
sd.generate(robot, "rnea").jax(on_error="flag")  # wrong
sd.rnae(robot, q, q, q)  # wrong
