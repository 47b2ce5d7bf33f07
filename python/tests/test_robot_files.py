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


def test_what_links_look_like_stays_with_them(tmp_path):
    robot = sd.load_urdf(ROOT / "robots/humanoid.urdf")
    looks = {name: link.visuals for name, link in robot.links.items() if link.visuals}
    shapes = {visual.shape for visuals in looks.values() for visual in visuals}
    assert len(looks) > 10 and shapes <= {"mesh", "box", "sphere", "cylinder", "capsule"}
    sd.save_robot(robot, tmp_path / "robot.json")
    (tmp_path / "robot.urdf").write_text(robot.to_urdf())
    for again in (sd.load_robot(tmp_path / "robot.json"), pickle.loads(pickle.dumps(robot)), sd.load_urdf(tmp_path / "robot.urdf")):
        for name, visuals in looks.items():
            for own, other in zip(visuals, again.links[name].visuals, strict=True):
                assert (own.name, own.shape, own.file, own.size) == (other.name, other.shape, other.file, other.size)
                assert np.abs(own.placement - other.placement).max() < 1e-15
    bare = sd.load_robot({**json.loads(robot._robot_text()), "links": [
        {key: value for key, value in link.items() if key != "visuals"} for link in json.loads(robot._robot_text())["links"]]})
    assert bare == robot and not any(link.visuals for link in bare.links.values())  # looks do not count


def test_shapes_of_visuals():
    text = """<robot name="r"><link name="a"><visual name="cover"><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
<geometry><mesh filename="a&amp;b.stl" scale="1 1 -1"/></geometry></visual><visual><geometry><box size="1 2 3"/></geometry></visual>
<visual><geometry><sphere radius="4"/></geometry></visual><visual><geometry><capsule radius="5" length="6"/></geometry></visual></link></robot>"""
    robot = sd.load_urdf(text)
    for visuals in (robot.links["a"].visuals, sd.load_urdf(robot.to_urdf()).links["a"].visuals):
        assert [(v.name, v.shape, v.file, v.size) for v in visuals] == [
            ("cover", "mesh", "a&b.stl", (1, 1, -1)), ("", "box", "", (1, 2, 3)), ("", "sphere", "", (4,)), ("", "capsule", "", (5, 6))]
        assert visuals[0].placement[:3].tolist() == [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]]
