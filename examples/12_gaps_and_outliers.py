"""A log with noise, a gap, a spike and a gauge that sticks: 12_gaps_and_outliers.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

sensors = {"name": "gauged", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.3},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
arm = sd.load_urdf("robots/arm.urdf")
solver = sd.Solver(arm, sensors, outputs=["tau"])

rows, n = 1000, arm.nv
rate = 1 + 0.3 * np.arange(n)
at = 0.01 * np.arange(rows)[:, None] * rate
q, dq, ddq = 0.5 * np.sin(at), 0.5 * rate * np.cos(at), -0.5 * rate**2 * np.sin(at)
tau = sd.rnea(arm, q, dq, ddq)
x = 4e4 * np.sin(12.9898 * np.arange(rows)[:, None] + 78.233 * np.arange(3 * n))
noise = np.sqrt(12) * (x - np.floor(x) - 0.5)  # uniform, of unit variance
y = np.hstack([tau, tau, ddq]) + np.repeat([0.1, 0.3, 0.5], n) * noise
y[100, n] = np.nan  # the first gauge is silent once
y[300, n] += 50  # and jumps once
y[600:, n + 1] = y[600, n + 1]  # the second sticks

names = [f"q.{joint}" for joint in arm.coordinate_names] + [f"dq.{joint}" for joint in arm.velocity_names]
log = dict(zip(names + list(solver.inputs[: 3 * n]), np.hstack([q, dq, y]).T))
found = solver.solve_log(log, robust="huber")
for fault in solver.report["outliers"]["sensors"]:
    print(f"{fault['sensor']}: {fault['fault']} from row {fault['from_line']} on")
error = np.stack([found[f"tau.{joint}"] for joint in arm.force_names], -1) - tau
print(f"{solver.report['rows_with_gaps']} rows with a gap, 0 failed, torque error {np.sqrt(np.mean(error**2)):.4f}")
assert len(solver.report["outliers"]["sensors"]) == 2
