"""sd.load_urdf and sd.Model."""

import copy
import json
import pickle
import threading
import warnings

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS

PENDULUM = """<robot name="pendulum"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def test_names_and_sizes(quadruped):
    assert (quadruped.nq, quadruped.nv) == (19, 18)
    assert quadruped.coordinate_names[:7] == ("base.x", "base.y", "base.z", "base.qx", "base.qy", "base.qz", "base.qw")
    assert quadruped.velocity_names[:2] == ("base.wx", "base.wy")
    assert quadruped.force_names[:2] == ("base.nx", "base.ny")
    assert quadruped.joint_names[0] == "base" and len(quadruped.joint_names) == 13
    assert len(quadruped.velocity_names) == quadruped.nv and len(quadruped.coordinate_names) == quadruped.nq


def test_text_path_and_bytes(arm):
    text = (ROBOTS / "arm.urdf").read_text()
    for source in (text, str(ROBOTS / "arm.urdf"), ROBOTS / "arm.urdf"):
        assert sd.load_urdf(path_or_xml=source).link_names == arm.link_names
    assert sd.load_urdf(PENDULUM).mass == 2


def test_options(arm):
    locked = sd.load_urdf(ROBOTS / "arm.urdf", lock={arm.joint_names[0]: 0.5})
    assert locked.nv == arm.nv - 1
    assert sd.load_urdf(ROBOTS / "arm.urdf", lock=[arm.joint_names[0]]).nv == arm.nv - 1
    moon = sd.load_urdf(PENDULUM, gravity=(0, 0, -1.62))
    assert moon.gravity == (0, 0, -1.62)
    assert sd.gravity(moon, [np.pi / 2]) == pytest.approx([2 * 0.5 * 1.62])
    assert sd.load_urdf(ROBOTS / "arm.urdf", cut=arm.link_names[-1]).nv <= arm.nv


def test_a_pendulum_by_hand():
    robot = sd.load_urdf(PENDULUM)
    q = np.array([0.3])
    assert sd.rnea(robot, q, [0.0], [1.5])[0] == pytest.approx((0.1 + 2 * 0.25) * 1.5 + 2 * 9.81 * 0.5 * np.sin(0.3), abs=1e-14)


def test_errors_name_file_and_line(tmp_path):
    broken = tmp_path / "broken.urdf"
    broken.write_text(PENDULUM.replace('value="2"', 'value="two"'))
    with pytest.raises(sd.InputError, match=r"broken\.urdf:1: .*two.*; expected") as error:
        sd.load_urdf(broken)
    assert error.value.file == str(broken) and error.value.line == 1
    assert isinstance(error.value, ValueError)
    with pytest.raises(sd.InputError) as error:
        sd.load_urdf(tmp_path / "absent.urdf")
    assert error.value.line is None
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.file, again.line) == (str(error.value), error.value.file, None)


def test_unknown_names(arm):
    with pytest.raises(ValueError, match=r"near: "):
        sd.load_urdf(ROBOTS / "arm.urdf", lock={arm.joint_names[0] + "x": 0})
    with pytest.raises(ValueError, match=r"near: " + arm.link_names[-1]):
        sd.pose(arm, np.zeros(arm.nq), arm.link_names[-1] + "x")
    for wrong in ({"gravity": (0, 0)}, {"gravity": (0, 0, np.nan)}, {"snap": -1}, {"lock": "some"}):
        with pytest.raises(ValueError):
            sd.load_urdf(PENDULUM, **wrong)


def test_warnings_are_pythons(tmp_path):
    mimic = PENDULUM.replace("<axis", '<mimic joint="hinge"/><axis')
    with pytest.warns(sd.SparsedynWarning, match="mimic"):
        robot = sd.load_urdf(mimic)
    assert any("mimic" in text for text in robot.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sd.SparsedynWarning)
        with pytest.raises(sd.SparsedynWarning):
            sd.load_urdf(mimic)


TWO_ARMS = """<robot name="two"><link name="base"/>
  <link name="left"><inertial><origin xyz="0.1 0 0.3"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 0.2 0.4"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="l" type="continuous"><parent link="base"/><child link="left"/><axis xyz="0 1 0"/></joint>
  <joint name="r" type="continuous"><parent link="left"/><child link="right"/><origin xyz="0 0 0.5"/><axis xyz="0.6 0.8 0"/>
    <mimic joint="l" multiplier="-2" offset="0.3"/></joint>
