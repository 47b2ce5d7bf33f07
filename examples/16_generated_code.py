"""Code generated for one robot, compiled and called in a loop: 16_generated_code.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

arm = sd.load_urdf("robots/arm.urdf")
program = sd.generate(arm, "rnea")
print(program.flops["mul"], "multiplications,", program.flops["add"], "additions")
code = program.compile()  # by $CC or cc; kept in the user's cache

n = arm.nv
q, dq, ddq, tau = (np.zeros(n) for _ in range(4))
run = code.bind(q, dq, ddq, tau)  # the arrays are fixed once
worst = 0.0
for step in range(1000):
    at = 0.01 * step * np.arange(1, n + 1)
    q[:], dq[:], ddq[:] = 0.5 * np.sin(at), 0.5 * np.cos(at), -0.5 * np.sin(at)
    run()
    worst = max(worst, abs(tau - sd.rnea(arm, q, dq, ddq)).max())
print(f"tau of joint 2 at the end: {tau[1]:.6f} N m; as the recursion:", "yes" if worst < 1e-10 else "no")
assert worst < 1e-10
