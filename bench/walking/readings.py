"""The log of a walk: what noisy sensors read at every row, beside the truth; and the sensor set that states the noise."""
import mujoco
import numpy as np

from truth import RATE

NOISE = {"encoders": 1e-3, "gyro": 2e-3, "acc": 0.05}
OFFSETS = {"acc": 0.1, "gyro": 0.01}
TILT, SPEED = 0.01, 0.05  # rad, m/s: how far the start is off
QUATERNION = ["q.base." + c for c in ("qx", "qy", "qz", "qw")]


def sensor_set(walker, walk=None, share=0, acceleration=None, ddq=None, rate=RATE, radius=0):
    torques = {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": walker.torque}
    contact = {"name": "foot", "type": "contact", "link": walker.feet}
    stated = [(torques, "share", share), (contact, "walk", walk), (contact, "acceleration", acceleration), (contact, "points", walker.points),
              (contact, "radius", radius)]
    for sensor, key, value in stated:
        if value:
            sensor[key] = value
    found = {"sensors": [
        {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": NOISE["encoders"]}, torques,
        {"name": "gyro", "type": "gyroscope", "link": walker.root, "sigma": NOISE["gyro"], "bias": {"sigma": OFFSETS["gyro"]}},
        {"name": "acc", "type": "accelerometer", "link": walker.root, "sigma": NOISE["acc"], "bias": {"sigma": OFFSETS["acc"]}},
        contact, {"name": "nothing", "type": "external_wrench", "link": "*", "except": walker.feet, "value": 0}],
        "model_wrench": {"sigma": walker.wrench, "walk": 0.1 * walker.wrench}}
    if ddq:
        found["prior"] = {"ddq": ddq}
    return found


def offsets_of(seed):
    """Of the accelerometer and the gyroscope, and the generator that drew them."""
    rng = np.random.default_rng(seed)
    return np.concatenate([OFFSETS["acc"] * rng.standard_normal(3), OFFSETS["gyro"] * rng.standard_normal(3)]), rng


def start_off(columns, seed):
    """The first row is where the estimate starts."""
    rng = np.random.default_rng(5000 + seed)
    turned, half = np.zeros(4), 0.5 * TILT * np.array([*rng.standard_normal(2), 0])
    x, y, z, w = (columns[name][0] for name in QUATERNION)
    mujoco.mju_mulQuat(turned, np.array([np.sqrt(1 - half @ half), *half]), np.array([w, x, y, z]))
    for name, number in zip(QUATERNION, [*turned[1:], turned[0]]):
        columns[name][0] = number
    for c in "xyz":
        columns["dq.base.v" + c][0] += SPEED * rng.standard_normal()


def force_names(walker, foot):
    """Of a sole the moment too."""
    return [f"fx.{foot}.{c}" for c in (("nx", "ny", "nz") if walker.points else ()) + ("fx", "fy", "fz")]


def log_of(walk, seed, through, torque_scale=1):
    """Columns by name. static.FOOT.C: the force that torques alone say, −J⁻ᵀτ."""
    body, rows = walk.body, len(walk.q)
    walker, names, n = body.walker, body.names, body.joints
    (offsets, rng), noise = offsets_of(seed), np.empty((rows, 2 * n + 6))
    for k in range(rows):
        noise[k, n:2 * n], noise[k, 2 * n:], noise[k, :n] = rng.standard_normal(n), rng.standard_normal(6), rng.standard_normal(n)
    torques = torque_scale * walk.torques + walker.torque * noise[:, n:2 * n]
    imu = walk.imu + offsets + np.repeat([NOISE["acc"], NOISE["gyro"]], 3) * noise[:, 2 * n:]
    flags = (walk.through if through else walk.now).astype(float)
    columns = {"time": np.arange(rows) / RATE}
    columns |= {"y.encoders." + name: walk.q[:, 7 + k] + NOISE["encoders"] * noise[:, k] for k, name in enumerate(names)}
    columns |= {"y.torques." + name: torques[:, k] for k, name in enumerate(names)}
    columns |= {f"y.{sensor}.{c}": imu[:, 3 * s + i] for s, sensor in enumerate(("acc", "gyro")) for i, c in enumerate("xyz")}
    columns |= {f"y.foot.{foot}.on": flags[:, leg] for leg, foot in enumerate(walker.feet)}
    columns |= {"q.base." + c: walk.q[:, k] for c, k in zip(("x", "y", "z", "qx", "qy", "qz", "qw"), (0, 1, 2, 4, 5, 6, 3))}
    columns |= {"q." + name: walk.q[:, 7 + k] for k, name in enumerate(names)} | {"dq." + name: walk.v[:, 6 + k] for k, name in enumerate(names)}
    columns |= twist_and_forces(walk, torques)
    columns = {name: np.array(column) for name, column in columns.items()}
    start_off(columns, seed)
    return columns


def twist_and_forces(walk, torques):
    body, rows = walk.body, len(walk.q)
    twist, forces, static = np.zeros((rows, 6)), [], []
    for k in range(rows):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, walk.q[k, 3:7])
        R = R.reshape(3, 3)
        twist[k] = [*walk.v[k, 3:6], *(R.T @ walk.v[k, :3])]
        _, J, turned = body.feet(walk.q[k, 7:])
        true, told = [], []
        for leg, own in enumerate(body.columns):
            T = turned[leg]
            parts = [walk.moments[k, leg], walk.forces[k, leg]] if body.flat else [walk.forces[k, leg]]
            true += [(R @ T).T @ part for part in parts]
            push = -np.linalg.solve(J[leg].T, torques[k, own])
            told += [T.T @ part for part in ((push[3:], push[:3]) if body.flat else (push,))]
        forces.append(np.concatenate(true))
        static.append(np.concatenate(told))
    names = [name for foot in body.walker.feet for name in force_names(body.walker, foot)]
    found = {"dq.base." + c: twist[:, k] for k, c in enumerate(("wx", "wy", "wz", "vx", "vy", "vz"))}
    found |= dict(zip(names, np.array(forces).T))
    return found | {name.replace("fx.", "static.", 1): column for name, column in zip(names, np.array(static).T)}


def write(columns, path):
    np.savetxt(path, np.array(list(columns.values())).T, delimiter=",", header=",".join(columns), comments="", fmt="%.10g")
