# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Forward simulation, animation and inverse kinematics
# A quadruped falls onto its feet and trots; a linkage turns; an arm follows a line.

# %%
import numpy as np
import sparsedyn as sd

robot = sd.load_urdf("robots/quadruped.urdf", floating=True)
ground = sd.Constraints("examples/constraints/quadruped.json")
print(robot, ground.gap_names(robot))

# %% [markdown]
# The included gait: joints follow periodic set points, without feedback of the robot's position. Drag to rotate the view, move the
# slider; forces and energy are drawn below.

# %%
import pyarrow.csv

gait = pyarrow.csv.read_csv("examples/motions/quadruped-trot.csv")
start = np.array([gait[f"q.{name}"][0].as_py() for name in robot.coordinate_names])
trot = sd.watch(robot, ground, 2, 500, start=(start, np.zeros(robot.nv)), hold=(100, 2), targets=gait, repeat=True, integrator="implicit-velocity")
trot

# %% [markdown]
# The motion is also a table:

# %%
assert trot.table.num_rows == 1000
assert trot.table["q.base.x"][-1].as_py() > 0.5  # m, forwards
assert "<iframe" in trot._repr_html_()

# %% [markdown]
# A robot tumbling in the air: the method of fourth order keeps its energy constant, because nothing dissipates it.

# %%
spin = np.zeros(robot.nv)
spin[:3] = [3, -2, 4]
fall = sd.simulate(robot, forward=True, seconds=1, rate=500, start=(start, spin), integrator="runge-kutta")
states = robot.arrays(fall)
kinetic, potential = sd.energy(robot, states["q"], states["dq"])
total = kinetic + potential
print("energy:", total[0], "J, changes by", np.ptp(total), "J")
assert np.ptp(total) < 1e-6 * np.ptp(kinetic)

# %% [markdown]
# Inverse kinematics: the arm's hand along a line, within the limits, and the motion that follows.

# %%
arm = sd.load_urdf("robots/arm.urdf")
hand = arm.link_names[-1]
there = sd.pose(arm, np.full(arm.nq, 0.4), hand)
line = np.repeat(there[None], 50, axis=0)
line[:, 2] -= np.linspace(0, 0.1, 50)  # m, downwards
path = sd.ik(arm, {hand: line}, path=True)
assert np.abs(sd.pose(arm, path.q, hand)[:, :3] - line[:, :3]).max() < 1e-8

# %%
targets = {"time": np.linspace(0, 2, 50)} | {f"q.{name}": path.q[:, k] for k, name in enumerate(arm.coordinate_names)}
reach = sd.watch(arm, None, 2, 500, start=(path.q[0], np.zeros(arm.nv)), hold=(2000, 200), targets=targets, integrator="implicit-velocity")
reach
