"""A floating base as Drake, iDynTree, MuJoCo and Pinocchio count it: base_to and base_from."""

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS

PACKAGES = ("drake", "idyntree", "mujoco", "pinocchio")


@pytest.fixture(scope="module")
def robot():
    return sd.load_urdf(ROBOTS / "quadruped.urdf", floating=True)


@pytest.fixture(scope="module")
def states(robot):
    rng = np.random.default_rng(3)
    return robot.random(rng=4, shape=(3, 4)), rng.uniform(-1, 1, (3, 4, robot.nv)), rng.uniform(-1, 1, (3, 4, robot.nv))


@pytest.mark.parametrize("package", PACKAGES)
def test_there_and_back(states, package):
    q, dq, ddq = states
    theirs = sd.base_to(package, q, dq, ddq)
    assert theirs.q.shape == (3, 4, 7) and theirs.dq.shape == theirs.ddq.shape == (3, 4, 6)
    ours = sd.base_from(package, *theirs)
    for found, expected in zip(ours, (q[..., :7], dq[..., :6], ddq[..., :6])):
        assert np.allclose(found, expected, atol=1e-14, rtol=0)
    assert sd.base_to(package, q).dq is None and sd.base_from(package, theirs.q, theirs.dq).ddq is None


@pytest.mark.parametrize("package", PACKAGES)
def test_accelerations_are_the_rates_of_velocities(robot, states, package):
    q, dq, ddq = (x[0, 0] for x in states)
    h = 1e-5

    def after(t):  # along a motion of these velocities and accelerations, to second order
        return sd.base_to(package, robot.integrate(q, t * dq + 0.5 * t * t * ddq), dq + t * ddq)

    rate = (after(h).dq - after(-h).dq) / (2 * h)
    assert np.allclose(sd.base_to(package, q, dq, ddq).ddq, rate, atol=1e-8)
    place, turn = (slice(4, 7), slice(0, 4)) if package == "drake" else (slice(0, 3), slice(3, 7))
    moved = (after(h).q[place] - after(-h).q[place]) / (2 * h)  # where linear velocities stand in the world
    linear = sd.base_to(package, q, dq).dq[slice(3, 6) if package == "drake" else slice(0, 3)]
    if package != "pinocchio":
        assert np.allclose(linear, moved, atol=1e-8)
    assert np.isclose(np.linalg.norm(after(h).q[turn]), 1)


def test_pinocchio_by_its_maps(robot, states):
    q, dq, ddq = (x[0, 0] for x in states)
    pin = pytest.importorskip("pinocchio", reason="pip install pin")
    if not hasattr(pin, "buildModelFromXML"):
        pytest.skip("another package is called pinocchio")
    maps = sd.to_pinocchio(robot)
    theirs = sd.base_to("pinocchio", q, dq, ddq)
    assert np.allclose(maps.q(q)[:7], theirs.q) and np.allclose(maps.v(dq)[:6], theirs.dq) and np.allclose(maps.v(ddq)[:6], theirs.ddq)


def test_mujoco_by_its_map(robot, states):
    pytest.importorskip("mujoco")
    q, dq, ddq = (x[0, 0] for x in states)
    m = sd.load_mujoco(sd.to_mujoco(robot))
    for found, expected in zip(sd.base_to("mujoco", q, dq, ddq), m.mujoco_state(q, dq, ddq)):
        assert np.allclose(found, np.asarray(expected)[: len(found)], atol=1e-12)


def test_what_is_wrong_is_said(states):
    q, dq, ddq = states
    with pytest.raises(ValueError, match="expected one of drake, idyntree, mujoco, pinocchio"):
        sd.base_to("kdl", q)
    with pytest.raises(ValueError, match="expected 7 numbers"):
        sd.base_to("drake", q[..., :5])
    with pytest.raises(ValueError, match="ddq: without dq"):
        sd.base_to("drake", q, ddq=ddq)
