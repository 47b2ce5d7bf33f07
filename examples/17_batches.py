"""Ten thousand samples at once: 17_batches.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

arm = sd.load_urdf("robots/arm.urdf")
solver = sd.Solver(arm, "forward-dynamics", outputs=["ddq"])

rows, n = 10_000, arm.nv
at = 0.01 * np.arange(rows)[:, None] * np.arange(1, n + 1)
q, dq, tau = 0.5 * np.sin(at), 0.5 * np.cos(at), np.sin(2 * at)
y = np.zeros((rows, len(solver.inputs)))
y[:, :n] = tau
out = solver(q, dq, y, threads=0)  # 0: a thread a core
same = all(np.array_equal(solver(q[k], dq[k], y[k]), out[k]) for k in range(0, rows, 97))
print(f"ddq of joint 1, last sample: {out[-1, 0]:.6f} rad/s2; the bits of single samples:", "yes" if same else "no")

ddq = sd.generate(arm, "aba").compile()(q, dq, tau, threads=0)  # rows in, rows out
print("generated code agrees:", "yes" if abs(ddq - out).max() < 1e-9 else "no")
assert same and abs(ddq - out).max() < 1e-9
