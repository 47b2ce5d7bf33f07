"""A step of time as a program: arrays, CasADi's derivatives of it, and an optimisation with exact Hessians."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

import sparsedyn as sd
from conftest import ROOT, full

pytestmark = [pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler"), pytest.mark.usefixtures("compiled_anew")]
DT = 0.02


def near(found, expected, bound):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= bound * max(1, np.abs(expected).max())


def stepped(robot, q, dq, names, u):
    """The state behind one step of the library's own simulation."""
    targets = {"time": [0.0]} | {f"tau.{name}": [each] for name, each in zip(names, u)}
    after = robot.arrays(sd.simulate(robot, forward=True, start=(q, dq), targets=targets, rate=1 / DT, seconds=2 * DT))
    return np.concatenate([after["q"][1], after["dq"][1]])


def hessian(program, values):
    """The symmetric matrix of the entries that the manifest names."""
    elements = next(port["elements"] for port in program.manifest["outputs"] if port["name"] == "H")
    places = np.array([[int(number) for number in name.split(".")[1:]] for name in elements])
    size = 1 + places.max()
    H = np.zeros((size, size))
    H[places[:, 0], places[:, 1]] = values
    return H + np.tril(H, -1).T


def test_a_step_and_its_jacobians_by_differences_along_the_tangent(robot, states):
    program = sd.generate(robot, stage="semi-implicit", outputs=["x_next", "A", "B"])
    names = [name.removeprefix("tau.") for name in program.manifest["inputs"][1]["elements"]]
    n, nq, m = robot.nv, robot.nq, len(names)
    assert program.inputs == ("x", "u", "dt") and program.outputs == ("x_next", "A", "B")
    f = program.compile()
    s = states(robot)
    u = s.tau[n - m :]
    x, A, B = f(np.concatenate([s.q, s.dq]), u, [DT])
    assert A.shape == (2 * n, 2 * n) and B.shape == (2 * n, m)
    moved = lambda d: np.concatenate([robot.integrate(s.q, d[:n]), s.dq + d[n : 2 * n]])  # noqa: E731
    near(x, stepped(robot, s.q, s.dq, names, u), 1e-12)
    for k in range(2 * n + m):
        d = np.zeros(2 * n + m)
        d[k] = 1e-6
        ends = [f(moved(sign * d), u + sign * d[2 * n :], [DT]).x_next for sign in (-1, 1)]
        by = [np.concatenate([robot.difference(x[:nq], end[:nq]), end[nq:] - x[nq:]]) for end in ends]
        near((by[1] - by[0]) / 2e-6, np.concatenate([A, B], 1)[:, k], 1e-6)


def test_batches_and_parameters(arm, states):
    f = sd.generate(arm, stage="rk4", outputs="x_next", parameters=["inertial"])
    g = sd.generate(arm, stage="rk4", outputs="x_next")
    assert g.source == sd.generate(arm, stage="runge-kutta", outputs="x_next").source.replace("runge-kutta", "rk4")  # another name
    s = states(arm, (5,))
    x, dt = np.concatenate([s.q, s.dq], -1), np.full((5, 1), DT)
    near(f.compile()(x, s.tau, dt, f.manifest["pi_nominal"]), g.compile()(x, s.tau, dt), 1e-12)


def test_health_is_that_of_forward_dynamics(arm, states):
    f = sd.generate(arm, stage="semi-implicit", outputs="x_next", health=True).compile()
    g = sd.generate(arm, "aba", health=True).compile(flags="-O0")
    s = states(arm, (5,))
    near(f(np.concatenate([s.q, s.dq], -1), s.tau, np.full((5, 1), DT)).health, g(s.q, s.dq, s.tau).health, 1e-12)


def test_one_of_algorithm_sensors_and_stage(arm):
    with pytest.raises(ValueError, match="algorithm, sensors and stage"):
        sd.generate(arm, "aba", stage="semi-implicit")
    with pytest.raises(ValueError, match="^stage=euler: expected semi-implicit, rk4"):
        sd.generate(arm, stage="euler")
    with pytest.raises(ValueError, match="^stage: all_inputs does not|^stage: .*wrenches on links are zero"):
        sd.generate(arm, stage="rk4", all_inputs=True)


