# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Ten minutes with sparsedyn
# A robot, its dynamics in batches, what sensors determine, and code.

# %%
import numpy as np
import sparsedyn as sd

robot = sd.load_urdf("robots/arm.urdf")
print(robot, robot.joint_names)

# %% [markdown]
# The last axis is the robot's, leading axes are the batch. A thousand postures at once:

# %%
q = robot.random(rng=1, shape=1000)
dq, ddq = np.zeros(robot.nv), np.zeros(robot.nv)  # broadcast
tau = sd.rnea(robot, q, dq, ddq, threads=0)
assert tau.shape == (1000, robot.nv)
assert np.allclose(sd.aba(robot, q, dq, tau), 0, atol=1e-8)
print("largest torque to hold still:", abs(tau).max(axis=0).round(1))

# %% [markdown]
# First derivatives are analytic, with respect to a change on the tangent space:

# %%
d = sd.rnea_derivatives(robot, q[0], dq, ddq)
step = 1e-6 * np.eye(robot.nv)[1]
numeric = (sd.gravity(robot, robot.integrate(q[0], step)) - sd.gravity(robot, robot.integrate(q[0], -step))) / 2e-6
assert np.allclose(d.dtau_dq[:, 1], numeric, atol=1e-6)

# %% [markdown]
# A sample without an answer is never a silent NaN:

# %%
broken = q.copy()
broken[17, 2] = np.nan
try:
    sd.rnea(robot, broken, dq, ddq)
except sd.SolveError as error:
    print(error)
    assert error.rows == [17]
value, failed = sd.rnea(robot, broken, dq, ddq, on_error="nan")
assert failed.sum() == 1

# %% [markdown]
# Which sensors determine the dynamics? Without any, nothing does; `advice` names those that would help.

# %%
print(sd.check(robot, {"name": "nothing", "sensors": []}))
print(sd.check(robot, "inverse-dynamics"))

# %% [markdown]
# An order of elimination is chosen offline, and replayed:

# %%
plan = sd.optimise(robot, "forward-dynamics")
print(plan)
solver = sd.Solver(robot, "forward-dynamics", plan, outputs=["ddq"])
y = np.zeros((1000, len(solver.inputs)))
y[:, : robot.nv] = tau
assert np.allclose(solver(q, dq, y), 0, atol=1e-8)

# %% [markdown]
# The same as straight-line C, compiled here:

# %%
program = sd.generate(robot, "rnea")
print(program)
f = program.compile(flags="-O1")
assert np.allclose(f(q, dq, ddq), tau, atol=1e-9)
