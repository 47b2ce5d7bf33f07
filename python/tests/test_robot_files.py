"""Robot files: what is saved is the same robot."""

import json
import pathlib
import pickle

import numpy as np
import pytest

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["arm", "quadruped", "humanoid"])
@pytest.mark.parametrize("floating", [False, True])
def test_saved_robots_are_the_same(name, floating, tmp_path):
    robot = sd.load_urdf(ROOT / f"robots/{name}.urdf", floating=floating, gravity=(0, 0.1, -3))
    path = tmp_path / "robot.json"
    sd.save_robot(robot, path)
    q = robot.random(1, 5)
    v = np.random.default_rng(1).standard_normal((5, robot.nv))
    tau = sd.rnea(robot, q, v, v)
    for again in (sd.load_robot(path), sd.load_urdf(path), sd.load_robot(path.read_text()), sd.load_robot(json.loads(path.read_text()))):
        assert again.gravity == robot.gravity and again.velocity_names == robot.velocity_names and again.link_names == robot.link_names
        assert np.array_equal(sd.rnea(again, q, v, v), tau)
        assert np.array_equal(again.parameters(), robot.parameters())
        assert np.array_equal(np.asarray(again.limits), np.asarray(robot.limits))
        copy = pickle.loads(pickle.dumps(again))
        assert copy.gravity == robot.gravity and np.array_equal(sd.rnea(copy, q, v, v), tau)
    with pytest.raises(ValueError, match="that file is an input"):
        sd.save_robot(sd.load_robot(path), path)


def test_options_come_on_top(tmp_path):
    path = tmp_path / "arm.json"
    sd.save_robot(sd.load_urdf(ROOT / "robots/arm.urdf", lock={"joint3": 0.4}), path)
    robot = sd.load_robot(path, floating=True, gravity=(0, 0, -1), lock={"joint3": 0.4})
    assert robot.floating and robot.gravity == (0, 0, -1) and "joint3" not in robot.joint_names
    assert pickle.loads(pickle.dumps(robot)).gravity == (0, 0, -1)
    fewer = sd.load_robot(path, lock=["joint2"])
    urdf = sd.load_urdf(ROOT / "robots/arm.urdf", lock={"joint3": 0.4, "joint2": 0})
    q, v = urdf.random(2, 4), np.ones((4, urdf.nv))
    assert np.abs(sd.rnea(fewer, q, v, v) - sd.rnea(urdf, q, v, v)).max() < 1e-11
    for options, why in (({"lock": {"joint3": 0.5}}, "another value"), ({"lock": ["jiont5"]}, "joint5"), ({"mimic": True}, "mimic")):
        with pytest.raises(ValueError, match=why):
            sd.load_robot(path, **options)


def test_malformed_files_are_refused_by_line(tmp_path):
    path = tmp_path / "robot.json"
    path.write_text('{"format": "sparsedyn-robot", "version": 1,\n "name": "x",\n "linsk": []}')
    with pytest.raises(sd.InputError, match=r'robot.json:3: key "linsk" \(near: links\)') as error:
        sd.load_robot(path)
    assert error.value.line == 3
    with pytest.raises(sd.InputError, match="<robot>:1"):
        sd.load_robot({"format": "something else"})


def test_joints_enter_a_robot_file(tmp_path):
    robot = sd.load_urdf(ROOT / "robots/arm.urdf", joints={"joint2": {"armature": 0.3, "damping": 0.1, "stiffness": 4, "offset": -1}})
    sd.save_robot(robot, tmp_path / "arm.json")
    again = sd.load_robot(tmp_path / "arm.json")
    assert np.array_equal(again.parameters(), robot.parameters()) and again.parameter_names == robot.parameter_names
