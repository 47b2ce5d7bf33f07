"""Robots that ship, fixed and floating."""

import pathlib
import signal

import numpy as np
import pytest

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROBOTS = ROOT / "robots"

# A shell ignores control-C for what it starts in the background (`… &`, nohup), and programs that tests start and interrupt would, too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def empty_cache(tmp_path_factory):
    """Nothing that other runs kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def compiled_anew(tmp_path_factory):
    """No compiled program that other tests kept, and a third of the time to compile one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("CFLAGS", "-O0")
        yield


@pytest.fixture(scope="session")
def arm() -> sd.Model:
    return sd.load_urdf(ROBOTS / "arm.urdf")


@pytest.fixture(scope="session")
def quadruped() -> sd.Model:
    return sd.load_urdf(ROBOTS / "quadruped.urdf", floating=True)


@pytest.fixture(scope="session", params=["arm", "arm-floating", "quadruped"])
def robot(request: pytest.FixtureRequest) -> sd.Model:
    name = request.param
    return sd.load_urdf(ROBOTS / f"{name.split('-')[0]}.urdf", floating=name != "arm")


class States:
    """Random states of a robot, as attributes q, dq, ddq, tau, lam of the batch shape."""

    def __init__(self, robot: sd.Model, shape=(), seed=1):
        rng = np.random.default_rng(seed)
        self.q = robot.random(rng, shape)
        shape = self.q.shape[:-1]
        self.dq, self.ddq, self.tau, self.lam = (rng.standard_normal((*shape, robot.nv)) for _ in range(4))


@pytest.fixture
def states():
    return States


def close(found, expected, bound=1e-10):
    """|x − r| ≤ bound · max(1, |r|), entry by entry."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= bound * np.maximum(1, np.abs(expected)))


def full(x):
    """CasADi's matrices, or numbers, as an array."""
    return np.array(x.full() if hasattr(x, "full") else x)


@pytest.fixture(name="close")
def close_fixture():
    return close
