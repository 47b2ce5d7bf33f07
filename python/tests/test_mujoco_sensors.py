"""MuJoCo's sensors: what m.sensordata predicts, and what the sensor set reads, beside sensordata."""

import numpy as np
import pytest

import sparsedyn as sd

mujoco = pytest.importorskip("mujoco")

from mujoco_support import MODELS, OWN, QUADRUPED, box_is_deep, errors, random_state, solved_exactly  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")
TYPES, OBJECTS = mujoco.mjtSensor, mujoco.mjtObj
ON_SITES = ("TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE", "MAGNETOMETER")
ON_FRAMES = ("POS", "QUAT", "XAXIS", "YAXIS", "ZAXIS", "LINVEL", "ANGVEL", "LINACC", "ANGACC")
ON_SUBTREES = ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM")


def equipped(path):
    """The model with a sensor of each type on each site, body and joint, absolute and against another frame."""
    spec = mujoco.MjSpec.from_file(str(path))
    bodies = [b.name for b in spec.bodies if b.name != "world"]
    spec.body(bodies[-1]).add_site(name="last", pos=[0.02, -0.01, 0.03], quat=[0.6, 0.2, -0.3, 0.1], size=[0.05, 0.05, 0.05])
    spec.worldbody.add_site(name="still", pos=[0.4, 0.1, 0.2], quat=[0.9, 0.2, 0.3, 0.1])
    turning = [j.name for j in spec.joints if int(j.type) >= 2]
    spec.add_tendon(name="fixed").wrap_joint(turning[0], 0.7)
    spec.add_actuator(name="rotor", trntype=mujoco.mjtTrn.mjTRN_JOINT, target=turning[-1], armature=0.02, gear=[3, 0, 0, 0, 0, 0])
    sites = [s.name for s in spec.sites]

    def add(kind, obj, name, **more):
        spec.add_sensor(name=f"{kind}.{name}.{len(spec.sensors)}", type=getattr(TYPES, f"mjSENS_{kind}"), objtype=obj, objname=name, **more)

    for site in sites:
        for kind in ON_SITES:
            add(kind, OBJECTS.mjOBJ_SITE, site)
        for kind in ON_FRAMES:
            add(f"FRAME{kind}", OBJECTS.mjOBJ_SITE, site)
            if "ACC" not in kind:
                add(f"FRAME{kind}", OBJECTS.mjOBJ_SITE, site, reftype=OBJECTS.mjOBJ_XBODY, refname=bodies[0])
                add(f"FRAME{kind}", OBJECTS.mjOBJ_SITE, site, reftype=OBJECTS.mjOBJ_SITE, refname="still")
    for body in bodies:
        shape = mujoco.mjtGeom.mjGEOM_BOX if len(body) % 2 else mujoco.mjtGeom.mjGEOM_SPHERE
        spec.body(body).add_site(name=f"zone.{body}", pos=[0.05, 0, 0.02], size=[0.08, 0.06, 0.07], type=shape)
        add("TOUCH", OBJECTS.mjOBJ_SITE, f"zone.{body}")
        for kind in ON_SUBTREES:
            add(kind, OBJECTS.mjOBJ_BODY, body)
        for kind in ON_FRAMES:
            add(f"FRAME{kind}", OBJECTS.mjOBJ_BODY, body)
            add(f"FRAME{kind}", OBJECTS.mjOBJ_XBODY, body)
    for joint in spec.joints:
        if int(joint.type) >= 2:
            add("JOINTPOS", OBJECTS.mjOBJ_JOINT, joint.name)
            add("JOINTVEL", OBJECTS.mjOBJ_JOINT, joint.name)
        elif int(joint.type) == 1:
            add("BALLQUAT", OBJECTS.mjOBJ_JOINT, joint.name)
            add("BALLANGVEL", OBJECTS.mjOBJ_JOINT, joint.name)
    for kind in ("TENDONPOS", "TENDONVEL"):
        add(kind, OBJECTS.mjOBJ_TENDON, "fixed")
    for kind in ("E_POTENTIAL", "E_KINETIC"):
        add(kind, OBJECTS.mjOBJ_UNKNOWN, "")
    return spec.compile()


