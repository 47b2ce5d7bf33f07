"""Program.jax: values, derivatives of first and second order, batches, errors. full_jax.py has every kind of program."""

import concurrent.futures
import pickle
import shutil
import threading

import numpy as np
import pytest

import sparsedyn as sd

jax = pytest.importorskip("jax", reason="jax is not installed (pip install 'sparsedyn[jax]'): .ci/full tries it")
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
jnp = jax.numpy
FAILURES = (ValueError, jax.errors.JaxRuntimeError)


@pytest.fixture(scope="module", autouse=True)
def doubles(tmp_path_factory):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")  # compiled in a third of the time
        yield
    jax.config.update("jax_enable_x64", before)


def three_joints(floating=False):
    """A chain of three skew joints, on a base that floats or not."""
    links = "".join(
        f'<link name="l{k}"><inertial><origin xyz="0.1 0.{k} 0.3" rpy="0.2 0 0.{k}"/><mass value="{2 - k / 3}"/>'
        f'<inertia ixx="0.4" iyy="0.5" izz="0.6" ixy="0.02" ixz="0.01" iyz="0"/></inertial></link>' for k in range(4))
    joints = "".join(
        f'<joint name="j{k}" type="{"prismatic" if k == 1 else "revolute"}"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0.3 0.1 0.{k}" rpy="1 0.{k} 0.5"/><axis xyz="0 {0.6 if k else 1} {0.8 if k else 0}"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>'
        for k in range(3))
    return sd.load_urdf(f'<robot name="three">{links}{joints}</robot>', floating=floating)


@pytest.fixture(scope="module")
def chain():
    return three_joints()


@pytest.fixture(scope="module")
def forward_dynamics(chain):
    return sd.generate(chain, "aba", name="fd").jax()


def near(found, expected, bound=1e-10):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= bound * max(1, np.abs(expected).max())


def test_values_and_all_ways_to_differentiate(chain, forward_dynamics, states):
    f, s = forward_dynamics, states(chain)
    at = (s.q, s.dq, s.tau)
    d = sd.aba_derivatives(chain, *at)
    near(f(*at), d.ddq)
    near(f(q=s.q, dq=s.dq, tau=s.tau), d.ddq)
    near(f({"tau": s.tau, "q": s.q, "dq": s.dq}), d.ddq)
    for make in (jax.jacfwd, jax.jacrev):
        for found, expected in zip(jax.jit(make(f, argnums=(0, 1, 2)))(*at), d[1:]):
            near(found, expected)
    along = (s.lam, s.dq, s.ddq)
    value, slope = jax.jvp(f, at, along)
    near(slope, sum(block @ x for block, x in zip(d[1:], along)))
    _, back = jax.vjp(f, *at)
    for found, block in zip(back(jnp.asarray(s.lam)), d[1:]):
        near(found, s.lam @ block)
    second = sd.aba_second_derivatives(chain, *at, contract=s.lam)
    hessian = jax.jit(jax.hessian(lambda *x: jnp.dot(s.lam, f(*x)), argnums=(0, 1, 2)))(*at)
    near(hessian[0][0], second[0])
    near(hessian[0][1], second[1])
    near(hessian[1][1], second[2])
    near(hessian[0][2], second[3])
    near(hessian[2][2], np.zeros((3, 3)))


def test_check_grads_to_second_order(chain, forward_dynamics, states):
    from jax.test_util import check_grads

    s = states(chain)
    check_grads(forward_dynamics, (s.q, s.dq, s.tau), order=2, modes=("fwd", "rev"), eps=1e-5, rtol=1e-5, atol=1e-5)


