"""Program.casadi: values, Jacobians, Hessians, and an optimisation by Ipopt."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import sparsedyn as sd
from conftest import ROBOTS, full

casadi = pytest.importorskip("casadi")
pytestmark = [pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler"), pytest.mark.usefixtures("compiled_anew")]


@pytest.fixture(scope="module", params=["rnea", "aba"])
def made(request, arm):
    return request.param, sd.generate(arm, request.param).casadi()


def test_values_and_jacobians(made, arm, states, close):
    name, F = made
    s = states(arm)
    z = s.ddq if name == "rnea" else s.tau
    f = getattr(sd, name)
    close(full(F(s.q, s.dq, z)).ravel(), f(arm, s.q, s.dq, z), 1e-9)
    x = [casadi.MX.sym(n, arm.nv) for n in "qvz"]
    d = getattr(sd, f"{name}_derivatives")(arm, s.q, s.dq, z)
    for k in range(3):
        J = casadi.Function("J", x, [casadi.jacobian(F(*x), x[k])])
        found = full(J(s.q, s.dq, z))
        assert np.abs(found - d[k + 1]).max() <= 1e-9 * max(1, np.abs(d[k + 1]).max())  # and not its transpose
        assert np.abs(d[k + 1] - d[k + 1].T).max() > 1e-3 or k == 2


def test_hessians(made, arm, states):
    name, F = made
    s = states(arm)
    z = s.ddq if name == "rnea" else s.tau
    n = arm.nv
    x = casadi.MX.sym("x", 3 * n)
    lam = casadi.MX.sym("lam", n)
    H, _ = casadi.hessian(casadi.dot(lam, F(x[:n], x[n : 2 * n], x[2 * n :])), x)
    found = full(casadi.Function("H", [x, lam], [H])(np.concatenate([s.q, s.dq, z]), s.lam))
    second = getattr(sd, f"{name}_second_derivatives")(arm, s.q, s.dq, z, contract=s.lam)
    expected = np.zeros((3 * n, 3 * n))
    expected[:n, :n], expected[:n, n : 2 * n], expected[n : 2 * n, n : 2 * n] = second[:3]
    expected[n : 2 * n, :n] = second[1].T
    mixed = second[3].T if name == "rnea" else second[3]  # (M λ)_b by q_c; by q_b and tau_c
    expected[:n, 2 * n :], expected[2 * n :, :n] = mixed, mixed.T
    assert np.abs(found - expected).max() <= 1e-9 * max(1, np.abs(expected).max())


def test_matrices_have_their_shape(arm, states, close):
    s = states(arm)
    F = sd.generate(arm, "rnea-derivatives").casadi()
    assert F.size_out(0) == (arm.nv, arm.nv)
    expected = sd.rnea_derivatives(arm, s.q, s.dq, s.ddq)
    for name, value in F(q=s.q, dq=s.dq, ddq=s.ddq).items():
        close(full(value), getattr(expected, name), 1e-9)


def test_ipopt_with_exact_hessians(arm):
    """Eight steps from rest to a posture with the least effort, by inverse dynamics."""
    F = sd.generate(arm, "rnea").casadi()
    n, steps, h = arm.nv, 8, 0.1
    w = casadi.MX.sym("w", 3 * n * steps)  # q, v, a of each step
    q, v, a = (casadi.reshape(w[k * n * steps : (k + 1) * n * steps], n, steps) for k in range(3))
    goal = 0.3 * np.ones(n)
    cost = sum(casadi.sumsqr(F(q[:, k], v[:, k], a[:, k])) for k in range(steps)) * 1e-3
    g = [q[:, 0], v[:, 0], q[:, -1] - goal]
    for k in range(steps - 1):
        g += [q[:, k + 1] - q[:, k] - h * v[:, k + 1], v[:, k + 1] - v[:, k] - h * a[:, k]]
    count = {}
    for kind in ("exact", "limited-memory"):
        solver = casadi.nlpsol("s", "ipopt", {"x": w, "f": cost, "g": casadi.vertcat(*g)},
                               {"ipopt": {"hessian_approximation": kind, "print_level": 0, "max_iter": 200}, "print_time": 0})
        answer = solver(x0=0, lbg=0, ubg=0)
        count[kind] = solver.stats()["iter_count"], float(answer["f"]), solver.stats()["success"]
    assert count["exact"][2] and count["exact"][0] <= count["limited-memory"][0]
    assert count["exact"][1] <= count["limited-memory"][1] * (1 + 1e-6)


PLANAR = """<robot name="r"><link name="world"/>
<joint name="base" type="planar"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/></joint>
<link name="a"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/><inertia ixx="1" iyy="1.2" izz="1.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.3 0 0.1" rpy="1 0.2 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
<link name="b"><inertial><origin xyz="0.2 0.1 0.3"/><mass value="1"/><inertia ixx="0.4" iyy="0.5" izz="0.6" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
FREE = PLANAR.replace('type="planar"', 'type="floating"')
ALONE = re.sub(r'<link name="world"/>\s*<joint name="base".*?</joint>', "", PLANAR, flags=re.S)


