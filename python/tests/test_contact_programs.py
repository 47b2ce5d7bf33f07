"""Generated code through contacts and loops, in Python: beside the library's own functions, the simulation, and MuJoCo."""

import pathlib
import pickle
import shutil

import numpy as np
import pytest

import sparsedyn as sd

pytestmark = [pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler"), pytest.mark.usefixtures("compiled_anew")]
ROOT = pathlib.Path(__file__).resolve().parents[2]
FEET = ROOT / "examples/constraints/quadruped.json"


def near(found, expected, bound=1e-10):
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= bound * np.maximum(1, np.abs(expected).max(-1, keepdims=True)))


def standing(robot, n, seed=1):
    """States with the feet in the floor half a metre below; the first one at rest."""
    rng = np.random.default_rng(seed)
    q = robot.integrate(np.tile(robot.neutral(), (n, 1)), 0.2 * rng.standard_normal((n, robot.nv)))
    q[0] = robot.neutral()
    feet = np.array([[sd.pose(robot, q[k], f"{leg}_foot")[2] for leg in ("lf", "rf", "lh", "rh")] for k in range(n)])
    q[:, 2] += -0.5 + 0.02 - 0.001 - np.sort(feet)[:, 1]
    dq, tau = (0.5 * rng.standard_normal((n, robot.nv)) for _ in range(2))
    dq[0] = tau[0] = 0
    tau[:, :6] = 0
    return q, dq, tau


def test_forward_inverse_and_derivatives_are_the_librarys(quadruped):
    q, dq, tau = standing(quadruped, 11)
    constraints = sd.Constraints(FEET)
    forward = sd.generate(quadruped, "contact-dynamics", constraints=constraints)
    assert forward.inputs == ("q", "dq", "tau", "start") and forward.outputs == ("ddq", "lambda", "gap", "next", "solver")
    start = np.zeros(len(forward.manifest["inputs"][3]["elements"]))
    expected = sd.contact_dynamics(quadruped, constraints, q, dq, tau)
    found = forward.compile()(q, dq, tau, start)
    near(found.ddq, expected.ddq), near(found.lambda_, expected.force), near(found[2], expected.gap, 1e-12)
    assert (np.abs(expected.force).max(-1) > 0).sum() > 5
    again = forward.compile()(q, dq, tau, found[3])
    near(again[0], expected.ddq)
    assert np.all(again[4][:, 0] <= found[4][:, 0])

    inverse = sd.generate(quadruped, "contact-inverse-dynamics", constraints=FEET).compile()
    back = inverse(q, dq, expected.ddq)
    expected_back = sd.contact_inverse_dynamics(quadruped, constraints, q, dq, expected.ddq)
    for one, other in zip(back, expected_back, strict=True):
        near(one, other)
    near(inverse(q[3], dq[3], expected.ddq[3]).tau, expected_back.tau[3])

    slopes = sd.generate(quadruped, "contact-derivatives", constraints=constraints).compile()(q, dq, tau, start)
    library = sd.contact_derivatives(quadruped, constraints, q, dq, tau)
    for name in ("dddq_dq", "dddq_dv", "dddq_dtau"):
        one, other = getattr(slopes, name), getattr(library, name)
        near(one.reshape(len(q), -1), other.reshape(len(q), -1), 1e-9)


def test_a_step_is_the_simulations_and_its_jacobians_are_differences(quadruped):
    q, dq, tau = standing(quadruped, 5, 2)
    program = sd.generate(quadruped, stage="semi-implicit", constraints=FEET, outputs=["x_next", "A", "B", "force"])
    n, nq = quadruped.nv, quadruped.nq
    f = program.compile()
    start, dt = np.zeros(len(program.manifest["inputs"][3]["elements"])), 0.002
    x = np.concatenate([q, dq], 1)
    found = f(x, tau[:, 6:], [dt], start)
    assert found.A.shape == (5, 2 * n, 2 * n) and found.B.shape == (5, 2 * n, n - 6)
    names = [name.removeprefix("tau.") for name in program.manifest["inputs"][1]["elements"]]
    for k in range(5):
        targets = {"time": [0.0]} | {f"tau.{name}": [each] for name, each in zip(names, tau[k, 6:])}
        after = quadruped.arrays(sd.simulate(quadruped, constraints=FEET, start=(q[k], dq[k]), targets=targets, rate=1 / dt, seconds=2 * dt))
        near(found.x_next[k], np.concatenate([after["q"][1], after["dq"][1]]))
    a = sd.contact_derivatives(quadruped, FEET, q, dq, tau)
    near((found.B[:, n:] / dt)[:, 6:].reshape(5, -1), a.dddq_dtau[:, 6:, 6:].reshape(5, -1), 1e-9)  # of joints: v+ = v + dt a
    near((found.A[:, n:, :n] / dt)[:, 6:].reshape(5, -1), a.dddq_dq[:, 6:].reshape(5, -1), 1e-9)


