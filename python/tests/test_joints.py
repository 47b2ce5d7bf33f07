"""What joints add to their bodies: springs, rotors and damping beside MuJoCo; derivatives and batches of all of it."""

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROBOTS
from test_contacts import Robot, mujoco, taken_over


def sprung(name, friction=()):
    """A robot of test_contacts, in MuJoCo and here, whose joints have springs, rotors and dampers of all sizes."""
    robot, rng = Robot(name, "elliptic", 1, friction), np.random.default_rng(8)
    physics = {}
    for joint in robot.names:
        stiffness, damping, armature = rng.uniform(0, 30), rng.uniform(0, 2), rng.uniform(0, 0.1)
        physics[joint] = {"stiffness": stiffness, "damping": damping, "armature": armature}
        spec = robot.spec.joint(joint)
        spec.stiffness, spec.damping, spec.armature = [stiffness, 0, 0], [damping, 0, 0], armature
    robot.model = robot.spec.compile()
    robot.data = mujoco.MjData(robot.model)
    robot.ours = sd.load_urdf(robot.path, floating=True, joints=physics)
    return robot


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
@pytest.mark.parametrize("standing", [False, True])
def test_accelerations_and_energy_are_those_of_mujoco(name, standing):
    robot, rng = sprung(name, (0.8,)), np.random.default_rng(4)
    robot.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    rows, energy = [], []
    for _ in range(6):
        robot.state(rng, 0.5)
        if not standing:
            robot.data.qpos[2] += 10
        mujoco.mj_forward(robot.model, robot.data)
        rows.append(robot.row())
        energy.append(robot.data.energy[0])
    q, dq, ddq, tau = (taken_over(robot.ours, rows, kind) for kind in ("q", "dq", "ddq", "tau"))
    found = sd.contact_dynamics(robot.ours, robot.constraints, q, dq, tau).ddq if standing else sd.aba(robot.ours, q, dq, tau)
    assert np.all(np.abs(found - ddq) <= 1e-8 * np.abs(ddq).max(-1, keepdims=True))
    # MuJoCo counts fixed mass and the base's origin alike in every state
    ours = sd.energy(robot.ours, q, dq).potential
    np.testing.assert_allclose(np.diff(ours), np.diff(energy), rtol=1e-9, atol=1e-9 * np.abs(energy).max())


def test_springs_and_stribeck_in_derivatives_of_contacts_and_in_batches():
    rng = np.random.default_rng(5)
    robot = Robot("quadruped", "elliptic", 1, (0.8,))
    physics = {
        joint: {"friction": 1.0, "smoothing": 0.3, "stribeck": 0.6, "stribeck_velocity": 0.5, "stiffness": 7.0, "damping": 0.2}
        for joint in robot.names
    }
    ours = sd.load_urdf(robot.path, floating=True, joints=physics)
    rows = []
    for _ in range(20):
        robot.state(rng)
        mujoco.mj_kinematics(robot.model, robot.data)
        rows.append(robot.row())
    q, dq, tau = (taken_over(ours, rows, kind) for kind in ("q", "dq", "tau"))
    slopes = sd.contact_derivatives(ours, robot.constraints, q[0], dq[0], tau[0])
    step = 1e-6
    for k in range(6, ours.nv):
        e = np.zeros(ours.nv)
        e[k] = step
        by_q = sd.contact_dynamics(ours, robot.constraints, np.stack([ours.integrate(q[0], s * e) for s in (1, -1)]), dq[0], tau[0]).ddq
        by_v = sd.contact_dynamics(ours, robot.constraints, q[0], np.stack([dq[0] + s * e for s in (1, -1)]), tau[0]).ddq
        for found, moved in ((slopes.dddq_dq[:, k], by_q), (slopes.dddq_dv[:, k], by_v)):
            differences = (moved[0] - moved[1]) / (2 * step)
            assert np.abs(found - differences).max() < 1e-6 * np.abs(found).max() + 1e-8 * np.abs(moved).max()
    ddq = sd.aba(ours, q, dq, tau)
    np.testing.assert_allclose(sd.rnea(ours, q, dq, ddq), tau, atol=1e-9)
    for row in range(3):  # batches run several states at once
        np.testing.assert_allclose(sd.aba(ours, q[row], dq[row], tau[row]), ddq[row], rtol=1e-12, atol=1e-10)


def test_energy_of_springs_is_kept():
    names = sd.load_urdf(ROBOTS / "arm.urdf").joint_names
    robot = sd.load_urdf((ROBOTS / "arm.urdf").read_text(), joints={name: {"stiffness": 20.0, "armature": 0.05} for name in names})
    rng = np.random.default_rng(6)
    fall = sd.simulate(robot, forward=True, start=(0.3 * rng.standard_normal(robot.nq), np.zeros(robot.nv)), integrator="runge-kutta", seconds=0.5, rate=2000)
    q, dq = (np.stack([np.asarray(fall[f"{part}.{name}"]) for name in names], -1) for part in ("q", "dq"))
    energy = sd.energy(robot, q, dq)
    total = energy.kinetic + energy.potential
    assert np.ptp(energy.potential) > 1 and np.ptp(total) < 1e-6 * np.abs(energy.potential).max()
