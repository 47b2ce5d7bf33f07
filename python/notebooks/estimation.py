# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # What a quadruped's sensors say
# Motors, an IMU on the trunk and force sensors under the feet, all noisy: the most likely forces and accelerations, and how sure
# they are.

# %%
import numpy as np
import sparsedyn as sd

robot = sd.load_urdf("robots/quadruped.urdf", floating=True)
feet = [name for name in robot.link_names if "foot" in name]
print(feet)

# %%
sensors = sd.SensorSet({
    "name": "quadruped",
    "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
        {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
        {"name": "imu", "type": "accelerometer", "link": robot.link_names[0], "sigma": 0.05},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 2.0},
        {"name": "soles", "type": "external_wrench", "link": feet, "components": ["fx", "fy", "fz"], "sigma": 2.0},
        {"name": "points", "type": "external_wrench", "link": feet, "components": ["nx", "ny", "nz"], "value": 0},
        {"name": "air", "type": "external_wrench", "link": "*", "except": feet, "value": 0},
    ],
})
found = sd.check(robot, sensors)
print(found)
assert found.verdict == "redundant"

# %% [markdown]
# A log with these sensors' noise, and the estimate of the joint torques and of the force under one foot:

# %%
log = sd.simulate(robot, sensors, seconds=2, rate=100)
solver = sd.Solver(robot, sensors, outputs=["tau", f"fx.{feet[0]}"], sd=True)
table = solver.solve_log(log, innovations=True)
for name in solver.outputs[:2] + [f"tau.{n}" for n in robot.force_names[-3:]] + [f"fx.{feet[0]}.fz"]:
    if name not in log.column_names or not np.asarray(table[f"sd.{name}"]).any():
        continue
    z = (np.asarray(table[name]) - np.asarray(log[name])) / np.asarray(table[f"sd.{name}"])
    print(f"{name:28s} error in its own standard deviations: {z.std():.2f}")
    assert 0.7 < z.std() < 1.3

# %%
figure = sd.plot.estimate(table, [f"fx.{feet[0]}.fz"], truth=log)

# %% [markdown]
# Motors that turn out to be better than the set says: no new plan.

# %%
solver.sigma["motors"] = 0.05
better = solver.solve_log(log)
name = f"sd.fx.{feet[0]}.fz"
assert np.mean(better[name]) < np.mean(table[name])