def test_beside_mujoco():
    pytest.importorskip("mujoco")
    import mujoco
    from test_contacts import Robot, taken_over

    rng = np.random.default_rng(8)
    robot = Robot("quadruped", "elliptic", 1, (0.8,))
    rows, after = [], []
    for _ in range(6):
        robot.state(rng)
        mujoco.mj_forward(robot.model, robot.data)
        rows.append(robot.row())
        mujoco.mj_inverse(robot.model, robot.data)
        rows[-1] |= {f"tau.{name}": robot.data.qfrc_inverse[6 + i] for i, name in enumerate(robot.names)}
        mujoco.mj_step(robot.model, robot.data)
        mujoco.mj_kinematics(robot.model, robot.data)  # the step leaves the posture's matrices as they were
        after.append(robot.row())
    q, dq, ddq, tau = (taken_over(robot.ours, rows, kind) for kind in ("q", "dq", "ddq", "tau"))
    back = sd.generate(robot.ours, "contact-inverse-dynamics", constraints=robot.constraints).compile()(q, dq, ddq)
    size = np.maximum(np.abs(back.tau).max(-1), np.abs(back[1]).max(-1))[:, None]
    assert np.all(np.abs(back.tau - tau)[:, 6:] <= 1e-8 * size)
    assert np.all(np.abs(back.tau)[:, :6] <= 1e-8 * size)
    step = sd.generate(robot.ours, stage="semi-implicit", constraints=robot.constraints, outputs=["x_next"])
    found = step.compile()(np.concatenate([q, dq], 1), tau[:, 6:], [robot.model.opt.timestep], np.zeros(len(step.manifest["inputs"][3]["elements"])))
    q_next, dq_next = (taken_over(robot.ours, after, kind) for kind in ("q", "dq"))
    near(found.x_next, np.concatenate([q_next, dq_next], 1), 1e-8)


def test_what_does_not_go_with_it_and_what_is_kept(quadruped, tmp_path):
    with pytest.raises(ValueError, match="contact-dynamics: constraints are required"):
        sd.generate(quadruped, "contact-dynamics")
    with pytest.raises(ValueError, match="expected contact-dynamics, contact-inverse-dynamics, contact-derivatives"):
        sd.generate(quadruped, "rnea", constraints=FEET)
    with pytest.raises(ValueError, match="expected semi-implicit"):
        sd.generate(quadruped, stage="rk4", constraints=FEET)
    with pytest.raises(ValueError, match="parameters: does not go with constraints"):
        sd.generate(quadruped, "contact-dynamics", constraints=FEET, parameters="base")
    with pytest.raises(ValueError, match="no such output.*force, gap"):
        sd.generate(quadruped, stage="semi-implicit", constraints=FEET, outputs="K")
    hard = {"constraints": [{"name": "held", "type": "connect", "links": ["lf_foot", "world"], "hard": True}]}
    with pytest.raises(sd.InputError, match="soft constraints alone"):
        sd.generate(quadruped, "contact-inverse-dynamics", constraints=hard)
    program = sd.generate(quadruped, "contact-inverse-dynamics", constraints=FEET, name="back")
    for framework in ("casadi", "jax", "torch"):
        with pytest.raises(ValueError, match="iterates"):
            getattr(program, framework)()
    assert pickle.loads(pickle.dumps(program)).source == program.source
    assert [pathlib.Path(path).name for path in program.save(tmp_path)] == ["back.c", "back.h", "back.json"]
    copy = tmp_path / "same.json"
    copy.write_text(FEET.read_text())
    same = sd.generate(quadruped, "contact-inverse-dynamics", constraints=copy, name="same")
    with pytest.raises(ValueError, match="is an input"):
        same.save(tmp_path)
