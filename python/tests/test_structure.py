"""Joints and links by name, robots with something changed, robots as URDFs."""

import json
import math

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn._frames import rpy

from conftest import ROBOTS


def robot_of(name: str) -> sd.Model:
    return sd.load_urdf(ROBOTS / f"{name}.urdf", floating=name != "arm")


@pytest.fixture(params=["arm", "quadruped", "humanoid"])
def robot(request):
    return robot_of(request.param)


def matrix(pose):
    x, y, z, w = pose[3:]
    found = np.eye(4)
    found[:3, 3] = pose[:3]
    found[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return found


def test_joints_tell_where_they_stand_in_q_and_v(robot):
    joints = robot.joints
    assert [joint.q.start for joint in joints.values()] == sorted(joint.q.start for joint in joints.values())
    assert sum(joint.q.stop - joint.q.start for joint in joints.values()) == robot.nq
    assert sum(joint.v.stop - joint.v.start for joint in joints.values()) == robot.nv
    lower, upper, velocity, effort = robot.limits
    for joint in joints.values():
        if joint.type in ("revolute", "prismatic"):
            assert robot.velocity_names[joint.v] == (joint.name,) and robot.coordinate_names[joint.q] == (joint.name,)
            assert (joint.lower, joint.upper) == (lower[joint.v][0], upper[joint.v][0])
            assert (joint.velocity, joint.effort) == (velocity[joint.v][0], effort[joint.v][0])


def test_placements_are_those_of_the_poses_at_zero(robot):
    q = robot.neutral()
    for link in robot.links.values():
        if link.parent:
            apart = np.linalg.inv(matrix(sd.pose(robot, q, link.parent))) @ matrix(sd.pose(robot, q, link.name))
            assert np.allclose(apart, link.placement, atol=1e-12)
            assert link.name in robot.links[link.parent].children


def test_the_axis_is_what_a_unit_rate_turns_about(robot):
    q = robot.neutral()
    for joint in robot.joints.values():
        if joint.axis is None:
            continue
        rate = np.zeros(robot.nv)
        rate[joint.v] = 1
        velocity = sd.velocity(robot, q, rate, joint.child)  # in the child's frame, angular first
        assert np.allclose(velocity[:3] if joint.type != "prismatic" else velocity[3:], joint.axis, atol=1e-12)


def test_links_carry_the_robots_mass(robot):
    q = robot.neutral()
    links = robot.links.values()
    moved = {name for name in robot.links if np.any(sd.jacobian(robot, q, name))}
    total = sum(link.mass for link in links if link.name in moved)
    com = sum(link.mass * (matrix(sd.pose(robot, q, link.name)) @ np.append(link.com, 1))[:3] for link in links if link.name in moved)
    assert np.allclose(sd.centre_of_mass(robot, q), com / total, atol=1e-12)


def test_locked_cut_and_with_a_frame():
    robot = robot_of("arm")
    held = robot.lock({"joint3": 0.4})
    same = sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint3": 0.4})
    assert held.nv == robot.nv - 1 and held == same and hash(held) == hash(same) and held != robot
    assert robot.lock("joint3") == sd.load_urdf(ROBOTS / "arm.urdf", lock={"joint3": 0})
    last = list(robot.links)[-1]
    assert last not in robot.cut(last).links
    framed = robot.with_frame("probe", last, [0.1, 0.2, 0.3])
    q = robot.random(rng=1)
    assert np.allclose(sd.pose(framed, q, "probe")[:3], (matrix(sd.pose(robot, q, last)) @ [0.1, 0.2, 0.3, 1])[:3], atol=1e-12)
    assert np.allclose(sd.gravity(framed, q), sd.gravity(robot, q), atol=1e-12)
    turn = np.eye(4)
    turn[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    turned = robot.with_frame("probe", last, [0, 0, 0, 0, 0, math.sqrt(0.5), math.sqrt(0.5)])
    assert np.allclose(turned.links["probe"].placement, robot.with_frame("probe", last, turn).links["probe"].placement, atol=1e-15)
    with pytest.raises(ValueError, match="is a link already"):
        robot.with_frame(last, last)
    with pytest.raises(ValueError, match="expected one of"):
        robot.with_frame("probe", "nowhere")
    with pytest.raises(ValueError, match="quaternion is zero"):
        robot.with_frame("probe", last, np.zeros(7))
    with pytest.raises(ValueError, match="orthogonal"):
        robot.with_frame("probe", last, 2 * np.eye(4))


def test_a_urdf_of_the_robot_is_the_same_robot(robot, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(robot.to_urdf())
    again = sd.load_urdf(path, floating="base.qw" in robot.coordinate_names)
    assert again.coordinate_names == robot.coordinate_names and again.link_names == robot.link_names
    rng = np.random.default_rng(1)
    q = robot.random(rng=2, shape=20)
    v, a = rng.uniform(-2, 2, (20, robot.nv)), rng.uniform(-5, 5, (20, robot.nv))
    expected = sd.rnea(robot, q, v, a)
    assert np.max(abs(sd.rnea(again, q, v, a) - expected) / np.maximum(1, abs(expected))) < 1e-12
    assert np.array_equal(np.array(again.limits), np.array(robot.limits))


def test_what_a_urdf_cannot_hold_is_named():
    robot = robot_of("arm")
    sprung = sd.load_urdf(ROBOTS / "arm.urdf", joints={"joint2": {"stiffness": 3.0}})
    with pytest.raises(ValueError, match="joint2: stiffness"):
        sprung.to_urdf()
    damped = sd.load_urdf(ROBOTS / "arm.urdf", joints={"joint2": {"damping": 0.3, "friction": 0.1}})
    assert 'damping="0.3" friction="0.1"' in damped.to_urdf() and "dynamics" not in robot.to_urdf()
    screw = {"format": "sparsedyn-robot", "version": 1, "name": "screw", "links": [
        {"name": "root", "joint": {"name": "world", "kind": "fixed"}},
        {"name": "nut", "parent": "root", "mass": 1.0, "second_moments": [0.1, 0, 0, 0.1, 0, 0.1],
         "joint": {"name": "thread", "kind": "helical", "bodies": [{"type": "helical", "placement": {}, "pitch": 0.1}]}}]}
    with pytest.raises(ValueError, match="thread: helical"):
        sd.load_robot(json.dumps(screw)).to_urdf()


@pytest.mark.parametrize("off", [0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-4, 0.3])
def test_roll_pitch_and_yaw_keep_a_rotation_near_a_pitch_of_a_right_angle(off):
    def about(axis, angle):
        c, s = math.cos(angle), math.sin(angle)
        k, m = [(1, 2), (2, 0), (0, 1)][axis]
        R = np.eye(3)
        R[[k, k, m, m], [k, m, k, m]] = [c, -s, s, c]
        return R

    for side in (1, -1):
        R = about(2, 0.7) @ about(1, side * (math.pi / 2 - off)) @ about(0, -1.1)
        roll, pitch, yaw = rpy(R)
        assert abs(about(2, yaw) @ about(1, pitch) @ about(0, roll) - R).max() < 4e-16
