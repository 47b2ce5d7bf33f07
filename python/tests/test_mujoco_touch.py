"""Touch sensors as sensors of the set: the forces under spheres and capsules on a plane, and an estimate from them."""

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import QUADRUPED, random_state, solved_exactly  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")
FOOT = """<mujoco><option cone="elliptic"/><worldbody><geom name="slope" type="plane" size="1 1 1" euler="10 20 0" contype="0" conaffinity="1"/>
<body name="b" pos="0 0 0.05"><freejoint/><geom name="g" {geom} contype="1" conaffinity="0"/><site name="s" {site}/></body>{rest}</worldbody>
<sensor><touch name="t" site="s" noise="0.4"/></sensor></mujoco>"""
BALL, AROUND, ROD = 'type="sphere" size="0.1"', 'type="sphere" size="0.12"', 'type="capsule" size="0.05 0.1"'
SECOND = '<geom type="plane" size="1 1 1" euler="10 25 0" contype="0" conaffinity="1"/>'
OTHER = '<body pos="1 0 0"><joint/><geom size="0.1" contype="0" conaffinity="1"/></body>'
SEEN = "does not hold the spheres"


@pytest.mark.parametrize("geom,site,rest,why", [
    ('type="box" size="0.1 0.1 0.1"', 'type="box" size="0.2 0.2 0.2"', "", SEEN),
    (BALL, 'type="sphere" size="0.02"', "", SEEN),
    (BALL, 'type="sphere" size="0.12" pos="0.021 0 0"', "", SEEN),
    (BALL + ' margin="0.05"', AROUND, "", SEEN),
    (BALL, AROUND, SECOND, "several normals"),
    (BALL, AROUND, OTHER, "more than a still plane"),
    (BALL + ' gap="0.1"', AROUND, "", "more than a still plane"),
    (BALL, 'type="sphere" size="0.1"', "", ""),
    (BALL + ' condim="1"', 'type="sphere" size="0.12" pos="0.019 0 0"', "", ""),
    (BALL + ' margin="0.03" condim="6"', AROUND, "", ""),
    (BALL, 'type="ellipsoid" size="0.11 0.1 0.12"', "", ""),
    (BALL, 'type="ellipsoid" size="0.11 0.09 0.12"', "", SEEN),
    (ROD, 'type="box" size="0.05 0.05 0.15" quat="1 0 0 0"', "", ""),
    (ROD, 'type="box" size="0.05 0.05 0.15" quat="1 0.1 0 0"', "", SEEN),
    (ROD, 'type="capsule" size="0.06 0.09"', "", ""),
    (ROD, 'type="capsule" size="0.06 0.08"', "", SEEN),
    (ROD, 'type="cylinder" size="0.05 0.15"', "", ""),
    (ROD, 'type="cylinder" size="0.05 0.14"', "", SEEN),
])  # fmt: skip
def test_touch_sensors_are_forces_along_the_normal_where_they_see_all_that_touches(geom, site, rest, why):
    """And where they enter, that force is what MuJoCo reads, in any orientation."""
    model = mujoco.MjModel.from_xml_string(FOOT.format(geom=geom, site=site, rest=rest))
    robot = sd.load_mujoco(model)
    said = next(e.as_what for e in robot.report if e.element == 'sensor "t"')
    if why:
        assert not robot.sensors_json["sensors"] and "a reading of sensordata()" in said and why in said
        return
    (sensor,) = robot.sensors_json["sensors"]
    assert sensor["type"] == "normal_force" and sensor["link"] == "b" and sensor["sigma"] == 0.4 and "normal_force" in said
    solved_exactly(model)
    data, rng, touched, force = mujoco.MjData(model), np.random.default_rng(1), 0, np.zeros(6)
    for _ in range(200):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng)
        data.qpos[:3] = [0, 0, rng.uniform(0.08, 0.14)]
        mujoco.mj_forward(model, data)
        total = np.zeros(3)
        for k in range(data.ncon):
            mujoco.mj_contactForce(model, data, k, force)
            total += data.contact[k].frame.reshape(3, 3).T @ force[:3]
        up = total @ np.array(sensor["normal"])
        assert data.sensordata[0] == pytest.approx(up, rel=1e-9, abs=1e-9)
        touched += up > 0
    assert touched > 20


def test_touch_sensors_that_a_refused_contact_reaches_do_not_enter():
    text = FOOT.format(geom=BALL + ' solref="-1 1"', site=AROUND, rest="")
    robot = sd.load_mujoco(text, partial=True)
    assert not robot.sensors_json["sensors"] and not robot.constraints_json["constraints"]


