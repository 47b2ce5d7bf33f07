"""Random calls: any function with any arrays, right and wrong ones. What is accepted has the numbers that plain arrays have; what is
not is refused by name; memory stays where it is. SPARSEDYN_RANDOM_CALLS: how many (3000)."""

import gc
import os

import numpy as np
import pytest

import sparsedyn as sd

CALLS = int(os.environ.get("SPARSEDYN_RANDOM_CALLS", "3000"))
KINDS = {"rnea": "qva", "aba": "qva", "bias": "qv", "gravity": "q", "crba": "q", "minverse": "q", "coriolis": "qv", "hamilton": "qva",
         "regressor": "qva", "rnea_derivatives": "qva", "aba_derivatives": "qva", "energy": "qv", "momentum": "qv", "centre_of_mass": "q"}


def disguised(rng, x):
    """The same numbers as something else that arrays can be."""
    kind = rng.integers(9)
    if kind == 1:
        return np.asfortranarray(x)
    if kind == 2:
        wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)
        wide[..., ::2] = x
        return wide[..., ::2]
    if kind == 3:
        return x[..., ::-1].copy()[..., ::-1]
    if kind == 4:
        return x.astype(">f8")
    if kind == 5 and x.size:
        return x.tolist()
    if kind == 6:
        x = x.copy()
        x.setflags(write=False)
        return x
    if kind == 7:
        return np.frombuffer(b"\0" * 4 + x.tobytes(), dtype=np.uint8)[4:].view(np.float64).reshape(x.shape)  # not aligned
    return x


def spoiled(rng, x):
    """What is no input: other sizes, complex, text, NaN."""
    kind = rng.integers(5)
    if kind == 0:
        return x[..., :-1]
    if kind == 1:
        return np.concatenate([x, x[..., :1]], -1)
    if kind == 2:
        return x.astype(complex) + 1j
    if kind == 3:
        return "q"
    x = x.copy()
    x.flat[rng.integers(x.size)] = rng.choice([np.nan, np.inf])
    return x


def outputs(rng, value, inputs):
    """An `out` that fits, or one that cannot be."""
    arrays = value if isinstance(value, tuple) else (value,)
    kind = rng.integers(6)
    made = []
    for x in arrays:
        if kind == 0:
            made.append(np.zeros((*np.shape(x), 2))[..., 0] if np.ndim(x) else np.zeros(()))
        elif kind == 1:
            made.append(np.zeros(np.shape(x), dtype=np.float32))
        elif kind == 2:
            made.append(np.zeros((*np.shape(x), 1)))
        elif kind == 3:
            made.append(np.zeros(np.shape(x)))
            made[-1].setflags(write=False)
        elif kind == 4 and isinstance(inputs[0], np.ndarray) and inputs[0].dtype == np.float64:
            made.append(np.lib.stride_tricks.as_strided(inputs[0], np.shape(x), [8] * np.ndim(x)))
        else:
            made.append(np.zeros(np.shape(x)))
    return (tuple(made) if isinstance(value, tuple) else made[0]), kind in (0, 5) or (kind == 4 and made[0].base is None)


def one_call(rng, robot):
    name = list(KINDS)[rng.integers(len(KINDS))]
    function, shape = getattr(sd, name), tuple(rng.integers(0, 4, size=rng.integers(0, 4)))
    plain = [robot.random(rng, shape) if k == "q" else rng.standard_normal((*shape, robot.nv)) for k in KINDS[name]]
    if shape and rng.integers(3) == 0:
        last = rng.integers(len(plain))
        plain[last] = plain[last].reshape(-1, plain[last].shape[-1])[:1].reshape(-1) if plain[last].size else plain[last]
    if rng.integers(4) == 0 and plain[0].size:
        which = rng.integers(len(plain))
        if plain[which].size:
            bad = [spoiled(rng, x) if k == which else x for k, x in enumerate(plain)]
            with pytest.raises((ValueError, TypeError, sd.SolveError)):
                function(robot, *bad)
        return
    expected = function(robot, *plain)
    given = [disguised(rng, x) for x in plain]
    found = function(robot, *given, threads=int(rng.integers(1, 4)))
    pairs = zip(expected, found) if isinstance(expected, tuple) else [(expected, found)]
    assert all(np.array_equal(x, y) for x, y in pairs), name
    out, fits = outputs(rng, expected, given)
    if fits:
        function(robot, *given, out=out)
        pairs = zip(expected, out) if isinstance(expected, tuple) else [(expected, out)]
        assert all(np.array_equal(x, y) for x, y in pairs), name
    elif np.size(expected[0] if isinstance(expected, tuple) else expected):
        with pytest.raises(ValueError):
            function(robot, *given, out=out)


def test_random_calls(arm, quadruped):
    resource = pytest.importorskip("resource")
    rng, before = np.random.default_rng(int(os.environ.get("SPARSEDYN_RANDOM_SEED", "1"))), 0
    for k in range(CALLS):
        one_call(rng, arm if k % 2 else quadruped)
        if k == CALLS // 3:
            gc.collect()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if "ASAN_OPTIONS" not in os.environ:  # which keeps what is freed, to see it used
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB
