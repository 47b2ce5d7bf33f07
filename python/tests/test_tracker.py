"""sd.Tracker and sd.smooth on a cart that rolls on rails of one foot: a floating trunk whose foot stands."""

import numpy as np
import pytest

import sparsedyn as sd

TRUNK = """<robot name="trunk"><link name="trunk"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><link name="foot"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="trunk"/><child link="foot"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="9"
velocity="9"/></joint></robot>"""
SET = {
    "sensors": [
        {"name": "ruler", "type": "joint_position", "joint": "slide", "sigma": 1e-3},
        {"name": "gyro", "type": "gyroscope", "link": "trunk", "sigma": 1e-3, "bias": {"sigma": 0.01, "walk": 1e-4}},
        {"name": "acc", "type": "accelerometer", "link": "trunk", "sigma": 0.05},
        {"name": "sole", "type": "contact", "link": "foot", "walk": 1e-4},
    ]
}


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "trunk.urdf"
    path.write_text(TRUNK)
    return sd.load_urdf(path, floating=True)


@pytest.fixture
def log():
    """The trunk goes to and fro along x, x = 0.2 (1 - cos 2t), the foot stands: the slide reads -x."""
    rng = np.random.default_rng(1)
    n, dt = 500, 0.004
    time = dt * np.arange(n)
    x, v = 0.2 * (1 - np.cos(2 * time)), 0.4 * np.sin(2 * time)
    a = np.diff(v, prepend=v[0]) / dt
    noise = lambda sigma: sigma * rng.standard_normal(n)  # noqa: E731
    columns = {"time": time, "q.base.x": x, "dq.base.vx": v, "y.ruler": -x + noise(1e-3), "y.acc.x": a + noise(0.05)}
    columns |= {"y.acc.y": noise(0.05), "y.acc.z": 9.81 + noise(0.05)}
    columns |= {f"y.gyro.{c}": noise(1e-3) + 0.005 for c in "xyz"}
    columns |= {f"q.base.{c}": np.zeros(n) for c in ("y", "z", "qx", "qy", "qz")} | {"q.base.qw": np.ones(n)}
    columns |= {f"dq.base.{c}": np.zeros(n) for c in ("wx", "wy", "wz", "vy", "vz")}
    return columns


def column(table, name):
    return np.asarray(table[name])


def test_a_run_follows_the_truth_and_its_deviations_are_honest(robot, log):
    tracker = sd.Tracker(robot, SET, sd=True)
    assert tracker.unobservable == ["base.x", "base.y", "base.z", "base.yaw"]
    found = tracker.run(log)
    error = column(found, "q.base.x") - log["q.base.x"]
    assert np.sqrt(np.mean(error**2)) < 2e-3
    speed = column(found, "dq.base.vx") - log["dq.base.vx"]
    assert np.mean(np.abs(speed[50:]) < 2 * column(found, "sd.dq.base.vx")[50:]) > 0.9


def test_steps_are_the_run(robot, log):
    tracker = sd.Tracker(robot, SET, rate=250, outputs=["q.base", "bias"], lag=10)
    table = tracker.run(log)
    q, dq = np.zeros(robot.nq), np.zeros(robot.nv)
    q[6] = 1
    tracker.start(q, dq)
    for k in range(len(log["time"])):
        x = tracker.step({name: log[name][k] for name in tracker.inputs if name in log})
        assert np.allclose(x, [column(table, c)[k] for c in tracker.columns], rtol=1e-9, atol=1e-12)
    assert np.allclose(tracker.delayed(0), x, atol=1e-12)
    assert np.all(np.isfinite(tracker.delayed(10)))
    with pytest.raises(IndexError, match="11"):
        tracker.delayed(11)


def test_smoothing_is_no_worse_than_filtering_and_ends_as_it(robot, log):
    filtered = column(sd.Tracker(robot, SET).run(log), "dq.base.vx")
    smoothed = column(sd.smooth(robot, SET, log), "dq.base.vx")
    truth = log["dq.base.vx"]
    assert np.sum((smoothed - truth)[50:] ** 2) < np.sum((filtered - truth)[50:] ** 2)


def test_what_is_wrong_is_said(robot, log):
    tracker = sd.Tracker(robot, SET, rate=250)
    with pytest.raises(sd.SolveError, match="first sample"):
        tracker.step(np.full(len(tracker.inputs), np.nan))
    with pytest.raises(ValueError, match="q.bose"):
        sd.Tracker(robot, SET, outputs=["q.bose"])
    with pytest.raises(sd.AnswerIsNo, match="q.slide"):
        sd.Tracker(robot, {"sensors": SET["sensors"][1:]})
    with pytest.raises(sd.InputError, match="y.acc.x"):
        sd.Tracker(robot, SET).run({name: x for name, x in log.items() if name != "y.acc.x"})
    with pytest.raises(ValueError, match="dt"):
        sd.Tracker(robot, SET).step(np.zeros(len(tracker.inputs)))
    with pytest.raises(ValueError, match="y.ruller"):
        tracker.step({"y.ruller": 1.0})


ARM_SET = {
    "sensors": [
        {"name": "ruler", "type": "joint_position", "joint": "slide", "sigma": 1e-4},
        {"name": "motor", "type": "joint_torque", "joint": "slide", "sigma": 0.05},
        {"name": "nothing", "type": "external_wrench", "link": "foot", "value": 0, "components": ["nx", "ny", "nz", "fy", "fz"]},
    ],
    "external_wrench": {"sigma": [1, 10], "walk": [1, 10]},
}


def test_a_cart_that_is_pushed_tells_by_how_much(tmp_path):
    path = tmp_path / "trunk.urdf"
    path.write_text(TRUNK)
    cart = sd.load_urdf(path)
    rng = np.random.default_rng(2)
    n, dt = 1000, 0.001
    time = dt * np.arange(n)
    x, v = 0.1 * (1 - np.cos(5 * time)), 0.5 * np.sin(5 * time)
    push = np.where(time > 0.4, 3.0, 0.0)  # N, on a foot of 1 kg
    a = np.diff(v, prepend=v[0]) / dt
    log = {"time": time, "y.ruler": x + 1e-4 * rng.standard_normal(n), "y.motor": a - push + 0.05 * rng.standard_normal(n)}
    tracker = sd.Tracker(cart, ARM_SET, outputs=["dq", "ddq", "fx.foot.fx"], sd=True)
    assert tracker.rows == "whole-body"
    table = tracker.run(log)
    force = column(table, "fx.foot.fx")
    assert abs(np.mean(force[800:]) - 3) < 0.3
    assert np.mean(np.abs(column(table, "dq.slide") - v)[100:] < 2 * column(table, "sd.dq.slide")[100:]) > 0.85
    smooth = sd.smooth(cart, ARM_SET, log, outputs=["dq"])
    assert np.mean((column(smooth, "dq.slide") - v)[100:] ** 2) < np.mean((column(table, "dq.slide") - v)[100:] ** 2)
    assert sd.Tracker(cart, ARM_SET, rows="kinematic").rows == "kinematic"
    with pytest.raises(ValueError, match="whole"):
        sd.Tracker(cart, ARM_SET, rows="body")
