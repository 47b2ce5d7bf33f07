"""Poses, Jacobians and momenta of the package, beside each other and beside finite differences."""

import numpy as np
import pytest

import sparsedyn as sd


def rotation(pose):
    x, y, z, w = pose[3:]
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


@pytest.fixture
def state(robot):
    rng = np.random.default_rng(3)
    return robot.random(rng=3, shape=4), rng.uniform(-2, 2, (4, robot.nv)), rng.uniform(-5, 5, (4, robot.nv))


def test_all_links_at_once_are_the_links_one_by_one(robot, state):
    q, dq, ddq = state
    poses, velocities, accelerations = sd.poses(robot, q), sd.velocities(robot, q, dq), sd.accelerations(robot, q, dq, ddq)
    assert poses.shape == (4, len(robot.link_names), 7)
    for k, link in enumerate(robot.link_names):
        assert np.array_equal(poses[:, k], sd.pose(robot, q, link))
        assert np.array_equal(velocities[:, k], sd.velocity(robot, q, dq, link))
        assert np.array_equal(accelerations[:, k], sd.acceleration(robot, q, dq, ddq, link))


@pytest.mark.parametrize("point", [None, (0.1, -0.2, 0.3)])
def test_frames_of_a_jacobian(robot, state, point):
    q, dq, _ = state
    link = robot.link_names[-1]
    own = sd.jacobian(robot, q, link, point=point)
    aligned = sd.jacobian(robot, q, link, "aligned", point)
    for k, pose in enumerate(sd.pose(robot, q, link)):
        R = rotation(pose)
        assert np.allclose(aligned[k, :3], R @ own[k, :3], atol=1e-12) and np.allclose(aligned[k, 3:], R @ own[k, 3:], atol=1e-12)
        w, v = np.split(sd.velocity(robot, q[k], dq[k], link), 2)
        assert np.allclose(own[k] @ dq[k], np.append(w, v + np.cross(w, point or (0, 0, 0))), atol=1e-11)
        if point is None:
            world = sd.jacobian(robot, q[k], link, "world")
            assert np.allclose(world[3:], aligned[k, 3:] + np.cross(pose[:3], aligned[k, :3], axisb=0, axisc=0), atol=1e-12)


@pytest.mark.parametrize("frame", ["link", "aligned", "world"])
def test_a_jacobians_rate_is_its_derivative(robot, state, frame):
    q, dq, _ = state
    link, h = robot.link_names[-1], 1e-6
    point = None if frame == "world" else (0.1, -0.2, 0.3)
    ahead, behind = (sd.jacobian(robot, robot.integrate(q, s * h * dq), link, frame, point) for s in (1, -1))
    rate = sd.jacobian_rate(robot, q, dq, link, frame, point)
    assert np.max(abs(rate - (ahead - behind) / (2 * h))) < 1e-7 * max(1, abs(rate).max())


def test_momentum_and_its_rate(robot, state):
    q, dq, ddq = state
    A, J = sd.centroidal_momentum_matrix(robot, q), sd.centre_of_mass_jacobian(robot, q)
    momentum = sd.momentum(robot, q, dq)
    assert np.allclose(np.einsum("kij,kj->ki", A, dq), momentum, atol=1e-11)
    h = 1e-6
    ahead, behind = (sd.centre_of_mass(robot, robot.integrate(q, s * h * dq)) for s in (1, -1))
    assert np.allclose(np.einsum("kij,kj->ki", J, dq), (ahead - behind) / (2 * h), atol=1e-8)
    bias = sd.momentum_rate(robot, q, dq, np.zeros_like(dq))
    assert np.allclose(sd.momentum_rate(robot, q, dq, ddq), np.einsum("kij,kj->ki", A, ddq) + bias, atol=1e-10)


def test_what_is_no_frame_or_point_is_refused(arm):
    q = arm.neutral()
    with pytest.raises(ValueError, match="'body'; expected 'link', 'world' or 'aligned'"):
        sd.jacobian(arm, q, "tool_tip", "body")
    with pytest.raises(ValueError, match="about the world's origin"):
        sd.jacobian(arm, q, "tool_tip", "world", (0, 0, 0))
    with pytest.raises(ValueError, match="expected three numbers"):
        sd.jacobian(arm, q, "tool_tip", point=(0, 0))
    with pytest.raises(ValueError, match="not finite"):
        sd.jacobian(arm, q, "tool_tip", point=(0, 0, np.nan))


def test_random_configurations_are_within_the_limits(arm):
    q = arm.random(rng=1, shape=1000)
    lower, upper, _, _ = arm.limits
    assert (q >= lower).all() and (q <= upper).all()
    wild = arm.random(rng=1, shape=1000, limits=False)
    assert ((wild < lower) | (wild > upper)).any() and abs(wild).max() < 3.2
    with pytest.warns(sd.SparsedynWarning, match="the number is a seed"):
        arm.random(1000)
    assert arm.random(np.random.default_rng(1)).shape == (arm.nq,)