def test_batches_scans_and_broadcasting(chain, forward_dynamics, states):
    f, s = forward_dynamics, states(chain, (5, 70))
    expected = sd.aba(chain, s.q, s.dq, s.tau)
    near(f(s.q, s.dq, s.tau), expected)
    near(jax.vmap(jax.vmap(f))(s.q, s.dq, s.tau), expected)
    near(jax.vmap(f, in_axes=(1, 1, 1), out_axes=1)(s.q, s.dq, s.tau), expected)
    near(jax.vmap(f, in_axes=(None, 0, None))(s.q[0, 0], s.dq[0], s.tau[0, 0]), sd.aba(chain, s.q[0, 0], s.dq[0], s.tau[0, 0]))
    near(f(s.q, s.dq[0, 0], 0), sd.aba(chain, s.q, s.dq[0, 0], 0))  # a number alone is a vector of it
    wide = f(*(np.concatenate([x[0], x[1]]) for x in (s.q, s.dq, s.tau)))
    assert np.array_equal(wide[:70], f(s.q, s.dq, s.tau)[0]) and np.array_equal(wide[3:20], f(s.q[0, 3:20], s.dq[0, 3:20], s.tau[0, 3:20]))
    many = states(chain, 3001)  # divided among threads
    near(f(many.q, many.dq, many.tau), sd.aba(chain, many.q, many.dq, many.tau))
    assert np.array_equal(f(many.q, many.dq, many.tau)[2900:], f(many.q[2900:], many.dq[2900:], many.tau[2900:]))
    per_sample = jax.vmap(jax.grad(lambda q, v, t: jnp.sum(f(q, v, t) ** 2)))(s.q[0], s.dq[0], s.tau[0])
    d = sd.aba_derivatives(chain, s.q[0], s.dq[0], s.tau[0])
    near(per_sample, 2 * np.einsum("si,sij->sj", d.ddq, d.dddq_dq))
    shared = jax.grad(lambda t: jnp.sum(f(s.q[0], s.dq[0], t)))(jnp.zeros(3))  # one for all samples: its parts add up
    near(shared, sd.minverse(chain, s.q[0]).sum((0, 1)))

    def rolled(v):
        step = lambda state, _: ((state[0] + 0.01 * state[1], state[1] + 0.01 * f(*state, 0)), state[0])  # noqa: E731
        return jax.lax.scan(step, (jnp.asarray(s.q[0, 0]), v), None, length=20)[1][-1]

    v, h = s.dq[0, 0], 1e-6
    steps = [(rolled(v + h * e) - rolled(v - h * e)) / (2 * h) for e in np.eye(3)]
    near(jax.jit(jax.jacrev(rolled))(v), np.stack(steps, -1), 1e-7)


def test_floats(chain, forward_dynamics, states):
    s = states(chain)
    at = tuple(jnp.asarray(x, jnp.float32) for x in (s.q, s.dq, s.tau))
    expected = sd.aba(chain, *(np.asarray(x, float) for x in at))
    single = sd.generate(chain, "aba", name="fd32", dtype="float32").jax()
    for f, bound in ((forward_dynamics, 1e-7), (single, 2e-5)):
        assert f(*at).dtype == jnp.float32 and jax.jacrev(f)(*at).dtype == jnp.float32
        near(f(*at), expected, bound)
        near(jax.jacrev(f)(*at), sd.aba_derivatives(chain, *(np.asarray(x, float) for x in at)).dddq_dq, 10 * bound)
    near(forward_dynamics(*(x[None].repeat(9, 0) for x in at))[4], expected, 1e-7)
    assert forward_dynamics(at[0], s.dq, at[2]).dtype == jnp.float64


def test_samples_without_an_answer(chain, forward_dynamics, states):
    s = states(chain, 60)
    dq = s.dq.copy()
    dq[41, 2] = np.inf
    with pytest.raises(Exception, match=r"fd: sample 41: dq\[2\] is not finite"):
        jax.block_until_ready(forward_dynamics(s.q, dq, s.tau))
    with pytest.raises(Exception, match=r"fd: dq\[2\] is not finite"):
        jax.block_until_ready(forward_dynamics(s.q[41], dq[41], s.tau[41]))
    f = sd.generate(chain, "aba", name="fd").jax(on_error="nan")
    value, failed = jax.jit(f)(s.q, dq, s.tau)
    assert np.flatnonzero(failed).tolist() == [41] and np.isnan(value[41]).all()
    fine = np.arange(60) != 41
    near(value[fine], sd.aba(chain, s.q[fine], s.dq[fine], s.tau[fine]))
    slopes, failed = jax.vmap(jax.grad(lambda *x: (f(*x).value.sum(), f(*x).failed), has_aux=True))(s.q, dq, s.tau)
    assert np.isnan(slopes[41]).all() and np.isfinite(slopes[fine]).all() and np.flatnonzero(failed).tolist() == [41]


