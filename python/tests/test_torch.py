"""Program.torch by a stand-in of PyTorch's protocol; full_torch.py asks torch itself."""

import pickle
import shutil
import sys

import numpy as np
import pytest

import sparsedyn as sd
import torch_stand_in

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


@pytest.fixture(scope="module", autouse=True)
def torch():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        patch.setitem(sys.modules, "torch", torch_stand_in)
        patch.delitem(sys.modules, "sparsedyn._torch", raising=False)
        yield torch_stand_in
        sys.modules.pop("sparsedyn._torch", None)


PENDULUM = """<robot name="two"><link name="base"><inertial><mass value="3"/><inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><origin xyz="0 0 1" rpy="0.2 0 0"/><axis xyz="0 1 0"/></joint>
<link name="one"><inertial><origin xyz="0.1 0 -0.5"/><mass value="2"/><inertia ixx="0.3" iyy="0.2" izz="0.15" ixy="0" ixz="0.02" iyz="0"/></inertial></link>
<joint name="b" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0 0.1 -1"/><axis xyz="1 0 0"/></joint>
<link name="two"><inertial><origin xyz="0 0.1 -0.4"/><mass value="1"/><inertia ixx="0.15" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0.01"/></inertial></link>
</robot>"""


@pytest.fixture(scope="module")
def pendulum():
    return sd.load_urdf(PENDULUM)


def near(found, expected, bound=1e-10):
    found = np.asarray(found)
    assert found.shape == expected.shape and np.abs(found - expected).max() <= bound * max(1, np.abs(expected).max())


def test_the_operator_and_all_that_is_registered_with_it(torch, pendulum, states):
    program, s = sd.generate(pendulum, "aba", name="fd"), states(pendulum, (3, 4))
    f = program.torch()
    expected = sd.aba_derivatives(pendulum, s.q, s.dq, s.tau)
    near(f(s.q, s.dq, s.tau), expected.ddq)
    near(f(q=s.q, dq=s.dq[0, 0], tau=0), sd.aba(pendulum, s.q, s.dq[0, 0], 0))
    assert f(*(x.astype(np.float32) for x in (s.q, s.dq, s.tau))).dtype == np.float32

    from sparsedyn._torch import operator

    code, tensors = program._derivatives, [torch.Tensor(x) for x in (s.q, s.dq, s.tau)]
    made = operator(code, "raise")
    assert made is operator(code, "raise") and made.schema == "(Tensor q, Tensor dq, Tensor tau) -> Tensor"
    fake = made.fake(*tensors)
    assert fake.shape == (3, 4, 2) and fake.dtype == np.float64
    back = made.backward(tensors, torch.Tensor(s.lam))
    for found, block in zip(back, expected[1:]):
        near(found, np.einsum("...i,...ij->...j", s.lam, block))
    assert [x.shape for x in operator(code.then("r"), "raise").fake(*tensors, torch.Tensor(s.lam))] == [(3, 4, 2)] * 3

    # Backward of backward, of mu times the gradient by q: by lambda the Jacobian times mu, by q the Hessian times mu.
    mu = torch.Tensor(np.random.default_rng(3).standard_normal(s.q.shape))
    twice = operator(code.then("r"), "raise").backward([*tensors, torch.Tensor(s.lam)], mu, None, None)
    near(twice[3], np.einsum("...ij,...j->...i", expected.dddq_dq, mu.array))
    second = sd.aba_second_derivatives(pendulum, s.q, s.dq, s.tau, contract=s.lam)
    near(twice[0], np.einsum("...ij,...j->...i", second[0], mu.array))

    class Info:
        batch_size = 4

    found, axis = made.over_batch(Info, (1, 1, None), tensors[0], tensors[1], tensors[2][:, 0])
    assert axis == 0
    near(found, sd.aba(pendulum, s.q, s.dq, s.tau[:, :1]).swapaxes(0, 1))


