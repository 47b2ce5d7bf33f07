"""Exact derivatives of dynamics and of estimates: 13_derivatives.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

sensors = {"name": "gauged", "sensors": [
    {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}


def show(name: str, row: np.ndarray) -> None:
    print(f"{name}, first row:", *(f"{x + 0.0:.6f}" for x in row))


arm = sd.load_urdf("robots/arm.urdf")
n = arm.nv
k = np.arange(1, n + 1)
q, dq, ddq = 0.3 * np.sin(k), 0.5 * np.cos(k), 0.2 * k

inverse = sd.rnea_derivatives(arm, q, dq, ddq)
show("dtau_dq", inverse.dtau_dq[0])
forward = sd.aba_derivatives(arm, q, dq, inverse.tau)
show("dddq_dq", forward.dddq_dq[0])

# the estimate of the torques from gauges and encoders: how it follows the state, and each reading
solver = sd.Solver(arm, sensors, outputs=["tau"])
y = np.zeros(len(solver.inputs))
y[:n], y[n : 2 * n] = inverse.tau, ddq
estimate = solver.derivatives(q, dq, y)
show("estimated tau by q", estimate.q[0])
show("estimated tau by y", estimate.y[0, : 2 * n])
