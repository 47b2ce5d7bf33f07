"""Any sensors in, every quantity by name out: 11_sensor_solver.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

sensors = {"name": "gauged", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
    {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
arm = sd.load_urdf("robots/arm.urdf")
solver = sd.Solver(arm, sensors, outputs="tau", sd=True)

# a motion, and what the sensors read on it
rows, n = 1000, arm.nv
rate = 1 + 0.3 * np.arange(n)
at = 0.01 * np.arange(rows)[:, None] * rate
q, dq, ddq = 0.5 * np.sin(at), 0.5 * rate * np.cos(at), -0.5 * rate**2 * np.sin(at)
tau = sd.rnea(arm, q, dq, ddq)
y = np.zeros((rows, len(solver.inputs)))
y[:, :n] = y[:, n : 2 * n] = tau
y[:, 2 * n : 3 * n] = ddq
y[200:300, n : 2 * n] = np.nan  # the gauges are silent
y[700, 0] += 50  # a spike

first = solver(q[0], dq[0], y[0])
print(f"{solver.outputs[0]} {first[0]:.4f}, sd {first[n]:.4f}")
out = solver(q, dq, y, threads=2)
worst = np.delete(abs(out[:, :n] - tau), 700, axis=0).max()
print(f"sd {out[0, n]:.4f}, where the gauges are silent {out[250, n]:.4f}")
print(f"{rows} rows, the largest error below 1e-9:", "yes" if worst < 1e-9 else "no")
assert worst < 1e-9 and out[250, n] > 1.5 * out[0, n]