@pytest.fixture(scope="module", params=["free-base", "planar", "floating-joint"])
def turning(request):
    """Robots whose coordinates' rates are not their velocities."""
    if request.param == "free-base":
        return sd.load_urdf(ALONE, floating=True)
    return sd.load_urdf(PLANAR if request.param == "planar" else FREE)


def unit(robot, q):
    """q with its quaternions scaled to norm 1."""
    q = q.copy()
    for at in sd._core._quaternions(robot):
        q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q


def fourth_order(f, x, h=1e-3):
    """Columns of df/dx by central differences of fourth order."""
    columns = []
    for k in range(len(x)):
        e = np.zeros(len(x))
        e[k] = h
        columns.append((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h))
    return np.stack(columns, -1)


@pytest.mark.parametrize("name", ["rnea", "aba"])
@pytest.mark.parametrize("length", [1.0, 1.7])
def test_derivatives_by_quaternions_and_planar_coordinates(turning, states, name, length):
    robot, f = turning, getattr(sd, name)
    s = states(robot)
    z = s.ddq if name == "rnea" else s.tau
    q = s.q.copy()
    for at in sd._core._quaternions(robot):
        q[at : at + 4] *= length
    F = sd.generate(robot, name).casadi()
    near = lambda found, expected, bound: np.testing.assert_array_less(np.abs(found - expected), bound * max(1, np.abs(expected).max()))  # noqa: E731
    near(full(F(q, s.dq, z)).ravel(), f(robot, unit(robot, q), s.dq, z), 1e-9)
    nq, n = robot.nq, robot.nv
    x, lam = casadi.MX.sym("x", nq + 2 * n), casadi.MX.sym("lam", n)
    split = (x[:nq], x[nq : nq + n], x[nq + n :])
    at = np.concatenate([q, s.dq, z])
    J = casadi.Function("J", [x], [casadi.jacobian(F(*split), x)])
    plain = lambda x: f(robot, unit(robot, x[:nq]), x[nq : nq + n], x[nq + n :])  # noqa: E731
    expected = fourth_order(plain, at)
    near(full(J(at)), expected, 1e-8)
    H, g = casadi.hessian(casadi.dot(lam, F(*split)), x)
    both = casadi.Function("H", [x, lam], [H, g])
    found, slope = (full(part) for part in both(at, s.lam))
    near(slope.ravel(), s.lam @ expected, 1e-8)
    near(found, fourth_order(lambda x: s.lam @ full(J(x)), at), 1e-8)  # J is that of differences, and H its
    near(found, found.T, 1e-12)
    # Along the tangent: the derivatives that the library has.
    derivatives = getattr(sd, f"{name}_derivatives")(robot, unit(robot, q), s.dq, z)[1]
    tangent = fourth_order(lambda d: robot.integrate(unit(robot, q), d), np.zeros(n))
    near(full(J(np.concatenate([unit(robot, q), s.dq, z])))[:, :nq] @ tangent, derivatives, 1e-8)


def test_others_take_quaternions_of_any_length(quadruped, states, close):
    s = states(quadruped)
    q = s.q.copy()
    q[3:7] *= 3
    close(full(sd.generate(quadruped, "crba").casadi()(q)), sd.crba(quadruped, s.q), 1e-9)


@pytest.mark.parametrize("name", ["rnea", "aba", "gravity"])
def test_quaternions_of_lengths_whose_squares_are_no_numbers(states, name):
    robot = sd.load_urdf(ALONE, floating=True)
    F, s = sd.generate(robot, name).casadi(), states(robot)
    near = lambda found, expected, bound: np.testing.assert_array_less(np.abs(found - expected), bound * max(1, np.abs(expected).max()))  # noqa: E731
    x = casadi.MX.sym("x", robot.nq)
    others = [] if name == "gravity" else [s.dq, s.tau]
    y = F(x, *others)
    H, g = casadi.hessian(casadi.dot(s.lam, y), x)
    all_of = casadi.Function("all", [x], [y, casadi.jacobian(y, x), g, H])
    value, J, g, H = (full(part) for part in all_of(s.q))
    near(value.ravel(), getattr(sd, name)(robot, s.q, *others), 1e-9)
    for length in (1e160, 1e-160, 1e120, 1e-120):
        scale = np.ones(robot.nq)
        scale[3:7] = length
        found = [full(part) for part in all_of(s.q * scale)]
        near(found[0], value, 1e-10)
        near(found[1] * scale, J, 1e-10)
        near(found[2].ravel() * scale, g.ravel(), 1e-10)
        if 1e-130 < length < 1e130:  # else 1/|u|^2 is no number
            near(found[3] * scale[:, None] * scale, H, 1e-9)
    q = s.q.copy()
    q[3:7] = 0
    if name == "gravity":  # expressions cannot fail
        assert np.isnan(full(F(q))).all()
    else:
        with pytest.raises(RuntimeError, match="Evaluation failed"):
            F(q, *others)


