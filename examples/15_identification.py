"""Masses, centres of mass and inertias from torques: 15_identification.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

arm = sd.load_urdf("robots/arm.urdf")
known = arm.parameters()
truth = 1.1 * known  # what the robot really is: each mass a tenth more, with all that belongs to it

rows, n = 2000, arm.nv
rate = 1 + 0.37 * np.arange(n)
at = 0.01 * np.arange(rows)[:, None] * rate
q, dq, ddq = 0.8 * np.sin(at), 0.8 * rate * np.cos(at), -0.8 * rate**2 * np.sin(at)
x = 4e4 * np.sin(12.9898 * np.arange(rows)[:, None] + 78.233 * np.arange(n))
noise = 0.05 * np.sqrt(12) * (x - np.floor(x) - 0.5)  # 0.05 N m
tau = sd.regressor(arm, q, dq, ddq) @ truth + noise

log = sd.TorqueInformation(arm)  # compressed: its size does not grow with the rows
log.add(q, dq, ddq, tau)
found = sd.identify(arm, log)
print(f"{found.rows} torques, {found.rank} of {len(known)} parameters seen")


def error(value: np.ndarray) -> float:
    return float(np.sqrt(np.mean((sd.regressor(arm, q, dq, ddq) @ value - tau) ** 2)))


print(f"torque error {error(known):.3f} N m before, {error(found.value):.3f} after; "
      f"chi-square {found.chi_square:.2f} a degree of freedom")
assert abs(found.chi_square - 1) < 0.1
