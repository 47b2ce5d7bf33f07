"""Program.casadi: values, Jacobians, Hessians, and an optimisation by Ipopt."""

import shutil

import numpy as np
import pytest

import sparsedyn as sd

casadi = pytest.importorskip("casadi")
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module", params=["rnea", "aba"])
def made(request, arm):
    return request.param, sd.generate(arm, request.param).casadi()


def full(x):
    return np.array(x.full() if hasattr(x, "full") else x)


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


def test_a_floating_base_says_that_it_has_no_derivatives(quadruped, states, close):
    s = states(quadruped)
    with pytest.warns(sd.SparsedynWarning, match="quaternions"):
        F = sd.generate(quadruped, "rnea").casadi()
    close(full(F(s.q, s.dq, s.ddq)).ravel(), sd.rnea(quadruped, s.q, s.dq, s.ddq), 1e-9)