def test_the_same_text_is_one_function_of_xla(chain, states):
    from sparsedyn._jax import _targets

    s = states(chain)
    lowered = [jax.jit(sd.generate(chain, "crba", name="one").jax()).lower(s.q).as_text() for _ in range(2)]
    assert lowered[0] == lowered[1] and sum(name.startswith("sparsedyn_one_raise_") for name in _targets) == 1
    other = sd.generate(chain, "minverse", name="one").jax()
    near(other(s.q), sd.minverse(chain, s.q))


def test_requests_that_cannot_be(chain, forward_dynamics, states):
    f, s = forward_dynamics, states(chain)
    with pytest.raises(ValueError, match=r"dq: \(2,\); expected \(\.\.\., 3\)"):
        f(s.q, s.dq[:2], s.tau)
    with pytest.raises(ValueError, match="broadcast"):
        f(np.zeros((2, 3)), np.zeros((4, 3)), 0)
    with pytest.raises(TypeError, match="tau missing"):
        f(s.q, s.dq)
    with pytest.raises(TypeError, match="no input torque"):
        f(s.q, s.dq, torque=s.tau)
    with pytest.raises(TypeError, match="twice"):
        f(s.q, s.dq, s.tau, q=s.q)
    with pytest.raises(TypeError, match="complex"):
        f(s.q + 0j, s.dq, s.tau)
    with pytest.raises(ValueError, match="on_error"):
        sd.generate(chain, "aba").jax(on_error="flag")
    with pytest.raises(ValueError, match="health"):
        sd.generate(chain, "aba", health=True).jax()


def test_quaternions(states):
    """By four numbers: of the scaled quaternion. Along the tangent: the derivatives that the library has."""
    robot = three_joints(floating=True)
    f, s = sd.generate(robot, "bias", name="hold").jax(), states(robot)
    q = s.q.copy()
    q[3:7] *= 1.7
    near(f(q, s.dq), sd.bias(robot, s.q, s.dq))
    J = np.asarray(jax.jacrev(f)(q, s.dq))
    assert np.abs(J[:, 3:7] @ q[3:7]).max() < 1e-10 * np.abs(J).max()
    J = np.asarray(jax.jacfwd(f)(s.q, s.dq))
    h = 1e-6
    tangent = np.stack([(robot.integrate(s.q, h * e) - robot.integrate(s.q, -h * e)) / (2 * h) for e in np.eye(robot.nv)], -1)
    near(J @ tangent, sd.rnea_derivatives(robot, s.q, s.dq, 0 * s.dq).dtau_dq, 1e-8)


@pytest.mark.parametrize("dtype, lengths, bound", [("float64", (1e160, 1e-160, 1e300, 1e-300, 1e4), 1e-10), ("float32", (1e20, 1e-20, 1e37, 1e-30), 1e-3)])
def test_quaternions_of_lengths_whose_squares_are_no_numbers(states, dtype, lengths, bound):
    """f(u/|u|) does not depend on the length, and its derivative by u is that at norm 1 divided by it."""
    robot = three_joints(floating=True)
    f, s = sd.generate(robot, "bias", name=f"hold_{dtype}", dtype=dtype).jax(), states(robot, 3)
    to = jnp.dtype(dtype)
    q, dq, along = (np.asarray(x, to) for x in (s.q, s.dq, np.random.default_rng(8).standard_normal(s.q.shape)))
    value, (slope, back) = f(q, dq), derivatives(f, q, dq, along)
    near(value, sd.bias(robot, s.q, s.dq), max(1e-10, bound / 10))
    for length in lengths:
        scale = np.ones(robot.nq, to)
        scale[3:7] = length
        near(f(q * scale, dq), value, bound)
        near(f(q[1] * scale, dq[1]), value[1], bound)
        for rows in (slice(None), 1):
            found = derivatives(f, (q * scale)[rows], dq[rows], (along * scale)[rows])
            near(found[0], slope[rows], bound)
            near(found[1] * scale, back[rows], bound)
    for zero in (q[1].copy(), q.copy()):
        zero[..., 3:7] = 0
        for ask in (f, jax.jacrev(f)):
            with pytest.raises(FAILURES, match=r"q\[3:7\] is zero; expected a quaternion"):
                jax.block_until_ready(ask(zero, dq[1]))