def test_several_outputs(torch, pendulum, states):
    s = states(pendulum, 5)
    found = sd.generate(pendulum, "rnea-derivatives", name="slopes").torch()(s.q, s.dq, s.ddq)
    expected = sd.rnea_derivatives(pendulum, s.q, s.dq, s.ddq)
    assert found._fields == ("dtau_dq", "dtau_dv", "M")
    for name in found._fields:
        near(getattr(found, name), getattr(expected, name))


def test_requests_that_cannot_be(torch, pendulum, states):
    program, s = sd.generate(pendulum, "aba", name="fd"), states(pendulum, 3)
    f = program.torch()
    dq = s.dq.copy()
    dq[1, 0] = np.nan
    with pytest.raises(sd.SolveError) as error:
        f(s.q, dq, s.tau)
    assert list(error.value.rows) == [1]
    with pytest.raises(ValueError, match=r"dq: \(3, 1\); expected \(\.\.\., 2\)"):
        f(s.q, s.dq[:, :1], s.tau)
    with pytest.raises(ValueError, match="broadcast"):
        f(s.q, np.zeros((2, 2)), 0)
    with pytest.raises(TypeError, match="complex"):
        f(s.q + 0j, s.dq, s.tau)
    with pytest.raises(TypeError, match="tau missing"):
        f(s.q, s.dq)
    with pytest.raises(ValueError, match="on_error"):
        program.torch(on_error="flag")
    with pytest.raises(ValueError, match="health"):
        sd.generate(pendulum, "aba", health=True).torch()


def test_without_torch_the_extra_is_named(pendulum):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", None)
        patch.delitem(sys.modules, "sparsedyn._torch", raising=False)
        with pytest.raises(ImportError, match=r"sparsedyn\[torch\]"):
            sd.generate(pendulum, "aba").torch()
        patch.setitem(sys.modules, "jax", None)
        patch.delitem(sys.modules, "sparsedyn._jax", raising=False)
        with pytest.raises(ImportError, match=r"sparsedyn\[jax\]"):
            sd.generate(pendulum, "aba").jax()


def test_programs_of_derivatives_by_name(pendulum, states):
    """The texts that jax and torch call, beside the recursion: names, shapes and numbers; quaternions of any norm."""
    s = states(pendulum)
    code = sd.generate(pendulum, "aba", name="fd")._derivatives
    forward = code.then("f")
    assert [name for name, _ in forward.inputs] == ["q", "dq", "tau", "along_q", "along_dq", "along_tau"] and forward.outputs == (("slope_ddq", (2,)),)
    assert [name for name, _ in forward.then("r").inputs][-1] == "times2_slope_ddq" and forward.then("r").outputs[3] == ("slope2_along_q", (2,))
    d = sd.aba_derivatives(pendulum, s.q, s.dq, s.tau)
    near(forward.compiled()(s.q, s.dq, s.tau, s.ddq, s.lam, np.zeros(2)), d.dddq_dq @ s.ddq + d.dddq_dv @ s.lam)
    again = pickle.loads(pickle.dumps(code.program))._derivatives.then("f")
    assert again.inputs == forward.inputs and again.text(True) == forward.text(True)
    with pytest.raises(ValueError, match="'x'"):
        sd.generate(pendulum, "aba")._derived_text("fd", "x")
    with pytest.raises(ValueError, match="health"):
        sd.generate(pendulum, "aba", health=True)._derived_text("fd", "f")


def test_numbers_of_python_are_read_in_the_type_of_the_others(torch, pendulum, states):
    """0.1 in float32 is another number: its error would be 1e-9."""
    f, s = sd.generate(pendulum, "aba", name="fd").torch(), states(pendulum)
    expected = sd.aba(pendulum, s.q, s.dq, np.full(2, 0.1))
    for tau in (0.1, [0.1, 0.1], np.float64(0.1)):
        near(f(torch.Tensor(s.q), torch.Tensor(s.dq), tau), expected, 1e-14)
        near(f(s.q, s.dq.tolist(), tau), expected, 1e-14)
    single = f(torch.Tensor(s.q.astype(np.float32)), torch.Tensor(s.dq.astype(np.float32)), 0.1)
    assert single.dtype == np.float32 and f(s.q.tolist(), s.dq.tolist(), 0.1).dtype == np.float32
    with pytest.raises(TypeError, match="complex"):
        f(s.q, s.dq, 1j)