def turn_of(sensor):
    """The sensor's axes in the link's frame, as columns."""
    roll, pitch, yaw = sensor["rpy"]
    x = np.array([[1, 0, 0], [0, np.cos(roll), -np.sin(roll)], [0, np.sin(roll), np.cos(roll)]])
    y = np.array([[np.cos(pitch), 0, np.sin(pitch)], [0, 1, 0], [-np.sin(pitch), 0, np.cos(pitch)]])
    z = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    return z @ y @ x


def rate_of(robot, q, dq, sensor):
    """The angular velocity of a sensor's frame, in its axes, from the link's velocity."""
    return turn_of(sensor).T @ sd.velocity(robot, q, dq, sensor["link"])[:3]


def speed_of(robot, q, dq, sensor):
    """The velocity of its origin, in its axes."""
    spin, shift = np.split(np.asarray(sd.velocity(robot, q, dq, sensor["link"])), 2)
    return turn_of(sensor).T @ (shift + np.cross(spin, sensor["xyz"]))


def place_of(robot, q, sensor):
    """The origin of a sensor's frame in the world, from the link's pose."""
    pose = np.asarray(sd.pose(robot, q, sensor["link"]))
    imaginary, real = pose[3:6], pose[6]
    r = np.array(sensor["xyz"])
    return pose[:3] + r + 2 * np.cross(imaginary, np.cross(imaginary, r) + real * r)


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_sensordata_is_predicted_where_nothing_touches(path):
    model = equipped(path)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(4)
    for _ in range(10):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng)
        data.qfrc_applied[:] = rng.standard_normal(model.nv)
        mujoco.mj_forward(model, data)
        worst = errors(model, data, robot.sensordata(*robot.state(data.qpos, data.qvel, data.qacc)))
        kinds = {name.split(".")[0] for name in worst}
        assert kinds >= {*ON_SITES, *(f"FRAME{k}" for k in ON_FRAMES), *ON_SUBTREES, "JOINTPOS", "TENDONVEL", "E_KINETIC"} - {"TOUCH"}
        assert max(worst.values()) < 1e-9, sorted(worst.items(), key=lambda item: -item[1])[:5]
    needing_forces = (TYPES.mjSENS_TOUCH, TYPES.mjSENS_ACTUATORFRC, TYPES.mjSENS_JOINTACTFRC)
    known = {model.sensor(k).name for k in range(model.nsensor) if model.sensor_type[k] not in map(int, needing_forces)}
    assert {name for name in known if not name.startswith("TORQUE.still")} == set(worst)


@pytest.mark.parametrize("path", OWN, ids=lambda p: p.stem)
def test_touch_and_force_under_contact_are_predicted(path):
    model = equipped(path)
    solved_exactly(model)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(3)
    touched = loaded = 0
    for k in range(24):
        qpos, qvel, _ = random_state(model, rng, 0.1 + 0.2 * (k % 3))
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = qpos, 0.5 * qvel, 0
        mujoco.mj_forward(model, data)
        if box_is_deep(model, data):
            continue
        q, dq, _ = robot.state(qpos, data.qvel)
        found = sd.contact_dynamics(robot.robot, robot.constraints, q, dq, np.zeros(model.nv))
        worst = errors(model, data, robot.sensordata(q, dq, found.ddq, found.force))
        assert max(worst.values()) < 1e-8, sorted(worst.items(), key=lambda item: -item[1])[:5]
        touched += any(data.sensordata[model.sensor_adr[k]] > 0 for k in range(model.nsensor) if model.sensor(k).name.startswith("TOUCH"))
        loaded += data.ncon > 0 and any(name.startswith("TORQUE") for name in worst)
    assert touched > 3
    assert loaded > 3 or any(c["type"] in ("connect", "weld") for c in robot.constraints_json["constraints"])


