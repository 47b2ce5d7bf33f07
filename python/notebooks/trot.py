# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # A quadruped's trot by Fatrop
# One step of time of a robot on a free base, x⁺ = f(x, u, dt), with the forces under its feet as inputs: generated code that CasADi
# calls, with its exact Jacobian and the Hessian of its product with multipliers. Fatrop, in CasADi's wheel, plans two steps
# of a trot with it. The whole formulation is `python/examples/trot.py`.

# %%
import sys
import time

import casadi
import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, "python/examples")
import trot

# %% [markdown]
# `generated` makes `sd.generate(robot, stage="semi-implicit", outputs="x_next", forces=feet).casadi()`. The C compiler runs once, for
# half a minute; later sessions find its library in the cache. x has 37 numbers, u 18: twelve torques, and the forces on the two feet that stand.

# %%
begin = time.perf_counter()
robot = trot.generated()
print("ready after", round(time.perf_counter() - begin, 1), "s")
x, u, multipliers = casadi.MX.sym("x", 37), casadi.MX.sym("u", 18), casadi.MX.sym("multipliers", 37)
after = robot.step(x, u, 0)
hessian = casadi.hessian(casadi.dot(multipliers, after), casadi.vertcat(x, u))[0]
curvature = casadi.Function("curvature", [x, u, multipliers], [hessian])

# %% [markdown]
# The Hessian is exact, beside differences of gradients:

# %%
gradient = casadi.Function("gradient", [x, u, multipliers], [casadi.gradient(casadi.dot(multipliers, after), casadi.vertcat(x, u))])
rng = np.random.default_rng(1)
z, weights, move = np.concatenate([trot.standing_posture(robot), 0.1 * rng.normal(size=36)]), rng.normal(size=37), 1e-5 * rng.normal(size=55)
ends = [np.array(gradient(each[:37], each[37:], weights)).ravel() for each in (z + move, z - move)]
change = 2 * np.array(curvature(z[:37], z[37:], weights)) @ move
print("differs from differences by", abs(ends[0] - ends[1] - change).max() / abs(change).max(), "of the largest")
assert abs(ends[0] - ends[1] - change).max() < 1e-5 * abs(change).max()

# %% [markdown]
# Dynamics, feet that stand still, friction cones and limits of torques, in the order of the stages that Fatrop expects:

# %%
STEPS = 8  # of 20 ms a phase
problem = trot.problem(robot, STEPS)
solve = trot.solver(problem)
trot.solved(solve, problem)
found = trot.solved(solve, problem)
print(found.iterations, "iterations,", round(1e3 * found.seconds), "ms a solve, cost", found.cost, ", largest gap", found.gap)
assert found.iterations < 60 and found.gap < 1e-5

# %% [markdown]
# ## The plan
# Where the feet are, how the base moves, and what the feet carry.

# %%
states, controls = trot.stages(found.x)
seconds = trot.DT * np.arange(2 * STEPS + 1)
feet = np.array([np.array(robot.positions(q)).ravel() for q in states[:, :19]]).reshape(-1, 4, 3)
pressure = np.zeros((2 * STEPS, 4))
for k in range(2 * STEPS):
    pressure[k, list(trot.PHASES[k // STEPS])] = controls[k, [14, 17]]

figure, (base, height, force) = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
base.plot(seconds, 100 * (states[:, [0, 2]] - states[0, [0, 2]]), label=["forward", "up"])
base.set_ylabel("base moved, cm")
height.plot(seconds, 100 * feet[:, :, 2], label=trot.FEET)
height.set_ylabel("feet over ground, cm")
for foot, name in enumerate(trot.FEET):
    force.stairs(pressure[:, foot], seconds, label=name, baseline=None)
force.set(xlabel="time, s", ylabel="pressed, N")
for axes in (base, height, force):
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
plt.show()

# %% [markdown]
# Feet stand as velocities at the ends of the steps say, so that they creep by a millimetre.

# %%
assert abs(states[-1, 0] - trot.AHEAD) < 0.01 and feet[:, :, 2].min() > -2e-3 and pressure.min() > -1e-6
lifted = (100 * feet[:, :, 2].max(axis=0)).round(1)
print("base ahead by", 100 * states[-1, 0], "cm; feet lifted by", lifted, "cm; mean force", pressure.sum(axis=1).mean(), "N")