ROCK = """<robot name="rock"><link name="stone"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


ROCK_WITH_A_LID = ROCK.replace("</robot>", '''<link name="lid"><inertial><mass value="1"/><origin xyz="0 0.2 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="stone"/><child link="lid"/><origin xyz="0.3 0 0.1"/><axis xyz="0 1 0"/></joint></robot>''')


def test_a_robot_without_controls():
    robot = sd.load_urdf(ROCK, floating=True)
    program = sd.generate(robot, stage="rk4")
    x, A, B = program.compile()(np.concatenate([robot.random(np.random.default_rng(1)), np.ones(6)]), [], [DT])
    assert x.shape == (13,) and A.shape == (12, 12) and B.shape == (12, 0)
    assert "q (rad, m; quaternions x y z w of norm 1), then dq" in program.header


def test_casadi_differentiates_a_compiled_step_exactly(arm, states):
    casadi = pytest.importorskip("casadi")
    F = sd.generate(arm, stage="semi-implicit", outputs="x_next").casadi()
    n = arm.nv
    s = states(arm)
    at = np.concatenate([s.q, s.dq, s.tau, [DT]])
    z, lam = casadi.MX.sym("z", 3 * n + 1), casadi.MX.sym("lam", 2 * n)
    y = F(z[: 2 * n], z[2 * n : 3 * n], z[3 * n])
    H, g = casadi.hessian(casadi.dot(lam, y), z)
    multipliers = np.cos(np.arange(2 * n))
    J, H, g = (full(part) for part in casadi.Function("all", [z, lam], [casadi.jacobian(y, z), H, g])(at, multipliers))
    program = sd.generate(arm, stage="semi-implicit", outputs=["A", "B", "T", "g", "H"])
    own = program.compile()(at[: 2 * n], s.tau, [DT], multipliers)
    near(J, np.concatenate([own.A, own.B, own.T[:, None]], 1), 1e-10)
    near(g.ravel(), own.g, 1e-10)
    near(H, hessian(program, own.H), 1e-10)
    # beside CasADi's own derivatives of the same step, written with its symbols
    X = sd.generate(arm, stage="semi-implicit", outputs=["x_next", "T"]).casadi()  # two outputs: an expression
    y = X(z[: 2 * n], z[2 * n : 3 * n], z[3 * n])[0]
    by_casadi = casadi.Function("own", [z, lam], [casadi.jacobian(y, z), casadi.hessian(casadi.dot(lam, y), z)[0]])(at, multipliers)
    near(J, full(by_casadi[0]), 1e-9)
    near(H, full(by_casadi[1]), 1e-9)


def test_casadi_differentiates_a_step_of_a_free_base_with_forces_by_coordinates(monkeypatch):
    casadi = pytest.importorskip("casadi")
    monkeypatch.setenv("CFLAGS", "-O0")
    robot = sd.load_urdf(ROCK_WITH_A_LID, floating=True)
    request = {"stage": "semi-implicit", "forces": "lid,stone"}
    program = sd.generate(robot, outputs="x_next", **request)
    assert program.manifest["inputs"][1]["elements"][1:4] == ["force.lid.x", "force.lid.y", "force.lid.z"]
    F = program.casadi()
    rng = np.random.default_rng(1)
    x, u = np.concatenate([robot.random(rng), rng.normal(size=robot.nv)]), rng.normal(size=7)
    near(full(F(x, u, DT)).ravel(), program.compile()(x, u, [DT]), 1e-12)
    longer = x.copy()
    longer[3:7] *= 2
    near(full(F(longer, u, DT)), full(F(x, u, DT)), 1e-12)
    X = sd.generate(robot, outputs=["x_next", "T"], **request).casadi()  # two outputs: an expression
    z, lam = casadi.MX.sym("z", len(x) + 8), casadi.MX.sym("lam", len(x))
    parts = z[: len(x)], z[len(x) : len(x) + 7], z[len(x) + 7]
    all_of = [casadi.Function("all", [z, lam], [casadi.jacobian(y, z), *casadi.hessian(casadi.dot(lam, y), z)]) for y in (F(*parts), X(*parts)[0])]
    at, multipliers = np.concatenate([longer, u, [DT]]), np.cos(np.arange(len(x)))
    for own, other in zip(*(f(at, multipliers) for f in all_of)):
        near(full(own), full(other), 1e-10)


def test_forces_on_links_that_a_step_does_not_take(arm):
    with pytest.raises(ValueError, match="^forces=nowhere: no link that moves"):
        sd.generate(arm, stage="semi-implicit", forces=["nowhere"])
    with pytest.raises(ValueError, match="forces"):
        sd.generate(arm, stage="rk4", forces=[arm.link_names[-1]])
    with pytest.raises(ValueError, match="forces"):
        sd.generate(arm, "aba", forces=[arm.link_names[-1]])


@pytest.mark.parametrize("solver", ["ipopt", "fatrop"])
def test_the_example_swings_a_pole_up(solver):
    casadi = pytest.importorskip("casadi")
    if not casadi.has_nlpsol(solver):
        pytest.skip(f"CasADi without {solver}")
    done = subprocess.run([sys.executable, ROOT / "python/examples/cart_pole.py", solver], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert float(done.stdout.rsplit(" ", 1)[1]) < 1e-6
