# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # A model-predictive controller with CasADi
# Inverse dynamics as a CasADi function with exact Jacobians and Hessians, in an Ipopt problem: from rest to a posture in 0.8 s
# with the least effort, torques within limits.

# %%
import casadi
import numpy as np
import sparsedyn as sd

robot = sd.load_urdf("robots/arm.urdf")
inverse_dynamics = sd.generate(robot, "rnea").casadi()
n, steps, h = robot.nv, 8, 0.1
goal = 0.3 * np.ones(n)

# %% [markdown]
# Unknowns are q, v and a of each step; the step is semi-implicit Euler.

# %%
w = casadi.MX.sym("w", 3 * n * steps)
q, v, a = (casadi.reshape(w[k * n * steps : (k + 1) * n * steps], n, steps) for k in range(3))
tau = [inverse_dynamics(q[:, k], v[:, k], a[:, k]) for k in range(steps)]
cost = 1e-3 * sum(casadi.sumsqr(t) for t in tau)
path = [q[:, 0], v[:, 0], q[:, -1] - goal]
for k in range(steps - 1):
    path += [q[:, k + 1] - q[:, k] - h * v[:, k + 1], v[:, k + 1] - v[:, k] - h * a[:, k]]
g = casadi.vertcat(*path, *tau)
equal, limit = casadi.vertcat(*path).numel(), 200 * np.ones(n * steps)
bounds = {"lbg": np.concatenate([np.zeros(equal), -limit]), "ubg": np.concatenate([np.zeros(equal), limit])}

# %%
options = {"ipopt": {"print_level": 0}, "print_time": 0}
solver = casadi.nlpsol("mpc", "ipopt", {"x": w, "f": cost, "g": g}, options)
answer = solver(x0=0, **bounds)
print(solver.stats()["iter_count"], "iterations, cost", float(answer["f"]))
assert solver.stats()["success"]

# %% [markdown]
# The torques of the plan are those of `sd.rnea` at its states:

# %%
x = np.array(answer["x"]).ravel()
Q, V, A = (x[k * n * steps : (k + 1) * n * steps].reshape(steps, n) for k in range(3))
assert np.allclose(Q[-1], goal, atol=1e-6)
effort = 1e-3 * (sd.rnea(robot, Q, V, A) ** 2).sum()
assert abs(effort - float(answer["f"])) < 1e-6 * effort