OTHERS = [{"algorithm": "crba"}, {"algorithm": "minverse"}, {"algorithm": "bias"}, {"algorithm": "rnea-derivatives"},
          {"sensors": "forward-dynamics", "outputs": "ddq", "health": True},
          {"sensors": {"name": "noisy", "sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                                                    {"name": "rates", "type": "joint_acceleration", "joint": "*", "sigma": 1},
                                                    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]},
           "outputs": "tau", "sd": True, "weights": True}]


@pytest.mark.parametrize("what", OTHERS, ids=["crba", "minverse", "bias", "matrices", "sensors", "estimate"])
def test_all_other_programs_have_exact_derivatives(arm, what):
    """Values beside the compiled text, Jacobians beside differences, Hessians beside differences of those."""
    robot = sd.load_urdf(ROBOTS / "arm.urdf", cut=["link4"]) if "weights" in what else arm  # three joints: of nine the compiler takes eight seconds
    program = sd.generate(robot, **what)
    F, f = program.casadi(), program.compile(flags="-O0")
    rng = np.random.default_rng(7)
    at = [0.5 + rng.random(F.size1_in(k)) for k in range(F.n_in())]
    outputs = lambda *x: (lambda y: y if isinstance(y, (tuple, list)) else [y])(F(*x))  # noqa: E731
    compiled = f(*at)
    for found, expected in zip(outputs(*at), compiled if isinstance(compiled, tuple) else (compiled,)):
        found, expected = full(found), np.asarray(expected)
        assert np.abs(found.reshape(expected.shape) - expected).max() <= 1e-11 * max(1, np.abs(expected).max())
    assert F.name_in() == list(program.inputs) and F.name_out() == list(program.outputs)
    x, lam = casadi.SX.sym("x", F.size1_in(0)), rng.standard_normal(F.numel_out(0))
    y = casadi.dot(casadi.DM(lam), casadi.vec(outputs(x, *at[1:])[0]))
    H, g = casadi.hessian(y, x)
    slope, bend = casadi.Function("g", [x], [g]), casadi.Function("H", [x], [H])
    expected = fourth_order(lambda q: np.atleast_1d(lam @ full(outputs(q, *at[1:])[0]).ravel(order="F")), at[0])
    assert np.abs(full(slope(at[0])).ravel() - expected).max() <= 1e-7 * max(1, np.abs(expected).max())
    expected = fourth_order(lambda q: full(slope(q)).ravel(), at[0])
    assert np.abs(full(bend(at[0])) - expected).max() <= 1e-7 * max(1, np.abs(expected).max())


def test_the_compiler_is_heard_once_and_its_failure_is_told(arm, monkeypatch):
    heard = []
    program = sd.generate(arm, "rnea", name="heard")
    program.casadi(progress=lambda fraction, what: heard.append((fraction, what)))
    assert heard[-1] == (0.0, "linking") and [what for _, what in heard[:-1]] == ["compiling"] * 4
    program.casadi(progress=lambda fraction, what: heard.append(None))
    assert None not in heard  # kept
    monkeypatch.setenv("CC", "cc -DNOT_A_NUMBER=( -Dsin=)")
    with pytest.raises(sd.CompilerFailure):
        program.casadi()
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(sd.CompilerFailure, match="no-such-compiler"):
        program.casadi()


def test_programs_in_floats_are_refused(arm, tmp_path):
    program = sd.generate(arm, "rnea", name="f", dtype="float32")
    with pytest.raises(ValueError, match="float32"):
        program.casadi()
    source, *_ = program.save(tmp_path)
    subprocess.run(["cc", "-O1", "-fPIC", "-shared", source, "-lm", "-o", tmp_path / "f.so"], check=True)
    with pytest.raises(RuntimeError):
        casadi.external("f", str(tmp_path / "f.so"))


def test_without_a_cache_the_process_has_a_folder_of_its_own(arm, states, close, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # no folder can be made in a file
    s = states(arm)
    F = sd.generate(arm, "rnea", name="homeless").casadi()
    close(full(F(s.q, s.dq, s.ddq)).ravel(), sd.rnea(arm, s.q, s.dq, s.ddq), 1e-9)
