"""A quadruped on its feet: 14_contacts.cpp in Python, with the same numbers."""
import numpy as np

import sparsedyn as sd

robot = sd.load_urdf("robots/quadruped.urdf", floating=True)
standing = sd.Constraints("examples/constraints/quadruped.json")
n = robot.nv

# the home posture, feet 5 mm in the ground
q, dq, tau = robot.neutral(), np.zeros(n), np.zeros(n)
q[2] -= sd.contact_dynamics(robot, standing, q, dq, tau).gap[0] + 0.005
tau[6:] = 0.5 * np.sin(np.arange(6, n))
found = sd.contact_dynamics(robot, standing, q, dq, tau)
print(f"trunk accelerates by {found.ddq[5]:.6f} m/s2 along its z axis")
for k, name in enumerate(standing.gap_names(robot)):
    print(f"{name}: gap {found.gap[k]:.6f} m, normal force {found.force[3 * k + 2]:.6f} N")

slopes = sd.contact_derivatives(robot, standing, q, dq, tau)
print(f"by the torque of joint 1: {slopes.dddq_dtau[6, 6]:.6f} rad/s2 for each N m")

back = sd.contact_inverse_dynamics(robot, standing, q, dq, found.ddq)
print("inverse dynamics gives the torques back:", "yes" if abs(back.tau - tau).max() < 1e-8 else "no")
assert abs(back.tau - tau).max() < 1e-8