def derivatives(f, q, dq, along):
    """Along q, and the gradient of the sum of results."""
    return jax.jvp(lambda q: f(q, dq), (q,), (along,))[1], jax.grad(lambda q: f(q, dq).sum())(q)


def test_second_derivatives_by_long_and_short_quaternions(states):
    robot = three_joints(floating=True)
    s = states(robot)
    f = sd.generate(robot, "gravity", name="weight").jax()
    twice = [jax.hessian(lambda q: jnp.dot(s.lam, f(q))), jax.jacrev(jax.jacrev(lambda q: jnp.dot(s.lam, f(q))))]
    for second in twice:
        H = np.asarray(second(s.q))
        assert np.abs(H[3:7, 3:7]).max() > 1
        for length in (1e120, 1e-120):
            scale = np.ones(robot.nq)
            scale[3:7] = length
            near(np.asarray(second(s.q * scale)) * scale[:, None] * scale, H)


def test_results_beyond_the_numbers_of_floats_fail(chain, forward_dynamics, states):
    s = states(chain, 3)
    q, dq, tau = (np.asarray(x, np.float32) for x in (s.q, s.dq, s.tau))
    dq[1] *= np.float32(1e20)  # an acceleration of 1e40, which the program's doubles hold
    assert np.abs(sd.aba(chain, *(np.asarray(x, float) for x in (q, dq, tau)))[1]).max() > 1e39
    for rows in (slice(None), 1):
        with pytest.raises(FAILURES, match="the results are not finite"):
            jax.block_until_ready(forward_dynamics(q[rows], dq[rows], tau[rows]))
    value, failed = sd.generate(chain, "aba", name="fd").jax(on_error="nan")(q, dq, tau)
    assert np.asarray(failed).tolist() == [False, True, False] and np.isnan(value[1]).all() and np.isfinite(np.asarray(value)[[0, 2]]).all()


@pytest.mark.parametrize("fails_first", [False, True])
def test_both_types_of_jaxs_error(chain, states, fails_first):
    """Which of the two it is depends on what was called before."""
    s = states(chain)
    f = jax.jit(sd.generate(chain, "gravity", name=f"gravity_{fails_first}").jax())
    for fails in (fails_first, not fails_first, fails_first, True, True):
        if not fails:
            near(f(s.q), sd.gravity(chain, s.q))
            continue
        with pytest.raises(FAILURES, match=r"q\[1\] is not finite"):
            jax.block_until_ready(f(s.q * [1, np.nan, 1]))


def test_equal_programs_in_threads(chain, states):
    """Each thread has read the program from a pickle: one of them registers the text, and all call it."""
    s, count = states(chain), 6
    written = pickle.dumps(sd.generate(chain, "energy", name="in_threads"))
    functions = [jax.jit(pickle.loads(written).jax()) for _ in range(count)]
    together = threading.Barrier(count)

    def called(f):
        together.wait()
        return np.asarray(f(s.q, s.dq))

    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        found = list(threads.map(called, functions))
    expected = np.asarray(sd.generate(chain, "energy", name="in_threads").compile()(s.q, s.dq))
    for each in found:
        near(each, expected)


def test_functions_of_one_program_have_results_of_one_class(chain, states):
    s = states(chain)
    program = sd.generate(chain, "rnea-derivatives", name="slopes")
    f, g = program.jax(), program.jax()
    found = jax.lax.cond(True, f, g, s.q, s.dq, s.ddq)
    near(found.dtau_dq, sd.rnea_derivatives(chain, s.q, s.dq, s.ddq).dtau_dq)
    assert type(found) is type(program.compile()(s.q, s.dq, s.ddq)) is type(pickle.loads(pickle.dumps(program)).jax()(s.q, s.dq, s.ddq))
