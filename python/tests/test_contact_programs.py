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


def test_second_derivatives_are_differences_of_first_ones(quadruped):
    q, dq, tau = standing(quadruped, 4)
    n, by = quadruped.nv, 1e-6
    multipliers = np.cos(np.arange(n))
    bends = sd.contact_second_derivatives(quadruped, FEET, q, dq, tau, multipliers)
    assert bends.d2ddq_dqdq.shape == (4, n, n)
    for k in (2, 7):  # [i, k] by q_i and dq_k, by dq_i and dq_k, by q_i and tau_k, by dq_i and tau_k, by tau_i and tau_k
        step = by * np.eye(n)[k]
        ahead, back = (sd.contact_derivatives(quadruped, FEET, q, dq + s, tau) for s in (step, -step))
        for block, first in ((bends.d2ddq_dqdv, "dddq_dq"), (bends.d2ddq_dvdv, "dddq_dv")):
            slope = multipliers @ (getattr(ahead, first) - getattr(back, first)) / (2 * by)
            near(block[..., k], slope, 1e-4)
        ahead, back = (sd.contact_derivatives(quadruped, FEET, q, dq, tau + s) for s in (step, -step))
        for block, first in ((bends.d2ddq_dqdtau, "dddq_dq"), (bends.d2ddq_dvdtau, "dddq_dv"), (bends.d2ddq_dtaudtau, "dddq_dtau")):
            slope = multipliers @ (getattr(ahead, first) - getattr(back, first)) / (2 * by)
            assert np.abs(block[..., k] - slope).max() <= 1e-4 * max(1, np.abs(slope).max())
    along = np.sin(1 + np.arange(n))  # one direction: orders of differentiation on the base's tangent space do not matter
    deep = q[1] - 5e-4 * np.eye(quadruped.nq)[2]  # a foot of q[1] is as deep as the impedance is wide: a kink
    ahead, back = (multipliers @ sd.contact_derivatives(quadruped, FEET, quadruped.integrate(deep, s * along), dq[1], tau[1]).dddq_dq
                   for s in (by, -by))
    bend = sd.contact_second_derivatives(quadruped, FEET, deep, dq[1], tau[1], multipliers).d2ddq_dqdq
    assert abs((ahead - back) @ along / (2 * by) - along @ bend @ along) <= 1e-5 * np.abs(bend).sum()
    for wrong in (multipliers[1:], np.ones((3, n)), np.ones((4, n, 1))):
        with pytest.raises(ValueError, match="multipliers"):
            sd.contact_second_derivatives(quadruped, FEET, q, dq, tau, wrong)
    dq[2, 3] = np.nan
    value, failed = sd.contact_second_derivatives(quadruped, FEET, q, dq, tau, multipliers, on_error="nan")
    assert failed.tolist() == [False, False, True, False]
    assert all(np.isnan(block[2]).all() and np.isfinite(np.delete(block, 2, 0)).all() for block in value)
    dq[2, 3] = 0
    limits = np.full(n, np.inf)
    limits[7] = 0
    assert np.all(sd.contact_second_derivatives(quadruped, FEET, q, dq, tau + 1, multipliers, effort_limits=limits).d2ddq_dqdtau[..., 7] == 0)
    out = tuple(np.empty((4, n, n)) for _ in range(6))
    assert sd.contact_second_derivatives(quadruped, FEET, q, dq, tau, multipliers, out=out).d2ddq_dqdq is out[0]
    library = sd.contact_dynamics(quadruped, FEET, q, dq, tau)
    eta = np.sin(np.arange(library.force.shape[-1]))
    both = sd.contact_second_derivatives(quadruped, FEET, q, dq, tau, multipliers, force_multipliers=eta)
    ahead, back = (sd.contact_derivatives(quadruped, FEET, q, dq + s, tau) for s in (by * np.eye(n)[7], -by * np.eye(n)[7]))
    slope = (multipliers @ (ahead.dddq_dq - back.dddq_dq) + eta @ (ahead.dforce_dq - back.dforce_dq)) / (2 * by)
    near(both.d2ddq_dqdv[..., 7], slope, 1e-4)
    for wrong in (eta[1:], np.full(len(eta), np.nan)):
        with pytest.raises((ValueError, sd.SolveError), match="force_multipliers"):
            sd.contact_second_derivatives(quadruped, FEET, q, dq, tau, multipliers, force_multipliers=wrong)
    program = sd.generate(quadruped, "contact-second-derivatives", constraints=FEET, all_inputs=True)
    assert program.inputs == ("q", "dq", "tau", "fx", "multipliers", "force_multipliers", "start")
    assert program.manifest["inputs"][5]["elements"][0] == "multipliers.lambda.lf.0.x"
    fx, start = (np.zeros(len(program.manifest["inputs"][k]["elements"])) for k in (3, 6))
    lower = program.compile()(q[1], dq[1], tau[1], fx, multipliers, eta, start).H
    H = np.zeros((3 * n, 3 * n))
    H[np.tril_indices(3 * n)] = lower
    near(H[n:2 * n, :n].T, both.d2ddq_dqdv[1], 1e-7)
    claws = {"constraints": [{"name": "claws", "type": "link_contact", "links": ["lf_foot", "rf_foot"], "finder": lambda *_: None, "friction": 0.8}]}
    with pytest.raises(sd.InputError, match="claws.*first derivatives alone"):
        sd.contact_second_derivatives(quadruped, claws, q, dq, tau, multipliers)


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
    for request in ({"algorithm": "contact-derivatives"}, {"algorithm": "contact-inverse-dynamics"}, {"stage": "semi-implicit"}):
        with pytest.raises(ValueError, match="has constant parameters; expected contact-dynamics"):
            sd.generate(quadruped, **request, constraints=FEET, parameters="base")
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


