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


def test_poses_as_matrices(robot, state):
    q = state[0]
    link = robot.link_names[-1]
    one, all_of = sd.pose(robot, q, link, as_matrix=True), sd.poses(robot, q, as_matrix=True)
    assert one.shape == (4, 4, 4) and all_of.shape == (4, len(robot.link_names), 4, 4)
    for k, pose in enumerate(sd.pose(robot, q, link)):
        assert np.allclose(one[k, :3, :3], rotation(pose), atol=1e-14) and np.array_equal(one[k, :3, 3], pose[:3])
        assert np.array_equal(one[k, 3], (0, 0, 0, 1)) and np.array_equal(all_of[k, -1], one[k])
    out = np.empty((len(robot.link_names), 4, 4))
    assert sd.poses(robot, q[0], as_matrix=True, out=out) is out and np.array_equal(out, all_of[0])


@pytest.mark.parametrize("frame", ["link", "aligned", "world"])
def test_the_kinematic_hessian_is_the_derivative_of_the_jacobian(robot, state, frame):
    q, dq, _ = state
    link, h = robot.link_names[-1], 1e-6
    point = None if frame == "world" else (0.1, -0.2, 0.3)
    H = sd.jacobian_derivative(robot, q, link, frame, point)
    assert H.shape == (4, 6, robot.nv, robot.nv)
    assert np.allclose(H @ dq[:, None, :, None], sd.jacobian_rate(robot, q, dq, link, frame, point)[..., None], atol=1e-11)
    for k in range(robot.nv):
        step = h * np.eye(robot.nv)[k]
        ahead, behind = (sd.jacobian(robot, robot.integrate(q, s * step), link, frame, point) for s in (1, -1))
        assert np.max(abs(H[..., k] - (ahead - behind) / (2 * h))) < 1e-8 * max(1, abs(H).max())


@pytest.mark.parametrize("frame", ["link", "aligned", "world"])
def test_two_links_relative_to_each_other(robot, state, frame):
    q, dq, _ = state
    link, reference, h = robot.link_names[-1], robot.link_names[len(robot.link_names) // 2], 1e-6

    def relative(q):
        return np.linalg.solve(sd.pose(robot, q, reference, as_matrix=True), sd.pose(robot, q, link, as_matrix=True))

    X = sd.relative_pose(robot, q, link, reference, as_matrix=True)
    assert np.allclose(X, relative(q), atol=1e-13)
    for k, pose in enumerate(sd.relative_pose(robot, q, link, reference)):
        assert np.allclose(rotation(pose), X[k, :3, :3], atol=1e-14) and np.array_equal(pose[:3], X[k, :3, 3])
    J = sd.relative_jacobian(robot, q, link, reference, frame)
    rate = (relative(robot.integrate(q, h * dq)) - relative(robot.integrate(q, -h * dq))) / (2 * h)
    for k in range(4):
        R, p = X[k, :3, :3], X[k, :3, 3]
        spin = rate[k, :3, :3] @ R.T  # in the reference's axes
        w, v = np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), rate[k, :3, 3]
        if frame == "link":
            w, v = R.T @ w, R.T @ v
        elif frame == "world":
            v = v + np.cross(p, w)
        assert np.allclose(J[k] @ dq[k], np.append(w, v), atol=1e-7)
    if frame == "link" and robot.nq == robot.nv:  # beside a base that stands still it is the Jacobian
        assert np.allclose(sd.relative_jacobian(robot, q, link, robot.link_names[0]), sd.jacobian(robot, q, link), atol=1e-14)


@pytest.mark.parametrize("algorithm", ["centroidal-momentum-matrix", "centre-of-mass-jacobian", "momentum-rate"])
def test_programs_of_kinematics(robot, state, algorithm):
    q, dq, ddq = state
    try:
        f = sd.generate(robot, algorithm).compile()
    except sd.CompilerFailure:
        pytest.skip("no C compiler")
    of = getattr(sd, algorithm.replace("-", "_"))
    arguments = state if algorithm == "momentum-rate" else (q,)
    assert np.allclose(f(*arguments), of(robot, *arguments), rtol=1e-11, atol=1e-11)


def test_programs_of_jacobians_and_their_rates(arm):
    rng = np.random.default_rng(4)
    q, dq = arm.random(rng=4), rng.standard_normal(arm.nv)
    try:
        program = sd.generate(arm, "jacobian-rates", outputs="dJ.tool_tip")
        rate = program.compile()(q, dq)
    except sd.CompilerFailure:
        pytest.skip("no C compiler")
    assert np.allclose(np.reshape(rate, (6, arm.nv)), sd.jacobian_rate(arm, q, dq, "tool_tip"), atol=1e-12)


def test_poses_side_by_side_have_the_bits_of_one_alone(robot):
    """Batches are computed several samples at a time; turns of all kinds, so that each part of a quaternion is the largest."""
    q = robot.random(rng=9, shape=37, limits=False)
    poses = sd.poses(robot, q)
    for k in range(37):
        assert np.array_equal(poses[k], sd.poses(robot, q[k]))
    assert np.array_equal(poses[::2], sd.poses(robot, q[::2])) and np.array_equal(poses, sd.poses(robot, q, threads=3))
    assert set(np.argmax(abs(poses[..., 3:]), -1).ravel()) == {0, 1, 2, 3}
    out = np.empty((37, 2, *poses.shape[1:]))
    sd.poses(robot, q, out=out[:, 1])
    assert np.array_equal(out[:, 1], poses)
