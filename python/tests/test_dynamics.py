"""The recursive algorithms against each other and against finite differences. Pinocchio's opinion: bench/python."""

import numpy as np
import pytest

import sparsedyn as sd


def test_forward_inverts_inverse(robot, states, close):
    s = states(robot, (30,))
    close(sd.aba(robot, s.q, s.dq, sd.rnea(robot, s.q, s.dq, s.ddq)), s.ddq, 1e-9)
    M, Minv = sd.crba(robot, s.q), sd.minverse(robot, s.q)
    close(M @ Minv, np.broadcast_to(np.eye(robot.nv), M.shape), 1e-8)
    close(np.einsum("bij,bj->bi", M, s.ddq) + sd.bias(robot, s.q, s.dq), sd.rnea(robot, s.q, s.dq, s.ddq))
    close(sd.bias(robot, s.q, np.zeros(robot.nv)), sd.gravity(robot, s.q))


def test_coriolis(robot, states, close):
    s = states(robot)
    C, step = sd.coriolis(robot, s.q, s.dq), 1e-6
    close(C @ s.dq, sd.bias(robot, s.q, s.dq) - sd.gravity(robot, s.q))
    ahead, behind = (sd.crba(robot, robot.integrate(s.q, sign * step * s.dq)) for sign in (1, -1))
    scaled_close(C + C.T, (ahead - behind) / (2 * step), 1e-8)


def test_christoffel_symbols(arm, quadruped, states, close):
    s = states(arm, (6,))
    Gamma = sd.christoffel(arm, s.q)
    close(np.einsum("bijk,bk->bij", Gamma, s.dq), sd.coriolis(arm, s.q, s.dq))
    dM = sd.rnea_second_derivatives(arm, s.q, s.dq, s.ddq).dM_dq
    by = [np.einsum(f"bijk->b{axes}", dM) for axes in ("ijk", "ikj", "kij")]  # [i, j, k]: M_ij by k, M_ik by j, M_jk by i
    close(Gamma, 0.5 * (by[0] + by[1] - by[2]), 1e-9)
    with pytest.raises(ValueError, match="joint base: several freedoms"):
        sd.christoffel(quadruped, quadruped.neutral())


def test_hamilton(robot, states, close):
    s = states(robot)
    h, step = sd.hamilton(robot, s.q, s.dq, s.tau), 1e-6
    assert h._fields == ("p", "dp", "energy")
    close(h.p, sd.crba(robot, s.q) @ s.dq)
    ddq = sd.aba(robot, s.q, s.dq, s.tau)
    ahead, behind = (sd.hamilton(robot, robot.integrate(s.q, x * s.dq), s.dq + x * ddq, s.tau) for x in (step, -step))
    scaled_close(h.dp, (ahead.p - behind.p) / (2 * step), 1e-7)
    assert abs((ahead.energy - behind.energy) / (2 * step) - s.tau @ s.dq) <= 1e-6 * max(1, abs(h.energy))
    energy = sd.energy(robot, s.q, s.dq)
    assert h.energy == pytest.approx(energy.kinetic + energy.potential, rel=1e-14)


def test_regressor(robot, states, close):
    s = states(robot, (4,))
    Y = sd.regressor(robot, s.q, s.dq, s.ddq)
    assert Y.shape == (4, robot.nv, len(robot.parameter_names)) and robot.parameters().shape == Y.shape[2:]
    close(Y @ robot.parameters(), sd.rnea(robot, s.q, s.dq, s.ddq))
    assert np.array_equal(sd.regressor(robot, s.q[2], s.dq[2], s.ddq[2]), Y[2])