def test_batches_are_states_one_by_one_and_what_is_not_given_is_missing():
    model = equipped(MODELS / "arm.xml")
    robot, rng = sd.load_mujoco(model), np.random.default_rng(1)
    states = [robot.state(*random_state(model, rng)) for _ in range(6)]
    q, dq, ddq = (np.reshape([s[k] for s in states], (2, 3, -1)) for k in range(3))
    force = rng.standard_normal((2, 3, len(robot.constraints.force_names(robot.robot))))
    whole, one = robot.sensordata(q, dq, ddq, force), robot.sensordata(q[1, 2], dq[1, 2], ddq[1, 2], force[1, 2])
    assert set(whole) == set(one) and all(np.abs(whole[name][1, 2] - one[name]).max() < 1e-12 for name in one)
    still = {name.split(".")[0] for name in robot.sensordata(q)}
    moving = {name.split(".")[0] for name in robot.sensordata(q, dq)}
    assert "FRAMEPOS" in still and "GYRO" not in still and "GYRO" in moving and "ACCELEROMETER" not in moving and "TOUCH" not in moving
    with pytest.raises(ValueError, match="ddq without dq"):
        robot.sensordata(q, None, ddq)


WORLD_AXES = """<mujoco><worldbody><body><freejoint/><geom size="0.1 0.05 0.02" type="box"/><site name="s" pos="0.1 0.2 0" quat="0.3 0.4 0.1 0.2"/>
<body pos="0.1 0 0"><joint name="j" axis="0 1 0" ref="0.2"/><geom size="0.05" pos="0.1 0.02 0"/><site name="t" pos="0.1 0 0.2"/></body></body>
</worldbody><sensor>
<framelinacc name="a" objtype="site" objname="s" noise="0.1"/><frameangacc name="al" objtype="site" objname="t"/>
<frameangvel name="w" objtype="site" objname="t"/><jointpos name="q" joint="j" cutoff="0.6"/><accelerometer name="near" site="s" cutoff="1"/>
<velocimeter name="v" site="s"/><framelinvel name="vw" objtype="site" objname="t"/><clock name="time"/><framequat name="relative" objtype="site" objname="t" reftype="site" refname="s"/></sensor></mujoco>"""


def test_sensors_in_the_worlds_axes_read_in_their_own_and_cut_off_readings_are_gaps():
    model = mujoco.MjModel.from_xml_string(WORLD_AXES)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(2)
    types = {s["name"]: s["type"] for s in robot.sensors_json["sensors"]}
    assert types == {"a": "accelerometer", "al": "angular_accelerometer", "w": "gyroscope", "q": "joint_position", "near": "accelerometer",
                     "v": "link_velocity", "vw": "link_velocity"}
    fates = {entry.element: (entry.fate, entry.as_what) for entry in robot.report}
    assert fates['sensor "relative"'][0] == "enters" and "no sensor of the set: against another frame" in fates['sensor "relative"'][1]
    assert fates['sensor "time"'][0] == "left out"
    named = {s["name"]: s for s in robot.sensors_json["sensors"]}
    motion = [{"name": "motion", "type": "joint_acceleration", "joint": "*"}, {"name": "base", "type": "joint_acceleration", "joint": "base"}]
    air = {"name": "air", "type": "external_wrench", "link": "*", "value": 0}
    rows = [{**s, "sigma": 1.0} for s in robot.sensors_json["sensors"] if "accelerometer" in s["type"]]
    solver = sd.Solver(robot.robot, {"sensors": [*motion, air, *rows]}, outputs=["ddq"])
    table, cut = {}, 0
    for _ in range(30):
        data.qpos[:], data.qvel[:], _ = random_state(model, rng)
        data.qfrc_applied[:] = 0.02 * rng.standard_normal(model.nv)
        mujoco.mj_forward(model, data)
        q, dq, ddq = robot.state(data.qpos, data.qvel, data.qacc)
        worst = errors(model, data, robot.sensordata(q, dq, ddq))
        assert "time" not in worst and max(worst.values()) < 1e-9
        readings = robot.readings(data.sensordata, data.qpos)
        at = int(model.sensor("q").adr[0])
        assert np.isnan(readings["y.q"]) == (abs(data.sensordata[at]) >= 0.6)
        if not np.isnan(readings["y.q"]):
            assert readings["y.q"] == pytest.approx(float(q[7]), abs=1e-14)
        assert np.abs(rate_of(robot.robot, q, dq, robot.sensors_json["sensors"][2]) - [readings[f"y.w.{c}"] for c in "xyz"]).max() < 1e-12
        for name in ("v", "vw"):
            read = [readings[f"y.{name}.v{c}"] for c in "xyz"]
            assert np.abs(speed_of(robot.robot, q, dq, named[name]) - read).max() < 1e-12
        cut += sum(np.isnan(readings[f"y.near.{c}"]) for c in "xyz")
        row = {f"q.{n}": x for n, x in zip(robot.robot.coordinate_names, q, strict=True)}
        row |= {f"{p}.{n}": x for p, v in (("dq", dq), ("ddq", ddq)) for n, x in zip(robot.robot.velocity_names, v, strict=True)}
        for column, x in {**row, **readings}.items():
            table.setdefault(column, []).append(float(x))
    assert cut > 5
    answers = solver.solve_log({k: np.array(v) for k, v in table.items() if not k.startswith(("y.q", "y.w.", "y.v.", "y.vw."))}, innovations=True)
    innovations = {k: np.asarray(v) for k, v in answers.items() if k.startswith("innovation.")}
    assert len(innovations) == 9
    for name, values in innovations.items():
        read = np.array(table[name.removeprefix("innovation.")])
        told = ~np.isnan(read)
        assert np.abs(values[told]).max() < 1e-9 * max(1, np.abs(read[told]).max()), name
    with pytest.raises(ValueError, match="sensor a: it reads in the world's axes"):
        robot.readings(data.sensordata)
    ten = np.broadcast_to(data.sensordata, (2, 5, model.nsensordata))
    assert robot.readings(ten, data.qpos)["y.w.x"].shape == (2, 5)


