"""Program.torch in PyTorch itself (.ci/full): opcheck, gradcheck, gradgradcheck, torch.func, values and derivatives."""

import shutil

import numpy as np
import pytest

import sparsedyn as sd
from test_torch import PENDULUM, near

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")

KINDS = {"aba": ("q", "dq", "tau"), "rnea": ("q", "dq", "ddq"), "crba": ("q",), "energy": ("q", "dq"), "rnea-derivatives": ("q", "dq", "ddq"),
         "bias": ("q", "dq")}


@pytest.fixture(scope="module", params=[False, True], ids=["fixed", "floating"])
def pendulum(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        yield sd.load_urdf(PENDULUM, floating=request.param)


def tensors(*arrays):
    return [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in arrays]


@pytest.mark.parametrize("kind", KINDS)
def test_torch_finds_nothing_wrong(pendulum, states, kind):
    from sparsedyn._torch import operator

    program, s = sd.generate(pendulum, kind, name="p"), states(pendulum, 2)
    f, at = program.torch(), tensors(*(getattr(s, name) for name in KINDS[kind]))
    torch.library.opcheck(operator(program._derivatives, "raise"), tuple(at))
    assert torch.autograd.gradcheck(f, at, eps=1e-6, atol=1e-6)
    assert torch.autograd.gradgradcheck(f, at, eps=1e-6, atol=1e-5)


def test_derivatives_are_the_librarys(states):
    robot = sd.load_urdf(PENDULUM)
    s, f = states(robot, 4), sd.generate(robot, "aba", name="fd").torch()
    at = tensors(s.q, s.dq, s.tau)
    d = sd.aba_derivatives(robot, s.q, s.dq, s.tau)
    near(f(*at).detach(), d.ddq)
    (f(*at) * torch.tensor(s.lam)).sum().backward()
    for x, block in zip(at, d[1:]):
        near(x.grad, np.einsum("si,sij->sj", s.lam, block))
    plain = [x.detach() for x in at]
    jacobians = torch.func.vmap(torch.func.jacrev(f, argnums=(0, 1, 2)))(*plain)
    for found, block in zip(jacobians, d[1:]):
        near(found, block)
    for found, block in zip(torch.func.vmap(torch.func.jacfwd(f, argnums=(0, 1, 2)))(*plain), d[1:]):
        near(found, block)
    second = sd.aba_second_derivatives(robot, s.q, s.dq, s.tau, contract=s.lam)
    loss = lambda q, dq, tau, lam: (lam * f(q, dq, tau)).sum()  # noqa: E731
    for hessian in (torch.func.hessian(loss), torch.func.jacrev(torch.func.grad(loss)), torch.func.jacfwd(torch.func.jacfwd(loss))):
        near(torch.func.vmap(hessian)(*plain, torch.tensor(s.lam)), second[0])
    _, slope = torch.func.jvp(f, tuple(plain), tuple(torch.tensor(x) for x in (s.lam, s.ddq, s.tau)))
    near(slope, sum(np.einsum("sij,sj->si", block, x) for block, x in zip(d[1:], (s.lam, s.ddq, s.tau))))
    near(torch.func.vmap(f, in_dims=(0, None, 1))(plain[0], plain[1][0], plain[2].T), sd.aba(robot, s.q, s.dq[0], s.tau))
    with pytest.raises(sd.SolveError):
        f(plain[0] * np.inf, plain[1], plain[2])
    value, failed = sd.generate(robot, "aba", name="fd").torch(on_error="nan")(plain[0] * np.inf, plain[1], plain[2])
    assert failed.all() and torch.isnan(value).all()
    single = f(*(x.float() for x in plain))
    assert single.dtype == torch.float32
    near(single, d.ddq, 1e-5)
