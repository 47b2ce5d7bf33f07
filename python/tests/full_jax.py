"""Every kind of program in JAX: jvp, vjp, grad, hessian, vmap, jit and scan beside CasADi's own derivatives of the same operations."""

import shutil

import numpy as np
import pytest

import sparsedyn as sd
from test_jax import doubles, jnp, near, three_joints  # noqa: F401

jax, casadi = pytest.importorskip("jax"), pytest.importorskip("casadi")
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")

ALGORITHMS = ["rnea", "aba", "crba", "minverse", "coriolis", "bias", "gravity", "energy", "hamilton", "momentum", "momentum-rate",
              "centroidal-momentum-matrix", "centre-of-mass-jacobian", "rnea-derivatives", "aba-derivatives", "rnea-second-derivatives",
              "rnea-with-derivatives", "regressor", "regressor-times", "regressor-transposed-times", "kinematics", "jacobians", "jacobian-rates"]
NOISY = {"name": "noisy", "sensors": [{"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                                      {"name": "rates", "type": "joint_acceleration", "joint": "*", "sigma": 1},
                                      {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
KINDS = {name: {"algorithm": name} for name in ALGORITHMS} | {
    "christoffel": {"algorithm": "christoffel"},
    "wrenches": {"algorithm": "aba", "all_inputs": True},
    "forward-dynamics": {"sensors": "forward-dynamics", "outputs": ["ddq", "f"]},
    "estimate": {"sensors": NOISY, "outputs": "tau", "sd": True, "weights": True},
    "step": {"stage": "semi-implicit", "outputs": ["x_next", "A"]},
    "rk4": {"stage": "rk4", "outputs": "x_next"},
    "sensitivities": {"sensors": "forward-dynamics", "outputs": "ddq", "derivatives": ["q", "v"]},
}


@pytest.fixture(scope="module", params=[False, True], ids=["fixed", "floating"])
def chain(request):
    return three_joints(request.param)


def flat(values):
    """All outputs as one vector."""
    values = values if isinstance(values, tuple) else (values,)
    return jnp.concatenate([jnp.ravel(x) for x in values])


def casadi_derivatives(program, at, times):
    """All outputs as one vector, their Jacobian by all inputs, and the Hessian of `times` times the vector."""
    from sparsedyn._casadi import _expressions, _of_norm_one

    x = casadi.SX.sym("x", sum(len(one) for one in at))
    parts, start = [], 0
    for one in at:
        parts.append(x[start : start + len(one)])
        start += len(one)
    quaternions = sd._core._quaternions(program._robot)
    given = [_of_norm_one(one, quaternions) if name in ("q", "x") and quaternions else one for one, name in zip(parts, program.inputs)]
    y = casadi.vertcat(*_expressions(program, given))
    H, _ = casadi.hessian(casadi.dot(casadi.DM(times), y), x)
    found = casadi.Function("all", [x], [y, casadi.jacobian(y, x), H])(np.concatenate(at))
    return [np.array(one.full()) for one in found]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_program(chain, kind):
    if kind == "christoffel" and chain.nq != chain.nv:
        pytest.skip("for a fixed base")
    if kind == "estimate" and chain.nq != chain.nv:
        pytest.skip("the set does not determine a free base")
    program = sd.generate(chain, **KINDS[kind], name="p")
    f = program.jax()
    rng = np.random.default_rng(5)
    at = [chain.random(rng) if name == "q" else 0.5 + rng.random(shape) for name, shape in program._inputs]
    if "x" in program.inputs:  # q, then dq
        at[0][: chain.nq] = chain.random(rng)
    if chain.nq != chain.nv:
        at[0][3:7] *= 1.3
    along = [rng.standard_normal(x.shape) for x in at]
    times = rng.standard_normal(sum(int(np.prod(shape)) for _, shape in program._outputs))
    values, J, H = casadi_derivatives(program, at, times)
    whole = lambda *x: flat(f(*x))  # noqa: E731
    near(whole(*at), values.ravel())
    value, slope = jax.jvp(whole, at, along)
    near(value, values.ravel())
    near(slope, J @ np.concatenate(along))
    _, back = jax.vjp(whole, *at)
    near(np.concatenate(back(jnp.asarray(times))), times @ J)
    every = tuple(range(len(at)))
    loss = lambda *x: jnp.dot(times, whole(*x))  # noqa: E731
    gradient = jax.jit(jax.grad(loss, argnums=every))
    near(np.concatenate(gradient(*at)), times @ J)
    found = jax.jit(jax.hessian(loss, argnums=every))(*at)
    near(np.block([[np.asarray(block) for block in row] for row in found]), H)
    near(np.concatenate(jax.jacfwd(whole, argnums=every)(*at), -1), J)
    batch = [np.stack([x, x + 0.01, x]) for x in at]
    rows = jax.vmap(gradient)(*batch)
    for one, row in zip(gradient(*(x[1] for x in batch)), rows):
        near(row[1], one)
    near(np.concatenate([row[2] for row in rows]), times @ J)

    def step(total, shift):
        return total + loss(*(x + shift for x in at)), None

    rolled = jax.jit(lambda shifts: jax.lax.scan(step, 0.0, shifts)[0])
    near(rolled(jnp.zeros(3)), 3 * float(times @ values.ravel()))
    near(jax.grad(rolled)(jnp.zeros(3))[0], float((times @ J).sum()))