def test_external_wrenches_act_as_the_jacobian_says(robot, states, close):
    s = states(robot, (10,))
    rng = np.random.default_rng(5)
    links = [robot.link_names[-1], robot.link_names[len(robot.link_names) // 2]]
    fx = {link: rng.standard_normal((10, 6)) for link in links}
    expected = sd.rnea(robot, s.q, s.dq, s.ddq)
    for link in links:
        expected = expected - np.einsum("bij,bi->bj", sd.jacobian(robot, s.q, link), fx[link])
    close(sd.rnea(robot, s.q, s.dq, s.ddq, fx), expected)
    close(sd.aba(robot, s.q, s.dq, expected, fx=fx), s.ddq, 1e-9)
    close(sd.bias(robot, s.q, s.dq, fx), sd.rnea(robot, s.q, s.dq, 0 * s.ddq, fx))
    one = {links[0]: [1.0, 2, 3, 4, 5, 6]}  # broadcasts
    close(sd.rnea(robot, s.q, s.dq, s.ddq, one)[3], sd.rnea(robot, s.q[3], s.dq[3], s.ddq[3], one), 0)


def tangent_difference(function, robot, q, step=1e-6):
    """∂/∂δ of function(q ⊕ δ) by central differences, the derivative on the last axis."""
    columns = []
    for k in range(robot.nv):
        delta = np.zeros(robot.nv)
        delta[k] = step
        columns.append((function(robot.integrate(q, delta)) - function(robot.integrate(q, -delta))) / (2 * step))
    return np.stack(columns, -1)


def difference(function, x, step=1e-6):
    columns = [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    return np.stack(columns, -1)


def scaled_close(found, expected, bound):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= bound * max(1, np.abs(expected).max())


def test_first_derivatives(robot, states, close):
    s = states(robot)
    d = sd.rnea_derivatives(robot, s.q, s.dq, s.ddq)
    assert d._fields == ("tau", "dtau_dq", "dtau_dv", "M")
    close(d.tau, sd.rnea(robot, s.q, s.dq, s.ddq))
    close(d.M, sd.crba(robot, s.q))
    scaled_close(d.dtau_dq, tangent_difference(lambda q: sd.rnea(robot, q, s.dq, s.ddq), robot, s.q), 1e-7)
    scaled_close(d.dtau_dv, difference(lambda v: sd.rnea(robot, s.q, v, s.ddq), s.dq), 1e-7)
    f = sd.aba_derivatives(robot, s.q, s.dq, d.tau)
    assert f._fields == ("ddq", "dddq_dq", "dddq_dv", "dddq_dtau")
    close(f.ddq, s.ddq, 1e-9)
    scaled_close(f.dddq_dq, -f.dddq_dtau @ d.dtau_dq, 1e-9)
    scaled_close(f.dddq_dv, -f.dddq_dtau @ d.dtau_dv, 1e-9)
    scaled_close(f.dddq_dtau, np.linalg.inv(d.M), 1e-9)


def test_second_derivatives(robot, states, close):
    s = states(robot)
    d = sd.rnea_second_derivatives(robot, s.q, s.dq, s.ddq)
    first = lambda q, v: sd.rnea_derivatives(robot, q, v, s.ddq)  # noqa: E731
    scaled_close(d.d2tau_dqdq, tangent_difference(lambda q: first(q, s.dq).dtau_dq, robot, s.q), 1e-6)
    scaled_close(d.d2tau_dqdv, difference(lambda v: first(s.q, v).dtau_dq, s.dq), 1e-6)
    scaled_close(d.d2tau_dvdv, difference(lambda v: first(s.q, v).dtau_dv, s.dq), 1e-6)
    scaled_close(d.dM_dq, tangent_difference(lambda q: sd.crba(robot, q), robot, s.q), 1e-6)
    c = sd.rnea_second_derivatives(robot, s.q, s.dq, s.ddq, contract=s.lam)
    for name in d._fields:
        scaled_close(getattr(c, name), np.einsum("a,abc->bc", s.lam, getattr(d, name)), 1e-11)
    f = sd.aba_second_derivatives(robot, s.q, s.dq, s.tau)
    first_f = lambda q, v, t: sd.aba_derivatives(robot, q, v, t)  # noqa: E731
    scaled_close(f.d2ddq_dqdq, tangent_difference(lambda q: first_f(q, s.dq, s.tau).dddq_dq, robot, s.q), 1e-5)
    scaled_close(f.d2ddq_dqdtau, np.swapaxes(
        tangent_difference(lambda q: sd.minverse(robot, q), robot, s.q), -1, -2), 1e-5)
    g = sd.aba_second_derivatives(robot, s.q, s.dq, s.tau, contract=s.lam)
    for name in f._fields:
        scaled_close(getattr(g, name), np.einsum("a,abc->bc", s.lam, getattr(f, name)), 1e-9)


def test_kinematics(robot, states, close):
    s = states(robot)
    step = 1e-6
    for link in (robot.link_names[0], robot.link_names[-1]):
        J = sd.jacobian(robot, s.q, link)
        assert J.shape == (6, robot.nv)
        velocity = sd.velocity(robot, s.q, s.dq, link)
        close(velocity, J @ s.dq)
        ahead, behind = (sd.pose(robot, robot.integrate(s.q, sign * step * s.dq), link) for sign in (1, -1))
        x, y, z, w = sd.pose(robot, s.q, link)[3:]
        R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                      [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                      [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
        scaled_close(R @ velocity[3:], (ahead - behind)[:3] / (2 * step), 1e-8)
        at_rest = sd.acceleration(robot, s.q, 0 * s.dq, 0 * s.ddq, link)
        scaled_close(R @ at_rest[3:], np.array([0, 0, 9.81]), 1e-13)
        assert np.abs(at_rest[:3]).max() < 1e-13


def test_energy_and_momentum(robot, states, close):
    s = states(robot, (5,))
    energy = sd.energy(robot, s.q, s.dq)
    close(energy.kinetic, 0.5 * np.einsum("bi,bij,bj->b", s.dq, sd.crba(robot, s.q), s.dq))
    step = 1e-6
    ahead, behind = (robot.integrate(s.q, sign * step * s.dq) for sign in (1, -1))
    power = (sd.energy(robot, ahead, s.dq).potential - sd.energy(robot, behind, s.dq).potential) / (2 * step)
    scaled_close(np.einsum("bi,bi->b", sd.gravity(robot, s.q), s.dq), power, 1e-7)
    if robot.floating:  # all links move
        rate = (sd.centre_of_mass(robot, ahead) - sd.centre_of_mass(robot, behind)) / (2 * step)
        scaled_close(sd.momentum(robot, s.q, s.dq)[:, 3:], robot.mass * rate, 1e-8)
    single = sd.energy(robot, s.q[0], s.dq[0])
    assert isinstance(single.kinetic, float) and single.kinetic == energy.kinetic[0]
