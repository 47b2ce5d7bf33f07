import sparsedyn as sd
robot = sd.load_urdf("robots/arm.urdf")
q = robot.random(rng=1, shape=10_000)
tau = sd.rnea(robot, q, dq=0 * q, ddq=0 * q, threads=0)
print(robot, "holds itself with up to", abs(tau).max(axis=0).round(1), "N·m")
