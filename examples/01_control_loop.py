"""Computed-torque control of an arm, by the planned sparse solve: 01_control_loop.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

arm = sd.load_urdf("robots/arm.urdf")
solver = sd.Solver(arm, "inverse-dynamics", outputs=["tau"])
q, dq = np.full(arm.nq, 0.3), np.zeros(arm.nv)
tau, y = np.zeros(arm.nv), np.zeros(len(solver.inputs))  # y: ddq, then no wrenches
solve = solver.bind(q, dq, y, tau)  # the arrays are fixed once: each call reads them and writes tau

dt = 0.001
for _ in range(2000):  # two seconds of a simulated robot, a millisecond a step
    ddq = sd.aba(arm, q, dq, tau)
    dq += dt * ddq
    q += dt * dq
    y[: arm.nv] = -100 * q - 20 * dq  # towards q = 0, critically damped
    solve()

error = abs(q).max()
print(f"largest error after 2 s: {error:.1e} rad")
assert error < 1e-6