@pytest.mark.parametrize("dtype, lengths, bound", [("float64", (1e160, 1e-160, 1e300, 1e-300), 1e-10), ("float32", (1e20, 1e-20, 1e37, 1e-30), 1e-4)])
def test_quaternions_of_lengths_whose_squares_are_no_numbers(torch, states, dtype, lengths, bound):
    robot = sd.load_urdf(PENDULUM, floating=True)
    program, s = sd.generate(robot, "gravity", name=f"weight_{dtype}", dtype=dtype), states(robot, 3)
    from sparsedyn._torch import operator

    back = operator(program._derivatives.then("r"), "raise")
    q, lam = s.q.astype(dtype), s.lam.astype(dtype)
    value, slope = program.torch()(q), np.asarray(back(torch.Tensor(q), torch.Tensor(lam)))
    near(value, sd.gravity(robot, s.q), bound)
    for length in lengths:
        scale = np.ones(robot.nq, dtype)
        scale[3:7] = length
        near(program.torch()(q * scale), np.asarray(value), bound)
        near(np.asarray(back(torch.Tensor(q * scale), torch.Tensor(lam))) * scale, slope, bound)
    q[1, 3:7] = 0
    with pytest.raises(sd.SolveError) as error:
        program.torch()(q)
    assert list(error.value.rows) == [1]


def test_results_beyond_the_numbers_of_floats_fail(torch, pendulum, states):
    s = states(pendulum, 3)
    q, dq, tau = (x.astype(np.float32) for x in (s.q, s.dq, s.tau))
    dq[1] *= np.float32(1e20)
    program = sd.generate(pendulum, "aba", name="fd")
    with pytest.raises(sd.SolveError, match="not finite") as error:
        program.torch()(q, dq, tau)
    assert list(error.value.rows) == [1]
    from sparsedyn._torch import operator

    found = np.asarray(operator(program._derivatives, "nan")(*(torch.Tensor(x) for x in (q, dq, tau))))
    assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all() and found.dtype == np.float32


def test_functions_of_one_program_have_results_of_one_class(torch, pendulum, states):
    s, program = states(pendulum), sd.generate(pendulum, "rnea-derivatives", name="slopes")
    assert type(program.torch()(s.q, s.dq, s.ddq)) is type(program.torch()(s.q, s.dq, s.ddq)) is type(program.compile()(s.q, s.dq, s.ddq))


def test_a_step_of_a_free_base(torch, states):
    robot = sd.load_urdf(PENDULUM, floating=True)
    program = sd.generate(robot, stage="semi-implicit", outputs="x_next", name="step")
    s, dt = states(robot, (2,)), np.full((2, 1), 0.01)
    x, u = np.concatenate([s.q, s.dq], -1), s.tau[..., 6:]
    expected = program.compile(flags="-O0")(x, u, dt)
    longer = x.copy()
    longer[..., 3:7] *= 2
    near(program.torch()(longer, u, dt), expected)

    from sparsedyn._torch import operator

    # Along the first torque beside differences.
    times = np.random.default_rng(3).standard_normal(expected.shape)
    back = operator(program._derivatives, "raise").backward([torch.Tensor(each) for each in (longer, u, dt)], torch.Tensor(times))
    moved = [program.compile(flags="-O0")(x, u + sign * np.array([[1e-4, 0]]), dt) for sign in (-1, 1)]
    near(np.asarray(back[1])[:, 0], np.einsum("ki,ki->k", times, moved[1] - moved[0]) / 2e-4, 1e-7)
    quaternion = slice(3, 7)
    assert np.abs(np.einsum("ki,ki->k", np.asarray(back[0])[:, quaternion], longer[:, quaternion])).max() < 1e-10  # none along itself