def test_delayed_sensors_are_left_out_by_name():
    try:
        model = mujoco.MjModel.from_xml_string(WORLD_AXES.replace('name="v" site="s"', 'name="v" site="s" delay="0.02" nsample="20"'))
    except ValueError:
        pytest.skip("this MuJoCo has no delays of sensors")
    robot = sd.load_mujoco(model)
    assert any(e.element == 'sensor "v"' and e.fate == "left out" and "delayed" in e.as_what for e in robot.report)
    assert "v" not in robot.sensordata(*robot.state(model.qpos0, np.zeros(model.nv), np.zeros(model.nv)))


def test_a_robot_that_gravity_spares_reads_what_mujocos_does():
    text = WORLD_AXES.replace("<body><freejoint/>", '<body gravcomp="0.3"><freejoint/>').replace('<body pos="0.1 0 0">', '<body pos="0.1 0 0" gravcomp="0.3">')
    model = mujoco.MjModel.from_xml_string(text)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(2)
    data.qpos[:], data.qvel[:], _ = random_state(model, rng)
    mujoco.mj_forward(model, data)
    worst = errors(model, data, robot.sensordata(*robot.state(data.qpos, data.qvel, data.qacc)))
    assert "a" in worst and "near" in worst and max(worst.values()) < 1e-9
    assert not any(s["type"] == "accelerometer" for s in robot.sensors_json["sensors"])