</robot>"""


def test_mimic_joints_follow():
    robot = sd.load_urdf(TWO_ARMS, mimic=True)
    assert robot.velocity_names == ("l",) and robot.joint_names == ("l", "r") and not robot.warnings
    with pytest.warns(sd.SparsedynWarning, match="mimic"):
        tree = sd.load_urdf(TWO_ARMS)
    q, dq, ddq = 0.4, 0.7, -1.1
    G = np.array([1.0, -2.0])
    state = (G * q + [0, 0.3], G * dq, G * ddq)
    assert np.allclose(sd.rnea(robot, [q], [dq], [ddq]), G @ sd.rnea(tree, *state), rtol=1e-12)
    assert np.allclose(sd.crba(robot, [q]), G @ sd.crba(tree, state[0]) @ G, rtol=1e-12)
    assert np.allclose(sd.jacobian(robot, [q], "right")[:, 0], sd.jacobian(tree, state[0], "right") @ G, rtol=1e-12)
    tau = sd.rnea(robot, [q], [dq], [ddq])
    assert np.allclose(sd.aba(robot, [q], [dq], tau), ddq, rtol=1e-10)
    again = pickle.loads(pickle.dumps(robot))
    assert np.array_equal(sd.rnea(again, [q], [dq], [ddq]), tau)
    with pytest.raises(sd.InputError, match="no joint is called"):
        sd.load_urdf(TWO_ARMS.replace('joint="l" m', 'joint="x" m'), mimic=True)


def test_pickle_and_copy(robot, states, close):
    s = states(robot, (4,))
    for again in (pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        assert again.joint_names == robot.joint_names and again.mass == robot.mass
        assert np.array_equal(sd.rnea(again, s.q, s.dq, s.ddq), sd.rnea(robot, s.q, s.dq, s.ddq))
    locked = sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint2": 0.4} if "joint2" in robot.joint_names else {})
    assert pickle.loads(pickle.dumps(locked)).nv == locked.nv


def test_configurations(robot, close):
    rng = np.random.default_rng(3)
    q, v = robot.random(rng, 20), rng.standard_normal((20, robot.nv)) * 0.3
    close(robot.difference(q, robot.integrate(q, v)), v)
    close(robot.integrate(q, np.zeros(robot.nv)), q)
    assert robot.random(7).shape == (robot.nq,)
    assert np.array_equal(robot.random(7, (2, 3)), robot.random(7, (2, 3)))
    assert not np.array_equal(robot.random(7), robot.random(8))
    if robot.floating:
        close(np.linalg.norm(q[:, 3:7], axis=1), np.ones(20))
        assert list(robot.neutral()[3:7]) == [0, 0, 0, 1]


def test_repr_and_tree(arm):
    assert "nv=" in repr(arm) and arm.name in repr(arm)
    html = arm._repr_html_()
    assert all(name in html for name in arm.link_names)
    assert html.count("<ul>") == html.count("</ul>") and html.count("<li>") == html.count("</li>")


def test_help_suffices():
    for name in sd.__all__:
        item = getattr(sd, name)
        if callable(item):
            assert item.__doc__ and len(item.__doc__) > 15, name
    for word in ("rad", "fx", "out", "threads", "on_error", "Cost", "ddq: ArrayLike"):
        assert word in sd.rnea.__doc__


def test_a_model_is_shared_between_threads(arm, states):
    s = states(arm, (500,))
    expected = sd.aba(arm, s.q, s.dq, s.tau)
    found = [None] * 8

    def work(k):
        for _ in range(20):
            found[k] = sd.aba(arm, s.q, s.dq, s.tau)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, expected) for one in found)


def test_joints_rub(tmp_path):
    plain = sd.load_urdf(PENDULUM)
    physics = {"hinge": {"armature": 0.2, "damping": 0.5, "friction": 0.3, "offset": -0.1, "smoothing": 0.05}}
    path = tmp_path / "joints.json"
    path.write_text(json.dumps({"joints": physics}))
    q, dq, ddq = np.array([0.3]), np.array([0.04]), np.array([1.5])
    expected = sd.rnea(plain, q, dq, ddq) + 0.2 * ddq + 0.5 * dq + 0.3 * np.tanh(dq / 0.05) - 0.1
    for joints in (path, str(path), physics, {"joints": physics}):
        robot = sd.load_urdf(PENDULUM, joints=joints)
        np.testing.assert_allclose(sd.rnea(robot, q, dq, ddq), expected, rtol=1e-13)
        np.testing.assert_allclose(sd.crba(robot, q), sd.crba(plain, q) + 0.2, rtol=1e-13)
        again = pickle.loads(pickle.dumps(robot))
        assert np.array_equal(sd.rnea(again, q, dq, ddq), sd.rnea(robot, q, dq, ddq))
    with pytest.raises(sd.InputError, match="near: hinge"):
        sd.load_urdf(PENDULUM, joints={"hing": {"damping": 1}})
    sprung = sd.load_urdf(PENDULUM, joints=physics | {"hinge": physics["hinge"] | {"stribeck": 0.3, "stribeck_velocity": 0.1, "stiffness": 2}})
    falls = 0.3 * np.tanh(dq / 0.05) * 0.3 * 0.16 / 1.16  # (0.04 / 0.1)² = 0.16
    np.testing.assert_allclose(sd.rnea(sprung, q, dq, ddq), expected - falls + 2 * q, rtol=1e-13)


def test_limits_are_the_urdfs():
    text = """<robot name="two"><link name="a"/>
    <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="2" velocity="3" effort="4"/></joint>
    <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint></robot>"""
    limits = sd.load_urdf(text).limits
    assert limits._fields == ("lower", "upper", "velocity", "effort")
    for found, first in zip(limits, (-1, 2, 3, 4)):
        assert found.shape == (2,) and found[0] == first
    assert [x[1] for x in limits] == [-np.inf, np.inf, np.inf, np.inf]
    floating = sd.load_urdf(text, floating=True).limits
    assert np.all(np.isinf(floating.effort[:6])) and floating.effort[6] == 4


def test_strict_makes_warnings_errors():
    bent = PENDULUM.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/><rpy>0 0 1</rpy>')
    with pytest.warns(sd.SparsedynWarning, match="it belongs among the attributes of <origin>"):
        assert len(sd.load_urdf(bent).warnings) == 2
    with pytest.raises(sd.InputError, match=r"<rpy>: does not enter here.* \(and 1 more\); expected no warning") as error:
        sd.load_urdf(bent, strict=True)
    assert error.value.file == "<urdf>" and error.value.line == 3
    assert sd.load_urdf(PENDULUM, strict=True).nv == 1
