# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # A hundred thousand arms, each with masses of its own
# A controller is tried on arms whose bodies are lighter or heavier than those that it knows. Masses, first moments and inertia
# tensors are an input `pi` of the generated program, so that one call answers for all arms, on any arrays that NumPy reads.
# `program.jax()` and `program.torch()` are the same function with gradients.

# %%
import numpy as np
import sparsedyn as sd

ARMS, STEPS, H = 100_000, 30, 0.01
robot = sd.load_urdf("robots/arm.urdf")
program = sd.generate(robot, "aba", parameters=["inertial"], name="any_arm")
forward_dynamics = program.compile()  # (q, dq, tau, pi) -> ddq

# %% [markdown]
# Ten numbers of a body times one factor are those of a body of the same shape: physical, whatever the factor.

# %%
rng = np.random.default_rng(1)
own = np.array(program.manifest["pi_nominal"])
factor = rng.uniform(0.8, 1.2, (ARMS, own.size // 10))
pi = own * np.repeat(factor, 10, axis=1)

# %% [markdown]
# The controller computes the torques that would draw the arm that it knows to a goal, half of the arms with a firm gain and half
# with a soft one. Steps are those of semi-implicit Euler.

# %%
goal = 0.3 * np.ones(robot.nv)
stiffness = np.where(np.arange(ARMS) % 2, 100.0, 25.0)[:, None]  # 1/s²
damping = 2 * np.sqrt(stiffness)
q, dq = np.zeros((ARMS, robot.nv)), np.zeros((ARMS, robot.nv))
for _ in range(STEPS):
    tau = sd.rnea(robot, q, dq, stiffness * (goal - q) - damping * dq)
    ddq = forward_dynamics(q, dq, tau, pi)
    dq += H * ddq
    q += H * dq
away = np.abs(q - goal).max(axis=1)
soft, firm = (np.quantile(away[half::2], [0.5, 0.99]) for half in (0, 1))
print("largest distance of a joint from its goal, median and 99 of 100: soft", soft, "firm", firm)
assert np.isfinite(away).all() and firm[0] < soft[0]

# %% [markdown]
# Torques are linear in the parameters. Those that the last accelerations need are those that the controller gave.

# %%
some = slice(0, 100)
columns = [robot.parameter_names.index(name.removeprefix("pi.")) for name in program.manifest["inputs"][-1]["elements"]]
parameters = np.tile(robot.parameters(), (100, 1))
parameters[:, columns] = pi[some]
needed = np.einsum("sij,sj->si", sd.regressor(robot, q[some] - H * dq[some], dq[some] - H * ddq[some], ddq[some]), parameters)
print("torques differ by", np.abs(needed - tau[some]).max(), "N m")
assert np.allclose(needed, tau[some], atol=1e-9)