@pytest.mark.parametrize("path", [MODELS / "arm.xml", QUADRUPED], ids=lambda p: p.stem)
def test_sensors_read_what_sensordata_says(path):
    """Rows of the set beside MuJoCo's readings, on exact motions: what an estimate leaves of each reading."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(5)
    rows = [s for s in robot.sensors_json["sensors"] if s["type"] in ("accelerometer", "force_torque")]
    exact = [{"name": "motion", "type": "joint_acceleration", "joint": "*"}, {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]
    if robot.robot.floating:
        exact.append({"name": "base", "type": "joint_acceleration", "joint": "base"})
    solver = sd.Solver(robot.robot, {"sensors": [*exact, *({**s, "sigma": 1.0} for s in rows)]}, outputs=["ddq"])
    compared = 0
    table = {}
    for _ in range(20):
        qpos, qvel, _ = random_state(model, rng)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, rng.standard_normal(model.nv)
        mujoco.mj_forward(model, data)
        q, dq, ddq = robot.state(qpos, qvel, data.qacc)
        readings = robot.readings(data.sensordata)
        names = robot.robot
        row = {f"q.{n}": x for n, x in zip(names.coordinate_names, q, strict=True)}
        row |= {f"dq.{n}": x for n, x in zip(names.velocity_names, dq, strict=True)}
        row |= {f"ddq.{n}": x for n, x in zip(names.velocity_names, ddq, strict=True)}
        row |= {column: float(x) for column, x in readings.items()}
        for column, x in row.items():
            table.setdefault(column, []).append(float(x))
        for sensor in robot.sensors_json["sensors"]:
            column = f"y.{sensor['name']}"
            if sensor["type"] == "gyroscope":
                assert np.abs(rate_of(names, q, dq, sensor) - [readings[f"{column}.{c}"] for c in "xyz"]).max() < 1e-11
                compared += 1
            elif sensor["type"] == "link_pose" and "x" in sensor["components"]:
                assert np.abs(place_of(names, q, sensor) - [readings[f"{column}.{c}"] for c in "xyz"]).max() < 1e-12
                compared += 1
            elif sensor["type"] == "joint_position":
                assert readings[column] == pytest.approx(row[f"q.{sensor['joint']}"], abs=1e-13)
                compared += 1
            elif sensor["type"] == "joint_velocity":
                assert readings[column] == row[f"dq.{sensor['joint']}"]
                compared += 1
    answers = solver.solve_log({k: np.array(v) for k, v in table.items()}, innovations=True)
    found = {name: np.asarray(values) for name, values in answers.items()}
    innovations = {k: v for k, v in found.items() if k.startswith("innovation.")}
    assert len(innovations) == sum(len(s.get("components", "xyz")) for s in rows)
    for name, values in innovations.items():
        assert np.abs(values).max() < 1e-9 * max(1, np.abs(table[name.removeprefix("innovation.")]).max()), name
    assert compared >= 20


def test_an_estimate_from_noisy_sensordata_lies_within_its_deviations():
    """Along a motion that mj_step makes: true accelerations and torques lie within 2 sd of the estimate in 95 % of all cases."""
    model = mujoco.MjModel.from_xml_path(str(MODELS / "arm.xml"))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    robot, data, rng = sd.load_mujoco(model), mujoco.MjData(model), np.random.default_rng(8)
    rows = [s for s in robot.sensors_json["sensors"] if s["type"] in ("accelerometer", "force_torque") and "sigma" in s]
    assert len(rows) == 3
    beside = [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.2},
        {"name": "wrist", "type": "joint_acceleration", "joint": "wrist", "sigma": 5.0},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    ]
    solver = sd.Solver(robot.robot, {"sensors": [*rows, *beside]}, outputs=["ddq", "tau"], sd=True)
    table, truth = {}, []
    names = robot.robot
    for k in range(1500):
        data.qfrc_applied[:] = 0.5 * np.sin(0.01 * k * np.arange(1, model.nv + 1)) * [4, 4, 2, 4, 0.01, 0.01, 0.01]
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        q, dq, ddq = robot.state(data.qpos, data.qvel, data.qacc)
        tau = robot.tau(data.qpos, data.qfrc_applied + data.qfrc_actuator)
        truth.append(np.concatenate([ddq, tau]))
        row = {f"q.{n}": x for n, x in zip(names.coordinate_names, q, strict=True)}
        row |= {f"dq.{n}": x for n, x in zip(names.velocity_names, dq, strict=True)}
        readings = robot.readings(data.sensordata)
        for sensor in rows:
            for c in sensor.get("components", "xyz"):
                row[f"y.{sensor['name']}.{c}"] = readings[f"y.{sensor['name']}.{c}"] + sensor["sigma"] * rng.standard_normal()
        for n, x in zip(names.velocity_names, tau, strict=True):
            joint, _, c = n.partition(".")
            row[f"y.motors.{joint}" + (f".n{c[1:]}" if c else "")] = x + 0.2 * rng.standard_normal()
        for c, x in zip("xyz", ddq[-3:], strict=True):
            row[f"y.wrist.w{c}"] = x + 5.0 * rng.standard_normal()
        for column, x in row.items():
            table.setdefault(column, []).append(float(x))
    answers = solver.solve_log({k: np.array(v) for k, v in table.items()})
    columns = [f"ddq.{n}" for n in names.velocity_names] + [f"tau.{n}" for n in names.force_names]
    found, sigma = (np.stack([np.asarray(answers[prefix + c]) for c in columns], axis=1) for prefix in ("", "sd."))
    within = np.abs(found - np.array(truth)) <= 2 * sigma
    assert 0.94 < within.mean() < 0.97
