# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # From MuJoCo to an estimate
# A quadruped of MuJoCo's, with an IMU, stands on its feet. What enters here, and what its motors and its IMU say of the forces under
# its feet, and what its touch sensors add.

# %%
import mujoco
import numpy as np
import sparsedyn as sd

model = mujoco.MjModel.from_xml_path("examples/mujoco/quadruped.xml")
model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)  # without the rod between the front legs
m = sd.load_mujoco(model, partial=True)
print(m.robot)
print(m.report)

# %% [markdown]
# States are converted in batches, and the dynamics are MuJoCo's to rounding: M q̈ + bias of a free motion.

# %%
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_forward(model, data)
q, dq, ddq = m.state(data.qpos, data.qvel, data.qacc)
mujoco.mj_inverse(model, data)
without = data.qfrc_inverse + data.qfrc_constraint  # what the motion takes of motors and feet together
assert np.abs(m.mujoco_force(q, sd.rnea(m.robot, q, dq, ddq)) - without).max() < 1e-10

# %% [markdown]
# Two seconds on the floor, the joints held by springs. The log has what is known on the robot: the state, noisy motor torques and
# MuJoCo's IMU with its own noise.

# %%
rng = np.random.default_rng(1)
rest, columns, loads, truth = data.qpos[7:].copy(), {}, {}, []
feet = {"lf_foot": [0, 0, 0], "rf_shin": [0, 0, -0.18], "lh_shin": [0, 0, -0.18], "rh_shin": [0, 0, -0.18]}
touch = [s for s in m.sensors_json["sensors"] if s["type"] == "normal_force"]
for step in range(1000):
    torque = 60 * (rest + 0.1 * np.sin(0.02 * step) - data.qpos[7:]) - 1.5 * data.qvel[6:]
    data.qfrc_applied[6:] = torque
    mujoco.mj_step(model, data)
    data.qfrc_applied[6:] = 60 * (rest + 0.1 * np.sin(0.02 * step) - data.qpos[7:]) - 1.5 * data.qvel[6:]
    mujoco.mj_forward(model, data)
    q, dq, ddq = m.state(data.qpos, data.qvel, data.qacc)
    row = dict(zip((f"q.{n}" for n in m.robot.coordinate_names), q)) | dict(zip((f"dq.{n}" for n in m.robot.velocity_names), dq))
    for name, x in zip(m.robot.joint_names[1:], data.qfrc_applied[6:]):
        row[f"y.motors.{name}"] = x + 0.05 * rng.standard_normal()
    readings = m.readings(data.sensordata)
    for c in "xyz":
        row[f"y.acc.{c}"] = readings[f"y.acc.{c}"] + 0.05 * rng.standard_normal()
    for sensor in touch:
        loads.setdefault(f"y.{sensor['name']}", []).append(float(readings[f"y.{sensor['name']}"]) + sensor["sigma"] * rng.standard_normal())
    for name, x in row.items():
        columns.setdefault(name, []).append(float(x))
    force = np.zeros(6)
    up = 0.0
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        up += force[0]
    truth.append(up)

# %% [markdown]
# Nothing touches the robot but its feet, by forces alone; how large they are is unknown: a wide prior. Moments about a foot's centre come
# from its radius, two centimetres.

# %%
known = [s for s in m.sensors_json["sensors"] if s["name"] == "acc"] + [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.05},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "still", "type": "joint_acceleration", "joint": "*", "value": 0, "sigma": 20.0},
    {"name": "turns", "type": "joint_acceleration", "joint": "base", "components": ["wx", "wy", "wz"], "value": 0, "sigma": 20.0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": list(feet), "value": 0},
]
for link, centre in feet.items():
    known.append({"name": f"force_{link}", "type": "external_wrench", "link": link, "xyz": centre, "components": ["fx", "fy", "fz"], "value": 0,
                  "sigma": 100.0})
    known.append({"name": f"moment_{link}", "type": "external_wrench", "link": link, "xyz": centre, "components": ["nx", "ny", "nz"], "value": 0,
                  "sigma": 0.3})
solver = sd.Solver(m.robot, {"sensors": known}, outputs=[f"fx.{link}" for link in feet], sd=True)
table = solver.solve_log({name: np.array(x) for name, x in columns.items()})

# %% [markdown]
# The forces under the feet, turned into the world, carry the robot; MuJoCo's own contact forces beside them:

# %%
states = m.robot.arrays({name: np.array(x) for name, x in columns.items()})["q"]


def upward(table):
    """Of all feet together, N."""
    up = np.zeros(len(states))
    for link in feet:
        local = np.stack([table[f"fx.{link}.{c}"] for c in ("fx", "fy", "fz")], axis=1)
        x, y, z, w = sd.pose(m.robot, states, link)[:, 3:].T
        vertical = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)  # the world's z in the link
        up += np.sum(vertical * local, axis=1)
    return up


up = upward(table)
error = up - np.array(truth)
print(f"weight {m.robot.mass * 9.81:.1f} N, estimate {up[200:].mean():.1f} N, MuJoCo {np.mean(truth[200:]):.1f} N, off by {error[200:].std():.2f} N")
assert abs(error[200:].mean()) < 4 and error[200:].std() < 8

# %% [markdown]
# MuJoCo's touch sensors are sensors of the set, too: forces along the floor's normal. They measure what was only inferred.

# %%
solver = sd.Solver(m.robot, {"sensors": known + touch}, outputs=[f"fx.{link}" for link in feet], sd=True)
better = upward(solver.solve_log({name: np.array(x) for name, x in {**columns, **loads}.items()})) - np.array(truth)
print(f"off by {better[200:].std():.2f} N, by {error[200:].std():.2f} N without them")
assert better[200:].std() < 1.2 < error[200:].std()
