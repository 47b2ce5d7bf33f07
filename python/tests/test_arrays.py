"""Shapes, dtypes, strides, `out`, threads, failures."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import hypothesis
import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest

import sparsedyn as sd


def test_a_batch_is_its_samples(robot, states):
    s = states(robot, (3, 2))
    whole = sd.rnea(robot, s.q, s.dq, s.ddq)
    assert whole.shape == (3, 2, robot.nv) and whole.dtype == np.float64
    for at in np.ndindex(3, 2):
        assert np.array_equal(whole[at], sd.rnea(robot, s.q[at], s.dq[at], s.ddq[at]))
    tuple_of = sd.rnea_derivatives(robot, s.q, s.dq, s.ddq)
    assert np.array_equal(tuple_of.M[2, 1], sd.rnea_derivatives(robot, s.q[2, 1], s.dq[2, 1], s.ddq[2, 1]).M)
    assert sd.rnea(robot, s.q[:0], s.dq[:0], s.ddq[:0]).shape == (0, 2, robot.nv)


@pytest.mark.parametrize("count", [2, 7, 8, 9, 64, 133])
def test_samples_side_by_side_have_the_numbers_that_they_have_alone(robot, states, count):
    s = states(robot, (count,))
    s.q[count // 2, -1] = 3e6  # beyond what is reduced in vectors
    calls = [(sd.rnea, (s.q, s.dq, s.ddq)), (sd.aba, (s.q, s.dq, s.tau)), (sd.bias, (s.q, s.dq)), (sd.gravity, (s.q,)),
             (sd.crba, (s.q,))]
    for function, arguments in calls:
        whole = function(robot, *arguments)
        alone = np.stack([function(robot, *(x[k] for x in arguments)) for k in range(count)])
        assert np.array_equal(whole, alone), function
        strided = np.zeros((*whole.shape[:-1], 2 * whole.shape[-1]))[..., ::2]
        assert np.array_equal(function(robot, *(np.asfortranarray(x) for x in arguments), out=strided), alone)
        bad = arguments[-1].copy()
        bad[1, 0] = np.nan
        value, failed = function(robot, *arguments[:-1], bad, on_error="nan")
        assert list(np.flatnonzero(failed)) == [1] and np.array_equal(np.delete(value, 1, 0), np.delete(alone, 1, 0))


def test_any_number_of_lanes_gives_the_same_bits():
    script = textwrap.dedent("""
        import hashlib, sys, numpy as np, sparsedyn as sd
        digest = hashlib.sha256()
        for floating in (False, True):
            robot, rng = sd.load_urdf(sys.argv[1], floating=floating), np.random.default_rng(1)
            q, (v, a) = robot.random(rng, 37), rng.standard_normal((2, 37, robot.nv))
            for x in (sd.rnea(robot, q, v, a), sd.aba(robot, q, v, a), sd.bias(robot, q, v), sd.gravity(robot, q), sd.crba(robot, q)):
                digest.update(x.tobytes())
        print(digest.hexdigest())
    """)
    from conftest import ROBOTS
    found = {subprocess.run([sys.executable, "-c", script, str(ROBOTS / "quadruped.urdf")], capture_output=True, text=True, check=True,
                            env={**os.environ, "SPARSEDYN_LANES": lanes}).stdout for lanes in ("1", "4", "8")}
    assert len(found) == 1


@hypothesis.settings(max_examples=150, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(data=st.data())
def test_broadcasting_is_numpys(arm, data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=4))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    q, dq, ddq = (rng.standard_normal((*shape, arm.nv)) for shape in shapes.input_shapes)
    arrays = [data.draw(st.sampled_from([same, strided, fortran, reversed_, single, as_list]))(x) for x in (q, dq, ddq)]
    found = sd.rnea(arm, *arrays)
    full = [np.broadcast_to(np.asarray(x, dtype=np.float64), (*shapes.result_shape, arm.nv)).reshape(-1, arm.nv) for x in arrays]
    assert found.shape == (*shapes.result_shape, arm.nv)
    each = [sd.rnea(arm, *(x[k] for x in full)) for k in range(len(full[0]))]
    assert np.array_equal(found.reshape(-1, arm.nv), np.reshape(each, (-1, arm.nv)))


def same(x):
    return x


def strided(x):
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]))
    wide[..., ::2] = x
    return wide[..., ::2]


def fortran(x):
    return np.asfortranarray(x)


def reversed_(x):
    return x[..., ::-1].copy()[..., ::-1]


def single(x):
    return x.astype(np.float32)


def as_list(x):
    return x.tolist() if x.size else x


def test_what_counts_as_an_array(arm, states):
    s = states(arm)
    expected = sd.rnea(arm, s.q, s.dq, s.ddq)
    read_only = s.q.copy()
    read_only.flags.writeable = False

    class Exporter:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **keywords):
            return self.x.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    class Array:
        def __array__(self, dtype=None, copy=None):
            return s.q

    for q in (memoryview(s.q), s.q.tolist(), read_only, Exporter(s.q), Array(), s.q.astype(">f8"), tuple(s.q), s.q.astype(np.longdouble),
              s.q.astype(object)):
        assert np.array_equal(sd.rnea(arm, q, s.dq, s.ddq), expected), type(q)
    assert sd.rnea(arm, np.zeros(arm.nq, int), s.dq, s.ddq).shape == (arm.nv,)
    for wrong in ("text", None, [1j] * arm.nq, [object()] * arm.nq, [[1], [1, 2]]):
        with pytest.raises((TypeError, ValueError), match="q:"):
            sd.rnea(arm, wrong, s.dq, s.ddq)
    for wrong in (np.full(arm.nq, object()), np.full(arm.nq, "1"), np.full(arm.nq, 1j)):
        with pytest.raises(TypeError, match="^q: .*; expected numbers of shape"):
            sd.rnea(arm, wrong, s.dq, s.ddq)
    with pytest.raises(TypeError, match="^q: .*too large.*; expected numbers of shape"):
        sd.rnea(arm, [10**400] * arm.nq, s.dq, s.ddq)
    for wrong in (np.zeros(arm.nq, "M8[s]"), np.zeros(arm.nq, "m8[s]"), np.zeros(arm.nq, [("x", float)])):
        with pytest.raises(TypeError, match="^q: .*; expected numbers of shape"):
            sd.rnea(arm, wrong, s.dq, s.ddq)
    with pytest.raises(ValueError, match="^q: .*inhomogeneous shape"):  # rows of different lengths
        sd.rnea(arm, [[0.0] * arm.nq, [0.0]], s.dq, s.ddq)
    with pytest.raises(ValueError, match="q: masked"):
        sd.rnea(arm, np.ma.array(s.q, mask=[1] + [0] * (arm.nq - 1)), s.dq, s.ddq)


def test_columns_of_tables_are_arrays(arm, states):
    """Of pandas and pyarrow, as they come; what is missing in them is named, not taken for a number."""
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    s = states(arm, (4,))
    expected = sd.rnea(arm, s.q, s.dq, s.ddq)
    frame = pandas.DataFrame(s.q)
    assert np.array_equal(sd.rnea(arm, frame, s.dq, s.ddq), expected)
    assert np.array_equal(sd.rnea(arm, pandas.Series(s.q[0]), pyarrow.array(s.dq[0]), s.ddq[0]), expected[0])
    with pytest.raises(TypeError, match="^q: "):
        sd.rnea(arm, frame.astype("Float64").mask(frame > 0), s.dq, s.ddq)
    with pytest.raises(sd.SolveError, match=r"dq\[0\] is not finite"):
        sd.rnea(arm, s.q[0], pyarrow.array([None, *s.dq[0, 1:]]), s.ddq[0])


def test_use_after_a_fork_and_from_many_threads(arm, states):
    s = states(arm, (300,))
    expected, solver = sd.rnea(arm, s.q, s.dq, s.ddq, threads=2), sd.Solver(arm, "inverse-dynamics")
    y = np.random.default_rng(1).standard_normal((300, len(solver.inputs)))
    solved, wrong = solver(s.q, s.dq, y), []

    def work():
        for _ in range(20):
            same = np.array_equal(sd.rnea(arm, s.q, s.dq, s.ddq, threads=2), expected) and np.array_equal(solver(s.q, s.dq, y), solved)
            if not same or solver(s.q[0], s.dq[0], y[0]).shape != (arm.nv,):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    child = os.fork() if hasattr(os, "fork") else 0
    if child == 0 and hasattr(os, "fork"):
        signal.alarm(60)
        work()
        os._exit(len(wrong))
    assert not child or os.waitpid(child, 0)[1] == 0


def test_a_wrong_shape_names_argument_and_both_shapes(arm):
    q, v = np.zeros((128, arm.nq)), np.zeros((128, arm.nv))
    with pytest.raises(ValueError, match=rf"^dq: \(128, {arm.nv - 1}\); expected \(\.\.\., {arm.nv}\)$"):
        sd.rnea(arm, q, v[:, :-1], v)
    with pytest.raises(ValueError, match=r"^q: \(\); expected"):
        sd.rnea(arm, 1.0, v, v)
    with pytest.raises(ValueError, match=rf"do not broadcast: q \(128, {arm.nq}\), dq \(3, {arm.nv}\)"):
        sd.bias(arm, q, v[:3])
    with pytest.raises(ValueError, match=r"fx\[.*\]: \(5,\); expected \(\.\.\., 6\)"):
        sd.rnea(arm, q, v, v, {arm.link_names[-1]: np.zeros(5)})
    with pytest.raises(TypeError):
        sd.rnea(arm, q, v, v, fx=[1, 2])
    for rows in (q, q[0]):
        with pytest.raises(ValueError, match="threads: -1"):
            sd.gravity(arm, rows, threads=-1)


def test_out(robot, states):
    s = states(robot, (6,))
    expected = sd.rnea(robot, s.q, s.dq, s.ddq)
    n = robot.nv
    plain, wide = np.empty((6, n)), np.zeros((12, 2 * n + 1))
    for out in (plain, wide[::2, 1::2], wide[::-2, :n], np.empty((n, 6)).T):
        assert sd.rnea(robot, s.q, s.dq, s.ddq, out=out) is out
        assert np.array_equal(out, expected)
    beside = np.zeros((6, 3 * n))
    beside[:, n : 2 * n] = s.dq  # interleaved memory that does not overlap
    assert np.array_equal(sd.rnea(robot, s.q, beside[:, n : 2 * n], s.ddq, out=beside[:, :n]), expected)
    matrices = [np.empty((6, n)), *(np.empty((6, n, n)) for _ in range(3))]
    matrices[2] = np.zeros((6, n, 2 * n))[:, :, ::2]
    result = sd.rnea_derivatives(robot, s.q, s.dq, s.ddq, out=tuple(matrices))
    for given, returned, value in zip(matrices, result, sd.rnea_derivatives(robot, s.q, s.dq, s.ddq)):
        assert given is returned and np.array_equal(given, value)


def test_out_that_cannot_be(arm, states):
    s = states(arm, (6,))
    read_only = np.empty((6, arm.nv))
    read_only.flags.writeable = False
    square = np.zeros((6, arm.nv))
    wrong = [read_only, np.empty((6, arm.nv), np.float32), np.empty((5, arm.nv)), np.empty((1, 6, arm.nv)), s.dq, s.dq[::-1],
             np.empty((6, arm.nv), ">f8"), [0.0] * arm.nv, np.lib.stride_tricks.as_strided(square, strides=(0, 8)),
             np.lib.stride_tricks.as_strided(square, strides=(8, 8))]
    for out in wrong:
        with pytest.raises(ValueError, match="out"):
            sd.rnea(arm, s.q, s.dq, s.ddq, out=out)
    shared = np.empty((7, arm.nv))
    both = (shared[:6], *(np.empty((6, arm.nv, arm.nv)) for _ in range(3)))
    with pytest.raises(ValueError, match="tuple of 4"):
        sd.rnea_derivatives(arm, s.q, s.dq, s.ddq, out=both[:3])
    with pytest.raises(ValueError, match="shares memory"):
        sd.rnea_derivatives(arm, s.q, s.dq, s.ddq, out=(*both[:3], both[2]))
    single = s.dq.astype(np.float32)  # copied on reading, yet the caller's input
    with pytest.raises(ValueError):
        sd.rnea(arm, s.q, single, s.ddq, out=single)


def test_threads_give_the_same_bits(robot, states):
    s = states(robot, (1000,))
    for function in (sd.rnea, sd.aba):
        one = function(robot, s.q, s.dq, s.tau)
        for threads in (2, 3, 7, 0):
            assert np.array_equal(one, function(robot, s.q, s.dq, s.tau, threads=threads))
    with pytest.raises(ValueError, match="threads: -1"):
        sd.rnea(robot, s.q, s.dq, s.tau, threads=-1)


def test_failed_rows_are_named(robot, states):
    s = states(robot, (4, 100))
    s.q[1, 7, -1] = np.nan
    s.dq[3, 99, 0] = np.inf
    bad = [107, 399]
    for threads in (1, 4):
        with pytest.raises(sd.SolveError) as error:
            sd.rnea(robot, s.q, s.dq, s.ddq, threads=threads)
        assert error.value.rows == bad
        assert f"q[{robot.nq - 1}] is not finite" in error.value.messages[0] and "dq[0]" in error.value.messages[1]
        assert "2 of 400" in str(error.value)
        value, failed = sd.rnea(robot, s.q, s.dq, s.ddq, threads=threads, on_error="nan")
        assert failed.shape == (4, 100) and list(np.flatnonzero(failed)) == bad
        assert np.isnan(value).all(-1).ravel().tolist() == failed.ravel().tolist()
        good = sd.rnea(robot, np.nan_to_num(s.q), np.nan_to_num(s.dq, posinf=0), s.ddq)
        assert np.array_equal(value[~failed], good[~failed])
    answer = sd.rnea(robot, s.q[1, 7], s.dq[1, 7], s.ddq[1, 7], on_error="nan")
    assert isinstance(answer, sd.Answer) and answer.failed.shape == () and answer.failed
    with pytest.raises(ValueError, match="on_error"):
        sd.rnea(robot, s.q, s.dq, s.ddq, on_error="ignore")


def test_a_zero_quaternion_fails(quadruped, states):
    s = states(quadruped)
    expected = sd.rnea(quadruped, s.q, s.dq, s.ddq)
    scaled = s.q.copy()
    scaled[3:7] *= 3
    assert np.allclose(sd.rnea(quadruped, scaled, s.dq, s.ddq), expected, rtol=1e-13)
    assert scaled[3:7] == pytest.approx(3 * s.q[3:7], abs=0)  # inputs stay as they are
    scaled[3:7] = 0
    with pytest.raises(sd.SolveError, match="quaternion"):
        sd.rnea(quadruped, scaled, s.dq, s.ddq)


def test_a_joint_that_moves_nothing_is_named():
    massless = sd.load_urdf(
        '<robot name="m"><link name="a"/><link name="b"/><joint name="idle" type="continuous"><parent link="a"/>'
        '<child link="b"/></joint></robot>')
    with pytest.raises(sd.SolveError, match="ddq.idle"):
        sd.aba(massless, [0.1], [0.0], [1.0])
    with pytest.raises(sd.SolveError, match="ddq.idle") as error:
        sd.aba(massless, np.zeros((20, 1)), np.zeros(1), np.zeros(1))
    assert error.value.rows == list(range(20))
    with pytest.raises(sd.SolveError):
        sd.centre_of_mass(massless, [0.1])


def test_other_python_threads_run_meanwhile(quadruped, states):
    s = states(quadruped, (20000,))
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    sd.rnea_derivatives(quadruped, s.q, s.dq, s.ddq)
    done.set()
    counter.join()
    assert ticks > 3


def test_ctrl_c_stops_a_batch():
    script = textwrap.dedent("""
        import sys, time, numpy as np, sparsedyn as sd
        robot = sd.load_urdf(sys.argv[1], floating=True)
        q, v = np.tile(robot.neutral(), (1000, 1, 1)), np.zeros((1, 6000, robot.nv))  # seconds, and few numbers come out
        print("ready", flush=True)
        try:
            while True:
                sd.energy(robot, q, v, threads=2)
        except KeyboardInterrupt:
            print("stopped", time.time(), flush=True)
    """)
    from conftest import ROBOTS
    process = subprocess.Popen([sys.executable, "-c", script, str(ROBOTS / "quadruped.urdf")], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "ready"
    time.sleep(1.0)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    word, when = process.stdout.readline().split()
    process.wait(timeout=10)
    assert word == "stopped" and float(when) - sent < 3.0  # 0.2 s on a machine that does nothing else


def test_no_leak(arm, states):
    resource = pytest.importorskip("resource")
    s = states(arm)
    out = np.empty(arm.nv)
    batch = np.tile(s.q, (3, 1))

    def calls(n):
        for _ in range(n):
            sd.rnea(arm, s.q, s.dq, s.ddq, out=out)
            sd.energy(arm, batch, s.dq)
            sd.rnea(arm, s.q, s.dq, s.ddq, {arm.link_names[-1]: [0.0] * 6}, on_error="nan")
            try:
                sd.rnea(arm, s.q[:-1], s.dq, s.ddq)
            except ValueError:
                pass

    calls(3000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(20000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2000  # kB; one leaked array a call is 3 MB