BAR = '<inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'


def chain(tmp_path, name, links, joints):
    """A URDF of links with what they hold, and joints as (name, type, parent, child, x, axis)."""
    text = "".join(f'<link name="{link}">{held}</link>' for link, held in links.items()) + "".join(
        f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{x} 0 0"/><axis xyz="{axis}"/>'
        '<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>' for joint, kind, parent, child, x, axis in joints)
    path = tmp_path / f"{name}.urdf"
    path.write_text(f'<robot name="{name}">{text}</robot>')
    return sd.load_urdf(path)


def test_codes_of_failures_are_told_in_words(tmp_path):
    """One state in a batch, and alone: a flat parallelogram whose loop has lost rank; a point of mass on the axis that turns it."""
    flat = chain(tmp_path, "flat", {"ground": "", "crank": BAR, "coupler": BAR, "rocker": BAR}, [
        ("a", "revolute", "ground", "crank", 0, "0 1 0"), ("b", "revolute", "crank", "coupler", 0.3, "0 1 0"), ("c", "revolute", "ground", "rocker", 0.5, "0 1 0")])
    loop = {"name": "rod", "type": "connect", "links": ["coupler", "rocker"], "xyz": [[0.5, 0, 0], [0.3, 0, 0]], "hard": True}
    point = '<inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    mass = chain(tmp_path, "mass", {"ground": "", "turn": "", "point": point}, [
        ("a", "revolute", "ground", "turn", 0, "0 0 1"), ("b", "prismatic", "turn", "point", 0, "1 0 0")])
    rub = {"name": "rub", "type": "dry_friction", "joint": "b", "loss": 0.5}
    for robot, constraint, fails, words in (
        (flat, loop, [0, 0, 0], r"lose rank: manifest\['constraints'\]\[0\]"),
        (mass, rub, [0.3, 0], r"a joint moves no mass: ddq\[0\]"),
    ):
        program = sd.generate(robot, "contact-dynamics", constraints={"constraints": [constraint]})
        f, start = program.compile(), np.zeros(len(program.manifest["inputs"][3]["elements"]))
        turned = np.array([0.4, -0.4, 0.4]) if robot is flat else np.array([0.4, 0.3])
        q = np.tile(turned, (9, 1))
        q[4] = fails
        still = np.zeros_like(q)
        with pytest.raises(sd.SolveError, match=words) as alone:
            f(q[4], still[4], still[4], start)
        with pytest.raises(sd.SolveError, match=words) as batch:
            f(q, still, still, start)
        assert list(batch.value.rows) == [4] and batch.value.messages[0] == alone.value.messages[0]
        value, failed = f(q, still, still, start, on_error="nan")
        assert failed.tolist() == [False] * 4 + [True] + [False] * 4
        assert np.isnan(value.ddq[4]).all() and np.isfinite(np.delete(value.ddq, 4, 0)).all()
        q[4, 0] = np.nan
        with pytest.raises(sd.SolveError, match=r"q\[0\] is not finite"):
            f(q, still, still, start)


def test_parameters_are_inputs_of_contact_dynamics(quadruped):
    """At the robot's own values the function with constants; a payload beside a robot that has it."""
    program = sd.generate(quadruped, "contact-dynamics", constraints=FEET, parameters=["trunk.m"])
    assert program.inputs == ("q", "dq", "tau", "pi", "start")
    f, constant = program.compile(flags="-O0"), sd.generate(quadruped, "contact-dynamics", constraints=FEET).compile(flags="-O0")
    own, start = np.array(program.manifest["pi_nominal"]), np.zeros(len(program.manifest["inputs"][4]["elements"]))
    rng = np.random.default_rng(3)
    q = quadruped.integrate(np.tile(quadruped.neutral(), (7, 1)), 0.1 * rng.normal(size=(7, quadruped.nv)))
    q[:, 2] += 0.4
    v, tau = rng.normal(size=(2, 7, quadruped.nv))
    same, reference = f(q, v, tau, own, start), constant(q, v, tau, start)
    near(same.ddq, reference.ddq, 1e-9)
    near(same[1], reference[1], 1e-9)
    heavier = f(q, v, tau, own * np.linspace(1, 2, 7)[:, None], start)
    assert np.abs(heavier.ddq - same.ddq)[1:].max(1).min() > 1e-3 and np.abs(heavier.ddq - same.ddq)[0].max() < 1e-9
    # M(pi) ddq + h(pi) = tau + J' lambda: inverse dynamics by the regressor, beside that of the same forces on the robot itself
    inverse = sd.generate(quadruped, "contact-inverse-dynamics", constraints=FEET).compile(flags="-O0")
    back = inverse(q, v, heavier.ddq)
    near(back[1], heavier[1], 1e-8)
    more = np.tile(quadruped.parameters(), (7, 1))
    more[:, quadruped.parameter_names.index("trunk.m")] *= np.linspace(1, 2, 7)
    difference = sd.regressor_times(quadruped, q, v, heavier.ddq, more) - sd.rnea(quadruped, q, v, heavier.ddq)
    near(back.tau + difference, tau, 1e-8)


def test_a_turn_too_far_within_a_step_is_told(quadruped):
    program = sd.generate(quadruped, stage="semi-implicit", constraints=FEET, outputs=["x_next"])
    f, start = program.compile(), np.zeros(len(program.manifest["inputs"][3]["elements"]))
    x = np.concatenate([quadruped.neutral(), np.zeros(quadruped.nv)])
    x[2], x[quadruped.nq] = 1, 1e5
    with pytest.raises(sd.SolveError, match="turns by more than 4 pi rad"):
        f(x, np.zeros(quadruped.nv - 6), [0.01], start)