def foot_wrenches(model, data, robot, q, feet):
    """Of MuJoCo's contacts on each link, in its axes about its origin; feet: the link of each body."""
    found, force = {link: np.zeros(6) for link in feet.values()}, np.zeros(6)
    for k in range(data.ncon):
        contact = data.contact[k]
        mujoco.mj_contactForce(model, data, k, force)
        axes = contact.frame.reshape(3, 3).T
        link = feet[int(model.geom_bodyid[contact.geom[1]])]
        at = np.asarray(sd.pose(robot, q, link))
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, at[[6, 3, 4, 5]])
        push, moment = axes @ force[:3], axes @ force[3:]
        moment = moment + np.cross(contact.pos - at[:3], push)
        found[link] += np.concatenate([turn.reshape(3, 3).T @ moment, turn.reshape(3, 3).T @ push])
    return found


def test_a_quadrupeds_estimate_from_touch_sensors_and_imu_lies_within_its_deviations():
    """Standing and swaying on the floor under mj_step: accelerations, torques and the forces under the feet."""
    model = mujoco.MjModel.from_xml_path(str(QUADRUPED))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(8)
    rows = [s for s in robot.sensors_json["sensors"] if s["type"] in ("accelerometer", "normal_force")]
    assert [s["type"] for s in rows].count("normal_force") == 4 and all("sigma" in s for s in rows)
    feet = {int(model.site_bodyid[model.sensor_objid[k]]): s["link"] for s in rows if s["type"] == "normal_force" for k in [model.sensor(s["name"]).id]}
    scale = [0.05, 0.05, 0.05, 3.0, 3.0, 3.0]
    beside = [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.2},
        {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
        {"name": "rates", "type": "joint_acceleration", "joint": "*", "sigma": 3.0},
        {"name": "cells", "type": "external_wrench", "link": list(feet.values()), "xyz": [0, 0, 0], "sigma": scale},
        {"name": "air", "type": "external_wrench", "link": "*", "except": list(feet.values()), "value": 0},
    ]
    outputs = ["ddq", "tau", *(f"fx.{link}" for link in feet.values())]
    solver = sd.Solver(robot.robot, {"sensors": [*rows, *beside]}, outputs=outputs, sd=True)
    names, table, truth = robot.robot, {}, []
    mujoco.mj_resetDataKeyframe(model, data, 0)
    rest = data.qpos[7:].copy()
    for k in range(600):
        def torque():
            return 60 * (rest + 0.1 * np.sin(0.02 * k) - data.qpos[7:]) - 1.5 * data.qvel[6:]

        data.qfrc_applied[6:] = torque()
        mujoco.mj_step(model, data)
        data.qfrc_applied[6:] = torque()
        mujoco.mj_forward(model, data)
        q, dq, ddq = robot.state(data.qpos, data.qvel, data.qacc)
        tau = robot.tau(data.qpos, data.qfrc_applied)
        wrenches = foot_wrenches(model, data, names, q, feet)
        truth.append(np.concatenate([ddq, tau[6:], *wrenches.values()]))
        row = dict(zip((f"q.{n}" for n in names.coordinate_names), q, strict=True))
        row |= zip((f"dq.{n}" for n in names.velocity_names), dq, strict=True)
        readings = robot.readings(data.sensordata)
        for sensor in rows:
            columns = [c for c in readings if c == f"y.{sensor['name']}" or c.startswith(f"y.{sensor['name']}.")]
            row |= {c: readings[c] + sensor["sigma"] * rng.standard_normal() for c in columns}
        for n, x, a in zip(names.velocity_names[6:], tau[6:], ddq[6:], strict=True):
            row[f"y.motors.{n}"], row[f"y.rates.{n}"] = x + 0.2 * rng.standard_normal(), a + 3.0 * rng.standard_normal()
        for link, wrench in wrenches.items():
            for c, x, s in zip(("nx", "ny", "nz", "fx", "fy", "fz"), wrench, scale, strict=True):
                row[f"y.cells.{link}.{c}"] = x + s * rng.standard_normal()
        for column, x in row.items():
            table.setdefault(column, []).append(float(x))
    answers = solver.solve_log({k: np.array(v) for k, v in table.items()})
    wished = [f"ddq.{n}" for n in names.velocity_names] + [f"tau.{n}" for n in names.force_names[6:]]
    wished += [f"fx.{link}.{c}" for link in feet.values() for c in ("nx", "ny", "nz", "fx", "fy", "fz")]
    found, sigma = (np.stack([np.asarray(answers[prefix + c]) for c in wished], axis=1) for prefix in ("", "sd."))
    within = np.abs(found - np.array(truth)) <= 2 * sigma
    assert 0.94 < within.mean() < 0.97
    without = sd.Solver(robot.robot, {"sensors": [rows[0], *beside]}, outputs=outputs, sd=True)
    wider = without.solve_log({k: np.array(v) for k, v in table.items()})
    up = f"sd.fx.{next(iter(feet.values()))}.fz"  # the touch sensors say more than the cells
    assert np.mean(answers[up]) < 0.6 * np.mean(wider[up])
